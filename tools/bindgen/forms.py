"""The one form that the patterns of a simple type take, where Python's value has several.

An identifier of ten digits, a boolean of 0 and 1, a date-time that ends in Z: the run time writes such values
in that form (`FieldRow.type`). Tried are examples of each form, and only on patterns that are simple enough
to be matched in bounded time; of others the usual form goes out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from bindgen.model import Facets, Simple, Type

# Signs, classes of signs, and how often they come; groups are never repeated, so that trying comes to an end.
_ATOM = r"(?:\\[dDsSwW.\-+:|(){}\[\]*?\\]|[\w :,./+-]|\.|\[\^?(?:\\[dsw.\-+:\\]|[\w :,.+*/-])+\])"
_TIMES = r"(?:\{\d{1,3}(?:,\d{0,3})?\}|[*+?])?"
_SIMPLE = re.compile(rf"(?:{_ATOM}{_TIMES}|\(|\)(?![*+{{])|\|)*", re.ASCII).fullmatch
_LONGEST = 200
_MOST_REPEATED = 6
_MOST_DIGITS = 40
_WIDEST = 12  # digits before the point
_INTEGERS = (
    *("integer", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger"),
    *("long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
)
Takes = Callable[[str], bool]


def form(kind: Type, facets: Facets | None) -> str:
    """The form of a type with such facets, as it stands behind the colon in a row; "" for the usual one."""
    if facets is None or not facets.patterns or not isinstance(kind, Simple):
        return ""
    takes = _matcher(facets.patterns)
    if takes is None:
        return ""
    if kind.xsd == "boolean":
        return _boolean(takes)
    if kind.xsd in _INTEGERS:
        return _digits(takes, "-" if kind.xsd in ("nonPositiveInteger", "negativeInteger") else "")
    if kind.xsd in ("decimal", "float", "double"):
        return _number(takes)
    if kind.xsd == "date":
        return "" if takes("2026-11-20") or not takes("2026-11-20Z") else "Z"
    if kind.xsd in ("dateTime", "time"):
        return _moment(takes, "" if kind.xsd == "time" else "2026-11-20T")
    return ""


def _matcher(patterns: Sequence[str]) -> Takes | None:
    """Whether a text is taken by all of the patterns; None where that is not to be tried."""
    tests = []
    for pattern in patterns:
        repeated = len(re.findall(r"[*+]|\{\d+,", pattern))
        if len(pattern) > _LONGEST or repeated > _MOST_REPEATED or not _SIMPLE(pattern):
            return None
        try:
            tests.append(re.compile(pattern, re.ASCII).fullmatch)
        except re.error:
            return None
    return lambda text: all(test(text) for test in tests)


def _boolean(takes: Takes) -> str:
    usual = (takes("true") or not takes("1"), takes("false") or not takes("0"))
    forms = {(True, True): "", (True, False): "true0", (False, True): "1false", (False, False): "01"}
    if usual != (True, True) and not (takes("true") or takes("false")):
        return "01"
    return forms[usual]


def _number(takes: Takes) -> str:
    """The form of a number: signed, of so many digits, without a zero before or a digit behind the point, or
    with an exponent, as `scalars.in_form` writes them."""
    fractions = ["", *(f".{'5'.ljust(digits, '0')}" for digits in range(1, 7))]
    ones = [f"1{fraction}" for fraction in fractions]
    if any(map(takes, (*ones, *(f"{one}E+2" for one in ones)))):
        return ""
    examples = {
        "+": [f"+{one}" for one in ones],
        **{f"{width}": [one.rjust(len(one) + width - 1, "0") for one in ones] for width in range(2, _WIDEST)},
        ".": fractions[1:],
        "0.": ["1."],
        **{f"{e}": [f"{one}{e}{power}" for one in ones[1:] for power in (2, -2)] for e in "Ee"},
        **{f"n{e}": [f"{digits}{e}{power}" for digits in (1, 15, 150) for power in (1, -1)] for e in "Ee"},
    }
    return next((form for form, texts in examples.items() if any(map(takes, texts))), "")


def _digits(takes: Takes, sign: str) -> str:
    if takes(f"{sign}1"):
        return ""
    if takes("+1"):
        return "+"
    return next((f"{width}" for width in range(2, _MOST_DIGITS) if takes(f"{sign}{'1'.zfill(width)}")), "")


def _moment(takes: Takes, day: str) -> str:
    if takes(f"{day}12:00:00") or takes(f"{day}12:00:00+00:00"):
        return ""
    return next((form for form, text in _moments(day) if takes(text)), "")


def _moments(day: str) -> Iterator[tuple[str, str]]:
    """Forms, and an example of each."""
    yield "Z", f"{day}12:00:00Z"
    for digits in range(1, 10):
        whole = f"{day}12:00:00.{'5'.ljust(digits, '0')}"
        yield f"{digits}Z", f"{whole}Z"
        yield f"{digits}", f"{whole}+00:00"
        yield f"{digits}", whole
