"""Values of `xsd:anyType`: decoded by their `xsi:type`, and encoded with an `xsi:type`.

A value without an `xsi:type`, or with an unknown one, is an `AnyElement`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

import msgspec
from lxml import etree

from soapclient.runtime.any_element import XSI_TYPE, AnyElement, read_any, write_anything
from soapclient.runtime.elements import Element, qname_text
from soapclient.runtime.errors import EncodeError, local_name
from soapclient.runtime.fields import Leaf, Read, Types, Write
from soapclient.runtime.nil import says_nil
from soapclient.runtime.numpy_values import is_foreign, plain_value
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.simple_types import Choice, refusals
from soapclient.runtime.string_types import Q_NAME

_XSD: Final = "{http://www.w3.org/2001/XMLSchema}"
_ENCODINGS: Final = (
    "{http://schemas.xmlsoap.org/soap/encoding/}",
    "{http://www.w3.org/2003/05/soap-encoding}",
)
_INT: Final = 2**31
_LONG: Final = 2**63

# Name in XML Schema -> name in `schema.json`. Values of list types and of QName are kept as AnyElement,
# because a plain list or str could not be sent back.
BUILT_IN: Final[Mapping[str, str]] = {
    "string": "string",
    "boolean": "boolean",
    "decimal": "decimal",
    "float": "endless_float",
    "double": "endless_double",
    "dateTime": "local_date_time",
    "date": "date",
    "time": "time",
    "base64Binary": "base64_binary",
    "hexBinary": "hex_binary",
    "anyURI": "any_uri",
    "duration": "duration",
    "integer": "integer",
    "nonNegativeInteger": "non_negative_integer",
    "positiveInteger": "positive_integer",
    "nonPositiveInteger": "non_positive_integer",
    "negativeInteger": "negative_integer",
    "long": "long",
    "int": "int",
    "short": "short",
    "byte": "byte",
    "unsignedLong": "unsigned_long",
    "unsignedInt": "unsigned_int",
    "unsignedShort": "unsigned_short",
    "unsignedByte": "unsigned_byte",
    "anySimpleType": "any_simple_type",
    "normalizedString": "normalized_string",
    "token": "token",
    "language": "language",
    "Name": "name",
    "NCName": "nc_name",
    "NMTOKEN": "nm_token",
    "ID": "id",
    "IDREF": "id_ref",
    "gYearMonth": "g_year_month",
    "gYear": "g_year",
    "gMonthDay": "g_month_day",
    "gDay": "g_day",
    "gMonth": "g_month",
}


class _Names(NamedTuple):
    """Maps that translate the names of the package's types between XML, Python and `schema.json`."""

    simple_types: dict[str, str]  # name in XML -> name in `schema.json`
    enumerations: dict[type, str]  # class -> name in XML
    structs: dict[str, str]  # name in XML -> name in `schema.json`, of complex types that an element can have


class AnyTypes:
    """Reader and writer for elements of `xsd:anyType` in one package."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._collected: _Names | None = None

    def reader(self, struct_reader: Callable[[str], Read]) -> Read:
        """Return the function that decodes an element of `xsd:anyType`. It selects the type by `xsi:type`.

        `struct_reader(name)` must return the reader for elements of the complex type `name`. That reader must
        ignore `xsi:type`.
        """

        def read(node: Node, reader: Reader) -> Any:
            xsi_type = node.get(XSI_TYPE)
            if xsi_type is None or says_nil(node):
                return read_any(node, reader)
            try:
                name = _in_xsd(Q_NAME.parse(xsi_type, reader, node))
            except ValueError:
                return read_any(node, reader)
            struct = self._names.structs.get(name)
            if struct is not None:
                return struct_reader(struct)(node, reader)
            leaf = self._leaf(name)
            if leaf is None or len(node) or len(node.keys()) > 1:
                return read_any(node, reader)
            text = node.text or ""
            try:
                value = leaf.parse(text, reader, node)
            except refusals:
                reader.unknown_value(node, text)
                return read_any(node, reader)
            if isinstance(value, list):
                return read_any(node, reader)
            if self._simple_type(value) != name:
                reader.shortened(node, xsi_type)  # the value would be sent with another xsi:type
            return value

        return read

    def writer(self, struct_writer: Callable[[str], Write]) -> Write:
        """Return the function that encodes a value as an element of `xsd:anyType`. It sets `xsi:type`.

        `struct_writer(name)` must return the writer for the complex type `name`. That writer must not set
        `xsi:type`.
        """

        def write(value: Any, node: Element, path: str) -> None:
            if isinstance(value, AnyElement):
                write_anything(value, node, path)
                return
            if is_foreign(value):
                value = plain_value(value)
            name = self._type_of(value)
            if name is None:
                allowed = "an AnyElement, a value of a named type of this package, or a plain value such as 5"
                raise EncodeError(path, value, allowed)
            node.set(XSI_TYPE, qname_text(node, name))
            struct = self._names.structs.get(name)
            if struct is not None:
                struct_writer(struct)(value, node, path)
                return
            leaf = self._leaf(name)
            assert leaf is not None  # for all names that `_type_of` returns
            if isinstance(value, float):
                value = Decimal(repr(float(value)))
            node.text = leaf.put(value, node, path)

        return write

    def _type_of(self, value: object) -> str | None:
        """Return the name of the type to send as the `xsi:type` of `value`.

        Returns None if the value cannot be sent.
        """
        if not isinstance(value, msgspec.Struct):
            return self._simple_type(value)
        name = type(value).__name__
        if name not in self._types.schema.types or self._types.kind(name) is not type(value):
            return None
        tag = self._types.xml_name(name)
        return tag if self._names.structs.get(tag) == name else None

    def _simple_type(self, value: object) -> str | None:
        """Return the name of the simple type to send as the `xsi:type` of `value`.

        Returns None if no simple type can represent `value`.
        """
        match value:
            case bool():
                local = "boolean"
            case int():
                local = "int" if -_INT <= value < _INT else "long" if -_LONG <= value < _LONG else "integer"
            case Decimal():
                local = "decimal" if value.is_finite() else "double"
            case float():
                local = "double"
            case dt.datetime():
                local = "dateTime"
            case dt.date():
                local = "date"
            case dt.time():
                local = "time"
            case bytes():
                local = "base64Binary"
            case str():
                return self._names.enumerations.get(type(value), f"{_XSD}string")
            case _:
                return None
        return f"{_XSD}{local}"

    def _leaf(self, name: str) -> Leaf | None:
        """Return the simple type called `name`, or None if the package does not have it."""
        if name.startswith(_XSD):
            scalar = BUILT_IN.get(local_name(name), "")
        else:
            scalar = self._names.simple_types.get(name, "")
        return self._types.leaf(scalar) if scalar else None

    @property
    def _names(self) -> _Names:
        """The names of the package's types, collected on first use."""
        if self._collected is None:
            types, schema = self._types, self._types.schema
            simple_types = {schema.tag(name): scalar for name, scalar in schema.simple_types.items()}
            leaves = ((name, scalar, types.leaf(scalar)) for name, scalar in simple_types.items())
            rows = ((name, types.row(name)) for name in schema.types)
            self._collected = _Names(
                simple_types,
                {types.kind(scalar): name for name, scalar, leaf in leaves if isinstance(leaf, Choice)},
                {
                    types.xml_name(name): name
                    for name, row in rows
                    if not (row.anonymous or row.holder or row.abstract)
                },
            )
        return self._collected


def _in_xsd(name: str) -> str:
    """Convert the name of a SOAP encoding type (`soapenc:int`) to the XSD type's name (`xsd:int`).

    The names are in Clark notation. All other names are returned unchanged.
    """
    if not name.startswith(_ENCODINGS):
        return name
    local = etree.QName(name).localname
    return f"{_XSD}{'base64Binary' if local == 'base64' else local}"
