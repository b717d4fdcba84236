"""The rows of an export as CSV text, in blocks of bounded size however many rows there are.

Form (assumed, `docs/explanation/service.md#columns`): UTF-8, header row, comma, quotes where needed, CRLF,
empty = absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal

from ..berlin import day_length, in_berlin, midnight
from ..data.clicks import SLOTS, STRIDE, Clicks, Slot
from ..data.store import Holdings
from ..data.transactions import Transaction
from .reports import Order

_BLOCK = 1024  # rows
_SECONDS = tuple(f"{second:02d}" for second in range(60))


def quoted(value: str) -> str:
    """A field as CSV writes it."""
    if any(sign in value for sign in ',"\r\n'):
        return '"' + value.replace('"', '""') + '"'
    return value


def line(values: Iterable[object]) -> str:
    """One row; None is empty."""
    return ",".join("" if value is None else quoted(str(value)) for value in values) + "\r\n"


def blocks(order: Order, holdings: Holdings) -> Iterator[tuple[int, bytes]]:
    """The file's text as (rows in this block, bytes); the header counts for nothing."""
    yield 0, line(order.columns).encode()
    if order.groups:
        lines = [line(values) for values in _grouped(order, holdings)]
        yield len(lines), "".join(lines).encode()
    elif order.kind in ("click", "clickin"):
        yield from _clicks(order, holdings.clicks)
    else:
        for day in _days(order):
            lines = [_transaction(order, one) for one in _transactions(order, holdings, day)]
            yield len(lines), "".join(lines).encode()


def _days(order: Order) -> Iterator[date]:
    for shift in range((order.last - order.first).days + 1):
        yield order.first + timedelta(days=shift)


def _wanted(order: Order, slot: Slot) -> bool:
    return (
        order.program_id in (None, slot.program.id)
        and order.adspace_id in (None, slot.adspace.id)
        and order.format_id in (None, slot.admedium.format.id)
        and order.currency in (None, slot.program.currency)
    )


def _cells(slot: Slot) -> dict[str, object]:
    """The columns of a click that every click of its slot shares."""
    return {
        "programId": slot.program.id,
        "programName": slot.program.name,
        "adspaceId": slot.adspace.id,
        "adspaceName": slot.adspace.name,
        "admediumId": slot.admedium.id,
        "admediumName": slot.admedium.name,
        "admediumFormatId": slot.admedium.format.id,
        "country": slot.country,
        "currency": slot.program.currency,
        "commission": slot.fee,
        "referrer": slot.referrer,
        "userAgent": slot.agent,
        "landingPage": slot.landing_page,
        "zpar0": slot.zpar0,
        "zpar1": slot.zpar1 or None,
    }


_VARIABLE = ("clickId", "clickInId", "clickDate")  # what differs from click to click


def _pieces(order: Order, slot: Slot) -> tuple[str, ...]:
    """The row's constant text around its variable columns, so that a row is one concatenation."""
    cells = _cells(slot)
    pieces = [""]
    for position, column in enumerate(order.columns):
        comma = "," if position else ""
        if column in _VARIABLE:
            pieces[-1] += comma
            pieces.append("")
        else:
            value = cells[column]
            pieces[-1] += comma + ("" if value is None else quoted(str(value)))
    pieces[-1] += "\r\n"
    return tuple(pieces)


def _clicks(order: Order, clicks: Clicks) -> Iterator[tuple[int, bytes]]:
    chosen = [_pieces(order, slot) if _wanted(order, slot) else None for slot in clicks.slots]
    variable = tuple(column for column in order.columns if column in _VARIABLE)
    if not any(chosen):
        return
    for day in _days(order):
        minutes = _minutes(day)
        start, base, length = clicks.start(day), clicks.number(day, 0), day_length(day)
        lines: list[str] = []
        for row in range(clicks.per_day):
            pieces = chosen[(start + row) % SLOTS]
            if pieces is None:
                continue
            since = row * STRIDE % length
            before, after = minutes[since // 60]
            text = pieces[0]
            for column, piece in zip(variable, pieces[1:], strict=True):
                if column == "clickId":
                    text += str(base + row)
                elif column == "clickDate":
                    text += before + _SECONDS[since % 60] + after
                else:
                    text += f"{base + row}1"
                text += piece
            lines.append(text)
            if len(lines) == _BLOCK:
                yield _BLOCK, "".join(lines).encode()
                lines.clear()
        yield len(lines), "".join(lines).encode()


def _minutes(day: date) -> list[tuple[str, str]]:
    """What stands before and after the seconds of a time stamp, for each minute of the day."""
    begin = midnight(day)
    stamps = [
        in_berlin(begin + timedelta(minutes=minute)).isoformat(timespec="seconds")
        for minute in range(day_length(day) // 60)
    ]
    return [(stamp[:17], stamp[19:]) for stamp in stamps]


def _transactions(order: Order, holdings: Holdings, day: date) -> Iterator[Transaction]:
    source = holdings.sales if order.kind == "sale" else holdings.leads
    for one in source.on(day, order.date_type):
        if (
            order.review_state in (None, one.state)
            and order.currency in (None, one.currency)
            and order.program_id in (None, one.program.id)
            and order.adspace_id in (None, one.adspace.id)
            and order.format_id in (None, one.admedium.format.id)
            and (order.report_type != "cashback" or one.sub_publisher is not None)
        ):
            yield one


def _transaction(order: Order, one: Transaction) -> str:
    gpps = dict(one.gpps)
    cells: dict[str, object] = {
        "leadId": one.id,
        "saleId": one.id,
        "reviewState": one.state,
        "trackingDate": one.tracked.isoformat(),
        "modifiedDate": one.modified.isoformat(),
        "clickDate": one.clicked.isoformat(),
        "adspaceId": one.adspace.id,
        "adspaceName": one.adspace.name,
        "admediumId": one.admedium.id,
        "admediumName": one.admedium.name,
        "programId": one.program.id,
        "programName": one.program.name,
        "clickId": one.click_id,
        "clickInId": one.click_in_id,
        "amount": one.amount,
        "commission": one.commission,
        "currency": one.currency,
        "subPublisherId": one.sub_publisher,
        "reviewNote": one.note,
        "trackingCategoryId": one.category.id,
        "trackingCategoryName": one.category.name,
        "zpar0": gpps.get("zpar0"),
        "zpar1": gpps.get("zpar1"),
    }
    return line(cells[column] for column in order.columns)


def _grouped(order: Order, holdings: Holdings) -> Iterator[tuple[object, ...]]:
    """One row per group: its values, then count, commission and, for sales, amount."""
    names = [column for column in order.columns if column not in ("count", "commission", "amount")]
    sums: dict[tuple[object, ...], list[Decimal]] = {}

    def add(day: date, one: Slot | Transaction, currency: str, numbers: tuple[Decimal, ...]) -> None:
        cells: dict[str, object] = {
            "country": one.country,
            "currency": currency,
            "admedium": one.admedium.id,
            "program": one.program.id,
            "adspace": one.adspace.id,
            "linkformat": one.admedium.format.id,
            "month": f"{day:%Y-%m}",
            "day": day,
        }
        row = sums.setdefault(tuple(cells[name] for name in names), [Decimal(0)] * len(numbers))
        for position, number in enumerate(numbers):
            row[position] += number

    for day in _days(order):
        if order.kind in ("click", "clickin"):
            for slot in holdings.clicks.slots:
                count = holdings.clicks.count(day, slot)
                if count and _wanted(order, slot):
                    add(day, slot, slot.program.currency, (Decimal(count), count * slot.fee))
        else:
            for one in _transactions(order, holdings, day):
                numbers = (Decimal(1), one.commission)
                add(day, one, one.currency, (*numbers, one.amount) if order.kind == "sale" else numbers)
    for key in sorted(sums, key=str):
        yield (*key, *sums[key])
