"""The codec of a package: what its rows say, and what reads and writes each type, made when first needed.

`Codec.fields` is a type as the walkers want it: names resolved, scalars found. `Codec.reader` and
`Codec.writer` are functions made of these, `decoding` and `encoding` make them. Types know one another in
circles, and most are never met: a field of a type holds what reads it from the first such element on.
Threads may share a codec: nothing is seen before it is whole, and what two make at once is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from soapclient.runtime import scalars
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.schema import FieldRow, Kind, Schema, TypeRow, type_row
from soapclient.runtime.simple_types import Choice, Scalar
from soapclient.runtime.wildcards import Wild

if TYPE_CHECKING:
    from soapclient.runtime.elements import Element

# Values of a package's classes: what they are is known where an operation names its types.
Leaf = Scalar[Any] | Choice[Any]
Read = Callable[[Node, Reader], Any]
ReadOccurrence = Callable[[Node, Sequence[Node], Reader], Any]
Write = Callable[[Any, "Element", str], None]


class Field(NamedTuple):
    """A field of a type. `tag`, `item` and `elsewhere` are in Clark notation; `name` is what paths call it.

    `holds` names a type, `leaf` is a simple type; with neither it is anything (`AnyElement`). `given` is the
    default or the fixed value. Choices are numbered in each type, so those of a base have a mark in `arms`.
    """

    python: str
    kind: Kind
    name: str
    tag: str
    item: str
    holds: str
    leaf: Leaf | None
    least: bool
    repeats: bool
    given: str | None
    wilds: tuple[Wild, ...]
    elsewhere: tuple[tuple[str, str], ...]
    arms: tuple[tuple[str, int], ...]
    row: FieldRow

    @property
    def shown(self) -> str:
        """The name in a path."""
        return f"@{self.name}" if self.kind == "attribute" else self.name


class Codec:
    """What reads and writes the types of a package."""

    def __init__(self, schema: Schema, types: ModuleType) -> None:
        self.schema = schema
        self._types = types
        self._rows: dict[str, TypeRow] = {}
        self._fields: dict[str, tuple[Field, ...]] = {}
        self._leaves: dict[str, Leaf] = {}
        self._derived: dict[str, list[str]] | None = None
        self._readers: dict[tuple[str, bool, bool], Read] = {}
        self._occurrence_readers: dict[str, ReadOccurrence] = {}
        self._writers: dict[tuple[str, bool], Write] = {}

    # ---- what the rows say

    def kind(self, name: str) -> type:
        """The class of a type, or an enumeration."""
        found: type = getattr(self._types, name)
        return found

    def row(self, name: str) -> TypeRow:
        """The row of a type."""
        found = self._rows.get(name)
        if found is None:
            found = self._rows[name] = type_row(self.schema.types[name])
        return found

    def xml_name(self, name: str) -> str:
        """A type's qualified name in Clark notation; of a holder and an anonymous type what paths call it."""
        return self.schema.tag(self.row(name).xml)

    def is_open(self, name: str) -> bool:
        """Whether `xsi:type` may say that a value is of another type."""
        row = self.row(name)
        return row.open or row.abstract

    def standing_for(self, name: str) -> list[str]:
        """A type and all that derive from it, in any number of steps."""
        if self._derived is None:
            derived: dict[str, list[str]] = {}
            for each in self.schema.types:
                if base := self.row(each).base:
                    derived.setdefault(base, []).append(each)
            self._derived = derived
        found: dict[str, None] = {}
        todo = [name]
        while todo:
            each = todo.pop()
            if each not in found:
                found[each] = None
                todo += reversed(self._derived.get(each, []))
        return list(found)

    def fields(self, name: str) -> tuple[Field, ...]:
        """The fields of a type, inherited ones first."""
        found = self._fields.get(name)
        if found is None:
            found = self._fields[name] = tuple(self._all_fields(name))
        return found

    def _all_fields(self, name: str) -> Iterator[Field]:
        row = self.row(name)
        if row.derivation == "extension":
            for field in self.fields(row.base):
                arms = tuple((f"^{choice}", arm) for choice, arm in field.arms)
                wider = self._wilds(row.wider) if field.kind == "any_attributes" else ()
                yield field._replace(arms=arms, wilds=(*field.wilds, *wider))
        yield from map(self._field, row.fields)

    def _field(self, row: FieldRow) -> Field:
        holds = row.type if row.type in self.schema.types else ""
        simple = row.kind in ("element", "attribute", "text") and not holds and row.type != "any"
        given = row.default if row.default is not None else row.fixed
        return Field(
            python=row.python,
            kind=row.kind,
            name=row.xml.partition(":")[2] or row.xml if row.kind in ("element", "attribute") else row.xml,
            tag=self._tag_of(row.kind, row.xml),
            item=self.schema.tag(row.item) if row.item else "",
            holds=holds,
            leaf=self.leaf(row.type) if simple else None,
            least=row.occurs in ("1", "+"),
            repeats=row.occurs in ("*", "+"),
            given=given if simple else row.fixed if row.kind == "element" else None,
            wilds=self._wilds(row.wildcards),
            elsewhere=tuple(map(self._place, row.elsewhere)),
            arms=row.arms,
            row=row,
        )

    def _tag_of(self, kind: Kind, name: str) -> str:
        if kind == "attribute":
            return self.schema.key(name)
        return self.schema.tag(name) if kind == "element" and name else ""

    def _place(self, name: str) -> tuple[str, str]:
        kind: Kind = "attribute" if name.startswith("@") else "element"
        return kind, self._tag_of(kind, name.removeprefix("@"))

    def _wilds(self, places: tuple[int, ...]) -> tuple[Wild, ...]:
        rows = (self.schema.wildcards[place] for place in places)
        return tuple(Wild(row.namespaces, row.target) for row in rows)

    def recurs(self, field: Field) -> bool:
        """Whether a field is a group of which an occurrence may be several elements."""
        return field.kind == "group" and self.row(field.holds).holder != "substitution"

    def leaf(self, name: str) -> Leaf:
        """A simple type."""
        found = self._leaves.get(name)
        if found is None:
            found = self._leaves[name] = self._leaf(name)
        return found

    def _leaf(self, name: str) -> Leaf:
        if name[0] in "[(":
            from soapclient.runtime.lists_and_unions import list_of, union_of

            if name[0] == "[":
                return list_of(self.leaf(name[1:-1]))
            return union_of(*map(self.leaf, _members(name[1:-1])))
        scalar, _, form = name.partition(":")
        found: Leaf | None = getattr(scalars, scalar.upper(), None) if scalar.islower() else None
        if found is None and scalar.islower():
            from soapclient.runtime import texts

            found = getattr(texts, scalar.upper(), None)
        if found is None:
            enum = self.kind(name)
            assert issubclass(enum, StrEnum)
            return Choice(enum, collapse=True)
        if form and isinstance(found, Scalar):
            from soapclient.runtime.forms import in_form

            return in_form(found, form)
        return found

    def defaults(self, name: str) -> Mapping[str, object]:
        """The fields of a type's class that have a default in Python, with it."""
        kind: Any = self.kind(name)
        names, given = kind.__struct_fields__, kind.__struct_defaults__
        return dict(zip(names[len(names) - len(given) :], given, strict=True))

    # ---- what is made of them

    def reader(self, name: str, *, own: bool = False, lenient: bool = False) -> Read:
        """What reads an element of a type.

        `own`: as of that very type, whatever may stand for it. `lenient`: None for one that says that it is
        nil, though the contract knows no nil for it.
        """
        key = (name, own, lenient)
        found = self._readers.get(key)
        if found is None:
            from soapclient.runtime import decoding

            if not own and self.is_open(name):
                found = decoding.by_type(self, name, lenient=lenient)
            else:
                found = decoding.of_type(self, name, lenient=lenient)
            self._readers[key] = found
        return found

    def occurrence_reader(self, name: str) -> ReadOccurrence:
        """What reads one occurrence of a group."""
        found = self._occurrence_readers.get(name)
        if found is None:
            from soapclient.runtime import decoding

            found = self._occurrence_readers[name] = decoding.of_occurrence(self, name)
        return found

    def writer(self, name: str, *, own: bool = False) -> Write:
        """What fills an element with a value of a type; `own` as for `reader`."""
        found = self._writers.get((name, own))
        if found is None:
            from soapclient.runtime import encoding

            make = encoding.by_type if not own and self.is_open(name) else encoding.of_type
            found = self._writers[name, own] = make(self, name)
        return found


def _members(text: str) -> Iterator[str]:
    """The members of a union, which may be lists and unions."""
    depth = start = 0
    for at, sign in enumerate(text):
        depth += (sign in "[(") - (sign in "])")
        if sign == "|" and not depth:
            yield text[start:at]
            start = at + 1
    yield text[start:]
