"""Ad media, incentives, program categories, products, and the tree of their categories."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.tracking.sandbox.caller import Caller, SoapResponse

INCENTIVES = "incentiveItems.incentiveItem"


def partnership(caller: Caller) -> tuple[int, int]:
    """Return a program and the ad space it has confirmed."""
    one = caller.call("GetProgramApplications", status="confirmed").entries()[0]
    return one.number("program.id"), one.number("adspace.id")


def adspaces(item: SoapResponse) -> list[object]:
    return [link.at("adspaceId") for link in item.each("trackingLinks.trackingLink")]


def test_an_ad_medium_is_found_by_its_id_and_by_its_tracking_links(caller: Caller) -> None:
    program, adspace = partnership(caller)
    first, second = caller.call("GetAdmedia", programId=program).entries()[:2]
    assert adspaces(first) == [adspace]
    number = first.number("id")
    assert caller.call("GetAdmedium", admediumId=number).value == first.value
    for form in ("ppv", "ppc", "tpv"):
        link = first.text(f"trackingLinks.trackingLink.0.{form}")
        assert caller.call("GetAdmedium", trackingLink=link).value == first.value
        assert caller.call("GetAdmedium", trackingLink=link, admediumId=number).value == first.value
        assert caller.call("GetAdmedium", trackingLink=link, admediumId=second.number("id")).value is None
    for unknown in ({"admediumId": 7}, {"trackingLink": "https://shop.example.org/?180100C1T"}):
        assert caller.call("GetAdmedium", **unknown).value is None
    assert caller.refused("GetAdmedium", 105, "admediumId", "trackingLink")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("search", "single", "field"),
    [
        ("SearchIncentives", "GetIncentive", "incentiveId"),
        ("SearchExclusiveIncentives", "GetExclusiveIncentive", "incentiveId"),
        ("SearchProducts", "GetProduct", "zupId"),
        ("GetAdmedia", "GetAdmedium", "admediumId"),
    ],
)
def test_adspace_selects_the_links_of_every_kind(
    caller: Caller, search: str, single: str, field: str
) -> None:
    query = {"query": ""} if search == "SearchProducts" else {}
    partners = {
        one.number("program.id"): one.number("adspace.id")
        for one in caller.pages("GetProgramApplications", status="confirmed")
    }
    one = next(one for one in caller.pages(search, **query) if one.number("program.id") in partners)
    program, number = one.number("program.id"), one.at("id")
    partner = partners[program]
    for wanted, expected in ((partner, [partner]), (1, [])):
        listed = caller.pages(search, adspaceId=wanted, programId=program, **query)
        item = next(each for each in listed if each.at("id") == number)
        for each in (item, caller.call(single, **{field: number, "adspaceId": wanted})):
            media = each.each("admedia.admediumItem") if "Incentive" in search else [each]
            assert adspaces(media[0]) == expected


def test_direct_and_indirect_programs_have_all_ad_media(caller: Caller) -> None:
    total = caller.call("GetAdmedia").number("total")
    parts = [caller.call("GetAdmedia", partnerShip=one).number("total") for one in ("direct", "indirect")]
    assert sum(parts) == total
    assert all(parts)


def test_ad_medium_categories_come_from_the_ad_media_of_the_program(caller: Caller) -> None:
    found = caller.call("GetAdmediumCategories", programId=1810).value
    listed = caller.pages("GetAdmedia", programId=1810)
    names = {one.number("category.id"): one.text("category._value_1") for one in listed}
    assert {one.id: one._value_1 for one in found} == names
    assert not caller.call("GetAdmediumCategories", programId=1).value


@pytest.mark.exhaustive
def test_exclusive_incentives_are_unpaged_and_the_others_paged(caller: Caller) -> None:
    everything = caller.call("SearchExclusiveIncentives")
    exclusive = {one.text("id") for one in everything.entries()}
    assert len(exclusive) == everything.number("total") == everything.number("items") > 50
    assert len(caller.call("SearchExclusiveIncentives", page=0).entries()) == 10
    assert len(caller.call("SearchExclusiveIncentives", items=3).entries()) == 3
    assert caller.refusal("SearchExclusiveIncentives", items=51)[0] == 105
    public = {one.text("id") for one in caller.pages("SearchIncentives")}
    assert len(public) > 50
    assert not public & exclusive
    assert len(caller.call("SearchIncentives").entries()) == 10


@pytest.mark.parametrize(
    ("search", "single", "other"),
    [
        ("SearchIncentives", "GetIncentive", "GetExclusiveIncentive"),
        ("SearchExclusiveIncentives", "GetExclusiveIncentive", "GetIncentive"),
    ],
)
def test_one_incentive_is_found_on_its_own_side_only(
    caller: Caller, search: str, single: str, other: str
) -> None:
    one = caller.call(search, items=5).entries()[4]
    assert caller.call(single, incentiveId=one.text("id")).value == one.value
    assert caller.call(other, incentiveId=one.text("id")).value is None
    assert caller.call(single, incentiveId="nothing").value is None


def test_lotteries_have_prizes(caller: Caller) -> None:
    one = caller.call("SearchIncentives", incentiveType="lotteries").entries()[0]
    assert one.number("prizes.prize.0.count") > 0
    assert caller.call("SearchIncentives", incentiveType="coupons").at(f"{INCENTIVES}.0.prizes") is None


@pytest.mark.exhaustive
def test_program_categories_are_those_in_use(caller: Caller) -> None:
    found = caller.call("GetProgramCategories").value
    programs = caller.pages("SearchPrograms")
    assert {one.id: one._value_1 for one in found} == {
        each.number("id"): each.text("_value_1")
        for one in programs
        for each in one.each("categories.category")
    }


# ---- products


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
    leaves = {
        leaf.number("id"): leaf.number("count")
        for root in categories(caller, includeChilds=True)
        for second in root.each("category")
        for leaf in second.each("category")
    }
    assert leaves == Counter(one.number("category.id") for one in everything)


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


def test_regions_split_the_products(caller: Caller) -> None:
    totals = [
        caller.call("SearchProducts", query="", region=region).number("total")
        for region in (None, "DE", "AT", "CH", "FR", "GB", "NL", "ES", "IT", "PL", "se")
    ]
    assert sum(totals[1:]) == totals[0]
    assert max(totals[1:]) < totals[0]


def categories(caller: Caller, **fields: object) -> list[SoapResponse]:
    response = caller.call("GetProductCategories", **fields)
    value = response.value  # zeep returns the list itself if a response has only one element
    return [type(response)(one) for one in value or []]


def test_category_counts_equal_the_search_results(caller: Caller) -> None:
    roots = categories(caller)
    total = caller.call("SearchProducts", query="").number("total")
    assert sum(one.number("count") for one in roots) == total
    assert all(not one.each("category") for one in roots)
    for one in roots[:2]:
        number = one.number("id")
        found = caller.call("SearchProducts", query="", categoryId=number)
        assert one.number("count") == found.number("total")
        below = categories(caller, rootCategory=number)
        assert len(below) > 1
        assert sum(each.number("count") for each in below) == one.number("count")
        leaf = categories(caller, rootCategory=below[0].number("id"))[0]
        assert categories(caller, rootCategory=leaf.number("id")) == []
        found = caller.call("SearchProducts", query="", categoryId=leaf.number("id"))
        assert leaf.number("count") == found.number("total")
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
