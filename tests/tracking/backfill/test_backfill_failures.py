"""Failed partitions are reported with their reasons. The others continue; the next run fills the gaps."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import fsspec
import pytest

from soapclient.tracking.backfill import Progress, Summary, verify
from soapclient.tracking.backfill.orders import Orders
from soapclient.tracking.exports import backfill
from soapclient.tracking.exports.export import Orders as ExportOrders
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.sandbox import JobScript
from soapclient.tracking.sandbox.operations import jobs as ordering
from tests.tracking.exports.stage import without_the_last

from .conftest import Backfills, Leaping

pytestmark = pytest.mark.usefixtures("leaping")


def failed(summary: Summary) -> dict[str, str]:
    return {one.partition.rpartition("=")[2]: one.reason for one in summary.failed}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (JobScript(fail="no disk left"), "no disk left"),
        (JobScript(damage="corrupt"), "the file is damaged"),
        (JobScript(rows_off_by=1), "41 rows"),
        (JobScript(stuck="mulling"), "last state 'mulling'"),
        (JobScript(busy_downloads=10**6), "503"),
        (JobScript(breaks=10**6, ranges=False), "connection"),
        (JobScript(stale_addresses=10), "has expired"),
        (JobScript(forgotten=True), "does not know export job"),
    ],
)
def test_failed_partition_does_not_affect_others(stage: Backfills, script: JobScript, reason: str) -> None:
    """The job of the first partition fails, too, but only for a while."""
    stage.sandbox.jobs.script(JobScript(busy_looks=3, breaks=6), script)
    plan = stage.plan(to="2026-11-03", deadline=60)
    summary = backfill(plan, jobs=1)
    assert summary.exit_code == 1
    assert (summary.done, list(failed(summary))) == (2, ["2026-11-02"])
    assert reason in failed(summary)["2026-11-02"]
    ((rows, ids),) = stage.query("SELECT count(*), count(DISTINCT clickId) FROM data")
    assert rows == ids == 80
    assert [one.partition for one in verify(plan).problems] == ["account=main/report=click/date=2026-11-02"]
    assert len(stage.names()) == 4  # files and their manifests; nothing of the failed one
    assert stage.jobs() == (2 if script.forgotten else 3)


def test_too_slow_download_fails_its_partition(stage: Backfills, leaping: Leaping) -> None:
    stage.sandbox.jobs.script(JobScript(pace=lambda: leaping.lose(61.0)))
    summary = backfill(stage.plan(to="2026-11-01", deadline=60))
    assert "downloading its file" in failed(summary)["2026-11-01"]


@pytest.mark.exhaustive
def test_failed_job_is_ordered_again_by_the_next_run(stage: Backfills) -> None:
    stage.sandbox.jobs.script(JobScript(fail="no disk left"))
    assert backfill(stage.plan()).exit_code == 1
    assert backfill(stage.plan()).exit_code == 0
    assert stage.jobs() == 5
    stage.clicks_are_whole(4)


@pytest.mark.exhaustive
def test_expired_job_is_ordered_again_once_through_the_ledger(stage: Backfills) -> None:
    stage.sandbox.jobs.script(JobScript(expire=True))
    assert backfill(stage.plan(to="2026-11-01")).exit_code == 0
    assert stage.jobs() == 2
    stage.clicks_are_whole(1)
    stage.sandbox.jobs.script(JobScript(expire=True), JobScript(expire=True))
    summary = backfill(stage.plan(to="2026-11-02"))
    assert (stage.jobs(), list(failed(summary))) == (4, ["2026-11-02"])
    assert "expired" in failed(summary)["2026-11-02"]
    assert backfill(stage.plan(to="2026-11-02")).exit_code == 0
    assert stage.jobs() == 5


@pytest.mark.exhaustive
def test_lost_order_fails_and_its_job_is_found_by_the_next_run(stage: Backfills) -> None:
    stage.lose_the_next_order(stage.process)
    summary = backfill(stage.plan(), settle=0.0)
    assert list(failed(summary)) == ["2026-11-01"]
    assert "may have been processed" in failed(summary)["2026-11-01"]
    assert "its job is searched for first" in failed(summary)["2026-11-01"]
    assert stage.jobs() == 4
    assert backfill(stage.plan(), settle=0.0).exit_code == 0
    assert stage.jobs() == 4
    stage.clicks_are_whole(4)


@pytest.mark.parametrize("format", ["parquet", "csv.gz"])
def test_other_columns_fail_a_partition_if_the_plan_says_so(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.setattr(ordering, "header", without_the_last)
    asked = [{"type": "click"}, {"type": "click", "name": "by-day", "options": {"group_by": ["day"]}}]
    strict = stage.plan(reports=asked, format=format, to="2026-11-01", on_drift="error")
    summary = backfill(strict)
    assert summary.done == 1  # the drift does not affect a grouped report
    (fault,) = summary.failed
    assert fault.partition == "account=main/report=click/date=2026-11-01"
    assert "not the columns of the contract for click (missing: " in fault.reason
    assert list((strict.work / "staging").iterdir()) == []
    assert backfill(stage.plan(reports=asked, format=format, to="2026-11-01")).done == 1
    assert stage.jobs() == 2


def test_labels_that_share_an_expired_job_share_the_new_one(stage: Backfills) -> None:
    stage.sandbox.jobs.script(JobScript(expire=True))
    accounts = [{"name": "a"}, {"name": "b"}]
    assert backfill(stage.plan(accounts=accounts, to="2026-11-01")).exit_code == 0
    assert stage.jobs() == 2


@pytest.mark.exhaustive
def test_broken_executor_is_reported_and_nothing_more_is_ordered(stage: Backfills) -> None:
    with ThreadPoolExecutor(1) as executor:

        def end_it(now: Progress) -> None:
            if now.done:
                executor.shutdown()

        summary = backfill(stage.plan(), executor, end_it, jobs=1)
    assert (summary.done, len(summary.failed)) == (1, 3)
    reasons = {one.reason.partition(":")[0] for one in summary.failed}
    assert reasons == {"the executor no longer accepts tasks"}
    assert stage.jobs() == 2
    assert backfill(stage.plan()).done == 3
    assert stage.jobs() == 4


@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", ["output", "staging"])
def test_nothing_is_ordered_for_an_unwritable_output(stage: Backfills, what: str) -> None:
    plan = stage.plan()
    blocked = Path(stage.output) if what == "output" else plan.work / "staging"
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("no folder")
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        backfill(plan)
    assert stage.jobs() == 0
    blocked.unlink()
    assert backfill(plan).failed == ()
    assert len(stage.names()) == 8


@pytest.mark.exhaustive
def test_nothing_is_ordered_for_an_unwritable_object_store(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse = Mock(side_effect=PermissionError(13, "Access Denied"))
    with monkeypatch.context() as patch:
        patch.setattr(fsspec.get_filesystem_class("memory"), "pipe_file", refuse)
        with pytest.raises(PermissionError, match="Access Denied"):
            backfill(stage.plan(output="memory://refusing"))
    assert stage.jobs() == 0
    assert backfill(stage.plan(output="memory://refusing")).failed == ()
    assert len(fsspec.filesystem("memory").find("/refusing")) == 8
    fsspec.filesystem("memory").rm("/refusing", recursive=True)


@pytest.mark.exhaustive
def test_unwritable_ledger_fails_the_partition_and_the_next_run_recovers(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    with monkeypatch.context() as patch:
        patch.setattr(Orders, "mark_complete", full)
        summary = backfill(stage.plan(to="2026-11-01"))
    assert [one.reason for one in summary.failed] == ["[Errno 28] No space left on device"]
    assert stage.jobs() == 1
    assert backfill(stage.plan(to="2026-11-01")).failed == ()
    assert stage.jobs() == 1
    stage.clicks_are_whole(1)


def test_disk_error_names_the_file_and_fails_only_its_partition(stage: Backfills) -> None:
    labels = [{"name": "a"}, {"name": "b"}]
    in_the_way = Path(stage.output) / "account=a"
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_text("a file where a folder is needed")
    plan = stage.plan(accounts=labels, to="2026-11-01")
    summary = backfill(plan)
    assert summary.done == 1
    (failed,) = summary.failed
    assert failed.partition == "account=a/report=click/date=2026-11-01"
    assert failed.reason == f"{in_the_way}/report=click: Not a directory"
    in_the_way.unlink()
    jobs = stage.jobs()
    assert backfill(plan).failed == ()
    assert stage.jobs() == jobs


@pytest.mark.exhaustive
def test_gzip_csv_works_on_a_file_system_without_links(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse = Mock(side_effect=PermissionError(errno.EPERM, "Operation not permitted"))
    monkeypatch.setattr(os, "link", refuse)
    plan = stage.plan(format="csv.gz")
    assert backfill(plan).done == 4
    assert verify(plan).problems == ()
    assert not list((stage.folder / "work").rglob("*.csv.gz*"))


def test_order_removed_from_the_ledger_must_be_verified_by_its_file(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ExportOrders.place_once

    def placed(
        self: ExportOrders, ledger: Ledger, request: Mapping[str, JobId], **options: float
    ) -> ExportHandle:
        handle = place(self, ledger, request, **options)  # type: ignore[arg-type]  # passed through
        ledger.forget(ledger.key(request))
        return handle

    monkeypatch.setattr(ExportOrders, "place_once", placed)
    nothing = {"type": "click", "name": "nothing", "options": {"currency": "XXX"}}  # no rows, and so no days
    summary = backfill(stage.plan(reports=[nothing, {"type": "click"}], to="2026-11-01"))
    (only,) = summary.failed
    assert only.partition == "account=main/report=nothing/date=2026-11-01"
    assert "does not show whether its days" in only.reason
    assert "with --reorder, it orders a new job" in only.reason
    assert summary.done == 1
