"""Handlers of the operations that search programs, ad media, incentives, products and categories.

The items in the responses contain tracking links for some of the caller's ad spaces. The function `partners`
selects these ad spaces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from ..berlin import day_of, midnight
from ..data.catalogue import ROOTS, Admedium, Incentive, Product, ProductCategory, Program, lies_in
from ..faults import Code, InvalidValue
from ..payload import Fields, Payload, Value
from .items import admedium_item, category, incentive_item, product_item, program_item
from .registry import Call, handles, page_of, page_or_all

_LINK = re.compile(r"https?://track\.example\.org/click/\?(\d{1,9})C(\d{1,10})T(?:&v=[12])?", re.ASCII)

Partners = Callable[[int], tuple[int, ...]]


def partners(call: Call) -> Partners:
    """Return a function that maps a program id to the ids of the ad spaces that get tracking links.

    These are the caller's ad spaces that the program has confirmed. If the request has `adspaceId`, links are
    created only for this ad space of the caller. `adspaceId` does not filter the items: items of programs
    that have not confirmed the ad space are returned without links.
    """
    account = call.holdings.account
    adspace_id = call.fields.number("adspaceId")
    own = {item.id for item in account.adspaces.all() if adspace_id in (None, item.id)}
    confirmed: Mapping[int, tuple[int, ...]] = account.program_applications.confirmed()
    return lambda program_id: tuple(number for number in confirmed.get(program_id, ()) if number in own)


def admedium_of(link: str) -> int | None:
    """Return the ad medium id in a tracking link of any account, or None for any other link."""
    match = _LINK.fullmatch(link.strip())
    return None if match is None else int(match[1])


@handles("publisher", "GetAdmedia")
def get_admedia(call: Call) -> Payload:
    """Return the ad media that match all filters.

    `q` is searched in names. adspaceId limits the tracking links, not the ad media (see `partners`).
    """
    entries = [
        admedium
        for program in call.store.catalogue.programs
        for admedium in program.admedia
        if _matches_admedium(call.fields, program, admedium)
    ]
    linked = partners(call)
    return page_of(
        call.fields,
        entries,
        "admediumItems",
        "admediumItem",
        lambda admedium: admedium_item(admedium, linked(admedium.program_id)),
    )


@handles("publisher", "GetAdmedium")
def get_admedium(call: Call) -> Payload:
    """Return an ad medium by its id or one of its tracking links.

    The response has no item if the ad medium does not exist, or if the sent id and the sent link name
    different ad media. Raises `InvalidValue` 105 if the request has neither an id nor a link.
    """
    number, link = call.fields.number("admediumId"), call.fields.text("trackingLink")
    if number is None and link is None:
        raise InvalidValue(Code.OUT_OF_RANGE, "admediumId or trackingLink is required")
    if link is not None:
        linked = admedium_of(link)
        number = linked if number in (None, linked) else None
    admedium = None if number is None else call.store.catalogue.admedium(number)
    item = None if admedium is None else admedium_item(admedium, partners(call)(admedium.program_id))
    return {"admediumItem": item}


@handles("publisher", "GetAdmediumCategories")
def get_admedium_categories(call: Call) -> Payload:
    """Return the categories of a program's ad media, or no categories if the program is unknown."""
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    if program is None:
        return {"categories": None}
    by_id = {admedium.category.id: category(admedium.category) for admedium in program.admedia}
    return {"categories": {"category": [by_id[number] for number in sorted(by_id)]}}


def _matches_admedium(fields: Fields, program: Program, admedium: Admedium) -> bool:
    query, partnership, region = fields.text("q"), fields.text("partnerShip"), fields.text("region")
    return (
        (not query or query.casefold() in admedium.name.casefold())
        and fields.number("programId") in (None, program.id)
        and (region is None or region.upper() == admedium.region)
        and fields.number("format") in (None, admedium.format.id)
        and (partnership is None or program.direct == (partnership == "direct"))
        and fields.text("purpose") in (None, admedium.purpose)
        and fields.text("admediumType") in (None, admedium.type)
        and fields.number("categoryId") in (None, admedium.category.id)
    )


@handles("publisher", "SearchIncentives")
def search_incentives(call: Call) -> Payload:
    """Return the incentives that match all filters. Exclusive incentives are left out.

    adspaceId limits the tracking links, not the incentives (see `partners`).
    """
    entries, linked = _search(call, exclusive=False), partners(call)
    return page_of(
        call.fields,
        entries,
        "incentiveItems",
        "incentiveItem",
        lambda incentive: incentive_item(incentive, linked(incentive.program_id)),
    )


@handles("publisher", "SearchExclusiveIncentives")
def search_exclusive_incentives(call: Call) -> Payload:
    """Return the exclusive incentives that match all filters.

    If the request has neither page nor items, all matching incentives are returned
    (`docs/explanation/service.md#paging`).
    """
    entries, linked = _search(call, exclusive=True), partners(call)
    return page_or_all(
        call.fields,
        entries,
        "incentiveItems",
        "incentiveItem",
        lambda incentive: incentive_item(incentive, linked(incentive.program_id)),
    )


@handles("publisher", "GetIncentive")
def get_incentive(call: Call) -> Payload:
    """Return an incentive. The response has no item if the id is unknown or the incentive is exclusive."""
    return _get(call, exclusive=False)


@handles("publisher", "GetExclusiveIncentive")
def get_exclusive_incentive(call: Call) -> Payload:
    """Return an exclusive incentive. The response has no item if no exclusive incentive has the id."""
    return _get(call, exclusive=True)


def _get(call: Call, *, exclusive: bool) -> Payload:
    incentive = call.store.catalogue.all_incentives.get(call.fields.text("incentiveId") or "")
    if incentive is None or incentive.exclusive != exclusive:
        return {"incentiveItem": None}
    return {"incentiveItem": incentive_item(incentive, partners(call)(incentive.program_id))}


def _search(call: Call, *, exclusive: bool) -> list[Incentive]:
    entries = call.store.catalogue.all_incentives.values()
    return [item for item in entries if item.exclusive == exclusive and _matches_incentive(call.fields, item)]


def _matches_incentive(fields: Fields, incentive: Incentive) -> bool:
    region = fields.text("region")
    return (
        fields.number("programId") in (None, incentive.program_id)
        and fields.text("incentiveType") in (None, incentive.type)
        and (region is None or region.upper() in incentive.regions)
    )


@handles("publisher", "SearchProducts")
def search_products(call: Call) -> Payload:
    """Return the products that match all filters, and the query if one was sent. An empty query matches all.

    - searchType: `phrase` searches for the query as a string, `contextual` (the default) for all its words.
    - minPrice, maxPrice: inclusive, in units of each product's currency.
    - adspaceId: limits the tracking links, not the products (see `partners`).
    - ean (REST only).
    - merchantCategory (REST only): one or more names. One of them must match, ignoring case.
    - partnership (REST only): `all`, or `confirmed`: only products of programs that have confirmed an ad
      space of the account.
    """
    fields = call.fields
    partnership = fields.text("partnership")
    if partnership not in (None, "all", "confirmed"):
        raise InvalidValue(
            Code.UNKNOWN_VALUE, f"partnership must be one of: all, confirmed (got {partnership!r})"
        )
    confirmed = call.holdings.account.program_applications.confirmed() if partnership == "confirmed" else None
    entries = call.store.catalogue.all_products.values()
    products = [item for item in entries if _matches_product(fields, item, confirmed)]
    linked = partners(call)
    payload = page_of(
        fields,
        products,
        "productItems",
        "productItem",
        lambda item: product_item(item, linked(item.program_id)),
    )
    return {**payload, "query": fields.text("query")}


@handles("publisher", "GetProduct")
def get_product(call: Call) -> Payload:
    """Return a product. The response has no item if the id is unknown."""
    product = call.store.catalogue.all_products.get(call.fields.text("zupId") or "")
    if product is None:
        return {"productItem": None}
    return {"productItem": product_item(product, partners(call)(product.program_id))}


def _matches_product(fields: Fields, product: Product, confirmed: Collection[int] | None) -> bool:
    programs, region, category = (
        fields.numbers("programId"),
        fields.text("region"),
        fields.number("categoryId"),
    )
    merchants = {name.casefold() for name in fields.texts("merchantCategory")}
    low, high = fields.number("minPrice"), fields.number("maxPrice")
    return (
        (not programs or product.program_id in programs)
        and (confirmed is None or product.program_id in confirmed)
        and (region is None or region.upper() == product.region)
        and (category is None or lies_in(product.category.id, category))
        and fields.flag("hasImages") in (None, product.has_image)
        and (low is None or product.price >= low)
        and (high is None or product.price <= high)
        and fields.text("ean") in (None, product.ean)
        and (not merchants or product.merchant_category.casefold() in merchants)
        and _matches_query(fields, product)
    )


def _matches_query(fields: Fields, product: Product) -> bool:
    query = (fields.text("query") or "").casefold()
    text = f"{product.name}\n{product.program_name}\n{product.category.name}".casefold()
    if fields.text("searchType") == "phrase":
        return query.strip() in text
    return all(word in text for word in query.split())


@handles("publisher", "SearchPrograms")
def search_programs(call: Call) -> Payload:
    """Return the programs that match all filters, and the query if one was sent.

    Filters of REST only: `industry` (id of a main or sub industry) and `isExclusive`.
    """
    programs = call.store.catalogue.programs
    entries = [program for program in programs if _matches_program(call.fields, program)]
    payload = page_of(call.fields, entries, "programItems", "programItem", program_item)
    return {**payload, "query": call.fields.text("query")}


@handles("publisher", "GetProgram")
def get_program(call: Call) -> Payload:
    """Return a program. The response has no item if the id is unknown."""
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    return {"programItem": None if program is None else program_item(program)}


@handles("publisher", "GetProgramCategories")
def get_program_categories(call: Call) -> Payload:
    """Return the categories of all programs, sorted by id."""
    by_id = {item.id: item for program in call.store.catalogue.programs for item in program.categories}
    return {"categories": {"category": [category(by_id[number]) for number in sorted(by_id)]}}


def _matches_program(fields: Fields, program: Program) -> bool:
    query = fields.text("query")
    if query and query.casefold() not in f"{program.name}\n{program.description}".casefold():
        return False
    since = fields.instant("startDate")
    if since is not None and program.started < _aware(since):
        return False
    partnership = fields.text("partnerShip")
    if partnership is not None and program.direct != (partnership == "direct"):
        return False
    has_products = fields.flag("hasProducts")
    if has_products is not None and (program.products > 0) != has_products:
        return False
    region = fields.text("region")
    if region is not None and region.upper() not in program.regions:
        return False
    if fields.flag("isExclusive") not in (None, program.exclusive):
        return False
    industry = fields.number("industry")
    if industry is not None and industry not in {item.id for item in program.industries}:
        return False
    number = fields.number("categoryId")
    return number is None or number in {item.id for item in program.categories}


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=midnight(day_of(moment)).tzinfo)


@handles("publisher", "GetProductCategories")
def get_product_categories(call: Call) -> Payload:
    """Return the subcategories of rootCategory, or the main categories if rootCategory is 0 or missing.

    Returns no categories if rootCategory is unknown. Each category has the number of its products and of the
    products of all its descendants.

    - includeChilds: return all descendants, not only the subcategories.
    - region: count only products of the region, and omit categories without such products.
    """
    fields = call.fields
    root, region = fields.number("rootCategory") or 0, fields.text("region")
    sold = Counter(
        product.category.id
        for product in call.store.catalogue.all_products.values()
        if region is None or product.region == region.upper()
    )
    below = ROOTS
    if root:
        root_category = next((match for item in ROOTS if (match := item.find(root)) is not None), None)
        below = () if root_category is None else root_category.children
    deep, empty_too = bool(fields.flag("includeChilds")), region is None
    return {"categories": {"category": _items(below, sold, deep=deep, empty_too=empty_too)}}


def _items(
    entries: tuple[ProductCategory, ...], sold: Counter[int], *, deep: bool, empty_too: bool
) -> list[Value]:
    items: list[Value] = []
    for item in entries:
        count = sum(sold[leaf] for leaf, _ in item.leaves())
        if count or empty_too:
            children = _items(item.children, sold, deep=deep, empty_too=empty_too) if deep else None
            items.append({"id": item.id, "name": item.name, "count": count, "category": children})
    return items
