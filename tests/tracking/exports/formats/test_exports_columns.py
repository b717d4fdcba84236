"""The columns and types a file must have for its order: leads, sales, chosen and grouped columns."""

from __future__ import annotations

import datetime as dt
import gzip
import itertools
import logging
import pickle
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lxml import etree

from soapclient.errors import ColumnDrift, ColumnsDiffer, ConfigError, ResponseError
from soapclient.runtime.settings import Column
from soapclient.tracking.exports.formats.columns import ColumnTypes, drift_between, expected_columns
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import JobId
from soapclient.tracking.exports.orders.arguments import OrderOptions
from soapclient.tracking.sandbox.exports import reports
from soapclient.tracking.sandbox.operations import jobs as ordering
from tests.tracking.exports.conftest import Desk, Scripted, Stub, Write, build_csv, columns
from tests.tracking.exports.stage import looked_at
from zxws.data.service import PACKAGE

DAY = date(2026, 11, 1)
WSDL = Path(__file__).parents[4] / "wsdl/publisher/2011-03-01/publisher.wsdl"
SCHEMA = "{http://www.w3.org/2001/XMLSchema}"
NUMBER = pa.decimal128(38, 9)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "x.csv.gz"


def total(path: Path, column: str) -> Decimal:
    return sum((Decimal(row[column]) for row in looked_at(path) if row[column]), Decimal(0))


def described(schema: pa.Schema) -> str:
    """Return the names and types of the columns."""
    return ", ".join(f"{field.name} {field.type}" for field in schema)


def ordered(desk: Desk, target: Path, kind: str, **options: object) -> ExportFile:
    # passed through
    export = desk.exports().order(report_type=kind, from_date=DAY, to_date=DAY, **options)  # type: ignore[arg-type]
    return export.download(target, on_drift="error")


# ---- leads and sales


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("kind", "column"), [("lead", "commission"), ("sale", "commission"), ("sale", "amount")]
)
def test_sums_of_leads_and_sales_are_equal_in_every_tool(
    desk: Desk, target: Path, kind: str, column: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        file = ordered(desk, target, kind)
    expected = total(target, column)
    assert expected > 0
    assert file.drift() is None
    assert caplog.records == []
    assert sum((value for row in file if isinstance(value := row[column], Decimal)), Decimal(0)) == expected
    table = file.to_table()
    (found,) = duckdb.from_arrow(table).sum(column).fetchall()
    assert found == (expected,)
    assert file.to_pandas()[column].sum() == expected
    assert file.to_polars()[column].sum() == expected
    file.to_parquet(target.with_suffix(".parquet"))
    with duckdb.connect() as connection:
        read = connection.read_parquet(str(target.with_suffix(".parquet")))
        assert read.sum(column).fetchall() == [(expected,)]


def test_rows_of_sales_are_typed(desk: Desk, target: Path) -> None:
    file = ordered(desk, target, "sale")
    raw = looked_at(target)
    for row, cells in zip(file, raw, strict=True):
        assert row["saleId"] == cells["saleId"]
        assert row["clickId"] == int(cells["clickId"])
        assert row["trackingDate"] == datetime.fromisoformat(cells["trackingDate"])
        assert str(row["amount"]) == cells["amount"]


@pytest.mark.parametrize("kind", ["leads", "sales"])
def test_plural_report_type_is_the_same_report(desk: Desk, target: Path, kind: str) -> None:
    assert ordered(desk, target, kind).to_table().schema.field("commission").type == NUMBER


@pytest.mark.parametrize("kind", ["lead", "sale"])
def test_types_of_leads_and_sales_equal_the_publisher_contract(kind: str) -> None:
    """Compare with the WSDL: a simple element is a column, an element with an id has two."""
    root = etree.parse(WSDL)
    simple = {"xsd:double": "xsd:decimal", "tns:reviewStateEnum": "xsd:string"}
    expected = [(f"{kind}Id", "xsd:string")]
    for element in root.findall(f".//{SCHEMA}complexType[@name='{kind}Item']//{SCHEMA}element"):
        name, written = element.attrib["name"], element.attrib["type"]
        if name == "gpps":
            continue  # any parameters: zpar0 and zpar1 come last
        if written.startswith("xsd:") or written in simple:
            expected.append((name, simple.get(written, written)))
            continue
        owner = root.find(f".//{SCHEMA}complexType[@name='{written.removeprefix('tns:')}']")
        assert owner is not None
        (key,) = owner.findall(f".//{SCHEMA}attribute[@name='id']")
        expected.append((f"{name}Id", key.attrib["type"]))
        if name != "subPublisher":  # it has no name column
            expected.append((f"{name}Name", "xsd:string"))
    expected += [("zpar0", "xsd:string"), ("zpar1", "xsd:string")]
    assert [(column.name, column.type) for column in PACKAGE.settings.columns[kind]] == expected


ORDERS = [(kind, None, ()) for kind in reports.COLUMNS] + [
    (kind, None, groups)
    for kind in reports.COLUMNS
    for groups in (*itertools.combinations(reports.GROUPS, 1), ("currency", "day"), ("day", "country"))
]


@pytest.mark.parametrize(
    ("kind", "columns", "groups"), [*ORDERS, ("custom", "country,clickId", ()), ("custom", "zpar0", ())]
)
def test_sandbox_writes_the_contract_columns(kind: str, columns: str | None, groups: tuple[str, ...]) -> None:
    """The two lists are independent."""
    request: dict[str, JobId] = {"columns": columns} if columns else {}
    request |= {"group_by": ",".join(groups)} if groups else {}
    expected = expected_columns(PACKAGE.settings, kind, request)
    assert tuple(column.name for column in expected.columns) == reports.header(kind, columns, groups)
    assert (expected.ordered, expected.untyped) == (bool(request), ())


# ---- grouped and chosen columns


def test_grouped_export_has_only_its_groups_and_sums(desk: Desk, target: Path) -> None:
    file = ordered(desk, target, "click", group_by="country")
    assert file.drift() is None
    table = file.to_table(on_drift="error")
    assert described(table.schema) == f"country string, currency string, count int64, commission {NUMBER}"
    raw = looked_at(target)
    assert table.to_pylist() == [
        {**cells, "count": int(cells["count"]), "commission": Decimal(cells["commission"])} for cells in raw
    ]
    assert sum(int(cells["count"]) for cells in raw) == 20
    assert pq.read_schema(file.to_parquet(target.with_suffix(".parquet")).path).names == table.schema.names
    again = ExportFile.open(target, report_type="click", group_by="country", naive_zone=file.naive_zone)
    assert again.drift() is None
    assert again.to_table() == table


def test_groups_of_every_kind_are_typed(desk: Desk, target: Path) -> None:
    file = ordered(desk, target, "sale", group_by=["day", "month", "program", "currency"])
    assert described(file.schema()) == (
        "day date32[day], month string, program int32, currency string, count int64, "
        f"commission {NUMBER}, amount {NUMBER}"
    )
    first = next(file.rows())
    assert (first["day"], first["month"]) == (DAY, "2026-11")
    (found,) = duckdb.from_arrow(file.to_table()).sum("amount").fetchall()
    assert found == (total(target, "amount"),)


def test_chosen_columns_are_typed(desk: Desk, target: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        file = ordered(desk, target, "custom", columns=["commission", "clickDate", "country"])
    assert caplog.records == []
    assert described(file.schema()) == f"commission {NUMBER}, clickDate timestamp[us, tz=UTC], country string"
    (found,) = duckdb.from_arrow(file.to_table()).sum("commission").fetchall()
    assert found == (total(target, "commission"),)


def test_job_known_only_by_id_accepts_any_columns(desk: Desk, target: Path) -> None:
    job = desk.by_hand(kind="custom", columns="zpar0,commission")
    file = desk.exports().resume_job(job, report_type="custom").download(target, on_drift="error")
    assert described(file.schema()) == f"zpar0 string, commission {NUMBER}"


def test_column_names_ignore_case_like_the_service(stage: Scripted, stub: Stub, target: Path) -> None:
    stage.jobs.answers.append({"status": "done"})
    stub.answer(body=gzip.compress(build_csv([["clickId", "Mood", "country"], ["7", "8", "DE"]])))
    export = stage.exporter.order(
        report_type="custom", from_date=DAY, to_date=DAY, columns="CLICK_ID, mood, country"
    )
    file = export.download(target, on_drift="error")
    assert list(file) == [{"clickId": 7, "Mood": "8", "country": "DE"}]


def test_unknown_sums_are_accepted() -> None:
    """The report type is not in the contract. Sums of other reports have the same type here."""
    request: dict[str, JobId] = {"group_by": "country"}
    found = expected_columns(PACKAGE.settings, "bonus", request, ("country", "currency", "count", "points"))
    assert found.columns == columns("country string, currency string, count long, points string")
    assert found.untyped == ("points",)
    other = expected_columns(PACKAGE.settings, "bonus", request, ("program", "currency", "count"))
    assert [column.name for column in other.columns] == ["country", "currency", "count"]


# ---- columns that differ from the ordered ones

CHOSEN: OrderOptions = {"columns": "country,clickId"}
BY_COUNTRY: OrderOptions = {"group_by": "country"}
OTHERS: list[tuple[str, OrderOptions, str, ColumnDrift]] = [
    ("custom", CHOSEN, "country zpar0", ColumnDrift("custom", ("clickId",), ("zpar0",), False, ordered=True)),
    ("custom", CHOSEN, "clickId country", ColumnDrift("custom", (), (), True, ordered=True)),
    (
        "click",
        BY_COUNTRY,
        "program currency count commission",
        ColumnDrift("click", ("country",), ("program",), False, ordered=True),
    ),
    (
        "click",
        BY_COUNTRY,
        "country program currency count commission",
        ColumnDrift("click", (), ("program",), False, ordered=True),
    ),
    (
        "sale",
        {"group_by": "day"},
        "day currency count amount commission",
        ColumnDrift("sale", (), (), True, ordered=True),
    ),
    ("lead", {}, " ".join(reports.LEAD[1:]), ColumnDrift("lead", ("leadId",), (), False)),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("kind", "asked", "got", "drift"), OTHERS)
def test_other_columns_than_ordered_are_reported_or_refused(
    desk: Desk,
    target: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: str,
    asked: OrderOptions,
    got: str,
    drift: ColumnDrift,
) -> None:
    names = tuple(got.split())
    monkeypatch.setattr(ordering, "header", lambda *_: names)
    if "program" in names:  # the sandbox writes rows by the header of the ordered groups
        monkeypatch.setattr(ordering, "checked_groups", lambda *_: names[: names.index("currency")])
    exports = desk.exports()
    strict = exports.order(report_type=kind, from_date=DAY, to_date=DAY, **asked)
    with pytest.raises(ColumnsDiffer) as caught:
        strict.download(target, on_drift="error")
    assert caught.value.drift == drift
    assert ("the ordered columns" in str(caught.value)) is drift.ordered
    assert list(target.parent.glob("x.csv*")) == []
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        file = exports.order(report_type=kind, from_date=DAY, to_date=DAY, **asked).download(target)
    assert file.drift() == drift
    assert caplog.messages == [f"{target}: {drift}"]
    # a Drift
    paths = {finding.path for _, finding in exports.jobs.drift._findings.counts()}  # type: ignore[union-attr]
    assert paths == {f"{kind}.csv/{name}" for name in (*drift.missing, *drift.added)}
    with pytest.raises(ColumnsDiffer):
        file.to_table(on_drift="error")
    assert file.to_table().num_rows == len(looked_at(target)) > 0


# ---- types that the caller gives


@pytest.mark.parametrize("kind", ["xsd:decimal", "decimal", Decimal])
def test_types_can_be_given_for_undeclared_columns(
    write: Write, caplog: pytest.LogCaptureFixture, kind: str | type[Decimal]
) -> None:
    path = write([["name", "points"], ["a", "1.50"], ["b", "2.25"]])
    with caplog.at_level(logging.WARNING):
        file = ExportFile.open(path, report_type="bonus", types={"points": kind, "name": str})
    assert caplog.records == []
    assert list(file) == [{"name": "a", "points": Decimal("1.50")}, {"name": "b", "points": Decimal("2.25")}]
    assert described(file.schema()) == f"name string, points {NUMBER}"
    assert duckdb.from_arrow(file.to_table()).sum("points").fetchall() == [(Decimal("3.75"),)]
    assert file.drift() is None


def test_given_types_override_the_contract_and_are_not_drift(write: Write) -> None:
    names = [column.name for column in PACKAGE.settings.columns["click"]]
    path = write([[*names, "mood"], ["007", *[""] * (len(names) - 1), "5"]])
    file = ExportFile.open(path, report_type="click", types={"clickId": str, "mood": int})
    (row,) = file
    assert (row["clickId"], row["mood"]) == ("007", 5)
    assert file.drift() == ColumnDrift("click", (), ("mood",), False)
    again = file.with_types({"clickId": "xsd:int", "commission": "xsd:string"})
    (row,) = again
    assert (row["clickId"], row["mood"], row["commission"]) == (7, 5, None)
    assert again.schema().field("commission").type == pa.string()
    stored = pq.read_schema(file.to_parquet(path.with_suffix(".p")).path)
    assert b"soapclient.contract_sha256" not in stored.metadata


def test_invalid_type_is_refused_before_any_request(stage: Scripted, target: Path) -> None:
    export = stage.done()
    for wrong in ("decimel", float, "xsd:QName"):
        with pytest.raises(ConfigError, match="the type of 'amount' must be one of xsd:string,"):
            export.download(target, types={"amount": wrong})  # type: ignore[dict-item]  # on purpose
    assert stage.jobs.calls == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"a": ["xsd:int"]},
        {"a": {}},
        "abc",
        [("a", "xsd:int")],
        [],
        7,
        {1: "xsd:int"},
        {None: int},
        {b"a": int},
    ],
    ids=str,
)
def test_invalid_types_are_config_errors_only(
    write: Write, stage: Scripted, target: Path, wrong: ColumnTypes
) -> None:
    file = ExportFile.open(write([["a"], ["1"]]), report_type="bonus", types={})
    export = stage.done()
    attempts: list[Callable[[], object]] = [
        lambda: export.download(target, types=wrong),
        lambda: file.with_types(wrong),
        lambda: ExportFile.open(file.path, report_type="bonus", types=wrong),
    ]
    for attempt in attempts:
        with pytest.raises(ConfigError, match=r"types.*(such as|for example) types=\{") as caught:
            attempt()
        assert caught.value.setting == "types"
    assert stage.jobs.calls == []


@pytest.mark.parametrize("given", [True, False])
def test_invalid_cell_error_suggests_types(write: Write, given: bool) -> None:
    """The type can come from the caller or be assumed, so the contract need not have changed."""
    path = write([["id", "day"], ["1", "01.11.2026"], ["2", ""]])
    known = () if given else (Column("day", "xsd:date"),)
    file = ExportFile.open(path, report_type="x", known=known, types={"day": dt.date} if given else None)
    for read in (lambda: list(file), file.to_table):
        with pytest.raises(ResponseError) as caught:
            read()
        said = str(caught.value)
        assert said.startswith(f"the file cannot be read: {path.name} line 2/day is '01.11.2026', expected ")
        assert said.endswith('. To read the column as text, pass types={"day": str}.')
        assert str(pickle.loads(pickle.dumps(caught.value))) == said
    assert [row["day"] for row in file.with_types({"day": str})] == ["01.11.2026", None]


def test_number_too_large_for_a_column_suggests_types(write: Write) -> None:
    path = write([["points"], ["9" * 60]])
    file = ExportFile.open(path, report_type="x", types={"points": int})
    with pytest.raises(ResponseError, match=r'pass types=\{"points": str\}'):
        file.to_table()


@pytest.mark.parametrize(
    ("kind", "ordered", "said"),
    [
        ("click", False, "not the columns of the contract for click (missing: 'b')"),
        ("custom", True, "not the ordered columns (custom export; missing: 'b')"),
    ],
)
def test_messages_about_other_columns(kind: str, ordered: bool, said: str) -> None:
    assert str(drift_between(kind, ("a", "b"), ("a",), ordered=ordered)) == said


def test_types_can_be_given_with_a_download(stage: Scripted, stub: Stub, target: Path) -> None:
    stage.jobs.answers.append({"status": "done"})
    stub.answer(body=gzip.compress(build_csv([["points", "mood"], ["1.5", "7"]])))
    export = stage.exporter.order(report_type="bonus", from_date=DAY, to_date=DAY)
    file = export.download(target, types={"points": "xsd:decimal"})
    assert list(file) == [{"points": Decimal("1.5"), "mood": "7"}]
    assert file.types == (Column("points", "xsd:decimal"),)


def test_columns_without_a_known_type_are_warned_about_once(
    write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    path = write([["clickId", "mood"], ["7", "8"]])
    with caplog.at_level(logging.WARNING):
        file = ExportFile.open(path, report_type="custom", columns="clickId,mood")
        assert list(file) == list(file) == [{"clickId": 7, "mood": "8"}]
    (said,) = caplog.messages
    assert "'mood'" in said
    assert "clickId" not in said
    assert "types=" in said
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        ExportFile.open(path, report_type="custom", types={"mood": int})
        ExportFile.open(path, report_type="none", types={"mood": int, "clickId": int})
    assert caplog.records == []
    with caplog.at_level(logging.WARNING):
        ExportFile.open(path, report_type="custom", types={"mood": int, "Mood": int})
    (said,) = caplog.messages
    assert "'Mood'" in said
    assert "does not have" in said
