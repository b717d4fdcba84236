"""Every way the sandbox can break an export, over each protocol: a whole, verified file or the right
error.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from soapclient.clock import ManualClock
from soapclient.errors import (
    ConnectionFailed,
    CorruptDownload,
    DeadlineExceeded,
    JobExpired,
    JobFailed,
    JobUnknown,
    ServiceFault,
    UnexpectedResponse,
)
from soapclient.tracking.client import ProtocolName
from soapclient.tracking.exports.download.download import DownloadProgress
from soapclient.tracking.exports.export import Export
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, JobScript
from tests.tracking.exports.stage import Stage, looked_at

pytestmark = pytest.mark.sampled(4)

DAY = date(2026, 11, 1)
ROWS = 2000
PART = {"x.csv.gz.part", "x.csv.gz.part.json"}


class Delivery(Stage):
    """A client for one protocol, and the file of its export."""

    def __init__(self, folder: Path, stack: ExitStack, protocol: ProtocolName) -> None:
        super().__init__(folder, stack, clicks_per_day=ROWS)
        self.protocol = protocol
        self.target = folder / "x.csv.gz"
        self.caller = self.client(data_protocol=protocol)

    def order(self, *scripts: JobScript) -> Export:
        self.sandbox.jobs.script(*scripts)
        return self.caller.data.export(report_type="click", from_date=DAY, to_date=DAY)

    def left(self) -> set[str]:
        return {path.name for path in self.target.parent.iterdir()}

    def check(self, file: ExportFile) -> None:
        """Compare a file with the service's data, and read it with independent tools."""
        packed = self.target.read_bytes()
        assert packed == self.sandbox.jobs.of(SAMPLE_CONNECT_ID)[-1].file.open().read()
        assert len(looked_at(self.target)) == file.row_count == ROWS
        assert file.sha256 == hashlib.sha256(packed).hexdigest()
        assert file.size == len(packed)
        assert self.left() == {"x.csv.gz"}


@pytest.fixture(params=["soap", "rest"])
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Delivery]:
    with ExitStack() as stack:
        yield Delivery(tmp_path, stack, request.param)


# A sample: the tests of downloads and of waiting have more cases.
PASSING = {
    "nothing": JobScript(),
    "looks refused": JobScript(busy_looks=3, retry_after=7),
    "more breaks than attempts": JobScript(breaks=6),
    "breaks, ranges not heard": JobScript(breaks=3, ranges=False),
    "a break wherever no range is asked for": JobScript(damage="cut"),
    "expired addresses": JobScript(stale_addresses=3),
    "unknown states for a while": JobScript(states=("created", "mulling", "pondering")),
    "no rows and no address told": JobScript(no_rows=True, no_url=True, breaks=1),
}
FATAL = {
    "truncated": (JobScript(damage="truncated"), CorruptDownload, set[str]()),
    "a wrong checksum": (JobScript(damage="corrupt"), CorruptDownload, set[str]()),
    "looks always refused": (JobScript(busy_looks=10**6), UnexpectedResponse, set[str]()),
    "always broken": (JobScript(breaks=10**6), ConnectionFailed, PART),
    "always broken, ranges not heard": (JobScript(breaks=10**6, ranges=False), ConnectionFailed, PART),
    "no address holds": (JobScript(stale_addresses=10), UnexpectedResponse, set[str]()),
    "failed": (JobScript(fail="no disk left"), JobFailed, set[str]()),
    "stuck": (JobScript(stuck="running"), DeadlineExceeded, set[str]()),
    "forgotten": (JobScript(forgotten=True), JobUnknown, set[str]()),
}
# REST sends an error body of the service; over SOAP the 503 has no envelope.
OVER_REST = {"looks always refused": ServiceFault}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", PASSING)
def test_transient_failures_end_in_a_complete_file(stage: Delivery, name: str) -> None:
    export = stage.order(PASSING[name])
    stage.check(export.download(stage.target))
    assert export.reordered is None
    assert len(stage.sandbox.jobs.of(SAMPLE_CONNECT_ID)) == 1
    if PASSING[name].retry_after == 7:
        assert stage.clock.sleeps.count(7.0) == 3


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", FATAL)
def test_permanent_failures_end_in_their_error(stage: Delivery, name: str) -> None:
    script, kind, left = FATAL[name]
    if stage.protocol == "rest":
        kind = OVER_REST.get(name, kind)
    export = stage.order(script)
    with pytest.raises(kind) as caught:
        export.download(stage.target, deadline=600)
    assert type(caught.value) is kind
    assert stage.left() == left
    assert export.reordered is None
    assert len(stage.sandbox.jobs.of(SAMPLE_CONNECT_ID)) == (0 if script.forgotten else 1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [name for name, (_, _, left) in FATAL.items() if left])
def test_interrupted_export_is_resumed_after_the_failure(stage: Delivery, name: str) -> None:
    script = FATAL[name][0]
    export = stage.order(replace(script, breaks=8 if not script.ranges else 40))
    with pytest.raises(ConnectionFailed):
        export.download(stage.target)
    assert stage.left() == PART
    for _ in range(10):  # any number of calls
        try:
            return stage.check(export.download(stage.target))
        except ConnectionFailed:
            assert stage.left() == PART
    raise AssertionError("it never came")


def test_expired_job_is_ordered_again_once(stage: Delivery, caplog: pytest.LogCaptureFixture) -> None:
    export = stage.order(JobScript(expire=True))
    first = export.handle
    heard: list[ExportHandle] = []
    stage.check(export.download(stage.target, on_reorder=heard.append))
    assert export.reordered == first
    assert export.handle.job_id != first.job_id
    assert export.handle.request_sha256 == first.request_sha256
    assert heard == [export.handle]
    assert len(stage.sandbox.jobs.of(SAMPLE_CONNECT_ID)) == 2
    assert f"export job {first.job_id} had expired: ordered again as job {export.id}" in caplog.text


def test_wait_orders_again_and_the_download_then_does_not(stage: Delivery) -> None:
    export = stage.order(JobScript(expire=True), JobScript(), JobScript())
    assert export.wait().reordered is not None
    stage.check(export.download(stage.target))
    assert len(stage.sandbox.jobs.of(SAMPLE_CONNECT_ID)) == 2


def test_reordering_can_be_disabled_and_needs_the_request(stage: Delivery) -> None:
    export = stage.order(JobScript(expire=True))
    by_id = stage.caller.data.exports.resume_job(export.id, report_type="click")
    for attempt in (
        lambda: export.wait(reorder_expired=False),
        lambda: export.download(stage.target, reorder_expired=False),
        lambda: by_id.download(stage.target),
    ):
        with pytest.raises(JobExpired):
            attempt()
    assert stage.left() == set()
    assert len(stage.sandbox.jobs.of(SAMPLE_CONNECT_ID)) == 1


def test_second_expiry_is_an_expired_job_error(stage: Delivery) -> None:
    export = stage.order(*[JobScript(expire=True)] * 3)
    with pytest.raises(JobExpired) as caught:
        export.download(stage.target)
    assert caught.value.job_id == export.id
    with pytest.raises(JobExpired):
        export.download(stage.target)
    assert len(stage.sandbox.jobs.of(SAMPLE_CONNECT_ID)) == 2
    assert stage.left() == set()


def test_all_options_are_ordered_again(stage: Delivery) -> None:
    stage.sandbox.jobs.script(JobScript(expire=True))
    export = stage.caller.data.export(
        report_type="sale", from_date=DAY, to_date=DAY, review_state="open", group_by=("day", "currency")
    )
    export.wait()
    first, second = stage.sandbox.jobs.of(SAMPLE_CONNECT_ID)
    assert first.order == second.order
    assert second.order.review_state == "open"


# ---- a slow transfer


class Drip:
    """Pass the first piece at once. Then wait until it is received, and delay each further piece."""

    def __init__(self, clock: ManualClock, seconds: float) -> None:
        self.heard = threading.Event()
        self._clock = clock
        self._seconds = seconds
        self._first = True

    def __call__(self) -> None:
        if self._first:
            self._first = False
            return
        self.heard.wait(timeout=10)
        self._clock.advance(self._seconds)

    def progress(self, _: DownloadProgress) -> None:
        self.heard.set()


def test_too_slow_download_stops_at_the_deadline_and_is_resumed(stage: Delivery) -> None:
    drip = Drip(stage.clock, 400)
    export = stage.order(JobScript(pace=drip))
    with pytest.raises(DeadlineExceeded, match="downloading its file"):
        export.download(stage.target, deadline=600, on_progress=drip.progress)
    assert stage.left() == PART
    stage.check(export.download(stage.target, deadline=10**6))
