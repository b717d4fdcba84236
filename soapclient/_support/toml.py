"""TOML, read in bounded time or refused: what Python's reader stumbles over is none to us."""

from __future__ import annotations

import re
import tomllib
from typing import Final

_DEEPEST: Final = 100  # tables and lists within each other, and parts of a key
# Python's reader takes a time that grows with the square of a key's parts. Texts and comments have none.
_LONG_KEY: Final = re.compile(
    rb"""(?P<key>(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){%d})"""
    rb'''|"""(?:[^"\\]|\\.|"(?!""))*+"*|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|\#[^\n]*+'''
    % _DEEPEST,
    re.DOTALL,
)


class NotToml(ValueError):
    """A document that cannot be read; the message says why."""


def loads(content: bytes) -> dict[str, object]:
    """The tables of a document. Raises NotToml, also for what nests too deeply and for numbers of thousands
    of digits."""
    found = tables_of(content)
    if isinstance(found, str):
        raise NotToml(found)
    return found


def tables_of(content: bytes) -> dict[str, object] | str:
    """The tables of a document, or why it is none: an error would carry the text with it, and its secrets."""
    if any(found["key"] is not None for found in _LONG_KEY.finditer(content)):
        return "it is nested too deeply"
    try:
        tables = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        return f"byte {error.start} is not UTF-8"
    except RecursionError:
        return "it is nested too deeply"
    except ValueError as error:  # of TOML, or a number of more digits than an int takes
        return str(error).partition("; use sys.")[0]
    return tables if _depth(tables) <= _DEEPEST else "it is nested too deeply"


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
