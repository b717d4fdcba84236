"""Simple types → the model's: a built-in type, an enumeration, a list or a union, and what restricts it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from lxml import etree

from bindgen.model import Enum, Facets, ListOf, Simple, SimpleType, UnionOf
from bindgen.problems import Place
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import EARLIER_XSD, ENCODING, doc, first, kind, parts
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.simple_types import SIMPLE, XSD

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
        step = msgspec.structs.replace(base, enumeration=values, patterns=patterns, **said)
    return None if step == _NONE else step


_NONE = Facets()


STRING = SIMPLE[f"{{{XSD}}}string"]
ANY_TYPE = f"{{{XSD}}}anyType"

# Built-in types whose values are texts that mean nothing more: an enumeration of them is one of names.
_TEXTS = {"string", "normalizedString", "token", "language", "NMTOKEN", "Name", "NCName", "anyURI"}
_KEPT_BLANKS = {"string", "normalizedString"}
_ENCODED = {"base64": "base64Binary"}  # the one name of SOAP's encoding that XSD calls otherwise
_DEEPEST = 50  # lists and unions within one another


@dataclass(frozen=True, slots=True)
class Read:
    """A simple type as it was read."""

    type: SimpleType
    facets: Facets | None = None


_ANY_TEXT = Read(STRING)


def built_in(qname: str) -> SimpleType | None:
    """The built-in simple type of that name: of XSD, of its drafts, or of SOAP's encoding."""
    space, _, local = qname[1:].rpartition("}")
    if space == ENCODING:
        local = _ENCODED.get(local, local)
    elif space != XSD and space not in EARLIER_XSD:
        return None
    return SIMPLE.get(f"{{{XSD}}}{local}")


class SimpleTypes:
    """Reads simple types when first asked for."""

    def __init__(self, schemas: Schemas, findings: Findings) -> None:
        self._schemas = schemas
        self._findings = findings
        self._read: dict[tuple[etree._Element, str], Read] = {}
        self._deep = 0

    def of(self, component: Component, qname: str) -> Read:
        """A declared simple type; `qname` is its name, or its path."""
        # Down the restrictions without recursion, for a contract may have thousands of them in a row.
        steps: list[tuple[str, Component]] = []
        met = set()
        found: Read | None = None
        while found is None:
            if component.key in self._read:
                found = self._read[component.key]
            elif component.key in met:
                self._weaken(component, component.node, "a circular simple type")
                found = _ANY_TEXT
            else:
                met.add(component.key)
                inner = first(component.node, "restriction", "list", "union")
                if inner is not None and kind(inner) == "restriction":
                    steps.append((qname, component))
                    below = self._base(component.schema, inner, qname)
                    if isinstance(below, Read):
                        found = below
                    else:
                        qname, component = below
                else:
                    found = self._composed(component, qname, inner)
                    self._read[component.key] = found
        for name, step in reversed(steps):
            restriction = first(step.node, "restriction")
            assert restriction is not None
            found = self._read[step.key] = self.restricted(found, restriction, step, name)
        return found

    def was_read(self, component: Component) -> bool:
        """Return True if a declared simple type was read."""
        return component.key in self._read

    def restricted(self, base: Read, restriction: etree._Element, component: Component, qname: str) -> Read:
        """A simple type with the facets of a restriction upon it."""
        step = of(restriction)
        kept, type_ = upon(base.facets, step), base.type
        if step.enumeration and (
            isinstance(type_, Enum) or (isinstance(type_, Simple) and type_.xsd in _TEXTS)
        ):
            collapsed = isinstance(type_, Simple) and type_.xsd not in _KEPT_BLANKS
            values = [" ".join(value.split()) if collapsed else value for value in step.enumeration]
            place = component.schema.document.place(component.node)
            type_ = Enum(qname, list(dict.fromkeys(values)), place, doc(component.node))
        return Read(type_, kept)

    def named(self, schema: Schema, node: etree._Element, raw: str) -> Read:
        """The simple type that a value names; a text, and a word about it, where it names none."""
        qname, component = self._schemas.find("types", schema, node, raw)
        known = built_in(qname)
        if known is not None:
            return Read(known)
        if component is not None and kind(component.node) == "simpleType":
            return self._guarded(component, qname)
        if qname == ANY_TYPE or qname[1:].startswith(EARLIER_XSD):
            return _ANY_TEXT
        what = "is declared nowhere in the contract" if component is None else "is no simple type"
        if qname.startswith(f"{{{XSD}}}"):
            what = "is not handled yet"
        self._findings.weaken(schema.document, node, f"type {raw!r} {what}; taken for a text")
        return _ANY_TEXT

    def inline(self, schema: Schema, node: etree._Element, path: str) -> Read | None:
        """The simple type declared inside a node, if there is one."""
        child = first(node, "simpleType")
        return None if child is None else self._guarded(Component(schema, child), path)

    def _guarded(self, component: Component, qname: str) -> Read:
        if self._deep >= _DEEPEST:
            self._weaken(
                component, component.node, f"lists and unions more than {_DEEPEST} deep; taken for a text"
            )
            return _ANY_TEXT
        self._deep += 1
        try:
            return self.of(component, qname)
        finally:
            self._deep -= 1

    def _base(self, schema: Schema, restriction: etree._Element, path: str) -> Read | tuple[str, Component]:
        """What a restriction restricts: a type that is read already, or the next to read."""
        raw = restriction.get("base")
        if raw is None:
            child = first(restriction, "simpleType")
            return _ANY_TEXT if child is None else (path, Component(schema, child))
        qname, component = self._schemas.find("types", schema, restriction, raw)
        if built_in(qname) is None and component is not None and kind(component.node) == "simpleType":
            return qname, component
        return self.named(schema, restriction, raw)

    def _composed(self, component: Component, qname: str, inner: etree._Element | None) -> Read:
        schema = component.schema
        if inner is None:
            self._weaken(component, component.node, "a simple type that says nothing; taken for a text")
            return _ANY_TEXT
        self._read[component.key] = _ANY_TEXT  # a circle, which is no valid schema, must still end
        place = schema.document.place(component.node)
        if kind(inner) == "list":
            raw = inner.get("itemType")
            item = self.named(schema, inner, raw) if raw else self.inline(schema, inner, f"{qname}_item")
            type_ = STRING if item is None else item.type
            if isinstance(type_, ListOf):
                self._weaken(component, inner, "a list of lists; its items are taken for texts")
                type_ = STRING
            return Read(ListOf(qname, type_, place, None if item is None else item.facets))
        named = [self.named(schema, inner, raw) for raw in inner.get("memberTypes", "").split()]
        children = [child for child in parts(inner) if kind(child) == "simpleType"]
        for at, child in enumerate(children, 1):
            path = f"{qname}_member" if len(children) == 1 else f"{qname}_member{at}"
            named.append(self._guarded(Component(schema, child), path))
        return Read(_union(qname, named, place)) if named else _ANY_TEXT

    def _weaken(self, component: Component, node: etree._Element, why: str) -> None:
        self._findings.weaken(component.schema.document, node, why)


def _union(qname: str, named: list[Read], place: Place) -> SimpleType:
    members: dict[int, Simple | Enum | ListOf] = {}
    for read in named:
        flat = read.type.members if isinstance(read.type, UnionOf) else [read.type]
        members |= {id(member): member for member in flat}
    flattened = list(members.values())
    return flattened[0] if len(flattened) == 1 else UnionOf(qname, flattened, place)
