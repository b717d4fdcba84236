"""A contract in two states for every rule. The expected levels are in cases/levels.txt."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bindgen.diff.rules import CHANGES, RULES
from tests.bindgen_diff.conftest import ORDER, TABLE, found, name_of, wsdl

SIMPLE = '<x:simpleType name="{}"><x:restriction base="x:{}">{}</x:restriction></x:simpleType>'


@dataclass(frozen=True)
class Case:
    """A change of the type Part: its body before and after.

    `old_more` and `new_more` are other components of the schema.
    """

    name: str
    old: str
    new: str
    old_more: str = ""
    new_more: str = ""


def seq(*elements: str) -> str:
    return f"<x:sequence>{''.join(elements)}</x:sequence>"


def el(name: str = "a", kind: str = "x:string", more: str = "") -> str:
    return f'<x:element name="{name}" type="{kind}" {more}/>'


def at(more: str = "", kind: str = "x:string") -> str:
    return f'<x:attribute name="k" type="{kind}" {more}/>'


def enum(*values: str, name: str = "State", base: str = "string") -> str:
    return SIMPLE.format(name, base, "".join(f'<x:enumeration value="{value}"/>' for value in values))


def facet(base: str = "string", **facets: str) -> str:
    inner = "".join(f'<x:{name} value="{value}"/>' for name, value in facets.items())
    return SIMPLE.format("Text", base, inner)


def choice(*arms: str, more: str = "") -> str:
    return f"<x:choice {more}>{''.join(arms)}</x:choice>"


A, B_, C = el("a"), el("b"), el("c")
STATE, TEXT = seq(el("a", "t:State")), seq(el("a", "t:Text"))
OPTIONAL = 'minOccurs="0"'
MANY = 'maxOccurs="unbounded"'
ANY = '<x:any minOccurs="0" maxOccurs="unbounded" namespace="##other" processContents="lax"/>'
BASE = """<x:complexType name="Base"><x:sequence>
<x:element name="z" type="x:string"/></x:sequence></x:complexType>"""
CHILD = """<x:complexType name="Child"><x:complexContent><x:extension base="t:Base"><x:sequence>
<x:element name="y" type="x:string"/></x:sequence></x:extension></x:complexContent></x:complexType>"""
ABSTRACT = BASE.replace("><", ' abstract="true"><', 1) + CHILD
BASED = seq(el("a", "t:Base"))
HEAD = '<x:element name="head" type="x:string"/>'
M, N = (el(name, more='substitutionGroup="t:head"') for name in "mn")
REFERENCE = seq('<x:element ref="t:head"/>')

CASES = [
    Case("element-added-required", seq(A), seq(A, B_)),
    Case("element-added-optional", seq(A), seq(A, el("b", more=OPTIONAL))),
    Case("element-removed-required", seq(A, B_), seq(A)),
    Case("element-removed-optional", seq(A, el("b", more=OPTIONAL)), seq(A)),
    Case("element-became-required", seq(el(more=OPTIONAL)), seq(A)),
    Case("element-became-optional", seq(A), seq(el(more=OPTIONAL))),
    Case("element-became-nillable", seq(A), seq(el(more='nillable="true"'))),
    Case("element-no-longer-nillable", seq(el(more='nillable="1"')), seq(A)),
    Case("element-became-list", seq(A), seq(el(more=MANY))),
    Case("element-no-longer-list", seq(el(more='maxOccurs="3"')), seq(A)),
    Case("occurs-widened", seq(el(more='maxOccurs="3"')), seq(el(more=MANY))),
    Case("occurs-narrowed", seq(el(more='maxOccurs="5"')), seq(el(more='minOccurs="2" maxOccurs="5"'))),
    Case("attribute-added-required", seq(A), seq(A) + at('use="required"')),
    Case("attribute-added-optional", seq(A), seq(A) + at()),
    Case("attribute-removed-required", seq(A) + at('use="required"'), seq(A)),
    Case("attribute-removed-optional", seq(A) + at(), seq(A)),
    Case("attribute-became-required", seq(A) + at(), seq(A) + at('use="required"')),
    Case("attribute-became-optional", seq(A) + at('use="required"'), seq(A) + at()),
    Case("element-became-attribute", seq(A, el("k")), seq(A) + at()),
    Case("attribute-became-element", seq(A) + at(), seq(A, el("k"))),
    Case("enum-value-added", STATE, STATE, enum("u", "v"), enum("u", "v", "w")),
    Case("enum-value-removed", STATE, STATE, enum("u", "v"), enum("v")),
    Case("enum-opened", STATE, seq(A), enum("u", "v")),
    Case("enum-closed", seq(A), STATE, "", enum("u", "v")),
    Case("type-changed", seq(el("a", "x:date")), seq(el("a", "x:dateTime"))),
    Case("type-widened", seq(el("a", "x:int")), seq(el("a", "x:long"))),
    Case("type-narrowed", seq(el("a", "x:decimal")), seq(el("a", "x:integer"))),
    Case("facet-changed", TEXT, TEXT, facet(pattern="[a-c]+"), facet(pattern="[b-d]+")),
    Case("facet-widened", TEXT, TEXT, facet(maxLength="5"), facet(maxLength="9")),
    Case("facet-narrowed", TEXT, TEXT, facet(maxLength="5"), facet(length="4")),
    Case("sequence-reordered", seq(A, B_, C), seq(A, C, B_)),
    Case("order-freed", seq(A, B_), f"<x:all>{A}{B_}</x:all>"),
    Case("order-fixed", f"<x:all>{A}{B_}</x:all>", seq(B_, A)),
    Case("choice-arm-added", choice(A, B_), choice(A, B_, C)),
    Case("choice-arm-removed", choice(A, B_, C), choice(A, B_)),
    Case("choice-arm-changed", choice(A, B_), choice(A, seq(B_, C))),
    Case("choice-added", seq(A), seq(A, choice(B_, C))),
    Case("choice-became-required", choice(A, B_, more=OPTIONAL), choice(A, B_)),
    Case("choice-became-sequence", choice(A, B_), seq(A, B_)),
    Case("sequence-became-choice", seq(A, B_), choice(A, B_)),
    Case("choice-regrouped", choice(seq(A, B_), C), choice(A, seq(B_, C))),
    Case("default-changed", seq(el(more='default="1"')), seq(el(more='default="2"'))),
    Case("fixed-added", seq(A), seq(el(more='fixed="1"'))),
    Case("fixed-removed", seq(el(more='fixed="1"')), seq(A)),
    Case("fixed-changed", seq(el(more='fixed="1"')), seq(el(more='fixed="2"'))),
    Case("wildcard-added", seq(A), seq(A, ANY)),
    Case("wildcard-removed", seq(A, ANY), seq(A)),
    Case("wildcard-changed", seq(A, ANY), seq(A, ANY.replace("lax", "strict"))),
    Case("type-became-abstract", BASED, BASED, BASE + CHILD, ABSTRACT),
    Case("type-no-longer-abstract", BASED, BASED, ABSTRACT, BASE + CHILD),
    Case("derived-type-added", BASED, BASED, BASE, BASE + CHILD),
    Case("derived-type-removed", BASED, BASED, BASE + CHILD, BASE),
]
# Other ways to the same findings.
MORE = [
    Case("facet-narrowed", TEXT, TEXT, facet(), facet(pattern="[a-c]+")),
    Case("facet-widened", TEXT, TEXT, facet(pattern="[a-c]+"), facet()),
    Case(
        "facet-changed", TEXT, TEXT, facet(minLength="2", maxLength="5"), facet(minLength="3", maxLength="9")
    ),
    Case("facet-narrowed", TEXT, TEXT, facet("int", maxInclusive="10"), facet("int", maxExclusive="10")),
    Case("facet-widened", TEXT, TEXT, facet("decimal", totalDigits="4"), facet("decimal")),
    Case("type-narrowed", seq(el("a", "x:int")), seq(el("a", "x:unsignedShort"))),
    Case("type-widened", seq(el("a", "x:unsignedInt")), seq(el("a", "x:long"))),
    Case("type-changed", seq(el("a", "x:unsignedInt")), seq(el("a", "x:int"))),
    Case("type-changed", seq(el("a", "x:decimal")), seq(el("a", "x:double"))),
    Case("type-changed", seq(A), seq(el("a", "x:int"))),
    Case("type-changed", seq(el("a", "t:Base")), seq(A), BASE),
    Case("type-widened", seq(A), seq(el("a", "x:anyType"))),
    Case("choice-arm-added", REFERENCE, REFERENCE, HEAD + M, HEAD + M + N),
    Case("choice-arm-removed", choice(A, B_, C, more=MANY), choice(A, B_, more=MANY)),
    Case("element-became-list", choice(A, B_), choice(A, B_, more=MANY)),
    Case("attribute-became-optional", seq(A) + at('use="required"', "x:int"), seq(A) + at("", "x:int")),
    Case("element-became-optional", seq(A), '<x:sequence minOccurs="0">' + A + "</x:sequence>"),
    Case("element-became-optional", choice(seq(A, B_), C), choice(seq(A, el("b", more=OPTIONAL)), C)),
    Case("element-added-optional", seq(A), seq(A, choice(B_, C, more=OPTIONAL))),
    Case("element-became-required", choice(seq(A, el("b", more=OPTIONAL)), C), choice(seq(A, B_), C)),
    Case("choice-became-optional", choice(A, B_), choice(A, B_, more=OPTIONAL)),
]
PART = '<x:complexType name="Part">{}</x:complexType>'
ID = [f"{number}-{case.name}" for number, case in enumerate([*CASES, *MORE])]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", [*CASES, *MORE], ids=ID)
def test_level_depends_on_the_messages_with_the_change(case: Case) -> None:
    schemas = PART.format(case.old) + case.old_more, PART.format(case.new) + case.new_more
    use = {end: el("part", "t:Part") for end in ("request", "response")}
    levels = TABLE[case.name]
    for direction, level in zip(("request", "response"), levels, strict=True):
        old, new = (wsdl(schema, **{direction: use[direction]}) for schema in schemas)
        findings = found(old, new)
        rules = {(each.rule, each.level, each.direction) for each in findings}
        assert (f"{direction}-{case.name}", level, direction) in rules
        told = {each.rule for each in findings} - {"type-renamed", "base-type-changed"}
        assert told == {f"{direction}-{case.name}"}
        assert all(each.operations == ("Ask",) for each in findings)
    both = found(*(wsdl(schema, **use) for schema in schemas))
    worse = max(levels, key=ORDER.index)
    assert {each.level for each in both if name_of(each.rule) == case.name} == {worse}
    assert {each.direction for each in both if each.rule.endswith(case.name)} == {"both"}


def test_every_change_has_a_case() -> None:
    here = {case.name for case in [*CASES, *MORE]}
    elsewhere = {name for name in CHANGES if name.startswith("header-")}  # in test_diff_operations
    assert here | elsewhere == set(CHANGES)
    assert set(TABLE) == here


def test_rules_are_complete_sentences() -> None:
    assert len(RULES) > 100
    for name, rule in RULES.items():
        assert rule.name == name
        assert rule.says.endswith(".")
        assert rule.remedy.endswith(".")
        assert rule.says[0].isupper()
        assert rule.remedy[0].isupper()


def test_request_remedy_mentions_optional_elements_over_rest() -> None:
    remedy = RULES["request-element-added-optional"].remedy
    assert "sent over SOAP only" in remedy
    assert "contracts.toml" in remedy
    assert "SOAP" not in RULES["response-element-added-optional"].remedy


# Rules whose advice must say that some code has to change, and words of it.
ADVICE = {
    "request-element-became-list": "a single value is refused",
    "request-enum-opened": "pass strings instead of members",
    "request-type-widened": "its Python type may be different",
    "response-type-narrowed": "its Python type may be different",
    "response-enum-value-removed": "code that uses its member",
    "response-choice-arm-removed": "stop reading it",
    "response-derived-type-removed": "code that uses its class",
    "request-fixed-removed": "set it in calls that relied on the fixed value",
    "operation-request-changed": "rename the classes of its messages",
    "operation-response-changed": "rename the classes of its messages",
    "namespace-changed": "first put the new namespace into that file",
}


@pytest.mark.parametrize("rule", ADVICE)
def test_remedies_do_not_promise_unchanged_code(rule: str) -> None:
    assert ADVICE[rule] in RULES[rule].remedy
    assert "code does not need to change" not in RULES[rule].remedy


def test_list_in_both_directions_has_both_remedies() -> None:
    use = {end: el("part", "t:Part") for end in ("request", "response")}
    (finding,) = found(*(wsdl(PART.format(seq(a)), **use) for a in (A, el(more=MANY))))
    told = (finding.rule, finding.level, finding.direction)
    assert told == ("request-element-became-list", "breaking", "both")
    assert "a single value is refused" in finding.remedy
    assert "change the code that reads it" in finding.remedy


def test_new_namespace_does_not_affect_an_equal_soap_action() -> None:
    old = wsdl().replace('soapAction="urn:ask"', 'soapAction="urn:example:shop/ask"')
    new = old.replace("urn:example:shop", "urn:example:new")
    new = new.replace("urn:example:new/ask", "urn:example:shop/ask")
    assert [each.rule for each in found(old, new)] == ["namespace-changed"]
