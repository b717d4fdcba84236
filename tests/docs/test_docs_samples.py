"""Examples of simple types match their facets and patterns. libxml2 validates them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bindgen import naming
from bindgen.model import Facets
from bindgen.simple_types import SIMPLE, XSD
from soapclient.testing import samples
from soapclient.testing.pattern_examples import example
from tests.docs.conftest import PageOf, wsdl

pytestmark = pytest.mark.sampled(8)


def takes(base: str, text: str, **facets: str) -> bool:
    """Return True if libxml2 accepts a text for a restriction of a built-in type."""
    schema = etree.Element(f"{{{XSD}}}schema")
    element = etree.SubElement(schema, f"{{{XSD}}}element", name="e")
    simple = etree.SubElement(element, f"{{{XSD}}}simpleType")
    restriction = etree.SubElement(simple, f"{{{XSD}}}restriction", base=f"x:{base}", nsmap={"x": XSD})
    for name, value in facets.items():
        first, *words = name.split("_")
        etree.SubElement(restriction, f"{{{XSD}}}{first}{''.join(map(str.title, words))}", value=value)
    node = etree.Element("e")
    node.text = text
    return etree.XMLSchema(schema).validate(node)


@pytest.mark.parametrize(
    "pattern",
    [
        "[A-Z]{3}",
        "[0-9]{2}-[0-9]{4}",
        r"\d{3,5}",
        "(red|green)?",
        "a+b*c?",
        r"[A-Z]{2}[0-9]{2}([A-Z0-9]{4}){2,7}",
        r"[^@]+@[^@\s]+\.[a-z]{2,}",
        r"\p{Lu}\p{Ll}*",
        r"\P{L}{2}",
        r"[a-z-[aeiou]]+",
        r"\i\c*",
        r"[\w.\-]+",
        r"\{[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}",
        "x{0}y",
        "x{0,4}y{1,}",
        ".{3}",
        r"\S+",
        "[-+]?[0-9]+",
        "((a|b)(c|d)){2}",
        "é[ä-ü]",
        r"\$\d",
        "",
    ],
)
def test_a_pattern_has_an_example(pattern: str) -> None:
    text = example(pattern)
    assert text is not None
    assert takes("string", text, pattern=pattern), text


@pytest.mark.parametrize(
    "pattern", ["(", "a{999999999}", "[", "(" * 500 + ")" * 500, "[z-a]", r"\p{", "a{x}", "*", ")"]
)
def test_unsupported_pattern_has_no_example(pattern: str) -> None:
    assert example(pattern) is None


@given(st.text("ab1-[](){}|\\?*+.,^dwsSpL0", max_size=30))
def test_pattern_examples_terminate(pattern: str) -> None:
    text = example(pattern)
    assert text is None or len(text) <= 400


# Types that cannot be restricted, need a DTD, or are from XSD 1.1, which libxml2 does not support.
_UNKNOWN = {"anySimpleType", "anyType", "anyAtomicType", "NOTATION", "ENTITY", "ENTITIES"}
_UNKNOWN |= {"dateTimeStamp", "dayTimeDuration", "yearMonthDuration"}
WHOLE = st.integers(-(10**6), 10**6)


def sample(base: str, name: str = "thing", pattern: str = "", **facets: str) -> str:
    kind = SIMPLE[f"{{{XSD}}}{base}"].scalar.lower()
    return samples.scalar(kind, naming.snake(name), Facets(patterns=tuple(filter(None, [pattern])), **facets))  # type: ignore[arg-type] # all of these are strings


@given(WHOLE, st.integers(0, 1000), st.booleans(), st.sampled_from(["integer", "decimal", "long"]))
def test_numbers_are_within_their_bounds(low: int, span: int, inclusive: bool, base: str) -> None:
    kind = "inclusive" if inclusive else "exclusive"
    facets = {f"min_{kind}": str(low), f"max_{kind}": str(low + span + 2)}
    assert takes(base, sample(base, **facets), **facets)


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from(["shopName", "x", "homePageUrl", "id"]))
def test_texts_have_the_required_length(least: int, more: int, name: str) -> None:
    facets = {"min_length": str(least), "max_length": str(least + more)}
    assert takes("string", sample("string", name, **facets), **facets)
    assert takes("token", sample("token", name, length=str(least)), length=str(least))


@given(st.integers(1, 8), st.integers(0, 4))
def test_digits_do_not_exceed_the_limit(digits: int, fraction: int) -> None:
    facets = {"total_digits": str(max(digits, fraction)), "fraction_digits": str(fraction)}
    assert takes("decimal", sample("decimal", **facets), **facets)


def test_each_built_in_type_has_an_example() -> None:
    for qname, kind in SIMPLE.items():
        text, of = samples.sample(kind.scalar.lower(), "thing", None, lambda _: ())
        assert of == kind.scalar.lower()
        base = qname.removeprefix(f"{{{XSD}}}")
        if base not in _UNKNOWN:
            assert takes(base, text), (base, text)


def test_unknown_type_becomes_text() -> None:
    assert samples.scalar("made_up", "shop_name", Facets()) == "shop name"


def test_start_and_end_days_are_in_order() -> None:
    assert sample("date", "fromDate") < sample("date", "toDate")


def test_recursive_type_terminates(document_page: PageOf) -> None:
    shown = document_page(
        wsdl(
            """<x:element name="AskRequest" type="t:node"/><x:element name="AskResponse" type="t:node"/>
            <x:complexType name="node"><x:sequence><x:element name="label" type="x:string"/>
            <x:element name="left" type="t:node" minOccurs="0"/>
            <x:element name="rest" type="t:node" minOccurs="0" maxOccurs="unbounded"/>
            </x:sequence></x:complexType>"""
        )
    )
    _, response = shown.blocks("op.Ask", "XML example")
    assert 1 <= response.count("<label>") < 10
    assert "The schema does not take" not in shown.raw.decode()


@pytest.mark.parametrize(
    ("pattern", "least", "most"),
    [("[A-Z]+[0-9]*", 3, 5), ("[0-9]*", 8, 8), ("(ab){1,3}x|y{9}", 7, 7), ("[a-z]{2,}", 6, 6)],
)
def test_text_for_a_pattern_has_the_required_length(pattern: str, least: int, most: int) -> None:
    text = example(pattern, least)
    assert text is not None
    assert re.fullmatch(pattern, text)
    assert least <= len(text) <= most


@pytest.mark.parametrize(
    ("base", "patterns"),
    [
        ("date", ("[^:Z].*", r"\d{4}-\d{2}-\d{2}", ".*Z", r"19\d\d-.*")),
        ("dateTime", (".{19}", r".*\.\d{3}Z", ".*T00:00:00.*")),
        ("time", ("[^:].*Z",)),
        ("boolean", ("0|1", ".*")),
        ("duration", ("PT.*", "-P.*")),
        ("decimal", (r"\d+\.\d{2}",)),
        ("int", ("[0-9]{8}", ".+")),
        ("gYearMonth", (".*",)),
        ("double", (r"\S+",)),
        ("hexBinary", (".*",)),
        ("base64Binary", (".+",)),
        ("anyURI", ("https?://.*",)),
        ("NCName", ("[a-z0-9]+",)),
        ("ID", ("[0-9A-F]+.*",)),
        ("Name", (r"\S+",)),
        ("QName", ("[^:]+",)),
        ("language", (r"\S+",)),
    ],
)
def test_a_value_with_a_pattern_is_still_of_its_type(base: str, patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        text = sample(base, pattern=pattern)
        assert takes(base, text, pattern=pattern), text


@pytest.mark.parametrize(
    ("base", "pattern", "facets"),
    [
        ("date", ".*Z", {"min_inclusive": "2027-01-01"}),
        ("date", ".*Z", {"max_inclusive": "2020-01-01"}),
        ("date", r"\d{4}-\d{2}-\d{2}", {"min_inclusive": "2027-03-05", "max_inclusive": "2027-03-06"}),
        ("int", r"\d{3}", {"min_inclusive": "50", "max_inclusive": "120"}),
        ("ID", "[A-Z]+", {"min_length": "4"}),
    ],
)
def test_a_value_with_a_pattern_is_within_its_bounds(base: str, pattern: str, facets: dict[str, str]) -> None:
    text = sample(base, pattern=pattern, **facets)
    assert takes(base, text, pattern=pattern, **facets), text


def test_a_pattern_that_no_value_matches_gives_a_value_of_the_type() -> None:
    assert takes("date", sample("date", pattern="[a-z]+"))
