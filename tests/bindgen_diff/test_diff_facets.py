"""Facets in two states: more, fewer or other values are valid than before (XSD 1.0 part 2, 4.3)."""

# ruff: noqa: E501 - tables of schemas, one per line

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.bindgen_diff.conftest import compare, found, wsdl

Facets = tuple[tuple[str, str], ...]
WIDER, OTHER, SAME = "facet-widened", "facet-changed", ""
LEVELS = {
    "facet-widened": ("info", "breaking"),
    "facet-narrowed": ("breaking", "info"),
    "facet-changed": ("breaking", "breaking"),
}
BACK = {WIDER: "facet-narrowed", OTHER: OTHER}


def facet(name: str) -> Callable[[str], tuple[str, str]]:
    return lambda value: (name, value)


least, most = facet("minInclusive"), facet("maxInclusive")
above, below, pattern = facet("minExclusive"), facet("maxExclusive"), facet("pattern")
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


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("base", "narrow", "wide", "rule"), CASES)
def test_narrower_and_wider_facets_decide_the_level(
    base: str, narrow: Facets, wide: Facets, rule: str
) -> None:
    use = '<x:element name="s" type="t:S"/>'
    for number, end in enumerate(("request", "response")):
        sides = [wsdl(restricted(base, facets), **{end: use}) for facets in (narrow, wide)]
        for old, new, what in ((*sides, rule), (*reversed(sides), BACK[rule])):
            told = [(each.rule, each.level, each.path) for each in found(old, new)]
            assert told == [(f"{end}-{what}", LEVELS[what][number], "S")]


def test_order_of_patterns_does_not_matter() -> None:
    one, other = pattern("a"), pattern("b")
    old, new = _both(restricted("string", (one, other)), restricted("string", (other, one)))
    assert found(old, new) == []


def test_reordered_union_members_change_the_type() -> None:
    old, new = _both(_union("x:int x:string"), _union("x:string x:int"))
    assert [(each.rule, each.level) for each in found(old, new)] == [("request-type-changed", "breaking")]


@pytest.mark.parametrize("facet", ["length", "maxLength"])
def test_list_length_changes_are_reported(facet: str) -> None:
    def listed(length: int) -> str:
        step = f'<x:restriction base="t:I"><x:{facet} value="{length}"/></x:restriction>'
        return f'{_INTS}<x:simpleType name="S">{step}</x:simpleType>'

    old, new = _both(listed(3), listed(5))
    rule = "facet-widened" if facet == "maxLength" else "facet-changed"
    assert [each.rule for each in found(old, new)] == [f"request-{rule}"]


_INTS = '<x:simpleType name="I"><x:list itemType="x:int"/></x:simpleType>'
_LONGS = _INTS.replace("x:int", "x:long")
_ONE = '<x:simpleType name="E"><x:restriction base="x:string"><x:enumeration value="a"/></x:restriction></x:simpleType>'
_TWO = _ONE.replace("</x:r", '<x:enumeration value="b"/></x:r')


def _union(members: str) -> str:
    return f'<x:simpleType name="S"><x:union memberTypes="{members}"/></x:simpleType>'


# Two types S. The second accepts more values (XSD 1.0 part 2, 4.1). Then the message.
WIDER_TYPES = {
    "items of a list": ('<x:simpleType name="S"><x:list itemType="x:int"/></x:simpleType>', '<x:simpleType name="S"><x:list itemType="x:long"/></x:simpleType>', "`S`: items of the list: xsd:long now, it was xsd:int."),
    "a list in a union": (_INTS + _union("x:date t:I"), _LONGS + _union("x:date t:I"), "`S`: xsd:date or a list of xsd:long now, it was xsd:date or a list of xsd:int."),
    "an enumeration in a union": (_ONE + _union("x:date t:E"), _TWO + _union("x:date t:E"), "`S`: xsd:date or the enumeration E now, it was xsd:date or the enumeration E."),
    "an enumeration becomes a union": (_ONE.replace('"E"', '"S"'), _ONE + _union("x:date t:E"), "`S`: xsd:date or the enumeration E now, it was the enumeration S."),
}  # fmt: skip
OTHER_TYPES = {
    "a list becomes a text": (_INTS.replace('"I"', '"S"'), '<x:simpleType name="S"><x:restriction base="x:string"/></x:simpleType>'),
    "a list in a union becomes its item": (_INTS + _union("x:date t:I"), _union("x:date x:int")),
    "an enumeration in a union becomes a number": (_ONE + _union("x:date t:E"), _union("x:date x:int")),
}  # fmt: skip


def _both(*schemas: str) -> list[str]:
    return [wsdl(schema, request='<x:element name="s" type="t:S"/>') for schema in schemas]


@pytest.mark.parametrize("case", WIDER_TYPES)
def test_widened_type_is_reported_and_narrowed_in_reverse(case: str) -> None:
    old, new = _both(*WIDER_TYPES[case][:2])
    (there,) = found(old, new)
    (back,) = found(new, old)
    assert (there.rule, there.level, there.message) == ("request-type-widened", "info", WIDER_TYPES[case][2])
    assert (back.rule, back.level) == ("request-type-narrowed", "breaking")


@pytest.mark.parametrize("case", OTHER_TYPES)
def test_type_with_other_values_is_reported(case: str) -> None:
    old, new = _both(*OTHER_TYPES[case])
    for before, after in ((old, new), (new, old)):
        told = [(each.rule, each.level) for each in found(before, after)]
        assert told == [("request-type-changed", "breaking")]


@pytest.mark.parametrize(
    ("base", "facet", "odd"),
    [
        ("date", "maxInclusive", "2019-02-30"),
        ("decimal", "maxInclusive", "x"),
        ("double", "maxInclusive", "NaN"),
        ("dateTime", "maxInclusive", "tomorrow"),
    ],
)
def test_a_bound_that_is_not_a_value_is_not_checked(base: str, facet: str, odd: str) -> None:
    good = {"date": "2019-02-28", "dateTime": "2019-02-28T00:00:00Z"}.get(base, "2")
    old, new = _both(*(restricted(base, ((facet, value),)) for value in (odd, good)))
    there, back = ([each.rule for each in compare(*sides).findings] for sides in ((old, new), (new, old)))
    if odd == "NaN":
        assert (there, back) == (["request-facet-changed"], ["request-facet-changed"])
    else:  # an invalid bound is noted and ignored when the contract is read
        assert (there, back) == (["request-facet-narrowed"], ["not-checked", "request-facet-widened"])


def test_a_facet_that_does_not_apply_to_its_type_is_not_checked() -> None:
    without, odd = _both(restricted("long", ()), restricted("long", (("maxLength", "2"),)))
    told = [(each.rule, each.level) for each in compare(without, odd).findings]
    assert told == [("not-checked", "unchecked")]
    assert compare(odd, without).findings == ()
    assert compare(odd, odd).findings == ()
