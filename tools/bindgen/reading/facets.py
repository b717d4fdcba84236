"""What a restriction of a simple type restricts (XSD 1.0 part 2, 4.3)."""

from __future__ import annotations

import dataclasses

from lxml import etree

from bindgen.model import Facets
from bindgen.reading.nodes import kind, parts

_PLAIN = {
    "length": "length",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minInclusive": "min_inclusive",
    "maxInclusive": "max_inclusive",
    "minExclusive": "min_exclusive",
    "maxExclusive": "max_exclusive",
    "totalDigits": "total_digits",
    "fractionDigits": "fraction_digits",
    "whiteSpace": "white_space",
}


def of(restriction: etree._Element) -> Facets:
    """The facets of one step. Of several patterns one is to fit, so they are one pattern of branches."""
    plain: dict[str, str] = {}
    values: list[str] = []
    patterns: list[str] = []
    for facet in parts(restriction):
        value = facet.get("value")
        if value is None:
            continue
        if (what := kind(facet)) == "enumeration":
            values.append(value)
        elif what == "pattern":
            patterns.append(value)
        elif what in _PLAIN:  # what else stands there is no facet of XSD 1.0
            plain[_PLAIN[what]] = value.strip()
    return Facets(
        enumeration=tuple(dict.fromkeys(values)), patterns=("|".join(patterns),) if patterns else (), **plain
    )


def upon(base: Facets | None, step: Facets) -> Facets | None:
    """The facets of a step and of all below it; None where there are none."""
    if base is not None:
        said = {name: value for name in _PLAIN.values() if (value := getattr(step, name))}
        patterns = tuple(dict.fromkeys((*base.patterns, *step.patterns)))
        values = step.enumeration or base.enumeration
        step = dataclasses.replace(base, enumeration=values, patterns=patterns, **said)
    return None if step == _NONE else step


_NONE = Facets()
