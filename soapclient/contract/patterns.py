"""Patterns of schemas (XSD 1.0 part 2, appendix F), matched by libxml2 for xmlschema.

xmlschema makes Python's regular expressions of them, which for some try every way to cut a text: `(a+)+b`
takes twice as long for each further `a`. libxml2 counts its steps, and ends: within half a second, at times
without a result. A value that cannot be judged so passes, and the log says once of which pattern.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, cast

from lxml import etree

from soapclient.contract.alone import XSD
from soapclient.forks import Lock, lazy
from soapclient.redaction import clean
from soapclient.runtime.errors import local_name

if TYPE_CHECKING:
    import xmlschema

log = logging.getLogger(__name__)

_MOST_ITEMS: Final = 1000
_PATTERN: Final = f"{{{XSD}}}pattern"
# A group that repeats something and is repeated itself: what Python might never come to an end with.
_REPEATED_TWICE: Final = re.compile(r"[+*?}]\)*\)[+*{]")


class TooMuch:
    """The patterns of a contract that were too much work for some value: told in the log, once each.

    Within one message such a pattern is not tried again: `begin` says that another message comes.
    """

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._stopped: set[str] = set()
        self._lock = Lock()

    def begin(self) -> None:
        self._stopped.clear()

    def stopped(self, pattern: str) -> bool:
        """Whether that pattern was too much in this message already."""
        return pattern in self._stopped

    def add(self, pattern: str, owner: str) -> None:
        """Note a pattern; `owner` is what has it: `type Code`."""
        self._stopped.add(pattern)
        self._tell(f"{owner}: its pattern {clean(pattern, 200)!r}")

    def add_element(self, name: str) -> None:
        """Note an element of which the pattern is not known."""
        self._tell(f"element {name}: a pattern in it")

    def _tell(self, what: str) -> None:
        with self._lock:
            new = what not in self._told
            self._told.add(what)
        if new:
            log.warning("%s is too much work for a value: what cannot be judged passes", what)


def bound(schema: xmlschema.XMLSchema, too_much: TooMuch) -> None:
    """Let libxml2 match all patterns of a compiled schema."""
    from xmlschema.validators import XsdPatternFacets, XsdSimpleType

    done: set[int] = set()
    for component in schema.maps.iter_components(XsdSimpleType):
        facets = getattr(component, "patterns", None)
        if isinstance(facets, XsdPatternFacets) and id(facets) not in done:
            done.add(id(facets))
            owner = _owner_of(component)
            patterns = cast("list[object]", facets.patterns)  # whatever has a `match` will do
            values = [str(element.get("value", "")) for element in facets]
            patterns[:] = [
                _Bounded(Pattern(value), instead, owner, too_much)
                for value, instead in zip(values, facets.patterns, strict=True)
            ]


def too_much_for(schemas: Iterable[etree._Element], texts: Iterable[str]) -> set[str]:
    """The patterns in some schemas that are too much work for one of some texts, or of the first items in one
    that is a list."""
    tried: dict[str, None] = {}
    for text in texts:
        items = text.split()
        tried |= dict.fromkeys((text, " ".join(items), *items[:_MOST_ITEMS]))
    values = {node.get("value", "") for schema in schemas for node in schema.iter(_PATTERN)}
    return {value for value in values if Pattern(value).too_much(tried)}


def leave_out(source: etree._Element, patterns: set[str], too_much: TooMuch) -> None:
    """Take patterns out of a schema, and those beside them: a text has to match one of them."""
    for node in list(source.iter(_PATTERN)):
        parent = node.getparent()
        if node.get("value", "") in patterns and parent is not None:
            too_much.add(node.get("value", ""), _owner(node))
            for other in list(parent.iterchildren(_PATTERN)):
                parent.remove(other)


def _owner(node: etree._Element) -> str:
    """What a schema calls the type of a facet, or the element that has a type without a name."""
    for above in node.iterancestors():
        if (name := above.get("name")) is not None:
            return f"{_kind(str(above.tag))} {name}"
    return "a type without a name"


def _owner_of(component: object) -> str:
    """As `_owner`, of a component of xmlschema."""
    while component is not None:
        if isinstance(name := getattr(component, "name", None), str):
            return f"{_kind(str(getattr(getattr(component, 'elem', None), 'tag', '')))} {local_name(name)}"
        component = getattr(component, "parent", None)
    return "a type without a name"


def _kind(tag: str) -> str:
    return kind if (kind := local_name(tag)) in {"element", "attribute"} else "type"


class Pattern:
    """One pattern, matched by libxml2."""

    def __init__(self, value: str) -> None:
        self.value = value

    @property
    def known(self) -> bool:
        """Whether libxml2 takes it for one."""
        return self._schema is not None

    def too_much(self, texts: Iterable[str]) -> bool:
        """Whether it is too much work for one of some texts."""
        try:
            for text in texts:
                self.takes(text)
        except etree.XMLSchemaValidateError:
            return True
        return False

    def takes(self, text: str) -> bool:
        """Whether it takes a text. Raises XMLSchemaValidateError after too many steps."""
        node = etree.Element("v")
        node.text = text
        return self._schema is None or self._schema.validate(node)

    @lazy
    def _schema(self) -> etree.XMLSchema | None:
        root = etree.Element(f"{{{XSD}}}schema", nsmap={"x": XSD})
        simple = etree.SubElement(
            etree.SubElement(root, f"{{{XSD}}}element", name="v"), f"{{{XSD}}}simpleType"
        )
        restriction = etree.SubElement(simple, f"{{{XSD}}}restriction", base="x:string")
        etree.SubElement(restriction, _PATTERN, value=self.value)
        try:
            return etree.XMLSchema(root)
        except etree.XMLSchemaParseError:
            return None


class _Bounded:
    """One pattern, as far as xmlschema looks at what Python compiles."""

    def __init__(self, pattern: Pattern, instead: re.Pattern[str], owner: str, too_much: TooMuch) -> None:
        """`instead` matches where libxml2 does not take the pattern."""
        self._pattern = pattern
        self._instead = instead
        self._owner = owner
        self._too_much = too_much

    def match(self, text: str) -> object:
        """What is true where the pattern takes the text, or nobody can tell; else None."""
        value = self._pattern.value
        if not self._pattern.known:
            return True if _REPEATED_TWICE.search(value) else self._instead.match(text)
        if self._too_much.stopped(value):
            return True
        try:
            return self._pattern.takes(text) or None
        except etree.XMLSchemaValidateError:
            self._too_much.add(value, self._owner)
            return True
