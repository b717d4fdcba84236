"""A mock of RPC/encoded operations (SOAP 1.1 5), called by this client, by suds, and with plain HTTP."""

from __future__ import annotations

import datetime as dt
import importlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import requests
import suds.client
from lxml import etree

from soapclient import connect
from soapclient.errors import ResponseError
from soapclient.runtime import EncodeError
from soapclient.soap.encoded_types import types_of
from soapclient.testing import Mock, mock
from tests.support.cases import case_text
from tests.support.packages import generated

WSDL = case_text(__file__, "encoded.wsdl")
XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
ENC = "{http://schemas.xmlsoap.org/soap/encoding/}"


@pytest.fixture(scope="module")
def shop() -> Iterator[ModuleType]:
    with generated("encoded_shop", WSDL):
        yield importlib.import_module("encoded_shop.types")


_ARRAY = """<x:complexType {}><x:complexContent><x:restriction base="e:Array">
    <x:attribute ref="e:arrayType" w:arrayType="{}"/></x:restriction></x:complexContent></x:complexType>"""
_BOX = f"""<x:complexType name="Box"><x:sequence><x:element name="owners">{_ARRAY.format("", "t:Owner[]")}
    </x:element><x:element name="label" type="x:string"/></x:sequence></x:complexType>"""
# Nested arrays, two-dimensional arrays, and arrays declared in their containing element.
NESTED = (
    WSDL.replace(
        "</x:schema>",
        _ARRAY.format('name="Grid"', "t:Owner[][]")
        + _ARRAY.format('name="Table"', "x:int[,]")
        + _BOX
        + "</x:schema>",
    )
    .replace('name="items" type="t:Items"', 'name="grid" type="t:Grid"')
    .replace('name="names" type="t:Names"', 'name="table" type="t:Table"')
    .replace('name="total" type="x:int"', 'name="box" type="t:Box"')
    .replace('name="like" type="t:Item"', 'name="like" type="t:Box"')
)


@pytest.fixture(scope="module")
def nested_shop() -> Iterator[str]:
    with generated("nested_shop", NESTED):
        yield "nested_shop"


@pytest.fixture
def nested(nested_shop: str) -> Iterator[Mock]:
    with mock(nested_shop) as made:
        yield made


@pytest.fixture
def mocked(shop: ModuleType) -> Iterator[Mock]:
    with mock("encoded_shop") as made:
        yield made


def _searched(mocked: Mock, shop: ModuleType) -> Any:
    """Return the result that this client decodes."""
    service = importlib.import_module("encoded_shop.service").EncodedShopService
    owner = shop.Owner(name="o")
    like = shop.Item(id=1, kind=shop.Kind("new"), day=dt.date(2026, 11, 1), owner=owner)
    with connect(service, address=mocked.address()) as connected:
        return connected.search(like=like, most=3)


def _post(mocked: Mock, content: str) -> requests.Response:
    body = f"""<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
        <t:search xmlns:t="urn:example:shop">{content}</t:search></s:Body></s:Envelope>"""
    headers = {"Content-Type": "text/xml", "SOAPAction": '"urn:search"'}
    return requests.post(mocked.address(), body, headers=headers, timeout=30)


def test_examples_have_arrays_with_the_type_of_their_items(mocked: Mock, shop: ModuleType) -> None:
    found = _searched(mocked, shop)
    assert found.items.item
    assert found.items.item[0].owner.name
    assert found.names.name
    assert isinstance(found.total, int)
    answer = etree.fromstring(mocked.calls()[-1].sent.encode())
    for name, count in (("items", len(found.items.item)), ("names", len(found.names.name))):
        (array,) = answer.iter(name)
        said = str(array.get(f"{ENC}arrayType"))
        prefix, _, local = said.partition(":")
        assert local == {"items": f"Item[{count}]", "names": f"string[{count}]"}[name]
        assert array.nsmap[prefix] in ("urn:example:shop", "http://www.w3.org/2001/XMLSchema")


def test_response_with_arrays_is_read_by_the_client_and_suds(mocked: Mock, shop: ModuleType) -> None:
    items = [{"id": number, "kind": "used", "owner": {"name": "Ada"}} for number in (7, 8)]
    mocked.on("search").reply(items={"item": items}, names={"name": ["a", "b", "c"]}, total=2)
    found = _searched(mocked, shop)
    assert [(item.id, item.kind, item.owner.name) for item in found.items.item] == [
        (7, "used", "Ada"),
        (8, "used", "Ada"),
    ]
    assert (found.names.name, found.total) == (["a", "b", "c"], 2)
    client = suds.client.Client(mocked.wsdl, cache=None)
    answered = client.service.search({"id": 1}, 3)
    assert [(int(item.id), str(item.owner.name)) for item in answered["items"]] == [(7, "Ada"), (8, "Ada")]
    assert list(map(str, answered.names)) == ["a", "b", "c"]
    assert int(answered.total) == 2


def test_response_that_cannot_be_encoded_is_refused(mocked: Mock) -> None:
    with pytest.raises(EncodeError):
        mocked.on("search").reply(total="many")


@pytest.mark.parametrize(
    ("content", "read"),
    [
        ("<like><id>1</id></like><most>3</most>", (1, None, None, None, 3)),
        ("<like><owner/></like>", (None, None, None, None, None)),
        ("<most>3</most>", (None, 3)),
        ("", (None, None)),
    ],
)
def test_accessors_may_be_omitted(mocked: Mock, content: str, read: tuple[object, ...]) -> None:
    response = _post(mocked, content)
    assert response.status_code == 200, response.text
    (call,) = mocked.calls("search")
    request: Any = call.request
    like = request.like
    values = (like,) if like is None else (like.id, like.kind, like.day, getattr(like.owner, "name", None))
    assert (*values, request.most) == read


def test_present_accessors_are_still_validated(mocked: Mock) -> None:
    response = _post(mocked, "<like><id>one</id></like>")
    assert response.status_code == 500
    assert "search/like/id" in response.text


def test_missing_required_element_is_reported(mocked: Mock, shop: ModuleType) -> None:
    assert _searched(mocked, shop)
    mocked.on("search").drifts("missing")
    with pytest.raises(ResponseError):
        _searched(mocked, shop)


def test_nested_arrays_have_the_type_of_their_items(nested: Mock) -> None:
    owners = [{"name": "Ada"}, {"name": "Bo"}]
    grid = {"item": [{"item": owners}, {"item": owners[:1]}, {"item": []}]}
    nested.on("search").reply(grid=grid, table={"item": [1, 2, 3]}, box={"owners": owners, "label": "a"})
    response = etree.fromstring(_post(nested, "").content)
    said: dict[str, list[tuple[str, str]]] = {}
    for node in response.iter("*"):
        if (kind := node.get(f"{ENC}arrayType")) is not None:
            prefix, _, local = kind.partition(":")
            path = "/".join(str(each.tag) for each in [*reversed([*node.iterancestors()]), node][3:])
            said.setdefault(path, []).append((node.nsmap[prefix], local))
    shop, xsd = "urn:example:shop", "http://www.w3.org/2001/XMLSchema"
    assert said == {
        "grid": [(shop, "Owner[][3]")],
        "grid/item": [(shop, "Owner[2]"), (shop, "Owner[1]"), (shop, "Owner[0]")],
        "table": [(xsd, "int[3,1]")],
        "box/owners": [(shop, "Owner[2]")],
    }
    client = suds.client.Client(nested.wsdl, cache=None)
    answered = client.service.search()
    assert [[str(owner.name) for owner in row] for row in answered.grid] == [["Ada", "Bo"], ["Ada"], []]


def test_accessors_may_be_omitted_in_the_items_of_an_array_in_an_element(nested: Mock) -> None:
    response = _post(nested, "<like><owners><item><name>Ada</name></item><item/></owners></like>")
    assert response.status_code == 200, response.text
    (call,) = nested.calls("search")
    request: Any = call.request
    assert [owner.name for owner in request.like.owners] == ["Ada", None]
    assert request.like.label is None


def _types(message: etree._Element) -> dict[str, str]:
    """Return the `xsi:type` and `arrayType` of each element below a message, in Clark notation, by path."""
    types = {}
    for node in message.iterdescendants():
        path = "/".join(
            etree.QName(step).localname for step in [*reversed([*node.iterancestors()]), node][3:]
        )
        names = [node.get("{http://www.w3.org/2001/XMLSchema-instance}type"), node.get(f"{ENC}arrayType")]
        clark = [
            f"{{{node.nsmap[name.partition(':')[0]]}}}{name.partition(':')[2]}" for name in names if name
        ]
        types[path] = " ".join(clark)
    return types


def test_requests_have_types_and_arrays_for_old_servers(mocked: Mock, shop: ModuleType, nested: Mock) -> None:
    """suds, an independent client of the time, sends the same types, and those of enumerations."""
    assert _searched(mocked, shop)
    sent = _types(etree.fromstring(mocked.calls()[-1].received.encode())[0][0])
    xsd, space = "{http://www.w3.org/2001/XMLSchema}", "{urn:example:shop}"
    like = {"id": f"{xsd}int", "kind": "", "day": f"{xsd}date", "owner": f"{space}Owner"}
    assert sent == {
        **{f"like/{name}": kind for name, kind in like.items()},
        "like": f"{space}Item", "like/owner/name": f"{xsd}string", "most": f"{xsd}int",
    }  # fmt: skip
    client = suds.client.Client(mocked.wsdl, cache=None, nosend=True)
    item = {"id": 1, "kind": "new", "day": "2026-11-01", "owner": {"name": "o"}}
    theirs = etree.fromstring(client.service.search(item, 3).envelope)
    assert sent | {"like/kind": f"{space}Kind"} == _types(theirs[1][0])
    service = importlib.import_module("nested_shop.service").NestedShopService
    kind: Any = service.PACKAGE.codec.kind  # the classes of the package, which is imported again
    with connect(service, address=nested.address()) as connected:
        connected.search(like=kind("Box")(owners=[kind("Owner")(name="a")], label="b"), most=1)
    boxed = _types(etree.fromstring(nested.calls()[-1].received.encode())[0][0])
    assert boxed["like/owners"] == f"{ENC}Array {space}Owner[1]"
    assert boxed["like/owners/item"] == f"{space}Owner"


def test_arrays_of_soap_12_have_an_item_type_and_a_size(nested_shop: str) -> None:
    """SOAP 1.2 part 2, 3.3: `itemType` and `arraySize`. Arrays of arrays have no type there."""
    package = importlib.import_module(f"{nested_shop}.service").NestedShopService.PACKAGE
    (operation,) = (item for item in package.operations.values() if item.name == "search")
    nil = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="1"'
    node = etree.fromstring(
        "<r><grid><item><item/><item/></item></grid><table><item>1</item><item>2</item></table>"
        f"<box><owners {nil}/><label {nil}/></box></r>"
    )
    types_of(package).add(node, operation.row.response, "1.2")
    enc = "{http://www.w3.org/2003/05/soap-encoding}"
    sizes = {child.tag: child.get(f"{enc}arraySize") for child in node}
    assert sizes == {"grid": "1", "table": "2 1", "box": None}
    assert [child.get(f"{enc}itemType") is None for child in node] == [True, False, True]
    prefix, _, local = str(node[1].get(f"{enc}itemType")).partition(":")
    assert (node[1].nsmap[prefix], local) == ("http://www.w3.org/2001/XMLSchema", "int")
    assert [list(child.attrib) for child in node[2]] == [[f"{XSI}nil"]] * 2
