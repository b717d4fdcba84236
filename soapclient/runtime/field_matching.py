"""Find the field of a child element if the element's tag does not determine it.

This is the case for wildcards and repeated groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from soapclient.runtime.errors import repeated
from soapclient.runtime.fields import Field, Read, Types, Wild
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.simple_types import Skipped

_MAX_SPARE = 8  # maximum number of wildcards to try for a repeated element; those after its fields first


def tags_of(types: Types, field: Field) -> Iterator[str]:
    """Yield the tags of the elements that belong to a field: one tag, or all tags in a group at any depth."""
    if field.kind == "element":
        yield field.tag
    elif field.kind == "group":
        for inner in types.fields(field.holds):
            yield from tags_of(types, inner)


def wilds_of(types: Types, field: Field) -> Iterator[Wild]:
    """Yield the wildcards that belong to a field: its own, or all wildcards in a group at any depth."""
    if field.kind == "any":
        yield from field.wilds
    elif field.kind == "group":
        for inner in types.fields(field.holds):
            yield from wilds_of(types, inner)


class _Branch(NamedTuple):
    """The fields and wildcards of a type that accept an element with a certain tag.

    `fields` and `rest` are indexes in `FieldMatcher.fields`.

    - `fields`: the fields to try first.
    - `rest`: the wildcards to try if all `fields` already have a value.
    - `wild`: True if the tag does not belong to any field. All `fields` are then wildcards, and the caller
      must check which wildcard allows the element.
    """

    fields: tuple[int, ...]
    rest: tuple[int, ...] = ()
    wild: bool = False


class FieldMatcher:
    """Look-up tables that assign child elements to the fields of a type, by tag.

    `build_reader(field)` must return the reader for elements of a field.
    """

    def __init__(self, types: Types, fields: list[Field], build_reader: Callable[[Field], Read]) -> None:
        self.fields = fields
        self.several = [field.repeats or types.recurs(field) for field in fields]
        self.wild = {
            index: cards for index, field in enumerate(fields) if (cards := list(wilds_of(types, field)))
        }
        positions: dict[str, list[int]] = {}
        for index, field in enumerate(fields):
            for tag in tags_of(types, field):
                indexes = positions.setdefault(tag, [])
                if index not in indexes[-1:]:  # a group may contain an element several times
                    indexes.append(index)
        # True if the name of an element always determines its field.
        self.is_plain = not self.wild and all(len(indexes) == 1 for indexes in positions.values())
        self.branches = {
            tag: _Branch(tuple(indexes), self._spare_wildcards(tag, indexes))
            for tag, indexes in positions.items()
        }
        self.other = _Branch(tuple(self.wild), wild=True) if self.wild else None
        self.required_wild = [
            index for index, field in enumerate(fields) if field.kind == "any" and field.least
        ]
        self._types = types
        self._read = build_reader
        self._reads: dict[int, Read] = {}

    def read(self, index: int) -> Read:
        """Return the reader for elements of the field at `index`.

        For a repeated group, the reader returns the element itself, because the group is decoded later, with
        all its elements.
        """
        if index not in self._reads:
            field = self.fields[index]
            self._reads[index] = (
                (lambda node, reader: node) if self._types.recurs(field) else self._read(field)
            )
        return self._reads[index]

    def _spare_wildcards(self, tag: str, indexes: list[int]) -> tuple[int, ...]:
        """Return the indexes of the wildcards to try for a tag if the fields at `indexes` have values.

        Returns () if one of these fields is a list, because a list accepts further elements.
        """
        if any(self.several[index] for index in indexes):
            return ()
        spare = [index for index, cards in self.wild.items() if any(card.takes(tag) for card in cards)]
        return tuple(sorted(spare, key=lambda index: index < indexes[0])[:_MAX_SPARE])


class MatchState:
    """Assigns the children of one element to the fields of its type. Call `put` for each child, in order."""

    __slots__ = ("_placing", "_position")

    def __init__(self, placing: FieldMatcher) -> None:
        self._placing = placing
        self._position = 0

    def put(self, child: Node, values: dict[str, Any], reader: Reader) -> bool:
        """Decode an element and store its value in the right field. Return False if no field accepts it.

        If several fields accept the element, the first of them without a value is used. The search begins at
        the field of the preceding element. After the last field, it continues at the first field. Raises
        DecodeError if all fields that accept the element already have a value.
        """
        placing = self._placing
        branch = placing.branches.get(child.tag) if isinstance(child.tag, str) else None
        if branch is None:
            branch = placing.other
            if branch is None or not any(self._takes(index, child.tag) for index in branch.fields):
                return False
        elif placing.required_wild and (index := self._required_wild(child.tag, branch, values)) is not None:
            self._position = index
            self._store(index, child, values, reader)
            return True
        last: int | None = None
        for indexes in (branch.fields, branch.rest):
            for strict in (True, False) if len(indexes) > 1 else (False,):
                for index in indexes:
                    if strict and self._position > index:
                        continue
                    if not self._free(index, values) or (branch.wild and not self._takes(index, child.tag)):
                        continue
                    if (
                        not strict
                        and placing.several[index]
                        and (indexes is branch.fields or len(indexes) > 1)
                    ):
                        last = index  # a list is always free, but used only if no other field is free
                        continue
                    if strict or len(indexes) == 1:
                        self._position = index
                    self._store(index, child, values, reader)
                    return True
        if last is None:
            raise repeated(child)
        if len(branch.fields) == 1 and not branch.rest:
            self._position = last
        self._store(last, child, values, reader)
        return True

    def _required_wild(self, tag: object, branch: _Branch, values: dict[str, Any]) -> int | None:
        """Return the index of a wildcard that must take the element; None if there is no such wildcard.

        An element may match both a field, by its tag, and an earlier wildcard. If this wildcard has fewer
        elements than the schema requires, the wildcard must take the element (XSD 1.0 part 1, section 3.8.6).
        """
        placing = self._placing
        end = len(placing.fields)
        target = next(
            (index for index in branch.fields if index >= self._position and self._free(index, values)), end
        )
        for index in placing.required_wild:
            field = placing.fields[index]
            stored = values.get(field.python)
            count = len(stored) if isinstance(stored, list) else int(stored is not None)
            if self._position <= index < target and count < field.row.least and self._takes(index, tag):
                return index
        return None

    def _free(self, index: int, values: dict[str, Any]) -> bool:
        placing = self._placing
        field = placing.fields[index]
        if placing.several[index] or field.python not in values:
            return True
        return values[field.python] is None and not field.row.nil  # None: an invalid value was skipped

    def _takes(self, index: int, tag: object) -> bool:
        return any(wild.takes(tag) for wild in self._placing.wild[index])

    def _store(self, index: int, child: Node, values: dict[str, Any], reader: Reader) -> None:
        name = self._placing.fields[index].python
        try:
            value = self._placing.read(index)(child, reader)
        except Skipped:
            if not self._placing.several[index]:
                values[name] = None
            return
        if self._placing.several[index]:
            reader.check_deadline()
            values.setdefault(name, []).append(value)
        else:
            values[name] = value


# ---- groups that repeat: which children are one occurrence


class Occurrences:
    """Splits the children of a repeated group into occurrences.

    A new occurrence begins with an element that the current occurrence cannot contain, for one of these
    reasons (XSD 1.0 part 1, section 3.8.6 ensures that this is unambiguous):

    - The current occurrence contains an element of another branch of the same choice.
    - The element may occur only once, and the current occurrence already contains one.
    - In the schema, the element is declared before the last element of the current occurrence.
    """

    def __init__(self, types: Types, name: str) -> None:
        self._steps: dict[str, list[tuple[int, Field]]] = {}
        self._wild: list[tuple[Wild, tuple[int, Field]]] = []
        for step in enumerate(types.fields(name)):
            for tag in tags_of(types, step[1]):
                self._steps.setdefault(tag, []).append(step)
            self._wild += [(card, step) for card in wilds_of(types, step[1])]

    def cut(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """Split the nodes, which all belong to the group, into one list for each occurrence."""
        occurrences: list[list[Node]] = []
        used: set[int] = set()
        arms: dict[str, int] = {}
        last = -1
        for node in nodes:
            steps = self._steps_for(node.tag)
            step = (
                next((candidate for candidate in steps if _fits(*candidate, used, arms, last)), None)
                if occurrences
                else None
            )
            if step is None:
                occurrences.append([])
                used, arms, step = set(), {}, steps[0]
            last, field = step
            occurrences[-1].append(node)
            used.add(last)
            arms.update(field.arms)
        return occurrences

    def _steps_for(self, tag: object) -> list[tuple[int, Field]]:
        steps = self._steps.get(tag) if isinstance(tag, str) else None
        return steps or [step for wild, step in self._wild if wild.takes(tag)]


def _fits(index: int, field: Field, used: set[int], arms: Mapping[str, int], last: int) -> bool:
    if index < last or (index in used and not field.repeats):
        return False
    return all(arms.get(choice, arm) == arm for choice, arm in field.arms)
