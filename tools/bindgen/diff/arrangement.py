"""Changes in the arrangement of a type's elements: choices, optional sequences and order.

A choice is recognised by its elements, because its position in the schema changes if choices are added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bindgen.diff.pairs import Both, MatchedFields, Structs, TooManyPairs
from bindgen.model import Field

_MAX_POSITIONS = 1_000  # positions in choices and optional sequences of one type
_ORDERED = ("element", "any", "group")
# Position of an element: the optional sequences and the branches of choices that contain it.
_Position = tuple[tuple[str, ...], tuple[tuple[str, int], ...]]


# ---- choices


class Choices:
    """Finds the kind of change (a key in `rules.CHANGES`) for an added or removed element of a choice."""

    def __init__(self, pair: Structs, matched: MatchedFields) -> None:
        self._pair = pair
        self._old = {step for old, new in matched.both if new.choices for step in old.choices}
        self._new = {step for old, new in matched.both if old.choices for step in new.choices}

    def added(self, field: Field) -> str:
        """Return the kind of change (a key in `rules.CHANGES`) for an added element of a choice.

        Returns "" in three cases. The caller then treats the element like an element outside of choices.

        - The element is not in a choice.
        - The choice is new and optional.
        - The branch already existed, and the element is optional in the branch.
        """
        needed = any(self._pair.new.choices.get(path) for path, _ in field.choices)
        new_choice, known_branch = (
            "choice-added" if needed else "",
            "choice-arm-changed" if field.own_least else "",
        )
        return self._outcome(
            field, self._pair.new.holder, self._new, new_choice, "choice-arm-added", known_branch
        )

    def removed(self, field: Field) -> str:
        """Return the kind of change (a key in `rules.CHANGES`) for a removed element of a choice.

        Returns "" if the element is not in a choice.
        """
        removed = "element-removed-optional"
        return self._outcome(field, self._pair.old.holder, self._old, removed, "choice-arm-removed", removed)

    def _outcome(
        self,
        field: Field,
        holder: str,
        known_branches: set[tuple[str, int]],
        new_choice: str,
        new_branch: str,
        known_branch: str,
    ) -> str:
        """Return the kind of change (a key in `rules.CHANGES`) for a field that only one side has.

        Returns "" if the field is not in a choice.

        - `holder`: "choice" or "substitution" if the type was generated for a choice or a substitution group.
          Then all fields of the type count as elements of a choice.
        - `known_branches`: the branches of choices that both sides have.
        - `new_choice`: the result if the other side does not have the field's choice.
        - `new_branch`: the result if the other side has the choice, but not the field's branch.
        - `known_branch`: the result if the other side has the choice and the branch.
        """
        if not field.choices:
            return new_branch if holder in ("choice", "substitution") else ""
        paths = {path for path, _ in known_branches}
        for path, number in field.choices:
            if path not in paths:
                return new_choice
            if (path, number) not in known_branches:
                return new_branch
        return known_branch


def compare_choices(pair: Structs, both: Sequence[Both]) -> None:
    """Record elements that entered or left a choice, or moved to another branch of a choice.

    Also records choices that became required or optional. `pair` has the old and the new type, `both` the
    elements that both types have, as (old, new).
    """
    entered = [(old, new) for old, new in both if new.choices and not old.choices]
    left = [(old, new) for old, new in both if old.choices and not new.choices]
    _note(pair, "sequence-became-choice", entered, "now exclude each other")
    _note(pair, "choice-became-sequence", left, "now occur together, they excluded each other")
    stayed = [(old, new) for old, new in both if old.choices and new.choices]
    forth: dict[object, object] = {}
    back: dict[object, object] = {}
    moved = [
        (old, new)
        for old, new in stayed
        if forth.setdefault(old.choices, new.choices) != new.choices
        or back.setdefault(new.choices, old.choices) != old.choices
    ]
    _note(pair, "choice-regrouped", moved, "moved to other branches of the choice")
    seen: set[str] = set()  # each choice is reported once, at its first element
    for old, new in stayed:
        for (before, _), (after, _) in zip(old.choices, new.choices, strict=False):
            was, now = pair.old.choices.get(before, 0), pair.new.choices.get(after, 0)
            if before not in seen and bool(was) != bool(now):
                change, message = ("required", "must be there") if now else ("optional", "may be absent")
                _note(pair, f"choice-became-{change}", [(old, new)], f"and its choice {message}")
            seen.add(before)


def _note(pair: Structs, change: str, both: Sequence[Both], message: str) -> None:
    """Add one change for all elements in `both`, a list of (old, new). Adds nothing if `both` is empty.

    The change is reported at the place of the first element. `change` is the kind of change (a key in
    `rules.CHANGES`), and `message` says what happened to the elements.
    """
    if both:
        names = ", ".join(f"`{other.wire}`" for _, other in both)
        old, new = both[0]
        pair.note_field(change, f"{names}: {message}", new.wire, old, new)


# ---- optional sequences


def compare_presence(pair: Structs, both: Sequence[Both]) -> None:
    """Record elements that became required or optional within an optional sequence.

    All elements of such a sequence may be absent together. But if one element is present, other elements of
    the sequence can be required. `both` are the elements that both types have, as (old, new). Raises
    TooManyPairs if the type has too many optional sequences.
    """
    elements = [item for item in both if item[0].kind in ("element", "group")]
    if not any(old.optional_in or new.optional_in for old, new in elements):
        return
    places: dict[tuple[_Position, _Position], list[Both]] = {}
    for old, new in elements:
        places.setdefault((_position(pair, old), _position(pair, new)), []).append((old, new))
    if _grouped_as_before(places):
        return
    if len(places) > _MAX_POSITIONS:
        raise TooManyPairs(f"the type `{pair.path}` has too many optional sequences to be compared")
    for place, members_here in places.items():
        before, after = place
        # If the element itself is required, its occurrence is compared elsewhere.
        members = [
            (old, new)
            for old, new in members_here
            if not (old.least or new.least) and min(old.own_least, new.own_least) > 0
        ]
        changes = {
            (_is_inside(old_position[0], before[0]), _is_inside(new_position[0], after[0]))
            for old_position, new_position in places
            if members
            if (old_position, new_position) != place
            and _is_inside(old_position[1], before[1])
            and _is_inside(new_position[1], after[1])
        }
        for old, new in members:
            for was, now in sorted(changes):
                if was != now:
                    change, message = "optional", "is now optional even if its neighbours are present"
                    if now:
                        change, message = "required", "is now required if its neighbours are present"
                    pair.note_field(
                        f"element-became-{change}", f"`{old.wire}`: {message}", old.wire, old, new
                    )


def with_others(pair: Structs, field: Field, both: Sequence[Both]) -> str:
    """Return the name of an existing element that requires the added element `field`.

    Messages that contain the existing element must now contain `field`, too. `both` are the existing
    elements, as (old, new). Returns "" if none of them requires `field`.
    """
    optional, branches = _position(pair, field)
    if field.own_least < 1 or not optional:
        return ""
    for _, new in both:
        inner = _position(pair, new)
        if _is_inside(inner[0], optional) and _is_inside(inner[1], branches):
            return new.wire
    return ""


def _grouped_as_before(places: dict[tuple[_Position, _Position], list[Both]]) -> bool:
    """Return True if the optional sequences and choices group the same elements on both sides.

    `places` maps (old position, new position) to the elements with these positions. A position consists of
    the optional sequences and the branches of choices that contain an element (see `_position`). Sequences
    may have different internal names on both sides.
    """
    return (
        len({old for old, _ in places}) == len({new for _, new in places}) == len(places)
        and all(len(old[0]) == len(new[0]) for old, new in places)
        and _numbered(old for old, _ in places) == _numbered(new for _, new in places)
    )


def _numbered(around: Iterator[_Position]) -> list[list[int]]:
    """Return a list of numbers for each position in `around`: the numbers of its optional sequences.

    A position names the optional sequences that contain an element (see `_position`). The sequences are
    numbered in the order of their first occurrence, so that their names make no difference.
    """
    numbers: dict[str, int] = {}
    return [[numbers.setdefault(name, len(numbers)) for name in names] for names, _ in around]


def _position(pair: Structs, field: Field) -> _Position:
    """Return the optional sequences and the branches of choices that contain a field."""
    owner = pair.owners.get(id(field), "")
    return tuple(f"{owner} {name}" for name in field.optional_in), field.choices


def _is_inside(inner: tuple[object, ...], outer: tuple[object, ...]) -> bool:
    """Return True if the position `inner` is equal to the position `outer` or inside of it.

    A position lists the groups that contain an element, from the outermost to the innermost.
    """
    return inner[: len(outer)] == outer


# ---- order


def compare_order(pair: Structs, both: Sequence[Both], new_fields: Sequence[Field]) -> None:
    """Record a new order of the matched elements. The order of branches of one choice does not matter.

    `both` are the matched elements, as (old, new). `new_fields` are all fields of the new type, in order.
    """
    if pair.old.all_group != pair.new.all_group and len(both) > 1:
        change, message = "order-fixed", "its elements must now be in the order of the schema"
        if pair.new.all_group:
            change, message = "order-freed", "its elements may now be in any order"
        pair.note(change, f"`{pair.path}`: {message}", old=pair.old.place, new=pair.new.place)
    if pair.old.all_group or pair.new.all_group or pair.old.holder in ("choice", "substitution"):
        return
    positions = {id(field): number for number, field in enumerate(new_fields)}
    moved = _moved([(old, new, positions[id(new)]) for old, new in both if old.kind in _ORDERED])
    if moved is not None:
        old, new = moved
        message = f"`{new.wire}` has another position among the elements"
        pair.note_field("sequence-reordered", message, new.wire, old, new)


def _moved(elements: list[tuple[Field, Field, int]]) -> Both | None:
    """Return the first element whose position changed, as (old, new). Returns None if none changed.

    `elements` are tuples in the old order: the old element, the new element, and its new position. Each
    branch of a choice is checked separately. Among the elements outside of choices, a choice counts as one
    element at the position of its first element.
    """
    runs: dict[object, list[tuple[Field, Field, int]]] = {}
    top_level: dict[object, tuple[Field, Field, int]] = {}
    for old, new, number in elements:
        if old.choices and new.choices:
            runs.setdefault(old.choices, []).append((old, new, number))
            path = old.choices[0][0]
            first = top_level.setdefault(path, (old, new, number))
            top_level[path] = (first[0], first[1], min(first[2], number))
        else:
            top_level[id(old)] = (old, new, number)
    for run in (list(top_level.values()), *runs.values()):
        positions = sorted(number for _, _, number in run)
        for (old, new, number), position in zip(run, positions, strict=True):
            if number != position:
                return old, new
    return None
