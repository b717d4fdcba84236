"""As which Arrow type a simple type goes into a table: one rule, for lists and for files of exports."""

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
"""Scalar of the rows → the name of a type in pyarrow, or one of ours: `number` is any exact number, `whole`
one without a fraction, `moment` an instant. What is not listed is text (`string`)."""

LISTS: Final = frozenset({"nm_tokens", "id_refs", "entities"})
"""Scalars that are several texts."""


def kind_of(scalar: str) -> str:
    """The kind of a scalar's name, with or without the one form that it is written in (`integer:10`)."""
    return KINDS.get(scalar.partition(":")[0], "string")
