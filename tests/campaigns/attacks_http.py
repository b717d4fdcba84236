"""Hostile requests for any HTTP server: message framing, header content and slow clients."""

from __future__ import annotations

import random
from typing import Final

from .attacks import BOARD, ENVELOPE, LOTS, REST, SOAP, Attack, Deed, Make, junk, mutate, post, request, sent

# ---- slow


def slow_header(chance: random.Random) -> Attack:
    """Send a header one byte at a time."""
    return Attack("slow header", (("send", b"GET / HTTP/1.1\r\nX: "), ("drip", b"x" * 60)))


def slow_body(chance: random.Random) -> Attack:
    """Announce a body and send it one byte at a time."""
    fields = (b"Content-Type: text/xml", b"Content-Length: 5000")
    return Attack("slow body", (("send", request(b"POST", SOAP, *fields)), ("drip", b"<" * 60)))


def slow_chunks(chance: random.Random) -> Attack:
    """Send chunks of one byte, slowly."""
    fields = (b"Content-Type: text/xml", b"Transfer-Encoding: chunked")
    return Attack("slow chunks", (("send", request(b"POST", SOAP, *fields)), ("drip", b"1\r\n<\r\n" * 10)))


def silent(chance: random.Random) -> Attack:
    """Open a connection and send nothing, or only part of a request."""
    begun = chance.choice([b"", b"G", b"GET / HT", b"GET / HTTP/1.1\r\nHost"])
    return Attack("silence", (("send", begun), ("hold", b"")))


# ---- message framing


_LENGTHS: Final = [
    (b"Content-Length: -1",),
    (b"Content-Length: +5",),
    (b"Content-Length: 0x5",),
    (b"Content-Length: 5, 5",),
    (b"Content-Length: 5", b"Content-Length: 5"),
    (b"Content-Length: 5", b"Content-Length: 50"),
    (b"Content-Length: " + b"9" * 400,),
    (b"Content-Length: 99999999999999999999",),
    (b"Content-Length: 5 5",),
    (b"Content-Length: five",),
    ("Content-Length: \u0665".encode(),),
    (b"Content-Length: 500",),
    (b"Transfer-Encoding: chunked", b"Content-Length: 5"),
    (b"Content-Length: 5", b"Transfer-Encoding: chunked"),
    (b"Transfer-Encoding: gzip, chunked",),
    (b"Transfer-Encoding: chunked, chunked",),
    (b"Transfer-Encoding: xchunked",),
    (b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity"),
    (b"Transfer-Encoding : chunked",),
    (b"Transfer-Encoding:\x0bchunked",),
    (b"Transfer-Encoding: identity",),
    (b"Transfer-Encoding:\n chunked",),
    (b"X: 1\rContent-Length: 5",),
    (b"Content-Length: 5\x00",),
]


def lengths(chance: random.Random) -> Attack:
    """Send a Content-Length that is invalid or wrong, with a second request inside the body."""
    smuggled = request(b"GET", BOARD + b"clock")
    fields = chance.choice(_LENGTHS)
    data = request(b"POST", SOAP, b"Content-Type: text/xml", *fields) + b"0\r\n\r\n" + smuggled
    return sent("lengths", data)


def chunked_in_1_0(chance: random.Random) -> Attack:
    """Send a chunked body in HTTP/1.0, which does not have chunked encoding."""
    return sent(
        "chunks in 1.0",
        request(b"POST", SOAP, b"Transfer-Encoding: chunked", version=b"HTTP/1.0") + b"0\r\n\r\n",
    )


_CHUNKS: Final = [
    b"zz\r\n<a/>\r\n0\r\n\r\n", b"5\r\n<a/>\r\n0\r\n\r\n", b"3\r\n<a/>\r\n0\r\n\r\n",
    b"-4\r\n<a/>\r\n0\r\n\r\n", b"0x4\r\n<a/>\r\n0\r\n\r\n", b"4\n<a/>\n0\n\n", b"4\r<a/>\r0\r\r",
    b"ffffffffffffffff\r\n<a/>\r\n", b"fffffffffffffffffffff\r\n<a/>\r\n",
    b"4;" + b"x" * 10_000 + b"\r\n<a/>\r\n0\r\n\r\n", b"4\r\n<a/>", b"4\r\n<a", b"4", b"\r\n",
    b"4\r\n<a/>\r\n0\r\n" + b"X: 1\r\n" * 500 + b"\r\n", b"4\r\n<a/>\r\n0\r\nX\x00: 1\r\n\r\n",
    b"4\r\n<a/>\r\n0\r\n", b"7fffffff\r\n" + b"x" * 2000,
]  # fmt: skip


def chunks(chance: random.Random) -> Attack:
    """Send damaged chunks. A request like this once killed a process."""
    head = request(b"POST", SOAP, b"Content-Type: text/xml", b"Transfer-Encoding: chunked")
    return sent("chunk damage", head + chance.choice(_CHUNKS), end=chance.choice(["half", "reset", "read"]))


def random_chunks(chance: random.Random) -> Attack:
    """Send valid chunks with some bytes changed, cut off at a random position."""
    body = b"".join(b"%x\r\n%b\r\n" % (n, b"x" * n) for n in (chance.randint(1, 40) for _ in range(9)))
    damaged = mutate(chance, body + b"0\r\n\r\n")
    head = request(b"POST", SOAP, b"Content-Type: text/xml", b"Transfer-Encoding: chunked")
    return sent("random chunks", head + damaged, most=3, end=chance.choice(["half", "reset"]))


def expectations(chance: random.Random) -> Attack:
    """Expect 100-continue and never send the body, or send an unknown expectation."""
    expected = chance.choice([b"100-continue", b"200-ok", b"100-continue, 100-continue"])
    fields = (b"Expect: " + expected, b"Content-Length: 100", b"Content-Type: text/xml")
    return sent("expectations", request(b"POST", SOAP, *fields), most=2)


def pipelined(chance: random.Random) -> Attack:
    """Pipeline many requests without waiting for responses."""
    count = chance.randint(2, 60)
    whole = b"".join(
        chance.choice([request(target=b"/nothing/%d" % n), post(b"<a/>"), request(b"BREW", b"/")])
        for n in range(count)
    )
    return sent("pipelining", whole, most=count, end=chance.choice(["half", "reset"]))


def large_body(chance: random.Random) -> Attack:
    """Send a body that exceeds the limit of the sandbox."""
    return sent("large body", post(b"<a>" + b"x" * chance.choice([1_000_001, 3_000_000])))


# ---- the header


def large_header(chance: random.Random) -> Attack:
    """Send an oversized field, too many fields, or an oversized target."""
    large = chance.choice(
        [
            request(b"GET", b"/", b"X: " + b"x" * LOTS),
            request(b"GET", b"/", *[b"X-%d: %s" % (n, b"x" * 500) for n in range(300)]),
            request(b"GET", b"/", *[b"X: 1"] * 5000),
            request(b"GET", b"/", b"Cookie: " + b"a=1; " * 12_000),
            request(b"GET", b"/" + b"a" * LOTS),
            request(b"GET", b"/-/calls?" + b"&".join(b"a%d=1" % n for n in range(20_000))),
            request(b"X" * LOTS, b"/"),
            b"GET / HTTP/1.1\r\n" + b"x" * LOTS,
        ]
    )
    return sent("large header", large)


def large_query(chance: random.Random) -> Attack:
    """Send a query of the maximum line length."""
    pieces = chance.choice([b"a=%2525", b"%00", b"&", b"=", b"a[]=1", b"region=DE", b"%ff%fe"])
    query = b"&".join([pieces] * (60_000 // (len(pieces) + 1)))
    return sent("large query", request(b"GET", b"/json/2011-03-01/programs?" + query))


_FIELDS: Final = [
    b"no colon here", b": no name", b" folded: at once", b"X: a\r\n folded", b"X: a\x00b", b"X\x00: a",
    b"X: a\rb", b"X y: z", b"\xff\xfe: \xff", b"Host: other", b"Host: a b", b"Host: <script>",
    b"Content-Type: " + b";" * 5000, b"Content-Type: text/xml; charset=" + b"x" * 3000,
    b"Accept: " + b"*/*;q=0." * 3000, b"Range: bytes=" + b"0-," * 3000, b"If-None-Match: " + b'"a",' * 3000,
    b"If-Modified-Since: " + b"9" * 5000, b"Authorization: ZXWS " + b":" * 5000,
    b"Authorization: Basic " + b"=" * 5000, b"Date: Fri, 99 Foo 99999 99:99:99 GMT",
    b"X-Forwarded-Host: evil.example", b"Upgrade: h2c\r\nConnection: Upgrade",
    b"Connection: close, close, \x01",
]  # fmt: skip


def fields(chance: random.Random) -> Attack:
    """Send fields that are malformed or have invalid values."""
    chosen = chance.sample(_FIELDS, chance.randint(1, 3))
    target = chance.choice([REST, b"/wsdl/2011-03-01", b"/-/calls", b"/nothing"])
    return sent("fields", request(b"GET", target, *chosen), passes=True)


_TARGETS: Final = [
    b"http://[", b"http://[::1/", b"http://evil.example/json/2011-03-01/profiles", b"http://",
    b"//evil.example/", b"*", b"evil.example:443", b"/%00", b"/\x00", b"/..%2f..%2f..%2fetc%2fpasswd",
    b"/../../../etc/passwd", b"/%", b"/%zz", b"/%c0%af", b"/%ff%fe", b"/\xff\xfe", b"/" * 5000,
    b"/a" * 10_000, b"/json/2011-03-01/" + b"%25" * 1000, b"/soap/" + b"1" * 5000, b"/wsdl/%2e%2e",
    b"?" * 500, b"#fragment", b"file:///etc/passwd", b"/-/rules/../../etc",
    b"/json/2011-03-01/programs/program/" + b"9" * 5000, b"",
]  # fmt: skip


def targets(chance: random.Random) -> Attack:
    """Send targets in other forms, and targets that leave the root path."""
    method = chance.choice([b"GET", b"POST", b"CONNECT", b"OPTIONS", b"HEAD"])
    return sent("targets", request(method, chance.choice(_TARGETS)))


def methods(chance: random.Random) -> Attack:
    """Send invalid or unsupported methods."""
    odd = [b"CONNECT", b"TRACE", b"get", b"BREW", b"PROPFIND", b"", b"G\x00T", b"\xff", b"GET" * 3000, b"PRI"]
    return sent("methods", request(chance.choice(odd), chance.choice([b"/", REST, SOAP, b"x:443", b"*"])))


def versions(chance: random.Random) -> Attack:
    """Send HTTP versions that do not exist."""
    odd = [
        b"HTTP/9.9", b"HTTP/0.9", b"HTTP/1.1000", b"HTTP/1", b"HTTP/-1.1", b"HTTP/1.x", b"ICY", b"HTTP/2.0",
    ]  # fmt: skip
    return sent("versions", request(b"GET", b"/nothing", version=chance.choice(odd)))


def no_http(chance: random.Random) -> Attack:
    """Send other protocols, or random bytes."""
    begun = chance.choice(
        [
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + chance.randbytes(300),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + chance.randbytes(50), b"SSH-2.0-OpenSSH_9.0\r\n",
            b"\r\n" * 2000, b"\x00" * 5000, junk(chance, 3000), b"<policy-file-request/>\x00",
            b"EHLO evil.example\r\n",
        ]
    )  # fmt: skip
    return sent("no HTTP", begun, end=chance.choice(["half", "reset", "read"]))


# ---- connections


def resets(chance: random.Random) -> Attack:
    """Reset the connection: immediately, during the request, or before the response."""
    whole = post((ENVELOPE % "").encode())
    return Attack("resets", (("send", whole[: chance.randint(0, len(whole))]), ("reset", b"")))


def half_closed(chance: random.Random) -> Attack:
    """Send half a request and shut down the sending side."""
    whole = post((ENVELOPE % "").encode())
    return sent("half closed", whole[: chance.randint(0, len(whole) - 1)])


def plain_on_tls(chance: random.Random) -> Attack:
    """Send plain HTTP to the TLS port."""
    begun = chance.choice(
        [request(), junk(chance, 500), b"\x16\x03\x01\x02\x00", b"", b"\x15\x03\x03\x00\x02\x02\x28"]
    )
    end: Deed = chance.choice(["half", "reset", "hold"] if begun else ["half", "reset"])
    return Attack("no TLS", (("send", begun), (end, b"")), port="tls")


ATTACKS: Final[tuple[Make, ...]] = (
    slow_header, slow_body, slow_chunks, silent, lengths, chunked_in_1_0, chunks, random_chunks, expectations,
    pipelined, large_body, large_header, large_query, fields, targets, methods, versions, no_http, resets,
    half_closed, plain_on_tls,
)  # fmt: skip
