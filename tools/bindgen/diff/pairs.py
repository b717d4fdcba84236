"""What of the old side is held against what of the new one: fields and the like by name, types by place.

Types are paired by where they stand on the wire, never by name. Each pair is looked at once, in a queue, so
recursive types end and deep ones need no stack.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from bindgen.diff.findings import Change
from bindgen.model import Field, Struct
from bindgen.naming import local, space
from bindgen.problems import Place

_T = TypeVar("_T")
Both = tuple[Field, Field]
_PAIRS_PER_TYPE = 20
_PAIRS_AT_LEAST = 5_000


class TooManyPairs(Exception):
    """The two sides fold so differently that comparing them would not end in sensible time."""


@dataclass(slots=True)
class Matched(Generic[_T]):
    """What both sides have, in the order of the old one, and what one of them has alone."""

    both: list[tuple[_T, _T]]
    removed: list[_T]
    added: list[_T]


def match(old: Sequence[_T], new: Sequence[_T], *keys: Callable[[_T], Hashable]) -> Matched[_T]:
    """Match what has one key, the first to the first; then what is left, by the next key."""
    partners: dict[int, _T] = {}
    added = list(new)
    for key in keys:
        waiting: dict[Hashable, deque[_T]] = {}
        for each in added:
            waiting.setdefault(key(each), deque()).append(each)
        for each in old:
            if id(each) not in partners and (there := waiting.get(key(each))):
                partners[id(each)] = there.popleft()
        taken = {id(each) for each in partners.values()}
        added = [each for each in added if id(each) not in taken]
    both = [(each, partners[id(each)]) for each in old if id(each) in partners]
    return Matched(both, [each for each in old if id(each) not in partners], added)


@dataclass(slots=True)
class MatchedFields(Matched[Field]):
    """Those of two types. `turned` are elements that became attributes, or back; `grouped` and `ungrouped`
    are elements that a group took in, or gave out, with that group."""

    turned: list[Both]
    grouped: list[tuple[list[Both], Field]]
    ungrouped: list[tuple[list[Both], Field]]


def match_fields(old: Sequence[Field], new: Sequence[Field]) -> MatchedFields:
    """Match fields by their names on the wire, then by these without the namespace."""

    def loose(each: Field) -> str:
        return local(each.tag) or ("" if each.kind in ("any", "any_attributes", "text") else each.wire)

    found = match(
        old, new, lambda each: (each.kind, each.tag or each.wire), lambda each: (each.kind, loose(each))
    )
    removed, added = found.removed, found.added
    grouped = [(pairs, group) for group in list(added) if (pairs := _inside(removed, group, added))]
    ungrouped = [
        ([(one, other) for other, one in pairs], group)
        for group in list(removed)
        if (pairs := _inside(added, group, removed))
    ]
    # Of one name and of one kind, they would have been matched.
    before, after = (
        [each for each in side if each.kind in ("element", "attribute")] for side in (removed, added)
    )
    turned = match(before, after, lambda each: each.wire).both
    known = {id(each) for pair in turned for each in pair}
    removed, added = ([each for each in side if id(each) not in known] for side in (removed, added))
    return MatchedFields(found.both, removed, added, turned, grouped, ungrouped)


def _inside(loose: list[Field], group: Field, groups: list[Field]) -> list[Both]:
    """Take out elements that stand by themselves on one side and inside of `group` on the other."""
    if group.kind != "group" or not isinstance(group.type, Struct):
        return []
    inner = {each.tag: each for each in group.type.all_fields() if each.kind == "element"}
    taken = [each for each in loose if each.kind == "element" and each.tag in inner]
    if taken:
        loose[:] = [each for each in loose if not (each.kind == "element" and each.tag in inner)]
        groups.remove(group)
    return [(each, inner[each.tag]) for each in taken]


@dataclass(slots=True, eq=False)
class Pair:
    """Two types at one place of the messages; `leads_to` are the pairs inside of it.

    `path` is the type as the old side calls it, which is the name that people know.
    """

    path: str
    owners: dict[int, str] = field(default_factory=dict)  # a field's id → the type that declares it
    changes: list[Change] = field(default_factory=list)
    leads_to: list[Pair] = field(default_factory=list)

    def note(
        self, change: str, said: str, *, at: str = "", old: Place | None = None, new: Place | None = None
    ) -> None:
        """Add a change of the type, or of what is called `at` in it."""
        self.changes.append(Change(change, f"{self.path}/{at}" if at else self.path, said, old, new))

    def note_field(self, change: str, said: str, at: str, old: Field | None, new: Field | None) -> None:
        """Add a change of a field, under the name of the type that declares it."""
        owner = self.owners.get(id(new if old is None else old), self.path)
        before, after = (None if each is None else each.place for each in (old, new))
        self.changes.append(Change(change, f"{owner}/{at}", said, before, after))


@dataclass(slots=True, eq=False)
class Structs(Pair):
    """A pair of complex types."""

    old: Struct = field(kw_only=True)
    new: Struct = field(kw_only=True)


class Pairs:
    """All pairs met so far, in the order they were met."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Structs] = {}
        self._simple: dict[tuple[str, str], Pair] = {}
        self._waiting: deque[Structs] = deque()
        self._types: set[int] = set()

    def simple(self, old: str, new: str) -> tuple[Pair, bool]:
        """The pair of two simple types by their qualified names, and whether it was met before."""
        known = (old, new) in self._simple
        return self._simple.setdefault((old, new), Pair(local(old))), known

    def of(self, old: Struct, new: Struct) -> Structs:
        """The pair of two types. Raises TooManyPairs."""
        key = (id(old), id(new))
        if key not in self._known:
            self._types |= {id(old), id(new)}
            if len(self._known) > _PAIRS_AT_LEAST + _PAIRS_PER_TYPE * len(self._types):
                raise TooManyPairs("the types of the two contracts match in too many ways to be compared")
            self._known[key] = pair = Structs(old.name, old=old, new=new)
            self._waiting.append(pair)
        return self._known[key]

    def waiting(self) -> Iterator[Structs]:
        """Each pair once, also those that are added meanwhile."""
        while self._waiting:
            yield self._waiting.popleft()

    def __iter__(self) -> Iterator[Pair]:
        return iter([*self._known.values(), *self._simple.values()])


@dataclass(slots=True)
class Spaces:
    """Namespaces that stand for others on the new side: (old, new) → where that was seen."""

    moved: dict[tuple[str, str], list[Pair]] = field(default_factory=dict)
    at: dict[tuple[str, str], tuple[Place, Place]] = field(default_factory=dict)

    def move(self, old_tag: str, new_tag: str, old: Place, new: Place, pair: Pair | None = None) -> None:
        """Note that a name is of another namespace now; nothing where it is not."""
        key = (space(old_tag), space(new_tag))
        if key[0] != key[1]:
            self.moved.setdefault(key, []).extend([] if pair is None else [pair])
            self.at.setdefault(key, (old, new))

    def follow(self, text: str) -> str:
        """A text that begins with a namespace, as it is when it moved along with that."""
        for before, after in self.moved:
            if before and text.startswith(before):
                return f"{after}{text.removeprefix(before)}"
        return text
