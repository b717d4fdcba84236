"""Elements whose name does not say which field they are: of several fields, of wildcards, of groups that
repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from soapclient.runtime.errors import repeated
from soapclient.runtime.fields import Field, Read, Types, Wild
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.simple_types import Skipped

_OVER = 8  # wildcards that are looked at for an element that came already, those that follow it first


def tags_of(types: Types, field: Field) -> Iterator[str]:
    """The elements that a field may be, those of groups in groups, too."""
    if field.kind == "element":
        yield field.tag
    elif field.kind == "group":
        for inner in types.fields(field.holds):
            yield from tags_of(types, inner)


def wilds_of(types: Types, field: Field) -> Iterator[Wild]:
    """The wildcards that a field is or has among its groups."""
    if field.kind == "any":
        yield from field.wilds
    elif field.kind == "group":
        for inner in types.fields(field.holds):
            yield from wilds_of(types, inner)


class _Branch(NamedTuple):
    """The fields, by place, that elements of one name may be; `rest` are wildcards that take what these have
    no room for. `wild`: the fields are wildcards, of which not all need take what one of them takes."""

    fields: tuple[int, ...]
    rest: tuple[int, ...] = ()
    wild: bool = False


class Placing:
    """The fields of a type, and which of them elements may be; `read(field)` makes what reads one."""

    def __init__(self, types: Types, fields: list[Field], read: Callable[[Field], Read]) -> None:
        self.fields = fields
        self.several = [field.repeats or types.recurs(field) for field in fields]
        self.wild = {at: found for at, field in enumerate(fields) if (found := list(wilds_of(types, field)))}
        where: dict[str, list[int]] = {}
        for at, field in enumerate(fields):
            for tag in tags_of(types, field):
                known = where.setdefault(tag, [])
                if at not in known[-1:]:  # a group may have an element several times
                    known.append(at)
        # Whether the name of an element says at all times which field it is.
        self.is_plain = not self.wild and all(len(known) == 1 for known in where.values())
        self.branches = {tag: _Branch(tuple(known), self._over(tag, known)) for tag, known in where.items()}
        self.other = _Branch(tuple(self.wild), wild=True) if self.wild else None
        self.required_wild = [at for at, field in enumerate(fields) if field.kind == "any" and field.least]
        self._types = types
        self._read = read
        self._reads: dict[int, Read] = {}

    def read(self, at: int) -> Read:
        """What reads an element of a field."""
        if at not in self._reads:
            field = self.fields[at]
            self._reads[at] = (lambda node, reader: node) if self._types.recurs(field) else self._read(field)
        return self._reads[at]

    def _over(self, tag: str, known: list[int]) -> tuple[int, ...]:
        """The wildcards for an element that has no room in its own fields."""
        if any(self.several[at] for at in known):
            return ()
        over = [at for at, cards in self.wild.items() if any(card.takes(tag) for card in cards)]
        return tuple(sorted(over, key=lambda at: at < known[0])[:_OVER])


class Places:
    """How far the children of one element are."""

    __slots__ = ("_at", "_placing")

    def __init__(self, placing: Placing) -> None:
        self._placing = placing
        self._at = 0

    def put(self, child: Node, values: dict[str, Any], reader: Reader) -> bool:
        """Put an element where it belongs: the first field at the place reached, or after it, that is free;
        else any that is free. False where none takes it."""
        placing = self._placing
        branch = placing.branches.get(child.tag) if isinstance(child.tag, str) else None
        if branch is None:
            branch = placing.other
            if branch is None or not any(self._takes(at, child.tag) for at in branch.fields):
                return False
        elif placing.required_wild and (at := self._required_wild(child.tag, branch, values)) is not None:
            self._at = at
            self._take(at, child, values, reader)
            return True
        last: int | None = None
        for places in (branch.fields, branch.rest):
            for strict in (True, False) if len(places) > 1 else (False,):
                for at in places:
                    if strict and self._at > at:
                        continue
                    if not self._free(at, values) or (branch.wild and not self._takes(at, child.tag)):
                        continue
                    if not strict and placing.several[at] and (places is branch.fields or len(places) > 1):
                        last = at  # there is always room: taken where nothing else is
                        continue
                    if strict or len(places) == 1:
                        self._at = at
                    self._take(at, child, values, reader)
                    return True
        if last is None:
            raise repeated(child)
        if len(branch.fields) == 1 and not branch.rest:
            self._at = last
        self._take(last, child, values, reader)
        return True

    def _required_wild(self, tag: object, branch: _Branch, values: dict[str, Any]) -> int | None:
        """Return the wildcard that an element belongs to although a later field has its name.

        A wildcard that still requires elements takes whatever comes before the next field (XSD 1.0 part 1
        3.8.6).
        """
        placing = self._placing
        end = len(placing.fields)
        target = next((at for at in branch.fields if at >= self._at and self._free(at, values)), end)
        for at in placing.required_wild:
            field = placing.fields[at]
            found = values.get(field.python)
            number = len(found) if isinstance(found, list) else int(found is not None)
            if self._at <= at < target and number < field.row.least and self._takes(at, tag):
                return at
        return None

    def _free(self, at: int, values: dict[str, Any]) -> bool:
        placing = self._placing
        field = placing.fields[at]
        if placing.several[at] or field.python not in values:
            return True
        return values[field.python] is None and not field.row.nil  # of others None says nothing

    def _takes(self, at: int, tag: object) -> bool:
        return any(wild.takes(tag) for wild in self._placing.wild[at])

    def _take(self, at: int, child: Node, values: dict[str, Any], reader: Reader) -> None:
        name = self._placing.fields[at].python
        try:
            value = self._placing.read(at)(child, reader)
        except Skipped:
            if not self._placing.several[at]:
                values[name] = None
            return
        if self._placing.several[at]:
            reader.check_deadline()
            values.setdefault(name, []).append(value)
        else:
            values[name] = value


# ---- groups that repeat: which children are one occurrence


class Occurrences:
    """The fields of a group by tag, and what its wildcards take, each with its place in order.

    An occurrence ends where another arm of a choice begins, where an element comes again that may not, or
    where the order goes backwards (XSD 1.0 part 1 3.8.6 makes that unambiguous).
    """

    def __init__(self, types: Types, name: str) -> None:
        self._steps: dict[str, list[tuple[int, Field]]] = {}
        self._wild: list[tuple[Wild, tuple[int, Field]]] = []
        for step in enumerate(types.fields(name)):
            for tag in tags_of(types, step[1]):
                self._steps.setdefault(tag, []).append(step)
            self._wild += [(card, step) for card in wilds_of(types, step[1])]

    def cut(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """The nodes, all of which the group takes, a list for each occurrence."""
        occurrences: list[list[Node]] = []
        used: set[int] = set()
        arms: dict[str, int] = {}
        last = -1
        for node in nodes:
            steps = self._of(node.tag)
            step = (
                next((one for one in steps if _fits(*one, used, arms, last)), None) if occurrences else None
            )
            if step is None:
                occurrences.append([])
                used, arms, step = set(), {}, steps[0]
            last, field = step
            occurrences[-1].append(node)
            used.add(last)
            arms.update(field.arms)
        return occurrences

    def _of(self, tag: object) -> list[tuple[int, Field]]:
        known = self._steps.get(tag) if isinstance(tag, str) else None
        return known or [step for wild, step in self._wild if wild.takes(tag)]


def _fits(place: int, field: Field, used: set[int], arms: Mapping[str, int], last: int) -> bool:
    if place < last or (place in used and not field.repeats):
        return False
    return all(arms.get(choice, arm) == arm for choice, arm in field.arms)
