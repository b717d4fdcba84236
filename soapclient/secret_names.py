"""Fields whose values no error may show, by what they are called."""

from __future__ import annotations

import re
from typing import Final

NOT_SHOWN: Final = "(not shown)"

_PARTS = (
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "sessionid",
    "apikey",
    "authorization",
)
_WORDS = frozenset({"session", "pin", "pass", "credential", "credentials"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ODD = re.compile(r"[\W_]+")
# In a repr: password='…', token="…", b'…'
_GIVEN = re.compile(r"""\b(\w+)=(b?'(?:[^'\\]|\\.)*'?|b?"(?:[^"\\]|\\.)*"?)""")


def is_secret(path: str) -> bool:
    """Whether the last step of a path is called as secrets are, whatever its case."""
    name = path.rpartition("/")[2].partition("[")[0].lstrip("@")
    plain = _ODD.sub("", name).lower()
    if any(part in plain for part in _PARTS):
        return True
    return not _WORDS.isdisjoint(word.lower() for word in _WORD.findall(name))


def without_secrets(text: str) -> str:
    """The repr of a value with structure, without what stands in fields that are called so."""
    return _GIVEN.sub(lambda found: f"{found[1]}={NOT_SHOWN}" if is_secret(found[1]) else found[0], text)
