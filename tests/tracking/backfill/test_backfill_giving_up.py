"""Jobs that never produce a valid file: kept for some runs or until --reorder, and ordered again once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soapclient.tracking.backfill import Plan, Summary, dataset_files
from soapclient.tracking.backfill.orders import MOST, BadFileCounts
from soapclient.tracking.exports import backfill
from soapclient.tracking.exports.orders.ledger import Ledger, account_of
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, JobScript
from soapclient.tracking.sandbox.operations import jobs as ordering
from tests.tracking.exports.stage import without_the_last

from .conftest import Backfills

pytestmark = pytest.mark.usefixtures("leaping")

ONE_DAY = {"to": "2026-11-01"}


def reason(summary: Summary) -> str:
    (failed,) = summary.failed
    return failed.reason


def of_one_day(stage: Backfills, **changed: object) -> Plan:
    return stage.plan(**ONE_DAY, **changed)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("script", [JobScript(damage="truncated"), JobScript(rows_off_by=1)])
def test_job_with_a_wrong_file_is_abandoned_after_some_runs(stage: Backfills, script: JobScript) -> None:
    stage.sandbox.jobs.script(script)
    plan = of_one_day(stage)
    for _ in range(MOST - 1):
        assert "The next run tries again; with --reorder, it orders a new job." in reason(backfill(plan))
        assert stage.jobs() == 1
    assert backfill(plan).done == 1
    assert stage.jobs() == 2
    stage.clicks_are_whole(1)
    assert json.loads((plan.work / "setbacks.json").read_text()) == {account_of(SAMPLE_CONNECT_ID): {}}


@pytest.mark.exhaustive
def test_replacement_job_has_the_same_number_of_runs(stage: Backfills) -> None:
    stage.sandbox.jobs.script(*[JobScript(damage="corrupt")] * 2)
    plan = of_one_day(stage)
    jobs = []
    for _ in range(2 * MOST):
        done = backfill(plan).done
        jobs.append(stage.jobs())
    # The second job is ordered in the last run of the first. This run counts for both.
    assert jobs == [1] * (MOST - 1) + [2] * (MOST - 1) + [3] * 2
    assert done == 0  # everything was done before
    stage.clicks_are_whole(1)


@pytest.mark.exhaustive
def test_labels_that_share_a_job_count_runs_once_and_share_its_replacement(stage: Backfills) -> None:
    stage.sandbox.jobs.script(JobScript(damage="corrupt"))
    plan = of_one_day(stage, accounts=[{"name": "a"}, {"name": "b"}])
    for _ in range(MOST - 1):
        assert len(backfill(plan, jobs=1).failed) == 2
        assert stage.jobs() == 1
    assert backfill(plan, jobs=1).done == 2
    assert stage.jobs() == 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "script", [JobScript(damage="truncated"), JobScript(rows_off_by=-1), JobScript(stuck="running")]
)
def test_reorder_replaces_the_job_at_once(stage: Backfills, script: JobScript) -> None:
    stage.sandbox.jobs.script(script)
    plan = of_one_day(stage, deadline=60)
    refused = stage.run()
    assert refused.exit_code == 1
    assert "with --reorder, it orders a new job" in refused.stderr
    assert backfill(plan, reorder=True).done == 1
    assert stage.jobs() == 2
    stage.clicks_are_whole(1)


@pytest.mark.exhaustive
def test_slow_job_is_never_abandoned_automatically(stage: Backfills) -> None:
    stage.sandbox.jobs.script(JobScript(stuck="running"))
    plan = of_one_day(stage, deadline=60)
    for _ in range(MOST + 1):
        assert "last state 'running'" in reason(backfill(plan))
    assert stage.jobs() == 1


@pytest.mark.exhaustive
def test_reorder_replaces_a_job_of_other_columns(stage: Backfills, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = of_one_day(stage, on_drift="error")
    with monkeypatch.context() as before:
        before.setattr(ordering, "header", without_the_last)
        for _ in range(MOST + 1):
            assert "with --reorder, it orders a new job" in reason(backfill(plan))
    assert stage.jobs() == 1
    assert backfill(plan, reorder=True).done == 1
    assert stage.jobs() == 2


@pytest.mark.exhaustive
def test_reorder_keeps_complete_partitions_and_orders_a_request_once(stage: Backfills) -> None:
    assert backfill(of_one_day(stage)).done == 1
    # Another label of the same account has the same job, which is in the dataset.
    both = of_one_day(stage, accounts=[{"name": "main"}, {"name": "other"}])
    assert backfill(both, reorder=True).done == 1
    assert stage.jobs() == 1
    stage.sandbox.jobs.script(JobScript(stuck="running"))
    twice = [{"type": "click", "name": name} for name in ("a", "b")]
    days = {"from": "2026-11-02", "to": "2026-11-02"}
    labels = [{"name": "main"}, {"name": "other"}]
    assert len(backfill(stage.plan(reports=twice, accounts=labels, deadline=60, **days)).failed) == 4
    assert stage.jobs() == 2
    assert backfill(stage.plan(reports=twice, accounts=labels, **days), reorder=True).done == 4
    assert stage.jobs() == 3


@pytest.mark.exhaustive
def test_reorder_replaces_the_job_of_a_stale_partition(stage: Backfills) -> None:
    assert backfill(of_one_day(stage)).done == 1
    (manifest,) = Path(stage.output).rglob("_manifest.json")
    text = manifest.read_text()
    (line,) = [line for line in text.splitlines() if "contract_sha256" in line]
    manifest.write_text(text.replace(line, ' "contract_sha256": "that of an older one",'))
    summary = backfill(of_one_day(stage), reorder=True)
    assert (summary.done, summary.stale, stage.jobs()) == (1, 1, 2)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"a": 5}', '{"a": {"j": "x", "k": true, "l": -1}}', '{"a": {"j": 2, "\\ud800": 1}}'],
)
def test_unreadable_counts_start_at_zero(tmp_path: Path, content: str) -> None:
    path = tmp_path / "setbacks.json"
    path.write_text(content)
    for run in (1, 2):
        counts = BadFileCounts(path)
        assert [counts.add("a", job) for job in ("j", "k", "l", "j")] == [run] * 4
    counts.clear("a", "j")
    assert BadFileCounts(path).add("a", "j") == 1


def test_unwritable_counts_are_not_an_error(tmp_path: Path) -> None:
    counts = BadFileCounts(tmp_path / "nowhere" / "setbacks.json")
    assert counts.add("a", 1) == 1
    counts.clear("a", 1)


def test_state_folder_of_single_exports_is_not_used(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A truncated file there for the same request is not read while a partition is fetched."""
    state = stage.folder / "state"
    ledger = Ledger(state, account=account_of(SAMPLE_CONNECT_ID))
    days = {"from_date": "2026-11-01", "to_date": "2026-11-01"}
    key = ledger.key({"report_type": "click", **days})
    ledger.folder.mkdir(parents=True)
    (ledger.folder / f"click_2026-11-01_2026-11-01_{key}.json").write_text("{")
    monkeypatch.setenv("SOAPCLIENT_STATE_DIR", str(state))
    assert backfill(of_one_day(stage)).failed == ()
    assert len(dataset_files(stage.output)) == 1
