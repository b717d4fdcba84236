"""The Arrow types for the simple types of contracts, in lists and in exported files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

KINDS: Final[Mapping[str, str]] = {
    "boolean": "bool_",
    "decimal": "number",
    "exact_float": "number",
    "exact_double": "number",
    "endless_float": "number",
    "endless_double": "number",
    "float": "float64",
    "double": "float64",
    "date_time": "moment",
    "local_date_time": "moment",
    "date": "date32",
    "day": "date32",
    "integer": "whole",
    "non_negative_integer": "whole",
    "positive_integer": "whole",
    "non_positive_integer": "whole",
    "negative_integer": "whole",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "byte": "int8",
    "unsigned_long": "uint64",
    "unsigned_int": "uint32",
    "unsigned_short": "uint16",
    "unsigned_byte": "uint8",
    "base64_binary": "binary",
    "hex_binary": "binary",
}
"""Scalar → the name of a pyarrow type, or a name from `arrow.py`: `number` (decimal), `whole` (unbounded
integer), `moment` (date-time). Scalars that are not listed are text (`string`)."""

LISTS: Final = frozenset({"nm_tokens", "id_refs", "entities"})
"""Scalars that are lists of strings."""


def kind_of(scalar: str) -> str:
    """Return the kind of column (a value of `KINDS`, or `string`) for a simple type.

    `scalar` is the name of the type, as in `FieldRow.type`. A format after a colon is ignored, such as the
    ten digits in `integer:10`.
    """
    return KINDS.get(scalar.partition(":")[0], "string")
