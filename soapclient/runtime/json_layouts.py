"""JSON decoder for usual documents: each known combination of names has a layout that says how to read it.

It is the counterpart of the compiled reader for JSON in pure Python. It reads documents without unknown
names, drift or errors, and leaves all others to `json_decoding`, which reports them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn

import msgspec

from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import local_name
from soapclient.runtime.fields import Field, Leaf
from soapclient.runtime.integer_bounds import INTEGER_BOUNDS
from soapclient.runtime.simple_types import refusals

_LONG: Final = 1 << 24  # bytes; the deadline is not checked while msgspec parses them
_DEEPEST: Final = 30  # structs in one another; each can add three levels of objects and arrays
_MOST_LAYOUTS: Final = 256  # stored for each type; others are built for each object
# Numbers with a point or an exponent remain texts, so that they stay exact.
_parse: Callable[[bytes], object] = msgspec.json.Decoder(float_hook=str).decode
_SPACE_BEFORE_COLON: Final = (b" :", b"\n:", b"\r:", b"\t:")
_MINUS_ZERO: Final = re.compile(rb"[\[:\s]-0[\],}\s]")
_MAY_BE_MINUS_ZERO: Final = (b":-0", b"[-0", b" -0", b"\n-0", b"\r-0", b"\t-0")
_BOOLEANS: Final = {True: "true", False: "false"}


class _Unusual(Exception):
    """Another reader must read the document."""


class _StrictReader:
    """The reader and the node for `parse` functions, which use it to report drift or to look at the tree."""

    def __getattr__(self, name: str) -> NoReturn:
        raise _Unusual


_STRICT: Final[Any] = _StrictReader()  # Any: it has none of the attributes


class _Reading:
    """The state of reading one document. `members`: the number of names and values that were read."""

    __slots__ = ("check_deadline", "members")

    def __init__(self, check_deadline: Callable[[], None]) -> None:
        self.check_deadline = check_deadline
        self.members = 0


_ReadText = Callable[[Any], object]  # Any: it is called with values of the right class only
_ReadValue = Callable[[Any, _Reading, int], object]


class _Layout(NamedTuple):
    """How to read objects with certain names and classes of values. Each entry: attribute, name, function.

    `simple` are functions for common texts, and `careful` functions for all texts of the same fields.
    `nested` are for structs and lists, which return None if the field keeps its default.
    """

    simple: Sequence[tuple[str, str, _ReadText]]
    careful: Sequence[tuple[str, str, _ReadText]]
    nested: Sequence[tuple[str, str, _ReadValue]]


class UsualJsonReader:
    """Reader for usual JSON responses of one type. Thread-safe."""

    def __init__(self, codec: Codec, name: str) -> None:
        self._codec = codec
        self._name = name
        self._structs: dict[str, _ReadValue] = {}

    def read(self, document: bytes, check_deadline: Callable[[], None] = lambda: None) -> object | None:
        """Return the response in a complete document. Return None if another reader must read it.

        `check_deadline` is called several times; it can raise to stop the reading.
        """
        if len(document) > _LONG:
            return None
        reading = _Reading(check_deadline)
        try:
            value = _parse(document)
            check_deadline()
            if not isinstance(value, dict) or not any(item is not None for item in value.values()):
                return None
            result = self._struct(self._name)(value, reading, 0)
        except (_Unusual, ValueError, RecursionError):
            return None
        return result if _is_faithful(document, reading.members) else None

    def _struct(self, name: str) -> _ReadValue:
        """Return the function that reads objects of a type."""
        read = self._structs.get(name)
        if read is None:
            read = self._structs.setdefault(name, _struct_reader(self._codec, name, self._struct))
        return read


def _is_faithful(document: bytes, members: int) -> bool:
    """Return True if the parsed document has lost nothing. `members` is its number of names.

    msgspec keeps only the last value of a repeated name. Each name in the document ends with `":`, unless
    there is white space before the colon; strings can contain `":`, too. So the numbers are equal only if no
    name is repeated. msgspec also reads -0 as 0.
    """
    if document.count(b'":') != members or any(text in document for text in _SPACE_BEFORE_COLON):
        return False
    return not (
        any(text in document for text in _MAY_BE_MINUS_ZERO) and _MINUS_ZERO.search(document) is not None
    )


def _struct_reader(codec: Codec, name: str, struct: Callable[[str], _ReadValue]) -> _ReadValue:
    """Return the function that reads objects of a type. `struct` returns the functions of other types."""
    row = codec.row(name)
    fields = {_key(field): field for field in codec.fields(name) if not field.row.refused}
    usual = not (row.unknown or row.abstract or row.holder) and all(map(_is_usual, fields.values()))
    required = {field.python for field in fields.values() if _is_required(field)}
    kind: Any = codec.kind(name)  # Any: the fields of structs are known only at run time
    layouts: dict[tuple[object, ...], _Layout] = {}

    def read(value: Any, reading: _Reading, depth: int) -> object:
        if value.__class__ is not dict:
            raise _Unusual
        key = (*value, *map(type, value.values()))
        layout = layouts.get(key)
        if layout is None:
            if not usual or depth > _DEEPEST:
                raise _Unusual
            layout = _layout(value, fields, required, struct)
            if len(layouts) < _MOST_LAYOUTS:
                layouts[key] = layout
        reading.members += len(value)
        try:
            values = {python: simple(value[name]) for python, name, simple in layout.simple}
        except refusals:
            values = _carefully(value, layout)
        if layout.nested:
            if depth > _DEEPEST:
                raise _Unusual
            for python, name, read_nested in layout.nested:
                item = read_nested(value[name], reading, depth + 1)
                if item is not None:
                    values[python] = item
        return kind(**values)

    return read


def _carefully(value: Mapping[str, Any], layout: _Layout) -> dict[str, object]:
    """Read the simple values of an object that has an uncommon text, such as a negative number."""
    try:
        return {python: read(value[name]) for python, name, read in layout.careful}
    except refusals:
        raise _Unusual from None


def _layout(
    value: Mapping[str, object],
    fields: Mapping[str, Field],
    required: set[str],
    struct: Callable[[str], _ReadValue],
) -> _Layout:
    """Return the layout of an object. Raises _Unusual if a name is unknown, or a required one is missing."""
    layout = _Layout([], [], [])
    present = {name: item for name, item in value.items() if item is not None}
    if not fields.keys() >= present.keys() or not {fields[name].python for name in present} >= required:
        raise _Unusual
    simple, careful, nested = [], [], []
    for name, item in present.items():
        field = fields[name]
        if field.leaf is not None and not (field.repeats or field.item):
            common, every = _text_readers(field.leaf, type(item), may_be_empty=field.default_text is None)
            simple.append((field.python, name, common))
            careful.append((field.python, name, every))
        else:
            nested.append((field.python, name, _nested_reader(field, struct)))
    return layout._replace(simple=simple, careful=careful, nested=nested)


def _text_readers(leaf: Leaf, kind: type, *, may_be_empty: bool = True) -> tuple[_ReadText, _ReadText]:
    """Return the functions that read the JSON values of one class: for common texts, and for all texts.

    Both raise an exception of `refusals` if they refuse a text.
    """
    quick, parse = leaf.quick, leaf.parse

    def careful(text: str) -> object:
        if not (text or may_be_empty):
            raise ValueError
        return parse(text, _STRICT, _STRICT)

    if kind is str:
        return quick if may_be_empty else careful, careful
    if kind is int:
        if quick is str:
            return str, str
        if parse in INTEGER_BOUNDS:
            return _bounded(*INTEGER_BOUNDS[parse]), lambda number: careful(str(number))
        return lambda number: quick(str(number)), lambda number: careful(str(number))
    if kind is bool:
        return lambda flag: quick(_BOOLEANS[flag]), lambda flag: careful(_BOOLEANS[flag])
    raise _Unusual


def _bounded(low: int, high: int) -> _ReadText:
    """Return a function that returns an integer if it is in these bounds, otherwise raises ValueError."""

    def read(number: int) -> int:
        if low <= number <= high:
            return number
        raise ValueError

    return read


def _nested_reader(field: Field, struct: Callable[[str], _ReadValue]) -> _ReadValue:
    """Return the function that reads the values of a field with a struct or a list."""
    item = _item_reader(field, struct)
    if field.item:
        return _wrapped_list_reader(local_name(field.item), item)
    if not field.repeats:
        return item
    required = _is_required(field)

    def read_list(value: Any, reading: _Reading, depth: int) -> object:
        values = _items(value, item, reading, depth)
        if not values and required:
            raise _Unusual
        return values or None

    return read_list


def _wrapped_list_reader(name: str, item: _ReadValue) -> _ReadValue:
    """Return the function that reads an object whose only name, `name`, has the items of a list."""

    def read(value: Any, reading: _Reading, depth: int) -> object:
        if value.__class__ is not dict or len(value) != 1 or name not in value:
            raise _Unusual
        reading.members += 1
        return _items(value[name], item, reading, depth)

    return read


def _items(value: Any, read: _ReadValue, reading: _Reading, depth: int) -> list[object]:
    """Return the items of an array. A single value is read as an array with this value."""
    if value.__class__ is not list:
        return [read(value, reading, depth)]
    check_deadline, items = reading.check_deadline, []
    for item in value:
        check_deadline()
        items.append(read(item, reading, depth))
    return items


def _item_reader(field: Field, struct: Callable[[str], _ReadValue]) -> _ReadValue:
    """Return the function that reads one value of a field, or one item of its list."""
    if field.holds:
        return struct(field.holds)
    leaf = field.leaf
    if leaf is None:
        raise _Unusual
    readers: dict[type, _ReadText] = {}

    def read_text(value: Any, reading: _Reading, depth: int) -> object:
        kind = value.__class__
        if kind not in readers:
            readers[kind] = _text_readers(leaf, kind)[1]
        try:
            return readers[kind](value)
        except refusals:
            raise _Unusual from None

    return read_text


def _is_usual(field: Field) -> bool:
    """Return True if this reader supports a field."""
    row = field.row
    if field.kind not in ("element", "attribute", "text") or row.may_be_missing or field.elsewhere:
        return False
    if field.kind == "attribute":  # only the tree knows defaults and namespaces of attributes
        return row.default is None and field.tag[:1] != "{"
    return not (field.item and field.repeats)


def _is_required(field: Field) -> bool:
    return field.kind == "text" or (field.least and not field.row.rest_optional)


def _key(field: Field) -> str:
    return {"attribute": f"@{field.name}", "text": "$"}.get(field.kind, field.name)
