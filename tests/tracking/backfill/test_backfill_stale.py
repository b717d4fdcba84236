"""The effects of a changed plan, a changed contract or a damaged file on a complete dataset."""

from __future__ import annotations

import concurrent.futures as cf
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from soapclient.errors import ConfigError, ResponseError
from soapclient.tracking.backfill import BackfillProblem, Progress, dataset, dataset_files, verify
from soapclient.tracking.backfill.store import open_store
from soapclient.tracking.exports import backfill
from zxws.data.service import PACKAGE

from .conftest import Backfills, Workers

FOLDER = "account=main/report=click/date=2026-11-02"


def the_file(stage: Backfills) -> Path:
    (found,) = (Path(stage.output) / FOLDER).glob("*.parquet")
    return found


@pytest.mark.exhaustive
def test_a_changed_option_makes_its_partitions_stale_and_no_others(stage: Backfills) -> None:
    reports = [{"type": "click"}, {"type": "clickin"}]
    backfill(stage.plan(reports=reports))
    assert stage.jobs() == 8
    changed = stage.plan(reports=[{"type": "click", "options": {"currency": "EUR"}}, {"type": "clickin"}])
    assert [(one.kind, one.partition) for one in verify(changed).problems] == [
        ("stale", f"account=main/report=click/date=2026-11-0{day}") for day in range(1, 5)
    ]
    summary = backfill(changed)
    assert (summary.skipped, summary.done, summary.stale) == (4, 4, 4)
    assert stage.jobs() == 12
    assert stage.query("SELECT DISTINCT currency FROM data") == [("EUR",)]
    assert verify(changed).problems == ()
    assert len(stage.names()) == 16
    # And back: the first jobs are in the ledger.
    assert backfill(stage.plan(reports=reports)).stale == 4
    assert stage.jobs() == 12
    stage.clicks_are_whole(4)


@pytest.mark.exhaustive
def test_a_changed_contract_makes_its_report_stale(stage: Backfills, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = stage.plan(reports=[{"type": "click"}, {"type": "clickin"}])
    backfill(plan)
    tables = PACKAGE.settings
    fewer = replace(tables, columns={**tables.columns, "click": tables.columns["click"][:-1]})
    monkeypatch.setattr(dataset.contract_sha256, "__defaults__", (fewer,))
    assert {(one.kind, one.reason) for one in verify(plan).problems} == {
        ("stale", "the contract has changed since the partition was written")
    }
    summary = backfill(plan)
    assert (summary.skipped, summary.done, summary.stale) == (4, 4, 4)
    assert verify(plan).problems == ()


@pytest.mark.exhaustive
def test_unchanged_gzip_csv_does_not_depend_on_the_contract(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Types matter only to the reader. A client that knows more columns orders nothing again."""
    reports: list[dict[str, object]] = [
        {"type": "click"},
        {"type": "sale"},
        {"type": "click", "name": "grouped", "options": {"group_by": "country"}},
        {"type": "custom", "options": {"columns": "clickId,country"}},
    ]
    plan = stage.plan(reports=reports, format="csv.gz")
    backfill(plan)
    jobs = stage.jobs()
    tables = PACKAGE.settings
    fewer = replace(tables, columns={"click": tables.columns["click"][:3]}, sums={}, chosen={})
    monkeypatch.setattr(dataset.contract_sha256, "__defaults__", (fewer,))
    types = {"clickId": "xsd:string"}
    for again in (plan, stage.plan(reports=[{**one, "types": types} for one in reports], format="csv.gz")):
        assert verify(again).problems == ()
        assert (backfill(again).skipped, stage.jobs()) == (16, jobs)


@pytest.mark.exhaustive
def test_another_format_replaces_the_files(stage: Backfills) -> None:
    backfill(stage.plan())
    assert backfill(stage.plan(format="csv.gz")).stale == 4
    assert [name.partition(".")[2] for name in stage.names() if "part-" in name] == ["csv.gz"] * 4
    assert stage.jobs() == 4


def test_verify_finds_a_flipped_byte_and_recheck_repairs_it(stage: Backfills) -> None:
    plan = stage.plan()
    backfill(plan)
    file = the_file(stage)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    found = verify(plan)
    assert found.exit_code == 1
    assert (found.whole, found.rows) == (3, 120)
    assert [(one.partition, one.kind) for one in found.problems] == [(FOLDER, "damaged")]
    assert "SHA-256" in found.problems[0].reason
    assert backfill(plan).done == 0
    assert backfill(plan, recheck=True).done == 1
    assert verify(plan).exit_code == 0
    assert stage.jobs() == 4
    stage.clicks_are_whole(4)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("harm", ["gone", "short"])
def test_run_and_verify_find_a_missing_or_short_file(stage: Backfills, harm: str) -> None:
    plan = stage.plan()
    backfill(plan)
    file = the_file(stage)
    if harm == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:-1])
    (problem,) = verify(plan).problems
    assert (problem.partition, problem.kind) == (FOLDER, "damaged")
    assert file.name in problem.reason
    assert backfill(plan).done == 1
    assert verify(plan).problems == ()
    stage.clicks_are_whole(4)


HALF = json.dumps("\ud800")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((key, HALF) for key in ("account", "file", "job_id", "sha256", "report")),
        ("file", '"a\\u0000b"'),
        ("file", '"../part"'),
        ("account_id", "[]"),
        ("request", "1"),
        ("job_id", "[]"),
        ("rows", "true"),
        ("format", "{}"),
        *(("", whole) for whole in ("", "{}", '{"version": 2}', "[" * 100_000)),
    ],
)
def test_invalid_manifest_is_a_problem_and_replaced(stage: Backfills, key: str, value: str) -> None:
    plan = stage.plan(to="2026-11-02")
    backfill(plan)
    path = Path(stage.output) / FOLDER / "_manifest.json"
    good = json.loads(path.read_text())
    path.write_text(json.dumps(good | {key: "THIS"}).replace('"THIS"', value) if key else value)
    (problem,) = verify(plan).problems
    assert (problem.partition, problem.kind) == (FOLDER, "damaged")
    problem.reason.encode()
    assert backfill(plan).done == 1
    stage.clicks_are_whole(2)


@pytest.mark.exhaustive
def test_verify_names_missing_partitions(stage: Backfills) -> None:
    backfill(stage.plan())
    found = verify(stage.plan(to="2026-11-05"))
    new = "account=main/report=click/date=2026-11-05"
    assert found.problems == (BackfillProblem(new, "missing", "it does not exist yet"),)
    assert stage.jobs() == 4


@pytest.mark.exhaustive
@pytest.mark.parametrize(("before", "after"), [(1, 4), (4, 1), (2, 3), (3, 2)])
def test_changed_windows_replace_old_files_without_duplicate_rows(
    stage: Backfills, before: int, after: int
) -> None:
    backfill(stage.plan(to="2026-11-12", days=before))
    stage.clicks_are_whole(12)
    most = 0

    def look(_: object) -> None:
        nonlocal most
        ((rows, ids),) = stage.query("SELECT count(*), count(DISTINCT clickId) FROM data")
        assert rows == ids
        most = max(most, int(str(rows)))

    assert backfill(stage.plan(to="2026-11-12", days=after), on_progress=look).failed == ()
    assert most == 480
    stage.clicks_are_whole(12)
    assert len(dataset_files(stage.output)) == 12 // after
    assert len(stage.names()) == 2 * (12 // after)


def test_days_outside_the_plan_are_kept_from_old_partitions(stage: Backfills) -> None:
    backfill(stage.plan(days=4))
    said = r"includes only some days of the partition .*2026-11-01 to 2026-11-04"
    with pytest.raises(ConfigError, match=said) as caught:
        backfill(stage.plan(**{"from": "2026-11-03"}))
    assert caught.value.setting == "from"
    stage.clicks_are_whole(4)
    assert stage.jobs() == 1


@pytest.mark.exhaustive
def test_label_that_now_means_another_account_is_detected(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = stage.plan()
    backfill(plan)
    monkeypatch.setenv("SOAPCLIENT_CONNECT_ID", "ABCDEFABCDEFABCDEFAB")
    summary = backfill(plan)
    assert len(summary.failed) == 4  # the sandbox does not know this account
    assert "refused the credentials" in summary.failed[0].reason
    stage.clicks_are_whole(4)


@pytest.mark.exhaustive
def test_file_shared_with_a_removed_partition_is_kept(stage: Backfills) -> None:
    """Files are named by their content: empty files of one day and of two days have the same name."""

    class LastFirst(Workers):
        """An executor that runs tasks at once, but reports the first one only when `tell` is called."""

        def __init__(self) -> None:
            self.held: list[Callable[[], None]] = []

        def work(self, future: cf.Future[Any], task: Callable[[], object]) -> None:
            result = task()
            if self.held:
                future.set_result(result)
            else:
                self.held.append(lambda: future.set_result(result))

        def tell(self, now: Progress) -> None:
            if now.done == 1:
                self.held[0]()

    none = [{"type": "click", "options": {"currency": "XXX"}}]
    before = stage.plan(reports=none, format="csv.gz", to="2026-11-02", days=2)
    assert (backfill(before).done, backfill(before).skipped) == (1, 1)
    after = stage.plan(reports=none, format="csv.gz", to="2026-11-02", days=1)
    executor = LastFirst()
    summary = backfill(after, executor, executor.tell, jobs=2)
    assert (summary.done, summary.rows, summary.failed) == (2, 0, ())
    assert verify(after).problems == ()
    assert len(dataset_files(stage.output)) == 2


@pytest.mark.exhaustive
def test_leftovers_of_other_windows_are_removed_by_the_next_run(stage: Backfills) -> None:
    """Simulates a kill between two steps: complete partitions stay, and the ones they replace are removed."""
    backfill(stage.plan())
    old = Path(stage.output) / FOLDER
    kept = {path.name: path.read_bytes() for path in old.iterdir()}
    plan = stage.plan(days=2)
    backfill(plan)
    assert not old.exists() or list(old.iterdir()) == []
    old.mkdir(exist_ok=True)
    for name, content in kept.items():
        (old / name).write_bytes(content)
    new = "account=main/report=click/date=2026-11-01"  # both days
    assert BackfillProblem(new, "stale", f"{FOLDER} also includes some of its days") in verify(plan).problems
    jobs = stage.jobs()
    summary = backfill(plan)
    assert (summary.done, summary.stale, stage.jobs()) == (1, 1, jobs)
    assert verify(plan).problems == ()
    stage.clicks_are_whole(4)


@pytest.mark.exhaustive
def test_verify_reports_progress(stage: Backfills) -> None:
    plan = stage.plan()
    backfill(plan)
    told: list[tuple[int, int]] = []
    verify(plan, lambda done, of: told.append((done, of)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.exhaustive
def test_file_removed_during_verification_is_missing(stage: Backfills) -> None:
    backfill(stage.plan())
    store = open_store(stage.output)
    manifest = dataset.manifests(store, list(store.files()))[FOLDER]
    assert dataset.content_problem(store, FOLDER, manifest) is None
    the_file(stage).unlink()
    assert dataset.content_problem(store, FOLDER, manifest) == f"its file {manifest.file} is missing"


@pytest.mark.exhaustive
def test_dataset_without_readable_manifests_is_refused_to_readers(stage: Backfills) -> None:
    backfill(stage.plan())
    (Path(stage.output) / FOLDER / dataset.NAME).write_bytes(b"{}")
    with pytest.raises(ResponseError, match=dataset.NAME):
        dataset_files(stage.output)
