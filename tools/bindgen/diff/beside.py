"""What no comparison looks into: extensions, identity constraints, `block`, the insides of lists and unions.

A change in there has no rule of its own and must not pass for none. Each such thing is known by where it
stands, so that one that comes or goes along with what holds it is no news.
"""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree

from bindgen.diff.canonical import DOCUMENTATION, Defaults, Said, attributes, clark, said
from bindgen.diff.components import Component, Components, soap_bindings
from bindgen.reading.extensions import SOAP, SOAP12, WSDL
from bindgen.simple_types import XSD

Where = tuple[str, ...]

_LOOKED_INTO = frozenset(
    (
        *("element", "attribute", "group", "attributeGroup", "complexType", "simpleType"),
        *("complexContent", "simpleContent", "restriction", "extension", "list", "union"),
        *("sequence", "choice", "all", "any", "anyAttribute"),
        *("enumeration", "pattern", "length", "minLength", "maxLength", "totalDigits", "fractionDigits"),
        *("minInclusive", "maxInclusive", "minExclusive", "maxExclusive", "whiteSpace"),
    )
)
_ATTRIBUTES = frozenset(
    (
        *("name", "type", "ref", "base", "itemType", "memberTypes", "substitutionGroup", "id"),
        *("minOccurs", "maxOccurs", "nillable", "abstract", "mixed", "use", "form", "final"),
        *("processContents", "namespace", "default", "fixed", "value"),
    )
)
_TEXTS = frozenset(("string", "normalizedString", "token", "language", "NMTOKEN", "Name", "NCName", "anyURI"))
_DEEPEST = 50
# What the comparison of operations and ports reads of the elements of SOAP.
_OF_SOAP = frozenset(
    ("soapAction", "style", "parts", "namespace", "message", "part", "name", "location", "use")
)
_NAMED = frozenset(("operation", "port", "message", "part", "fault", "binding"))


def of_component(found: Component, components: Components) -> dict[Where, Said]:
    """The things of a component of a schema, by where they stand in it."""
    kept: dict[Where, Said] = {}
    _of_schema(found.node, (found.kind, found.local), found, components, kept)
    return kept


def of_wsdl(root: etree._Element) -> dict[Where, Said]:
    """The things of a WSDL around its schemas, as far as SOAP goes."""
    over_soap = soap_bindings(root)
    names = {each.get("name", "").strip() for each in over_soap}
    kept: dict[Where, Said] = {}
    _of_definitions(root, ("WSDL",), kept)
    for node in root.iterchildren(f"{{{WSDL}}}message", f"{{{WSDL}}}portType", f"{{{WSDL}}}service"):
        _walk(node, (), names, kept)
    for binding in over_soap:
        _walk(binding, (), names, kept)
    return kept


def changed(old: Mapping[Where, Said], new: Mapping[Where, Said]) -> dict[Where, tuple[Said, Said]]:
    """What differs where both sides have something to hold it."""
    return {at: (old[at], new[at]) for at in old if at in new and old[at] != new[at]}


def _of_schema(
    node: etree._Element, at: Where, found: Component, components: Components, kept: dict[Where, Said]
) -> None:
    extra: list[object] = []
    extra += [each for each in attributes(node, found.defaults) if each[0] not in _ATTRIBUTES]
    if node.tag in (f"{{{XSD}}}list", f"{{{XSD}}}union"):
        inside = _inside(node, components, 0)
        extra += [inside] if inside else []
    for child in node.iterchildren("*"):
        if child.tag in DOCUMENTATION:
            continue
        name = etree.QName(child)
        if name.namespace != XSD or name.localname not in _LOOKED_INTO:
            extra.append(said(child, found.defaults))
            continue
        own = child.get("name") or child.get("ref", "").rpartition(":")[2]
        _of_schema(child, (*at, own.strip()) if own else at, found, components, kept)
    kept[at] = tuple(sorted((*kept.get(at, ()), *extra), key=repr))


def _inside(node: etree._Element, components: Components, deep: int) -> Said:
    """The facets of the types that a list or a union is made of, however they are called."""
    names = [*node.get("itemType", "").split(), *node.get("memberTypes", "").split()]
    inner = [components.all.get(f"type {clark(node, name)}") for name in names]
    types = [each.node for each in inner if each is not None]
    types += node.iterchildren(f"{{{XSD}}}simpleType")
    found = [each for each in (_facets(kind, components, deep + 1) for kind in types) if each]
    return tuple(found)


def _facets(kind: etree._Element, components: Components, deep: int) -> Said:
    steps: list[object] = []
    node: etree._Element | None = kind
    listed: list[Said] = []
    base = ""
    while node is not None and deep < _DEEPEST:
        deep += 1
        step = next(node.iterchildren(f"{{{XSD}}}restriction", f"{{{XSD}}}list", f"{{{XSD}}}union"), None)
        if step is None:
            break
        if step.tag != f"{{{XSD}}}restriction":
            inner = _inside(step, components, deep)
            steps += [inner] if inner else []
            break
        facets = [each for each in step.iterchildren("*") if each.tag not in DOCUMENTATION]
        facets = [each for each in facets if each.tag != f"{{{XSD}}}simpleType"]
        listed += [said(each) for each in facets if each.tag == f"{{{XSD}}}enumeration"]
        said_here = sorted((said(each) for each in facets if each.tag != f"{{{XSD}}}enumeration"), key=repr)
        steps += [tuple(said_here)] if said_here else []
        base = clark(step, step.get("base", ""))
        above = components.all.get(f"type {base}")
        node = above.node if above is not None else step.find(f"{{{XSD}}}simpleType")
    # Listed texts make an enumeration, which is compared; listed numbers do not.
    if listed and base not in {f"{{{XSD}}}{name}" for name in _TEXTS}:
        steps.append(tuple(sorted(listed, key=repr)))
    return tuple(steps)


def _of_definitions(root: etree._Element, at: Where, kept: dict[Where, Said]) -> None:
    extra = [
        said(child) for child in root.iterchildren("*") if etree.QName(child).namespace not in (WSDL, XSD)
    ]
    kept[at] = tuple(sorted((*extra, *_foreign(root)), key=repr))


def _walk(node: etree._Element, at: Where, bindings: set[str], kept: dict[Where, Said]) -> None:
    local = etree.QName(node).localname
    if local == "port" and node.get("binding", "").rpartition(":")[2].strip() not in bindings:
        return
    name = node.get("name", "").strip() if local in _NAMED else ""
    here = (*at, f"{local} {name}".strip())
    extra: list[object] = _foreign(node)
    for child in node.iterchildren("*"):
        if child.tag in DOCUMENTATION:
            continue
        space = etree.QName(child).namespace
        if space == WSDL:
            _walk(child, here, bindings, kept)
        elif space in (SOAP, SOAP12):
            _of_soap(child, here, kept)
        else:
            extra.append(said(child))
    kept[here] = tuple(sorted((*kept.get(here, ()), *extra), key=repr))


def _of_soap(node: etree._Element, at: Where, kept: dict[Where, Said]) -> None:
    local = etree.QName(node).localname
    what = " ".join(
        node.get(key, "").rpartition(":")[2] for key in ("message", "part", "name") if node.get(key)
    )
    here = (*at, f"soap:{local} {what}".strip())
    own = (
        []
        if local in ("body", "header", "fault", "headerfault", "operation", "binding", "address")
        else [said(node)]
    )
    extra: list[object] = [*own, *_foreign(node)]
    extra += [
        (key, value.strip()) for key, value in node.attrib.items() if "{" not in key and key not in _OF_SOAP
    ]
    if local in ("header", "fault", "headerfault") and node.get("use", "literal").strip() != "literal":
        extra.append(("use", node.get("use", "").strip()))
    extra += [said(child) for child in node.iterchildren("*") if child.tag not in DOCUMENTATION]
    kept[here] = tuple(sorted((*kept.get(here, ()), *extra), key=repr))


def _foreign(node: etree._Element) -> list[object]:
    """The attributes of other vocabularies; wsdl:required of a header is compared."""
    return [
        each
        for each in attributes(node, Defaults())
        if each[0].startswith("{") and not each[0].startswith(f"{{{WSDL}}}")
    ]
