"""Fields become columns: rows written by hand, and arbitrary paths."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.errors import ConfigError, TableError
from soapclient.runtime.any_element import AnyElement
from soapclient.runtime.codec import Codec
from soapclient.runtime.nil import NIL, Nil
from soapclient.runtime.package import parse_schema
from soapclient.runtime.record import Record
from soapclient.runtime.schema import FORMAT
from soapclient.runtime.simple_types import Scalar
from soapclient.tables.arrow import Batches
from soapclient.tables.arrow_types import KINDS
from soapclient.tables.columns import column_names, layout, layout_of_type
from zxws.publisher.service import PACKAGE


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Named(Record):
    value: str
    id: int | None = None


class Active(Named):
    active: bool | None = None


class Node(Record):
    name: str
    next: Node | None = None
    nodes: list[Node] | None = None


class Pet(Record):
    name: str


class Cat(Pet):
    lives: int


class Dog(Pet):
    lives: str
    tricks: list[str] = []  # noqa: RUF012 - msgspec copies it


class Home(Record):
    pet: Pet
    others: list[Pet] = []  # noqa: RUF012


class Message(Record):
    nil: bool = False
    names: list[str] | None = None
    amount: Decimal | None = None
    colours: list[Colour | str] = []  # noqa: RUF012 - msgspec copies it


class Item(Record):
    id: str
    owner: Named | None = None
    owner_id: str | None = None
    colour: Colour | str | None = None
    price: Decimal | None = None
    count: int | None = None
    at: dt.datetime | None = None
    day: dt.date | None = None
    noon: dt.time | None = None
    flag: bool | None = None
    ratio: float | None = None
    raw: bytes | None = None
    sizes: list[int] | None = None
    either: Decimal | str | None = None
    tags: list[str] = []  # noqa: RUF012
    parts: list[Named] | None = None
    shelves: list[list[str]] = []  # noqa: RUF012
    note: str | Nil | None = None
    anything: list[AnyElement] = []  # noqa: RUF012
    more: dict[str, str] = {}  # noqa: RUF012


OPTIONAL_ATTRIBUTE = {"kind": "attribute", "occurs": "?"}


def row(python: str, **more: object) -> dict[str, object]:
    kind = more.get("kind", "element")
    return {"python": python, **({"xml": python} if kind in ("element", "attribute") else {}), **more}


def kind(xml: str, *fields: dict[str, object], **more: object) -> dict[str, object]:
    return {"xml": xml, "fields": [*fields], **more}


def derived(base: str, xml: str, *fields: dict[str, object]) -> dict[str, object]:
    return kind(xml, *fields, base=base, derivation="extension")


TYPES: dict[str, Any] = {
    "Named": kind("named", row("value", kind="text"), row("id", type="int", **OPTIONAL_ATTRIBUTE), open=True),
    "Active": derived("Named", "active", row("active", type="boolean", **OPTIONAL_ATTRIBUTE)),
    "Node": kind(
        "node",
        row("name"),
        row("next", type="Node", occurs="?"),
        row("nodes", type="Node", item="node", occurs="?"),
    ),
    "Pet": kind("pet", row("name"), abstract=True, open=True),
    "Cat": derived("Pet", "cat", row("lives", type="int")),
    "Dog": derived("Pet", "dog", row("lives"), row("tricks", occurs="*")),
    "Message": kind(
        "message",
        row("nil", kind="nil"),
        row("names", type="nm_tokens", occurs="?"),
        row("amount", type="(decimal|exact_double)", occurs="?"),
        row("colours", type="Colour", occurs="*"),
    ),
    "Home": kind("home", row("pet", type="Pet"), row("others", type="Pet", occurs="*")),
    "Item": kind(
        "item",
        row("id", kind="attribute"),
        row("owner", type="Named", occurs="?"),
        row("owner_id", occurs="?"),
        row("colour", type="Colour", occurs="?"),
        row("price", type="decimal", occurs="?"),
        row("count", type="integer:10", occurs="?"),
        row("at", type="local_date_time:3Z", occurs="?"),
        row("day", type="date", occurs="?"),
        row("noon", type="time", occurs="?"),
        row("flag", type="boolean:01", occurs="?"),
        row("ratio", type="double", occurs="?"),
        row("raw", type="base64_binary", occurs="?"),
        row("sizes", type="[unsigned_short]", occurs="?"),
        row("either", type="(decimal|string)", occurs="?"),
        row("tags", occurs="*"),
        row("parts", type="Named", item="part", occurs="?"),
        row("shelves", item="box", occurs="*"),
        row("note", occurs="?", nil=True),
        row("anything", kind="any", occurs="*", wildcards=[0]),
        row("more", kind="any_attributes", wildcards=[0]),
    ),
}
CLASSES = [Colour, Named, Active, Node, Pet, Cat, Dog, Home, Message, Item]


def codec_of(name: str, classes: Iterable[type], types: dict[str, Any]) -> Codec:
    head = {
        "made_by": "", "source": "", "format": FORMAT, "name": name, "namespace": f"urn:{name}", "sha256": "",
        "wildcards": [{}],
    }  # fmt: skip
    module = ModuleType(f"{name}.types")
    module.__dict__.update({each.__name__: each for each in classes})
    return Codec(parse_schema(name, json.dumps({**head, "types": types}).encode()), module)


@pytest.fixture(scope="module")
def codec() -> Codec:
    return codec_of("shop", CLASSES, TYPES)


def table(codec: Codec, name: str, *items: object, **more: Any) -> pa.Table:
    batches = Batches("Ask", layout_of_type(codec, name), **more)
    return pa.Table.from_batches(batches.of(items, 2), batches.schema)


TEXT, TEXTS = pa.string(), pa.list_(pa.string())
NAMED = pa.struct([("value", TEXT), ("id", pa.int32())])
AT = dt.datetime(2026, 11, 1, 12, 30, 0, 250, tzinfo=dt.timezone(dt.timedelta(hours=2)))
FULL = Item(
    id="a",
    owner=Named(value="Ann", id=7),
    owner_id="own",
    colour="green",  # not in the contract
    price=Decimal("12345678901234567890123456789.123456789"),
    count=10**37,
    at=AT,
    day=dt.date(2026, 11, 1),
    noon=dt.time(12, 0, tzinfo=dt.UTC),
    flag=False,
    ratio=0.1,
    raw=b"\x00\xff",
    sizes=[1, 65535],
    either=Decimal("1.50"),
    tags=["p", "q"],
    parts=[Named(value="x", id=None)],
    shelves=[["a"], []],
    note=NIL,
    anything=[AnyElement(name="{urn:x}y", text="z")],
    more={"{urn:x}k": "v"},
)
# The type of each column, and the cell of `FULL` in it.
COLUMNS: dict[str, tuple[pa.DataType, object]] = {
    "id": (TEXT, "a"),
    "owner_value": (TEXT, "Ann"),
    "owner__id": (pa.int32(), 7),  # another field is named `owner_id`
    "owner_id": (TEXT, "own"),
    "colour": (pa.dictionary(pa.int32(), TEXT), "green"),
    "price": (pa.decimal128(38, 9), Decimal("12345678901234567890123456789.123456789")),
    "count": (pa.decimal128(38, 0), Decimal(10**37)),
    "at": (pa.timestamp("us", "UTC"), dt.datetime(2026, 11, 1, 10, 30, 0, 250, tzinfo=dt.UTC)),
    "day": (pa.date32(), dt.date(2026, 11, 1)),
    "noon": (TEXT, "12:00:00+00:00"),
    "flag": (pa.bool_(), False),
    "ratio": (pa.float64(), 0.1),
    "raw": (pa.binary(), b"\x00\xff"),
    "sizes": (pa.list_(pa.uint16()), [1, 65535]),
    "either": (TEXT, "1.50"),
    "tags": (TEXTS, ["p", "q"]),
    "parts": (pa.list_(NAMED), [{"value": "x", "id": None}]),
    "shelves": (pa.list_(TEXTS), [["a"], []]),
    "note": (TEXT, None),
    "anything": (TEXTS, ['{"name":"{urn:x}y","text":"z"}']),
    "more": (TEXT, '{"{urn:x}k":"v"}'),
}


def test_each_field_type_becomes_a_typed_column_with_its_values(codec: Codec) -> None:
    found = table(codec, "Item", FULL, Item(id="b"), Item(id="c", colour=Colour.BLUE, either="x"))
    rows = found.to_pylist()
    assert {name: found.schema.field(name).type for name in found.schema.names} == {
        name: column_type for name, (column_type, _) in COLUMNS.items()
    }
    assert rows[0] == {name: cell for name, (_, cell) in COLUMNS.items()}
    empty = {"tags": [], "shelves": [], "anything": [], "more": "{}"}
    assert rows[1] == {**dict.fromkeys(COLUMNS), "id": "b", **empty}
    assert (rows[2]["colour"], rows[2]["either"]) == ("blue", "x")


def test_columns_are_equal_without_items(codec: Codec) -> None:
    assert table(codec, "Item").schema == table(codec, "Item", Item(id="a")).schema


def test_recursive_field_becomes_json_text(codec: Codec) -> None:
    inner = Node(name="b", nodes=[Node(name="c")])
    found = table(codec, "Node", Node(name="a", next=inner, nodes=[inner]))
    assert found.schema.types == [TEXT, TEXT, TEXTS]
    shown = '{"name":"b","next":null,"nodes":[{"name":"c","next":null,"nodes":null}]}'
    assert found.to_pylist() == [{"name": "a", "next": shown, "nodes": [shown]}]
    as_text = table(codec, "Node", Node(name="a", next=inner), types={"next": TEXT})
    assert as_text["next"].to_pylist() == [shown]


def test_abstract_type_has_the_fields_of_all_derived_types(codec: Codec) -> None:
    first = Home(pet=Cat(name="Mia", lives=9), others=[Dog(name="Rex", lives="one")])
    found = table(codec, "Home", first, Home(pet=Dog(name="Rex", lives="one", tricks=["sit"])))
    pet = pa.struct([("type", TEXT), ("name", TEXT), ("lives", TEXT), ("tricks", TEXTS)])
    assert found.schema.field("others").type == pa.list_(pet)
    assert found.drop_columns("others").to_pylist() == [
        {"pet_type": "Cat", "pet_name": "Mia", "pet_lives": "9", "pet_tricks": None},
        {"pet_type": "Dog", "pet_name": "Rex", "pet_lives": '"one"', "pet_tricks": ["sit"]},
    ]
    rex = {"type": "Dog", "name": "Rex", "lives": '"one"', "tricks": []}
    assert found["others"].to_pylist() == [[rex], []]


def test_rows_of_an_abstract_type_are_written(codec: Codec) -> None:
    found = table(codec, "Pet", Cat(name="Mia", lives=9), Dog(name="Rex", lives="one"))
    assert found.to_pylist() == [
        {"type": "Cat", "name": "Mia", "lives": "9", "tricks": None},
        {"type": "Dog", "name": "Rex", "lives": '"one"', "tricks": []},
    ]


def test_names_unions_and_enumeration_lists_become_columns(codec: Codec) -> None:
    found = table(codec, "Message", Message(names=["a", "b"], amount=Decimal(1), colours=[Colour.RED, "x"]))
    assert found.schema.types == [pa.bool_(), TEXTS, pa.decimal128(38, 9), TEXTS]
    expected = {"nil": False, "names": ["a", "b"], "amount": Decimal(1), "colours": ["red", "x"]}
    assert found.to_pylist() == [expected]


def test_too_many_fields_are_reported_once(codec: Codec, caplog: pytest.LogCaptureFixture) -> None:
    owned = [Item(id=str(n), owner=Active(value="Ann", active=True)) for n in range(5)]
    assert table(codec, "Item", *owned)["owner_value"].to_pylist() == ["Ann"] * 5
    said = "Ask: the columns of owner are the fields of Named; other fields of Active are omitted"
    assert caplog.messages == [said]


def test_items_without_fields_are_one_column(codec: Codec) -> None:
    (tags,) = (field for field in codec.fields("Item") if field.python == "tags")
    batches = Batches("Ask", layout(codec, tags))
    assert pa.Table.from_batches(batches.of(["a", "b"], 9)).to_pylist() == [{"value": "a"}, {"value": "b"}]


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        *(
            ({"price": Decimal(text)}, "at most 29 digits before the decimal point and 9 after it")
            for text in ("0.0000000001", "1E+29", "Infinity")
        ),
        ({"count": 10**38}, "at most 38 digits before the decimal point and 0 after it"),
        ({"at": dt.datetime(2026, 11, 1)}, "a date-time with a zone. Pass zone="),
        ({"at": "yesterday"}, "expected timestamp[us, tz=UTC]"),
        ({"day": "yesterday"}, "expected date32[day]"),
    ],
)
def test_value_without_a_column_is_an_error_that_names_it(
    codec: Codec, value: dict[str, Any], allowed: str
) -> None:
    with pytest.raises(TableError) as raised:
        table(codec, "Item", Item(id="a"), Item(id="b"), Item(id="c", **value))
    (column,) = value
    assert (raised.value.operation, raised.value.column, raised.value.row) == ("Ask", column, 3)
    assert str(raised.value).startswith(f"Ask: {column} of row 3 is ")
    assert allowed in str(raised.value)


_AWARE, _NAIVE = dt.datetime(2026, 11, 1, tzinfo=dt.UTC), dt.datetime(2026, 11, 1)


@pytest.mark.parametrize(
    ("values", "options", "advice"),
    [
        ([{"at": _AWARE}], {"types": {"at": pa.timestamp("us")}}, "another type"),  # no zone= would help
        ([{"ratio": _NAIVE}], {}, "another type"),
        ([{"at": _NAIVE}, {"at": _AWARE}], {"settle": True}, "Pass zone="),
        ([{"at": _AWARE}, {"at": _NAIVE}], {"settle": True}, "Pass zone="),
    ],
)
def test_zone_is_the_advice_only_if_it_helps(
    codec: Codec, values: list[dict[str, Any]], options: dict[str, Any], advice: str
) -> None:
    with pytest.raises(TableError) as raised:
        table(codec, "Item", *(Item(id="a", **value) for value in values), **options)
    assert advice in str(raised.value)


def test_zone_applies_to_columns_and_naive_values(codec: Codec) -> None:
    naive, aware = dt.datetime(2026, 7, 1, 0, 0), dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    found = table(codec, "Item", Item(id="a", at=naive), Item(id="b", at=aware), zone="Europe/Berlin")["at"]
    assert found.type == pa.timestamp("us", "Europe/Berlin")
    # Berlin is two hours ahead of UTC in July
    july = dt.datetime(2026, 6, 30, 22, tzinfo=dt.UTC)
    assert found.to_pylist() == [july, aware]


@pytest.mark.parametrize(
    ("zone", "name"),
    [
        ("+05:30", "+05:30"),
        (dt.timezone(dt.timedelta(hours=-3)), "-03:00"),
        (dt.UTC, "UTC"),
        ("UTC", "UTC"),
        (ZoneInfo("Asia/Tokyo"), "Asia/Tokyo"),
    ],
)
def test_column_zones_have_names(codec: Codec, zone: str | dt.tzinfo, name: str) -> None:
    assert table(codec, "Item", zone=zone)["at"].type == pa.timestamp("us", name)


class _Odd(dt.tzinfo):
    """A zone without a name that other libraries know."""

    def utcoffset(self, moment: dt.datetime | None) -> dt.timedelta:
        return dt.timedelta(0)

    def dst(self, moment: dt.datetime | None) -> None:
        return None

    def tzname(self, moment: dt.datetime | None) -> str:
        return "UTC"


@pytest.mark.parametrize(
    "zone", ["Berlin", "../etc/passwd", "", "+5", _Odd(), dt.timezone(dt.timedelta(seconds=1)), 1]
)
def test_invalid_zone_is_refused(codec: Codec, zone: Any) -> None:
    with pytest.raises(ConfigError, match=r"zone: must be a zone such as 'Europe/Berlin', got "):
        table(codec, "Item", zone=zone)


@pytest.mark.parametrize("kind", ["string", str, None.__class__])
def test_invalid_type_is_refused(codec: Codec, kind: Any) -> None:
    with pytest.raises(ConfigError, match=r"types: the type of id must be a pyarrow type"):
        table(codec, "Item", types={"id": kind})


def test_number_too_large_for_a_float_does_not_become_infinity(codec: Codec) -> None:
    with pytest.raises(TableError, match="a number that fits in float64"):
        table(codec, "Item", Item(id="a", price=Decimal("1e400")), types={"price": pa.float64()})


def test_columns_can_have_other_types(codec: Codec) -> None:
    types = {"price": pa.decimal128(38, 18), "count": pa.float64(), "at": pa.string(), "tags": pa.string()}
    item = Item(id="a", price=Decimal("1E-18"), count=3, at=AT, tags=["x"])
    found = table(codec, "Item", item, types=types).select(list(types))
    assert dict(zip(found.schema.names, found.schema.types, strict=True)) == types
    moment = "2026-11-01T12:30:00.000250+02:00"
    assert found.to_pylist() == [{"price": Decimal("1E-18"), "count": 3.0, "at": moment, "tags": '["x"]'}]


@pytest.mark.parametrize(
    ("types", "said"),
    [
        ({"prize": pa.string()}, "types: 'prize' is not a column of Ask. Its columns are: id, owner_value, "),
        (
            {"price": pa.date32()},
            "types: price cannot have the type DataType(date32[day]). Choose pyarrow.string(), ",
        ),
        ({"day": pa.float64()}, "types: day cannot have the type DataType(double)."),
    ],
)
def test_invalid_column_types_are_refused(codec: Codec, types: dict[str, pa.DataType], said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        table(codec, "Item", types=types)
    assert str(raised.value).startswith(said)


def test_sales_are_flattened_by_the_contract() -> None:
    names = [column.name for column in layout_of_type(PACKAGE.codec, "SaleItem").columns]
    assert names == [
        "id", "review_state", "tracking_date", "modified_date", "click_date", "adspace_id", "adspace_value",
        "admedium_id", "admedium_value", "program_id", "program_value", "click_id", "click_in_id", "amount",
        "commission", "currency", "sub_publisher_id", "sub_publisher_commission", "gpps", "review_note",
        "tracking_category_id", "tracking_category_value",
    ]  # fmt: skip


def test_broad_and_deep_contract_has_at_most_a_thousand_columns(codec: Codec) -> None:
    """Ten types, each with ten fields of the next type: ten to the tenth fields if flattened."""
    types = {
        f"T{n}": kind(f"t{n}", *(row(f"f{m}", type=f"T{n + 1}", occurs="?") for m in range(10)))
        for n in range(10)
    }
    types["T10"] = kind("t10", row("end"))
    deep = codec_of("deep", (type(name, (Record,), {}) for name in types), types)
    found = layout_of_type(deep, "T0").columns
    # Two levels of ten are 110 fields, three are 1,110. The fields of the second level are therefore JSON.
    assert len(found) == 100
    assert {(len(column.path), column.shape.kind) for column in found} == {(2, "json")}


def test_more_than_a_thousand_fields_of_one_type_are_all_columns() -> None:
    fields = [row(f"f{n}") for n in range(1_200)]
    types = {"T": kind("t", *fields, row("inner", type="T", occurs="?"))}
    broad = codec_of("b", [type("T", (Record,), {})], types)
    kinds = [column.shape.kind for column in layout_of_type(broad, "T").columns]
    assert kinds == ["string"] * 1_200 + ["json"]


def test_used_column_names_get_a_number() -> None:
    paths = [("a", "b"), ("a_b",), ("A", "B"), ("a__b",), ("a", "b", ""), ("a__B_2",)]
    assert column_names(paths) == ["a__b_3", "a_b", "A__B_4", "a__b", "a_b_", "a__B_2"]


PARTS = st.sampled_from(["a", "A", "b", "a_b", "a__b", "a_b_2", "2"])
PATHS = st.lists(st.lists(PARTS, min_size=1, max_size=4).map(tuple), max_size=12, unique=True)


@given(PATHS)
def test_column_names_are_unique(paths: list[tuple[str, ...]]) -> None:
    names = column_names(paths)
    assert len({name.casefold() for name in names}) == len(paths)
    joined = ["_".join(path) for path in paths]
    lower = [name.casefold() for name in joined]
    for at, (path, name) in enumerate(zip(paths, names, strict=True)):
        shorter = [
            other
            for other, their in enumerate(lower)
            if their == lower[at] and (len(paths[other]), other) < (len(path), at)
        ]
        others = [other.casefold() for other in names[:at] + names[at + 1 :]]
        alone = not shorter and lower[at] not in others
        assert name == joined[at] or not alone  # names change only if necessary


@given(PATHS, PATHS)
def test_later_and_deeper_fields_do_not_change_column_names(
    paths: list[tuple[str, ...]], later: list[tuple[str, ...]]
) -> None:
    deeper = [(*path, "x", "y", "z", "w") for path in later if (*path, "x", "y", "z", "w") not in paths]
    assert column_names([*paths, *deeper])[: len(paths)] == column_names(paths)


def test_every_scalar_of_a_contract_has_a_column_type() -> None:
    from soapclient.runtime import scalars, string_types

    named = {
        name.lower()
        for home in (scalars, string_types)
        for name, value in vars(home).items()
        if isinstance(value, Scalar)
    }
    assert KINDS.keys() <= named
    # The rest is text in Python, except times of day and lists of names.
    left = named - KINDS.keys() - {"time", "nm_tokens", "id_refs", "entities"}
    assert left == {
        "string", "any_uri", "any_simple_type", "normalized_string", "token", "language", "name", "nc_name",
        "nm_token", "id", "id_ref", "entity", "duration", "g_year_month", "g_year", "g_month_day", "g_day",
        "g_month", "q_name", "notation",
    }  # fmt: skip
