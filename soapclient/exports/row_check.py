"""Are these the rows that were ordered? A job does not say what was asked, so its rows have to."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from soapclient.exports.day_check import NotThisExport, check_days
from soapclient.exports.handle import JobId
from soapclient.exports.rows import ExportFile
from soapclient.redaction import shown


class NotThisRequest(NotThisExport):
    """A row is not what a filter of the order lets through: the file is that of another order.

    `asked` is what was ordered of the `column`.
    """

    def __init__(self, path: str, row: int, column: str, value: object, days: str, asked: JobId) -> None:
        super().__init__(path, row, column, value, days)
        self.asked = asked
        self.args = (
            f"{path}: row {row} has {column} {self.value}, but {shown(asked)} was ordered. "
            "The file belongs to another order: do not use it as this one's, order the export again.",
        )


def check_request(file: ExportFile, request: Mapping[str, JobId], zone: dt.tzinfo) -> bool:
    """Compare the rows of a file with a request: filters first, then days, which begin in `zone`.

    Return whether the file told its days (see `check_days`): where it does not, nobody knows whose it is.
    Raises NotThisExport for the first row that was not ordered, and what `check_days` raises.
    """
    check_filters(file, request)
    return check_days(file, request, zone)


def check_filters(file: ExportFile, request: Mapping[str, JobId]) -> None:
    """Compare each column of a file that a field of the request is named after (`programId`) with that field.

    Empty cells tell nothing; case and underscores make no difference (record.md 3). Raises NotThisExport.
    """
    wanted = [
        (at, column, asked, _plain(asked))
        for at, column in enumerate(file.columns)
        if (asked := request.get(_field(column))) is not None
    ]
    if not wanted:
        return
    for number, cells in enumerate(file.raw_rows(), start=1):
        for at, column, asked, plain in wanted:
            if at < len(cells) and cells[at] and _plain(cells[at]) != plain:
                days = f"{request.get('from_date')} to {request.get('to_date')}"
                raise NotThisRequest(str(file.path), number, column, cells[at], days, asked)


def _field(column: str) -> str:
    """The field of a request that a column of that name would be called."""
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in column)


def _plain(value: JobId) -> str:
    return str(value).strip().casefold().replace("_", "")
