"""Usual JSON documents are read as by the tree. All others are left to another reader."""

from __future__ import annotations

import inspect
import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient._support import speedups
from soapclient.rest import json_tree
from soapclient.runtime import compiled, json_structs
from soapclient.runtime.codec import Codec
from soapclient.runtime.findings import CountingReader
from soapclient.runtime.json_structs import UsualJsonReader
from soapclient.runtime.record import Record
from tests.runtime.rows import T, codec_of
from tests.runtime.test_runtime_json import TAG, by_tree, new_codec


def read(text: str) -> object:
    """Read a document with a new reader, so that each test builds the functions that it calls."""
    return UsualJsonReader(new_codec(), "Item").read(text.encode())


_USUAL = (
    '{"name": "a"}',
    '{"@id": 7, "name": "a", "price": 1.50, "colour": "red", "at": "2026-11-20T12:00:00.250000+01:00"}',
    '{"@id": "-7", "name": 5, "price": -1.50}',
    '{"name": true, "tag": ["x", true, 3], "gpps": {"gpp": [{"@id": "z", "$": "x"}]}}',
    '{"name": "a", "tag": "x", "gpps": {"gpp": {"@id": "z", "$": 5}}}',
    '{"name": "a", "price": null, "tag": [], "child": {"name": "b", "child": {"name": "c"}}}',
    '{"name": "caf\\u00e9 \\ud83d\\ude00", "price": "12"}',
    '{"name": "it: -0.5", "price": -0.5}',
)
_UNUSUAL = (
    "",
    "[]",
    "{}",
    '{"name": "a"',
    '{"name": null}',
    '{"price": 5}',
    '{"name": "a", "new": 5}',
    '{"name": "a", "name": "b"}',  # msgspec would keep only the last one
    '{"name": "a", "tag": "x", "tag": "y"}',
    '{"name": "a", "child": {"name": "b", "name": "c"}}',
    '{"name" : "a"}',  # white space before the colon: repeated names could not be noticed
    '{"name" : "a", "name": "b\\":"}',
    '{"name": "a\\":"}',
    '{"name": -0}',  # the text is -0, but msgspec reads the number 0
    '{"name": "a", "tag": ["x",-0]}',
    '{"name": "a", "tag": [1,-0,2]}',
    '{"name": "a", "price": "x"}',
    '{"name": "a", "price": ""}',
    '{"name": "a", "price": 1E2}',
    '{"name": "a", "price": {"x": 1}}',
    '{"name": ["a"]}',
    '{"name": "a", "@id": 1.5}',
    '{"name": "a", "@id": 99999999999}',
    '{"name": "a", "tag": ["x", null]}',
    '{"name": "a", "tag": [["x"]]}',
    '{"name": "a", "gpps": ""}',
    '{"name": "a", "gpps": {"gpp": [{"$": "x"}]}}',
    '{"name": "a", "gpps": {"gpp": [], "new": 1}}',
    '{"name": "a", "colour": "green"}',
    '{"name": "a", "at": "2026-11-20T12:00:00"}',
    '{"name": "\\ud800"}',
    '\ufeff{"name": "a"}',
    '{"name": "a", "child": ' * 40 + "null" + "}" * 40,
)


@pytest.mark.parametrize("text", _USUAL)
def test_usual_document_has_the_value_of_the_tree(text: str) -> None:
    value, findings = by_tree(text)
    assert repr(read(text)) == repr(value)
    assert not findings


@pytest.mark.parametrize("text", _UNUSUAL)
def test_other_document_is_left_to_another_reader(text: str) -> None:
    assert read(text) is None


_VALUES = st.sampled_from([*"a1", "", "red", "-1", "1.5", "2026-11-20T12:00:00Z", 0, -0.5, 7, True, None])
_NAMES = st.sampled_from(["name", "@id", "price", "colour", "at", "tag", "gpps", "gpp", "child", "$", "new"])
_DOCUMENTS = st.recursive(
    _VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4)
)


@given(st.dictionaries(_NAMES, _DOCUMENTS, max_size=4), st.sampled_from(["a", "b"]))
def test_reader_agrees_with_the_tree_or_refuses(document: dict[str, object], name: str) -> None:
    text = json.dumps({"name": name, **document})
    value = read(text)
    if value is not None:
        expected, findings = by_tree(text)
        assert repr(value) == repr(expected)
        assert not findings


def test_deadline_is_checked_for_each_item() -> None:
    checks: list[None] = []
    UsualJsonReader(new_codec(), "Item").read(
        b'{"name": "a", "tag": ["x", "y", "z"]}', lambda: checks.append(None)
    )
    assert len(checks) == 4  # once after parsing


class Basket(Record):
    """Lists of fruits: without a wrapper element, and with one."""

    loose: list[str] = []  # noqa: RUF012 - msgspec copies it
    boxed: list[str] | None = None


_FRUIT = {"kind": "element", "type": "string", "default": "apple"}
_BASKET = {
    "xml": "Basket",
    "fields": [
        _FRUIT | {"python": "loose", "xml": "loose", "occurs": "*"},
        _FRUIT | {"python": "boxed", "xml": "boxed", "occurs": "?", "item": "fruit"},
    ],
}


def test_empty_items_with_a_default_are_left_to_another_reader() -> None:
    codec = codec_of({"Basket": Basket}, {"Basket": _BASKET})
    reader = UsualJsonReader(codec, "Basket")
    for text in ('{"loose": ["pear", ""]}', '{"loose": ""}'):
        assert reader.read(text.encode()) is None
        value = codec.reader("Basket")(json_tree.parse(text.encode(), TAG), CountingReader())
        assert value.loose[-1] == "apple"
    assert reader.read(b'{"loose": ["pear", "fig"]}') == Basket(loose=["pear", "fig"])
    assert reader.read(b'{"boxed": {"fruit": ["pear", ""]}}') == Basket(boxed=["pear", ""])


class Link(Record):
    """A link of a chain. In the rows, each link has its own type."""

    name: str | None = None
    next: Any = None


def chain(types: int) -> Codec:
    """Return a codec with the types `Link0`, `Link1`, …, each of which has a field of the following type."""
    name = {"python": "name", "kind": "element", "xml": "name", "type": "string", "occurs": "?"}
    follower = {"python": "next", "kind": "element", "xml": "next", "occurs": "?"}
    rows: dict[str, object] = {f"Link{types - 1}": {"xml": "Last", "fields": [name]}}
    for number in range(types - 1):
        fields = [name, follower | {"type": f"Link{number + 1}"}]
        rows[f"Link{number}"] = {"xml": f"Link{number}", "fields": fields}
    return codec_of(dict.fromkeys(rows, Link), rows)


def test_types_far_inside_others_are_left_to_another_reader() -> None:
    reader = UsualJsonReader(chain(sys.getrecursionlimit()), "Link0")
    assert reader.read(b'{"next": {"next": {"name": "a"}}}') == Link(next=Link(next=Link(name="a")))
    for links, is_read in (99, True), (100, False):
        document = '{"next": ' * links + '{"name": "a"}' + "}" * links
        assert (reader.read(document.encode()) is not None) == is_read


def test_reader_that_cannot_be_built_deep_in_the_stack_is_built_later() -> None:
    reader = UsualJsonReader(chain(90), "Link0")

    def below(frames: int) -> object:
        return below(frames - 1) if frames else reader.read(b'{"name": "a"}')

    assert below(sys.getrecursionlimit() - len(inspect.stack(0)) - 200) is None
    assert reader.read(b'{"name": "a"}') == Link(name="a")


class Labelled(Record):
    """A type whose class has a default for a required element."""

    label: str = "none"
    colour: str | None = None


def test_missing_required_element_is_left_to_another_reader_although_the_class_has_a_default() -> None:
    fields = [{"python": "label", "xml": "label"}, {"python": "colour", "xml": "colour", "occurs": "?"}]
    codec = codec_of({"Labelled": Labelled}, {"Labelled": {"xml": "labelled", "fields": fields}})
    reader = UsualJsonReader(codec, "Labelled")
    assert reader.read(b'{"label": "a", "colour": "red"}') == Labelled(label="a", colour="red")
    assert reader.read(b'{"label": "a"}') == Labelled(label="a")
    assert reader.read(b'{"colour": "red"}') is None


def _pair(first: dict[str, object], **row: object) -> Codec:
    fields = [{"python": "a", "xml": "x", "occurs": "?"} | first, {"python": "b", "xml": "y", "occurs": "?"}]
    rows = {
        "Pair": {"xml": "pair", "fields": fields} | row,
        "Base": {"xml": "b", "abstract": True, "fields": []},
    }
    return codec_of({"Pair": T, "Base": T}, rows, namespaces={"o": "urn:other"})


@pytest.mark.parametrize(
    "codec",
    [
        _pair({}, abstract=True),
        _pair({"xml": "o:y"}),  # two names that are the same in JSON
        _pair({"may_be_missing": True}),
        _pair({"kind": "any"}),
    ],
)
def test_type_that_only_the_tree_supports_is_left_to_it(codec: Codec) -> None:
    reader = UsualJsonReader(codec, "Pair")
    assert [reader.read(text) for text in (b"{}", b'{"y": "a"}')] == [None, None]


@pytest.mark.parametrize("kind", ["any", "Base"])
def test_value_that_only_the_tree_supports_is_left_to_it(kind: str) -> None:
    reader = UsualJsonReader(_pair({"type": kind}), "Pair")
    assert reader.read(b'{"y": "a"}') == T(b="a")
    assert reader.read(b'{"x": {}, "y": "a"}') is None


def test_long_document_is_left_to_another_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b'{"y": "a"}'
    for most, value in ((len(text), T(b="a")), (len(text) - 1, None)):
        monkeypatch.setattr(json_structs, "_LONG", most)
        assert UsualJsonReader(_pair({}), "Pair").read(text) == value


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize(
    ("rest", "tag", "is_fast"),
    [(True, "{urn:shop}pair", True), (True, "{urn:shop}y", False), (False, "p", False)],
)
def test_fast_reader_needs_rest_and_a_root_with_its_own_name(
    rest: bool, tag: str, is_fast: bool, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`{"y": …}` could be the root, which some documents omit, or the field."""
    if fast and not speedups.in_use():
        pytest.skip("the compiled reader is not installed")
    monkeypatch.setattr("soapclient.runtime.compiled.in_use", lambda: fast)
    operation: Any = SimpleNamespace(
        rest=SimpleNamespace(loose=None) if rest else None,
        codec=_pair({}),
        row=SimpleNamespace(response="Pair"),
        response_tag=tag,
    )
    reader = compiled.json_response_reader(operation)
    assert (reader is not None) == is_fast
    assert reader is None or reader.read(b'{"y": "a"}') == T(b="a")
