"""Handlers of the operations for leads and sales, and of GetReportBasic, which sums leads, sales and clicks.

- Currency: each row has one currency. Amounts in different currencies are never added
  (`docs/explanation/service.md#rest-forms`).
- Review state: clicks and views have no review state. They count only in `total`, and match any reviewState
  filter.
- `dateType` (REST only): the date of a lead or sale that is used, by default the tracking date. Clicks and
  views have a single date.
- Grouping by application or media slot is an error, because the sandbox has no such data.

Assumed, because the contract has no better field: a month is a text such as `2026-11`. `day` is a text such
as `2026-11-03` if grouped by day, and `1` (Monday) to `7` if grouped by day of the week. If grouped by
reviewState, each state has its own row, but no field of the row names the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from ..berlin import day_of
from ..data.adspaces import Adspace
from ..data.catalogue import Admedium, Category, Program
from ..data.transactions import FIRST_DAY, LAST_DAY, Transaction, Transactions, basket_of
from ..exports.reports import MAX_DAYS
from ..faults import Code, InvalidValue
from ..payload import Fields, Payload, Value
from .items import basket_item, category, named, transaction_item
from .registry import Call, handles, page_of


@handles("publisher", "GetLeads")
def get_leads(call: Call) -> Payload:
    """Return a page of the caller's leads of one day that match all filters."""
    leads = _select(call.fields, call.holdings.leads)
    return page_of(call.fields, leads, "leadItems", "leadItem", transaction_item)


@handles("publisher", "GetSales")
def get_sales(call: Call) -> Payload:
    """Return a page of the caller's sales of one day that match all filters."""
    sales = _select(call.fields, call.holdings.sales)
    return page_of(call.fields, sales, "saleItems", "saleItem", transaction_item)


@handles("publisher", "GetSale")
def get_sale(call: Call) -> Payload:
    """Return a sale. The response has no item if the id is unknown or belongs to another account."""
    sale = call.holdings.sales.by_id(call.fields.text("saleId") or "")
    return {"saleItem": None if sale is None else transaction_item(sale)}


@handles("publisher", "GetLead")
def get_lead(call: Call) -> Payload:
    """Return a lead. The response has no item if the id is unknown or belongs to another account."""
    lead = call.holdings.leads.by_id(call.fields.text("leadId") or "")
    return {"leadItem": None if lead is None else transaction_item(lead)}


@handles("publisher", "GetSaleBasket")
def get_sale_basket(call: Call) -> Payload:
    """Return the products of a sale. REST only (`docs/explanation/service.md#rest-forms`).

    No contract has a schema for the response. The response has no items if the id is unknown or belongs
    to another account.
    """
    sale = call.holdings.sales.by_id(call.fields.text("saleId") or "")
    if sale is None:
        return {"basketItems": None}
    items: list[Value] = [basket_item(item) for item in basket_of(sale, call.store.catalogue)]
    return {"basketItems": {"basketItem": items}}


def _select(fields: Fields, source: Transactions) -> list[Transaction]:
    """Return the leads or sales that match the date, program, ad space and review state in `fields`.

    The date is required, and selects a day in Berlin. Any other of these fields that the request omits
    matches everything.
    """
    moment = fields.instant("date")
    if moment is None:
        raise InvalidValue(Code.OUT_OF_RANGE, "date is required: the day of the leads or sales")
    day = day_of(moment)
    if not FIRST_DAY <= day <= LAST_DAY:
        raise InvalidValue(Code.OUT_OF_RANGE, f"date: {day} is not between {FIRST_DAY} and {LAST_DAY}")
    program, adspace, state = (
        fields.number("programId"),
        fields.number("adspaceId"),
        fields.text("reviewState"),
    )
    return [
        transaction
        for transaction in source.on(day, fields.text("dateType") or "trackingDate")
        if program in (None, transaction.program.id)
        and adspace in (None, transaction.adspace.id)
        and state in (None, transaction.state)
    ]


DATE_TYPES = ("clickDate", "trackingDate", "modifiedDate", "reviewStateChangedDate")
STATES = ("open", "approved", "confirmed", "rejected")
UNTRACKED = ("application", "mediaSlot")
ZERO = Decimal("0.00")


@dataclass
class Stats:
    """The numbers and commissions of views, clicks, leads and sales in one statsType element.

    A row of a report has a statsType element for each review state, and one for the total.
    """

    views: int = 0
    clicks: int = 0
    click_commission: Decimal = ZERO
    leads: int = 0
    lead_commission: Decimal = ZERO
    sales: int = 0
    sale_commission: Decimal = ZERO
    sale_amount: Decimal = ZERO

    def add(self, transaction: Transaction) -> None:
        """Add a lead or a sale to the sums."""
        if transaction.kind == "lead":
            self.leads += 1
            self.lead_commission += transaction.commission
        else:
            self.sales += 1
            self.sale_commission += transaction.commission
            self.sale_amount += transaction.amount

    def tree(self) -> Payload:
        """Return the sums as a dict (element name → value), for the response."""
        return {
            "viewCount": self.views,
            "tpvCount": 0,
            "clickCount": self.clicks,
            "clickCommission": self.click_commission,
            "leadCount": self.leads,
            "leadCommission": self.lead_commission,
            "saleCount": self.sales,
            "saleCommission": self.sale_commission,
            "saleAmount": self.sale_amount,
        }


@dataclass
class Row:
    """One row of a report: a group, and its sums for each review state.

    `head` has the values that define the group, such as its program. `stats` maps each review state, and
    `total`, to the sums.
    """

    head: dict[str, Value]
    stats: dict[str, Stats] = field(default_factory=lambda: {name: Stats() for name in ("total", *STATES)})

    def tree(self) -> Payload:
        """Return the row as nested dicts, for the response."""
        return {**self.head, **{name: stats.tree() for name, stats in self.stats.items()}}


@dataclass(frozen=True)
class Source:
    """The attributes of one lead, one sale, or all clicks of one program, ad medium and ad space.

    A report filters and groups by these attributes.
    """

    currency: str
    program: Program
    admedium: Admedium
    adspace: Adspace
    state: str | None = None
    tracking: Category | None = None


@handles("publisher", "GetReportBasic")
def get_report_basic(call: Call) -> Payload:
    """Return the report: sums of the caller's leads, sales, clicks and views, one row for each group.

    All rows are on one page, because the request has no paging fields.
    """
    fields = call.fields
    groups = frozenset(fields.texts("groupBy"))
    if refused := [name for name in UNTRACKED if name in groups]:
        raise InvalidValue(
            Code.UNKNOWN_VALUE, f"groupBy: this sandbox cannot group by {' or '.join(refused)}"
        )
    rows: dict[tuple[object, ...], Row] = {}

    def row(source: Source, day: date) -> Row:
        key = _key(groups, source, day)
        if key not in rows:
            rows[key] = Row(_head(groups, source, day))
        return rows[key]

    state, date_type = fields.text("reviewState"), fields.text("dateType") or "trackingDate"
    if date_type not in DATE_TYPES:
        raise InvalidValue(
            Code.UNKNOWN_VALUE, f"dateType must be one of: {', '.join(DATE_TYPES)} (got {date_type[:80]!r})"
        )
    sources = [
        (slot, Source(slot.program.currency, slot.program, slot.admedium, slot.adspace))
        for slot in call.holdings.clicks.slots
    ]
    sources = [(slot, source) for slot, source in sources if _matches(fields, source)]
    for day in _days(fields):
        for slot, source in sources:
            if count := call.holdings.clicks.count(day, slot):
                total = row(source, day).stats["total"]
                total.views += count * slot.views
                total.clicks += count
                total.click_commission += count * slot.fee
        for transactions in (call.holdings.leads, call.holdings.sales):
            for transaction in transactions.on(day, date_type):
                source = Source(
                    transaction.currency,
                    transaction.program,
                    transaction.admedium,
                    transaction.adspace,
                    transaction.state,
                    transaction.category,
                )
                if state in (None, transaction.state) and _matches(fields, source):
                    stats = row(source, day).stats
                    stats["total"].add(transaction)
                    stats[transaction.state].add(transaction)
    items: list[Value] = [rows[key].tree() for key in sorted(rows, key=str)]
    return {"page": 0, "items": len(items), "total": len(items), "reportItems": {"reportItem": items}}


def _days(fields: Fields) -> Iterator[date]:
    start, end = fields.instant("fromDate"), fields.instant("toDate")
    if start is None or end is None:
        raise InvalidValue(Code.OUT_OF_RANGE, "fromDate and toDate are required")
    first, last = day_of(start), day_of(end)
    if first > last:
        raise InvalidValue(Code.OUT_OF_RANGE, f"fromDate {first} is after toDate {last}")
    if not FIRST_DAY <= first <= last <= LAST_DAY:
        raise InvalidValue(Code.OUT_OF_RANGE, f"the dates must be between {FIRST_DAY} and {LAST_DAY}")
    if (last - first).days >= MAX_DAYS:
        raise InvalidValue(Code.OUT_OF_RANGE, f"a report covers at most {MAX_DAYS} days")
    for shift in range((last - first).days + 1):
        yield first + timedelta(days=shift)


def _matches(fields: Fields, source: Source) -> bool:
    return (
        fields.text("currency") in (None, source.currency)
        and fields.number("programId") in (None, source.program.id)
        and fields.number("admediumId") in (None, source.admedium.id)
        and fields.number("adspaceId") in (None, source.adspace.id)
    )


def _key(groups: frozenset[str], source: Source, day: date) -> tuple[object, ...]:
    parts: dict[str, object] = {
        "program": source.program.id,
        "admedium": source.admedium.id,
        "adspace": source.adspace.id,
        "linkFormat": source.admedium.format.id,
        "trackingCategory": 0 if source.tracking is None else source.tracking.id,
        "reviewState": source.state or "",
        "year": day.year,
        "month": f"{day:%Y-%m}",
        "day": day.isoformat(),
        "dayOfWeek": day.isoweekday(),
    }
    return (source.currency, *(value for name, value in parts.items() if name in groups))


def _head(groups: frozenset[str], source: Source, day: date) -> dict[str, Value]:
    head: dict[str, Value] = {"currency": source.currency}
    if "program" in groups:
        head["program"] = named(source.program.id, source.program.name)
    if "admedium" in groups:
        head["admedium"] = named(source.admedium.id, source.admedium.name)
    if "adspace" in groups:
        head["adspace"] = named(source.adspace.id, source.adspace.name)
    if "linkFormat" in groups:
        head["admediumFormat"] = category(source.admedium.format)
    if "trackingCategory" in groups and source.tracking is not None:
        head["trackingCategory"] = category(source.tracking)
    if "year" in groups:
        head["year"] = str(day.year)
    if "month" in groups:
        head["month"] = f"{day:%Y-%m}"
    if "dayOfWeek" in groups:
        head["day"] = str(day.isoweekday())
    if "day" in groups:
        head["day"] = day.isoformat()
    return head
