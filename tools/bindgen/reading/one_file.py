"""All documents of a contract as one WSDL with its schemas inline: the form every SOAP toolchain reads."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from lxml import etree

from bindgen.problems import Place, Problem
from bindgen.reading.documents import Document
from bindgen.reading.schemas import Schema
from bindgen.simple_types import XSD

_TYPES = "{http://schemas.xmlsoap.org/wsdl/}types"


def build(root: Document, schemas: Sequence[Schema], problems: list[Problem]) -> bytes:
    """The WSDL as bytes. A contract of one document is that document, unchanged."""
    outside = [schema for schema in schemas if schema.document.url != root.url]
    if not outside:
        return root.raw
    top = etree.fromstring(root.raw, etree.XMLParser(resolve_entities=False, no_network=True))
    types = top.find(_TYPES)
    assert types is not None  # a schema from outside is named by one that stands here
    inline = list(types.iterfind(f"{{{XSD}}}schema"))
    for schema in outside:
        same = [node for node in inline if node.get("targetNamespace", "") == schema.namespace]
        if same:
            _merge(same[0], schema, problems)
        else:
            copied = copy.deepcopy(schema.node)
            types.append(copied)
            inline.append(copied)
    for node in inline:
        _relink(node)
    return etree.tostring(top, xml_declaration=True, encoding="UTF-8") + b"\n"


def _merge(target: etree._Element, schema: Schema, problems: list[Problem]) -> None:
    """Move an included schema's components; values carry prefixes, so these must mean the same."""
    for prefix, space in schema.node.nsmap.items():
        if target.nsmap.get(prefix) != space:
            problems.append(
                Problem(
                    f"prefix {prefix!r} means two things in one namespace: not handled yet", _place(schema)
                )
            )
    for key in ("elementFormDefault", "attributeFormDefault"):
        if target.get(key, "unqualified") != schema.node.get(key, "unqualified"):
            problems.append(Problem(f"{key} differs within one namespace: not handled yet", _place(schema)))
    target.extend(copy.deepcopy(child) for child in schema.node)


def _relink(schema: etree._Element) -> None:
    """Name other schemas by namespace alone, each once and before all components, as XSD has it."""
    links = list(schema.iterchildren(f"{{{XSD}}}import", f"{{{XSD}}}include"))
    for link in links:
        schema.remove(link)
    spaces = dict.fromkeys(link.get("namespace") for link in links if link.tag == f"{{{XSD}}}import")
    for at, space in enumerate(spaces):
        named = {} if space is None else {"namespace": space}
        schema.insert(at, schema.makeelement(f"{{{XSD}}}import", named))


def _place(schema: Schema) -> Place:
    return schema.document.place(schema.node)
