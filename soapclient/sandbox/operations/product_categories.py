"""The tree of product categories, with the number of products in each."""

from __future__ import annotations

from collections import Counter

from ..data.product_categories import ROOTS, ProductCategory
from ..trees import Tree, Value
from .registry import Call, handles


@handles("publisher", "GetProductCategories")
def get_product_categories(call: Call) -> Tree:
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
