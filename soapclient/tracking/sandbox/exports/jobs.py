"""The life of export jobs against the sandbox's clock: created, running, done, expired.

The states and the item's fields are assumed (`docs/explanation/service.md#export-jobs`). A `JobScript` makes
the next job misbehave.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import NAMESPACE_URL, uuid5

from ..faults import Busy
from .files import ExportFile
from .reports import Order

MAX_JOBS = 10_000  # per sandbox; beyond it the oldest are forgotten


@dataclass(frozen=True)
class JobSteps:
    """When a job moves on, counted from its order."""

    running: timedelta = timedelta(seconds=1)
    done: timedelta = timedelta(seconds=2)
    expired: timedelta = timedelta(hours=24)


@dataclass(frozen=True)
class JobScript:
    """How one job differs from the ordinary life. Everything left alone stays ordinary.

    states: shown one per look (the response to the order is the first look) before the real state shows.
    stuck: this state forever. fail: ends as `failed` with this message. expire: expired once it is done.
    rows_off_by: added to the number of rows that is reported. no_rows, no_url: leave these fields out.
    damage: `truncated` (half of the file, as if complete), `corrupt` (a wrong CRC), or `cut` (the
    connection ends in the middle of the file, unless a range is asked for).
    busy_looks, busy_downloads: so many GetJobs and downloads get 503, which asks for a wait of
    `retry_after` seconds (None: of nothing). breaks: so many downloads end in the middle of what was asked
    for. stale_addresses: so many addresses give 410, and the job reports another. forgotten: the job is
    known to the order alone, GetJob responds without an item. ranges: False sends the whole file, whatever
    part was asked for. pace: called before every 4 KiB of the file, and may take its time.
    """

    states: tuple[str, ...] = ()
    stuck: str | None = None
    fail: str | None = None
    expire: bool = False
    rows_off_by: int = 0
    no_rows: bool = False
    no_url: bool = False
    damage: Literal["truncated", "corrupt", "cut"] | None = None
    busy_looks: int = 0
    busy_downloads: int = 0
    retry_after: int | None = 1
    breaks: int = 0
    stale_addresses: int = 0
    forgotten: bool = False
    ranges: bool = True
    pace: Callable[[], object] | None = None


class Job:
    """One job of one account. Its state is a function of the clock, its script and its file."""

    def __init__(
        self, job_id: str, owner: str, order: Order, created: datetime, script: JobScript, file: ExportFile
    ) -> None:
        self.id = job_id
        self.owner = owner
        self.order = order
        self.created = created
        self.script = script
        self.file = file
        self.failures = ScriptedFailures(script)
        self._scripted = deque(script.states)
        self._looking = threading.Lock()

    def look(self, now: datetime, steps: JobSteps, patience: float) -> str:
        """The state to show; each look uses up one scripted state."""
        with self._looking:
            scripted = self._scripted.popleft() if self._scripted else None
        if scripted == "done":
            self.file.wait(patience)  # its numbers are reported with it
        if scripted is not None:
            return scripted
        return self.state(now, steps, patience)

    def state(self, now: datetime, steps: JobSteps, patience: float) -> str:
        """The state by the clock. Waits up to `patience` seconds for a file that is due."""
        if self.script.stuck is not None:
            return self.script.stuck
        age = now - self.created
        if age < steps.running:
            return "created"
        if age < steps.done:
            return "running"
        if self.script.fail is not None:
            return "failed"
        if age >= steps.expired or self.script.expire:
            self.file.close()
            return "expired"
        if not self.file.wait(patience):
            return "running"
        return "done" if self.file.error is None else "failed"

    def message(self) -> str | None:
        """Why it failed."""
        return self.script.fail or self.file.error


class Jobs:
    """All jobs of a sandbox. Thread-safe."""

    def __init__(
        self, seed: int, clock: Callable[[], datetime], steps: JobSteps, patience: float = 20
    ) -> None:
        self.steps = steps
        self._seed = seed
        self._clock = clock
        self._patience = patience
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._ordered = 0
        self._scripts: deque[JobScript] = deque()

    def script(self, *scripts: JobScript) -> None:
        """Scripts for the next jobs, one each, in this order."""
        with self._lock:
            self._scripts.extend(scripts)

    def order(self, owner: str, order: Order, blocks: Iterable[tuple[int, bytes]]) -> Job:
        """A new job; its file is written at once, whatever the clock says."""
        with self._lock:
            self._ordered += 1
            job_id = str(uuid5(NAMESPACE_URL, f"{self._seed}/{owner}/{self._ordered}"))
            script = self._scripts.popleft() if self._scripts else JobScript()
            damage = script.damage if script.damage in ("truncated", "corrupt") else None
            job = Job(job_id, owner, order, self._clock(), script, ExportFile(blocks, damage))
            self._jobs[job_id] = job
            while len(self._jobs) > MAX_JOBS:
                self._jobs.pop(next(iter(self._jobs))).file.close()
            return job

    def of(self, owner: str) -> list[Job]:
        """The account's jobs, oldest first."""
        with self._lock:
            return [job for job in self._jobs.values() if job.owner == owner and not job.script.forgotten]

    def get(self, owner: str, job_id: str) -> Job | None:
        """One of the account's own jobs; those of others do not exist for it."""
        with self._lock:
            job = self._jobs.get(job_id)
        return job if job is not None and job.owner == owner and not job.script.forgotten else None

    def look(self, job: Job) -> str:
        """The state to show now."""
        return job.look(self._clock(), self.steps, self._patience)

    def state(self, job: Job) -> str:
        """The state by the clock, leaving scripted looks alone."""
        return job.state(self._clock(), self.steps, self._patience)

    def close(self) -> None:
        """Remove all files."""
        with self._lock:
            for job in self._jobs.values():
                job.file.close()


class ScriptedFailures:
    """What is still to go wrong with one job."""

    def __init__(self, script: JobScript) -> None:
        self._lock = threading.Lock()
        self._retry_after = script.retry_after
        self._busy_looks = script.busy_looks
        self._busy_downloads = script.busy_downloads
        self._breaks = script.breaks
        self._stale = script.stale_addresses
        self._ticket = 1 if script.stale_addresses else 0

    def look(self) -> None:
        """Raises `Busy` as long as looks at the job are to be refused."""
        with self._lock:
            if self._busy_looks > 0:
                self._busy_looks -= 1
                raise Busy(self._retry_after)

    def download(self) -> None:
        """Raises `Busy` as long as downloads are to be refused."""
        with self._lock:
            if self._busy_downloads > 0:
                self._busy_downloads -= 1
                raise Busy(self._retry_after)

    def breaks(self) -> bool:
        """Whether this download is to end in its middle."""
        with self._lock:
            broken = self._breaks > 0
            self._breaks -= broken
            return broken

    def ticket(self) -> int:
        """What the address that the job reports now ends with; 0 for nothing."""
        with self._lock:
            return self._ticket

    def stale(self, ticket: str) -> bool:
        """Whether an address has run out; the job reports another one once it was tried."""
        with self._lock:
            if self._ticket == 0:
                return False
            if ticket != str(self._ticket):
                return True
            stale = self._stale > 0
            if stale:
                self._stale -= 1
                self._ticket += 1
            return stale
