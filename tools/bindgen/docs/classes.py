"""Sets of characters as patterns of XSD name them (XSD 1.0 part 2, F.1.1), for the few that are tried."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Callable, Iterator

Class = Callable[[str], bool]

_TRIED = "1Aa" + string.digits + string.ascii_uppercase + string.ascii_lowercase + "-_. " + string.punctuation
_BLOCK_STARTS = range(0xA0, 0x3100, 0x20)  # a few beyond ASCII, of most scripts


def everything() -> Iterator[str]:
    """The characters worth trying, the plainest first."""
    yield from _TRIED
    yield from "\t\n\r"
    yield from (chr(start + at) for start in _BLOCK_STARTS for at in (0, 1, 17))
    yield from "日あア한"


def members(signs: str) -> Class:
    """Those characters and no others. A character that is not among the tried ones is found by itself."""
    return lambda sign: sign in signs


def of_category(name: str, *, negated: bool) -> Class:
    """`\\p{name}` or `\\P{name}`, as Unicode sorts characters. A block (`IsGreek`) is any beyond ASCII."""
    if name.startswith("Is"):
        return {"IsBasicLatin": str.isascii}.get(name, lambda sign: not sign.isascii())
    return lambda sign: unicodedata.category(sign).startswith(name) != negated


def _name_start(sign: str) -> bool:
    return sign.isalpha() or sign in "_:"


def _name(sign: str) -> bool:
    return sign.isalnum() or sign in "_:.-"


def _word(sign: str) -> bool:
    return unicodedata.category(sign)[0] not in "PZC"


ESCAPES: dict[str, Class] = {
    "d": str.isdecimal,
    "D": lambda sign: not sign.isdecimal(),
    "s": lambda sign: sign in " \t\n\r",
    "S": lambda sign: sign not in " \t\n\r",
    "i": _name_start,
    "I": lambda sign: not _name_start(sign),
    "c": _name,
    "C": lambda sign: not _name(sign),
    "w": _word,
    "W": lambda sign: not _word(sign),
    "n": members("\n"),
    "r": members("\r"),
    "t": members("\t"),
}
