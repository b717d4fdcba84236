"""The schema components of a contract (XSD 1.0 part 1, section 2.2).

Also finds the components that the messages of the contract can contain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from bindgen.diff.canonical import NAMING, Content, Defaults, clark, content_of
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
    """A top-level component of a schema.

    `uses` are the keys of the components to which it refers, such as the types of its elements. `builds_on`
    are the keys of its base types.
    """

    kind: str  # "type" for complex and simple types
    name: str  # in Clark notation
    node: etree._Element
    defaults: Defaults
    space: str
    uses: list[str] = field(default_factory=list)
    builds_on: list[str] = field(default_factory=list)
    _loose: Content | None = None
    wildcards: list[tuple[str, str]] = field(
        default_factory=list
    )  # the allowed namespaces, and the kind of component

    @property
    def key(self) -> str:
        """The unique key of the component: its kind and its name, as in `uses` and `builds_on`."""
        return f"{self.kind} {self.name}"

    @property
    def loose(self) -> Content:
        """The canonical content of the component, in which names of types and of namespaces are ignored.

        It stays the same if only these names change.
        """
        if self._loose is None:
            self._loose = content_of(self.node, self.defaults, loose=True)
        return self._loose

    @property
    def local(self) -> str:
        """The name without its namespace."""
        return self.name.rpartition("}")[2]


class Components:
    """All schema components of a complete contract, and its SOAP bindings with their port types."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self.bindings = soap_bindings(root)
        kinds = {binding.get("type", "").rpartition(":")[2].strip() for binding in self.bindings}
        port_types = root.iterchildren(f"{{{WSDL}}}portType")
        self.port_types = [binding for binding in port_types if binding.get("name", "").strip() in kinds]
        self.all: dict[str, Component] = {}
        self._derived: dict[str, list[str]] = {}
        self._members: dict[str, list[str]] = {}
        for schema in root.iter(f"{{{XSD}}}schema"):
            space, defaults = schema.get("targetNamespace", ""), Defaults.of(schema)
            for node in schema.iterchildren("*"):
                kind = _KINDS.get(etree.QName(node).localname)
                if kind is not None:
                    component = Component(kind, f"{{{space}}}{node.get('name', '')}", node, defaults, space)
                    if self.all.setdefault(component.key, component) is component:
                        self._add_references(component)

    def reached(self, operations: Iterable[str] | None = None) -> dict[str, Component]:
        """Return the components that messages of `operations` can contain, by their keys.

        By default, these are the messages of all SOAP operations.
        """
        names = None if operations is None else set(operations)
        waiting = [(key, True) for key in self._roots(names)]
        used: dict[str, bool] = {}
        while waiting:
            key, is_direct = waiting.pop()
            if key not in self.all or used.get(key, False) or (key in used and not is_direct):
                continue
            fresh = key not in used
            used[key] = is_direct
            component = self.all[key]
            if is_direct:
                waiting += [
                    (candidate, True)
                    for candidate in (*self._derived.get(key, ()), *self._members.get(key, ()))
                ]
            if fresh:
                waiting += [(candidate, True) for candidate in component.uses]
                waiting += [(candidate, False) for candidate in component.builds_on]
                waiting += [(candidate, True) for candidate in self._allowed_by_wildcards(component)]
        return {key: candidate for key, candidate in self.all.items() if key in used}

    def related(self, key: str) -> list[Component]:
        """Return a component and its parts: simple types, groups, elements and base types.

        `key` is the key of the component. The list begins with this component.
        """
        related_components: dict[str, Component] = {}
        waiting = [key]
        while waiting:
            component = self.all.get(waiting.pop())
            if component is None or component.key in related_components:
                continue
            related_components[component.key] = component
            waiting += component.builds_on
            waiting += [
                candidate
                for candidate in component.uses
                if not candidate.startswith("type ")
                or (
                    (other := self.all.get(candidate)) is not None
                    and other.node.tag == f"{{{XSD}}}simpleType"
                )
            ]
        return list(related_components.values())

    def _add_references(self, component: Component) -> None:
        """Fill in `uses`, `builds_on` and `wildcards` of a component."""
        for node in component.node.iter(f"{{{XSD}}}*"):
            local = etree.QName(node).localname
            for name in NAMING & set(map(str, node.attrib)):
                for raw in node.get(name, "").split():
                    self._add_reference(component, node, local, name, clark(node, raw))
            if local in ("any", "anyAttribute") and node.get("processContents", "").strip() != "skip":
                kind = "element" if local == "any" else "attribute"
                component.wildcards.append((node.get("namespace", "##any").strip(), kind))
            if local == "element" and not _has_type(node):
                component.wildcards.append(("##any", "element"))

    def _add_reference(
        self, component: Component, node: etree._Element, local: str, name: str, target: str
    ) -> None:
        """Record that `component` refers to `target`, the qualified name of another component.

        The reference is an attribute of `node`, which is an element in `component`. `name` is the attribute's
        name, such as "base" or "type". `local` is the tag of `node` without its namespace.
        """
        if name == "ref":
            component.uses.append(f"{local} {target}")
        elif name == "substitutionGroup":
            self._members.setdefault(f"element {target}", []).append(component.key)
        elif name == "base" and component.kind == "type" and _of_type(node) is component.node:
            component.builds_on.append(f"type {target}")
            self._derived.setdefault(f"type {target}", []).append(component.key)
        elif name == "base":
            component.builds_on.append(f"type {target}")
        elif name != "refer":
            component.uses.append(f"type {target}")
            if target == _ANY_TYPE:
                component.wildcards.append(("##any", "element"))

    def _allowed_by_wildcards(self, component: Component) -> Iterator[str]:
        """Yield the keys of the components that the wildcards of a component allow."""
        for namespaces, kind in component.wildcards:
            for key, candidate in self.all.items():
                if candidate.kind == kind and _allows(namespaces, candidate.space, component.space):
                    yield key

    def _roots(self, names: set[str] | None) -> Iterator[str]:
        """Yield the key of each element or type that is a part (wsdl:part) of a message.

        `names` are the operations whose messages are searched; None for all SOAP operations.
        """
        messages = {node.get("name", "").strip(): node for node in self._root.iterfind(f"{{{WSDL}}}message")}
        used = {name for node in (*self.port_types, *self.bindings) for name in messages_of(node, names)}
        for name in sorted(used & messages.keys()):
            for part in messages[name].iterfind(f"{{{WSDL}}}part"):
                for kind in ("element", "type"):
                    if part.get(kind) is not None:
                        yield f"{kind} {clark(part, part.get(kind, ''))}"


def soap_bindings(root: etree._Element) -> list[etree._Element]:
    """Return the bindings that use SOAP."""
    return [
        node
        for node in root.iterfind(f"{{{WSDL}}}binding")
        if any(node.find(f"{{{space}}}binding") is not None for space in (SOAP, SOAP12))
    ]


def messages_of(node: etree._Element, names: set[str] | None = None) -> set[str]:
    """Return the names of the messages that operations in a wsdl:portType or wsdl:binding use.

    `names` selects operations, by default all.
    """
    return {
        inner.get("message", "").rpartition(":")[2].strip()
        for operation in node.iterfind(f"{{{WSDL}}}operation")
        if names is None or operation.get("name", "").strip() in names
        for inner in operation.iter("*")
        if inner.get("message") is not None
    }


def _of_type(node: etree._Element) -> etree._Element | None:
    """Return the innermost type definition that contains `node`; None if there is none."""
    return next(node.iterancestors(f"{{{XSD}}}complexType", f"{{{XSD}}}simpleType"), None)


def _has_type(node: etree._Element) -> bool:
    """Return True if an element declares a type. Without a type, it may contain anything."""
    return any(node.get(name) is not None for name in ("type", "ref", "substitutionGroup")) or any(
        child.tag in (f"{{{XSD}}}complexType", f"{{{XSD}}}simpleType") for child in node
    )


def _allows(namespaces: str, space: str, target: str) -> bool:
    """Return True if a wildcard allows components in the namespace `space`.

    `namespaces` is its `namespace` attribute, `target` the target namespace of its schema.
    """
    for namespace in namespaces.split():
        if (
            namespace == "##any"
            or namespace == space
            or (namespace == "##other" and space not in ("", target))
        ):
            return True
        if (namespace, space) in (("##local", ""), ("##targetNamespace", target)):
            return True
    return False
