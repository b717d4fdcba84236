"""Find the lexical form in which values of a simple type must be written to match its patterns.

Examples: an integer with ten digits, a boolean written as 0 and 1, a date-time that ends in Z. The runtime
writes values in this form (`FieldRow.type`). The form is found by matching examples against the patterns.
A type has the default form if a pattern is too complex to be matched in bounded time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from bindgen.model import Facets, Simple, Type

# Characters, character classes and quantifiers. Groups are not repeated, so that matching takes bounded time.
_ATOM = r"(?:\\[dDsSwW.\-+:|(){}\[\]*?\\]|[\w :,./+-]|\.|\[\^?(?:\\[dsw.\-+:\\]|[\w :,.+*/-])+\])"
_QUANTIFIER = r"(?:\{\d{1,3}(?:,\d{0,3})?\}|[*+?])?"
_SIMPLE = re.compile(rf"(?:{_ATOM}{_QUANTIFIER}|\(|\)(?![*+{{])|\|)*", re.ASCII).fullmatch
_LONGEST = 200
_MOST_REPEATED = 6
_MOST_DIGITS = 40
_WIDEST = 12  # digits before the decimal point
_INTEGERS = (
    *("integer", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger"),
    *("long", "int", "short", "byte", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
)
Takes = Callable[[str], bool]


def form(kind: Type, facets: Facets | None) -> str:
    """Return the form that the facets of a type require, such as `10` or `Z`; "" for the default form.

    `FieldRow.type` appends it to the name of the type: `integer:10`, `date_time:Z`.
    """
    if facets is None or not facets.patterns or not isinstance(kind, Simple):
        return ""
    takes = _matcher(facets.patterns)
    if takes is None:
        return ""
    if kind.xsd == "boolean":
        return _boolean_form(takes)
    if kind.xsd in _INTEGERS:
        return _integer_form(takes, "-" if kind.xsd in ("nonPositiveInteger", "negativeInteger") else "")
    if kind.xsd in ("decimal", "float", "double"):
        return _number_form(takes)
    if kind.xsd == "date":
        return "" if takes("2026-11-20") or not takes("2026-11-20Z") else "Z"
    if kind.xsd in ("dateTime", "time"):
        return _date_time_form(takes, "" if kind.xsd == "time" else "2026-11-20T")
    return ""


def _matcher(patterns: Sequence[str]) -> Takes | None:
    """Return a function that tests a string against all patterns; None if a pattern is too complex."""
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


def _boolean_form(takes: Takes) -> str:
    accepted = (takes("true") or not takes("1"), takes("false") or not takes("0"))
    forms = {(True, True): "", (True, False): "true0", (False, True): "1false", (False, False): "01"}
    if accepted != (True, True) and not (takes("true") or takes("false")):
        return "01"
    return forms[accepted]


def _number_form(takes: Takes) -> str:
    """Return the form in which a decimal or float must be written; "" for the default form.

    `takes` returns True if the patterns of the type accept a string. The result is one of these, and
    `scalars.in_form` writes numbers in these forms:

    - `+`: with a plus sign
    - a number: with at least this number of digits before the decimal point
    - `.`: without a zero before the point
    - `0.`: with a point, even if no digit follows
    - `E` or `e`: with an exponent; `nE` or `ne`: with an exponent after an integer
    """
    fractions = ["", *(f".{'5'.ljust(digits, '0')}" for digits in range(1, 7))]
    numbers = [f"1{fraction}" for fraction in fractions]
    if any(map(takes, (*numbers, *(f"{number}E+2" for number in numbers)))):
        return ""
    examples = {
        "+": [f"+{number}" for number in numbers],
        **{
            f"{width}": [number.rjust(len(number) + width - 1, "0") for number in numbers]
            for width in range(2, _WIDEST)
        },
        ".": fractions[1:],
        "0.": ["1."],
        **{
            f"{exponent}": [f"{number}{exponent}{power}" for number in numbers[1:] for power in (2, -2)]
            for exponent in "Ee"
        },
        **{
            f"n{exponent}": [f"{digits}{exponent}{power}" for digits in (1, 15, 150) for power in (1, -1)]
            for exponent in "Ee"
        },
    }
    return next((form for form, texts in examples.items() if any(map(takes, texts))), "")


def _integer_form(takes: Takes, sign: str) -> str:
    if takes(f"{sign}1"):
        return ""
    if takes("+1"):
        return "+"
    return next((f"{width}" for width in range(2, _MOST_DIGITS) if takes(f"{sign}{'1'.zfill(width)}")), "")


def _date_time_form(takes: Takes, day: str) -> str:
    if takes(f"{day}12:00:00") or takes(f"{day}12:00:00+00:00"):
        return ""
    return next((form for form, text in _date_time_examples(day) if takes(text)), "")


def _date_time_examples(day: str) -> Iterator[tuple[str, str]]:
    """Yield the forms of a date-time or time, such as `3Z`: 3 decimal places and a Z. Each has an example.

    `day` is the part of the example before the time: "2026-11-20T", or "" for a time.
    """
    yield "Z", f"{day}12:00:00Z"
    for digits in range(1, 10):
        text = f"{day}12:00:00.{'5'.ljust(digits, '0')}"
        yield f"{digits}Z", f"{text}Z"
        yield f"{digits}", f"{text}+00:00"
        yield f"{digits}", text
