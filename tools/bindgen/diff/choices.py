"""What became of a type's choices: arms, and elements that exclude each other or no longer do.

A choice is known by the elements in it: its place in the schema shifts when others are added.
"""

from __future__ import annotations

from collections.abc import Sequence

from bindgen.diff.pairs import Both, MatchedFields, Structs
from bindgen.model import Field


class Choices:
    """The choices of a pair of types, by their matched elements."""

    def __init__(self, pair: Structs, matched: MatchedFields) -> None:
        self._pair = pair
        both = matched.both
        self._old = _known([one for one, other in both if other.choices])
        self._new = _known([other for one, other in both if one.choices])

    def added(self, field: Field) -> str:
        """The name of the change that a new element of a choice is; "" outside of choices."""
        needed = any(self._pair.new.choices.get(path) for path, _ in field.choices)
        whole = "choice-added" if needed else ""
        inner = "choice-arm-changed" if field.own_least else ""
        return self._outcome(field, self._pair.new.holder, self._new, (whole, "choice-arm-added", inner))

    def removed(self, field: Field) -> str:
        """The name of the change that the loss of an element of a choice is; "" outside of choices."""
        return self._outcome(
            field,
            self._pair.old.holder,
            self._old,
            ("element-removed-optional", "choice-arm-removed", "element-removed-optional"),
        )

    def _outcome(
        self, field: Field, holder: str, known: set[tuple[str, int]], outcomes: tuple[str, str, str]
    ) -> str:
        whole, arm, inner = outcomes
        if not field.choices:
            return arm if holder in ("choice", "substitution") else ""
        paths = {path for path, _ in known}
        for path, number in field.choices:
            if path not in paths:
                return whole
            if (path, number) not in known:
                return arm
        return inner


def compare(pair: Structs, both: Sequence[Both]) -> None:
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
    _need(pair, stayed)


def _need(pair: Structs, stayed: Sequence[Both]) -> None:
    """Whether one arm of a choice must be there: each choice once, as its first element shows it."""
    seen: set[str] = set()
    for old, new in stayed:
        for (before, _), (after, _) in zip(old.choices, new.choices, strict=False):
            was, now = pair.old.choices.get(before, 0), pair.new.choices.get(after, 0)
            if before not in seen and bool(was) != bool(now):
                change = "choice-became-required" if now else "choice-became-optional"
                _note(
                    pair,
                    change,
                    [(old, new)],
                    "and its choice " + ("must be there" if now else "may be absent"),
                )
            seen.add(before)


def entered_or_left(one: Field, other: Field) -> bool:
    """Whether a matched element came into a choice or out of one, which says all about its occurrence."""
    return bool(one.choices) != bool(other.choices)


def _known(fields: Sequence[Field]) -> set[tuple[str, int]]:
    return {step for field in fields for step in field.choices}


def _note(pair: Structs, change: str, both: Sequence[Both], said: str) -> None:
    if both:
        names = ", ".join(f"`{other.wire}`" for _, other in both)
        old, new = both[0]
        pair.note_field(change, f"{names}: {said}", new.wire, old, new)
