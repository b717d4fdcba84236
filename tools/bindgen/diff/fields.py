"""What became of one field: how often it comes, what it holds, what stands where it is left out."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.diff import simple
from bindgen.diff.simple import Outcome
from bindgen.model import Anything, Field, Struct, Type, Wildcard
from bindgen.naming import local


def occurrence(old: Field, new: Field) -> Iterator[Outcome]:
    """Changes of minOccurs, maxOccurs and use."""
    what = "attribute" if old.kind == "attribute" else "element"
    if old.least == 0 < new.least:
        yield f"{what}-became-required", _must(new)
    elif new.least == 0 < old.least:
        yield f"{what}-became-optional", "may be left out now, it was required"
    elif (
        old.least == 0
        and min(old.own_least, new.own_least) >= 0
        and bool(old.own_least) != bool(new.own_least)
    ):
        required = bool(new.own_least)
        change = f"{what}-became-{'required' if required else 'optional'}"
        yield change, f"is {'required' if required else 'optional'} now where what it stands in is there"
    elif old.least != new.least:
        change = "occurs-narrowed" if new.least > old.least else "occurs-widened"
        yield change, f"comes {new.least} times at least, it was {old.least}"
    if old.most == new.most:
        return
    if old.most == 1:
        yield "element-became-list", f"may come {_often(new.most)} now, it was once"
    elif new.most == 1:
        yield "element-no-longer-list", f"may come once now, it was {_often(old.most)}"
    else:
        wider = new.most is None or (old.most is not None and new.most > old.most)
        change = "occurs-widened" if wider else "occurs-narrowed"
        yield change, f"may come {_often(new.most)} now, it was {_often(old.most)}"


def content(old: Field, new: Field) -> Iterator[Outcome]:
    """Changes of nil, default, fixed value and wildcard."""
    if old.nillable != new.nillable:
        change = "element-became-nillable" if new.nillable else "element-no-longer-nillable"
        yield change, "may be nil now" if new.nillable else "may not be nil any more"
    yield from _given(old, new)
    if old.wildcard is not None and new.wildcard is not None and old.wildcard != new.wildcard:
        yield "wildcard-changed", f"lets in {_lets_in(new.wildcard)}, it was {_lets_in(old.wildcard)}"


def kind(old: Field, new: Field) -> Iterator[Outcome]:
    """Changes of what kind of thing a field holds, and of its values."""
    before, after = old.type, new.type
    if isinstance(before, Struct) and isinstance(after, Struct):
        if unrelated(before, after):
            yield "type-changed", f"is a {after.name} now, it was a {before.name}, and they share nothing"
    elif isinstance(before, Anything) and isinstance(after, Anything):
        return
    elif isinstance(before, Anything):
        yield "type-narrowed", f"is {described(after, new)} now, it could hold anything"
    elif isinstance(after, Anything):
        yield "type-widened", f"may hold anything now, it was {described(before, old)}"
    elif isinstance(before, Struct) or isinstance(after, Struct):
        yield "type-changed", f"is {described(after, new)} now, it was {described(before, old)}"
    else:
        yield from simple.compare(before, after, old.facets, new.facets)


def values_of(old: Field, new: Field) -> Iterator[tuple[str, str, str]]:
    """Values that an enumeration gained or lost: the change, what happened, and the value."""
    before, after = old.type, new.type
    if not isinstance(before, Struct | Anything) and not isinstance(after, Struct | Anything):
        yield from simple.listed(before, after, old.facets, new.facets)


def unrelated(old: Struct, new: Struct) -> bool:
    """Whether two types of other names have nothing in common: another type, rather than a renamed one."""
    if old.name == new.name or old.holder or new.holder:
        return False
    one, other = ({(each.kind, each.wire) for each in side.all_fields()} for side in (old, new))
    return bool(one and other) and not one & other


def described(found: Type, field: Field | None = None) -> str:
    """A type in words."""
    if isinstance(found, Struct):
        return f"of the type {found.name}"
    if isinstance(found, Anything):
        return "anything"
    return simple.named(found, field.facets if field else None)


def _given(old: Field, new: Field) -> Iterator[Outcome]:
    if old.fixed != new.fixed:
        if old.fixed is None:
            yield "fixed-added", f"must be {new.fixed!r} now"
        elif new.fixed is None:
            yield "fixed-removed", f"may be anything of its type now, it had to be {old.fixed!r}"
        else:
            yield "fixed-changed", f"must be {new.fixed!r} now, it had to be {old.fixed!r}"
    elif old.default != new.default:
        before, after = ("none" if each is None else repr(each) for each in (old.default, new.default))
        yield "default-changed", f"has the default {after}, it was {before}"


def _must(field: Field) -> str:
    return "must be there now" + (f", {field.least} times at least" if field.least > 1 else "")


def _often(most: int | None) -> str:
    return "any number of times" if most is None else "once" if most == 1 else f"{most} times"


def _lets_in(wildcard: Wildcard) -> str:
    return f"{wildcard.namespaces} ({wildcard.process})"


def shown(field: Field) -> str:
    """A field as a sentence names it."""
    if field.kind in ("any", "any_attributes"):
        return "the wildcard"
    if field.kind == "text":
        return "its text"
    name = field.wire or local(field.tag)
    return f"`@{name}`" if field.kind == "attribute" else f"`{name}`"
