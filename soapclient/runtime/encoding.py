"""Encode structs as XML elements, as the `schema.json` of a generated package describes them.

Attributes are written first, then child elements in the schema's order. Writers raise EncodeError with the
path of the invalid field. The caller must then discard the partly written element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lxml import etree

from soapclient.runtime.any_element import XSI_TYPE, AnyElement, append_any, write_anything
from soapclient.runtime.any_type import AnyTypes
from soapclient.runtime.binary import BASE64, fill_binary
from soapclient.runtime.elements import Element, qname_text
from soapclient.runtime.errors import REQUIRED, EncodeError, local_name
from soapclient.runtime.fields import Field, Types, Write
from soapclient.runtime.nil import NIL, NIL_ATTRIBUTE
from soapclient.runtime.schema import MIXED

_child = etree.SubElement
Put = Callable[[Element, Any, str], None]  # (the parent, the field's value, the parent's path)
_ORDER = {"nil": 0, "attribute": 1, "any_attributes": 2}  # so a wildcard never replaces a declared attribute


class Encoder:
    """The writers (encoding functions) for the types of a package. Each writer is built on first use."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._write_any_type = AnyTypes(types).writer(lambda name: self.writer(name, exact=True))
        self._writers: dict[tuple[str, bool], Write] = {}

    def writer(self, name: str, *, exact: bool = False) -> Write:
        """Return the function that fills an element with a value of a type.

        The writer for a model group fills the element that contains the group. If `exact` is True, values of
        derived types are errors.
        """
        fill_element = self._writers.get((name, exact))
        if fill_element is None:
            make = (
                self._derived_type_writer if not exact and self._types.is_open(name) else self._struct_writer
            )
            fill_element = self._writers[name, exact] = make(name)
        return fill_element

    def _struct_writer(self, name: str) -> Write:
        kind = self._types.kind(name)
        fields = sorted(self._types.fields(name), key=lambda field: _ORDER.get(field.kind, 3))
        puts: list[tuple[str, bool, Put]] = []
        for index, field in enumerate(fields):
            puts.append((field.python, _is_optional(field), self._lazy_put(field, puts, index)))
        check = self._struct_check(name, fields)
        nil = next((field.python for field in fields if field.kind == "nil"), None)

        def write(value: Any, node: Element, path: str) -> None:
            if type(value) is not kind:
                _check_type(value, kind, path)
            if check is not None:
                check(value, path)
            if nil is not None and getattr(value, nil):
                _write_nil(value, node, path, fields, puts)
                return
            for python, is_optional, put in puts:
                field_value = getattr(value, python)
                if field_value is not None or not is_optional:
                    put(node, field_value, path)

        return write

    def _derived_type_writer(self, name: str) -> Write:
        """Return the writer for a type with derived types. It sets `xsi:type` for derived types."""
        names = self._types.standing_for(name)
        by_class = {self._types.kind(name): name for name in names}
        abstract = {name for name in names if self._types.row(name).abstract}

        def write(value: Any, node: Element, path: str) -> None:
            match = by_class.get(type(value))
            if match is None:
                match = next((by_class[kind] for kind in type(value).__mro__ if kind in by_class), None)
            if match is None or match in abstract:
                concrete = ", ".join(name for name in names if name not in abstract)
                raise EncodeError(path, value, f"one of {concrete}")
            if match != name:
                node.set(XSI_TYPE, qname_text(node, self._types.xml_name(match)))
            self.writer(match, exact=True)(value, node, path)

        return write

    def _lazy_put(self, field: Field, puts: list[tuple[str, bool, Put]], index: int) -> Put:
        """Return a function that writes the field's value. It builds the field's writer on first use.

        `puts` has a tuple for each field of a type: the field's Python name, True if the field is omitted
        when it is None, and its writer. `index` is the position of this field in `puts`. The built writer is
        stored at this position, in place of the returned function. It cannot be built earlier, because types
        can refer to one another in cycles.
        """

        def first(node: Element, value: Any, path: str) -> None:
            put = self._put(field)
            puts[index] = (field.python, _is_optional(field), put)
            put(node, value, path)

        return first

    # ---- fields

    def _put(self, field: Field) -> Put:
        name, row = field.name, field.row
        if row.refused:
            return _put_refused(field)
        if field.kind == "nil":
            return lambda node, value, path: None
        if field.kind == "content":
            write = write_anything if row.type == MIXED else self._write_any_type
            return lambda node, value, path: write(value, node, path)
        if field.kind == "attribute":
            return _put_attribute(field)
        if field.kind == "any_attributes":
            return lambda node, value, path: _put_attributes(node, value, path, name)
        if field.kind == "text":
            return _put_text(field)
        simple = field.leaf is not None and row.type != BASE64
        if simple and not (field.repeats or field.item or field.holds or row.nil):
            return _put_leaf(field)
        put_one = self._put_one(field)
        if field.repeats:
            return _put_list(
                name, put_one, field.least and not row.rest_optional and not self._can_be_empty(field)
            )
        least, fixed, tag = field.least, row.fixed, field.tag

        def put(node: Element, value: Any, path: str) -> None:
            path = f"{path}/{name}"
            if value is None and least and not row.nil:
                if fixed is None or not tag:
                    raise required(path)
                _child(node, tag).text = fixed
            else:
                put_one(node, None if value is NIL and row.nil else value, path)

        return put

    def _put_one(self, field: Field) -> Put:
        """Return the function that appends one value of a field to an element.

        The last argument of the function is the path of the value, for errors. (The functions that `_put`
        returns take the path of the parent instead.)
        """
        if field.kind == "any":
            return append_any
        if field.kind == "group":
            write = self.writer(field.holds)
            return lambda node, value, path: write(value, node, path)
        fill, row = self._fill_writer(field), field.row
        if not field.item:
            return self._nillable(field.tag, fill, field) if row.nil else _put_element(field.tag, fill)
        item = self._nillable(field.item, fill, field) if row.nil_item else _put_element(field.item, fill)
        tag, put_list = field.tag, _put_list(local_name(field.item), item, False)
        return lambda node, values, path: put_list(_child(node, tag), values, path)

    def _fill_writer(self, field: Field) -> Write:
        if field.holds:
            return self._partial_writer(field) if field.row.partial else self.writer(field.holds)
        if field.leaf is None:
            return self._write_any_type
        return _fill_text(field)

    def _nillable(self, tag: str, fill: Write, field: Field) -> Put:
        # A nil element must still have its required attributes.
        fields = self._types.fields(field.holds) if field.holds else ()
        required_attribute = next(
            (item.name for item in fields if item.kind == "attribute" and item.least), ""
        )

        def put(node: Element, value: Any, path: str) -> None:
            inner = _child(node, tag)
            if value is not None:
                fill(value, inner, path)
            elif required_attribute:
                reason = f"it cannot be nil, because its attribute {required_attribute} is required"
                raise EncodeError(path, value, "a value", reason)
            else:
                inner.set(NIL_ATTRIBUTE, "true")

        return put

    def _can_be_empty(self, field: Field) -> bool:
        """Return True if the field is a repeated model group whose elements may all be absent.

        In a choice, one optional element is enough for this. In other groups, all elements must be optional.
        """
        if not self._types.recurs(field):
            return False
        optional = [not item.least or self._can_be_empty(item) for item in self._types.fields(field.holds)]
        return any(optional) if self._types.row(field.holds).holder == "choice" else all(optional)

    def _partial_writer(self, field: Field) -> Write:
        """Return the writer for a field that accepts a complete value or a dict of changed fields."""
        kind, write_struct = self._types.kind(field.holds), self.writer(field.holds)
        fields = [item for item in self._types.fields(field.holds) if not item.row.refused]
        puts = {item.python: self._put(item) for item in fields}
        check = _branch_check(fields)
        allowed = f"a {kind.__name__}, or a dict of its changed fields"

        def write(value: Any, node: Element, path: str) -> None:
            if isinstance(value, kind):
                write_struct(value, node, path)
                return
            if not isinstance(value, Mapping):
                raise EncodeError(path, value, allowed)
            for name in value:
                if name not in puts:
                    raise EncodeError(path, name, ", ".join(puts), "unknown field")
            if check is not None:
                check(value.get, path)
            for name, put in puts.items():
                if name in value:
                    put(node, value[name], path)

        return write

    def _struct_check(self, name: str, fields: list[Field]) -> Callable[[Any, str], None] | None:
        """Return a function that raises EncodeError if too many or too few fields of a struct are set.

        In a substitution group, exactly one field must be set. In a choice, only fields of one alternative
        may be set (see `_branch_check`). The function takes the struct and its path. Returns None if the type
        is not a substitution group and has no choices.
        """
        if self._types.row(name).holder == "substitution":
            names = [field.python for field in fields]

            def exactly_one(value: Any, path: str) -> None:
                if sum(getattr(value, name) is not None for name in names) != 1:
                    raise EncodeError(path, value, "a value with exactly one field set")

            return exactly_one
        check = _branch_check(fields)
        return None if check is None else lambda value, path: check(lambda name: getattr(value, name), path)


def required(path: str) -> EncodeError:
    """Return the error for a required field that is None."""
    return EncodeError(path, None, "a value", REQUIRED)


def _check_type(value: object, kind: type, path: str) -> None:
    """Raise EncodeError unless the class of `value` is exactly `kind`.

    The fields of a subclass would be lost.
    """
    if not isinstance(value, kind):
        raise EncodeError(path, value, f"a {kind.__name__}")
    if type(value) is not kind:
        raise EncodeError(path, value, f"a {kind.__name__}", "an instance of a subclass cannot be sent")


def _is_optional(field: Field) -> bool:
    """Return True if the field is omitted when its value is None."""
    if field.kind in ("text", "any_attributes"):
        return False
    return (
        field.kind == "nil"
        or bool(field.row.refused)
        or field.row.rest_optional
        or not (field.least or field.repeats)
    )


def _put_refused(field: Field) -> Put:
    """Return the writer for a field that the service no longer accepts.

    The writer always raises EncodeError.
    """
    shown, reason = field.shown, field.row.refused

    def put(node: Element, value: Any, path: str) -> None:
        raise EncodeError(f"{path}/{shown}", value, "nothing", reason)

    return put


def _put_leaf(field: Field) -> Put:
    """Return the writer for an element of a simple type that occurs at most once, like most fields."""
    name, least, fixed, tag = field.name, field.least, field.row.fixed, field.tag
    text, child = _text_writer(field), _child

    def put(node: Element, value: Any, path: str) -> None:
        path = f"{path}/{name}"
        if value is not None or not least:
            inner = child(node, tag)
            inner.text = text(value, inner, path)
        elif fixed is None or not tag:
            raise required(path)
        else:
            child(node, tag).text = fixed

    return put


def _put_attribute(field: Field) -> Put:
    key, name, least, fixed = field.tag, field.name, field.least, field.row.fixed
    text = _text_writer(field)

    def put(node: Element, value: Any, path: str) -> None:
        path = f"{path}/@{name}"
        if value is not None:
            node.set(key, text(value, node, path))
        elif fixed is not None and least:
            node.set(key, fixed)
        elif least:
            raise required(path)

    return put


def _put_text(field: Field) -> Put:
    """Return the writer for the text of an element with attributes. It writes None as nil, if allowed."""
    fill, nil = _fill_text(field), field.row.nil

    def put(node: Element, value: Any, path: str) -> None:
        if value is not None:
            fill(value, node, path)
        elif nil:
            node.set(NIL_ATTRIBUTE, "true")
        else:
            raise required(path)

    return put


def _text_writer(field: Field) -> Callable[[Any, Element, str], str]:
    """Return the function that converts a value of a field to text.

    The function raises EncodeError if the value is invalid, or if the service no longer accepts it.
    """
    leaf, reasons = field.leaf, field.row.refused_values
    assert leaf is not None
    if not reasons:
        return leaf.put

    def text(value: Any, node: Element, path: str) -> str:
        if isinstance(value, str) and value in reasons:
            raise EncodeError(path, value, "", reasons[value])
        return leaf.put(value, node, path)

    return text


def _fill_text(field: Field) -> Write:
    """Return the function that sets the text of an element to a value."""
    text = _text_writer(field)

    def fill(value: Any, node: Element, path: str) -> None:
        node.text = text(value, node, path)

    return fill_binary(field, fill) if field.row.type == BASE64 else fill


def _put_attributes(node: Element, values: Any, path: str, name: str) -> None:
    """Write attributes that are allowed by an attribute wildcard.

    Raises EncodeError for attributes that the contract declares, because they have their own fields. `name`
    is the name of the wildcard's field, for the path in errors.
    """
    path = f"{path}/{name}"
    if not isinstance(values, Mapping):
        raise EncodeError(path, values, "a dict of strings")
    for key, value in values.items():
        try:
            if node.get(key) is not None:
                raise EncodeError(path, key, "the name of an attribute that does not have its own field")
            node.set(key, value)
        except (ValueError, TypeError) as error:
            if isinstance(error, EncodeError):
                raise
            raise EncodeError(
                path, key, "valid XML names, and texts of characters that XML allows", str(error)
            ) from None


def _put_element(tag: str, fill: Write) -> Put:
    return lambda node, value, path: fill(value, _child(node, tag), path)


def _put_list(name: str, put_one: Put, least: bool) -> Put:
    def put(node: Element, values: Any, path: str) -> None:
        path = f"{path}/{name}"
        if least and (values is None or (isinstance(values, list | tuple) and not values)):
            raise required(path)
        if not isinstance(values, list | tuple):
            raise EncodeError(path, values, "a list")
        for number, value in enumerate(values, 1):
            put_one(node, value, f"{path}[{number}]")

    return put


# ---- messages that are nil, choices


def _write_nil(
    value: Any, node: Element, path: str, fields: list[Field], puts: list[tuple[str, bool, Put]]
) -> None:
    """Write `value`, which is nil, into `node`: set xsi:nil, and write its attributes.

    `fields` are the fields of its type. `puts` has a tuple for each field: its Python name, True if it is
    omitted when it is None, and its writer. Raises EncodeError if the value has content, too.
    """
    node.set(NIL_ATTRIBUTE, "true")
    for field, (python, is_optional, put) in zip(fields, puts, strict=True):
        field_value = getattr(value, python)
        if field.kind == "content" and field_value is not None:
            if not isinstance(field_value, AnyElement) or field_value.text or field_value.children:
                raise EncodeError(
                    f"{path}/{python}",
                    field_value,
                    "no content",
                    "the element is nil, so it cannot have content",
                )
            put(node, field_value, path)
        elif field.kind in _ORDER:
            if field_value is not None or not is_optional:
                put(node, field_value, path)
        elif field_value is not None and field_value != []:
            raise EncodeError(
                f"{path}/{field.name}", field_value, "None", "the element is nil, so it cannot have content"
            )


def _branch_check(fields: list[Field]) -> Callable[[Callable[[str], Any], str], None] | None:
    """Return a function that raises EncodeError if fields of different branches of a choice are set.

    A branch is one alternative of an xs:choice. The returned function takes two arguments: a function that
    returns the value of a field by its name, and the path of the element. If no field belongs to a choice,
    None is returned.
    """
    arms = [(field.python, field.shown, field.arms) for field in fields if field.arms]
    if not arms:
        return None

    def check(get: Callable[[str], Any], path: str) -> None:
        chosen: dict[str, tuple[int, str]] = {}
        for python, shown, places in arms:
            field_value = get(python)
            if field_value is None or field_value == []:
                continue
            for choice, arm in places:
                first, other = chosen.setdefault(choice, (arm, shown))
                if first != arm:
                    reason = "only one alternative of a choice can be sent"
                    raise EncodeError(f"{path}/{shown}", field_value, f"no value if {other} is set", reason)

    return check
