"""The caller's ad spaces.

What happened with an ad space keeps the name it had then, also when it is changed or deleted: transactions,
program applications, media slots.
"""

from __future__ import annotations

from ..data.adspaces import Adspace
from ..data.catalogue import Category
from ..faults import Code, Refusal
from ..trees import Fields, Tree
from .account_items import adspace_item
from .paging import page_of
from .registry import Call, handles


@handles("publisher", "GetAdspaces")
def get_adspaces(call: Call) -> Tree:
    kept = call.holdings.account.adspaces.all()
    return page_of(call.fields, kept, "adspaceItems", "adspaceItem", adspace_item)


@handles("publisher", "GetAdspace")
def get_adspace(call: Call) -> Tree:
    """An unknown id, or one of another account, gets an answer without an item."""
    adspace = call.holdings.account.adspaces.get(call.fields.number("adspaceId") or 0)
    return {"adspaceItem": None if adspace is None else adspace_item(adspace)}


@handles("publisher", "CreateAdspace")
def create_adspace(call: Call) -> Tree:
    """An id that was sent is not looked at: the service gives its own."""
    made = call.holdings.account.adspaces.create(_adspace(call.fields.branch("adspaceItem"), 0))
    return {"adspaceItem": adspace_item(made)}


@handles("publisher", "UpdateAdspace")
def update_adspace(call: Call) -> Tree:
    item = call.fields.branch("adspaceItem")
    number = item.number("@id")
    if number is None:
        raise Refusal(
            Code.UNKNOWN_ID, "adspaceItem: the attribute id says which ad space to update; it is missing"
        )
    wanted = _adspace(item, number)
    if not call.holdings.account.adspaces.update(wanted):
        raise Refusal(Code.UNKNOWN_ID, f"this account has no ad space {number}")
    return {"adspaceItem": adspace_item(wanted)}


@handles("publisher", "DeleteAdspace")
def delete_adspace(call: Call) -> Tree:
    """How many went: 1, or 0 where this account has none of that id."""
    number = call.fields.number("adspaceId") or 0
    return {"count": int(call.holdings.account.adspaces.delete(number))}


def _adspace(item: Fields, number: int) -> Adspace:
    regions = item.branch("regions").texts("region") if "regions" in item else None
    categories = item.branch("categories").branches("category") if "categories" in item else None
    return Adspace(
        id=number,
        name=item.text("name") or "",
        url=item.text("url") or "",
        description=item.text("description") or "",
        type=item.text("adspaceType") or "",
        visitors=item.number("visitors") or 0,
        impressions=item.number("impressions") or 0,
        scope=item.text("scope"),
        regions=None if regions is None else tuple(regions),
        categories=None if categories is None else tuple(category_of(one) for one in categories),
        language=item.text("language") or "",
        check_number=item.number("checkNumber") or 0,
    )


def category_of(item: Fields) -> Category:
    """A numbered name that was sent."""
    return Category(item.number("@id") or 0, item.text("$") or "")
