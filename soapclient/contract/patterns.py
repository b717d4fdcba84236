"""Patterns of schemas (XSD 1.0 part 2, appendix F), which libxml2 matches in place of xmlschema.

xmlschema converts patterns to Python's regular expressions, which can take exponential time: `(a+)+b` takes
twice as long for each further `a`. Therefore libxml2 matches the patterns. It limits its steps, so it stops
within half a second, but sometimes without a result. A value without a result is accepted, and the pattern is
logged once.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, cast

import msgspec
from lxml import etree

from soapclient._support.forks import Lock, lazy
from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import clean
from soapclient.contract.compiling import XSD
from soapclient.runtime.errors import local_name

if TYPE_CHECKING:
    import xmlschema

log = logging.getLogger(__name__)

_MAX_ITEMS: Final = 1000
_PATTERN: Final = f"{{{XSD}}}pattern"
_WITH_PATTERN: Final = f"""<x:schema xmlns:x="{XSD}"><x:element name="v"><x:simpleType>
<x:restriction base="x:string"><x:pattern/></x:restriction></x:simpleType></x:element></x:schema>"""
# A repeated group that contains a repetition, for which Python may take exponential time.
_REPEATED_TWICE: Final = LazyPattern(r"[+*?}]\)*\)[+*{]")
# Patterns are quick for Python if no group is repeated, and only a few single characters are.
_REPEATED_GROUP: Final = LazyPattern(r"\)[+*?{]")
_REPEATED: Final = LazyPattern(r"[+*]|\{\d*,")
_MAX_REPEATED: Final = 2
_MAX_LENGTH: Final = 500  # maximum length of a text, characters


class CostlyPatterns:
    """Records the patterns that took too many steps to match a value, and logs each of them once.

    Such a pattern is not used again for the same message. `begin` is called before each message.
    """

    def __init__(self) -> None:
        self._logged: set[str] = set()
        self._stopped: set[str] = set()
        self._lock = Lock()

    def begin(self) -> None:
        """Begin a new message, in which no pattern has taken too many steps yet."""
        self._stopped.clear()

    @property
    def stopped_any(self) -> bool:
        """True if any pattern took too many steps in this message."""
        return bool(self._stopped)

    def stopped(self, pattern: str) -> bool:
        """Return True if this pattern has already taken too many steps in this message."""
        return pattern in self._stopped

    def add(self, pattern: str, owner: str) -> None:
        """Record a pattern that took too many steps. `owner` is what the log shows, such as `type Code`."""
        self._stopped.add(pattern)
        self._warn(f"the pattern {clean(pattern, 200)!r} of {owner}")

    def add_element(self, name: str) -> None:
        """Log that a pattern took too many steps to match a value of the element `name` in a message.

        It is not known which pattern it was.
        """
        self._warn(f"a pattern of element {name}")

    def _warn(self, what: str) -> None:
        with self._lock:
            new = what not in self._logged
            self._logged.add(what)
        if new:
            log.warning("%s took too long to match a value: values that take too long are not checked", what)


def bound_patterns(schema: xmlschema.XMLSchema, costly: CostlyPatterns) -> None:
    """Change all patterns in `schema`, which xmlschema compiled, so that libxml2 matches texts against them.

    `costly` records the patterns that take too many steps.
    """
    from xmlschema.validators import XsdPatternFacets, XsdSimpleType

    done: set[int] = set()
    for component in schema.maps.iter_components(XsdSimpleType):
        facets = getattr(component, "patterns", None)
        if isinstance(facets, XsdPatternFacets) and id(facets) not in done:
            done.add(id(facets))
            owner = _owner_of(component)
            patterns = cast("list[object]", facets.patterns)  # anything with a `match`
            values = [str(element.get("value", "")) for element in facets]
            fallbacks = zip(values, facets.patterns, strict=True)
            patterns[:] = [
                _LimitedPattern(Pattern(value), other, owner, costly) for value, other in fallbacks
            ]


def find_costly(schemas: Iterable[etree._Element], texts: Iterable[str]) -> set[str]:
    """Return the patterns in the schemas that take too many steps for any of the texts.

    A text may be the value of an XSD list, so the first items of each text are tested one by one, too.
    """
    tried: dict[str, None] = {}
    for text in texts:
        items = text.split()
        tried |= dict.fromkeys((text, " ".join(items), *items[:_MAX_ITEMS]))
    values = {node.get("value", "") for schema in schemas for node in schema.iter(_PATTERN)}
    return {value for value in values if Pattern(value).is_costly(tried)}


def remove_patterns(source: etree._Element, patterns: set[str], costly: CostlyPatterns) -> None:
    """Remove `patterns` from the schema `source`, which is modified, and record them in `costly`.

    Matching one of these patterns takes too many steps (see `find_costly`). If a simple type has several
    patterns, a value must match only one of them. So if one pattern is removed, all patterns of the type are
    removed. Otherwise, values that match only the removed pattern would become invalid.
    """
    for node in list(source.iter(_PATTERN)):
        parent = node.getparent()
        if node.get("value", "") in patterns and parent is not None:
            costly.add(node.get("value", ""), _owner(node))
            for other in list(parent.iterchildren(_PATTERN)):
                parent.remove(other)


def _owner(node: etree._Element) -> str:
    """Return the name of the type to which the facet `node` belongs, to show it in a log message.

    If that type is anonymous, return the name of the element or attribute that has the type.
    """
    for above in node.iterancestors():
        if (name := above.get("name")) is not None:
            return f"{_kind(str(above.tag))} {name}"
    return "an anonymous type"


def _owner_of(component: object) -> str:
    """Return the name of the type, element or attribute to which a component of a schema belongs.

    Like `_owner`, but for a component of a schema that xmlschema compiled.
    """
    while component is not None:
        if isinstance(name := getattr(component, "name", None), str):
            return f"{_kind(str(getattr(getattr(component, 'elem', None), 'tag', '')))} {local_name(name)}"
        component = getattr(component, "parent", None)
    return "an anonymous type"


def _kind(tag: str) -> str:
    return kind if (kind := local_name(tag)) in {"element", "attribute"} else "type"


class Pattern:
    """A pattern (regular expression) of a schema. Texts are matched by libxml2."""

    def __init__(self, value: str) -> None:
        self.value = value

    def is_costly(self, texts: Iterable[str]) -> bool:
        """Return True if the pattern takes too many steps for any of the texts."""
        try:
            for text in texts:
                self.matches(text)
        except etree.XMLSchemaValidateError:
            return True
        return False

    def matches(self, text: str) -> bool:
        """Return True if a text matches. Raises XMLSchemaValidateError after too many steps."""
        node = etree.Element("v")
        node.text = text
        return self.schema is None or self.schema.validate(node)

    @lazy
    def schema(self) -> etree.XMLSchema | None:
        """A schema with only this pattern. None if libxml2 cannot compile it."""
        root = etree.fromstring(_WITH_PATTERN)
        next(root.iter(_PATTERN)).set("value", self.value)
        try:
            return etree.XMLSchema(root)
        except etree.XMLSchemaParseError:
            return None


class _LimitedPattern(msgspec.Struct, frozen=True):
    """A pattern with the method `match`, which xmlschema calls in place of a compiled regular expression.

    `fallback` is the pattern as Python's regular expression. It is used if libxml2 cannot compile the
    pattern. It is also used if the pattern has character categories (`\\p{L}`) and libxml2 finds no match,
    because libxml2 does not know ideographs.
    """

    pattern: Pattern
    fallback: re.Pattern[str]
    owner: str
    costly: CostlyPatterns

    def match(self, text: str) -> object:
        """Return a true value if the text matches, or if this cannot be checked; otherwise None."""
        value = self.pattern.value
        if self.pattern.schema is None:
            return True if _REPEATED_TWICE.search(value) else self.fallback.match(text)
        if self.costly.stopped(value):
            return True
        try:
            if self.pattern.matches(text):
                return True
            return self.fallback.match(text) if _is_quick(value, text) else None
        except etree.XMLSchemaValidateError:
            self.costly.add(value, self.owner)
            return True


def _is_quick(pattern: str, text: str) -> bool:
    r"""Return True if the pattern has character categories (`\p{L}`), and Python can match `text` quickly.

    The result may be False although Python could match the text quickly.
    """
    return (
        r"\p{" in pattern
        and len(text) <= _MAX_LENGTH
        and not _REPEATED_GROUP.search(pattern)
        and len(_REPEATED.findall(pattern)) <= _MAX_REPEATED
    )
