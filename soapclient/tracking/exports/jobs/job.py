"""Report jobs: read their state, and poll them until they are done.

The intervals of polling are short at first and then grow.
"""

from __future__ import annotations

import datetime as dt
import logging
import random as system_random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeVar

from soapclient._support.forks import Lock
from soapclient._support.redaction import shown
from soapclient.auth.signing import Signer
from soapclient.calling.retry import RetryQuota, transient_errors
from soapclient.clock import Clock, Deadline, SystemClock
from soapclient.errors import (
    ColumnDrift,
    ConfigError,
    DeadlineExceeded,
    JobExpired,
    JobFailed,
    JobUnknown,
    ResponseError,
    SoapClientError,
)
from soapclient.runtime import CountingReader, Finding
from soapclient.runtime.settings import Download, Job, Order, Waiter
from soapclient.runtime.settings import Settings as PackageSettings
from soapclient.settings.settings import ONE_DAY
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.settings import Settings

if TYPE_CHECKING:
    from soapclient.tracking.exports.jobs.connections import FileConnections

Phase = Literal["waiting", "done", "failed", "expired", "unknown"]

_ABSENT: Final = object()

T = TypeVar("T", str, int)


@dataclass(frozen=True, slots=True)
class JobTables:
    """The contract's settings for jobs of one service.

    - `job`: the names of the operations and fields for jobs.
    - `waiter`: the meaning of the jobs' states, and the intervals of polling.
    - `download`: the default path and the compression of the jobs' files.
    """

    service: str
    version: str
    job: Job
    waiter: Waiter
    download: Download

    @classmethod
    def of(cls, tables: PackageSettings) -> JobTables:
        """Select the settings for jobs from `tables`, all settings of a contract.

        Raises ConfigError if the contract has no settings for jobs.
        """
        if tables.job is None or tables.waiter is None or tables.download is None:
            raise ConfigError(
                "contract",
                f"the {tables.name} contract does not have all the tables `job`, `waiter` and `download`",
                "Add the missing table to contracts.toml and generate the bindings again",
            )
        return cls(tables.name, tables.version, tables.job, tables.waiter, tables.download)


def order_of(tables: PackageSettings) -> Order:
    """Return the settings for orders, such as field names, from `tables`, all settings of a contract.

    Raises ConfigError if the contract has no settings for orders.
    """
    if tables.order is None:
        raise ConfigError(
            "contract",
            f"the {tables.name} contract has no table `order`",
            "Add the table to contracts.toml and generate the bindings again",
        )
    return tables.order


def operation_of(methods: object, name: str) -> Callable[..., object]:
    """Return the generated method `name` of the object `methods`. Raises ConfigError if it does not exist."""
    method = getattr(methods, name, None)
    if not callable(method):
        raise ConfigError(
            "contract", f"the service does not have the operation {name}", "Generate the bindings again"
        )
    operation: Callable[..., object] = method
    return operation


@dataclass(frozen=True, slots=True)
class JobSnapshot:
    """The state of a job at one moment. Fields that the service does not return are None.

    - `size`: bytes of the compressed file.
    - `status`: the name that the service gives the state.
    - `phase`: the meaning of this name according to the contract's settings, such as "done". A job without a
      status is waiting until its file can be downloaded.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> day = dt.date(2026, 11, 1)
    >>> with Client() as client:
    ...     export = client.data.export(report_type="sale", from_date=day, to_date=day, reorder=True)
    ...     job = export.status()
    >>> job.phase, job.rows > 0
    ('done', True)
    """

    id: JobId
    status: str | None
    phase: Phase
    rows: int | None = None
    size: int | None = None
    url: str | None = field(default=None, repr=False)  # may contain a token
    message: str | None = None
    compression: str | None = None
    report_type: str | None = None


def read_job(response: object, tables: JobTables, operation: str) -> JobSnapshot | None:
    """Read the job from a response. Return None if the response is valid, but has no job.

    Raises ResponseError if the job is invalid. `operation` is the name of the called operation, for the
    error.
    """
    names = tables.job
    item = value_at(response, names.item, _ABSENT)
    if item is _ABSENT:
        raise ResponseError(names.item, None, "a response with a job", operation=operation)
    return None if item is None else _snapshot(item, tables, operation, names.id)


def ordered_id(response: object, tables: JobTables) -> JobId | None:
    """Read the id of the new job from the response to an order. Return None if the response has no id.

    Raises ResponseError if the id or the job is invalid.
    """
    names = tables.job
    if names.ordered_id is None:
        job = read_job(response, tables, names.order)
        return None if job is None else job.id
    value = value_at(response, names.ordered_id)
    return None if value is None else _id(value, names.ordered_id, names.order)


def value_at(item: object, path: str, absent: object = None) -> object:
    """Return the value at `path`, which is a list of attribute names joined by dots.

    If the path is empty, return `item`. Return None if a value on the path is None. Return `absent` if an
    attribute does not exist.
    """
    for name in path.split(".") if path else ():
        if item is None:
            return None
        item = getattr(item, name, absent)
        if item is absent:
            return absent
    return item


def _path(names: Job, name: str) -> str:
    """Return the path of a job's field for error messages, such as `job/status`.

    `name` is the field, in this example `status`. `names` are the contract's settings for jobs: `names.item`
    is the field that contains the job, in this example `job`. If `names.item` is empty, the path is `name`
    alone.
    """
    return f"{names.item}/{name}" if names.item else name


def _id(value: object, path: str, operation: str) -> JobId:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise ResponseError(path, value, "a job's id", operation=operation)
    return value


def _snapshot(item: object, tables: JobTables, operation: str, id_name: str) -> JobSnapshot:
    names = tables.job

    def refused(name: str, expected: str) -> ResponseError:
        value = value_at(item, name)
        return ResponseError(_path(names, name), value, expected, operation=operation)

    def read(name: str | None, kind: type[T], expected: str) -> T | None:
        value = None if name is None else value_at(item, name, _ABSENT)
        if name is None or value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, kind):
            raise refused(name, expected)
        return value

    def number(name: str | None) -> int | None:
        value = read(name, int, "a whole number")
        if name is not None and value is not None and value < 0:
            raise refused(name, "a number of 0 or more")
        return value

    def text_of(name: str | None) -> str | None:
        return (
            read(name, str, "text")
            if name is not None and value_at(item, name, _ABSENT) is not _ABSENT
            else None
        )

    job_id = _id(value_at(item, id_name), _path(names, id_name), operation)
    status = read(names.status, str, "text") or None
    return JobSnapshot(
        id=job_id,
        status=status,
        phase=phase_of(status, tables.waiter),
        rows=number(names.rows),
        size=number(names.size),
        url=read(names.url, str, "text"),
        message=read(names.message, str, "text"),
        compression=text_of(names.compression),
        report_type=text_of(names.type),
    )


def phase_of(status: str | None, waiter: Waiter) -> Phase:
    """Return the meaning of a job's status, such as "done", according to the settings `waiter`.

    A job without a status is "waiting". A status that the settings do not name is "unknown".
    """
    if status is None:
        return "waiting"
    if status in waiter.done:
        return "done"
    if status in waiter.failed:
        return "failed"
    if status in waiter.expired:
        return "expired"
    return "waiting" if status in waiter.waiting else "unknown"


log = logging.getLogger(__name__)


class Findings(Protocol):
    """Interface of a counter for contract drift (differences between responses and the contract).

    `soapclient.drift.Drift` implements it.
    """

    def add(self, operation: str, reader: CountingReader, /) -> None: ...


class DriftFindings:
    """Counts contract drift in job states and columns. Logs each unknown state once. Thread-safe."""

    def __init__(self, names: Job, findings: Findings | None) -> None:
        self._names = names
        self._findings = findings
        self._lock = Lock()
        self._logged: set[str] = set()

    def unknown_state(self, job: JobSnapshot) -> None:
        """Count a job whose state is not in the contract's settings as contract drift.

        The first time, the state is logged.
        """
        names, status = self._names, job.status or ""
        self._count(names.poll, Finding("value", f"{names.item}/{names.status}", status))
        with self._lock:
            fresh = status not in self._logged
            self._logged.add(status)
        if fresh:
            log.warning("export job %s: unknown state %r, treated as waiting", job.id, status)

    def columns(self, drift: ColumnDrift) -> None:
        """Count each missing and each unexpected column of a file as contract drift."""
        where = f"{drift.report_type}.csv"
        self._count(
            "download",
            *(Finding("missing", f"{where}/{name}", "") for name in drift.missing),
            *(Finding("element", f"{where}/{name}", "") for name in drift.added),
        )

    def _count(self, operation: str, *findings: Finding) -> None:
        if self._findings is not None:
            reader = CountingReader()
            reader.findings.update(findings)
            self._findings.add(operation, reader)


_LEAST_POLL: Final = 5.0  # minimum timeout of a poll in seconds, even at the deadline
_JITTER: Final = 0.25  # maximum random reduction of a pause, as a fraction
_LEAST_PAUSE: Final = 0.05  # seconds; prevents a tight loop, whatever the contract's settings are


@dataclass(eq=False, kw_only=True)
class ReportJobs:
    """The report jobs of one account. Polls a job once, or waits for it. Thread-safe.

    - `methods`: the object that has the service's generated methods.
    - `tables`: the contract's settings, with the names of the methods and fields for jobs.
    - `within`: takes a number of seconds, and returns an object like `methods`, whose calls have this
      deadline. Without `within`, the configured deadline applies.
    - `list_jobs`: lists all jobs of the account over all pages.
    - `time`: returns the service's time according to its last response.
    - `random`: returns a number from 0 to 1, to vary the polling intervals.
    - `findings`: counts contract drift.
    - `offset`: returns the correction to add to the local time before signing.
    - `files`: the connections for files.

    `list_jobs` and `time` are required for orders that a ledger (`Ledger`) records.
    """

    methods: object
    tables: PackageSettings
    config: Settings
    signer: Signer
    files: FileConnections
    within: Callable[[float], object] | None = None
    list_jobs: Callable[[], Iterable[object]] | None = None
    time: Callable[[], dt.datetime | None] = lambda: None
    clock: Clock = field(default_factory=SystemClock)
    random: Callable[[], float] = system_random.random
    quota: RetryQuota = field(default_factory=RetryQuota)
    findings: InitVar[Findings | None] = None
    offset: Callable[[], dt.timedelta] = dt.timedelta
    drift: DriftFindings = field(init=False)

    def __post_init__(self, findings: Findings | None) -> None:
        self.drift = DriftFindings(self.job_tables.job, findings)

    @property
    def job_tables(self) -> JobTables:
        """The contract's settings for jobs. Raises ConfigError if the contract has no such settings."""
        return JobTables.of(self.tables)

    def until(self, deadline: float | dt.timedelta) -> Deadline:
        """Return a deadline that starts now. Raises ConfigError if it is not a number or a timedelta."""
        return Deadline(self.clock, seconds_of(deadline))

    def look(self, handle: ExportHandle, until: Deadline | None = None) -> JobSnapshot:
        """Request the state of the handle's job once, and return it. See `Export.status`.

        `until` is the deadline. Raises JobUnknown if the service does not know the job.
        """
        tables = self.job_tables
        names = tables.job
        poll = operation_of(self.methods if until is None else self._within(until), names.poll)
        job = read_job(poll(**{names.poll_id: _poll_id(handle.job_id, names)}), tables, names.poll)
        if job is None:
            raise JobUnknown(handle.job_id)
        if str(job.id) != str(handle.job_id):
            raise ResponseError(_path(names, names.id), job.id, str(handle.job_id), operation=names.poll)
        if job.phase == "unknown":
            self.drift.unknown_state(job)
        return job

    def listed(self) -> Iterator[JobSnapshot]:
        """Yield a JobSnapshot for each job of the account.

        Raises ConfigError if the contract has no list of jobs.
        """
        tables = self.job_tables
        names = tables.job
        for item in self.list_items():
            yield _snapshot(item, tables, names.list or "", names.listed_id or names.id)

    def list_items(self) -> Iterable[object]:
        """Return the account's jobs unconverted, as objects of the generated classes.

        Raises ConfigError if the contract has no list of jobs.
        """
        return self.require_list()()

    def require_list(self) -> Callable[[], Iterable[object]]:
        """Return the function that lists jobs. Raises ConfigError if the contract has no list of jobs."""
        if self.list_jobs is None or self.job_tables.job.list is None:
            raise ConfigError(
                "exports",
                "the contract does not have a list of jobs, which is required to find an earlier order",
                "In contracts.toml, set list in [job] to the operation that lists jobs, and generate the "
                "bindings again; or resume by job id",
            )
        return self.list_jobs

    def wait(
        self,
        handle: ExportHandle,
        until: Deadline,
        is_there: Callable[[JobSnapshot], bool],
        on_progress: Callable[[JobSnapshot], None] | None = None,
    ) -> JobSnapshot:
        """Poll until the job is done, starting at once. Return the job.

        - An unknown state counts as waiting.
        - A job without a state is done when `is_there` returns True.
        - A transient error of the first poll is raised. A transient error of a later poll is only logged.

        Raises JobFailed, JobExpired, and DeadlineExceeded after a last poll at the deadline.
        """
        waiter, fault = self.job_tables.waiter, self.tables.fault
        is_transient = transient_errors(frozenset() if fault is None else fault.transient)
        pause = waiter.delay
        progress = ""
        while True:
            retry_after = 0.0
            try:
                job = self.look(handle, until)
            except SoapClientError as error:
                if until.expired:
                    raise _deadline_error(handle.job_id, progress or "polling it", until) from error
                if not progress or not is_transient(error):
                    raise
                log.warning("export job %s: no response, polling again later: %s", handle.job_id, error)
                retry_after = float(getattr(error, "retry_after", None) or 0.0)
            else:
                if on_progress is not None:
                    on_progress(job)
                if _finished(job) or (job.status is None and is_there(job)):
                    return job
                state = "no state" if job.status is None else f"last state {job.status!r}"
                if job.phase == "unknown":
                    state += ", which is not named in [waiter] of the package's settings"
                progress = f"waiting for it ({state})"
            left = until.remaining()
            if left <= 0:
                raise _deadline_error(handle.job_id, progress, until)
            jittered = pause * (1 - _JITTER * self.random())
            self.clock.sleep(min(max(jittered, retry_after, _LEAST_PAUSE), left))
            pause = min(pause * waiter.factor, waiter.most)

    def _within(self, deadline: Deadline) -> object:
        if self.within is None:
            return self.methods
        return self.within(min(max(deadline.remaining(), _LEAST_POLL), ONE_DAY))


def _poll_id(job_id: JobId, names: Job) -> JobId:
    """Convert a job id to the type that the id has in the request for the job's state.

    `names` are the contract's settings for jobs. Returns the id unchanged if it cannot be converted.
    """
    if names.poll_type != "number":
        return str(job_id) if names.poll_type == "text" else job_id
    return int(job_id) if isinstance(job_id, str) and job_id.isascii() and job_id.isdecimal() else job_id


def seconds_of(deadline: float | dt.timedelta) -> float:
    """Convert a deadline to seconds. Raises ConfigError if it is not a number or a timedelta."""
    if isinstance(deadline, dt.timedelta):
        return deadline.total_seconds()
    if isinstance(deadline, bool) or not isinstance(deadline, int | float):
        raise ConfigError(
            "deadline",
            f"must be a number of seconds or a timedelta, got {shown(deadline)}",
            "Correct it, or omit it (the default is 30 minutes)",
        )
    return deadline


def _finished(job: JobSnapshot) -> bool:
    if job.phase == "failed":
        raise JobFailed(str(job.id), job.status or "", job.message)
    if job.phase == "expired":
        raise JobExpired(str(job.id))
    return job.phase == "done"


def _deadline_error(job_id: JobId, doing: str, deadline: Deadline) -> DeadlineExceeded:
    return DeadlineExceeded(str(job_id), doing, deadline.seconds)
