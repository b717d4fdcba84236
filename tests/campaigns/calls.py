"""Call campaign: threads share one client per way to call while every fifth request fails.

The work consists of reads, ad space life cycles (create, read, update, read, delete), and orders of report
jobs, each for a different day. All results are compared with the truth.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from random import Random
from typing import Final, TypeVar

from soapclient import Client
from soapclient.errors import AmbiguousOutcome, AuthenticationError, ServiceFault, SoapClientError
from soapclient.tracking.sandbox import Sandbox

from . import forks, reads
from .faces import WAYS, Face, OpenClient, Target, config_for, open_client, open_face
from .faults import BY_A_GATEWAY, FAMILIES, FINAL, Family
from .findings import Finding, Report
from .heartbeat import Heartbeat
from .plan import Tags
from .proxy import Record, by_tag
from .reads import Read
from .resources import Resources
from .supervision import Supervision, told
from .truth import Truth
from .world import CLICKS, Outcome, World
from .writes import Write, said_by

T = TypeVar("T")

_STORIES, _ORDERS = 0.15, 0.05  # share of all pieces of work
_NAMED: Final = 0.5  # share of calls whose requests carry our request id
_FIRST_ORDER: Final = dt.date(2000, 1, 1)
_LEAST_SHARE: Final = 0.995  # share of reads that must succeed
_STUCK: Final = 60.0  # seconds without progress
_PATIENT: Final = 60.0  # seconds for a call that fetches the expected values
_SHOWN: Final = 20  # failed reads listed in a finding
_LOOKS: Final = 80  # snapshots of memory, files and threads


def run(
    seed: int,
    *,
    count: int = 10_000,
    minutes: float | None = None,
    threads: int = 8,
    share: float = 0.2,
    families: Sequence[Family] = FAMILIES,
    ways: Sequence[str] = tuple(WAYS),
    forked: int | None = None,
    timeout: float = 4.0,
    opened: OpenClient = open_client,
) -> Report:
    """Do `count` pieces of work, or as many as `minutes` allows, then let forked children make calls.

    `forked` is the number of calls per child: by default one per twenty pieces of work, at most forty.
    `share` is the share of requests that fail and `families` the kinds of faults. `ways` names the ways to
    call. `timeout` is the timeout of a call in seconds, `opened` opens the ordinary clients.
    """
    report = Report("calls", seed, minutes=minutes)
    forked = min(40, count // 20) if forked is None else forked
    with ExitStack() as stack:
        world = stack.enter_context(World(seed, families, share))
        twin = stack.enter_context(Sandbox(seed=seed, clicks_per_day=CLICKS))
        tags = Tags(f"{time.time_ns():x}")
        supervision = Supervision(tags, stack.enter_context(Heartbeat()), timeout)
        resources = Resources()
        with ExitStack() as opening:
            clean = opening.enter_context(Client(config_for(Target(world.service, _PATIENT), "JSON")))
            faces = {
                way: open_face(opening, Target(world.url, timeout), way, tags.nonce, opened) for way in ways
            }
            work = _Work(seed, Truth(twin, clean), faces, supervision)
            _go(work, count, threads, report, resources)
        growth, left = resources.growth(), resources.left()
        for way in ways if forked and report.left > 0 else ():
            if WAYS[way].by == "client":
                forks.run(supervision, work.truth, forks.Asked(world.url, way, timeout, seed, forked))
        work.judge(report, world.end())
        report.add(*(Finding("not flat", "calls", words) for words in resources.problems(growth, left)))
        report.figures |= {
            "grown_MiB": growth.memory,
            "grown_files": growth.files,
            "grown_threads": growth.threads,
            "left_files": left.files,
            "left_threads": left.threads,
        }
    return report.timed()


def _go(work: _Work, count: int, threads: int, report: Report, resources: Resources) -> None:
    """Do the work, divided among the threads. A thread that hangs is left running and reported."""
    every = max(1, count // _LOOKS)

    def some(first: int) -> None:
        for number in range(first, count, threads):
            if report.left <= 0:
                return
            if work.piece(number) % every == 0:
                resources.look()

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
    """The pieces of work and the outcomes that the client reported."""

    def __init__(self, seed: int, truth: Truth, faces: Mapping[str, Face], supervision: Supervision) -> None:
        self.truth = truth
        self.supervision = supervision
        self._seed = seed
        self._faces = faces
        self._lock = threading.Lock()
        self._writes: list[Write] = []
        self._failed: list[tuple[str, Read, str]] = []
        self._refused: list[tuple[str, str, str]] = []  # rejected by the service, not by a gateway

    def piece(self, number: int) -> int:
        """Do the piece of work with this number, determined by the seed. Return how many have ended."""
        random = Random(f"{self._seed}/work/{number}")
        way, kind = random.choice(list(self._faces)), random.random()
        services = WAYS[way].services
        self.supervision.count("begun")
        if kind < _STORIES:
            self._story(number, way)
        elif kind < _STORIES + _ORDERS and "data" in services:
            self._order(number, way)
        else:
            self._read(f"{number:06d}a", way, reads.draw(random, self.truth, services))
        return self.supervision.count("ended")

    def _asked(self, tag: str, way: str, *, public: bool = False) -> Client:
        named = public or Random(f"{self._seed}/named/{tag}").random() < _NAMED
        return self._faces[way].asked(tag, named=named)

    def _read(self, tag: str, way: str, read: Read) -> None:
        client, what = self._asked(tag, way, public=read.public), f"{read.name} ({way})"
        end = self.supervision.tried(
            tag, what, lambda: read.run(client, self.truth), deadlines=read.deadlines
        )
        self.supervision.count("reads")
        if end.right:
            self.supervision.count("reads_right")
        elif end.error is not None:
            self._read_failed(tag, what, read, end.error)

    def _read_failed(self, tag: str, what: str, read: Read, error: SoapClientError) -> None:
        if isinstance(error, AmbiguousOutcome):
            self.supervision.find("doubt", tag, what, f"of a read: {told(error)}")
            return
        words = f"call {tag}, {what}: attempts {error.attempts}, {told(error)}"
        with self._lock:
            self._failed.append((tag, read, words))
            if isinstance(error, AuthenticationError) or (
                isinstance(error, ServiceFault) and error.code != 500
            ):
                self._refused.append((tag, what, told(error)))

    def _story(self, number: int, way: str) -> None:
        tag, name, face = f"{number:06d}", f"Campaign {number}", self._faces[way]
        made = self._write(
            f"{tag}a",
            way,
            ("create", name),
            lambda client: client.publisher.create_adspace(adspace_item=face.adspace(name)).adspace_item,
        )
        if made is None or made.id is None:
            return
        adspace_id = made.id
        self._read(f"{tag}b", way, reads.of_adspace(face.adspace(name, adspace_id)))
        changed = face.adspace(f"{name} changed", adspace_id, 2)
        done = self._write(
            f"{tag}c",
            way,
            ("update", f"{name} changed"),
            lambda client: client.publisher.update_adspace(adspace_item=changed).adspace_item,
        )
        if done is not None:
            self._read(f"{tag}d", way, reads.of_adspace(changed))
        deleted = self._write(
            f"{tag}e",
            way,
            ("delete", str(adspace_id)),
            lambda client: client.publisher.delete_adspace(adspace_id=adspace_id).count,
        )
        if deleted not in (None, 1):
            words = f"{deleted} ad spaces deleted, 1 in truth"
            self.supervision.find("wrong value", f"{tag}e", f"delete {adspace_id} ({way})", words)

    def _order(self, number: int, way: str) -> None:
        tag, day = f"{number:06d}a", _FIRST_ORDER + dt.timedelta(days=number)
        self._write(
            tag,
            way,
            ("order", day.isoformat()),
            lambda client: (
                client.data.create_report_job(report_type="click", from_date=day, to_date=day).job_item
            ),
        )

    def _write(self, tag: str, way: str, what: tuple[str, str], call: Callable[[Client], T]) -> T | None:
        client = self._asked(tag, way)
        end = self.supervision.tried(tag, f"{' '.join(what)} ({way})", lambda: call(client))
        if not end.noted:
            said = said_by(end.error)
            words = "" if end.error is None else told(end.error)
            given = getattr(end.value, "id", None) if what[0] == "order" else None
            with self._lock:
                self._writes.append(Write(tag, *what, said, words, given))
            if said == "done" and end.value is None and end.error is None:
                self.supervision.find(
                    "wrong value", tag, f"{' '.join(what)} ({way})", "no item, one in truth"
                )
        return end.value

    def judge(self, report: Report, outcome: Outcome) -> None:
        """Compare the reported outcomes with the actual ones, and add the figures to the report."""
        counts = self.supervision.counts
        for write in self._writes:
            jobs = outcome.ordered.get(dt.date.fromisoformat(write.key), ()) if write.verb == "order" else ()
            times = len(jobs) if write.verb == "order" else outcome.done.get((write.verb, write.key), 0)
            if (found := write.judged(times)) is not None:
                self.supervision.find(found.kind, write.tag, f"{write.verb} {write.key}", found.what)
            if write.given is not None and write.given not in jobs:
                words = f"job {write.given}, one of {list(jobs)} in truth"
                self.supervision.find("wrong value", write.tag, f"{write.verb} {write.key}", words)
            counts[f"writes_{write.said.replace(' ', '_')}"] += 1
            counts["writes_in_doubt_done"] += write.said == "in doubt" and times > 0
        met = by_tag(outcome.records)
        for tag, what, words in self._refused:
            if not met[tag] or met[tag][-1].fault not in BY_A_GATEWAY:
                self.supervision.find("refused", tag, what, words)
        self.supervision.tell(report, outcome.records)
        if counts["begun"] != counts["ended"]:
            words = f"{counts['begun'] - counts['ended']} pieces of work never ended"
            report.add(Finding("unended", "calls", words))
        failed = [
            f"{words} <- {'; '.join(map(str, met[tag]))}"
            for tag, read, words in self._failed
            if not _for_good(read, met[tag])
        ]
        excused = len(self._failed) - len(failed)
        asked = counts["reads"] - excused
        if len(failed) > max(1, (1 - _LEAST_SHARE) * asked):
            words = f"{len(failed)} of {asked} reads failed"
            report.add(Finding("reads", "calls", words, tuple(failed[:_SHOWN])))
        report.notes += [f"a read failed: {words}" for words in failed]
        report.figures |= {
            "pieces": counts["ended"],
            "requests": len(outcome.records),
            "faults": sum(record.fault is not None for record in outcome.records),
            "reads": counts["reads"],
            "right": counts["reads_right"],
            "excused": excused,
            "failed": len(failed),
            "right_percent": round(100 * counts["reads_right"] / asked, 2) if asked else 100.0,
            "writes": len(self._writes),
            "done": counts["writes_done"],
            "in_doubt": counts["writes_in_doubt"],
            "of_these_done": counts["writes_in_doubt_done"],
            "not_done": counts["writes_not_done"],
            "forked": counts["forked"],
            "late_by_machine": counts["late_by_machine"],
        }


def _for_good(read: Read, met: Sequence[Record]) -> bool:
    """Return True if the faults of a read explain its failure.

    Either the last fault rules out another attempt, or the read had a fault and the client must not retry it.
    """
    last = met[-1].fault if met else None
    return last in FINAL or (not read.retried and last is not None)
