"""Single exports and backfills of one account: neither adopts a job that the other ordered."""

from __future__ import annotations

import csv
import gzip
from datetime import date

import pytest
from click.testing import CliRunner, Result

from soapclient.cli.application import cli
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, JobScript

from .conftest import Backfills

pytestmark = [pytest.mark.usefixtures("leaping"), pytest.mark.exhaustive]

FIRST = date(2026, 11, 1)
DAY = ("--from", "2026-11-01", "--to", "2026-11-01")
SLOW = JobScript(states=("created", "running", "running"))


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soapclient.tracking.exports.export.SETTLE", 0.0)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def a_filtered_export(stage: Backfills) -> tuple[str, ...]:
    """The command for the clicks of one program on one day; its rows alone do not tell it from all clicks."""
    clicks = stage.sandbox._store.of(SAMPLE_CONNECT_ID).clicks
    program = next(slot.program.id for slot in clicks.slots if clicks.count(FIRST, slot))
    return ("export", "click", *DAY, "--program-id", str(program), "-o", str(stage.folder / "some.csv.gz"))


def test_backfill_does_not_take_the_job_of_a_single_export(stage: Backfills) -> None:
    some = a_filtered_export(stage)
    stage.sandbox.jobs.script(SLOW)
    assert run(*some, "--deadline", "0").exit_code == 10
    stage.plan(to="2026-11-01")
    stage.lose_the_next_order()
    assert stage.run().exit_code == 1
    again = stage.run()
    assert again.exit_code == 0, again.output
    stage.clicks_are_whole(1)
    assert stage.jobs() == 2
    assert run(*some).exit_code == 0
    assert stage.jobs() == 2


def test_single_export_does_not_take_the_job_of_a_backfill(stage: Backfills) -> None:
    stage.sandbox.jobs.script(SLOW)
    stage.plan(to="2026-11-01", deadline=0.01)
    assert stage.run().exit_code == 1
    stage.lose_the_next_order()
    some = a_filtered_export(stage)
    assert run(*some).exit_code == 8
    assert run(*some).exit_code == 0
    with gzip.open(stage.folder / "some.csv.gz", "rt", encoding="utf-8", newline="") as file:
        assert {row["programId"] for row in csv.DictReader(file)} == {some[7]}
    assert stage.jobs() == 2
    stage.plan(to="2026-11-01")
    assert stage.run().exit_code == 0
    assert stage.jobs() == 2
    stage.clicks_are_whole(1)
