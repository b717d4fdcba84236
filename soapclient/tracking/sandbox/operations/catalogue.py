"""What everybody may search: programs with their ad media, incentives and products, and categories.

Tracking links are made for the caller's ad spaces that the program has confirmed as partners: see `partners`.
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
    """By program id: the ad spaces to give links for, the caller's that the program confirmed.

    `adspaceId` asks for the links of that ad space alone; one that is not the caller's gives none. It does
    not choose entries: what has no partnership is shown without links; applying to the program brings them.
    """
    account = call.holdings.account
    asked = call.fields.number("adspaceId")
    there = {one.id for one in account.adspaces.all() if asked in (None, one.id)}
    confirmed: Mapping[int, tuple[int, ...]] = account.program_applications.confirmed()
    return lambda program_id: tuple(one for one in confirmed.get(program_id, ()) if one in there)


def admedium_of(link: str) -> int | None:
    """The ad medium that a tracking link, of any account, belongs to; None if it is no such link."""
    found = _LINK.fullmatch(link.strip())
    return None if found is None else int(found[1])


@handles("publisher", "GetAdmedia")
def get_admedia(call: Call) -> Payload:
    """All filters hold together. `q` is looked for in the name; adspaceId chooses links (`partners`)."""
    found = [
        one
        for program in call.store.catalogue.programs
        for one in program.admedia
        if _matches_admedium(call.fields, program, one)
    ]
    linked = partners(call)
    return page_of(
        call.fields,
        found,
        "admediumItems",
        "admediumItem",
        lambda one: admedium_item(one, linked(one.program_id)),
    )


@handles("publisher", "GetAdmedium")
def get_admedium(call: Call) -> Payload:
    """By its id, or by one of its tracking links; if both are sent they must mean the same.

    What is unknown gets a response without an item. Raises `InvalidValue` 105 if neither is sent.
    """
    number, link = call.fields.number("admediumId"), call.fields.text("trackingLink")
    if number is None and link is None:
        raise InvalidValue(Code.OUT_OF_RANGE, "send admediumId or trackingLink, to say which ad medium")
    if link is not None:
        linked = admedium_of(link)
        number = linked if number in (None, linked) else None
    found = None if number is None else call.store.catalogue.admedium(number)
    item = None if found is None else admedium_item(found, partners(call)(found.program_id))
    return {"admediumItem": item}


@handles("publisher", "GetAdmediumCategories")
def get_admedium_categories(call: Call) -> Payload:
    """Those a program has sorted its ad media into; an unknown program gets a response without."""
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    if program is None:
        return {"categories": None}
    found = {one.category.id: category(one.category) for one in program.admedia}
    return {"categories": {"category": [found[number] for number in sorted(found)]}}


def _matches_admedium(fields: Fields, program: Program, one: Admedium) -> bool:
    query, partnership, region = fields.text("q"), fields.text("partnerShip"), fields.text("region")
    return (
        (not query or query.casefold() in one.name.casefold())
        and fields.number("programId") in (None, program.id)
        and (region is None or region.upper() == one.region)
        and fields.number("format") in (None, one.format.id)
        and (partnership is None or program.direct == (partnership == "direct"))
        and fields.text("purpose") in (None, one.purpose)
        and fields.text("admediumType") in (None, one.type)
        and fields.number("categoryId") in (None, one.category.id)
    )


@handles("publisher", "SearchIncentives")
def search_incentives(call: Call) -> Payload:
    """All filters hold together; adspaceId chooses links (`partners`)."""
    found, linked = _search(call, exclusive=False), partners(call)
    return page_of(
        call.fields,
        found,
        "incentiveItems",
        "incentiveItem",
        lambda one: incentive_item(one, linked(one.program_id)),
    )


@handles("publisher", "SearchExclusiveIncentives")
def search_exclusive_incentives(call: Call) -> Payload:
    """As SearchIncentives, but everything at once if neither page nor items is sent
    (`docs/explanation/service.md#paging`)."""
    found, linked = _search(call, exclusive=True), partners(call)
    return page_or_all(
        call.fields,
        found,
        "incentiveItems",
        "incentiveItem",
        lambda one: incentive_item(one, linked(one.program_id)),
    )


@handles("publisher", "GetIncentive")
def get_incentive(call: Call) -> Payload:
    """An unknown id, or an exclusive one, gets a response without an item."""
    return _get(call, exclusive=False)


@handles("publisher", "GetExclusiveIncentive")
def get_exclusive_incentive(call: Call) -> Payload:
    """An unknown id, or one that is not exclusive, gets a response without an item."""
    return _get(call, exclusive=True)


def _get(call: Call, *, exclusive: bool) -> Payload:
    one = call.store.catalogue.all_incentives.get(call.fields.text("incentiveId") or "")
    if one is None or one.exclusive != exclusive:
        return {"incentiveItem": None}
    return {"incentiveItem": incentive_item(one, partners(call)(one.program_id))}


def _search(call: Call, *, exclusive: bool) -> list[Incentive]:
    entries = call.store.catalogue.all_incentives.values()
    return [one for one in entries if one.exclusive == exclusive and _matches_incentive(call.fields, one)]


def _matches_incentive(fields: Fields, one: Incentive) -> bool:
    region = fields.text("region")
    return (
        fields.number("programId") in (None, one.program_id)
        and fields.text("incentiveType") in (None, one.type)
        and (region is None or region.upper() in one.regions)
    )


@handles("publisher", "SearchProducts")
def search_products(call: Call) -> Payload:
    """All filters hold together; the query is returned where one was sent, and an empty one finds all.

    searchType `phrase` looks for the query as it stands, `contextual` (if none is sent) for all its words.
    Prices are whole units of each product's own currency, both ends included. adspaceId chooses links
    (`partners`). Over REST alone: `ean`, `merchantCategory` (any of them, whole, in upper or lower case) and
    `partnership` (`confirmed`: of programs that have confirmed an ad space of the account).
    """
    fields = call.fields
    partnership = fields.text("partnership")
    if partnership not in (None, "all", "confirmed"):
        raise InvalidValue(
            Code.UNKNOWN_VALUE, f"partnership: {partnership!r} is neither 'all' nor 'confirmed'"
        )
    confirmed = call.holdings.account.program_applications.confirmed() if partnership == "confirmed" else None
    entries = call.store.catalogue.all_products.values()
    found = [one for one in entries if _matches_product(fields, one, confirmed)]
    linked = partners(call)
    payload = page_of(
        fields, found, "productItems", "productItem", lambda one: product_item(one, linked(one.program_id))
    )
    return {**payload, "query": fields.text("query")}


@handles("publisher", "GetProduct")
def get_product(call: Call) -> Payload:
    """An unknown id gets a response without an item."""
    one = call.store.catalogue.all_products.get(call.fields.text("zupId") or "")
    return {"productItem": None if one is None else product_item(one, partners(call)(one.program_id))}


def _matches_product(fields: Fields, one: Product, confirmed: Collection[int] | None) -> bool:
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


@handles("publisher", "SearchPrograms")
def search_programs(call: Call) -> Payload:
    """All filters hold together; the query is returned where one was sent.

    Over REST alone: `industry` (the id of a main or sub industry) and `isExclusive`.
    """
    found = [program for program in call.store.catalogue.programs if _matches_program(call.fields, program)]
    payload = page_of(call.fields, found, "programItems", "programItem", program_item)
    return {**payload, "query": call.fields.text("query")}


@handles("publisher", "GetProgram")
def get_program(call: Call) -> Payload:
    """An unknown id gets a response without an item: the contract leaves it out there."""
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    return {"programItem": None if program is None else program_item(program)}


@handles("publisher", "GetProgramCategories")
def get_program_categories(call: Call) -> Payload:
    """Every category that a program is in, by id."""
    found = {one.id: one for program in call.store.catalogue.programs for one in program.categories}
    return {"categories": {"category": [category(found[number]) for number in sorted(found)]}}


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
    if industry is not None and industry not in {one.id for one in program.industries}:
        return False
    number = fields.number("categoryId")
    return number is None or number in {one.id for one in program.categories}


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=midnight(day_of(moment)).tzinfo)


@handles("publisher", "GetProductCategories")
def get_product_categories(call: Call) -> Payload:
    """The categories below rootCategory: the main ones if it is 0 or not sent, none if it is unknown.

    includeChilds: also what is below these, down to the last. region: count what is sold there only, and
    leave out what nothing is sold of. A count includes what is below.
    """
    fields = call.fields
    root, region = fields.number("rootCategory") or 0, fields.text("region")
    sold = Counter(
        one.category.id
        for one in call.store.catalogue.all_products.values()
        if region is None or one.region == region.upper()
    )
    below = ROOTS
    if root:
        found = next((hit for one in ROOTS if (hit := one.find(root)) is not None), None)
        below = () if found is None else found.children
    deep, empty_too = bool(fields.flag("includeChilds")), region is None
    return {"categories": {"category": _items(below, sold, deep=deep, empty_too=empty_too)}}


def _items(
    entries: tuple[ProductCategory, ...], sold: Counter[int], *, deep: bool, empty_too: bool
) -> list[Value]:
    items: list[Value] = []
    for one in entries:
        count = sum(sold[leaf] for leaf, _ in one.leaves())
        if count or empty_too:
            children = _items(one.children, sold, deep=deep, empty_too=empty_too) if deep else None
            items.append({"id": one.id, "name": one.name, "count": count, "category": children})
    return items
