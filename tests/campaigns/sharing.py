"""Processes: one client in threads, forks, new processes, pools, Dask and asyncio; nothing crosses.

Each way runs in processes of its own against one sandbox, which notes who sent what over which connection.
Every answer is held against what was asked, every write against what the sandbox holds. How it is done there
is in `workers.py`.
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
from .truth import Journal
from .workers import FIRST, WAYS, Asked

_ROOT: Final = Path(__file__).parents[2]
_DAYS: Final = 5  # whose sales are asked for
_LONGEST: Final = 240.0  # seconds of one way, after which it hangs
_GRACE: Final = 10.0  # seconds for what is about to end
_NONCE: Final = re.compile(rb"<(?:[\w.-]+:)?nonce>([^<]+)<|[?&]nonce=([^&\s]+)")


class Seen:
    """What the sandbox saw: over which connection, from which process, with which nonce. Thread-safe."""

    def __init__(self) -> None:
        self.requests = 0
        self.processes: set[str] = set()
        self._lock = threading.Lock()
        self._of_connection: defaultdict[threading.Thread, set[str]] = defaultdict(set)
        self._nonces: Counter[str] = Counter()

    def interfere(self, request: Request) -> Response | None:
        """Note a request; it is answered as ever."""
        process = request.headers.get("X-Process", "")
        text = request.get_data() + b" " + request.full_path.encode()
        nonces = {one or other for one, other in _NONCE.findall(text)}
        nonces |= {request.headers.get("nonce", "").encode()}
        with self._lock:
            self.requests += 1
            self._nonces.update(each.decode() for each in nonces if each)
            if process:
                self.processes.add(process)
                # The server has a thread for each connection, which lives as long.
                self._of_connection[threading.current_thread()].add(process)
        return None

    def findings(self) -> list[Finding]:
        """Nonces that came twice, and connections that several processes sent over."""
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
    """Make about `count` calls of `deadline` seconds, as many in each of the `ways`, or one in each of the
    first. `plant` names a bug of `workers.PLANTS`."""
    report, begun = Report("processes", seed), time.monotonic()
    until = None if minutes is None else begun + 60 * minutes
    seen = Seen()
    with (
        Sandbox(seed=seed, clicks_per_day=3, interfere=seen.interfere) as sandbox,
        serve(sandbox, timeout=60) as server,
    ):
        journal = Journal.keep(sandbox)
        ids = _sales(sandbox)
        answers: Counter[str] = Counter()
        for way in ways[:count]:
            if until is not None and time.monotonic() >= until:
                break
            protocol = Random(f"{seed}/{way}").choice(("SOAP", "XML", "JSON"))
            asked = Asked(server.url, protocol, seed, max(1, count // len(ways)), ids, deadline, plant)
            _one(report, answers, journal, way, asked)
        report.add(*seen.findings())
    report.figures |= {
        "calls": answers["calls"],
        "right": answers["right"],
        "writes": answers["writes"],
        "ways": answers["ways"],
        "processes": len(seen.processes),
        "connections": seen.connections,
        "nonces": seen.nonces,
        "requests": seen.requests,
        "seconds": round(time.monotonic() - begun, 1),
    }
    return report


def _sales(sandbox: Sandbox) -> list[str]:
    sales = sandbox.store.of(SAMPLE_CONNECT_ID).sales
    days = [FIRST.replace(day=FIRST.day + day) for day in range(_DAYS)]
    return [str(sale.id) for day in days for sale in sales.on(day, "trackingDate")]


def _one(report: Report, answers: Counter[str], journal: Journal, way: str, asked: Asked) -> None:
    """Have a process of its own go a way, and hold what it says against the truth."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"{__package__}.workers", way],
        cwd=_ROOT,
        # Not under coverage.py: it has a lock of its own, which a fork copies as it stands.
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
            os.killpg(process.pid, signal.SIGABRT)  # which makes it say where it hangs
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
    """What is wrong with how a call ended: its kind, and in words."""
    if "error" in line:
        return "failed", str(line["error"])
    if line["got"] != line["asked"]:
        return "crossed", f"{line['asked']} was asked, {line['got']} was the answer"
    if line["kind"] == "create" and (times := journal.done().get(("create", str(line["asked"])), 0)) != 1:
        return "doubled" if times else "lost", f"{line['asked']} was created {times} times"
    return None


def _left(session: int) -> list[str]:
    """The names of processes of a session that do not end; Python's own helpers are about to."""
    until = time.monotonic() + _GRACE
    while True:
        left = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
                state, _, _, group = rest.split()[:4]
                if int(group) == session and state != "Z":  # of whom nobody has asked yet how they ended
                    left.append(name)
        if not left or time.monotonic() >= until:
            return left
        time.sleep(0.05)
