"""Limits for files: free disk space, settings, and the length of a record while reading."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from soapclient.errors import ExportError, ResponseError
from soapclient.tracking.exports.download import download
from soapclient.tracking.exports.formats import gzip_csv
from soapclient.tracking.exports.formats.gzip_csv import count_rows, header_of
from tests.tracking.exports.conftest import PACKED, Stub, build_stage

LONGEST = 1 << 20  # maximum bytes of a record in these tests


def packed_of(*blocks: tuple[bytes, int]) -> bytes:
    """Return the blocks, each repeated the given number of times, as gzip."""
    packed = zlib.compressobj(6, wbits=31)
    return b"".join(packed.compress(block) for block, times in blocks for _ in range(times)) + packed.flush()


@pytest.mark.parametrize("told", [True, False])
def test_file_size_is_limited(stub: Stub, target: Path, told: bool) -> None:
    stage = build_stage(stub.url, max_download_bytes=str(len(PACKED) - 1))
    job = stage.done(size=str(len(PACKED))) if told else stage.done()
    stub.answer(body=PACKED)
    with pytest.raises(ResponseError, match=f"at most {len(PACKED) - 1} bytes.*max_download_bytes"):
        job.download(target)
    assert len(stub.requests) == (0 if told else 1)
    assert list(target.parent.iterdir()) == []
    stub.forget()
    stub.answer(body=PACKED)
    build_stage(stub.url, max_download_bytes=str(len(PACKED))).done().download(target)
    assert target.read_bytes() == PACKED


def test_endless_file_stops_at_the_limit(stub: Stub, target: Path) -> None:
    def endless() -> Iterator[bytes]:
        packed = zlib.compressobj(0, wbits=31)
        while True:
            yield packed.compress(b"a,b\n" * 16_000)

    stub.answer(200, endless())
    with pytest.raises(ResponseError, match="at most 1000000 bytes"):
        build_stage(stub.url, max_download_bytes="1000000").done().download(target)
    assert list(target.parent.iterdir()) == []


def test_full_disk_is_reported_before_any_request(stub: Stub, target: Path) -> None:
    stage = build_stage(stub.url, max_download_bytes=str(2**50))
    with pytest.raises(ExportError, match=r"are free on its disk\. Free some space"):
        stage.done(size=str(2**49)).download(target)
    assert stub.requests == []


def test_extremely_compressed_file_is_refused(stub: Stub, target: Path) -> None:
    bomb = packed_of((b"a,b\n", 1), (b"1,2\n" * 250_000, 80))
    stub.answer(body=bomb)
    with pytest.raises(ResponseError, match=r"too large.*at most 200 times.*max_compression_ratio") as caught:
        build_stage(stub.url).done().download(target)
    assert caught.value.operation == "download"
    assert list(target.parent.iterdir()) == []
    assert len(stub.requests) == 1


@pytest.mark.parametrize("excess", [0, 1])  # bytes above the size from which the ratio is checked
def test_small_file_may_be_extremely_compressed(
    stub: Stub, target: Path, monkeypatch: pytest.MonkeyPatch, excess: int
) -> None:
    content = b"a,b\n" + b"1,2\n" * 250_000
    monkeypatch.setattr(download, "_RATIO_CHECK_FROM", len(content) - excess)
    stub.answer(body=packed_of((content, 1)))
    export = build_stage(stub.url, max_compression_ratio="2").done()
    if excess:
        with pytest.raises(ResponseError, match=r"too large.*at most 2"):
            export.download(target)
    else:
        assert export.download(target).row_count == 250_000


BOMBS: dict[str, tuple[tuple[bytes, int], ...]] = {
    "a line": ((b"x" * 1_000_000, 200),),
    "lines of one record": ((b'"a\n",' * 200_000, 100),),
    "quotes that are none": ((b'x"\n', 1), (b'"a\n",' * 200_000, 100)),
    "a second line": ((b"a,b\n1,2\n", 1), (b",2" * 500_000, 100)),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", BOMBS)
def test_endless_record_is_not_buffered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Memory is measured with tracemalloc, which is slow. The records are therefore shorter than usual."""
    monkeypatch.setattr(gzip_csv, "LONGEST_RECORD", LONGEST)
    file = tmp_path / "bomb.csv.gz"
    file.write_bytes(packed_of(*BOMBS[kind]))
    read: Callable[[Path], object] = header_of if kind in ("a line", "lines of one record") else count_rows
    tracemalloc.start()
    try:
        with pytest.raises(ResponseError):
            read(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # a record as bytes, as a string, and as short cells, each a Python object
    assert peak < 40 * LONGEST


@pytest.mark.exhaustive
def test_any_number_of_records_is_read(tmp_path: Path) -> None:
    file = tmp_path / "long.csv.gz"
    line = ",".join(["value"] * 100) + "\n"
    rows = 2 * gzip_csv.LONGEST_RECORD // len(line)
    file.write_bytes(gzip.compress(line.encode() * rows, 1))
    assert count_rows(file) == rows - 1
