from __future__ import annotations

import gzip
import logging
import pickle
import sys
import tempfile
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.errors import ColumnDrift, ConfigError, ExportError, ResponseError
from soapclient.runtime.settings import Column
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.formats.gzip_csv import records
from tests.tracking.exports.conftest import Pack, Write, build_csv, columns

BERLIN = timezone(timedelta(hours=1))
KNOWN = columns("id long, when dateTime, day date, amount decimal, share double, final boolean, name string")
HEADER = [column.name for column in KNOWN]


@pytest.fixture(params=["isal", "gzip"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpack with isal, and as if isal were not installed."""
    if request.param == "isal":
        pytest.importorskip("isal")
    else:
        monkeypatch.setitem(sys.modules, "isal", None)


def read(path: Path, **more: object) -> ExportFile:
    # passed through
    return ExportFile.open(path, report_type="click", known=KNOWN, **more)  # type: ignore[arg-type]


@pytest.mark.usefixtures("library")
def test_cells_become_values_of_their_column_types(write: Write) -> None:
    when, text = "2026-11-01T10:00:00+01:00", 'Äpfel, "x"\ny'
    cells = ["9000000000", when, "2026-11-01", "0.10", "1E-3", "true", text]
    file = read(write([HEADER, cells, ["-1", "", "", "", "INF", "0", ""]]))
    first, second = file.rows()
    assert first == {
        "id": 9_000_000_000,
        "when": datetime(2026, 11, 1, 10, tzinfo=BERLIN),
        "day": date(2026, 11, 1),
        "amount": Decimal("0.10"),
        "share": Decimal("0.001"),
        "final": True,
        "name": text,
    }
    assert str(first["amount"]) == "0.10"
    assert second == dict.fromkeys(HEADER) | {"id": -1, "share": Decimal("Infinity"), "final": False}
    assert (file.row_count, file.columns, len(list(file))) == (2, tuple(HEADER), 2)


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=3, max_size=3)))
def test_raw_rows_equal_those_of_the_csv_module(rows: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.gz"
        path.write_bytes(gzip.compress(build_csv([["a", "b", "c"], *rows])))
        file = ExportFile.open(path, report_type="none")
        assert list(file.raw_rows()) == rows
        assert file.row_count == len(rows)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("id", "1_000"),
        ("id", "7.0"),
        ("id", "9223372036854775808"),
        ("id", "٣"),
        ("when", "2026-11-01"),
        ("when", "2026-11-01T10:00:00"),  # no UTC offset, and no zone is set
        ("when", "2026-13-01T10:00:00Z"),
        ("day", "01.11.2026"),
        ("amount", "0,10"),
        ("amount", "1E3"),
        ("amount", "NaN"),
        ("share", "infinity"),
        ("final", "yes"),
    ],
)
def test_invalid_cell_is_an_error_with_line_and_column(write: Write, column: str, text: str) -> None:
    blank = dict.fromkeys(HEADER, "")
    good = list({**blank, "id": "1", "name": "two\nlines"}.values())
    bad = list({**blank, column: text}.values())
    rows = read(write([HEADER, good, bad])).rows()
    assert next(rows)["name"] == "two\nlines"
    with pytest.raises(ResponseError) as caught:
        next(rows)
    assert caught.value.path == f"x.csv.gz line 4/{column}"
    assert text in str(caught.value)


def test_zone_can_be_given_for_naive_times(write: Write, caplog: pytest.LogCaptureFixture) -> None:
    cells = ["1", "2026-11-01T10:00:00", "", "", "", "", ""]
    file = read(write([HEADER, cells, cells]), naive_zone=BERLIN)
    with caplog.at_level(logging.WARNING):
        assert [row["when"] for row in file] == [datetime(2026, 11, 1, 10, tzinfo=BERLIN)] * 2
    assert len(caplog.records) == 1


@pytest.mark.parametrize(("cells", "found"), [(["1"], "1 cells"), (["1"] * 8, "8 cells")])
def test_a_row_of_another_length_is_an_error_with_its_line(
    write: Write, cells: list[str], found: str
) -> None:
    file = read(write([HEADER, [""] * 7, cells]))
    with pytest.raises(ResponseError, match=f"line 3 is '{found}', expected 7 cells, one per column"):
        list(file)
    assert list(file.raw_rows()) == [[""] * 7, cells]


def test_invalid_csv_or_utf8_is_an_error_with_its_line(pack: Pack) -> None:
    for lines, said in (
        (b'1,"a"b\n', "line 2"),
        (b"1," + b"x" * 200_000 + b"\n", "field larger"),
        (b"1,a\n" * 5000 + b"1,\xe4\n", "UTF-8"),
    ):
        with pytest.raises(ResponseError, match=said):
            list(read(pack(b"id,name\n" + lines)))


@pytest.mark.exhaustive
@pytest.mark.usefixtures("library")
def test_a_file_damaged_after_it_was_opened_is_an_error(write: Write) -> None:
    path = write([HEADER, *[[str(number), *[""] * 6] for number in range(50_000)]])
    file = read(path)
    whole = path.read_bytes()
    for damaged in (whole[:-4], whole[:-8] + bytes(8)):
        path.write_bytes(damaged)
        with pytest.raises(ExportError, match="damaged"):
            list(file.rows())


def test_only_complete_gzip_files_are_opened(write: Write, tmp_path: Path) -> None:
    path = write([HEADER])
    for content, said in ((path.read_bytes()[:-1], "truncated"), (b"id\n1\n", "not a gzip file")):
        path.write_bytes(content)
        with pytest.raises(ExportError, match=said):
            read(path)
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "nowhere.gz")


def test_byte_order_mark_is_not_part_of_a_name(pack: Pack) -> None:
    file = read(pack('\ufeff"id",name\r\n1,a'.encode()))
    assert file.columns == ("id", "name")
    assert list(file) == [{"id": 1, "name": "a"}]


@pytest.mark.parametrize("content", [b"\xef", b"\xef\xbb", b"\xef\xbbid\n1\n"])
def test_partial_byte_order_mark_is_not_an_empty_file(pack: Pack, content: bytes) -> None:
    """Python's utf-8-sig decodes an incomplete byte order mark to an empty string."""
    with pytest.raises(ResponseError, match=r"expected text in UTF-8"):
        list(read(pack(content)).raw_rows())


def test_file_with_only_a_byte_order_mark_is_empty(pack: Pack) -> None:
    assert list(read(pack(b"\xef\xbb\xbf")).raw_rows()) == []


def test_duplicate_column_is_an_error(write: Write) -> None:
    file = read(write([["id", "id"], ["1", "2"]]))
    with pytest.raises(ResponseError, match="'id', expected unique column names"):
        list(file)
    assert list(file.raw_rows()) == [["1", "2"]]


def test_columns_are_found_by_name_and_differences_reported_once(
    write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[ColumnDrift] = []
    path = write([["name", "extra", "id"], ["a", "007", "7"]])
    with caplog.at_level(logging.WARNING):
        file = read(path, on_drift=told.append)
        assert list(file) == [{"name": "a", "extra": "007", "id": 7}] == list(file)
    assert told == [ColumnDrift("click", ("when", "day", "amount", "share", "final"), ("extra",), True)]
    assert len(caplog.records) == 1


@pytest.mark.parametrize("header", [HEADER, ["anything"]])
def test_no_difference_is_reported_for_contract_columns(write: Write, header: list[str]) -> None:
    known = KNOWN if header == HEADER else ()
    assert ExportFile.open(write([header]), report_type="x", known=known).drift() is None


def test_packaged_contract_columns_are_the_default(write: Write) -> None:
    file = ExportFile.open(write([["clickId", "commission"], ["5", "0.05"]]), report_type="click")
    assert list(file) == [{"clickId": 5, "commission": Decimal("0.05")}]
    unknown = ExportFile.open(write([["clickId"], ["5"]]), report_type="bonus")
    assert list(unknown) == [{"clickId": "5"}]


def test_invalid_column_type_is_a_config_error(write: Write) -> None:
    file = ExportFile.open(write([["id"], ["1"]]), report_type="x", known=(Column("id", "xsd:lnog"),))
    with pytest.raises(ConfigError, match="xsd:lnog"):
        list(file)


def test_a_file_can_be_pickled_and_read_elsewhere(write: Write) -> None:
    file = read(write([HEADER, ["1", *[""] * 6]]))
    again = pickle.loads(pickle.dumps(file))
    assert again == file
    assert [row["id"] for row in again] == [1]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (b'id,size,ok\n1,1,5" tv,y\n2,x,y\n3,2" pipe,y\n', 3),  # an even number of quotes
        (b'id\n"a\nb"\nc"d\n"e\nf"\n', 3),
        (b'\xef\xbb\xbf"id"\n"a""\n"\n', 1),
        (b"\n\nid\n\n1\n\n\n", 1),
        (b"id\r\n\r\n1\r\n", 1),
    ],
)
def test_rows_are_counted_like_they_are_read(pack: Pack, tmp_path: Path, text: bytes, rows: int) -> None:
    file = ExportFile.open(pack(text), report_type="none")
    assert len(list(file.raw_rows())) == file.row_count == rows
    assert file.to_csv(tmp_path / "x.csv").rows == rows


@given(st.text(alphabet='ab,"\r\n ', max_size=60))
def test_any_readable_text_is_counted_correctly(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.gz"
        path.write_bytes(gzip.compress(text.encode()))
        try:
            file = ExportFile.open(path, report_type="none")
            rows = list(file.raw_rows())
        except ResponseError:
            return
        assert file.row_count == len(rows)


def test_blank_lines_are_not_records(pack: Pack) -> None:
    assert list(records(pack(b"id\n\n1\n\n"))) == [(1, ["id"]), (3, ["1"])]
