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
from bindgen.diff.components import Component, Components, messages_of
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
_SOAP_PARTS = frozenset(("header", "fault", "headerfault"))
_SOAP = _SOAP_PARTS | {"body", "operation", "binding", "address"}
_NAMED = frozenset(("operation", "port", "message", "part", "fault", "binding"))


def _of_component(
    node: etree._Element, at: Where, found: Component, components: Components, kept: dict[Where, Said]
) -> None:
    """Keep the things of a component of a schema, by where they stand in it."""
    extra: list[object] = [each for each in attributes(node, found.defaults) if each[0] not in _ATTRIBUTES]
    if node.tag in (f"{{{XSD}}}list", f"{{{XSD}}}union"):
        extra += filter(None, [_inside(node, components, 0)])
    for child in node.iterchildren("*"):
        name = etree.QName(child)
        if name.namespace == XSD and name.localname in _LOOKED_INTO:
            own = child.get("name") or child.get("ref", "").rpartition(":")[2]
            _of_component(child, (*at, own.strip()) if own else at, found, components, kept)
        elif child.tag not in DOCUMENTATION:
            extra.append(said(child, found.defaults))
    _keep(kept, at, extra)


def _keep(kept: dict[Where, Said], at: Where, extra: Iterable[object]) -> None:
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


def _of_wsdl(node: etree._Element, at: Where, bindings: Collection[str], kept: dict[Where, Said]) -> None:
    """Keep the things of an element of WSDL or SOAP, and of all in it, as far as `bindings` go."""
    local = etree.QName(node).localname
    if local == "port" and node.get("binding", "").rpartition(":")[2].strip() not in bindings:
        return
    soap = not str(node.tag).startswith(f"{{{WSDL}}}")
    extra: list[object] = _foreign(node)
    if soap:
        words = [node.get(key, "").rpartition(":")[2] for key in ("message", "part", "name")]
        here = (*at, " ".join([f"soap:{local}", *filter(None, words)]))
        extra += [] if local in _SOAP else [said(node)]
        extra += [
            (key, value.strip())
            for key, value in node.attrib.items()
            if "{" not in key and key not in _OF_SOAP
        ]
        use = node.get("use", "literal").strip()
        extra += [("use", use)] if local in _SOAP_PARTS and use != "literal" else []
    else:
        here = (*at, f"{local} {node.get('name', '').strip() if local in _NAMED else ''}".strip())
    for child in node.iterchildren("*"):
        if not soap and etree.QName(child).namespace in (WSDL, SOAP, SOAP12):
            if child.tag not in DOCUMENTATION:
                _of_wsdl(child, here, bindings, kept)
        elif child.tag not in DOCUMENTATION:
            extra.append(said(child))
    _keep(kept, here, extra)


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
        """Those of a document that holds a whole contract; around its schemas, as far as SOAP goes."""
        components = Components(root)
        reached = components.reached()
        kept: dict[Where, Said] = {}
        beside = [each for each in root.iterchildren("*") if etree.QName(each).namespace not in (WSDL, XSD)]
        _keep(kept, ("WSDL",), [*map(said, beside), *_foreign(root)])
        names = {each.get("name", "").strip() for each in components.bindings}
        around = root.iterchildren(f"{{{WSDL}}}message", f"{{{WSDL}}}portType", f"{{{WSDL}}}service")
        for node in (*around, *components.bindings):
            _of_wsdl(node, (), names, kept)
        for each in reached.values():
            _of_component(each.node, (each.kind, each.local), each, components, kept)
        return cls(root, components, reached, kept)

    def meaning(self, operations: Iterable[str] | None = None) -> dict[str, Said]:
        """What these operations say, or all: part by part."""
        reached = self.reached if operations is None else self.components.reached(operations)
        found = {each.key: said(each.node, each.defaults) for each in reached.values()}
        for part in self._parts(None if operations is None else set(operations)):
            found[f"{local(str(part.tag))} {part.get('name', '').strip()}"] = said(part)
        return found

    def _parts(self, names: set[str] | None) -> list[etree._Element]:
        """The parts of a WSDL that these operations are made of, or all."""
        holders = [*self.components.port_types, *self.components.bindings]
        if names is not None:
            inner = (each for holder in holders for each in holder.iterchildren(f"{{{WSDL}}}operation"))
            return [each for each in inner if each.get("name", "").strip() in names]
        named = {name for holder in holders for name in messages_of(holder)}
        bound = {each.get("name", "").strip() for each in self.components.bindings}
        return [
            *holders,
            *(
                each
                for each in self.root.iterchildren(f"{{{WSDL}}}message")
                if each.get("name", "").strip() in named
            ),
            *(
                port
                for port in self.root.iterfind(f"{{{WSDL}}}service/{{{WSDL}}}port")
                if port.get("binding", "").rpartition(":")[2].strip() in bound
            ),
            *(
                each
                for each in self.root.iterchildren("*")
                if not str(each.tag).startswith((f"{{{WSDL}}}", f"{{{XSD}}}"))
            ),
        ]


def unseen(one: Documents, other: Documents, findings: Collection[Finding]) -> Iterator[Finding]:
    """What differs and is in none of the findings."""
    named = {step.lstrip("@") for each in findings for step in each.path.split("/")}
    for at, before in one.beside.items():
        now = other.beside.get(at, before)  # what one side alone has is found elsewhere
        if now == before:
            continue
        where = "/".join(at) if at[0] != "WSDL" else "the WSDL"
        said_ = f"{where}: a part of it that is not looked into changed"
        yield not_checked(f"{_place(at)}/{short(now)}", said_)
        named.add(at[1] if len(at) > 1 else at[0])
    known = _explained(one, named)
    old, new = _by_name(one.reached), _by_name(other.reached)
    for key, component in old.items():
        after = new.get(key, component)
        if key not in known and component.loose != after.loose:
            said_ = f"`{component.local}` differs in a way that no rule describes"
            yield not_checked(f"{component.local}/{short(after.loose)}", said_)
            named.add(component.local)
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
