"""Leads and sales of the caller."""

from __future__ import annotations

from ..berlin import day_of
from ..data.baskets import basket_of
from ..data.transactions import FIRST_DAY, LAST_DAY, Transaction, Transactions
from ..faults import Code, Refusal
from ..trees import Fields, Tree, Value
from .items import basket_item, transaction_item
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


@handles("publisher", "GetLead")
def get_lead(call: Call) -> Tree:
    """An unknown id, or one of another account, gets an answer without an item."""
    lead = call.holdings.leads.by_id(call.fields.text("leadId") or "")
    return {"leadItem": None if lead is None else transaction_item(lead)}


@handles("publisher", "GetSaleBasket")
def get_sale_basket(call: Call) -> Tree:
    """What was bought in a sale. REST alone (`record.md 3`, row 21): no contract has the answer's schema.

    An unknown id, or one of another account, gets an answer without items.
    """
    sale = call.holdings.sales.by_id(call.fields.text("saleId") or "")
    if sale is None:
        return {"basketItems": None}
    found: list[Value] = [basket_item(one) for one in basket_of(sale, call.store.catalogue)]
    return {"basketItems": {"basketItem": found}}


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
