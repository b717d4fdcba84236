"""Unique secrets, and all encodings that can reveal them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from random import Random
from typing import Final
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape

_TOKEN: Final = re.compile(rb"[A-Za-z0-9+/=%\\\0]{16,}")
_PIECE: Final = 16  # length of the parts of a secret that are searched: shorter parts are not a leak
_ODD: Final = "+/&<\"'%~é"


class Canaries:
    """Secrets by name: the secrets of the test, and the signatures that the service received."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._signatures: set[str] = set()

    def new(self, name: str, odd: str = _ODD) -> str:
        """Return the secret of a name, always the same. `odd` are characters that some encodings change."""
        random = Random(name)
        text = f"{random.randbytes(10).hex()}{odd}{random.randbytes(10).hex()}"
        self._known[name] = text
        return text

    def add(self, signature: str) -> None:
        """Search for a signature that was sent to a service, too."""
        self._signatures.add(signature)

    @property
    def signatures(self) -> int:
        """Return the number of signatures."""
        return len(self._signatures)

    def spellings(self) -> dict[bytes, str]:
        """Return the byte strings to search for, each with its secret and encoding in words."""
        found: dict[bytes, str] = {}
        for name, secret in self._known.items():
            for how, form in _spelled(secret):
                found.setdefault(form, f"{name} ({how})")
        return found

    def pieces(self) -> dict[bytes, str]:
        """Return the searched parts of all signatures. Each is a string of letters, digits, %, / and similar
        characters.
        """
        found: dict[bytes, str] = {}
        for signature in self._signatures:
            data = signature.encode()
            for how, form in (
                ("the start of it", data),
                ("the end of it", data[-_PIECE:]),
                ("percent", quote(signature, safe="").encode()),
                ("slashes of JSON", signature.replace("/", "\\/").encode()),
                ("hexadecimal", data.hex().encode()),
                ("Base64", base64.b64encode(data)),
                ("UTF-16", signature.encode("utf-16-le")),
            ):
                found[form[:_PIECE]] = f"signature {signature[:6]}… ({how})"
        return found


def _spelled(secret: str) -> Iterator[tuple[str, bytes]]:
    data = secret.encode()
    yield "plain", data
    yield "the start of it", data[:_PIECE]
    yield "the end of it", data[-_PIECE:]
    yield "Latin-1", secret.encode("latin-1")
    yield "UTF-16, little endian", secret.encode("utf-16-le")
    yield "UTF-16, big endian", secret.encode("utf-16-be")
    yield "hexadecimal", data.hex().encode()
    yield "hexadecimal, capitals", data.hex().upper().encode()
    for how, form in _in_text(secret):
        yield how, form.encode()
    for encoding in (data, secret.encode("latin-1")):
        for shift in range(3):  # any offset in the encoded text, such as a password after its user name
            tail = bytes((3 - (shift + len(encoding)) % 3) % 3)
            piece = base64.b64encode(bytes(shift) + encoding + tail)[4 * bool(shift) : -4]
            yield "Base64", piece
            yield "Base64 for addresses", piece.translate(bytes.maketrans(b"+/", b"-_"))


def _in_text(secret: str) -> Iterator[tuple[str, str]]:
    percent = quote(secret, safe="")
    for how, form in (("percent", percent), ("form", quote_plus(secret)), ("path", quote(secret))):
        yield how, form
        yield (
            f"{how}, lower case",
            "".join(part.lower() if at % 2 else part for at, part in enumerate(_split_escapes(form))),
        )
        yield f"{how}, twice", quote(form, safe="")
    yield "XML", escape(secret)
    yield "XML attribute", escape(secret, {'"': "&quot;", "'": "&apos;"})
    yield "XML in ASCII", escape(secret).encode("ascii", "xmlcharrefreplace").decode()
    for how, form in (("JSON", json.dumps(secret)), ("JSON, UTF-8", json.dumps(secret, ensure_ascii=False))):
        yield how, form[1:-1]
        yield f"{how}, twice", json.dumps(form)[3:-3]
    yield "repr", repr(secret)[1:-1]
    yield "repr of bytes", repr(secret.encode())[2:-1]
    yield "ASCII", ascii(secret)[1:-1]


def _split_escapes(text: str) -> list[str]:
    """Yield text and %XX escapes in turn."""
    parts, rest = [""], text
    while rest:
        if rest[0] == "%":
            parts += [rest[:3], ""]
            rest = rest[3:]
        else:
            parts[-1] += rest[0]
            rest = rest[1:]
    return parts


def leaks(places: Iterable[tuple[str, bytes]], canaries: Canaries) -> dict[str, set[str]]:
    """Return the secrets found, by place, each with its encoding."""
    by_content: dict[bytes, list[str]] = {}
    for place, content in places:
        by_content.setdefault(content, []).append(place)
    everything = b"\0\0".join(by_content)
    there = {form: what for form, what in canaries.spellings().items() if form in everything}
    pieces = canaries.pieces()
    for token in set(_TOKEN.findall(everything)):
        for at in range(len(token) - _PIECE + 1):
            if (piece := token[at : at + _PIECE]) in pieces:
                there[piece] = pieces[piece]
    found: dict[str, set[str]] = {}
    for content, where in by_content.items() if there else ():
        if what := {said for form, said in there.items() if form in content}:
            for place in where:
                found.setdefault(place, set()).update(what)
    return found


def check_clean(places: Iterable[tuple[str, bytes]], canaries: Canaries, allowed: Iterable[str] = ()) -> None:
    """Check that no secret is in any place, except places that match one of the patterns."""
    found = leaks(places, canaries).items()
    odd = [each for each in found if not any(re.search(pattern, each[0]) for pattern in allowed)]
    assert not odd, "\n".join(map(str, odd))
