"""Optional sequences: merged, split, or with one more element."""

from __future__ import annotations

import pytest

from tests.bindgen_diff.conftest import Found, Wsdl

A, B, C = (f'<x:element name="{name}" type="x:string"/>' for name in "abc")
MAYBE = 'minOccurs="0"'


def group(*inner: str) -> str:
    return f"<x:sequence {MAYBE}>{''.join(inner)}</x:sequence>"


def maybe(text: str) -> str:
    return text.replace("/>", f" {MAYBE}/>")


# Content before and after, the rule without its direction, and the elements it is reported for.
CASES = [
    (group(A, B), group(A) + group(B), "element-became-optional", "ab"),
    (group(A) + group(B), group(A, B), "element-became-required", "ab"),
    (group(A, B, C), group(A, B) + group(C), "element-became-optional", "abc"),
    (group(A, B, C), group(A, B, group(C)), "element-became-optional", "c"),
    (group(A, group(B)), group(A, B), "element-became-required", "b"),
    (group(A), group(A, B), "element-added-required", "b"),
    (group(A), group(A, maybe(B)), "element-added-optional", "b"),
    (group(A), group(A) + group(B), "element-added-optional", "b"),
    (group(A), group(A, group(B)), "element-added-optional", "b"),
    (f"<x:choice>{group(A, B)}{C}</x:choice>", f"<x:choice>{group(A, B)}{C}</x:choice>", "", ""),
    (group(A, B), "<x:sequence>" + group(A, B) + "</x:sequence>", "", ""),
]
LEVELS = {
    "element-became-optional": ("info", "breaking"),
    "element-became-required": ("breaking", "info"),
    "element-added-required": ("breaking", "warning"),
    "element-added-optional": ("info", "info"),
}


@pytest.mark.parametrize(("old", "new", "rule", "names"), CASES)
def test_elements_required_with_others_are_reported(
    old: str, new: str, rule: str, names: str, found: Found, wsdl: Wsdl
) -> None:
    for number, (end, message) in enumerate((("request", "AskRequest"), ("response", "AskResponse"))):
        told = found(wsdl(**{end: old}), wsdl(**{end: new}))
        assert sorted((each.rule, each.level, each.path) for each in told) == [
            (f"{end}-{rule}", LEVELS[rule][number], f"{message}/{name}") for name in names
        ]


def test_finding_names_the_neighbouring_element(found: Found, wsdl: Wsdl) -> None:
    (told,) = found(wsdl(request=group(A)), wsdl(request=group(A, B)))
    assert told.message == "`b` (xsd:string) was added, and is required if `a` is present."


def test_a_body_of_several_parts_is_one_change(found: Found, wsdl: Wsdl) -> None:
    old = wsdl(request=A)
    part = '<part name="p" element="t:AskRequest"/>'
    new = old.replace(part, f'{part}<part name="q" element="t:AskResponse"/>')
    (told,) = found(old, new)
    assert (told.rule, told.path) == ("operation-request-changed", "Ask")
    assert "several parts (`AskRequest`, `AskResponse`)" in told.message
    (back,) = found(new, old)
    assert "is `AskRequest` now, it was made of several parts" in back.message
