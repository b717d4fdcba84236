"""Exports over HTTP on loopback, with an independent check of the file."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from soapclient.auth.signing import Signer
from soapclient.errors import (
    ConfigError,
    ContractError,
    CorruptDownload,
    DeadlineExceeded,
    JobFailed,
    JobUnknown,
)
from soapclient.tracking import data
from soapclient.tracking.exports.export import Orders
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.jobs.connections import FileConnections
from soapclient.tracking.exports.jobs.job import ReportJobs
from soapclient.tracking.sandbox import JobScript
from tests.tracking.exports.stage import Stage
from zxws.data.service import PACKAGE, DataService

FIRST, LAST = date(2026, 11, 1), date(2026, 11, 2)


class Direct(Stage):
    """A client, and a separate exporter that uses the client's typed methods."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder, stack, clicks_per_day=2000)
        self.caller = self.client(data_protocol="soap")
        self.exporter = Orders(
            ReportJobs(
                methods=self.caller.data,
                tables=PACKAGE.settings,
                config=self.caller.settings,
                files=FileConnections(self.caller.settings, PACKAGE.settings),
                signer=Signer(self.caller.settings.credentials(), clock=self.clock),
                clock=self.clock,
                random=lambda: 0.0,
                findings=self.caller.drift,
            )
        )


@pytest.fixture
def staged(tmp_path: Path) -> Iterator[Callable[[], Direct]]:
    with ExitStack() as stack:
        yield lambda: Direct(tmp_path, stack)


@pytest.fixture
def stage(staged: Callable[[], Direct]) -> Direct:
    return staged()


def looked_at(path: Path) -> list[dict[str, str]]:
    """Read the file with the standard library only."""
    text = gzip.decompress(path.read_bytes()).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_click_export_runs_from_order_to_rows(stage: Direct, tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv.gz"
    export = stage.exporter.order(report_type="click", from_date=FIRST, to_date=LAST)
    file = export.wait(deadline=timedelta(minutes=5)).download(target)
    raw = looked_at(target)
    assert file.row_count == len(raw) == 4000
    assert file.size == target.stat().st_size
    assert file.sha256 == hashlib.sha256(target.read_bytes()).hexdigest()
    assert file.columns == tuple(raw[0])
    assert file.drift() is None
    rows = list(file)
    assert [row["clickId"] for row in rows] == [int(cells["clickId"]) for cells in raw]
    assert sum(value for row in rows if isinstance(value := row["commission"], Decimal)) == sum(
        Decimal(cells["commission"]) for cells in raw if cells["commission"]
    )
    for name in ("referrer", "userAgent", "zpar0", "zpar1", "programName"):
        assert [row[name] or "" for row in rows] == [cells[name] for cells in raw]
    texts = "".join(str(row["zpar0"]) for row in rows)
    assert "\n" in texts
    assert '"' in texts
    assert not texts.isascii()
    moments = [row["clickDate"] for row in rows]
    assert all(isinstance(moment, datetime) and moment.utcoffset() is not None for moment in moments)
    assert stage.caller.drift.counts() == {}


def test_another_process_resumes_the_handle(stage: Direct, tmp_path: Path) -> None:
    saved = stage.exporter.order(report_type="clickin", from_date=FIRST, to_date=FIRST).handle.to_json()
    file = stage.exporter.resume(ExportHandle.from_json(saved)).download(tmp_path / "in.csv.gz")
    assert [row["clickInId"] for row in file] == [int(cells["clickInId"]) for cells in looked_at(file.path)]
    assert ExportFile.open(file.path, report_type="clickin", naive_zone=file.naive_zone) == file


@pytest.mark.exhaustive
def test_chosen_columns_and_groups_are_not_drift(stage: Direct, tmp_path: Path) -> None:
    custom = stage.exporter.order(
        report_type="custom", from_date=FIRST, to_date=FIRST, columns=("clickId", "country")
    ).download(tmp_path / "custom.csv.gz")
    assert custom.columns == ("clickId", "country")
    sales = stage.exporter.order(
        report_type="custom", from_date=FIRST, to_date=FIRST, columns=("saleId", "amount", "leadId")
    ).download(tmp_path / "sales.csv.gz")
    assert sales.columns == ("saleId", "amount", "leadId")
    assert any(row["amount"] for row in sales)
    assert any(row["leadId"] for row in sales)
    summed = stage.exporter.order(
        report_type="custom",
        from_date=FIRST,
        to_date=FIRST,
        columns=("programId", "amount"),
        group_by=("program",),
    ).download(tmp_path / "summed.csv.gz")
    assert summed.columns == ("programId", "amount")
    assert 1 < summed.row_count == len({row["programId"] for row in summed})
    own = stage.exporter.order(
        report_type="click", from_date=FIRST, to_date=FIRST, columns=("clickDate",)
    ).download(tmp_path / "own.csv.gz")
    assert own.columns == ("clickDate",)
    grouped = stage.exporter.order(
        report_type="click", from_date=FIRST, to_date=FIRST, group_by=("country", "day")
    ).download(tmp_path / "grouped.csv.gz")
    assert grouped.columns[:2] == ("country", "day")
    assert grouped.row_count == len(looked_at(grouped.path)) > 1
    assert all(isinstance(row["commission"], Decimal) for row in grouped)
    assert stage.caller.drift.counts() == {}


def test_job_without_an_address_uses_the_fallback(stage: Direct, tmp_path: Path) -> None:
    stage.sandbox.jobs.script(JobScript(no_url=True, no_rows=True))
    file = stage.exporter.order(report_type="click", from_date=FIRST, to_date=FIRST).download(
        tmp_path / "x.gz"
    )
    assert file.row_count == 2000


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (JobScript(damage="truncated"), CorruptDownload),
        (JobScript(damage="corrupt"), CorruptDownload),
        (JobScript(rows_off_by=1), CorruptDownload),
        (JobScript(fail="no disk left"), JobFailed),
        (JobScript(stuck="running"), DeadlineExceeded),
        (JobScript(stuck="mulling"), DeadlineExceeded),
    ],
)
def test_failed_job_is_a_typed_error_without_a_file(
    stage: Direct, tmp_path: Path, script: JobScript, kind: type[Exception]
) -> None:
    stage.sandbox.jobs.script(script)
    export = stage.exporter.order(report_type="click", from_date=FIRST, to_date=FIRST)
    with pytest.raises(kind):
        export.download(tmp_path / "x.gz", deadline=600)
    assert list(tmp_path.iterdir()) == []


def test_unknown_states_are_waited_through(stage: Direct, tmp_path: Path) -> None:
    stage.sandbox.jobs.script(JobScript(states=("created", "mulling", "pondering")))
    export = stage.exporter.order(report_type="click", from_date=FIRST, to_date=FIRST)
    assert export.download(tmp_path / "x.gz").row_count == 2000
    assert [finding.detail for _, finding in stage.caller.drift.counts()] == ["mulling", "pondering"]


def test_an_unknown_job_is_a_typed_error(stage: Direct) -> None:
    with pytest.raises(JobUnknown):
        stage.exporter.resume_job("no-such-job", report_type="click").wait()


@pytest.mark.parametrize("report_type", ["aggregated", "view", "postview"])
def test_removed_report_types_are_never_sent(stage: Direct, report_type: str) -> None:
    with pytest.raises(ContractError, match="removed in 2011-05-01"):
        stage.exporter.order(report_type=report_type, from_date=FIRST, to_date=FIRST)


def test_exporter_accepts_the_service(stage: Direct) -> None:
    assert isinstance(stage.caller.data, DataService)


@pytest.mark.parametrize("contract", ["as it is", "without pages", "without a list"])
def test_all_jobs_are_listed_if_the_contract_has_a_list(
    stage: Direct, monkeypatch: pytest.MonkeyPatch, contract: str
) -> None:
    """A contract of the user may have no list of jobs, or a list without pages."""
    settings, operations = PACKAGE.settings, PACKAGE.operations
    assert settings.job is not None
    if contract == "without a list":
        settings = msgspec.structs.replace(settings, job=msgspec.structs.replace(settings.job, list=None))
    changed = SimpleNamespace(settings=settings, operations={} if contract == "without pages" else operations)
    monkeypatch.setattr(data, "PACKAGE", changed)
    orders = stage.client(data_protocol="soap").data.exports
    ordered = [orders.order(report_type="click", from_date=day, to_date=day).id for day in (FIRST, LAST)]
    if contract == "without a list":
        with pytest.raises(ConfigError, match="the contract does not have a list of jobs"):
            orders.jobs.require_list()
        return
    jobs: list[Any] = list(orders.jobs.require_list()())
    assert sorted(job.id for job in jobs) == sorted(ordered)
