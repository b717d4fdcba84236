"""Products of the programs."""

from __future__ import annotations

from collections.abc import Collection

from ..data.catalogue import Product
from ..data.product_categories import lies_in
from ..faults import Code, Refusal
from ..trees import Fields, Tree
from .items import product_item
from .links import partners
from .paging import page_of
from .registry import Call, handles


@handles("publisher", "SearchProducts")
def search_products(call: Call) -> Tree:
    """All filters hold together; the query is told back where one was sent, and an empty one finds all.

    searchType `phrase` looks for the query as it stands, `contextual` (if none is sent) for all its words.
    Prices are whole units of each product's own currency, both ends included. adspaceId chooses links
    (`links.py`). Over REST alone: `ean`, `merchantCategory` (any of them, whole, in upper or lower case) and
    `partnership` (`confirmed`: of programs that have confirmed an ad space of the account).
    """
    fields = call.fields
    partnership = fields.text("partnership")
    if partnership not in (None, "all", "confirmed"):
        raise Refusal(Code.UNKNOWN_VALUE, f"partnership: {partnership!r} is neither 'all' nor 'confirmed'")
    confirmed = call.holdings.account.program_applications.confirmed() if partnership == "confirmed" else None
    kept = call.store.catalogue.all_products.values()
    found = [one for one in kept if _matches(fields, one, confirmed)]
    linked = partners(call)
    answer = page_of(
        fields, found, "productItems", "productItem", lambda one: product_item(one, linked(one.program_id))
    )
    return {**answer, "query": fields.text("query")}


@handles("publisher", "GetProduct")
def get_product(call: Call) -> Tree:
    """An unknown id gets an answer without an item."""
    one = call.store.catalogue.all_products.get(call.fields.text("zupId") or "")
    return {"productItem": None if one is None else product_item(one, partners(call)(one.program_id))}


def _matches(fields: Fields, one: Product, confirmed: Collection[int] | None) -> bool:
    programs, region, category = (
        fields.numbers("programId"),
        fields.text("region"),
        fields.number("categoryId"),
    )
    merchants = {name.casefold() for name in fields.texts("merchantCategory")}
    low, high = fields.number("minPrice"), fields.number("maxPrice")
    return (
        (not programs or one.program_id in programs)
        and (confirmed is None or one.program_id in confirmed)
        and (region is None or region.upper() == one.region)
        and (category is None or lies_in(one.category.id, category))
        and fields.flag("hasImages") in (None, one.has_image)
        and (low is None or one.price >= low)
        and (high is None or one.price <= high)
        and fields.text("ean") in (None, one.ean)
        and (not merchants or one.merchant_category.casefold() in merchants)
        and _is_meant(fields, one)
    )


def _is_meant(fields: Fields, one: Product) -> bool:
    query = (fields.text("query") or "").casefold()
    text = f"{one.name}\n{one.program_name}\n{one.category.name}".casefold()
    if fields.text("searchType") == "phrase":
        return query.strip() in text
    return all(word in text for word in query.split())
