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

_JobId = str | int
_SHOWN: Final = 20  # ids in a message; the attribute has them all


class ExportError(SoapClientError):
    """An export failed."""


class JobFailed(ExportError):
    """An export job failed. `status` and `message` are the service's own."""

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
    """The service no longer keeps the result of an export job."""

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(
            f"the result of export job {job_id} has expired at the service. Order the export again."
        )


class JobUnknown(JobExpired):
    """The service knows nothing (any more) of an export job."""

    def __init__(self, job_id: _JobId) -> None:
        super().__init__(str(job_id))
        self.args = (
            f"the service does not know export job {job_id}, or no longer. Check that the id is complete and "
            "the account the one that ordered it; else order the export again.",
        )


class DeadlineExceeded(ExportError):
    """An export was not complete within `seconds`. Its job, if there is one, continues at the service."""

    def __init__(self, job_id: str | None, doing: str, seconds: float) -> None:
        self.job_id = job_id
        self.doing = doing
        self.seconds = seconds
        if job_id is None:
            what, advice = "the export", "Allow a longer deadline."
        else:
            what, advice = (
                f"export job {job_id}",
                "The job is not cancelled: resume it by its id, with a longer deadline.",
            )
        super().__init__(f"{what}: the deadline of {seconds:g} seconds passed while {doing}. {advice}")


class CorruptDownload(ExportError):
    """A downloaded file is damaged or incomplete; it did not get its final name."""

    def __init__(
        self, path: str, problem: str, *, expected: str | None = None, found: str | None = None
    ) -> None:
        self.path = path
        self.problem = problem
        self.expected = expected
        self.found = found
        compared = "" if expected is None and found is None else f" (expected {expected}, found {found})"
        super().__init__(
            f"{path}: {problem}{compared}. Download it again; this file did not get its final name."
        )


class NotThisExport(ExportError):
    """A row lies outside the days that were ordered: the file is that of another order.

    `row` counts from 1, the header not among them; `value` is what stood in `column`.
    """

    def __init__(self, path: str, row: int, column: str, value: object, days: str) -> None:
        self.path = path
        self.row = row
        self.column = column
        self.value = shown(value)
        self.days = days
        super().__init__(
            f"{path}: row {row} has {column} {self.value}, outside the days that were ordered ({days}). "
            "The file belongs to another order. Do not use it; order the export again."
        )


class NotThisRequest(NotThisExport):
    """A row is not what a filter of the order lets through: the file is that of another order.

    `asked` is what was ordered of the `column`.
    """

    def __init__(self, path: str, row: int, column: str, value: object, days: str, asked: _JobId) -> None:
        super().__init__(path, row, column, value, days)
        self.asked = asked
        self.args = (
            f"{path}: row {row} has {column} {self.value}, but {shown(asked)} was ordered. "
            "The file belongs to another order. Do not use it; order the export again.",
        )


class NotTheseColumns(NotThisExport):
    """A file has not the columns that its order would have brought: it is that of another order.

    `asked` says which these are, `value` which there are.
    """

    def __init__(self, path: str, columns: tuple[str, ...], asked: str, days: str) -> None:
        super().__init__(path, 0, "", ", ".join(columns), days)
        self.asked = asked
        self.args = (
            f"{path}: the columns are {shown(', '.join(columns))}, but {asked}. "
            "The file belongs to another order. Do not use it; order the export again.",
        )


class UnverifiedExport(NotThisExport):
    """A file does not show which order it belongs to: it has no rows, or none with a date."""

    def __init__(self, path: str, days: str) -> None:
        super().__init__(path, 0, "", None, days)
        self.args = (
            f"{path}: the file does not show whether its days are those that were ordered ({days}). It may "
            "belong to another order. Do not use it before you know which order its job belongs to.",
        )


@dataclass(frozen=True, slots=True)
class ColumnDrift:
    """How a file's columns differ from what they should be; they are found by name, so order does no harm.

    They should be those that were `ordered`, chosen or grouped, or else the contract's for the report type.
    """

    report_type: str
    missing: tuple[str, ...]
    added: tuple[str, ...]
    reordered: bool
    ordered: bool = False

    def __str__(self) -> str:
        said = [
            f"{what}: {', '.join(map(repr, names))}"
            for what, names in (("missing", self.missing), ("added", self.added))
            if names
        ]
        if self.reordered:
            said.append("in another order")
        if self.ordered:
            return f"not the columns ordered ({'; '.join([f'{self.report_type} export', *said])})"
        return f"not the columns of the contract for {self.report_type} ({'; '.join(said)})"


class ColumnsDiffer(ExportError):
    """A file has other columns than it should, and the caller wants none such; see `drift`."""

    def __init__(self, path: str, drift: ColumnDrift) -> None:
        self.path = path
        self.drift = drift
        again = (
            "order the export again" if drift.ordered else "order the export with the columns of the contract"
        )
        super().__init__(f'{path}: {drift}. Allow it with on_drift="warn", or {again}.')


class CellError(ResponseError):
    """A cell is not of its column's type: the contract's, one that is assumed, or the caller's own."""

    def __init__(self, where: str, line: int, column: str, cell: str, expected: str) -> None:
        super().__init__(f"{where} line {line}/{column}", cell, expected)
        self.args = (
            f"the file cannot be read: {self.path} is {self.value}, expected {self.expected}. To read the "
            f"column as text, give types={{{json.dumps(column, ensure_ascii=False)}: str}}.",
        )


class AmbiguousOrder(AmbiguousOutcome):
    """It is unclear which job, if any, belongs to a pending order. Nothing was ordered.

    `job_ids` are the possible jobs, `key` is the request's in the state directory. `tried` says by job id
    what was found when its file was looked at; those that turned out to be other orders' are in it as well.
    """

    def __init__(
        self,
        operation: str,
        key: str,
        job_ids: tuple[_JobId, ...],
        reason: str,
        title: str | None = None,
        tried: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(operation, reason)
        self.key = key
        self.job_ids = job_ids
        self.tried = dict(tried)
        left = {clean(str(job_id), 100): tried.get(str(job_id)) for job_id in job_ids[:_SHOWN]}
        ids = [job_id if said is None else f"{job_id} ({said})" for job_id, said in left.items()]
        more = f" and {len(job_ids) - _SHOWN} more" if len(job_ids) > _SHOWN else ""
        request = key if title is None else f"{key} ({title})"
        disproved = len(tried.keys() - {str(job_id) for job_id in job_ids})
        others = f" The files of {disproved} more show that they belong to other orders." if disproved else ""
        self.args = (
            f"{operation}: an earlier order of request {request} got no response, and {self.reason}: "
            f"{', '.join(ids)}{more}.{others} Nothing was ordered. Order anew with reorder=True (on the "
            f"command line: --reorder), or say which job it is with Ledger.claim({key!r}, job id).",
        )


class LedgerError(ExportError):
    """A file in a ledger cannot be used.

    As long as it is there, its request is not ordered, nor is one whose earlier order was not answered: the
    job that is looked for might be that of the file.
    """

    def __init__(self, path: str, problem: str, advice: str) -> None:
        self.path = path
        self.problem = clean(problem, 500)
        super().__init__(f"{path}: {self.problem}. {advice}.")


class LedgerBusy(ExportError):
    """Another process or thread is ordering for the same account. `seconds` is how long it was waited for."""

    def __init__(self, path: str, seconds: float) -> None:
        self.path = path
        self.seconds = seconds
        super().__init__(
            f"{path}: another process is ordering exports for this account (waited {seconds:g} seconds). "
            "Nothing was sent; let it finish, or allow more patience."
        )
