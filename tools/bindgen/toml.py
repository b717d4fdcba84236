"""TOML as text, read to the end or refused: whatever Python's reader stumbles over is no TOML to us."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from typing import Final

_DEEPEST: Final = 100  # tables and lists within each other


class NotToml(ValueError):
    """A document that cannot be read; the message says why."""


def loads(content: bytes) -> dict[str, object]:
    """The tables of a document. Raises NotToml, also for what nests too deeply and for numbers of thousands
    of digits."""
    found: dict[str, object] | None = None
    with suppress(RecursionError):  # whose traceback is too deep for those who pickle an error's context
        try:
            found = tomllib.loads(content.decode())
        except ValueError as error:  # of TOML, of UTF-8, of a number that no int takes
            raise NotToml(str(error).partition("; use sys.")[0]) from None
    if found is None or _depth(found) > _DEEPEST:
        raise NotToml("it is nested too deeply")
    return found


def _depth(found: object) -> int:
    """How many tables and lists stand within each other, as far as that is allowed."""
    level, depth = [found], 0
    while depth <= _DEEPEST:
        inner = [
            each.values() if isinstance(each, dict) else each
            for each in level
            if isinstance(each, dict | list)
        ]
        if not inner:
            break
        level, depth = [one for each in inner for one in each], depth + 1
    return depth
