"""xs:redefine (XSD 1.0 part 1, 4.2.2): the component that is redefined gets another name, under which the new
one builds upon it. After that the documents include one another as if nothing had been."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from bindgen.reading.findings import Findings
from bindgen.reading.nodes import kind, parts

if TYPE_CHECKING:
    from bindgen.reading.schemas import Component, Schema, Schemas, Table

_TABLES: dict[str, Table] = {
    "complexType": "types",
    "simpleType": "types",
    "group": "groups",
    "attributeGroup": "attribute_groups",
}
_BEFORE = "-redefined"


def resolve(schemas: Schemas, schema: Schema, link: etree._Element, findings: Findings) -> None:
    """Turn a redefine into an include, with the components it held beside it."""
    for node in list(parts(link)):
        name = node.get("name", "").strip()
        table = _TABLES.get(kind(node))
        if table is None or not name:
            findings.weaken(schema.document, node, f"{kind(node)} is not handled in a redefine")
            continue
        known = schemas.table(table)
        qname = f"{{{schema.namespace}}}{name}"
        before = known.pop(qname, None)
        if before is None:
            findings.weaken(schema.document, node, f"{name!r} is redefined, and defined nowhere")
        else:
            _rename(known, schema, node, name, before)
        link.addprevious(node)
        schemas.index(schema, node)


def _rename(
    known: dict[str, Component], schema: Schema, node: etree._Element, name: str, before: Component
) -> None:
    earlier = name + _BEFORE
    while f"{{{schema.namespace}}}{earlier}" in known:
        earlier += _BEFORE
    before.node.set("name", earlier)
    known[f"{{{schema.namespace}}}{earlier}"] = before
    for inner in node.iter("*"):
        attribute = "base" if kind(inner) in ("extension", "restriction") else "ref"
        raw = inner.get(attribute)
        if raw is not None and schema.meant(inner, raw) == f"{{{schema.namespace}}}{name}":
            inner.set(attribute, raw.strip() + _BEFORE * earlier.count(_BEFORE))
