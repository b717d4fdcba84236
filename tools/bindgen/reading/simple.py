"""Read simple types as built-in types, enumerations, lists or unions, with their facets."""

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

_SINGLE_FACETS = {
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
    """Return the facets of one restriction. Its patterns are alternatives, so they are joined into one."""
    single_values: dict[str, str] = {}
    values: list[str] = []
    patterns: list[str] = []
    for facet in parts(restriction):
        value = facet.get("value")
        if value is None:
            continue
        if (facet_kind := kind(facet)) == "enumeration":
            values.append(value)
        elif facet_kind == "pattern":
            patterns.append(value)
        elif facet_kind in _SINGLE_FACETS:  # other elements are not facets of XSD 1.0
            single_values[_SINGLE_FACETS[facet_kind]] = value.strip()
    return Facets(
        enumeration=tuple(dict.fromkeys(values)),
        patterns=("|".join(patterns),) if patterns else (),
        **single_values,
    )


def upon(base: Facets | None, step: Facets) -> Facets | None:
    """Return all facets of a derived type: the facets of its base type and of its restriction.

    `base` are the facets of the base type, and `step` are the facets that the restriction itself declares.
    Returns None if there are no facets.
    """
    if base is not None:
        facets = {name: value for name in _SINGLE_FACETS.values() if (value := getattr(step, name))}
        patterns = tuple(dict.fromkeys((*base.patterns, *step.patterns)))
        values = step.enumeration or base.enumeration
        step = msgspec.structs.replace(base, enumeration=values, patterns=patterns, **facets)
    return None if step == _NONE else step


_NONE = Facets()


STRING = SIMPLE[f"{{{XSD}}}string"]
ANY_TYPE = f"{{{XSD}}}anyType"

# Built-in types that are plain strings. An enumeration of them becomes an `Enum`.
_TEXTS = {"string", "normalizedString", "token", "language", "NMTOKEN", "Name", "NCName", "anyURI"}
_KEPT_BLANKS = {"string", "normalizedString"}
_ENCODED = {"base64": "base64Binary"}  # the only type of SOAP encoding whose name in XSD is different
_DEEPEST = 50  # nesting of lists and unions


@dataclass(frozen=True, slots=True)
class SimpleTypeRead:
    """A simple type that was read, with its facets."""

    type: SimpleType
    facets: Facets | None = None


_ANY_TEXT = SimpleTypeRead(STRING)


def built_in(qname: str) -> SimpleType | None:
    """Return the built-in simple type with a name of XSD, its drafts, or SOAP encoding; None if unknown."""
    space, _, local = qname[1:].rpartition("}")
    if space == ENCODING:
        local = _ENCODED.get(local, local)
    elif space != XSD and space not in EARLIER_XSD:
        return None
    return SIMPLE.get(f"{{{XSD}}}{local}")


class SimpleTypes:
    """Reads simple types when they are first needed."""

    def __init__(self, schemas: Schemas, findings: Findings) -> None:
        self._schemas = schemas
        self._findings = findings
        self._read: dict[tuple[etree._Element, str], SimpleTypeRead] = {}
        self._depth = 0

    def of(self, component: Component, qname: str) -> SimpleTypeRead:
        """Return a declared simple type. `qname` is its name, or its path if it is anonymous."""
        # Not recursive, because a contract may have chains of thousands of restrictions.
        steps: list[tuple[str, Component]] = []
        seen = set()
        read: SimpleTypeRead | None = None
        while read is None:
            if component.key in self._read:
                read = self._read[component.key]
            elif component.key in seen:
                self._weaken(component, component.node, "a circular simple type")
                read = _ANY_TEXT
            else:
                seen.add(component.key)
                inner = first(component.node, "restriction", "list", "union")
                if inner is not None and kind(inner) == "restriction":
                    steps.append((qname, component))
                    below = self._base(component.schema, inner, qname)
                    if isinstance(below, SimpleTypeRead):
                        read = below
                    else:
                        qname, component = below
                else:
                    read = self._read_list_or_union(component, qname, inner)
                    self._read[component.key] = read
        for name, step in reversed(steps):
            restriction = first(step.node, "restriction")
            assert restriction is not None
            read = self._read[step.key] = self.restricted(read, restriction, step, name)
        return read

    def was_read(self, component: Component) -> bool:
        """Return True if the simple type that `component` declares was already read, because it is used."""
        return component.key in self._read

    def restricted(
        self, base: SimpleTypeRead, restriction: etree._Element, component: Component, qname: str
    ) -> SimpleTypeRead:
        """Return the simple type `base` with the facets of a restriction added.

        If the restriction lists the values of a string type, the result is an enumeration named `qname`.
        `component` is the declaration of the new type.
        """
        step = of(restriction)
        facets, type_ = upon(base.facets, step), base.type
        if step.enumeration and (
            isinstance(type_, Enum) or (isinstance(type_, Simple) and type_.xsd in _TEXTS)
        ):
            collapsed = isinstance(type_, Simple) and type_.xsd not in _KEPT_BLANKS
            values = [" ".join(value.split()) if collapsed else value for value in step.enumeration]
            place = component.schema.document.place(component.node)
            type_ = Enum(qname, list(dict.fromkeys(values)), place, doc(component.node))
        return SimpleTypeRead(type_, facets)

    def named(self, schema: Schema, node: etree._Element, raw: str) -> SimpleTypeRead:
        """Return the simple type with the name `raw`.

        For an unknown name, a note is added, and the type is a string.
        """
        qname, component = self._schemas.find("types", schema, node, raw)
        type_ = built_in(qname)
        if type_ is not None:
            return SimpleTypeRead(type_)
        if component is not None and kind(component.node) == "simpleType":
            return self._read_nested(component, qname)
        if qname == ANY_TYPE or qname[1:].startswith(EARLIER_XSD):
            return _ANY_TEXT
        problem = "is not declared in the contract" if component is None else "is not a simple type"
        if qname.startswith(f"{{{XSD}}}"):
            problem = "is not supported"
        self._findings.weaken(schema.document, node, f"type {raw!r} {problem}; read as a string")
        return _ANY_TEXT

    def inline(self, schema: Schema, node: etree._Element, path: str) -> SimpleTypeRead | None:
        """Return the simple type that is declared inside a node. None if there is no such declaration.

        `path` is the name for this anonymous type.
        """
        child = first(node, "simpleType")
        return None if child is None else self._read_nested(Component(schema, child), path)

    def _read_nested(self, component: Component, qname: str) -> SimpleTypeRead:
        """Read a simple type inside another one. If it is nested too deeply, it is read as a string."""
        if self._depth >= _DEEPEST:
            self._weaken(
                component,
                component.node,
                f"lists and unions are nested more than {_DEEPEST} levels deep; read as a string",
            )
            return _ANY_TEXT
        self._depth += 1
        try:
            return self.of(component, qname)
        finally:
            self._depth -= 1

    def _base(
        self, schema: Schema, restriction: etree._Element, path: str
    ) -> SimpleTypeRead | tuple[str, Component]:
        """Return the base type of a restriction.

        Returns a SimpleTypeRead if the base is built in or unknown. If the contract declares the base,
        returns a pair: its name (`path` if it is anonymous), and its declaration, which the caller reads
        next.
        """
        raw = restriction.get("base")
        if raw is None:
            child = first(restriction, "simpleType")
            return _ANY_TEXT if child is None else (path, Component(schema, child))
        qname, component = self._schemas.find("types", schema, restriction, raw)
        if built_in(qname) is None and component is not None and kind(component.node) == "simpleType":
            return qname, component
        return self.named(schema, restriction, raw)

    def _read_list_or_union(
        self, component: Component, qname: str, inner: etree._Element | None
    ) -> SimpleTypeRead:
        """Read a simple type that is a list or a union. `inner` is its xs:list or xs:union.

        If `inner` is None, the type has no content. It is read as a string, and a note is added.
        """
        schema = component.schema
        if inner is None:
            self._weaken(component, component.node, "an empty simple type; read as a string")
            return _ANY_TEXT
        self._read[component.key] = _ANY_TEXT  # ends cycles, which are invalid
        place = schema.document.place(component.node)
        if kind(inner) == "list":
            raw = inner.get("itemType")
            item = self.named(schema, inner, raw) if raw else self.inline(schema, inner, f"{qname}_item")
            type_ = STRING if item is None else item.type
            if isinstance(type_, ListOf):
                self._weaken(component, inner, "a list of lists; its items are read as strings")
                type_ = STRING
            return SimpleTypeRead(ListOf(qname, type_, place, None if item is None else item.facets))
        members = [self.named(schema, inner, raw) for raw in inner.get("memberTypes", "").split()]
        children = [child for child in parts(inner) if kind(child) == "simpleType"]
        for number, child in enumerate(children, 1):
            path = f"{qname}_member" if len(children) == 1 else f"{qname}_member{number}"
            members.append(self._read_nested(Component(schema, child), path))
        return SimpleTypeRead(_union(qname, members, place)) if members else _ANY_TEXT

    def _weaken(self, component: Component, node: etree._Element, reason: str) -> None:
        self._findings.weaken(component.schema.document, node, reason)


def _union(qname: str, reads: list[SimpleTypeRead], place: Place) -> SimpleType:
    """Return the union of several types. Nested unions are flattened. The union of one type is this type."""
    members: dict[int, Simple | Enum | ListOf] = {}
    for read in reads:
        flat = read.type.members if isinstance(read.type, UnionOf) else [read.type]
        members |= {id(member): member for member in flat}
    flattened = list(members.values())
    return flattened[0] if len(flattened) == 1 else UnionOf(qname, flattened, place)
