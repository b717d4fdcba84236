"""Ad media: banners and links of the programs."""

from __future__ import annotations

from ..data.catalogue import Admedium, Program
from ..faults import Code, Refusal
from ..trees import Fields, Tree
from .items import admedium_item, category
from .links import admedium_of, partners
from .paging import page_of
from .registry import Call, handles


@handles("publisher", "GetAdmedia")
def get_admedia(call: Call) -> Tree:
    """All filters hold together. `q` is looked for in the name; adspaceId chooses links (`links.py`)."""
    found = [
        one
        for program in call.store.catalogue.programs
        for one in program.admedia
        if _matches(call.fields, program, one)
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
def get_admedium(call: Call) -> Tree:
    """By its id, or by one of its tracking links; if both are sent they must mean the same.

    What is unknown gets an answer without an item. Raises `Refusal` 105 if neither is sent.
    """
    number, link = call.fields.number("admediumId"), call.fields.text("trackingLink")
    if number is None and link is None:
        raise Refusal(Code.OUT_OF_RANGE, "send admediumId or trackingLink, to say which ad medium")
    if link is not None:
        linked = admedium_of(link)
        number = linked if number in (None, linked) else None
    found = None if number is None else call.store.catalogue.admedium(number)
    item = None if found is None else admedium_item(found, partners(call)(found.program_id))
    return {"admediumItem": item}


@handles("publisher", "GetAdmediumCategories")
def get_admedium_categories(call: Call) -> Tree:
    """Those a program has sorted its ad media into; an unknown program gets an answer without."""
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    if program is None:
        return {"categories": None}
    found = {one.category.id: category(one.category) for one in program.admedia}
    return {"categories": {"category": [found[number] for number in sorted(found)]}}


def _matches(fields: Fields, program: Program, one: Admedium) -> bool:
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
