"""Compile the schemas of a contract with libxml2, from memory. Nothing is downloaded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from lxml import etree

XSD: Final = "http://www.w3.org/2001/XMLSchema"
_XML: Final = "http://www.w3.org/XML/1998/namespace"
# The attributes of XML itself. Schemas import them, but contracts rarely include them (XML 1.0 2.10, 2.12).
XML_SCHEMA: Final = f"""<x:schema xmlns:x="{XSD}" targetNamespace="{_XML}">
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

_MAX_OCCURS = 10_000  # compiling larger numbers is slow
_WILDCARDS = tuple(f"{{{XSD}}}{name}" for name in ("any", "anyAttribute"))
_LONG_COUNTS = etree.XPath(
    "descendant-or-self::*[string-length(@minOccurs) > 4 or string-length(@maxOccurs) > 4]"
)
_LINKS = tuple(f"{{{XSD}}}{name}" for name in ("include", "redefine"))


ALL: Final = "*"  # means all names; not an XML name itself


def self_contained(source: bytes, spaces: Collection[str] = ()) -> bytes:
    """Return a copy of a schema that refers to other schemas by their namespaces, not by their locations.

    - Removes includes, and the `schemaLocation` of imports.
    - Imports all `spaces`, the namespaces of the available schemas. Many contracts omit these imports, which
      XSD 1.0 requires (part 1, section 4.2.3).
    - Replaces a maxOccurs above ten thousand with unbounded, and a minOccurs above ten thousand with ten
      thousand.
    - Sets processContents="lax" on strict wildcards: the schemas of their content are often missing.

    Returns the same bytes if nothing changes.
    """
    root, changed = _self_contained(source, spaces)
    return etree.tostring(root, encoding="UTF-8") if changed else source


def _self_contained(source: bytes, spaces: Collection[str]) -> tuple[etree._Element, bool]:
    """Return the schema as `self_contained` returns it, but as an element, and True if something changed."""
    root = etree.fromstring(source, etree.XMLParser(resolve_entities=False, no_network=True))
    own = root.get("targetNamespace", "")
    imported = {link.get("namespace", "") for link in root.iterchildren(f"{{{XSD}}}import")}
    missing = [space for space in dict.fromkeys(spaces) if space not in {own, *imported}]
    for space in missing:
        link = etree.Element(f"{{{XSD}}}import")
        if space:
            link.set("namespace", space)
        root.insert(0, link)
    changed = bool(missing)
    for link in root.iterchildren(f"{{{XSD}}}import"):
        changed |= link.attrib.pop("schemaLocation", None) is not None
    for link in list(root.iterchildren(*_LINKS)):
        if not len(link):  # a redefinition with content is kept
            root.remove(link)
            changed = True
    for node in root.iter(*_WILDCARDS):
        if node.get("processContents", "strict").strip() == "strict":
            node.set("processContents", "lax")
            changed = True
    for node in _LONG_COUNTS(root):  # numbers up to 9999 are allowed
        for key, instead in (("maxOccurs", "unbounded"), ("minOccurs", str(_MAX_OCCURS))):
            written = node.get(key, "").strip()
            if written.isascii() and written.isdigit() and (len(written) > 9 or int(written) > _MAX_OCCURS):
                node.set(key, instead)
                changed = True
    return root, changed


def with_optional(source: bytes, optional: Collection[str]) -> bytes:
    """Return a copy of a schema in which the elements and attributes named in `optional` are not required.

    `ALL` in `optional` means all names.
    """
    root = etree.fromstring(source)
    for node in root.iter(f"{{{XSD}}}element"):
        if node.getparent() is not root and (ALL in optional or _named(node) in optional):
            node.set("minOccurs", "0")
    for node in root.iter(f"{{{XSD}}}attribute"):
        if node.get("use") == "required" and (ALL in optional or _named(node) in optional):
            node.set("use", "optional")
    return etree.tostring(root, encoding="UTF-8")


def _named(node: etree._Element) -> str:
    """Return the local name of an element or attribute declaration, or of a reference to one."""
    return node.get("name") or node.get("ref", "").rpartition(":")[2]


def compile_schemas(sources: Sequence[bytes], namespaces: Sequence[str]) -> etree.XMLSchema:
    """Compile all `sources` into one schema. `namespaces` are their target namespaces, in the same order."""
    spaces = list(namespaces)
    schemas = list(sources)
    if _XML not in spaces and any(b"xml:" in source for source in sources):
        schemas.append(XML_SCHEMA)
        spaces.append(_XML)
    if len(schemas) == 1:
        return etree.XMLSchema(_self_contained(schemas[0], spaces)[0])
    contained = [self_contained(source, spaces) for source in schemas]
    from xml.sax.saxutils import quoteattr  # imported late: most contracts have one schema

    # libxml2 compiles one document, and imports one document per namespace. All are in memory.
    documents = {f"inline:{at}": source for at, source in enumerate(contained)}
    imports = ""
    for space in dict.fromkeys(spaces):
        parts = [at for at, namespace in enumerate(spaces) if namespace == space]
        includes = "".join(f'<x:include schemaLocation="inline:{at}"/>' for at in parts)
        target = f" targetNamespace={quoteattr(space)}" if space else ""
        joined = f'<x:schema xmlns:x="{XSD}"{target}>{includes}</x:schema>'
        documents[f"inline:all-{parts[0]}"] = joined.encode()
        named = f" namespace={quoteattr(space)}" if space else ""
        imports += f'<x:import{named} schemaLocation="inline:all-{parts[0]}"/>'
    parser = etree.XMLParser()
    parser.resolvers.add(_Inline(documents))
    # With a target namespace, because only such a schema can import components without a namespace.
    root = f'<x:schema xmlns:x="{XSD}" targetNamespace="inline:">{imports}</x:schema>'
    return etree.XMLSchema(etree.fromstring(root, parser))


class _Inline(etree.Resolver):
    def __init__(self, documents: Mapping[str, bytes]) -> None:
        self._documents = documents

    # Any: the stubs do not have these types.
    def resolve(self, system_url: Any, public_id: Any, context: Any) -> Any:
        """Return the schema at an address such as `inline:0`, which `compile_schemas` has assigned to it.

        Other addresses are not loaded.
        """
        return self.resolve_string(self._documents[str(system_url)], context, base_url=str(system_url))
