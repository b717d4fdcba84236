from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from soapclient.tracking.exports.formats.gzip_csv import RecordCounter

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
def test_count_equals_the_csv_module_for_any_rows_and_chunks(
    rows: list[list[str]], ending: str, quoting: int, last_break: bool, cuts: list[int]
) -> None:
    text = io.StringIO(newline="")
    # an int here
    csv.writer(text, lineterminator=ending, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    written = text.getvalue()
    if not last_break and written.endswith(ending) and rows[-1]:
        written = written[: -len(ending)]
    expected = list(csv.reader(io.StringIO(written, newline="")))
    counter = counted(written.encode(), cuts)
    assert counter.records == len(expected)
    assert counter.exact is all(expected)  # otherwise a line is blank


def read_strictly(text: str) -> int | None:
    """Return the header and the records that rows() would give, or None if it would refuse the text."""
    try:
        return sum(1 for cells in csv.reader(io.StringIO(text, newline=""), strict=True) if cells)
    except csv.Error:
        return None


@given(
    text=st.text(alphabet='ab,"\r\n \ufeff', max_size=40),
    mark=st.booleans(),
    cuts=st.lists(st.integers(0, 60)),
)
@example('id,size\n1,1,5" tv\n2,x\n3,2" pipe', False, [])
@example('a\nb"\n"\n', False, [])
@example('"a"', True, [1, 2, 3, 4])
@example("\na\n", True, [4])
@example('a\r""\nb', False, [2, 3, 4])
@example('a,"x"" y"\r\n', False, [5, 6])
def test_exact_count_equals_the_reader_for_any_text_and_chunks(
    text: str, mark: bool, cuts: list[int]
) -> None:
    text = text.lstrip("\ufeff")
    counter = counted(("\ufeff" * mark + text).encode(), cuts)
    if counter.exact:
        assert counter.records == read_strictly(text)


@pytest.mark.parametrize("ending", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_correctly_quoted_text_needs_no_reader(ending: str, mark: str) -> None:
    text = ending.join(['"id",size', '1,"1,5"" tv"', '2,""', '"3","x\ny"', '4,""""', "5,"])
    for data in ((mark + text).encode(), (mark + text + ending).encode()):
        counter = counted(data, [])
        assert counter.exact
        assert counter.records == 6


@pytest.mark.parametrize(
    "data",
    [
        b'id\n1,5" tv\n', b'id\n"x" \n', b'id\n "x"\n', b'id\nx"', b'id\n"x', b'id\nx"" y\n', b"id\n\nx\n",
        b"\nid\n", b"id\r\r", b"id\n\r\n", b"id\r\n\r\n",
    ],
)  # fmt: skip
def test_bare_quotes_and_blank_lines_need_a_reader_for_any_chunks(data: bytes) -> None:
    for cut in range(len(data) + 1):
        assert not counted(data, [cut]).exact


@pytest.mark.parametrize(
    ("data", "records"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2), (b'x\r"abc"\n', 2)]
)
def test_simple_texts_are_counted(data: bytes, records: int) -> None:
    assert counted(data, []).records == records
    assert counted(data, list(range(9))).records == records


def test_open_quote_is_reported() -> None:
    counter = counted(b'a,"b\nc\n', [])
    assert not counter.exact
    assert counter.records == 1
