"""An error body is an error whatever its status.

A response is not an error merely because it has fields of an error body.
"""

from __future__ import annotations

import json

import pytest
from lxml import etree

from soapclient import Settings
from soapclient.calling.reader import ResponseReader
from soapclient.rest import json_tree
from soapclient.rest.responses import ErrorResponse, interpret
from soapclient.runtime import DecodeError, Node, Operation
from soapclient.runtime.operations import RequestT, ResponseT
from zxws.advertiser.service import GET_PARTNERSHIPS
from zxws.publisher.service import CREATE_PROGRAM_APPLICATION, GET_PROFILE, GET_PROGRAM, GET_SALES


def read_tree(operation: Operation[RequestT, ResponseT], root: Node) -> ResponseT:
    assert operation.rest is not None
    return interpret(operation, operation.rest, root, ResponseReader(Settings()))


def read(operation: Operation[RequestT, ResponseT], value: object) -> ResponseT:
    """Read a value as JSON, or a text that is JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    return read_tree(operation, json_tree.parse(text.encode(), operation.response_tag))


@pytest.mark.parametrize(
    "value",
    [
        {"code": 103, "message": "m", "reason": "r"},
        {"code": 103, "message": "m", "timestamp": "x"},
        {"code": "103", "message": "m"},
        {"error": {"code": 103, "message": "m"}},
    ],
)
def test_document_with_only_error_fields_is_an_error(value: object) -> None:
    with pytest.raises(ErrorResponse) as profile:
        read(GET_PROFILE, value)
    assert (profile.value.problem.code, profile.value.problem.message) == (103, "m")
    with pytest.raises(ErrorResponse):  # an item is required there, so an undecodable one is an error
        read(CREATE_PROGRAM_APPLICATION, value)
    with pytest.raises(ErrorResponse):
        read(GET_PARTNERSHIPS, value)


def test_document_with_error_and_response_fields_is_a_response() -> None:
    found = read(GET_PARTNERSHIPS, {"code": 0, "message": "ok", "partnerCodeList": []})
    assert found.partner_code_list == []
    assert found.unknown == {"code": 0, "message": "ok"}


def test_repeated_unknown_name_is_kept_each_time() -> None:
    text = '{"partnerCodeList": [], "a": [1, 2], "a": 3, "a": [4, 5], "b": {"c": 6, "c": 6}}'
    found = read(GET_PARTNERSHIPS, text)
    assert found.unknown == {"a": [1, 2, 3, [4, 5]], "b": {"c": [6, 6]}}


def test_empty_response_is_accepted_and_unknown_content_is_an_error() -> None:
    assert read(GET_PROGRAM, {}).program_item is None
    with pytest.raises(DecodeError):
        read(CREATE_PROGRAM_APPLICATION, {"took": "5 ms"})


OF_OTHERS: list[object] = [
    {"took": "5 ms"},
    {"saleItems": {"saleItem": [{"@id": "1"}]}},
    {"page": 0, "items": 1, "total": 1, "saleItems": {"saleItem": [{"@id": "1"}]}},
    {"page": 0, "items": 0, "total": 0, "saleItems": []},
    {"saleItems": []},
    {"saleItem": {"@id": "1", "amount": "1.50"}},
    [{"saleItem": {"@id": "1"}}],
]


@pytest.mark.parametrize("value", OF_OTHERS)
def test_response_without_known_fields_is_an_error(value: object) -> None:
    """JSON has no root name that identifies the operation.

    Decoded anyway, it would look like a missing program.
    """
    with pytest.raises(DecodeError) as caught:
        read(GET_PROGRAM, value)
    assert caught.value.path == "GetProgramResponse"
    assert "programItem" in str(caught.value)
    with pytest.raises(DecodeError):
        read(GET_PROFILE, value)


def test_one_known_field_makes_a_response() -> None:
    empty: list[object] = [None, "", []]
    for nothing in empty:
        assert read(GET_PROGRAM, {"programItem": nothing, "took": "5 ms"}).program_item is None
    assert read(GET_SALES, {"page": 0, "items": 0, "total": 0, "took": "5 ms"}).sale_items is None
    page = {"page": 0, "items": 0, "total": 0}
    assert read(GET_SALES, {**page, "saleItems": [], "took": "5 ms"}).total == 0
    # Types with an open content model keep unknown elements next to known ones.
    known: dict[str, object] = {"partnerCodeList": []}
    assert read(GET_PARTNERSHIPS, {**known, "took": {"ms": 5}}).unknown == {"took": {"ms": 5}}
    with pytest.raises(DecodeError, match="any of: partnerCodeList, errorList"):
        read(GET_PARTNERSHIPS, {"took": {"ms": 5}})


def test_xml_without_known_elements_is_an_error() -> None:
    tree = etree.Element(GET_PROGRAM.response_tag)
    etree.SubElement(etree.SubElement(tree, "saleItems"), "saleItem")
    with pytest.raises(DecodeError, match="saleItems"):
        read_tree(GET_PROGRAM, tree)


def test_other_document_is_named_as_such() -> None:
    """The message has the received and the expected name, but no values."""
    with pytest.raises(DecodeError) as nothing:
        read(GET_PROGRAM, {"foo": 1, "bar": {"baz": 2}})
    assert (nothing.value.path, nothing.value.value) == ("GetProgramResponse", "another document: foo, bar")
    assert str(nothing.value).endswith("expected an element with any of: programItem")
    for root in ("html", "{http://www.w3.org/1999/xhtml}html"):
        page = etree.Element(root)
        etree.SubElement(page, "body").text = "busy"
        with pytest.raises(DecodeError) as other:
            read_tree(GET_PROGRAM, page)
        assert (other.value.path, other.value.value) == ("GetProgramResponse", f"another document: {root}")
        assert str(other.value).endswith(f"expected the element {GET_PROGRAM.response_tag}")
