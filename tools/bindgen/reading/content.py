"""The fields of a content model while it is read: what comes twice, what is one field, and how many fit."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from bindgen.model import Field, Struct, Wildcard

Choices = tuple[tuple[str, int], ...]  # the arms that a field is in, outer to inner

_NONE = -1


class Order:
    """The places of the fields noted so far, by the arms of choices that they are in.

    Two fields may both be there unless they are in different arms of one choice. What is asked takes as many
    steps as choices are within one another, however many fields there are. A place that is noted stays: a
    field that moved ahead is taken to be where it was, too.
    """

    def __init__(self) -> None:
        self._within: dict[Choices, int] = {}  # the last place in an arm, or in one within it
        self._directly: dict[Choices, int] = {}  # the last one in that arm alone
        self._choices: dict[Choices, dict[str, int]] = {}  # in each choice of an arm, the latest one last

    def note(self, choices: Choices, place: int) -> None:
        """Take in a field at a place."""
        self._directly[choices] = max(place, self._directly.get(choices, _NONE))
        for deep in range(len(choices) + 1):
            arm = choices[:deep]
            self._within[arm] = max(place, self._within.get(arm, _NONE))
            if deep < len(choices):
                inner, choice = self._choices.setdefault(arm, {}), choices[deep][0]
                inner[choice] = max(place, inner.pop(choice, _NONE))

    def last(self, choices: Choices) -> int:
        """The last place of a field that may be there beside one in these arms; -1 where there is none."""
        found = self._within.get(choices, _NONE)
        for deep, (choice, _) in enumerate(choices):
            arm = choices[:deep]
            found = max(found, self._directly.get(arm, _NONE))
            # The choices of an arm follow one another: the two latest are enough.
            for other, place in islice(reversed(self._choices.get(arm, {}).items()), 2):
                if other != choice:
                    found = max(found, place)
        return found


def parted(one: Choices, other: Choices) -> int | None:
    """How many arms two fields have in common before they part in a choice; None where they do not."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at if left[0] == right[0] else None
    return None


MOST_FIELDS = 5000  # of one type
_BACK = 20  # fields of one element that are looked at, from the last one on
_NEAR = 50  # fields that are put in another order at once, and no more
_OFTEN = 5000  # times that this is tried in one type


class TooMuch(Exception):
    """More than is read of one type, or of a whole contract; says what."""


@dataclass(slots=True, eq=False)
class _Placed:
    """A field at its place; `latest` are the arms that its element was last found in."""

    field: Field
    place: int
    latest: Choices
    joined: bool = False  # of several arms


class Content:
    """The fields of one struct, in the order of the schema."""

    def __init__(self, struct: Struct, path: str, groups: tuple[str, ...] = ()) -> None:
        self.struct = struct
        self.path = path  # of what is declared in it without a name
        self.groups = groups  # the named groups that it stands in
        self.all_group = False
        self._made: list[Field] = []
        self._placed: list[_Placed] = []
        self._order = Order()
        self._tried = 0
        self._by_key: dict[tuple[str, str], list[_Placed]] = {}
        self._choices = 0

    @property
    def fields(self) -> list[Field]:
        """The fields so far, in an order that suits every arm of every choice."""
        return [placed.field for placed in self._placed]

    @property
    def here(self) -> int:
        """How many fields there are so far."""
        return len(self._made)

    def since(self, here: int) -> list[Field]:
        """The fields that were made since there were so many."""
        return self._made[here:]

    def choice(self) -> str:
        """A name for the next choice, unique in the struct."""
        self._choices += 1
        return f"choice{self._choices}"

    def add(self, field: Field) -> bool:
        """Take a field in; False where it became part of one before it.

        An element twice in a row is one that repeats; one in several arms of a choice is one field, where
        there is a place for it that is right for all of them.
        """
        if field.kind == "group":
            key = ("group", field.type.qname if isinstance(field.type, Struct) and field.type.holder else "")
            mergeable = isinstance(field.type, Struct) and field.type.holder == "substitution"
        else:
            key, mergeable = (field.kind, field.tag), True
        known = self._by_key.setdefault(key, [])
        if mergeable:
            # Far back only another arm of a choice can be of interest.
            for placed in reversed(known[-_BACK:] if field.choices else known[-1:]):
                before = placed.field
                if before.type is not field.type or before.nillable != field.nillable:
                    continue
                if (common := parted(placed.latest, field.choices)) is not None:
                    if self._fits(placed, field.choices):
                        self._merge(before, field)
                        before.least, before.choices = 0, before.choices[:common]
                        before.most = _more(before.most, field.most)
                        placed.latest, placed.joined = field.choices, True
                        self._order.note(before.choices, placed.place)
                        return False
                elif placed is self._placed[-1] and before.choices == field.choices:
                    self._merge(before, field)
                    before.least += field.least
                    both = before.most is not None and field.most is not None
                    before.most = (before.most or 0) + (field.most or 0) if both else None
                    return False
        if len(self._made) >= MOST_FIELDS:
            raise TooMuch(f"more than {MOST_FIELDS} elements in one type")
        placed = _Placed(field, len(self._placed), field.choices)
        known.append(placed)
        self._made.append(field)
        self._placed.append(placed)
        self._order.note(field.choices, placed.place)
        return True

    def _fits(self, placed: _Placed, choices: Choices) -> bool:
        """Whether a field can stand for an element in other arms, too: all that may be there beside it must
        stand before it, and is put there where it may stand anywhere among what is in between."""
        if self._order.last(choices) <= placed.place:
            return True
        near = self._placed[placed.place :]
        self._tried += 1
        if len(near) > _NEAR or self._tried > _OFTEN:
            return False
        ahead = [one for one in near[1:] if parted(one.latest, choices) is None]
        behind = [one for one in near if one not in ahead]
        for one in ahead:
            if any(other.place < one.place and not _excluded(one, other) for other in behind):
                return False
        for place, one in enumerate([*ahead, *behind], placed.place):
            one.place = place
            self._placed[place] = one
            self._order.note(one.field.choices, place)
        return True

    def _merge(self, before: Field, field: Field) -> None:
        before.own_least = -1
        if before.wildcard is not None and field.wildcard is not None:
            before.wildcard = _either(before.wildcard, field.wildcard)
        if (before.default, before.fixed) != (field.default, field.fixed):
            before.default = before.fixed = None
        if before.facets != field.facets:
            before.facets = None


def _excluded(one: _Placed, other: _Placed) -> bool:
    """Whether two fields are never there together; `other` was there before the latest arm of `one`."""
    if parted(one.field.choices, other.field.choices) is not None:
        return True
    # Arms follow one another: what is not beside the last of them is not beside an earlier one either.
    return not one.joined and parted(one.field.choices, other.latest) is not None


def _either(one: Wildcard, other: Wildcard) -> Wildcard:
    """One wildcard for two; what cannot be said of both lets in anything."""
    if one == other and (one.target == other.target or "##" not in one.namespaces):
        return one
    return Wildcard("##any", one.process, one.target)


def _more(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)
