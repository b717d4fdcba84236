"""What a backfill syncs to disk: orders, data and manifests survive a power failure, in this order."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from soapclient.tracking.exports import backfill
from tests.support.syncs import NEEDS_PROC, record_syncs

from .conftest import Backfills

pytestmark = NEEDS_PROC

FOLDER = "dataset/account=main/report=click/date=2026-11-01"


@pytest.fixture
def steps(stage: Backfills, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Syncs and renames in their order, with paths below the stage's folder and without random parts."""

    def shown(path: Path) -> str:
        text = path.relative_to(Path(stage.output).parent).as_posix()
        return re.sub(r"[0-9a-f]{16}(-[0-9a-f]{8})?|part-[0-9a-f]{32}", "*", text)

    return record_syncs(monkeypatch, shown, lambda _, new: f"name {shown(new)}")


@pytest.mark.parametrize("format", ["parquet", "csv.gz"])
def test_order_data_and_manifest_are_synced_and_staged_files_are_not(
    stage: Backfills, steps: list[str], format: str
) -> None:
    assert backfill(stage.plan(to="2026-11-01", format=format)).failed == ()
    order = [step for step in steps if "/click_" in step and "/ledger/" in step]
    record = re.sub("^sync |.part$", "", order[0])
    assert order == [f"sync {record}.part", f"name {record}"] * 2  # before it is sent, and with its job
    assert steps.count(f"sync {Path(record).parent}") == 2
    assert [step for step in steps if FOLDER in step] == [
        f"sync {FOLDER}/*.{format}.*.part",
        f"name {FOLDER}/*.{format}",
        f"sync {FOLDER}/_manifest.json.*.part",
        f"name {FOLDER}/_manifest.json",
        f"sync {FOLDER}",
    ]
    assert f"sync {Path(FOLDER).parent}" in steps
    assert not any(step.startswith("sync work/staging") for step in steps)


def test_new_data_is_durable_before_partitions_that_it_replaces_are_removed(
    stage: Backfills, steps: list[str]
) -> None:
    assert backfill(stage.plan(to="2026-11-02", format="csv.gz")).failed == ()
    del steps[:]
    assert backfill(stage.plan(to="2026-11-02", format="csv.gz", days=2)).failed == ()
    second_day = FOLDER.replace("11-01", "11-02")
    assert steps.index(f"name {FOLDER}/*.csv.gz") < steps.index(f"sync {FOLDER}")
    assert steps.index(f"sync {FOLDER}") < steps.index(f"sync {second_day}")  # its partition is removed


def test_files_of_the_dataset_have_the_default_mode(stage: Backfills) -> None:
    mask = os.umask(0o027)
    try:
        assert backfill(stage.plan(to="2026-11-01")).failed == ()
    finally:
        os.umask(mask)
    files = [path for path in Path(stage.output).rglob("*") if path.is_file()]
    assert len(files) == 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o640}
