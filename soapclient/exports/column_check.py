"""Are these the columns that were ordered? What an order may say of them shows in the header of its file."""

from __future__ import annotations

from collections.abc import Mapping

from soapclient.exports.columns import drift_between, expected_columns, names_in, plain
from soapclient.exports.day_check import NotThisExport
from soapclient.exports.handle import JobId
from soapclient.exports.rows import ExportFile
from soapclient.redaction import shown
from zxws.data.tables import TABLES


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


def check_columns(file: ExportFile, request: Mapping[str, JobId], vouched: bool = False) -> None:
    """Compare the header of a file with a request: chosen columns, groups, else those of the report type.

    Case and underscores make no difference (record.md 3). A report type that the contract's tables do not
    name tells nothing unless it was grouped; nor do its columns where somebody has `vouched` for the file,
    for the contract may be behind the service. Raises NotTheseColumns.
    """
    asked = _misfit(file, request, vouched)
    if asked is not None:
        days = f"{request.get('from_date')} to {request.get('to_date')}"
        raise NotTheseColumns(str(file.path), file.columns, asked, days)


def _misfit(file: ExportFile, request: Mapping[str, JobId], vouched: bool) -> str | None:
    """What was ordered instead; None where the columns fit."""
    expected = expected_columns(TABLES, file.report_type, request, file.columns)
    present = [plain(name) for name in file.columns]
    if "columns" in request:
        chosen = str(request["columns"])
        fits = present == [plain(name) for name in chosen.split(",")]
        return None if fits else f"{shown(chosen)} were ordered"
    if "group_by" in request:
        text = str(request["group_by"])
        groups = [plain(name) for name in names_in(text)]
        # The currency can be grouped by, and sums have it anyway.
        allowed = {plain(column.name) for column in expected.columns}
        others = {plain(group.name) for group in TABLES.groups} - allowed
        fits = set(groups) <= set(present) and others.isdisjoint(present)
        return None if fits else f"sums by {shown(text)} were ordered"
    names = tuple(column.name for column in file.known or expected.columns)
    drift = drift_between(file.report_type, names, file.columns)
    if vouched or drift is None or not (drift.missing or drift.added):
        return None
    return f"rows of the type {shown(file.report_type)} were ordered, with the columns of the contract"
