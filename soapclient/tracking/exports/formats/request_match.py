"""Does a file belong to a request? A job does not say what was ordered; its columns, filters and days do."""

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

_SLICE: Final = 1000  # rows between two ticks

Tick = Callable[[], None]
"""Called now and then while rows are read; what it raises ends the reading."""

T = TypeVar("T")


def ticking(rows: Iterable[T], tick: Tick) -> Iterator[T]:
    """Yield the rows, with a tick before the first of each slice."""
    for number, row in enumerate(rows):
        if number % _SLICE == 0:
            tick()
        yield row


def check_days(
    file: ExportFile, request: Mapping[str, JobId], zone: dt.tzinfo, tick: Tick = lambda: None
) -> bool:
    """Compare the dates in a file with the days of a request; `zone` is that in which days begin.

    The column is the one that the request names, or else the contract's default date; in reports that by the
    contract's tables have no column of that date, which are those of clicks, their first date-time; in a
    grouped report, its days or months. Return False if the file shows no days: it has no such column, no
    rows, or days in a form that is not known. Raises NotThisExport for the first row outside, ResponseError
    for a date-time that cannot be read, ExportError for a damaged file, and what `tick` raises.
    """
    found = _days(file, request, zone, tick)
    if found is None:
        return False
    column, (first, last), rows = found
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
    """Whether a file has rows of the first and of the last day of a request, read as `check_days` does.

    If so, it is of an order for at least these days: rows of one day alone may be those of a shorter order.
    Raises what `check_days` raises but for NotThisExport.
    """
    found = _days(file, request, zone, tick)
    return found is not None and set(found[1]) <= {day for _, _, day in found[2]}


def _days(
    file: ExportFile, request: Mapping[str, JobId], zone: dt.tzinfo, tick: Tick
) -> tuple[str, tuple[str, str], Iterator[tuple[int, Value, str]]] | None:
    """The column that shows days or months, the first and the last that were ordered, and those of the rows:
    number, value, and the day or month of it as text. None if the file shows none.
    """
    first, last = (str(dt.date.fromisoformat(str(request[name]))) for name in ("from_date", "to_date"))
    if (column := _column(file, request)) is not None:
        rows = ticking(replace(file, known=(Column(column, "xsd:dateTime"),), types=()).rows(), tick)
        moments = ((number, row[column]) for number, row in enumerate(rows, start=1))
        dated = (
            (at, one, str(one.astimezone(zone).date())) for at, one in moments if isinstance(one, dt.datetime)
        )
        return column, (first, last), dated
    groups = str(request.get("group_by", "")).split(",")
    found = next(
        (
            (name, length)
            for length in (len("2026-11-01"), len("2026-11"))
            for name in groups
            if name in file.columns and _has_periods(file, name, length, tick)
        ),
        None,
    )
    if found is None:
        return None
    period, length = found
    rows = ticking(replace(file, known=(), types=()).rows(), tick)
    texts = ((number, row[period], str(row[period])) for number, row in enumerate(rows, start=1))
    return period, (first[:length], last[:length]), texts


def _has_periods(file: ExportFile, column: str, length: int, tick: Tick) -> bool:
    """Return True if all cells of a column are days, or months, of that length."""
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
        return None  # a date of another kind may lie anywhere
    dates = (column.name for table in without for column in table if column.type == "xsd:dateTime")
    return next((name for name in dates if name in file.columns), None)


def _is_period(text: str, length: int) -> bool:
    try:
        dt.date.fromisoformat(text if length == len("2026-11-01") else f"{text}-01")
    except ValueError:
        return False
    return len(text) == length


def check_columns(file: ExportFile, request: Mapping[str, JobId]) -> bool:
    """Compare the header of a file with a request: chosen columns, groups, else those of the report type.

    Case, underscores and the order of columns make no difference. Columns that only the contract's tables
    name for a report type are assumed: one that is missing, or that nobody knows, is drift and no proof;
    columns of another type, with none that is in this one's alone, are proof. Return False if the header does
    not show it: a chosen column or a group is missing, and one that nobody knows may be it by a new name; or
    there are no fewer columns of another type than of this one. Raises NotTheseColumns.
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


def check_request(
    file: ExportFile,
    request: Mapping[str, JobId],
    zone: dt.tzinfo,
    tick: Tick = lambda: None,
    vouched: bool = False,
) -> bool:
    """Compare a file with a request: columns first, filters next, then days, which begin in `zone`.

    Return whether the file shows its columns and days (see `check_columns`, `check_days`); where it does not
    and its job was not `vouched` for, raises UnverifiedExport. Raises NotThisExport for columns, or the first
    row, that were not ordered, and what `check_days` and `tick` raise.
    """
    named = check_columns(file, request)
    check_filters(file, request, tick)
    dated = check_days(file, request, zone, tick) and named
    if not dated and not vouched:
        raise UnverifiedExport(str(file.path), f"{request['from_date']} to {request['to_date']}")
    return dated


def check_filters(file: ExportFile, request: Mapping[str, JobId], tick: Tick = lambda: None) -> None:
    """Compare each column of a file that is named as a filter of the request with that filter.

    Empty cells are ignored; case and underscores make no difference (docs/explanation/service.md#columns).
    Raises NotThisExport.
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
