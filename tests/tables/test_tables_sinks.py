"""Sales of the sandbox as tables and files, read by other libraries and compared with their XML."""

from __future__ import annotations

import csv
import datetime as dt
import errno
import gc
import hashlib
import io
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import duckdb
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from soapclient import Client
from soapclient._support.part_file import Written
from soapclient.errors import ConfigError, ExportError
from soapclient.runtime import ItemPages
from soapclient.tables import TableError, rows_of
from soapclient.tables.columns import Layout, Shape, TableColumn
from soapclient.tables.excel import write_excel
from soapclient.tables.libraries import needs
from soapclient.tables.sinks import write_csv
from soapclient.tables.source import Parts, Source
from soapclient.tables.tabular import TableMethods
from tests.stage import Stage
from zxws.publisher.types import SaleItem

if TYPE_CHECKING:
    from tests.tables.conftest import Read, Sale

DAY = dt.date(2026, 11, 1)


@pytest.fixture(scope="module")
def client(stage: Stage) -> Client:
    return stage.client()


@pytest.fixture(scope="module")
def expected(read_sales: Read) -> list[Sale]:
    found = read_sales(DAY)
    assert len(found) == 96  # as in the sandbox's own tests
    return found


def sales(client: Client, **more: Any) -> ItemPages[SaleItem]:
    return client.publisher.iterate.get_sales(**{"date": DAY, "date_type": "trackingDate", **more})


def as_read(row: dict[str, Any]) -> Sale:
    """Return a row of a table in the form of the independent reader."""
    return {
        "id": row["id"],
        "review_state": row["review_state"],
        "tracking_date": row["tracking_date"],
        "program_id": str(row["program_id"]),
        "program_value": row["program_value"],
        "commission": row["commission"],
        "currency": row["currency"],
        "review_note": row["review_note"],
        "gpps": ";".join(f"{gpp['id']}={gpp['value']}" for gpp in row["gpps"] or ()),
    }


def exact(sales: list[Sale]) -> list[dict[str, object]]:
    """Convert the texts of the XML to values: an instant, an exact number."""
    return [
        {
            **sale,
            "tracking_date": dt.datetime.fromisoformat(sale["tracking_date"] or ""),
            "commission": Decimal(sale["commission"] or ""),
        }
        for sale in sales
    ]


def in_berlin(sale: Sale) -> dt.datetime:
    return dt.datetime.fromisoformat(sale["tracking_date"] or "").astimezone(ZoneInfo("Europe/Berlin"))


@pytest.mark.exhaustive
def test_arrow_table_equals_the_xml(client: Client, expected: list[Sale]) -> None:
    table = sales(client, items=7).to_arrow()
    assert [as_read(row) for row in table.to_pylist()] == exact(expected)
    assert table.schema == sales(client).schema()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("settings", [{}, {"protocol": "rest"}, {"stream_above": 1}])
def test_stream_becomes_the_same_table(stage: Stage, expected: list[Sale], settings: dict[str, Any]) -> None:
    over = stage.client(**({"publisher_protocol": "rest"} if "protocol" in settings else settings))
    with over.publisher.stream.get_sales(date=DAY, date_type="trackingDate", items=50) as stream:
        first = next(stream)
        table = stream.to_arrow()
    assert [first.id, *table["id"].to_pylist()] == [sale["id"] for sale in expected[:50]]
    with over.publisher.stream.get_sales(date=DAY, date_type="trackingDate", page=9) as stream:
        assert stream.to_arrow().schema == table.schema


def test_response_becomes_the_same_table(client: Client, expected: list[Sale]) -> None:
    response = client.publisher.get_sales(date=DAY, date_type="trackingDate", items=50)
    rows = rows_of(response)
    assert len(rows) == len(list(rows)) == 50
    assert [as_read(row) for row in rows.to_arrow().to_pylist()] == exact(expected[:50])
    (sale,) = rows_of(client.publisher.get_sale(sale_id=str(expected[0]["id"]))).to_arrow().to_pylist()
    assert (sale["sale_item_id"], sale["sale_item_currency"]) == (expected[0]["id"], expected[0]["currency"])
    with pytest.raises(ConfigError, match="response: 3 is not a value of a generated package"):
        rows_of(3)


@pytest.mark.exhaustive
def test_pandas_has_exact_types(client: Client, expected: list[Sale]) -> None:
    import pandas as pd

    frame = sales(client).to_pandas(zone="Europe/Berlin")
    assert frame["review_state"].dtype == "category"
    assert frame["commission"].dtype == pd.ArrowDtype(pa.decimal128(38, 9))
    assert frame["commission"].sum() == sum(Decimal(sale["commission"] or "") for sale in expected)
    assert set(frame["tracking_date"].dt.date) == {DAY}  # a report day, in Berlin's time
    empty = sales(client, page=9).to_pandas()
    assert (len(empty), empty.dtypes.equals(frame.dtypes)) == (0, False)  # another zone
    frame = sales(client).to_pandas()
    assert empty.dtypes.equals(frame.dtypes)
    assert pd.concat([empty, frame]).dtypes.equals(frame.dtypes)


@pytest.mark.exhaustive
def test_polars_has_exact_types(client: Client, expected: list[Sale]) -> None:
    import polars as pl

    frame = sales(client).to_polars()
    assert frame.schema["commission"] == pl.Decimal(38, 9)
    assert frame.schema["tracking_date"] == pl.Datetime("us", "UTC")
    assert frame["commission"].to_list() == [Decimal(sale["commission"] or "") for sale in expected]
    assert frame["review_state"].to_list() == [sale["review_state"] for sale in expected]


def check_written(written: Written, path: Path, rows: int) -> None:
    content = path.read_bytes()
    assert written == Written(path, rows, len(content), hashlib.sha256(content).hexdigest())
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_duckdb_reads_the_parquet_file(client: Client, expected: list[Sale], tmp_path: Path) -> None:
    path = tmp_path / "sales.parquet"
    check_written(sales(client).to_parquet(path), path, 96)
    query = f"select id, review_state, commission, epoch_us(tracking_date), program_id from '{path}'"
    micro = dt.timedelta(microseconds=1)
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    assert duckdb.execute(query).fetchall() == [
        (
            row["id"],
            row["review_state"],
            row["commission"],
            (row["tracking_date"] - epoch) // micro,  # type: ignore[operator]  # a datetime
            int(str(row["program_id"])),
        )
        for row in exact(expected)
    ]
    assert pq.read_schema(path).remove_metadata() == sales(client).schema().remove_metadata()


def test_csv_contains_every_value(client: Client, expected: list[Sale], tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    check_written(sales(client).to_csv(path, zone="Europe/Berlin"), path, 96)
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))
    found = []
    for row in rows:
        cells = {key: value or None for key, value in row.items()}
        found.append(as_read({**cells, "gpps": json.loads(row["gpps"] or "[]")}))
    assert found == [
        {
            **sale,
            "tracking_date": in_berlin(sale).isoformat(),
            "commission": str(Decimal(sale["commission"] or "").normalize()),
        }
        for sale in expected
    ]


@pytest.mark.exhaustive
def test_excel_has_local_times_and_names_the_zone(
    client: Client, expected: list[Sale], tmp_path: Path
) -> None:
    path = tmp_path / "sales.xlsx"
    check_written(sales(client).to_excel(path, zone="Europe/Berlin"), path, 96)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["GetSales"]
    header, *rows = book["GetSales"].iter_rows(values_only=True)
    named = [dict(zip(header, row, strict=True)) for row in rows]
    local = [in_berlin(sale).replace(tzinfo=None) for sale in expected]
    assert [row["tracking_date (Europe/Berlin)"] for row in named] == local
    assert [row["commission"] for row in named] == [float(sale["commission"] or "") for sale in expected]
    assert [row["program_value"] for row in named] == [sale["program_value"] for sale in expected]
    again = tmp_path / "again.xlsx"
    repeated = sales(client).to_excel(again, zone="Europe/Berlin")
    assert repeated.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def batch(**columns: pa.Array[Any]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


LONGER = Decimal("1234567890123.456")
INNER = '[{"a":"1.5","b":null}]'
ODD: dict[str, tuple[pa.Array[Any], object, str]] = {
    # the value of the column, the cell in Excel, the cell in CSV
    "formula": (pa.array(["=1+1"]), "=1+1", "=1+1"),
    "address": (pa.array(["https://a.example"]), "https://a.example", "https://a.example"),
    "digits": (pa.array(["007"]), "007", "007"),
    "long": (pa.array([9007199254740993]), "9007199254740993", "9007199254740993"),
    "round": (pa.array([10**18]), 10**18, "1000000000000000000"),
    "exact": (pa.array([Decimal("0.1")], pa.decimal128(38, 9)), 0.1, "0.1"),
    "longer": (pa.array([LONGER], pa.decimal128(38, 9)), str(LONGER), str(LONGER)),
    "zero": (pa.array([Decimal("-0.000")], pa.decimal128(38, 9)), 0, "0"),
    "truth": (pa.array([True]), True, "true"),
    "day": (pa.array([dt.date(2026, 11, 1)]), dt.datetime(2026, 11, 1), "2026-11-01"),
    "early": (pa.array([dt.date(1899, 12, 31)]), "1899-12-31", "1899-12-31"),
    "leap": (pa.array([dt.date(1900, 2, 28)]), "1900-02-28", "1900-02-28"),
    "bytes": (pa.array([b"\x00\xff"]), "AP8=", "AP8="),
    "inner": (pa.array([[{"a": Decimal("1.5"), "b": None}]]), INNER, INNER),
    "endless": (pa.array([float("inf")]), "inf", "inf"),
    "binary": (pa.array([0.1 + 0.2]), "0.30000000000000004", "0.30000000000000004"),
    "halves": (pa.array([123456789.5]), 123456789.5, "123456789.5"),
    "quotes": (pa.array(['a "b", c\nd']), 'a "b", c\nd', 'a "b", c\nd'),
    "none": (pa.array([None], pa.string()), None, ""),
}  # fmt: skip


def test_odd_values_are_written_without_loss(tmp_path: Path) -> None:
    whole = batch(**{name: value for name, (value, _, _) in ODD.items()})
    write_excel("Odd", whole.schema, [whole], tmp_path / "odd.xlsx")
    header, row = openpyxl.load_workbook(tmp_path / "odd.xlsx")["Odd"].iter_rows()
    assert [cell.value for cell in header] == list(ODD)
    assert [cell.value for cell in row] == [cell for _, cell, _ in ODD.values()]
    assert {cell.data_type for cell in row} <= {"s", "n", "d", "b"}  # none is a formula
    write_csv("Odd", whole.schema, [whole], tmp_path / "odd.csv")
    with (tmp_path / "odd.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.DictReader(file)) == [{name: text for name, (_, _, text) in ODD.items()}]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"a": pa.array(["x" * 32_768])}, "Big: a of row 1 is 'xxx"),
        pytest.param(
            {"a": pa.nulls(1_048_576, pa.string())},
            "Big: the table has 1048576, expected at most 1,048,575 rows",
            marks=pytest.mark.exhaustive,
        ),
        (
            {f"c{number}": pa.array([], pa.string()) for number in range(16_385)},
            "Big: the table has 16385, expected at most 16,384 columns",
        ),
    ],
)
def test_table_too_large_for_excel_leaves_no_file(
    tmp_path: Path, columns: dict[str, pa.Array[Any]], said: str
) -> None:
    whole = batch(**columns)
    with pytest.raises(TableError) as raised:
        write_excel("Big", whole.schema, [whole], tmp_path / "big.xlsx")
    assert str(raised.value).startswith(said)
    assert list(tmp_path.iterdir()) == []


def test_rows_for_excel_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soapclient.tables.excel._MOST_ROWS", 2)
    full = batch(a=pa.array(["x", "y"]))
    write_excel("Full", full.schema, [full], tmp_path / "full.xlsx")
    with pytest.raises(TableError, match="the table has 3, expected at most 2 rows"):
        write_excel("Big", full.schema, [full, full], tmp_path / "big.xlsx")


MICROSECONDS = 253_402_300_800_000_000  # the year 10000
NESTED = pa.list_(pa.timestamp("us", "UTC"))


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pa.array([MICROSECONDS], pa.timestamp("us", "UTC")), "zone: a date-time 2932897 days after 1970"),
        (
            pa.array([[MICROSECONDS]], NESTED),
            "a date-time is outside the years 1 to 9999, which Python supports",
        ),
    ],
)
def test_date_time_beyond_python_is_an_error(tmp_path: Path, column: pa.Array[Any], said: str) -> None:
    whole = batch(at=column)
    with pytest.raises(ConfigError, match=said):
        write_csv("Late", whole.schema, [whole], tmp_path / "late.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # from xlsxwriter's file
def test_full_disk_is_an_os_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("xlsxwriter.workbook.ZipFile", full)
    whole = batch(a=pa.array(["b"]))
    with pytest.raises(OSError, match="No space left") as raised:
        write_excel("Full", whole.schema, [whole], tmp_path / "full.xlsx")
    assert raised.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []
    del raised
    gc.collect()


@pytest.mark.exhaustive
@pytest.mark.parametrize("zone", ["+05:30", "localtime"])
def test_unsupported_polars_type_is_reported_before_reading(client: Client, zone: str) -> None:
    pages = sales(client)
    with pytest.raises(ConfigError, match="polars does not support these columns"):
        pages.to_polars(zone=zone)
    assert pages.given == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("save", ["to_parquet", "to_csv", "to_excel"])
def test_failed_file_keeps_the_previous_one(client: Client, tmp_path: Path, save: str) -> None:
    path = tmp_path / "sales.any"
    path.write_text("before")
    pages = sales(client, items=10)

    def fail(page: int, read: int, total: int | None) -> None:
        if page == 3:
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        getattr(pages.on_page(fail), save)(path)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("sales.any", "before")]


def test_batches_have_the_requested_size(client: Client) -> None:
    found = list(sales(client, items=50).batches(40))
    assert [each.num_rows for each in found] == [40, 40, 16]
    with pytest.raises(ValueError, match="rows must be 1 or more, got 0"):
        sales(client).batches(0)


def test_only_one_row_group_is_held_in_memory(client: Client) -> None:
    """The second page is requested only when the first one is consumed. There is no read-ahead."""
    pages = sales(client, items=50)
    heard: list[int] = []
    batches = pages.on_page(lambda page, read, total: heard.append(page)).batches(25)
    assert heard == []
    next(batches)
    next(batches)
    assert heard == [0]
    next(batches)
    assert heard == [0, 1]


def test_progress_is_shown_on_stderr(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    sales(client).to_arrow(progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "GetSales" in err
    assert "96/96" in err


def test_progress_uses_rich_without_tqdm(
    client: Client, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    sales(client).to_arrow(progress=True)
    assert "GetSales (rows)" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    with pytest.raises(ConfigError, match="progress: needs tqdm or rich"):
        sales(client).to_arrow(progress=True)


Save = Callable[[ItemPages[SaleItem]], object]


@pytest.mark.parametrize(
    ("module", "save", "said"),
    [
        ("soapclient.tables.arrow", lambda s: s.to_arrow(), "pyarrow"),
        ("pandas", lambda s: s.to_pandas(), "pandas"),
        ("polars", lambda s: s.to_polars(), "polars"),
        ("xlsxwriter", lambda s: s.to_excel("a.xlsx"), "soapclient[excel]"),
    ],
)
def test_missing_library_is_named(
    client: Client, monkeypatch: pytest.MonkeyPatch, module: str, save: Save, said: str
) -> None:
    missing = "pyarrow" if said == "pyarrow" else module
    for name in list(sys.modules):
        if name in (module, "soapclient.tables.excel"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ConfigError) as raised:
        save(sales(client))
    assert raised.value.setting == missing
    assert said in str(raised.value)
    assert not os.path.exists("a.xlsx")


def test_concurrent_writers_of_one_file_are_refused(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "sales.parquet"

    def meanwhile(page: int, read: int, total: int | None) -> None:
        with pytest.raises(ExportError, match="another download or export is writing it"):
            sales(client).to_parquet(path)

    sales(client).on_page(meanwhile).to_parquet(path)
    assert pq.read_metadata(path).num_rows == 96


TEXTS = Layout((TableColumn("value", (), Shape("string")),), ())


class Numbers(TableMethods):
    """A list of `count` texts, each created on demand. `most` is the peak of Arrow's memory meanwhile."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.most = 0
        self._before = pa.total_allocated_bytes()

    def _items(self) -> Iterator[str]:
        for number in range(self.count):
            if number % 500 == 0:
                self.most = max(self.most, pa.total_allocated_bytes() - self._before)
            yield f"{number:>200}"

    def _source(self) -> Source:
        return Source("Numbers", lambda: TEXTS, self._items)


@pytest.mark.exhaustive
@pytest.mark.parametrize("save", ["to_parquet", "to_csv"])
def test_memory_does_not_grow_with_the_rows(tmp_path: Path, save: str) -> None:
    few, many = Numbers(40_000), Numbers(200_000)
    for numbers in (few, many):
        assert getattr(numbers, save)(tmp_path / "numbers.any").rows == numbers.count
    assert 0 < few.most < 40_000 * 200
    assert many.most < 2 * few.most


class TwoParts(TableMethods):
    """A list of two parts. The second is interrupted while the first, a long one, is being read."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.read = 0
        self._both = threading.Barrier(2, timeout=30)

    def _items(self, label: str) -> Iterator[str]:
        self._both.wait()
        if label == "second":
            raise KeyboardInterrupt
        for number in range(self.most):
            self.read += 1
            yield str(number)

    def _source(self) -> Source:
        whole = Source("Two", lambda: TEXTS, lambda: ())
        parts_of = Parts("part", ["first", "second"], partial(self._part, whole), "", workers=2)
        return replace(whole, parts=parts_of)

    def _part(self, whole: Source, label: str) -> Source:
        return replace(whole, items=partial(self._items, label))


def test_an_interrupt_does_not_wait_for_the_other_parts(tmp_path: Path) -> None:
    numbers = TwoParts(3_000_000)
    with pytest.raises(KeyboardInterrupt):
        numbers.to_parquet(tmp_path / "numbers.parquet")
    assert 0 < numbers.read < numbers.most
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"numbers.parquet.days/_lock", "numbers.parquet.days/_request.json"}


@pytest.mark.parametrize(("missing", "error"), [("pandas", ConfigError), ("pytz", ModuleNotFoundError)])
def test_missing_library_error_names_the_library_itself(missing: str, error: type[Exception]) -> None:
    """A missing dependency of an installed library is another defect: its own error says more."""
    with pytest.raises(error) as caught, needs("pandas"):
        raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)
    assert ("pip install" in str(caught.value)) == (missing == "pandas")
