"""codec.py: how the data is read from elements and written to wire values, straight-line code."""

from __future__ import annotations

import re

from bindgen import naming
from bindgen.emit import compounds, hints
from bindgen.emit.text import Lines, imported, literal, module
from bindgen.model import Anything, Contract, Enum, Field, ListOf, Simple, Struct, Type, UnionOf
from bindgen.simple_types import DAY, TEXTS

# The run time's functions that straight-line code may call.
_READING = {"absent", "keep", "keep_attribute", "keep_empty", "read_list", "repeated", "same"}
# What a decoder calls things itself; a field of that name is kept in a variable with an underscore.
_OWN = {"node", "reader", "child", "tag", "attribute", "raw", "no_attributes", "is_nil", *_READING}
_WRITING = {
    "copied",
    "expect",
    "expect_changes",
    "one_arm",
    "refuse",
    "refuse_values",
    "required",
    "told_apart",
    "write",
    "write_choice",
    "write_day",
    "write_list",
    "write_texts",
}


class _Codec:
    """The tags and enumerations that functions refer to, each named once in the module."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self.tags: dict[str, str] = {}
        self.choices: dict[int, str] = {}
        for struct in contract.structs:
            for field in struct.fields:
                for element in (field, field.item):
                    if element is not None and element.tag and element.kind == "element":
                        self._claim(element.tag)
                for kind, tag in field.elsewhere:
                    if kind == "element":
                        self._claim(tag)
        for enum in contract.enums:
            self.choices[id(enum)] = f"C_{naming.constant(enum.python)}"

    def _claim(self, tag: str) -> None:
        if tag not in self.tags:
            name = f"T_{naming.constant(tag.rpartition('}')[2])}"
            self.tags[tag] = naming.unused(name, self.tags.values())

    def tag(self, field: Field) -> str:
        return self.tags[field.tag]

    def choice(self, enum: Enum) -> str:
        return self.choices[id(enum)]

    def leaf(self, kind: Type) -> str:
        """The constant that reads a simple type."""
        assert not isinstance(kind, Struct | Anything)  # attributes and texts are of simple types only
        if isinstance(kind, ListOf | UnionOf):
            return kind.constant
        return self.choice(kind) if isinstance(kind, Enum) else kind.scalar


def _tags(field: Field, kind: str) -> list[str]:
    """All tags under which a field may stand as that kind, its own first."""
    own = [field.tag] if field.kind == kind else []
    return own + [tag for where, tag in field.elsewhere if where == kind]


def emit(contract: Contract, root: str) -> str:
    """The readers and writers of a contract's types."""
    codec = _Codec(contract)
    body = Lines()
    for tag, name in codec.tags.items():
        body(f"{name} = {literal(tag)}")
    if contract.enums:
        body("")
    for enum in contract.enums:
        body(f"{codec.choice(enum)} = Choice({enum.python})")
    if contract.compounds:
        body("")
    for compound in contract.compounds:
        body(compounds.constant(compound, codec.leaf))
    for struct in contract.structs:
        body("", "")
        _reader(body, codec, struct)
        body("", "")
        _writer(body, codec, struct)
        if struct.changes:
            body("", "")
            _change_writer(body, codec, struct)
    text = body.text()
    return _head(contract, root, text) + "\n" + text


def _head(contract: Contract, root: str, text: str) -> str:
    """Imports of what the text uses, no more."""
    used = set(re.findall(r"(?<![.\"\w])[A-Za-z_]\w*", text))
    runtime = "soapclient.runtime"
    groups: list[list[str]] = [
        ["import datetime as dt"] if re.search(r"\bdt\.", text) else [],
        ["from decimal import Decimal"] if "Decimal" in used else [],
    ]
    standard = [line for group in groups for line in group]
    types = [enum.python for enum in contract.enums] + [struct.python for struct in contract.structs]
    types += [struct.python_changes for struct in contract.structs if struct.changes]
    scalars = _scalars(contract)
    lines = module(
        contract,
        f"How the types of {contract.name} {contract.settings.version} are read and written.",
        [
            *standard,
            *([""] if standard else []),
            *imported(f"{runtime}.compound", used & {"list_of", "union_of"}),
            *imported(f"{runtime}.leaves", used & {"Choice", "Scalar", "no_attributes"}),
            *imported(f"{runtime}.nil", used & {"is_nil"}),
            *imported(f"{runtime}.protocols", {"Node", "Reader", "Wire", "Writer"} | (used & {"Kept"})),
            *imported(f"{runtime}.reading", used & _READING),
            *imported(f"{runtime}.scalars", used & (scalars - TEXTS)),
            *imported(f"{runtime}.texts", used & scalars & TEXTS),
            *imported(f"{runtime}.writing", used & _WRITING),
            *imported(f"{root}.{contract.name}.types", used & set(types)),
        ],
    )
    return lines.text()


def _scalars(contract: Contract) -> set[str]:
    found = {DAY.scalar}
    for struct in contract.structs:
        for field in struct.fields:
            for kind in (field.type, field.item.type if field.item else None):
                if isinstance(kind, Simple):
                    found.add(kind.scalar)
    return found | {simple.scalar for simple in compounds.simples(contract.compounds)}


# ---- reading


def _local(field: Field) -> str:
    own = field.python in _OWN or field.python.startswith("read_")
    return f"{field.python}_" if own else field.python


def _reader(lines: Lines, codec: _Codec, struct: Struct) -> None:
    fields = [field for field in struct.all_fields() if not field.refused]
    attributes = [field for field in fields if _tags(field, "attribute")]
    elements = [field for field in fields if _tags(field, "element")]
    texts = [field for field in fields if field.kind == "text"]
    with lines.block(f"def read_{struct.function}(node: Node, reader: Reader) -> {struct.python}:"):
        if struct.keeps_unknown:
            lines(f"{struct.unknown}: Kept = {{}}")
        _read_attributes(lines, codec, attributes, struct.unknown)
        if not texts:
            _read_elements(lines, codec, elements, struct.unknown)
        if struct.keeps_unknown:
            known = _tuple([codec.tags[tag] for field in elements for tag in _tags(field, "element")])
            lines(f"keep_empty({struct.unknown}, node, {known})")
        for field in dict.fromkeys([*attributes, *elements]):
            if field.least and not field.may_be_missing and not field.rest_optional:
                _require(lines, field)
            elif field.may_be_missing:
                with lines.block(f"if {_local(field)} is None:"):
                    lines(f"reader.missing(node, {literal(_shown(field))})")
        if not fields and not struct.unknown:
            lines(f"return {struct.python}()")
            return
        with lines.block(f"return {struct.python}(", ")"):
            for field in fields:
                source = _content(codec, field) if field.kind == "text" else _local(field)
                lines(f"{field.python}={source},")
            if struct.unknown:
                lines(f"{struct.unknown}={struct.unknown},")


def _require(lines: Lines, field: Field) -> None:
    test = f"not {_local(field)}" if field.repeats else f"{_local(field)} is None"
    with lines.block(f"if {test}:"):
        lines(f"raise absent(node, {literal(_shown(field))})")


def _shown(field: Field) -> str:
    return f"@{field.wire}" if field.kind == "attribute" else field.wire


def _content(codec: _Codec, field: Field) -> str:
    return f"{codec.leaf(field.type)}.content(node, reader)"


def _read_attributes(lines: Lines, codec: _Codec, attributes: list[Field], unknown: str) -> None:
    if not attributes and not unknown:
        lines("no_attributes(node, reader)")
        return
    if not attributes:
        with lines.block("for attribute, raw in node.items():"):
            lines("reader.unknown_attribute(node, attribute)")
            lines(f"keep_attribute({unknown}, attribute, raw)")
        return
    for field in attributes:
        lines(f"{_local(field)}: {hints.value(field.type)} | None = None")
    with lines.block("for attribute, raw in node.items():"):
        for at, field in enumerate(attributes):
            test = _is_one("attribute", [literal(tag) for tag in _tags(field, "attribute")])
            with lines.block(f"{'el' if at else ''}if {test}:"):
                read = f"{codec.leaf(field.type)}.attribute(node, reader, attribute, raw)"
                name = _local(field)
                lines(f"{name} = {f'same(node, {name}, {read})' if field.elsewhere else read}")
        with lines.block("else:"):
            lines("reader.unknown_attribute(node, attribute)")
            if unknown:
                lines(f"keep_attribute({unknown}, attribute, raw)")


def _read_elements(lines: Lines, codec: _Codec, elements: list[Field], unknown: str) -> None:
    for field in elements:
        kind = field.item.type if field.item else field.type
        if _tags(field, "attribute"):
            continue  # it has its variable
        if field.repeats:
            lines(f"{_local(field)}: list[{hints.value(kind)}] = []")
        elif field.item:
            lines(f"{_local(field)}: list[{hints.value(kind)}] | None = None")
        else:
            lines(f"{_local(field)}: {hints.value(kind)} | None = None")
    with lines.block("for child in node:"):
        if elements:
            lines("tag = child.tag")
        for at, field in enumerate(elements):
            test = _is_one("tag", [codec.tags[tag] for tag in _tags(field, "element")])
            with lines.block(f"{'el' if at else ''}if {test}:"):
                if field.nillable:  # it is optional, so that nil is as good as absent
                    with lines.block("if is_nil(child, reader):"):
                        lines("continue")
                if field.repeats:
                    lines(f"{_local(field)}.append({_one(codec, field)})")
                    continue
                if field.elsewhere:
                    lines(f"{_local(field)} = same(child, {_local(field)}, {_one(codec, field)})")
                    continue
                with lines.block(f"if {_local(field)} is not None:"):
                    lines("raise repeated(child)")
                lines(f"{_local(field)} = {_listed(codec, field.item) if field.item else _one(codec, field)}")
        met = ["reader.unknown_element(child)", *([f"keep({unknown}, child)"] if unknown else [])]
        if elements:
            with lines.block("else:"):
                lines(*met)
        else:
            lines(*met)


def _is_one(name: str, of: list[str]) -> str:
    return f"{name} == {of[0]}" if len(of) == 1 else f"{name} in ({', '.join(of)})"


def _one(codec: _Codec, field: Field) -> str:
    if isinstance(field.type, Struct):
        return f"read_{field.type.function}(child, reader)"
    if field.default is not None:
        return f"{codec.leaf(field.type)}.or_default(child, reader, {literal(field.default)})"
    return f"{codec.leaf(field.type)}.read(child, reader)"


def _listed(codec: _Codec, item: Field) -> str:
    read = f"read_{item.type.function}" if isinstance(item.type, Struct) else f"{codec.leaf(item.type)}.read"
    return f"read_list(child, reader, {codec.tag(item)}, {read})"


# ---- writing


def _writer(lines: Lines, codec: _Codec, struct: Struct) -> None:
    fields = struct.all_fields()
    with lines.block(
        f"def write_{struct.function}(value: {struct.python}, writer: Writer, path: str) -> Wire:"
    ):
        lines(f"expect(value, {struct.python}, path)", "wire: Wire = {}")
        for field in fields:
            _write_field(lines, codec, field)
        _check_names(lines, fields)
        _check_choices(lines, struct)
        lines("return wire")


def _check_names(lines: Lines, fields: list[Field]) -> None:
    """A name may mean two things, of which the element may be absent."""
    optional = {field.wire for field in fields if field.kind == "element" and not field.least}
    twofold = [field.wire for field in fields if field.kind == "attribute" and field.wire in optional]
    if twofold:
        with lines.block("told_apart(", ")"):
            lines("wire,", "path,", f"{_tuple(list(map(literal, twofold)))},")


def _check_choices(lines: Lines, struct: Struct) -> None:
    """Of a choice there is one arm only. Choices are numbered in each type, so that of a base has a mark."""
    inside = [(field, "^" * up) for up, one in enumerate(struct.line()[::-1]) for field in one.fields[::-1]]
    inside = [(field, mark) for field, mark in inside[::-1] if field.choices]
    if inside:
        with lines.block("arms = {", "}"):
            for field, mark in inside:
                arms = [f"({literal(mark + path)}, {arm})" for path, arm in field.choices]
                lines(f"{literal(_key(field))}: {_tuple(arms)},")
        lines("one_arm(wire, path, arms)")


def _tuple(texts: list[str]) -> str:
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def _write_partial(lines: Lines, field: Field, kind: Struct, value: str, path: str) -> None:
    """A whole item, or changes of it."""
    arguments = f"({value}, writer, {path})"
    with lines.block(f"if {value} is None:"):
        lines(f"raise required({path})" if field.least else "pass  # it may be left out")
    with lines.block(f"{'' if field.least else 'el'}if isinstance({value}, {kind.python}):"):
        lines(f"wire[{literal(_key(field))}] = write_{kind.function}{arguments}")
    with lines.block("else:"):
        lines(f"wire[{literal(_key(field))}] = write_{kind.function}_changes{arguments}")


def _change_writer(lines: Lines, codec: _Codec, struct: Struct) -> None:
    fields = [field for field in struct.all_fields() if not field.refused]
    head = f"def write_{struct.function}_changes("
    with lines.block(f"{head}value: {struct.python_changes}, writer: Writer, path: str) -> Wire:"):
        with lines.block("expect_changes(", ")"):
            names = ", ".join(literal(field.python) for field in fields)
            lines(
                "value,",
                "path,",
                "writer,",
                f"({names}{',' if len(fields) == 1 else ''}),",
                f"{struct.python},",
            )
        lines("wire: Wire = {}")
        for field in fields:
            with lines.block(f"if {literal(field.python)} in value:"):
                _write_change(lines, codec, field)
        _check_choices(lines, struct)
        lines("return wire")


def _write_change(lines: Lines, codec: _Codec, field: Field) -> None:
    value, key, path = f"value[{literal(field.python)}]", literal(_key(field)), _path(field)
    if field.repeats:
        lines(f"wire[{key}] = {_write_list(codec, field, f'copied({value})', path)}")
    elif field.item:
        written = _write_list(codec, field.item, f"copied({value})", path)
        lines(f"wire[{key}] = {{{literal(field.item.wire)}: {written}}}")
    else:
        lines(f"wire[{key}] = {_write_one(codec, field, value, path)}")


def _path(field: Field) -> str:
    if field.kind == "text":
        return "path"
    shown = "/" + _shown(field)
    return f"f{literal('{path}' + shown)}" if _braceless(field) else f"path + {literal(shown)}"


def _key(field: Field) -> str:
    return {"attribute": f"@{field.wire}", "text": "$"}.get(field.kind, field.wire)


def _write_field(lines: Lines, codec: _Codec, field: Field) -> None:
    value, key, path = f"value.{field.python}", literal(_key(field)), _path(field)
    if field.refused:
        lines(f"refuse({value}, {path}, {literal(field.refused)})")
        return
    if field.repeats:
        if field.least and not field.rest_optional:
            with lines.block(f"if not {value}:"):
                lines(f"raise required({path})")
            lines(f"wire[{key}] = {_write_list(codec, field, value, path)}")
        else:  # what is no list is refused there, even if it counts as empty
            with lines.block(f"if values := {_write_list(codec, field, value, path)}:"):
                lines(f"wire[{key}] = values")
        return
    if field.item:
        written = f"{{{literal(field.item.wire)}: {_write_list(codec, field.item, value, path)}}}"
    else:
        written = _write_one(codec, field, value, path)
    # What the contract requires goes out or is refused, also what a reply may lack.
    if field.partial and isinstance(field.type, Struct):
        _write_partial(lines, field, field.type, value, path)
    elif field.least and not field.rest_optional:  # else whoever sends it sees to that
        with lines.block(f"if {value} is None:"):
            lines(f"raise required({path})")
        lines(f"wire[{key}] = {written}")
    else:
        with lines.block(f"if {value} is not None:"):
            lines(f"wire[{key}] = {written}")


def _braceless(field: Field) -> bool:
    return "{" not in field.wire and "}" not in field.wire


def _write_one(codec: _Codec, field: Field, value: str, path: str) -> str:
    kind = field.type
    if isinstance(kind, Struct):
        return f"write_{kind.function}({value}, writer, {path})"
    if isinstance(kind, Enum):
        return f"write_choice({value}, {path}, {codec.choice(kind)})"
    if kind is DAY:
        return f"write_day({value}, {path}, writer)"
    written = f"write({value}, {path}, {codec.leaf(kind)})"
    if field.refused_values:
        reasons = ", ".join(f"{literal(v)}: {literal(r)}" for v, r in field.refused_values.items())
        return f"refuse_values({written}, {path}, {{{reasons}}})"
    return written


def _write_list(codec: _Codec, item: Field, value: str, path: str) -> str:
    kind = item.type
    if isinstance(kind, Struct):
        return f"write_list({value}, {path}, writer, write_{kind.function})"
    if isinstance(kind, Enum):
        return f"write_texts({value}, {path}, lambda v, p: write_choice(v, p, {codec.choice(kind)}))"
    return f"write_texts({value}, {path}, lambda v, p: write(v, p, {codec.leaf(kind)}))"
