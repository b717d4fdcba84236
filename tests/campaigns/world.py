"""The service and its proxy, in a separate process.

Memory, open files and threads of the campaign's process then belong only to the clients.
"""

from __future__ import annotations

import datetime as dt
import multiprocessing
import signal
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Final, Self

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, Sandbox, serve

from .faults import ALL, Family
from .plan import Plan
from .proxy import Proxy, Record
from .truth import Journal

CLICKS: Final = 5  # per day
_LONGEST: Final = 120.0  # seconds to start or to end


@dataclass(frozen=True)
class Outcome:
    """What actually happened: all requests, how often each write was processed, and the jobs of each day."""

    records: Sequence[Record] = ()
    done: Mapping[tuple[str, str], int] = field(default_factory=dict)
    ordered: Mapping[dt.date, Sequence[str]] = field(default_factory=dict)


class World:
    """A sandbox generated from `seed` at `service`, and at `url` through a proxy with faults."""

    def __init__(self, seed: int, families: Sequence[Family], share: float) -> None:
        context = multiprocessing.get_context("spawn")  # this process has threads
        self._pipe, theirs = context.Pipe()
        names = [[fault.name for fault in family] for family in families]
        arguments = (theirs, seed, names, share)
        self._process = context.Process(target=_serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self.service, self.url = self._heard()

    def _heard(self) -> tuple[str, str]:
        if not self._pipe.poll(_LONGEST):
            raise RuntimeError("the service did not start")
        service, url = self._pipe.recv()
        return service, url

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()  # ends the process
        self._process.join(_LONGEST)
        self._process.close()

    def end(self) -> Outcome:
        """Close all connections and return what happened. After this no more requests are processed."""
        self._pipe.send("end")
        if not self._pipe.poll(_LONGEST):
            raise RuntimeError("the service did not end")
        outcome = self._pipe.recv()
        assert isinstance(outcome, Outcome)
        return outcome


def _serve(pipe: Connection, seed: int, names: Sequence[Sequence[str]], share: float) -> None:
    """Main function of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # its parent ends it
    families = [tuple(ALL[name] for name in family) for family in names]
    with ExitStack() as stack:
        sandbox = stack.enter_context(Sandbox(seed=seed, clicks_per_day=CLICKS))
        journal = Journal.keep(sandbox)
        server = stack.enter_context(serve(sandbox, timeout=120))
        proxy = stack.enter_context(Proxy(server.url, Plan(seed, families, share)))
        pipe.send((server.url, proxy.url))
        try:
            pipe.recv()
        except EOFError:  # the parent has closed the pipe
            return
        proxy.close()  # including requests in flight
        ordered = defaultdict(list)
        for job in sandbox.jobs.of(SAMPLE_CONNECT_ID):
            ordered[job.order.first].append(job.id)
        pipe.send(Outcome(proxy.records, journal.done(), dict(ordered)))
