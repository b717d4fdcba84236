"""The codec with hand-written rows: decoding, encoding, and the errors and findings of both."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from soapclient.runtime.any_element import AnyElement
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import DecodeError, EncodeError
from soapclient.runtime.findings import CountingReader
from soapclient.runtime.nil import NIL, Nil
from soapclient.runtime.record import Record
from soapclient.runtime.request_values import wire_of
from tests.runtime.rows import SPACE, XSI, codec_of


class Colour(StrEnum):
    """An enum of two values."""

    RED = "red"
    BLUE = "blue"


class Gpp(Record):
    """Text with an attribute."""

    value: str
    id: str


class Item(Record):
    """A type with fields of most kinds."""

    id: int | None = None
    name: str
    price: Decimal | None = None
    colour: Colour | str | None = None
    at: dt.datetime | None = None
    gpps: list[Gpp] | None = None
    tags: list[str] = []  # noqa: RUF012 - msgspec copies it
    note: str | Nil | None = None
    child: Item | None = None


class Book(Item):
    """A type derived from Item."""

    pages: int


ITEM: dict[str, Any] = {
    "xml": "item",
    "open": True,
    "fields": [
        {"python": "id", "xml": "id", "kind": "attribute", "type": "int", "occurs": "?"},
        {"python": "name", "xml": "name"},
        {"python": "price", "xml": "price", "type": "decimal", "occurs": "?"},
        {"python": "colour", "xml": "colour", "type": "Colour", "occurs": "?"},
        {"python": "at", "xml": "at", "type": "date_time", "occurs": "?"},
        {"python": "gpps", "xml": "gpps", "item": "gpp", "type": "Gpp", "occurs": "?"},
        {"python": "tags", "xml": "tag", "occurs": "*"},
        {"python": "note", "xml": "note", "occurs": "?", "nil": True},
        {"python": "child", "xml": "child", "type": "Item", "occurs": "?"},
    ],
}
GPP = {
    "xml": "gpp",
    "fields": [{"python": "value", "kind": "text"}, {"python": "id", "xml": "id", "kind": "attribute"}],
}
BOOK = {
    "xml": "book",
    "base": "Item",
    "derivation": "extension",
    "fields": [{"python": "pages", "xml": "pages", "type": "int"}],
}


def shop() -> Codec:
    kinds: dict[str, type] = {"Item": Item, "Gpp": Gpp, "Book": Book, "Colour": Colour}
    return codec_of(kinds, {"Item": ITEM, "Gpp": GPP, "Book": BOOK})


def element(content: str, attributes: str = "", name: str = "it") -> etree._Element:
    return etree.fromstring(
        f'<{name} xmlns="{SPACE}" xmlns:t="{SPACE}" xmlns:i="{XSI}" {attributes}>{content}</{name}>'
    )


def read(
    codec: Codec, kind: str, content: str, attributes: str = ""
) -> tuple[Any, dict[tuple[str, str], int]]:
    reader = CountingReader()
    value = codec.reader(kind)(element(content, attributes), reader)
    return value, {(found.kind, found.path): count for found, count in reader.findings.items()}


def written(codec: Codec, kind: str, value: object) -> str:
    root = etree.Element(f"{{{SPACE}}}it", nsmap={"i": XSI, "t": SPACE})
    codec.writer(kind)(value, root, "it")
    return etree.canonicalize(etree.tostring(root, encoding="unicode"), rewrite_prefixes=True)


def canonical(content: str, attributes: str = "") -> str:
    return etree.canonicalize(
        etree.tostring(element(content, attributes), encoding="unicode"), rewrite_prefixes=True
    )


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8)
ITEMS = st.recursive(
    st.builds(
        Item,
        id=st.none() | st.integers(-(2**31), 2**31 - 1),
        name=TEXTS,
        price=st.none() | st.decimals(-1000, 1000, places=3),
        colour=st.none() | st.sampled_from(Colour),
        at=st.none() | st.datetimes(dt.datetime(1900, 1, 1), timezones=st.just(dt.UTC)),
        gpps=st.none() | st.lists(st.builds(Gpp, id=TEXTS, value=TEXTS), max_size=3),
        tags=st.lists(TEXTS, max_size=3),
        note=st.none() | st.just(NIL) | TEXTS,
    ),
    lambda inner: (
        st.builds(Item, name=TEXTS, child=inner) | st.builds(Book, name=TEXTS, pages=st.integers(0, 9))
    ),
    max_leaves=3,
)


@given(ITEMS)
def test_any_value_roundtrips(value: Item) -> None:
    codec, reader = shop(), CountingReader()
    root = etree.Element(f"{{{SPACE}}}it")
    codec.writer("Item")(value, root, "it")
    assert codec.reader("Item")(etree.fromstring(etree.tostring(root)), reader) == value
    assert not reader.findings
    assert (root.get(f"{{{XSI}}}type") is not None) == isinstance(value, Book)


def test_rest_writes_lists_of_one_and_of_none_as_lists() -> None:
    codec, root = shop(), etree.Element(f"{{{SPACE}}}it")
    value = Item(name="a", gpps=[Gpp(id="zpar0", value="x")], tags=["p"], child=Item(name="", gpps=[]))
    codec.writer("Item")(value, root, "it")
    assert wire_of(root, codec, "Item") == {
        "name": "a",
        "gpps": {"gpp": [{"@id": "zpar0", "$": "x"}]},
        "tag": ["p"],
        "child": {"name": "", "gpps": {"gpp": []}},
    }


# ---- messages


class Whole(Record):
    """A message with arbitrary content."""

    value: AnyElement
    nil: bool = False


class Maybe(Record):
    """A nillable message."""

    v: int | None
    k: str | None = None
    nil: bool = False


MAYBE = {
    "xml": "maybe",
    "fields": [
        {"python": "nil", "kind": "nil", "type": "boolean", "occurs": "?"},
        {"python": "k", "xml": "k", "kind": "attribute", "occurs": "?"},
        {"python": "v", "xml": "v", "type": "int"},
    ],
}
WHOLE = {
    "xml": "whole",
    "fields": [
        {"python": "value", "kind": "content", "type": "any"},
        {"python": "nil", "kind": "nil", "type": "boolean", "occurs": "?"},
    ],
}


@pytest.mark.parametrize(
    ("content", "attributes"),
    [('one <c xmlns="">1</c> two', 'a="1"'), ("hello", ""), ("", ""), ("", 'i:nil="true" a="1"')],
)
def test_message_with_any_content_is_kept_completely(content: str, attributes: str) -> None:
    codec = codec_of({"Whole": Whole}, {"Whole": WHOLE})
    value, findings = read(codec, "Whole", content, attributes)
    assert findings == {}
    assert value.nil == ("nil" in attributes)
    assert written(codec, "Whole", value) == canonical(content, attributes)


def test_missing_content_is_not_taken_for_a_nil_message() -> None:
    codec = codec_of({"Maybe": Maybe}, {"Maybe": MAYBE})
    value, findings = read(codec, "Maybe", "", 'i:nil="true" k="x"')
    assert (value, findings) == (Maybe(v=None, k="x", nil=True), {})
    assert written(codec, "Maybe", value) == canonical("", 'i:nil="true" k="x"')
    with pytest.raises(DecodeError, match="it/v"):
        read(codec, "Maybe", "")
    with pytest.raises(EncodeError, match=r"it/v is required$"):
        written(codec, "Maybe", Maybe(v=None))
    with pytest.raises(EncodeError, match="it/v: the element is nil"):
        written(codec, "Maybe", Maybe(v=1, nil=True))


class Held(Record):
    """A type with one element."""

    v: object


def held(kind: str, **more: object) -> Codec:
    rows = {"xml": "held", "fields": [{"python": "v", "xml": "v", "type": kind, **more}]}
    return codec_of({"Held": Held}, {"Held": rows})


@pytest.mark.parametrize(
    ("kind", "declared", "said", "found"),
    [("int", "Small", "t:Small", False), ("int", "", "int", False), ("int", "", "nowhere:Small", True)],
)
def test_xsi_type_of_a_simple_value_is_read(kind: str, declared: str, said: str, found: bool) -> None:
    codec = held(kind, declared=declared)
    spaces = 'xmlns:x="http://www.w3.org/2001/XMLSchema"'
    value, findings = read(codec, "Held", f'<v {spaces} i:type="{said}">5</v>')
    assert value == Held(v=5)
    assert findings == ({("value", "it/v"): 1} if found else {})


class Pair(Record):
    """Fields with the same element name, and the elements next to them."""

    first: int | Gpp | Nil | None = None
    second: int | Gpp | Nil | None = None
    rest: AnyElement | None = None


def placed(kind: str, occurs: str, *, twice: bool) -> Codec:
    """Return a type with two fields for one element, or with a wildcard next to its only field."""
    element = {"xml": "v", "type": kind, "occurs": occurs, "nil": True}
    second = {"python": "second", **element, "occurs": "?"}
    rest = {"python": "rest", "kind": "any", "xml": "", "type": "any", "occurs": "?", "wildcards": [0]}
    fields = [{"python": "first", **element}, second if twice else rest]
    wildcards = [] if twice else [{"namespaces": "##other", "target": SPACE}]
    types = {"Pair": {"xml": "pair", "fields": fields}, "Gpp": GPP}
    return codec_of({"Pair": Pair, "Gpp": Gpp}, types, wildcards=wildcards)


@pytest.mark.parametrize("more", ["", "<v i:nil='true'/>", "<v id='a'>1</v>"])
@pytest.mark.parametrize("occurs", ["1", "?"])
@pytest.mark.parametrize("kind", ["int", "Gpp"])
def test_nil_counts_for_the_position_of_a_field(kind: str, occurs: str, more: str) -> None:
    nil = "<v i:nil='true'/>"
    none = None if occurs == "1" else NIL
    codec = placed(kind, occurs, twice=False)
    assert read(codec, "Pair", nil)[0] == Pair(first=none)
    if more:
        with pytest.raises(DecodeError, match=r"it/v\[2\]: .* expected at most one v"):
            read(codec, "Pair", nil + more)


@pytest.mark.parametrize("occurs", ["1", "?"])
def test_element_after_a_nil_is_the_next_field(occurs: str) -> None:
    codec = placed("int", occurs, twice=True)
    nil, none = "<v i:nil='true'/>", None if occurs == "1" else NIL
    assert read(codec, "Pair", f"{nil}<v>1</v>")[0] == Pair(first=none, second=1)
    assert read(codec, "Pair", nil + nil)[0] == Pair(first=none, second=NIL)
    with pytest.raises(DecodeError, match=r"it/v\[3\]: found nothing, expected at most one v"):
        read(codec, "Pair", nil * 3)


def test_text_with_xsi_nil_is_read_and_a_finding() -> None:
    codec = codec_of({"Gpp": Gpp}, {"Gpp": GPP})
    value, findings = read(codec, "Gpp", "a", 'id="1" i:nil="true"')
    assert value == Gpp(value="a", id="1")
    assert findings == {("value", "it"): 1}
    with pytest.raises(DecodeError, match="it: found 'xsi:nil'"):
        read(codec, "Gpp", "", 'id="1" i:nil="true"')


class Wildcards(Record):
    """A wildcard that requires two elements, followed by an element that the wildcard also matches."""

    rest: list[AnyElement]
    v: int


def test_a_wildcard_takes_as_many_elements_as_it_requires() -> None:
    rest = {"python": "rest", "kind": "any", "xml": "", "type": "any", "occurs": "+", "least": 2}
    fields = [{**rest, "wildcards": [0]}, {"python": "v", "xml": "v", "type": "int"}]
    types = {"Wildcards": {"xml": "wildcards", "fields": fields}}
    codec = codec_of({"Wildcards": Wildcards}, types, wildcards=[{"namespaces": "##any"}])
    value, findings = read(codec, "Wildcards", "<v>1</v><v>2</v><v>3</v>")
    assert ([each.text for each in value.rest], value.v, findings) == (["1", "2"], 3, {})
    with pytest.raises(DecodeError, match="it/v: found nothing"):
        read(codec, "Wildcards", "<v>1</v><v>2</v>")
