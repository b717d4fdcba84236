"""Interrupted downloads resume, in the same call and in a later one."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import pytest

from soapclient._support.part_file import PartFile
from soapclient.errors import (
    ConnectionFailed,
    CorruptDownload,
    DeadlineExceeded,
    JobFailed,
    Timeout,
    UnexpectedResponse,
)
from soapclient.tracking.exports.download.download import DownloadProgress
from tests.tracking.exports.conftest import Scripted, Stub, build_stage
from zxws.data.service import PACKAGE

ETAG = '"v1"'


def made(seed: int, rows: int = 2000) -> bytes:
    """A gzip-csv file that hardly compresses."""
    chance = random.Random(seed)
    lines = [f"{number},{chance.getrandbits(128):x}\r\n" for number in range(rows)]
    return gzip.compress(("clickId,referrer\r\n" + "".join(lines)).encode(), mtime=0)


FILE = made(1)
OTHER = made(2)
SIZE = len(FILE)


def names(target: Path) -> set[str]:
    return {path.name for path in target.parent.iterdir()}


def breaking(stub: Stub, upto: int, etag: str = ETAG, file: bytes = FILE) -> None:
    """Promise the whole file, but send only its first bytes."""
    stub.answer(body=file[:upto], Content_Length=str(len(file)), ETag=etag)


def rest(
    stub: Stub,
    first: int,
    upto: int = SIZE,
    *,
    file: bytes = FILE,
    etag: str = ETAG,
    content_range: str | None = None,
) -> None:
    """Send the file from byte `first` as a 206, up to `upto` if given."""
    content_range = content_range or f"bytes {first}-{len(file) - 1}/{len(file)}"
    length = str(len(file) - first)
    stub.answer(206, file[first:upto], Content_Length=length, Content_Range=content_range, ETag=etag)


def asked(stub: Stub) -> list[str | None]:
    """Return the Range header of each request."""
    return [headers.get("range") for _, headers in stub.requests]


def left(stage: Scripted, stub: Stub, target: Path, upto: int, **fields: str) -> None:
    """Leave a partial download behind: the transfer breaks off, and all further attempts fail."""
    breaking(stub, upto)
    stub.answer(503, times=7)  # the remaining attempts with progress, and as many without
    with pytest.raises(UnexpectedResponse):
        stage.done(**fields).download(target)
    assert names(target) == {"clicks.csv.gz.part", "clicks.csv.gz.part.json"}
    assert target.with_name("clicks.csv.gz.part").read_bytes() == FILE[:upto]
    stub.sent.clear()
    stub.forget()
    stage.clock.sleeps.clear()
    stage.jobs.answers.clear()


# ---- in one call


def test_broken_download_is_resumed(stage: Scripted, stub: Stub, target: Path) -> None:
    breaking(stub, 1000)
    rest(stub, 1000, 5000)
    stub.answer(503, Retry_After="7")
    rest(stub, 5000)
    seen: list[DownloadProgress] = []
    file = stage.done(rows="2000", size=str(SIZE)).download(target, on_progress=seen.append)
    assert asked(stub) == [None, "bytes=1000-", "bytes=5000-", "bytes=5000-"]
    assert [headers.get("if-range") for _, headers in stub.requests] == [None, ETAG, ETAG, ETAG]
    assert target.read_bytes() == FILE
    assert file.sha256 == hashlib.sha256(FILE).hexdigest()
    assert file.row_count == 2000
    assert names(target) == {"clicks.csv.gz"}
    assert stage.clock.sleeps == [0.0, 0.0, 7.0]
    assert len({headers["nonce"] for _, headers in stub.requests}) == 4
    received = [progress.received for progress in seen]
    assert received == sorted(received)
    assert received[-1] == SIZE


def test_attempts_with_progress_do_not_count(stage: Scripted, stub: Stub, target: Path) -> None:
    ends = [*range(500, 10_000, 500)]
    breaking(stub, ends[0])
    for first, upto in pairwise(ends):
        rest(stub, first, upto)
    rest(stub, ends[-1])
    stage.done().download(target)
    assert target.read_bytes() == FILE
    assert len(stub.requests) == 20


def test_attempts_without_progress_count(stage: Scripted, stub: Stub, target: Path) -> None:
    breaking(stub, 1000)
    for _ in range(8):
        rest(stub, 1000, 1000)
    with pytest.raises(ConnectionFailed):
        stage.done().download(target)
    assert len(stub.requests) == 8  # four attempts, one of them with progress, and four without


@pytest.mark.parametrize("etag", ["", 'W/"v1"', "v1"])
def test_download_restarts_without_a_strong_etag(
    stage: Scripted, stub: Stub, target: Path, etag: str
) -> None:
    breaking(stub, 1000, etag=etag)
    stub.answer(body=FILE)
    stage.done().download(target)
    assert asked(stub) == [None, None]
    assert target.read_bytes() == FILE


def test_changed_file_is_not_mixed_with_the_first(stage: Scripted, stub: Stub, target: Path) -> None:
    breaking(stub, 1000)
    breaking(stub, 3000, etag='"v2"', file=OTHER)  # If-Range: the whole new file
    rest(stub, 3000, file=OTHER, etag='"v2"')
    stage.done().download(target)
    assert stub.requests[2][1]["if-range"] == '"v2"'
    assert target.read_bytes() == OTHER


def test_full_response_to_a_range_request_restarts_the_file(
    stage: Scripted, stub: Stub, target: Path
) -> None:
    breaking(stub, 1000)
    stub.answer(body=FILE, ETag=ETAG)
    stage.done().download(target)
    assert asked(stub) == [None, "bytes=1000-"]
    assert target.read_bytes() == FILE


@pytest.mark.parametrize(
    "second",
    [
        lambda stub: rest(stub, 1000, file=OTHER, etag='"v2"'),
        lambda stub: rest(stub, 1000, file=OTHER, content_range=f"bytes 999-{SIZE - 1}/{SIZE}"),
        lambda stub: rest(stub, 1000, file=OTHER[: SIZE - 1] + b"?"),  # a server with a wrong ETag
        lambda stub: stub.answer(416, Content_Range="bytes */500"),
    ],
)
def test_wrong_response_to_a_range_request_restarts_the_file(
    stage: Scripted, stub: Stub, target: Path, second: Callable[[Stub], None]
) -> None:
    breaking(stub, 1000)
    second(stub)
    stub.answer(body=FILE, ETag=ETAG)
    stage.done().download(target)
    assert asked(stub) == [None, "bytes=1000-", None]
    assert target.read_bytes() == FILE


def test_unsolicited_206_is_an_error(stage: Scripted, stub: Stub, target: Path) -> None:
    rest(stub, 0)
    with pytest.raises(UnexpectedResponse):
        stage.done().download(target)
    assert names(target) == set()


def test_damaged_file_leaves_no_files(stage: Scripted, stub: Stub, target: Path) -> None:
    broken = FILE[:-8] + bytes(8)
    breaking(stub, 1000, file=broken)
    rest(stub, 1000, file=broken)
    stub.answer(body=broken, ETag=ETAG)
    with pytest.raises(CorruptDownload, match="damaged"):
        stage.done().download(target)
    assert names(target) == set()


# ---- across calls, like across processes


def test_left_part_file_is_resumed(
    stage: Scripted, stub: Stub, target: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "soapclient")
    left(stage, stub, target, 7000)
    rest(stub, 7000)
    seen: list[DownloadProgress] = []
    file = stage.done(rows="2000", size=str(SIZE)).download(target, on_progress=seen.append)
    assert asked(stub) == ["bytes=7000-"]
    assert stub.requests[0][1]["if-range"] == ETAG
    assert target.read_bytes() == FILE
    assert (file.row_count, file.sha256) == (2000, hashlib.sha256(FILE).hexdigest())
    assert seen[0].received > 7000
    assert f"{target}.part: resuming after the 7000 bytes of an earlier download" in caplog.messages
    assert names(target) == {"clicks.csv.gz"}


def test_deadline_while_kept_bytes_are_read_says_that_nothing_was_requested(
    stage: Scripted, stub: Stub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left(stage, stub, target, 7000)
    blocks = PartFile.blocks

    def slow(part: PartFile) -> Iterator[bytes]:
        stage.clock.advance(61)
        return blocks(part)

    monkeypatch.setattr(PartFile, "blocks", slow)
    with pytest.raises(DeadlineExceeded) as caught:
        stage.done().download(target, deadline=60)
    assert isinstance(caught.value.__cause__, Timeout)
    assert caught.value.__cause__.request_sent is False
    assert stub.requests == []
    assert names(target) == {"clicks.csv.gz.part", "clicks.csv.gz.part.json"}


def test_side_file_contains_no_secret(stage: Scripted, stub: Stub, target: Path) -> None:
    url = f"{stub.url}/files/s3cret/1.gz?ticket=s3cret"
    left(stage, stub, target, 100, downloadUrl=url)
    side = target.with_name("clicks.csv.gz.part.json").read_text()
    told = json.loads(side)
    account = told.pop("account")
    service = stage.config.rest_base("data", PACKAGE.settings.version)
    assert told == {"format": 2, "job_id": "job-1", "etag": ETAG, "service": service}
    assert re.fullmatch("[0-9a-f]{12}", account)
    assert stage.config.credentials().connect_id not in side


def test_complete_part_file_is_not_requested(stage: Scripted, stub: Stub, target: Path) -> None:
    left(stage, stub, target, 7000)
    target.with_name("clicks.csv.gz.part").write_bytes(FILE)  # killed just before it was renamed
    stage.done(rows="2000", size=str(SIZE)).download(target)
    assert stub.requests == []
    assert target.read_bytes() == FILE


def test_other_job_restarts_the_download(stage: Scripted, stub: Stub, target: Path) -> None:
    left(stage, stub, target, 7000)
    stage.jobs.answers.append({"@id": "job-2", "status": "done"})
    stub.answer(body=OTHER, ETag='"v2"')
    stage.exporter.resume_job("job-2", report_type="click").download(target)
    assert asked(stub) == [None]
    assert target.read_bytes() == OTHER


@pytest.mark.parametrize(("path", "more"), [("", {"connect_id": "0" * 20}), ("/elsewhere", {})])
def test_equal_job_id_of_another_account_or_service_restarts_the_download(
    stage: Scripted, stub: Stub, target: Path, path: str, more: dict[str, str]
) -> None:
    left(stage, stub, target, 7000)
    another = build_stage(stub.url + path, **more)
    stub.answer(body=OTHER, ETag=ETAG)
    another.done().download(target)
    assert asked(stub) == [None]
    assert target.read_bytes() == OTHER


@pytest.mark.sampled(2)
@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff"])
def test_download_restarts_without_a_side_file(
    stage: Scripted, stub: Stub, target: Path, damage: bytes
) -> None:
    left(stage, stub, target, 7000)
    side = target.with_name("clicks.csv.gz.part.json")
    side.write_bytes(damage) if damage else side.unlink()
    stub.answer(body=FILE, ETag=ETAG)
    stage.done().download(target)
    assert asked(stub) == [None]
    assert target.read_bytes() == FILE
    assert names(target) == {"clicks.csv.gz"}


@pytest.mark.parametrize(
    "damage",
    [
        b"not gzip at all",
        FILE[:500] + bytes(300) + FILE[800:7000],
        FILE[:-8] + bytes(4) + FILE[-4:],  # complete, but with a wrong checksum
    ],
)
def test_bytes_known_to_be_damaged_are_not_resumed(
    stage: Scripted, stub: Stub, target: Path, damage: bytes
) -> None:
    left(stage, stub, target, 7000)
    target.with_name("clicks.csv.gz.part").write_bytes(damage)
    stub.answer(body=FILE, ETag=ETAG)
    stage.done(size=str(SIZE)).download(target)
    assert asked(stub) == [None]
    assert target.read_bytes() == FILE


def test_damage_found_at_the_end_fetches_the_file_again(stage: Scripted, stub: Stub, target: Path) -> None:
    # In a stored block of deflate any byte is valid: only the CRC at the end detects the damage.
    plain = b"a,b\r\n" + b"1,2\r\n" * 2000
    whole = gzip.compress(plain, compresslevel=0, mtime=0)
    left(stage, stub, target, 100)
    part = target.with_name("clicks.csv.gz.part")
    part.write_bytes(whole[:5000].replace(b"1,2", b"1,3", 1))
    rest(stub, 5000, file=whole)
    stub.answer(body=whole, ETag=ETAG)
    stage.done().download(target)
    assert asked(stub) == ["bytes=5000-", None]
    assert target.read_bytes() == whole


def test_part_file_longer_than_the_job_restarts(stage: Scripted, stub: Stub, target: Path) -> None:
    left(stage, stub, target, 100)
    target.with_name("clicks.csv.gz.part").write_bytes(FILE + b"\0" * 10)
    stub.answer(416, Content_Range=f"bytes */{SIZE}")
    stub.answer(body=FILE, ETag=ETAG)
    stage.done(size=str(SIZE)).download(target)
    assert target.read_bytes() == FILE


def test_interrupt_keeps_the_part_file(stage: Scripted, stub: Stub, target: Path) -> None:
    stub.answer(body=FILE, ETag=ETAG)
    with pytest.raises(KeyboardInterrupt):
        stage.done().download(target, on_progress=Mock(side_effect=KeyboardInterrupt))
    assert names(target) == {"clicks.csv.gz.part", "clicks.csv.gz.part.json"}


@pytest.mark.parametrize("job", ["job-1", "job-2"])
def test_failed_job_removes_only_its_own_part_file(
    stage: Scripted, stub: Stub, target: Path, job: str
) -> None:
    left(stage, stub, target, 100)
    stage.jobs.answers.append({"@id": job, "status": "failed"})
    with pytest.raises(JobFailed):
        stage.exporter.resume_job(job, report_type="click").download(target)
    assert bool(names(target)) == (job != "job-1")


def test_second_download_is_refused_and_changes_nothing(stage: Scripted, stub: Stub, target: Path) -> None:
    left(stage, stub, target, 100)
    with PartFile(target) as part:
        assert part.size == 100
        with pytest.raises(Exception, match="another download"):
            stage.exporter.resume_job("job-1", report_type="click").download(target)
    assert target.with_name("clicks.csv.gz.part").read_bytes() == FILE[:100]
    assert stub.requests == []


@pytest.mark.parametrize("elsewhere", [False, True])
def test_credentials_of_a_range_request_are_sent_to_the_service_only(
    stage: Scripted, stub: Stub, other: Stub, target: Path, elsewhere: bool
) -> None:
    server = other if elsewhere else stub
    breaking(server, 1000)
    rest(server, 1000)
    stage.done(downloadUrl=f"{server.url}/files/1.gz").download(target)
    assert asked(server) == [None, "bytes=1000-"]
    assert ["authorization" in headers for _, headers in server.requests] == [not elsewhere] * 2
    assert target.read_bytes() == FILE
