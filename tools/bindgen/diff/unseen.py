"""Where the documents differ and no rule says how: it must not pass for "no change".

Three nets. What no comparison looks into is held against each other by where it stands. A component of a
schema that says something else now, with nothing found in it or in what it is part of, is named. And where
nothing was found at all, all that the messages reach must say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from bindgen.diff import beside
from bindgen.diff.beside import Where
from bindgen.diff.canonical import DOCUMENTATION, Said, said, short
from bindgen.diff.components import Component, Components, soap_bindings
from bindgen.diff.findings import Finding
from bindgen.diff.pairs import local
from bindgen.diff.rules import WHOLE
from bindgen.reading.extensions import WSDL
from bindgen.simple_types import XSD


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
        kept = beside.of_wsdl(root)
        for each in reached.values():
            kept |= beside.of_component(each, components)
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
    for at, (_, now) in beside.changed(one.beside, other.beside).items():
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


def not_checked(path: str, said_: str, operations: tuple[str, ...] = ()) -> Finding:
    """A finding for what could not be compared; `path` ends in a hash of what it is now."""
    rule = WHOLE["not-checked"]
    return Finding(
        rule.name, rule.level, rule.direction, path, operations, None, None, f"{said_}.", rule.remedy
    )


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
        named = _named(root, bindings, kinds)
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


def _named(root: etree._Element, bindings: list[etree._Element], kinds: set[str]) -> set[str]:
    """The messages that operations and headers name."""
    holders = [
        each for each in root.iterchildren(f"{{{WSDL}}}portType") if each.get("name", "").strip() in kinds
    ]
    return {
        each.get("message", "").rpartition(":")[2].strip()
        for holder in (*holders, *bindings)
        for each in holder.iter("*")
        if each.get("message") is not None
    }
