"""The readers of a codec in XML: straight-line code, a function for each type."""

from __future__ import annotations

from typing import NamedTuple

from bindgen.emit import defaults, hints
from bindgen.emit.text import Lines, literal
from bindgen.emit.xml.constants import Constants, clark, namespace, tags_of, wildcards_of
from bindgen.emit.xml.families import declared, family
from bindgen.emit.xml.module import FROM_RUNTIME
from bindgen.model import Anything, Field, Struct, Type, Wildcard

# What a reader calls things itself; a field of that name is kept in a variable with an underscore.
_OWN = {
    *("node", "reader", "child", "tag", "attribute", "raw", "turn", "at"),
    *(name for name in FROM_RUNTIME if name.islower()),
}
_CHAINED = 100  # branches; more would be nested too deep for Python's parser

_OVER = 8  # wildcards that are looked at for an element that came already, those that follow it first


def local(field: Field) -> str:
    """The variable of a field."""
    own = field.python in _OWN or field.python.startswith("read_")
    return f"{field.python}_" if own else field.python


def in_turns(field: Field) -> bool:
    """Whether a field is a group of which a turn may be several elements."""
    return field.kind == "group" and isinstance(field.type, Struct) and field.type.holder != "substitution"


def _several(field: Field) -> bool:
    """Whether a field has always room for one more."""
    return field.repeats or in_turns(field)


class _Branch(NamedTuple):
    """Elements that one test of a reader finds, and the fields, by place, that they may be."""

    test: str
    fields: tuple[int, ...]
    rest: tuple[int, ...] = ()  # wildcards that take what the fields have no room for
    wild: bool = False  # whether the fields are wildcards, of which not all need take what one of them takes


class Readers:
    """Writes readers."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self._uses = constants.uses

    def write(self, lines: Lines, struct: Struct) -> None:
        """The reader of a type."""
        self._uses.own("types", struct.python)
        if struct.holder == "substitution":
            self._stands_for(lines, struct)
            return
        node, reader = self._uses("Node"), self._uses("Reader")
        arguments = f"node: {node}, turn: Sequence[{node}]" if struct.holder else f"node: {node}"
        with lines.block(f"def read_{struct.function}({arguments}, reader: {reader}) -> {struct.python}:"):
            if _is_one_element(struct):
                lines("(child,) = turn")
                self._one_of(lines, struct, "child")
            else:
                self._whole(lines, struct)

    def _stands_for(self, lines: Lines, struct: Struct) -> None:
        node, reader = self._uses("Node"), self._uses("Reader")
        with lines.block(f"def read_{struct.function}(node: {node}, reader: {reader}) -> {struct.python}:"):
            self._one_of(lines, struct, "node")

    def _one_of(self, lines: Lines, struct: Struct, node: str) -> None:
        lines(f"tag = {node}.tag")
        for field in struct.fields:
            with lines.block(f"if tag == {self._constants.tag(field.tag)}:"):
                read = self._value(field, node)
                if field.nillable:
                    read = f"{self._uses('NIL')} if {self._nil(field, node)} else {read}"
                lines(f"return {struct.python}({field.python}={read})")
        lines(f"raise {self._uses('absent')}(node, {literal(struct.name)})")

    def _whole(self, lines: Lines, struct: Struct) -> None:
        fields = struct.all_fields()
        attributes = [field for field in fields if field.kind in ("attribute", "any_attributes")]
        elements = [field for field in fields if field.kind in ("element", "group", "any")]
        if not struct.holder:
            self._attributes(lines, struct, attributes)
        if not any(field.kind == "text" for field in fields):
            self._elements(lines, struct, elements)
        for field in [*attributes, *elements]:
            self._require(lines, field)
        if not fields:
            lines(f"return {struct.python}()")
            return
        with lines.block(f"return {struct.python}(", ")"):
            lines(*(f"{field.python}={self._result(field)}," for field in fields))

    def _require(self, lines: Lines, field: Field) -> None:
        if not field.least or in_turns(field) or (field.kind == "any" and field.repeats):
            return
        if field.kind == "attribute" and hints.attribute(field)[1] and not field.may_be_missing:
            return
        shown = literal(f"@{field.wire}" if field.kind == "attribute" else field.wire)
        if field.may_be_missing:
            lacks = f"reader.missing(node, {shown})"
        else:
            lacks = f"raise {self._uses('absent')}(node, {shown})"
        lines(
            f"if {f'not {local(field)}' if field.repeats else f'{local(field)} is None'}:",
            f"    {lacks}",
        )

    def _result(self, field: Field) -> str:
        name = local(field)
        if field.kind == "text":
            read = f"{self._constants.leaf(field.type)}.content(node, reader)"
            return f"None if {self._nil(field, 'node')} else {read}" if field.nillable else read
        if in_turns(field) and isinstance(field.type, Struct):
            turns = self._constants.turns(field.type)
            return f"{turns}.read(read_{field.type.function}, node, {name}, reader)"
        if field.nillable and field.least and not field.repeats:
            return f"None if {name} is {self._uses('NIL')} else {name}"
        return name

    # ---- attributes

    def _attributes(self, lines: Lines, struct: Struct, attributes: list[Field]) -> None:
        own = clark(declared(struct))
        if not attributes:
            if any(field.kind == "text" and field.nillable for field in struct.fields):
                return  # whoever looks whether it is nil sees the attributes, too
            if own:
                lines(f"{self._uses('no_attributes_of')}(node, reader, {literal(own)})")
            else:
                lines(f"{self._uses('no_attributes')}(node, reader)")
            return
        unknown = "reader.unknown_attribute(node, attribute)"
        if own:
            unknown = f"{self._uses('further_attribute')}(node, reader, attribute, {literal(own)})"
        named = [field for field in attributes if field.kind == "attribute"]
        wild = [field for field in attributes if field.kind == "any_attributes"]
        for field in attributes:
            hint, default = hints.attribute(field)
            if field.kind == "attribute" and (not default or default == "None"):
                hint, default = f"{hints.value(field.type)} | None", "None"
            lines(f"{local(field)}: {hint} = {default}")
        flat = len(attributes) > _CHAINED
        word = "if"
        with lines.block("for attribute, raw in node.items():"):
            for field in named:
                with lines.block(f"{word} attribute == {literal(clark(field.tag))}:"):
                    leaf = self._constants.leaf(field.type)
                    lines(f"{local(field)} = {leaf}.attribute(node, reader, attribute, raw)")
                    lines(*["continue"] * flat)
                word = "if" if flat else "elif"
            for field in wild:
                cards = [
                    field.wildcard or Wildcard(),
                    *(one for level in struct.line() for one in level.wider),
                ]
                takes = dict.fromkeys(map(self._constants.wild, cards))
                test = " or ".join(f"{one}.takes_attribute(attribute)" for one in takes)
                with lines.block(f"{word} {test}:"):
                    lines(f"{local(field)}[attribute] = raw", *["continue"] * flat)
                word = "if" if flat else "elif"
            if flat:
                lines(unknown)
            else:
                with lines.block("else:"):
                    lines(unknown)
        for field in named:
            if (given := defaults.when_absent(field)) is not None:
                leaf, name = self._constants.leaf(field.type), local(field)
                with lines.block(f"if {name} is None:"):
                    lines(f"{name} = {self._uses('default_of')}({leaf}, node, reader, {literal(given)})")

    # ---- elements

    def _elements(self, lines: Lines, struct: Struct, elements: list[Field]) -> None:
        lines(*map(self._start, elements))
        branches = self._branches(elements)
        placed = any(len(branch.fields) > 1 or len(branch.rest) > 1 for branch in branches)
        if placed:
            lines("at = 0")
        flat = len(branches) > _CHAINED
        with lines.block(f"for child in {'turn' if struct.holder else 'node'}:"):
            if not branches:
                lines("reader.unknown_element(child)")
                return
            lines("tag = child.tag")
            word = "if"
            for branch in branches:
                lines(f"{word} {branch.test}:")
                if len(branch.fields) == 1 and not branch.rest:
                    (at,) = branch.fields
                    lines(*self._fill(elements[at]), *[f"    at = {at}"] * placed)
                else:
                    with lines.inside():
                        self._fill_by_place(lines, elements, branch, placed)
                if flat:
                    lines("    continue")
                word = "if" if flat else "elif"
            if flat:
                lines("reader.unknown_element(child)")
            else:
                with lines.block("else:"):
                    lines("reader.unknown_element(child)")

    def _branches(self, elements: list[Field]) -> list[_Branch]:
        """The tests in order: those for tags first, that for wildcards then."""
        wild = {at: found for at, field in enumerate(elements) if (found := list(wildcards_of(field)))}
        where: dict[str, list[int]] = {}
        for at, field in enumerate(elements):
            for tag in tags_of(field):
                known = where.setdefault(tag, [])
                if at not in known[-1:]:  # a group may have an element several times
                    known.append(at)
        together: dict[tuple[tuple[int, ...], tuple[int, ...]], list[str]] = {}
        for tag, known in where.items():
            over: list[int] = []
            if wild and not any(_several(elements[at]) for at in known):
                space = namespace(tag)
                over = [at for at, cards in wild.items() if any(card.takes(space) for card in cards)]
                over = sorted(over, key=lambda at: at < known[0])[:_OVER]
            together.setdefault((tuple(known), tuple(over)), []).append(tag)
        branches = []
        for (places, rest), tags in together.items():
            if len(tags) == 1:
                test = f"tag == {self._constants.tag(tags[0])}"
            else:
                test = f"tag in {self._constants.tags(tuple(tags), _called(elements[places[-1]]))}"
            branches.append(_Branch(test, places, rest))
        if wild:
            tests = dict.fromkeys(test for at in wild for test in self._takes(elements[at]))
            branches.append(_Branch(" or ".join(tests), tuple(wild), wild=True))
        return branches

    def _takes(self, field: Field) -> list[str]:
        """The tests whether one of a field's wildcards takes an element."""
        wild = {self._constants.wild(one) for one in wildcards_of(field)}
        return [f"{one}.takes(tag)" for one in sorted(wild)]

    def _start(self, field: Field) -> str:
        name, kind = local(field), hints.value(field.item.type if field.item else field.type)
        if in_turns(field):
            return f"{name}: list[{self._uses('Node')}] = []"
        nil = (field.item or field).nillable
        if field.repeats:
            return f"{name}: list[{kind}{' | None' * nil}] = []"
        if field.item:
            return f"{name}: list[{kind}{' | None' * nil}] | None = None"
        if nil:
            kind = f"{kind} | {self._uses('Nil')}"
        return f"{name}: {kind} | None = None"

    def _fill(self, field: Field) -> list[str]:
        """The lines below the test that finds a field's element."""
        take = f"    {self._take(field)}"
        if field.repeats or in_turns(field):
            return [take]
        return [
            f"    if {local(field)} is not None:",
            f"        raise {self._uses('repeated')}(child)",
            take,
        ]

    def _fill_by_place(self, lines: Lines, elements: list[Field], branch: _Branch, placed: bool) -> None:
        """The first field at the place reached, or after it, that is free; else any that is free."""
        word, last = "if", f"raise {self._uses('repeated')}(child)"
        for places in (branch.fields, branch.rest):
            takes = {at: " or ".join(self._takes(elements[at])) for at in places} if branch.wild else {}
            alike = len(set(takes.values())) < 2
            for strict in (True, False) if len(places) > 1 else (False,):
                for at in places:
                    field = elements[at]
                    tests = [f"at <= {at}"] * strict + [f"{local(field)} is None"] * (not _several(field))
                    if not alike:
                        tests.append(takes[at] if " or " not in takes[at] else f"({takes[at]})")
                    if not tests:
                        last = self._take(field)
                        continue
                    with lines.block(f"{word} {' and '.join(tests)}:"):
                        lines(self._take(field))
                        if strict or (placed and len(places) == 1):
                            lines(f"at = {at}")
                    word = "elif"
        with lines.block("else:"):
            lines(last)

    def _take(self, field: Field) -> str:
        name = local(field)
        if in_turns(field):
            return f"{name}.append(child)"
        read = self._value(field, "child")
        if field.repeats:
            read = f"None if {self._nil(field, 'child')} else {read}" if field.nillable else read
            return f"{name}.append({read})"
        if field.nillable:
            read = f"{self._uses('NIL')} if {self._nil(field, 'child')} else {read}"
        return f"{name} = {read}"

    def _nil(self, field: Field, node: str) -> str:
        """A test whether an element says that it is nil."""
        further = "".join(f", {literal(name)}" for name in attributes_of(field.type))
        return f"{self._uses('is_nil')}({node}, reader{further})"

    def _value(self, field: Field, node: str) -> str:
        if field.kind == "any":
            return f"{self._uses('read_any')}({node}, reader)"
        if field.item:
            read, item = self._function(field.item.type), field.item
            if item.nillable:
                further = "".join(f", {literal(name)}" for name in attributes_of(item.type))
                read = f"{self._uses('nil_or')}({read}{further})"
            self._uses("read_list")
            return f"read_list({node}, reader, {self._constants.tag(item.tag)}, {read})"
        given = field.default if field.default is not None else field.fixed
        if given is not None and not isinstance(field.type, Struct | Anything):
            return f"{self._constants.leaf(field.type)}.or_default({node}, reader, {literal(given)})"
        if node == "child" and _may_lack(field):
            how = "read_unless_nil" if isinstance(field.type, Struct) else "read_optional"
            return f"{self._uses(how)}({node}, reader, {self._function(field.type)})"
        return f"{self._function(field.type)}({node}, reader)"

    def _function(self, kind: Type) -> str:
        if isinstance(kind, Struct):
            return f"{self._constants.family(kind)}.read" if family(kind) else f"read_{kind.function}"
        if isinstance(kind, Anything):
            return self._uses("read_any")
        return f"{self._constants.leaf(kind)}.read"


def _is_one_element(struct: Struct) -> bool:
    """Whether a turn of a group is always one element: a choice whose arms are one element each, once."""
    arms = {field.choices for field in struct.fields}
    return (
        struct.holder == "choice"
        and all(
            field.kind == "element" and not field.repeats and len(field.choices) == 1
            for field in struct.fields
        )
        and len(arms) == len(struct.fields)
        and len({choice for ((choice, _),) in arms}) == 1
        and len({field.tag for field in struct.fields}) == len(struct.fields)
    )


def attributes_of(kind: Type) -> tuple[str, ...]:
    """The attributes that an element of a type may have; "*" where that is not all known."""
    if not isinstance(kind, Struct):
        return ("*",) if isinstance(kind, Anything) else ()
    if family(kind) or any(field.kind == "any_attributes" for field in kind.all_fields()):
        return ("*",)
    return tuple(clark(field.tag) for field in kind.all_fields() if field.kind == "attribute")


def _may_lack(field: Field) -> bool:
    """Whether a field can say that an element has no value, though the contract knows no nil for it."""
    optional = not field.least or field.may_be_missing
    single = field.kind == "element" and optional and not field.repeats
    return single and not field.nillable and not isinstance(field.type, Anything)


def _called(field: Field) -> str:
    return field.type.python if isinstance(field.type, Struct) else field.wire
