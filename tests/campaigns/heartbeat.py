"""How late this machine is: what a call lost to a busy processor is no fault of the client's.

Two things tell it: the kernel, which counts how long a thread that could have run had no processor; and a
heartbeat, whose sleep was too long although this process did little meanwhile. What the process itself did,
a client that computes for seconds among it, is nobody else's doing.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

_SCHEDULED = Path("/proc/thread-self/schedstat")
_BEAT = 0.02  # seconds
_USUAL = 0.1  # seconds that a sleep may be too long on any machine


class Heartbeat:
    """Sleeps again and again, and adds up by how many seconds sleeps were too long by the machine's doing."""

    def __init__(self) -> None:
        self.late = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._stop.is_set():
            begun, worked = time.monotonic(), time.process_time()
            time.sleep(_BEAT)
            self.late += by_machine(time.monotonic() - begun, time.process_time() - worked)


def by_machine(slept: float, worked: float) -> float:
    """How much of a sleep of `slept` seconds was the machine's doing, in which the process worked so long."""
    late = slept - _BEAT - worked
    return late if late > _USUAL else 0.0


def queued() -> float:
    """For how many seconds this thread could have run and had no processor, so far; 0 where nobody knows."""
    try:
        return int(_SCHEDULED.read_text().split()[1]) / 1e9
    except OSError:
        return 0.0
