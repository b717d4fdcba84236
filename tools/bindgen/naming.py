"""Wire names → Python names. Whatever a contract says, what comes out is an identifier."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ODD = re.compile(r"\W+", re.ASCII)


def snake(name: str) -> str:
    """`stockLevel` → `stock_level`."""
    return _identifier(_WORDS.sub("_", _plain(name)).lower())


def pascal(name: str) -> str:
    """`stockLevel` → `StockLevel`; upper case within a name stays."""
    words = [word for word in _plain(name).split("_") if word]
    name = _identifier("".join(word[0].upper() + word[1:] for word in words))
    return name[0].upper() + name[1:]


def constant(name: str) -> str:
    """`stockLevel` → `STOCK_LEVEL`."""
    return _identifier(_WORDS.sub("_", _plain(name)).upper()).upper()


def unused(name: str, taken: Collection[str]) -> str:
    """`name`, or it with the first number that makes it new."""
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return _ODD.sub("_", folded).strip("_")


def _identifier(name: str) -> str:
    name = name.strip("_") or "unnamed"
    if name[0].isdigit():
        name = f"n{name}"
    return f"{name}_" if keyword.iskeyword(name) else name
