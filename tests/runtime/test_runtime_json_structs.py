"""Usual JSON documents are read as by the tree. All others are left to another reader."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.runtime.json_structs import UsualJsonReader
from tests.runtime.test_runtime_json import CODEC, by_tree


def read(text: str) -> object:
    """Read a document with a new reader, so that each test builds the functions that it calls."""
    return UsualJsonReader(CODEC, "Item").read(text.encode())


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
    UsualJsonReader(CODEC, "Item").read(b'{"name": "a", "tag": ["x", "y", "z"]}', lambda: checks.append(None))
    assert len(checks) == 4  # once after parsing
