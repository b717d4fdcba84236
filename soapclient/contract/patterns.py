"""Patterns of schemas (XSD 1.0 part 2, appendix F), matched by libxml2 for xmlschema.

xmlschema makes Python's regular expressions of them, which for some try every way to cut a text: `(a+)+b`
takes twice as long for each further `a`. libxml2 counts its steps, and ends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from lxml import etree

from soapclient.contract.alone import XSD
from soapclient.forks import lazy

if TYPE_CHECKING:
    import xmlschema

# A group that repeats something and is repeated itself: what Python might never come to an end with.
_REPEATED_TWICE: Final = re.compile(r"[+*?}]\)*\)[+*{]")


def bound(schema: xmlschema.XMLSchema) -> None:
    """Let libxml2 match all patterns of a compiled schema."""
    from xmlschema.validators import XsdPatternFacets, XsdSimpleType

    done: set[int] = set()
    for component in schema.maps.iter_components(XsdSimpleType):
        facets = getattr(component, "patterns", None)
        if isinstance(facets, XsdPatternFacets) and id(facets) not in done:
            done.add(id(facets))
            patterns = cast("list[object]", facets.patterns)  # whatever has a `match` will do
            values = [str(element.get("value", "")) for element in facets]
            patterns[:] = [_Pattern(*pair) for pair in zip(values, facets.patterns, strict=True)]


class _Pattern:
    """One pattern, as far as xmlschema looks at what Python compiles."""

    def __init__(self, value: str, instead: re.Pattern[str]) -> None:
        """`instead` matches where libxml2 does not take the pattern."""
        self._value = value
        self._instead = instead

    def match(self, text: str) -> object:
        """What is true where the pattern takes the text, or nobody can tell; else None."""
        if self._schema is None:
            return True if _REPEATED_TWICE.search(self._value) else self._instead.match(text)
        node = etree.Element("v")
        node.text = text
        try:
            return self._schema.validate(node) or None
        except etree.XMLSchemaValidateError:  # too many steps
            return True

    @lazy
    def _schema(self) -> etree.XMLSchema | None:
        root = etree.Element(f"{{{XSD}}}schema", nsmap={"x": XSD})
        simple = etree.SubElement(
            etree.SubElement(root, f"{{{XSD}}}element", name="v"), f"{{{XSD}}}simpleType"
        )
        restriction = etree.SubElement(simple, f"{{{XSD}}}restriction", base="x:string")
        etree.SubElement(restriction, f"{{{XSD}}}pattern", value=self._value)
        try:
            return etree.XMLSchema(root)
        except etree.XMLSchemaParseError:
            return None
