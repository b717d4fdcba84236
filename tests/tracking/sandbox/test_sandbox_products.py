"""Products and the tree of their categories."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tracking.sandbox.caller import Caller, SoapResponse

PRODUCTS = "productItems.productItem"


def products(caller: Caller, **fields: object) -> list[SoapResponse]:
    return caller.pages("SearchProducts", **{"query": "", **fields})


@pytest.fixture(scope="module")
def everything(caller: Caller) -> list[SoapResponse]:
    return products(caller)


@pytest.mark.exhaustive
def test_product_equals_its_list_item(caller: Caller, everything: list[SoapResponse]) -> None:
    assert len(everything) > 500
    assert len({one.text("id") for one in everything}) == len(everything)
    for one in (everything[0], everything[-1]):
        assert caller.call("GetProduct", zupId=one.text("id")).value == one.value
    assert caller.call("GetProduct", zupId="nothing").value is None
    numbers = {one.text("ean") for one in everything}
    assert all(ean.isdigit() and not ean.startswith("0") for ean in numbers)


@pytest.mark.exhaustive
def test_query_is_echoed_and_search_types_differ(caller: Caller) -> None:
    name = caller.call("SearchProducts", query="kettle").text(f"{PRODUCTS}.0.name")
    first, *_, last = name.split()
    turned = f"{last} {first}".lower()
    contextual = caller.call("SearchProducts", query=turned)
    assert contextual.text("query") == turned
    found = products(caller, query=turned, searchType="contextual")
    assert name in {one.text("name") for one in found}
    assert contextual.number("total") == len(found)
    assert products(caller, query=turned, searchType="phrase") == []
    exact = products(caller, query=name.upper(), searchType="phrase")
    assert exact
    assert all(name.casefold() in one.text("name").casefold() for one in exact)


@pytest.mark.exhaustive
def test_several_programs_match_any_of_them(caller: Caller, everything: list[SoapResponse]) -> None:
    sizes = Counter(one.number("program.id") for one in everything)
    first, _, third = list(sizes)[:3]
    found = products(caller, programId=[first, third])
    assert Counter(one.number("program.id") for one in found) == {first: sizes[first], third: sizes[third]}
    assert products(caller, programId=[1]) == []


def test_price_range_includes_its_bounds(caller: Caller, everything: list[SoapResponse]) -> None:
    expected = [one.text("id") for one in everything if 100 <= one.at("price") <= 120]
    assert expected
    assert [one.text("id") for one in products(caller, minPrice=100, maxPrice=120)] == expected


def test_regions_split_the_products(caller: Caller, everything: list[SoapResponse]) -> None:
    parts = [
        caller.call("SearchProducts", query="", region=region).number("total")
        for region in ("DE", "AT", "CH", "FR", "GB", "NL", "ES", "IT", "PL", "se")
    ]
    assert sum(parts) == len(everything)
    assert max(parts) < len(everything)


def categories(caller: Caller, **fields: object) -> list[SoapResponse]:
    response = caller.call("GetProductCategories", **fields)
    value = response.value  # zeep returns the list itself if a response has only one element

    return [type(response)(one) for one in value or []]


def test_category_counts_equal_the_search_results(caller: Caller, everything: list[SoapResponse]) -> None:
    roots = categories(caller)
    assert sum(one.number("count") for one in roots) == len(everything)
    assert all(not one.each("category") for one in roots)
    for one in roots[:2]:
        number = one.number("id")
        assert one.number("count") == caller.call("SearchProducts", query="", categoryId=number).number(
            "total"
        )
        below = categories(caller, rootCategory=number)
        assert len(below) > 1
        assert sum(each.number("count") for each in below) == one.number("count")
        leaf = categories(caller, rootCategory=below[0].number("id"))[0]
        assert leaf.number("count") == sum(each.at("category.id") == leaf.at("id") for each in everything)
        assert categories(caller, rootCategory=leaf.number("id")) == []
    assert categories(caller, rootCategory=9) == []


def test_child_categories_are_included_at_any_depth(caller: Caller) -> None:
    deep = categories(caller, includeChilds=True)
    assert [one.at("id") for one in deep] == [one.at("id") for one in categories(caller, rootCategory=0)]
    for root in deep:
        for second in root.each("category"):
            assert second.number("count") == sum(one.number("count") for one in second.each("category"))
            assert second.each("category")
    part = categories(caller, rootCategory=deep[0].number("id"), includeChilds=True)
    assert [one.value for one in part] == [one.value for one in deep[0].each("category")]


def test_region_counts_its_products(caller: Caller) -> None:
    found = categories(caller, region="at", includeChilds=True)
    total = caller.call("SearchProducts", query="", region="AT").number("total")
    assert sum(one.number("count") for one in found) == total
    assert all(one.number("count") for root in found for one in (root, *root.each("category")))
    assert categories(caller, region="XX") == []
