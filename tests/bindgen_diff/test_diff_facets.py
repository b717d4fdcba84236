"""Facets in two states: whether more values fit than before, or fewer, or neither (XSD 1.0 part 2, 4.3)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bindgen.diff.findings import Finding

Wsdl = Callable[..., str]
Found = Callable[[str, str], list[Finding]]

Facets = tuple[tuple[str, str], ...]
WIDER, OTHER, SAME = "facet-widened", "facet-changed", ""
LEVELS = {
    "facet-widened": ("info", "breaking"),
    "facet-narrowed": ("breaking", "info"),
    "facet-changed": ("breaking", "breaking"),
}
BACK = {WIDER: "facet-narrowed", OTHER: OTHER}


def least(value: str) -> tuple[str, str]:
    return "minInclusive", value


def most(value: str) -> tuple[str, str]:
    return "maxInclusive", value


def below(value: str) -> tuple[str, str]:
    return "maxExclusive", value


def above(value: str) -> tuple[str, str]:
    return "minExclusive", value


def pattern(value: str) -> tuple[str, str]:
    return "pattern", value


CASES: list[tuple[str, Facets, Facets, str]] = [
    ("decimal", (("fractionDigits", "2"),), (("fractionDigits", "4"),), WIDER),
    ("decimal", (("fractionDigits", "2"),), (), WIDER),
    ("string", (("whiteSpace", "replace"),), (("whiteSpace", "collapse"),), OTHER),
    ("decimal", (below("10"),), (most("10"),), WIDER),
    ("decimal", (above("10"),), (least("10"),), WIDER),
    ("decimal", (most("9.5"),), (below("10"),), WIDER),
    ("double", (most("9"),), (most("1.9e1"),), WIDER),
    ("double", (most("9"),), (most("INF"),), WIDER),
    ("float", (least("2"), most("3")), (least("1"), most("2")), OTHER),
    ("date", (most("2020-02-29"),), (most("2020-03-01"),), WIDER),
    ("date", (most("2019-12-31"),), (below("2020-01-01"),), WIDER),
    ("dateTime", (most("2020-01-01T00:00:00Z"),), (most("2020-01-01T01:30:00+01:00"),), WIDER),
    ("dateTime", (most("2020-01-01T00:00:00Z"),), (most("2030-01-01T00:00:00"),), OTHER),
    ("time", (most("09:00:00"),), (most("09:00:00.5"),), WIDER),
    ("gYear", (least("2020"),), (least("-0001"),), WIDER),
    ("duration", (most("P1D"),), (most("P2D"),), OTHER),
    ("string", (pattern("a"),), (pattern("a"), pattern("b")), WIDER),
    ("string", (pattern("a|b"),), (pattern("b"), pattern("a"), pattern("c")), WIDER),
    ("string", (pattern("(a|b)c"),), (pattern("(a|d)c"),), OTHER),
    ("string", (pattern("[a|]c"),), (pattern(r"[a|]c|\]"),), WIDER),
    ("string", (pattern(r"a\|b"),), (pattern("b"), pattern(r"a\|b")), WIDER),
]


def restricted(base: str, facets: Facets) -> str:
    inner = "".join(f'<x:{name} value="{value}"/>' for name, value in facets)
    return f'<x:simpleType name="S"><x:restriction base="x:{base}">{inner}</x:restriction></x:simpleType>'


@pytest.mark.parametrize(("base", "narrow", "wide", "rule"), CASES)
def test_what_fits_decides(
    base: str, narrow: Facets, wide: Facets, rule: str, found: Found, wsdl: Wsdl
) -> None:
    use = '<x:element name="s" type="t:S"/>'
    for number, end in enumerate(("request", "response")):
        sides = [wsdl(restricted(base, facets), **{end: use}) for facets in (narrow, wide)]
        for old, new, what in ((*sides, rule), (*reversed(sides), BACK[rule])):
            told = [(each.rule, each.level, each.path) for each in found(old, new)]
            assert told == [(f"{end}-{what}", LEVELS[what][number], "S")]


def test_patterns_in_another_order_are_the_same(found: Found, wsdl: Wsdl) -> None:
    use = '<x:element name="s" type="t:S"/>'
    old, new = (
        wsdl(restricted("string", facets), request=use)
        for facets in ((pattern("a"), pattern("b")), (pattern("b"), pattern("a")))
    )
    assert found(old, new) == []


def test_which_member_of_a_union_takes_a_text_first(found: Found, wsdl: Wsdl) -> None:
    union = '<x:simpleType name="S"><x:union memberTypes="{}"/></x:simpleType>'
    use = '<x:element name="s" type="t:S"/>'
    old, new = (wsdl(union.format(names), request=use) for names in ("x:int x:string", "x:string x:int"))
    assert [(each.rule, each.level) for each in found(old, new)] == [("request-type-changed", "breaking")]


@pytest.mark.parametrize("facet", ["length", "maxLength"])
def test_how_long_a_list_may_be(facet: str, found: Found, wsdl: Wsdl) -> None:
    def listed(length: int) -> str:
        items = '<x:simpleType name="I"><x:list itemType="x:int"/></x:simpleType>'
        step = f'<x:restriction base="t:I"><x:{facet} value="{length}"/></x:restriction>'
        return f'{items}<x:simpleType name="S">{step}</x:simpleType>'

    old, new = (wsdl(listed(length), request='<x:element name="s" type="t:S"/>') for length in (3, 5))
    rule = "facet-widened" if facet == "maxLength" else "facet-changed"
    assert [each.rule for each in found(old, new)] == [f"request-{rule}"]
