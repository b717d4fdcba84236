"""JSON documents as trees: the result for each form, with every digit, and which documents are refused."""

from __future__ import annotations

import contextlib
import json
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.rest.json_tree import ITEM, BrokenJson, JsonNode, parse
from soapclient.runtime import path_of

TAG = "{urn:x}Response"


def shape(node: JsonNode) -> object:
    """Return tag without namespace, text, attributes and children."""
    return (node.tag.removeprefix("{urn:x}"), node.text, dict(node.items()), [shape(child) for child in node])


def read(text: str, *roots: str) -> object:
    return shape(parse(text.encode(), TAG, roots=roots))


def leaf(name: str, text: str | None, **attributes: str) -> object:
    return (name, text, attributes, [])


@pytest.mark.parametrize(
    ("text", "children"),
    [
        ('{"a":"x"}', [leaf("a", "x")]),
        ('{"a":["x","y"]}', [leaf("a", "x"), leaf("a", "y")]),
        ('{"a":[["x"],[["y"]]]}', [leaf("a", "x"), leaf("a", "y")]),
        ('{"a":[]}', []),
        ('{"a":null,"b":[null,1]}', [leaf("b", "1")]),
        ('{"a":""}', [leaf("a", "")]),
        ('{"a":true,"b":false}', [leaf("a", "true"), leaf("b", "false")]),
        ('{"a":{"@id":5,"@on":true,"@no":null,"$":1.50}}', [leaf("a", "1.50", id="5", on="true")]),
        ('{"a":{"$":null}}', [leaf("a", None)]),
        ('{"a":[{"b":"x"}]}', [("a", None, {}, [leaf("b", "x")])]),
        ('{"a":"1","b":"2","a":"3"}', [leaf("a", "1"), leaf("b", "2"), leaf("a", "3")]),
        (
            '{"a":{"@b":{"c":1},"$":["x"]}}',
            [("a", None, {}, [("@b", None, {}, [leaf("c", "1")]), leaf("$", "x")])],
        ),
        ('{"@":"x"}', [leaf("@", "x")]),
        ('{"a":"\\u0000\\u001b"}', [leaf("a", "\0\x1b")]),
        ('{"a":"\\ud834\\udd1e \\ud834"}', [leaf("a", "𝄞 \ufffd")]),
        ('{"a}b\\n":"x"}', [leaf('"a\\u007db\\n"', "x")]),
        (" \n{}\t", []),
        ('""', []),
        ("null", []),
    ],
)
def test_json_forms_become_a_tree(text: str, children: list[object]) -> None:
    assert read(text) == ("Response", None, {}, children)
    assert read("\ufeff" + text) == ("Response", None, {}, children)


@pytest.mark.parametrize(
    "digits",
    ["12345678901234567890.12345678901234567890", "-0", "0.10", "1E400", "1e-400", "7" * 5000, "-2.50e+3"],
)
def test_numbers_keep_every_digit(digits: str) -> None:
    assert read(f'{{"amount":{digits}}}') == ("Response", None, {}, [leaf("amount", digits)])
    assert read(f'{{"@amount":{digits}}}') == ("Response", None, {"amount": digits}, [])


def test_root_name_may_be_present() -> None:
    inner = [leaf("a", "x")]
    assert read('{"Response":{"a":"x"}}') == ("Response", None, {}, inner)
    assert read('{"Response":[{"a":"x"}]}') == ("Response", None, {}, inner)
    assert read('{"Response":""}') == ("Response", None, {}, [])
    assert read('{"other":{"a":"x"}}', "{urn:x}other") == ("other", None, {}, inner)
    assert read('{"other":{"a":"x"}}') == ("Response", None, {}, [("other", None, {}, inner)])
    both = [("Response", None, {}, inner), leaf("b", "y")]
    assert read('{"Response":{"a":"x"},"b":"y"}') == ("Response", None, {}, both)
    assert read('{"Response":"x"}') == ("Response", None, {}, [leaf("Response", "x")])


def test_top_level_array_keeps_its_members() -> None:
    root = parse(b'[{"a":1},"x"]', TAG)
    assert [child.tag for child in root] == [ITEM, ITEM]
    assert [child.text for child in root] == [None, "x"]
    assert next(iter(next(iter(root)))).tag == "{urn:x}a"


def test_empty_arrays_are_recorded() -> None:
    root = parse(b'{"a":[],"b":[null],"c":[1]}', TAG)
    assert root.empty_arrays == {"{urn:x}a", "{urn:x}b"}
    assert parse(b"[]", TAG).empty_arrays == {ITEM}


def test_paths_are_as_in_xml() -> None:
    root = parse(b'{"a":[{"b":1},{"b":[1,{"c":2}]}]}', TAG)
    (deepest,) = list(list(root)[1])[1]
    assert path_of(deepest) == "Response/a[2]/b[2]/c"
    assert path_of(deepest, index=False) == "Response/a/b/c"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES, st.booleans())
def test_any_json_becomes_a_tree_or_an_error(value: object, ascii_only: bool) -> None:
    try:
        data = json.dumps(value, ensure_ascii=ascii_only).encode()
    except UnicodeEncodeError:
        return
    if not isinstance(value, dict | list) and value not in (None, ""):
        with pytest.raises(BrokenJson, match="must be an object or an array"):
            parse(data, TAG)
        return
    root = parse(data, TAG)
    texts = [node.text for node in nodes(root) if node.text] + [
        text for node in nodes(root) for _, text in node.items() if text
    ]
    assert sorted(texts) == sorted(text for text in said(value) if text)


def nodes(node: JsonNode) -> list[JsonNode]:
    return [node, *(inner for child in node for inner in nodes(child))]


def said(value: object) -> list[str]:
    """Return every string, number and boolean of a value, in JSON notation. None may be lost."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in said(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in said(inner)]
    if isinstance(value, str):
        return [re.sub("[\ud800-\udfff]", "\ufffd", value)]
    return [] if value is None else [json.dumps(value)]


@given(st.binary())
def test_any_bytes_cause_at_most_a_typed_error(data: bytes) -> None:
    with contextlib.suppress(BrokenJson):
        parse(data, TAG)


@pytest.mark.parametrize(
    ("data", "said", "line", "column"),
    [
        (b'{\n "a": \xff}', "UTF-8", 2, 7),
        (b'{\n "a": tru}', "invalid JSON", 2, 7),
        (b'{"a":NaN}', "NaN and Infinity are not JSON numbers", 1, 6),
        (b'{"NaN":"NaN \\" NaN",\n"a":[-Infinity]}', "NaN and Infinity are not JSON numbers", 2, 6),
        (b"", "invalid JSON", 1, 1),
        (b'{"a":1}}', "invalid JSON", 1, 8),
        (b'{"a":"x\ny"}', "control character", 1, 8),
        (b"5", "must be an object or an array", 1, 1),
        (b'"secret"', "must be an object or an array", 1, 1),
        (b'{"a":01}', "invalid JSON", 1, 7),
    ],
)
def test_invalid_json_is_refused_with_its_position(data: bytes, said: str, line: int, column: int) -> None:
    with pytest.raises(BrokenJson, match=said) as caught:
        parse(data, TAG)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"a":{"@id":"1","@id":"2"}}', "the attribute 'id'"),
        ('{"a":{"@xsi:type":"b","@xsi:type":"c"}}', "the attribute 'xsi:type'"),
        ('{"a":{"$":"x","$":"y"}}', "the text"),
    ],
)
def test_duplicate_key_is_refused(text: str, what: str) -> None:
    with pytest.raises(BrokenJson, match=f"{what} of .*Response/a occurs twice"):
        parse(text.encode(), TAG)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_limited(opening: str, closing: str) -> None:
    def nested(depth: int) -> bytes:
        return (opening * depth + '"["' + closing * depth).encode()

    assert len(nodes(parse(nested(100), TAG))) > 1
    for depth in (101, 5_000, 1_000_000):
        with pytest.raises(BrokenJson, match="nested more than 100 levels deep") as caught:
            parse(nested(depth), TAG)
        assert caught.value.column == len(opening) * 100 + 1
    parse(b'{"a":"' + b"[" * 1000 + b'\\""}', TAG)  # brackets in a string are not nesting


KEPT = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False).map(float)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab@$", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(KEPT)
def test_unknown_values_equal_those_of_the_json_module(value: object) -> None:
    text = json.dumps(value, allow_nan=False) if value not in (float("inf"), float("-inf")) else "0"
    node = parse(f'{{"day": "x", "kept": {text}}}'.encode(), "{urn:x}Response")
    expected = json.loads(text, parse_float=Decimal)
    children = [child for child in node if child.tag == "{urn:x}kept"]
    found = children[0].as_written() if children else node.left_empty()["{urn:x}kept"]
    assert found == expected
    assert repr(found) == repr(expected)  # compares types, too: True is not 1, and 1.0 is not 1
