"""Files that are written, errors, and their messages."""

from __future__ import annotations

import gzip
import hashlib
import io
import pickle
import sys
import threading
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from soapclient._support.part_file import NewFile
from soapclient.errors import ColumnDrift, ColumnsDiffer, ConfigError, ExportError, ResponseError
from soapclient.runtime.settings import Column
from soapclient.tracking.exports.formats import arrow
from soapclient.tracking.exports.formats.arrow import schema_for
from soapclient.tracking.exports.formats.export_file import ExportFile
from tests.tracking.exports.conftest import Pack, Write, columns
from zxws.data.service import PACKAGE

CLICK = PACKAGE.settings.columns["click"]
HEADER = [column.name for column in CLICK]
KNOWN = columns("id long, when dateTime, amount decimal, huge integer, share double, name string")

Open = Callable[..., ExportFile]


@pytest.fixture
def opened(write: Write) -> Open:
    return lambda rows, known=None: ExportFile.open(write(rows), report_type="click", known=known)


def click(**cells: str) -> list[str]:
    return [cells.get(name, "") for name in HEADER]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ---- the files


def test_csv_equals_the_uncompressed_bytes(opened: Open, tmp_path: Path) -> None:
    file = opened([HEADER, click(clickId="1", referrer='"x"\ny')] * 3)
    done = file.to_csv(tmp_path / "x.csv")
    content = done.path.read_bytes()
    assert content == gzip.decompress(file.path.read_bytes())
    assert (done.rows, done.size, done.sha256) == (5, len(content), hashlib.sha256(content).hexdigest())
    assert names_in(tmp_path) == ["x.csv", "x.csv.gz"]


def test_parquet_metadata_has_source_and_counts(opened: Open, tmp_path: Path) -> None:
    file = opened([HEADER, click(clickId="1", clickDate="2026-11-01T10:00:00+01:00", commission="0.05")])
    done = file.to_parquet(str(tmp_path / "x.parquet"))
    content = done.path.read_bytes()
    assert (done.rows, done.size, done.sha256) == (1, len(content), hashlib.sha256(content).hexdigest())
    assert names_in(tmp_path) == ["x.csv.gz", "x.parquet"]
    found = pq.ParquetFile(done.path)
    said = found.schema_arrow.metadata
    assert said[b"soapclient.source_sha256"].decode() == hashlib.sha256(file.path.read_bytes()).hexdigest()
    assert said[b"soapclient.report_type"] == b"click"
    assert said[b"soapclient.contract_sha256"].decode() == PACKAGE.settings.sha256
    assert found.metadata.row_group(0).column(0).compression == "ZSTD"
    assert found.schema_arrow.names == HEADER


def test_contract_is_named_only_if_the_columns_match_it(opened: Open, tmp_path: Path) -> None:
    file = opened([["id"], ["1"]], (Column("id", "xsd:int"),))
    found = pq.read_schema(file.to_parquet(tmp_path / "x.parquet").path)
    assert sorted(found.metadata) == [b"soapclient.report_type", b"soapclient.source_sha256"]


def test_row_groups_are_bounded(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soapclient.tracking.exports.formats.arrow.GROUP", 1000)
    file = opened([["id", "name"], *[[str(number), "x" * 20] for number in range(2500)]], KNOWN)
    found = pq.ParquetFile(file.to_parquet(tmp_path / "x.parquet").path).metadata
    assert [found.row_group(at).num_rows for at in range(found.num_row_groups)] == [1000, 1000, 500]


def test_file_truncated_while_reading_is_reported(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "_BLOCK", 4096)
    file = opened([["id"], *[[str(number)] for number in range(20_000)], ["no number"]], KNOWN)
    batches = file.batches(10)
    next(batches)
    shorter = file.path.with_suffix(".new")
    shorter.write_bytes(gzip.compress(b"id\n1\n"))
    shorter.replace(file.path)  # the open file stays readable; the bad cell reopens it by name
    caught: list[Exception] = []

    def read_on() -> None:
        try:
            deque(batches, maxlen=0)
        except ExportError as error:
            caught.append(error)

    reader = threading.Thread(target=read_on, daemon=True)
    reader.start()
    reader.join(30)
    assert not reader.is_alive()
    assert "changed after it was verified" in str(caught[0])


@pytest.mark.exhaustive
@pytest.mark.parametrize("sink", ["to_csv", "to_parquet"])
def test_incomplete_file_gets_no_name(opened: Open, tmp_path: Path, sink: str) -> None:
    rows = [["id", "name"], *[[str(number), f"n{number}"] for number in range(60_000)]]
    file = opened(rows, KNOWN)
    whole = file.path.read_bytes()
    target = tmp_path / "out"
    target.write_bytes(b"earlier")
    for damaged in (whole[:-4], whole[:-8] + bytes(8), whole[: len(whole) // 2]):
        file.path.write_bytes(damaged)
        with pytest.raises(ExportError, match="damaged"):
            getattr(file, sink)(target)
    other = [*rows[:-1], ["60000", "other"]]
    opened(other, KNOWN)
    with pytest.raises(ExportError, match="changed after it was verified"):
        getattr(file, sink)(target)
    assert target.read_bytes() == b"earlier"
    assert names_in(tmp_path) == ["out", "x.csv.gz"]


def test_buffer_of_an_abandoned_file_writes_nothing(tmp_path: Path) -> None:
    """Since Python 3.13 errors during the collection of a buffer are reported."""
    with NewFile(tmp_path / "out", tmp_path / "source") as target:
        buffered = io.BufferedWriter(target)  # type: ignore[type-var]  # its `write` accepts more types
        buffered.write(b"begun")
    buffered.close()
    assert target.closed
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("sink", ["to_csv", "to_parquet"])
def test_export_file_is_never_overwritten_nor_an_invalid_name_used(opened: Open, sink: str) -> None:
    file = opened([HEADER])
    before = file.path.read_bytes()
    with pytest.raises(ValueError, match="it is the file being read"):
        getattr(file, sink)(file.path.parent / "." / file.path.name)
    assert file.path.read_bytes() == before
    with pytest.raises(IsADirectoryError):
        getattr(file, sink)(file.path.parent)
    with pytest.raises(OSError, match="not a valid file name"):
        getattr(file, sink)(file.path.with_name("nul\0"))


# ---- bad cells


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("column", "text", "expected"),
    [
        ("id", "0x10", "a whole number from"),
        ("id", "9223372036854775808", "a whole number from"),
        ("when", "2026-11-01T10:00:00", "a date-time with a zone"),
        ("when", "2026-11-01 10:00:00Z", "a date-time with a zone"),
        ("amount", "1E3", "a decimal number"),
        ("amount", "0.1234567891", "29 digits before the decimal point and 9 after"),
        ("amount", "1" + "0" * 29, "29 digits before the decimal point and 9 after"),
        ("share", "INF", "29 digits before the decimal point and 9 after"),
        ("share", "1E-10", "29 digits before the decimal point and 9 after"),
        ("share", "1E+999999999", "29 digits before the decimal point and 9 after"),
        ("huge", "1" + "0" * 38, "38 digits before the decimal point and 0 after"),
    ],
)
@pytest.mark.parametrize("before", [0, 3000])
def test_invalid_cell_error_has_line_column_and_value(
    opened: Open, monkeypatch: pytest.MonkeyPatch, column: str, text: str, expected: str, before: int
) -> None:
    monkeypatch.setattr(arrow, "_BLOCK", 4096)
    names = [one.name for one in KNOWN]
    good = [{"id": "1", "name": "two\nlines"}.get(name, "") for name in names]
    bad = [text if name == column else "" for name in names]
    file = opened([names, *[good] * before, bad, good], KNOWN)
    with pytest.raises(ResponseError) as caught:
        file.to_parquet(file.path.with_suffix(".parquet"))
    assert caught.value.path == f"x.csv.gz line {2 + 2 * before}/{column}"
    assert text[:20] in str(caught.value)
    assert expected in caught.value.expected
    assert names_in(file.path.parent) == ["x.csv.gz"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b"id,name\n1,a\n2\n", "line 3"),
        (b'id,name\n1,a\n2,"6"x\n3,c\n', "line 3"),
        (b'id,name\n1,a\n2,"open\n', "line "),
        (b"id,name\n1,a\n2,\xe4\n", "UTF-8"),
        (b"id,name\n1," + b"x" * 140_000 + b"\n", "field larger"),
    ],
)
def test_batches_refuse_what_rows_refuse(pack: Pack, text: bytes, where: str) -> None:
    path = pack(text)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    # Not `ExportFile.open`: it reads files with odd quotes and would refuse this one first.
    file = ExportFile(path, "x", ("id", "name"), 0, 0, sha256, (Column("id", "xsd:int"),))
    with pytest.raises(ResponseError, match=where) as by_rows:
        list(file.rows())
    with pytest.raises(ResponseError) as by_batches:
        list(file.batches())
    assert by_batches.value.path.startswith("x.csv.gz ")
    if where != "UTF-8":  # text is decoded ahead of the current record, so the line number may differ
        assert str(by_batches.value) == str(by_rows.value)
    assert by_batches.value.value == by_rows.value.value


def test_insignificant_zeros_do_not_exceed_the_digits(opened: Open) -> None:
    file = opened([["amount"], ["0.10000000000000"], ["000000000000000000000000000000000000001.5"]], KNOWN)
    assert file.to_table()["amount"].to_pylist() == [Decimal("0.1"), Decimal("1.5")]


def test_duplicate_column_is_an_error(opened: Open) -> None:
    with pytest.raises(ResponseError, match="unique column names"):
        list(opened([["id", "id"], ["1", "2"]], KNOWN).batches())


def test_batch_size_of_zero_is_refused_at_once(opened: Open) -> None:
    with pytest.raises(ValueError, match="rows must be 1 or more"):
        opened([HEADER]).batches(0)


# ---- other columns than the contract's


def test_missing_columns_are_null_and_new_columns_are_last(opened: Open) -> None:
    file = opened([["extra", "commission", "clickId"], ["007", "0.05", "7"]])
    table = file.to_table()
    assert table.schema.names == [*HEADER, "extra"]
    assert table.schema == schema_for(CLICK, ["extra"])
    cells = {"clickId": 7, "commission": Decimal("0.05"), "extra": "007"}
    assert table.to_pylist() == [dict.fromkeys(HEADER) | cells]


@pytest.mark.parametrize(
    ("header", "drift", "said"),
    [
        (HEADER[:-1], ColumnDrift("click", ("zpar1",), (), False), "missing: 'zpar1'"),
        ([*HEADER, "new"], ColumnDrift("click", (), ("new",), False), "added: 'new'"),
        (HEADER[::-1], ColumnDrift("click", (), (), True), "in another order"),
    ],
)
def test_other_columns_can_be_refused(
    opened: Open, tmp_path: Path, header: list[str], drift: ColumnDrift, said: str
) -> None:
    file = opened([header, ["1"] * len(header)])
    calls: list[Callable[[], object]] = [
        lambda: file.batches(on_drift="error"),
        lambda: file.to_parquet(tmp_path / "x.parquet", on_drift="error"),
        lambda: file.to_table(on_drift="error"),
        lambda: ExportFile.open(file.path, report_type="click", on_drift="error"),
    ]
    for call in calls:
        with pytest.raises(ColumnsDiffer) as caught:
            call()
        assert caught.value.drift == drift
        assert said in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.drift, str(again)) == (drift, str(caught.value))
    assert names_in(tmp_path) == ["x.csv.gz"]
    with pytest.raises(ValueError, match="'eror'"):
        file.batches(on_drift="eror")  # type: ignore[arg-type]  # a typo must not mean "report"


@pytest.mark.exhaustive
@pytest.mark.parametrize("method", ["to_pandas", "to_polars"])
def test_other_columns_can_be_refused_for_frames(opened: Open, method: str) -> None:
    file = opened([[*HEADER, "new"], ["1"] * (len(HEADER) + 1)])
    with pytest.raises(ColumnsDiffer, match="added: 'new'"):
        getattr(file, method)(on_drift="error")


# ---- without the libraries


@pytest.mark.parametrize(
    ("library", "method", "advice"),
    [
        ("pyarrow", "to_parquet", "soapclient[arrow]"),
        ("pyarrow", "batches", "soapclient[arrow]"),
        ("pyarrow", "schema", "soapclient[arrow]"),
        ("pandas", "to_pandas", "pip install pandas"),
        ("polars", "to_polars", "pip install polars"),
    ],
)
def test_missing_library_error_says_what_to_install(
    opened: Open, monkeypatch: pytest.MonkeyPatch, library: str, method: str, advice: str
) -> None:
    file = opened([HEADER])
    for name in list(sys.modules):
        if name.startswith("soapclient.tracking.exports.formats.arrow"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ConfigError) as caught:
        getattr(file, method)(*(["x.parquet"] if method == "to_parquet" else []))
    assert caught.value.setting == library
    assert advice in str(caught.value)


@pytest.mark.exhaustive
def test_mostly_unique_values_get_no_dictionary(opened: Open, tmp_path: Path) -> None:
    rows = 40_000
    clicks = [{"clickId": number, "programName": f"p{number % 7}"} for number in range(rows)]
    file = opened([HEADER, *[click(**{name: str(cell) for name, cell in one.items()}) for one in clicks]])
    file.to_parquet(tmp_path / "x.parquet")
    found = pq.ParquetFile(tmp_path / "x.parquet")
    groups = [found.metadata.row_group(at) for at in range(found.metadata.num_row_groups)]
    assert sum(group.num_rows for group in groups) == rows
    assert len(groups) == 2  # at most one of them is in memory
    for group in groups:
        chunks = [group.column(at) for at in range(len(CLICK))]
        kept = {chunk.path_in_schema: chunk.has_dictionary_page for chunk in chunks}
        assert not kept["clickId"]
        assert kept["programName"]
    assert found.read(["clickId", "programName"]).to_pylist() == clicks
