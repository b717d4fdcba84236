"""Builders keep the given values, fill in required values, and refuse invalid ones."""

from __future__ import annotations

import datetime as dt
import importlib
from collections.abc import Callable, Iterator
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lxml import etree

from soapclient.runtime import EncodeError
from soapclient.runtime.record import Record
from soapclient.testing import builders
from tests.support.cases import case_text
from tests.support.packages import generated
from tests.support.schemas import compiled_schema
from zxws.publisher.types import GetSalesRequest, GetSalesResponse, ReviewState, SaleItem

# Schema constructs: choices, facets, derived types, recursive types.
_WSDL = case_text(__file__, "built.wsdl")


@pytest.fixture(scope="module")
def orders() -> Iterator[ModuleType]:
    """The module `service` of a user's package."""
    with generated("built_orders", _WSDL):
        yield importlib.import_module("built_orders.service")


def _sent(service: ModuleType, value: Any) -> etree._Element:
    """Return the encoded request. Checks that it is valid by the schema above."""
    node = etree.Element("{urn:example:orders}Ask")
    service.ASK.write_request(value, node, "Ask")
    sent = etree.fromstring(etree.tostring(node))
    compiled_schema(etree.fromstring(_WSDL)).assertValid(sent)
    return sent


def test_builders_set_only_required_fields() -> None:
    item = builders.build(SaleItem)
    assert isinstance(item.review_state, ReviewState)
    assert (item.id, item.sub_publisher, item.gpps) == (None, None, None)
    assert item == builders.build(SaleItem)
    assert builders.complete(SaleItem).sub_publisher is not None


def test_given_values_may_be_python_values_or_texts() -> None:
    item = builders.build(SaleItem, commission="4.20", tracking_date="2026-11-01T10:00:00+01:00", id="s1")
    assert (item.commission, item.id) == (Decimal("4.20"), "s1")
    assert item.tracking_date == dt.datetime(2026, 11, 1, 9, tzinfo=dt.UTC)
    assert builders.build(SaleItem, commission=Decimal(7), review_state="open") == builders.build(
        SaleItem, commission="7", review_state=ReviewState.OPEN
    )
    assert builders.build(GetSalesRequest, date="2026-11-02").date == dt.date(2026, 11, 2)


def test_dicts_become_nested_values() -> None:
    sale = builders.builder(SaleItem, currency="EUR")
    response = builders.build(
        GetSalesResponse, sale_items=[{"commission": "1.50", "program": {"id": 7}}, sale(id="s2")]
    )
    first, second = response.sale_items or []
    assert (first.commission, first.program and first.program.id) == (Decimal("1.50"), 7)
    assert (second.id, second.currency) == ("s2", "EUR")


def test_invalid_values_are_refused() -> None:
    with pytest.raises(TypeError, match=r"SaleItem has no field 'comission'; did you mean commission\?"):
        builders.build(SaleItem, comission="4.20")
    with pytest.raises(EncodeError, match="SaleItem/commission"):
        builders.build(SaleItem, commission="much")
    with pytest.raises(EncodeError, match="SaleItem/commission"):
        builders.build(SaleItem, commission=dt.date(2026, 11, 1))
    with pytest.raises(EncodeError, match=r"SaleItem/reviewState must be one of 'confirmed', .* got 'fine'"):
        builders.build(SaleItem, review_state="fine")
    with pytest.raises(EncodeError, match=r"^GetSalesRequest/date is required$"):
        builders.build(GetSalesRequest, date=None)
    with pytest.raises(TypeError, match="str is not a type of a generated package"):
        builders.build(str)


@pytest.mark.parametrize("build", [builders.build, builders.complete])
def test_built_values_satisfy_facets_choices_and_derived_types(
    orders: ModuleType, build: Callable[..., Any]
) -> None:
    order = orders.ASK.request_type
    sent = _sent(orders, build(order))
    assert sent.findtext("{*}code") == "AAA-1111"
    assert [etree.QName(child).localname for child in sent][2:5] == ["card", "part", "part"]
    by_bank = _sent(orders, build(order, iban="DE02", kind="large"))
    assert [by_bank.findtext(f"{{*}}{name}") for name in ("card", "iban")] == [None, "DE02"]
    assert by_bank.find("{*}bic") is not None
    _sent(orders, build(order, inner=build(order, note="deeper")))


def test_every_type_of_a_service_without_a_schema_is_built() -> None:
    types = importlib.import_module("zxws.advertiser.types")
    kinds = [kind for kind in vars(types).values() if getattr(kind, "__module__", "") == types.__name__]
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, StrEnum | Record):
            assert isinstance(builders.build(kind), kind)
            assert isinstance(builders.complete(kind), kind)


@pytest.mark.parametrize("name", ["publisher", "data"])
def test_built_messages_of_the_tracking_service_are_valid(name: str) -> None:
    service = importlib.import_module(f"zxws.{name}.service")
    wsdl = Path(__file__).parents[2] / "generated/zxws" / name / "contract.wsdl"
    compiled = compiled_schema(etree.parse(wsdl))
    operations = [each for each in service.PACKAGE.operations.values() if each.soap]
    for operation in operations:
        for build in (builders.build, builders.complete):
            response = etree.Element(operation.response_tag)
            operation.write_response(build(operation.response_type), response, operation.name)
            request = etree.Element(operation.request_tag)
            operation.write_request(build(operation.request_type), request, operation.name, zone=dt.UTC)
            for place in operation.authentication:
                etree.SubElement(request, place.tag)
            compiled.assertValid(etree.fromstring(etree.tostring(response)))
            compiled.assertValid(etree.fromstring(etree.tostring(request)))


@pytest.mark.parametrize("build", [builders.build, builders.complete])
def test_recursion_stops_with_nil_or_omission(orders: ModuleType, build: Callable[..., Any]) -> None:
    types = importlib.import_module("built_orders.types")
    chain = build(types.Chain)
    assert (chain.next, chain.more, chain.maybe) == (None, [None], None)
    assert (chain.link.chain.next, chain.link.chain.link, chain.link.chain.maybe) == (None, None, None)
    assert build(types.Chain, next={"id": 7}).next.id == 7
