"""Errors of exports: jobs, downloads, files, and the state directory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from soapclient._support.redaction import clean, redact, shown
from soapclient.errors._base import SoapClientError
from soapclient.errors._calls import AmbiguousOutcome, ResponseError

_SHOWN: Final = 20  # maximum number of ids in a message; the attribute contains all ids


class ExportError(SoapClientError):
    """An export failed.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> from soapclient.errors import ExportError, JobFailed
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
    ...     except ExportError as error:
    ...         print(error)
    too many rows
    """


class JobFailed(ExportError):
    """An export job failed. `status` and `message` come from the service."""

    def __init__(self, job_id: str, status: str, message: str | None = None) -> None:
        self.job_id = job_id
        self.status = clean(status, 100)
        self.message = None if message is None else clean(redact(message), 500)
        text = f": {self.message}" if self.message else ""
        super().__init__(
            f"export job {job_id} failed with status {self.status!r}{text}. Order the export again; "
            "if it fails again, request a shorter period."
        )


class JobExpired(ExportError):
    """The service has deleted the result of an export job."""

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(
            f"the result of export job {job_id} has expired at the service. Order the export again."
        )


class JobUnknown(JobExpired):
    """The service does not know an export job, or no longer knows it."""

    def __init__(self, job_id: str | int) -> None:
        super().__init__(str(job_id))
        self.args = (
            f"the service does not know export job {job_id}. Check that the id is complete, and that this "
            "account ordered the job. If both are right, order the export again.",
        )


class DeadlineExceeded(ExportError):
    """An export did not complete within `seconds`. Its job, if there is one, continues at the service."""

    def __init__(self, job_id: str | None, doing: str, seconds: float) -> None:
        self.job_id = job_id
        self.doing = doing
        self.seconds = seconds
        if job_id is None:
            what, advice = "the export", "Allow a longer deadline."
        else:
            what, advice = (
                f"export job {job_id}",
                "The job is not cancelled. Resume it by its id, with a longer deadline.",
            )
        super().__init__(f"{what}: the deadline of {seconds:g} seconds passed while {doing}. {advice}")


class CorruptDownload(ExportError):
    """A downloaded file is damaged or incomplete. It did not get its final name."""

    def __init__(
        self, path: str, problem: str, *, expected: str | None = None, found: str | None = None
    ) -> None:
        self.path = path
        self.problem = problem
        self.expected = expected
        self.found = found
        compared = "" if expected is None and found is None else f" (expected {expected}, found {found})"
        super().__init__(
            f"{path}: {problem}{compared}. The file did not get its final name. Download it again."
        )


class NotThisExport(ExportError):
    """A row is outside the ordered days: the file belongs to another order.

    `row` is the number of the row, counted from 1 without the header. `value` is its value in `column`.
    """

    def __init__(self, path: str, row: int, column: str, value: object, days: str) -> None:
        self.path = path
        self.row = row
        self.column = column
        self.value = shown(value)
        self.days = days
        super().__init__(
            f"{path}: row {row} has {column} {self.value}, outside the ordered days ({days}). "
            "The file belongs to another order. Do not use it; order the export again."
        )


class NotThisRequest(NotThisExport):
    """A row does not match a filter of the order: the file belongs to another order.

    `asked` is the value that was ordered for `column`.
    """

    def __init__(self, path: str, row: int, column: str, value: object, days: str, asked: str | int) -> None:
        super().__init__(path, row, column, value, days)
        self.asked = asked
        self.args = (
            f"{path}: row {row} has {column} {self.value}, but {shown(asked)} was ordered. "
            "The file belongs to another order. Do not use it; order the export again.",
        )


class NotTheseColumns(NotThisExport):
    """A file does not have the columns of its order: it belongs to another order.

    `asked` describes the ordered columns. `value` are the columns of the file.
    """

    def __init__(self, path: str, columns: tuple[str, ...], asked: str, days: str) -> None:
        super().__init__(path, 0, "", ", ".join(columns), days)
        self.asked = asked
        self.args = (
            f"{path}: the columns are {shown(', '.join(columns))}, but {asked}. "
            "The file belongs to another order. Do not use it; order the export again.",
        )


class UnverifiedExport(NotThisExport):
    """A file may belong to another order: for example, it has no rows with a date to compare."""

    def __init__(self, path: str, days: str) -> None:
        super().__init__(path, 0, "", None, days)
        self.args = (
            f"{path}: the file does not show whether its days are the ordered days ({days}). It may "
            "belong to another order. Do not use it before you know which order its job belongs to.",
        )


@dataclass(frozen=True, slots=True)
class ColumnDrift:
    """The difference between the expected and the actual columns of a file.

    - `ordered`: True if the expected columns come from the order, which has selected or grouped columns.
      False if they come from the contract, which lists columns for each report type.
    - `reordered`: the columns are in another sequence than expected. The file can still be read, because
      columns are found by name.

    >>> from soapclient.errors import ColumnsDiffer
    >>> def show(error: ColumnsDiffer) -> None:
    ...     print(error.drift)
    """

    report_type: str
    missing: tuple[str, ...]
    added: tuple[str, ...]
    reordered: bool
    ordered: bool = False

    def __str__(self) -> str:
        parts = [
            f"{what}: {', '.join(map(repr, names))}"
            for what, names in (("missing", self.missing), ("added", self.added))
            if names
        ]
        if self.reordered:
            parts.append("in another order")
        if self.ordered:
            return f"not the ordered columns ({'; '.join([f'{self.report_type} export', *parts])})"
        return f"not the columns of the contract for {self.report_type} ({'; '.join(parts)})"


class ColumnsDiffer(ExportError):
    """A file has columns that are not expected and that the caller does not allow.

    `drift` is the difference between the expected and the actual columns.
    """

    def __init__(self, path: str, drift: ColumnDrift) -> None:
        self.path = path
        self.drift = drift
        again = (
            "order the export again" if drift.ordered else "order the export with the columns of the contract"
        )
        super().__init__(f'{path}: {drift}. Allow it with on_drift="warn", or {again}.')


class CellError(ResponseError):
    """A cell is not a valid value of its column's type.

    The type comes from the contract or from the caller, or it is an assumption of this package.
    """

    def __init__(self, where: str, line: int, column: str, cell: str, expected: str) -> None:
        super().__init__(f"{where} line {line}/{column}", cell, expected)
        self.args = (
            f"the file cannot be read: {self.path} is {self.value}, expected {self.expected}. To read the "
            f"column as text, pass types={{{json.dumps(column, ensure_ascii=False)}: str}}.",
        )


class AmbiguousOrder(AmbiguousOutcome):
    """It is unknown which job, if any, belongs to a pending order. Nothing was ordered.

    An order is pending if it was sent but got no response.

    `job_ids` are the possible jobs, and `key` is the key of the request in the state directory. `tried` maps
    the ids of the jobs whose files were checked to the results of the checks. It can also contain jobs that
    are not in `job_ids`, because their files belong to other orders.
    """

    def __init__(
        self,
        operation: str,
        key: str,
        job_ids: tuple[str | int, ...],
        reason: str,
        title: str | None = None,
        tried: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(operation, reason)
        self.key = key
        self.job_ids = job_ids
        self.tried = dict(tried)
        left = {clean(str(job_id), 100): tried.get(str(job_id)) for job_id in job_ids[:_SHOWN]}
        ids = [job_id if result is None else f"{job_id} ({result})" for job_id, result in left.items()]
        more = f" and {len(job_ids) - _SHOWN} more" if len(job_ids) > _SHOWN else ""
        request = key if title is None else f"{key} ({title})"
        disproved = len(tried.keys() - {str(job_id) for job_id in job_ids})
        others = (
            f" The files of {disproved} more jobs show that they belong to other orders." if disproved else ""
        )
        self.args = (
            f"{operation}: an earlier order of request {request} got no response, and {self.reason}: "
            f"{', '.join(ids)}{more}.{others} Nothing was ordered. Order again with reorder=True (on the "
            f"command line: --reorder), or select the job of the earlier order with "
            f"Ledger.claim({key!r}, job id).",
        )


class LedgerError(ExportError):
    """A file of the state directory cannot be used.

    Until the file is repaired or moved away, these requests cannot be ordered:

    - the request that the file records;
    - each request whose latest order got no response, because the job in this file may belong to that order.
    """

    def __init__(self, path: str, problem: str, advice: str) -> None:
        self.path = path
        self.problem = clean(problem, 500)
        super().__init__(f"{path}: {self.problem}. {advice}.")


class LedgerBusy(ExportError):
    """Another process or thread is ordering for the same account. `seconds` is the time waited."""

    def __init__(self, path: str, seconds: float) -> None:
        self.path = path
        self.seconds = seconds
        super().__init__(
            f"{path}: another process is ordering exports for this account (waited {seconds:g} seconds). "
            "Nothing was sent. Wait until it finishes, or set a longer patience."
        )
