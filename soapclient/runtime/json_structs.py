"""Fast JSON decoder in pure Python, for documents that follow the contract.

It is used if the compiled reader for JSON is not available. Documents with unknown names, other drift or
errors are left to `json_decoding`, which reports them.

msgspec parses a document to objects of private classes: for each type of the package, a `msgspec.Struct` with
the same fields, which hold the values of JSON. A function for each type then converts these objects to
objects of the package's class. The function is compiled at run time from generated source (`_Source`),
because a loop over the fields of each object would take twice as long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from types import GenericAlias
from typing import Any, Final, NoReturn, cast

import msgspec
from msgspec import UNSET, UnsetType

from soapclient.runtime.cached_attribute import cached_attribute
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import local_name
from soapclient.runtime.fields import Field, Leaf
from soapclient.runtime.integer_bounds import INTEGER_BOUNDS
from soapclient.runtime.simple_types import refusals

_LONG: Final = 1 << 24  # bytes; the deadline is not checked while msgspec parses them
_DEEPEST: Final = 30  # nesting depth of structs; each can add three levels of objects and arrays
_DEEPEST_TYPES: Final = 100  # nesting depth of types, because they are built by recursion
# A search for a regular expression that begins with fixed bytes is twice as fast as a search with `in`.
_SPACE_BEFORE_COLON: Final = re.compile(rb" :")
_RARE_SPACE_BEFORE_COLON: Final = ((b"\n", b"\n:"), (b"\r", b"\r:"), (b"\t", b"\t:"))
_MAY_BE_MINUS_ZERO: Final = re.compile(rb"-0[\],}\s]")
_MINUS_ZERO: Final = re.compile(rb"[\[,:\s]-0[\],}\s]")
_BOOLEANS: Final = {True: "true", False: "false"}


class _Unusual(Exception):
    """Raised if this reader does not support the document, so that another reader must read it."""


class _StrictReader:
    """An object that raises _Unusual when any of its attributes is used.

    The `parse` functions of simple types get it as their arguments `reader` and `node`. They use these
    arguments only to report drift or to look at the tree, which this module does not support.
    """

    def __getattr__(self, name: str) -> NoReturn:
        raise _Unusual


_STRICT: Final[Any] = _StrictReader()  # Any: it has none of the attributes


class _Reading:
    """The state of reading one document. `members` is the number of names that were read in objects."""

    __slots__ = ("check_deadline", "members")

    def __init__(self, check_deadline: Callable[[], None]) -> None:
        self.check_deadline = check_deadline
        self.members = 0


# Any: values as msgspec parsed them.
_ReadText = Callable[[Any], object]
_ReadValue = Callable[[Any, _Reading, int], object]
_Pair = tuple[type[msgspec.Struct], _ReadValue]


class UsualJsonReader:
    """Reader for JSON responses of one type that follow the contract. Thread-safe."""

    def __init__(self, codec: Codec, name: str) -> None:
        self._codec = codec
        self._name = name

    @cached_attribute
    def _functions(self) -> tuple[Callable[[bytes], Any], _ReadValue] | None:
        """The functions that parse and convert a document. None if the type is not supported."""
        pair = _Builder(self._codec).pair(self._name)
        return pair and (_parser(pair[0]), pair[1])

    def read(self, document: bytes, check_deadline: Callable[[], None] = lambda: None) -> object | None:
        """Return the response in a complete document. Return None if another reader must read it.

        `check_deadline` is called several times. It can raise an error to stop the reading.
        """
        if len(document) > _LONG:
            return None
        reading = _Reading(check_deadline)
        try:
            if self._functions is None:
                return None
            parse, convert = self._functions
            parsed = parse(document)
            check_deadline()
            if all(value is UNSET or value is None for value in msgspec.structs.astuple(parsed)):
                return None
            result = convert(parsed, reading, 0)
        except (_Unusual, ValueError, RecursionError):
            return None
        return result if _is_faithful(document, reading.members) else None


def _parser(kind: Any) -> Callable[[bytes], Any]:
    """Return the function that parses JSON to a class or a union of classes.

    Numbers with a point or an exponent remain texts, so that they stay exact.
    """
    return msgspec.json.Decoder(kind, float_hook=str).decode


def _is_faithful(document: bytes, members: int) -> bool:
    """Return True if parsing lost nothing. `members` is the number of names that were read.

    msgspec reads -0 as 0, and keeps only the last value of a repeated name. Each name in a document is
    followed by `":`, so a name is repeated if the document contains more `":` than names that were read. The
    result may be False although nothing was lost: if a string contains `":`, or if there is white space
    before a colon.
    """
    if document.count(b'":') != members or _SPACE_BEFORE_COLON.search(document):
        return False
    if any(
        space in document and before_colon in document for space, before_colon in _RARE_SPACE_BEFORE_COLON
    ):
        return False
    return not (_MAY_BE_MINUS_ZERO.search(document) and _MINUS_ZERO.search(document))


class _Builder:
    """Builds, for a type, the class of its parsed objects and the function that converts these objects."""

    def __init__(self, codec: Codec) -> None:
        self._codec = codec
        self._pairs: dict[str, _Pair | None] = {}
        self._unfinished: set[str] = set()

    def pair(self, name: str) -> _Pair | None:
        """Return the class of a type's parsed objects, and the function that converts these objects.

        Return None if the type is not supported, or if types are nested more than `_DEEPEST_TYPES` deep.
        """
        if name not in self._pairs:
            if len(self._unfinished) == _DEEPEST_TYPES:
                return None
            self._unfinished.add(name)
            self._pairs[name] = self._build(name)
            self._unfinished.discard(name)
        return self._pairs[name]

    def _build(self, name: str) -> _Pair | None:
        row = self._codec.row(name)
        fields = [field for field in self._codec.fields(name) if not field.row.refused]
        if row.unknown or row.abstract or row.holder or not all(map(_is_usual, fields)):
            return None
        keys = {_value(index): _key(field) for index, field in enumerate(fields)}
        if len(set(keys.values())) < len(fields):
            return None  # only the tree can tell two fields with the same JSON name apart
        source = _Source(self._codec.kind(name), self._codec.defaults(name), len(fields))
        types: list[tuple[str, Any, Any]] = []  # Any: the class of a value, as msgspec expects it
        for index, field in enumerate(fields):
            if field.leaf is not None and not field.is_list:
                source.add_text(index, field, field.leaf)
                kind: Any = Any
            else:
                kind, read = self._nested(field)
                source.add_nested(index, field, read)
            optional = kind if kind in (Any, msgspec.Raw) else kind | UnsetType | None
            types.append((_value(index), optional, UNSET))
        return _parsed_class(name, types, keys), source.function()

    def _nested(self, field: Field) -> tuple[Any, _ReadValue]:
        """Return, for a field that holds structs or a list, the annotation of its values after parsing.

        Also return the function that converts these values to the values of the field.
        """
        if field.holds in self._unfinished:
            return msgspec.Raw, self._later(field)
        kind, item = self._item(field)
        many: Any = kind if kind is Any else kind | GenericAlias(list, (kind,))
        if field.item:
            wrapper = _parsed_class("List", [("items", many)], {"items": local_name(field.item)})
            return wrapper, _wrapped_list_reader(item)
        return (many, _list_reader(item)) if field.repeats else (kind, item)

    def _item(self, field: Field) -> tuple[Any, _ReadValue]:
        """Return the class of one parsed value of a field, or of one item of its list.

        Also return the function that converts this value or item.
        """
        if field.holds:
            return self.pair(field.holds) or (Any, _refuse)
        if field.leaf is None:
            return Any, _refuse
        # An empty text means the default, except in a list with a wrapper element.
        return Any, _item_reader(field.leaf, may_be_empty=field.default_text is None or bool(field.item))

    def _later(self, field: Field) -> _ReadValue:
        """Return the function for a field whose type contains itself.

        The function gets the value as JSON that is not parsed yet (`msgspec.Raw`), and parses it.
        """

        @cache
        def functions() -> tuple[Callable[[bytes], Any], _ReadValue]:
            kind, convert = self._nested(field)
            return _parser(kind | None), convert

        def read(value: Any, reading: _Reading, depth: int) -> object:
            if depth > _DEEPEST:
                raise _Unusual
            parse, convert = functions()
            parsed = parse(value)
            return None if parsed is None else convert(parsed, reading, depth)

        return read


def _parsed_class(
    name: str, fields: Sequence[tuple[str, Any] | tuple[str, Any, Any]], keys: dict[str, str]
) -> type[msgspec.Struct]:
    """Return a class for parsed objects. `keys` has the JSON name of each field; other names are refused."""
    return msgspec.defstruct(f"Parsed{name}", fields, rename=keys, forbid_unknown_fields=True, gc=False)


class _Source:
    """Source of the function that converts a parsed object of a type to an object of the class `kind`.

    For a type with the fields `name` (text), `price` (a number) and `tags` (a list), it is:

        def convert(parsed, reading, depth):
            members = 3
            v0, v1, v2 = astuple(parsed)
            try:
                if v0.__class__ is str:
                    pass
                elif ...  # absent, or a number or Boolean
                if v1.__class__ is str:
                    v1 = quick1(v1)
                elif ...
            except refusals:
                ...  # the same with functions that accept all valid texts
            if v2 is UNSET: ...
            else: v2 = nested2(v2, reading, depth + 1)
            reading.members += members
            return kind(name=v0, price=v1, tags=v2)
    """

    def __init__(self, kind: type, defaults: Mapping[str, object], count: int) -> None:
        self._kind = kind
        self._defaults = defaults
        self._names: dict[str, object] = {
            "UNSET": UNSET,
            "Unusual": _Unusual,
            "astuple": msgspec.structs.astuple,
            "kind": kind,
            "refusals": refusals,
        }
        self._count = count
        self._quick: list[str] = []
        self._careful: list[str] = []
        self._nested: list[str] = []
        self._arguments: list[str] = []

    def add_text(self, index: int, field: Field, leaf: Leaf) -> None:
        """Add the field `field`, which has a simple type and is not a list, to the generated function."""
        value = _value(index)
        careful = self._name(f"careful{index}", _text_reader(leaf, may_be_empty=field.default_text is None))
        absent = self._absent(index, field)
        if leaf.parse in INTEGER_BOUNDS:
            low, high = INTEGER_BOUNDS[leaf.parse]
            usual, convert = f"{value}.__class__ is int and {low} <= {value} <= {high}", "pass"
        elif leaf.quick is str:
            usual, convert = f"{value}.__class__ is str", "pass"
        else:
            usual = f"{value}.__class__ is str"
            convert = f"{value} = {self._name(f'quick{index}', leaf.quick)}({value})"
        if field.default_text is not None:  # an empty text means the default, which the tree knows
            usual += f" and {value} != ''"
        otherwise = ["else:", f"    {value} = {careful}({value})"]
        self._quick += [f"if {usual}:", f"    {convert}", f"el{absent[0]}", *absent[1:], *otherwise]
        self._careful += [*absent, *otherwise]
        self._arguments.append(f"{field.python}={value}")

    def add_nested(self, index: int, field: Field, read: _ReadValue) -> None:
        """Add a field with a struct or a list.

        `read` converts the parsed value. If it returns None, the field counts as absent.
        """
        value = _value(index)
        nested = self._name(f"nested{index}", read)
        convert = f"{value} = {nested}({value}, reading, depth + 1)"
        absent = self._absent(index, field)
        empty = [f"if {value} is None:", absent[-1]]
        self._nested += [*absent, "else:", f"    {convert}", *(f"    {line}" for line in empty)]
        self._arguments.append(f"{field.python}={value}")

    def function(self) -> _ReadValue:
        """Compile the source and return the function."""
        values = "".join(f"{_value(index)}, " for index in range(self._count))
        unpack = [f"members = {self._count}", f"{values}= astuple(parsed)" if values else "pass"]
        lines = ["def convert(parsed, reading, depth):", *_indented(unpack)]
        if self._quick:
            again = [
                "try:",
                *_indented([*unpack, *self._careful]),
                "except refusals:",
                "    raise Unusual from None",
            ]
            lines += _indented(["try:", *_indented(self._quick), "except refusals:", *_indented(again)])
        arguments = ", ".join(self._arguments)
        lines += _indented([*self._nested, "reading.members += members", f"return kind({arguments})"])
        # The source has only numbers and the names of fields, which are identifiers.
        exec(compile("\n".join(lines), f"<converter of {self._kind.__name__}>", "exec"), self._names)
        return cast("_ReadValue", self._names["convert"])

    def _name(self, name: str, value: object) -> str:
        """Make `value` available to the source under the name `name`. Return `name`."""
        self._names[name] = value
        return name

    def _absent(self, index: int, field: Field) -> list[str]:
        """Return the lines of the source that handle a field without a value.

        A field has no value if its name is not in the JSON object, or if its value is null.
        """
        value, default = _value(index), self._defaults.get(field.python, msgspec.NODEFAULT)
        if _is_required(field) or default is msgspec.NODEFAULT:
            use_default = "    raise Unusual"
        elif (factory := getattr(default, "factory", None)) is not None:
            use_default = f"    {value} = {self._name(f'default{index}', factory)}()"
        else:
            use_default = f"    {value} = {self._name(f'default{index}', default)}"
        return [
            f"if {value} is UNSET:",
            "    members -= 1",
            use_default,
            f"elif {value} is None:",
            use_default,
        ]


def _value(index: int) -> str:
    """Return the name (`v0`, `v1`, …) of the field number `index`.

    The class of parsed objects and the source use this name for the field.
    """
    return f"v{index}"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _text_reader(leaf: Leaf, *, may_be_empty: bool) -> _ReadText:
    """Return a function that reads a value of JSON as any valid text of a simple type.

    The function raises an exception of `refusals` if the text is invalid. If `may_be_empty` is False, it also
    refuses an empty text. Such a text means the default of the contract, which only `json_decoding` knows.
    """
    parse = leaf.parse

    def read(value: Any) -> object:
        kind = value.__class__
        if kind is str:
            if not (value or may_be_empty):
                raise ValueError
            return parse(value, _STRICT, _STRICT)
        if kind is int:
            return parse(str(value), _STRICT, _STRICT)
        if kind is bool:
            return parse(_BOOLEANS[value], _STRICT, _STRICT)
        raise _Unusual

    return read


def _item_reader(leaf: Leaf, *, may_be_empty: bool) -> _ReadValue:
    """Return the function that reads an item of a list of simple values. See `_text_reader`."""
    text = _text_reader(leaf, may_be_empty=may_be_empty)

    def read(value: Any, reading: _Reading, depth: int) -> object:
        try:
            return text(value)
        except refusals:
            raise _Unusual from None

    return read


def _list_reader(item: _ReadValue) -> _ReadValue:
    """Return the function that reads an array. `item` is the function for one item.

    A value that is not an array is read as an array of one item. An empty array is read as None.
    """

    def read(value: Any, reading: _Reading, depth: int) -> object:
        return _items(value, item, reading, depth) or None

    return read


def _wrapped_list_reader(item: _ReadValue) -> _ReadValue:
    """Return the function that reads a list with a wrapper: an object with one name, whose value is the list.

    `item` is the function for one item.
    """

    def read(value: Any, reading: _Reading, depth: int) -> object:
        reading.members += 1
        return _items(value.items, item, reading, depth)

    return read


def _items(value: Any, read: _ReadValue, reading: _Reading, depth: int) -> list[object]:
    if value.__class__ is not list:
        return [read(value, reading, depth)]
    check_deadline, items = reading.check_deadline, []
    for item in value:
        check_deadline()
        items.append(read(item, reading, depth))
    return items


def _refuse(value: Any, reading: _Reading, depth: int) -> NoReturn:
    """Raise _Unusual, because this reader does not support the type of the value."""
    raise _Unusual


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
    """Return the JSON name of a field."""
    return {"attribute": f"@{field.name}", "text": "$"}.get(field.kind, field.name)
