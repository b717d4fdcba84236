"""Matching of items of the old and the new contract.

Operations, headers, fields and the like are matched by name, types by their position in the messages. Types
are never matched by name. A queue visits each pair of types once, so recursive types terminate, and deeply
nested types need no recursion.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from bindgen.diff.findings import Change
from bindgen.model import Field, Struct
from bindgen.naming import local_name, namespace_of
from bindgen.problems import Place

_T = TypeVar("_T")
Both = tuple[Field, Field]
_PAIRS_PER_TYPE = 20
_MIN_PAIRS = 5_000


class TooManyPairs(Exception):
    """Raised if there are too many pairs of types or elements to compare them in reasonable time."""


@dataclass(slots=True)
class Matched(Generic[_T]):
    """The items that both sides have, as (old, new) in the old order, and the items of only one side."""

    both: list[tuple[_T, _T]]
    removed: list[_T]
    added: list[_T]


def match(old: Sequence[_T], new: Sequence[_T], *keys: Callable[[_T], Hashable]) -> Matched[_T]:
    """Match the items of two sides, and return the matched, removed and added items.

    Matches by the first key function in `keys`, then matches the remaining items by the next key function.
    Several items with the same key are matched in their order.
    """
    partners: dict[int, _T] = {}
    added = list(new)
    for key in keys:
        waiting: dict[Hashable, deque[_T]] = {}
        for item in added:
            waiting.setdefault(key(item), deque()).append(item)
        for item in old:
            if id(item) not in partners and (candidates := waiting.get(key(item))):
                partners[id(item)] = candidates.popleft()
        matched_ids = {id(item) for item in partners.values()}
        added = [item for item in added if id(item) not in matched_ids]
    both = [(item, partners[id(item)]) for item in old if id(item) in partners]
    return Matched(both, [item for item in old if id(item) not in partners], added)


@dataclass(slots=True)
class MatchedFields(Matched[Field]):
    """Matched fields of two types.

    - `turned`: elements that became attributes, or attributes that became elements.
    - `grouped`: elements that moved into a model group.
    - `ungrouped`: elements that moved out of a model group.

    An entry of `grouped` or `ungrouped` is a tuple: the moved elements, as (old, new), and the field that
    represents the model group.
    """

    turned: list[Both]
    grouped: list[tuple[list[Both], Field]]
    ungrouped: list[tuple[list[Both], Field]]


def match_fields(old: Sequence[Field], new: Sequence[Field]) -> MatchedFields:
    """Match fields by qualified name, then by local name. Return all matched and unmatched fields."""

    def loose(item: Field) -> str:
        """Return the key for matching without namespaces: the local name, or "" for wildcards and texts."""
        return local_name(item.tag) or ("" if item.kind in ("any", "any_attributes", "text") else item.wire)

    matched = match(
        old, new, lambda item: (item.kind, item.tag or item.wire), lambda item: (item.kind, loose(item))
    )
    removed, added = matched.removed, matched.added
    grouped = [(pairs, group) for group in list(added) if (pairs := _take_inner(removed, group, added))]
    ungrouped = [
        ([(old_field, new_field) for new_field, old_field in pairs], group)
        for group in list(removed)
        if (pairs := _take_inner(added, group, removed))
    ]
    # Fields with equal kinds and names are matched above, so here an element can only match an attribute.
    before, after = (
        [item for item in side if item.kind in ("element", "attribute")] for side in (removed, added)
    )
    turned = match(before, after, lambda item: item.wire).both
    matched_ids = {id(item) for pair in turned for item in pair}
    removed, added = ([item for item in side if id(item) not in matched_ids] for side in (removed, added))
    return MatchedFields(matched.both, removed, added, turned, grouped, ungrouped)


def _take_inner(loose: list[Field], group: Field, groups: list[Field]) -> list[Both]:
    """Match the elements in `loose` with the elements in the model group `group`, by name.

    - `loose`: the unmatched fields of one side. Matched elements are removed from this list.
    - `group`: a field of the other side that represents a model group.
    - `groups`: the unmatched fields of the other side, among them `group`. If an element matches, `group` is
      removed from this list.

    Returns pairs: an element from `loose`, and the element with the same name in the group.
    """
    if group.kind != "group" or not isinstance(group.type, Struct):
        return []
    inner = {item.tag: item for item in group.type.all_fields() if item.kind == "element"}
    matched = [item for item in loose if item.kind == "element" and item.tag in inner]
    if matched:
        loose[:] = [item for item in loose if not (item.kind == "element" and item.tag in inner)]
        groups.remove(group)
    return [(item, inner[item.tag]) for item in matched]


@dataclass(slots=True, eq=False)
class Pair:
    """Two types at the same position in old and new messages.

    `path` is the name of the old type, which users know. The paths of findings begin with this name.
    `leads_to` holds the pairs that are compared because of this pair: the types of the fields of the two
    types, and the types derived from the two types.
    """

    path: str
    owners: dict[int, str] = field(default_factory=dict)  # a field's id → the type that declares it
    changes: list[Change] = field(default_factory=list)
    leads_to: list[Pair] = field(default_factory=list)

    def note(
        self, change: str, message: str, *, at: str = "", old: Place | None = None, new: Place | None = None
    ) -> None:
        """Add a change of the type, or of its member `at`.

        `change` is a key in `rules`. `old` and `new` are the places of the type or member in the documents of
        each side.
        """
        self.changes.append(Change(change, f"{self.path}/{at}" if at else self.path, message, old, new))

    def note_field(self, change: str, message: str, at: str, old: Field | None, new: Field | None) -> None:
        """Add a change of a field: `old` is the old field, `new` the new field. One of them may be None.

        The path of the change is the name of the type that declares the field, followed by `at`.
        """
        owner = self.owners.get(id(new if old is None else old), self.path)
        before, after = (None if side is None else side.place for side in (old, new))
        self.changes.append(Change(change, f"{owner}/{at}", message, before, after))


@dataclass(slots=True, eq=False)
class Structs(Pair):
    """A pair of complex types."""

    old: Struct = field(kw_only=True)
    new: Struct = field(kw_only=True)


class Pairs:
    """All pairs of types found so far, in the order in which they were added."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Structs] = {}
        self._simple: dict[tuple[str, str], Pair] = {}
        self._waiting: deque[Structs] = deque()
        self._types: set[int] = set()

    def simple(self, old: str, new: str) -> tuple[Pair, bool]:
        """Return the pair of two simple types, and True if the pair existed before.

        `old` and `new` are the qualified names of the types.
        """
        exists = (old, new) in self._simple
        return self._simple.setdefault((old, new), Pair(local_name(old))), exists

    def of(self, old: Struct, new: Struct) -> Structs:
        """Return the pair of two complex types. A new pair is added to the queue that `waiting` empties.

        Raises TooManyPairs if the number of pairs exceeds a limit.
        """
        key = (id(old), id(new))
        if key not in self._known:
            self._types |= {id(old), id(new)}
            if len(self._known) > _MIN_PAIRS + _PAIRS_PER_TYPE * len(self._types):
                raise TooManyPairs(
                    "too many pairs of types to compare: "
                    "types of one contract correspond to many types of the other contract"
                )
            self._known[key] = pair = Structs(old.name, old=old, new=new)
            self._waiting.append(pair)
        return self._known[key]

    def waiting(self) -> Iterator[Structs]:
        """Yield each pair of complex types once, including pairs that are added while iterating."""
        while self._waiting:
            yield self._waiting.popleft()

    def __iter__(self) -> Iterator[Pair]:
        return iter([*self._known.values(), *self._simple.values()])


@dataclass(slots=True)
class RenamedNamespaces:
    """Renamed namespaces: maps (old, new) to the places where the rename was seen."""

    moved: dict[tuple[str, str], list[Pair]] = field(default_factory=dict)
    at: dict[tuple[str, str], tuple[Place, Place]] = field(default_factory=dict)

    def move(self, old_tag: str, new_tag: str, old: Place, new: Place, pair: Pair | None = None) -> None:
        """Record that a namespace was renamed, if the two tags have different namespaces.

        `old` and `new` are the file and line of each tag. `pair` is the pair of types that contains the tags.
        """
        key = (namespace_of(old_tag), namespace_of(new_tag))
        if key[0] != key[1]:
            self.moved.setdefault(key, []).extend([] if pair is None else [pair])
            self.at.setdefault(key, (old, new))

    def follow(self, text: str) -> str:
        """Return `text`. If it begins with a renamed namespace, replace the old namespace by the new one."""
        for before, after in self.moved:
            if before and text.startswith(before):
                return f"{after}{text.removeprefix(before)}"
        return text
