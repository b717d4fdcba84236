"""What a type takes, in words: by xmlschema's validator, or by what libxml2 said of a value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from soapclient.runtime.errors import local_name

UNKNOWN: Final = "what the schema says"

_XSD: Final = "{http://www.w3.org/2001/XMLSchema}"
# Facet (XSD 1.0 part 2 4.3) → what a value must be. A length counts characters, bytes or items, by the type.
_FACETS: Final = {
    "pattern": "a text that matches {}",
    "length": "a length of exactly {}",
    "minLength": "a length of at least {}",
    "maxLength": "a length of at most {}",
    "minInclusive": "at least {}",
    "maxInclusive": "at most {}",
    "minExclusive": "more than {}",
    "maxExclusive": "less than {}",
    "totalDigits": "at most {} digits",
    "fractionDigits": "at most {} digits after the point",
}
_FACET_TAGS: Final = {f"{_XSD}{name}" for name in ("enumeration", *_FACETS)}
# libxml2 ends what it says of a facet with the facet's value, and quotes the refused one before.
_PATTERN: Final = re.compile(r"is not accepted by the pattern '(.*)'\.\Z", re.DOTALL)
_ENUMERATION: Final = re.compile(r"is not an element of the set \{(.*)\}\.\Z", re.DOTALL)
_LIMIT: Final = re.compile(r".*\[facet '(\w+)'\] .*'([^']*)'\)?\.\Z", re.DOTALL)
_TYPE: Final = re.compile(r".* is not a valid value of the \w+ type '(xs:)?(\w[^':]*)'\.\Z", re.DOTALL)
# How libxml2 ends what it says of a place → what may stand there.
_PLACES: Final = {
    "is required but missing.": "a value, which the contract requires",
    "' is not allowed.": "no attribute of that name",
    "because the type definition is simple.": "a text without elements",
    "because the content type is 'element-only'.": "elements without a text between them",
    "The element declaration is abstract.": "an element that may stand for this one",
    "This element is not expected.": "no further element",
}


def _of_facet(facet: str, value: str) -> str:
    said = _FACETS[facet].format(value)
    return said.replace(" 1 digits", " 1 digit")


def by_validator(validator: object) -> str:
    """What a type or a facet of xmlschema takes; `UNKNOWN` where neither tells."""
    # A sequence are the values of an enumeration, patterns side by side, or the parts of a content model.
    parts = list(validator) if isinstance(validator, Sequence) else [getattr(validator, "elem", None)]
    facets = [part for part in parts if part is not None and getattr(part, "tag", None) in _FACET_TAGS]
    if facets:
        facet, values = local_name(str(facets[0].tag)), [str(part.get("value")) for part in facets]
        if facet == "enumeration":
            return "one of " + ", ".join(map(repr, values))
        return _of_facet(facet, " or ".join(values))
    name = getattr(validator, "name", None)
    if isinstance(name, str):
        return f"a value of type {'xsd:' * name.startswith(_XSD)}{local_name(name)}"
    return UNKNOWN


def by_words(said: str) -> str:
    """What libxml2 says that it takes; `UNKNOWN` where it does not."""
    if found := _PATTERN.search(said):
        return _of_facet("pattern", found[1])
    if found := _ENUMERATION.search(said):
        return f"one of {found[1]}"
    if (found := _LIMIT.match(said)) and found[1] in _FACETS:
        return _of_facet(found[1], found[2])
    if found := _TYPE.match(said):
        return f"a value of type {'xsd:' if found[1] else ''}{found[2]}"
    for ending, takes in _PLACES.items():
        if said.endswith(ending):
            return takes
    expected = said.partition("Expected is ")[2].strip(" .").replace("( ", "").replace(" )", "")
    return expected or UNKNOWN
