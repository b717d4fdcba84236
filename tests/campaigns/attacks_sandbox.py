"""Hostile requests to the sandbox: those for any HTTP server, and invalid documents."""

from __future__ import annotations

import gzip
import json
import random
from functools import cache
from typing import Final

from . import attacks_http
from .attacks import BOARD, ENVELOPE, REST, SOAP, Attack, Make, junk, mutate, post, request, sent

# ---- documents


def _entities(chance: random.Random) -> bytes:
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    declared = chance.choice(
        [
            f'<!ENTITY a0 "ha">{laughs}',
            '<!ENTITY a9 SYSTEM "file:///etc/passwd">',
            '<!ENTITY a9 SYSTEM "http://127.0.0.1:9/">',
            '<!ENTITY % p SYSTEM "file:///dev/zero">%p;<!ENTITY a9 "x">',
            '<!ENTITY a9 "' + "x" * 100_000 + '">',
        ]
    )
    uses = chance.choice(["<q>&a9;</q>", '<q a="&a9;"/>', "<q>" + "&a9;" * 1000 + "</q>"])
    code = chance.choice(["utf-8", "utf-16", "utf-8-sig"])
    return f"<!DOCTYPE e [{declared}]>{ENVELOPE % uses}".encode(code)


def entities(chance: random.Random) -> Attack:
    """Send entities that expand, or refer to external resources."""
    return sent("entities", post(_entities(chance)))


def markup(chance: random.Random) -> Attack:
    """Vary depth, width, attributes, namespaces and texts."""
    inside = chance.choice(
        [
            "<a>" * 100_000, "<a>" * 5000 + "</a>" * 5000, "<a/>" * 100_000,
            "<a " + " ".join(f'a{n}="1"' for n in range(30_000)) + "/>",
            "<a " + " ".join(f'xmlns:a{n}="u{n}"' for n in range(20_000)) + "/>",
            "<connectId>" + "x" * 900_000 + "</connectId>", "<![CDATA[" + "]" * 900_000,
            "<!--" + "-" * 900_000, "<" + "a" * 900_000, "<?" + "a" * 900_000, "&#x10FFFF;" * 50_000,
            "&#0;" * 1000, "<a b='1' b='2'/>", "<region>" * 300, '<x:a xmlns:x=""/>',
            "<query>" + "a" * 500_000 + "</query>", "\ufffe\uffff",
        ]
    )  # fmt: skip
    return sent("markup", post((ENVELOPE % inside).encode()))


def charsets(chance: random.Random) -> Attack:
    """Send bytes that do not match the declared charset."""
    body = chance.choice(
        [
            (ENVELOPE % "").encode("utf-16"), (ENVELOPE % "").encode("utf-32"),
            (ENVELOPE % "\xff").encode("latin-1"), b"\xef\xbb\xbf" * 3 + (ENVELOPE % "").encode(),
            b"\xff\xfe\x00\x00" + junk(chance), b"+ADw-a/+AD4-",
            b'<?xml version="9.9" encoding="nothing"?><a/>', b'<?xml version="1.0" encoding="utf-7"?><a/>',
            junk(chance, 5000), b"",
        ]
    )  # fmt: skip
    names = [b"nothing", b"utf-7", b"idna", b"utf-16", b"base64", b"\x00", b'"', b"rot13", b"zip"]
    return sent("charsets", post(body, b"text/xml; charset=" + chance.choice(names)))


def media(chance: random.Random) -> Attack:
    """Send bodies of other media types."""
    kinds = [
        b"multipart/form-data", b"multipart/form-data; boundary=" + b"x" * 5000,
        b"multipart/related; boundary=b", b"application/x-www-form-urlencoded", b"text/html", b"",
        b"text/xml" * 500, b"application/soap+xml; action=" + b"x" * 5000,
    ]  # fmt: skip
    body = chance.choice([b"--b\r\n" * 10_000, b"a=1&" * 50_000, junk(chance, 5000)])
    return sent("media", post(body, chance.choice(kinds), chance.choice([SOAP, REST])))


@cache
def _bomb() -> bytes:
    return gzip.compress(b" " * 20_000_000, 9, mtime=0)


def packed(chance: random.Random) -> Attack:
    """Send a compression bomb."""
    return sent("bomb", post(_bomb(), b"text/xml", SOAP, b"Content-Encoding: gzip"))


_JSON: Final = [
    b"[" * 100_000, b'{"a":' * 50_000, b"[" * 400 + b"]" * 400, b'{"advance": 1e999999}', b'{"advance": NaN}',
    b'{"advance": Infinity}', b'{"advance": -1e308}', b'{"advance": 1e300}', b'{"advance": 99999999999999}',
    b'{"advance": ' + b"9" * 5000 + b"}", b'{"advance": true}', b'{"advance": "1"}', b'{"advance": {}}',
    b'{"operation": "GetProfile", "kind": "explode"}', b'{"operation": "Nothing", "kind": "fault"}',
    b'{"operation": "GetProfile", "kind": "fault", "code": "1"}',
    b'{"operation": "GetProfile", "kind": "fault", "code": 1e400}',
    b'{"operation": "GetProfile", "kind": "hang", "seconds": -1}',
    b'{"operation": "GetProfile", "kind": "hang", "seconds": NaN}',
    b'{"operation": "GetProfile", "kind": "hang", "seconds": 1e300}',
    b'{"operation": "GetProfile", "kind": "unavailable", "retry_after": -5}',
    b'{"operation": "GetProfile", "kind": "reset", "times": 0}',
    b'{"operation": "GetProfile", "kind": "response"}',
    b'{"operation": "GetProfile", "kind": "response", "xml": "<a>"}',
    b'{"operation": "GetProfile", "kind": "response", "xml": "<!DOCTYPE a [<!ENTITY b \'c\'>]><a>&b;</a>"}',
    b'{"operation": "GetProfile", "kind": "response", "xml": {"a": 1}}',
    b'{"operation": null, "kind": "response", "json": {}}', b'{"operation": ["GetProfile"], "kind": "reset"}',
    b'{"kind": "reset"}', b'{"operation": "GetProfile", "kind": "reset", "payload": {}}',
    b'{"operation": "\\ud800", "kind": "reset"}',
    b'{"operation": "GetProfile", "kind": "fault", "reason": "\\ud800"}', b"[]", b"null",
    b'"' + b"x" * 500_000 + b'"', b"\xff\xfe", b"{", b"", b"{}" * 1000, b'{"a": 1' + b"0" * 5000 + b"}",
]  # fmt: skip


def switchboard(chance: random.Random) -> Attack:
    """Send invalid requests to the switchboard."""
    where = chance.choice([b"clock", b"rules", b"nothing", b"calls", b"", b"clock/"])
    body = chance.choice(_JSON)
    if where in (b"", b"clock/") or not body:
        where = where or b"nothing"
    kind = b"application/json" if chance.random() < 0.9 else b"text/plain"
    return sent("switchboard", post(body, kind, BOARD + where))


def json_bodies(chance: random.Random) -> Attack:
    """Send JSON to REST operations with a JSON body."""
    signed = b"Authorization: ZXWS 802B8BF4AE99EBE00F41:" + chance.choice([b"x", b"=" * 28, b"\xff"])
    body = chance.choice(_JSON) or b"{}"
    method = chance.choice([b"POST", b"PUT", b"DELETE"])
    head = (b"Content-Type: application/json", signed)
    return sent("JSON", request(method, b"/json/2011-03-01/adspaces/adspace", *head, body=body))


def console_calls(chance: random.Random) -> Attack:
    """Send invalid signatures."""
    values = [json.dumps(chance.randbytes(30).decode("latin-1")).encode(), b"x" * 50_000, b"%00" * 100]
    query = b"connectid=%s&date=%s&nonce=%s&signature=%s" % tuple(chance.choice(values) for _ in range(4))
    return sent("signatures", request(b"GET", REST + b"?" + query.replace(b" ", b"+").replace(b"\x7f", b"")))


def mutated(chance: random.Random) -> Attack:
    """Send a valid request with some bytes changed."""
    whole = chance.choice(
        [
            request(b"GET", b"/wsdl/2011-03-01"),
            request(b"GET", REST, b"Authorization: ZXWS 802B8BF4AE99EBE00F41:x", b"nonce: 1"),
            post((ENVELOPE % "<connectId>802B8BF4AE99EBE00F41</connectId>").encode()),
            request(b"POST", SOAP, b"Content-Type: text/xml", b"Transfer-Encoding: chunked")
            + b"5\r\n<a/> \r\n0\r\n\r\n",
        ]
    )
    return sent("mutations", mutate(chance, whole), most=4, passes=True, end=chance.choice(["half", "reset"]))


ATTACKS: Final[tuple[Make, ...]] = (
    *attacks_http.ATTACKS, entities, markup, charsets, media, packed, switchboard, json_bodies, console_calls,
    mutated,
)  # fmt: skip
