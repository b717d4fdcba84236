"""Empty elements in JSON for types without an empty value, one kind at a time."""

from __future__ import annotations

import json

import pytest
from lxml import etree

from soapclient.rest.json_tree import parse
from soapclient.rest.shapes import read_shaped
from soapclient.runtime import CountingReader, DecodeError, Finding
from soapclient.runtime.findings import FindingKind
from tests.support.sales import SALE as ITEM
from zxws.publisher import types
from zxws.publisher.service import GET_PROGRAM, GET_SALES

LIST = "GetSalesResponse/saleItems"


def sales(*items: object, container: object = None) -> tuple[types.GetSalesResponse, CountingReader]:
    listed = {"saleItem": list(items)} if container is None else container
    text = json.dumps({"page": 0, "items": len(items), "total": len(items), "saleItems": listed})
    reader = CountingReader()
    return read_shaped(GET_SALES, parse(text.encode(), GET_SALES.response_tag), reader), reader


def test_empty_optional_fields_count_as_absent_and_are_reported() -> None:
    plain, _ = sales(ITEM, ITEM)
    found, reader = sales(
        {**ITEM, "trackingDate": "", "gpps": "", "reviewNote": ""},
        {**ITEM, "trackingDate": "", "modifiedDate": "", "trackingCategory": ""},
    )
    assert plain.sale_items is not None
    first, second = plain.sale_items
    first.gpps, first.review_note = [], ""  # these types allow an empty value
    assert found.sale_items == [first, second]
    assert reader.findings == {
        Finding("value", f"{LIST}/saleItem/trackingDate", ""): 2,
        Finding("value", f"{LIST}/saleItem/modifiedDate", ""): 1,
        Finding("value", f"{LIST}/saleItem/trackingCategory", ""): 1,
    }


@pytest.mark.parametrize("field", ["amount", "clickId", "adspace", "reviewState"])
def test_empty_required_fields_are_missing(field: str) -> None:
    with pytest.raises(DecodeError) as caught:
        sales(ITEM, {**ITEM, field: ""})
    assert caught.value.path == f"{LIST}/saleItem[2]/{field}"
    assert caught.value.value is None


def test_item_is_kept_if_its_fields_are_dropped() -> None:
    with pytest.raises(DecodeError) as caught:
        sales({"reviewState": ""})
    assert caught.value.path == f"{LIST}/saleItem/reviewState"
    with pytest.raises(DecodeError, match="saleItem"):
        sales({"gpps": []})


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ([], None),
        (None, []),
        ({}, []),
        ("", []),
        ([""], []),
        ({"saleItem": []}, []),
        ([{"saleItem": []}], []),
    ],
)
def test_lists_without_items_are_empty(container: object, expected: list[object] | None) -> None:
    found, reader = sales(container=container)
    assert found.sale_items == expected
    assert not reader.findings


def test_empty_list_item_is_not_an_item() -> None:
    found, reader = sales("", ITEM, "")
    assert found.sale_items is not None
    assert [item.id for item in found.sale_items] == ["s1"]
    assert reader.findings == {Finding("value", f"{LIST}/saleItem", ""): 2}


def test_other_errors_are_raised_and_findings_come_from_the_last_decoding() -> None:
    with pytest.raises(DecodeError) as caught:
        sales(ITEM, {**ITEM, "trackingDate": "", "clickId": "x"})
    assert (caught.value.path, caught.value.value) == (f"{LIST}/saleItem[2]/clickId", "x")
    with pytest.raises(DecodeError, match="at most one"):
        sales({**ITEM, "clickDate": "", "currency": ["", "EUR"]})
    found, reader = sales({**ITEM, "novelty": "n", "clickDate": "", "modifiedDate": ""})
    assert found.items == 1
    assert reader.findings[Finding("element", f"{LIST}/saleItem/novelty", "")] == 1


@pytest.mark.parametrize(
    ("value", "kind", "path", "detail"),
    [
        ({}, "value", "currency", "{}"),
        ({"code": None}, "value", "currency", "{}"),
        ({"code": []}, "value", "currency", "{}"),
        ({"code": "EUR"}, "element", "currency/code", ""),
        ({"@code": "EUR"}, "attribute", "currency/@code", ""),
    ],
)
def test_object_instead_of_text_is_a_finding(
    value: object, kind: FindingKind, path: str, detail: str
) -> None:
    found, reader = sales({**ITEM, "currency": value})
    assert found.sale_items is not None
    assert found.sale_items[0].currency == ""
    assert reader.findings == {Finding(kind, f"{LIST}/saleItem/{path}", detail): 1}


def test_text_inside_an_object_is_read() -> None:
    found, reader = sales({**ITEM, "currency": {"$": "EUR"}, "adspace": {"@id": "1"}})
    assert found.sale_items is not None
    assert (found.sale_items[0].currency, found.sale_items[0].adspace.value) == ("EUR", "")
    assert not reader.findings


def test_xml_is_decoded_without_tolerance() -> None:
    space = "http://api.zanox.com/namespace/2011-03-01/"
    item = '<programItem id="1"><adrank/></programItem>'
    response = etree.fromstring(f'<GetProgramResponse xmlns="{space}">{item}</GetProgramResponse>')
    with pytest.raises(DecodeError, match="adrank"):
        read_shaped(GET_PROGRAM, response, CountingReader())
