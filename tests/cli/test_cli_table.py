"""`soapclient table` against the sandbox: files are read back with other tools, and errors."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import duckdb
import openpyxl
import pytest

from tests.cli.conftest import Run, error_of, output_of

SALES = ("table", "publisher", "GetSales", "dateType=trackingDate")
RANGE = ("--from", "2026-07-01", "--to", "2026-07-02")


@pytest.fixture
def ids(run: Run) -> list[str]:
    """The sales of the two days, according to `soapclient call`."""
    found = []
    for day in ("2026-07-01", "2026-07-02"):
        for page in range(10):
            given = ("date=" + day, "dateType=trackingDate", "items=50", f"page={page}")
            response = json.loads(output_of(run("call", "publisher", "GetSales", *given)))
            found += [sale["id"] for sale in response.get("saleItems", [])]
    assert len(found) > 50
    return found


@pytest.mark.exhaustive
def test_range_becomes_one_file_of_all_days(run: Run, ids: list[str], tmp_path: Path) -> None:
    path = tmp_path / "sales.parquet"
    result = run(*SALES, *RANGE, "-o", str(path), "--workers", "2")
    content = path.read_bytes()
    said = (
        f"{path}: {len(ids):,} rows, {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}\n"
    )
    assert (result.exit_code, result.stdout, result.stderr) == (0, said, "")
    assert duckdb.execute(f"select id from '{path}'").fetchall() == [(each,) for each in ids]

    assert output_of(run(*SALES, *RANGE, "-o", str(tmp_path / "sales.CSV"), "--zone", "Europe/Berlin"))
    with (tmp_path / "sales.CSV").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == ids
    assert {row["tracking_date"][:10] for row in rows} == {"2026-07-01", "2026-07-02"}

    assert output_of(run(*SALES, *RANGE, "-o", str(tmp_path / "sales.xlsx")))
    header, *cells = openpyxl.load_workbook(tmp_path / "sales.xlsx")["GetSales"].iter_rows(values_only=True)
    assert [row[0] for row in cells] == ids
    assert "tracking_date (UTC)" in header

    assert output_of(run(*SALES, *RANGE, "-o", f"{tmp_path}/by-day/"))
    days = sorted(path.name for path in (tmp_path / "by-day").glob("date=*"))
    assert days == ["date=2026-07-01", "date=2026-07-02"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("protocol", ["soap", "rest"])
def test_lists_of_every_kind_are_tables(run: Run, tmp_path: Path, protocol: str) -> None:
    def rows(operation: str, *arguments: str) -> list[dict[str, str]]:
        path = tmp_path / "any.csv"
        options = ("-o", str(path), "--protocol", protocol)
        assert output_of(run("table", "publisher", operation, *options, *arguments))
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    assert len(rows("SearchPrograms")) == 300
    assert len(rows("GetSales", "date=2026-11-01", "dateType=trackingDate")) > 50
    report = rows("GetReportBasic", *RANGE, "groupBy=day", "groupBy=currency")
    assert {row["day"] for row in report} == {"2026-07-01", "2026-07-02"}
    assert [row["profile_item_currency"] for row in rows("GetProfile")] == ["EUR"]  # the only response
    assert rows("GetSales", "date=2026-11-01", "dateType=trackingDate", "programId=999") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("-o", "sales.xls"),
            "the name of FILE must end in .parquet, .csv, .xlsx or a slash, got 'sales.xls'",
        ),
        (("-o", "s.csv", "--from", "2026-07-01"), "give --from and --to, or neither"),
        (("-o", "s.csv", "--from", "2026-07-02", "--to", "2026-07-01"), "--to 2026-07-01 is before --from"),
        (("-o", "s.csv", "--from", "1.7.", "--to", "2026-07-01"), "'1.7.' is not a day"),
        (("-o", "s.csv", "--workers", "4"), "--workers can be used only with --from and --to"),
        (("-o", "s.csv", "--workers", "99", *RANGE), "99 is not in the range 1<=x<=32"),
        (("-o", "s.csv", "date"), "'date' has no '='"),
        (("-o", "s.csv", "date=2026-07-01", *RANGE), "give --from and --to, or date=, not both"),
        (("-o", ""), "'' is not a file"),
        ((), "Missing option '-o'"),
    ],
)
def test_wrong_usage_is_code_2_and_sends_nothing(
    run_unset: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in error_of(run_unset(*SALES, *arguments), 2)
    assert list(tmp_path.iterdir()) == []


def test_advertiser_tables_refuse_soap(run_unset: Run) -> None:
    result = run_unset("table", "advertiser", "GetProgramReport", "-o", "r.csv", "--protocol", "soap")
    assert "not available over SOAP" in error_of(result, 4)


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        (("GetSale", "-o", "{}/s.csv"), "GetSale: saleId is required", 4),
        (("GetSails", "-o", "{}/s.csv"), "did you mean GetSales?", 4),
        (("GetSales", "-o", "{}/s.csv", *RANGE, "--zone", "Berlin"), "zone: must be a zone such as", 3),
        (
            ("GetSales", "-o", "{}/none/s.csv", "date=2026-07-01", "dateType=trackingDate"),
            "none is not a folder",
            1,
        ),
    ],
)
def test_failed_table_has_its_exit_code_and_leaves_no_file(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], said: str, code: int
) -> None:
    given = [each.format(tmp_path) for each in arguments]
    more = ["dateType=trackingDate"] if "--zone" in given else []
    assert said in error_of(run("table", "publisher", *given, *more), code)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("GetBalances", *RANGE), "GetBalances does not accept a range of days"),
        (("GetReportBasic", "--workers", "2", *RANGE), "only for an operation that accepts one day"),
        (("DeleteAdspace", "adspaceId=5"), "DeleteAdspace does not return a list"),
    ],
)
def test_operation_without_days_or_a_list_is_refused(
    run_unset: Run, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert said in error_of(run_unset("table", "publisher", *arguments, "-o", str(tmp_path / "x.csv")), 2)
    assert list(tmp_path.iterdir()) == []
