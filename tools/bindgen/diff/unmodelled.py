"""Changes of the documents that no rule describes. They must not be reported as "no change".

There are three checks:

- Parts of the documents that no rule reads must be equal to the parts at the same position on the other side.
- A changed component of a schema must have a finding, or be a part of a component that has a finding.
  Otherwise the changed component is reported.
- If there are no findings at all, everything that messages can contain must be equal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from bindgen.diff import policies
from bindgen.diff.canonical import DOCUMENTATION, Content, Defaults, attributes, clark, content_of, short
from bindgen.diff.components import Component, Components, messages_of
from bindgen.diff.findings import Finding, not_checked
from bindgen.diff.policies import is_described
from bindgen.naming import local_name
from bindgen.reading.nodes import SOAP, SOAP12, WSDL
from bindgen.simple_types import XSD

Position = tuple[str, ...]

_MODELLED = frozenset(
    (
        *("element", "attribute", "group", "attributeGroup", "complexType", "simpleType"),
        *("complexContent", "simpleContent", "restriction", "extension", "list", "union"),
        *("sequence", "choice", "all", "any", "anyAttribute"),
        *("enumeration", "pattern", "length", "minLength", "maxLength", "totalDigits", "fractionDigits"),
        *("minInclusive", "maxInclusive", "minExclusive", "maxExclusive", "whiteSpace"),
    )
)
_MODELLED_ATTRIBUTES = frozenset(
    (
        *("name", "type", "ref", "base", "itemType", "memberTypes", "substitutionGroup", "id"),
        *("minOccurs", "maxOccurs", "nillable", "abstract", "mixed", "use", "form", "final"),
        *("processContents", "namespace", "default", "fixed", "value"),
    )
)
_TEXTS = frozenset(("string", "normalizedString", "token", "language", "NMTOKEN", "Name", "NCName", "anyURI"))
_MAX_DEPTH = 50
# The last step of the position of policies that the comparison of ports reads.
_POLICY = "policy"
# Attributes of SOAP elements that the comparison of operations and ports reads.
_COMPARED_SOAP_ATTRIBUTES = frozenset(
    ("soapAction", "style", "parts", "namespace", "message", "part", "name", "location", "use")
)
_SOAP_PARTS = frozenset(("header", "fault", "headerfault"))
_SOAP = _SOAP_PARTS | {"body", "operation", "binding", "address"}
_WITH_NAME = frozenset(("operation", "port", "message", "part", "fault", "binding"))


def _collect_component(
    node: etree._Element,
    position: Position,
    component: Component,
    components: Components,
    parts: dict[Position, Content],
) -> None:
    """Collect in `parts` the parts of a schema component that no comparison reads.

    `component` is the named top-level component that contains the node, such as a complex type. `components`
    are all components of the documents. `position` is the path of names that leads to the node.
    """
    extra: list[object] = [
        item for item in attributes(node, component.defaults) if item[0] not in _MODELLED_ATTRIBUTES
    ]
    if node.tag in (f"{{{XSD}}}list", f"{{{XSD}}}union"):
        extra += filter(None, [_member_facets(node, components, 0)])
    for child in node.iterchildren("*"):
        name = etree.QName(child)
        if name.namespace == XSD and name.localname in _MODELLED:
            name_here = child.get("name") or child.get("ref", "").rpartition(":")[2]
            _collect_component(
                child, (*position, name_here.strip()) if name_here else position, component, components, parts
            )
        elif child.tag not in DOCUMENTATION:
            extra.append(content_of(child, component.defaults))
    _add(parts, position, extra)


def _add(collected: dict[Position, Content], position: Position, parts_here: Iterable[object]) -> None:
    """Add `parts_here` to the parts in `collected` at a position. The parts at each position are sorted."""
    collected[position] = tuple(sorted((*collected.get(position, ()), *parts_here), key=repr))


def _member_facets(node: etree._Element, components: Components, depth: int) -> Content:
    """Return the facets of the member types of a list or a union.

    The names of the types make no difference. `depth` is the number of types that were followed so far.
    """
    names = [*node.get("itemType", "").split(), *node.get("memberTypes", "").split()]
    inner = [components.all.get(f"type {clark(node, name)}") for name in names]
    types = [item.node for item in inner if item is not None]
    types += node.iterchildren(f"{{{XSD}}}simpleType")
    facets = [item for item in (_facets(kind, components, depth + 1) for kind in types) if item]
    return tuple(facets)


def _facets(kind: etree._Element, components: Components, depth: int) -> Content:
    """Return the facets of the simple type `kind` and of all types from which it is derived.

    `depth`: the number of types that were followed before `kind`. Stops at a maximum, for example in a cycle.
    """
    steps: list[object] = []
    node: etree._Element | None = kind
    listed: list[Content] = []
    base = ""
    while node is not None and depth < _MAX_DEPTH:
        depth += 1
        step = next(node.iterchildren(f"{{{XSD}}}restriction", f"{{{XSD}}}list", f"{{{XSD}}}union"), None)
        if step is None:
            break
        if step.tag != f"{{{XSD}}}restriction":
            inner = _member_facets(step, components, depth)
            steps += [inner] if inner else []
            break
        facets = [facet for facet in step.iterchildren("*") if facet.tag not in DOCUMENTATION]
        facets = [facet for facet in facets if facet.tag != f"{{{XSD}}}simpleType"]
        listed += [content_of(facet) for facet in facets if facet.tag == f"{{{XSD}}}enumeration"]
        restriction_steps = sorted(
            (content_of(facet) for facet in facets if facet.tag != f"{{{XSD}}}enumeration"), key=repr
        )
        steps += [tuple(restriction_steps)] if restriction_steps else []
        base = clark(step, step.get("base", ""))
        above = components.all.get(f"type {base}")
        node = above.node if above is not None else step.find(f"{{{XSD}}}simpleType")
    # Enumerations of strings are compared elsewhere, enumerations of other types are not.
    if listed and base not in {f"{{{XSD}}}{name}" for name in _TEXTS}:
        steps.append(tuple(sorted(listed, key=repr)))
    return tuple(steps)


def _collect_wsdl(
    node: etree._Element, position: Position, bindings: Collection[str], parts: dict[Position, Content]
) -> None:
    """Collect in `parts` the content of a WSDL or SOAP element that no comparison reads.

    `node` is the element; its descendants are included. Skips each wsdl:port whose binding is not in
    `bindings`.
    """
    local = etree.QName(node).localname
    if local == "port" and node.get("binding", "").rpartition(":")[2].strip() not in bindings:
        return
    soap = not str(node.tag).startswith(f"{{{WSDL}}}")
    extra: list[object] = _foreign_attributes(node)
    described: list[object] = []
    if soap:
        words = [node.get(key, "").rpartition(":")[2] for key in ("message", "part", "name")]
        position_here = (*position, " ".join([f"soap:{local}", *filter(None, words)]))
        extra += [] if local in _SOAP else [content_of(node)]
        extra += [
            (key, value.strip())
            for key, value in node.attrib.items()
            if "{" not in key and key not in _COMPARED_SOAP_ATTRIBUTES
        ]
        use = node.get("use", "literal").strip()
        extra += [("use", use)] if local in _SOAP_PARTS and use != "literal" else []
    else:
        position_here = (
            *position,
            f"{local} {node.get('name', '').strip() if local in _WITH_NAME else ''}".strip(),
        )
    for child in node.iterchildren("*"):
        if not soap and etree.QName(child).namespace in (WSDL, SOAP, SOAP12):
            if child.tag not in DOCUMENTATION:
                _collect_wsdl(child, position_here, bindings, parts)
        elif child.tag not in DOCUMENTATION:
            (described if is_described(child) else extra).append(content_of(child))
    _add(parts, position_here, extra)
    _add(parts, (*position_here, _POLICY), described)


def _foreign_attributes(node: etree._Element) -> list[object]:
    """Return the attributes in namespaces other than WSDL. wsdl:required of headers is compared elsewhere."""
    return [
        item
        for item in attributes(node, Defaults())
        if item[0].startswith("{") and not item[0].startswith(f"{{{WSDL}}}")
    ]


@dataclass(slots=True)
class Documents:
    """The documents of one side of the comparison.

    `components` are all schema components, `reached` the components that messages can contain, and
    `unmodelled` the parts that no comparison reads.
    """

    root: etree._Element
    components: Components
    reached: Mapping[str, Component]
    unmodelled: Mapping[Position, Content]

    @classmethod
    def of(cls, root: etree._Element) -> Documents:
        """Read a document that holds a complete contract. WSDL parts without SOAP are left out."""
        components = Components(root)
        reached = components.reached()
        parts: dict[Position, Content] = {}
        foreign = [item for item in root.iterchildren("*") if etree.QName(item).namespace not in (WSDL, XSD)]
        described = [item for item in foreign if is_described(item)]
        others = [item for item in foreign if not is_described(item)]
        _add(parts, ("WSDL",), [*map(content_of, others), *_foreign_attributes(root)])
        _add(parts, ("WSDL", _POLICY), map(content_of, described))
        names = {item.get("name", "").strip() for item in components.bindings}
        around = root.iterchildren(f"{{{WSDL}}}message", f"{{{WSDL}}}portType", f"{{{WSDL}}}service")
        for node in (*around, *components.bindings):
            _collect_wsdl(node, (), names, parts)
        for item in reached.values():
            _collect_component(item.node, (item.kind, item.local), item, components, parts)
        return cls(root, components, reached, parts)

    def meaning(self, operations: Iterable[str] | None = None) -> dict[str, Content]:
        """Return the canonical content of each WSDL element and schema component that `operations` use.

        By default, the elements and components of all SOAP operations are returned. Keys consist of a kind
        and a name, such as "operation Order".
        """
        reached = self.reached if operations is None else self.components.reached(operations)
        contents = {item.key: content_of(item.node, item.defaults) for item in reached.values()}
        for part in self._parts(None if operations is None else set(operations)):
            contents[f"{local_name(str(part.tag))} {part.get('name', '').strip()}"] = content_of(part)
        return contents

    def _parts(self, names: set[str] | None) -> list[etree._Element]:
        """Return the wsdl:operation nodes with these names; for None, all WSDL nodes that SOAP uses."""
        holders = [*self.components.port_types, *self.components.bindings]
        if names is not None:
            inner = (item for holder in holders for item in holder.iterchildren(f"{{{WSDL}}}operation"))
            return [item for item in inner if item.get("name", "").strip() in names]
        used_messages = {name for holder in holders for name in messages_of(holder)}
        bound = {item.get("name", "").strip() for item in self.components.bindings}
        return [
            *holders,
            *(
                item
                for item in self.root.iterchildren(f"{{{WSDL}}}message")
                if item.get("name", "").strip() in used_messages
            ),
            *(
                port
                for port in self.root.iterfind(f"{{{WSDL}}}service/{{{WSDL}}}port")
                if port.get("binding", "").rpartition(":")[2].strip() in bound
            ),
            *(
                item
                for item in self.root.iterchildren("*")
                if not str(item.tag).startswith((f"{{{WSDL}}}", f"{{{XSD}}}"))
            ),
        ]


def unseen(old: Documents, new: Documents, findings: Collection[Finding]) -> Iterator[Finding]:
    """Yield a finding for each difference between two contracts that no finding in `findings` covers."""
    names = {step.lstrip("@") for item in findings for step in item.path.split("/")}
    are_compared = any(item.rule.startswith(policies.RULES) for item in findings)
    for position, before in old.unmodelled.items():
        now = new.unmodelled.get(position, before)  # parts of only one side are reported by other comparisons
        if now == before or (position[-1] == _POLICY and are_compared):
            continue
        where = "/".join(position) if position[0] != "WSDL" else "the WSDL"
        message = f"{where}: a part of it changed, and no rule describes this part"
        yield not_checked(f"{_place(position)}/{short(now)}", message)
        names.add(position[1] if len(position) > 1 else position[0])
    explained = _explained(old, names)
    old_components, new_components = _by_local_name(old.reached), _by_local_name(new.reached)
    for key, component in old_components.items():
        after = new_components.get(key, component)
        if key not in explained and component.loose != after.loose:
            message = f"`{component.local}` differs in a way that no rule describes"
            yield not_checked(f"{component.local}/{short(after.loose)}", message)
            names.add(component.local)
    if not names:
        yield from _all_differences(old.meaning(), new.meaning())


def _all_differences(old: Mapping[str, Content], new: Mapping[str, Content]) -> Iterator[Finding]:
    """Yield a finding for each part that differs. Used only if there are no other findings.

    `old` and `new` are the parts of each side, as `Documents.meaning` returns them.
    """
    for key in sorted({*old, *new}):
        if old.get(key) != new.get(key):
            kind, _, name = key.partition(" ")
            path = local_name(name) or "(documents)"
            now = new.get(key, ())
            yield not_checked(
                f"{path}/{short(now)}", f"the {kind} `{path}` differs in a way that no rule describes"
            )


def _place(position: Position) -> str:
    """Convert a position in the documents to the path that a finding shows."""
    if position[0] == "WSDL":
        return "(documents)"
    return (
        "/".join(step.rpartition(" ")[2] for step in (position if " " in position[0] else position[1:]))
        or position[0]
    )


def _by_local_name(reached: Mapping[str, Component]) -> dict[str, Component]:
    """Map components by kind and local name, so that renamed namespaces make no difference.

    If several components have the same kind and local name, their keys contain the namespace.
    """
    grouped: dict[str, list[Component]] = {}
    for component in reached.values():
        grouped.setdefault(f"{component.kind} {component.local}", []).append(component)
    return {
        (key if len(candidates) == 1 else component.key): component
        for key, candidates in grouped.items()
        for component in candidates
    }


def _explained(old: Documents, names: Collection[str]) -> set[str]:
    """Return the keys of the old components that have a finding, and of the components used to define them.

    `names` are the names in the paths of the findings. Components used in a definition are base types, groups
    and the like.
    """
    keys: set[str] = set()
    for component in old.reached.values():
        if any(name == component.local or name.startswith(f"{component.local}_") for name in names):
            for related in old.components.related(component.key):
                keys |= {related.key, f"{related.kind} {related.local}"}
    return keys
