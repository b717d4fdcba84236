"""Blocks of whole records against a reading of the same text byte by byte."""

from __future__ import annotations

import io
import sys

from hypothesis import example, given
from hypothesis import strategies as st

from soapclient.tracking.exports.formats.arrow import Blocks


def ends(data: bytes) -> set[int]:
    """Where a line break without quotes ends; none between the two bytes of one."""
    found, quoted = set[int](), False
    for at, byte in enumerate(data):
        quoted ^= byte == 0x22
        if not quoted and (byte == 0x0A or (byte == 0x0D and data[at + 1 : at + 2] != b"\n")):
            found.add(at + 1)
    return found


@given(
    data=st.lists(st.sampled_from([b'"', b"\r", b"\n", b"\r\n", b"x", b",", b'""', b"long text"])).map(
        b"".join
    ),
    size=st.integers(1, 12),
    begun=st.integers(0, 20),
)
@example(data=b"a\rb\rc", size=2, begun=0)
@example(data=b"a\r\nb", size=2, begun=0)
def test_blocks_are_the_text_cut_where_records_end(data: bytes, size: int, begun: int) -> None:
    blocks = Blocks(io.BytesIO(data[begun:]), size, begun=data[:begun], offset=100)
    cut = list(blocks)
    assert blocks.complete
    assert b"".join(block.data for block in cut) == data
    at = 0
    for block in cut:
        assert block.offset == 100 + at
        at += len(block.data)
        assert at in ends(data) | {len(data)}
    assert blocks.offset == 100 + len(data)
    # A block is not kept back once a record has ended in it, seen with one byte more.
    if ends(data) and min(ends(data)) + size < len(data) - begun:
        assert len(cut) > 1


def test_the_work_grows_with_the_text_only() -> None:
    """One record with nothing but quotes, in many pieces: each is looked at a few times, not per piece."""
    data = b'"' + b'""' * 20_000
    calls = 0

    def count(_frame: object, event: str, _of: object) -> None:
        nonlocal calls
        calls += event == "c_call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        cut = list(Blocks(io.BytesIO(data), 512))
    finally:
        sys.setprofile(before)
    assert [block.data for block in cut] == [data]
    assert calls < 5 * len(data)
