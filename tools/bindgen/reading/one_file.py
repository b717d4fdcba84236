"""All documents of a contract as one WSDL with its schemas inline: the form every SOAP toolchain reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from lxml import etree

from bindgen import naming
from bindgen.reading import compiled
from bindgen.reading.definitions import Definitions, Part
from bindgen.reading.documents import Document
from bindgen.reading.nodes import WSDL, parsed
from bindgen.reading.schemas import Schemas

_DROPPED = (f"{{{WSDL}}}import", f"{{{WSDL}}}types")
_KINDS = ("message", "portType", "binding", "service")
_START = re.compile(r"<[^\s/>]+")
_ORIGIN = "soapclient-name"  # the processing instruction with the original name of a component
_OWN = "one"  # the prefix of the namespace of the whole, in what came from other documents


def join_documents(root: Document, definitions: Definitions, schemas: Schemas, *, unchanged: bool) -> bytes:
    """The WSDL as bytes. It is put together as text, for prefixes stand in values, too.

    `unchanged`: a contract that is one document already is that document, byte for byte.
    """
    alone = len(definitions.all) == 1
    if unchanged and alone and all(schema.document is root for schema in schemas.all):
        return root.raw
    top = etree.Element(root.root.tag, dict(root.root.attrib), nsmap=root.root.nsmap)
    start, _, _ = etree.tostring(top, encoding="unicode").rpartition("/>")
    tag = _START.match(start)
    assert tag is not None
    pieces = [f"{start}>"]
    prefix = f"{root.root.prefix}:" if root.root.prefix else ""
    texts = [etree.tostring(one.node, with_tail=False, encoding="unicode") for one in compiled.every(schemas)]
    types = [f"<{prefix}types>", *texts, f"</{prefix}types>"] if texts else []
    names = _names(definitions)
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
    """Yield a component as text, its name and its references moved to the namespace of the whole.

    If that changes its name, `<?soapclient-name …?>` with the original name comes before it.
    """
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
    if part.qname != (f"{{{space}}}{name}" if space else name):
        yield f"<?{_ORIGIN} {part.qname}?>"
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
