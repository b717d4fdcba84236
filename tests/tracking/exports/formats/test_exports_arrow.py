"""Compare Arrow batches with the typed rows, the csv module and three independent readers of Parquet."""

from __future__ import annotations

import csv
import gzip
import tempfile
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from unittest.mock import Mock

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soapclient.errors import ResponseError
from soapclient.tracking.exports.formats import arrow
from soapclient.tracking.exports.formats.arrow import BlockReader, schema_for
from soapclient.tracking.exports.formats.columns import RowReader, Value
from soapclient.tracking.exports.formats.export_file import ExportFile
from tests.rings import examples
from tests.tracking.exports.conftest import Pack, Write, build_csv, columns

KNOWN = columns(
    "id long, small int, when dateTime, day date, amount decimal, share double, final boolean, huge integer, "
    "natural unsignedLong, name string"
)
HEADER = tuple(column.name for column in KNOWN)
ID_AND_NAME = columns("id int, name string")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BERLIN = timezone(timedelta(hours=1))


def packed(rows: Sequence[Sequence[str]], folder: Path, quoting: int = csv.QUOTE_MINIMAL) -> Path:
    path = folder / "x.csv.gz"
    path.write_bytes(gzip.compress(build_csv(rows, quoting), 1))
    return path


def read(path: Path, **more: object) -> ExportFile:
    # passed through
    return ExportFile.open(path, report_type="click", known=KNOWN, **more)  # type: ignore[arg-type]


def row(**cells: str) -> list[str]:
    return [cells.get(name, "") for name in HEADER]


# ---- the contents of a table as plain, comparable values


def plain(value: Value) -> object:
    """Return a plain value for a value of rows(): moments as microseconds, numbers without trailing zeros."""
    if isinstance(value, datetime):
        return (value - EPOCH) // timedelta(microseconds=1)
    return value


def of_arrow(table: pa.Table) -> list[dict[str, object]]:
    """Return the rows of a table, with moments as microseconds because Python has no year 0."""
    for at, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            table = table.set_column(at, field.name, table.column(at).cast(pa.int64()))
    found: list[dict[str, object]] = table.to_pylist()
    return found


def expected(file: ExportFile) -> list[dict[str, object]]:
    return [{name: plain(value) for name, value in one.items()} for one in file.rows()]


# ---- random files

INT64 = st.integers(-(2**63), 2**63 - 1)
MOMENTS = st.builds(
    lambda when, zone: when.replace(tzinfo=timezone(timedelta(minutes=zone))).isoformat(),
    st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)),
    st.integers(-14 * 60, 14 * 60),
)
USUAL = st.builds(
    lambda when, zone: f"{when:%Y-%m-%dT%H:%M:%S}{zone}",
    st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1)),
    st.sampled_from(["Z", "+01:00", "+02:00", "-13:59", "+14:00"]),
)
SCALED = st.builds(
    lambda number, places: format(Decimal(number).scaleb(-places), "f"),
    st.integers(-(10**28), 10**28),
    st.integers(0, 9),
)
AMOUNTS = st.one_of(
    st.sampled_from(
        ["0", "-0.0", "+7", ".5", "5.", " 1.5 ", "0.1000000000000", "000.100", "9" * 29 + "." + "9" * 9]
    ),
    SCALED,
    st.integers(-99_999, 99_999).map(lambda cents: f"{cents / 100:.2f}"),
)
TEXT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(
        ["007", "NULL", "nan", "null", "true", 'a "b" c', "x,y", "a\r\nb", '"', "0x10", "\ufeff", " ", "\n"]
    ),
)
CELLS = {
    "id": st.one_of(INT64.map(str), st.sampled_from(["007", "+5", "-0", " 8 "])),
    "small": st.integers(-(2**31), 2**31 - 1).map(str),
    "when": st.one_of(USUAL, MOMENTS, st.sampled_from(["2026-11-01T24:00:00Z", "2026-11-01T10:00:00.12Z"])),
    "day": st.one_of(st.dates().map(date.isoformat), st.just("2026-11-01+01:00")),
    "amount": AMOUNTS,
    "share": st.one_of(AMOUNTS, st.sampled_from(["1E-3", "12e4", "1.50E+1"])),
    "final": st.sampled_from(["true", "false", "1", "0", " true "]),
    "huge": st.one_of(INT64.map(str), st.integers(-(10**38) + 1, 10**38 - 1).map(str)),
    "natural": st.integers(0, 2**64 - 1).map(str),
    "name": TEXT,
}
# Half of the rows have only common cells, so that whole files take the fast path.
EASY = CELLS | {
    "id": st.integers(-(10**18), 10**18).map(str),
    "when": USUAL,
    "day": st.dates(date(1900, 1, 1)).map(date.isoformat),
    "amount": SCALED,
    "share": SCALED,
    "final": st.sampled_from(["true", "false", "1", "0"]),
    "huge": INT64.map(str),
    "natural": st.integers(0, 10**18).map(str),
}


def lines_of(cells: dict[str, st.SearchStrategy[str]]) -> st.SearchStrategy[list[list[str]]]:
    one = st.tuples(*(st.one_of(st.just(""), cells[name], cells[name]) for name in HEADER)).map(list)
    return st.lists(one, max_size=12)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=st.one_of(lines_of(CELLS), lines_of(EASY)),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    block=st.sampled_from([64, 200, 1 << 20]),
    size=st.integers(1, 5),
)
def test_batches_and_parquet_equal_the_rows(
    rows: list[list[str]], quoting: int, block: int, size: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "_BLOCK", max(block, 200))  # the header must fit into the first block
        file = read(packed([HEADER, *rows], Path(folder), quoting))
        wanted = expected(file)
        assert len(wanted) == len(rows)
        batches = list(file.batches(size))
        assert all(batch.schema == file.schema() for batch in batches)
        assert [batch.num_rows for batch in batches[:-1]] == [size] * (len(batches) - 1)
        assert of_arrow(pa.Table.from_batches(batches, file.schema())) == wanted
        target = Path(folder) / "x.parquet"
        assert file.to_parquet(target).rows == len(rows)
        assert of_arrow(pq.read_table(target)) == wanted
        theirs = duckdb.execute(
            f'select * replace (epoch_us("when") as "when") from read_parquet(\'{target}\')'
        ).fetchall()
        assert theirs == [tuple(one[name] for name in HEADER) for one in wanted]


@pytest.mark.parametrize("regular", [False, True])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_usual_files_do_not_need_the_row_reader(tmp_path: Path, quoting: int, regular: bool) -> None:
    cells = row(
        id="7", small="-3", when="2026-11-01T10:00:00+01:00", day="2026-11-01", amount="0.10", share="12",
        final="true", huge="5", natural="1", name='Äpfel, "x"\ny',
    )  # fmt: skip
    data = gzip.decompress(packed([cells, row(), cells], tmp_path, quoting).read_bytes())
    schema = read(packed([HEADER], tmp_path)).schema()
    batch = BlockReader(HEADER, KNOWN, schema, regular=regular).read(data)
    assert batch is not None
    assert batch.to_pylist()[1] == dict.fromkeys(HEADER)
    assert batch.to_pylist()[2]["name"] == 'Äpfel, "x"\ny'
    assert batch.to_pylist()[2]["amount"] == Decimal("0.10")
    assert batch.to_pylist()[2]["when"] == datetime(2026, 11, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("regular", [False, True])
@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("id", "0x10"), ("id", "-"), ("id", "1-2"), ("natural", "-1"), ("natural", "0x10"), ("amount", "."),
        ("amount", "1.2.3"), ("amount", "1-2"), ("amount", "-"), ("amount", "1" * 30),
        ("amount", f"0.{'0' * 47}1"), ("amount", f"1.{'0' * 110}9"), ("amount", f"1.{'0' * 39}"),
        ("huge", "1" * 39),
        ("when", "2026+11-01T10:00:00+01:00"), ("when", "2026-11-01T10:00:00+01:60"),
        ("when", "2026-11-01T10:00:00.1234567Z"), ("when", "0000-11-01T10:00:00Z"),
        ("when", "9999-12-31T23:59:59-01:00"), ("day", "0999-11-01"), ("day", "2026-11-01Z"),
        ("id", "+1"), ("id", " 1"), ("id", "9223372036854775808"), ("small", "2147483648"),
        ("when", "2026-11-01 10:00:00Z"), ("when", "2026-11-01T10:00Z"), ("when", "2026-11-01T10:00:00+01"),
        ("when", "2026-11-01T10:00:00-14:59"), ("when", "2026-11-01T24:00:00Z"),
        ("when", "2026-02-30T10:00:00Z"),
        ("when", "2026-11-01T10:00:00"), ("day", " 2026-11-01"), ("day", "2026-11-31"), ("amount", "1E3"),
        ("amount", "1.0000000001"), ("amount", " 1"), ("share", "NaN"), ("final", "True"), ("final", "TRUE"),
    ],
)  # fmt: skip
def test_values_that_pyarrow_reads_differently_are_left_to_the_row_reader(
    write: Write, column: str, text: str, regular: bool
) -> None:
    schema = read(write([HEADER])).schema()
    line = ",".join(row(**{column: text})).encode()
    assert BlockReader(HEADER, KNOWN, schema, regular=regular).read(line) is None


# Texts of the characters that a quick check allows, most of them invalid.
LIKE_NUMBERS = st.one_of(st.text("0123456789-", max_size=6), st.text("019-.", max_size=6), AMOUNTS)
LIKE_MOMENTS = st.one_of(
    st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](Z|[+-][01][0-9]:[0-6][0-9])",
                  fullmatch=True),
    USUAL,
)  # fmt: skip
LIKE = {
    **dict.fromkeys(("id", "small", "amount", "share", "huge", "natural"), LIKE_NUMBERS),
    "when": LIKE_MOMENTS,
    "day": st.one_of(
        st.dates().map(date.isoformat), st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9]", fullmatch=True)
    ),
    "final": st.sampled_from(["true", "0", "2", "t", "yes"]),
}  # fmt: skip


@settings(max_examples=examples(300), deadline=None)
@given(st.data(), st.sampled_from(sorted(LIKE)))
def test_texts_that_pass_a_quick_check_are_read_as_the_row_reader_reads_them(
    data: st.DataObject, column: str
) -> None:
    texts = data.draw(st.lists(LIKE[column], min_size=1, max_size=3))
    rows = [row(**{column: text}) for text in texts]
    reader = RowReader(HEADER, KNOWN, None, "x.csv")
    try:
        wanted = [plain(reader.row(cells, 1)[column]) for cells in rows]
    except ResponseError:
        wanted = []
    lines = "".join(",".join(cells) + "\n" for cells in rows).encode()
    batch = BlockReader(HEADER, KNOWN, schema_for(KNOWN), regular=True).read(lines)
    if batch is not None:
        assert [one[column] for one in of_arrow(pa.Table.from_batches([batch]))] == wanted


@pytest.mark.parametrize("data", [b'"6"x', b'"a,"b', b'"open', b"1,2", b"\xef\xbb\xbfa", b"\xff", b'6" x'])
def test_unusual_single_column_text_is_left_to_the_row_reader(data: bytes) -> None:
    assert BlockReader(["name"], (), pa.schema([("name", pa.string())])).read(data + b"\n") is None


def test_columns_have_the_declared_types(write: Write) -> None:
    schema = read(write([HEADER])).schema()
    assert ", ".join(f"{field.name} {field.type}" for field in schema) == (
        "id int64, small int32, when timestamp[us, tz=UTC], day date32[day], amount decimal128(38, 9), "
        "share decimal128(38, 9), final bool, huge decimal128(38, 0), natural uint64, name string"
    )


def test_known_values_are_read(write: Write) -> None:
    """Values calculated by hand: UTC offsets, cents, leading zeros, empty cells."""
    rows = (
        row(id="9007199254740993", when="2026-11-01T00:30:00+01:00", amount="0.10", name="007"),
        row(when="2026-10-25T02:30:00+02:00", amount="-12345678901234567890.123456789"),
        row(when="2026-10-25T02:30:00+01:00", name="NULL"),
    )
    found = read(write([HEADER, *rows])).to_table().select(["id", "when", "amount", "name"]).to_pylist()
    assert [list(one.values()) for one in found] == [
        [9007199254740993, datetime(2026, 10, 31, 23, 30, tzinfo=UTC), Decimal("0.10"), "007"],
        [None, datetime(2026, 10, 25, 0, 30, tzinfo=UTC), Decimal("-12345678901234567890.123456789"), None],
        [None, datetime(2026, 10, 25, 1, 30, tzinfo=UTC), None, "NULL"],
    ]


def test_naive_times_are_read_in_the_given_zone(write: Write) -> None:
    path = write([HEADER, row(when="2026-11-01T10:00:00"), row(when="2026-11-01T10:00:00Z")])
    hours = [one["when"].hour for one in read(path, naive_zone=BERLIN).to_table().to_pylist()]
    assert hours == [9, 10]


@pytest.mark.exhaustive
def test_pandas_and_polars_frames_are_equal(write: Write) -> None:
    import pandas
    import polars

    cells = row(id="9007199254740993", when="2026-11-01T10:00:00+01:00", amount="0.10", final="1", name="a")
    file = read(write([HEADER, cells, row()]))
    wanted = file.to_table().to_pylist()
    assert file.to_polars().to_dicts() == wanted
    frame = file.to_pandas()
    records = frame.to_dict("records")
    assert [{k: None if pandas.isna(v) else v for k, v in one.items()} for one in records] == wanted
    assert str(frame["id"].dtype) == "int64[pyarrow]"
    assert polars.read_parquet(file.to_parquet(file.path.with_suffix(".parquet")).path).to_dicts() == wanted


def test_empty_file_has_the_columns(write: Write) -> None:
    file = read(write([HEADER]))
    assert list(file.batches()) == []
    assert file.to_table().schema == file.schema()
    nothing = read(write([]))
    assert nothing.to_table().num_rows == 0
    assert nothing.schema().names == list(HEADER)
    done = nothing.to_parquet(nothing.path.with_suffix(".parquet"))
    assert (done.rows, pq.read_table(done.path).column_names) == (0, list(HEADER))


@pytest.fixture(params=["\n", "\r\n", "\r"])
def line_end(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.sampled(2)
def test_line_ends_blank_lines_and_byte_order_marks_are_read_like_rows(pack: Pack, line_end: str) -> None:
    text = '\ufeff\nid,name\n1,a\n\n\n2,"x\ny"\n3,\ufeffz\n' + "4,b\n" * 2000 + "\n" * 200 + "5,last"
    path = pack(text.replace("\n", line_end).encode())
    file = ExportFile.open(path, report_type="x", known=ID_AND_NAME)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "_BLOCK", 50)
        assert file.to_table().to_pylist() == list(file.rows())


@pytest.mark.exhaustive
def test_blocks_recover_after_bare_quotes(pack: Pack) -> None:
    """With bare quotes, counting quotes cuts in the wrong places. Reading must detect this."""
    lines = "id,name\n" + '1,6" pipe\n2,"two\nlines"\n3,x"y\n' * 300
    file = ExportFile.open(pack(lines.encode()), report_type="x", known=ID_AND_NAME)
    with pytest.MonkeyPatch.context() as patch:
        for block in range(20, 60):
            patch.setattr(arrow, "_BLOCK", block)
            assert file.to_table().to_pylist() == list(file.rows())


@pytest.mark.exhaustive
def test_an_abandoned_iterator_leaves_no_thread(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "_BLOCK", 1 << 17)
    file = read(write([HEADER, *[row(id=str(number), name="x" * 50) for number in range(40_000)]]))
    before = set(threading.enumerate())
    batches: Iterator[pa.RecordBatch] = file.batches(10)
    assert next(batches).num_rows == 10
    assert set(threading.enumerate()) - before != set()
    del batches
    assert set(threading.enumerate()) - before == set()


def test_a_file_of_one_block_is_read_without_threads(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    file = read(write([HEADER, *[row(id=str(number)) for number in range(50)]]))
    refused = Mock(side_effect=AssertionError("a thread was started"))
    monkeypatch.setattr(threading.Thread, "start", refused)
    assert file.to_table().to_pylist() == list(file.rows())
