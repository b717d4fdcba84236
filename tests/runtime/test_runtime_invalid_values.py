"""An invalid value of an optional field: an error, or with `skips_invalid` None and a finding."""

from __future__ import annotations

from typing import Any

import pytest

from soapclient._support.secret_names import NOT_SHOWN
from soapclient.runtime import simple_types
from soapclient.runtime.errors import DecodeError
from soapclient.runtime.findings import CountingReader, Finding
from soapclient.runtime.nil import NIL
from tests.runtime.rows import Inner, T
from tests.runtime.test_runtime_decoding import (
    ATTRIBUTE,
    GROUP,
    INNER,
    INT,
    MANY,
    MAYBE,
    NILLABLE,
    PAIR,
    TYPED,
    decoded,
)

LIST = {"type": "[int]", "occurs": "?"}
WRAPPED = {**MAYBE, "item": "i"}
SUM: dict[str, Any] = {
    "xml": "sum",
    "fields": [
        {"python": "v", "xml": "", "kind": "text", "type": "decimal"},
        {"python": "k", "xml": "k", "kind": "attribute", "occurs": "?"},
    ],
}


def skipped(content: str, *fields: dict[str, Any], **options: Any) -> tuple[Any, dict[tuple[str, str], int]]:
    """Return the decoded value, and the path and text of each finding.

    Checks that all findings are about values.
    """
    reader = CountingReader(skips_invalid=True)
    value, _ = decoded(content, *fields, reader=reader, **options)
    assert {finding.kind for finding in reader.findings} <= {"value"}
    return value, {(finding.path, finding.detail): count for finding, count in reader.findings.items()}


CASES = [
    ("<a>x</a><b>7</b>", [MAYBE, INT], T(a=None, b=7), {("R/a", "x"): 1}),
    ("<a/><b>7</b>", [MAYBE, INT], T(a=None, b=7), {("R/a", ""): 1}),
    ("<a>1<z/>2</a>", [{**MAYBE, "may_be_missing": True}], T(), None),
    ("<a>x</a>", [{**INT, "rest_optional": True}], T(), {("R/a", "x"): 1}),
    ("<a>x</a>", [{**MAYBE, "default": "5"}], T(), {("R/a", "x"): 1}),
    ("<a>1 x</a>", [LIST], T(), {("R/a", "1 x"): 1}),
    ("<a>x</a>", [NILLABLE], T(), {("R/a", "x"): 1}),
    ("<a/>", [NILLABLE], T(), {("R/a", ""): 1}),
    ("<a>1</a><a>x</a><a>3</a>", [MANY], T(a=[1, 3]), {("R/a", "x"): 1}),
    ("<a>x</a><a>x</a>", [MANY], T(), {("R/a", "x"): 2}),
    ("<a><i>1</i><i>x</i><i>3</i></a>", [WRAPPED], T(a=[1, 3]), {("R/a/i", "x"): 1}),
    ("<a>x</a><a>7</a>", [MAYBE], T(a=7), {("R/a", "x"): 1}),
    ("<a>7</a><d>x</d>", [{**MAYBE, "elsewhere": ["d"]}], T(a=7), {("R/d", "x"): 1}),
    ("<d>x</d><a>7</a>", [{**MAYBE, "elsewhere": ["d"]}], T(a=7), {("R/d", "x"): 1}),
    ("<a><v>x</v></a>", [{"type": "Inner"}], T(a=Inner()), {("R/a/v", "x"): 1}),
]


@pytest.mark.parametrize(("content", "fields", "value", "findings"), CASES)
def test_an_invalid_optional_value_is_none_and_a_finding(
    content: str, fields: list[dict[str, Any]], value: object, findings: object
) -> None:
    if findings is None:  # the element inside is reported, too
        assert decoded(content, *fields, reader=CountingReader(skips_invalid=True))[0] == value
    else:
        assert skipped(content, *fields) == (value, findings)


@pytest.mark.parametrize(
    ("content", "fields"), [(content, fields) for content, fields, *_ in CASES if content != CASES[1][0]]
)
def test_invalid_value_is_an_error_by_default(content: str, fields: list[dict[str, Any]]) -> None:
    with pytest.raises(DecodeError) as caught:
        decoded(content, *fields)
    assert caught.value.skippable


@pytest.mark.parametrize("other", [INT, {"kind": "text", "type": "int"}])
def test_an_invalid_optional_attribute_is_none_and_a_finding(other: dict[str, Any]) -> None:
    content = "3" if other.get("kind") else "<b>3</b>"
    value, findings = skipped(content, ATTRIBUTE, other, attributes='a="x"')
    assert value == T(a=None, b=3)
    assert findings == {("R/@a", "x"): 1}


KEPT: dict[str, Any] = {**SUM, "unknown": "v", "fields": [{**SUM["fields"][0], "python": "k"}]}


@pytest.mark.parametrize("text", ["", "x"])
@pytest.mark.parametrize(
    ("field", "attributes", "inner"),
    [
        (TYPED, 'k="EUR"', SUM),
        ({**TYPED, "nil": True}, 'k="EUR"', SUM),
        ({**TYPED, "occurs": "*"}, 'k="EUR"', SUM),
        ({**TYPED, "occurs": "*", "nil": True}, 'k="EUR"', SUM),
        (TYPED, 'i:type="t:sum" k="EUR"', SUM),
        (TYPED, "", KEPT),  # read by the general reader
    ],
)
def test_invalid_optional_text_with_attributes_is_skipped(
    text: str, field: dict[str, Any], attributes: str, inner: dict[str, Any]
) -> None:
    found, findings = skipped(f"<a {attributes}>{text}</a><b>7</b>", field, INT, inner=inner)
    assert found == T(a=None, b=7)
    assert findings == {("R/a", text): 1}
    with pytest.raises(DecodeError) as caught:
        decoded(f"<a {attributes}>{text or 'x'}</a><b>7</b>", field, INT, inner=inner)
    assert caught.value.skippable


def test_element_next_to_a_skipped_text_with_attributes_is_read() -> None:
    content = '<a k="EUR">1</a><a k="EUR"/><a k="GBP">3</a>'
    found, findings = skipped(content, {**TYPED, "occurs": "*"}, inner=SUM)
    assert found == T(a=[Inner(k="EUR", v=1), Inner(k="GBP", v=3)])
    assert findings == {("R/a", ""): 1}


def test_an_invalid_attribute_of_an_element_with_any_content_is_skipped() -> None:
    fields = [
        {"python": "v", "xml": "", "kind": "content"},
        {"python": "k", "xml": "k", "kind": "attribute", "type": "int", "occurs": "?"},
    ]
    found, findings = skipped('<a k="x">text</a>', TYPED, inner={"xml": "inner", "fields": fields})
    assert found.a.k is None
    assert found.a.v.text == "text"
    assert findings == {("R/a/@k", "x"): 1}


def test_of_fields_with_the_same_name_an_invalid_value_is_skipped() -> None:
    value, findings = skipped("<x>1</x><x>y</x>", {**MAYBE, "xml": "x"}, {**MAYBE, "xml": "x"})
    assert value == T(a=1)
    assert findings == {("R/x", "y"): 1}


@pytest.mark.parametrize(
    ("content", "fields", "attributes", "inner"),
    [
        ("<a>x</a>", [INT], "", INNER),
        ("<a/>", [INT], "", INNER),
        ("<a>x</a>", [{**INT, "nil": True}], "", INNER),
        ("<a>1</a><a>x</a>", [{**INT, "occurs": "+"}], "", INNER),
        ("", [{**ATTRIBUTE, "occurs": "1"}], 'a="x"', INNER),
        ("", [{**ATTRIBUTE, "default": "5"}], 'a="x"', INNER),
        ('<a k="EUR"/>', [{"type": "Inner"}], "", SUM),
        ("<k>x</k>", [GROUP], "", PAIR),
    ],
)
def test_invalid_required_value_stays_an_error(
    content: str, fields: list[dict[str, Any]], attributes: str, inner: dict[str, Any]
) -> None:
    with pytest.raises(DecodeError) as caught:
        skipped(content, *fields, attributes=attributes, inner=inner)
    assert not caught.value.skippable


def test_nil_is_not_an_invalid_value() -> None:
    assert skipped('<a i:nil="true"/>', NILLABLE) == (T(a=NIL), {})


def test_finding_does_not_contain_the_text_of_a_secret() -> None:
    reader = CountingReader(skips_invalid=True)
    decoded("<password>hunter2</password>", {**MAYBE, "xml": "password"}, reader=reader)
    assert reader.findings == {Finding("value", "R/password", NOT_SHOWN): 1}


@pytest.mark.parametrize("content", ["<a>x</a>", "<a/>", '<a i:nil="true"/>'])
def test_paths_with_indexes_are_not_built(content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path with an index needs all siblings. Building one for each of many items takes quadratic time."""

    def fail(*_: object) -> str:
        raise AssertionError

    monkeypatch.setattr(simple_types, "path_of", fail)
    assert skipped(content, MAYBE)[0] == T()
    if content != "<a>x</a>":
        assert decoded(content, MAYBE)[0] == T()
