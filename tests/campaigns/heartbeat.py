"""Measures how late this machine is, because delays caused by a busy processor are not the client's fault.

There are two sources. The kernel counts how long a runnable thread had no processor. And a heartbeat detects
sleeps that take too long while this process does little. CPU time of the process itself is not attributed to
the machine, for instance if a client computes for seconds.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Self

_SCHEDULED = Path("/proc/thread-self/schedstat")
_BEAT = 0.02  # seconds
_USUAL = 0.1  # seconds that a sleep may take too long on any machine


class Heartbeat:
    """Sleeps repeatedly and adds up the delays caused by the machine, in seconds."""

    def __init__(self) -> None:
        self.late = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._stop.is_set():
            begun, worked = time.monotonic(), time.process_time()
            time.sleep(_BEAT)
            self.late += by_machine(time.monotonic() - begun, time.process_time() - worked)


def by_machine(slept: float, worked: float) -> float:
    """Return the delay caused by the machine in a sleep of `slept` seconds, `worked` of them CPU time."""
    late = slept - _BEAT - worked
    return late if late > _USUAL else 0.0


def queued() -> float:
    """Return the seconds that this thread was runnable but had no processor. 0 if unknown."""
    try:
        return int(_SCHEDULED.read_text().split()[1]) / 1e9
    except OSError:
        return 0.0
