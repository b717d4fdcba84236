"""The fields of a message or a type, each with its type, how often it comes, and what else is known of it."""

from __future__ import annotations

from collections.abc import Sequence

from bindgen.docs import wording
from bindgen.docs.catalogue import Catalogue
from bindgen.docs.html import Child, Element, code, el
from bindgen.emit import hints
from bindgen.model import Anything, Enum, Field, ListOf, Operation, Simple, Struct, Type, UnionOf
from bindgen.simple_types import DAY

_FEW = 8  # values of an enumeration that are shown with a field


def listing(
    known: Catalogue, owner: str | None, fields: Sequence[Field], *, asked: Operation | None = None
) -> Element:
    """A list of fields. `owner` is the anchor they stand below; `asked` the operation whose request it is."""
    if not fields:
        return el("p", "No fields.", class_="none")
    return el("dl", (_entry(known, owner, field, asked) for field in fields), class_="fields")


def linked_type(known: Catalogue, kind: Type) -> Child:
    """The name of a type, leading to it."""
    if isinstance(kind, Simple):
        return code(f"xsd:{kind.xsd}")
    if isinstance(kind, Anything):
        return "anything"
    if isinstance(kind, ListOf):
        return ["texts apart by blanks, each ", linked_type(known, kind.item)]
    if isinstance(kind, UnionOf):
        members = [linked_type(known, member) for member in kind.members]
        return [[" or " if at else None, member] for at, member in enumerate(members)]
    name = kind.qname.rpartition("}")[2]
    anchor = known.place(kind) if isinstance(kind, Struct) else known.of(kind)
    return code(name) if anchor is None else el("a", code(name), href=f"#{anchor}")


def _entry(known: Catalogue, owner: str | None, field: Field, asked: Operation | None) -> Element:
    anchor = known.anchors.get((owner, id(field)))
    name = code(f"@{field.wire}" if field.kind == "attribute" else field.wire, class_="n")
    said = "refused" if field.refused else wording.occurrence(field)
    head = el(
        "dt",
        el("a", name, href=f"#{anchor}", class_="self") if anchor else name,
        " ",
        None if field.refused else el("span", _type(known, field), class_="kind"),
        " ",
        el("span", said, class_=f"occurs {said.split(',')[0].split()[0]}"),
        _marks(field),
    )
    body = [one for one in _about(known, field, asked) if one is not None]
    kind = "field" if anchor else None
    return el("div", head, el("dd", body) if body else None, id=anchor, data_k=kind)


def _marks(field: Field) -> list[Child]:
    words = [
        *(["may be missing"] if field.may_be_missing else []),
        *(["may be nil"] if field.nillable else []),
        *(["one of a choice"] if field.choices else []),
        *([f"{field.carrier.upper()} alone"] if field.carrier else []),
        *(["optional over REST"] if field.rest_optional else []),
        *(["the text itself"] if field.kind == "text" else []),
    ]
    return [[" ", el("span", word, class_="mark")] for word in words]


def _type(known: Catalogue, field: Field) -> Child:
    if field.kind == "any":
        return "any element"
    if field.kind == "any_attributes":
        return "any attributes"
    inner = field.item or field
    linked = linked_type(known, inner.type)
    declared = wording.local(field.type_name)
    if isinstance(inner.type, Simple) and declared not in ("", inner.type.xsd):
        linked = [code(declared), ", ", linked]
    return ["list of ", linked] if inner.repeats else linked


def _about(known: Catalogue, field: Field, asked: Operation | None) -> list[Element | None]:
    if field.refused:
        return [el("p", f"Refused, before anything is sent: {field.refused}.")]
    inner = field.item or field
    said = hints.parameter(field) if asked is not None else hints.attribute(field)
    python = None
    if field.python:
        python = el("p", code(f"{field.python}: {said[0]}"), class_="python")
    notes = _notes(known, field, inner)
    return [
        python,
        el("p", field.doc) if field.doc else None,
        *(el("p", note) for note in notes),
    ]


def _notes(known: Catalogue, field: Field, inner: Field) -> list[Child]:
    notes: list[Child] = []
    if field.item is not None:
        notes.append(["Each in an element ", code(field.item.wire), "."])
    if isinstance(inner.type, Enum) and len(inner.type.values) <= _FEW:
        notes.append(["One of ", wording.listed(inner.type.values), "."])
    facets = wording.facets(inner.facets) if inner.facets else []
    if facets:
        notes.append([wording.joined(facets), "."])
    if field.default is not None:
        notes.append(["By default ", code(field.default), "."])
    if field.fixed is not None:
        notes.append(["Always ", code(field.fixed), "."])
    if inner.type is DAY:
        notes.append("A calendar day: the midnight it begins with in a document, the bare day in an address.")
    if field.may_be_missing:
        notes.append("Declared as required, but the service leaves it out at times: None then.")
    for kind, tag in field.elsewhere:
        notes.append([f"Also read from the {kind} ", code(wording.local(tag)), "."])
    if field.partial:
        notes.append("Over REST changes alone will do.")
    if field.wildcard is not None:
        notes.append(["Of the namespaces ", code(field.wildcard.namespaces), "."])
    for value, reason in field.refused_values.items():
        notes.append(["Refused: ", code(value), f", {reason}."])
    return notes
