"""Simple types of XSD for numbers, dates, booleans and strings: convert texts to Python values and back.

Only texts that XSD allows are read. Some texts that Python could parse are refused: `1_000`, Arabic digits
and `2026-W01-1`. All texts that lxml's validator refuses are refused here, too. A few texts are refused that
lxml accepts by mistake (`1E`).
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.runtime.lexical import BLANK, collapsed, is_valid
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.simple_types import Scalar

_Match = Callable[..., re.Match[str] | None]


def _compiled_late(name: str, pattern: str) -> _Match:
    """Return a function that compiles a pattern at its first call and then calls the pattern's `fullmatch`.

    The caller must store the returned function in the global `name`. At its first call, the function replaces
    this global with the method `fullmatch` of the compiled pattern, so that later calls have no overhead.
    Compiling all patterns takes longer than reading a small response, and a response needs few of them.
    """

    def first_fullmatch(text: str, *bounds: int) -> re.Match[str] | None:
        match = re.compile(pattern, re.ASCII).fullmatch
        globals()[name] = match
        return match(text, *bounds)

    return first_fullmatch


_NUMBER = _compiled_late("_NUMBER", r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_DECIMAL = _compiled_late("_DECIMAL", r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)")
_INTEGER = _compiled_late("_INTEGER", r"[+-]?\d+")
_ZONE = r"(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))"
_TIME = _compiled_late("_TIME", rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:{_ZONE}[ \t\n\r]*)?")
_DATE = _compiled_late("_DATE", rf"(\d{{4}}-\d\d-\d\d){_ZONE}?")
_END_OF_DAY = _compiled_late("_END_OF_DAY", rf"T24:00:00(?:\.0+)?{_ZONE}?")
_MICROSECONDS = len("2026-11-20T12:00:00.000000")
FINER = LazyPattern(r"\.\d{6}\d*[1-9]")
# The characters that XML does not allow (XML 1.0, 2.2). Their complement, as a negated set, takes 10 times as
# long to compile.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_INFINITE = {"INF": "Infinity", "-INF": "-Infinity", "NaN": "NaN"}
_USUAL_ZONES = frozenset(
    [
        "Z",
        *(
            f"{sign}{hour:02}:{minute:02}"
            for sign in "+-"
            for hour in range(14)
            for minute in (0, 15, 30, 45)
        ),
    ]
)
_from_iso = dt.datetime.fromisoformat
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def plain(text: str, reader: Reader, node: Node) -> str:
    """Parse a string type without restrictions: return `text` unchanged."""
    return text


def string_text(value: object) -> str:
    """Return a string if XML allows its characters, otherwise raise ValueError.

    Raises TypeError if the value is not a string.
    """
    if not isinstance(value, str):
        raise TypeError
    if _NOT_XML.search(value):
        raise ValueError("the text has a character that XML does not allow")
    return str(value)


def checked(kind: str, description: str, usual: str) -> Scalar[str]:
    """Return a simple type whose values are strings that libxml2 validates as the XSD type `kind`.

    This validation is slow. `usual` is a regular expression for common valid strings, which are accepted
    without this validation. `description` is the text for the type in errors.
    """
    is_usual: _Match

    def first_is_usual(text: str) -> re.Match[str] | None:
        nonlocal is_usual
        is_usual = re.compile(usual, re.ASCII).fullmatch  # compiled late: see `_compiled_late`
        return is_usual(text)

    is_usual = first_is_usual

    def parse(text: str, reader: Reader, node: Node) -> str:
        if is_usual(text):
            return text
        if not is_valid(kind, text):
            raise ValueError
        return collapsed(text)

    def text_of(value: object) -> str:
        text = string_text(value)
        if not (is_usual(text) or is_valid(kind, text)):
            raise ValueError
        return text

    return Scalar(f"{description} (xsd:{kind})", parse, text_of)


def _boolean(text: str, reader: Reader, node: Node) -> bool:
    return _BOOLEANS[text.strip(BLANK)]


def _boolean_text(value: object) -> str:
    if not isinstance(value, bool):
        raise TypeError
    return "true" if value else "false"


def integer(name: str, low: int | None, high: int | None) -> Scalar[int]:
    """Return an integer type with these bounds (None: unbounded)."""
    minimum = -math.inf if low is None else low
    maximum = math.inf if high is None else high

    def parse(text: str, reader: Reader, node: Node) -> int:
        if not (text.isdigit() and text.isascii()):  # fast path for common texts
            text = text.strip(BLANK)
            if not _INTEGER(text):
                raise ValueError
        number = int(text)
        if minimum <= number <= maximum:
            return number
        raise ValueError

    def quick(text: str) -> int:
        if text.isdigit() and text.isascii() and (number := int(text)) <= maximum:  # never negative
            return number
        raise ValueError

    def text(value: object) -> str:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError
        if minimum <= value <= maximum:
            return str(int(value))
        raise ValueError

    bound = f" of at least {low}" if low is not None else f" of at most {high}" if high is not None else ""
    if low is not None and high is not None:
        bound = f" from {low} to {high}"
    return Scalar(
        f"a whole number{bound} ({name})",
        parse,
        text,
        quick=quick if minimum <= 0 else None,
        python=f"an int{bound}",
    )


def _number(text: str) -> Decimal:
    number = text.strip(BLANK)
    return Decimal(number if _NUMBER(number) else _INFINITE[text.lstrip(BLANK)])


def _exact(text: str, reader: Reader, node: Node) -> Decimal:
    return _number(text)


def _quick_exact(text: str) -> Decimal:
    if text.replace(".", "", 1).isdigit() and text.isascii():
        return Decimal(text)
    raise ValueError


def _exact_text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, Decimal | int):
        raise TypeError
    number = Decimal(value)
    if not number.is_finite():
        raise ValueError
    return str(number)


def _endless_text(value: object) -> str:
    if isinstance(value, Decimal) and not value.is_finite() and not value.is_snan():
        return "NaN" if value.is_nan() else "INF" if value > 0 else "-INF"
    return _exact_text(value)


def _decimal(text: str, reader: Reader, node: Node) -> Decimal:
    text = text.strip(BLANK)
    if not _DECIMAL(text):
        raise ValueError
    return Decimal(text)


def _decimal_text(value: object) -> str:
    return format(Decimal(_exact_text(value)), "f")  # xsd:decimal has no exponent


def _binary(text: str, reader: Reader, node: Node) -> float:
    return float(_number(text))


def _binary_text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    if not math.isfinite(value):
        raise ValueError
    return repr(float(value))


def _time(text: str, reader: Reader, node: Node) -> dt.datetime:
    if not _TIME(text):  # white space is allowed only after a zone, as libxml2 reads the standard
        raise ValueError
    text = text.rstrip(BLANK)
    if len(text) > _MICROSECONDS and FINER.search(text):
        reader.shortened(node, text)
    if text[11:13] != "24":
        value = dt.datetime.fromisoformat(text)
    elif _END_OF_DAY(text, 10):  # midnight at the end of the day, which Python does not support
        value = dt.datetime.fromisoformat(text.replace("T24", "T00")) + dt.timedelta(days=1)
    else:
        raise ValueError
    if value.tzinfo is None:
        reader.naive_time(node, text)
        value = value.replace(tzinfo=reader.naive_zone)
    return value


def _quick_time(text: str) -> dt.datetime:
    """Parse a date-time that has a common zone and no, three or six fractional digits.

    Raises ValueError for other forms.

    `fromisoformat` checks the digits, but it also accepts forms that XSD does not allow. The checks of single
    characters exclude these forms.
    """
    if (
        len(text) > 19
        and text[7] == "-"
        and text[10] == "T"
        and text[13] == ":"
        and (
            text[19:] in _USUAL_ZONES
            or (text[19] == "." and (text[23:] in _USUAL_ZONES or text[26:] in _USUAL_ZONES))
        )
    ):
        return _from_iso(text)
    raise ValueError


def _time_text(value: object) -> str:
    if not isinstance(value, dt.datetime) or (offset := value.utcoffset()) is None:
        raise TypeError
    if offset % dt.timedelta(minutes=1):  # local mean time: XSD does not allow seconds in an offset
        value = value.astimezone(dt.UTC)
    return value.isoformat()


def _any_time_text(value: object) -> str:
    if isinstance(value, dt.datetime) and value.tzinfo is None:
        return value.isoformat()
    return _time_text(value)


def _date(text: str, reader: Reader, node: Node) -> dt.date:
    if (match := _DATE(text)) is None:
        raise ValueError
    if len(text) > len(match[1]):
        reader.shortened(node, text)
    return dt.date.fromisoformat(match[1])


def _date_text(value: object) -> str:
    if isinstance(value, dt.datetime) or not isinstance(value, dt.date):
        raise TypeError
    return value.isoformat()


def _day(text: str, reader: Reader, node: Node) -> dt.date:
    if len(text) == 10:
        return _date(text, reader, node)
    time = _time(text, reader, node)
    return time.date() if time.tzinfo is None else time.astimezone(reader.report_zone).date()


def _quick_date(text: str) -> dt.date:
    if len(text) == 10 and _DATE(text):
        return dt.date.fromisoformat(text)
    raise ValueError


def _quick_binary(text: str) -> float:
    return float(_quick_exact(text))


def _exact_scalar(name: str, text: Callable[[object], str] = _exact_text) -> Scalar[Decimal]:
    give = "a Decimal"
    return Scalar(f"a number ({name})", _exact, text, quick=_quick_exact, give=give, python=_A_DECIMAL)


_A_DECIMAL = 'a Decimal such as Decimal("4.20")'
_A_FLOAT = "a float such as 4.2"
_A_DATE = "a datetime.date such as date(2026, 11, 1)"
_A_TIME = "a datetime.datetime such as datetime(2026, 11, 1, 12, tzinfo=UTC)"


STRING = Scalar("text (xsd:string)", plain, string_text, quick=str, mixed=True)
ANY_URI = checked(
    "anyURI",
    "an address",
    r"https?://[A-Za-z0-9.-]+(?::\d{1,5})?(?:/[A-Za-z0-9._~/-]*)?(?:\?[A-Za-z0-9._~/?&=-]*)?",
)
BOOLEAN = Scalar(
    "true or false (xsd:boolean)",
    _boolean,
    _boolean_text,
    quick=_BOOLEANS.__getitem__,
    python="True or False",
)
DECIMAL = Scalar(
    "a decimal number (xsd:decimal)",
    _decimal,
    _decimal_text,
    quick=_quick_exact,
    give="a Decimal",
    python=_A_DECIMAL,
)
EXACT_FLOAT = _exact_scalar("xsd:float")
EXACT_DOUBLE = _exact_scalar("xsd:double")
ENDLESS_FLOAT = _exact_scalar("xsd:float", _endless_text)
ENDLESS_DOUBLE = _exact_scalar("xsd:double", _endless_text)
FLOAT = Scalar("a number (xsd:float)", _binary, _binary_text, quick=_quick_binary, python=_A_FLOAT)
DOUBLE = Scalar("a number (xsd:double)", _binary, _binary_text, quick=_quick_binary, python=_A_FLOAT)
DATE_TIME = Scalar(
    "a date-time with a zone (xsd:dateTime)",
    _time,
    _time_text,
    quick=_quick_time,
    give="a datetime with a tzinfo",
    python=_A_TIME,
)
# For contracts in general, because a service may expect local times without a zone (XSD part 2, 3.2.7).
LOCAL_DATE_TIME = Scalar(
    "a date-time (xsd:dateTime)",
    _time,
    _any_time_text,
    quick=_quick_time,
    give="a datetime, with or without a zone",
    python=_A_TIME,
)
DATE = Scalar("a date (xsd:date)", _date, _date_text, quick=_quick_date, python=_A_DATE)
DAY = Scalar("a date such as 2026-11-01", _day, _date_text, quick=_quick_date, python=_A_DATE)
INTEGER = integer("xsd:integer", None, None)
NON_NEGATIVE_INTEGER = integer("xsd:nonNegativeInteger", 0, None)
POSITIVE_INTEGER = integer("xsd:positiveInteger", 1, None)
NON_POSITIVE_INTEGER = integer("xsd:nonPositiveInteger", None, 0)
NEGATIVE_INTEGER = integer("xsd:negativeInteger", None, -1)
LONG = integer("xsd:long", -(2**63), 2**63 - 1)
INT = integer("xsd:int", -(2**31), 2**31 - 1)
SHORT = integer("xsd:short", -(2**15), 2**15 - 1)
BYTE = integer("xsd:byte", -(2**7), 2**7 - 1)
UNSIGNED_LONG = integer("xsd:unsignedLong", 0, 2**64 - 1)
UNSIGNED_INT = integer("xsd:unsignedInt", 0, 2**32 - 1)
UNSIGNED_SHORT = integer("xsd:unsignedShort", 0, 2**16 - 1)
UNSIGNED_BYTE = integer("xsd:unsignedByte", 0, 2**8 - 1)
JSON_LITERALS = frozenset(
    (
        *(BOOLEAN, DECIMAL, EXACT_FLOAT, EXACT_DOUBLE, ENDLESS_FLOAT, ENDLESS_DOUBLE, FLOAT, DOUBLE, INTEGER),
        *(NON_NEGATIVE_INTEGER, POSITIVE_INTEGER, NON_POSITIVE_INTEGER, NEGATIVE_INTEGER, LONG, INT, SHORT),
        *(BYTE, UNSIGNED_LONG, UNSIGNED_INT, UNSIGNED_SHORT, UNSIGNED_BYTE),
    )
)
"""The types whose values are numbers or booleans in JSON."""


# ---- written forms: patterns of a type may allow only one form of a value, such as `0012`, `1` or `…00.500Z`


def in_form(scalar: Scalar[Any], form: str) -> Scalar[Any]:
    """Return a copy of a simple type that writes values in one form, such as `boolean` with the form `01`.

    In `FieldRow.type`, the form follows after a colon (`boolean:01`). A number has one of these forms:

    - `+`: with a sign (`+15`);
    - digits, such as `3`: the minimum number of digits before the point (`015`);
    - `.`: no zero before the point (`.5`);
    - `0.`: always a point (`5.`);
    - `E` or `e`: an exponent (`1.5E1`); `nE` or `ne`: an exponent after an integer (`15E0`).

    Forms of other types:

    - booleans: `01` (false is `0`, true is `1`), `true0` (`0` and `true`) or `1false` (`false` and `1`);
    - dates: `Z` (the date is followed by `Z`);
    - date-times and times: the number of fractional digits, `Z` (UTC is written as `Z`), or both (`3Z`).
    """
    text = scalar.text
    if scalar is DATE:
        return scalar.written_as(lambda value: f"{text(value)}Z")
    if form in _BOOLEAN_FORMS:
        forms = _BOOLEAN_FORMS[form]
        return scalar.written_as(lambda value: forms[text(value)])
    if "Time" in scalar.expected or "time" in scalar.expected:
        return scalar.written_as(_times(text, form))
    return scalar.written_as(lambda value: _number_in(form, text(value)))


_BOOLEAN_FORMS = {
    "01": {"true": "1", "false": "0"},
    "true0": {"true": "true", "false": "0"},
    "1false": {"true": "1", "false": "false"},
}


def _number_in(form: str, text: str) -> str:
    sign, number = ("-", text[1:]) if text.startswith("-") else ("", text)
    if not number[:1].isdigit():  # INF, NaN
        return text
    if form == "+":
        return text if sign else f"+{text}"
    if form.isdigit():
        return _padded(text, int(form))
    if form in (".", "0."):
        plain = format(Decimal(number), "f")
        if form == ".":
            return sign + (plain.removeprefix("0") if plain.startswith("0.") else plain)
        return sign + (plain if "." in plain else f"{plain}.")
    return sign + _scientific(Decimal(number), form)


def _scientific(number: Decimal, form: str) -> str:
    _, digits, power = number.as_tuple()
    assert isinstance(power, int)  # true for all finite numbers
    digit_text = "".join(map(str, digits))
    if form.startswith("n"):
        return f"{digit_text}{form[1:]}{power}"
    fraction = f".{digit_text[1:]}" if digit_text[1:] else ""
    return f"{digit_text[0]}{fraction}{form}{power + len(digit_text) - 1}"


def _padded(text: str, digits: int) -> str:
    sign = text[:1] if text[:1] in "+-" else ""
    whole, point, fraction = text.removeprefix(sign).partition(".")
    return f"{sign}{whole.zfill(digits)}{point}{fraction}"


def _times(text: Callable[[object], str], form: str) -> Callable[[object], str]:
    as_z, digits = form.endswith("Z"), form.removesuffix("Z")

    def text_of(value: object) -> str:
        result = text(value)
        if as_z and isinstance(value, dt.datetime) and value.tzinfo is not None:
            result = text(value.astimezone(dt.UTC))
        if as_z and result.endswith(("+00:00", "-00:00")):
            result = result[:-6] + "Z"
        return _with_fraction(result, int(digits)) if digits else result

    return text_of


def _with_fraction(text: str, digits: int) -> str:
    """Format a time with at least `digits` fractional digits. Further digits are kept, except final zeros."""
    end_of_seconds = text.index(":") + len(":00:00")
    seconds, rest = text[:end_of_seconds], text[end_of_seconds:]
    fraction, zone = "", rest
    if rest.startswith("."):
        end = next((index for index, char in enumerate(rest) if index and not char.isdigit()), len(rest))
        fraction, zone = rest[1:end], rest[end:]
    fraction = fraction.rstrip("0").ljust(digits, "0")
    return f"{seconds}.{fraction}{zone}" if fraction else f"{seconds}{zone}"
