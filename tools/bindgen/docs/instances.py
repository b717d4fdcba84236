"""An example of a type: a tree of everything that may stand in it, once, and of each choice the first arm.

It ends: what recurs is left out where it may be, and beyond some size only what must be there is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from bindgen import naming
from bindgen.model import Anything, Enum, Facets, Field, ListOf, SimpleType, Struct, UnionOf
from bindgen.passes.walk import reached
from soapclient.testing import samples


def takes_one(struct: Struct) -> bool:
    """Whether exactly one of its fields is there at a time."""
    arms = any(field.choices for field in struct.fields)
    return struct.holder == "substitution" or (struct.holder == "choice" and not arms)


def concrete(struct: Struct) -> Struct:
    """The type itself or, where it is abstract, the first that derives from it and is not."""
    seen, todo = {struct}, [struct]
    for one in todo:
        if not one.abstract:
            return one
        fresh = [derived for derived in one.derived if derived not in seen]
        seen.update(fresh)
        todo += fresh
    return struct


class Endings:
    """Which types have an example that comes to an end, and how."""

    def __init__(self) -> None:
        self._known: dict[Struct, bool] = {}

    def ends(self, field: Field) -> bool:
        """Whether what stands in a field ends."""
        if not isinstance(field.type, Struct):
            return True
        kind = concrete(field.type)
        if kind not in self._known:
            self._work_out(kind)
        return self._known[kind]

    def arms(self, struct: Struct) -> dict[str, int]:
        """The arm of each choice: the first that ends, else the first."""
        found: dict[str, dict[int, bool]] = {}
        for field in struct.all_fields():
            for path, arm in field.choices:
                arms = found.setdefault(path, {})
                arms[arm] = arms.get(arm, True) and self.ends(field)
        return {path: min((not ends, arm) for arm, ends in arms.items())[1] for path, arms in found.items()}

    def _work_out(self, start: Struct) -> None:
        """Of everything that `start` reaches: from what is shallow to what is made of it, until nothing
        changes any more."""

        def below(struct: Struct) -> list[Struct]:
            return [concrete(one.type) for one in struct.all_fields() if isinstance(one.type, Struct)]

        kinds = list(reached([start], below))
        ending = {kind for kind in kinds if self._known.get(kind)}
        before = -1
        while before < len(ending):
            before = len(ending)
            ending.update(kind for kind in reversed(kinds) if kind in ending or _ends(kind, ending))
        self._known |= {kind: kind in ending for kind in kinds}


def _ends(struct: Struct, ending: Container[Struct]) -> bool:
    """Whether the smallest example ends, if these types do: what must be there, and an arm of each choice."""
    choices: dict[str, dict[int, bool]] = {}
    for number, field in enumerate(struct.all_fields()):
        ends = not isinstance(field.type, Struct) or concrete(field.type) in ending
        if field.choices or takes_one(struct):
            path, arm = field.choices[0] if field.choices else ("", number)
            arms = choices.setdefault(path, {})
            arms[arm] = arms.get(arm, True) and ends
        elif field.least > 0 and not ends:
            return False
    return all(any(arms.values()) for arms in choices.values())


def sample(kind: SimpleType, name: str, facets: Facets | None) -> tuple[str, SimpleType]:
    """A text of the type for a field of that name, and the type it is of: of a union the member."""
    said = facets or Facets()
    if isinstance(kind, UnionOf):
        text, member = sample(kind.members[0], name, None) if kind.members else ("", kind)
        return (said.enumeration[0], member) if said.enumeration else (text, member)
    if isinstance(kind, Enum):
        return (kind.values[0] if kind.values else ""), kind
    if said.enumeration:
        return said.enumeration[0], kind
    if isinstance(kind, ListOf):
        return samples.several(sample(kind.item, name, None)[0], said), kind
    return samples.scalar(kind.scalar.lower(), naming.snake(name), said), kind


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
    parts: list[Part] = dataclasses.field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Part:
    """One occurrence of a field."""

    field: Field
    value: Text | Tree | Free


class Examples:
    """Makes examples. One of these makes all of a contract, so that what it works out is worked out once."""

    def __init__(self) -> None:
        self._endings = Endings()

    def of(
        self,
        struct: Struct,
        *,
        fields: Sequence[Field] | None = None,
        texts: Mapping[int, str] | None = None,
    ) -> Tree:
        """An example of `struct`. `fields` are those to show, where they are not all of its own; `texts`
        are the texts of some of them, by `id`."""
        builder = _Builder(self._endings, texts or {})
        return builder.tree(struct, (), fields)


class _Builder:
    def __init__(self, endings: Endings, texts: Mapping[int, str]) -> None:
        self._endings = endings
        self._texts = texts
        self._parts = 0
        self._names: dict[str, int] = {}

    def tree(
        self, declared: Struct, above: tuple[Struct, ...], fields: Sequence[Field] | None = None
    ) -> Tree:
        struct = concrete(declared)
        made = Tree(struct, declared)
        sparse = struct in above or len(above) > _DEEP
        shown = struct.all_fields() if fields is None else fields
        if takes_one(struct):
            shown = sorted(shown, key=lambda one: not self._endings.ends(one))
        chosen = self._endings.arms(struct)
        for one in shown:
            if any(chosen.get(path, arm) != arm for path, arm in one.choices):
                continue  # it belongs to another arm of a choice
            self._add(made, one, (*above, struct), sparse)
            if takes_one(struct) and made.parts:
                break
        return made

    def _add(self, made: Tree, one: Field, above: tuple[Struct, ...], sparse: bool) -> None:
        optional = one.least == 0 and not one.choices and not takes_one(made.struct)
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
        text, member = sample(kind, one.wire, one.facets)
        given = self._texts.get(id(one))
        if given is None:
            given = one.fixed if one.fixed is not None else one.default
        if given is None and getattr(kind, "xsd", "") == "ID":
            self._names[text] = self._names.get(text, 0) + 1
            given = text if self._names[text] == 1 else f"{text}-{self._names[text]}"
        return Text(text if given is None else given, member)
