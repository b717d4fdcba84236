"""Two types compared: their fields, in order, and what may stand in for them."""

from __future__ import annotations

from bindgen.diff import choices, fields, sequences
from bindgen.diff.fields import shown
from bindgen.diff.findings import Change
from bindgen.diff.pairs import Both, MatchedFields, Pair, Pairs, Spaces, Structs, match_fields
from bindgen.model import Anything, Enum, Field, Struct
from bindgen.naming import local, space
from bindgen.simple_types import XSD

_REMOVED = {
    "attribute": ("attribute-removed-required", "attribute-removed-optional"),
    "any": ("wildcard-removed", "wildcard-removed"),
    "any_attributes": ("wildcard-removed", "wildcard-removed"),
    "text": ("type-changed", "type-changed"),
}
_ADDED = {
    "attribute": ("attribute-added-required", "attribute-added-optional"),
    "any": ("wildcard-added", "wildcard-added"),
    "any_attributes": ("wildcard-added", "wildcard-added"),
    "text": ("type-changed", "type-changed"),
}
_ELEMENT_REMOVED = ("element-removed-required", "element-removed-optional")
_ELEMENT_ADDED = ("element-added-required", "element-added-optional")


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
        by_choice = choices.Choices(pair, matched)
        for field in matched.removed:
            names = _REMOVED.get(field.kind, _ELEMENT_REMOVED)
            change = by_choice.removed(field) if field.kind in ("element", "group") else ""
            said = f"{shown(field)}{_of_type(field)} was removed"
            pair.note_field(change or names[field.least == 0], said, _at(field), field, None)
        self._added(pair, matched, by_choice)
        for old, new in matched.both:
            self._field(pair, old, new)
        for old, new in matched.turned:
            said = f"{shown(old)} is {'an attribute' if new.kind == 'attribute' else 'an element'} now"
            change = f"{old.kind}-became-{new.kind}"
            pair.note_field(change, said, _at(old), old, new)
        for both, group in matched.grouped:
            self._regrouped(pair, both, group, into=True)
        for both, group in matched.ungrouped:
            self._regrouped(pair, both, group, into=False)
        choices.compare(pair, matched.both)
        sequences.compare_presence(pair, matched.both)
        sequences.compare_order(pair, matched.both, new_fields)
        self._derivation(pair)

    def _added(self, pair: Structs, matched: MatchedFields, by_choice: choices.Choices) -> None:
        whole: set[str] = set()  # a new choice is one change, however many elements it has
        for field in matched.added:
            names = _ADDED.get(field.kind, _ELEMENT_ADDED)
            change = by_choice.added(field) if field.kind in ("element", "group") else ""
            if change == "choice-added":
                if field.choices[0][0] in whole:
                    continue
                whole.add(field.choices[0][0])
            beside = "" if change or field.least else sequences.with_others(pair, field, matched.both)
            need = "" if field.kind in ("any", "any_attributes") or change else _need(field)
            if beside:
                need = f", and is required where `{beside}` is there"
            said = f"{shown(field)}{_of_type(field)} was added{need}"
            pair.note_field(change or names[field.least == 0 and not beside], said, _at(field), None, field)

    def _field(self, pair: Structs, old: Field, new: Field) -> None:
        self._spaces.move(old.tag, new.tag, old.place, new.place, pair)
        outcomes = [*fields.content(old, new)]
        if (named := _named(old, new)) is None:
            outcomes += fields.kind(old, new)
            for change, said, value in fields.values_of(old, new):
                at = f"{_at(old)}/{value}"
                pair.note_field(change, f"{shown(old)}: {said}", at, old, new)
        else:
            pair.leads_to.append(self._simple(named, old, new))
        if not choices.entered_or_left(old, new):
            outcomes = [*fields.occurrence(old, new), *outcomes]
        for change, said in outcomes:
            pair.note_field(change, f"{shown(old)}: {said}", _at(old), old, new)
        if isinstance(old.type, Enum) and isinstance(new.type, Enum):
            self._name(pair, old.type, new.type)
        self._lead(pair, old, new)

    def _simple(self, named: tuple[str, str], old: Field, new: Field) -> Pair:
        """The pair of two simple types with names: compared once, however many fields have them."""
        pair, known = self._pairs.simple(*named)
        if not known:
            places = [each.type.place if isinstance(each.type, Enum) else each.place for each in (old, new)]
            for change, said in fields.kind(old, new):
                pair.note(change, f"`{pair.path}`: {said}", old=places[0], new=places[1])
            for change, said, value in fields.values_of(old, new):
                pair.note(change, f"`{pair.path}`: {said}", at=value, old=places[0], new=places[1])
        return pair

    def _lead(self, pair: Structs, old: Field, new: Field) -> None:
        before, after = old.type, new.type
        if isinstance(before, Struct) and isinstance(after, Struct) and not fields.unrelated(before, after):
            pair.leads_to.append(self._pairs.of(before, after))

    def _regrouped(self, pair: Structs, both: list[Both], group: Field, *, into: bool) -> None:
        """Elements that stood by themselves and come in a group now, or the other way."""
        repeats = group.most != 1
        if repeats:
            change = "element-became-list" if into else "element-no-longer-list"
        else:
            change = "type-widened" if into else "type-narrowed"
        names = ", ".join(shown(old) for old, _ in both)
        said = f"{names}: {'in a group' if into else 'not in a group any more'}"
        said += " that may repeat" if repeats else ""
        old, new = both[0]
        sides = (old, group) if into else (group, new)
        pair.note_field(change, said, _at(old), *sides)
        for old, new in both:
            for name, what in (*fields.content(old, new), *fields.kind(old, new)):
                pair.note_field(name, f"{shown(old)}: {what}", _at(old), old, new)
            self._lead(pair, old, new)

    def _derivation(self, pair: Structs) -> None:
        old, new = pair.old, pair.new
        if old.abstract != new.abstract:
            change = "type-became-abstract" if new.abstract else "type-no-longer-abstract"
            said = "is abstract now" if new.abstract else "is not abstract any more"
            pair.note(change, f"`{pair.path}` {said}", old=old.place, new=new.place)
        if not (old.holder or new.holder):
            self._name(pair, old, new)
            self._base(pair)
        self._stand_ins(pair)

    def _stand_ins(self, pair: Structs) -> None:
        """What xsi:type may name; that does go over the wire by name."""
        before = {local(each.qname): each for each in pair.old.derived}
        after = {local(each.qname): each for each in pair.new.derived}
        for name, struct in before.items():
            if name in after:
                self._spaces.move(struct.qname, after[name].qname, struct.place, after[name].place, pair)
                pair.leads_to.append(self._pairs.of(struct, after[name]))
            else:
                said = f"`{name}` may not stand in for it any more"
                pair.note("derived-type-removed", said, at=name, old=struct.place, new=pair.new.place)
        for name, struct in after.items():
            if name not in before:
                said = f"`{name}` may stand in for it (xsi:type)"
                pair.note("derived-type-added", said, at=name, old=pair.old.place, new=struct.place)

    def _name(self, pair: Structs, old: Struct | Enum, new: Struct | Enum) -> None:
        names = (local(old.qname), local(new.qname))
        anonymous = all(isinstance(each, Struct) and each.anonymous for each in (old, new))
        if names[0] != names[1] and not anonymous and names not in self._renamed:
            self._renamed.add(names)
            pair.changes.append(_rename(names, old, new))

    def _base(self, pair: Structs) -> None:
        before, after = (each.base or each.restricts for each in (pair.old, pair.new))
        names = [each.name if each is not None else "nothing" for each in (before, after)]
        if names[0] != names[1]:
            said = f"`{pair.path}` derives from {names[1]} now, it was {names[0]}"
            pair.note("base-type-changed", said, old=pair.old.place, new=pair.new.place)


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


def _at(field: Field) -> str:
    if field.kind in ("any", "any_attributes"):
        return "*" if field.kind == "any" else "@*"
    return f"@{field.wire}" if field.kind == "attribute" else field.wire


def _of_type(field: Field) -> str:
    return f" ({fields.described(field.type, field)})" if field.kind in ("element", "attribute") else ""


def _need(field: Field) -> str:
    return ", and is optional" if field.least == 0 else ", and is required"


def _rename(names: tuple[str, str], old: Struct | Enum, new: Struct | Enum) -> Change:
    said = f"the type `{names[0]}` is called `{names[1]}` now; its messages look the same"
    return Change("type-renamed", names[0], said, old.place, new.place)
