"""What a component of a contract says, whatever the form it is written in.

Prefixes, layout, documentation, defaults that are spelled out and the order of what has none make no
difference: two components that say the same are equal here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from bindgen.reading.nodes import SOAP, SOAP12, WSDL
from bindgen.simple_types import XSD

Said = tuple[object, ...]

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
    """What the schema around a component says for all that say nothing themselves."""

    element_form: str = "unqualified"
    attribute_form: str = "unqualified"
    block: str = ""
    final: str = ""

    @classmethod
    def of(cls, schema: etree._Element) -> Defaults:
        """Those of an xs:schema."""
        return cls(
            schema.get("elementFormDefault", "unqualified").strip(),
            schema.get("attributeFormDefault", "unqualified").strip(),
            schema.get("blockDefault", ""),
            schema.get("finalDefault", ""),
        )


_NOTHING_SAID = Defaults()


def said(node: etree._Element, defaults: Defaults | None = None, *, loose: bool = False) -> Said:
    """What a node and all in it say. `loose`: whatever types it names and namespaces names are of."""
    defaults = defaults or _NOTHING_SAID
    inner = [
        (child, said(child, defaults, loose=loose))
        for child in node.iterchildren("*")
        if child.tag not in DOCUMENTATION and not _says_nothing(child)
    ]
    if node.tag in _FREE_ORDER:
        children = sorted((each for _, each in inner), key=repr)
    else:  # attributes, facets and identity constraints have no order, wherever they stand
        first = [each for child, each in inner if child.tag not in _UNORDERED]
        children = [*first, *sorted((each for child, each in inner if child.tag in _UNORDERED), key=repr)]
    if node.tag == _SEQUENCE:  # one that holds another, come once, says what that says
        children = [part for each in children for part in (_parts(each) or (each,))]
    text = "" if _is_xsd(node) or len(node) else " ".join((node.text or "").split())
    return str(node.tag), tuple(sorted(attributes(node, defaults, loose=loose))), tuple(children), text


def _parts(content: Said) -> tuple[Said, ...]:
    """What a sequence that comes once consists of; nothing for all else."""
    found = content[2] if content[:2] == (_SEQUENCE, ()) else ()
    assert isinstance(found, tuple)
    return found


def attributes(node: etree._Element, defaults: Defaults, *, loose: bool = False) -> Iterator[tuple[str, str]]:
    """What the attributes of a node say, those that it leaves out included."""
    if not _is_xsd(node):
        yield from _of_wsdl(node)
        return
    kind = etree.QName(node).localname
    given = {str(key): str(value) for key, value in node.attrib.items() if key != "id"}
    if kind in ("element", "complexType") and "ref" not in given:
        given.setdefault("block", defaults.block)
    if kind in ("element", "complexType", "simpleType") and "ref" not in given:
        given.setdefault("final", defaults.final)
    if kind in ("element", "attribute") and "ref" not in given and not _is_top(node):
        given.setdefault("form", defaults.element_form if kind == "element" else defaults.attribute_form)
    for key, value in given.items():
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
            text = " ".join(_named(node, each, loose=loose) for each in text.split())
            if text == _NO_TYPE.get(kind):
                continue
        elif key.startswith("{"):
            text = _with_namespace(node, text)
        if key == "form" and loose:
            continue  # another namespace, which is a finding of its own
        if text != _DEFAULTS.get(key) and not (key == "namespace" and text == "##any"):
            yield key, text


def short(*content: object) -> str:
    """A few letters that stand for a content, and for no other."""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:_HASH]


def clark(node: etree._Element, name: str) -> str:
    """A qualified name in Clark notation."""
    prefix, _, local = name.strip().rpartition(":")
    return f"{{{node.nsmap.get(prefix or None) or ''}}}{local}"


def _named(node: etree._Element, name: str, *, loose: bool) -> str:
    full = clark(node, name)
    if not loose or full.startswith(f"{{{XSD}}}"):
        return full
    # What another type is called is a finding of its own; of an element or a group, the name is what counts.
    return full.rpartition("}")[2] if node.get("ref") is not None else "*"


def _of_wsdl(node: etree._Element) -> Iterator[tuple[str, str]]:
    soap = str(node.tag).startswith((f"{{{SOAP}}}", f"{{{SOAP12}}}"))
    for key, value in node.attrib.items():
        name, text = str(key), " ".join(str(value).split())
        if soap and name in _OF_BINDINGS:
            continue  # compared port by port
        if name in _WSDL_NAMES and str(node.tag).startswith((f"{{{WSDL}}}", f"{{{SOAP}}}", f"{{{SOAP12}}}")):
            text = clark(node, text)
        elif name.startswith("{"):
            text = _with_namespace(node, text)
        yield name, text


def _with_namespace(node: etree._Element, text: str) -> str:
    """The value of another vocabulary's attribute, which may be a name with a prefix."""
    prefix, colon, _ = text.partition(":")
    return clark(node, text) if colon and prefix in node.nsmap else text


def _says_nothing(node: etree._Element) -> bool:
    """Whether it prohibits an attribute that nothing else allows: only a restriction has one to take away."""
    parent = node.getparent()
    return (
        node.tag == f"{{{XSD}}}attribute"
        and node.get("use", "").strip() == "prohibited"
        and parent is not None
        and parent.tag != f"{{{XSD}}}restriction"
    )


def _is_xsd(node: etree._Element) -> bool:
    return str(node.tag).startswith(f"{{{XSD}}}")


def _is_top(node: etree._Element) -> bool:
    parent = node.getparent()
    return parent is None or parent.tag == f"{{{XSD}}}schema"
