"""Responses damaged in transit in a way that a reader can detect, verified with Python's own parsers.

Damage that no reader can detect, such as a changed digit, is not included: SOAP and REST have no checksums.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from random import Random
from typing import Final
from xml.etree import ElementTree

from ..proxy import Exchange
from ..wire import Response
from .kinds import Family, Fault, giving

_TRIES = 50
Change = Callable[[bytes, Random], bytes]


def reads(answer: Response) -> bool:
    """Return True if Python's own parsers accept the body."""
    try:
        if answer.media.endswith("json"):
            json.loads(answer.body.decode("utf-8"), parse_constant=_refused)
        elif answer.media.endswith("xml"):
            ElementTree.fromstring(answer.body)
        elif answer.body[:2] == b"\x1f\x8b" or answer.media.endswith("gzip"):
            gzip.decompress(answer.body)
    except (ValueError, SyntaxError, LookupError, OSError, EOFError, zlib.error):
        return False
    return True


def _refused(text: str) -> float:
    raise ValueError(text)


def broken(answer: Response, change: Change, random: Random) -> Response:
    """Return the response with a detectable change, or unchanged if many attempts do not produce one.

    The XML declaration is kept, because some parsers ignore a different name for the same encoding.
    """
    declaration, end, rest = answer.body.partition(b"?>")
    kept, changed = (declaration + end, rest) if answer.media.endswith("xml") and end else (b"", answer.body)
    for _ in range(_TRIES):
        tried = answer.with_body(kept + change(changed, random))
        if not reads(tried):
            return tried
    return answer


def _changed(change: Change) -> Callable[[Exchange], None]:
    return giving(lambda answer, random: broken(answer, change, random))


def _flipped(body: bytes, random: Random) -> bytes:
    place = random.randrange(len(body) or 1)
    return (
        body[:place] + bytes([body[place] ^ 1 << random.randrange(8)]) + body[place + 1 :] if body else body
    )


def _inserted(*pieces: bytes) -> Change:
    def change(body: bytes, random: Random) -> bytes:
        place = random.randrange(len(body) or 1)
        return body[:place] + (random.choice(pieces) if len(pieces) > 1 else pieces[0]) + body[place:]

    return change


def _lost(body: bytes, random: Random) -> bytes:
    begin = random.randrange(len(body) or 1)
    return body[:begin] + body[begin + random.randrange(1, 200) :]


def _doubled_part(body: bytes, random: Random) -> bytes:
    begin = random.randrange(len(body) or 1)
    end = begin + random.randrange(1, 200)
    return body[:end] + body[begin:]


def _doubled(body: bytes, random: Random) -> bytes:
    return body + body


def _other_label(answer: Response, random: Random) -> Response:
    name = random.choice(("iso-8859-1", "utf-16", "us-ascii", "no-such-charset", '"utf-8'))
    return answer.with_field("Content-Type", f"{answer.media}; charset={name}")


def _other_bytes(answer: Response, random: Random) -> Response:
    name = random.choice(("latin-1", "utf-16", "utf-32", "cp037"))
    try:
        return answer.with_body(answer.body.decode("utf-8").encode(name, "replace"))
    except UnicodeDecodeError:  # a binary file without charset
        return answer


def _marked(answer: Response, random: Random) -> Response:
    return answer.with_body(b"\xef\xbb\xbf" + answer.body) if _is_text(answer) else answer


def _is_text(answer: Response) -> bool:
    return answer.media.endswith(("xml", "json"))


def _other_encoding(answer: Response, random: Random) -> Response:
    name = random.choice(("br", "deflate", "zstd", "gzip, gzip", "identity", "no-such-encoding"))
    return answer.with_field("Content-Encoding", name) if _is_text(answer) else answer


def _gzip(change: Callable[[Response, Random], Response]) -> Callable[[Exchange], None]:
    """Send the response in gzip, changed. If the client does not accept gzip, send it as it is."""

    def act(exchange: Exchange) -> None:
        answer = exchange.passed_on()
        if "gzip" in exchange.head.get("accept-encoding"):
            packed = answer.with_body(gzip.compress(answer.body, mtime=0))
            answer = change(packed.with_field("Content-Encoding", "gzip"), exchange.random)
        exchange.give(answer)

    return act


def _gzip_cut(packed: Response, random: Random) -> Response:
    return packed.with_body(packed.body[: random.randrange(1, len(packed.body) - 8)])


def _gzip_changed(packed: Response, random: Random) -> Response:
    bare = Response(packed.head.with_field("Content-Type", None), packed.body)
    return packed.with_body(broken(bare, _flipped, random).body)


def _gzip_not(packed: Response, random: Random) -> Response:
    return packed.with_body(gzip.decompress(packed.body))


CORRUPTIONS = (
    Fault("a bit flipped", _changed(_flipped)),
    Fault("no UTF-8", _changed(_inserted(b"\xff"))),
    Fault("a NUL", _changed(_inserted(b"\x00"))),
    Fault("markup in the middle", _changed(_inserted(b"<", b"&", b'"', b"{", b"]", b"</x>"))),
    Fault("bytes lost", _changed(_lost)),
)
DOUBLES = (Fault("bytes doubled", _changed(_doubled_part)), Fault("body doubled", _changed(_doubled)))
CHARSETS = (
    Fault("a byte order mark", giving(_marked)),
    Fault("another charset named", giving(_other_label)),
    Fault("another charset used", giving(_other_bytes)),
)
GZIP = (
    Fault("gzip, all right", _gzip(lambda packed, random: packed)),
    Fault("gzip cut", _gzip(_gzip_cut)),
    Fault("gzip changed", _gzip(_gzip_changed)),
    Fault("gzip that is none", _gzip(_gzip_not)),
    Fault("an encoding that is none", giving(_other_encoding)),
)
FAMILIES: Final[tuple[Family, ...]] = (CORRUPTIONS, DOUBLES, CHARSETS, GZIP)
