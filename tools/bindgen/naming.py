"""Names: qualified names in Clark notation, and conversion of wire names to Python identifiers."""

from __future__ import annotations

import hashlib
import keyword
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

LONGEST = 80  # characters; longer names are shortened

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ODD = re.compile(r"\W+", re.ASCII)


def snake(name: str) -> str:
    """Convert to snake case: `stockLevel` → `stock_level`."""
    return _identifier(_with_underscores(name).lower(), name)


def pascal(name: str) -> str:
    """Convert to Pascal case: `stockLevel` → `StockLevel`. Upper case inside a name is kept."""
    words = [word for word in _ascii(name).split("_") if word]
    identifier = _identifier("".join(word[0].upper() + word[1:] for word in words), name)
    return identifier[0].upper() + identifier[1:]


def constant(name: str) -> str:
    """Convert to the name of a constant: `stockLevel` → `STOCK_LEVEL`."""
    return _identifier(_with_underscores(name).upper(), name).upper()


def unused(name: str, used: Collection[str]) -> str:
    """Return a name that is not in `used`: `name` itself, or `name_2`, `name_3`, …"""
    if name not in used:
        return name
    number = 2
    while f"{name}_{number}" in used:
        number += 1
    return f"{name}_{number}"


def local_name(tag: str) -> str:
    """Return a qualified name (`{namespace}name`) without its namespace."""
    return tag.rpartition("}")[2]


def namespace_of(tag: str) -> str:
    """Return the namespace of a qualified name (`{namespace}name`); "" if it has none."""
    return tag[1:].rpartition("}")[0] if tag.startswith("{") else ""


def _with_underscores(name: str) -> str:
    """Separate the words of a name with underscores: `stockLevel` → `stock_Level`."""
    plain = _ascii(name)
    return plain if plain.islower() else _WORDS.sub("_", plain)


def _ascii(name: str) -> str:
    # Fast path for most names, because contracts may be very large
    if name.isascii() and name.isidentifier():
        return name.strip("_")
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return _ODD.sub("_", folded).strip("_")


def _identifier(identifier: str, name: str) -> str:
    """Convert a string to a valid Python identifier.

    A very long identifier is shortened, and ends in a hash of `name`, the original name.
    """
    identifier = identifier.strip("_") or "unnamed"
    if identifier[0].isdigit():
        identifier = f"n{identifier}"
    if len(identifier) > LONGEST:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        identifier = f"{identifier[: LONGEST - 9]}_{digest[:8]}"
    return f"{identifier}_" if keyword.iskeyword(identifier) else identifier


class UniqueNames:
    """The names that are taken in a module or a class. New names are made unique."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._taken = set(used)
        self._next: dict[str, int] = {}

    def claim(self, name: str) -> str:
        """Return a name that is not taken, and mark it as taken: `name` itself, or `name_2`, `name_3`, …"""
        candidate, number = name, self._next.get(name, 2)
        while candidate in self._taken:
            candidate = f"{name}_{number}"
            number += 1
        if candidate != name:
            self._next[name] = number  # avoids a search from 2 each time if many names are equal
        self._taken.add(candidate)
        return candidate

    def __iter__(self) -> Iterator[str]:
        return iter(self._taken)

    def add(self, names: Iterable[str]) -> None:
        """Mark names as taken, without changing them."""
        self._taken.update(names)
