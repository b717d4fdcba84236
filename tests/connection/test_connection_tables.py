"""Lists of a user's package as tables: from the WSDL, over HTTP, with days of xs:date."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lxml import etree
from openpyxl import load_workbook

from soapclient import days
from soapclient.tables import TableError, rows_of
from tests.support.cases import case_text
from tests.support.packages import generated
from tests.support.soap import envelope
from tests.support.wire import Wire

SPACE = "urn:example:log"
JULY = dt.date(2026, 7, 1)
WSDL = case_text(__file__, "log.wsdl")
_SETTINGS = case_text(__file__, "log.toml")


@pytest.fixture(scope="module")
def log() -> Iterator[ModuleType]:
    with generated("own_log", WSDL, _SETTINGS) as package:
        yield package


@pytest.fixture
def opened(log: ModuleType, wire: Wire, open_service: Any) -> Any:
    return open_service(log.OwnLogService, wire.url)


WEIGHT = "<weight>2.5</weight>"


def entry(at: str, price: str = "1.50", weight: str = WEIGHT, more: str = "<note>n</note>") -> str:
    return f"<entry><at>{at}</at>{weight}<price>{price}</price>{more}</entry>"


def answer(*entries: str) -> bytes:
    inside = "".join(entries)
    return envelope(f'<EntriesResponse xmlns="{SPACE}">{inside}</EntriesResponse>').encode()


def asked(wire: Wire) -> list[tuple[str | None, str | None]]:
    roots = [etree.fromstring(sent.body) for sent in wire.sent]
    return [(root.findtext(f".//{{{SPACE}}}day"), root.findtext(f".//{{{SPACE}}}page")) for root in roots]


NIL = '<weight xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/>'


def test_pages_of_a_range_become_a_table(opened: Any, wire: Wire) -> None:
    place = '<place id="7">Rome</place>'
    first = entry("2026-11-01T12:00:00Z", more="<code>4</code>").replace("<weight>", f"{place}<weight>")
    wire.answers(answer(first, entry("2026-11-01T12:00:00.5+02:00", weight=NIL)))
    wire.answers(answer(entry("2026-11-01T13:00:00Z", price="0.000000001")))
    wire.answers(answer())
    span = days("2026-11-01", "2026-11-02")
    table = opened.iterate.entries(day=span).to_arrow()
    assert asked(wire) == [("2026-11-01", "1"), ("2026-11-01", "2"), ("2026-11-02", "1")]
    utc = dt.UTC
    rows = table.to_pylist()
    names = ("at", "place_id", "place_value", "weight", "price")
    assert [tuple(row[name] for name in names) for row in rows] == [
        (dt.datetime(2026, 11, 1, 12, tzinfo=utc), 7, "Rome", Decimal("2.5"), Decimal("1.5")),
        (dt.datetime(2026, 11, 1, 10, 0, 0, 500_000, tzinfo=utc), None, None, None, Decimal("1.5")),
        (dt.datetime(2026, 11, 1, 13, tzinfo=utc), None, None, Decimal("2.5"), Decimal("0.000000001")),
    ]
    assert table.schema.field("place_id").type == pa.uint32()
    assert {"note", "code"} <= {name.rpartition("_")[2] for name in table.schema.names}


NAIVE = dt.datetime(2026, 7, 1)


def test_naive_date_times_become_a_column_without_a_zone(opened: Any, wire: Wire, tmp_path: Path) -> None:
    for _ in range(4):
        wire.answers(answer(entry("2026-07-01T00:00:00")))
    table = opened.iterate.entries(day=JULY).to_arrow()
    assert table.schema.field("at").type == pa.timestamp("us")
    assert table.column("at").to_pylist() == [NAIVE]
    opened.iterate.entries(day=JULY).to_parquet(tmp_path / "log.parquet")
    assert pq.read_table(tmp_path / "log.parquet").column("at").to_pylist() == [NAIVE]
    opened.iterate.entries(day=JULY).to_csv(tmp_path / "log.csv")
    assert "2026-07-01T00:00:00," in (tmp_path / "log.csv").read_text()
    opened.iterate.entries(day=JULY).to_excel(tmp_path / "log.xlsx")
    header, row = load_workbook(tmp_path / "log.xlsx").worksheets[0].iter_rows(values_only=True)
    assert dict(zip(header, row, strict=True))["at"] == NAIVE


def test_a_table_without_rows_has_its_columns_in_utc(opened: Any, wire: Wire, tmp_path: Path) -> None:
    wire.answers(answer())
    opened.iterate.entries(day=JULY).to_parquet(tmp_path / "log.parquet")
    assert pq.read_schema(tmp_path / "log.parquet").field("at").type == pa.timestamp("us", "UTC")


@pytest.mark.parametrize("zones", [("", "Z"), ("Z", "")])
def test_aware_and_naive_date_times_in_one_column_are_handled(
    opened: Any, wire: Wire, zones: tuple[str, str]
) -> None:
    for _ in range(2):
        wire.answers(answer(*(entry(f"2026-07-01T00:00:00{zone}") for zone in zones)))
        wire.answers(answer())  # the page after a full one
    with pytest.raises(TableError, match=r"Entries: at of row 2 is .*zone='Europe/Berlin'"):
        opened.iterate.entries(day=JULY).to_arrow()
    table = opened.iterate.entries(day=JULY).to_arrow(zone="UTC")
    assert table.column("at").to_pylist() == [NAIVE.replace(tzinfo=dt.UTC)] * 2


def test_range_of_days_needs_a_zone_for_naive_date_times(opened: Any, wire: Wire, tmp_path: Path) -> None:
    day = days("2026-07-01", "2026-07-01")
    wire.answers(answer(entry("2026-07-01T00:00:00")))
    with pytest.raises(TableError, match=r"at of row 1 is .*zone='Europe/Berlin'"):
        opened.iterate.entries(day=day).to_parquet(tmp_path / "a.parquet")
    wire.answers(answer(entry("2026-07-01T00:00:00")))
    naive = {"at": pa.timestamp("us")}
    opened.iterate.entries(day=day).to_parquet(tmp_path / "b.parquet", types=naive)
    assert pq.read_table(tmp_path / "b.parquet").column("at").to_pylist() == [NAIVE]
    wire.answers(answer(entry("2026-07-01T00:00:00Z")))
    with pytest.raises(TableError, match="a date-time without a zone"):
        opened.iterate.entries(day=day).to_parquet(tmp_path / "c.parquet", types=naive)


def test_zone_setting_applies_to_naive_date_times(opened: Any, wire: Wire, tmp_path: Path) -> None:
    wire.answers(answer(entry("2026-07-01T00:00:00")))
    opened.iterate.entries(day=JULY).to_parquet(tmp_path / "log.parquet", zone="Europe/Berlin")
    (row,) = pq.read_table(tmp_path / "log.parquet").to_pylist()
    assert row["at"] == dt.datetime(2026, 6, 30, 22, tzinfo=dt.UTC)


def test_stream_and_response_become_tables(opened: Any, wire: Wire) -> None:
    for _ in range(2):
        wire.answers(answer(entry("2026-07-01T00:00:00Z"), entry("2026-07-02T00:00:00Z")))
    with opened.stream.entries(day=JULY) as entries:
        next(entries)
        streamed = entries.to_arrow()
    whole = rows_of(opened.entries(day=JULY)).to_arrow()
    assert whole.slice(1).to_pylist() == streamed.to_pylist()
    assert whole.schema == streamed.schema
