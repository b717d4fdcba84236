"""A process that places one order and is killed, or halts, at its n-th step.

Arguments: the service's address, the ledger's folder, the number of allowed steps (-1: all), the end (`kill`,
or `halt`: prints a message and waits), patience, the day, the protocol.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from datetime import date
from typing import TypeVar

from soapclient import Settings
from soapclient.tracking.client import Client
from soapclient.tracking.exports import export
from soapclient.tracking.exports.orders.arguments import place
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY

T = TypeVar("T")


def main(url: str, folder: str, left: int, end: str, patience: float, day: str, protocol: str) -> None:
    done = 0

    def event() -> None:
        nonlocal done
        if done == left:
            if end == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            print("halted", flush=True)
            sys.stdin.read()
        done += 1

    def counted(function: Callable[..., T]) -> Callable[..., T]:
        def before_and_after(*args: object, **named: object) -> T:
            event()
            result = function(*args, **named)
            event()
            return result

        return before_and_after

    config = Settings.load(
        environ={},
        connect_id=SAMPLE_CONNECT_ID,
        secret_key=SAMPLE_SECRET_KEY,
        data_url=url,
        data_protocol=protocol,
    )
    with Client(config) as client:
        exports = client.data.exports
        ledger = exports.ledger(folder, patience=patience)
        os.fsync = counted(os.fsync)
        os.replace = counted(os.replace)
        vars(export)["place"] = counted(place)  # the name that Orders.place calls
        only = date.fromisoformat(day)
        handle = exports.order_once(ledger, report_type="click", from_date=only, to_date=only, settle=0)
    print(handle.job_id, done, flush=True)


if __name__ == "__main__":
    _, url, folder, left, end, patience, day, protocol = sys.argv
    main(url, folder, int(left), end, float(patience), day, protocol)
