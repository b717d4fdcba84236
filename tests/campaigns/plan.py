"""Assigns faults to requests, determined by the seed and the caller, independent of time.

A request is identified by its tag. Campaigns put tags into the nonces, request ids or User-Agent of their
clients. A request without a tag is identified by its content. The same seed thus gives the same faults to the
same calls, regardless of thread scheduling.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from .wire import Head

if TYPE_CHECKING:
    from .faults.kinds import Family, Fault

_MARK: Final = "CAMPAIGN-"
_IN_QUERY: Final = re.compile(rf"[?&]nonce={_MARK}(\w+)-")
_TAG: Final = re.compile(rf"{_MARK}(\w+)-")


@dataclass
class _Own:
    """State of a context: the tag of its call, and the number of nonces drawn."""

    tag: str = ""
    count: int = 0


_own: Final[ContextVar[_Own]] = ContextVar("campaign_tag")


class Tags:
    """Creates nonces that contain the tag of a call.

    The call is the one of the current thread, or of its context if another thread makes the call.
    """

    def __init__(self, run: str) -> None:
        self._run = run  # nonces must be unique across all runs against a sandbox

    @staticmethod
    def begin(tag: str) -> None:
        """Set the tag for calls of this thread. Tags consist of letters and digits."""
        _own.set(_Own(tag))

    def nonce(self) -> str:
        """Return the next nonce for this thread's call."""
        own = _own.get()
        own.count += 1
        return f"{_MARK}{own.tag}-{own.count:04d}-{self._run}"


def request_id(tag: str) -> str:
    """Return a request id that contains the tag of a call."""
    return f"{_MARK}{tag}-"


def tag_in(text: str) -> str:
    """Extract the tag from a nonce, request id or user agent. Return "" if there is no tag."""
    found = _TAG.search(text)
    return "" if found is None else found[1]


def tag_of(head: Head) -> str:
    """Identify the sender of a request by its tag, or else by the content of its head."""
    for pattern, text in (
        (_TAG, head.get("nonce")),
        (_TAG, head.get("x-request-id")),
        (_IN_QUERY, head.start),
        (_TAG, head.get("user-agent")),
    ):
        if found := pattern.search(text):
            return found[1]
    return f"{head.start} {head.get('soapaction')} {head.get('content-length')}".strip()


class Plan:
    """The planned faults: the share of requests that fail, and of connections that are reset at once."""

    def __init__(
        self, seed: int, families: Sequence[Family], share: float = 0.2, connects: float = 0.02
    ) -> None:
        self._seed = seed
        self._families = tuple(families)
        self._share = share
        self._connects = connects
        self._lock = threading.Lock()
        self._seen: Counter[str] = Counter()

    def next_of(self, tag: str) -> tuple[int, Random]:
        """Return the number of requests with this tag, including this one, and its random source."""
        with self._lock:
            self._seen[tag] += 1
            count = self._seen[tag]
        return count, Random(f"{self._seed}/{tag}/{count}")

    def fault(self, random: Random) -> Fault | None:
        """Pick the fault of a request, or None. All families are equally likely."""
        if random.random() >= self._share:
            return None
        return random.choice(random.choice(self._families))

    def refuses(self, connection: int) -> bool:
        """Return True if the connection with this number is reset before anything is read."""
        return Random(f"{self._seed}/connection/{connection}").random() < self._connects


def always(fault: Fault) -> Plan:
    """Return a plan that gives each request the same fault and resets no connection at once."""
    return Plan(0, [(fault,)], share=1.0, connects=0.0)
