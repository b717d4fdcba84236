"""Elements whose name does not say which field they are: of several fields, of wildcards, of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from soapclient.runtime.errors import repeated
from soapclient.runtime.occurrences import Occurrences, Step
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.wildcards import Wild

if TYPE_CHECKING:
    from soapclient.runtime.codec import Codec, Field, Read

NewPlaces = Callable[[], "Places"]

_OVER = 8  # wildcards that are looked at for an element that came already, those that follow it first


def tags_of(codec: Codec, field: Field) -> Iterator[str]:
    """The elements that a field may be, those of groups in groups, too."""
    if field.kind == "element":
        yield field.tag
    elif field.kind == "group":
        for inner in codec.fields(field.holds):
            yield from tags_of(codec, inner)


def wilds_of(codec: Codec, field: Field) -> Iterator[Wild]:
    """The wildcards that a field is or has among its groups."""
    if field.kind == "any":
        yield from field.wilds
    elif field.kind == "group":
        for inner in codec.fields(field.holds):
            yield from wilds_of(codec, inner)


def occurrences_of(codec: Codec, name: str) -> Occurrences:
    """How children are parted into occurrences of a group."""
    steps: dict[str, tuple[Step, ...]] = {}
    wild: list[tuple[Wild, Step]] = []
    for at, field in enumerate(codec.fields(name)):
        step = Step(at, field.repeats, field.arms)
        for tag in tags_of(codec, field):
            steps[tag] = (*steps.get(tag, ()), step)
        wild += [(card, step) for card in wilds_of(codec, field)]
    return Occurrences(steps, wild)


class _Branch(NamedTuple):
    """The fields, by place, that elements of one name may be; `rest` are wildcards that take what these have
    no room for. `wild`: the fields are wildcards, of which not all need take what one of them takes."""

    fields: tuple[int, ...]
    rest: tuple[int, ...] = ()
    wild: bool = False


class _Plan(NamedTuple):
    """What `Places` of a type have in common."""

    names: list[str]
    several: list[bool]
    nils: list[bool]  # None is a value of it, not an element that says nothing
    branches: dict[str, _Branch]
    other: _Branch | None
    wild: dict[int, list[Wild]]
    read: Callable[[int], Read]


def placing(codec: Codec, fields: list[Field], reader: Callable[[Field], Read]) -> NewPlaces | None:
    """What finds the field of an element where its name alone does not; None where it does."""
    wild = {at: found for at, field in enumerate(fields) if (found := list(wilds_of(codec, field)))}
    several = [field.repeats or codec.recurs(field) for field in fields]
    where: dict[str, list[int]] = {}
    for at, field in enumerate(fields):
        for tag in tags_of(codec, field):
            known = where.setdefault(tag, [])
            if at not in known[-1:]:  # a group may have an element several times
                known.append(at)
    if not wild and all(len(known) == 1 for known in where.values()):
        return None
    branches: dict[str, _Branch] = {}
    for tag, known in where.items():
        over: list[int] = []
        if wild and not any(several[at] for at in known):
            over = [at for at, cards in wild.items() if any(card.takes(tag) for card in cards)]
            over = sorted(over, key=lambda at: at < known[0])[:_OVER]
        branches[tag] = _Branch(tuple(known), tuple(over))
    reads: dict[int, Read] = {}

    def read_of(at: int) -> Read:
        if at not in reads:
            recurs = codec.recurs(fields[at])
            reads[at] = (lambda node, reader: node) if recurs else reader(fields[at])
        return reads[at]

    other = _Branch(tuple(wild), wild=True) if wild else None
    names, nils = [field.python for field in fields], [field.row.nil for field in fields]
    plan = _Plan(names, several, nils, branches, other, wild, read_of)
    return lambda: Places(plan)


class Places:
    """How far the children of one element are."""

    __slots__ = ("_at", "_plan")

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan
        self._at = 0

    def put(self, child: Node, values: dict[str, Any], reader: Reader) -> bool:
        """Put an element where it belongs: the first field at the place reached, or after it, that is free;
        else any that is free. False where none takes it."""
        plan = self._plan
        branch = plan.branches.get(child.tag) if isinstance(child.tag, str) else None
        if branch is None:
            branch = plan.other
            if branch is None or not any(self._takes(at, child.tag) for at in branch.fields):
                return False
        last: int | None = None
        for places in (branch.fields, branch.rest):
            for strict in (True, False) if len(places) > 1 else (False,):
                for at in places:
                    if strict and self._at > at:
                        continue
                    if not self._free(at, values) or (branch.wild and not self._takes(at, child.tag)):
                        continue
                    if not strict and plan.several[at] and (places is branch.fields or len(places) > 1):
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

    def _free(self, at: int, values: dict[str, Any]) -> bool:
        plan = self._plan
        name = plan.names[at]
        return plan.several[at] or name not in values or (values[name] is None and not plan.nils[at])

    def _takes(self, at: int, tag: object) -> bool:
        return any(wild.takes(tag) for wild in self._plan.wild[at])

    def _take(self, at: int, child: Node, values: dict[str, Any], reader: Reader) -> None:
        name, value = self._plan.names[at], self._plan.read(at)(child, reader)
        if self._plan.several[at]:
            values.setdefault(name, []).append(value)
        else:
            values[name] = value
