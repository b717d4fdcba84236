"""One call after the other, none of which may end otherwise than by a value or an error of the client's."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from soapclient.errors import SoapClientError

from .findings import Finding, Report
from .heartbeat import Heartbeat
from .plan import Tags
from .proxy import Record
from .reads import WrongValue

T = TypeVar("T")

_GRACE: Final = 1.0  # seconds that a call may last beyond that


@dataclass(frozen=True)
class End(Generic[T]):
    """How a call ended: with a value, an error of the client's, or as it must not, which has been noted."""

    value: T | None = None
    error: SoapClientError | None = None
    noted: bool = False

    @property
    def right(self) -> bool:
        return self.error is None and not self.noted


class Supervision:
    """Makes calls of `timeout` seconds, counts them, and notes what must never be. Threads share it."""

    def __init__(self, tags: Tags, heart: Heartbeat, timeout: float) -> None:
        self.counts: Counter[str] = Counter()
        self._timeout = timeout
        self._tags = tags
        self._heart = heart
        self._lock = threading.Lock()
        self._found: list[tuple[str, Finding]] = []

    def tried(self, tag: str, what: str, call: Callable[[], T], *, bounded: bool = True) -> End[T]:
        """Make a call. `bounded`: it has one deadline."""
        self._tags.begin(tag)
        begun, late = time.monotonic(), self._heart.late
        try:
            return End(value=call())
        except SoapClientError as error:
            return End(error=error)
        except WrongValue as wrong:
            self.find("wrong value", tag, what, str(wrong))
        except Exception as error:
            self.find("foreign exception", tag, what, f"{type(error).__module__}.{told(error)}")
        finally:
            took = time.monotonic() - begun - (self._heart.late - late)
            if bounded and took > self._timeout + _GRACE:
                self.find("late", tag, what, f"took {took:.1f} seconds of {self._timeout:g}")
        return End(noted=True)

    def find(self, kind: str, tag: str, what: str, words: str) -> None:
        """Note a finding at a call."""
        with self._lock:
            self._found.append((tag, Finding(kind, f"call {tag}, {what}", words)))

    def count(self, name: str, more: int = 1) -> None:
        """Count something."""
        with self._lock:
            self.counts[name] += more

    def tell(self, report: Report, records: list[Record]) -> None:
        """Hand all findings to a report, each with what the proxy did to its call."""
        by_tag = defaultdict(list)
        for record in records:
            by_tag[record.tag].append(str(record))
        with self._lock:
            report.add(
                *(
                    Finding(one.kind, one.where, one.what, tuple(by_tag.get(tag, ())))
                    for tag, one in self._found
                )
            )


def told(error: BaseException) -> str:
    """An error in a finding."""
    return f"{type(error).__name__}: {error}"
