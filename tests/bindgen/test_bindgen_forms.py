"""The form that patterns take: each expected text is judged by lxml's validator, with the same patterns."""

from __future__ import annotations

import pytest
from lxml import etree

from bindgen.forms import form
from bindgen.model import Facets, Simple

XSD = "http://www.w3.org/2001/XMLSchema"
DAY = "2026-11-20T"


def takes(kind: str, pattern: str, text: str) -> bool:
    schema = etree.fromstring(
        f'<x:schema xmlns:x="{XSD}"><x:element name="e"><x:simpleType><x:restriction base="x:{kind}">'
        f'<x:pattern value="{pattern}"/></x:restriction></x:simpleType></x:element></x:schema>'
    )
    node = etree.Element("e")
    node.text = text
    return etree.XMLSchema(schema).validate(node)


@pytest.mark.parametrize(
    ("kind", "pattern", "expected", "text"),
    [
        ("int", "[0-9]+", "", "1"),
        ("int", r"\d{4}", "4", "0001"),
        ("negativeInteger", r"-\d{3}", "3", "-001"),
        ("int", "[5-9]", "", None),  # no zeros before a number make it one of these
        ("boolean", "[01]", "01", "1"),
        ("boolean", "true|false", "", "true"),
        ("dateTime", r".*Z", "Z", f"{DAY}12:00:00Z"),
        ("dateTime", r"[^.]*", "", f"{DAY}12:00:00"),
        ("dateTime", r".*\.\d{3}Z", "3Z", f"{DAY}12:00:00.500Z"),
        ("dateTime", r".*\.\d{2}\+\d{2}:\d{2}", "2", f"{DAY}12:00:00.50+00:00"),
        ("time", r"\d{2}:\d{2}:\d{2}\.\d{6}", "6", "12:00:00.500000"),
        ("time", r"00:.*", "", None),  # none of the forms is tried with such an hour
        ("date", r".*Z", "", None),  # has one form alone
    ],
)
def test_the_one_form_that_a_pattern_takes(kind: str, pattern: str, expected: str, text: str | None) -> None:
    assert form(Simple(kind, "", ""), Facets(patterns=(pattern,))) == expected
    if text is not None:
        assert takes(kind, pattern, text)
        if expected:
            usual = {"int": "1", "negativeInteger": "-1", "boolean": "true", "time": "12:00:00"}
            assert not takes(kind, pattern, usual.get(kind, f"{DAY}12:00:00"))


@pytest.mark.parametrize("pattern", [r"\p{L}+", "(a*)*", "[9-0]", "a*" * 7, "0" * 201, "(1"])
def test_a_pattern_that_is_not_tried_leaves_the_usual_form(pattern: str) -> None:
    assert form(Simple("int", "", ""), Facets(patterns=(pattern,))) == ""
