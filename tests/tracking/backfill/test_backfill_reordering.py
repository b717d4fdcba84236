"""The owner of a job is unclear: ambiguous jobs, jobs unknown to the service, and jobs of another account."""

from __future__ import annotations

import concurrent.futures as cf
from collections.abc import Callable
from typing import Any

import pytest
from werkzeug.wrappers import Request

from soapclient.tracking.backfill import dataset_files
from soapclient.tracking.exports import backfill
from soapclient.tracking.sandbox import JobScript

from .conftest import ORDER, Backfills, Workers


@pytest.mark.exhaustive
def test_job_adopted_by_another_report_is_verified(stage: Backfills) -> None:
    # The first order is lost and has no job. Another day is ordered by hand. The second report of the
    # same run finds that job.
    stage.lose_the_next_order(lambda request: stage.process(request, b"2026-11-01", b"2026-11-03"))
    twice = [{"type": "click", "name": name} for name in ("a", "b")]
    plan = stage.plan(reports=twice, to="2026-11-01")
    summary = backfill(plan, jobs=1, settle=0.0)
    assert [one.partition.split("/")[1] for one in summary.failed] == ["report=a"]
    assert stage.jobs() == 2
    assert backfill(plan, settle=0.0).exit_code == 0
    assert stage.jobs() == 2
    for report in ("a", "b"):
        ((fees,),) = stage.query("SELECT sum(commission) FROM data", report)
        assert fees == stage.click_fees(1)


@pytest.mark.exhaustive
def test_job_is_abandoned_for_all_labels(stage: Backfills, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.lose_the_next_order(lambda request: stage.process(request, b"2026-11-01", b"2026-11-03"))
    labels = [{"name": "a"}, {"name": "b"}]
    one = stage.plan(accounts=labels[:1], to="2026-11-01")
    assert backfill(one, settle=0.0).exit_code == 1
    monkeypatch.setattr("soapclient.tracking.exports.download.download.check_request", lambda *_: False)
    adopted = backfill(one, settle=0.0)
    assert (adopted.done, stage.jobs()) == (1, 1)  # adopted without a check: its days are checked below
    monkeypatch.undo()
    for name, text in stage.environ.items():
        monkeypatch.setenv(name, text)
    both = stage.plan(accounts=labels, to="2026-11-01", output=str(stage.folder / "other"))
    assert backfill(both, settle=0.0).failed == ()
    assert stage.jobs() == 2


@pytest.mark.exhaustive
def test_ambiguous_order_names_its_ledger_and_is_ordered_again_on_request(stage: Backfills) -> None:
    """Two jobs match the lost order, even by their files."""
    orders = stage.lose_the_next_order()
    assert backfill(stage.plan(to="2026-11-01"), settle=0.0).exit_code == 1
    for other in ("one", "another"):
        backfill(stage.plan(work=other, output=str(stage.folder / f"{other}.data"), to="2026-11-01"))
    assert stage.jobs() == 2
    plan = stage.plan(to="2026-11-01")
    (failed,) = backfill(plan, settle=0.0).failed
    assert f"in the state directory {plan.work / 'ledger'}, account id-" in failed.reason
    assert "--reorder" in failed.reason
    assert (len(orders), dataset_files(stage.output)) == (3, [])
    assert stage.run("--reorder").exit_code == 0
    assert len(orders) == 4
    stage.clicks_are_whole(1)


def test_job_unknown_to_the_service_is_kept(stage: Backfills) -> None:
    orders: list[bytes] = []

    def see(request: Request) -> None:
        if ORDER in request.get_data():
            orders.append(request.get_data())

    stage.sandbox.interfere = see
    stage.sandbox.jobs.script(JobScript(forgotten=True))
    plan = stage.plan(to="2026-11-01")
    for _ in range(3):
        (failed,) = backfill(plan, settle=0.0).failed
        assert "does not know export job" in failed.reason
        assert "with --reorder, it orders a new job" in failed.reason
    assert len(orders) == 1
    assert backfill(plan, settle=0.0, reorder=True).done == 1
    assert len(orders) == 2
    stage.clicks_are_whole(1)


def test_reorder_adopts_no_matching_job(stage: Backfills) -> None:
    stage.lose_the_next_order(stage.process)
    plan = stage.plan(to="2026-11-01")
    assert backfill(plan, settle=0.0).exit_code == 1
    assert stage.jobs() == 1
    assert backfill(plan, settle=0.0, reorder=True).done == 1
    assert stage.jobs() == 2


@pytest.mark.exhaustive
def test_worker_with_another_account_sends_nothing(stage: Backfills, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Elsewhere(Workers):
        """An executor that runs tasks at once, with another account in the environment variable."""

        def work(self, future: cf.Future[Any], task: Callable[[], object]) -> None:
            with monkeypatch.context() as there:
                there.setenv("SOAPCLIENT_CONNECT_ID", "ABCDEFABCDEFABCDEFAB")
                stage.sandbox.interfere = lambda request: asked.append(request.path)
                future.set_result(task())
                stage.sandbox.interfere = None

    plan = stage.plan()
    summary = backfill(plan, Elsewhere(), jobs=1)
    assert len(summary.failed) == 4
    for failed in summary.failed:
        assert "SOAPCLIENT_CONNECT_ID names another account in this process" in failed.reason
        assert "ABCDEF" not in failed.reason
    assert asked == []
    assert backfill(plan).done == 4
    assert stage.jobs() == 4
