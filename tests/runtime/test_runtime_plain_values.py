"""Values as dicts and JSON, and with pydantic and FastAPI if these are installed."""

from __future__ import annotations

import asyncio
import copy
import datetime as dt
import json
import pickle
import subprocess
import sys
from decimal import Decimal
from enum import StrEnum
from typing import Any

import msgspec
import pytest
from rich.pretty import pretty_repr

import zxws.advertiser.types
import zxws.data.types
import zxws.publisher.types
from soapclient import json_default, to_dict, to_json
from soapclient.errors import ConfigError
from soapclient.runtime.any_element import AnyElement
from soapclient.runtime.nil import NIL, Nil
from soapclient.runtime.plain_values import defaults_of, factory_of
from soapclient.runtime.record import Record
from soapclient.testing.builders import complete
from zxws.publisher.types import ReviewState, SaleItem


class Node(Record, rename={"any_": "any"}):
    """A type that refers to itself."""

    name: str
    when: dt.datetime | None = None
    data: bytes | None = None
    price: Decimal | Nil | None = None
    state: ReviewState | str | None = None
    any_: AnyElement | None = None
    inner_nodes: list[Node] = msgspec.field(default_factory=list)


TREE = Node(
    name="a",
    when=dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC),
    data=b"\xff\x00",
    price=Decimal("1.50"),
    state=ReviewState.OPEN,
    any_=AnyElement(name="{urn:a}b", text="t"),
    inner_nodes=[Node(name="b", price=NIL), Node(name="c", state="new")],
)
DICT = {
    "name": "a",
    "when": dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC),
    "data": b"\xff\x00",
    "price": Decimal("1.50"),
    "state": "open",
    "any": {"name": "{urn:a}b", "text": "t"},
    "innerNodes": [{"name": "b", "price": None}, {"name": "c", "state": "new"}],
}
PLAIN = {**DICT, "when": "2026-11-20T12:00:00Z", "data": "/wA=", "price": "1.50"}


def test_a_value_as_a_dict_has_the_names_of_the_contract() -> None:
    found = to_dict(TREE)
    assert found == DICT
    assert isinstance(found["price"], Decimal)
    assert str(found["price"]) == "1.50"


def test_value_becomes_json() -> None:
    assert json.loads(to_json(TREE)) == PLAIN
    assert json.loads(to_json([TREE, Node(name="z")])) == [PLAIN, {"name": "z"}]
    assert to_json([]) == "[]"


def test_json_equals_that_of_msgspec() -> None:
    sale = complete(SaleItem)
    assert to_json(sale) == msgspec.json.encode(sale).decode()


def test_json_writes_values_with_json_default() -> None:
    written = json.dumps({"trees": [TREE], "nil": NIL, "day": dt.date(2026, 1, 2)}, default=json_default)
    assert json.loads(written) == {"trees": [json.loads(to_json(TREE))], "nil": None, "day": "2026-01-02"}
    with pytest.raises(TypeError):
        json.dumps(object(), default=json_default)


def test_values_are_replaced_matched_and_printed() -> None:
    changed = msgspec.structs.replace(TREE, name="z")
    if sys.version_info >= (3, 13):
        assert copy.replace(TREE, name="z") == changed
    assert (changed.name, changed.price, TREE.name) == ("z", TREE.price, "a")
    match changed:
        case Node(name="z", inner_nodes=[Node(price=first), *_]):
            assert first is NIL
        case _:
            pytest.fail("the pattern does not match")
    shown = pretty_repr(Node(name="a" * 60, inner_nodes=[Node(name="b")]), max_width=40)
    assert shown.startswith(f"Node(\n    name='{'a' * 60}',\n    when=None,\n")
    assert "    inner_nodes=[\n        Node(\n            name='b'," in shown


@pytest.mark.parametrize("value", [None, 5, "text", {"a": 1}, [1], object()])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match="is not a value of a generated package"):
        to_json(value)
    with pytest.raises(ConfigError, match="is not a value of a generated package"):
        to_dict(value)


def test_the_fields_of_a_value_are_its_variables() -> None:
    assert vars(Node(name="a"))["inner_nodes"] == []
    assert vars(TREE) == msgspec.structs.asdict(TREE)
    for again in (copy.copy(TREE), copy.deepcopy(TREE), pickle.loads(pickle.dumps(complete(SaleItem)))):
        assert again in (TREE, complete(SaleItem))


@pytest.mark.exhaustive
def test_pydantic_is_imported_only_on_use() -> None:
    code = (
        "import sys, soapclient, zxws.publisher.types as t; soapclient.to_json([]); "
        "sys.exit('pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


# ---- pydantic and FastAPI


@pytest.fixture
def adapter() -> Any:
    return pytest.importorskip("pydantic").TypeAdapter


def test_pydantic_serializes_as_to_dict_and_to_json(adapter: Any) -> None:
    nodes = adapter(Node)
    assert nodes.dump_python(TREE) == DICT
    assert json.loads(nodes.dump_json(TREE)) == PLAIN
    assert json.loads(adapter(list[Node]).dump_json([TREE])) == [PLAIN]


def test_pydantic_validates_instances_dicts_and_json(adapter: Any) -> None:
    nodes = adapter(Node)
    assert nodes.validate_python(TREE) is TREE
    again = nodes.validate_json(json.dumps(PLAIN))
    assert (type(again), again.when, again.price) == (Node, TREE.when, TREE.price)
    assert again.data == TREE.data
    assert (again.state, again.any_, again.inner_nodes[1]) == (TREE.state, TREE.any_, TREE.inner_nodes[1])
    assert nodes.validate_python({"name": "a", "inner_nodes": [{"name": "b"}]}).inner_nodes == [
        Node(name="b")
    ]


@pytest.mark.parametrize("value", [{}, {"name": 5}, {"name": "a", "innerNodes": [5]}, 5])
def test_pydantic_refuses_invalid_values(adapter: Any, value: object) -> None:
    with pytest.raises(pytest.importorskip("pydantic").ValidationError):
        adapter(Node).validate_python(value)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("module", [zxws.publisher.types, zxws.data.types, zxws.advertiser.types])
def test_pydantic_supports_every_generated_type(adapter: Any, module: Any) -> None:
    types = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Record)]
    assert len(types) > 1
    for kind in types:
        properties = adapter(kind).json_schema(mode="serialization")
        assert properties, kind


def test_sale_roundtrips_through_pydantic(adapter: Any) -> None:
    sale, sales = complete(SaleItem), adapter(SaleItem)
    assert sales.validate_json(sales.dump_json(sale)) == sale
    assert sales.json_schema()["properties"]["reviewState"]


@pytest.mark.exhaustive
def test_fastapi_returns_values() -> None:
    fastapi, httpx = pytest.importorskip("fastapi"), pytest.importorskip("httpx")
    app, sale = fastapi.FastAPI(), complete(SaleItem)
    for path, kind in (("/one", SaleItem), ("/list", list[SaleItem]), ("/plain", None)):
        app.get(path, response_model=kind)(lambda path=path: [sale] if path == "/list" else sale)

    async def asked() -> list[Any]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return [await client.get(path) for path in ("/one", "/list", "/plain", "/openapi.json")]

    one, listed, by_python_names, openapi = asyncio.run(asked())
    assert [each.status_code for each in (one, listed, by_python_names, openapi)] == [200] * 4
    expected = json.loads(to_json(sale))
    assert (one.json(), listed.json()) == (expected, [expected])
    assert by_python_names.json()["review_state"] == expected["reviewState"]


def test_default_may_be_an_enumeration_named_like_a_class_of_msgspec() -> None:
    class Factory(StrEnum):
        NORTH = "north"

    class Machine(Record):
        built_in: str = Factory.NORTH
        parts: list[str] = msgspec.field(default_factory=list)

    assert defaults_of(Machine) == {"built_in": Factory.NORTH, "parts": []}
    assert [factory_of(default) for default in Machine.__struct_defaults__] == [None, list]
