"""A report job as the service describes it, read by the names in the contract's tables."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from soapclient.clock import Deadline
from soapclient.errors import ConfigError, JobExpired, ResponseError
from soapclient.exports.formats.columns import ColumnDrift
from soapclient.exports.handle import JobId
from soapclient.forks import Lock
from soapclient.runtime import CountingReader, Finding
from soapclient.runtime.settings import Download, Job, Settings, Waiter

Phase = Literal["waiting", "done", "failed", "expired", "unknown"]

_COMPRESSION: Final = "compression"  # docs/explanation/service.md#export-jobs; the tables only name the value
_ABSENT: Final = object()


class JobUnknown(JobExpired):
    """The service knows nothing (any more) of an export job."""

    def __init__(self, job_id: JobId) -> None:
        super().__init__(str(job_id))
        self.args = (
            f"the service does not know export job {job_id}, or no longer. Check that the id is complete and "
            "the account the one that ordered it; else order the export again.",
        )


@dataclass(frozen=True, slots=True)
class JobTables:
    """The parts of a contract's tables that jobs need."""

    service: str
    version: str
    job: Job
    waiter: Waiter
    download: Download

    @classmethod
    def of(cls, tables: Settings) -> JobTables:
        """Raises ConfigError where the contract's settings say nothing of jobs."""
        if tables.job is None or tables.waiter is None or tables.download is None:
            raise ConfigError(
                "contract",
                f"the settings of the {tables.name} contract have no job, waiter or download table",
                "Write them into contracts.toml and generate the bindings again",
            )
        return cls(tables.name, tables.version, tables.job, tables.waiter, tables.download)


@dataclass(kw_only=True)
class JobService:
    """What exports need of a service.

    `methods` has the generated methods, `tables` say which of them order a job and describe it. `within`
    gives the methods with a deadline for their next calls; without it each call has the service's own.
    `list_jobs` lists all jobs of the account over all pages, `time` is the service's clock by its last
    response: both are needed where orders go through a ledger.
    """

    methods: object
    tables: Settings
    within: Callable[[Deadline], object] | None = None
    list_jobs: Callable[[], Iterable[object]] | None = None
    time: Callable[[], dt.datetime | None] = lambda: None

    @property
    def job_tables(self) -> JobTables:
        """Raises ConfigError where the contract's settings say nothing of jobs."""
        return JobTables.of(self.tables)

    def operation(self, name: str) -> Callable[..., object]:
        """Return a generated method by the name a table gives it."""
        return operation_of(self.methods, name)


def operation_of(methods: object, name: str) -> Callable[..., object]:
    """Return a generated method. Raises ConfigError where there is none of that name."""
    method = getattr(methods, name, None)
    if not callable(method):
        raise ConfigError("contract", f"the service has no operation {name}", "Generate the bindings again")
    operation: Callable[..., object] = method
    return operation


@dataclass(frozen=True, slots=True)
class JobSnapshot:
    """A job at one moment. `size` is in bytes, compressed; what the service does not tell is None.

    `status` is the service's own word, `phase` what it means by the contract's tables. A job without one is
    waiting, until its file can be downloaded.
    """

    id: JobId
    status: str | None
    phase: Phase
    rows: int | None = None
    size: int | None = None
    url: str | None = field(default=None, repr=False)  # it may hold a ticket
    message: str | None = None
    compression: str | None = None


def read_job(response: object, tables: JobTables, operation: str) -> JobSnapshot | None:
    """Read the job out of a response; None if the response holds none. Raises ResponseError for a misfit."""
    names = tables.job
    item = getattr(response, names.item, _ABSENT)
    if item is _ABSENT:
        raise ResponseError(names.item, None, "a response with a job", operation=operation)
    if item is None:
        return None
    fields = _Fields(item, names.item, operation)
    status = fields.text(names.status) or None
    return JobSnapshot(
        id=fields.job_id(names.id),
        status=status,
        phase=phase_of(status, tables.waiter),
        rows=fields.number(names.rows),
        size=fields.number(names.size),
        url=fields.text(names.url),
        message=fields.text(names.message),
        compression=fields.text(_COMPRESSION) if hasattr(item, _COMPRESSION) else None,
    )


def phase_of(status: str | None, waiter: Waiter) -> Phase:
    """Return what a status means."""
    if status is None:
        return "waiting"
    if status in waiter.done:
        return "done"
    if status in waiter.failed:
        return "failed"
    if status in waiter.expired:
        return "expired"
    return "waiting" if status in waiter.waiting else "unknown"


class _Fields:
    """Typed access to attributes whose names come from a table."""

    def __init__(self, item: object, path: str, operation: str) -> None:
        self._item = item
        self._path = path
        self._operation = operation

    def read(self, name: str, kind: type[str] | type[int], expected: str) -> str | int:
        value = getattr(self._item, name, None)
        if isinstance(value, bool) or not isinstance(value, kind):
            raise self._type_error(name, value, expected)
        return value

    def job_id(self, name: str) -> JobId:
        value = getattr(self._item, name, None)
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            raise self._type_error(name, value, "a job's id")
        return value

    def text(self, name: str | None) -> str | None:
        if name is None or getattr(self._item, name, _ABSENT) is None:
            return None
        return str(self.read(name, str, "text"))

    def number(self, name: str | None) -> int | None:
        if name is None or getattr(self._item, name, _ABSENT) is None:
            return None
        number = int(self.read(name, int, "a whole number"))
        if number < 0:
            raise self._type_error(name, number, "a number of at least 0")
        return number

    def _type_error(self, name: str, value: object, expected: str) -> ResponseError:
        return ResponseError(f"{self._path}/{name}", value, expected, operation=self._operation)


log = logging.getLogger(__name__)


class Findings(Protocol):
    """Where contract drift is counted (soapclient.drift.Drift)."""

    def add(self, operation: str, reader: CountingReader, /) -> None: ...


class DriftFindings:
    """Counts contract drift in job states and columns; logs each unknown state once. Threads may share it."""

    def __init__(self, names: Job, findings: Findings | None) -> None:
        self._names = names
        self._findings = findings
        self._lock = Lock()
        self._told: set[str] = set()

    def unknown_state(self, job: JobSnapshot) -> None:
        """A job is in a state that no table knows."""
        names, status = self._names, job.status or ""
        self._count(names.poll, Finding("value", f"{names.item}/{names.status}", status))
        with self._lock:
            fresh = status not in self._told
            self._told.add(status)
        if fresh:
            log.warning("export job %s: unknown state %r, read as waiting", job.id, status)

    def columns(self, drift: ColumnDrift) -> None:
        """A file has other columns than those that were ordered, or that the contract names."""
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
