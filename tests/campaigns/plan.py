"""Which request meets which fault: drawn from the seed and from who asks, never from when.

A request is known by its tag. The campaigns write a tag into the nonces of their clients, into their request
ids, or into their User-Agent; a request without one goes by what is asked. So the same seed gives the
same faults to the same calls, however threads take turns.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from random import Random
from typing import Final

from .faults.kinds import Family, Fault
from .wire import Head

_MARK: Final = "CAMPAIGN-"
_IN_QUERY: Final = re.compile(rf"[?&]nonce={_MARK}(\w+)-")
_TAG: Final = re.compile(rf"{_MARK}(\w+)-")


@dataclass
class _Own:
    """What is asked in a context: on behalf of which tag, and how many nonces it has drawn."""

    tag: str = ""
    count: int = 0


_own: Final[ContextVar[_Own]] = ContextVar("campaign_tag")


class Tags:
    """A source of nonces that say which call they are for: the one of this thread, or of its context where
    another thread makes the call.
    """

    def __init__(self, run: str) -> None:
        self._run = run  # nonces are valid once, also those of several runs against one sandbox

    @staticmethod
    def begin(tag: str) -> None:
        """From now on this thread asks on behalf of `tag`, letters and digits."""
        _own.set(_Own(tag))

    def nonce(self) -> str:
        """The next nonce of this thread's call."""
        own = _own.get()
        own.count += 1
        return f"{_MARK}{own.tag}-{own.count:04d}-{self._run}"


def request_id(tag: str) -> str:
    """A request id that says which call it is of."""
    return f"{_MARK}{tag}-"


def tag_in(text: str) -> str:
    """The tag in a nonce, a request id or the name of an agent; empty where there is none."""
    found = _TAG.search(text)
    return "" if found is None else found[1]


def tag_of(head: Head) -> str:
    """Who sends a request, as far as its head tells: a tag, or else what is asked."""
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
    """What goes wrong: `share` of all requests, and `connects` of all connections before there is any."""

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
        """How many requests of this tag there were, with this one, and the chance that is this one's."""
        with self._lock:
            self._seen[tag] += 1
            count = self._seen[tag]
        return count, Random(f"{self._seed}/{tag}/{count}")

    def fault(self, random: Random) -> Fault | None:
        """What is to go wrong with a request; None for nothing. All families are as likely as each other."""
        if random.random() >= self._share:
            return None
        return random.choice(random.choice(self._families))

    def refuses(self, connection: int) -> bool:
        """Whether this connection, by its number, is reset before anything is read from it."""
        return Random(f"{self._seed}/connection/{connection}").random() < self._connects


def always(fault: Fault) -> Plan:
    """A plan that gives each request the same fault, and refuses no connection."""
    return Plan(0, [(fault,)], share=1.0, connects=0.0)
