"""Downloads of one client share connections, but never take the response to another download."""

from __future__ import annotations

import datetime as dt
import gzip
from pathlib import Path

import pytest
import requests

from soapclient.errors import AuthenticationError, ClientClosed, UnexpectedResponse
from soapclient.tracking.exports.download import fetch
from soapclient.tracking.exports.export import Export
from soapclient.tracking.exports.handle import ExportHandle
from tests.tracking.exports.conftest import Desk, Scripted, Stub, build_stage

DAY = dt.date(2026, 11, 1)


def packed(cell: str) -> bytes:
    return gzip.compress(f"clickId,referrer\r\n1,{cell}\r\n".encode(), mtime=0)


def done(
    stage: Scripted, job: str, size: int | None = None, *, status: str | None = "done", **fields: str
) -> Export:
    """Return the export of a job that reports `status`, the size of its file and other `fields`."""
    reported = {"@id": job, "status": status, "size": None if size is None else str(size)}
    answer = fields | {name: text for name, text in reported.items() if text is not None}
    stage.jobs.answers.clear()
    stage.jobs.answers.append(answer)
    return stage.exporter.resume(ExportHandle("data", job, "click", {}, None))


def cell(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()).split()[1]


def test_downloads_share_a_connection_and_have_their_own_signatures(
    stage: Scripted, stub: Stub, tmp_path: Path
) -> None:
    for job in ("a", "b"):
        stub.answer(body=packed(job))
        done(stage, job, len(packed(job))).download(tmp_path / job)
        assert cell(tmp_path / job) == f"1,{job}".encode()
    assert len(stub.requests) == 2
    assert len(set(stub.connections)) == 1
    assert [path.rpartition("/jobs/job/id/")[2] for path, _ in stub.requests] == ["a/download", "b/download"]
    first, second = (headers for _, headers in stub.requests)
    assert first["authorization"] != second["authorization"]
    assert first["nonce"] != second["nonce"]
    assert first["accept"] == second["accept"] == "application/gzip, */*;q=0.1"


def test_configured_headers_are_in_each_download(stub: Stub, tmp_path: Path) -> None:
    stage = build_stage(stub.url, headers="X-Api-Key=key", user_agent="tests")
    for job in ("a", "b"):
        stub.answer(body=packed(job))
        done(stage, job).download(tmp_path / job)
    assert [headers["x-api-key"] for _, headers in stub.requests] == ["key", "key"]
    assert all(headers["user-agent"].endswith(" tests") for _, headers in stub.requests)


def test_repeated_response_is_requested_again_on_a_new_connection(
    stage: Scripted, stub: Stub, tmp_path: Path
) -> None:
    stub.answer(body=packed("a"), Date="Thu, 26 Nov 2026 20:00:00 GMT")
    # As if it were a late response to the first request, which a gateway has sent twice.
    stub.answer(body=packed("a"), Date="Thu, 26 Nov 2026 20:00:01 GMT")
    stub.answer(body=packed("b"))
    for job in ("a", "b"):
        done(stage, job, len(packed(job))).download(tmp_path / job)
        assert cell(tmp_path / job) == f"1,{job}".encode()
    first, repeated, again = stub.connections
    assert first == repeated != again
    assert stage.clock.sleeps == []


def test_equal_files_of_different_jobs_are_requested_twice_and_accepted(
    stage: Scripted, stub: Stub, tmp_path: Path
) -> None:
    stub.answer(body=packed("equal"), times=6)
    for job in ("a", "b", "c"):
        done(stage, job, len(packed("equal"))).download(tmp_path / job)
        assert cell(tmp_path / job) == b"1,equal"
    assert [path.split("/")[-2] for path, _ in stub.requests] == ["a", "b", "b", "c"]
    assert stage.clock.sleeps == []


def test_file_of_the_same_job_is_accepted_from_another_address(
    stage: Scripted, stub: Stub, tmp_path: Path
) -> None:
    for token in ("0", "1"):
        stub.answer(body=packed("a"))
        url = f"{stub.url}/files/a?token={token}"
        done(stage, "a", len(packed("a")), downloadUrl=url).download(tmp_path / token)
    assert len(stub.requests) == 2
    assert len(set(stub.connections)) == 1


@pytest.mark.parametrize("status", ["done", None], ids=["done", "unknown"])
def test_equal_refusals_of_different_jobs_are_requested_twice_and_reported(
    stage: Scripted, stub: Stub, tmp_path: Path, status: str | None
) -> None:
    for second in range(4):
        stub.answer(403, b"no", Date=f"Thu, 26 Nov 2026 20:00:0{second} GMT")
    for job in ("a", "b"):
        with pytest.raises(AuthenticationError):
            # Without a status, the file is requested to find out if the job is done.
            done(stage, job, 100, status=status).download(tmp_path / job)
    assert [path.split("/")[-2] for path, _ in stub.requests] == ["a", "b", "b"]
    assert stage.clock.sleeps == []


def test_connection_of_a_refusal_is_not_used_again(stage: Scripted, stub: Stub, tmp_path: Path) -> None:
    stub.answer(404, b"no file")
    with pytest.raises(UnexpectedResponse, match="does not know the file"):
        done(stage, "a").download(tmp_path / "a")
    stub.answer(body=packed("b"))
    done(stage, "b", len(packed("b"))).download(tmp_path / "b")
    assert len(set(stub.connections)) == 2


def test_retry_opens_a_new_connection(stage: Scripted, stub: Stub, tmp_path: Path) -> None:
    stub.answer(body=packed("a"))
    done(stage, "a").download(tmp_path / "a")
    stub.answer(503, b"busy")
    stub.answer(body=packed("b"))
    done(stage, "b", len(packed("b"))).download(tmp_path / "b")
    first, busy, again = stub.connections
    assert first == busy != again


def test_file_that_cannot_be_recognized_is_received_on_a_new_connection(
    stage: Scripted, stub: Stub, tmp_path: Path
) -> None:
    """Without a reported size, the late response to another download could be taken for the file."""
    for job in ("a", "b"):
        stub.answer(body=packed(job))
        done(stage, job).download(tmp_path / job)
    assert len(set(stub.connections)) == 2


def test_file_of_a_wrong_size_is_downloaded_again_on_a_new_connection(
    stage: Scripted, stub: Stub, tmp_path: Path
) -> None:
    stub.answer(body=packed("a"), Date="Thu, 26 Nov 2026 20:00:00 GMT")
    done(stage, "a", len(packed("a"))).download(tmp_path / "a")
    longer = packed("a longer file of another job")
    # The response to the first request once more, with another head.
    stub.answer(body=packed("a"), Date="Thu, 26 Nov 2026 20:00:01 GMT")
    stub.answer(body=longer)
    done(stage, "b", len(longer)).download(tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == longer
    first, shifted, again = stub.connections
    assert first == shifted != again


def test_idle_connection_is_not_used_again(
    stage: Scripted, stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "_MAX_IDLE", 0.0)
    for job in ("a", "b"):
        stub.answer(body=packed(job))
        done(stage, job, len(packed(job))).download(tmp_path / job)
    assert len(set(stub.connections)) == 2


def test_views_share_the_connections_of_their_client(desk: Desk) -> None:
    client = desk.client()
    view = client.data.with_options(deadline=5)
    assert view.exports.jobs.files.client() is client.data.exports.jobs.files.client()


def test_download_after_close_is_refused(stage: Scripted, stub: Stub, tmp_path: Path) -> None:
    export = done(stage, "a")
    stage.exporter.jobs.files.close()
    with pytest.raises(ClientClosed, match="download"):
        export.download(tmp_path / "a")
    assert stub.requests == []


@pytest.mark.parametrize("used_before", [True, False])
def test_closed_client_opens_no_connection_for_files(desk: Desk, used_before: bool) -> None:
    client = desk.client()
    view = client.data.with_options(deadline=5)
    if used_before:
        assert client.data.exports.jobs.files.client()
    client.close()
    for service in (client.data, view):
        with pytest.raises(ClientClosed, match="download"):
            _ = service.exports.jobs.files.client()


def test_connection_is_closed_with_the_client(desk: Desk, tmp_path: Path) -> None:
    client = desk.client()
    export = client.data.export(report_type="click", from_date=DAY, to_date=DAY)
    export.wait(600)
    export.download(tmp_path / "clicks.csv.gz")
    closed: list[requests.Session] = []

    def close(session: requests.Session) -> None:
        closed.append(session)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(requests.Session, "close", close)
        client.close()
    assert len(closed) == 2  # of calls and of files
