"""Memory, open files and threads of a process: they must stay flat and be released at the end."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_SETTLING: Final = 4.0  # seconds to wait until closed resources are released
_PAUSE: Final = 0.05
_NAMED: Final = 5  # threads named in a finding
_M_ARENA_MAX: Final = -8  # malloc.h
# Maximum growth from the second quarter of the work to the last.
_MOST_MEMORY: Final = 12.0  # MiB
_MOST_FILES: Final = 24
_MOST_THREADS: Final = 8


@dataclass(frozen=True)
class Look:
    """A snapshot of a process: memory in MiB, open files (mostly sockets), and threads."""

    memory: float
    files: int
    threads: int


class Resources:
    """Takes snapshots of this process or another one. Without /proc, all values are 0."""

    def __init__(self, process: int | None = None) -> None:
        self._process = process
        self._looks: list[Look] = []
        gc.collect()
        self._before = self._now()

    def _now(self) -> Look:
        proc = Path(f"/proc/{self._process or 'self'}")
        if not proc.exists():
            return Look(0.0, 0, 0)
        memory = int((proc / "statm").read_text().split()[1]) * _PAGE / 2**20
        threads = len(os.listdir(proc / "task")) if self._process else threading.active_count()
        return Look(memory, len(os.listdir(proc / "fd")), threads)

    def look(self) -> None:
        """Take another snapshot during the work."""
        self._looks.append(self._now())

    def growth(self) -> Look:
        """Return the growth from the second quarter of the work to the last, as difference of the means."""
        quarter = len(self._looks) // 4
        if quarter == 0:
            return Look(0.0, 0, 0)
        early, late = _mean(self._looks[quarter : 2 * quarter]), _mean(self._looks[-quarter:])
        return Look(
            round(late.memory - early.memory, 1), late.files - early.files, late.threads - early.threads
        )

    def left(self) -> Look:
        """Return the resources that remain after closing everything, compared with the start."""
        gc.collect()
        until = time.monotonic() + _SETTLING
        while True:
            now = self._now()
            files, threads = now.files - self._before.files, now.threads - self._before.threads
            if (files <= 0 and threads <= 0) or time.monotonic() >= until:
                return Look(round(now.memory - self._before.memory, 1), files, threads)
            time.sleep(_PAUSE)

    def problems(self, growth: Look, left: Look) -> list[str]:
        """Describe the resources that grew or remained."""
        found = []
        for what, grown, most in (
            ("MiB of memory", growth.memory, _MOST_MEMORY),
            ("open files", growth.files, _MOST_FILES),
            ("threads", growth.threads, _MOST_THREADS),
        ):
            if grown > most:
                found.append(
                    f"{grown:g} {what} more in the last quarter than in the second, at most {most:g}"
                )
        if left.files > 0:
            found.append(f"{left.files} files still open when all was closed")
        if left.threads > 0:
            names = ", ".join([thread.name for thread in threading.enumerate()][-_NAMED:])
            found.append(f"{left.threads} threads still running when all was closed, last {names}")
        return found


def few_arenas() -> None:
    """Limit the number of malloc arenas of this process, if the C library is glibc.

    By default glibc creates an arena per thread, up to eight per processor, and does not return their memory.
    Memory would then grow for thousands of requests although the threads no longer use it.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def _mean(looks: Sequence[Look]) -> Look:
    count = len(looks)
    return Look(
        sum(look.memory for look in looks) / count,
        round(sum(look.files for look in looks) / count),
        round(sum(look.threads for look in looks) / count),
    )
