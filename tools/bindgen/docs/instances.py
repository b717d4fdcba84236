"""An example of a type: a tree of everything that may stand in it, once, and of each choice the first arm.

It ends: what recurs is left out where it may be, and beyond some size only what must be there is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bindgen.docs import example_texts
from bindgen.model import Anything, Field, SimpleType, Struct

_NO_END = 10**6


def takes_one(struct: Struct) -> bool:
    """Whether exactly one of its fields is there at a time."""
    arms = any(field.choices for field in struct.fields)
    return struct.holder == "substitution" or (struct.holder == "choice" and not arms)


class Depths:
    """How deep the smallest example of a type is; more than anything where there is none."""

    def __init__(self) -> None:
        self._known: dict[Struct, int] = {}

    def concrete(self, struct: Struct) -> Struct:
        """The type itself or, where it is abstract, the first that derives from it and is not."""
        seen, todo = {struct}, [struct]
        for one in todo:
            if not one.abstract:
                return one
            fresh = [derived for derived in one.derived if derived not in seen]
            seen.update(fresh)
            todo += fresh
        return struct

    def of(self, struct: Struct) -> int:
        """Levels below it, 0 where nothing but texts must be there."""
        if struct not in self._known:
            self._work_out(struct)
        return self._known[struct]

    def arms(self, struct: Struct) -> dict[str, int]:
        """The arm of each choice: the first that ends, else the first."""
        deep: dict[str, dict[int, int]] = {}
        for field in struct.all_fields():
            for path, arm in field.choices:
                arms = deep.setdefault(path, {})
                arms[arm] = max(arms.get(arm, 0), self._of_field(field))
        return {
            path: min((depth >= _NO_END, arm) for arm, depth in arms.items())[1]
            for path, arms in deep.items()
        }

    def ending_first(self, fields: Sequence[Field]) -> list[Field]:
        """The fields, those last that no example comes to an end with."""
        return sorted(fields, key=lambda field: self._of_field(field) >= _NO_END)

    def _of_field(self, field: Field) -> int:
        return self.of(self.concrete(field.type)) if isinstance(field.type, Struct) else 0

    def _work_out(self, start: Struct) -> None:
        """Of everything that `start` reaches: from what is shallow to what is made of it, until nothing
        changes any more."""
        found, todo = {start}, [start]
        for struct in todo:
            for field in struct.all_fields():
                if isinstance(field.type, Struct):
                    inner = self.concrete(field.type)
                    if inner not in found:
                        found.add(inner)
                        todo.append(inner)
        depth = {struct: self._known.get(struct, _NO_END) for struct in todo}
        changed = True
        while changed:
            changed = False
            for struct in reversed(todo):
                now = self._least(struct, depth)
                if now < depth[struct]:
                    depth[struct] = now
                    changed = True
        self._known.update(depth)

    def _least(self, struct: Struct, depth: Mapping[Struct, int]) -> int:
        needed = 0
        choices: dict[str, dict[int, int]] = {}
        for field in struct.all_fields():
            below = 0
            if isinstance(field.type, Struct):
                below = min(_NO_END, 1 + depth[self.concrete(field.type)])
            if field.choices:
                path, arm = field.choices[0]
                arms = choices.setdefault(path, {})
                arms[arm] = max(arms.get(arm, 0), below)
            elif takes_one(struct):
                choices.setdefault("", {})[len(choices.get("", {}))] = below
            elif field.least > 0:
                needed = max(needed, below)
        return max([needed, *(min(arms.values()) for arms in choices.values())])


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
        self._depths = Depths()

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
    def __init__(self, known: Depths, texts: Mapping[int, str]) -> None:
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
        shown = struct.all_fields() if fields is None else fields
        if takes_one(struct):
            shown = self._depths.ending_first(shown)
        chosen = self._depths.arms(struct)
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
        text, member = example_texts.sample(kind, one.wire, one.facets)
        given = self._texts.get(id(one))
        if given is None:
            given = one.fixed if one.fixed is not None else one.default
        if given is None and getattr(kind, "xsd", "") == "ID":
            self._names[text] = self._names.get(text, 0) + 1
            given = text if self._names[text] == 1 else f"{text}-{self._names[text]}"
        return Text(text if given is None else given, member)
