"""XSD's built-in simple types: each one's scalar in the bindings' run time, and its Python type."""

from __future__ import annotations

from bindgen.model import Simple

XSD = "http://www.w3.org/2001/XMLSchema"

_TABLE = {
    "string": ("STRING", "str"),
    "anyURI": ("ANY_URI", "str"),
    "boolean": ("BOOLEAN", "bool"),
    "decimal": ("DECIMAL", "Decimal"),
    "float": ("EXACT_FLOAT", "Decimal"),
    "double": ("EXACT_DOUBLE", "Decimal"),
    "dateTime": ("DATE_TIME", "dt.datetime"),
    "date": ("DATE", "dt.date"),
    "integer": ("INTEGER", "int"),
    "nonNegativeInteger": ("NON_NEGATIVE_INTEGER", "int"),
    "positiveInteger": ("POSITIVE_INTEGER", "int"),
    "long": ("LONG", "int"),
    "int": ("INT", "int"),
    "short": ("SHORT", "int"),
    "byte": ("BYTE", "int"),
    "unsignedLong": ("UNSIGNED_LONG", "int"),
    "unsignedInt": ("UNSIGNED_INT", "int"),
    "unsignedShort": ("UNSIGNED_SHORT", "int"),
    "unsignedByte": ("UNSIGNED_BYTE", "int"),
}
_BINARY = {"float": "FLOAT", "double": "DOUBLE"}

SIMPLE = {f"{{{XSD}}}{name}": Simple(name, scalar, python) for name, (scalar, python) in _TABLE.items()}
BINARY = {name: Simple(name, scalar, "float") for name, scalar in _BINARY.items()}
DAY = Simple("dateTime", "DAY", "dt.date")
