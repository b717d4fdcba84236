"""The readers of a codec in XML: straight-line code, a function for each type."""

from __future__ import annotations

from dataclasses import dataclass

from bindgen.emit import hints
from bindgen.emit.text import Lines, literal
from bindgen.emit.xml.constants import Constants, clark, tags_of, wildcards_of
from bindgen.model import Anything, Field, Struct, Type

# What a reader calls things itself; a field of that name is kept in a variable with an underscore.
_OWN = {
    *("node", "reader", "child", "tag", "attribute", "raw", "turn", "at"),
    *("absent", "is_nil", "no_attributes", "repeated"),
}
_CHAINED = 100  # branches; more would be nested too deep for Python's parser


def family(kind: Struct) -> bool:
    """Whether `xsi:type` may say that a value is of another type."""
    return bool(kind.derived or kind.abstract) and not kind.holder


def local(field: Field) -> str:
    """The variable of a field."""
    own = field.python in _OWN or field.python.startswith("read_")
    return f"{field.python}_" if own else field.python


def in_turns(field: Field) -> bool:
    """Whether a field is a group of which a turn may be several elements."""
    return field.kind == "group" and isinstance(field.type, Struct) and field.type.holder != "substitution"


@dataclass(frozen=True, slots=True)
class _Branch:
    """Elements that one test of a reader finds, and the fields, by place, that they may be."""

    test: str
    fields: tuple[int, ...]


class Readers:
    """Writes readers."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self._uses = constants.uses

    def write(self, lines: Lines, struct: Struct) -> None:
        """The reader of a type."""
        self._uses.own("types", struct.python)
        if struct.holder == "substitution":
            self._one_of(lines, struct)
            return
        node, reader = self._uses("Node"), self._uses("Reader")
        arguments = f"node: {node}, turn: Sequence[{node}]" if struct.holder else f"node: {node}"
        with lines.block(f"def read_{struct.function}({arguments}, reader: {reader}) -> {struct.python}:"):
            self._whole(lines, struct)

    def _one_of(self, lines: Lines, struct: Struct) -> None:
        node, reader = self._uses("Node"), self._uses("Reader")
        with lines.block(f"def read_{struct.function}(node: {node}, reader: {reader}) -> {struct.python}:"):
            lines("tag = node.tag")
            for field in struct.fields:
                with lines.block(f"if tag == {self._constants.tag(field.tag)}:"):
                    read = self._value(field, "node")
                    if field.nillable:
                        read = f"NIL if {self._uses('is_nil')}(node, reader) else {read}"
                        self._uses("NIL")
                    lines(f"return {struct.python}({field.python}={read})")
            lines(f"raise {self._uses('absent')}(node, {literal(struct.name)})")

    def _whole(self, lines: Lines, struct: Struct) -> None:
        fields = struct.all_fields()
        owners = {id(field): level for level in struct.line() for field in level.fields}
        attributes = [field for field in fields if field.kind in ("attribute", "any_attributes")]
        elements = [field for field in fields if field.kind in ("element", "group", "any")]
        if not struct.holder:
            self._attributes(lines, attributes, owners)
        if not any(field.kind == "text" for field in fields):
            self._elements(lines, struct, elements, owners)
        for field in [*attributes, *elements]:
            self._require(lines, field)
        if not fields:
            lines(f"return {struct.python}()")
            return
        with lines.block(f"return {struct.python}(", ")"):
            for field in fields:
                lines(f"{field.python}={self._result(field)},")

    def _require(self, lines: Lines, field: Field) -> None:
        if not field.least or in_turns(field) or (field.kind == "any" and field.repeats):
            return
        if field.kind == "attribute" and hints.attribute(field)[1]:
            return
        with lines.block(f"if {f'not {local(field)}' if field.repeats else f'{local(field)} is None'}:"):
            shown = f"@{field.wire}" if field.kind == "attribute" else field.wire
            lines(f"raise {self._uses('absent')}(node, {literal(shown)})")

    def _result(self, field: Field) -> str:
        name = local(field)
        if field.kind == "text":
            return f"{self._constants.leaf(field.type)}.content(node, reader)"
        if in_turns(field) and isinstance(field.type, Struct):
            turns = self._constants.turns(field.type)
            return f"{turns}.read(read_{field.type.function}, node, {name}, reader)"
        if field.nillable and field.least and not field.repeats:
            return f"None if {name} is {self._uses('NIL')} else {name}"
        return name

    # ---- attributes

    def _attributes(self, lines: Lines, attributes: list[Field], owners: dict[int, Struct]) -> None:
        if not attributes:
            lines(f"{self._uses('no_attributes')}(node, reader)")
            return
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
                takes = self._constants.wild(field, owners[id(field)])
                with lines.block(f"{word} {takes}.takes_attribute(attribute):"):
                    lines(f"{local(field)}[attribute] = raw", *["continue"] * flat)
                word = "if" if flat else "elif"
            if flat:
                lines("reader.unknown_attribute(node, attribute)")
            else:
                with lines.block("else:"):
                    lines("reader.unknown_attribute(node, attribute)")

    # ---- elements

    def _elements(
        self, lines: Lines, struct: Struct, elements: list[Field], owners: dict[int, Struct]
    ) -> None:
        for field in elements:
            lines(self._start(field))
        branches = self._branches(struct, elements, owners)
        placed = any(len(branch.fields) > 1 for branch in branches)
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
                with lines.block(f"{word} {branch.test}:"):
                    if len(branch.fields) == 1:
                        self._fill(lines, elements[branch.fields[0]])
                        lines(*[f"at = {branch.fields[0]}"] * placed)
                    else:
                        self._fill_by_place(lines, [(at, elements[at]) for at in branch.fields])
                    lines(*["continue"] * flat)
                word = "if" if flat else "elif"
            if flat:
                lines("reader.unknown_element(child)")
            else:
                with lines.block("else:"):
                    lines("reader.unknown_element(child)")

    def _branches(self, struct: Struct, elements: list[Field], owners: dict[int, Struct]) -> list[_Branch]:
        """The tests in order: those for tags first, those for wildcards then."""
        where: dict[str, list[int]] = {}
        for at, field in enumerate(elements):
            for tag in dict.fromkeys(tags_of(field)):
                where.setdefault(tag, []).append(at)
        together: dict[tuple[int, ...], list[str]] = {}
        for tag, found in where.items():
            together.setdefault(tuple(found), []).append(tag)
        branches = []
        for places, tags in together.items():
            if len(tags) == 1:
                test = f"tag == {self._constants.tag(tags[0])}"
            else:
                test = f"tag in {self._constants.tags(tuple(tags), _called(elements[places[-1]]))}"
            branches.append(_Branch(test, places))
        for place, field in enumerate(elements):
            wild = {self._constants.wild(one, owner) for owner, one in wildcards_of(field, owners[id(field)])}
            if wild:
                branches.append(_Branch(" or ".join(f"{one}.takes(tag)" for one in sorted(wild)), (place,)))
        return branches

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

    def _fill(self, lines: Lines, field: Field) -> None:
        name = local(field)
        if not field.repeats and not in_turns(field):
            with lines.block(f"if {name} is not None:"):
                lines(f"raise {self._uses('repeated')}(child)")
        lines(self._take(field))

    def _fill_by_place(self, lines: Lines, fields: list[tuple[int, Field]]) -> None:
        """The first field at the place reached, or after it, that is free; else any that is free."""
        word = "if"
        for strict in (True, False):
            for place, field in fields:
                several = field.repeats or in_turns(field)
                tests = [f"at <= {place}"] * strict + [f"{local(field)} is None"] * (not several)
                if not tests:
                    continue
                with lines.block(f"{word} {' and '.join(tests)}:"):
                    lines(self._take(field))
                    if strict:
                        lines(f"at = {place}")
                word = "elif"
        last = [field for _, field in fields if field.repeats or in_turns(field)]
        with lines.block("else:"):
            lines(self._take(last[-1]) if last else f"raise {self._uses('repeated')}(child)")

    def _take(self, field: Field) -> str:
        name = local(field)
        if in_turns(field):
            return f"{name}.append(child)"
        read = self._value(field, "child")
        if field.repeats:
            read = f"None if {self._uses('is_nil')}(child, reader) else {read}" if field.nillable else read
            return f"{name}.append({read})"
        if field.nillable:
            read = f"{self._uses('NIL')} if {self._uses('is_nil')}(child, reader) else {read}"
        return f"{name} = {read}"

    def _value(self, field: Field, node: str) -> str:
        if field.kind == "any":
            return f"{self._uses('read_any')}({node}, reader)"
        if field.item:
            read, item = self._function(field.item.type), field.item
            if item.nillable:
                read = f"{self._uses('nil_or')}({read})"
            self._uses("read_list")
            return f"read_list({node}, reader, {self._constants.tag(item.tag)}, {read})"
        given = field.default if field.default is not None else field.fixed
        if given is not None and not isinstance(field.type, Struct | Anything):
            return f"{self._constants.leaf(field.type)}.or_default({node}, reader, {literal(given)})"
        return f"{self._function(field.type)}({node}, reader)"

    def _function(self, kind: Type) -> str:
        if isinstance(kind, Struct):
            return f"{self._constants.family(kind)}.read" if family(kind) else f"read_{kind.function}"
        if isinstance(kind, Anything):
            return self._uses("read_any")
        return f"{self._constants.leaf(kind)}.read"


def _called(field: Field) -> str:
    return field.type.python if isinstance(field.type, Struct) else field.wire
