"""A schema made ready to be compiled with others from memory, so that it makes nobody fetch anything."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from lxml import etree

XSD: Final = "http://www.w3.org/2001/XMLSchema"
XML: Final = "http://www.w3.org/XML/1998/namespace"
# The attributes of XML itself, which schemas import and hardly ever bring along (XML 1.0 2.10 and 2.12).
XML_SCHEMA: Final = f"""<x:schema xmlns:x="{XSD}" targetNamespace="{XML}">
<x:attribute name="lang"><x:simpleType><x:union memberTypes="x:language">
<x:simpleType><x:restriction base="x:string"><x:enumeration value=""/></x:restriction></x:simpleType>
</x:union></x:simpleType></x:attribute>
<x:attribute name="space"><x:simpleType><x:restriction base="x:NCName"><x:enumeration value="default"/>
<x:enumeration value="preserve"/></x:restriction></x:simpleType></x:attribute>
<x:attribute name="base" type="x:anyURI"/>
<x:attribute name="id" type="x:ID"/>
<x:attributeGroup name="specialAttrs"><x:attribute ref="xml:base"/><x:attribute ref="xml:lang"/>
<x:attribute ref="xml:space"/><x:attribute ref="xml:id"/></x:attributeGroup>
</x:schema>""".encode()

_MOST = 10_000  # occurrences; a compiler that counts them one by one takes its time
_WILDCARDS = tuple(f"{{{XSD}}}{name}" for name in ("any", "anyAttribute"))
_LINKS = tuple(f"{{{XSD}}}{name}" for name in ("include", "redefine"))


def standing_alone(source: bytes, spaces: Collection[str] = ()) -> bytes:
    """The schema without places of others: they are named by namespace, for they are all at hand.

    `spaces` are the namespaces of all schemas at hand; many contracts use them without an import (XSD 1.0
    part 1 4.2.3). Occurrences beyond ten thousand become unbounded. Wildcards let in what no schema at hand
    declares, as if they said processContents="lax": the schemas of what is sent there, such as the rows of a
    data set, are known to the two sides and not to the contract. A schema in which nothing of this is to be
    done stays as it is.
    """
    root = etree.fromstring(source, etree.XMLParser(resolve_entities=False, no_network=True))
    own = root.get("targetNamespace", "")
    named = {link.get("namespace", "") for link in root.iterchildren(f"{{{XSD}}}import")}
    missing = [space for space in dict.fromkeys(spaces) if space not in {own, *named}]
    for space in missing:
        link = etree.Element(f"{{{XSD}}}import")
        if space:
            link.set("namespace", space)
        root.insert(0, link)
    changed = bool(missing)
    for link in root.iterchildren(f"{{{XSD}}}import"):
        changed |= link.attrib.pop("schemaLocation", None) is not None
    for link in list(root.iterchildren(*_LINKS)):
        if not len(link):  # a redefinition says something itself
            root.remove(link)
            changed = True
    for node in root.iter(*_WILDCARDS):
        if node.get("processContents", "strict").strip() == "strict":
            node.set("processContents", "lax")
            changed = True
    for node in root.iter("*"):
        for key, instead in (("maxOccurs", "unbounded"), ("minOccurs", str(_MOST))):
            said = node.get(key, "").strip()
            if said.isascii() and said.isdigit() and (len(said) > 9 or int(said) > _MOST):
                node.set(key, instead)
                changed = True
    return etree.tostring(root) if changed else source
