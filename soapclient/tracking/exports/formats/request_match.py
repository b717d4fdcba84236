"""Check if a file belongs to a request, by its columns, filters and days.

This is necessary because the job of a file does not show the request that created it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from soapclient._support.redaction import shown
from soapclient.errors import NotTheseColumns, NotThisExport, NotThisRequest, UnverifiedExport
from soapclient.runtime.settings import Column
from soapclient.tracking.exports.formats.columns import Value, columns_of, expected_columns, names_in, plain
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import JobId
from zxws.data.service import PACKAGE

_SLICE: Final = 1000  # rows between two calls of `tick`

Tick = Callable[[], None]
"""Callback while rows are read. It may raise an error to stop reading."""

T = TypeVar("T")


def ticking(rows: Iterable[T], tick: Tick) -> Iterator[T]:
    """Yield the rows. Call `tick` before every 1,000 rows; it may raise an error to end the iteration."""
    for number, row in enumerate(rows):
        if number % _SLICE == 0:
            tick()
        yield row


def check_days(
    file: ExportFile, request: Mapping[str, JobId], zone: dt.tzinfo, tick: Tick = lambda: None
) -> bool:
    """Return True if the file has dates, and all of them are within the days of the request.

    Days begin at midnight in the time zone `zone`. The date column is determined by the first rule that
    applies:

    - The request groups rows: the group of days or months.
    - The request names a date column: that column.
    - The file has the contract's default date column: that column.
    - The report type does not have the default date, as for clicks: the first date-time column.

    Return False if the file has no such column, no rows, or dates in an unknown format. Raises NotThisExport
    for the first row that is outside the days, ResponseError for an invalid date-time, ExportError for a
    damaged file, and the errors of `tick`.
    """
    days_of_file = _days(file, request, zone, tick)
    if days_of_file is None:
        return False
    column, (first, last), rows = days_of_file
    dated = False
    for number, value, day in rows:
        if not first <= day <= last:
            days = f"{request['from_date']} to {request['to_date']}"
            raise NotThisExport(str(file.path), number, column, value, days)
        dated = True
    return dated


def reaches_both_ends(
    file: ExportFile, request: Mapping[str, JobId], zone: dt.tzinfo, tick: Tick = lambda: None
) -> bool:
    """Return True if a file has rows of the first day and rows of the last day of a request.

    If True, the file was ordered for all days of the request. If False, it may have been ordered for fewer
    days. Days begin at midnight in the time zone `zone`. The date column is the same as for `check_days`.

    `tick` is called before every 1,000 rows, and may raise an error to stop reading. Raises the errors of
    `check_days`, except NotThisExport.
    """
    days_of_file = _days(file, request, zone, tick)
    return days_of_file is not None and set(days_of_file[1]) <= {day for _, _, day in days_of_file[2]}


def _days(
    file: ExportFile, request: Mapping[str, JobId], zone: dt.tzinfo, tick: Tick
) -> tuple[str, tuple[str, str], Iterator[tuple[int, Value, str]]] | None:
    """Return (date column, (first period, last period), rows). Return None if the file has no date column.

    A period is a day or a month, as text. The first and the last period are those of the request. `rows` is
    an iterator over (row number, value in the date column, period of this value).
    """
    first, last = (str(dt.date.fromisoformat(str(request[name]))) for name in ("from_date", "to_date"))
    if (column := _column(file, request)) is not None:
        rows = ticking(replace(file, known=(Column(column, "xsd:dateTime"),), types=()).rows(), tick)
        moments = ((number, row[column]) for number, row in enumerate(rows, start=1))
        dated = (
            (number, moment, str(moment.astimezone(zone).date()))
            for number, moment in moments
            if isinstance(moment, dt.datetime)
        )
        return column, (first, last), dated
    groups = str(request.get("group_by", "")).split(",")
    period_column = next(
        (
            (name, length)
            for length in (len("2026-11-01"), len("2026-11"))
            for name in groups
            if name in file.columns and _has_periods(file, name, length, tick)
        ),
        None,
    )
    if period_column is None:
        return None
    period, length = period_column
    rows = ticking(replace(file, known=(), types=()).rows(), tick)
    texts = ((number, row[period], str(row[period])) for number, row in enumerate(rows, start=1))
    return period, (first[:length], last[:length]), texts


def _has_periods(file: ExportFile, column: str, length: int, tick: Tick) -> bool:
    """Return True if every cell of a column is a day or a month with `length` characters.

    A day has 10 characters (`2026-11-01`), a month has 7 (`2026-11`).
    """
    at = file.columns.index(column)
    return all(_is_period(cells[at], length) for cells in ticking(file.raw_rows(), tick) if at < len(cells))


def _column(file: ExportFile, request: Mapping[str, JobId]) -> str | None:
    order = PACKAGE.settings.order
    if "group_by" in request or order is None:
        return None
    wanted = str(request.get(order.date_type, order.default_date))
    if wanted in file.columns:
        return wanted
    tables = columns_of(PACKAGE.settings, file.report_type)
    without = [table for table in tables if wanted not in (column.name for column in table)]
    own = {column.name for table in without for column in table}
    others = {column.name for table in tables for column in table} - own
    if wanted != order.default_date or not others.isdisjoint(file.columns):
        return None  # other dates may be outside the days
    dates = (column.name for table in without for column in table if column.type == "xsd:dateTime")
    return next((name for name in dates if name in file.columns), None)


def _is_period(text: str, length: int) -> bool:
    try:
        dt.date.fromisoformat(text if length == len("2026-11-01") else f"{text}-01")
    except ValueError:
        return False
    return len(text) == length


def check_columns(file: ExportFile, request: Mapping[str, JobId]) -> bool:
    """Check if a file belongs to a request, by the header of the file.

    Returns True if the header shows that the file belongs to the request, and False if this is unclear. Case,
    underscores and the order of columns are ignored. A missing or unknown column alone proves nothing,
    because the service may rename, add or remove columns.

    If the request names columns or groups:

    - Raises NotTheseColumns if the header has known columns that were not ordered.
    - Raises NotTheseColumns if more ordered columns are missing than the header has unknown columns: then
      renaming cannot explain all missing columns.
    - Otherwise, returns True if no ordered column is missing, else False.

    If the request names neither columns nor groups, the ordered report type is compared with every other
    report type, one at a time. Columns that both types have are ignored:

    - Raises NotTheseColumns if the header has columns of another type and none of the ordered type, or if it
      has sums, which only files with groups have.
    - Returns False if the header has columns of another type, at least as many as of the ordered type.
    - Otherwise, returns True.
    """
    present = {plain(name) for name in file.columns}
    allowed = _names(expected_columns(PACKAGE.settings, file.report_type, request, file.columns).columns)
    for field, asked in (("columns", "{} were ordered"), ("group_by", "groups by {} were ordered")):
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


def check_request(
    file: ExportFile,
    request: Mapping[str, JobId],
    zone: dt.tzinfo,
    tick: Tick = lambda: None,
    vouched: bool = False,
) -> bool:
    """Check that the columns, filters and days of a file match a request.

    Days begin at midnight in the time zone `zone`. `vouched` is True if the user said that the file belongs
    to the request, by assigning the job (`Ledger.claim`).

    - Returns True if the file shows that it belongs to the request (see `check_columns`, `check_days`).
    - If the file does not show this, returns False if `vouched` is True, and otherwise raises
      UnverifiedExport.
    - Raises NotThisExport if the file has columns or a row that the request did not order.

    Also raises the errors of `check_days` and `tick`.
    """
    named = check_columns(file, request)
    check_filters(file, request, tick)
    dated = check_days(file, request, zone, tick) and named
    if not dated and not vouched:
        raise UnverifiedExport(str(file.path), f"{request['from_date']} to {request['to_date']}")
    return dated


def check_filters(file: ExportFile, request: Mapping[str, JobId], tick: Tick = lambda: None) -> None:
    """Check that the cells of a file match the filters of its request.

    A filter applies to the column of the same name. Empty cells are not checked. Case and underscores do not
    matter (docs/explanation/service.md#columns). Raises NotThisExport for the first cell that does not match,
    and the errors of `tick`, which is called before every 1,000 rows.
    """
    filters = {} if PACKAGE.settings.order is None else PACKAGE.settings.order.filters
    asked_of = {plain(field.wire.rpartition("/")[2]): (name, field) for name, field in filters.items()}
    wanted = []
    for at, column in enumerate(file.columns):
        name, field = asked_of.get(plain(column), ("", None))
        if field is not None and (asked := request.get(name)) is not None:
            texts = str(asked).split(",") if field.several else [str(asked)]
            wanted.append((at, column, asked, set(map(plain, texts))))
    if not wanted:
        return
    for number, cells in enumerate(ticking(file.raw_rows(), tick), start=1):
        for at, column, asked, expected in wanted:
            if at < len(cells) and cells[at] and plain(cells[at]) not in expected:
                days = f"{request.get('from_date')} to {request.get('to_date')}"
                raise NotThisRequest(str(file.path), number, column, cells[at], days, asked)
