"""Runs `soapclient export` and kills the process at the N-th event: `export_driver.py N ARGUMENTS`.

Events are accesses to the disk (fsync, rename, written bytes of the file), the order, and the command's final
acknowledgement that the file is complete, each before and after. With -1 the command runs to its end and
prints the number of events, and the one before the order, on stderr.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import TypeVar

from soapclient._support import part_file
from soapclient.cli.application import cli
from soapclient.tracking.exports import export
from soapclient.tracking.exports.orders.arguments import place

T = TypeVar("T")


def main(left: int, arguments: list[str]) -> None:
    done = 0

    def event() -> None:
        nonlocal done
        if done == left:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1

    def counted(function: Callable[..., T]) -> Callable[..., T]:
        def before_and_after(*args: object, **named: object) -> T:
            event()
            if function is place:
                print("the order is after", done, file=sys.stderr)
            result = function(*args, **named)
            event()
            return result

        return before_and_after

    os.fsync = counted(os.fsync)
    os.replace = counted(os.replace)
    vars(export)["place"] = counted(place)  # `Orders.place` calls this name
    vars(export)["SETTLE"] = 0.0
    part_file.acknowledge = counted(part_file.acknowledge)
    # only in this process
    part_file.PartFile.write = counted(part_file.PartFile.write)  # type: ignore[method-assign]
    cli.main(arguments, prog_name="soapclient", standalone_mode=False)
    print("events", done, file=sys.stderr)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
