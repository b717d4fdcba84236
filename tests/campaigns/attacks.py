"""Hostile requests, each made from a seed: what is sent, in which steps, and what may come back.

A request that is refused gets a status of 400 and above, or a closed connection. `passes` says that a
success is no wrong either: what was changed at random may still be a proper request.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

Deed = Literal["send", "drip", "half", "reset", "hold", "read"]
Step = tuple[Deed, bytes]

SOAP: Final = b"/soap/2011-03-01"
REST: Final = b"/json/2011-03-01/profiles"
BOARD: Final = b"/-/"
_NAMESPACE: Final = "http://api.zanox.com/namespace/2011-03-01/"
_ENVELOPE: Final = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>'
    f'<SearchProgramsRequest xmlns="{_NAMESPACE}">%s</SearchProgramsRequest></e:Body></e:Envelope>'
)
_LOTS: Final = 1 << 17  # bytes of what is large


@dataclass(frozen=True)
class Attack:
    """The steps of one connection. `most` responses may come; `port` is that of plain HTTP, or of TLS."""

    name: str
    steps: Sequence[Step]
    most: int = 1
    passes: bool = False
    port: Literal["plain", "tls"] = "plain"


Make = Callable[[random.Random], Attack]
_ALL: list[Make] = []


def _listed(make: Make) -> Make:
    _ALL.append(make)
    return make


def attack_of(seed: int, number: int, among: Sequence[Make] = _ALL) -> Attack:
    """The attack of a number: all chance is the seed's."""
    chance = random.Random(f"{seed}/{number}")
    return among[number % len(among)](chance) if number < 2 * len(among) else chance.choice(among)(chance)


def kinds() -> int:
    """How many kinds of attacks there are."""
    return len(_ALL)


def request(
    method: bytes = b"GET",
    target: bytes = REST,
    *fields: bytes,
    body: bytes = b"",
    version: bytes = b"HTTP/1.1",
    length: bool = True,
) -> bytes:
    """A request as bytes; whatever is asked for is written as it is."""
    head = [method + b" " + target + b" " + version, b"Host: sandbox", *fields]
    if body and length:
        head.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(head) + b"\r\n\r\n" + body


def post(body: bytes, kind: bytes = b"text/xml", target: bytes = SOAP, *fields: bytes) -> bytes:
    """A request with a body."""
    return request(b"POST", target, b"Content-Type: " + kind, *fields, body=body)


def sent(name: str, data: bytes, *, most: int = 1, passes: bool = False, end: Deed = "half") -> Attack:
    """All at once; then nothing more, and the response is read."""
    return Attack(name, (("send", data), (end, b"")), most, passes)


def _junk(chance: random.Random, most: int = 200) -> bytes:
    return chance.randbytes(chance.randint(1, most))


# ---- slow


@_listed
def slow_header(chance: random.Random) -> Attack:
    """One byte of a header now and then."""
    return Attack("slow header", (("send", b"GET / HTTP/1.1\r\nX: "), ("drip", b"x" * 60)))


@_listed
def slow_body(chance: random.Random) -> Attack:
    """A body that is announced, and comes by the byte."""
    fields = (b"Content-Type: text/xml", b"Content-Length: 5000")
    return Attack("slow body", (("send", request(b"POST", SOAP, *fields)), ("drip", b"<" * 60)))


@_listed
def slow_chunks(chance: random.Random) -> Attack:
    """Chunks of one byte, now and then."""
    fields = (b"Content-Type: text/xml", b"Transfer-Encoding: chunked")
    return Attack("slow chunks", (("send", request(b"POST", SOAP, *fields)), ("drip", b"1\r\n<\r\n" * 10)))


@_listed
def silent(chance: random.Random) -> Attack:
    """A connection without a word, or with half a one."""
    begun = chance.choice([b"", b"G", b"GET / HT", b"GET / HTTP/1.1\r\nHost"])
    return Attack("silence", (("send", begun), ("hold", b"")))


# ---- where a message ends


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


@_listed
def lengths(chance: random.Random) -> Attack:
    """A length that is none, or is not the body's, with a request inside the body."""
    smuggled = request(b"GET", BOARD + b"clock")
    fields = chance.choice(_LENGTHS)
    data = request(b"POST", SOAP, b"Content-Type: text/xml", *fields) + b"0\r\n\r\n" + smuggled
    return sent("lengths", data)


@_listed
def chunked_in_1_0(chance: random.Random) -> Attack:
    """Chunks where the version has none."""
    return sent(
        "chunks in 1.0",
        request(b"POST", SOAP, b"Transfer-Encoding: chunked", version=b"HTTP/1.0") + b"0\r\n\r\n",
    )


_CHUNKS: Final = [
    b"zz\r\n<a/>\r\n0\r\n\r\n",
    b"5\r\n<a/>\r\n0\r\n\r\n",
    b"3\r\n<a/>\r\n0\r\n\r\n",
    b"-4\r\n<a/>\r\n0\r\n\r\n",
    b"0x4\r\n<a/>\r\n0\r\n\r\n",
    b"4\n<a/>\n0\n\n",
    b"4\r<a/>\r0\r\r",
    b"ffffffffffffffff\r\n<a/>\r\n",
    b"fffffffffffffffffffff\r\n<a/>\r\n",
    b"4;" + b"x" * 10_000 + b"\r\n<a/>\r\n0\r\n\r\n",
    b"4\r\n<a/>",
    b"4\r\n<a",
    b"4",
    b"\r\n",
    b"4\r\n<a/>\r\n0\r\n" + b"X: 1\r\n" * 500 + b"\r\n",
    b"4\r\n<a/>\r\n0\r\nX\x00: 1\r\n\r\n",
    b"4\r\n<a/>\r\n0\r\n",
    b"7fffffff\r\n" + b"x" * 2000,
]


@_listed
def chunks(chance: random.Random) -> Attack:
    """Chunks that are damaged; one such request has killed a process once."""
    head = request(b"POST", SOAP, b"Content-Type: text/xml", b"Transfer-Encoding: chunked")
    return sent("chunk damage", head + chance.choice(_CHUNKS), end=chance.choice(["half", "reset", "read"]))


@_listed
def random_chunks(chance: random.Random) -> Attack:
    """Sound chunks with a byte or some changed, cut at some place."""
    body = b"".join(b"%x\r\n%b\r\n" % (n, b"x" * n) for n in (chance.randint(1, 40) for _ in range(9)))
    damaged = _mutated(chance, body + b"0\r\n\r\n")
    head = request(b"POST", SOAP, b"Content-Type: text/xml", b"Transfer-Encoding: chunked")
    return sent("random chunks", head + damaged, most=3, end=chance.choice(["half", "reset"]))


@_listed
def expectations(chance: random.Random) -> Attack:
    """A body that waits to be asked for, and never comes; an expectation that nobody knows."""
    expected = chance.choice([b"100-continue", b"200-ok", b"100-continue, 100-continue"])
    fields = (b"Expect: " + expected, b"Content-Length: 100", b"Content-Type: text/xml")
    return sent("expectations", request(b"POST", SOAP, *fields), most=2)


@_listed
def pipelined(chance: random.Random) -> Attack:
    """Many requests at once, nobody waiting for a response."""
    count = chance.randint(2, 60)
    whole = b"".join(
        chance.choice([request(target=b"/nothing/%d" % n), post(b"<a/>"), request(b"BREW", b"/")])
        for n in range(count)
    )
    return sent("pipelining", whole, most=count, end=chance.choice(["half", "reset"]))


@_listed
def large_body(chance: random.Random) -> Attack:
    """More bytes than the sandbox takes."""
    return sent("large body", post(b"<a>" + b"x" * chance.choice([1_000_001, 3_000_000])))


# ---- the header


@_listed
def large_header(chance: random.Random) -> Attack:
    """One field, all fields or the target beyond any measure."""
    large = chance.choice(
        [
            request(b"GET", b"/", b"X: " + b"x" * _LOTS),
            request(b"GET", b"/", *[b"X-%d: %s" % (n, b"x" * 500) for n in range(300)]),
            request(b"GET", b"/", *[b"X: 1"] * 5000),
            request(b"GET", b"/", b"Cookie: " + b"a=1; " * 12_000),
            request(b"GET", b"/" + b"a" * _LOTS),
            request(b"GET", b"/-/calls?" + b"&".join(b"a%d=1" % n for n in range(20_000))),
            request(b"X" * _LOTS, b"/"),
            b"GET / HTTP/1.1\r\n" + b"x" * _LOTS,
        ]
    )
    return sent("large header", large)


@_listed
def large_query(chance: random.Random) -> Attack:
    """A query as long as a line may be."""
    pieces = chance.choice([b"a=%2525", b"%00", b"&", b"=", b"a[]=1", b"region=DE", b"%ff%fe"])
    query = b"&".join([pieces] * (60_000 // (len(pieces) + 1)))
    return sent("large query", request(b"GET", b"/json/2011-03-01/programs?" + query))


_FIELDS: Final = [
    b"no colon here",
    b": no name",
    b" folded: at once",
    b"X: a\r\n folded",
    b"X: a\x00b",
    b"X\x00: a",
    b"X: a\rb",
    b"X y: z",
    b"\xff\xfe: \xff",
    b"Host: other",
    b"Host: a b",
    b"Host: <script>",
    b"Content-Type: " + b";" * 5000,
    b"Content-Type: text/xml; charset=" + b"x" * 3000,
    b"Accept: " + b"*/*;q=0." * 3000,
    b"Range: bytes=" + b"0-," * 3000,
    b"If-None-Match: " + b'"a",' * 3000,
    b"If-Modified-Since: " + b"9" * 5000,
    b"Authorization: ZXWS " + b":" * 5000,
    b"Authorization: Basic " + b"=" * 5000,
    b"Date: Fri, 99 Foo 99999 99:99:99 GMT",
    b"X-Forwarded-Host: evil.example",
    b"Upgrade: h2c\r\nConnection: Upgrade",
    b"Connection: close, close, \x01",
]


@_listed
def fields(chance: random.Random) -> Attack:
    """Fields that are none, or are not what they should be."""
    chosen = chance.sample(_FIELDS, chance.randint(1, 3))
    target = chance.choice([REST, b"/wsdl/2011-03-01", b"/-/calls", b"/nothing"])
    return sent("fields", request(b"GET", target, *chosen), passes=True)


_TARGETS: Final = [
    b"http://[",
    b"http://[::1/",
    b"http://evil.example/json/2011-03-01/profiles",
    b"http://",
    b"//evil.example/",
    b"*",
    b"evil.example:443",
    b"/%00",
    b"/\x00",
    b"/..%2f..%2f..%2fetc%2fpasswd",
    b"/../../../etc/passwd",
    b"/%",
    b"/%zz",
    b"/%c0%af",
    b"/%ff%fe",
    b"/\xff\xfe",
    b"/" * 5000,
    b"/a" * 10_000,
    b"/json/2011-03-01/" + b"%25" * 1000,
    b"/soap/" + b"1" * 5000,
    b"/wsdl/%2e%2e",
    b"?" * 500,
    b"#fragment",
    b"file:///etc/passwd",
    b"/-/rules/../../etc",
    b"/json/2011-03-01/programs/program/" + b"9" * 5000,
    b"",
]


@_listed
def targets(chance: random.Random) -> Attack:
    """Targets in other forms, and those that lead out."""
    method = chance.choice([b"GET", b"POST", b"CONNECT", b"OPTIONS", b"HEAD"])
    return sent("targets", request(method, chance.choice(_TARGETS)))


@_listed
def methods(chance: random.Random) -> Attack:
    """Methods that are none, or nobody asked for."""
    odd = [b"CONNECT", b"TRACE", b"get", b"BREW", b"PROPFIND", b"", b"G\x00T", b"\xff", b"GET" * 3000, b"PRI"]
    return sent("methods", request(chance.choice(odd), chance.choice([b"/", REST, SOAP, b"x:443", b"*"])))


@_listed
def versions(chance: random.Random) -> Attack:
    """Versions that do not exist."""
    odd = [
        b"HTTP/9.9",
        b"HTTP/0.9",
        b"HTTP/1.1000",
        b"HTTP/1",
        b"HTTP/-1.1",
        b"HTTP/1.x",
        b"ICY",
        b"HTTP/2.0",
    ]
    return sent("versions", request(b"GET", b"/nothing", version=chance.choice(odd)))


@_listed
def no_http(chance: random.Random) -> Attack:
    """Other protocols, and none."""
    begun = chance.choice(
        [
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + chance.randbytes(300),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + chance.randbytes(50),
            b"SSH-2.0-OpenSSH_9.0\r\n",
            b"\r\n" * 2000,
            b"\x00" * 5000,
            _junk(chance, 3000),
            b"<policy-file-request/>\x00",
            b"EHLO evil.example\r\n",
        ]
    )
    return sent("no HTTP", begun, end=chance.choice(["half", "reset", "read"]))


# ---- connections


@_listed
def resets(chance: random.Random) -> Attack:
    """Gone at once, in the midst of the request, or before the response."""
    whole = post((_ENVELOPE % "").encode())
    return Attack("resets", (("send", whole[: chance.randint(0, len(whole))]), ("reset", b"")))


@_listed
def half_closed(chance: random.Random) -> Attack:
    """Half a request, and then the end of it."""
    whole = post((_ENVELOPE % "").encode())
    return sent("half closed", whole[: chance.randint(0, len(whole) - 1)])


@_listed
def plain_on_tls(chance: random.Random) -> Attack:
    """No TLS where there should be."""
    begun = chance.choice(
        [request(), _junk(chance, 500), b"\x16\x03\x01\x02\x00", b"", b"\x15\x03\x03\x00\x02\x02\x28"]
    )
    end: Deed = chance.choice(["half", "reset", "hold"] if begun else ["half", "reset"])
    return Attack("no TLS", (("send", begun), (end, b"")), port="tls")


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
    return f"<!DOCTYPE e [{declared}]>{_ENVELOPE % uses}".encode(code)


@_listed
def entities(chance: random.Random) -> Attack:
    """What grows when it is read, and what leads elsewhere."""
    return sent("entities", post(_entities(chance)))


@_listed
def markup(chance: random.Random) -> Attack:
    """Depth, width, attributes, namespaces, texts."""
    inside = chance.choice(
        [
            "<a>" * 100_000,
            "<a>" * 5000 + "</a>" * 5000,
            "<a/>" * 100_000,
            "<a " + " ".join(f'a{n}="1"' for n in range(30_000)) + "/>",
            "<a " + " ".join(f'xmlns:a{n}="u{n}"' for n in range(20_000)) + "/>",
            "<connectId>" + "x" * 900_000 + "</connectId>",
            "<![CDATA[" + "]" * 900_000,
            "<!--" + "-" * 900_000,
            "<" + "a" * 900_000,
            "<?" + "a" * 900_000,
            "&#x10FFFF;" * 50_000,
            "&#0;" * 1000,
            "<a b='1' b='2'/>",
            "<region>" * 300,
            '<x:a xmlns:x=""/>',
            "<query>" + "a" * 500_000 + "</query>",
            "\ufffe\uffff",
        ]
    )
    return sent("markup", post((_ENVELOPE % inside).encode()))


@_listed
def charsets(chance: random.Random) -> Attack:
    """Bytes that are not in the charset that somebody names."""
    body = chance.choice(
        [
            (_ENVELOPE % "").encode("utf-16"),
            (_ENVELOPE % "").encode("utf-32"),
            (_ENVELOPE % "\xff").encode("latin-1"),
            b"\xef\xbb\xbf" * 3 + (_ENVELOPE % "").encode(),
            b"\xff\xfe\x00\x00" + _junk(chance),
            b"+ADw-a/+AD4-",
            b'<?xml version="9.9" encoding="nothing"?><a/>',
            b'<?xml version="1.0" encoding="utf-7"?><a/>',
            _junk(chance, 5000),
            b"",
        ]
    )
    names = [b"nothing", b"utf-7", b"idna", b"utf-16", b"base64", b"\x00", b'"', b"rot13", b"zip"]
    return sent("charsets", post(body, b"text/xml; charset=" + chance.choice(names)))


@_listed
def media(chance: random.Random) -> Attack:
    """Bodies of other kinds."""
    kinds = [
        b"multipart/form-data",
        b"multipart/form-data; boundary=" + b"x" * 5000,
        b"multipart/related; boundary=b",
        b"application/x-www-form-urlencoded",
        b"text/html",
        b"",
        b"text/xml" * 500,
        b"application/soap+xml; action=" + b"x" * 5000,
    ]
    body = chance.choice([b"--b\r\n" * 10_000, b"a=1&" * 50_000, _junk(chance, 5000)])
    return sent("media", post(body, chance.choice(kinds), chance.choice([SOAP, REST])))


@cache
def _bomb() -> bytes:
    return gzip.compress(b" " * 20_000_000, 9)


@_listed
def packed(chance: random.Random) -> Attack:
    """A bomb, in a content coding."""
    return sent("bomb", post(_bomb(), b"text/xml", SOAP, b"Content-Encoding: gzip"))


_JSON: Final = [
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"[" * 400 + b"]" * 400,
    b'{"advance": 1e999999}',
    b'{"advance": NaN}',
    b'{"advance": Infinity}',
    b'{"advance": -1e308}',
    b'{"advance": 1e300}',
    b'{"advance": 99999999999999}',
    b'{"advance": ' + b"9" * 5000 + b"}",
    b'{"advance": true}',
    b'{"advance": "1"}',
    b'{"advance": {}}',
    b'{"operation": "GetProfile", "kind": "explode"}',
    b'{"operation": "Nothing", "kind": "fault"}',
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
    b'{"operation": null, "kind": "response", "json": {}}',
    b'{"operation": ["GetProfile"], "kind": "reset"}',
    b'{"kind": "reset"}',
    b'{"operation": "GetProfile", "kind": "reset", "payload": {}}',
    b'{"operation": "\\ud800", "kind": "reset"}',
    b'{"operation": "GetProfile", "kind": "fault", "reason": "\\ud800"}',
    b"[]",
    b"null",
    b'"' + b"x" * 500_000 + b'"',
    b"\xff\xfe",
    b"{",
    b"",
    b"{}" * 1000,
    b'{"a": 1' + b"0" * 5000 + b"}",
]


@_listed
def switchboard(chance: random.Random) -> Attack:
    """Requests to the switchboard that nobody can mean."""
    where = chance.choice([b"clock", b"rules", b"nothing", b"calls", b"", b"clock/"])
    body = chance.choice(_JSON)
    if where in (b"", b"clock/") or not body:
        where = where or b"nothing"
    kind = b"application/json" if chance.random() < 0.9 else b"text/plain"
    return sent("switchboard", post(body, kind, BOARD + where))


@_listed
def json_bodies(chance: random.Random) -> Attack:
    """JSON where REST takes some."""
    signed = b"Authorization: ZXWS 802B8BF4AE99EBE00F41:" + chance.choice([b"x", b"=" * 28, b"\xff"])
    body = chance.choice(_JSON) or b"{}"
    method = chance.choice([b"POST", b"PUT", b"DELETE"])
    head = (b"Content-Type: application/json", signed)
    return sent("JSON", request(method, b"/json/2011-03-01/adspaces/adspace", *head, body=body))


@_listed
def console_calls(chance: random.Random) -> Attack:
    """Signatures that are none."""
    values = [json.dumps(chance.randbytes(30).decode("latin-1")).encode(), b"x" * 50_000, b"%00" * 100]
    query = b"connectid=%s&date=%s&nonce=%s&signature=%s" % tuple(chance.choice(values) for _ in range(4))
    return sent("signatures", request(b"GET", REST + b"?" + query.replace(b" ", b"+").replace(b"\x7f", b"")))


def _mutated(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(5):
            case 0:
                changed[at : at + 1] = chance.randbytes(1)
            case 1:
                del changed[at : at + chance.randint(1, 20)]
            case 2:
                changed[at:at] = chance.randbytes(chance.randint(1, 5))
            case 3:
                changed[at:at] = changed[at : at + chance.randint(1, 40)]
            case _:
                changed[at:at] = chance.choice(
                    [b"\r\n", b"\n", b"\r", b"\x00", b":", b" ", b"\t", b"<", b"%"]
                )
        if not changed:
            changed += b"\0"
    return bytes(changed)


@_listed
def mutated(chance: random.Random) -> Attack:
    """A proper request with some bytes changed."""
    whole = chance.choice(
        [
            request(b"GET", b"/wsdl/2011-03-01"),
            request(b"GET", REST, b"Authorization: ZXWS 802B8BF4AE99EBE00F41:x", b"nonce: 1"),
            post((_ENVELOPE % "<connectId>802B8BF4AE99EBE00F41</connectId>").encode()),
            request(b"POST", SOAP, b"Content-Type: text/xml", b"Transfer-Encoding: chunked")
            + b"5\r\n<a/> \r\n0\r\n\r\n",
        ]
    )
    return sent(
        "mutations", _mutated(chance, whole), most=4, passes=True, end=chance.choice(["half", "reset"])
    )


def names() -> Iterator[str]:
    """The names of all kinds, as their first attack has them."""
    for number in range(len(_ALL)):
        yield attack_of(1, number).name
