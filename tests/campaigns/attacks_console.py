# ruff: noqa: E501 # tables of requests, one per row
"""Hostile requests to a console: with its token, and without it, in which case nothing may be reached."""

from __future__ import annotations

import random
from typing import Final
from urllib.parse import quote

from .attacks import Attack, Make, sent

TOKEN: Final = "CAMPAIGN-token-of-the-console-under-attack"
FORM: Final = b"/try/weather/GetWeather"
FORBIDDEN: Final = b"/try/weather/Ping"  # never requested with a valid token
_COOKIE: Final = f"Cookie: soapclient-console-80={TOKEN}".encode()
_HOME: Final = b"Host: 127.0.0.1"
_URLENCODED: Final = b"Content-Type: application/x-www-form-urlencoded"
_LARGE: Final = 1 << 17
_PATHS: Final = ("city", "days", "header-session", "header-session.token", "", ".", "0", "../../etc/passwd")
_MARKS: Final = ("v:", "on:", "nil:", "n:", "arm:", "type:", "do", ":", "")
_NUMBERS: Final = (
    "-1", "0", "1", "99999", "100000", "9" * 5000, "1e9", "0x7f", "NaN", "١٢", "²", " 1", "1_0",
)  # fmt: skip
_XML: Final = (
    "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
    "<!DOCTYPE a [<!ENTITY b 'bbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'>]><a>&c;</a>",
    "</any><any>",
    "]]>",
    "<?xml version='1.0' encoding='utf-7'?>",
    "<a xmlns:b='urn:b'>&amp;&lt;</a>",
)


def _asked(method: bytes, target: bytes, *fields: bytes, body: bytes = b"", host: bytes = _HOME) -> bytes:
    length = [b"Content-Length: %d" % len(body)] if body or method == b"POST" else []
    return b"\r\n".join([method + b" " + target + b" HTTP/1.1", host, *fields, *length]) + b"\r\n\r\n" + body


def _form(values: dict[str, str]) -> bytes:
    return "&".join(f"{quote(key)}={quote(text)}" for key, text in values.items()).encode()


def _text(chance: random.Random) -> str:
    match chance.randrange(8):
        case 0:
            return chance.choice(_NUMBERS)
        case 1:
            return chance.choice(_XML)
        case 2:
            return "".join(chr(chance.randrange(32)) for _ in range(chance.randint(1, 20)))
        case 3:
            return "x" * chance.choice((1, 1000, _LARGE))
        case 4:
            return "<a>" * chance.choice((10, 300, 20_000))
        case 5:
            return chance.choice(("\u202e", "\ufffe", "\ufffd", "😀" * 100, "%00", "{{7*7}}", "<script>"))
        case 6:
            return chance.choice(("Berlin\r\nX: y", "'; drop table", "${x}", "\x1b[2J", "Berlin"))
        case _:
            return chance.randbytes(30).decode("latin-1")


def _path(chance: random.Random) -> str:
    if chance.random() < 0.2:
        return ".".join(["city"] * chance.choice((20, 2000)))
    return chance.choice(_PATHS) + chance.choice(("", ".0", ".99999", ".-1", "/", "\0"))


def values(chance: random.Random) -> Attack:
    """Send invalid keys and values in a form."""
    does = chance.choice(["check", "send", "example", "shape", "", "add ", "remove ", "send send"])
    given = {"do": does + (_path(chance) if does.endswith(" ") else "")}
    for _ in range(chance.randint(1, 12)):
        given[chance.choice(_MARKS) + _path(chance)] = _text(chance)
    return sent("form", _asked(b"POST", FORM, _COOKIE, _URLENCODED, body=_form(given)), passes=True)


def many(chance: random.Random) -> Attack:
    """Send thousands of keys, or a value of several megabytes."""
    body = chance.choice(
        (
            b"do=check&" + b"&".join(b"v:%d=" % at for at in range(chance.choice((2000, 20_000)))),
            b"do=check&" + b"&" * 300_000,
            b"do=check&v:city=" + b"x" * chance.choice((1_000_000, 3_900_000)),
            b"do=check&v:days=" + b"9" * 1_000_000,
            b"do=check&v:city=" + b"%" * 300_000,
        )
    )
    return sent("many", _asked(b"POST", FORM, _COOKIE, _URLENCODED, body=body), passes=True)


def bodies(chance: random.Random) -> Attack:
    """Send bodies that are not a form, or are too large."""
    kind, body = chance.choice(
        (
            (b"application/json", b"{}"),
            (b"text/plain", b"do=send"),
            (b"", b"do=send"),
            (b"application/x-www-form-urlencoded", b"v:city=" + b"x" * 4_000_001),
            (b"multipart/form-data; boundary=b", b"--b\r\n" * 2000 + b"x" * 4_100_000),
        )
    )
    return sent("bodies", _asked(b"POST", FORBIDDEN, _COOKIE, b"Content-Type: " + kind, body=body))


def multipart(chance: random.Random) -> Attack:
    """Send a damaged multipart form."""
    part = b'--b\r\nContent-Disposition: form-data; name="v:city"\r\n\r\nx\r\n'
    named = b'--b\r\nContent-Disposition: form-data; name="do"; filename="../../x"\r\n\r\ncheck\r\n'
    body = bytearray(
        b'--b\r\nContent-Disposition: form-data; name="do"\r\n\r\ncheck\r\n' + part + named + b"--b--"
    )
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(80, len(body))
        body[at : at + chance.randint(0, 3)] = chance.choice((b"\r\n", b"--b", b"\0", b'"', b";", b"\xff"))
    kind = b"Content-Type: multipart/form-data; boundary=" + chance.choice((b"b", b"b", b'"', b"b" * 500))
    return sent(
        "multipart", _asked(b"POST", FORM, _COOKIE, kind, body=b"do=check" + bytes(body)), passes=True
    )


def places(chance: random.Random) -> Attack:
    """Request pages that do not exist."""
    found = (
        b"/../../etc/passwd", b"/try/..%2f..%2fetc", b"/explore/%2e%2e/x", b"//evil.example/", b"/history/-1",
        b"/history/" + b"9" * 5000, b"/try/weather/__class__", b"/try/" + b"a/" * 3000, b"/%00", b"/%ff%fe",
        b"/jobs/../x", b"/static/page.css", b"/try/weather/GetWeather%0d%0aX:%20y", b"/-/calls", b"/history/%C2%B2",
    )  # fmt: skip
    return sent("places", _asked(b"GET", chance.choice(found), _COOKIE))


def again(chance: random.Random) -> Attack:
    """Replay a call that does not exist."""
    text = chance.choice((*_NUMBERS, "../1", "", "1;2", "\r\n", "x" * 5000))
    target = FORM + b"?again=" + quote(text).encode() + chance.choice((b"", b"&again=1", b"&" * 500, b"=%%%"))
    return sent("again", _asked(b"GET", target, _COOKIE), passes=True)


def tokens(chance: random.Random) -> Attack:
    """Guess the token."""
    wrong = (
        b"", b"x", TOKEN[:-1].encode(), TOKEN.lower().encode(), b"%ff", b"%00" * 100, b"x" * 50_000,
        b"%C3%A4",
    )  # fmt: skip
    target = chance.choice((b"/", FORBIDDEN, b"//evil.example/")) + b"?token=" + chance.choice(wrong)
    return sent("tokens", _asked(chance.choice((b"GET", b"HEAD", b"POST")), target))


def cookies(chance: random.Random) -> Attack:
    """Forge cookies. The form must not reach the service."""
    name = b"Cookie: soapclient-console-80="
    wrong = (
        b"", b"x", TOKEN[:-1].encode(), b"\xff" * 50, b'"\\377"', b"x" * 50_000, b"%s", b";" * 5000,
        b"; soapclient-console-80=".join([b"x"] * 500), TOKEN.upper().encode(),
    )  # fmt: skip
    fields = [name + chance.choice(wrong), _URLENCODED]
    return sent("cookies", _asked(b"POST", FORBIDDEN, *fields, body=b"do=send"))


def sites(chance: random.Random) -> Attack:
    """Send requests from other sites, whose browser adds the token, and requests for foreign host names."""
    origins = (
        b"null", b"http://evil.example", b"http://127.0.0.1:1", b"http://127.0.0.1.evil.example", b"http://[", b"",
        b"http://127.0.0.1@evil.example", b"127.0.0.1", b"http://127.0.0.1/", b"\xff", b"http://LOCALHOST.",
    )  # fmt: skip
    fields = [_COOKIE, _URLENCODED, b"Origin: " + chance.choice(origins)]
    return sent("other sites", _asked(b"POST", FORBIDDEN, *fields, body=b"do=send"))


def hosts(chance: random.Random) -> Attack:
    """Send host names that resolve to this machine but are not its names."""
    names = (
        b"evil.example", b"127.0.0.1.evil.example", b"[", b"[::1", b"\xe2\x93\x9blocalhost", b"127.0.0.1@evil",
        b"", b"0.0.0.0", b"xn--a", b"x" * 5000, b"2130706433", b"127.1", b"\xe2\x85\xbcocalhost", b"evil#127.0.0.1",
    )  # fmt: skip
    host = b"Host: " + chance.choice(names)
    return sent("hosts", _asked(b"POST", FORBIDDEN, _COOKIE, _URLENCODED, body=b"do=send", host=host))


def methods(chance: random.Random) -> Attack:
    """Send methods that the console does not support."""
    method = chance.choice(
        (b"OPTIONS", b"TRACE", b"PUT", b"DELETE", b"PATCH", b"CONNECT", b"BREW", b"PROPFIND")
    )
    fields = (_COOKIE,) if chance.random() < 0.7 else ()
    return sent("methods", _asked(method, chance.choice((b"/", FORBIDDEN, b"*")), *fields))


def watched(chance: random.Random) -> Attack:
    """Send invalid switches."""
    given = {"kind": chance.choice(("", "x", "drift nothing", "\0", "reset " * 1000)), "times": _text(chance)}
    given["operation"] = _text(chance)[:1000]
    return sent("switches", _asked(b"POST", b"/watch", _COOKIE, _URLENCODED, body=_form(given)), passes=True)


ATTACKS: Final[tuple[Make, ...]] = (
    values, many, bodies, multipart, places, again, tokens, cookies, sites, hosts, methods, watched,
    values, values, sites, cookies,  # more often than the others
)  # fmt: skip
