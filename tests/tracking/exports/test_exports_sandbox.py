"""Exports over HTTP on loopback, with an independent check of the file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from soapclient.errors import ConfigError
from soapclient.tracking import data
from soapclient.tracking.client import Client
from soapclient.tracking.exports.formats.export_file import ExportFile
from tests.tracking.exports.stage import Stage, looked_at
from zxws.data.service import PACKAGE

FIRST, LAST = date(2026, 11, 1), date(2026, 11, 2)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with ExitStack() as stack:
        yield Stage(tmp_path, stack, clicks_per_day=2000).client(data_protocol="soap")


def test_click_export_runs_from_order_to_rows(client: Client, tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv.gz"
    export = client.data.exports.order(report_type="click", from_date=FIRST, to_date=LAST)
    file = export.wait(deadline=timedelta(minutes=5)).download(target)
    raw = looked_at(target)
    assert file.row_count == len(raw) == 4000
    assert file.size == target.stat().st_size
    assert file.sha256 == hashlib.sha256(target.read_bytes()).hexdigest()
    assert file.columns == tuple(raw[0])
    assert file.drift() is None
    rows = list(file)
    assert [row["clickId"] for row in rows] == [int(cells["clickId"]) for cells in raw]
    fees = sum(Decimal(cells["commission"]) for cells in raw if cells["commission"])
    assert sum(value for row in rows if isinstance(value := row["commission"], Decimal)) == fees
    for name in ("referrer", "userAgent", "zpar0", "zpar1", "programName"):
        assert [row[name] or "" for row in rows] == [cells[name] for cells in raw]
    texts = "".join(str(row["zpar0"]) for row in rows)
    assert "\n" in texts
    assert '"' in texts
    assert not texts.isascii()
    moments = [row["clickDate"] for row in rows]
    assert all(isinstance(moment, datetime) and moment.utcoffset() is not None for moment in moments)
    assert client.drift.counts() == {}
    assert ExportFile.open(target, report_type="click", naive_zone=file.naive_zone) == file


@pytest.mark.exhaustive
def test_chosen_columns_and_groups_are_not_drift(client: Client, tmp_path: Path) -> None:
    def ordered(report_type: str, **options: Any) -> ExportFile:
        order = client.data.exports.order
        export = order(report_type=report_type, from_date=FIRST, to_date=FIRST, **options)
        return export.download(tmp_path / "x.csv.gz")

    assert ordered("custom", columns=("clickId", "country")).columns == ("clickId", "country")
    sales = ordered("custom", columns=("saleId", "amount", "leadId"))
    assert sales.columns == ("saleId", "amount", "leadId")
    assert any(row["amount"] for row in sales)
    assert any(row["leadId"] for row in sales)
    summed = ordered("custom", columns=("programId", "amount"), group_by=("program",))
    assert summed.columns == ("programId", "amount")
    assert 1 < summed.row_count == len({row["programId"] for row in summed})
    assert ordered("click", columns=("clickDate",)).columns == ("clickDate",)
    grouped = ordered("click", group_by=("country", "day"))
    assert grouped.columns[:2] == ("country", "day")
    assert grouped.row_count == len(looked_at(grouped.path)) > 1
    assert all(isinstance(row["commission"], Decimal) for row in grouped)
    assert client.drift.counts() == {}


@pytest.mark.parametrize("contract", ["as it is", "without pages", "without a list"])
def test_all_jobs_are_listed_if_the_contract_has_a_list(
    client: Client, monkeypatch: pytest.MonkeyPatch, contract: str
) -> None:
    """A contract of the user may have no list of jobs, or a list without pages."""
    settings, operations = PACKAGE.settings, PACKAGE.operations
    assert settings.job is not None
    if contract == "without a list":
        settings = msgspec.structs.replace(settings, job=msgspec.structs.replace(settings.job, list=None))
    changed = SimpleNamespace(settings=settings, operations={} if contract == "without pages" else operations)
    monkeypatch.setattr(data, "PACKAGE", changed)
    orders = client.data.exports
    ordered = [orders.order(report_type="click", from_date=day, to_date=day).id for day in (FIRST, LAST)]
    if contract == "without a list":
        with pytest.raises(ConfigError, match="the contract does not have a list of jobs"):
            orders.jobs.require_list()
        return
    jobs: list[Any] = list(orders.jobs.require_list()())
    assert sorted(job.id for job in jobs) == sorted(ordered)
