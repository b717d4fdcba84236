"""From plan to dataset and back, over HTTP and threads. DuckDB compares it with the sandbox's own data."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from soapclient._support.durable import OrdererLock
from soapclient.clock import SystemClock
from soapclient.errors import ConfigError, LedgerBusy
from soapclient.tracking.backfill import Progress, dataset_files, verify
from soapclient.tracking.exports import backfill

from .conftest import Backfills

REPORTS = [
    {"type": "click"},
    {"type": "sale"},
    {"type": "click", "name": "by-day", "options": {"group_by": ["day"]}},
]


def test_plan_becomes_a_dataset_with_correct_sums(stage: Backfills) -> None:
    heard: list[Progress] = []
    summary = backfill(stage.plan(reports=REPORTS), on_progress=heard.append)
    assert (summary.partitions, summary.done, summary.skipped, summary.failed) == (12, 12, 0, ())
    assert summary.exit_code == 0
    fees = stage.click_fees(4)
    (clicks,) = stage.query("SELECT count(*), sum(commission) FROM data")
    assert clicks == (160, fees)
    (grouped,) = stage.query("SELECT sum(count), sum(commission) FROM data", "by-day")
    assert grouped == (160, fees)
    (sales,) = stage.query("SELECT count(*), sum(amount) FROM data", "sale")
    assert sales == stage.sales_amount(4)
    assert isinstance(sales[0], int)
    assert sales[0] > 0
    (days,) = stage.query("SELECT count(*) FROM data", "by-day")
    assert summary.rows == 160 + sales[0] + int(str(days[0]))
    assert [now.finished for now in heard] == list(range(13))
    assert heard[-1].rows == summary.rows


@pytest.mark.exhaustive
def test_chosen_columns_and_types_are_used_in_the_dataset(stage: Backfills) -> None:
    report = {
        "type": "custom",
        "options": {"columns": ["clickDate", "commission", "zpar0", "programId"]},
        "types": {"programId": "xsd:string"},
    }
    assert backfill(stage.plan(reports=[report], on_drift="error")).done == 4
    asked = "sum(commission), any_value(typeof(clickDate)), any_value(typeof(programId))"
    (types,) = stage.query(f"SELECT {asked} FROM data", "custom")
    assert types == (stage.click_fees(4), "TIMESTAMP WITH TIME ZONE", "VARCHAR")
    assert verify(stage.plan(reports=[report])).problems == ()
    # Other types need other files, made from the existing jobs.
    again = backfill(stage.plan(reports=[{**report, "types": {}}]))
    assert (again.stale, again.done) == (4, 4)
    (types,) = stage.query(f"SELECT {asked} FROM data", "custom")
    assert types == (stage.click_fees(4), "TIMESTAMP WITH TIME ZONE", "INTEGER")
    assert stage.jobs() == 4


@pytest.mark.exhaustive
def test_sums_of_every_report_are_correct(stage: Backfills) -> None:
    reports = ("click", "clickin", "lead", "sale")
    assert backfill(stage.plan(reports=[{"type": report} for report in reports])).done == 16
    for report in reports:
        assert stage.totals(report) == stage.expected(report, 4)
        assert stage.totals(report)["rows"] == stage.totals(report)["ids"] >= 160


def test_each_row_is_in_the_partition_of_its_day(stage: Backfills) -> None:
    backfill(stage.plan())
    day = "timezone('Europe/Berlin', clickDate)::DATE"
    days = stage.query(f"SELECT date, min({day}), max({day}) FROM data GROUP BY date ORDER BY date")
    assert len(days) == 4
    assert all(day == first == last for day, first, last in days)


@pytest.mark.exhaustive
def test_complete_partitions_are_not_requested_again(stage: Backfills) -> None:
    def changed() -> dict[str, int]:
        return {name: (Path(stage.output) / name).stat().st_mtime_ns for name in stage.names()}

    backfill(stage.plan())
    written = changed()
    assert stage.jobs() == 4
    summary = backfill(stage.plan())
    assert (summary.skipped, summary.done, summary.rows) == (4, 0, 0)
    assert stage.jobs() == 4
    assert changed() == written
    longer = backfill(stage.plan(to="2026-11-06"))
    assert (longer.skipped, longer.done) == (4, 2)
    assert stage.jobs() == 6
    stage.clicks_are_whole(6)


@pytest.mark.exhaustive
def test_dataset_has_only_a_file_and_a_manifest_per_partition(stage: Backfills) -> None:
    backfill(stage.plan())
    for day in range(1, 5):
        folder = f"account=main/report=click/date=2026-11-{day:02}"
        manifest = json.loads((Path(stage.output) / folder / "_manifest.json").read_text())
        assert [name for name in stage.names() if name.startswith(folder)] == [
            f"{folder}/_manifest.json",
            f"{folder}/{manifest['file']}",
        ]
        assert manifest["request"] == {
            "report_type": "click", "from_date": f"2026-11-{day:02}", "to_date": f"2026-11-{day:02}"
        }  # fmt: skip
        assert manifest["rows"] == 40
        assert stage.sandbox.jobs.get("802B8BF4AE99EBE00F41", manifest["job_id"]) is not None
    assert len(stage.names()) == 8
    assert list((stage.folder / "work" / "staging").iterdir()) == []


def test_gzip_csv_is_stored_unchanged(stage: Backfills) -> None:
    backfill(stage.plan(format="csv.gz", days=2))
    files = dataset_files(stage.output)
    assert [Path(file).parent.name for file in files] == ["date=2026-11-01", "date=2026-11-03"]
    assert all(file.endswith(".csv.gz") for file in files)
    assert [gzip.decompress(Path(file).read_bytes()).count(b",EUR,") > 0 for file in files] == [True, True]
    assert verify(stage.plan(format="csv.gz", days=2)).rows == 160


@pytest.mark.exhaustive
def test_no_secret_is_written_anywhere(stage: Backfills) -> None:
    backfill(stage.plan())
    for path in stage.folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert stage.environ["SOAPCLIENT_SECRET_KEY"].encode() not in content, path
            assert stage.environ["SOAPCLIENT_CONNECT_ID"].encode() not in content, path


@pytest.mark.exhaustive
def test_two_accounts_use_their_own_variables(stage: Backfills, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ID", "KEY"):
        source = "SOAPCLIENT_CONNECT_ID" if name == "ID" else "SOAPCLIENT_SECRET_KEY"
        monkeypatch.setenv(f"OTHER_{name}", stage.environ[source])
        monkeypatch.delenv(source)
    own = {"connect_id_env": "OTHER_ID", "secret_key_env": "OTHER_KEY"}
    both = [{"name": "a", **own}, {"name": "b", **own}]
    assert backfill(stage.plan(accounts=both, to="2026-11-02")).done == 4
    # One account under two labels has one ledger, so that no job is ordered twice.
    assert stage.jobs() == 2
    with pytest.raises(ConfigError, match="SOAPCLIENT_CONNECT_ID is not set"):
        backfill(stage.plan(accounts=[both[0], {"name": "c"}]))
    assert stage.jobs() == 2


def test_second_process_on_a_plan_is_refused(stage: Backfills) -> None:
    plan = stage.plan()
    plan.work.mkdir()
    with OrdererLock(plan.work / "lock", patience=0, clock=SystemClock()), pytest.raises(LedgerBusy):
        backfill(plan)
    assert stage.jobs() == 0
