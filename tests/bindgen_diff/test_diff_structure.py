"""Types are compared by their wire form: names, recursion, directions, and the path of each finding."""

from __future__ import annotations

import pytest

from tests.bindgen_diff.conftest import found, wsdl

TREE = """<x:complexType name="Tree"><x:sequence>{}
<x:element name="branch" type="t:Tree" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType>"""
LEAF = '<x:element name="leaf" type="x:string"/>'


def part(kind: str, name: str = "part") -> str:
    return f'<x:element name="{name}" type="t:{kind}"/>'


def test_recursive_types_terminate() -> None:
    old, new = (wsdl(TREE.format(more), response=part("Tree")) for more in (LEAF, ""))
    told = [(each.rule, each.path, each.operations) for each in found(old, new)]
    assert told == [("response-element-removed-required", "Tree/leaf", ("Ask",))]


def test_cycles_of_different_lengths_terminate() -> None:
    def ring(names: str) -> str:
        after = dict(zip(names, names[1:] + names[0], strict=True))
        return "".join(
            f'<x:complexType name="{name}"><x:sequence><x:element name="next" type="t:{to}" minOccurs="0"/>'
            "</x:sequence></x:complexType>"
            for name, to in after.items()
        )

    findings = found(wsdl(ring("abcde"), response=part("a")), wsdl(ring("abc"), response=part("a")))
    told = {(each.rule, each.level, each.direction) for each in findings}
    assert told == {("type-renamed", "info", "code")}


def test_unrelated_type_counts_as_another_type() -> None:
    inner = '<x:element name="z" type="x:int"/>'
    other = f'<x:complexType name="Other"><x:sequence>{inner}</x:sequence></x:complexType>'
    schema = TREE.format(LEAF) + other
    findings = found(wsdl(schema, response=part("Tree")), wsdl(schema, response=part("Other")))
    assert [(each.rule, each.path) for each in findings] == [("response-type-changed", "AskResponse/part")]


def test_change_of_a_named_simple_type_is_reported_once() -> None:
    def state(*values: str) -> str:
        listed = "".join(f'<x:enumeration value="{value}"/>' for value in values)
        inner = f'<x:restriction base="x:string">{listed}</x:restriction>'
        return f'<x:simpleType name="State">{inner}</x:simpleType>'

    uses = part("State", "a") + part("State", "b")
    old, new = (wsdl(state(*values), request=uses, response=uses) for values in (("u",), ("u", "v")))
    told = [(each.rule, each.level, each.direction, each.path) for each in found(old, new)]
    assert told == [("response-enum-value-added", "warning", "both", "State/v")]


def test_findings_have_their_locations() -> None:
    old = wsdl(TREE.format(LEAF), response=part("Tree"))
    new = "\n\n" + wsdl(TREE.format(""), response=part("Tree"))
    (told,) = found(old, new.lstrip())
    assert told.old is not None
    assert (told.old.file, told.new) == ("old.wsdl", None)
    assert 'name="leaf"' in old.splitlines()[told.old.line - 1]
    assert told.message == "`leaf` (xsd:string) was removed."


def test_findings_are_sorted_by_severity() -> None:
    old = wsdl(request=LEAF, response=LEAF)
    new = wsdl(request='<x:element name="more" type="x:int"/>' + LEAF).replace("shop.inv", "m.inv")
    assert [each.level for each in found(old, new)] == ["breaking", "breaking", "warning"]


@pytest.mark.exhaustive
def test_deep_types_do_not_exhaust_the_stack() -> None:
    def chain(last: str) -> str:
        names = [f"T{number}" for number in range(3000)]
        return "".join(
            f'<x:complexType name="{name}"><x:sequence><x:element name="e" type="{to}"/></x:sequence>'
            "</x:complexType>"
            for name, to in zip(names, [*(f"t:{name}" for name in names[1:]), last], strict=True)
        )

    findings = found(wsdl(chain("x:int"), response=part("T0")), wsdl(chain("x:string"), response=part("T0")))
    assert [(each.rule, each.path) for each in findings] == [("response-type-changed", "T2999/e")]


def test_change_of_a_base_type_is_reported_once() -> None:
    def family(more: str) -> str:
        base = f'<x:complexType name="Base"><x:sequence>{LEAF}{more}</x:sequence></x:complexType>'
        children = "".join(
            f'<x:complexType name="{name}"><x:complexContent><x:extension base="t:Base"><x:sequence>'
            '<x:element name="own" type="x:int"/></x:sequence></x:extension></x:complexContent>'
            "</x:complexType>"
            for name in ("Sent", "Got")
        )
        return base + children

    more = '<x:element name="more" type="x:int"/>'
    old, new = (wsdl(family(each), request=part("Sent"), response=part("Got")) for each in ("", more))
    told = [(each.rule, each.path, each.direction) for each in found(old, new)]
    assert told == [("request-element-added-required", "Base/more", "both")]


def test_siblings_of_a_base_have_separate_directions() -> None:
    def family(more: str) -> str:
        return '<x:complexType name="Base"><x:sequence/></x:complexType>' + "".join(
            f'<x:complexType name="{name}"><x:complexContent><x:extension base="t:Base"><x:sequence>{inner}'
            "</x:sequence></x:extension></x:complexContent></x:complexType>"
            for name, inner in (("Sent", LEAF), ("Got", LEAF + more))
        )

    more = '<x:element name="more" type="x:int"/>'
    old, new = (wsdl(family(each), request=part("Sent"), response=part("Got")) for each in ("", more))
    assert [each.rule for each in found(old, new)] == ["response-element-added-required"]


_AB = '<x:element name="a" type="x:int"/><x:element name="b" type="x:int"/>'
_LONG = _AB.replace("x:int", "x:long", 1)
_HELD = '<x:complexType name="Held">{}</x:complexType>'
_TEXT = _HELD.format(
    '<x:simpleContent><x:extension base="x:int"><x:attribute name="k"/></x:extension></x:simpleContent>'
)
_NO_TEXT = _HELD.format('<x:attribute name="k"/>')
_OF_VALUES = '<x:element name="s"><x:simpleType><x:restriction base="x:string">{}</x:restriction></x:simpleType></x:element>'
_A, _B = '<x:enumeration value="a"/>', '<x:enumeration value="b"/>'


def repeated(inner: str) -> str:
    return f'<x:sequence maxOccurs="unbounded">{inner}</x:sequence>'


# Two states of a request, (schema, fields) each, and the rules found in each direction, by path.
CHANGES = {
    "elements go into a group that repeats": (
        ("", _AB), ("", repeated(_AB)),
        [("element-became-list", "AskRequest/a")], [("element-no-longer-list", "AskRequest/a")],
    ),
    "and one of them is of another type": (
        ("", _AB), ("", repeated(_LONG)),
        [("element-became-list", "AskRequest/a"), ("type-widened", "AskRequest/a")],
        [("element-no-longer-list", "AskRequest/a"), ("type-narrowed", "AskRequest/a")],
    ),
    "anything becomes a number": (
        ("", '<x:element name="s"/>'), ("", '<x:element name="s" type="x:int"/>'),
        [("type-narrowed", "AskRequest/s")], [("type-widened", "AskRequest/s")],
    ),
    "a text goes": (
        (_TEXT, part("Held")), (_NO_TEXT, part("Held")),
        [("type-changed", "Held/value")], [("type-changed", "Held/value")],
    ),
    "a value more in a type without a name": (
        ("", _OF_VALUES.format(_A)), ("", _OF_VALUES.format(_A + _B)),
        [("enum-value-added", "AskRequest_s/b")], [("enum-value-removed", "AskRequest_s/b")],
    ),
    "an element becomes the head of others": (
        ('<x:element name="a" type="x:int"/>', '<x:element ref="t:a"/>'),
        ('<x:element name="a" type="x:int"/><x:element name="b" type="x:int" substitutionGroup="t:a"/>', '<x:element ref="t:a"/>'),
        [("type-changed", "AskRequest/a")], [("type-changed", "AskRequest/a")],
    ),
}  # fmt: skip
# ruff: noqa: E501 - tables of schemas


@pytest.mark.parametrize("case", CHANGES)
def test_changed_kind_of_type_is_reported(case: str) -> None:
    before, after, there, back = CHANGES[case]
    old, new = (wsdl(schema, request=fields) for schema, fields in (before, after))
    for findings, rules in ((found(old, new), there), (found(new, old), back)):
        expected = [(f"request-{rule}", path) for rule, path in rules]
        assert sorted((each.rule, each.path) for each in findings) == expected


# ---- optional sequences: merged, split, or with one more element

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
def test_elements_required_with_others_are_reported(old: str, new: str, rule: str, names: str) -> None:
    for number, (end, message) in enumerate((("request", "AskRequest"), ("response", "AskResponse"))):
        told = found(wsdl(**{end: old}), wsdl(**{end: new}))
        assert sorted((each.rule, each.level, each.path) for each in told) == [
            (f"{end}-{rule}", LEVELS[rule][number], f"{message}/{name}") for name in names
        ]


def test_finding_names_the_neighbouring_element() -> None:
    (told,) = found(wsdl(request=group(A)), wsdl(request=group(A, B)))
    assert told.message == "`b` (xsd:string) was added, and is required if `a` is present."


def test_a_body_of_several_parts_is_one_change() -> None:
    old = wsdl(request=A)
    part = '<part name="p" element="t:AskRequest"/>'
    new = old.replace(part, f'{part}<part name="q" element="t:AskResponse"/>')
    (told,) = found(old, new)
    assert (told.rule, told.path) == ("operation-request-changed", "Ask")
    assert "several parts (`AskRequest`, `AskResponse`)" in told.message
    (back,) = found(new, old)
    assert "is `AskRequest` now, it was made of several parts" in back.message
