"""Recognize fields with secret values by their names, and remove the values from XML, JSON and reprs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

from soapclient._support.lazy_pattern import LazyPattern

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
# `assertion` means a SAML assertion, which authenticates its bearer.
_WORDS = frozenset({"assertion", "session", "pin", "pass", "credential", "credentials"})
_WORD = LazyPattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NOT_WORD = LazyPattern(r"[\W_]+")
# All of these match in linear time. Attributes of a tag may contain `>`.
_TAG = LazyPattern(
    r"""(<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<(?:[^<>"']|"[^"<]*"|'[^'<]*')*>|<[^<>]*>)""", re.DOTALL
)
_OPENING = LazyPattern(r"<[^/?](?:.*[^/])?>", re.DOTALL)
_ATTRIBUTE = LazyPattern(r"""(?<![\w:.-])([\w:.-]+)(\s*=\s*)("[^"]*"?|'[^']*'?)""")
# in a repr: password='…', token="…", pin=b'…'
_REPR_FIELD = LazyPattern(r"""\b(\w+)=(b?'(?:[^'\\]|\\.)*'?|b?"(?:[^"\\]|\\.)*"?)""")
_JSON = LazyPattern(
    r"""(?P<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<mark>[{}\[\],])|(?P<value>"(?:[^"\\]|\\.)*"?|[^\s{}\[\],:"]+)"""
)


def is_secret(path: str) -> bool:
    """Return True if the last name in a path such as `Request/password` is a typical name of a secret.

    Ignores case. Typical names contain, for example, `password`, `token` or `apikey`.
    """
    return _is_secret_name(path.rpartition("/")[2].partition("[")[0].lstrip("@"))


@lru_cache(maxsize=1024)  # responses have few names and repeat each of them many times
def _is_secret_name(name: str) -> bool:
    plain = _NOT_WORD.sub("", name).lower()
    if any(part in plain for part in _PARTS):
        return True
    return not _WORDS.isdisjoint(word.lower() for word in _WORD.findall(name))


def xml_without_secrets(text: str) -> str:
    """Hide the values of secret elements and attributes (see `is_secret`). Return the XML.

    The XML may be truncated or invalid.
    """
    pieces, secret_element = [], ""  # the outermost secret element
    depth = 0  # number of open elements with that name
    for piece in _TAG.split(text):
        name = re.split(r"[\s/>]", piece.lstrip("</"), maxsplit=1)[0] if piece.startswith("<") else ""
        if not piece.startswith("<") or piece.startswith("<!"):
            pieces.append(NOT_SHOWN if secret_element and piece.strip() else piece)
            continue
        if secret_element and name == secret_element and not piece.endswith("/>"):
            depth += -1 if piece.startswith("</") else 1
            secret_element = secret_element if depth else ""
        elif not secret_element and is_secret(name.rpartition(":")[2]) and _OPENING.fullmatch(piece):
            secret_element, depth = name, 1
        pieces.append(_ATTRIBUTE.sub(partial(_attribute, all_secret=bool(secret_element)), piece))
    return "".join(pieces)


def _attribute(match: re.Match[str], *, all_secret: bool) -> str:
    name = match[1]
    if name.startswith("xmlns") or not (all_secret or is_secret(name.rpartition(":")[2])):
        return match[0]
    return f'{name}{match[2]}"{NOT_SHOWN}"'


def without_secrets(text: str) -> str:
    """Hide the values of secret fields (see `is_secret`) in `text`, which is the repr of a struct."""
    return _REPR_FIELD.sub(lambda match: f"{match[1]}={NOT_SHOWN}" if is_secret(match[1]) else match[0], text)


def json_without_secrets(text: str, replacement: Callable[[str], str] = lambda _: f'"{NOT_SHOWN}"') -> str:
    """Replace the strings and numbers of secret fields (see `is_secret`). Return the JSON.

    The JSON may be truncated. `replacement` is called with a value as JSON text, and returns the text that
    replaces it.
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
            return piece if piece in ("true", "false", "null") else replacement(piece)
        return piece

    return _JSON.sub(replace, text)
