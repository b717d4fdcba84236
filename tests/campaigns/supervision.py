"""Supervises calls: each must end with a value or with one of the client's errors."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from soapclient.errors import SoapClientError

from .findings import Finding, Report
from .heartbeat import Heartbeat, queued
from .plan import Tags
from .proxy import Record, by_tag
from .reads import WrongValue

T = TypeVar("T")

_GRACE: Final = 1.0  # seconds that a call may exceed its timeout


@dataclass(frozen=True)
class End(Generic[T]):
    """How a call ended: with a value, with one of the client's errors, or with a finding already recorded."""

    value: T | None = None
    error: SoapClientError | None = None
    noted: bool = False

    @property
    def right(self) -> bool:
        return self.error is None and not self.noted


class Supervision:
    """Makes and counts calls with a timeout of `timeout` seconds, and records findings. Thread-safe."""

    def __init__(self, tags: Tags, heart: Heartbeat, timeout: float) -> None:
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []
        self._timeout = timeout
        self._tags = tags
        self._heart = heart
        self._lock = threading.Lock()
        self._found: list[tuple[str, Finding]] = []

    def tried(self, tag: str, what: str, call: Callable[[], T], *, deadlines: int = 1) -> End[T]:
        """Make a call, or several calls with `deadlines` deadlines. With 0 there is no time limit."""
        self._tags.begin(tag)
        begun, late, waited = time.monotonic(), self._heart.late, queued()
        try:
            return End(value=call())
        except SoapClientError as error:
            return End(error=error)
        except WrongValue as wrong:
            self.find("wrong value", tag, what, str(wrong))
        except Exception as error:
            self.find("foreign exception", tag, what, f"{type(error).__module__}.{told(error)}")
        finally:
            took = time.monotonic() - begun
            allowed = deadlines * self._timeout
            if deadlines and took > allowed + _GRACE:
                machine = max(self._heart.late - late, queued() - waited)
                self._late(tag, what, took, allowed, machine)
        return End(noted=True)

    def _late(self, tag: str, what: str, took: float, allowed: float, machine: float) -> None:
        """Handle a call that took too long.

        It is not a finding if the machine was busy for the excess time.
        """
        words = f"took {took:.1f} seconds of {allowed:g}, {machine:.1f} of them the machine's"
        if took - machine > allowed + _GRACE:
            self.find("late", tag, what, words)
        else:
            self.count("late_by_machine")
            with self._lock:
                self.notes.append(f"late by the machine: call {tag}, {what}: {words}")

    def find(self, kind: str, tag: str, what: str, words: str) -> None:
        with self._lock:
            self._found.append((tag, Finding(kind, f"call {tag}, {what}", words)))

    def count(self, name: str, more: int = 1) -> int:
        with self._lock:
            self.counts[name] += more
            return self.counts[name]

    def tell(self, report: Report, records: Sequence[Record]) -> None:
        """Add all findings and notes to a report, each finding with the faults of its call."""
        met = by_tag(records)
        with self._lock:
            report.notes += self.notes
            report.add(*(replace(one, faults=tuple(map(str, met[tag]))) for tag, one in self._found))


def told(error: BaseException) -> str:
    """Format an error for a finding."""
    return f"{type(error).__name__}: {error}"
