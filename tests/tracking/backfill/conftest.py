"""A sandbox over real HTTP whose jobs are done at once, plans for it, and its own data to compare with."""

from __future__ import annotations

import concurrent.futures as cf
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pytest
from click.testing import CliRunner, Result
from werkzeug.wrappers import Request, Response

from soapclient.cli.application import cli
from soapclient.tracking.backfill import Plan, dataset_files, task
from soapclient.tracking.sandbox import (
    SAMPLE_CONNECT_ID,
    SAMPLE_SECRET_KEY,
    JobSteps,
    Sandbox,
    Serving,
    serve,
)

T = TypeVar("T")
FIRST = date(2026, 11, 1)
PER_DAY = 40
PLACES = ("programId", "adspaceId", "admediumId")
OF_TRANSACTIONS = (*PLACES, "trackingCategoryId", "clickId", "clickInId", "commission")
ORDER = b"CreateReportJobRequest"
NUMBERS = {
    "click": ("clickId", *PLACES, "admediumFormatId", "commission"),
    "clickin": ("clickInId", *PLACES),
    "lead": ("leadId", *OF_TRANSACTIONS),
    "sale": ("saleId", *OF_TRANSACTIONS, "amount"),
}
"""Of each report its id, and the columns that hold numbers."""


@dataclass
class Backfills:
    """A sandbox, a folder, and an environment that makes clients use them."""

    sandbox: Sandbox
    serving: Serving
    folder: Path
    environ: Mapping[str, str]

    @property
    def output(self) -> str:
        return str(self.folder / "dataset")

    def plan(self, **changed: object) -> Plan:
        """Read a plan from a file: clicks of four days, one partition each, unless changed."""
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

    def run(self, *options: str) -> Result:
        """Run the command with the latest plan."""
        return CliRunner().invoke(cli, ["backfill", str(self.folder / "plan.toml"), *options])

    def jobs(self) -> int:
        """Return the number of ordered jobs."""
        return len(self.sandbox.jobs.of(SAMPLE_CONNECT_ID))

    def click_fees(self, days: int, first: date = FIRST) -> Decimal:
        """The sum of all commissions of the clicks of some days, from the sandbox's data, not its exports."""
        return self.expected("click", days, first)["commission"]

    def sales_amount(self, days: int) -> tuple[Decimal, Decimal]:
        """How many sales the first days have, and their amounts."""
        found = self.expected("sale", days)
        return found["rows"], found["amount"]

    def lose_the_next_order(self, meanwhile: Callable[[Request], None] = lambda _: None) -> list[bytes]:
        """Answer the next order with 502 after running a function. Return the list of all orders."""
        orders: list[bytes] = []

        def interfere(request: Request) -> Response | None:
            body = request.get_data()
            if ORDER not in body:
                return None
            orders.append(body)
            if len(orders) > 1:
                return None
            meanwhile(request)
            return Response("gone astray", status=502)

        self.sandbox.interfere = interfere
        return orders

    def process(self, request: Request, old: bytes = b"", new: bytes = b"") -> None:
        """Process an order in the sandbox, with a replacement in its text."""
        body = request.get_data().replace(old, new) if old else request.get_data()
        answered = self.sandbox.answer(Request({**request.environ, "wsgi.input": BytesIO(body)}))
        assert answered.status_code == 200

    def query(self, sql: str, report: str = "click") -> list[tuple[object, ...]]:
        """Query with DuckDB. `data` is a report's part of the dataset, as listed in its manifests."""
        files = [file for file in dataset_files(self.output) if f"/report={report}/" in file]
        with duckdb.connect() as connection:
            data = connection.read_parquet(files, hive_partitioning=True, union_by_name=True)
            result = data.query("data", sql)
            assert result is not None  # None is for statements without a result
            return result.fetchall()

    def totals(self, report: str) -> dict[str, Decimal]:
        """Return the number of rows and ids in a report's part of the dataset, and its sums."""
        names = NUMBERS[report]
        numbers = names[1:] if report in ("lead", "sale") else names  # their ids are not numeric
        sums = "".join(f", sum(CAST({name} AS DECIMAL(38, 6)))" for name in numbers)
        (row,) = self.query(f"SELECT count(*), count(DISTINCT {names[0]}){sums} FROM data", report)
        return dict(zip(("rows", "ids", *numbers), (Decimal(str(value)) for value in row), strict=True))

    def expected(self, report: str, days: int, first: date = FIRST) -> dict[str, Decimal]:
        """The same by the sandbox's own data, not by its exports."""
        holdings = self.sandbox._store.of(SAMPLE_CONNECT_ID)
        rows: list[tuple[object, ...]] = []
        for day in (first + timedelta(days=shift) for shift in range(days)):
            if report in ("click", "clickin"):
                # Dealt over the slots in turn. The sums do not depend on the slot of a row.
                number = iter(holdings.clicks.number(day, row) for row in range(PER_DAY))
                for slot in holdings.clicks.slots:
                    what = (slot.program.id, slot.adspace.id, slot.admedium.id)
                    for _ in range(holdings.clicks.count(day, slot)):
                        click = next(number)
                        if report == "click":
                            rows.append((click, *what, slot.admedium.format.id, slot.fee))
                        else:
                            rows.append((10 * click + 1, *what))
                assert next(number, None) is None
            else:
                source = holdings.sales if report == "sale" else holdings.leads
                for at, one in enumerate(source.on(day, "trackingDate")):
                    where = (one.program.id, one.adspace.id, one.admedium.id, one.category.id)
                    more = (one.click_id, one.click_in_id, one.commission)
                    amount = (one.amount,) if report == "sale" else ()
                    rows.append((f"{day}/{at}", *where, *more, *amount))
        names = NUMBERS[report]
        numbers = names[1:] if report in ("lead", "sale") else names  # their ids are not numeric
        sums = {
            name: sum((Decimal(str(row[names.index(name)])) for row in rows), Decimal(0)) for name in numbers
        }
        return {"rows": Decimal(len(rows)), "ids": Decimal(len({row[0] for row in rows})), **sums}

    def clicks_are_whole(self, days: int) -> None:
        """Check that the dataset has every click of the first days exactly once."""
        rows, ids, fees = self.query("SELECT count(*), count(DISTINCT clickId), sum(commission) FROM data")[0]
        assert (rows, ids, fees) == (days * PER_DAY, days * PER_DAY, self.click_fees(days))

    def names(self) -> list[str]:
        """Return all files of the dataset's folder, whether or not they are part of the dataset."""
        root = Path(self.output)
        return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


class Workers(cf.Executor):
    """An executor whose workers do what `work` does with a task."""

    def submit(self, fn: Callable[..., T], /, *args: object, **kwargs: object) -> cf.Future[T]:
        future: cf.Future[T] = cf.Future()
        self.work(future, partial(fn, *args, **kwargs))
        return future

    def work(self, future: cf.Future[Any], task: Callable[[], object]) -> None:
        raise NotImplementedError


class Leaping:
    """A clock for deadlines. Sleeping advances it at once, for the sleeping thread only.

    `lose` advances it for all threads but the main thread, which orders. The speed of the machine does not
    matter.
    """

    def __init__(self) -> None:
        self._lost = 0.0
        self._own = threading.local()

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        slept: float = getattr(self._own, "slept", 0.0)
        return slept if threading.current_thread() is threading.main_thread() else slept + self._lost

    def sleep(self, seconds: float) -> None:
        self._own.slept = getattr(self._own, "slept", 0.0) + max(0.0, seconds)

    def lose(self, seconds: float) -> None:
        self._lost += seconds


def toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Backfills]:
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
        for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):  # protect the user's state folder
            monkeypatch.setenv(name, str(tmp_path / "own"))
        yield Backfills(sandbox, serving, tmp_path, environ)


@pytest.fixture
def leaping(monkeypatch: pytest.MonkeyPatch) -> Leaping:
    """The clock of all clients of backfills in this process."""
    clock = Leaping()
    monkeypatch.setattr(task, "_StoppableClock", lambda _: clock)
    return clock
