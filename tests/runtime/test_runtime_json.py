"""JSON decoded directly by rows gives the same values and findings as decoding by a tree, or no values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.rest import json_tree
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import DecodeError
from soapclient.runtime.findings import CountingReader
from soapclient.runtime.json_decoding import JsonReader, NeedsTree, name_by_rows
from soapclient.runtime.record import Record
from tests.runtime.rows import SPACE, codec_of
from tests.runtime.test_runtime_codec import GPP, Colour, Gpp
from tests.runtime.test_runtime_codec import ITEM as OPEN
from tests.runtime.test_runtime_codec import Item as Thing

TAG = f"{{{SPACE}}}it"
ITEM = {**OPEN, "open": False}
TAGS = [field for field in ITEM["fields"] if field["python"] in ("name", "tags")]


def new_codec() -> Codec:
    """Return a codec that has built no reader yet."""
    return codec_of({"Item": Thing, "Gpp": Gpp, "Colour": Colour}, {"Item": ITEM, "Gpp": GPP})


def quick_reader() -> JsonReader:
    return JsonReader(new_codec(), "Item", TAG, json_tree.element)


def quick(text: str) -> tuple[Any, object]:
    """Read a document with a new reader, so that each test builds the plans that it uses."""
    pairs = json.loads(text, object_pairs_hook=tuple, parse_int=str, parse_float=str)
    reader = CountingReader()
    return quick_reader().read(pairs, reader), reader.findings


def by_tree(text: str) -> tuple[Any, object]:
    reader = CountingReader()
    return new_codec().reader("Item")(json_tree.parse(text.encode(), TAG), reader), reader.findings


@pytest.mark.parametrize(
    "document",
    [
        {"name": "a"},
        {"@id": 7, "name": "a", "price": 1.50, "colour": "red", "at": "2026-11-20T12:00:00Z"},
        {"@id": "7", "name": 5, "price": "1.50"},
        {"name": "a", "tag": ["x", True, 3], "gpps": {"gpp": [{"@id": "z", "$": "x"}]}},
        {"name": "a", "tag": "x", "gpps": {"gpp": {"@id": "z", "$": 5}}},
        {"name": "a", "gpps": "", "child": {"name": "b", "child": {"name": "c"}}},
        {"name": ["a"], "price": None, "unknown": None},
        {"name": "a", "colour": "green", "more": [1, {"x": 2}], "child": {"name": "b", "new": 1}},
        {"name": "a", "price": "", "at": "2026-11-20T12:00:00"},
        {"name": "caf\u00e9"},
    ],
)
def test_fast_reader_agrees_with_the_tree(document: object) -> None:
    text = json.dumps(document)
    assert quick(text) == by_tree(text)


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"price": 5},
        {"new": 5},
        {"name": None},
        {"name": ["a", "b"]},
        {"name": "a", "price": "1.5x"},
        {"name": "a", "gpps": {"gpp": [{"$": "x"}]}},
        {"name": "a", "gpps": {"gpp": [[]]}},
        {"name": "a", "@id": {"x": 1}},
        {"name": "a", "@id": ["1"]},
        {"name": "a", "@new": 1},
        {"name": "a", "$": "text"},
        {"name": "a", "tag": ["x", None]},
        {"name": "a", "new": json.loads("[" * 60 + "]" * 60)},
        {"name": {f"k{number}": 1 for number in range(1_001)}},  # too wide for a tree of nodes
        {"name": json.loads('{"k": ' * 60 + "1" + "}" * 60)},  # too deep
    ],
)
def test_unusual_documents_are_left_to_the_tree(document: object) -> None:
    with pytest.raises(NeedsTree):
        quick(json.dumps(document))


@pytest.mark.parametrize("name", [r"\ud800", r"\udc00", r"\ud83d\u0041", r"a\uDBFF", r"\\u\ud800"])
def test_lone_surrogates_are_left_to_the_tree(name: str) -> None:
    for text in (f'{{"name": "{name}"}}', f'{{"{name}": 1}}'):
        with pytest.raises(ValueError, match="surrogate"):
            json_tree.load_quickly(text.encode(), lambda: None)


def test_pairs_of_surrogates_are_one_character() -> None:
    assert json_tree.load_quickly(rb'{"name": "\ud83d\ude00 \u00e4"}', lambda: None) == (
        ("name", "\U0001f600 ä"),
    )


class _Late(Exception):
    pass


def _late() -> None:
    raise _Late


@pytest.mark.parametrize("compiled", [False, True])
def test_deadline_is_checked_in_an_array_of_plain_values(compiled: bool) -> None:
    document = json.dumps({"name": "a", "tag": ["x" * 10] * 10_000})
    if compiled:
        xmlread = pytest.importorskip("_soapclient_xmlread", reason="the compiled reader is not installed")
        codec = codec_of({"Thing": Thing}, {"Thing": {**ITEM, "fields": TAGS}})
        plan = codec.plans.plan("Thing")
        plan.complete()
        assert len(xmlread.read_json(plan, document.encode(), lambda: None).tags) == 10_000
        with pytest.raises(_Late):
            xmlread.read_json(plan, document.encode(), _late)
        return
    reader, checks = CountingReader(), []
    reader.check_deadline = lambda: checks.append(1)
    quick_reader().read(json.loads(document, object_pairs_hook=tuple), reader)
    assert len(checks) > 10_000


LEAVES = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "a", "red", "1.5", "\u00e9"])
NAMES = ["name", "price", "colour", "at", "tag", "note", "@id", "$", "new", "gpps", "gpp", "child"]
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(NAMES), VALUES).map(lambda found: {"name": "a", **found}))
def test_any_document_is_read_like_the_tree_or_left_to_it(document: object) -> None:
    text = json.dumps(document)
    try:
        found = quick(text)
    except NeedsTree:
        return
    try:
        assert found == by_tree(text)
    except (DecodeError, json_tree.BrokenJson) as error:
        raise AssertionError(f"read at once, and an error by the tree: {error}") from None


def _tags(node: Any) -> list[str]:
    return [node.tag, *(tag for child in node for tag in _tags(child))]


def test_elements_from_json_get_the_namespaces_of_their_fields() -> None:
    """JSON has no namespaces. Unknown names stay in the namespace of the root."""
    rows = {
        "Item": {"xml": "it", "fields": [{"python": "child", "xml": "p:child", "type": "Gpp"}]},
        "Gpp": {"xml": "p:gpp", "fields": [{"python": "tags", "xml": "p:tags", "item": "p:tag"}]},
    }
    codec = codec_of({"Item": Thing, "Gpp": Gpp}, rows, namespaces={"p": "urn:other"})
    root = json_tree.parse(b'{"child": {"tags": {"tag": ["a", "b"], "old": 1}, "new": 1}}', TAG)
    name_by_rows(codec, root, "Item")
    other, own = "{urn:other}", f"{{{SPACE}}}"
    found = [TAG, *(f"{other}{name}" for name in ("child", "tags", "tag", "tag")), f"{own}old", f"{own}new"]
    assert _tags(root) == found


class Said(Record):
    """A text, and the names that are not in the contract."""

    value: str
    more: dict[str, object] = {}  # noqa: RUF012 - msgspec copies it


@pytest.mark.parametrize("empty", [[], None])
def test_unknown_name_without_a_value_is_kept_beside_a_text(empty: object) -> None:
    row = {"xml": "said", "unknown": "more", "fields": [{"python": "value", "kind": "text"}]}
    codec = codec_of({"Said": Said}, {"Said": row})
    root = json_tree.parse(json.dumps({"$": "a", "new": empty, "@k": "1"}).encode(), TAG)
    assert codec.reader("Said")(root, CountingReader()) == Said(value="a", more={"@k": "1", "new": empty})
