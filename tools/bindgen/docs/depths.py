"""Which arm of a choice, and which of several derived types, an example takes: the first that ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bindgen.model import Field, Struct

_ENDLESS = 10**6
Fields = Callable[[Struct], list[Field]]


def in_arms(field: Field, chosen: Mapping[str, int]) -> bool:
    """Whether a field belongs to the chosen arm of each choice that it stands in."""
    return all(chosen.get(path, arm) == arm for path, arm in field.choices)


def takes_one(struct: Struct) -> bool:
    """Whether exactly one of its fields is there at a time."""
    arms = any(field.choices for field in struct.fields)
    return struct.holder == "substitution" or (struct.holder == "choice" and not arms)


class Depths:
    """How deep the smallest example of a type is; more than anything where there is none."""

    def __init__(self, fields_of: Fields) -> None:
        self._fields_of = fields_of
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
        for field in self._fields_of(struct):
            for path, arm in field.choices:
                arms = deep.setdefault(path, {})
                arms[arm] = max(arms.get(arm, 0), self._of_field(field))
        return {
            path: min((depth >= _ENDLESS, arm) for arm, depth in arms.items())[1]
            for path, arms in deep.items()
        }

    def ending_first(self, fields: Sequence[Field]) -> list[Field]:
        """The fields, those last that no example comes to an end with."""
        return sorted(fields, key=lambda field: self._of_field(field) >= _ENDLESS)

    def _of_field(self, field: Field) -> int:
        return self.of(self.concrete(field.type)) if isinstance(field.type, Struct) else 0

    def _work_out(self, start: Struct) -> None:
        """Of everything that `start` reaches: from what is shallow to what is made of it, until nothing
        changes any more."""
        found, todo = {start}, [start]
        for struct in todo:
            for field in self._fields_of(struct):
                if isinstance(field.type, Struct):
                    inner = self.concrete(field.type)
                    if inner not in found:
                        found.add(inner)
                        todo.append(inner)
        depth = {struct: self._known.get(struct, _ENDLESS) for struct in todo}
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
        for field in self._fields_of(struct):
            below = 0
            if isinstance(field.type, Struct):
                below = min(_ENDLESS, 1 + depth[self.concrete(field.type)])
            if field.choices:
                path, arm = field.choices[0]
                arms = choices.setdefault(path, {})
                arms[arm] = max(arms.get(arm, 0), below)
            elif takes_one(struct):
                choices.setdefault("", {})[len(choices.get("", {}))] = below
            elif field.least > 0:
                needed = max(needed, below)
        return max([needed, *(min(arms.values()) for arms in choices.values())])
