"""Comparison of two types: fields, their arrangement, and derived types that may replace them."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.diff import arrangement, simple
from bindgen.diff.findings import Change
from bindgen.diff.pairs import (
    Both,
    MatchedFields,
    Pair,
    Pairs,
    RenamedNamespaces,
    Structs,
    match,
    match_fields,
)
from bindgen.diff.simple import Outcome
from bindgen.model import Anything, Enum, Field, Struct, Type
from bindgen.naming import local_name, namespace_of
from bindgen.simple_types import XSD

_WILDCARDS = ("any", "any_attributes")


class TypeComparison:
    """Compares two types. The complex types of their fields are added to `pairs`, to be compared later.

    `spaces` collects renamed namespaces.
    """

    def __init__(self, pairs: Pairs, spaces: RenamedNamespaces) -> None:
        self._pairs = pairs
        self._spaces = spaces
        self._renamed: set[tuple[str, str]] = set()

    def compare(self, pair: Structs) -> None:
        """Record all changes from the old to the new type of a pair."""
        old_fields, new_fields = pair.old.all_fields(), pair.new.all_fields()
        pair.owners = {
            id(field): struct.name
            for side in (pair.old, pair.new)
            for struct in side.line()
            for field in struct.fields
        }
        matched = match_fields(old_fields, new_fields)
        by_choice = arrangement.Choices(pair, matched)
        for field in matched.removed:
            change = by_choice.removed(field) if field.kind in ("element", "group") else ""
            message = f"{_shown(field)}{_of_type(field)} was removed"
            change = change or _added_or_removed(field, "removed", optional=field.least == 0)
            pair.note_field(change, message, _at(field), field, None)
        self._added(pair, matched, by_choice)
        for old, new in matched.both:
            self._field(pair, old, new)
        for old, new in matched.turned:
            message = f"{_shown(old)} is {'an attribute' if new.kind == 'attribute' else 'an element'} now"
            pair.note_field(f"{old.kind}-became-{new.kind}", message, _at(old), old, new)
        for both, group in matched.grouped:
            self._regrouped(pair, both, group, into=True)
        for both, group in matched.ungrouped:
            self._regrouped(pair, both, group, into=False)
        arrangement.compare_choices(pair, matched.both)
        arrangement.compare_presence(pair, matched.both)
        arrangement.compare_order(pair, matched.both, new_fields)
        self._derivation(pair)

    def _added(self, pair: Structs, matched: MatchedFields, by_choice: arrangement.Choices) -> None:
        """Record a change for each field in `matched.added`, i.e. each field that only the new type has.

        `by_choice` determines the kind of change if the field is an element of a choice. A new choice is one
        change, even if it has several elements.
        """
        choices: set[str] = set()  # a new choice is one change, regardless of its number of elements
        for field in matched.added:
            change = by_choice.added(field) if field.kind in ("element", "group") else ""
            if change == "choice-added":
                if field.choices[0][0] in choices:
                    continue
                choices.add(field.choices[0][0])
            neighbour = "" if change or field.least else arrangement.with_others(pair, field, matched.both)
            need = (
                "" if change or field.kind in _WILDCARDS else "optional" if field.least == 0 else "required"
            )
            need = f"required if `{neighbour}` is present" if neighbour else need
            message = f"{_shown(field)}{_of_type(field)} was added{f', and is {need}' if need else ''}"
            change = change or _added_or_removed(field, "added", optional=field.least == 0 and not neighbour)
            pair.note_field(change, message, _at(field), None, field)

    def _field(self, pair: Structs, old: Field, new: Field) -> None:
        """Record the changes of a field that both types of the pair have."""
        self._spaces.move(old.tag, new.tag, old.place, new.place, pair)
        outcomes = [*_content(old, new)]
        if (type_names := _type_names(old, new)) is None:
            outcomes += _kind(old, new)
            for change, message, value in _values(old, new):
                pair.note_field(change, f"{_shown(old)}: {message}", f"{_at(old)}/{value}", old, new)
        else:
            pair.leads_to.append(self._simple(type_names, old, new))
        if bool(old.choices) == bool(new.choices):  # otherwise the change of the choice covers the occurrence
            outcomes = [*_occurrence(old, new), *outcomes]
        for change, message in outcomes:
            pair.note_field(change, f"{_shown(old)}: {message}", _at(old), old, new)
        if isinstance(old.type, Enum) and isinstance(new.type, Enum):
            self._name(pair, old.type, new.type)
        self._add_inner_pair(pair, old, new)

    def _simple(self, type_names: tuple[str, str], old: Field, new: Field) -> Pair:
        """Return the pair of two named simple types, with its changes.

        `type_names` are the names of the old and the new type. `old` and `new` are fields with these types.
        The types are compared at the first call. Later calls, for other fields, return the same pair.
        """
        pair, exists = self._pairs.simple(*type_names)
        if not exists:
            before, after = (
                field.type.place if isinstance(field.type, Enum) else field.place for field in (old, new)
            )
            for change, message in _kind(old, new):
                pair.note(change, f"`{pair.path}`: {message}", old=before, new=after)
            for change, message, value in _values(old, new):
                pair.note(change, f"`{pair.path}`: {message}", at=value, old=before, new=after)
        return pair

    def _add_inner_pair(self, pair: Structs, old: Field, new: Field) -> None:
        """Add the complex types of a matched field to the pairs to compare, unless they are unrelated."""
        before, after = old.type, new.type
        if isinstance(before, Struct) and isinstance(after, Struct) and not _unrelated(before, after):
            pair.leads_to.append(self._pairs.of(before, after))

    def _regrouped(self, pair: Structs, both: list[Both], group: Field, *, into: bool) -> None:
        """Record elements that moved into a model group or, if `into` is False, out of one.

        `both` holds the old and the new field of each of these elements. `group` is the field of the group.
        """
        repeats = group.most != 1
        list_change = "element-became-list" if into else "element-no-longer-list"
        change = list_change if repeats else "type-changed"
        names = ", ".join(_shown(old) for old, _ in both)
        message = f"{names}: {'in a group' if into else 'no longer in a group'}"
        message += " that may repeat" if repeats else ""
        old, new = both[0]
        pair.note_field(change, message, _at(old), *((old, group) if into else (group, new)))
        for old, new in both:
            for name, inner_message in (*_content(old, new), *_kind(old, new)):
                pair.note_field(name, f"{_shown(old)}: {inner_message}", _at(old), old, new)
            self._add_inner_pair(pair, old, new)

    def _derivation(self, pair: Structs) -> None:
        """Record changes of a type's name, base type and derived types.

        The names of types matter, because messages contain them in xsi:type.
        """
        old, new = pair.old, pair.new
        if old.abstract != new.abstract:
            change, message = "no-longer-abstract", "is no longer abstract"
            if new.abstract:
                change, message = "became-abstract", "is abstract now"
            pair.note(f"type-{change}", f"`{pair.path}` {message}", old=old.place, new=new.place)
        if not (old.holder or new.holder):
            self._name(pair, old, new)
            names = [item.name if item else "nothing" for item in (_base(old), _base(new))]
            if names[0] != names[1]:
                message = f"`{pair.path}` derives from {names[1]} now, it was {names[0]}"
                pair.note("base-type-changed", message, old=old.place, new=new.place)
        matched = match(old.derived, new.derived, lambda item: local_name(item.qname))
        for before, after in matched.both:
            self._spaces.move(before.qname, after.qname, before.place, after.place, pair)
            pair.leads_to.append(self._pairs.of(before, after))
        for item in matched.removed:
            message, name = f"`{item.name}` can no longer replace it", item.name
            pair.note("derived-type-removed", message, at=name, old=item.place, new=new.place)
        for item in matched.added:
            message, name = f"`{item.name}` can replace it (xsi:type)", item.name
            pair.note("derived-type-added", message, at=name, old=old.place, new=item.place)

    def _name(self, pair: Structs, old: Struct | Enum, new: Struct | Enum) -> None:
        """Record a change if the types `old` and `new` have different names.

        Each rename is recorded once. Anonymous types are ignored.
        """
        names = (local_name(old.qname), local_name(new.qname))
        anonymous = all(isinstance(item, Struct) and item.anonymous for item in (old, new))
        if names[0] != names[1] and not anonymous and names not in self._renamed:
            self._renamed.add(names)
            message = f"the type `{names[0]}` is called `{names[1]}` now; its messages look the same"
            pair.changes.append(Change("type-renamed", names[0], message, old.place, new.place))


# ---- one field


def _occurrence(old: Field, new: Field) -> Iterator[Outcome]:
    """Yield changes of minOccurs, maxOccurs and use, as (kind of change, message)."""
    kind = "attribute" if old.kind == "attribute" else "element"
    within = old.least == 0 and min(old.own_least, new.own_least) >= 0
    if old.least == 0 < new.least:
        count = f", at least {new.least} times" if new.least > 1 else ""
        yield f"{kind}-became-required", f"is required now{count}"
    elif new.least == 0 < old.least:
        yield f"{kind}-became-optional", "is optional now, it was required"
    elif within and bool(old.own_least) != bool(new.own_least):
        need = "required" if new.own_least else "optional"
        yield f"{kind}-became-{need}", f"is {need} now if its parent group is present"
    elif old.least != new.least:
        change = "occurs-narrowed" if new.least > old.least else "occurs-widened"
        yield change, f"occurs at least {new.least} times, it was {old.least}"
    if old.most != new.most:
        wider = new.most is None or (old.most is not None and new.most > old.most)
        change = "occurs-widened" if wider else "occurs-narrowed"
        if old.most == 1:
            change = "element-became-list"
        elif new.most == 1:
            change = "element-no-longer-list"
        before, after = (
            "any number of times" if most is None else "once" if most == 1 else f"{most} times"
            for most in (old.most, new.most)
        )
        yield change, f"may occur {after} now, it was {before}"


def _content(old: Field, new: Field) -> Iterator[Outcome]:
    """Yield changes of nillable, default, fixed value and wildcard, as (kind of change, message)."""
    if old.nillable != new.nillable:
        change = "element-became-nillable" if new.nillable else "element-no-longer-nillable"
        yield change, "may be nil now" if new.nillable else "may no longer be nil"
    if old.fixed != new.fixed:
        if old.fixed is None:
            yield "fixed-added", f"must be {new.fixed!r} now"
        elif new.fixed is None:
            yield "fixed-removed", f"may have any value of its type now, it had to be {old.fixed!r}"
        else:
            yield "fixed-changed", f"must be {new.fixed!r} now, it had to be {old.fixed!r}"
    elif old.default != new.default:
        before, after = ("none" if side is None else repr(side) for side in (old.default, new.default))
        yield "default-changed", f"has the default {after}, it was {before}"
    if old.wildcard is not None and new.wildcard is not None and old.wildcard != new.wildcard:
        before, after = (f"{side.namespaces} ({side.process})" for side in (old.wildcard, new.wildcard))
        yield "wildcard-changed", f"allows {after}, it was {before}"


def _kind(old: Field, new: Field) -> Iterator[Outcome]:
    """Yield changes of the type of a field's values, as (kind of change, message)."""
    before, after = old.type, new.type
    if isinstance(before, Struct) and isinstance(after, Struct):
        if _unrelated(before, after):
            yield (
                "type-changed",
                f"is a {after.name} now, it was a {before.name}, and they do not have common values",
            )
    elif isinstance(before, Anything) and isinstance(after, Anything):
        return
    elif isinstance(before, Anything):
        yield "type-narrowed", f"is {_described(after, new)} now, it could contain anything"
    elif isinstance(after, Anything):
        yield "type-widened", f"may contain anything now, it was {_described(before, old)}"
    elif isinstance(before, Struct) or isinstance(after, Struct):
        yield "type-changed", f"is {_described(after, new)} now, it was {_described(before, old)}"
    else:
        yield from simple.compare(before, after, old.facets, new.facets)


def _values(old: Field, new: Field) -> Iterator[tuple[str, str, str]]:
    """Yield each added or removed value of an enumeration, as (kind of change, message, value)."""
    before, after = old.type, new.type
    if not isinstance(before, Struct | Anything) and not isinstance(after, Struct | Anything):
        yield from simple.listed(before, after, old.facets, new.facets)


def _unrelated(old: Struct, new: Struct) -> bool:
    """Return True if two types have different names and no common field.

    Types with a common field are compared even if their names differ: the type may have a new name.
    """
    if old.name == new.name or old.holder or new.holder:
        return False
    old_fields, new_fields = (
        {(field.kind, field.wire) for field in side.all_fields()} for side in (old, new)
    )
    return bool(old_fields and new_fields) and not old_fields & new_fields


def _type_names(old: Field, new: Field) -> tuple[str, str] | None:
    """Return the names of two simple types if both are named types of the schema, else None."""
    names = []
    for field in (old, new):
        if isinstance(field.type, Struct | Anything):
            return None
        name = field.type_name or (field.type.qname if isinstance(field.type, Enum) else "")
        if not name or namespace_of(name) == XSD:
            return None
        names.append(name)
    return names[0], names[1]


def _base(kind: Struct) -> Struct | None:
    """Return the type that a type extends or restricts; None if it has no base type."""
    return kind.base or kind.restricts


# ---- names of fields in reports


def _added_or_removed(field: Field, how: str, *, optional: bool) -> str:
    """Return the kind of change, such as "element-added-optional", for a field that only one side has.

    Call this only for fields outside of choices. `how` is "added" or "removed". `optional` is True if
    messages without the field are valid.
    """
    if field.kind == "text":
        return "type-changed"
    if field.kind in _WILDCARDS:
        return f"wildcard-{how}"
    kind = "attribute" if field.kind == "attribute" else "element"
    return f"{kind}-{how}-{'optional' if optional else 'required'}"


def _at(field: Field) -> str:
    """Return the last part of a field's path in findings, such as `name`, `@name` or `*`."""
    if field.kind in _WILDCARDS:
        return "*" if field.kind == "any" else "@*"
    return f"@{field.wire}" if field.kind == "attribute" else field.wire


def _shown(field: Field) -> str:
    """Return the name of a field for reports, such as `name`, `@name` or "the wildcard"."""
    if field.kind in _WILDCARDS:
        return "the wildcard"
    if field.kind == "text":
        return "its text"
    name = field.wire or local_name(field.tag)
    return f"`@{name}`" if field.kind == "attribute" else f"`{name}`"


def _of_type(field: Field) -> str:
    """Return the type of an element or attribute in parentheses, for reports; "" for other fields."""
    return f" ({_described(field.type, field)})" if field.kind in ("element", "attribute") else ""


def _described(kind: Type, field: Field) -> str:
    """Describe the type of a field in words, such as "of the type Order" or "xsd:string"."""
    if isinstance(kind, Struct):
        return f"of the type {kind.name}"
    return "anything" if isinstance(kind, Anything) else simple.named(kind, field.facets)
