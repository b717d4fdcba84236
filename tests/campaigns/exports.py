"""Exports: several commands run at once, every fifth request goes wrong, processes are killed anywhere.

Each export is run again until it says that its file is here. Then all is compared: the file with the rows the
sandbox has for what was ordered, the jobs with the exports, and what is left on the disk with what should be.
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from soapclient.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, JobSteps, Sandbox, serve
from soapclient.sandbox.exports.reports import COLUMNS, Order
from soapclient.sandbox.exports.rows import blocks

from .export_command import MOMENTS
from .faults import FAMILIES, Family
from .findings import Finding, Report
from .plan import Plan
from .proxy import Proxy

_ROOT: Final = Path(__file__).parents[2]
_ROWS: Final = 3000  # of a day of clicks
_AT_ONCE: Final = 6
_TYPES: Final = ("click", "click", "click", "clickin", "sale", "lead")
_FIRST: Final = dt.date(2026, 9, 1)
_DEADLINE: Final = 30  # seconds of a run
_LATE: Final = 60  # seconds that a run may last beyond it, with the start of a process and much else to do
_RUNS: Final = 25  # of one export, after which it is stuck
_KILLED: Final = 0.8  # of the first runs; of the second half of that, and so on
_FAILED: Final = 1  # the exit code
_DAY: Final = 86_400  # seconds

Command = Callable[[str], list[str]]
"""What `soapclient` is called as, for a process that ends by itself at a moment; see `export_command`."""


def command(moment: str) -> list[str]:
    """The command as it is, in a process that may end."""
    return [sys.executable, "-m", "tests.campaigns.export_command", moment]


def run(
    seed: int,
    *,
    count: int = 60,
    minutes: float | None = None,
    share: float = 0.2,
    families: Sequence[Family] = FAMILIES,
    called: Command = command,
) -> Report:
    """Run `count` exports, or as many as can be begun in the minutes; `called` is the command.

    `share` is that of the requests that go wrong, `families` how they may.
    """
    report = Report("exports", seed)
    begun = time.monotonic()
    until = None if minutes is None else begun + 60 * minutes
    steps = JobSteps(running=dt.timedelta(0), done=dt.timedelta(seconds=0.3))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soapclient-campaign-")))
        sandbox = stack.enter_context(Sandbox(seed=seed, clicks_per_day=_ROWS, job_steps=steps))
        server = stack.enter_context(serve(sandbox, timeout=120))
        proxy = stack.enter_context(Proxy(server.url, Plan(seed, families, share)))
        work = _Work(seed, folder, proxy.url, called, report)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            made = [pool.submit(work.begun, number, until) for number in range(count)]
            exports = [one for each in made if (one := each.result()) is not None]
        if work.leavings(exports):  # of those that were killed: one that comes later is to tidy up
            work.age()
            exports.append(work.export(count, killed=False))
        proxy.close()
        work.judge(exports, sandbox, proxy)
    report.figures["seconds"] = round(time.monotonic() - begun, 1)
    return report


@dataclass(frozen=True)
class _Export:
    """One export: what is ordered, and where its file goes."""

    number: int
    report_type: str
    day: dt.date
    protocol: str
    target: Path

    def __str__(self) -> str:
        return f"export {self.number}, {self.report_type} {self.day} ({self.protocol})"

    @property
    def arguments(self) -> list[str]:
        day = self.day.isoformat()
        return ["export", self.report_type, "--from", day, "--to", day, "-o", str(self.target), "--json"]

    @property
    def order(self) -> Order:
        """What the sandbox should have been asked for."""
        nothing = dict.fromkeys(("review_state", "currency", "program_id", "adspace_id", "format_id"))
        return Order(
            self.report_type, COLUMNS[self.report_type], (), self.day, self.day, "trackingDate", **nothing
        )


@dataclass(frozen=True)
class _Ended:
    """How one run of the command ended."""

    code: int
    said: str
    told: str


class _Work:
    """The exports, run until they are done."""

    def __init__(self, seed: int, folder: Path, url: str, called: Command, report: Report) -> None:
        self._seed = seed
        self._url = url
        self._called = called
        self._report = report
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._done: dict[_Export, _Ended] = {}
        self._stuck: set[_Export] = set()
        self._killed_when_done: set[_Export] = set()
        self.out, self.state, self.scratch = (folder / name for name in ("out", "state", "tmp"))
        for each in (self.out, self.state, self.scratch):
            each.mkdir()

    def begun(self, number: int, until: float | None) -> _Export | None:
        """See `export`; None where it is too late to begin."""
        late = until is not None and time.monotonic() >= until
        return None if late else self.export(number)

    def export(self, number: int, *, killed: bool = True) -> _Export:
        """Run the command until it says that the file is here; it is killed now and then, if that is
        wanted.
        """
        random = Random(f"{self._seed}/export/{number}")
        report_type, protocol = random.choice(_TYPES), random.choice(("soap", "rest"))
        day = _FIRST + dt.timedelta(days=number)
        export = _Export(number, report_type, day, protocol, self.out / f"{number:04d}-{report_type}.csv.gz")
        words = []
        for again in range(_RUNS):
            kind, ends = random.choice(list(MOMENTS)), random.random() < _KILLED / (1 + again)
            moment = f"{kind}:{random.randrange(MOMENTS[kind])}" if ends and killed else "never"
            ended = self._run(export, again, moment)
            if ended.code == 0:
                self._done[export] = ended
                return export
            if ended.code == -signal.SIGKILL:
                self._count("kills")
                if self._noted(export):
                    self._killed_when_done.add(export)
                    return export
            elif ended.code != _FAILED or "Traceback" in ended.said or "unexpected" in ended.said:
                self._find("foreign exception", export, f"exit code {ended.code}: {ended.said[-2000:]}")
            words.append(f"run {again} ({moment}): exit code {ended.code}: {ended.said[-600:]}")
        self._stuck.add(export)
        self._find("stuck", export, f"not done after {_RUNS} runs", *words[-3:])
        return export

    def _run(self, export: _Export, again: int, moment: str) -> _Ended:
        self._count("runs")
        begun = time.monotonic()
        process = subprocess.Popen(
            [
                *self._called(moment),
                *export.arguments,
                "--state",
                str(self.state),
                "--deadline",
                f"{_DEADLINE}s",
            ],
            cwd=_ROOT,
            env=self._environment(f"export{export.number:04d}x{again:02d}", export.protocol),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                told, said = process.communicate(timeout=_DEADLINE + _LATE)
            except subprocess.TimeoutExpired:
                process.kill()
                told, said = process.communicate()
                self._find(
                    "late",
                    export,
                    f"still running after {time.monotonic() - begun:.0f} seconds: {said[-600:]}",
                )
        return _Ended(process.returncode, said, told)

    def _environment(self, tag: str, protocol: str) -> Mapping[str, str]:
        kept = {name: text for name, text in os.environ.items() if not name.startswith("SOAPCLIENT_")}
        return {
            **kept,
            "TMPDIR": str(self.scratch),
            "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
            "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
            "SOAPCLIENT_DATA_URL": self._url,
            "SOAPCLIENT_DATA_PROTOCOL": protocol,
            "SOAPCLIENT_DEADLINE": "4",
            "SOAPCLIENT_CONNECT_TIMEOUT": "2",
            "SOAPCLIENT_USER_AGENT": f"CAMPAIGN-{tag}-",
        }

    def _noted(self, export: _Export) -> bool:
        """Whether the state directory has the file: the next command would be another export."""
        for path in self.state.rglob("*.json"):
            try:
                entry = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue  # gone, or of a kind of its own
            request = entry.get("request", {})
            mine = (request.get("report_type"), request.get("from_date")) == (
                export.report_type,
                str(export.day),
            )
            if mine and entry.get("state") == "done":
                return True
        return False

    def _count(self, name: str) -> None:
        with self._lock:
            self._counts[name] += 1

    def _find(self, kind: str, export: _Export, what: str, *more: str) -> None:
        self._report.add(Finding(kind, str(export), what, more))

    def judge(self, exports: list[_Export], sandbox: Sandbox, proxy: Proxy) -> None:
        """Compare files, jobs and folders with what they should be, and write the figures."""
        records = proxy.records
        jobs = sandbox.jobs.of(SAMPLE_CONNECT_ID)
        right = 0
        for export in exports:
            met = tuple(
                f"{record.tag[-2:]}: {record}"
                for record in records
                if record.tag.startswith(f"export{export.number:04d}x") and record.fault is not None
            )
            ordered = [job for job in jobs if job.order == export.order]
            if len(ordered) != 1:
                ids = [job.id for job in ordered]
                self._find("doubled order" if ids else "lost order", export, f"jobs {ids}", *met)
            if export in self._stuck:
                continue
            problem = self._file_problem(export, sandbox)
            right += problem is None
            if problem is not None:
                self._find("wrong rows", export, problem, *met)
        strange = [job.order for job in jobs if job.order not in [export.order for export in exports]]
        if strange:
            self._report.add(Finding("strange order", "exports", repr(strange[:3])))
        if left := self.leavings(exports):
            self._report.add(Finding("left behind", "exports", ", ".join(left[:20])))
        self._report.figures |= {
            "exports": len(exports),
            "right": right,
            "jobs": len(jobs),
            "runs": self._counts["runs"],
            "kills": self._counts["kills"],
            "killed_when_done": len(self._killed_when_done),
            "requests": len(records),
            "faults": sum(record.fault is not None for record in records),
        }

    def _file_problem(self, export: _Export, sandbox: Sandbox) -> str | None:
        """What is wrong with an export's file; None where it is right to the byte."""
        if not export.target.exists():
            return "there is no file"
        parts = list(blocks(export.order, sandbox.store.of(SAMPLE_CONNECT_ID)))
        try:
            text = gzip.decompress(export.target.read_bytes())
        except (OSError, EOFError) as error:
            return f"it is no whole gzip: {error}"
        if text != b"".join(block for _, block in parts):
            return f"other rows than the sandbox has for it; it begins {text[:300]!r}"
        ended = self._done.get(export)
        rows = sum(count for count, _ in parts)
        if ended is not None and json.loads(ended.told)["rows"] != rows:
            return f"it has {rows} rows, the command said {ended.told}"
        return None

    def age(self) -> None:
        """Let all files be a day old: what is left is told by that from what is still in use."""
        for path in (*self.out.rglob("*"), *self.state.rglob("*")):
            os.utime(path, (time.time() - _DAY, time.time() - _DAY))

    def leavings(self, exports: list[_Export]) -> list[str]:
        """The names of files that nobody needs any more."""
        right = {export.target.name for export in exports}
        # Whoever is killed after the last note can leave the mark that it was about.
        right |= {f"{export.target.name}.part.json" for export in self._killed_when_done}
        own = re.compile(r"lock|[^.]*\.json")
        left = [path.name for path in self.out.iterdir() if path.name not in right]
        left += [
            path.name for path in self.state.rglob("*") if path.is_file() and not own.fullmatch(path.name)
        ]
        return sorted([*left, *(str(path) for path in self.scratch.rglob("*"))])
