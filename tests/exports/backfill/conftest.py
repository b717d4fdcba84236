"""A sandbox over real HTTP whose jobs are done at once, plans against it, and what it has itself to say."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from soapclient.backfill import Plan, dataset_files
from soapclient.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, JobSteps, Sandbox, Serving, serve

FIRST = date(2026, 11, 1)
PER_DAY = 40


@dataclass
class Stage:
    """A sandbox, a folder, and the environment that leads from one to the other."""

    sandbox: Sandbox
    serving: Serving
    folder: Path
    environ: Mapping[str, str]

    @property
    def output(self) -> str:
        return str(self.folder / "dataset")

    def plan(self, **changed: object) -> Plan:
        """Read a plan from a file: clicks of four days, a partition each, unless changed."""
        values: dict[str, object] = {
            "output": self.output,
            "work": str(self.folder / "work"),
            "from": "2026-11-01",
            "to": "2026-11-04",
            "accounts": [{"name": "main"}],
            "reports": [{"type": "click"}],
            **changed,
        }
        file = self.folder / "plan.toml"
        file.write_text("".join(f"{key} = {toml(value)}\n" for key, value in values.items()))
        return Plan.load(file)

    def jobs(self) -> int:
        """How many jobs the service was asked for."""
        return len(self.sandbox.jobs.of(SAMPLE_CONNECT_ID))

    def click_fees(self, days: int, first: date = FIRST) -> Decimal:
        """The sum of all commissions of the clicks of some days, from the sandbox's data, not its exports."""
        clicks = self.sandbox.store.of(SAMPLE_CONNECT_ID).clicks
        return sum(
            (
                clicks.count(first + timedelta(days=day), slot) * slot.fee
                for day in range(days)
                for slot in clicks.slots
            ),
            Decimal(0),
        )

    def sales_amount(self, days: int) -> tuple[int, Decimal]:
        """How many sales the first days have, and their amounts."""
        sales = self.sandbox.store.of(SAMPLE_CONNECT_ID).sales
        found = [one for day in range(days) for one in sales.on(FIRST + timedelta(days=day), "trackingDate")]
        return len(found), sum((one.amount for one in found), Decimal(0))

    def query(self, sql: str, report: str = "click") -> list[tuple[object, ...]]:
        """Ask DuckDB; `data` is a report's part of the dataset, by its manifests."""
        files = [file for file in dataset_files(self.output) if f"/report={report}/" in file]
        with duckdb.connect() as connection:
            data = connection.read_parquet(files, hive_partitioning=True, union_by_name=True)
            result = data.query("data", sql)
            assert result is not None  # as it is for what gives no rows to speak of
            return result.fetchall()

    def clicks_are_whole(self, days: int) -> None:
        """Every click of the first days stands in the dataset, once."""
        rows, ids, fees = self.query("SELECT count(*), count(DISTINCT clickId), sum(commission) FROM data")[0]
        assert (rows, ids, fees) == (days * PER_DAY, days * PER_DAY, self.click_fees(days))

    def names(self) -> list[str]:
        """All files of the dataset, whether they are part of it or not."""
        root = Path(self.output)
        return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    for name in [name for name in os.environ if name.startswith("SOAPCLIENT_")]:
        monkeypatch.delenv(name)
    at_once = JobSteps(running=timedelta(0), done=timedelta(0))
    with Sandbox(clicks_per_day=PER_DAY, job_steps=at_once) as sandbox, serve(sandbox) as serving:
        environ = {
            "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
            "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
            "SOAPCLIENT_DATA_URL": serving.url,
        }
        for name, text in environ.items():
            monkeypatch.setenv(name, text)
        yield Stage(sandbox, serving, tmp_path, environ)
