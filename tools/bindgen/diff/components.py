"""The components of a contract's documents, and which of them its messages reach (XSD 1.0 part 1, 2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from bindgen.diff.canonical import NAMING, Defaults, Said, clark, said
from bindgen.reading.nodes import SOAP, SOAP12, WSDL
from bindgen.simple_types import XSD

_KINDS = {
    "complexType": "type",
    "simpleType": "type",
    "element": "element",
    "attribute": "attribute",
    "group": "group",
    "attributeGroup": "attributeGroup",
}
_ANY_TYPE = f"{{{XSD}}}anyType"


@dataclass(slots=True, eq=False)
class Component:
    """A component at the top of a schema. `uses` it leads to in a message, `builds_on` only lends content."""

    kind: str  # "type" for complex and simple ones
    name: str  # in Clark notation
    node: etree._Element
    defaults: Defaults
    space: str
    uses: list[str] = field(default_factory=list)
    builds_on: list[str] = field(default_factory=list)
    _loose: Said | None = None
    wildcards: list[tuple[str, str]] = field(default_factory=list)  # what it lets in, and of which kind

    @property
    def key(self) -> str:
        """How others name it."""
        return f"{self.kind} {self.name}"

    @property
    def loose(self) -> Said:
        """What it says, whatever the types it names are called."""
        if self._loose is None:
            self._loose = said(self.node, self.defaults, loose=True)
        return self._loose

    @property
    def local(self) -> str:
        """Its name without the namespace."""
        return self.name.rpartition("}")[2]


class Components:
    """All components of a document that holds a whole contract; its bindings over SOAP, and their types."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self.bindings = soap_bindings(root)
        kinds = {each.get("type", "").rpartition(":")[2].strip() for each in self.bindings}
        port_types = root.iterchildren(f"{{{WSDL}}}portType")
        self.port_types = [each for each in port_types if each.get("name", "").strip() in kinds]
        self.all: dict[str, Component] = {}
        self._derived: dict[str, list[str]] = {}
        self._members: dict[str, list[str]] = {}
        for schema in root.iter(f"{{{XSD}}}schema"):
            space, defaults = schema.get("targetNamespace", ""), Defaults.of(schema)
            for node in schema.iterchildren("*"):
                kind = _KINDS.get(etree.QName(node).localname)
                if kind is not None:
                    made = Component(kind, f"{{{space}}}{node.get('name', '')}", node, defaults, space)
                    if self.all.setdefault(made.key, made) is made:
                        self._fill(made)

    def reached(self, operations: Iterable[str] | None = None) -> dict[str, Component]:
        """What the messages of these operations may hold, or of all that are called over SOAP."""
        names = None if operations is None else set(operations)
        waiting = [(key, True) for key in self._starts(names)]
        used: dict[str, bool] = {}
        while waiting:
            key, whole = waiting.pop()
            if key not in self.all or used.get(key, False) or (key in used and not whole):
                continue
            fresh = key not in used
            used[key] = whole
            found = self.all[key]
            if whole:
                waiting += [
                    (each, True) for each in (*self._derived.get(key, ()), *self._members.get(key, ()))
                ]
            if fresh:
                waiting += [(each, True) for each in found.uses]
                waiting += [(each, False) for each in found.builds_on]
                waiting += [(each, True) for each in self._let_in(found)]
        return {key: each for key, each in self.all.items() if key in used}

    def beside(self, key: str) -> list[Component]:
        """What changes along with a component: simple types, groups, bases, and what it refers to."""
        found: dict[str, Component] = {}
        waiting = [key]
        while waiting:
            known = self.all.get(waiting.pop())
            if known is None or known.key in found:
                continue
            found[known.key] = known
            waiting += known.builds_on
            waiting += [
                each
                for each in known.uses
                if not each.startswith("type ")
                or ((other := self.all.get(each)) is not None and other.node.tag == f"{{{XSD}}}simpleType")
            ]
        return list(found.values())

    def _fill(self, made: Component) -> None:
        for node in made.node.iter(f"{{{XSD}}}*"):
            local = etree.QName(node).localname
            for name in NAMING & set(map(str, node.attrib)):
                for raw in node.get(name, "").split():
                    self._refer(made, node, local, name, clark(node, raw))
            if local in ("any", "anyAttribute") and node.get("processContents", "").strip() != "skip":
                kind = "element" if local == "any" else "attribute"
                made.wildcards.append((node.get("namespace", "##any").strip(), kind))
            if local == "element" and not _has_type(node):
                made.wildcards.append(("##any", "element"))

    def _refer(self, made: Component, node: etree._Element, local: str, name: str, target: str) -> None:
        if name == "ref":
            made.uses.append(f"{local} {target}")
        elif name == "substitutionGroup":
            self._members.setdefault(f"element {target}", []).append(made.key)
        elif name == "base" and made.kind == "type" and _of_type(node) is made.node:
            made.builds_on.append(f"type {target}")
            self._derived.setdefault(f"type {target}", []).append(made.key)
        elif name == "base":
            made.builds_on.append(f"type {target}")
        elif name != "refer":
            made.uses.append(f"type {target}")
            if target == _ANY_TYPE:
                made.wildcards.append(("##any", "element"))

    def _let_in(self, found: Component) -> Iterator[str]:
        for namespaces, kind in found.wildcards:
            for key, each in self.all.items():
                if each.kind == kind and _lets_in(namespaces, each.space, found.space):
                    yield key

    def _starts(self, names: set[str] | None) -> Iterator[str]:
        """The elements and types that the parts of messages name."""
        messages = {each.get("name", "").strip(): each for each in self._root.iterfind(f"{{{WSDL}}}message")}
        met = {name for each in (*self.port_types, *self.bindings) for name in messages_of(each, names)}
        for name in sorted(met & messages.keys()):
            for part in messages[name].iterfind(f"{{{WSDL}}}part"):
                for kind in ("element", "type"):
                    if part.get(kind) is not None:
                        yield f"{kind} {clark(part, part.get(kind, ''))}"


def soap_bindings(root: etree._Element) -> list[etree._Element]:
    """The bindings over SOAP."""
    return [
        node
        for node in root.iterfind(f"{{{WSDL}}}binding")
        if any(node.find(f"{{{space}}}binding") is not None for space in (SOAP, SOAP12))
    ]


def messages_of(node: etree._Element, names: set[str] | None = None) -> set[str]:
    """The messages that the operations of a port type or a binding name; of some, or of all."""
    return {
        each.get("message", "").rpartition(":")[2].strip()
        for operation in node.iterfind(f"{{{WSDL}}}operation")
        if names is None or operation.get("name", "").strip() in names
        for each in operation.iter("*")
        if each.get("message") is not None
    }


def _of_type(node: etree._Element) -> etree._Element | None:
    """The type that a restriction or an extension makes."""
    return next(node.iterancestors(f"{{{XSD}}}complexType", f"{{{XSD}}}simpleType"), None)


def _has_type(node: etree._Element) -> bool:
    """Whether an element says what it holds; else it is anything."""
    return any(node.get(name) is not None for name in ("type", "ref", "substitutionGroup")) or any(
        child.tag in (f"{{{XSD}}}complexType", f"{{{XSD}}}simpleType") for child in node
    )


def _lets_in(namespaces: str, space: str, target: str) -> bool:
    for each in namespaces.split():
        if each == "##any" or each == space or (each == "##other" and space not in ("", target)):
            return True
        if (each, space) in (("##local", ""), ("##targetNamespace", target)):
            return True
    return False
