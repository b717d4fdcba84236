from __future__ import annotations

import gzip
import random
import sys
import zlib
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.tracking.exports.formats.gzip_csv import Damaged, Gunzip, NotGzip

pytestmark = pytest.mark.sampled(12)

TEXT = b"".join(b"%d,row\n" % number for number in range(5000))
PACKED = gzip.compress(TEXT, mtime=0)


@pytest.fixture(params=["isal", "zlib"], autouse=True, scope="module")
def library(request: pytest.FixtureRequest) -> Iterator[str]:
    """Unpack with isal, and as if isal were not installed."""
    if request.param == "isal":
        pytest.importorskip("isal")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "zlib":
            patch.setitem(sys.modules, "isal", None)
        yield str(request.param)


def unpack(data: bytes, *, size: int = 1000) -> bytes:
    gunzip = Gunzip()
    content = b"".join(
        piece for at in range(0, len(data), size) for piece in gunzip.feed(data[at : at + size])
    )
    gunzip.finish()
    return content


@given(
    contents=st.lists(st.binary(max_size=300), min_size=1, max_size=4),
    padding=st.integers(0, 20),
    size=st.integers(1, 50),
)
def test_any_members_in_any_chunks_are_decompressed(contents: list[bytes], padding: int, size: int) -> None:
    data = b"".join(gzip.compress(content) for content in contents) + b"\0" * padding
    assert unpack(data, size=size) == b"".join(contents) == gzip.decompress(data)


@pytest.mark.sampled(1)
def test_decompression_bomb_is_read_in_bounded_chunks() -> None:
    bomb = gzip.compress(bytes(30_000_000))
    gunzip = Gunzip()
    sizes = [len(piece) for piece in gunzip.feed(bomb)]
    gunzip.finish()
    assert sum(sizes) == 30_000_000
    assert max(sizes) <= 1 << 20


@pytest.mark.sampled(4)
@pytest.mark.parametrize("content", [bytes, random.Random(2).randbytes])
@pytest.mark.parametrize("beyond", [-1, 0, 1, 5, 40_000])
@pytest.mark.parametrize("size", [1 << 15, 1 << 23])
def test_content_near_the_chunk_size_is_complete(
    content: Callable[[int], bytes], beyond: int, size: int
) -> None:
    text = content((2 << 20) + beyond)
    assert unpack(gzip.compress(text, 1) + gzip.compress(b"more"), size=size) == text + b"more"
    with pytest.raises(Damaged, match="truncated"):
        unpack(gzip.compress(text, 1)[:-1], size=size)


def test_installed_library_is_used(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zlib, "decompressobj", None)
    if library == "isal":
        assert unpack(PACKED) == TEXT
    else:
        with pytest.raises(TypeError):
            unpack(PACKED)


@pytest.mark.parametrize("keep", range(2, 40))
def test_a_file_cut_near_its_start_is_damaged(keep: int) -> None:
    with pytest.raises(Damaged, match="truncated"):
        unpack(PACKED[:keep])


@pytest.mark.parametrize("drop", range(1, 20))
def test_a_file_cut_near_its_end_is_damaged(drop: int) -> None:
    with pytest.raises(Damaged, match="truncated"):
        unpack(PACKED[:-drop])


def test_a_file_cut_in_its_second_member_is_damaged() -> None:
    with pytest.raises(Damaged, match="truncated"):
        unpack(PACKED + PACKED[:-1])


def test_every_flipped_bit_of_checksum_and_length_is_damage() -> None:
    for bit in range(64):
        broken = bytearray(PACKED)
        broken[-8 + bit // 8] ^= 1 << bit % 8
        with pytest.raises(Damaged):
            unpack(bytes(broken))


def test_flipped_bits_never_give_other_content() -> None:
    chance = random.Random(1)
    for _ in range(200):
        broken = bytearray(PACKED)
        broken[chance.randrange(10, len(PACKED) - 8)] ^= 1 << chance.randrange(8)
        try:
            content = unpack(bytes(broken))
        except Damaged:
            continue
        assert content == TEXT  # a bit without a meaning


@pytest.mark.parametrize(
    "data", [b"", b"\x1f", b"\x8b\x1f", b"<html>", b"<", b"a,b\n1,2\n", zlib.compress(b"x"), b"PK\x03\x04"]
)
def test_file_without_a_gzip_header_is_not_gzip(data: bytes) -> None:
    for size in (1, 1000):
        with pytest.raises(NotGzip):
            unpack(data, size=size)


def test_trailing_data_is_damage() -> None:
    with pytest.raises(Damaged):
        unpack(PACKED + b"<html>")
