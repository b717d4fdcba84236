"""The sections of types, enumerations and faults."""

from __future__ import annotations

from bindgen.docs import fields, wording
from bindgen.docs.catalogue import Catalogue
from bindgen.docs.html import Element, code, el
from bindgen.model import Enum, Struct

_MOST_USES = 40


def struct(known: Catalogue, one: Struct) -> Element:
    """A complex type."""
    anchor = known.of(one)
    about = wording.about(one)
    return el(
        "section",
        _heading(one.name, one.python, anchor),
        el("p", about) if about else None,
        el("p", one.doc) if one.doc else None,
        _family(known, "Extends", [one.base] if one.base else []),
        _family(known, "Restricts", [one.restricts] if one.restricts else []),
        _family(known, "Derived", one.derived),
        fields.listing(known, anchor, one.fields),
        el("p", "What comes without being in the contract is kept in ", code(one.unknown), ".")
        if one.keeps_unknown
        else None,
        _uses(known, id(one)),
        id=anchor,
        class_="type",
        data_k="type",
    )


def enum(known: Catalogue, one: Enum) -> Element:
    """An enumeration with its values, and what Python calls each."""
    anchor = known.of(one)
    members = {value: name for name, value in one.members.items()}
    rows = [
        el(
            "li",
            code(value, class_="n"),
            [" ", code(f"{one.python}.{members[value]}", class_="python")] if value in members else None,
            id=known.anchors.get((anchor, value)),
            data_k="value",
        )
        for value in one.values
    ]
    return el(
        "section",
        _heading(one.qname.rpartition("}")[2], one.python, anchor),
        el("p", one.doc) if one.doc else None,
        el("ul", rows, class_="values"),
        _uses(known, id(one)),
        id=anchor,
        class_="type",
        data_k="type",
    )


def _heading(name: str, python: str, anchor: str | None) -> Element:
    return el(
        "h3",
        el("a", el("span", name, class_="n"), href=f"#{anchor}", class_="self"),
        [" ", code(python, class_="python")] if python else None,
    )


def _family(known: Catalogue, word: str, members: list[Struct]) -> Element | None:
    linked = wording.joined([fields.linked_type(known, one) for one in members])
    return el("p", f"{word} ", linked, ".") if linked else None


def _uses(known: Catalogue, what: int) -> Element | None:
    found = known.uses.get(what, [])
    linked = wording.joined([fields.linked_type(known, one) for one in found[:_MOST_USES]])
    further = f" and {len(found) - _MOST_USES} more" if len(found) > _MOST_USES else ""
    return el("p", "Used in ", linked, further, ".", class_="note") if linked else None
