"""The built-in simple types of XSD, each with its constant in the runtime and its Python type."""

from __future__ import annotations

from bindgen.model import Simple

XSD = "http://www.w3.org/2001/XMLSchema"

# By the module of the runtime that defines the scalar.
_TABLES = {
    "scalars": {
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
        "nonPositiveInteger": ("NON_POSITIVE_INTEGER", "int"),
        "negativeInteger": ("NEGATIVE_INTEGER", "int"),
        "long": ("LONG", "int"),
        "int": ("INT", "int"),
        "short": ("SHORT", "int"),
        "byte": ("BYTE", "int"),
        "unsignedLong": ("UNSIGNED_LONG", "int"),
        "unsignedInt": ("UNSIGNED_INT", "int"),
        "unsignedShort": ("UNSIGNED_SHORT", "int"),
        "unsignedByte": ("UNSIGNED_BYTE", "int"),
    },
    "texts": {
        "anySimpleType": ("ANY_SIMPLE_TYPE", "str"),
        "normalizedString": ("NORMALIZED_STRING", "str"),
        "token": ("TOKEN", "str"),
        "language": ("LANGUAGE", "str"),
        "Name": ("NAME", "str"),
        "NCName": ("NC_NAME", "str"),
        "NMTOKEN": ("NM_TOKEN", "str"),
        "NMTOKENS": ("NM_TOKENS", "list[str]"),
        "ID": ("ID", "str"),
        "IDREF": ("ID_REF", "str"),
        "IDREFS": ("ID_REFS", "list[str]"),
        "ENTITY": ("ENTITY", "str"),
        "ENTITIES": ("ENTITIES", "list[str]"),
        "QName": ("Q_NAME", "str"),
        "NOTATION": ("NOTATION", "str"),
        "duration": ("DURATION", "str"),
        "time": ("TIME", "dt.time"),
        "gYearMonth": ("G_YEAR_MONTH", "str"),
        "gYear": ("G_YEAR", "str"),
        "gMonthDay": ("G_MONTH_DAY", "str"),
        "gDay": ("G_DAY", "str"),
        "gMonth": ("G_MONTH", "str"),
        "base64Binary": ("BASE64_BINARY", "bytes"),
        "hexBinary": ("HEX_BINARY", "bytes"),
    },
}
_BINARY = {"float": "FLOAT", "double": "DOUBLE"}

SIMPLE = {
    f"{{{XSD}}}{name}": Simple(name, scalar, python)
    for table in _TABLES.values()
    for name, (scalar, python) in table.items()
}
BINARY = {name: Simple(name, scalar, "float") for name, scalar in _BINARY.items()}
# Types for packages from users' own WSDLs, instead of the exact ones.
WIDER = {
    strict: Simple(name, wide, python)
    for strict, name, wide, python in (
        ("DATE_TIME", "dateTime", "LOCAL_DATE_TIME", "dt.datetime"),
        ("EXACT_DOUBLE", "double", "ENDLESS_DOUBLE", "Decimal"),
        ("EXACT_FLOAT", "float", "ENDLESS_FLOAT", "Decimal"),
    )
}
SENT_BINARY = Simple("base64Binary", "BASE64_BINARY", "bytes | FileOrStream")  # in requests
DAY = Simple("dateTime", "DAY", "dt.date")
# The scalars that are in the module `texts` of the runtime; the others are in `scalars`.
TEXTS = frozenset(scalar for scalar, _ in _TABLES["texts"].values())
# Types whose values depend on the namespace prefixes in scope.
QUALIFIED = frozenset(("QName", "NOTATION"))
