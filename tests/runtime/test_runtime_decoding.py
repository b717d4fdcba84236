"""Decoded values of elements for each kind of field, and the findings for them."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from soapclient.runtime.any_element import AnyElement
from soapclient.runtime.errors import DecodeError
from soapclient.runtime.findings import CountingReader
from soapclient.runtime.nil import NIL
from tests.runtime.rows import SPACE, XSI, Inner, T, codec_of, in_order

INNER: dict[str, Any] = {
    "xml": "inner",
    "fields": [
        {"python": "k", "xml": "k", "kind": "attribute", "occurs": "?"},
        {"python": "v", "xml": "v", "type": "int", "occurs": "?"},
    ],
}
OPEN: dict[str, Any] = {
    "xml": "inner",
    "fields": [{"python": "k", "xml": "", "kind": "any_attributes", "occurs": "?", "wildcards": [0]}],
}
PAIR: dict[str, Any] = {
    "xml": "pair",
    "holder": "sequence",
    "fields": [{"python": "k", "xml": "k", "type": "int"}, {"python": "v", "xml": "v", "occurs": "?"}],
}
EITHER: dict[str, Any] = {
    "xml": "either",
    "holder": "choice",
    "fields": [
        {"python": "k", "xml": "k", "type": "int", "occurs": "?", "arms": [["x", 1]]},
        {"python": "v", "xml": "v", "occurs": "?", "arms": [["x", 2]]},
    ],
}


def decoded(
    content: str,
    *fields: dict[str, Any],
    attributes: str = "",
    inner: dict[str, Any] = INNER,
    reader: CountingReader | None = None,
    **row: Any,
) -> tuple[Any, dict[tuple[str, str], int]]:
    """Decode an element of `T` with the fields `a`, `b`, `c` in this order.

    Returns the value and the findings.
    """
    types = {"T": {"xml": "t", "fields": in_order(fields), **row}, "Inner": inner}
    wildcards = [{"namespaces": "urn:any"}, {"namespaces": "##any"}]
    codec = codec_of({"T": T, "Inner": Inner}, types, wildcards=wildcards)
    reader = reader or CountingReader()
    node = etree.fromstring(
        f'<R xmlns="{SPACE}" xmlns:t="{SPACE}" xmlns:o="urn:any" xmlns:i="{XSI}" {attributes}>{content}</R>'
    )
    value = codec.reader("T")(node, reader)
    return value, {(found.kind, found.path): count for found, count in reader.findings.items()}


INT, MANY = {"type": "int"}, {"type": "int", "occurs": "*"}
MAYBE, NILLABLE = {"type": "int", "occurs": "?"}, {"type": "int", "occurs": "?", "nil": True}
ATTRIBUTE = {"kind": "attribute", "type": "int", "occurs": "?"}
GROUP = {"kind": "group", "xml": "Inner", "type": "Inner", "occurs": "*"}
TYPED = {"type": "Inner", "occurs": "?"}
REST: dict[str, Any] = {"kind": "any", "xml": "", "type": "any", "occurs": "*", "wildcards": [0]}


@pytest.mark.parametrize(
    ("content", "field", "value", "findings"),
    [
        ("<a>7</a>", INT, 7, {}),
        ("<a> 7 </a>", INT, 7, {}),
        ('<a k="1">7</a>', INT, 7, {("attribute", "R/a/@k"): 1}),
        ("<!-- c --><a>7</a><?p i?>", INT, 7, {}),
        ("<a>1</a><a>2</a>", MANY, [1, 2], {}),
        ("<a/>", MAYBE, None, {("value", "R/a"): 1}),
        ('<a i:nil="true"/>', MAYBE, None, {("value", "R/a"): 1}),
        ("<a/><a>7</a>", MAYBE, 7, {("value", "R/a"): 1}),
        ('<a i:nil="true"/>', NILLABLE, NIL, {}),
        ('<a i:nil="1" k="1"/>', NILLABLE, NIL, {("attribute", "R/a/@k"): 1}),
        ('<a i:nil="false">7</a>', NILLABLE, 7, {}),
        ('<a i:nil="true"/>', {**INT, "nil": True}, None, {}),
        ("<a/>", {**INT, "default": "5"}, 5, {}),
        ("<a>7</a>", {**INT, "default": "5"}, 7, {}),
        ("", {**INT, "may_be_missing": True}, None, {("missing", "R/a"): 1}),
        ("<a>7</a>", {**INT, "may_be_missing": True}, 7, {}),
        ("", {**INT, "rest_optional": True}, None, {}),
        ("<z/>", {**INT, "rest_optional": True}, None, {("element", "R/z"): 1}),
        ("<a><i>1</i><z/><i>2</i></a>", {**INT, "item": "i"}, [1, 2], {("element", "R/a/z"): 1}),
        ('<a k="1"/>', {**INT, "item": "i"}, [], {("attribute", "R/a/@k"): 1}),
        ('<a><i i:nil="true"/></a>', {**INT, "item": "i", "nil_item": True}, [None], {}),
        ('<a k="1"><v>2</v></a>', {"type": "Inner"}, Inner(k="1", v=2), {}),
        ("<a><v>2</v><z/></a>", {"type": "Inner"}, Inner(v=2), {("element", "R/a/z"): 1}),
        ('<a i:nil="true"/>', TYPED, None, {("value", "R/a"): 1}),
        ('<a i:nil="true" k="1"/>', {**TYPED, "nil": True}, NIL, {("shortened", "R/a"): 1}),
    ],
)
def test_elements_are_decoded(
    content: str, field: dict[str, Any], value: object, findings: dict[tuple[str, str], int]
) -> None:
    assert decoded(content, field) == (T(a=value), findings)


@pytest.mark.parametrize(
    ("attributes", "field", "value", "findings"),
    [
        ('a="7"', ATTRIBUTE, 7, {}),
        ('a=" 7 "', ATTRIBUTE, 7, {}),
        ("", ATTRIBUTE, None, {}),
        ('z="1" a="7"', ATTRIBUTE, 7, {("attribute", "R/@z"): 1}),
        ("", {**ATTRIBUTE, "default": "5"}, 5, {}),
        ('a="7"', {**ATTRIBUTE, "default": "5"}, 7, {}),
        ("", {**ATTRIBUTE, "default": "no number"}, None, {}),
        (
            'o:x="1" z="2"',
            {"kind": "any_attributes", "wildcards": [0]},
            {"{urn:any}x": "1"},
            {("attribute", "R/@z"): 1},
        ),
    ],
)
@pytest.mark.parametrize("beside", ["an element", "a text", "its own place"])
def test_attributes_are_decoded(
    attributes: str, field: dict[str, Any], value: object, findings: dict[tuple[str, str], int], beside: str
) -> None:
    others: dict[str, tuple[str, dict[str, Any]]] = {
        "a text": ("3", {"kind": "text", "type": "int"}),
        "an element": ("<b>3</b>", INT),
        "its own place": ("<b>3</b>", {**INT, "elsewhere": ["d"]}),
    }
    content, other = others[beside]
    assert decoded(content, field, other, attributes=attributes) == (T(a=value, b=3), findings)


OTHER = "found '2', expected 1, the value that another part of the response has for this field"


@pytest.mark.parametrize(
    ("content", "fields", "message"),
    [
        ("", [INT], "R/a: found nothing"),
        ("<z/>", [INT, MAYBE], "R/a: found nothing"),
        ("<a>1</a>", [INT, {**ATTRIBUTE, "occurs": "1"}], "R/@b: found nothing"),
        ("<a>1</a><a>2</a>", [INT], r"R/a\[2\]: found '2', expected at most one a"),
        ("<a>1</a><a>2</a>", [{**INT, "elsewhere": ["d"]}], f"R/a.*: {OTHER}"),
        ("<a>1</a><d>2</d>", [{**INT, "elsewhere": ["d"]}], f"R/d: {OTHER}"),
        ("<a>x</a>", [MANY], "R/a: found 'x', expected a whole number"),
        ("<a>1</a><a>x</a>", [MANY], r"R/a\[2\]: found 'x', expected a whole number"),
        ("<a><v>1</v><v>2</v></a>", [{"type": "Inner"}], r"R/a/v\[2\]: found '2', expected at most one v"),
        ('<a i:nil="true">1</a>', [NILLABLE], "R/a: found '1', expected no content"),
        *(
            (
                '<a i:nil="true"/><a>1</a>',
                [{**INT, "nil": True}, *others],
                r"R/a\[2\]: found '1', expected at",
            )
            for others in ([], [{**MAYBE, "elsewhere": ["d"]}])  # the quick reader, and the general one
        ),
        ("<a><i><v>x</v></i></a>", [{"type": "Inner", "item": "i"}], "R/a/i/v: found 'x', expected a whole"),
        (
            '<a i:nil="true"/>',
            [INT],
            "R/a: found 'xsi:nil', expected a value, because nil is not allowed here",
        ),
    ],
)
def test_decode_error_has_the_path(content: str, fields: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(DecodeError, match=f"^{message}"):
        decoded(content, *fields)


@pytest.mark.parametrize(
    ("content", "attributes", "value"),
    [
        ("<a>1</a>", "", 1),
        ("<d>1</d>", "", 1),
        ("", 'd="1"', 1),
        ("<a>1</a><d>1</d>", 'd="1"', 1),
        ("<b>3</b>", "", None),
    ],
)
def test_field_may_be_in_several_places(content: str, attributes: str, value: int | None) -> None:
    field = {**MAYBE, "elsewhere": ["d", "@d"]}
    found, findings = decoded(content, field, MAYBE, attributes=attributes)
    assert (found.a, findings) == (value, {})


def test_findings_belong_to_the_values_of_fields_in_several_places() -> None:
    content = '<a k="1">7</a><a>8</a><b k="1">9</b>'
    value, findings = decoded(content, MANY, {**MAYBE, "elsewhere": ["d"]})
    assert value == T(a=[7, 8], b=9)
    assert findings == {("attribute", "R/a/@k"): 1, ("attribute", "R/b/@k"): 1}


@pytest.mark.parametrize(
    ("inner", "content", "value"),
    [
        (PAIR, "", []),
        (
            PAIR,
            "<k>1</k><v>x</v><k>2</k><k>3</k><v>y</v>",
            [Inner(k=1, v="x"), Inner(k=2), Inner(k=3, v="y")],
        ),
        (EITHER, "<k>1</k><v>x</v><v>y</v>", [Inner(k=1), Inner(v="x"), Inner(v="y")]),
    ],
)
def test_repeating_groups_are_separated_by_element_order(
    inner: dict[str, Any], content: str, value: list[Inner]
) -> None:
    assert decoded(f"{content}<b>7</b>", GROUP, INT, inner=inner) == (T(a=value, b=7), {})


def test_incomplete_occurrence_error_has_the_path() -> None:
    with pytest.raises(DecodeError, match=r"^R/k: found nothing"):
        decoded("<v>x</v>", GROUP, inner=PAIR)
    with pytest.raises(DecodeError, match=r"^R/k.*: found 'x', expected a whole number"):
        decoded("<k>1</k><k>x</k>", GROUP, inner=PAIR)


def test_findings_in_a_repeated_group_have_the_path() -> None:
    content = '<k z="1">1</k><v>x</v><k>2</k>'
    value, findings = decoded(content, GROUP, inner=PAIR)
    assert value == T(a=[Inner(k=1, v="x"), Inner(k=2)])
    assert findings == {("attribute", "R/k/@z"): 1}


def test_required_element_of_a_wildcard_is_missed() -> None:
    wild = {**REST, "occurs": "1"}
    with pytest.raises(DecodeError, match=r"^R/: found nothing, expected a value, because it is required"):
        decoded("", wild)
    value, findings = decoded("<o:x>y</o:x>", wild)
    assert (value.a.name, value.a.text, findings) == ("{urn:any}x", "y", {})


def test_wildcard_content_is_kept_and_other_content_reported() -> None:
    value, findings = decoded('<a>1</a><o:x k="2">y</o:x><z/>', INT, REST)
    assert value.a == 1
    (kept,) = value.b
    assert isinstance(kept, AnyElement)
    assert (kept.name, kept.attributes, kept.text) == ("{urn:any}x", {"k": "2"}, "y")
    assert findings == {("element", "R/z"): 1}


_XSD = 'xmlns:x="http://www.w3.org/2001/XMLSchema"'


@pytest.mark.parametrize(
    ("name", "findings"), [("x:int", {}), ("x:string", {("value", "R/a"): 1}), ("t:int", {})]
)
def test_nil_element_may_name_its_own_simple_type_only(
    name: str, findings: dict[tuple[str, str], int]
) -> None:
    """Services use different namespaces for the built-in types."""
    content = f'<a {_XSD} i:nil="true" i:type="{name}"/>'
    assert decoded(content, NILLABLE) == (T(a=NIL), findings)


@pytest.mark.parametrize("inner", [INNER, OPEN])
def test_attribute_of_a_nil_element_is_known_if_its_type_has_any_attributes(inner: dict[str, Any]) -> None:
    """Its value is lost either way."""
    value, findings = decoded('<a i:nil="true" o:x="1"/>', {**TYPED, "nil": True}, inner=inner)
    assert value == T(a=NIL)
    assert findings == (
        {("attribute", "R/a/@{urn:any}x"): 1} if inner is INNER else {("shortened", "R/a"): 1}
    )


def test_any_content_has_the_type_that_the_element_names() -> None:
    content: dict[str, Any] = {"kind": "content", "xml": "", "type": "any"}
    assert decoded("7", content, attributes=f'{_XSD} i:type="x:int"') == (T(a=7), {})
    value, findings = decoded("7", content)
    assert (value.a.text, findings) == ("7", {})


def test_repeated_element_is_given_to_a_wildcard_for_one_element_before_a_list() -> None:
    several = {**REST, "wildcards": [1]}
    value, findings = decoded("<c>1</c><c>2</c><c>3</c>", several, {**several, "occurs": "?"}, INT)
    assert ([kept.text for kept in value.a], value.b.text, value.c, findings) == (["3"], "2", 1, {})


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ("<a>1</a>" * 100, [MANY]),
        ("<a>1</a>" * 100, [MANY, {**MAYBE, "elsewhere": ["d"]}]),
        (f"<a>{'<i>1</i>' * 100}</a>", [{**INT, "item": "i"}]),
        ("<k>1</k>" * 100, [{**GROUP, "kind": "element", "xml": "k", "type": "int"}]),
        ("<o:x/>" * 100, [REST]),
        (f"<o:x>{'<o:y/>' * 100}</o:x>", [REST]),
        ("<z/>" * 100, [MAYBE]),
        (f"<a>{'<z/>' * 100}</a>", [TYPED]),
    ],
)
def test_the_deadline_is_checked_for_each_item_and_each_finding(
    content: str, fields: list[dict[str, Any]]
) -> None:
    checks: list[None] = []
    reader = CountingReader()
    reader.check_deadline = lambda: checks.append(None)
    decoded(content, *fields, reader=reader)
    assert len(checks) >= 100


@pytest.mark.parametrize(
    ("content", "unknown"),
    [
        ("<x/>", {"x": ""}),
        ("<x/><x/>", {"x": ["", ""]}),
        ("<x>1</x><x>1</x><y>1</y>", {"x": ["1", "1"], "y": "1"}),
        ("<x>1</x><x><z>1</z><z>1</z></x>", {"x": [{"$": "1"}, {"z": ["1", "1"]}]}),
    ],
)
def test_repeated_unknown_elements_are_all_kept(content: str, unknown: object) -> None:
    value, _ = decoded(content, MAYBE, unknown="b")
    assert value.b == unknown
