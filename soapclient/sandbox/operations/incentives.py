"""Incentives: coupons and the like. Exclusive ones are found by the operations for them alone."""

from __future__ import annotations

from ..data.catalogue import Incentive
from ..trees import Fields, Tree
from .items import incentive_item
from .links import partners
from .paging import page_of, page_or_all
from .registry import Call, handles


@handles("publisher", "SearchIncentives")
def search_incentives(call: Call) -> Tree:
    """All filters hold together; adspaceId chooses links (`links.py`)."""
    found, linked = _search(call, exclusive=False), partners(call)
    return page_of(
        call.fields,
        found,
        "incentiveItems",
        "incentiveItem",
        lambda one: incentive_item(one, linked(one.program_id)),
    )


@handles("publisher", "SearchExclusiveIncentives")
def search_exclusive_incentives(call: Call) -> Tree:
    """As SearchIncentives, but everything at once if neither page nor items is sent (`record.md 3`)."""
    found, linked = _search(call, exclusive=True), partners(call)
    return page_or_all(
        call.fields,
        found,
        "incentiveItems",
        "incentiveItem",
        lambda one: incentive_item(one, linked(one.program_id)),
    )


@handles("publisher", "GetIncentive")
def get_incentive(call: Call) -> Tree:
    """An unknown id, or an exclusive one, gets an answer without an item."""
    return _get(call, exclusive=False)


@handles("publisher", "GetExclusiveIncentive")
def get_exclusive_incentive(call: Call) -> Tree:
    """An unknown id, or one that is not exclusive, gets an answer without an item."""
    return _get(call, exclusive=True)


def _get(call: Call, *, exclusive: bool) -> Tree:
    one = call.store.catalogue.all_incentives.get(call.fields.text("incentiveId") or "")
    if one is None or one.exclusive != exclusive:
        return {"incentiveItem": None}
    return {"incentiveItem": incentive_item(one, partners(call)(one.program_id))}


def _search(call: Call, *, exclusive: bool) -> list[Incentive]:
    kept = call.store.catalogue.all_incentives.values()
    return [one for one in kept if one.exclusive == exclusive and _matches(call.fields, one)]


def _matches(fields: Fields, one: Incentive) -> bool:
    region = fields.text("region")
    return (
        fields.number("programId") in (None, one.program_id)
        and fields.text("incentiveType") in (None, one.type)
        and (region is None or region.upper() in one.regions)
    )
