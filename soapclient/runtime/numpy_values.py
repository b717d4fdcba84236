"""Conversion of numpy and pandas scalars to Python, without importing either library.

Scalars are recognized by the module of their class.
"""

from __future__ import annotations

import datetime as dt
import operator
from typing import Any, Final

_LIBRARIES: Final = ("numpy", "pandas")
_MONTHS: Final = ("datetime64[Y]", "datetime64[M]", "datetime64[W]")  # coarser than a day


def plain_value(value: object) -> object:
    """Convert a numpy or pandas scalar to the Python type: a date, date-time, number, boolean or text.

    Binary floating-point numbers become floats. These values are returned unchanged:

    - missing values (NaT, NA);
    - times that are finer than a microsecond, because Python would have to round them;
    - weeks, months and years (such as `datetime64[M]`);
    - values of all other types.
    """
    if not is_foreign(value):
        return value
    kind = type(value)
    scalar: Any = value
    if kind.__name__ == "datetime64":
        return _from_datetime64(scalar)
    if kind.__name__ == "ndarray":
        return value
    if kind.__name__ == "Timestamp":
        return _from_timestamp(scalar)
    if kind.__name__ in ("bool", "bool_"):
        return bool(scalar)
    if isinstance(value, str):
        return str(value)
    if kind.__name__.startswith("float"):
        return float(scalar)
    try:
        return operator.index(scalar)
    except TypeError:
        return value


def _from_datetime64(value: Any) -> object:
    """Convert a datetime64 to a date (if its unit is days) or to a naive date-time.

    Return it unchanged if it is NaT, or if the result would not be exact.
    """
    if str(value.dtype) in _MONTHS:
        return value
    converted: object = value.item()  # an int if the unit is finer than microseconds, None for NaT
    if isinstance(converted, int):
        microseconds = value.astype("datetime64[us]")
        converted = microseconds.item() if microseconds == value else None
    return value if converted is None else converted


def _from_timestamp(value: Any) -> object:
    """Convert a Timestamp to a date-time. Return it unchanged if it has nanoseconds."""
    converted: object = value.to_pydatetime(warn=False)
    assert isinstance(converted, dt.datetime)
    return value if value.nanosecond else converted


def is_foreign(value: object) -> bool:
    """Return True if a value has a class of numpy or pandas."""
    return type(value).__module__.partition(".")[0] in _LIBRARIES


def plain_day(value: object) -> object:
    """Convert a numpy or pandas scalar as `plain_value` does, for a field that is a date.

    If the result is a date-time at midnight without a time zone, its date is returned. Values of all other
    types are returned unchanged.
    """
    converted = plain_value(value)
    is_converted = converted is not value
    if (
        is_converted
        and isinstance(converted, dt.datetime)
        and converted.tzinfo is None
        and converted.time() == dt.time()
    ):
        return converted.date()
    return converted
