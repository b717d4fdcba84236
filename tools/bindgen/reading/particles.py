"""Content models → fields (XSD 1.0 part 1, 3.8 and 3.9).

Sequences, alls, choices and groups are laid flat into the fields of their type. What repeats as a whole is
one field, of a struct made for it; where only one element repeats in it, it is that element that repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Literal

from lxml import etree

from bindgen.model import ANYTHING, Field, Struct, Wildcard
from bindgen.reading.attributes import wildcard
from bindgen.reading.elements import Declared, ElementTypes, Substitutions
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import COMPOUNDS, PARTICLES, below, doc, first, kind, occurs, parts, times, true
from bindgen.reading.schemas import Schema, Schemas
from bindgen.simple_types import XSD

Choices = tuple[tuple[str, int], ...]  # the arms that a field is in, outer to inner

_NONE = -1


class Order:
    """The places of the fields noted so far, by the arms of choices that they are in.

    Two fields may both be there unless they are in different arms of one choice. What is asked takes as many
    steps as choices are within one another, however many fields there are. A place that is noted stays: a
    field that moved ahead is taken to be where it was, too.
    """

    def __init__(self) -> None:
        self._within: dict[Choices, int] = {}  # the last place in an arm, or in one within it
        self._directly: dict[Choices, int] = {}  # the last one in that arm alone
        self._choices: dict[Choices, dict[str, int]] = {}  # in each choice of an arm, the latest one last

    def note(self, choices: Choices, place: int) -> None:
        """Take in a field at a place."""
        self._directly[choices] = max(place, self._directly.get(choices, _NONE))
        for deep in range(len(choices) + 1):
            arm = choices[:deep]
            self._within[arm] = max(place, self._within.get(arm, _NONE))
            if deep < len(choices):
                inner, choice = self._choices.setdefault(arm, {}), choices[deep][0]
                inner[choice] = max(place, inner.pop(choice, _NONE))

    def last(self, choices: Choices) -> int:
        """The last place of a field that may be there beside one in these arms; -1 where there is none."""
        found = self._within.get(choices, _NONE)
        for deep, (choice, _) in enumerate(choices):
            arm = choices[:deep]
            found = max(found, self._directly.get(arm, _NONE))
            # The choices of an arm follow one another: the two latest are enough.
            for other, place in islice(reversed(self._choices.get(arm, {}).items()), 2):
                if other != choice:
                    found = max(found, place)
        return found


def parted(one: Choices, other: Choices) -> int | None:
    """How many arms two fields have in common before they part in a choice; None where they do not."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at if left[0] == right[0] else None
    return None


MOST_FIELDS = 5000  # of one type
_BACK = 20  # fields of one element that are looked at, from the last one on
_NEAR = 50  # fields that are put in another order at once, and no more
_OFTEN = 5000  # times that this is tried in one type


class TooMuch(Exception):
    """More than is read of one type, or of a whole contract; says what."""


@dataclass(slots=True, eq=False)
class _Placed:
    """A field at its place; `latest` are the arms that its element was last found in."""

    field: Field
    place: int
    latest: Choices
    joined: bool = False  # of several arms


class Content:
    """The fields of one struct, in the order of the schema."""

    def __init__(self, struct: Struct, path: str, groups: tuple[str, ...] = ()) -> None:
        self.struct = struct
        self.path = path  # of what is declared in it without a name
        self.groups = groups  # the named groups that it stands in
        self.all_group = False
        self._made: list[Field] = []
        self._placed: list[_Placed] = []
        self._order = Order()
        self._tried = 0
        self._by_key: dict[tuple[str, str], list[_Placed]] = {}
        self._choices = 0

    @property
    def fields(self) -> list[Field]:
        """The fields so far, in an order that suits every arm of every choice."""
        return [placed.field for placed in self._placed]

    @property
    def here(self) -> int:
        """How many fields there are so far."""
        return len(self._made)

    def since(self, here: int) -> list[Field]:
        """The fields that were made since there were so many."""
        return self._made[here:]

    def choice(self) -> str:
        """A name for the next choice, unique in the struct."""
        self._choices += 1
        return f"choice{self._choices}"

    def add(self, field: Field) -> bool:
        """Take a field in; False where it became part of one before it.

        An element twice in a row is one that repeats; one in several arms of a choice is one field, where
        there is a place for it that is right for all of them.
        """
        if field.kind == "group":
            key = ("group", field.type.qname if isinstance(field.type, Struct) and field.type.holder else "")
            mergeable = isinstance(field.type, Struct) and field.type.holder == "substitution"
        else:
            key, mergeable = (field.kind, field.tag), True
        known = self._by_key.setdefault(key, [])
        if mergeable:
            # Far back only another arm of a choice can be of interest.
            for placed in reversed(known[-_BACK:] if field.choices else known[-1:]):
                before = placed.field
                if before.type is not field.type or before.nillable != field.nillable:
                    continue
                if (common := parted(placed.latest, field.choices)) is not None:
                    if self._fits(placed, field.choices):
                        self._merge(before, field)
                        before.least, before.choices = 0, before.choices[:common]
                        before.most = _more(before.most, field.most)
                        placed.latest, placed.joined = field.choices, True
                        self._order.note(before.choices, placed.place)
                        return False
                elif placed is self._placed[-1] and before.choices == field.choices:
                    self._merge(before, field)
                    before.least += field.least
                    both = before.most is not None and field.most is not None
                    before.most = (before.most or 0) + (field.most or 0) if both else None
                    return False
        if len(self._made) >= MOST_FIELDS:
            raise TooMuch(f"more than {MOST_FIELDS} elements in one type")
        placed = _Placed(field, len(self._placed), field.choices)
        known.append(placed)
        self._made.append(field)
        self._placed.append(placed)
        self._order.note(field.choices, placed.place)
        return True

    def _fits(self, placed: _Placed, choices: Choices) -> bool:
        """Whether a field can stand for an element in other arms, too: all that may be there beside it must
        stand before it, and is put there where it may stand anywhere among what is in between."""
        if self._order.last(choices) <= placed.place:
            return True
        near = self._placed[placed.place :]
        self._tried += 1
        if len(near) > _NEAR or self._tried > _OFTEN:
            return False
        ahead = [one for one in near[1:] if parted(one.latest, choices) is None]
        behind = [one for one in near if one not in ahead]
        for one in ahead:
            if any(other.place < one.place and not _excluded(one, other) for other in behind):
                return False
        for place, one in enumerate([*ahead, *behind], placed.place):
            one.place = place
            self._placed[place] = one
            self._order.note(one.field.choices, place)
        return True

    def _merge(self, before: Field, field: Field) -> None:
        before.own_least = -1
        if before.wildcard is not None and field.wildcard is not None:
            before.wildcard = _either(before.wildcard, field.wildcard)
        if (before.default, before.fixed) != (field.default, field.fixed):
            before.default = before.fixed = None
        if before.facets != field.facets:
            before.facets = None


def _excluded(one: _Placed, other: _Placed) -> bool:
    """Whether two fields are never there together; `other` was there before the latest arm of `one`."""
    if parted(one.field.choices, other.field.choices) is not None:
        return True
    # Arms follow one another: what is not beside the last of them is not beside an earlier one either.
    return not one.joined and parted(one.field.choices, other.latest) is not None


def _either(one: Wildcard, other: Wildcard) -> Wildcard:
    """One wildcard for two; what cannot be said of both lets in anything."""
    if one == other and (one.target == other.target or "##" not in one.namespaces):
        return one
    return Wildcard("##any", one.process, one.target)


def _more(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


_ONCE = (1, 1)
_DEEPEST = 100  # compounds within one another, groups among them
_MOST_OF_ALL = 300_000  # particles in a whole contract, groups counted as often as they are named
_TOO_MANY = f"more than {_MOST_OF_ALL} particles in one contract, groups counted as often as they are named"
_MANY = 2  # leaves: more are not kept apart

Times = tuple[int, int | None]


@dataclass(frozen=True, slots=True)
class _At:
    """Where in a content model we are: how often it comes, in which arms, how deep, in what group."""

    outer: Times = _ONCE
    choices: Choices = ()
    deep: int = 0
    name: str = ""


class Particles:
    """Reads the content of complex types."""

    def __init__(
        self, schemas: Schemas, elements: ElementTypes, substitutions: Substitutions, findings: Findings
    ) -> None:
        self._schemas = schemas
        self._elements = elements
        self._substitutions = substitutions
        self._findings = findings
        self._leaves: dict[tuple[etree._Element, str], int] = {}
        self._weights: dict[tuple[etree._Element, str], int] = {}
        self._read = 0

    def of(self, struct: Struct, schema: Schema, node: etree._Element) -> list[Field]:
        """The fields of the content that a complex type, an extension or a restriction declares.

        Raises TooMuch where it has too many of them.
        """
        if self._read + self._weight(schema, node) > _MOST_OF_ALL:  # before they are written out
            raise TooMuch(_TOO_MANY)
        content = Content(struct, struct.qname)
        for child in parts(node):
            if kind(child) in COMPOUNDS:
                self._compound(content, schema, child, _At())
        struct.all_group = struct.all_group or content.all_group
        return content.fields

    # ---- compounds

    def _particle(self, content: Content, schema: Schema, node: etree._Element, at: _At) -> None:
        self._read += 1
        if self._read > _MOST_OF_ALL:
            raise TooMuch(_TOO_MANY)
        what = kind(node)
        if what in COMPOUNDS:
            self._compound(content, schema, node, at)
            return
        many = occurs(node) if at.outer == _ONCE else times(at.outer, occurs(node))
        if many[1] == 0:
            return
        if what == "element":
            self._element(content, schema, node, many, at)
        elif what == "any":
            self._any(content, schema, node, many, at.choices, wildcard(schema, node))

    def _compound(self, content: Content, schema: Schema, node: etree._Element, at: _At) -> None:
        least, most = times(at.outer, occurs(node))
        if most == 0:
            return
        if at.deep >= _DEEPEST:
            raise TooMuch(f"groups more than {_DEEPEST} deep within one another")
        inside = _At((least, most), at.choices, at.deep + 1, at.name)
        what = kind(node)
        before = content.here
        if what == "group":
            self._group(content, schema, node, inside)
            _grouped(content, before, node, at)
            return
        children = [child for child in parts(node) if kind(child) in PARTICLES]
        if most != 1 and not (len(children) == 1 and kind(children[0]) in COMPOUNDS):
            leaves = self._count(schema, node)
            if not leaves:
                return
            if leaves >= _MANY:
                self._holder(content, schema, node, children, inside)
                return
            if self._findings.strict:  # the form that two protocols share has no place for it
                self._findings.weaken(schema.document, node, f"{what}, which repeats: not handled here")
        content.all_group = content.all_group or what == "all"
        self._inside(content, schema, node, children, inside)
        if what != "choice":
            _grouped(content, before, node, at)

    def _inside(
        self, content: Content, schema: Schema, node: etree._Element, children: list[etree._Element], at: _At
    ) -> None:
        if kind(node) != "choice" or len(children) < _MANY:
            for child in children:
                self._particle(content, schema, child, at)
            return
        path = content.choice()
        content.struct.choices[path] = at.outer[0]
        for arm, child in enumerate(children):
            choices = (*at.choices, (path, arm))
            self._particle(content, schema, child, _At((0, at.outer[1]), choices, at.deep, at.name))

    def _group(self, content: Content, schema: Schema, node: etree._Element, at: _At) -> None:
        raw = node.get("ref")
        if raw is None:
            return  # no valid schema, which `compiled` says
        qname, component = self._schemas.find("groups", schema, node, raw)
        if component is None:
            why = f"group {raw!r} is declared nowhere in the contract; taken for any elements"
            self._findings.weaken(schema.document, node, why)
            self._any(content, schema, node, (0, None), at.choices, Wildcard(process="lax"))
            return
        if qname in content.groups:
            self._findings.weaken(schema.document, node, f"group {raw!r} within itself; passed over")
            return
        inner = first(component.node, "sequence", "choice", "all")
        if inner is None:
            return
        path, groups = content.path, content.groups
        content.path, content.groups = qname, (*groups, qname)
        try:
            name = qname.rpartition("}")[2]
            self._compound(content, component.schema, inner, _At(at.outer, at.choices, at.deep, name))
        finally:
            content.path, content.groups = path, groups

    def _holder(
        self, content: Content, schema: Schema, node: etree._Element, children: list[etree._Element], at: _At
    ) -> None:
        """What repeats as a whole: one field, each turn a value of its own."""
        what: Literal["choice", "sequence"] = "choice" if kind(node) == "choice" else "sequence"
        name = at.name or what
        place = schema.document.place(node)
        holder = Struct(below(content.struct.qname, name), place, doc=doc(node), anonymous=True, holder=what)
        inside = Content(holder, content.path, content.groups)
        self._inside(inside, schema, node, children, _At(deep=at.deep))
        holder.fields = inside.fields
        least, most = at.outer
        content.add(Field(name, "group", "", holder, least, most, place, choices=at.choices))

    def _count(self, schema: Schema, node: etree._Element, deep: int = 0) -> int:
        """How many elements and wildcards stand in a particle: none, one, or (for more) two."""
        key = (node, schema.namespace)
        if key not in self._leaves:
            self._leaves[key] = 0  # a group within itself adds nothing
            self._leaves[key] = min(self._counted(schema, node, deep), _MANY)
        return self._leaves[key]

    def _counted(self, schema: Schema, node: etree._Element, deep: int) -> int:
        what = kind(node)
        if occurs(node)[1] == 0 or deep > 2 * _DEEPEST:
            return 0
        if what in ("element", "any"):
            return 1
        if what != "group":
            return sum(self._count(schema, each, deep + 1) for each in parts(node) if kind(each) in PARTICLES)
        raw = node.get("ref")
        component = self._schemas.find("groups", schema, node, raw)[1] if raw is not None else None
        if component is None:
            return 1
        inner = first(component.node, "sequence", "choice", "all")
        return 0 if inner is None else self._count(component.schema, inner, deep + 1)

    def _weight(self, schema: Schema, node: etree._Element, deep: int = 0) -> int:
        """How many particles there are in a node, with those of the groups that are named in it."""
        what = kind(node)
        most = occurs(node)[1]
        if what in ("element", "any") or most == 0 or (most != 1 and not self._count(schema, node)):
            return 1  # what repeats and holds nothing is passed over
        key = (node, schema.namespace)
        if key not in self._weights and deep <= 2 * _DEEPEST:
            self._weights[key] = 0  # a group within itself adds nothing
            inside = [(schema, child) for child in parts(node) if kind(child) in PARTICLES]
            if what == "group" and (raw := node.get("ref")) is not None:
                component = self._schemas.find("groups", schema, node, raw)[1]
                inner = None if component is None else first(component.node, "sequence", "choice", "all")
                inside = [] if component is None or inner is None else [(component.schema, inner)]
            total = 1 + sum(self._weight(where, child, deep + 1) for where, child in inside)
            self._weights[key] = min(total, _MOST_OF_ALL + 1)
        return self._weights.get(key, 0)

    # ---- leaves

    def _element(self, content: Content, schema: Schema, node: etree._Element, many: Times, at: _At) -> None:
        raw = node.get("ref")
        if raw is not None:
            self._reference(content, schema, node, raw, many, at)
            return
        name = node.get("name", "").strip()
        if not name:
            return  # no valid schema, which `compiled` says
        tag = f"{{{schema.namespace}}}{name}" if schema.qualifies(node, "element") else name
        declared = self._elements.of(schema, node, name, content.path)
        made = declared.field(tag.removeprefix("{}"), many, schema.document.place(node), node)
        made.choices, made.own_least = at.choices, occurs(node)[0]
        self._add(content, schema, node, made)

    def _add(self, content: Content, schema: Schema, node: etree._Element, made: Field) -> None:
        if not content.add(made) and self._findings.strict:
            why = "an element twice, or never, in one sequence is not handled yet"
            self._findings.weaken(schema.document, node, why)

    def _reference(
        self, content: Content, schema: Schema, node: etree._Element, raw: str, many: Times, at: _At
    ) -> None:
        qname, component = self._schemas.find("elements", schema, node, raw)
        local = qname.rpartition("}")[2]
        if component is None:
            if not qname.startswith(f"{{{XSD}}}"):  # that of schemas within messages, as data sets have them
                why = f"element {raw!r} is declared nowhere in the contract; taken for anything"
                self._findings.weaken(schema.document, node, why)
            declared = Declared(ANYTHING)
            made = declared.field(qname.removeprefix("{}"), many, schema.document.place(node), node)
            made.choices, made.own_least = at.choices, occurs(node)[0]
            content.add(made)
            return
        holder = self._substitutions.holder(qname)
        if holder is not None:
            place = schema.document.place(node)
            least, most = many
            said = doc(node) or doc(component.node)
            content.add(Field(local, "group", "", holder, least, most, place, doc=said, choices=at.choices))
        elif true(component.node, "abstract"):
            why = f"element {raw!r} is abstract, and none is declared to stand for it; taken for any"
            self._findings.weaken(schema.document, node, why)
            self._any(content, schema, node, many, at.choices, Wildcard(process="lax"))
        else:
            declared = self._elements.of(component.schema, component.node, qname)
            made = declared.field(qname.removeprefix("{}"), many, schema.document.place(node), component.node)
            made.choices, made.own_least = at.choices, occurs(node)[0]
            made.doc = doc(node) or made.doc
            self._add(content, schema, node, made)

    def _any(
        self,
        content: Content,
        schema: Schema,
        node: etree._Element,
        many: Times,
        choices: Choices,
        lets: Wildcard,
    ) -> None:
        least, most = many
        place = schema.document.place(node)
        content.add(
            Field(
                "any", "any", "", ANYTHING, least, most, place, doc=doc(node), choices=choices, wildcard=lets
            )
        )


def _grouped(content: Content, before: int, node: etree._Element, at: _At) -> None:
    """Note on the fields that a compound gave that they stand in one that may be left out."""
    if occurs(node)[0] == 0:
        name = f"{before}:{content.here}:{at.deep}"
        for field in content.since(before):
            field.grouped = field.grouped or field.choices == at.choices
            field.optional_in = (name, *field.optional_in)
