"""Names: qualified ones in Clark notation, and wire names → Python names, which are always identifiers."""

from __future__ import annotations

import hashlib
import keyword
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

LONGEST = 80  # signs of a name before it is shortened

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ODD = re.compile(r"\W+", re.ASCII)


def snake(name: str) -> str:
    """`stockLevel` → `stock_level`."""
    return _identifier(_parted(name).lower(), name)


def pascal(name: str) -> str:
    """`stockLevel` → `StockLevel`; upper case within a name stays."""
    words = [word for word in _plain(name).split("_") if word]
    made = _identifier("".join(word[0].upper() + word[1:] for word in words), name)
    return made[0].upper() + made[1:]


def constant(name: str) -> str:
    """`stockLevel` → `STOCK_LEVEL`."""
    return _identifier(_parted(name).upper(), name).upper()


def unused(name: str, taken: Collection[str]) -> str:
    """`name`, or it with the first number that makes it new."""
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def local(tag: str) -> str:
    """A qualified name (`{namespace}name`) without its namespace."""
    return tag.rpartition("}")[2]


def space(tag: str) -> str:
    """The namespace of a qualified name, "" for none."""
    return tag[1:].rpartition("}")[0] if tag.startswith("{") else ""


def _parted(name: str) -> str:
    """The words of a name, an underscore between them."""
    plain = _plain(name)
    return plain if plain.islower() else _WORDS.sub("_", plain)


def _plain(name: str) -> str:
    if name.isascii() and name.isidentifier():  # most are, and contracts may be very large
        return name.strip("_")
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return _ODD.sub("_", folded).strip("_")


def _identifier(made: str, name: str) -> str:
    """`made` as an identifier; a very long one ends in a hash of the `name` that it was made from."""
    made = made.strip("_") or "unnamed"
    if made[0].isdigit():
        made = f"n{made}"
    if len(made) > LONGEST:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        made = f"{made[: LONGEST - 9]}_{digest[:8]}"
    return f"{made}_" if keyword.iskeyword(made) else made


class Space:
    """Names that must differ from each other."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def claim(self, name: str) -> str:
        """The name, or it with the first number that makes it new; from now on taken."""
        found, number = name, self._next.get(name, 2)
        while found in self._taken:
            found = f"{name}_{number}"
            number += 1
        if found != name:
            self._next[name] = number  # many may be called alike
        self._taken.add(found)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._taken)

    def add(self, names: Iterable[str]) -> None:
        """Take names without changing them."""
        self._taken.update(names)
