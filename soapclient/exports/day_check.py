"""Is this file the one that was asked for? A job does not say what was ordered, but its rows have dates."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from soapclient.errors import ExportError
from soapclient.exports.cells import Value
from soapclient.exports.columns import columns_of
from soapclient.exports.handle import JobId
from soapclient.exports.rows import ExportFile
from soapclient.redaction import shown
from soapclient.runtime.settings import Column
from zxws.data.service import PACKAGE

_DEFAULT_DATE: Final = "trackingDate"  # record.md 6
_SLICE: Final = 1000  # rows between two ticks

Outside = Callable[[Value], bool]
Tick = Callable[[], None]
"""Called now and then while rows are looked at; what it raises ends that."""

T = TypeVar("T")


def no_tick() -> None:
    """Let it take its time."""


def ticking(rows: Iterable[T], tick: Tick) -> Iterator[T]:
    """Give the rows, with a tick before the first of each slice."""
    for number, row in enumerate(rows):
        if number % _SLICE == 0:
            tick()
        yield row


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
            "The file belongs to another order: do not use it as this one's, order the export again."
        )


def check_days(file: ExportFile, request: Mapping[str, JobId], zone: dt.tzinfo, tick: Tick = no_tick) -> bool:
    """Compare the dates in a file with the days of a request; `zone` is that in which days begin.

    The column is the one the request's date_type names (trackingDate if it names none); in reports that by
    the contract's tables have no such column, which are those of clicks, their first date-time; in a grouped
    report, its days or months. Return False if the file tells no days: it has no such column, no rows, or
    days in a form that is not known. Raises NotThisExport for the first row outside, ReplyError for a
    date-time that cannot be read, ExportError for a damaged file, and what `tick` raises.
    """
    first, last = (dt.date.fromisoformat(str(request[name])) for name in ("from_date", "to_date"))
    column = _column(file, request)
    if column is None:
        return _check_groups(file, request, first, last, tick)

    def outside(value: Value) -> bool:
        return isinstance(value, dt.datetime) and not first <= value.astimezone(zone).date() <= last

    dated = replace(file, known=(Column(column, "xsd:dateTime"),), types=())
    return _check(dated, column, outside, f"{first} to {last}", tick)


def reaches_both_ends(
    file: ExportFile, request: Mapping[str, JobId], zone: dt.tzinfo, tick: Tick = no_tick
) -> bool:
    """Whether a file has rows of the first and of the last day of a request, read as `check_days` does.

    If so, it is of an order for at least these days: rows of one day alone may be those of a shorter order.
    Raises what `check_days` raises but for NotThisExport.
    """
    first, last = (dt.date.fromisoformat(str(request[name])) for name in ("from_date", "to_date"))
    column = _column(file, request)
    if column is not None:
        dated = replace(file, known=(Column(column, "xsd:dateTime"),))
        moments = (row[column] for row in ticking(dated.rows(), tick))
        days = {one.astimezone(zone).date() for one in moments if isinstance(one, dt.datetime)}
        return {first, last} <= days
    groups = str(request.get("group_by", "")).split(",")
    for column, length in (("day", len("2026-11-01")), ("month", len("2026-11"))):
        if column in groups and column in file.columns:
            at = file.columns.index(column)
            found = {cells[at] for cells in ticking(file.raw_rows(), tick) if at < len(cells)}
            return {first.isoformat()[:length], last.isoformat()[:length]} <= found
    return False


def _column(file: ExportFile, request: Mapping[str, JobId]) -> str | None:
    if "group_by" in request:
        return None
    wanted = str(request.get("date_type", _DEFAULT_DATE))
    if wanted in file.columns:
        return wanted
    tables = columns_of(PACKAGE.settings, file.report_type)
    without = [table for table in tables if wanted not in (column.name for column in table)]
    own = {column.name for table in without for column in table}
    others = {column.name for table in tables for column in table} - own
    if wanted == "modifiedDate" or not others.isdisjoint(file.columns):
        return None  # a date of another kind may lie anywhere
    dates = (column.name for table in without for column in table if column.type == "xsd:dateTime")
    return next((name for name in dates if name in file.columns), None)


def _check_groups(
    file: ExportFile, request: Mapping[str, JobId], first: dt.date, last: dt.date, tick: Tick
) -> bool:
    groups = str(request.get("group_by", "")).split(",")
    for column, length in (("day", len("2026-11-01")), ("month", len("2026-11"))):
        if column not in groups or column not in file.columns:
            continue
        at = file.columns.index(column)
        rows = ticking(file.raw_rows(), tick)
        if not all(_is_period(cells[at], length) for cells in rows if at < len(cells)):
            return False
        beyond = _text_outside(first.isoformat()[:length], last.isoformat()[:length])
        return _check(replace(file, known=(), types=()), column, beyond, f"{first} to {last}", tick)
    return False


def _text_outside(least: str, most: str) -> Outside:
    return lambda value: not least <= str(value) <= most


def _is_period(text: str, length: int) -> bool:
    try:
        dt.date.fromisoformat(text if length == len("2026-11-01") else f"{text}-01")
    except ValueError:
        return False
    return len(text) == length


def _check(file: ExportFile, column: str, outside: Outside, days: str, tick: Tick) -> bool:
    told = False
    for number, row in enumerate(ticking(file.rows(), tick), start=1):
        value = row[column]
        if value is None:
            continue
        if outside(value):
            raise NotThisExport(str(file.path), number, column, value, days)
        told = True
    return told
