"""Read TOML in bounded time. Documents that Python's parser cannot process are reported as invalid."""

from __future__ import annotations

import re
from typing import Final

from soapclient._support.lazy_pattern import LazyPattern

_MAX_DEPTH: Final = 100  # levels of tables and lists, and parts of a key
# The time that Python's parser takes is quadratic in the number of parts of a key. Strings and comments are
# skipped.
_LONG_KEY: Final = LazyPattern(
    rb"""(?P<key>(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){%d})"""
    rb'''|"""(?:[^"\\]|\\.|"(?!""))*+"*|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|\#[^\n]*+'''
    % _MAX_DEPTH,
    re.DOTALL,
)


class NotToml(ValueError):
    """Raised if a document is not valid TOML. The message gives the reason."""


def loads(content: bytes) -> dict[str, object]:
    """Parse a TOML document and return its tables.

    Raises NotToml if the document is invalid, is nested too deeply, or has a number with thousands of digits.
    """
    tables = tables_of(content)
    if isinstance(tables, str):
        raise NotToml(tables)
    return tables


def tables_of(content: bytes) -> dict[str, object] | str:
    """Parse a TOML document and return its tables, or the reason why it is invalid.

    Does not raise, because an exception would refer to the document's text and so to the secrets in it.
    """
    if any(match["key"] is not None for match in _LONG_KEY.finditer(content)):
        return "nested too deeply"
    import tomllib  # imported late, because few processes have a TOML file

    try:
        tables = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        return f"byte {error.start} is not UTF-8"
    except RecursionError:
        return "nested too deeply"
    except ValueError as error:  # invalid TOML, or a number with too many digits for an int
        return str(error).partition("; use sys.")[0]
    return tables if _depth(tables) <= _MAX_DEPTH else "nested too deeply"


def _depth(value: object) -> int:
    """Return the depth of nested tables and lists. Counts at most one level more than `_MAX_DEPTH`."""
    level, depth = [value], 0
    while depth <= _MAX_DEPTH:
        inner = [
            item.values() if isinstance(item, dict) else item
            for item in level
            if isinstance(item, dict | list)
        ]
        if not inner:
            break
        level, depth = [item for items in inner for item in items], depth + 1
    return depth
