"""A backfill that kills its own process: `python driver.py PLAN STEP`, at STEP of the second partition.

The steps are functions of the package, replaced in this process only.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import TypeVar

from soapclient._support import part_file
from soapclient.tracking.backfill import Plan, store, task
from soapclient.tracking.exports import backfill, export
from soapclient.tracking.exports.orders import ledger, record

T = TypeVar("T")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def at(
    owner: object, name: str, *, when: Callable[..., bool] = lambda *_, **__: True, after: bool = False
) -> None:
    """Kill the process at the second call of a function, before or after it."""
    function: Callable[..., object] = getattr(owner, name)
    calls = 0

    def deadly(*given: object, **named: object) -> object:
        nonlocal calls
        calls += when(*given, **named)
        if calls == 2 and not after:
            die()
        result = function(*given, **named)
        if calls == 2:
            die()
        return result

    setattr(owner, name, deadly)


def in_the_middle_of_the_file() -> None:
    write = part_file.PartFile.write
    files = set()

    def half(self: part_file.PartFile, data: bytes, *, complete: bool = False) -> None:
        files.add(self.target)
        if len(files) == 2:
            write(self, data[: len(data) // 2])
            die()
        write(self, data, complete=complete)

    part_file.PartFile.write = half  # type: ignore[method-assign]  # in this process only


def _ordered(_: object, one: record.OrderRecord) -> bool:
    return one.state == "ordered"


STEPS: dict[str, Callable[[], None]] = {
    "before the order": lambda: at(export.Orders, "place_once"),
    "after the intent": lambda: at(export.Orders, "place"),
    "after the order, before its response is kept": lambda: at(ledger.Ledger, "save", when=_ordered),
    "after the order": lambda: at(export.Orders, "place_once", after=True),
    "while polling": lambda: at(task._StoppableClock, "sleep"),
    "in the middle of the download": in_the_middle_of_the_file,
    "after the download": lambda: at(store.LocalStore, "put"),
    "before the rename": lambda: at(
        store, "finish", when=lambda _, target, **__: target.suffix in (".parquet", ".gz")
    ),
    "after the rename, before the manifest": lambda: at(store.LocalStore, "write"),
    "before the manifest's rename": lambda: at(
        store, "finish", when=lambda _, target, **__: target.suffix == ".json"
    ),
    "after the manifest": lambda: at(store.LocalStore, "in_folder"),
}


if __name__ == "__main__":
    STEPS[sys.argv[2]]()
    backfill(Plan.load(sys.argv[1]), jobs=1, settle=0.0)
