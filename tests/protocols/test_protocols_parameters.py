"""Parameters and operations that exist in only one protocol (docs/explanation/service.md#rest-resources)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from soapclient.errors import UnsupportedByProtocol
from zxws.publisher.service import PACKAGE

if TYPE_CHECKING:
    from tests.protocols.conftest import Ways

DAY = dt.date(2026, 11, 1)
REST = ("rest-xml-headers", "rest-xml-query", "rest-json-headers", "rest-json-query")
CATEGORIES = (
    "Finance > Finance: Novelties for every day",
    "Food & Drink > Food & Drink: Basics for every day",
)


@dataclass(frozen=True)
class Case:
    """A parameter of one protocol. It changes the response; `effect(without, with)` checks how."""

    operation: str
    element: str
    base: Mapping[str, object]
    more: Mapping[str, object]
    effect: Callable[[Any, Any], object]


def fewer(before: Any, after: Any) -> bool:
    return bool(0 < after.total < before.total)


REST_ONLY = [
    Case(
        "SearchPrograms", "industry", {"items": 50}, {"industry": 13},
        lambda a, b: (
            fewer(a, b)
            and all(13 in {i.id for i in (p.industries.main, *p.industries.sub)} for p in b.program_items)
        ),
    ),
    Case("SearchPrograms", "isExclusive", {}, {"is_exclusive": True}, fewer),
    Case(
        "SearchPrograms", "isExclusive",
        {"items": 50, "region": "DE"}, {"is_exclusive": False, "industry": 17},
        lambda a, b: fewer(a, b) and all("DE" in p.regions for p in b.program_items),
    ),
    Case(
        "SearchProducts", "ean", {"query": ""}, {"ean": "8223506136316"},
        lambda a, b: [one.ean for one in b.product_items] == ["8223506136316"],
    ),
    Case(
        "SearchProducts", "merchantCategory", {"query": "", "items": 50}, {"merchant_category": CATEGORIES},
        lambda a, b: fewer(a, b) and {one.merchant_category for one in b.product_items} <= {*CATEGORIES},
    ),
    Case(
        "SearchProducts", "partnership",
        {"query": "", "program_id": [1801, 1881]}, {"partnership": "confirmed"},
        lambda a, b: fewer(a, b) and {one.program.id for one in b.product_items} == {1881},
    ),
    Case(
        "GetReportBasic", "dateType",
        {"from_date": DAY, "to_date": DAY, "group_by": ["reviewState"]}, {"date_type": "modifiedDate"},
        lambda a, b: a.report_items and b.report_items and a.report_items != b.report_items,
    ),
]  # fmt: skip
SOAP_ONLY = [
    Case("GetAdmedia", "q", {}, {"q": "banner"}, fewer),
    Case(
        "GetAdmedium", "trackingLink", {"admedium_id": 188101},
        {"admedium_id": None, "tracking_link": "https://track.example.org/click/?188101C25978504T"},
        lambda a, b: b.admedium_item == a.admedium_item,
    ),
    Case("SearchProducts", "categoryId", {"query": ""}, {"category_id": 11}, fewer),
    Case("SearchPrograms", "categoryId", {}, {"category_id": 11}, fewer),
    Case(
        "GetTrackingCategories", "items", {"program_id": 1801, "adspace_id": 25978510}, {"items": 1},
        lambda a, b: (len(a.tracking_category_item), len(b.tracking_category_item)) == (4, 1),
    ),
    Case(
        "GetTrackingCategories", "page",
        {"program_id": 1801, "adspace_id": 25978510, "items": 3}, {"page": 1},
        lambda a, b: (len(a.tracking_category_item), len(b.tracking_category_item)) == (3, 1),
    ),
]  # fmt: skip


def method(ways: Ways, name: str, operation: str) -> Callable[..., object]:
    called: Callable[..., object] = getattr(ways[name].client.publisher, PACKAGE.operations[operation].method)
    return called


def test_every_protocol_specific_parameter_has_a_case() -> None:
    operations = PACKAGE.operations.values()
    shown_elsewhere = {("CreateProgramApplication", "publisherComment")}  # a write, tested below
    for cases, of in (
        (REST_ONLY, {(one.name, name) for one in operations for name in one.rest_only}),
        (SOAP_ONLY, {(one.name, name) for one in operations for name in one.soap_only} - shown_elsewhere),
    ):
        assert {(case.operation, case.element) for case in cases} == of


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", REST_ONLY, ids=lambda case: f"{case.operation}-{case.element}")
def test_rest_parameter_works_in_both_formats_and_is_refused_over_soap(ways: Ways, case: Case) -> None:
    answers = []
    for name in REST:
        ask = method(ways, name, case.operation)
        before, after = ask(**case.base), ask(**case.base, **case.more)
        assert case.effect(before, after), (before, after)
        answers.append((before, after))
        assert ways[name].client.drift.counts() == {}
    assert all(answer == answers[0] for answer in answers)
    with pytest.raises(UnsupportedByProtocol, match="SOAP") as caught:
        method(ways, "soap", case.operation)(**case.base, **case.more)
    named = {one.element for one in REST_ONLY if one.operation == case.operation}
    assert any(element in str(caught.value) for element in named)
    assert len(case.more) > 1 or case.element in str(caught.value)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", SOAP_ONLY, ids=lambda case: f"{case.operation}-{case.element}")
def test_soap_parameter_works_and_is_refused_over_rest(ways: Ways, case: Case) -> None:
    ask = method(ways, "soap", case.operation)
    before, after = ask(**case.base), ask(**{**case.base, **case.more})
    assert case.effect(before, after), (before, after)
    for name in REST:
        received = ways[name].sandbox.switches.calls()
        with pytest.raises(UnsupportedByProtocol, match="REST") as caught:
            method(ways, name, case.operation)(**{**case.base, **case.more})
        assert ways[name].sandbox.switches.calls() == received  # nothing was sent
        wanted = {case.element} if "items" not in case.base else {"items", "page"}
        assert any(f"{case.operation}: the element {one}" in str(caught.value) for one in wanted)


def test_publisher_comment_is_sent_over_soap_and_refused_over_rest(fresh_ways: Ways) -> None:
    for way in fresh_ways.values():
        publisher = way.client.publisher
        ids: dict[str, Any] = {"program_id": 1801, "adspace_id": 25978510}
        if way.protocol == "soap":
            made = publisher.create_program_application(**ids, publisher_comment="we & you")
            assert made.program_application_item.publisher_comment == "we & you"
        else:
            with pytest.raises(UnsupportedByProtocol, match=r"publisherComment.*REST"):
                publisher.create_program_application(**ids, publisher_comment="we & you")
            assert publisher.get_program_applications(**ids).total == 0


def test_zeep_attribute_exists_over_soap_only(ways: Ways) -> None:
    soap: Any = ways["soap"].client.publisher.zeep
    assert soap.GetProfile().firstName == "Sample"
    for name in REST:
        for service in (ways[name].client.publisher, ways[name].client.data):
            with pytest.raises(UnsupportedByProtocol, match="REST"):
                _ = service.zeep
