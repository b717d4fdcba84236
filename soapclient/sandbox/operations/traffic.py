"""Leads and sales of the caller."""

from __future__ import annotations

from ..berlin import day_of
from ..data.transactions import FIRST_DAY, LAST_DAY, Transaction, Transactions
from ..faults import Code, Refusal
from ..trees import Fields, Tree
from .items import transaction_item
from .paging import page_of
from .registry import Call, handles


@handles("publisher", "GetLeads")
def get_leads(call: Call) -> Tree:
    found = _select(call.fields, call.holdings.leads)
    return page_of(call.fields, found, "leadItems", "leadItem", transaction_item)


@handles("publisher", "GetSales")
def get_sales(call: Call) -> Tree:
    found = _select(call.fields, call.holdings.sales)
    return page_of(call.fields, found, "saleItems", "saleItem", transaction_item)


@handles("publisher", "GetSale")
def get_sale(call: Call) -> Tree:
    """An unknown id, or one of another account, gets an answer without an item."""
    sale = call.holdings.sales.by_id(call.fields.text("saleId") or "")
    return {"saleItem": None if sale is None else transaction_item(sale)}


def _select(fields: Fields, source: Transactions) -> list[Transaction]:
    """Those of the Berlin day the given instant falls on."""
    moment = fields.instant("date")
    if moment is None:
        raise Refusal(Code.OUT_OF_RANGE, "date is missing")
    day = day_of(moment)
    if not FIRST_DAY <= day <= LAST_DAY:
        raise Refusal(Code.OUT_OF_RANGE, f"date: {day} is not between {FIRST_DAY} and {LAST_DAY}")
    program, adspace, state = (
        fields.number("programId"),
        fields.number("adspaceId"),
        fields.text("reviewState"),
    )
    return [
        one
        for one in source.on(day, fields.text("dateType") or "trackingDate")
        if program in (None, one.program.id)
        and adspace in (None, one.adspace.id)
        and state in (None, one.state)
    ]
