"""Other root names, and an item that is sent as a list, are decoded like the documented forms.

See docs/explanation/service.md#rest-forms.
"""

from __future__ import annotations

import pytest
from lxml import etree

from soapclient.rest import json_tree
from soapclient.rest.shapes import contract_shape
from soapclient.runtime import CountingReader, DecodeError, Finding, Operation, RestRow
from soapclient.runtime.operations import RequestT, ResponseT
from tests.rest.conftest import read_json, read_node
from tests.support.sales import SALE as SALE_FIELDS
from tests.support.sales import xml_of
from zxws.publisher import types as publisher
from zxws.publisher.service import GET_BALANCE, GET_SALE, GET_TRACKING_CATEGORIES

SPACE = "http://api.zanox.com/namespace/2011-03-01/"
SALE = xml_of("saleItem", SALE_FIELDS)
PAGE = "<page>0</page><items>1</items><total>1</total>"


def form_of(operation: Operation[RequestT, ResponseT]) -> RestRow:
    assert operation.rest is not None
    return operation.rest


def xml(operation: Operation[RequestT, ResponseT], text: str) -> tuple[ResponseT, CountingReader]:
    return read_node(operation, etree.fromstring(text))


def expected_sale() -> publisher.GetSaleResponse:
    return xml(GET_SALE, f'<GetSaleResponse xmlns="{SPACE}">{SALE}</GetSaleResponse>')[0]


def test_configured_other_roots_are_read_with_and_without_namespace() -> None:
    balance = (
        '<balanceItem id="EUR"><confirmed>1.50</confirmed><open>2</open><approved>3</approved></balanceItem>'
    )
    plain, _ = xml(GET_BALANCE, f'<GetBalanceResponse xmlns="{SPACE}">{balance}</GetBalanceResponse>')
    assert "1.50" in repr(plain)
    for text in (
        f'<response xmlns="{SPACE}">{balance}</response>',
        f"<response>{balance}</response>",
        f"<!-- c --><GetBalanceResponse><!-- c -->{balance}</GetBalanceResponse>",
        f'<a:response xmlns:a="{SPACE}">{balance.replace("<", "<a:").replace("<a:/", "</a:")}</a:response>',
    ):
        assert xml(GET_BALANCE, text)[0] == plain
    item = {"@id": "EUR", "confirmed": 1.5, "open": 2, "approved": 3}
    inner, quoted = {"balanceItem": item}, {"balanceItem": item | {"open": "2"}}
    for value in (inner, {"response": inner}, {"GetBalanceResponse": inner}, [inner], quoted):
        assert read_json(GET_BALANCE, value)[0] == plain


@pytest.mark.parametrize("root", ["html", f"{{{SPACE}}}saleItem", "{urn:x}GetBalanceResponse"])
def test_other_root_is_an_error(root: str) -> None:
    assert contract_shape(etree.Element(root), GET_BALANCE.response_tag, form_of(GET_BALANCE)) is None


def test_root_of_another_resource_is_an_error() -> None:
    form = form_of(GET_TRACKING_CATEGORIES)
    assert contract_shape(etree.Element("response"), GET_TRACKING_CATEGORIES.response_tag, form) is None
    tree = json_tree.JsonNode("{urn:x}response")
    assert contract_shape(tree, GET_TRACKING_CATEGORIES.response_tag, form) is None


def test_a_wrapper_and_its_item_may_share_one_name() -> None:
    item = {"@id": 1, "name": "n", "saleFixed": 1}
    page = {"page": 0, "items": 1, "total": 1}
    name = "trackingCategoryItem"
    read = [
        read_json(GET_TRACKING_CATEGORIES, {**page, name: inner})[0]
        for inner in ({name: item}, {name: [item]}, [{name: item}])
    ]
    assert read[0].tracking_category_item is not None
    assert [each.name for each in read[0].tracking_category_item] == ["n"]
    assert read == [read[0]] * 3


@pytest.mark.parametrize("namespace", ["", f' xmlns="{SPACE}"'])
def test_wrapped_item_is_read_from_xml(namespace: str) -> None:
    def wrapped(inner: str) -> str:
        return f"<GetSalesResponse{namespace}>{PAGE}{inner}</GetSalesResponse>"

    assert xml(GET_SALE, wrapped(f"<saleItems>{SALE}</saleItems>"))[0] == expected_sale()
    for nothing in ("", "<saleItems/>"):
        assert xml(GET_SALE, wrapped(nothing))[0] == publisher.GetSaleResponse()
    with pytest.raises(DecodeError, match="at most one") as caught:
        xml(GET_SALE, wrapped(f"<saleItems>{SALE}{SALE}</saleItems>"))
    assert caught.value.path == "GetSalesResponse/saleItems/saleItem[2]"
    broken = SALE.replace("<amount>6.10", "<amount>x")
    with pytest.raises(DecodeError) as caught:
        xml(GET_SALE, wrapped(f"<saleItems>{broken}</saleItems>"))
    assert caught.value.path == "GetSalesResponse/saleItems/saleItem/amount"


def test_wrapped_item_is_read_from_json() -> None:
    page = {"page": 0, "items": 1, "total": 1}
    for items in ({"saleItem": SALE_FIELDS}, {"saleItem": [SALE_FIELDS]}, [{"saleItem": [SALE_FIELDS]}]):
        found, reader = read_json(GET_SALE, {**page, "saleItems": items})
        assert found == expected_sale()
        assert not reader.findings
        assert read_json(GET_SALE, {"GetSalesResponse": {**page, "saleItems": items}})[0] == found
    nothings: list[object] = [[], "", {}, {"saleItem": []}]
    for nothing in nothings:
        found, reader = read_json(GET_SALE, {**page, "saleItems": nothing})
        assert found == publisher.GetSaleResponse()
        assert not reader.findings
    with pytest.raises(DecodeError, match="at most one"):
        read_json(GET_SALE, {**page, "saleItems": {"saleItem": [SALE_FIELDS, SALE_FIELDS]}})
    with pytest.raises(DecodeError) as caught:
        read_json(GET_SALE, {**page, "saleItems": {"saleItem": {**SALE_FIELDS, "amount": "x"}}})
    assert caught.value.path == "GetSaleResponse/saleItems/saleItem/amount"
    sale = {**SALE_FIELDS, "clickDate": "", "novelty": 1}
    found, reader = read_json(GET_SALE, {**page, "more": 1, "saleItems": {"saleItem": sale}})
    assert found == expected_sale()
    at = "GetSaleResponse/saleItems/saleItem"
    assert reader.findings == {
        Finding("value", f"{at}/clickDate", ""): 1,
        Finding("element", f"{at}/novelty", ""): 1,
        Finding("element", "GetSaleResponse/more", ""): 1,
    }
