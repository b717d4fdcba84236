"""A download address that has expired: the job is asked for a new one, a limited number of times."""

from __future__ import annotations

from pathlib import Path

import pytest

from soapclient.errors import JobExpired, UnexpectedResponse
from tests.tracking.exports.conftest import PACKED, Scripted, Stub


@pytest.mark.parametrize("status", [403, 404, 410])
def test_expired_foreign_address_is_requested_again(
    stage: Scripted, stub: Stub, other: Stub, target: Path, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    export = stage.order()
    addresses = [f"{other.url}/1.gz?until={until}" for until in (1, 2)]
    stage.jobs.answers.extend({"status": "done", "downloadUrl": address} for address in addresses)
    other.answer(status, b"Request has expired")
    other.answer(body=PACKED)
    assert export.download(target).row_count == 3
    assert [path for path, _ in other.requests] == ["/1.gz?until=1", "/1.gz?until=2"]
    assert stage.jobs.polls() == 2
    assert stub.requests == []
    (said,) = [message for message in caplog.messages if "had expired" in message]
    assert said == f"export job {export.id}: the address of the file had expired, using the new address"


def test_download_is_resumed_at_another_address(stage: Scripted, other: Stub, target: Path) -> None:
    export = stage.order()
    stage.jobs.answers.extend({"status": "done", "downloadUrl": f"{other.url}/{n}.gz"} for n in (1, 2))
    other.answer(body=PACKED[:30], ETag='"v1"', Content_Length=str(len(PACKED)))
    other.answer(410)
    other.answer(206, PACKED[30:], ETag='"v1"', Content_Range=f"bytes 30-{len(PACKED) - 1}/{len(PACKED)}")
    export.download(target)
    asked = [(path, headers.get("range")) for path, headers in other.requests]
    assert asked == [("/1.gz", None), ("/1.gz", "bytes=30-"), ("/2.gz", "bytes=30-")]
    assert target.read_bytes() == PACKED


@pytest.mark.parametrize("status", [403, 410])
def test_number_of_new_addresses_is_limited(stage: Scripted, other: Stub, target: Path, status: int) -> None:
    export = stage.order()
    stage.jobs.answers.extend({"status": "done", "downloadUrl": f"{other.url}/{n}.gz"} for n in range(20))
    other.answer(status, times=20)
    with pytest.raises(UnexpectedResponse) as caught:  # no new order
        export.download(target)
    assert caught.value.status == status
    assert len(other.requests) == 4
    assert {name for name, _ in stage.jobs.calls} == {"GetJob"}
    assert list(target.parent.iterdir()) == []


def test_job_found_expired_on_an_address_request_is_reported(
    stage: Scripted, stub: Stub, target: Path
) -> None:
    export = stage.order()
    stage.jobs.answers.extend([{"status": "done"}, {"status": "expired"}])
    stub.answer(410)
    with pytest.raises(JobExpired):
        export.download(target, reorder_expired=False)
    assert list(target.parent.iterdir()) == []


def test_job_that_runs_again_is_waited_for(stage: Scripted, other: Stub, target: Path) -> None:
    export = stage.order()
    done = [{"status": "done", "downloadUrl": f"{other.url}/{n}.gz"} for n in (1, 2)]
    stage.jobs.answers.extend([done[0], {"status": "running"}, done[1]])
    other.answer(410)
    other.answer(body=PACKED)
    assert export.download(target).row_count == 3
    assert stage.clock.sleeps == [0.5]
