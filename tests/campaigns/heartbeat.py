"""How late this machine is: what a call lost to a busy processor is no fault of the client's."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

_BEAT = 0.02  # seconds
_USUAL = 0.1  # seconds that a sleep may be too long on any machine


class Heartbeat:
    """Sleeps again and again, and adds up by how many seconds sleeps were much too long."""

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
            begun = time.monotonic()
            time.sleep(_BEAT)
            late = time.monotonic() - begun - _BEAT
            self.late += late if late > _USUAL else 0.0
