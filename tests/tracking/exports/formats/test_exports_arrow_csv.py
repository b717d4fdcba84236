"""Compare the splitting into blocks of whole records with a byte-by-byte reader of the same text."""

from __future__ import annotations

import io
import sys

from hypothesis import example, given
from hypothesis import strategies as st

from soapclient.tracking.exports.formats.arrow import Blocks


def ends(data: bytes) -> set[int]:
    """Return the ends of unquoted line breaks. CR LF is a single line break."""
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
def test_blocks_end_at_record_boundaries(data: bytes, size: int, begun: int) -> None:
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
    # A block must be returned as soon as a record ends in it, after one further byte is seen.
    if ends(data) and min(ends(data)) + size < len(data) - begun:
        assert len(cut) > 1


def test_work_is_linear_in_the_text() -> None:
    """One record of nothing but quotes, in many pieces: the work must not depend on the number of pieces."""
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
