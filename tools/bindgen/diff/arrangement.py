"""How the elements of a type stand together: which exclude each other, which need others, in which order.

A choice is known by the elements in it: its place in the schema shifts when others are added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bindgen.diff.pairs import Both, MatchedFields, Structs, TooManyPairs
from bindgen.model import Field

_MOST = 1_000  # places among choices and optional sequences of one type
_ORDERED = ("element", "any", "group")
# Where an element stands: the optional sequences around it, and the arms of choices.
_Around = tuple[tuple[str, ...], tuple[tuple[str, int], ...]]


# ---- choices


class Choices:
    """What became of elements of choices that one side has alone."""

    def __init__(self, pair: Structs, matched: MatchedFields) -> None:
        self._pair = pair
        self._old = {step for one, other in matched.both if other.choices for step in one.choices}
        self._new = {step for one, other in matched.both if one.choices for step in other.choices}

    def added(self, field: Field) -> str:
        """The name of the change that a new element of a choice is; "" outside of choices."""
        needed = any(self._pair.new.choices.get(path) for path, _ in field.choices)
        whole, inner = "choice-added" if needed else "", "choice-arm-changed" if field.own_least else ""
        return self._outcome(field, self._pair.new.holder, self._new, whole, "choice-arm-added", inner)

    def removed(self, field: Field) -> str:
        """The name of the change that the loss of an element of a choice is; "" outside of choices."""
        gone = "element-removed-optional"
        return self._outcome(field, self._pair.old.holder, self._old, gone, "choice-arm-removed", gone)

    def _outcome(
        self, field: Field, holder: str, known: set[tuple[str, int]], whole: str, arm: str, inner: str
    ) -> str:
        if not field.choices:
            return arm if holder in ("choice", "substitution") else ""
        paths = {path for path, _ in known}
        for path, number in field.choices:
            if path not in paths:
                return whole
            if (path, number) not in known:
                return arm
        return inner


def compare_choices(pair: Structs, both: Sequence[Both]) -> None:
    """Note matched elements that entered or left a choice, or whose arms were cut anew."""
    entered = [(one, other) for one, other in both if other.choices and not one.choices]
    left = [(one, other) for one, other in both if one.choices and not other.choices]
    _note(pair, "sequence-became-choice", entered, "of which one excludes the others now")
    _note(pair, "choice-became-sequence", left, "which stand together now, they excluded each other")
    stayed = [(one, other) for one, other in both if one.choices and other.choices]
    forth: dict[object, object] = {}
    back: dict[object, object] = {}
    moved = [
        (one, other)
        for one, other in stayed
        if forth.setdefault(one.choices, other.choices) != other.choices
        or back.setdefault(other.choices, one.choices) != one.choices
    ]
    _note(pair, "choice-regrouped", moved, "which are in other arms than before")
    seen: set[str] = set()  # each choice once, as its first element shows it
    for old, new in stayed:
        for (before, _), (after, _) in zip(old.choices, new.choices, strict=False):
            was, now = pair.old.choices.get(before, 0), pair.new.choices.get(after, 0)
            if before not in seen and bool(was) != bool(now):
                change, said = ("required", "must be there") if now else ("optional", "may be absent")
                _note(pair, f"choice-became-{change}", [(old, new)], f"and its choice {said}")
            seen.add(before)


def _note(pair: Structs, change: str, both: Sequence[Both], said: str) -> None:
    if both:
        names = ", ".join(f"`{other.wire}`" for _, other in both)
        old, new = both[0]
        pair.note_field(change, f"{names}: {said}", new.wire, old, new)


# ---- optional sequences


def compare_presence(pair: Structs, both: Sequence[Both]) -> None:
    """Note matched elements that must be there with others now, or need not any more. Raises TooManyPairs."""
    elements = [each for each in both if each[0].kind in ("element", "group")]
    if not any(old.optional_in or new.optional_in for old, new in elements):
        return
    places: dict[tuple[_Around, _Around], list[Both]] = {}
    for old, new in elements:
        places.setdefault((_around(pair, old), _around(pair, new)), []).append((old, new))
    if _alike(places):
        return
    if len(places) > _MOST:
        raise TooManyPairs(f"`{pair.path}` has too many optional sequences to be compared")
    for place, standing in places.items():
        before, after = place
        # Of the others, their occurrence says what became of them.
        members = [
            (old, new)
            for old, new in standing
            if not (old.least or new.least) and min(old.own_least, new.own_least) > 0
        ]
        changes = {
            (_begins(one[0], before[0]), _begins(other[0], after[0]))
            for one, other in places
            if members
            if (one, other) != place and _begins(one[1], before[1]) and _begins(other[1], after[1])
        }
        for old, new in members:
            for was, now in sorted(changes):
                if was != now:
                    change, said = "optional", "may be left out without its neighbours now"
                    if now:
                        change, said = "required", "must be there with its neighbours now"
                    pair.note_field(f"element-became-{change}", f"`{old.wire}`: {said}", old.wire, old, new)


def with_others(pair: Structs, field: Field, both: Sequence[Both]) -> str:
    """The name of an element that was there before and needs a new one beside it; "" where none does."""
    optional, arms = _around(pair, field)
    if field.own_least < 1 or not optional:
        return ""
    for _, new in both:
        inner = _around(pair, new)
        if _begins(inner[0], optional) and _begins(inner[1], arms):
            return new.wire
    return ""


def _alike(places: dict[tuple[_Around, _Around], list[Both]]) -> bool:
    """Whether the elements stand together as before, whatever that is called."""
    return (
        len({old for old, _ in places}) == len({new for _, new in places}) == len(places)
        and all(len(old[0]) == len(new[0]) for old, new in places)
        and _numbered(old for old, _ in places) == _numbered(new for _, new in places)
    )


def _numbered(around: Iterator[_Around]) -> list[list[int]]:
    """Which sequence each place is in, by numbers in the order that they are met."""
    numbers: dict[str, int] = {}
    return [[numbers.setdefault(name, len(numbers)) for name in names] for names, _ in around]


def _around(pair: Structs, field: Field) -> _Around:
    owner = pair.owners.get(id(field), "")
    return tuple(f"{owner} {name}" for name in field.optional_in), field.choices


def _begins(inner: tuple[object, ...], outer: tuple[object, ...]) -> bool:
    """Whether what stands around one element stands around the other, too."""
    return inner[: len(outer)] == outer


# ---- order


def compare_order(pair: Structs, both: Sequence[Both], new_fields: Sequence[Field]) -> None:
    """Note a new order of the matched elements. Arms of one choice have none among themselves."""
    if pair.old.all_group != pair.new.all_group and len(both) > 1:
        change, said = "order-fixed", "its elements must come in the order of the schema now"
        if pair.new.all_group:
            change, said = "order-freed", "its elements may come in any order now"
        pair.note(change, f"`{pair.path}`: {said}", old=pair.old.place, new=pair.new.place)
    if pair.old.all_group or pair.new.all_group or pair.old.holder in ("choice", "substitution"):
        return
    at = {id(field): number for number, field in enumerate(new_fields)}
    moved = _moved([(old, new, at[id(new)]) for old, new in both if old.kind in _ORDERED])
    if moved is not None:
        old, new = moved
        said = f"`{new.wire}` comes at another place among the elements"
        pair.note_field("sequence-reordered", said, new.wire, old, new)


def _moved(elements: list[tuple[Field, Field, int]]) -> Both | None:
    """The first pair that does not come in the new order, as a whole and arm by arm.

    A choice stands as a whole where the first of its elements stands, whichever arm that is.
    """
    runs: dict[object, list[tuple[Field, Field, int]]] = {}
    whole: dict[object, tuple[Field, Field, int]] = {}
    for old, new, number in elements:
        if old.choices and new.choices:
            runs.setdefault(old.choices, []).append((old, new, number))
            path = old.choices[0][0]
            first = whole.setdefault(path, (old, new, number))
            whole[path] = (first[0], first[1], min(first[2], number))
        else:
            whole[id(old)] = (old, new, number)
    for run in (list(whole.values()), *runs.values()):
        wanted = sorted(number for _, _, number in run)
        for (old, new, number), right in zip(run, wanted, strict=True):
            if number != right:
                return old, new
    return None
