"""XSD's types as Arrow's, without loss: what the columns of an export are in tables and Parquet files.

Importing this needs pyarrow, the extra `arrow`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import pyarrow as pa

from soapclient.errors import ConfigError
from soapclient.runtime.settings import Column

# 29 digits before the point and 9 after: more than money needs, and what databases have as NUMERIC.
NUMBER: Final = pa.decimal128(38, 9)
WHOLE: Final = pa.decimal128(38, 0)  # xsd:integer has no bounds; what does not fit is an error
MOMENT: Final = pa.timestamp("us", "UTC")  # the instant; the offset it was written with is not kept

_TYPES: Final[Mapping[str, pa.DataType]] = {
    "xsd:string": pa.string(),
    "xsd:anyURI": pa.string(),
    "xsd:boolean": pa.bool_(),
    "xsd:decimal": NUMBER,
    "xsd:float": NUMBER,  # amounts, which are decimal text on the wire (record.md 4): never a binary float
    "xsd:double": NUMBER,
    "xsd:dateTime": MOMENT,
    "xsd:date": pa.date32(),
    "xsd:integer": WHOLE,
    "xsd:nonNegativeInteger": WHOLE,
    "xsd:positiveInteger": WHOLE,
    "xsd:long": pa.int64(),
    "xsd:int": pa.int32(),
    "xsd:short": pa.int16(),
    "xsd:byte": pa.int8(),
    "xsd:unsignedLong": pa.uint64(),
    "xsd:unsignedInt": pa.uint32(),
    "xsd:unsignedShort": pa.uint16(),
    "xsd:unsignedByte": pa.uint8(),
}


def schema_for(known: Iterable[Column], columns: Iterable[str] = ()) -> pa.Schema:
    """Return the schema: the contract's columns in its order, then those of `columns` it does not know.

    The latter are text. Every column may be null. Raises ConfigError for a type that is none of XSD's.
    """
    fields = {column.name: _type_of(column) for column in known}
    for name in columns:
        fields.setdefault(name, pa.string())
    return pa.schema([pa.field(name, kind) for name, kind in fields.items()])


def _type_of(column: Column) -> pa.DataType:
    if column.type not in _TYPES:
        raise ConfigError(
            "contract",
            f"the column table gives {column.name} the type {column.type}, which is none of XSD's",
            "Correct contracts.toml and generate the bindings again",
        )
    return _TYPES[column.type]
