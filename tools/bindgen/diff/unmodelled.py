"""Where the documents differ and no rule says how: it must not pass for "no change".

Three nets. What no comparison looks into is held against each other by where it stands. A component of a
schema that says something else now, with nothing found in it or in what it is part of, is named. And where
nothing was found at all, all that the messages reach must say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from bindgen.diff.canonical import DOCUMENTATION, Defaults, Said, attributes, clark, said, short
from bindgen.diff.components import Component, Components, messages_of, soap_bindings
from bindgen.diff.findings import Finding, not_checked
from bindgen.naming import local
from bindgen.reading.nodes import SOAP, SOAP12, WSDL
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


@dataclass(slots=True)
class Documents:
    """The documents of one side: its components, those that messages reach, and what stands beside them."""

    root: etree._Element
    components: Components
    reached: Mapping[str, Component]
    beside: Mapping[Where, Said]

    @classmethod
    def of(cls, root: etree._Element) -> Documents:
        """Those of a document that holds a whole contract."""
        components = Components(root)
        reached = components.reached()
        kept = of_wsdl(root)
        for each in reached.values():
            kept |= of_component(each, components)
        return cls(root, components, reached, kept)

    def meaning(self, operations: Iterable[str] | None = None) -> dict[str, Said]:
        """What these operations say, or all: part by part."""
        reached = self.reached if operations is None else self.components.reached(operations)
        found = {each.key: said(each.node, each.defaults) for each in reached.values()}
        for part in _parts(self.root, None if operations is None else set(operations)):
            found[f"{local(str(part.tag))} {part.get('name', '').strip()}"] = said(part)
        return found


def unseen(one: Documents, other: Documents, findings: Collection[Finding]) -> Iterator[Finding]:
    """What differs and is in none of the findings."""
    named = {step.lstrip("@") for each in findings for step in each.path.split("/")}
    for at, (_, now) in changed(one.beside, other.beside).items():
        where = "/".join(at) if at[0] != "WSDL" else "the WSDL"
        said_ = f"{where}: a part of it that is not looked into changed"
        yield not_checked(f"{_place(at)}/{short(now)}", said_)
        named.add(at[1] if len(at) > 1 else at[0])
    known = _explained(one, named)
    old, new = _by_name(one.reached), _by_name(other.reached)
    for key, before in old.items():
        after = new.get(key)
        if after is None or key in known:
            continue
        if before.loose != after.loose:
            said_ = f"`{before.local}` differs in a way that no rule describes"
            yield not_checked(f"{before.local}/{short(after.loose)}", said_)
            named.add(before.local)
    if not named:
        yield from _otherwise(one.meaning(), other.meaning())


def _otherwise(old: Mapping[str, Said], new: Mapping[str, Said]) -> Iterator[Finding]:
    """Nothing was found at all: every part that differs."""
    for key in sorted({*old, *new}):
        if old.get(key) != new.get(key):
            kind, _, name = key.partition(" ")
            path = local(name) or "(documents)"
            now = new.get(key, ())
            yield not_checked(
                f"{path}/{short(now)}", f"the {kind} `{path}` differs in a way that no rule describes"
            )


def _place(at: Where) -> str:
    if at[0] == "WSDL":
        return "(documents)"
    return "/".join(each.rpartition(" ")[2] for each in (at if " " in at[0] else at[1:])) or at[0]


def _by_name(reached: Mapping[str, Component]) -> dict[str, Component]:
    """By kind and name alone where that tells them apart, so that a namespace may move."""
    found: dict[str, list[Component]] = {}
    for each in reached.values():
        found.setdefault(f"{each.kind} {each.local}", []).append(each)
    return {
        (key if len(several) == 1 else each.key): each for key, several in found.items() for each in several
    }


def _explained(one: Documents, named: Collection[str]) -> set[str]:
    """The components that a finding is about, and what changes along with these."""
    found: set[str] = set()
    for each in one.reached.values():
        if any(name == each.local or name.startswith(f"{each.local}_") for name in named):
            for inner in one.components.beside(each.key):
                found |= {inner.key, f"{inner.kind} {inner.local}"}
    return found


def _parts(root: etree._Element, names: set[str] | None) -> Iterator[etree._Element]:
    """The parts of a WSDL that its operations are made of."""
    bindings = soap_bindings(root)
    kinds = {each.get("type", "").rpartition(":")[2].strip() for each in bindings}
    bound = {each.get("name", "").strip() for each in bindings}
    for node in (*root.iterchildren(f"{{{WSDL}}}portType"), *bindings):
        if node.tag == f"{{{WSDL}}}binding" or node.get("name", "").strip() in kinds:
            if names is None:
                yield node
            else:
                yield from (
                    each
                    for each in node.iterchildren(f"{{{WSDL}}}operation")
                    if each.get("name", "").strip() in names
                )
    if names is None:
        port_types = (
            each for each in root.iterchildren(f"{{{WSDL}}}portType") if each.get("name", "").strip() in kinds
        )
        named = {name for holder in (*port_types, *bindings) for name in messages_of(holder)}
        yield from (
            each for each in root.iterchildren(f"{{{WSDL}}}message") if each.get("name", "").strip() in named
        )
        for port in root.iterfind(f"{{{WSDL}}}service/{{{WSDL}}}port"):
            if port.get("binding", "").rpartition(":")[2].strip() in bound:
                yield port
        known = (f"{{{WSDL}}}", f"{{{XSD}}}")
        yield from (
            each
            for each in root.iterchildren("*")
            if not str(each.tag).startswith(known) and each.tag not in DOCUMENTATION
        )
