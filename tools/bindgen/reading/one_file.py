"""Join all documents of a contract into one WSDL with inline schemas, for other SOAP toolchains."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from lxml import etree

from bindgen import naming
from bindgen.reading import compiled
from bindgen.reading.definitions import Definitions, Part
from bindgen.reading.documents import Document
from bindgen.reading.nodes import WSDL, parse_fragment
from bindgen.reading.schemas import Schemas

_DROPPED = (f"{{{WSDL}}}import", f"{{{WSDL}}}types")
_KINDS = ("message", "portType", "binding", "service")
_START = re.compile(r"<[^\s/>]+")
_ORIGIN = "soapclient-name"  # the processing instruction with the original name of a component
_OWN = "one"  # the prefix for the namespace of the joined WSDL, in parts from other documents


def is_single(root: Document, definitions: Definitions, schemas: Schemas) -> bool:
    """Return True if a contract is a single document."""
    return len(definitions.all) == 1 and all(schema.document is root for schema in schemas.all)


def join_documents(root: Document, definitions: Definitions, texts: compiled.SchemaTexts) -> bytes:
    """Return one WSDL with the content of all documents of a contract.

    Components are copied as text with their namespace declarations, because attribute values also use
    prefixes. `texts` are the schemas, as `compiled.schema_texts` returns them.
    """
    single = len(definitions.all) == 1
    top = etree.Element(root.root.tag, dict(root.root.attrib), nsmap=root.root.nsmap)
    start, _, _ = etree.tostring(top, encoding="unicode").rpartition("/>")
    tag = _START.match(start)
    assert tag is not None
    pieces = [f"{start}>"]
    prefix = f"{root.root.prefix}:" if root.root.prefix else ""
    schemas = [text for _, text in texts]
    types = [f"<{prefix}types>", *schemas, f"</{prefix}types>"] if schemas else []
    names = _names(definitions)
    documentation = [node for node in root.root if node.tag == f"{{{WSDL}}}documentation"]
    pieces += [_text(node) for node in documentation]
    pieces += types
    for document in [root, *(document for document in definitions.all if document is not root)]:
        for node in document.root:
            if node in documentation or node.tag in _DROPPED or not isinstance(node.tag, str):
                continue
            local = node.tag.rpartition("}")[2] if node.tag.startswith(f"{{{WSDL}}}") else ""
            if single or (document is root and local not in _KINDS):
                pieces.append(_text(node))
            elif local in _KINDS:
                part = Part(document, node, document.root.get("targetNamespace", "").strip())
                pieces += _with_own_names(part, local, root, definitions, names)
    pieces.append(f"</{tag[0][1:]}>")
    return ('<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(pieces) + "\n").encode()


def _text(node: etree._Element) -> str:
    return etree.tostring(node, with_tail=False, encoding="unicode")


def _names(definitions: Definitions) -> dict[str, dict[str, str]]:
    """Return the new names of all components: kind → original qualified name → local name in the joined WSDL.

    The joined WSDL has only one namespace, so equal local names are made unique.
    """
    names_by_kind: dict[str, dict[str, str]] = {}
    for kind in _KINDS:
        names: dict[str, str] = {}
        for part in definitions.components(kind):
            names[part.qname] = naming.unused(part.name, names.values())
        names_by_kind[kind] = names
    return names_by_kind


def _with_own_names(
    part: Part, kind: str, root: Document, definitions: Definitions, names: dict[str, dict[str, str]]
) -> Iterator[str]:
    """Yield the XML text of the component `part` for the joined WSDL, with all names of components replaced.

    Yields nothing if the component is declared twice and `part` is the unused declaration. If the qualified
    name of `part` itself changes, yields `<?soapclient-name …?>` with the original name first. `kind` is the
    kind of `part`, and `root` the contract's root document. `names` are the new names, as returned by
    `_names`.
    """
    name = names[kind].get(part.qname)
    if name is None or not any(component.node is part.node for component in definitions.components(kind)):
        return  # declared twice
    space = root.root.get("targetNamespace", "").strip()
    declaration = f" xmlns:{_OWN}={quoteattr(space)}" if space else ""
    text = _START.sub(lambda match: match[0] + declaration, _text(part.node), count=1)
    copy = parse_fragment(text)
    copy.set("name", name)
    for node, original in zip(copy.iter("*"), part.node.iter("*"), strict=True):
        for attribute, target in _references(original, kind):
            component = definitions.named(target, part, original, original.get(attribute, ""))
            if component is not None:
                new = names[target][component.qname]
                node.set(attribute, f"{_OWN}:{new}" if space else new)
    if part.qname != (f"{{{space}}}{name}" if space else name):
        yield f"<?{_ORIGIN} {part.qname}?>"
    yield _text(copy)


def _references(node: etree._Element, kind: str) -> Iterator[tuple[str, str]]:
    """Yield the attributes of `node` that refer to WSDL components, as (attribute, kind of the component).

    `kind` is the kind of the component that contains `node`.
    """
    local = etree.QName(node).localname
    if local in ("input", "output", "fault", "header", "headerfault") and node.get("message"):
        yield "message", "message"
    elif local == "binding" and kind == "binding" and node.get("type"):
        yield "type", "portType"
    elif local == "port" and kind == "service":
        yield "binding", "binding"
