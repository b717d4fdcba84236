"""All documents of a contract as one WSDL with its schemas inline: the form every SOAP toolchain reads."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import quoteattr

from lxml import etree

from bindgen import naming
from bindgen.problems import Place, Problem
from bindgen.reading import inline
from bindgen.reading.definitions import Definitions, Part
from bindgen.reading.documents import Document
from bindgen.reading.inline import Inlined
from bindgen.reading.nodes import WSDL, parsed
from bindgen.reading.schemas import Schema
from bindgen.simple_types import XSD

_DROPPED = (f"{{{WSDL}}}import", f"{{{WSDL}}}types")
_KINDS = ("message", "portType", "binding", "service")
_START = re.compile(r"<[^\s/>]+")
_OWN = "one"  # the prefix of the namespace of the whole, in what came from other documents


def join_documents(root: Document, definitions: Definitions, schemas: Sequence[Inlined]) -> bytes:
    """The WSDL as bytes. It is put together as text, for prefixes stand in values, too."""
    top = etree.Element(root.root.tag, dict(root.root.attrib), nsmap=root.root.nsmap)
    start, _, _ = etree.tostring(top, encoding="unicode").rpartition("/>")
    tag = _START.match(start)
    assert tag is not None
    pieces = [f"{start}>"]
    prefix = f"{root.root.prefix}:" if root.root.prefix else ""
    types = [f"<{prefix}types>", *inline.texts(schemas), f"</{prefix}types>"] if schemas else []
    names = _names(definitions)
    alone = len(definitions.all) == 1
    documentation = [node for node in root.root if node.tag == f"{{{WSDL}}}documentation"]
    pieces += [_text(node) for node in documentation]
    pieces += types
    for document in [root, *(one for one in definitions.all if one is not root)]:
        for node in document.root:
            if node in documentation or node.tag in _DROPPED or not isinstance(node.tag, str):
                continue
            local = node.tag.rpartition("}")[2] if node.tag.startswith(f"{{{WSDL}}}") else ""
            if alone or (document is root and local not in _KINDS):
                pieces.append(_text(node))
            elif local in _KINDS:
                part = Part(document, node, document.root.get("targetNamespace", "").strip())
                pieces += _moved(part, local, root, definitions, names)
    pieces.append(f"</{tag[0][1:]}>")
    return ('<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(pieces) + "\n").encode()


def _text(node: etree._Element) -> str:
    return etree.tostring(node, with_tail=False, encoding="unicode")


def _names(definitions: Definitions) -> dict[str, dict[str, str]]:
    """Kind → qualified name → the name it has in the whole, where all are of one namespace."""
    found: dict[str, dict[str, str]] = {}
    for kind in _KINDS:
        names: dict[str, str] = {}
        for part in definitions.each(kind):
            names[part.qname] = naming.unused(part.name, names.values())
        found[kind] = names
    return found


def _moved(
    part: Part, kind: str, root: Document, definitions: Definitions, names: dict[str, dict[str, str]]
) -> Iterator[str]:
    """A component as text, its name and what it names made to be of the whole's namespace."""
    name = names[kind].get(part.qname)
    if name is None or not any(one.node is part.node for one in definitions.each(kind)):
        return  # declared twice
    space = root.root.get("targetNamespace", "").strip()
    said = f" xmlns:{_OWN}={quoteattr(space)}" if space else ""
    text = _START.sub(lambda found: found[0] + said, _text(part.node), count=1)
    copy = parsed(text)
    copy.set("name", name)
    for node, original in zip(copy.iter("*"), part.node.iter("*"), strict=True):
        for attribute, target in _references(original, kind):
            found = definitions.named(target, part, original, original.get(attribute, ""))
            if found is not None:
                new = names[target][found.qname]
                node.set(attribute, f"{_OWN}:{new}" if space else new)
    yield _text(copy)


def _references(node: etree._Element, kind: str) -> Iterator[tuple[str, str]]:
    """The attributes that name components of a WSDL, and of what kind these are."""
    local = etree.QName(node).localname
    if local in ("input", "output", "fault", "header", "headerfault") and node.get("message"):
        yield "message", "message"
    elif local == "binding" and kind == "binding" and node.get("type"):
        yield "type", "portType"
    elif local == "port" and kind == "service":
        yield "binding", "binding"


_TYPES = "{http://schemas.xmlsoap.org/wsdl/}types"


def build(root: Document, schemas: Sequence[Schema], problems: list[Problem]) -> bytes:
    """The WSDL as bytes. A contract of one document is that document, unchanged."""
    outside = [schema for schema in schemas if schema.document.url != root.url]
    if not outside:
        return root.raw
    top = parsed(root.raw)
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
