"""The form that the patterns of a type take, where a value has several: `0012`, `1`, `…00.500Z`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from soapclient.runtime.simple_types import Scalar


def in_form(scalar: Scalar[Any], form: str) -> Scalar[Any]:
    """A scalar written in a form, as rows have it behind the colon: `01` of booleans, a number of digits of
    integers, of date-times and times the digits of a second's fraction and whether UTC is `Z` (`3Z`)."""
    text = scalar.text
    if form == "01":
        return scalar.written_as(lambda value: "1" if text(value) == "true" else "0")
    if form.isdigit() and "Time" not in scalar.expected and "time" not in scalar.expected:
        digits = int(form)
        return scalar.written_as(lambda value: _padded(text(value), digits))
    return scalar.written_as(_times(text, form))


def _padded(text: str, digits: int) -> str:
    sign = text[:1] if text[:1] in "+-" else ""
    return sign + text.removeprefix(sign).zfill(digits)


def _times(text: Callable[[object], str], form: str) -> Callable[[object], str]:
    as_z, digits = form.endswith("Z"), form.removesuffix("Z")

    def written(value: object) -> str:
        found = text(value)
        if as_z and isinstance(value, dt.datetime) and value.tzinfo is not None:
            found = text(value.astimezone(dt.UTC))
        if as_z and found.endswith(("+00:00", "-00:00")):
            found = found[:-6] + "Z"
        return _with_fraction(found, int(digits)) if digits else found

    return written


def _with_fraction(text: str, digits: int) -> str:
    """A time with so many digits of a second's fraction; more than zeros are never cut off."""
    at = text.index(":") + len(":00:00")
    whole, rest = text[:at], text[at:]
    fraction, zone = "", rest
    if rest.startswith("."):
        end = next((place for place, sign in enumerate(rest) if place and not sign.isdigit()), len(rest))
        fraction, zone = rest[1:end], rest[end:]
    fraction = fraction.rstrip("0").ljust(digits, "0")
    return f"{whole}.{fraction}{zone}" if fraction else f"{whole}{zone}"
