"""Fields whose values no error may show, by what they are called."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
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
# Each of these takes time in proportion to the length of a text. A tag's attributes may contain `>`.
_TAG = re.compile(
    r"""(<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<(?:[^<>"']|"[^"<]*"|'[^'<]*')*>|<[^<>]*>)""", re.DOTALL
)
_OPENING = re.compile(r"<[^/?](?:.*[^/])?>", re.DOTALL)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)(\s*=\s*)("[^"]*"?|'[^']*'?)""")
# In a repr: password='…', token="…", b'…'
_GIVEN = re.compile(r"""\b(\w+)=(b?'(?:[^'\\]|\\.)*'?|b?"(?:[^"\\]|\\.)*"?)""")
_JSON = re.compile(
    r"""(?P<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<mark>[{}\[\],])|(?P<value>"(?:[^"\\]|\\.)*"?|[^\s{}\[\],:"]+)"""
)


def is_secret(path: str) -> bool:
    """Whether the last step of a path is called as secrets are, whatever its case."""
    return _is_secret_name(path.rpartition("/")[2].partition("[")[0].lstrip("@"))


@lru_cache(maxsize=1024)  # responses have few names, and each of them many times
def _is_secret_name(name: str) -> bool:
    plain = _ODD.sub("", name).lower()
    if any(part in plain for part in _PARTS):
        return True
    return not _WORDS.isdisjoint(word.lower() for word in _WORD.findall(name))


def xml_without_secrets(text: str) -> str:
    """XML, whole or cut, without what stands in elements and attributes that are called so."""
    found, inside = [], ""  # the outermost element that is secret, and how deep it stands in its like
    deep = 0
    for piece in _TAG.split(text):
        name = re.split(r"[\s/>]", piece.lstrip("</"), maxsplit=1)[0] if piece.startswith("<") else ""
        if not piece.startswith("<") or piece.startswith("<!"):
            found.append(NOT_SHOWN if inside and piece.strip() else piece)
            continue
        if inside and name == inside and not piece.endswith("/>"):
            deep += -1 if piece.startswith("</") else 1
            inside = inside if deep else ""
        elif not inside and is_secret(name.rpartition(":")[2]) and _OPENING.fullmatch(piece):
            inside, deep = name, 1
        found.append(_ATTRIBUTE.sub(partial(_attribute, everything=bool(inside)), piece))
    return "".join(found)


def _attribute(found: re.Match[str], *, everything: bool) -> str:
    name = found[1]
    if name.startswith("xmlns") or not (everything or is_secret(name.rpartition(":")[2])):
        return found[0]
    return f'{name}{found[2]}"{NOT_SHOWN}"'


def without_secrets(text: str) -> str:
    """The repr of a value with structure, without what stands in fields that are called so."""
    return _GIVEN.sub(lambda found: f"{found[1]}={NOT_SHOWN}" if is_secret(found[1]) else found[0], text)


def json_without_secrets(text: str, replaced: Callable[[str], str] = lambda _: f'"{NOT_SHOWN}"') -> str:
    """Replace the strings and numbers below names of secrets in JSON, which may be cut.

    `replaced` gets a value as JSON writes it and returns what takes its place.
    """
    depth, hidden_from, is_next = 0, 0, False

    def replace(token: re.Match[str]) -> str:
        nonlocal depth, hidden_from, is_next
        piece = token[0]
        if token.lastgroup == "key":
            is_next = is_secret(piece.strip('"'))
        elif piece in ("{", "["):
            depth += 1
            hidden_from = hidden_from or (depth if is_next else 0)
            is_next = False
        elif piece in ("}", "]"):
            hidden_from = 0 if hidden_from == depth else hidden_from
            depth -= 1
        elif token.lastgroup == "value" and (is_next or hidden_from):
            is_next = False
            return piece if piece in ("true", "false", "null") else replaced(piece)
        return piece

    return _JSON.sub(replace, text)
