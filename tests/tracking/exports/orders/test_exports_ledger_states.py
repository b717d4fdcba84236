"""Orders, crashes at every write, lost responses and power failures: no order is placed twice, no job lost.

The model is a service that records which orders were really placed by whom. Jobs do not show this.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from soapclient import Settings
from soapclient._support import durable
from soapclient.auth.signing import Signer
from soapclient.clock import Deadline, ManualClock
from soapclient.errors import AmbiguousOrder, AmbiguousOutcome, ConnectionFailed
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.jobs.connections import FileConnections
from soapclient.tracking.exports.jobs.job import ReportJobs
from soapclient.tracking.exports.orders.adoption import Evidence, ListedJob
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.exports.orders.placement import Placement
from tests.rings import examples
from zxws.data.service import PACKAGE

START = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
TOLERANCE = dt.timedelta(minutes=5)
SETTLE = 60.0
REQUESTS: tuple[dict[str, JobId], ...] = (
    {"report_type": "click", "from_date": "2026-11-01", "to_date": "2026-11-01"},
    {"report_type": "click", "from_date": "2026-11-02", "to_date": "2026-11-02"},
    {"report_type": "clickin", "from_date": "2026-11-01", "to_date": "2026-11-01"},
)
FOREIGN = -1
MOST_EVENTS = 14


class Crash(BaseException):
    """Simulates the death of the process."""


@dataclass
class Job:
    id: str
    report_type: str
    create_date: dt.datetime
    made_for: int
    visible_at: float


class Disk:
    """The `os` module of soapclient._support.durable, with simulated crashes and power failures."""

    def __init__(self) -> None:
        self.left: int | None = None
        self._unsynced: list[tuple[Path, bytes | None]] = []

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)

    def event(self) -> None:
        if self.left is not None:
            if self.left == 0:
                raise Crash
            self.left -= 1

    def fsync(self, fd: int) -> None:
        self.event()
        os.fsync(fd)
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            self._unsynced.clear()

    def replace(self, source: Path, target: Path) -> None:
        self.event()
        self._unsynced.append((target, target.read_bytes() if target.exists() else None))
        os.replace(source, target)

    def power_failure(self) -> None:
        """Names that were not synced to the disk revert."""
        for target, content in reversed(self._unsynced):
            if content is None:
                target.unlink()
            else:
                target.write_bytes(content)
        self._unsynced.clear()


def unreadable(*_: object) -> Evidence:
    return Evidence(state="unreadable", said="it cannot be read")


class Orders(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="ledger-"))
        self.disk = Disk()
        self.clock = ManualClock(START)  # its monotonic time drives the service's clock; its date may be off
        self.jobs: list[Job] = []
        self.sent = 0
        self.handles: dict[int, ExportHandle] = {}
        self.reorders = [0] * len(REQUESTS)

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    # ---- the service

    def their_time(self) -> dt.datetime:
        return START + dt.timedelta(hours=7, seconds=self.clock.monotonic())

    def make(self, made_for: int, report_type: str, drift: int, late: int) -> Job:
        created, visible_at = self.their_time() + dt.timedelta(seconds=drift), self.clock.monotonic() + late
        job = Job(f"job-{len(self.jobs)}", report_type, created, made_for, visible_at)
        self.jobs.append(job)
        return job

    def listed(self) -> list[Job]:
        return [job for job in self.jobs if job.visible_at <= self.clock.monotonic()]

    # ---- the client

    @contextmanager
    def dying(self, after: int | None, power: bool) -> Iterator[None]:
        self.disk.left = after
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(durable, "os", self.disk)
            try:
                yield
            except Crash:
                if power:
                    self.disk.power_failure()
            finally:
                self.disk.left = None

    def ledger(self) -> Ledger:
        return Ledger(self.folder, account="somebody", clock=self.clock)

    def look(
        self,
        _jobs: ReportJobs,
        _: Path,
        job: ListedJob,
        requests: Mapping[str, Mapping[str, JobId]],
        until: Deadline,
    ) -> Evidence:
        """Inspect the file of a job: it shows the owner."""
        (made_for,) = (each.made_for for each in self.jobs if each.id == job.id)
        own = None if made_for == FOREIGN else REQUESTS[made_for]
        return Evidence({key: dict(request) == own for key, request in requests.items()})

    def order(
        self,
        which: int,
        *,
        outcome: str = "answered",
        reorder: bool,
        drift: int,
        late: int,
        looking: bool = False,
    ) -> None:
        request = REQUESTS[which]
        report_type = str(request["report_type"])

        def place() -> ExportHandle:
            self.sent += 1
            self.disk.event()
            if outcome == "refused":
                raise ConnectionFailed("https://data.example.org", "nobody there", request_sent=False)
            if outcome == "never came":
                raise AmbiguousOutcome("create_report_job", "no response")
            job = self.make(which, report_type, drift, 0 if outcome == "answered" else late)
            self.disk.event()
            if outcome == "lost":
                raise AmbiguousOutcome("create_report_job", "no response")
            return ExportHandle("data", job.id, report_type, request, self.their_time())

        config = Settings.load(
            environ={}, connect_id="somebody", secret_key="secret", signature_validity_minutes=30
        )
        once = Placement(
            jobs=ReportJobs(
                methods=None,
                tables=PACKAGE.settings,
                config=config,
                signer=Signer(config.credentials(), clock=self.clock),
                files=FileConnections(config, PACKAGE.settings),
                list_jobs=self.listed,
                time=self.their_time,
                clock=self.clock,
                offset=lambda: dt.timedelta(hours=7),  # as learned from a refusal
            ),
            ledger=self.ledger(),
            tolerance=TOLERANCE,
            settle=SETTLE,
            look=self.look if looking else unreadable,
        )
        before = self.ledger().find(request)
        was_open = before is not None and before.pending
        try:
            handle = once.order(request, place, reorder=reorder)
        except AmbiguousOrder as error:
            assert not reorder
            assert was_open
            named = set(error.job_ids)
            assert named
            assert named <= {job.id for job in self.jobs}
            if looking:  # only jobs that are its own, as far as this can be known
                assert [job.made_for for job in self.jobs if job.id in named] == [which] * len(named)
                assert len(named) > 1
        except (AmbiguousOutcome, ConnectionFailed):
            assert outcome != "answered"
        else:
            if which in self.handles:
                assert handle == self.handles[which]
            self.handles[which] = handle

    @rule(
        which=st.integers(0, len(REQUESTS) - 1),
        outcome=st.sampled_from(["answered", "lost", "never came", "refused"]),
        reorder=st.booleans(),
        after=st.none() | st.integers(0, MOST_EVENTS),
        power=st.booleans(),
        drift=st.integers(-240, 240),
        late=st.integers(0, 50),
        looking=st.booleans(),
    )
    def order_once(
        self,
        which: int,
        outcome: str,
        reorder: bool,
        after: int | None,
        power: bool,
        drift: int,
        late: int,
        looking: bool,
    ) -> None:
        sent, known = self.sent, which in self.handles
        entry = self.ledger().find(REQUESTS[which])
        if reorder and entry is not None and entry.pending:
            self.reorders[which] += 1
        with self.dying(after, power):
            self.order(which, outcome=outcome, reorder=reorder, drift=drift, late=late, looking=looking)
        assert not known or self.sent == sent

    @rule(seconds=st.integers(1, 1200))
    def time_passes(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @rule(report_type=st.sampled_from(["click", "clickin", "sale"]))
    def somebody_else_orders(self, report_type: str) -> None:
        self.make(FOREIGN, report_type, 0, 0)

    @precondition(lambda self: self.ledger_is_open())
    @rule(data=st.data())
    def all_is_well_again(self, data: st.DataObject) -> None:
        """Bring every open order to an end."""
        entry = data.draw(st.sampled_from(self.ledger().pending()))
        which = REQUESTS.index(dict(entry.request))
        self.reorders[which] += 1
        self.order(which, reorder=True, drift=0, late=0)
        assert which in self.handles

    def ledger_is_open(self) -> bool:
        return bool(self.ledger().pending())

    # ---- invariants

    @invariant()
    def nothing_is_ordered_twice(self) -> None:
        for which, reorders in enumerate(self.reorders):
            assert sum(job.made_for == which for job in self.jobs) <= 1 + reorders

    @invariant()
    def no_handle_is_lost(self) -> None:
        kept = {handle.job_id: handle for handle in self.ledger().handles()}
        for handle in self.handles.values():
            assert kept[handle.job_id] == handle

    @invariant()
    def no_job_is_claimed_twice_or_taken_from_another_request(self) -> None:
        handles = self.ledger().handles()
        assert len({handle.job_id for handle in handles}) == len(handles)
        made_for = {job.id: job.made_for for job in self.jobs}
        pairs = [(REQUESTS.index(dict(one.request)), made_for[str(one.job_id)]) for one in handles]
        # An order that adopted a foreign job leaves its own job to others, until the rows show the owner.
        left = {FOREIGN}
        for _ in pairs:
            left |= {asked for asked, made in pairs if made in left}
        assert all(made == asked or made in left for asked, made in pairs)


@pytest.mark.parametrize("after", [11, 12, None])  # the process ends before or after the request is sent
def test_late_job_of_a_request_that_was_ordered_again_is_not_taken(after: int | None) -> None:
    orders = Orders()

    def order(which: int, outcome: str, *, after: int | None = None, late: int = 0) -> None:
        orders.order_once(
            which=which,
            outcome=outcome,
            reorder=outcome != "lost",
            after=after,
            power=False,
            drift=0,
            late=late,
            looking=False,
        )
        orders.no_handle_is_lost()
        orders.no_job_is_claimed_twice_or_taken_from_another_request()
        orders.nothing_is_ordered_twice()

    try:
        order(0, "lost")
        order(1, "lost", late=1)  # its job is not listed yet
        order(0, "answered" if after is not None else "never came", after=after)
        assert set(orders.handles) == set()
        order(1, "answered")
        order(0, "answered")  # finds the late job, which is the only match
        found = {which: (made.job_id, made.adopted) for which, made in orders.handles.items()}
        assert found == {1: ("job-2", False), 0: ("job-3", False)}
    finally:
        orders.teardown()


TestOrders = Orders.TestCase
TestOrders.settings = settings(
    max_examples=examples(60),
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
