"""Each fault of the proxy does what its name says, checked with a plain socket or http.client."""

from __future__ import annotations

import gzip
import http.client
import json
import select
import socket
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

from tests.campaigns.faults import ALL, FAMILIES, Fault
from tests.campaigns.plan import Plan, always
from tests.campaigns.proxy import Proxy

pytestmark = pytest.mark.exhaustive

if TYPE_CHECKING:
    from tests.support.wire import Recorder

XML = b'<?xml version="1.0" encoding="UTF-8"?>\n<r><name>B\xc3\xa4r</name><id>4711</id></r>'
JSON = b'{"name": "B\xc3\xa4r", "id": 4711, "list": [1, 2, 3]}'
FILE = gzip.compress(b"clickId,country\r\n" + b"".join(b"%d,DE\r\n" % row for row in range(500)), mtime=0)
FORMS = {
    "xml": (XML, "application/xml"),
    "json": (JSON, "application/json"),
    "file": (FILE, "application/gzip"),
}
SILENT = 0.1  # seconds; a slow machine may miss late output, but the check never fails wrongly


def right(body: bytes, form: str) -> bool:
    """Return True if the body is complete, using other parsers than the faults do."""
    try:
        if form == "xml":
            etree.fromstring(body)
        elif form == "json":
            json.loads(body)  # detects UTF-8, UTF-16 and UTF-32
        else:
            unpacker = zlib.decompressobj(wbits=31)
            unpacker.decompress(body)
            return unpacker.eof and not unpacker.unused_data
    except (etree.XMLSyntaxError, ValueError, zlib.error):
        return False
    return True


@contextmanager
def through(fault: Fault | None, server: Recorder) -> Iterator[Proxy]:
    plan = Plan(1, FAMILIES, share=0.0, connects=0.0) if fault is None else always(fault)
    with Proxy(server.url, plan) as proxy:
        yield proxy


def request(body: bytes = b"", **headers: str) -> bytes:
    fields = {"Host": "localhost", "Accept-Encoding": "gzip", **headers, "Content-Length": str(len(body))}
    head = "".join(f"{name.replace('_', '-')}: {text}\r\n" for name, text in fields.items())
    return f"POST /xml/thing HTTP/1.1\r\n{head}\r\n".encode() + body


def connected(proxy: Proxy) -> socket.socket:
    host, _, port = proxy.url.removeprefix("http://").partition(":")
    return socket.create_connection((host, int(port)), timeout=20)


def received(connection: socket.socket) -> tuple[bytes, str]:
    """Return the received bytes, and how the connection ended."""
    came = b""
    try:
        while piece := connection.recv(1 << 16):
            came += piece
    except ConnectionResetError:
        return came, "reset"
    return came, "end"


def is_silent(connection: socket.socket) -> bool:
    return not select.select([connection], [], [], SILENT)[0]


@dataclass(frozen=True)
class Wire:
    """The effect of a fault on a connection.

    It holds how the connection ends, how many requests reach the server, and which part of the response
    arrives.
    """

    ended: str
    asked: int
    came: Callable[[bytes, bytes], bool]


def nothing(came: bytes, head: bytes) -> bool:
    return came == b""


def part_of_head(came: bytes, head: bytes) -> bool:
    return head.startswith(came) and came != head


def part_of_body(came: bytes, head: bytes) -> bool:
    return came.startswith(head) and XML.startswith(came[len(head) :]) and came != head + XML


def all_of_it(came: bytes, head: bytes) -> bool:
    return came == head + XML


ENDING = {
    "reset in the request": Wire("reset", 0, nothing),
    "reset after the request": Wire("reset", 0, nothing),
    "reset before the response": Wire("reset", 1, nothing),
    "reset in the response's head": Wire("reset", 1, part_of_head),
    "reset in the response's body": Wire("reset", 1, part_of_body),
    "reset after the response": Wire("reset", 1, all_of_it),
    "end in the request": Wire("end", 0, nothing),
    "end after the request": Wire("end", 0, nothing),
    "end before the response": Wire("end", 1, nothing),
    "end of an idle connection": Wire("end", 1, all_of_it),
    "head cut": Wire("end", 1, part_of_head),
    "body cut": Wire("end", 1, part_of_body),
}


@pytest.fixture(autouse=True)
def equal_responses(recorder: Recorder) -> None:
    """Make responses equal byte by byte."""
    recorder.numbered = False


@pytest.mark.parametrize("name", ENDING)
def test_a_connection_ends_as_the_fault_says(recorder: Recorder, name: str) -> None:
    for _ in range(2):
        recorder.answers(XML, kind="application/xml")
    with through(None, recorder) as proxy, connected(proxy) as connection:
        connection.sendall(request(Connection="close"))
        head = received(connection)[0].removesuffix(XML)
    assert head.endswith(b"\r\n\r\n")
    recorder.sent.clear()
    with through(ALL[name], recorder) as proxy, connected(proxy) as connection:
        connection.sendall(request())
        came, ended = received(connection)
    wire = ENDING[name]
    assert (ended, len(recorder.sent)) == (wire.ended, wire.asked)
    assert wire.came(came, head), came
    (record,) = proxy.records
    assert (record.fault, record.answered) == (name, 200 if wire.asked else None)


@pytest.mark.parametrize(
    ("name", "asked", "came"),
    [
        ("stall before the service", 0, 0),
        ("connection dropped silently", 0, 0),
        ("stall after the service", 1, 0),
        ("stall in the body", 1, len(XML) // 2),
    ],
)
def test_stalled_connection_is_silent_until_the_client_disconnects(
    recorder: Recorder, name: str, asked: int, came: int
) -> None:
    recorder.answers(XML, kind="application/xml")
    with through(ALL[name], recorder) as proxy, connected(proxy) as connection:
        connection.sendall(request(b"<a/>"))
        part = b""
        while came and not part.endswith(b"\r\n\r\n" + XML[:came]):
            part += connection.recv(1)
        assert is_silent(connection)
        proxy.close()
        assert connection.recv(1) == b""
    assert len(recorder.sent) == asked


def test_a_dropped_connection_does_not_even_read_the_body(recorder: Recorder) -> None:
    with through(ALL["connection dropped silently"], recorder) as proxy, connected(proxy) as connection:
        connection.sendall(request(b"<a/>")[:-4])
        assert is_silent(connection)
    assert recorder.sent == []


@pytest.mark.parametrize("form", FORMS)
def test_everything_is_forwarded_unchanged_without_a_fault(recorder: Recorder, form: str) -> None:
    body, kind = FORMS[form]
    recorder.answers(body, kind=kind, ETag='"1"', X_More="yes")
    with through(None, recorder) as proxy:
        answer = ask(proxy, b"<a/>", nonce="N")
        assert (answer.status, answer.body, answer.header("x-more")) == (200, body, "yes")
    (record,) = proxy.records
    assert (record.asked, record.fault, record.answered) == ("POST /xml/thing", None, 200)
    assert recorder.last.body == b"<a/>"
    assert recorder.last.headers["nonce"] == "N"
    assert recorder.last.headers["host"] == "localhost"  # responses must contain addresses of the proxy


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((text for each, text in self.headers if each.lower() == name), None)


def ask(proxy: Proxy, body: bytes = b"", path: str = "/xml/thing", **headers: str) -> Answer:
    """Make a request with http.client, which raises if the response is not HTTP."""
    connection = http.client.HTTPConnection(proxy.url.removeprefix("http://"), timeout=20)
    fields = {"Host": "localhost", "Accept-Encoding": "gzip", **headers}
    try:
        connection.request(
            "POST", path, body, {name.replace("_", "-"): text for name, text in fields.items()}
        )
        answer = connection.getresponse()
        return Answer(answer.status, answer.getheaders(), answer.read())
    finally:
        connection.close()


def answered(
    recorder: Recorder, name: str, form: str = "xml", path: str = "/xml/thing", **headers: str
) -> Answer:
    """Return the answer to a request with this fault, whose right answer is in `FORMS`."""
    body, kind = FORMS[form]
    recorder.answers(body, kind=kind)
    with through(ALL[name], recorder) as proxy:
        return ask(proxy, b"", path, **headers)


def several(recorder: Recorder, name: str, times: int, form: str = "xml", **sent: Any) -> Iterator[Answer]:
    """Yield the answers to some requests with this fault. The right ones have the headers `sent`."""
    body, kind = FORMS[form]
    with through(ALL[name], recorder) as proxy:
        for _ in range(times):
            recorder.answers(body, kind=kind, **sent)
            yield ask(proxy)


@contextmanager
def begun(recorder: Recorder, name: str) -> Iterator[socket.socket]:
    """Yield a connection over which a request with this fault was sent."""
    recorder.answers(XML, kind="application/xml")
    with through(ALL[name], recorder) as proxy, connected(proxy) as connection:
        connection.sendall(request())
        yield connection


def until(connection: socket.socket, words: bytes, times: int = 1) -> bytes:
    """Receive until these words came so many times."""
    came = b""
    while came.count(words) < times:
        came += connection.recv(1 << 16)
    return came


@pytest.mark.parametrize(
    "name",
    [
        "slow response", "chunks, all right", "no length, all right", "100 before the response",
        "the response twice",
    ],
)  # fmt: skip
def test_harmless_faults_are_readable_by_http_client(recorder: Recorder, name: str) -> None:
    assert answered(recorder, name).body == XML


def test_slow_response_arrives_byte_by_byte(recorder: Recorder) -> None:
    with begun(recorder, "crawling response") as connection:
        assert [connection.recv(100) for _ in range(4)] == [b"H", b"T", b"T", b"P"]


@pytest.mark.parametrize("name", ["the response twice", "the response again, 1 to 100 ms later"])
def test_a_duplicate_follows_its_response_on_the_connection(recorder: Recorder, name: str) -> None:
    with begun(recorder, name) as connection:
        once, _, twice = until(connection, XML, 2).partition(XML)
    assert twice == once + XML


@pytest.mark.parametrize(
    ("name", "lengths"),
    [
        ("two lengths, the first is right", (len(XML), len(XML) - 10)),
        ("two lengths, the second is right", (len(XML) - 10, len(XML))),
        ("two lengths, none is right", (len(XML) - 10, len(XML) + 10)),
    ],
)
def test_two_content_lengths_are_both_sent(recorder: Recorder, name: str, lengths: tuple[int, int]) -> None:
    with begun(recorder, name) as connection:
        came, _ = received(connection)
    fields = came.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    said = [int(field.partition(":")[2]) for field in fields if field.lower().startswith("content-length")]
    assert tuple(said) == lengths


@pytest.mark.parametrize("name", ["chunk with a damaged size", "chunks cut", "chunks without the last"])
def test_damaged_chunks_are_refused_by_http_client(recorder: Recorder, name: str) -> None:
    with pytest.raises((http.client.HTTPException, ValueError)):
        answered(recorder, name)


def test_a_chunk_with_a_wrong_size_does_not_give_the_body(recorder: Recorder) -> None:
    try:
        body = answered(recorder, "chunk with a wrong size").body
    except http.client.HTTPException:
        return
    assert body != XML


def test_body_without_a_length_is_cut(recorder: Recorder) -> None:
    answer = answered(recorder, "body cut, without a length")
    assert answer.header("content-length") is None
    assert XML.startswith(answer.body)
    assert not right(answer.body, "xml")


DAMAGES = [
    "a bit flipped", "no UTF-8", "a NUL", "markup in the middle", "bytes lost", "bytes doubled",
    "body doubled",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", DAMAGES)
def test_damage_breaks_every_format_for_an_independent_reader(
    recorder: Recorder, name: str, form: str
) -> None:
    for answer in several(recorder, name, 10, form):
        assert answer.header("content-length") == str(len(answer.body))
        # Two concatenated gzip files are a valid file. Python's reader accepts them, so the response is
        # unchanged.
        doubled_file = name == "body doubled" and form == "file" and answer.body == FILE
        assert doubled_file or not right(answer.body, form), answer.body


@pytest.mark.parametrize(
    ("name", "header", "words"),
    [
        ("another charset named", "content-type", "charset="),
        ("an encoding that is none", "content-encoding", ""),
    ],
)
def test_declared_coding_is_not_the_used_one(recorder: Recorder, name: str, header: str, words: str) -> None:
    answer = answered(recorder, name)
    assert answer.body == XML
    assert words in (answer.header(header) or "")
    assert answer.header(header)


def test_used_charset_is_not_declared(recorder: Recorder) -> None:
    answers = list(several(recorder, "another charset used", 12))
    assert [answer.header("content-type") for answer in answers] == ["application/xml"] * 12
    bodies = {answer.body for answer in answers}
    assert bodies <= {XML.decode().encode(name) for name in ("latin-1", "utf-16", "utf-32", "cp037")}
    assert len(bodies) > 1


def test_gzip_is_damaged_if_the_client_accepts_gzip(recorder: Recorder) -> None:
    whole = answered(recorder, "gzip, all right")
    assert whole.header("content-encoding") == "gzip"
    assert gzip.decompress(whole.body) == XML
    assert not right(answered(recorder, "gzip cut").body, "file")
    assert not right(answered(recorder, "gzip changed").body, "file")
    assert answered(recorder, "gzip that is none").body == XML
    for name in ("gzip, all right", "gzip cut", "gzip changed", "gzip that is none"):
        plain = answered(recorder, name, Accept_Encoding="identity")
        assert (plain.body, plain.header("content-encoding")) == (XML, None)


@pytest.mark.parametrize("when", ["before", "after"])
def test_empty_response_has_no_bytes(recorder: Recorder, when: str) -> None:
    answer = answered(recorder, f"an empty response {when} the service")
    assert answer.status in (200, 202, 204)
    assert answer.body == b""
    assert len(recorder.sent) == (when == "after")


@pytest.mark.parametrize("form", ["xml", "json"])
def test_stale_response_belongs_to_another_operation(recorder: Recorder, form: str) -> None:
    for text in (b"<sales/>", b"<profile/>", b"<sale/>"):
        recorder.answers(text, kind=f"application/{form}")
    name = "the response to another operation" + (", in JSON" if form == "json" else "")
    with through(ALL[name], recorder) as proxy:
        assert ask(proxy, path="/xml/reports/sales").body == b"<sales/>"  # there is no earlier response
        assert ask(proxy, path="/xml/profiles").body == b"<sales/>"
        assert ask(proxy, path="/xml/reports/sales/sale/1").body == b"<profile/>"
    assert len(recorder.sent) == 3


def test_multipart_response_was_not_requested(recorder: Recorder) -> None:
    part = {"Content_Range": f"bytes 10-19/{len(FILE)}", "ETag": '"1"'}

    def part_of(name: str) -> Answer:
        recorder.answers(FILE[10:20], status=206, kind="application/gzip", **part)
        with through(ALL[name], recorder) as proxy:
            return ask(proxy, Range="bytes=10-19")

    assert part_of("a part of other bytes").body != FILE[10:20]
    assert part_of("a part of other bytes").header("content-range") == f"bytes 10-19/{len(FILE)}"
    assert part_of("a part of another range").header("content-range") == "bytes 0-9/10"
    assert part_of("another ETag").header("etag") == '"another"'
    assert "range" in recorder.last.headers
    part_of("the whole for a part")
    assert "range" not in recorder.last.headers


def test_a_connection_may_be_reset_before_anything_is_read(recorder: Recorder) -> None:
    with (
        Proxy(recorder.url, Plan(1, FAMILIES, share=0.0, connects=1.0)) as proxy,
        pytest.raises(ConnectionResetError),  # during connect or during read, depending on the system
        connected(proxy) as connection,
    ):
        connection.recv(1)
    assert (proxy.records, recorder.sent) == ([], [])


def test_kept_connection_serves_several_requests(recorder: Recorder) -> None:
    with through(None, recorder) as proxy:
        connection = http.client.HTTPConnection(proxy.url.removeprefix("http://"), timeout=20)
        for number in range(3):
            recorder.answers(b"%d" % number, kind="text/plain")
            connection.request("GET", "/x")
            assert connection.getresponse().read() == b"%d" % number
        connection.close()
    assert [record.connection for record in proxy.records] == [1, 1, 1]


def test_endless_head_and_oversized_body_are_not_read(recorder: Recorder) -> None:
    with through(None, recorder) as proxy:
        with connected(proxy) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000)
            assert received(connection)[0] == b""
        with connected(proxy) as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")
            assert received(connection)[0] == b""
    assert recorder.sent == []


@pytest.mark.parametrize(
    "name",
    [
        "no status line", "a status of no number", "a body without a head", "a field too long",
        "too many fields",
    ],
)  # fmt: skip
def test_a_damaged_head_is_refused_by_http_client(recorder: Recorder, name: str) -> None:
    with through(ALL[name], recorder) as proxy:
        for _ in range(6):
            recorder.answers(XML, kind="application/xml")
            with pytest.raises((http.client.HTTPException, ValueError, OSError)):
                ask(proxy)
    assert {record.answered for record in proxy.records} == {200}


@pytest.mark.parametrize("name", ["a line that is no field", "a length that is no number"])
def test_head_has_one_odd_line(recorder: Recorder, name: str) -> None:
    with begun(recorder, name) as connection:
        came, ended = received(connection)
    head, _, body = came.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")[1:]
    right_ones = [b"Content-Type: application/xml", b"Content-Length: %d" % len(XML)]
    assert (body, ended) == (XML, "end")
    assert sum(line in right_ones for line in lines) == (2 if name == "a line that is no field" else 1)
    assert len(lines) == (3 if name == "a line that is no field" else 2)


def test_date_header_is_wrong_or_missing(recorder: Recorder) -> None:
    def dated(name: str) -> set[str | None]:
        answers = several(recorder, name, 8, Date="Fri, 20 Nov 2026 12:00:00 GMT")
        return {answer.header("date") for answer in answers}

    assert all(parsedate_to_datetime(date or "").tzinfo for date in dated("a Date of another time"))
    assert len(dated("a Date of another time")) > 1
    assert dated("a Date that is none") <= {None, "", "soon", "Sun, 31 Feb 2026 25:61:61 GMT", "0", "9" * 40}


def test_invalid_retry_after_is_sent(recorder: Recorder) -> None:
    answer = answered(recorder, "a Retry-After that is none")
    assert answer.status == 503
    assert answer.header("retry-after") not in (None, "0", "1")
    assert recorder.sent == []


@pytest.mark.parametrize(
    ("name", "asked"), [("a redirect before the service", 0), ("a redirect after the service", 1)]
)
def test_redirect_leads_to_another_address(recorder: Recorder, name: str, asked: int) -> None:
    answer = answered(recorder, name)
    assert (answer.status == 303) == (asked == 1)
    assert answer.status in (301, 302, 303, 307, 308)
    assert (answer.header("location") or "").startswith("http://127.0.0.1:9/")
    assert len(recorder.sent) == asked


def test_304_has_a_body_that_stays_on_the_connection(recorder: Recorder) -> None:
    with begun(recorder, "a body with 304") as connection:
        assert until(connection, b"<html>").startswith(b"HTTP/1.1 304 ")
    assert recorder.sent == []


def test_interim_response_precedes_the_response(recorder: Recorder) -> None:
    with begun(recorder, "an interim response before the response") as connection:
        first, second, body = until(connection, XML).split(b"\r\n\r\n")
    assert first.split(b" ")[1] in (b"102", b"103", b"199")
    assert second.split(b" ")[1] == b"200"
    assert body == XML


@pytest.mark.parametrize("form", ["xml", "json"])
def test_byte_order_mark_precedes_the_complete_text(recorder: Recorder, form: str) -> None:
    assert answered(recorder, "a byte order mark", form).body == b"\xef\xbb\xbf" + FORMS[form][0]
