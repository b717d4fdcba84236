"""The download: signed, in ranges, complete, and broken on request."""

from __future__ import annotations

import errno
import gc
import gzip
import hashlib
import io
import os
import random
import signal
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any, cast

import pytest
import requests

from soapclient.tracking.sandbox import JobSteps
from soapclient.tracking.sandbox.exports.files import ExportFile
from tests.stage import Stage
from tests.tracking.sandbox.caller import Caller, ordered

NOW = JobSteps(running=timedelta(0), done=timedelta(0))
MISSING = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def stage(staged: Callable[..., Stage]) -> Stage:
    return staged(job_steps=NOW, clicks_per_day=3000)


def uri_of(job: str) -> str:
    return f"/jobs/job/id/{job}/download"


def test_file_is_complete_and_its_headers_are_correct(stage: Stage) -> None:
    caller = stage.caller
    job = caller.order()
    response = caller.download(job)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/gzip"
    assert int(response.headers["Content-Length"]) == len(response.content)
    assert "Content-Encoding" not in response.headers
    assert response.headers["Accept-Ranges"] == "bytes"
    assert gzip.decompress(response.content).startswith(b"clickId,clickDate,")
    head = caller.download(job, "HEAD")
    assert head.status_code == 200
    assert head.content == b""
    for name in ("Content-Length", "ETag"):
        assert head.headers[name] == response.headers[name]
    uri = uri_of(job)
    signed_as_get, url = caller.headers("GET", uri), f"{caller.url}/xml/2011-05-01{uri}"
    assert caller.session.head(url, headers=signed_as_get, timeout=5).status_code == 200


@pytest.mark.exhaustive
def test_the_same_order_gives_the_same_bytes(stage: Stage, staged: Callable[..., Stage]) -> None:
    other = staged(job_steps=NOW, clicks_per_day=3000).caller
    jobs = [caller.order() for caller in (stage.caller, other, staged(seed=2).caller)]
    assert jobs[0] == jobs[1] != jobs[2]
    first, second = stage.caller.download(jobs[0]), other.download(jobs[1])
    assert first.content == second.content
    assert first.headers["ETag"] == second.headers["ETag"]
    third = other.download(other.order(reportType="clickin"))
    assert third.headers["ETag"] != first.headers["ETag"]


SIZES = pytest.mark.parametrize("clicks", [3000, 30_000], ids=["in memory", "on disk"])


@pytest.mark.sampled(1)
@SIZES
def test_ranges_combine_to_the_file(staged: Callable[..., Stage], clicks: int) -> None:
    caller = staged(job_steps=NOW, clicks_per_day=clicks).caller
    job = caller.order()
    whole = caller.download(job)
    size, etag = len(whole.content), whole.headers["ETag"]
    half = size // 2
    first = caller.download(job, Range=f"bytes=0-{half - 1}")
    rest = caller.download(job, Range=f"bytes={half}-", **{"If-Range": etag})
    assert (first.status_code, rest.status_code) == (206, 206)
    assert rest.headers["Content-Range"] == f"bytes {half}-{size - 1}/{size}"
    assert int(rest.headers["Content-Length"]) == size - half
    assert first.content + rest.content == whole.content
    assert caller.download(job, Range="bytes=-10").content == whole.content[-10:]
    changed = caller.download(job, Range=f"bytes={half}-", **{"If-Range": '"another"'})
    assert changed.status_code == 200
    assert changed.content == whole.content
    beyond = caller.download(job, Range=f"bytes={size}-")
    assert beyond.status_code == 416
    assert beyond.headers["Content-Range"] == f"bytes */{size}"
    assert caller.download(job, **{"If-None-Match": etag}).status_code == 304


def test_unknown_unfinished_and_expired_jobs_have_no_file(staged: Callable[..., Stage]) -> None:
    stage = staged()
    caller = stage.caller
    assert caller.download(MISSING).status_code == 404
    job = caller.order()
    assert caller.download(job).status_code == 409
    stage.clock.advance(2)
    assert caller.download(job).status_code == 200
    file = stage.sandbox.jobs.of(caller.connect_id)[0].file
    file.open().close()
    stage.clock.advance(86_400)
    assert caller.download(job).status_code == 410
    with pytest.raises(FileNotFoundError):
        file.open()
    assert caller.download(job, "POST").status_code == 405


def test_truncated_and_corrupt_files_can_be_scripted(stage: Stage) -> None:
    caller = stage.caller
    truncated, corrupt = ordered(stage, damage="truncated"), ordered(stage, damage="corrupt")
    response = caller.download(truncated)
    assert response.status_code == 200
    assert int(response.headers["Content-Length"]) == len(response.content)
    assert len(response.content) < caller.call("GetJob", jobId=truncated).number("size")
    with pytest.raises(EOFError):
        gzip.decompress(response.content)
    whole = caller.download(corrupt).content
    with pytest.raises((gzip.BadGzipFile, zlib.error), match="CRC"):
        gzip.decompress(whole)


def test_cut_connection_can_be_scripted(stage: Stage) -> None:
    caller, job = stage.caller, ordered(stage, damage="cut")
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        caller.download(job)
    size = caller.call("GetJob", jobId=job).number("size")
    half = size // 2
    assert len(caller.download(job, Range=f"bytes={half}-").content) == size - half


def test_requested_number_of_breaks_occurs(stage: Stage) -> None:
    caller, job = stage.caller, ordered(stage, breaks=2)
    size = caller.call("GetJob", jobId=job).number("size")
    for headers in ({}, {"Range": "bytes=1000-"}):
        with pytest.raises(requests.exceptions.ChunkedEncodingError):
            caller.download(job, **headers)
    assert caller.download(job, "HEAD").status_code == 200
    assert len(caller.download(job, Range="bytes=1000-").content) == size - 1000
    assert len(caller.download(job).content) == size


def test_temporary_refusal_can_be_scripted(stage: Stage) -> None:
    first = ordered(stage, busy_downloads=2, retry_after=7)
    second = ordered(stage, busy_downloads=1, retry_after=None)
    responses = [stage.caller.download(job) for job in (first, first, first, second)]
    assert [response.status_code for response in responses] == [503, 503, 200, 503]
    assert [response.headers.get("Retry-After") for response in responses] == ["7", "7", None, None]


def test_expired_address_can_be_scripted(stage: Stage) -> None:
    caller, job = stage.caller, ordered(stage, stale_addresses=1)

    def status_at(url: str) -> int:
        headers = caller.headers("GET", uri_of(job))
        return caller.session.get(url, headers=headers, timeout=5).status_code

    first, again = (caller.call("GetJob", jobId=job).text("downloadUrl") for _ in range(2))
    assert again == first  # a poll changes nothing
    assert status_at(first) == 410
    second = caller.call("GetJob", jobId=job).text("downloadUrl")
    assert second != first
    assert [status_at(url) for url in (first, second, second)] == [410, 200, 200]


def test_ignored_ranges_can_be_scripted(stage: Stage) -> None:
    caller, job = stage.caller, ordered(stage, ranges=False)
    whole = caller.download(job)
    rest = caller.download(job, Range="bytes=1000-", **{"If-Range": whole.headers["ETag"]})
    assert rest.status_code == 200
    assert rest.content == whole.content


def test_slow_download_can_be_scripted(stage: Stage) -> None:
    paced: list[None] = []
    job = ordered(stage, pace=lambda: paced.append(None))
    content = stage.caller.download(job).content
    assert len(content) == stage.caller.call("GetJob", jobId=job).number("size")
    assert len(paced) >= len(content) / 4096 > 1


@pytest.mark.sampled(1)
@SIZES
def test_removed_file_is_served_to_its_end_if_open(staged: Callable[..., Stage], clicks: int) -> None:
    stage = staged(job_steps=NOW, clicks_per_day=clicks)
    caller = stage.caller
    whole = caller.download(caller.order()).content
    file = stage.sandbox.jobs.of(caller.connect_id)[0].file
    with file.open() as one, file.open() as other:
        begin = one.read(100)
        assert other.read(200) == whole[:200]
        file.close()
        assert begin + one.read() == whole
        other.seek(-50, os.SEEK_END)
        assert other.read() == whole[-50:]
        other.seek(len(whole) + 10)
        assert other.read() == b""


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def a_file(content: bytes, damage: str | None = None) -> ExportFile:
    file = ExportFile(iter([(1, content)]), damage)
    assert file.wait(60)
    assert file.error is None
    return file


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")


@pytest.mark.exhaustive
@needs_proc
def test_jobs_do_not_exhaust_file_descriptors() -> None:
    before = descriptors()
    contents = [os.urandom(400_000 + number) for number in range(40)]
    files = [a_file(content) for content in contents]
    assert descriptors() <= before + 1
    readers = [file.open() for file in files]
    halves = [reader.read(300_000) for reader in readers]  # alternating
    wholes = [half + reader.read() for half, reader in zip(halves, readers, strict=True)]
    assert [gzip.decompress(whole) for whole in wholes] == contents
    assert [file.etag for file in files] == [hashlib.sha256(whole).hexdigest()[:32] for whole in wholes]
    for file in files:
        file.close()
    del files, readers, file
    gc.collect()
    assert descriptors() <= before


@pytest.mark.exhaustive
@needs_proc
def test_space_of_a_removed_file_is_reused(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[IO[bytes]] = []
    real = tempfile.TemporaryFile

    def temporary(*given: Any, **named: Any) -> IO[bytes]:  # the signature of the real function
        made.append(cast("IO[bytes]", real(*given, **named)))
        return made[-1]

    gc.collect()  # otherwise a file of another test would provide the place
    gc.freeze()  # for quick collections below
    monkeypatch.setattr(tempfile, "TemporaryFile", temporary)
    kept = a_file(os.urandom(600_000))
    for _ in range(10):
        content = os.urandom(600_000)
        file = a_file(content)
        with file.open() as reader:
            file.close()
            assert gzip.decompress(reader.read()) == content
        del file, reader
        gc.collect()
    (place,) = made
    assert os.fstat(place.fileno()).st_size < 4 * 600_000
    kept.close()


class FullAfter:
    """A file on a disk with room for a number of blocks. `left` can be raised later."""

    def __init__(self, file: IO[bytes], blocks: int) -> None:
        self._file, self.left = file, blocks

    def write(self, block: memoryview) -> int:
        if not self.left:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.left -= 1
        return self._file.write(block)

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)


@pytest.mark.exhaustive
def test_a_full_disk_fails_its_job_and_none_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[FullAfter] = []
    real = tempfile.TemporaryFile

    def temporary(*given: Any, **named: Any) -> FullAfter:  # the signature of the real function
        made.append(FullAfter(cast("IO[bytes]", real(*given, **named)), 3))
        return made[-1]

    gc.collect()  # otherwise a file of another test would provide the place
    monkeypatch.setattr(tempfile, "TemporaryFile", temporary)
    kept = [os.urandom(600_000), os.urandom(600_000)]  # three blocks each, of at most 256 KiB
    before = a_file(kept[0])
    failed = ExportFile(iter([(1, os.urandom(1_200_000))]))
    assert failed.wait(60)
    assert failed.error == "OSError: [Errno 28] No space left on device"
    with pytest.raises(FileNotFoundError):
        failed.open()
    (disk,) = made
    disk.left = 1000
    for file, content in ((before, kept[0]), (a_file(kept[1]), kept[1])):
        with file.open() as reader:
            assert gzip.decompress(reader.read()) == content
        file.close()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("size", [0, 9, 262_143, 262_144, 262_152, 262_153, 524_288, 600_000])
@pytest.mark.parametrize("damage", [None, "truncated", "corrupt"])
def test_damage_does_not_depend_on_the_size(size: int, damage: str | None) -> None:
    content = random.Random(size).randbytes(size)
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0, compresslevel=1) as stream:
        stream.write(content)
    want = bytearray(packed.getvalue())
    file = a_file(content, damage)
    assert file.size == len(want)
    if damage == "truncated":
        del want[len(want) // 2 :]
    elif damage == "corrupt":
        want[-8] ^= 0xFF
    assert file.length == len(want)
    assert file.open().read() == want
    assert file.etag == hashlib.sha256(want).hexdigest()[:32]


_SERVED = """
import sys
from datetime import timedelta
from soapclient.tracking.sandbox import JobSteps, Sandbox, serve
steps = JobSteps(running=timedelta(0), done=timedelta(0))
with Sandbox(clicks_per_day=30_000, job_steps=steps) as sandbox, serve(sandbox) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [None, signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_file_remains_after_the_process(
    number: signal.Signals | None, calling: Callable[[str], Caller], tmp_path: Path
) -> None:
    command = [sys.executable, "-c", _SERVED]
    with subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        caller = calling(process.stdout.readline().strip())
        caller.clock.set(datetime.now(UTC))
        for report_type in ("click", "lead"):  # a large file and a small one
            assert caller.download(caller.order(reportType=report_type)).status_code == 200
        if number is not None:
            process.send_signal(number)
        process.stdin.close()
        process.wait(timeout=30)
    assert [path.name for path in tmp_path.rglob("*")] == []
