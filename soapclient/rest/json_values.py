"""Values as JSON gives them: numbers exactly, lists of one as lists, for what is kept without being known."""

from __future__ import annotations

import re
from decimal import Decimal

from soapclient.forks import lazy
from soapclient.runtime import Kept, KeptValue

_HALF = re.compile("[\ud800-\udfff]")  # half a character: an escape cut in two


class Number(str):
    """The text of a number, told from a string."""

    __slots__ = ()


class Source:
    """What stood under a name. An object is a tuple of pairs, a number its text."""

    def __init__(self, given: object) -> None:
        self._given = given

    @lazy
    def value(self) -> KeptValue:
        """In Python's types; one and the same value each time."""
        return plain(self._given)


def plain(given: object) -> KeptValue:
    """A value of JSON: an int or, with a fraction or an exponent, a Decimal of the same digits.

    A name that comes twice in one object has a list. A number that Python has no type for stays its text.
    """
    if isinstance(given, Number):
        return _number(str(given))
    if isinstance(given, str):
        return full_text(given)
    if isinstance(given, list):
        return [plain(each) for each in given]
    if isinstance(given, tuple):
        return _object(given)
    return given if isinstance(given, bool) else None


def full_text(text: str) -> str:
    """A text without half characters, as a plain str."""
    return str(text) if text.isascii() else _HALF.sub("\ufffd", text)


def _number(text: str) -> KeptValue:
    try:
        return int(text) if text.lstrip("-").isdigit() else Decimal(text)
    except ValueError:  # more digits than an int is made of
        return Decimal(text)
    except ArithmeticError:  # an exponent that no Decimal has
        return text


def _object(pairs: tuple[tuple[str, object], ...]) -> Kept:
    kept: Kept = {}
    for name, given in pairs:
        value = plain(given)
        if name not in kept:
            kept[name] = value
            continue
        there = kept[name]
        kept[name] = [*(there if isinstance(there, list) else [there]), value]
    return kept
