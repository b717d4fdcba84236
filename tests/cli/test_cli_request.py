"""Requests built from given fields, compared with messages generated from the schema by independent code."""

from __future__ import annotations

import json
from importlib import import_module, resources
from itertools import count
from random import Random
from typing import cast

import pytest
from lxml import etree

from soapclient.cli.request import from_assignments, from_json, request_element
from soapclient.errors import ContractError
from soapclient.runtime import AnyOperation

pytestmark = pytest.mark.sampled(12)

XSD = "{http://www.w3.org/2001/XMLSchema}"
AUTHENTICATION = ("connectId", "timestamp", "nonce", "signature")


def operations(service: str) -> dict[str, AnyOperation]:
    """Return the operations of the WSDL."""
    every = cast("dict[str, AnyOperation]", dict(import_module(f"zxws.{service}.service").PACKAGE.operations))
    return {name: operation for name, operation in every.items() if operation.soap}


def contract(service: str) -> bytes:
    return resources.files(f"zxws.{service}").joinpath("contract.wsdl").read_bytes()


EVERY = [(service, name) for service in ("publisher", "data") for name in operations(service)]


def message(service: str, operation: AnyOperation) -> etree._Element:
    """Return a request with all elements of the schema and distinct texts. Lists have two entries."""
    schema = next(etree.fromstring(contract(service)).iter(f"{XSD}schema"))
    types = {node.get("name"): node for node in schema.iterchildren(f"{XSD}complexType")}
    space, texts = schema.get("targetNamespace"), count(1)

    def fill(node: etree._Element, kind: str) -> None:
        declared = types.get(kind.removeprefix("tns:"))
        extended = None if declared is None else declared.find(f"{XSD}simpleContent/{XSD}extension")
        if declared is None or extended is not None:
            node.text = f"text {next(texts)}"
        for attribute in () if declared is None else declared.iter(f"{XSD}attribute"):
            node.set(str(attribute.get("name")), f"text {next(texts)}")
        for element in () if declared is None else declared.iterfind(f"{XSD}sequence/{XSD}element"):
            for _ in range(1 if element.get("maxOccurs", "1") == "1" else 2):
                fill(etree.SubElement(node, f"{{{space}}}{element.get('name')}"), element.get("type", ""))

    top = etree.Element(operation.request_tag)
    fill(top, etree.QName(operation.request_tag).localname)
    for child in [child for child in top if etree.QName(child).localname in AUTHENTICATION]:
        top.remove(child)
    return top


def as_json(node: etree._Element, chance: Random) -> object:
    """Convert a message to its JSON form, with fields in random order."""
    fields: dict[str, object] = {f"@{name}": value for name, value in node.items()}
    for child in node:
        name = etree.QName(child).localname
        value = as_json(child, chance)
        before = fields.get(name)
        if name not in fields:
            fields[name] = value
        else:
            fields[name] = [*before, value] if isinstance(before, list) else [before, value]
    if not fields and len(node) == 0:
        return node.text if node.text is not None else {}
    if node.text is not None:
        fields["$"] = node.text
    shuffled = list(fields.items())
    chance.shuffle(shuffled)
    return dict(shuffled)


def as_assignments(node: etree._Element, path: str = "") -> list[str]:
    """Convert a message to NAME=VALUE arguments. Repeated elements are numbered."""
    found = [f"{path}@{name}={value}" for name, value in node.items()]
    if node.text is not None:
        found.append(f"{path}$={node.text}" if node.keys() else f"{path[:-1]}={node.text}")
    for child in node:
        twins = [twin for twin in node if twin.tag == child.tag]
        number = f"[{twins.index(child) + 1}]" if len(twins) > 1 else ""
        found += as_assignments(child, f"{path}{etree.QName(child).localname}{number}.")
    return found


@pytest.mark.parametrize("form", ["JSON in any order", "assignments"])
@pytest.mark.parametrize(("service", "name"), EVERY)
def test_every_request_is_built(service: str, name: str, form: str) -> None:
    operation = operations(service)[name]
    wanted = message(service, operation)
    if form == "assignments":
        given = from_assignments(as_assignments(wanted))
    else:
        given = from_json(json.dumps(as_json(wanted, Random(name))))
    built = request_element(operation, given)
    assert [(n.tag, n.text, dict(n.items())) for n in built.iter()] == [
        (n.tag, n.text, dict(n.items())) for n in wanted.iter()
    ]


def build(name: str, *assignments: str) -> etree._Element:
    return request_element(operations("publisher")[name], from_assignments(assignments))


def build_json(name: str, value: object) -> etree._Element:
    return request_element(operations("publisher")[name], from_json(json.dumps(value)))


def texts(node: etree._Element) -> list[tuple[str, str | None]]:
    return [(etree.QName(each).localname, each.text) for each in node.iter() if len(each) == 0]


def test_python_names_are_accepted() -> None:
    assert texts(build("GetSales", "date_type=x", "adspace_id=5")) == [("adspaceId", "5"), ("dateType", "x")]


def test_a_list_needs_no_wrapper() -> None:
    wrapped = build("CreateAdspace", "adspaceItem.regions.region=DE", "adspaceItem.regions.region=AT")
    assert texts(wrapped) == [("region", "DE"), ("region", "AT")]
    for same in (
        build("CreateAdspace", "adspaceItem.regions=DE", "adspaceItem.regions=AT"),
        build_json("CreateAdspace", {"adspaceItem": {"regions": ["DE", "AT"]}}),
        build_json("CreateAdspace", {"adspaceItem": {"regions": {"region": ["DE", "AT"]}}}),
        build_json("CreateAdspace", {"adspaceItem": {"regions": [{"region": ["DE", "AT"]}]}}),
    ):
        assert etree.tostring(same) == etree.tostring(wrapped)


def test_an_empty_list_is_an_empty_wrapper() -> None:
    empty: tuple[object, ...] = ([], {}, {"region": []})
    for nothing in empty:
        assert texts(build_json("CreateAdspace", {"adspaceItem": {"regions": nothing}})) == [
            ("regions", None)
        ]


def test_response_items_can_be_sent_back() -> None:
    answer = {
        "adspaceItem": {"id": 5, "categories": [{"id": 1, "value": "Shop"}, {"id": 2, "value": "News"}]}
    }
    built = build_json("UpdateAdspace", answer)
    item = built[0]
    assert item.get("id") == "5"
    assert [(one.get("id"), one.text) for one in item[0]] == [("1", "Shop"), ("2", "News")]


ITEM, AT = "adspaceItem", "CreateAdspaceRequest/adspaceItem"


@pytest.mark.parametrize(
    ("name", "assignments", "path", "said"),
    [
        ("GetSales", ["dateTyp=x"], "GetSalesRequest/dateTyp", "did you mean dateType?"),
        ("GetSales", ["datum=x"], "GetSalesRequest/datum", "unknown field"),
        ("GetSales", ["date.day=1"], "GetSalesRequest/date/day", "does not have inner fields"),
        ("GetSales", ["page=1", "page=2"], "GetSalesRequest/page", "can occur only once"),
        ("GetSales", ["signature=x"], "GetSalesRequest/signature", "the client sets it"),
        ("GetProfile", ["a=1"], "GetProfileRequest/a", "unknown field"),
        ("CreateAdspace", [f"{ITEM}=x"], AT, "cannot have a text"),
        ("CreateAdspace", [f"{ITEM}.Id=5"], f"{AT}/Id", "did you mean @id?"),
        ("CreateAdspace", [f"{ITEM}.regions.regoin=DE"], f"{AT}/regions/regoin", "did you mean region?"),
        ("CreateAdspace", [f"{ITEM}.name=\x07"], f"{AT}/name", "XML does not allow"),
        ("CreateAdspace", [f"{ITEM}.@id=\x07"], f"{AT}/@id", "XML does not allow"),
        ("CreateAdspace", [f"{ITEM}.@id=5", f"{ITEM}.@id=6"], f"{AT}/@id", "one text"),
    ],
)
def test_unknown_fields_are_named(name: str, assignments: list[str], path: str, said: str) -> None:
    with pytest.raises(ContractError, match="Nothing was sent") as caught:
        build(name, *assignments)
    assert caught.value.path == path
    assert said in str(caught.value)
    assert caught.value.operation == name


def test_unknown_name_error_lists_known_names() -> None:
    with pytest.raises(ContractError) as caught:
        build("GetSales", "x=1")
    assert caught.value.allowed == "programId, adspaceId, reviewState, date, dateType, page, items"


def test_rest_only_requests_are_built() -> None:
    every = cast("dict[str, AnyOperation]", import_module("zxws.publisher.service").PACKAGE.operations)
    space = "{http://api.zanox.com/namespace/2011-03-01/}"
    basket = request_element(every["GetSaleBasket"], from_assignments(["saleId=7"]))
    assert [(node.tag, node.text) for node in basket] == [(f"{space}saleId", "7")]
    given = ["query=shoe", "merchant_category=a", "merchantCategory=b", "ean=1", "items=5"]
    products = request_element(every["SearchProducts"], from_assignments(given))
    assert [(str(node.tag).removeprefix(space), node.text) for node in products] == [
        ("query", "shoe"),
        ("items", "5"),
        ("ean", "1"),
        ("merchantCategory", "a"),
        ("merchantCategory", "b"),
    ]
