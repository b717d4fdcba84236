"""What became of the facets of a simple type: looser, tighter, or other than before."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from bindgen.diff import lattice, ranges
from bindgen.model import Facets

Outcome = tuple[str, str]  # the change's name, and what happened

_WHITE_SPACE = ("preserve", "replace", "collapse")
_NO_FACETS = Facets()


def compare(base: str, old: Facets | None, new: Facets | None) -> Iterator[Outcome]:
    """Changes of facets other than the enumeration, between types of one base."""
    one, other = old or _NO_FACETS, new or _NO_FACETS
    if one == other:
        return
    yield from _interval("length", _lengths(one), _lengths(other), _length_words(one), _length_words(other))
    yield from _range(base, one, other)
    for name, before, after in (
        ("totalDigits", one.total_digits, other.total_digits),
        ("fractionDigits", one.fraction_digits, other.fraction_digits),
    ):
        yield from _interval(name, (None, _number(before)), (None, _number(after)), before, after)
    yield from _patterns(one.patterns, other.patterns)
    if one.white_space != other.white_space:
        # It changes what a text means, not only which are taken.
        before, after = one.white_space or _WHITE_SPACE[0], other.white_space or _WHITE_SPACE[0]
        if before != after:
            yield "facet-changed", f"whiteSpace became {after}, it was {before}"


def number_bounds(base: str, facets: Facets | None) -> lattice.Bounds:
    """The least and greatest value that a type of numbers takes with its facets."""
    low, high = lattice.bounds(base)
    if facets is None:
        return low, high
    step = Decimal(1) if base in lattice.INTEGERS else Decimal(0)
    lows = [low, _number(facets.min_inclusive), _shifted(facets.min_exclusive, step)]
    highs = [high, _number(facets.max_inclusive), _shifted(facets.max_exclusive, -step)]
    return (
        max((each for each in lows if each is not None), default=None),
        min((each for each in highs if each is not None), default=None),
    )


def _range(base: str, old: Facets, new: Facets) -> Iterator[Outcome]:
    before = (old.min_inclusive, old.min_exclusive, old.max_inclusive, old.max_exclusive)
    after = (new.min_inclusive, new.min_exclusive, new.max_inclusive, new.max_exclusive)
    if before == after:
        return
    words = [
        ", ".join(
            f"{name} {text}"
            for name, text in zip(
                ("minInclusive", "minExclusive", "maxInclusive", "maxExclusive"), side, strict=True
            )
            if text
        )
        for side in (before, after)
    ]
    if base in lattice.INTEGERS:
        yield from _interval("range", number_bounds(base, old), number_bounds(base, new), *words)
        return
    one, other = ranges.of(base, old), ranges.of(base, new)
    if one is None or other is None or not ranges.comparable(one, other):
        yield _named("range", *words)
    elif ranges.contains(other, one) != ranges.contains(one, other):
        change = "facet-widened" if ranges.contains(other, one) else "facet-narrowed"
        yield change, _words("range", *words)
    elif not ranges.contains(other, one):
        yield "facet-changed", _words("range", *words)


def _lengths(facets: Facets) -> lattice.Bounds:
    if facets.length:
        return _number(facets.length), _number(facets.length)
    return _number(facets.min_length) or None, _number(facets.max_length)  # a least length of 0 says nothing


def _length_words(facets: Facets) -> str:
    pairs = (("length", facets.length), ("minLength", facets.min_length), ("maxLength", facets.max_length))
    return ", ".join(f"{name} {text}" for name, text in pairs if text)


def _interval(
    name: str, old: lattice.Bounds, new: lattice.Bounds, before: str, after: str
) -> Iterator[Outcome]:
    if old == new:
        return
    if lattice.bounds_contain(new, old):
        yield "facet-widened", _words(name, before, after)
    elif lattice.bounds_contain(old, new):
        yield "facet-narrowed", _words(name, before, after)
    else:
        yield "facet-changed", _words(name, before, after)


def _patterns(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[Outcome]:
    """Each pattern of the list must fit, so more of them narrow; of one, each branch will do, so more of
    these widen (XSD 1.0 part 2, 4.3.4). One branch against another cannot be weighed.
    """
    one, other = ([_branches(each) for each in side] for side in (old, new))
    wider = all(any(before <= after for before in one) for after in other)
    narrower = all(any(after <= before for after in other) for before in one)
    if not (wider and narrower):
        change = "facet-widened" if wider else "facet-narrowed" if narrower else "facet-changed"
        yield change, _words("pattern", " and ".join(old), " and ".join(new))


def _branches(pattern: str) -> frozenset[str]:
    """The branches of a pattern at its top, outside of parentheses and of classes in brackets."""
    found, start, deep, brackets, escaped = [], 0, 0, 0, False
    for at, sign in enumerate(pattern):
        if escaped or sign == "\\":
            escaped = not escaped
        elif brackets or sign == "[":
            brackets += {"[": 1, "]": -1}.get(sign, 0)
        elif sign == "|" and not deep:
            found.append(pattern[start:at])
            start = at + 1
        else:
            deep += {"(": 1, ")": -1}.get(sign, 0)
    return frozenset((*found, pattern[start:]))


def _named(name: str, before: str, after: str) -> Outcome:
    """What cannot be weighed: added narrows, dropped widens, replaced does a bit of both."""
    change = "facet-narrowed" if not before else "facet-widened" if not after else "facet-changed"
    return change, _words(name, before, after)


def _words(name: str, before: str, after: str) -> str:
    if not before:
        return f"{name} is restricted now: {after}"
    return (
        f"{name} is not restricted any more, it was: {before}"
        if not after
        else (f"{name} is restricted to {after}, it was {before}")
    )


def _number(text: str) -> Decimal | None:
    try:
        found = Decimal(text) if text else None
    except InvalidOperation:
        return None
    return found if found is None or found.is_finite() else None


def _shifted(text: str, by: Decimal) -> Decimal | None:
    found = _number(text)
    return None if found is None else found + by
