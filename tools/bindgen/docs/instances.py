"""An example of a type: a tree of everything that may stand in it, once, and of each choice the first arm.

It ends: what recurs is left out where it may be, and beyond some size only what must be there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bindgen.docs import depths, sample_texts
from bindgen.model import Anything, Field, SimpleType, Struct

_LARGE = 300  # parts; beyond, what is optional stays away
_ENDLESS = 2000  # parts; beyond, an example is cut off
_DEEP = 12  # levels, as for _LARGE
_DEEPEST = 60
_MOST_TIMES = 3


@dataclass(frozen=True, slots=True)
class Text:
    """The value of a simple type: as it stands in the document, and the type it is of."""

    text: str
    kind: SimpleType


@dataclass(frozen=True, slots=True)
class Free:
    """Where anything may stand."""


@dataclass(slots=True)
class Tree:
    """The value of a complex type. `declared` is the type of its field: it may derive from that."""

    struct: Struct
    declared: Struct
    parts: list[Part] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Part:
    """One occurrence of a field."""

    field: Field
    value: Text | Tree | Free


def fields_of(struct: Struct) -> list[Field]:
    """All fields, inherited ones first; of a restriction its own, which are all it has."""
    chain = [struct]
    while (base := chain[-1].base) is not None and base not in chain:
        chain.append(base)
    return [field for one in reversed(chain) for field in one.fields]


class Examples:
    """Makes examples. One of these makes all of a contract, so that what it works out is worked out once."""

    def __init__(self) -> None:
        self._depths = depths.Depths(fields_of)

    def of(
        self,
        struct: Struct,
        *,
        fields: Sequence[Field] | None = None,
        texts: Mapping[int, str] | None = None,
    ) -> Tree:
        """An example of `struct`. `fields` are those to show, where they are not all of its own; `texts`
        are the texts of some of them, by `id`."""
        builder = _Builder(self._depths, texts or {})
        return builder.tree(struct, (), fields)


class _Builder:
    def __init__(self, known: depths.Depths, texts: Mapping[int, str]) -> None:
        self._depths = known
        self._texts = texts
        self._parts = 0
        self._names: dict[str, int] = {}

    def tree(
        self, declared: Struct, above: tuple[Struct, ...], fields: Sequence[Field] | None = None
    ) -> Tree:
        struct = self._depths.concrete(declared)
        made = Tree(struct, declared)
        sparse = struct in above or len(above) > _DEEP
        shown = fields_of(struct) if fields is None else fields
        if depths.takes_one(struct):
            shown = self._depths.ending_first(shown)
        chosen = self._depths.arms(struct)
        for one in shown:
            if not depths.in_arms(one, chosen):
                continue
            self._add(made, one, (*above, struct), sparse)
            if depths.takes_one(struct) and made.parts:
                break
        return made

    def _add(self, made: Tree, one: Field, above: tuple[Struct, ...], sparse: bool) -> None:
        optional = one.least == 0 and not one.choices and not depths.takes_one(made.struct)
        recurs = isinstance(one.type, Struct) and one.type in above
        if one.refused or (optional and (sparse or recurs or self._parts > _LARGE)):
            return
        if one.kind == "any_attributes" or (one.kind == "any" and one.least == 0):
            return
        if self._parts > _ENDLESS or len(above) > _DEEPEST:
            return
        for _ in range(min(max(one.least, 1), _MOST_TIMES)):
            self._parts += 1
            made.parts.append(Part(one, self._value(one, above)))

    def _value(self, one: Field, above: tuple[Struct, ...]) -> Text | Tree | Free:
        kind = one.type
        if isinstance(kind, Struct):
            return self.tree(kind, above)
        if isinstance(kind, Anything):
            return Free()
        text, member = sample_texts.sample(kind, one.wire, one.facets)
        given = self._texts.get(id(one))
        if given is None:
            given = one.fixed if one.fixed is not None else one.default
        if given is None and getattr(kind, "xsd", "") == "ID":
            self._names[text] = self._names.get(text, 0) + 1
            given = text if self._names[text] == 1 else f"{text}-{self._names[text]}"
        return Text(text if given is None else given, member)
