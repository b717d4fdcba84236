"""XML's white space: four signs, fewer than Python's."""

from __future__ import annotations

import re

BLANK = " \t\n\r"
SPACES = re.compile("[ \t\n\r]+")


def collapsed(text: str) -> str:
    """A text as the types see it whose `whiteSpace` is `collapse` (XSD 1.0 part 2 4.3.6)."""
    return SPACES.sub(" ", text).strip(" ")


def items(text: str) -> list[str]:
    """What white space parts."""
    whole = collapsed(text)
    return whole.split(" ") if whole else []
