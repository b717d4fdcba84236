"""The rows of an export as CSV, in blocks of bounded size for any number of rows.

Format (assumed, `docs/explanation/service.md#columns`): UTF-8, header row, commas, quotes if needed, CRLF; an
empty cell means no value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal

from ..berlin import day_length, in_berlin, midnight
from ..data.clicks import SLOTS, STRIDE, Clicks, Slot
from ..data.store import AccountData
from ..data.transactions import Transaction
from .reports import Order

_BLOCK = 1024  # rows
_EMPTY = '""'
_SECONDS = tuple(f"{second:02d}" for second in range(60))


def quoted(value: str) -> str:
    """Quote a field if CSV requires it."""
    if any(sign in value for sign in ',"\r\n'):
        return '"' + value.replace('"', '""') + '"'
    return value


def line(values: Iterable[object]) -> str:
    """Return one CSV row. None is an empty cell. A single empty cell is quoted, so that no row is blank."""
    text = ",".join("" if value is None else quoted(str(value)) for value in values)
    return (text or _EMPTY) + "\r\n"


def blocks(order: Order, holdings: AccountData) -> Iterator[tuple[int, bytes]]:
    """Yield the CSV of an export in blocks, as (number of rows, bytes). `holdings`: the account's data.

    The first block is the header, whose number of rows is 0.
    """
    yield 0, line(order.columns).encode()
    if order.groups:
        lines = [line(values) for values in _grouped(order, holdings)]
        yield len(lines), "".join(lines).encode()
        return
    for kind in order.kinds:
        if kind in ("click", "clickin"):
            yield from _clicks(order, holdings.clicks)
            continue
        for day in _days(order):
            transactions = _transactions(order, kind, holdings, day)
            lines = [_transaction(order, transaction) for transaction in transactions]
            yield len(lines), "".join(lines).encode()


def _days(order: Order) -> Iterator[date]:
    for shift in range((order.last - order.first).days + 1):
        yield order.first + timedelta(days=shift)


def _matches(order: Order, slot: Slot) -> bool:
    """Return True if the clicks of a slot match the filters of the order.

    A slot is a combination of program, ad space, ad medium and visitor.
    """
    return (
        order.program_id in (None, slot.program.id)
        and order.adspace_id in (None, slot.adspace.id)
        and order.format_id in (None, slot.admedium.format.id)
        and order.currency in (None, slot.program.currency)
    )


def _cells(slot: Slot) -> dict[str, object]:
    """Return the values that all clicks of a slot have in common, as a dict from column to value.

    A slot is a combination of program, ad space, ad medium and visitor.
    """
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


_VARIABLE = ("clickId", "clickInId", "clickDate")  # columns whose values differ from click to click


def _pieces(order: Order, slot: Slot) -> tuple[str, ...]:
    """Return the pieces of text that are the same in the CSV rows of all clicks of a slot.

    A slot is a combination of program, ad space, ad medium and visitor. To build the row of a click, its id
    and its date (the columns in `_VARIABLE`) are inserted between the pieces.
    """
    cells = _cells(slot)
    pieces = [""]
    for position, column in enumerate(order.columns):
        comma = "," if position else ""
        if column in _VARIABLE:
            pieces[-1] += comma
            pieces.append("")
        else:
            value = cells.get(column)
            pieces[-1] += comma + ("" if value is None else quoted(str(value)))
    if pieces == [""]:  # a single column without a value
        pieces = [_EMPTY]
    pieces[-1] += "\r\n"
    return tuple(pieces)


def _clicks(order: Order, clicks: Clicks) -> Iterator[tuple[int, bytes]]:
    chosen = [_pieces(order, slot) if _matches(order, slot) else None for slot in clicks.slots]
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
    """Return the timestamp of each minute of a day, as two texts: the parts before and after the seconds.

    For example, `("2026-11-03T12:34:", "+01:00")`.
    """
    begin = midnight(day)
    stamps = [
        in_berlin(begin + timedelta(minutes=minute)).isoformat(timespec="seconds")
        for minute in range(day_length(day) // 60)
    ]
    return [(stamp[:17], stamp[19:]) for stamp in stamps]


def _transactions(order: Order, kind: str, holdings: AccountData, day: date) -> Iterator[Transaction]:
    """Yield the day's leads or sales that match the filters of the order."""
    source = holdings.sales if kind == "sale" else holdings.leads
    for item in source.on(day, order.date_type):
        if (
            order.review_state in (None, item.state)
            and order.currency in (None, item.currency)
            and order.program_id in (None, item.program.id)
            and order.adspace_id in (None, item.adspace.id)
            and order.format_id in (None, item.admedium.format.id)
            and (order.report_type != "cashback" or item.sub_publisher is not None)
        ):
            yield item


def _transaction(order: Order, transaction: Transaction) -> str:
    cells = _transaction_cells(transaction)
    return line(cells.get(column) for column in order.columns)


def _transaction_cells(transaction: Transaction) -> dict[str, object]:
    """Return the values of a lead or a sale, by column name."""
    gpps = dict(transaction.gpps)
    return {
        f"{transaction.kind}Id": transaction.id,
        "reviewState": transaction.state,
        "trackingDate": transaction.tracked.isoformat(),
        "modifiedDate": transaction.modified.isoformat(),
        "clickDate": transaction.clicked.isoformat(),
        "adspaceId": transaction.adspace.id,
        "adspaceName": transaction.adspace.name,
        "admediumId": transaction.admedium.id,
        "admediumName": transaction.admedium.name,
        "programId": transaction.program.id,
        "programName": transaction.program.name,
        "clickId": transaction.click_id,
        "clickInId": transaction.click_in_id,
        "amount": transaction.amount if transaction.kind == "sale" else None,
        "commission": transaction.commission,
        "currency": transaction.currency,
        "subPublisherId": transaction.sub_publisher,
        "reviewNote": transaction.note,
        "trackingCategoryId": transaction.category.id,
        "trackingCategoryName": transaction.category.name,
        "zpar0": gpps.get("zpar0"),
        "zpar1": gpps.get("zpar1"),
    }


_SUMS = ("count", "commission", "amount")


def _grouped(order: Order, holdings: AccountData) -> Iterator[tuple[object, ...]]:
    """Yield the cells of a row for each group: the group's values, count, commission and, for sales, amount.

    If the order lists columns, the row has these columns instead. Count, commission and amount are sums over
    the group. Any other cell is empty if the clicks, leads or sales of the group have different values.
    """
    names = order.groups if order.chosen else [name for name in order.columns if name not in _SUMS]
    groups: dict[tuple[object, ...], dict[str, object]] = {}
    sums: dict[tuple[object, ...], list[Decimal]] = {}
    for parts, cells, numbers in _tracked(order, holdings):
        key = tuple(parts[name] for name in names)
        total = sums.setdefault(key, [Decimal(0)] * len(numbers))
        for position, number in enumerate(numbers):
            total[position] += number
        shared = groups.setdefault(key, cells)
        for name in cells.keys() | shared.keys() if order.chosen else ():
            if shared.get(name) != cells.get(name):
                shared[name] = None
    for key in sorted(groups, key=str):
        row = groups[key] | dict(zip(names, key, strict=True))
        row |= dict(zip(_SUMS, sums[key], strict=True))
        if "sale" not in order.kinds:
            row["amount"] = None
        yield tuple(row.get(column) for column in order.columns)


def _tracked(
    order: Order, holdings: AccountData
) -> Iterator[tuple[dict[str, object], dict[str, object], tuple[Decimal, Decimal, Decimal]]]:
    """Yield the data of the order's rows before they are grouped, as (group values, values, figures).

    Yields one tuple for each lead or sale. Yields one tuple for all clicks of a day that have the same
    program, ad space, ad medium and visitor.

    - group values: dict from the name of a possible group, such as `program`, to its value.
    - values: dict from column name to value.
    - figures: (count, commission, amount), which the caller sums.
    """

    def parts(day: date, item: Slot | Transaction, currency: str) -> dict[str, object]:
        return {
            "country": item.country,
            "currency": currency,
            "admedium": item.admedium.id,
            "program": item.program.id,
            "adspace": item.adspace.id,
            "linkformat": item.admedium.format.id,
            "month": f"{day:%Y-%m}",
            "day": day,
        }

    for kind in order.kinds:
        for day in _days(order):
            if kind in ("click", "clickin"):
                for slot in holdings.clicks.slots:
                    count = holdings.clicks.count(day, slot)
                    if count and _matches(order, slot):
                        numbers = (Decimal(count), count * slot.fee, Decimal(0))
                        yield parts(day, slot, slot.program.currency), _cells(slot), numbers
            else:
                for item in _transactions(order, kind, holdings, day):
                    numbers = (Decimal(1), item.commission, item.amount)
                    yield parts(day, item, item.currency), _transaction_cells(item), numbers
