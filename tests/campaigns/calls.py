"""Calls: threads share a client of each protocol and form, every fifth request goes wrong.

Pieces of work are reads; stories of an ad space that is created, read, updated, read and deleted; and orders
of report jobs, each of a day that no other one has. All is held against the truth.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from random import Random
from typing import Final, TypeVar

from soapclient import Client, Config
from soapclient.clock import NonceSource
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    ServiceFault,
    SoapClientError,
    UnexpectedResponse,
)
from soapclient.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

from . import forks, reads
from .faults import FAMILIES, Family
from .faults.statuses import is_for_good
from .findings import Finding, Report
from .heartbeat import Heartbeat
from .plan import Plan, Tags
from .proxy import Proxy, Record
from .reads import Read, WrongValue
from .supervision import Supervision, told
from .truth import Journal, Truth, difference, plain
from .writes import Write, adspace, said_by

T = TypeVar("T")
OpenClient = Callable[[Config, NonceSource], Client]

_CHECKED: Final = {"validate": "all", "drift": "error"}
WAYS: Final[dict[str, dict[str, str | int]]] = {
    "SOAP": {"publisher_protocol": "soap", "data_protocol": "soap"},
    "XML": {"publisher_protocol": "rest", "data_protocol": "rest", "rest_format": "xml"},
    "JSON": {
        "publisher_protocol": "rest",
        "data_protocol": "rest",
        "rest_format": "json",
        "rest_signature": "query",
    },
    "SOAPstreamed": {"publisher_protocol": "soap", "data_protocol": "soap", "stream_above": 0},
    # All of it held against the schema.
    "SOAPchecked": {"publisher_protocol": "soap", "data_protocol": "soap", **_CHECKED},
    "XMLchecked": {"publisher_protocol": "rest", "data_protocol": "rest", "rest_format": "xml", **_CHECKED},
}
_STORIES, _ORDERS = 0.15, 0.05  # of all pieces of work
_FIRST_ORDER: Final = dt.date(2000, 1, 1)
_LEAST_SHARE: Final = 0.99  # of the reads that succeed
_STUCK: Final = 60.0  # seconds in which no piece of work has ended
_SHOWN: Final = 20  # reads that failed, in a finding


def open_client(config: Config, nonces: NonceSource) -> Client:
    """A client that waits for no backoff: calls are what is tried here, not the time between them."""
    return Client(config, nonce_source=nonces, random=lambda: 0.0)


def config_for(url: str, way: str, timeout: float) -> Config:
    """The configuration for calls to `url` in one of the ways."""
    load: Callable[..., Config] = Config.load
    return load(
        environ={},
        connect_id=SAMPLE_CONNECT_ID,
        secret_key=SAMPLE_SECRET_KEY,
        publisher_url=url,
        data_url=url,
        advertiser_url=url,
        deadline=timeout,
        connect_timeout=timeout / 2,
        **WAYS[way],
    )


def run(
    seed: int,
    *,
    count: int = 4800,
    minutes: float | None = None,
    threads: int = 8,
    share: float = 0.2,
    families: Sequence[Family] = FAMILIES,
    forked: int = 40,
    timeout: float = 4.0,
    opened: OpenClient = open_client,
) -> Report:
    """Do `count` pieces of work, or as many as go into the minutes; then `forked` calls of each forked child.

    `share` is that of the requests that go wrong, `families` how they may. `timeout` is that of a call, in
    seconds, `opened` opens the clients.
    """
    report = Report("calls", seed)
    begun = time.monotonic()
    until = None if minutes is None else begun + 60 * minutes
    with ExitStack() as stack:
        sandbox = stack.enter_context(Sandbox(seed=seed, clicks_per_day=5))
        server = stack.enter_context(serve(sandbox, timeout=120))
        proxy = stack.enter_context(Proxy(server.url, Plan(seed, families, share)))
        tags = Tags(f"{time.time_ns():x}")
        supervision = Supervision(tags, stack.enter_context(Heartbeat()), timeout)
        with ExitStack() as opening:
            clients = {
                way: opening.enter_context(opened(config_for(proxy.url, way, timeout), tags.nonce))
                for way in WAYS
            }
            clean = opening.enter_context(Client(config_for(server.url, "JSON", timeout)))
            work = _Work(seed, Truth(sandbox, clean), sandbox, clients, supervision)
            _go(work, count, threads, until)
        for way in WAYS if forked else ():
            forks.run(supervision, work.truth, forks.Asked(proxy.url, way, timeout, seed, forked))
        proxy.close()  # with all that is still on its way: from here on nothing happens any more
        work.judge(report, proxy.records)
    report.figures["seconds"] = round(time.monotonic() - begun, 1)
    return report


def _go(work: _Work, count: int, threads: int, until: float | None) -> None:
    """Do the work, each thread its own pieces. One that does not end is left, and found by it."""

    def some(first: int) -> None:
        for number in range(first, count, threads):
            if until is not None and time.monotonic() >= until:
                return
            work.piece(number)

    running = [threading.Thread(target=some, args=(first,), daemon=True) for first in range(threads)]
    for thread in running:
        thread.start()
    ended, since = 0, time.monotonic()
    while any(thread.is_alive() for thread in running) and time.monotonic() - since < _STUCK:
        for thread in running:
            thread.join(timeout=0.1)
        if ended != (now := work.supervision.counts["ended"]):
            ended, since = now, time.monotonic()


class _Work:
    """The pieces of work, and what the client said of each."""

    def __init__(
        self,
        seed: int,
        truth: Truth,
        sandbox: Sandbox,
        clients: dict[str, Client],
        supervision: Supervision,
    ) -> None:
        self.truth = truth
        self.supervision = supervision
        self._seed = seed
        self._sandbox = sandbox
        self._clients = clients
        self._journal = Journal.keep(sandbox)
        self._lock = threading.Lock()
        self._writes: list[Write] = []
        self._failed: list[tuple[str, str]] = []

    def piece(self, number: int) -> None:
        """Do the piece of work of this number, which is the same for a seed."""
        random = Random(f"{self._seed}/work/{number}")
        way, kind = random.choice(list(WAYS)), random.random()
        self.supervision.count("begun")
        if kind < _STORIES:
            self._story(number, way)
        elif kind < _STORIES + _ORDERS:
            self._order(number, way)
        else:
            self._read(f"{number:06d}a", way, reads.draw(random, self.truth))
        self.supervision.count("ended")

    def _read(self, tag: str, way: str, read: Read) -> None:
        client, what = self._clients[way], f"{read.name} ({way})"
        end = self.supervision.tried(tag, what, lambda: read.run(client, self.truth), bounded=read.bounded)
        self.supervision.count("reads")
        if end.right:
            self.supervision.count("reads_right")
        elif end.error is not None:
            self._read_failed(tag, what, end.error, retried=read.retried)

    def _read_failed(self, tag: str, what: str, error: SoapClientError, *, retried: bool) -> None:
        fault = isinstance(error, ServiceFault)
        if isinstance(error, AuthenticationError) or (isinstance(error, ServiceFault) and error.code != 500):
            self.supervision.find("refused", tag, what, told(error))
        elif isinstance(error, AmbiguousOutcome):
            self.supervision.find("doubt", tag, what, f"of a read: {told(error)}")
        elif fault or not retried or (isinstance(error, UnexpectedResponse) and is_for_good(error.status)):
            # What the service says itself need not be something else the next time.
            self.supervision.count("reads_excused")
        else:
            with self._lock:
                self._failed.append((tag, f"call {tag}, {what}: attempts {error.attempts}, {told(error)}"))

    def _story(self, number: int, way: str) -> None:
        tag, name, publisher = f"{number:06d}", f"Campaign {number}", self._clients[way].publisher
        made = self._write(
            f"{tag}a",
            way,
            ("create", name),
            lambda: publisher.create_adspace(adspace_item=adspace(name)).adspace_item,
        )
        if made is None or made.id is None:
            return
        adspace_id = made.id
        self._read(f"{tag}b", way, _own(adspace_id, name, 1))
        changed = f"{name} changed"
        done = self._write(
            f"{tag}c",
            way,
            ("update", changed),
            lambda: publisher.update_adspace(adspace_item=adspace(changed, adspace_id, 2)).adspace_item,
        )
        if done is not None:
            self._read(f"{tag}d", way, _own(adspace_id, changed, 2))
        deleted = self._write(
            f"{tag}e",
            way,
            ("delete", str(adspace_id)),
            lambda: publisher.delete_adspace(adspace_id=adspace_id).count,
        )
        if deleted not in (None, 1):
            words = f"{deleted} ad spaces deleted, 1 in truth"
            self.supervision.find("wrong value", f"{tag}e", f"delete {adspace_id} ({way})", words)

    def _order(self, number: int, way: str) -> None:
        tag, day = f"{number:06d}a", _FIRST_ORDER + dt.timedelta(days=number)
        data = self._clients[way].data
        job = self._write(
            tag,
            way,
            ("order", day.isoformat()),
            lambda: data.create_report_job(report_type="click", from_date=day, to_date=day).job_item,
        )
        if job is not None and job.id not in (right := self._ordered(day)):
            words = f"job {job.id}, one of {right} in truth"
            self.supervision.find("wrong value", tag, f"order {day} ({way})", words)

    def _ordered(self, day: dt.date) -> list[str]:
        return [job.id for job in self._sandbox.jobs.of(SAMPLE_CONNECT_ID) if job.order.first == day]

    def _write(self, tag: str, way: str, what: tuple[str, str], call: Callable[[], T]) -> T | None:
        end = self.supervision.tried(tag, f"{' '.join(what)} ({way})", call)
        if not end.noted:
            said = said_by(end.error)
            words = "" if end.error is None else told(end.error)
            with self._lock:
                self._writes.append(Write(tag, *what, said, words))
            if said == "done" and end.value is None and end.error is None:
                self.supervision.find(
                    "wrong value", tag, f"{' '.join(what)} ({way})", "no item, one in truth"
                )
        return end.value

    def judge(self, report: Report, records: list[Record]) -> None:
        """Hold what was said against what was done, and write the figures."""
        counts = self.supervision.counts
        for write in self._writes:
            times = (
                len(self._ordered(dt.date.fromisoformat(write.key)))
                if write.verb == "order"
                else self._journal.times(write.verb, write.key)
            )
            if (found := write.judged(times)) is not None:
                self.supervision.find(found.kind, write.tag, f"{write.verb} {write.key}", found.what)
            counts[f"writes_{write.said.replace(' ', '_')}"] += 1
            counts["writes_in_doubt_done"] += write.said == "in doubt" and times > 0
        self.supervision.tell(report, records)
        if counts["begun"] != counts["ended"]:
            words = f"{counts['begun'] - counts['ended']} pieces of work never ended"
            report.add(Finding("unended", "calls", words))
        asked = counts["reads"] - counts["reads_excused"]
        if len(self._failed) > max(1, (1 - _LEAST_SHARE) * asked):
            words = f"{len(self._failed)} of {asked} reads failed"
            report.add(Finding("reads", "calls", words, self._named(records)))
        report.figures |= {
            "pieces": counts["ended"],
            "requests": len(records),
            "faults": sum(record.fault is not None for record in records),
            "reads": counts["reads"],
            "right": counts["reads_right"],
            "excused": counts["reads_excused"],
            "failed": len(self._failed),
            "writes": len(self._writes),
            "done": counts["writes_done"],
            "in_doubt": counts["writes_in_doubt"],
            "of_these_done": counts["writes_in_doubt_done"],
            "not_done": counts["writes_not_done"],
            "forked": counts["forked"],
        }

    def _named(self, records: list[Record]) -> tuple[str, ...]:
        """Reads that failed, with their faults."""
        named = []
        for tag, what in self._failed[:_SHOWN]:
            met = "; ".join(str(record) for record in records if record.tag == tag)
            named.append(f"{what} <- {met or 'public, so its requests are not known'}")
        return tuple(named)


def _own(adspace_id: int, name: str, visitors: int) -> Read:
    """A read of an ad space that was just written, and that nobody else writes."""

    def run(client: Client, truth: Truth) -> None:
        got = client.publisher.get_adspace(adspace_id=adspace_id).adspace_item
        if (found := difference(plain(got), plain(adspace(name, adspace_id, visitors)))) is not None:
            raise WrongValue(found)

    return Read(f"GetAdspace {adspace_id}", run)
