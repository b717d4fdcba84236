"""Backfill campaign with threads and Dask workers: requests fail and processes are killed at any point.

Each engine runs two plans, one for Parquet and one for gzip CSV. The driving process and the workers of the
cluster are killed at random times and during disk operations. A plan is run again until it reports that its
dataset is complete. Then the campaign compares each partition with the rows of the sandbox, the jobs with the
partitions, and the files on disk with the expected ones. Which request of a run gets a fault depends on
thread scheduling.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final, Literal

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, JobSteps, Sandbox, serve
from soapclient.tracking.sandbox.exports import reports

from .cluster import Cluster
from .faults import FAMILIES, Family
from .files import STATE, Truth, left_in, order_of
from .findings import Finding, Report
from .moments import NEVER, drawn
from .plan import Plan
from .processes import Ended, Forked, Order, Processes, environment
from .proxy import Proxy

Engine = Literal["threads", "dask"]

ROWS: Final = 2_000  # rows per partition
_FORMATS: Final = {"click": "parquet", "clickin": "csv.gz"}
_FIRST: Final = dt.date(2025, 6, 1)
_KILLS: Final = 12  # first runs of a plan, which may be killed; after them half of the runs
_RUNS: Final = 60  # runs of a plan before it counts as stuck
_LIMIT: Final = 3600  # seconds per run
_PARTITION: Final = 30  # seconds per partition
_OFTEN: Final = (1, 4, 16, 64)  # a killed run gets at most this far, in partitions of its plan
_LONG: Final = 30.0  # seconds
_FAILED: Final = frozenset({1, 10})  # a partition failed, or another process holds the ledger
_DATA: Final = re.compile(r"_manifest\.json|part-\w+\.(parquet|csv\.gz)")


def run(
    seed: int,
    *,
    count: int = 500,
    minutes: float | None = None,
    engines: Sequence[Engine] = ("threads", "dask"),
    rows: int = ROWS,
    share: float = 0.2,
    families: Sequence[Family] = FAMILIES,
    processes: Processes | None = None,
) -> Report:
    """Load `count` partitions of `rows` rows with each engine, or as many as `minutes` allows.

    `share` is the share of requests that fail and `families` the kinds of faults. `processes` runs the
    command.
    """
    report = Report("backfill", seed, minutes=minutes)
    for engine in engines:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soapclient-campaign-")))
            at_once = JobSteps(running=dt.timedelta(0), done=dt.timedelta(0))
            sandbox = stack.enter_context(Sandbox(seed=seed, clicks_per_day=rows, job_steps=at_once))
            server = stack.enter_context(serve(sandbox, timeout=120))
            proxy = stack.enter_context(Proxy(server.url, Plan(seed, families, share)))
            forked = processes or stack.enter_context(Forked())
            work = _Work(seed, engine, folder, proxy.url, forked, report)
            plans = [_Plan(kind, len(range(at, count, 2)), folder) for at, kind in enumerate(_FORMATS)]
            plans = [one for one in plans if one.days]
            work.bring(plans)
            proxy.close()
            work.judge(plans, sandbox, proxy, Truth(sandbox, rows, folder))
    return report.timed()


@dataclass(frozen=True)
class _Plan:
    """A backfill of one report with one partition per day."""

    kind: str
    days: int
    folder: Path

    @property
    def output(self) -> Path:
        return self.folder / "dataset" / self.kind

    @property
    def work(self) -> Path:
        return self.folder / "work" / self.kind

    @property
    def file(self) -> Path:
        return self.folder / f"{self.kind}.toml"

    def write(self) -> None:
        """Write the plan file as users do."""
        self.file.write_text(
            f'output = "{self.output}"\nwork = "{self.work}"\n'
            f'format = "{_FORMATS[self.kind]}"\ndeadline = {_PARTITION}\n'
            f"from = {_FIRST}\nto = {_FIRST + dt.timedelta(days=self.days - 1)}\n"
            f'[[accounts]]\nname = "main"\n[[reports]]\ntype = "{self.kind}"\n'
        )

    def partitions(self) -> Iterator[tuple[Path, reports.Order]]:
        """Yield the folder of each partition and the order that the sandbox should have received."""
        for day in (_FIRST + dt.timedelta(days=shift) for shift in range(self.days)):
            yield self.output / f"account=main/report={self.kind}/date={day}", order_of(self.kind, day)


@dataclass
class _Work:
    """Runs the plans until they are complete."""

    seed: int
    engine: Engine
    folder: Path
    url: str
    processes: Processes
    report: Report
    _early: bool = field(default=False, init=False)
    _counts: Counter[str] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        self.state, self.scratch = self.folder / "state", self.folder / "tmp"
        self.scratch.mkdir()

    def bring(self, plans: Sequence[_Plan]) -> None:
        """Run all plans, one after the other."""
        for plan in plans:
            plan.write()
        scheduler: str | None = None
        environ = environment(self.folder, self.url, "cluster")
        with Cluster(self.seed, environ) if self.engine == "dask" else nullcontext() as cluster:
            if cluster is not None:
                scheduler = cluster.address
            for plan in plans:
                self._bring(plan, scheduler)
        if cluster is not None:
            self._counts["worker_kills"] = cluster.killed

    def _bring(self, plan: _Plan, scheduler: str | None) -> None:
        random = Random(f"{self.seed}/{self.engine}/{plan.kind}")
        words: list[str] = []
        for again in range(_RUNS):
            moment = NEVER
            if again < _KILLS or random.random() < 1 / 2:
                moment = drawn(random, often=min(plan.days, random.choice(_OFTEN)), seconds=_LONG)
            if self.report.left <= 0:
                self._early = True
                return
            ended = self._run(plan, again, moment, scheduler)
            self._counts["runs"] += 1
            if ended.code == 0:
                if len(words) and (told := json.loads(ended.out))["failed"]:
                    self._find("wrong summary", plan, f"it says that it is complete: {told}")
                return
            if ended.late and self.report.minutes is not None:
                self._early = True
                return
            self._counts["kills"] += ended.killed
            if problem := ended.problem(_FAILED, _LIMIT):
                self._find(problem[0], plan, problem[1])
            words.append(f"run {again} ({moment}): exit code {ended.code}: {ended.err[-600:]}")
        self._find("stuck", plan, f"not complete after {_RUNS} runs", *words[-3:])

    def _run(self, plan: _Plan, again: int, moment: str, scheduler: str | None) -> Ended:
        engine = [] if scheduler is None else ["--engine", "dask", "--scheduler", scheduler]
        environ = environment(self.folder, self.url, f"{self.engine}{plan.kind}{again}")
        limit = max(1.0, min(_LIMIT, self.report.left))
        arguments = ["backfill", str(plan.file), "--json", *engine]
        return self.processes.run(Order("command", moment, arguments, environ, limit))

    def _find(self, kind: str, plan: _Plan, what: str, *more: str) -> None:
        self.report.add(Finding(kind, f"{self.engine}, {plan.kind}", what, more))

    def judge(self, plans: Sequence[_Plan], sandbox: Sandbox, proxy: Proxy, truth: Truth) -> None:
        """Compare partitions, jobs and folders with the expected ones, and add the figures to the report."""
        jobs: dict[reports.Order, list[str]] = {}
        for job in sandbox.jobs.of(SAMPLE_CONNECT_ID):
            jobs.setdefault(job.order, []).append(job.id)
        wanted = right = 0
        for plan in plans:
            for place, order in plan.partitions():
                wanted += 1
                ids = jobs.pop(order, [])
                if len(ids) > 1 or not (ids or self._early):
                    self._find("doubled order" if ids else "lost order", plan, f"{order.first}: jobs {ids}")
                problem = self._problem(truth, place, order)
                right += problem is None
                if problem is not None and not self._early:
                    self._find("wrong partition", plan, problem)
        if jobs:
            self.report.add(Finding("strange order", self.engine, repr(list(jobs)[:3])))
        if not self._early and (left := self.leavings(plans)):
            self.report.add(Finding("left behind", self.engine, ", ".join(left[:20])))
        figures = {
            "partitions": wanted,
            "right": right,
            "rows": truth.rows_right,
            "jobs": len(sandbox.jobs.of(SAMPLE_CONNECT_ID)),
            **{name: self._counts[name] for name in ("runs", "kills", "worker_kills")},
            "requests": len(proxy.records),
            "faults": sum(record.fault is not None for record in proxy.records),
        }
        self.report.figures |= {f"{self.engine}_{name}": number for name, number in figures.items()}

    @staticmethod
    def _problem(truth: Truth, place: Path, order: reports.Order) -> str | None:
        """Return the problem with a partition, or None if its only file is correct."""
        data = sorted(place.glob("part-*"))
        if len(data) != 1 or not (place / "_manifest.json").exists():
            return f"{place.name} has {[path.name for path in place.glob('*')]}"
        return truth.problem(order, data[0])

    def leavings(self, plans: Sequence[_Plan]) -> list[str]:
        """Return the names of leftover files."""
        left = [*self.scratch.rglob("*")]
        for plan in plans:
            staging, setbacks = plan.work / "staging", plan.work / "setbacks.json"
            staged = filter(Path.is_file, staging.glob("*"))
            left += {*left_in(plan.output, _DATA), *left_in(plan.work, STATE), *staged}
            if setbacks.exists() and any(json.loads(setbacks.read_text()).values()):
                left.append(setbacks)
        left += left_in(self.state, STATE)
        return sorted(str(path.relative_to(self.folder)) for path in left)
