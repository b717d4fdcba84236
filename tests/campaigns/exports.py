"""Export campaign: several processes run exports while every fifth request fails and processes are killed.

Each export is run again until it reports that its file is complete. Then the campaign compares the files with
the rows of the sandbox, the jobs with the exports, and the files on disk with the expected ones.
"""

from __future__ import annotations

import datetime as dt
import json
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final, Literal

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, JobSteps, Sandbox, serve
from soapclient.tracking.sandbox.exports import reports

from .export_script import parquet_of, plain_of
from .faults import FAMILIES, Family
from .files import STATE, Truth, left_in, order_of
from .findings import Finding, Report
from .moments import NEVER, drawn
from .plan import Plan
from .processes import Ended, Forked, Order, Processes, Started, environment
from .proxy import Proxy, Record

Way = Literal["command", "handle", "script"]

ROWS: Final = 20_000  # rows per export
_AT_ONCE: Final = 4
_CHOSEN: Final = ("clickDate", "clickId", "programName", "commission", "referrer")
_TYPES: Final = ("click", "click", "clickin", "custom")
WAYS: Final[tuple[Way, ...]] = ("command", "handle", "script")
_FIRST: Final = dt.date(2026, 1, 1)
_DEADLINE: Final = 30  # seconds per run
_LATE: Final = 60  # seconds that a run may exceed its deadline, for starting the process and other work
_RUNS: Final = 25  # runs per export before it counts as stuck
_KILLED: Final = 0.8  # share of first runs that are killed; of second runs half as many, and so on
_OWN: Final = 0.1  # share of processes that start their own interpreter
_LONG: Final = 1.5  # seconds; almost every run ends within them
# Exit codes after which a run may be repeated. Configuration and contract errors are not among them. A
# gateway may reject the credentials of a read.
_FAILED: Final = frozenset({1, 5, 6, 7, 8, 9, 10})


def run(
    seed: int,
    *,
    count: int = 300,
    minutes: float | None = None,
    rows: int = ROWS,
    share: float = 0.2,
    families: Sequence[Family] = FAMILIES,
    ways: Sequence[Way] = WAYS,
    processes: Processes | None = None,
) -> Report:
    """Run `count` exports of `rows` rows, or as many as can start within `minutes`.

    `share` is the share of requests that fail and `families` the kinds of faults. `ways` are the programs
    that run the exports, and `processes` starts them.
    """
    report = Report("exports", seed, minutes=minutes)
    steps = JobSteps(running=dt.timedelta(0), done=dt.timedelta(seconds=0.3))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soapclient-campaign-")))
        sandbox = stack.enter_context(Sandbox(seed=seed, clicks_per_day=rows, job_steps=steps))
        server = stack.enter_context(serve(sandbox, timeout=120))
        proxy = stack.enter_context(Proxy(server.url, Plan(seed, families, share)))
        forked = stack.enter_context(Forked())
        work = _Work(seed, folder, proxy.url, ways, forked, processes, report)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            made = [pool.submit(work.begun, number) for number in range(count)]
            exports = [one for each in made if (one := each.result()) is not None]
        proxy.close()
        work.judge(exports, sandbox, proxy, Truth(sandbox, rows, folder))
    return report.timed()


@dataclass(frozen=True)
class _Export:
    """One export: its order, the program that runs it, and its target file."""

    number: int
    way: Way
    report_type: str
    day: dt.date
    protocol: str
    target: Path

    def __str__(self) -> str:
        return f"export {self.number}, {self.report_type} {self.day} ({self.way}, {self.protocol})"

    @property
    def handle(self) -> Path:
        """Path of the handle file, if the export has one."""
        return self.target.with_name(self.target.name.removesuffix(".csv.gz") + ".json")

    @property
    def files(self) -> list[Path]:
        """The files that must exist at the end."""
        more = {
            "command": [],
            "handle": [self.handle],
            "script": [parquet_of(self.target), plain_of(self.target)],
        }
        return [self.target, *more[self.way]]

    def arguments(self, state: Path) -> list[str]:
        """Return the command-line arguments for the next run."""
        rest = ["-o", str(self.target), "--deadline", f"{_DEADLINE}s"]
        if self.way != "script":
            rest += ["--state", str(state), "--json"]
        if self.way == "handle" and self.handle.exists():
            return ["export", "resume", str(self.handle), *rest]
        day = self.day.isoformat()
        words = [self.report_type, "--from", day, "--to", day, *rest]
        if self.report_type == "custom":
            words += ["--columns", ",".join(_CHOSEN)]
        if self.way == "handle":
            words += ["--handle", str(self.handle)]
        return words if self.way == "script" else ["export", *words]

    @property
    def order(self) -> reports.Order:
        """The order that the sandbox should have received."""
        return order_of(self.report_type, self.day, _CHOSEN if self.report_type == "custom" else ())


@dataclass
class _Work:
    """Runs the exports until they are done."""

    seed: int
    folder: Path
    url: str
    ways: Sequence[Way]
    forked: Processes
    processes: Processes | None
    report: Report
    _started: Processes = field(default_factory=Started, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _counts: Counter[str] = field(default_factory=Counter, init=False)
    _said: dict[_Export, str] = field(default_factory=dict, init=False)  # output of the completed run
    _stuck: set[_Export] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self.out, self.state, self.scratch = (self.folder / name for name in ("out", "state", "tmp"))
        for each in (self.out, self.state, self.scratch):
            each.mkdir()

    def begun(self, number: int) -> _Export | None:
        """Run an export like `export`. Return None if the time is up."""
        return self.export(number) if self.report.left > 0 else None

    def export(self, number: int) -> _Export:
        """Run a program until it reports that the file is complete. Some runs are killed."""
        random = Random(f"{self.seed}/export/{number}")
        way, report_type = random.choice(self.ways), random.choice(_TYPES)
        protocol = random.choice(("soap", "rest"))
        target = self.out / f"{number:04d}-{report_type}.csv.gz"
        export = _Export(number, way, report_type, _FIRST + dt.timedelta(days=number), protocol, target)
        words: list[str] = []
        for again in range(_RUNS):
            ends, own = random.random() < _KILLED / (1 + again), random.random() < _OWN
            moment = drawn(random, seconds=_LONG) if ends else NEVER
            ended = self._run(export, again, moment, self._started if own else self.forked)
            self._count("runs", "own_interpreters" if own else "forked")
            if ended.code == 0 or (ended.killed and self._was_done(export, ended)):
                self._said[export] = ended.out
                return export
            self._count(*["kills"] * ended.killed)
            if problem := ended.problem(_FAILED, _DEADLINE + _LATE):
                self._find(problem[0], export, problem[1])
            words.append(f"run {again} ({moment}): exit code {ended.code}: {ended.err[-600:]}")
        self._stuck.add(export)
        self._find("stuck", export, f"not done after {_RUNS} runs", *words[-3:])
        return export

    def _run(self, export: _Export, again: int, moment: str, processes: Processes) -> Ended:
        tag = f"export{export.number:04d}x{again:02d}"
        environ = environment(self.folder, self.url, tag, SOAPCLIENT_DATA_PROTOCOL=export.protocol)
        program = "script" if export.way == "script" else "command"
        order = Order(program, moment, export.arguments(self.state), environ, _DEADLINE + _LATE)
        return (self.processes or processes).run(order)

    def _was_done(self, export: _Export, ended: Ended) -> bool:
        """Return True if a killed process had printed its whole output and removed its mark.

        Running it again would then start another export. As long as the mark exists, it would not.
        """
        mark = export.target.with_name(f"{export.target.name}.part.json")
        done = ended.out.endswith("}\n") and not mark.exists()
        if done:
            self._count("kills", "killed_when_done")
        return done

    def _count(self, *names: str) -> None:
        with self._lock:
            self._counts.update(names)

    def _find(self, kind: str, export: _Export, what: str, *more: str) -> None:
        self.report.add(Finding(kind, str(export), what, more))

    def judge(self, exports: list[_Export], sandbox: Sandbox, proxy: Proxy, truth: Truth) -> None:
        """Compare files, jobs and folders with the expected ones, and add the figures to the report."""
        records = proxy.records
        met: dict[str, list[Record]] = defaultdict(list)
        for record in records:
            if record.fault is not None:
                met[record.tag.partition("x")[0]].append(record)
        jobs = sandbox.jobs.of(SAMPLE_CONNECT_ID)
        right = 0
        for export in exports:
            faults = [f"{one.tag[-2:]}: {one}" for one in met[f"export{export.number:04d}"]]
            ids = [job.id for job in jobs if job.order == export.order]
            if len(ids) != 1:
                self._find("doubled order" if ids else "lost order", export, f"jobs {ids}", *faults)
            if export in self._stuck:
                continue
            problem = self._problem(export, truth)
            right += problem is None
            if problem is not None:
                self._find("wrong rows", export, problem, *faults)
        orders = [export.order for export in exports]
        strange = [job.order for job in jobs if job.order not in orders]
        if strange:
            self.report.add(Finding("strange order", "exports", repr(strange[:3])))
        if left := self.leavings(exports):
            self.report.add(Finding("left behind", "exports", ", ".join(left[:20])))
        self.report.figures |= {
            "exports": len(exports),
            "right": right,
            "rows": truth.rows_right,
            "jobs": len(jobs),
            **{
                name: self._counts[name] for name in ("runs", "own_interpreters", "kills", "killed_when_done")
            },
            "requests": len(records),
            "faults": sum(record.fault is not None for record in records),
        }

    def _problem(self, export: _Export, truth: Truth) -> str | None:
        """Return the problem with an export's files or output, or None."""
        problem = truth.problem(export.order, export.target)
        if problem is None and export.way == "script":
            problem = truth.problem(export.order, plain_of(export.target)) or truth.problem(
                export.order, parquet_of(export.target)
            )
        if problem is None and json.loads(self._said[export])["rows"] != truth.rows:
            problem = f"it was said to have other rows: {self._said[export]}"
        return problem

    def leavings(self, exports: list[_Export]) -> list[str]:
        """Return the names of leftover files."""
        right = {path.name for export in exports for path in export.files}
        left = [path.name for path in self.out.iterdir() if path.name not in right]
        left += [path.name for path in left_in(self.state, STATE)]
        return sorted([*left, *(str(path) for path in self.scratch.rglob("*"))])
