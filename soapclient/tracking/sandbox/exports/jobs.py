"""Export jobs, whose state depends on the sandbox's clock: created, running, done, expired.

The states and the fields of a job item are assumed (`docs/explanation/service.md#export-jobs`). A `JobScript`
makes the next job misbehave.
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

MAX_JOBS = 10_000  # maximum per sandbox; beyond it, the oldest is deleted


@dataclass(frozen=True)
class JobSteps:
    """The times after which a job is running, done and expired, counted from the time of its order.

    >>> from datetime import timedelta
    >>> from soapclient.tracking.sandbox import JobSteps, Sandbox
    >>> with Sandbox(job_steps=JobSteps(running=timedelta(0), done=timedelta(seconds=5))) as sandbox:
    ...     pass  # its jobs are done after 5 seconds
    """

    running: timedelta = timedelta(seconds=1)
    done: timedelta = timedelta(seconds=2)
    expired: timedelta = timedelta(hours=24)


@dataclass(frozen=True)
class JobScript:
    """Deviations of one job from the normal behaviour. Defaults mean normal behaviour.

    - states: states to report first, one per request. The response to the order is the first request.
    - stuck: report this state forever.
    - fail: end as `failed` with this message.
    - expire: expire as soon as the job is done.
    - rows_off_by: added to the reported number of rows.
    - no_rows, no_url: omit these fields of the job item.
    - damage: `truncated` (half of the file, reported as complete), `corrupt` (wrong CRC), or `cut` (the
      connection ends in the middle of the file, except for range requests).
    - busy_looks: number of GetJob requests that get HTTP 503.
    - busy_downloads: number of downloads that get HTTP 503.
    - retry_after: seconds in the Retry-After header of these 503 responses; None omits the header.
    - breaks: number of downloads that end in the middle of the requested bytes.
    - stale_addresses: number of download addresses that return 410. After each, the job reports a new one.
    - forgotten: the response to the order contains the job, but later GetJob responses contain no item.
    - ranges: False ignores Range and sends the complete file.
    - pace: called before every 4 KiB of the file; may block.

    >>> import datetime as dt
    >>> from soapclient.errors import JobFailed
    >>> from soapclient.tracking.sandbox import JobScript
    >>> from soapclient.tracking.testing import ServedSandbox
    >>> day = dt.date(2026, 11, 1)
    >>> with ServedSandbox() as sandbox, sandbox.client() as client:
    ...     sandbox.script_jobs(JobScript(fail="too many rows"))
    ...     export = client.data.export(report_type="sale", from_date=day, to_date=day)
    ...     try:
    ...         export.wait(deadline=600)
    ...     except JobFailed as error:
    ...         print(error.message)
    too many rows
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
    """A job of an account. Its state depends on the clock, its script and its file.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
    >>> day = dt.date(2026, 11, 1)
    >>> with Sandbox() as sandbox, serve(sandbox) as server:
    ...     with Client(
    ...         data_url=server.url, connect_id=SAMPLE_CONNECT_ID, secret_key=SAMPLE_SECRET_KEY
    ...     ) as client:
    ...         export = client.data.exports.order(report_type="sale", from_date=day, to_date=day)
    ...     (job,) = sandbox.jobs.of(SAMPLE_CONNECT_ID)
    >>> job.id == export.handle.job_id, job.order.report_type
    (True, 'sale')
    """

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
        """Return the state to report to a client: the next scripted state, if any, or the result of `state`.

        `now` is the sandbox's time. `steps` has the ages at which a job changes its state. `patience` is the
        maximum time in seconds to wait until the job's file is written.
        """
        with self._looking:
            scripted = self._scripted.popleft() if self._scripted else None
        if scripted == "done":
            self.file.wait(patience)  # the size and rows of the file are reported with the state
        if scripted is not None:
            return scripted
        return self.state(now, steps, patience)

    def state(self, now: datetime, steps: JobSteps, patience: float) -> str:
        """Return the state at the time `now`, without using up scripted states.

        If the job should be done by now, waits up to `patience` seconds until its file is written.
        """
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
        """Return the reason why the job fails; None if it does not fail."""
        return self.script.fail or self.file.error


class Jobs:
    """All jobs of a sandbox. Thread-safe.

    >>> from soapclient.tracking.sandbox import JobScript, Sandbox
    >>> with Sandbox() as sandbox:
    ...     sandbox.jobs.script(JobScript(stuck="running"))  # the next job never ends
    """

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
        """Add scripts for the next jobs: the first script is for the next job, and so on."""
        with self._lock:
            self._scripts.extend(scripts)

    def create(self, owner: str, order: Order, blocks: Iterable[tuple[int, bytes]]) -> Job:
        """Create a job of the account `owner`, and return it.

        `blocks` is the CSV of its file. The file is written immediately, regardless of the clock.
        """
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
        """Return the account's jobs, oldest first."""
        with self._lock:
            return [job for job in self._jobs.values() if job.owner == owner and not job.script.forgotten]

    def get(self, owner: str, job_id: str) -> Job | None:
        """Return a job of the account `owner`. Returns None if this account has no job with the id."""
        with self._lock:
            job = self._jobs.get(job_id)
        return job if job is not None and job.owner == owner and not job.script.forgotten else None

    def look(self, job: Job) -> str:
        """Return the state to report to a client: the next scripted state, or else the result of `state`."""
        return job.look(self._clock(), self.steps, self._patience)

    def state(self, job: Job) -> str:
        """Return the state at the sandbox's time, without using up scripted states."""
        return job.state(self._clock(), self.steps, self._patience)

    def close(self) -> None:
        """Remove the files of all jobs."""
        with self._lock:
            for job in self._jobs.values():
                job.file.close()


class ScriptedFailures:
    """The scripted failures of a job that have not occurred yet. Thread-safe."""

    def __init__(self, script: JobScript) -> None:
        self._lock = threading.Lock()
        self._retry_after = script.retry_after
        self._busy_looks = script.busy_looks
        self._busy_downloads = script.busy_downloads
        self._breaks = script.breaks
        self._stale = script.stale_addresses
        self._ticket = 1 if script.stale_addresses else 0

    def look(self) -> None:
        """Raise `Busy` if a scripted failure of GetJob is left, and use it up. Called for each GetJob."""
        with self._lock:
            if self._busy_looks > 0:
                self._busy_looks -= 1
                raise Busy(self._retry_after)

    def download(self) -> None:
        """Raise `Busy` if a scripted failure of downloads is left, and use it up. Called for each GET."""
        with self._lock:
            if self._busy_downloads > 0:
                self._busy_downloads -= 1
                raise Busy(self._retry_after)

    def breaks(self) -> bool:
        """Return True if this download must end in the middle. Uses up one of the script's `breaks`."""
        with self._lock:
            broken = self._breaks > 0
            self._breaks -= broken
            return broken

    def ticket(self) -> int:
        """Return the ticket of the job's latest download address: a number in the query of the address.

        Returns 0 if the addresses have no tickets, because the script has no `stale_addresses`.
        """
        with self._lock:
            return self._ticket

    def stale(self, ticket: str) -> bool:
        """Return True if the download address with this ticket has expired.

        All addresses but the latest have expired. If the script has `stale_addresses` left, a call with the
        latest ticket uses up one of them: the latest address expires, too, and the job reports a new address
        from then on. Otherwise, the latest address is valid.
        """
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
