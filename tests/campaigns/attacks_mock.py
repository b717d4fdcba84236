# ruff: noqa: E501 # tables of requests, one per row
"""Hostile requests to a mock: envelopes, multipart bodies, versions and invalid rules."""

from __future__ import annotations

import random
from typing import Final

from .attacks import Attack, Make, request, sent

PORT: Final = b"/WeatherService/Weather11"
ENVELOPE: Final = (
    b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:example:weather">'
    b"<e:Header>%s</e:Header><e:Body>%s</e:Body></e:Envelope>"
)
RIGHT: Final = b"<GetWeather><city>%s</city></GetWeather>"
_XOP: Final = b'<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:%s"/>'


def _post(name: str, body: bytes, *fields: bytes, kind: bytes = b"text/xml", passes: bool = False) -> Attack:
    return sent(name, request(b"POST", PORT, b"Content-Type: " + kind, *fields, body=body), passes=passes)


def deep(chance: random.Random) -> Attack:
    """Send deeply nested XML, or a flood of attributes, names or text."""
    size = chance.choice((300, 5000, 100_000))
    inner = chance.choice(
        (
            b"<a>" * size,
            b"<a>" * size + b"</a>" * size,
            b"<GetWeather " + b" ".join(b'a%d=""' % at for at in range(size)) + b"/>",
            b"<GetWeather><city>" + b"x" * size * 10 + b"</city></GetWeather>",
            b"<GetWeather>" + b"<city>a</city>" * size + b"</GetWeather>",
            b"<" + b"a" * size + b"/>",
            b"".join(b'<a xmlns:p%d="urn:%d">' % (at, at) for at in range(size // 10)),
        )
    )
    return _post("deep XML", ENVELOPE % (b"", inner))


def bombs(chance: random.Random) -> Attack:
    """Send document types, entities and processing instructions."""
    levels = b"".join(b'<!ENTITY e%d "%s">' % (at + 1, b"&e%d;" % at * 10) for at in range(12))
    head = chance.choice(
        (
            b'<!DOCTYPE a [<!ENTITY e0 "x">%s]>' % levels,
            b'<!DOCTYPE a [<!ENTITY e12 SYSTEM "file:///etc/passwd">]>',
            b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd">',
            b'<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///dev/zero">%p;]>',
        )
    )
    return _post("bombs", head + ENVELOPE % (b"", RIGHT % b"&e12;"))


def _parts(root: bytes, *others: bytes) -> bytes:
    heads = [b"--b\r\nContent-Type: text/xml\r\nContent-ID: <root>\r\n\r\n" + root]
    heads += [b"\r\n--b\r\nContent-ID: <p%d>\r\n\r\n%s" % (at, each) for at, each in enumerate(others)]
    return b"".join(heads) + b"\r\n--b--\r\n"


def xop(chance: random.Random) -> Attack:
    """Include parts many times or recursively, or refer to missing parts."""
    inside = chance.choice(
        (
            b"".join(b"<city>" + _XOP % b"p0" + b"</city>" for _ in range(500)),
            b"<city>" + _XOP % b"nothing" + b"</city>",
            b"<city>" + _XOP % b"root" + b"</city>",
            b"<city>" + _XOP % b"" * 3000 + b"</city>",
            _XOP % b"p0" * 3000,
        )
    )
    root = ENVELOPE % (b"", b"<GetWeather>%s</GetWeather>" % inside)
    kind = b'multipart/related; boundary=b; type="application/xop+xml"; start="<root>"'
    return _post("XOP", _parts(root, b"x" * chance.choice((10, 100_000))), kind=kind)


def parts(chance: random.Random) -> Attack:
    """Send damaged or nested multipart bodies."""
    kind = chance.choice(
        (b"multipart/related; boundary=b", b"multipart/related", b'multipart/related; boundary="')
    )
    if chance.random() < 0.3:
        count = chance.choice((50, 2000))
        nested = b"".join(
            b"--%d\r\nContent-Type: multipart/mixed; boundary=%d\r\n\r\n" % (at, at + 1)
            for at in range(count)
        )
        return _post("nested parts", nested, kind=b"multipart/related; boundary=0")
    body = bytearray(_parts(ENVELOPE % (b"", RIGHT % b"Berlin"), chance.randbytes(50)))
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(body))
        body[at : at + chance.randint(0, 4)] = chance.choice((b"\r\n", b"--b", b"\0", b":", b"=?", b"\xff"))
    return _post("parts", bytes(body), kind=kind, passes=True)


def many(chance: random.Random) -> Attack:
    """Send huge numbers of headers: HTTP, SOAP and multipart."""
    count = chance.choice((150, 5000))
    match chance.randrange(3):
        case 0:
            return _post("headers", ENVELOPE % (b"", b"<a/>"), *(b"X-%d: y" % at for at in range(count)))
        case 1:
            head = b'<a:b xmlns:a="urn:a" e:mustUnderstand="1">x</a:b>' * count
            return _post("headers", ENVELOPE % (head, RIGHT % b"Berlin"))
        case _:
            head = b"--b\r\n" + b"".join(b"X-%d: y\r\n" % at for at in range(count)) + b"\r\n<a/>\r\n--b--"
            return _post("headers", head, kind=b"multipart/related; boundary=b")


def versions(chance: random.Random) -> Attack:
    """Send envelopes with other versions, to other ports and with other actions."""
    space = chance.choice(
        (b"http://www.w3.org/2003/05/soap-envelope", b"urn:soap", b"", b"http://" + b"x" * 9000)
    )
    body = b'<e:Envelope xmlns:e="%s"><e:Body><x/></e:Body></e:Envelope>' % space
    action = b'SOAPAction: "%s"' % chance.choice((b"urn:x", b"x" * 9000, b"\xff", b'"'))
    kind = chance.choice((b"text/xml", b"application/soap+xml", b"text/xml; charset=nonsense", b"image/png"))
    body = chance.choice((body, b"", b"\0", chance.randbytes(200), body.replace(b"Body", b"Bdy"), body * 2))
    return _post("versions", body, action, kind=kind)


def charsets(chance: random.Random) -> Attack:
    """Send encodings that differ from the declared one."""
    whole = ENVELOPE % (b"", RIGHT % b"Berlin")
    said = chance.choice(
        (b"utf-16", b"utf-7", b"idna", b"hex", b"zip", b"rot13", b"x" * 3000, b"\xff", b"utf-32")
    )
    declared = b'<?xml version="1.0" encoding="%s"?>' % said
    return _post("charsets", declared + whole, kind=b"text/xml; charset=" + said, passes=True)


def board(chance: random.Random) -> Attack:
    """Send invalid rules."""
    bodies = (
        b"[" * 200_000, b'{"a":' * 50_000, b"", b"null", b"[]", b"{", b"\xff\xfe", b'{"kind":null}', b'{"kind":[]}',
        b'{"kind":"slow","seconds":1e999}', b'{"kind":"slow","seconds":NaN}', b'{"kind":"hang","seconds":-5}',
        b'{"kind":"hang","seconds":%s}' % (b"9" * 5000), b'{"kind":"reset","times":0}', b'{"kind":"drift","drift":[]}',
        b'{"kind":"reset","times":-1}', b'{"kind":"reset","operation":"\\ud800"}', b'{"kind":"reset","operation":7}',
        b'{"kind":"reset","operation":"' + b"x" * 100_000 + b'"}', b'{"kind":"fault","times":true}',
    )  # fmt: skip
    kind = chance.choice((b"application/json", b"application/json", b"text/plain"))
    target = b"/-/" + chance.choice((b"rules", b"rules", b"rules", b"nothing", b"../x", b"clock", b"%00"))
    return sent("rules", request(b"POST", target, b"Content-Type: " + kind, body=chance.choice(bodies)))


def methods(chance: random.Random) -> Attack:
    """Send requests that are not a POST, or have an unknown path."""
    method = chance.choice((b"OPTIONS", b"TRACE", b"PUT", b"DELETE", b"PATCH", b"BREW"))
    target = chance.choice(
        (PORT, b"/-/calls", b"/%00", b"/../../etc/passwd", b"/" + b"a" * 9000, PORT + b"/x")
    )
    if target not in (PORT, b"/-/calls"):
        method = b"GET"
    return sent("methods", request(method, target, body=b"x" if method == b"PUT" else b""))


ATTACKS: Final[tuple[Make, ...]] = (
    deep, bombs, xop, parts, many, versions, charsets, board, methods, xop, board,
)  # fmt: skip
