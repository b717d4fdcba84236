"""Patterns that are too expensive for libxml2: their detection, their owners, and the schema without them."""

from __future__ import annotations

import logging

import pytest
from lxml import etree

from soapclient.contract.patterns import CostlyPatterns, find_costly, remove_patterns

XSD = "http://www.w3.org/2001/XMLSchema"
DEAR = "((((a{1,30}){1,30}){1,30}){1,30})b"
LONG = "a" * 40


def schema(inside: str) -> etree._Element:
    return etree.fromstring(f'<x:schema xmlns:x="{XSD}">{inside}</x:schema>')


def kind(name: str, *patterns: str) -> str:
    facets = "".join(f'<x:pattern value="{each}"/>' for each in patterns)
    named = f' name="{name}"' if name else ""
    return f'<x:simpleType{named}><x:restriction base="x:string">{facets}</x:restriction></x:simpleType>'


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["b", "aab"], set()),
        ([LONG], {DEAR}),
        (["b", LONG], {DEAR}),
        ([f"b {LONG}"], {DEAR}),  # an item of a list
        ([f" {LONG}\n"], {DEAR}),
        ([], set()),
    ],
)
def test_a_pattern_is_costly_for_some_texts(texts: list[str], found: set[str]) -> None:
    schemas = [schema(kind("Code", "[0-9]{2}", "a+")), schema(kind("Dear", DEAR) + "<x:pattern/>")]
    assert find_costly(schemas, texts) == found


def test_only_the_patterns_of_the_type_are_removed(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    source = schema(kind("Dear", "[0-9]", DEAR, "b+") + kind("Other", "[0-9]", "c"))
    remove_patterns(source, {DEAR}, CostlyPatterns())
    assert [node.get("value") for node in source.iter(f"{{{XSD}}}pattern")] == ["[0-9]", "c"]
    assert logged(caplog) == [
        f"the pattern {DEAR!r} of type Dear took too long to match a value: "
        "values that take too long are not checked"
    ]


@pytest.mark.parametrize(
    ("inside", "owner"),
    [
        (f'<x:element name="Ask">{kind("", DEAR)}</x:element>', "element Ask"),
        (f'<x:attribute name="by">{kind("", DEAR)}</x:attribute>', "attribute by"),
        (
            f'<x:complexType name="A"><x:attribute name="by">{kind("", DEAR)}</x:attribute></x:complexType>',
            "attribute by",
        ),
        (f'<x:simpleType name="Any"><x:union>{kind("", DEAR)}</x:union></x:simpleType>', "type Any"),
        (kind("", DEAR), "an anonymous type"),
    ],
)
def test_log_names_the_type_of_the_pattern(inside: str, owner: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    costly = CostlyPatterns()
    for _ in range(2):  # logged once
        remove_patterns(schema(inside), {DEAR}, costly)
    (said,) = logged(caplog)
    assert said.startswith("the pattern ")
    assert f" of {owner} took too long" in said


def test_log_shows_the_start_of_a_long_pattern(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    costly = CostlyPatterns()
    costly.add("a" * 10_000, "type Long")
    (said,) = logged(caplog)
    assert said.startswith("the pattern 'aaaa")
    assert len(said) < 400


def test_pattern_is_not_tried_again_within_a_message() -> None:
    costly = CostlyPatterns()
    assert not costly.stopped(DEAR)
    costly.add(DEAR, "type Dear")
    assert costly.stopped(DEAR)
    assert not costly.stopped("a+")
    costly.begin()
    assert not costly.stopped(DEAR)


def test_element_with_an_unknown_pattern_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    costly = CostlyPatterns()
    for name in ("Ask", "Ask", "Tell"):
        costly.add_element(name)
    owners = [said.partition(" took")[0] for said in logged(caplog)]
    assert owners == ["a pattern of element Ask", "a pattern of element Tell"]
