"""Formats derived from patterns. lxml validates each expected text against the same patterns."""

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
        ("int", "[5-9]", "", None),  # leading zeros cannot make a number match
        ("boolean", "[01]", "01", "1"),
        ("boolean", "true|false", "", "true"),
        ("boolean", "true|0", "true0", "0"),
        ("boolean", "1|false", "1false", "1"),
        ("boolean", "1", "01", "1"),
        ("int", r"\+\d", "+", "+1"),
        ("decimal", r"\d+\.\d{2}", "", "1.50"),
        ("decimal", r"\+\d\.\d", "+", "+1.5"),
        ("decimal", r"\d{3}\.\d", "3", "001.5"),
        ("decimal", r"\.\d", ".", ".5"),
        ("float", r"\d\.", "0.", "1."),
        ("float", r"\d\.\dE\d", "E", "1.5E2"),
        ("double", r"\d\.\de-\d", "e", "1.5e-2"),
        ("double", r"\d+E\d", "nE", "15E1"),
        ("double", r"\dE\d", "nE", "1E1"),
        ("double", r"\d\.\dE\+\d", "", "1.5E+2"),
        ("dateTime", r".*Z", "Z", f"{DAY}12:00:00Z"),
        ("dateTime", r"[^.]*", "", f"{DAY}12:00:00"),
        ("dateTime", r".*\.\d{3}Z", "3Z", f"{DAY}12:00:00.500Z"),
        ("dateTime", r".*\.\d{2}\+\d{2}:\d{2}", "2", f"{DAY}12:00:00.50+00:00"),
        ("time", r"\d{2}:\d{2}:\d{2}\.\d{6}", "6", "12:00:00.500000"),
        ("time", r"00:.*", "", None),  # no candidate format is tried with this hour
        ("date", r".*Z", "Z", "2026-11-20Z"),
        ("date", r"\d{4}-.*", "", "2026-11-20"),
    ],
)
def test_pattern_selects_the_only_matching_form(
    kind: str, pattern: str, expected: str, text: str | None
) -> None:
    assert form(Simple(kind, "", ""), Facets(patterns=(pattern,))) == expected
    if text is not None:
        assert takes(kind, pattern, text)
        if expected:
            usual = {
                "int": ["1"],
                "negativeInteger": ["-1"],
                "boolean": ["true", "false"],
                "time": ["12:00:00"],
                "date": ["2026-11-20"],
            }
            usual |= {name: ["1", "1.5", "1.5E+2"] for name in ("decimal", "float", "double")}
            assert not all(takes(kind, pattern, text) for text in usual.get(kind, [f"{DAY}12:00:00"]))


@pytest.mark.parametrize("pattern", [r"\p{L}+", "(a*)*", "[9-0]", "a*" * 7, "0" * 201, "(1"])
def test_usual_form_is_kept_for_a_pattern_that_is_not_tried(pattern: str) -> None:
    assert form(Simple("int", "", ""), Facets(patterns=(pattern,))) == ""
