"""What the model takes as it is, without a look inside: complex types of mixed content, and all they name.

A change in there has no rule, and must not pass for none: such components are held against each other as XML,
by what they say, with names for prefixes.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from bindgen.simple_types import XSD

_NAMING = frozenset(("type", "base", "ref", "itemType", "memberTypes", "substitutionGroup"))
_ANNOTATION = f"{{{XSD}}}annotation"
_MIXED = (f"{{{XSD}}}complexType", f"{{{XSD}}}complexContent")

Said = tuple[object, ...]


def components(root: etree._Element) -> dict[str, Said]:
    """Each such component of a contract's schemas by kind and name → what it says."""
    found: dict[str, tuple[Said, set[str]]] = {}
    opaque: list[str] = []
    for schema in root.iter(f"{{{XSD}}}schema"):
        space = schema.get("targetNamespace", "")
        for node in schema.iterchildren("*"):
            name = f"{{{space}}}{node.get('name', '')}"
            named: set[str] = set()
            said = tuple(_pieces(node, named))
            found.setdefault(f"{etree.QName(node).localname} {name}", (said, named))
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


def _pieces(node: etree._Element, named: set[str]) -> Iterator[object]:
    """What a component says, without its documentation; `named` gathers what it refers to."""
    if node.tag == _ANNOTATION:
        return
    depth = 0
    skip: etree._Element | None = None
    for event, inner in etree.iterwalk(node, events=("start", "end")):
        if event == "end":
            depth -= 1
            skip = None if inner is skip else skip
        else:
            depth += 1
            if skip is None and inner.tag == _ANNOTATION:
                skip = inner
            if skip is None and isinstance(inner.tag, str):
                yield depth, inner.tag, tuple(sorted(_attributes(inner, named)))


def _attributes(node: etree._Element, named: set[str]) -> Iterator[tuple[str, str]]:
    for key, value in node.attrib.items():
        text = str(value).strip()
        if key in _NAMING:
            names = [_clark(node, each) for each in text.split()]
            named.update(names)
            text = " ".join(names)
        if key != "id":
            yield str(key), text


def _clark(node: etree._Element, name: str) -> str:
    prefix, _, local = name.rpartition(":")
    return f"{{{node.nsmap.get(prefix or None) or ''}}}{local}"
