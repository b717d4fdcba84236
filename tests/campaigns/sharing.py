"""Process campaign: one client shared by threads, forks, new processes, pools, Dask and asyncio.

Each way runs in separate processes against one sandbox, which records the sender and connection of each
request. Every response is compared with its request, and every write with the content of the sandbox.
`workers.py` implements the ways.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Final

from werkzeug.wrappers import Request, Response

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, Sandbox, serve

from .findings import Finding, Report
from .processes import ROOT
from .truth import Journal
from .workers import FIRST, WAYS, Asked

_DAYS: Final = 5  # days of the requested sales
_LONGEST: Final = 240.0  # seconds until a way counts as hung
_GRACE: Final = 10.0  # seconds for processes that are about to end
_NONCE: Final = re.compile(rb"<(?:[\w.-]+:)?nonce>([^<]+)<|[?&]nonce=([^&\s]+)")


class Seen:
    """Requests seen by the sandbox: connection, process and nonce. Thread-safe."""

    def __init__(self) -> None:
        self.requests = 0
        self.processes: set[str] = set()
        self._lock = threading.Lock()
        self._of_connection: defaultdict[threading.Thread, set[str]] = defaultdict(set)
        self._nonces: Counter[str] = Counter()

    def interfere(self, request: Request) -> Response | None:
        """Record a request without changing its response."""
        process = request.headers.get("X-Process", "")
        text = request.get_data() + b" " + request.full_path.encode()
        nonces = {one or other for one, other in _NONCE.findall(text)}
        nonces |= {request.headers.get("nonce", "").encode()}
        with self._lock:
            self.requests += 1
            self._nonces.update(each.decode() for each in nonces if each)
            if process:
                self.processes.add(process)
                # The server has one thread per connection, with the same lifetime.
                self._of_connection[threading.current_thread()].add(process)
        return None

    def findings(self) -> list[Finding]:
        """Return duplicate nonces, and connections used by several processes."""
        with self._lock:
            twice = [nonce for nonce, times in self._nonces.items() if times > 1]
            shared = [sorted(each) for each in self._of_connection.values() if len(each) > 1]
        found = [Finding("shared connection", "processes", " and ".join(each)) for each in shared]
        return found + [Finding("nonce twice", "processes", each) for each in twice]

    @property
    def nonces(self) -> int:
        return len(self._nonces)

    @property
    def connections(self) -> int:
        return len(self._of_connection)


def run(
    seed: int,
    *,
    count: int = 8000,
    minutes: float | None = None,
    ways: Sequence[str] = tuple(WAYS),
    plant: str = "",
    deadline: float = 120.0,
) -> Report:
    """Make about `count` calls, spread over the `ways`. With few calls, only the first ways get one.

    `deadline` is the deadline of a call in seconds. `plant` names a bug from `workers.PLANTS`.
    """
    report, seen = Report("processes", seed, minutes=minutes), Seen()
    with (
        Sandbox(seed=seed, clicks_per_day=3, interfere=seen.interfere) as sandbox,
        serve(sandbox, timeout=60) as server,
    ):
        journal = Journal.keep(sandbox)
        ids = _sales(sandbox)
        answers: Counter[str] = Counter()
        for way in ways[:count]:
            if report.left <= 0:
                break
            protocol = Random(f"{seed}/{way}").choice(("SOAP", "XML", "JSON"))
            asked = Asked(server.url, protocol, seed, max(1, count // len(ways)), ids, deadline, plant)
            _one(report, answers, journal, way, asked)
        report.add(*seen.findings())
    report.figures |= {
        **{name: answers[name] for name in ("calls", "right", "writes", "ways")},
        "processes": len(seen.processes),
        "connections": seen.connections,
        "nonces": seen.nonces,
        "requests": seen.requests,
    }
    return report.timed()


def _sales(sandbox: Sandbox) -> list[str]:
    sales = sandbox._store.of(SAMPLE_CONNECT_ID).sales
    days = [FIRST.replace(day=FIRST.day + day) for day in range(_DAYS)]
    return [str(sale.id) for day in days for sale in sales.on(day, "trackingDate")]


def _one(report: Report, answers: Counter[str], journal: Journal, way: str, asked: Asked) -> None:
    """Run a way in a separate process and compare its output with the truth."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"{__package__}.workers", way],
        cwd=ROOT,
        # Without coverage.py, because a fork copies its lock in whatever state it is.
        env={name: value for name, value in os.environ.items() if name != "COVERAGE_PROCESS_START"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    where, hanging = f"{way} ({asked.protocol})", False
    try:
        out, err = process.communicate(asked.to_json(), timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        hanging = True
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGABRT)  # makes it print a traceback
        out, err = process.communicate()
        report.add(Finding("deadlock", where, f"no end within {_LONGEST:g} seconds: {err[-3000:]}"))
    if left := _left(process.pid):
        report.add(Finding("children left", where, f"they live on: {', '.join(left)}"))
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.returncode and not hanging:
        report.add(Finding("unended", where, f"exit code {process.returncode}: {err[-2000:]}"))
    lines: list[Mapping[str, object]] = [json.loads(line) for line in out.splitlines() if line]
    if len(lines) != asked.total and not hanging:
        report.add(Finding("unended", where, f"{len(lines)} of {asked.total} calls told how they ended"))
    answers["ways"] += 1
    for line in lines:
        answers["calls"] += 1
        wrong = _wrong(line, journal)
        answers["writes"] += line["kind"] == "create"
        answers["right"] += wrong is None
        if wrong is not None:
            report.add(Finding(wrong[0], f"{where}, worker {line['worker']}", wrong[1]))


def _wrong(line: Mapping[str, object], journal: Journal) -> tuple[str, str] | None:
    """Return the kind and description of the problem with a call, or None."""
    if "error" in line:
        return "failed", str(line["error"])
    if line["got"] != line["asked"]:
        return "crossed", f"{line['asked']} was asked, {line['got']} was the answer"
    if line["kind"] == "create" and (times := journal.done().get(("create", str(line["asked"])), 0)) != 1:
        return "doubled" if times else "lost", f"{line['asked']} was created {times} times"
    return None


def _left(session: int) -> list[str]:
    """Return the names of processes of a session that do not end. Python's helper processes end shortly."""
    until = time.monotonic() + _GRACE
    while True:
        left = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
                state, _, _, group = rest.split()[:4]
                if int(group) == session and state != "Z":  # zombies have ended
                    left.append(name)
        if not left or time.monotonic() >= until:
            return left
        time.sleep(0.05)
