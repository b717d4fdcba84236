"""Decode the XML attributes of elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.runtime.any_element import XSI_TYPE, keep_attribute
from soapclient.runtime.errors import DecodeError, local_name, path_of
from soapclient.runtime.fields import Field, Types
from soapclient.runtime.nil import ANY, NIL_ATTRIBUTE, says_nil, says_nothing
from soapclient.runtime.protocols import Kept, Node, Reader
from soapclient.runtime.simple_types import Skipped, no_attributes, refusals
from soapclient.runtime.string_types import Q_NAME

# Array types of SOAP's encodings are not types of the contract (SOAP 1.1 5.4.2, SOAP 1.2 part 2 3).
_ENCODINGS = (
    "{http://schemas.xmlsoap.org/soap/encoding/}",
    "{http://www.w3.org/2003/05/soap-encoding}",
)
T = TypeVar("T")

_XSD_TYPE = LazyPattern(r"\(xsd:(\w+)\)")
_BYTES = "base64Binary"


def own_type(node: Node, reader: Reader, xsi_type: str, declared: str, simple: str | None = None) -> None:
    """Check that an `xsi:type` names the element's own type. If it does not, report the value to `reader`.

    - `xsi_type`: the value of the attribute `xsi:type`.
    - `declared`: the qualified name of the type in the contract.
    - `simple`: for a simple type, the local name of the built-in type on which it is based, such as `int`.
      This name is accepted in every namespace, because services use different namespaces for it. None for a
      complex type, for which all types of SOAP encoding, such as `Array`, are accepted, too.
    """
    try:
        name = Q_NAME.parse(xsi_type, reader, node)
    except ValueError:  # an undeclared prefix
        reader.unknown_value(node, xsi_type)
        return
    encoded = name.startswith(_ENCODINGS)
    is_declared = (
        encoded
        if simple is None
        else local_name(name) == ("base64" if encoded and simple == _BYTES else simple)
    )
    if not (is_declared or name == declared):
        reader.unknown_value(node, xsi_type)


def attributes_of(types: Types, field: Field) -> tuple[str, ...]:
    """Return the names of attributes that an element of a field may have. `ANY` means any attribute."""
    if not field.holds:
        return () if field.leaf else (ANY,)
    fields = types.fields(field.holds)
    if types.is_open(field.holds) or any(inner.kind == "any_attributes" for inner in fields):
        return (ANY,)
    return tuple(inner.tag for inner in fields if inner.kind == "attribute")


def simple_names(types: Types, field: Field) -> tuple[str, str]:
    """Return the name of a field's simple type, and the name of the built-in type on which it is based.

    - The first name is "" if the simple type is anonymous, built in or an enumeration.
    - The second name is "" if there is not exactly one such built-in type, as for a list or a union.
    """
    declared = types.schema.tag(field.row.declared) if field.row.declared else ""
    match = None if field.leaf is None or field.row.type[0] in "[(" else _XSD_TYPE.search(field.leaf.expected)
    return declared, match[1] if match else ""


class Attributes:
    """Reader for the attributes of elements of one type.

    - `named`: maps the name of an attribute to its Python name and to a function that quickly converts common
      texts.
    - `declared`: the qualified name that `xsi:type` must have; "" if `xsi:type` may name a derived type.
    - `simple`: if the element is a message that consists of a simple value, the local name of the value's
      built-in type. `xsi:type` may then name this type instead of `declared`. None for all other elements.
    - `lenient`: True for an element that is optional and not nillable. If it has `xsi:nil` anyway, it is read
      as None.
    - `nil_asked`: True if the caller checks `xsi:nil`, so that this attribute is not reported as unknown.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        *,
        declared: str,
        simple: str | None = None,
        lenient: bool,
        nil_asked: bool,
    ) -> None:
        self.fields = [field for field in fields if field.kind == "attribute"]
        self._wild = [(field.python, field.wilds) for field in fields if field.kind == "any_attributes"]
        places = [(field.tag, field) for field in self.fields]
        places += [(tag, field) for field in fields for kind, tag in field.elsewhere if kind == "attribute"]
        self._places = {tag: field for tag, field in places if field.leaf is not None}
        self.named = {
            tag: (field.python, field.leaf.quick)
            for tag, field in places
            if field.leaf is not None and not field.elsewhere
        }
        self.absents = [field for field in self.fields if field.row.default is not None]
        self.declared_names = (ANY,) if self._wild else tuple(self._places)
        self._declared = declared
        self._simple = simple
        self._bare = not (self._places or self._wild)
        self._nil_asked = nil_asked
        self._lenient = lenient

    def read(self, values: dict[str, Any], node: Node, reader: Reader, unknown: Kept | None = None) -> bool:
        """Read the attributes of an element into `values`, a dict by Python name.

        Unknown attributes are reported to `reader`, and added to the dict `unknown` if it is not None. Return
        True if the element must be read as None, because it is optional and not nillable but has `xsi:nil`.
        """
        if self._lenient and says_nothing(node, reader):
            return True
        if self._bare and unknown is None and not (self._nil_asked and says_nil(node)):
            self._report_all(node, reader)
            return False
        for name, raw in node.items():
            field = self._places.get(name)
            if field is None and self._nil_asked and name == NIL_ATTRIBUTE:
                continue
            if field is None:
                self._read_other(values, node, reader, name, raw)
                if unknown is not None:
                    keep_attribute(unknown, name, raw)
                continue
            assert field.leaf is not None  # true for all fields in `_places`
            try:
                value = field.leaf.attribute(node, reader, name, raw, skippable=field.may_be_none)
            except Skipped:
                continue
            values[field.python] = same(node, values.get(field.python), value) if field.elsewhere else value
        return False

    def _report_all(self, node: Node, reader: Reader) -> None:
        if node.keys():
            no_attributes(node, reader)
            xsi_type = node.get(XSI_TYPE)
            if xsi_type is not None:
                self._check_xsi_type(node, reader, xsi_type)

    def _read_other(self, values: dict[str, Any], node: Node, reader: Reader, name: str, raw: str) -> None:
        for python, wilds in self._wild:
            if any(wild.takes_attribute(name) for wild in wilds):
                values.setdefault(python, {})[name] = raw
                return
        if name == XSI_TYPE:
            self._check_xsi_type(node, reader, raw)
        else:
            reader.unknown_attribute(node, name)

    def _check_xsi_type(self, node: Node, reader: Reader, xsi_type: str) -> None:
        if self._declared or self._simple is not None:
            own_type(node, reader, xsi_type, self._declared, self._simple)

    def defaults(self, values: dict[str, Any], node: Node, reader: Reader) -> None:
        """Add the contract's defaults for absent attributes to `values`."""
        for field in self.absents:
            if field.python not in values and field.leaf is not None and field.default_text is not None:
                try:
                    values[field.python] = field.leaf.parse(field.default_text, reader, node)
                except refusals:
                    continue  # the contract's default is not valid for its type


def same(node: Node, earlier: T | None, value: T) -> T:
    """Return `value`. Raises DecodeError if `earlier` is not None and differs from `value`.

    A response can contain a field at several places, and the values must agree. `earlier` is the value from a
    place that was read before. The path of `node` is part of the error.
    """
    if earlier is not None and earlier != value:
        raise DecodeError(
            path_of(node),
            str(value),
            f"{earlier!r}, the value that another part of the response has for this field",
        )
    return value
