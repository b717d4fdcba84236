"""Is this what was ordered? A job does not say what was asked, so columns and rows of its file have to."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from soapclient.exports.column_check import check_columns
from soapclient.exports.day_check import NotThisExport, Tick, check_days, no_tick, ticking
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


class NothingTold(NotThisExport):
    """A file does not tell whose it is: it has no rows, or none that tell their days."""

    def __init__(self, path: str, days: str) -> None:
        super().__init__(path, 0, "", None, days)
        self.args = (
            f"{path}: nothing in the file tells that its days are those that were ordered ({days}). It may "
            "belong to another order: do not use it as this one's before you know whose its job is.",
        )


def check_request(
    file: ExportFile,
    request: Mapping[str, JobId],
    zone: dt.tzinfo,
    tick: Tick = no_tick,
    vouched: bool = False,
) -> bool:
    """Compare a file with a request: columns first, filters next, then days, which begin in `zone`.

    Return whether the file told its columns and days (see `check_columns`, `check_days`); where it does not,
    and nobody has `vouched` for it, raises NothingTold. Raises NotThisExport for columns, or the first row,
    that were not ordered, and what `check_days` and `tick` raise.
    """
    named = check_columns(file, request)
    check_filters(file, request, tick)
    told = check_days(file, request, zone, tick) and named
    if not told and not vouched:
        raise NothingTold(str(file.path), f"{request['from_date']} to {request['to_date']}")
    return told


def check_filters(file: ExportFile, request: Mapping[str, JobId], tick: Tick = no_tick) -> None:
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
    for number, cells in enumerate(ticking(file.raw_rows(), tick), start=1):
        for at, column, asked, plain in wanted:
            if at < len(cells) and cells[at] and _plain(cells[at]) != plain:
                days = f"{request.get('from_date')} to {request.get('to_date')}"
                raise NotThisRequest(str(file.path), number, column, cells[at], days, asked)


def _field(column: str) -> str:
    """The field of a request that a column of that name would be called."""
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in column)


def _plain(value: JobId) -> str:
    return str(value).strip().casefold().replace("_", "")
