"""Whether the elements of a type come in another order than before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bindgen.diff.pairs import Both, Structs, TooManyPairs
from bindgen.model import Field

_MOST = 1_000  # places among choices and optional sequences of one type

_Around = tuple[tuple[str, ...], tuple[tuple[str, int], ...]]


def compare_presence(pair: Structs, both: Sequence[Both]) -> None:
    """Note matched elements that must be there with others now, or need not any more. Raises TooManyPairs."""
    elements = [each for each in both if each[0].kind in ("element", "group")]
    if not any(old.optional_in or new.optional_in for old, new in elements):
        return
    places = _places(pair, elements)
    if _alike(places):
        return
    if len(places) > _MOST:
        raise TooManyPairs(f"`{pair.path}` has too many optional sequences to be compared")
    for there, ((before, after), members) in enumerate(places.items()):
        for old, new in members:
            if old.least or new.least or min(old.own_least, new.own_least) < 1:
                continue  # what became of these, its occurrence says
            changes = {
                (_holds(before[0], one[0]), _holds(after[0], other[0]))
                for number, (one, other) in enumerate(places)
                if number != there and _arms(before, one) and _arms(after, other)
            }
            for was, now in sorted(changes):
                if was != now:
                    change = f"element-became-{'required' if now else 'optional'}"
                    said = (
                        "must be there with its neighbours now"
                        if now
                        else "may be left out without its neighbours now"
                    )
                    pair.note_field(change, f"`{old.wire}`: {said}", old.wire, old, new)


def with_others(pair: Structs, field: Field, both: Sequence[Both]) -> str:
    """The name of an element that was there before and needs a new one beside it; "" where none does."""
    around = _around(pair, field)
    if field.own_least < 1 or not around[0]:
        return ""
    return next((new.wire for _, new in both if _within(around, _around(pair, new))), "")


def _places(pair: Structs, both: Sequence[Both]) -> dict[tuple[_Around, _Around], list[Both]]:
    found: dict[tuple[_Around, _Around], list[Both]] = {}
    for old, new in both:
        found.setdefault((_around(pair, old), _around(pair, new)), []).append((old, new))
    return found


def _alike(places: dict[tuple[_Around, _Around], list[Both]]) -> bool:
    """Whether the elements stand together as before, whatever that is called."""
    return (
        len({old for old, _ in places}) == len({new for _, new in places}) == len(places)
        and all(len(old[0]) == len(new[0]) for old, new in places)
        and _order(old for old, _ in places) == _order(new for _, new in places)
    )


def _order(around: Iterator[_Around]) -> list[list[int]]:
    """Which sequence each place is in, by numbers in the order that they are met."""
    numbers: dict[str, int] = {}
    return [[numbers.setdefault(name, len(numbers)) for name in names] for names, _ in around]


def _around(pair: Structs, field: Field) -> _Around:
    owner = pair.owners.get(id(field), "")
    return tuple(f"{owner} {name}" for name in field.optional_in), field.choices


def _within(outer: _Around, inner: _Around) -> bool:
    return _holds(outer[0], inner[0]) and _arms(outer, inner)


def _holds(outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    return inner[: len(outer)] == outer


def _arms(outer: _Around, inner: _Around) -> bool:
    return inner[1][: len(outer[1])] == outer[1]


_ORDERED = ("element", "any", "group")


def compare_order(pair: Structs, both: Sequence[Both], new_fields: Sequence[Field]) -> None:
    """Note a new order of the matched elements. Arms of one choice have none among themselves."""
    if pair.old.all_group != pair.new.all_group and len(both) > 1:
        freed = pair.new.all_group
        change, said = (
            ("order-freed", "its elements may come in any order now")
            if freed
            else ("order-fixed", "its elements must come in the order of the schema now")
        )
        pair.note(change, f"`{pair.path}`: {said}", old=pair.old.place, new=pair.new.place)
    if pair.old.all_group or pair.new.all_group or pair.old.holder in ("choice", "substitution"):
        return
    at = {id(field): number for number, field in enumerate(new_fields)}
    elements = [(old, new) for old, new in both if old.kind in _ORDERED]
    moved = _moved([(old, new, at[id(new)]) for old, new in elements])
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
