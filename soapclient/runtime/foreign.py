"""Scalars of numpy and pandas as Python's own, without a need of either library.

They are told by the module of their class; nothing is imported.
"""

from __future__ import annotations

import datetime as dt
import operator
from typing import Any, Final

_HOMES: Final = ("numpy", "pandas")
_MONTHS: Final = ("datetime64[Y]", "datetime64[M]", "datetime64[W]")  # which are no days


def plain_value(value: object) -> object:
    """A date, date-time, number, truth value or text as Python has it; anything else as it is.

    Nothing is rounded: what is finer than microseconds, and what is no value (NaT, NA), stays what it is. So
    does a binary number, which is a float in Python.
    """
    if not is_foreign(value):
        return value
    kind = type(value)
    scalar: Any = value
    if kind.__name__ == "datetime64":
        return _moment(scalar)
    if kind.__name__ == "ndarray":
        return value
    if kind.__name__ == "Timestamp":
        return _stamp(scalar)
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


def _moment(value: Any) -> object:
    """A datetime64: of days a date, else a date-time without a zone, where Python's can be as exact."""
    if str(value.dtype) in _MONTHS:
        return value
    found: object = value.item()  # an int where it is finer than microseconds, None for NaT
    if isinstance(found, int):
        coarse = value.astype("datetime64[us]")
        found = coarse.item() if coarse == value else None
    return value if found is None else found


def _stamp(value: Any) -> object:
    """A Timestamp: midnight without a zone is a day's, everything else a date-time."""
    found: object = value.to_pydatetime(warn=False)
    assert isinstance(found, dt.datetime)
    return value if value.nanosecond else found


def is_foreign(value: object) -> bool:
    """Whether a value is of numpy's or pandas' own."""
    return type(value).__module__.partition(".")[0] in _HOMES


def plain_day(value: object) -> object:
    """`plain_value`, and where that is midnight without a zone, of a scalar of these libraries, its date."""
    found = plain_value(value)
    foreign = found is not value
    if foreign and isinstance(found, dt.datetime) and found.tzinfo is None and found.time() == dt.time():
        return found.date()
    return found
