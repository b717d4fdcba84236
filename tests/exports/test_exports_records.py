from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from soapclient.exports.records import RecordCounter

CELL = st.text(alphabet='a,"\r\n ;\x00äé', max_size=6)
ROWS = st.lists(st.lists(CELL, max_size=4), max_size=8)


def counted(data: bytes, cuts: list[int]) -> RecordCounter:
    counter = RecordCounter()
    places = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    for start, end in zip(places, [*places[1:], len(data)], strict=True):
        counter.feed(data[start:end])
    return counter


@given(
    rows=ROWS,
    ending=st.sampled_from(["\r\n", "\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    last_break=st.booleans(),
    cuts=st.lists(st.integers(0, 200)),
)
@example([["a"], ["b"]], "\r\n", csv.QUOTE_MINIMAL, True, [2, 3])
@example([['"'], ["\r"], ["\n"]], "\r\n", csv.QUOTE_MINIMAL, False, [1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_the_count_is_that_of_the_csv_module_for_any_rows_in_any_pieces(
    rows: list[list[str]], ending: str, quoting: int, last_break: bool, cuts: list[int]
) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=ending, quoting=quoting).writerows(rows)  # type: ignore[arg-type]  # an int to us
    written = text.getvalue()
    if not last_break and written.endswith(ending) and rows[-1]:
        written = written[: -len(ending)]
    expected = sum(1 for _ in csv.reader(io.StringIO(written, newline="")))
    counter = counted(written.encode(), cuts)
    assert counter.records == expected
    assert counter.balanced


@pytest.mark.parametrize(
    ("data", "records"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2), (b'x\r"abc"\n', 2)]
)
def test_simple_counts(data: bytes, records: int) -> None:
    assert counted(data, []).records == records
    assert counted(data, list(range(9))).records == records


def test_an_open_quote_is_told() -> None:
    counter = counted(b'a,"b\nc\n', [])
    assert not counter.balanced
    assert counter.records == 1
