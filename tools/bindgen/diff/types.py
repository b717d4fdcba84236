"""Two types compared: their fields, one by one, how these stand together, and what may stand in for them."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.diff import arrangement, simple
from bindgen.diff.findings import Change
from bindgen.diff.pairs import Both, MatchedFields, Pair, Pairs, Spaces, Structs, match, match_fields
from bindgen.diff.simple import Outcome
from bindgen.model import Anything, Enum, Field, Struct, Type
from bindgen.naming import local, space
from bindgen.simple_types import XSD

_WILDCARDS = ("any", "any_attributes")


class TypeComparison:
    """Compares pairs, adding the pairs they lead to. `spaces` gathers names of another namespace."""

    def __init__(self, pairs: Pairs, spaces: Spaces) -> None:
        self._pairs = pairs
        self._spaces = spaces
        self._renamed: set[tuple[str, str]] = set()

    def compare(self, pair: Structs) -> None:
        """Note all changes of one pair."""
        old_fields, new_fields = pair.old.all_fields(), pair.new.all_fields()
        pair.owners = {
            id(field): each.name
            for side in (pair.old, pair.new)
            for each in side.line()
            for field in each.fields
        }
        matched = match_fields(old_fields, new_fields)
        by_choice = arrangement.Choices(pair, matched)
        for field in matched.removed:
            change = by_choice.removed(field) if field.kind in ("element", "group") else ""
            said = f"{_shown(field)}{_of_type(field)} was removed"
            change = change or _came_or_went(field, "removed", optional=field.least == 0)
            pair.note_field(change, said, _at(field), field, None)
        self._added(pair, matched, by_choice)
        for old, new in matched.both:
            self._field(pair, old, new)
        for old, new in matched.turned:
            said = f"{_shown(old)} is {'an attribute' if new.kind == 'attribute' else 'an element'} now"
            pair.note_field(f"{old.kind}-became-{new.kind}", said, _at(old), old, new)
        for both, group in matched.grouped:
            self._regrouped(pair, both, group, into=True)
        for both, group in matched.ungrouped:
            self._regrouped(pair, both, group, into=False)
        arrangement.compare_choices(pair, matched.both)
        arrangement.compare_presence(pair, matched.both)
        arrangement.compare_order(pair, matched.both, new_fields)
        self._derivation(pair)

    def _added(self, pair: Structs, matched: MatchedFields, by_choice: arrangement.Choices) -> None:
        whole: set[str] = set()  # a new choice is one change, however many elements it has
        for field in matched.added:
            change = by_choice.added(field) if field.kind in ("element", "group") else ""
            if change == "choice-added":
                if field.choices[0][0] in whole:
                    continue
                whole.add(field.choices[0][0])
            beside = "" if change or field.least else arrangement.with_others(pair, field, matched.both)
            need = (
                "" if change or field.kind in _WILDCARDS else "optional" if field.least == 0 else "required"
            )
            need = f"required where `{beside}` is there" if beside else need
            said = f"{_shown(field)}{_of_type(field)} was added{f', and is {need}' if need else ''}"
            change = change or _came_or_went(field, "added", optional=field.least == 0 and not beside)
            pair.note_field(change, said, _at(field), None, field)

    def _field(self, pair: Structs, old: Field, new: Field) -> None:
        self._spaces.move(old.tag, new.tag, old.place, new.place, pair)
        outcomes = [*_content(old, new)]
        if (named := _named(old, new)) is None:
            outcomes += _kind(old, new)
            for change, said, value in _values(old, new):
                pair.note_field(change, f"{_shown(old)}: {said}", f"{_at(old)}/{value}", old, new)
        else:
            pair.leads_to.append(self._simple(named, old, new))
        if bool(old.choices) == bool(new.choices):  # else the choice says all about its occurrence
            outcomes = [*_occurrence(old, new), *outcomes]
        for change, said in outcomes:
            pair.note_field(change, f"{_shown(old)}: {said}", _at(old), old, new)
        if isinstance(old.type, Enum) and isinstance(new.type, Enum):
            self._name(pair, old.type, new.type)
        self._lead(pair, old, new)

    def _simple(self, named: tuple[str, str], old: Field, new: Field) -> Pair:
        """The pair of two simple types with names: compared once, however many fields have them."""
        pair, known = self._pairs.simple(*named)
        if not known:
            before, after = (
                each.type.place if isinstance(each.type, Enum) else each.place for each in (old, new)
            )
            for change, said in _kind(old, new):
                pair.note(change, f"`{pair.path}`: {said}", old=before, new=after)
            for change, said, value in _values(old, new):
                pair.note(change, f"`{pair.path}`: {said}", at=value, old=before, new=after)
        return pair

    def _lead(self, pair: Structs, old: Field, new: Field) -> None:
        before, after = old.type, new.type
        if isinstance(before, Struct) and isinstance(after, Struct) and not _unrelated(before, after):
            pair.leads_to.append(self._pairs.of(before, after))

    def _regrouped(self, pair: Structs, both: list[Both], group: Field, *, into: bool) -> None:
        """Elements that stood by themselves and come in a group now, or the other way."""
        repeats = group.most != 1
        list_change = "element-became-list" if into else "element-no-longer-list"
        change = list_change if repeats else "type-changed"
        names = ", ".join(_shown(old) for old, _ in both)
        said = f"{names}: {'in a group' if into else 'not in a group any more'}"
        said += " that may repeat" if repeats else ""
        old, new = both[0]
        pair.note_field(change, said, _at(old), *((old, group) if into else (group, new)))
        for old, new in both:
            for name, what in (*_content(old, new), *_kind(old, new)):
                pair.note_field(name, f"{_shown(old)}: {what}", _at(old), old, new)
            self._lead(pair, old, new)

    def _derivation(self, pair: Structs) -> None:
        """What the types are called and derive from, and what xsi:type may name in their place: that does go
        over the wire by name."""
        old, new = pair.old, pair.new
        if old.abstract != new.abstract:
            change, said = "no-longer-abstract", "is not abstract any more"
            if new.abstract:
                change, said = "became-abstract", "is abstract now"
            pair.note(f"type-{change}", f"`{pair.path}` {said}", old=old.place, new=new.place)
        if not (old.holder or new.holder):
            self._name(pair, old, new)
            names = [each.name if each else "nothing" for each in (_base(old), _base(new))]
            if names[0] != names[1]:
                said = f"`{pair.path}` derives from {names[1]} now, it was {names[0]}"
                pair.note("base-type-changed", said, old=old.place, new=new.place)
        found = match(old.derived, new.derived, lambda each: local(each.qname))
        for one, other in found.both:
            self._spaces.move(one.qname, other.qname, one.place, other.place, pair)
            pair.leads_to.append(self._pairs.of(one, other))
        for each in found.removed:
            said, at = f"`{each.name}` may not stand in for it any more", each.name
            pair.note("derived-type-removed", said, at=at, old=each.place, new=new.place)
        for each in found.added:
            said, at = f"`{each.name}` may stand in for it (xsi:type)", each.name
            pair.note("derived-type-added", said, at=at, old=old.place, new=each.place)

    def _name(self, pair: Structs, old: Struct | Enum, new: Struct | Enum) -> None:
        names = (local(old.qname), local(new.qname))
        anonymous = all(isinstance(each, Struct) and each.anonymous for each in (old, new))
        if names[0] != names[1] and not anonymous and names not in self._renamed:
            self._renamed.add(names)
            said = f"the type `{names[0]}` is called `{names[1]}` now; its messages look the same"
            pair.changes.append(Change("type-renamed", names[0], said, old.place, new.place))


# ---- one field


def _occurrence(old: Field, new: Field) -> Iterator[Outcome]:
    """Changes of minOccurs, maxOccurs and use."""
    what = "attribute" if old.kind == "attribute" else "element"
    within = old.least == 0 and min(old.own_least, new.own_least) >= 0
    if old.least == 0 < new.least:
        many = f", {new.least} times at least" if new.least > 1 else ""
        yield f"{what}-became-required", f"must be there now{many}"
    elif new.least == 0 < old.least:
        yield f"{what}-became-optional", "may be left out now, it was required"
    elif within and bool(old.own_least) != bool(new.own_least):
        need = "required" if new.own_least else "optional"
        yield f"{what}-became-{need}", f"is {need} now where what it stands in is there"
    elif old.least != new.least:
        change = "occurs-narrowed" if new.least > old.least else "occurs-widened"
        yield change, f"comes {new.least} times at least, it was {old.least}"
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
        yield change, f"may come {after} now, it was {before}"


def _content(old: Field, new: Field) -> Iterator[Outcome]:
    """Changes of nil, default, fixed value and wildcard."""
    if old.nillable != new.nillable:
        change = "element-became-nillable" if new.nillable else "element-no-longer-nillable"
        yield change, "may be nil now" if new.nillable else "may not be nil any more"
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
    if old.wildcard is not None and new.wildcard is not None and old.wildcard != new.wildcard:
        before, after = (f"{each.namespaces} ({each.process})" for each in (old.wildcard, new.wildcard))
        yield "wildcard-changed", f"lets in {after}, it was {before}"


def _kind(old: Field, new: Field) -> Iterator[Outcome]:
    """Changes of what kind of thing a field holds, and of its values."""
    before, after = old.type, new.type
    if isinstance(before, Struct) and isinstance(after, Struct):
        if _unrelated(before, after):
            yield "type-changed", f"is a {after.name} now, it was a {before.name}, and they share nothing"
    elif isinstance(before, Anything) and isinstance(after, Anything):
        return
    elif isinstance(before, Anything):
        yield "type-narrowed", f"is {_described(after, new)} now, it could hold anything"
    elif isinstance(after, Anything):
        yield "type-widened", f"may hold anything now, it was {_described(before, old)}"
    elif isinstance(before, Struct) or isinstance(after, Struct):
        yield "type-changed", f"is {_described(after, new)} now, it was {_described(before, old)}"
    else:
        yield from simple.compare(before, after, old.facets, new.facets)


def _values(old: Field, new: Field) -> Iterator[tuple[str, str, str]]:
    """Values that an enumeration gained or lost: the change, what happened, and the value."""
    before, after = old.type, new.type
    if not isinstance(before, Struct | Anything) and not isinstance(after, Struct | Anything):
        yield from simple.listed(before, after, old.facets, new.facets)


def _unrelated(old: Struct, new: Struct) -> bool:
    """Whether two types of other names have nothing in common: another type, rather than a renamed one."""
    if old.name == new.name or old.holder or new.holder:
        return False
    one, other = ({(each.kind, each.wire) for each in side.all_fields()} for side in (old, new))
    return bool(one and other) and not one & other


def _named(old: Field, new: Field) -> tuple[str, str] | None:
    """The names of two simple types that both have one of their own."""
    found = []
    for each in (old, new):
        if isinstance(each.type, Struct | Anything):
            return None
        name = each.type_name or (each.type.qname if isinstance(each.type, Enum) else "")
        if not name or space(name) == XSD:
            return None
        found.append(name)
    return found[0], found[1]


def _base(kind: Struct) -> Struct | None:
    return kind.base or kind.restricts


# ---- what a field is called


def _came_or_went(field: Field, how: str, *, optional: bool) -> str:
    """The name of the change that a field outside of choices is."""
    if field.kind == "text":
        return "type-changed"
    if field.kind in _WILDCARDS:
        return f"wildcard-{how}"
    what = "attribute" if field.kind == "attribute" else "element"
    return f"{what}-{how}-{'optional' if optional else 'required'}"


def _at(field: Field) -> str:
    if field.kind in _WILDCARDS:
        return "*" if field.kind == "any" else "@*"
    return f"@{field.wire}" if field.kind == "attribute" else field.wire


def _shown(field: Field) -> str:
    """A field as a sentence names it."""
    if field.kind in _WILDCARDS:
        return "the wildcard"
    if field.kind == "text":
        return "its text"
    name = field.wire or local(field.tag)
    return f"`@{name}`" if field.kind == "attribute" else f"`{name}`"


def _of_type(field: Field) -> str:
    return f" ({_described(field.type, field)})" if field.kind in ("element", "attribute") else ""


def _described(found: Type, field: Field) -> str:
    if isinstance(found, Struct):
        return f"of the type {found.name}"
    return "anything" if isinstance(found, Anything) else simple.named(found, field.facets)
