"""A canonical form of a contract's components, independent of how they are written.

Components are equal if they differ only in prefixes, layout, documentation, spelled-out defaults or in the
order of parts whose order has no meaning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from bindgen.reading.nodes import SOAP, SOAP12, WSDL
from bindgen.simple_types import XSD

Content = tuple[object, ...]

NAMING = frozenset(("type", "base", "ref", "itemType", "memberTypes", "substitutionGroup", "refer"))
DOCUMENTATION = frozenset((f"{{{XSD}}}annotation", f"{{{WSDL}}}documentation"))
_WSDL_NAMES = frozenset(("message", "type", "element", "binding"))
_DEFAULTS = {
    "minOccurs": "1",
    "maxOccurs": "1",
    "nillable": "false",
    "abstract": "false",
    "mixed": "false",
    "use": "optional",
    "processContents": "strict",
    "form": "unqualified",
    "block": "",
    "final": "",
}
_YES_OR_NO = frozenset(("nillable", "abstract", "mixed"))
_TOKENS = frozenset(("block", "final"))
_FREE_ORDER = frozenset(
    (
        *(f"{{{XSD}}}{name}" for name in ("choice", "all")),
        f"{{{WSDL}}}portType",
        f"{{{WSDL}}}binding",
    )
)
_UNORDERED = frozenset(
    f"{{{XSD}}}{name}"
    for name in (
        *("attribute", "attributeGroup", "anyAttribute", "unique", "key", "keyref"),
        *("enumeration", "pattern", "length", "minLength", "maxLength", "totalDigits", "fractionDigits"),
        *("minInclusive", "maxInclusive", "minExclusive", "maxExclusive", "whiteSpace"),
    )
)
_VALUES = frozenset(("value", "default", "fixed"))
_NO_TYPE = {"element": f"{{{XSD}}}anyType", "attribute": f"{{{XSD}}}anySimpleType"}
_OF_BINDINGS = frozenset(("soapAction", "style", "use", "parts", "namespace", "location"))
_SEQUENCE = f"{{{XSD}}}sequence"
_HASH = 8


@dataclass(frozen=True, slots=True)
class Defaults:
    """The defaults that an xs:schema sets for its components, such as elementFormDefault."""

    element_form: str = "unqualified"
    attribute_form: str = "unqualified"
    block: str = ""
    final: str = ""

    @classmethod
    def of(cls, schema: etree._Element) -> Defaults:
        """Read the defaults from the attributes of an xs:schema."""
        return cls(
            schema.get("elementFormDefault", "unqualified").strip(),
            schema.get("attributeFormDefault", "unqualified").strip(),
            schema.get("blockDefault", ""),
            schema.get("finalDefault", ""),
        )


_NO_DEFAULTS = Defaults()


def content_of(node: etree._Element, defaults: Defaults | None = None, *, loose: bool = False) -> Content:
    """Return the canonical content of a node and its descendants, as nested tuples.

    Two nodes have equal content if they mean the same. With `loose=True`, the names of referenced types and
    the namespaces of all names make no difference. `defaults` are the defaults of the node's xs:schema.
    """
    defaults = defaults or _NO_DEFAULTS
    inner = [
        (child, content_of(child, defaults, loose=loose))
        for child in node.iterchildren("*")
        if child.tag not in DOCUMENTATION and not _has_no_effect(child)
    ]
    if node.tag in _FREE_ORDER:
        children = sorted((item for _, item in inner), key=repr)
    else:
        # Attributes, facets and identity constraints have no order, so their positions do not matter.
        first = [item for child, item in inner if child.tag not in _UNORDERED]
        children = [*first, *sorted((item for child, item in inner if child.tag in _UNORDERED), key=repr)]
    if node.tag == _SEQUENCE:  # a nested sequence that occurs once is the same as its parts
        children = [part for item in children for part in (_parts(item) or (item,))]
    text = "" if _is_xsd(node) or len(node) else " ".join((node.text or "").split())
    return str(node.tag), tuple(sorted(attributes(node, defaults, loose=loose))), tuple(children), text


def _parts(sequence: Content) -> tuple[Content, ...]:
    """Return the parts of an xs:sequence that occurs exactly once; () for any other content."""
    parts = sequence[2] if sequence[:2] == (_SEQUENCE, ()) else ()
    assert isinstance(parts, tuple)
    return parts


def attributes(node: etree._Element, defaults: Defaults, *, loose: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the attributes of a node as (name, canonical value).

    An absent attribute has the default that its xs:schema sets. Attributes whose value is the default of XSD
    are left out. With `loose=True`, the name of a type becomes `*`, other names lose their namespace, and
    the attribute `form` is left out. Names of XSD itself do not change.
    """
    if not _is_xsd(node):
        yield from _wsdl_attributes(node)
        return
    kind = etree.QName(node).localname
    values = {str(key): str(value) for key, value in node.attrib.items() if key != "id"}
    if kind in ("element", "complexType") and "ref" not in values:
        values.setdefault("block", defaults.block)
    if kind in ("element", "complexType", "simpleType") and "ref" not in values:
        values.setdefault("final", defaults.final)
    if kind in ("element", "attribute") and "ref" not in values and not _is_top(node):
        values.setdefault("form", defaults.element_form if kind == "element" else defaults.attribute_form)
    for key, value in values.items():
        text = value if key in _VALUES and kind != "any" else " ".join(value.split())
        if key == "fixed" and kind not in ("element", "attribute"):
            text = {"1": "true", "true": "true"}.get(text.strip(), "")
            if not text:
                continue
        if key in _YES_OR_NO:
            text = {"1": "true", "0": "false"}.get(text, text)
        elif key in _TOKENS:
            text = " ".join(sorted(text.split()))
        elif key in NAMING:
            text = " ".join(_canonical_name(node, name, loose=loose) for name in text.split())
            if text == _NO_TYPE.get(kind):
                continue
        elif key.startswith("{"):
            text = _foreign_value(node, text)
        if key == "form" and loose:
            continue  # depends on the namespace; a changed namespace is reported separately
        if text != _DEFAULTS.get(key) and not (key == "namespace" and text == "##any"):
            yield key, text


def short(*content: object) -> str:
    """Return a short hash of the content."""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:_HASH]


def clark(node: etree._Element, name: str) -> str:
    """Convert a qualified name to Clark notation."""
    prefix, _, local = name.strip().rpartition(":")
    return f"{{{node.nsmap.get(prefix or None) or ''}}}{local}"


def _canonical_name(node: etree._Element, name: str, *, loose: bool) -> str:
    """Return the canonical form of a qualified name, which does not depend on prefixes.

    With `loose`, the name of a type becomes `*`, and other names lose their namespace.
    """
    full = clark(node, name)
    if not loose or full.startswith(f"{{{XSD}}}"):
        return full
    # A renamed type is reported separately. For a referenced element or group, only the local name matters.
    return full.rpartition("}")[2] if node.get("ref") is not None else "*"


def _wsdl_attributes(node: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield the attributes of a WSDL or SOAP element, except those that the module `bindings` compares."""
    soap = str(node.tag).startswith((f"{{{SOAP}}}", f"{{{SOAP12}}}"))
    for key, value in node.attrib.items():
        name, text = str(key), " ".join(str(value).split())
        if soap and name in _OF_BINDINGS:
            continue  # these are compared port by port
        if name in _WSDL_NAMES and str(node.tag).startswith((f"{{{WSDL}}}", f"{{{SOAP}}}", f"{{{SOAP12}}}")):
            text = clark(node, text)
        elif name.startswith("{"):
            text = _foreign_value(node, text)
        yield name, text


def _foreign_value(node: etree._Element, text: str) -> str:
    """Return `text`, the value of an attribute with a namespace. Qualified names are in Clark notation."""
    prefix, colon, _ = text.partition(":")
    return clark(node, text) if colon and prefix in node.nsmap else text


def _has_no_effect(node: etree._Element) -> bool:
    """Return True for an xs:attribute with `use="prohibited"` outside of an xs:restriction."""
    parent = node.getparent()
    return (
        node.tag == f"{{{XSD}}}attribute"
        and node.get("use", "").strip() == "prohibited"
        and parent is not None
        and parent.tag != f"{{{XSD}}}restriction"
    )


def _is_xsd(node: etree._Element) -> bool:
    """Return True if a node is in the namespace of XML Schema."""
    return str(node.tag).startswith(f"{{{XSD}}}")


def _is_top(node: etree._Element) -> bool:
    """Return True if a node is a top-level component of a schema."""
    parent = node.getparent()
    return parent is None or parent.tag == f"{{{XSD}}}schema"
