"""Remove invalid facets from the schemas of a contract, before the schemas are read.

A facet is invalid if it does not apply to its type (XSD 1.0 part 2, 4.1.5), such as maxLength of xsd:long,
or if its value is invalid, such as a maxInclusive of "unbounded". With an invalid facet, libxml2 would refuse
the schema, and validation would refuse every value.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from bindgen.model import Simple
from bindgen.problems import Problem
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import first, kind, parts
from bindgen.reading.schemas import Schema, Schemas
from bindgen.reading.simple import built_in
from bindgen.simple_types import XSD
from soapclient.runtime.lexical import is_valid

_LENGTHS = frozenset(("length", "minLength", "maxLength"))
_BOUNDS = frozenset(("minInclusive", "maxInclusive", "minExclusive", "maxExclusive"))
_DIGITS = frozenset(("totalDigits", "fractionDigits"))
_LIMITED = _LENGTHS | _BOUNDS | _DIGITS | {"enumeration"}  # facets that only some types can have
# Facets that count something, and the type of their values (part 2, 4.3).
_COUNTS = {
    **dict.fromkeys((*_LENGTHS, "fractionDigits"), "nonNegativeInteger"),
    "totalDigits": "positiveInteger",
}
_ORDERED = frozenset(
    (
        *("float", "double", "duration", "dateTime", "time", "date"),
        *("gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay"),
    )
)

_Step = tuple[Schema, etree._Element]  # a restriction or an extension, and its schema


def remove_inapplicable(schemas: Schemas, findings: Findings) -> list[Problem]:
    """Remove all facets that do not apply to their type or have an invalid value.

    A note is added for each removed facet. The notes are also returned, because they are reasons why the
    original schemas are invalid.
    """
    removed = []
    bases = _Bases(schemas)
    for schema in schemas.all:
        for restriction in list(schema.node.iter(f"{{{XSD}}}restriction")):
            facets = [facet for facet in parts(restriction) if kind(facet) in _LIMITED]
            base = bases.of(schema, restriction) if facets else ""
            for facet in facets:
                if reason := _refusal(facet, base):
                    problem = f"{kind(facet)} {reason}; it is ignored"
                    findings.weaken(schema.document, facet, problem)
                    removed.append(Problem(problem, schema.document.place(facet)))
                    restriction.remove(facet)
    return removed


def _refusal(facet: etree._Element, base: str) -> str:
    """Return the reason why a facet is invalid; "" if it is valid. `base` is a result of `_Bases.of`."""
    if base and kind(facet) not in _allowed(base):
        return f"does not apply to {base}"
    type_ = base.removeprefix("xsd:") if kind(facet) in _BOUNDS else _COUNTS.get(kind(facet), "")
    value = facet.get("value", "")
    if type_ and not is_valid(type_, value):
        return f"must not be {value!r} for {base or 'its type'}"
    return ""


def _allowed(base: str) -> frozenset[str]:
    """Return the facets in `_LIMITED` that a type can have.

    `_LIMITED` has the facets that only some types can have. Other facets are not checked.
    `base` is the built-in type, list or union at the end of the type's chain, as `_Bases.of` returns it.
    """
    if base == "a union":
        return frozenset(("enumeration",))
    local = base.removeprefix("xsd:")
    simple = built_in(f"{{{XSD}}}{local}")
    if local == "boolean":
        return frozenset()
    if isinstance(simple, Simple) and (local == "decimal" or simple.annotation == "int"):
        return _DIGITS | _BOUNDS | {"enumeration"}
    return (_BOUNDS if local in _ORDERED else _LENGTHS) | {"enumeration"}


class _Bases:
    """Finds the built-in type, list or union at the end of a chain of derived types."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._known: dict[tuple[etree._Element, str], str] = {}

    def of(self, schema: Schema, restriction: etree._Element) -> str:
        """Return the type at the end of the chain of derived types that begins with `restriction`.

        The result is the name of a built-in type (`xsd:…`), "a list", "a union", or "" if the type is
        unknown.
        """
        path: list[tuple[etree._Element, str]] = []
        step: _Step | None = (schema, restriction)
        name = ""
        while step is not None and not name:
            key = (step[1], step[0].namespace)
            if key in path:
                break  # a cycle, which is invalid
            if key in self._known:
                name = self._known[key]
                break
            path.append(key)
            name, step = self._below(*step)
        self._known.update(dict.fromkeys(path, name))
        return name

    def _below(self, schema: Schema, step: etree._Element) -> tuple[str, _Step | None]:
        """Go from `step`, a restriction or an extension, to its base type. Return (name, next step).

        - If the base type is itself a restriction or an extension, it is the next step, as a pair of its
          schema and its node. The name is "".
        - Otherwise the chain ends: the name is the base type, as `of` returns it. In this case, the next step
          is None.
        """
        inline = first(step, "simpleType")
        if inline is not None:
            return self._of_type(schema, inline)
        qname = schema.resolve(step, step.get("base", ""))
        if qname is None:
            return "", None
        simple = built_in(qname)
        if isinstance(simple, Simple):
            return f"xsd:{simple.xsd}".replace("xsd:anySimpleType", ""), None
        component = self._schemas.types.get(qname)
        return ("", None) if component is None else self._of_type(component.schema, component.node)

    def _of_type(self, schema: Schema, node: etree._Element) -> tuple[str, _Step | None]:
        content = first(node, "simpleContent")
        for step in _steps(node if content is None else content):
            if kind(step) in ("list", "union"):
                return f"a {kind(step)}", None
            return "", (schema, step)
        return "", None


def _steps(node: etree._Element) -> Iterator[etree._Element]:
    return (child for child in node if kind(child) in ("restriction", "extension", "list", "union"))
