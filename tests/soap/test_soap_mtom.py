"""MTOM requests over the wire, parsed with Python's own MIME parser and with zeep's reader of XOP."""

from __future__ import annotations

import asyncio
import base64
import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import zeep
from lxml import etree
from requests.auth import HTTPDigestAuth

from soapclient import Settings, connect_async
from soapclient.cli.request import from_assignments, named_request
from soapclient.clock import ManualClock
from soapclient.connection import Attachment
from soapclient.errors import AmbiguousOutcome, ContractError, Timeout
from soapclient.security import Encryption, KeyPair, Security, Signature, Timestamp, Verify
from soapclient.testing import NotRecorded, mock, record, replay
from soapclient.testing.mocks.mtom import binary_elements, take_parts
from tests.security.conftest import NOW, pairs
from tests.soap.conftest import SOAP_11, SOAP_12, Open, envelope, mime
from tests.support.cases import case_text
from tests.support.packages import generated

if TYPE_CHECKING:
    from email.message import MIMEPart

    from tests.support.wire import Exchange, Sent, Wire

__all__ = ["pairs"]  # the fixture

SPACE = "urn:example:uploads"
SOAP = {"1.1": SOAP_11, "1.2": SOAP_12}
XOP = "{http://www.w3.org/2004/08/xop/include}Include"
WSDL = case_text(__file__, "uploads.wsdl")
BYTES = b"\r\n\x00\x01 --b\r\n--bx\r\n\xff\r\n\r\n" + bytes(range(256)) * 8
REQUIRED = """<p:Policy xmlns:p="http://schemas.xmlsoap.org/ws/2004/09/policy"><o:OptimizedMimeSerialization
    xmlns:o="http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization"/></p:Policy>"""


def with_policy(policy: str) -> str:
    return WSDL.replace('type="t:UploadPort">', f'type="t:UploadPort">{policy}')


PACKAGES = {
    "uploads_11": WSDL,
    "uploads_12": WSDL.replace("/wsdl/soap/", "/wsdl/soap12/"),
    "uploads_required": with_policy(REQUIRED),
    "uploads_offered": with_policy(REQUIRED.replace("/></p", ' p:Optional="true"/></p')),
    "uploads_expected": WSDL.replace('"unbounded"', '"unbounded" m:expectedContentTypes="image/png"'),
    "uploads_encoded": WSDL
    .replace('"literal"', '"encoded" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"')
    .replace('style="document"', 'style="rpc"')
    .replace('element="t:Store"', 'type="x:base64Binary"')
    .replace('element="t:StoreResponse"', 'type="x:string"'),
}  # fmt: skip
Packages = Callable[[str], Any]


@pytest.fixture(scope="module")
def packages() -> Iterator[Packages]:
    """Return the module `service` of a package, which is generated when it is first used."""
    with ExitStack() as stack:

        @cache
        def package(name: str) -> Any:
            stack.enter_context(generated(name, PACKAGES[name]))
            return import_module(f"{name}.service")

        yield package


@pytest.fixture
def opened(packages: Packages, connected: Open) -> Open:
    def make(
        name: str = "uploads_11", options: dict[str, Any] | None = None, url: str = "", **settings: Any
    ) -> Any:
        given: dict[str, Any] = {"safe": {"Store"}, "attempts": 1, "mtom_above": 1000, "mtom": "always"}
        service = getattr(packages(name), f"{name.title().replace('_', '')}Service")
        return connected(service, Settings(**(given | settings)), address=url, **(options or {}))

    return make


def response(version: str = "1.1") -> bytes:
    return envelope(f'<StoreResponse xmlns="{SPACE}"><id>7</id></StoreResponse>', space=SOAP[version])


def content(part: MIMEPart) -> bytes:
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload


def logical(sent: Sent) -> etree._Element:
    """Return the envelope with the content of its parts, as zeep's reader of XOP restores it."""
    from zeep.wsdl.messages.xop import process_xop

    _, parts = mime(sent)
    root = etree.fromstring(content(parts[0]))
    by_id = {part["Content-ID"]: content(part) for part in parts[1:]}

    class Pack:
        def get_by_content_id(self, content_id: str) -> Any:
            return type("Part", (), {"content": by_id[content_id]})

    process_xop(root, Pack())  # type: ignore[no-untyped-call] # zeep has no types
    return root


def values(root: etree._Element, name: str = "content") -> list[bytes]:
    return [base64.b64decode(node.text or "") for node in root.iter(f"{{{SPACE}}}{name}")]


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_large_values_are_parts(opened: Open, wire: Wire, version: str) -> None:
    wire.answers(response(version))
    connection = opened(f"uploads_{version.replace('.', '')}")
    tokens = iter("abcdef")
    connection.soap.new_token = lambda: next(tokens)
    assert connection.store(name="x", content=[BYTES, b"small"], hash=b"h" * 2000).id == "7"
    (sent,) = wire.sent
    message, (root, part) = mime(sent)
    media = {"1.1": "text/xml", "1.2": "application/soap+xml"}[version]
    assert message.get_content_type() == "multipart/related"
    outer = {name: message.get_param(name) for name in ("type", "start", "start-info", "action")}
    action = "urn:store" if version == "1.2" else None
    assert outer == {
        "type": "application/xop+xml", "start": root["Content-ID"], "start-info": media, "action": action
    }  # fmt: skip
    assert (root.get_content_type(), root.get_param("type"), root.get_param("action")) == (
        "application/xop+xml", media, action,
    )  # fmt: skip
    assert sent.headers.get("soapaction") == ('"urn:store"' if version == "1.1" else None)
    assert sent.headers["content-length"] == str(len(sent.body))
    assert (part["Content-ID"], part.get_content_type()) == ("<1.a@soapclient>", "application/octet-stream")
    assert part["Content-Transfer-Encoding"] == "binary"
    assert content(part) == BYTES
    large, small = etree.fromstring(content(root)).iter(f"{{{SPACE}}}content")
    assert [(node.tag, node.get("href")) for node in large] == [(XOP, "cid:1.a@soapclient")]
    assert small.text == "c21hbGw="
    assert values(logical(sent)) == [BYTES, b"small"]


class Pipe(io.RawIOBase):
    """A stream that cannot be rewound."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._data.read(min(len(buffer), 777))
        buffer[: len(chunk)] = chunk
        return len(chunk)


def _opened_after_two(path: Path) -> Any:
    file = path.open("rb")
    file.seek(2)
    return file


SOURCES: dict[str, Callable[[Path], Any]] = {
    "bytes": lambda path: path.read_bytes(),
    "path": lambda path: path,
    "file": lambda path: path.open("rb"),
    "position": _opened_after_two,
    "memory": lambda path: io.BytesIO(path.read_bytes()),
    "pipe": lambda path: Pipe(path.read_bytes()),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("size", [3000, 1_200_000], ids=["joined", "streamed"])
@pytest.mark.parametrize("mtom", ["always", "never"])
@pytest.mark.parametrize("kind", SOURCES)
def test_each_source_is_sent_again_with_a_retry(
    opened: Open, wire: Wire, tmp_path: Path, kind: str, mtom: str, size: int
) -> None:
    data = os.urandom(size)
    (tmp_path / "scan").write_bytes(data)
    wire.answers(b"", 503)
    wire.answers(response())
    value = SOURCES[kind](tmp_path / "scan")
    opened(mtom=mtom, attempts=2).store(name="x", content=[value])
    if hasattr(value, "closed"):
        assert not value.closed  # it belongs to the caller
        value.close()
    expected = data[2:] if kind == "position" else data
    for sent in wire.sent:
        root = logical(sent) if mtom == "always" else etree.fromstring(sent.body)
        assert values(root) == [expected]
    assert len(wire.sent) == 2


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("text", "must be bytes"),
        (Path("/nowhere/scan"), "cannot be read: No such file"),
        (Path("/"), "not a regular file"),
        (io.StringIO("x" * 2000), 'open it in binary mode'),
        (3, "must be bytes"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mtom", ["always", "never"])
def test_unusable_values_are_refused(opened: Open, wire: Wire, value: object, said: str, mtom: str) -> None:
    with pytest.raises(ContractError, match=f"Store: content.*{said}.*Nothing was sent"):
        opened(mtom=mtom).store(name="x", content=[value])
    assert wire.sent == []


def test_changed_file_is_not_sent_again(opened: Open, wire: Wire, tmp_path: Path) -> None:
    file = tmp_path / "scan"
    file.write_bytes(BYTES)

    def grow(exchange: Exchange) -> None:
        file.write_bytes(BYTES + b"more")
        exchange.head(503, Content_Length="0")

    wire.does(grow)
    with pytest.raises(ContractError, match=r"content\[1\]: the file had 2069 bytes when the call began"):
        opened(attempts=3).store(name="x", content=[file])
    assert len(wire.sent) == 1


class Shrinking(io.BytesIO):
    """A file that ends earlier than it has said."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(size) if self.tell() < 500_000 else b""


@pytest.mark.parametrize(("safe", "error"), [(["Store"], ContractError), ([], AmbiguousOutcome)])
def test_file_that_ends_early_is_an_error(
    opened: Open, wire: Wire, safe: list[str], error: type[Exception]
) -> None:
    """A read is identified by its content first. A write is only read while it is sent."""
    with pytest.raises(error, match="the file is 675712 bytes shorter than it was when the call began"):
        opened(safe=safe).store(name="x", content=[Shrinking(b"x" * 1_200_000)])


def test_streamed_request_is_sent_again_for_http_digest(opened: Open, wire: Wire, tmp_path: Path) -> None:
    (tmp_path / "scan").write_bytes(data := os.urandom(1_200_000))
    wire.answers(b"", 401, WWW_Authenticate='Digest realm="r", nonce="n", qop="auth"')
    wire.answers(response())
    connection = opened(options={"auth": HTTPDigestAuth("me", "my-password")})
    assert connection.store(name="x", content=[tmp_path / "scan"]).id == "7"
    assert wire.sent[-1].headers["authorization"].startswith("Digest ")
    assert values(logical(wire.sent[-1])) == [data]


USES = {
    # package: (with a large value, with a small one)
    "uploads_11": (False, False),
    "uploads_required": (True, True),
    "uploads_offered": (True, False),
    "uploads_expected": (True, False),
}


@pytest.mark.parametrize("name", USES)
def test_contract_decides_by_default(opened: Open, wire: Wire, name: str) -> None:
    connection = opened(name, mtom="auto")
    for data, multipart in zip((BYTES, b"small"), USES[name], strict=True):
        wire.answers(response())
        connection.store(name="x", content=[data])
        assert wire.sent[-1].headers["content-type"].startswith("multipart") is multipart
    wire.answers(response())
    opened(name, mtom="never").store(name="x", content=[BYTES])
    assert wire.sent[-1].headers["content-type"].startswith("text/xml")
    if name == "uploads_expected":  # only the values whose media type the contract expects
        wire.answers(response())
        connection.store(name="x", content=[BYTES], short=BYTES)
        _, parts = mime(wire.sent[-1])
        assert [part.get_content_type() for part in parts[1:]] == ["image/png"]


def test_content_type_of_a_part_is_the_attribute(opened: Open, wire: Wire) -> None:
    connection = opened(validate="off")
    typed = import_module("uploads_11.types").Typed
    for kind in ("image/jpeg", "a\r\nb: c", "ä"):
        wire.answers(response())
        connection.store(name="x", typed=typed(value=BYTES, content_type=kind))
    kinds = [mime(sent)[1][1].get_content_type() for sent in wire.sent]
    assert kinds == ["image/jpeg", "application/octet-stream", "application/octet-stream"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"short": b"x" * 5001}, "the content has 5001 bytes, but at most 5000 are allowed"),
        ({"long": b"x" * 1999}, "length"),
        ({"content": [BYTES], "name": None}, "name is required"),
    ],
)
def test_requests_are_validated(opened: Open, wire: Wire, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(ContractError, match=said):
        opened(validate="all").store(**{"name": "x"} | fields)
    wire.answers(response())
    opened(validate="all").store(name="x", short=b"x" * 5000, long=BYTES, content=[BYTES])
    assert [len(mime(sent)[1]) for sent in wire.sent] == [3]  # a value with minLength stays in the text


def test_plugins_see_the_logical_message(opened: Open, wire: Wire) -> None:
    seen = []

    class Plugin(zeep.Plugin):
        def egress(self, envelope: Any, headers: Any, operation: Any, options: Any) -> Any:
            seen.extend(values(envelope))
            return envelope, headers

    connection = opened(options={"plugins": [Plugin()]})
    wire.answers(response())
    connection.store(name="x", content=[BYTES])
    assert seen == [BYTES]
    assert [content(part) for part in mime(wire.sent[0])[1][1:]] == [BYTES]
    message = connection.soap.create_message(connection.soap.service, "Store", name="x", content=[BYTES])
    assert values(message) == [BYTES]


def test_recorded_request_is_found_again(opened: Open, wire: Wire, tmp_path: Path) -> None:
    wire.answers(response())
    with record(tmp_path / "tape"):
        opened().store(name="x", content=[BYTES * 60])
    with replay(tmp_path / "tape"):
        assert opened().store(name="x", content=[io.BytesIO(BYTES * 60)]).id == "7"
    with replay(tmp_path / "tape"), pytest.raises(NotRecorded) as caught:
        opened().store(name="x", content=[BYTES * 60 + b"x"])
    lines = [line for line in str(caught.value).splitlines() if line.startswith(("- ", "+ "))]
    assert [line[:2] for line in lines] == ["- ", "+ "]
    assert max(map(len, lines)) < 400  # not the complete body in Base64
    assert len(wire.sent) == 1


@pytest.mark.parametrize("name", ["uploads_11", "uploads_12"])
def test_mock_reads_and_sends_mtom(opened: Open, packages: Packages, name: str) -> None:
    """The response is decoded from a message that Python's email package reads, too."""
    with mock(packages(name).__name__.partition(".")[0]) as served:
        served.on("Store").reply(id="7", copy=BYTES)
        connection = opened(name, url=served.address())
        assert connection.store(name="x", content=[BYTES, b"small"]).copy == BYTES
        (call,) = served.calls()
        assert (call.request.content, call.attachments) == ([BYTES, b"small"], ())  # type: ignore[attr-defined] # of any operation
        assert call.sent.startswith("--soapclient-")
        assert "xop+xml" in call.sent
        assert opened(name, url=served.address(), mtom="never").store(name="x").copy == BYTES
        assert served.calls()[-1].sent.startswith("<?xml")


def test_mock_reads_a_part_whose_base64_exceeds_the_parser_s_limit_of_a_text(
    opened: Open, packages: Packages
) -> None:
    content = bytes(9_000_000)  # 12 million characters of Base64
    with mock(packages("uploads_11").__name__.partition(".")[0]) as served:
        served.on("Store").reply(id="7")
        opened("uploads_11", url=served.address()).store(name="x", content=[content])
        assert served.calls()[-1].request.content == [content]  # type: ignore[attr-defined] # of any operation


def test_command_line_reads_files(packages: Packages, tmp_path: Path) -> None:
    (tmp_path / "scan").write_bytes(BYTES)
    operation = packages("uploads_11").STORE

    def request(*assignments: str) -> Any:
        return named_request(operation, from_assignments(assignments), Settings())

    file = f"@{tmp_path / 'scan'}"
    sent = request(
        f"name={file}", f"content={file}", "content=AAA=", f"typed={file}", "typed.@contentType=a/b"
    )
    assert (sent.name, sent.content, sent.typed.value) == (file, [BYTES, b"\0\0"], BYTES)
    with pytest.raises(ContractError, match=r"content.*the file cannot be read: No such file"):
        request("name=x", "content=@/nowhere/scan")


def test_async_calls_send_parts(packages: Packages, wire: Wire, tmp_path: Path) -> None:
    (tmp_path / "scan").write_bytes(BYTES)
    wire.answers(response())

    async def main() -> Any:
        service: Any = packages("uploads_11").Uploads11ServiceAsync
        async with connect_async(service, address=wire.url, settings=Settings(mtom="always")) as connection:
            return await connection.store(name="x", content=[tmp_path / "scan"])

    assert asyncio.run(main()).id == "7"
    assert values(logical(wire.sent[0])) == [BYTES]


@pytest.mark.parametrize("encrypted", [False, True])
def test_signed_message_is_sent_as_parts(
    opened: Open, packages: Packages, pairs: Mapping[str, KeyPair], encrypted: bool
) -> None:
    """The signature covers the Base64 text. The mock restores it before it verifies the signature.

    An encrypted body has no parts, because the content would not be encrypted.
    """
    ours, theirs = pairs["client"], pairs["server"]
    blocks = [Timestamp(), Signature(ours), *([Encryption(theirs.certificate)] if encrypted else [])]
    outgoing = Security(blocks, verify=Verify(trust=theirs.certificate), now=lambda: NOW)
    verify = Verify(trust=ours.certificate, decrypt=theirs, encrypted=encrypted)
    incoming = Security([Timestamp(), Signature(theirs)], verify=verify, now=lambda: NOW)
    with mock(packages("uploads_11").Uploads11Service, wsse=incoming) as served:
        served.on("Store").reply(id="7")
        connection = opened(url=served.address(), options={"wsse": outgoing})
        assert connection.store(name="x", content=[BYTES]).id == "7"
        (call,) = served.calls()
        assert call.request.content == [BYTES]  # type: ignore[attr-defined] # of any operation
        assert ("Include" in call.received) is not encrypted
        assert (base64.b64encode(BYTES).decode() in call.received) is False


def test_attachments_are_further_parts(opened: Open, wire: Wire) -> None:
    connection = opened()
    wire.answers(response())
    with connection.soap.attachments(Attachment(b"%PDF", "application/pdf", "pdf@me")):
        connection.store(name="x", content=[BYTES])
    _, parts = mime(wire.sent[0])
    assert [content(part) for part in parts[1:]] == [BYTES, b"%PDF"]
    assert parts[2]["Content-ID"] == "<pdf@me>"


def test_own_transport_gets_the_text(opened: Open, wire: Wire) -> None:
    posted = []

    class OwnTransport(zeep.Transport):
        def post_xml(self, address: str, envelope: Any, headers: Any) -> Any:
            posted.extend(values(envelope))
            return super().post_xml(address, envelope, headers)  # type: ignore[no-untyped-call] # zeep has no types

    transport: Any = OwnTransport()  # type: ignore[no-untyped-call] # zeep has no types
    wire.answers(response())
    opened(options={"transport": transport}).store(name="x", content=[BYTES])
    assert posted == [BYTES]


def test_soap_encoding_has_the_text(opened: Open, wire: Wire) -> None:
    answer = response().replace(f' xmlns="{SPACE}"'.encode(), b"")
    wire.answers(answer.replace(b"id>", b"body>"))
    assert opened("uploads_encoded").store(body=io.BytesIO(BYTES)).body == "7"
    (part,) = wire.sent[0].message
    assert base64.b64decode(part.text or "") == BYTES


def test_stream_is_read_within_the_deadline(opened: Open, wire: Wire, clock: ManualClock) -> None:
    class Slow(Pipe):
        def readinto(self, buffer: Any) -> int:
            clock.advance(1)
            return super().readinto(buffer)

    with pytest.raises(Timeout):
        opened(deadline=30).store(name="x", content=[Slow(b"x" * 100_000)])
    assert wire.sent == []


def test_mock_sends_binary_values_of_structures_as_parts(packages: Packages) -> None:
    """A structure whose text is binary. Values that are not Base64 stay as they are."""
    codec = packages("uploads_11").STORE.codec
    node = etree.fromstring(
        f'<s:Store xmlns:s="{SPACE}"><s:name>eA==</s:name><s:content>AAA=</s:content>'
        "<s:content>no Base64!</s:content><s:content/><s:typed>AQI=</s:typed></s:Store>"
    )
    parts = take_parts([*binary_elements(node, codec, packages("uploads_11").STORE.row.request)])
    assert [part.content for part in parts] == [b"\0\0", b"\1\2"]
    assert [child.find(XOP) is not None for child in node] == [False, True, False, False, True]
    assert [child.text for child in node] == ["eA==", None, "no Base64!", None, None]
