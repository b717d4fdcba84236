"""The types to be compared with each other, and what of a type leads to which.

Types are paired by where they stand on the wire, never by name. Each pair is looked at once, in a queue, so
recursive types end and deep ones need no stack.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from bindgen.model import Field, Struct
from bindgen.naming import local, space
from bindgen.problems import Place

_PAIRS_PER_TYPE = 20
_PAIRS_AT_LEAST = 5_000


class TooManyPairs(Exception):
    """The two sides fold so differently that comparing them would not end in sensible time."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one place, before it has its rule: `name` is a row of the rules.

    Of an operation, a port or the contract: the `operations` concerned and, where the row has both
    directions, whether `requests` and `responses` meet it. Of a type that is known from its pairs.
    """

    name: str
    path: str
    said: str
    old: Place | None = None
    new: Place | None = None
    operations: tuple[str, ...] = ()
    requests: bool = False
    responses: bool = False


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
        known = next((each for each in (old, new) if each is not None), None)
        owner = self.owners.get(id(known), self.path)
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
            pairs = self.moved.setdefault(key, [])
            pairs += [pair] if pair is not None else []
            self.at.setdefault(key, (old, new))

    def follow(self, text: str) -> str:
        """A text that begins with a namespace, as it is when it moved along with that."""
        for before, after in self.moved:
            if before and text.startswith(before):
                return f"{after}{text.removeprefix(before)}"
        return text
