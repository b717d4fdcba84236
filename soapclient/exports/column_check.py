"""Are these the columns that were ordered? What an order may say of them shows in the header of its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from soapclient.exports.columns import expected_columns, names_in, plain
from soapclient.exports.day_check import NotThisExport
from soapclient.exports.handle import JobId
from soapclient.exports.rows import ExportFile
from soapclient.redaction import shown
from soapclient.runtime.settings import Column
from zxws.data.service import PACKAGE


class NotTheseColumns(NotThisExport):
    """A file has not the columns that its order would have brought: it is that of another order.

    `asked` says which these are, `value` which there are.
    """

    def __init__(self, path: str, columns: tuple[str, ...], asked: str, days: str) -> None:
        super().__init__(path, 0, "", ", ".join(columns), days)
        self.asked = asked
        self.args = (
            f"{path}: the columns are {shown(', '.join(columns))}, but {asked}. "
            "The file belongs to another order: do not use it as this one's, order the export again.",
        )


def check_columns(file: ExportFile, request: Mapping[str, JobId]) -> bool:
    """Compare the header of a file with a request: chosen columns, groups, else those of the report type.

    Case, underscores and the order of columns make no difference. Columns that only the
    contract's tables name for a report type are assumed: one that is missing, or that nobody knows, is drift
    and no proof; columns of another type, with none that is in this one's alone, are proof. Return False if
    the header does not tell: a chosen column or a group is missing, and one that nobody knows may be it by a
    new name; or there are no fewer columns of another type than of this one. Raises NotTheseColumns.
    """
    present = {plain(name) for name in file.columns}
    allowed = _names(expected_columns(PACKAGE.settings, file.report_type, request, file.columns).columns)
    for field, asked in (("columns", "{} were ordered"), ("group_by", "sums by {} were ordered")):
        if field not in request:
            continue
        missing = {plain(name) for name in names_in(request[field])} - present
        if len(missing) > len(present - _KNOWN - allowed) or not present.isdisjoint(_KNOWN - allowed):
            raise _not_these(file, request, asked.format(shown(str(request[field]))))
        return not missing
    shares = [
        (len(present & (allowed - other)), len(present & (other - allowed)), bool(allowed - other))
        for other in map(_names, PACKAGE.settings.columns.values())
        if allowed
    ]
    if (shares and _are_sums(present)) or any(
        theirs and not ours and distinct for ours, theirs, distinct in shares
    ):
        raise _not_these(file, request, f"rows of the type {shown(file.report_type)} were ordered")
    return all(ours > theirs for ours, theirs, _ in shares if theirs)


def _are_sums(present: set[str]) -> bool:
    dates = _names(column for column in _ROWS if column.type == "xsd:dateTime")
    return not present.isdisjoint(_SUMMED - _names(_ROWS)) and present.isdisjoint(dates)


def _not_these(file: ExportFile, request: Mapping[str, JobId], asked: str) -> NotTheseColumns:
    days = f"{request.get('from_date')} to {request.get('to_date')}"
    return NotTheseColumns(str(file.path), file.columns, asked, days)


def _names(columns: Iterable[Column]) -> set[str]:
    return {plain(column.name) for column in columns}


_ROWS: Final = tuple(column for columns in PACKAGE.settings.columns.values() for column in columns)
_SUMMED: Final = _names(column for columns in PACKAGE.settings.sums.values() for column in columns)
_KNOWN: Final = _names((*_ROWS, *PACKAGE.settings.groups)) | _SUMMED
