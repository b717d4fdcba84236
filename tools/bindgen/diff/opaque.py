"""What the model takes as it is, without a look inside: complex types of mixed content, and all they name.

A change in there has no rule, and must not pass for none: such components are held against each other as XML,
by what they say, with names for prefixes.
"""

from __future__ import annotations

from lxml import etree

from bindgen.diff.canonical import NAMING, Defaults, Said, clark, said
from bindgen.simple_types import XSD

_MIXED = (f"{{{XSD}}}complexType", f"{{{XSD}}}complexContent")


def components(root: etree._Element) -> dict[str, Said]:
    """Each such component of a contract's schemas by kind and name → what it says."""
    found: dict[str, tuple[Said, set[str]]] = {}
    opaque: list[str] = []
    for schema in root.iter(f"{{{XSD}}}schema"):
        space, defaults = schema.get("targetNamespace", ""), Defaults.of(schema)
        for node in schema.iterchildren("*"):
            name = f"{{{space}}}{node.get('name', '')}"
            found.setdefault(f"{etree.QName(node).localname} {name}", (said(node, defaults), _named(node)))
            if any(_is_mixed(inner) for inner in node.iter(*_MIXED)):
                opaque.append(f"{etree.QName(node).localname} {name}")
    return {name: found[name][0] for name in _closure(opaque, found)}


def _is_mixed(node: etree._Element) -> bool:
    return node.get("mixed", "").strip() in ("true", "1")


def _closure(waiting: list[str], found: dict[str, tuple[Said, set[str]]]) -> set[str]:
    by_name: dict[str, list[str]] = {}
    for key in found:
        by_name.setdefault(key.partition(" ")[2], []).append(key)
    seen: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key not in seen:
            seen.add(key)
            waiting += [other for name in found[key][1] for other in by_name.get(name, ())]
    return seen


def _named(node: etree._Element) -> set[str]:
    """What a component refers to."""
    return {
        clark(inner, raw) for inner in node.iter("*") for key in NAMING for raw in inner.get(key, "").split()
    }
