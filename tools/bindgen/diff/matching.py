"""Which field of the old type is which of the new one: by name on the wire, then by name alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bindgen.model import Field, Struct
from bindgen.naming import local

Both = tuple[Field, Field]


@dataclass(slots=True)
class Matched:
    """The fields of two types, kept apart; `grouped` and `ungrouped` are elements that a group took in."""

    both: list[Both] = field(default_factory=list)
    removed: list[Field] = field(default_factory=list)
    added: list[Field] = field(default_factory=list)
    turned: list[Both] = field(default_factory=list)  # elements that became attributes, or back
    grouped: list[tuple[list[Both], Field]] = field(default_factory=list)
    ungrouped: list[tuple[list[Both], Field]] = field(default_factory=list)


def match(old: Sequence[Field], new: Sequence[Field]) -> Matched:
    """Match two lists of fields."""
    found = Matched(removed=list(old), added=list(new))
    _by(found, lambda each: (each.kind, each.tag or each.wire))
    _by(found, lambda each: (each.kind, local(each.tag) or _loose(each)))
    at = {id(each): number for number, each in enumerate(old)}
    found.both.sort(key=lambda pair: at[id(pair[0])])
    found.grouped = [
        (pairs, group) for group in list(found.added) if (pairs := _inside(found.removed, group, found.added))
    ]
    found.ungrouped = [
        ([(one, other) for other, one in pairs], group)
        for group in list(found.removed)
        if (pairs := _inside(found.added, group, found.removed))
    ]
    for before in [each for each in found.removed if each.kind in ("element", "attribute")]:
        for after in found.added:
            kinds = {before.kind, after.kind}
            if kinds == {"element", "attribute"} and before.wire == after.wire:
                found.turned.append((before, after))
                found.removed.remove(before)
                found.added.remove(after)
                break
    return found


def _loose(each: Field) -> str:
    return "" if each.kind in ("any", "any_attributes", "text") else each.wire


def _by(found: Matched, key: Callable[[Field], tuple[str, str]]) -> None:
    """Move what has one key, the first to the first, from `removed` and `added` to `both`."""
    waiting: dict[tuple[str, str], list[Field]] = {}
    for each in found.added:
        waiting.setdefault(key(each), []).append(each)
    left: list[Field] = []
    taken: set[int] = set()
    for each in found.removed:
        there = waiting.get(key(each))
        if there:
            found.both.append((each, there[0]))
            taken.add(id(there.pop(0)))
        else:
            left.append(each)
    found.removed = left
    found.added = [each for each in found.added if id(each) not in taken]


def _inside(loose: list[Field], group: Field, groups: list[Field]) -> list[Both]:
    """Elements that stand by themselves on one side and inside of `group` on the other."""
    if group.kind != "group" or not isinstance(group.type, Struct):
        return []
    inner = {each.tag: each for each in group.type.all_fields() if each.kind == "element"}
    taken = [each for each in loose if each.kind == "element" and each.tag in inner]
    if not taken:
        return []
    for each in taken:
        loose.remove(each)
    groups.remove(group)
    return [(each, inner[each.tag]) for each in taken]
