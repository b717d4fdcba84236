"""Responses for the packages of the corpus.

They cover SOAP 1.1 and 1.2, document and RPC style, faults, and multipart bodies with attachments and XOP. A
response that is valid according to libxml2 and the contract must be readable.
"""

# ruff: noqa: E501 - values, many per line

from __future__ import annotations

import base64
import binascii
import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from lxml import etree

from bindgen import init
from soapclient.connection import connect
from soapclient.errors import ResponseError, SoapClientError, UnexpectedResponse
from soapclient.runtime import AnyOperation, CountingReader
from soapclient.testing.examples import Examples
from tests.corpus.conftest import compiled_schema, contracts

from .differential import BEYOND_PYTHON, body_of, read_safely, texts
from .mutation import lines
from .responses import answering, in_envelope
from .target import Seed, Target, Wrong, words_of
from .xml_mutation import mutated, parsed

_SOAP: Final = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}
_KINDS: Final = {"1.1": "text/xml; charset=utf-8", "1.2": "application/soap+xml; charset=utf-8"}
_OTHER_KINDS: Final = (
    "text/xml", "application/soap+xml", "", "multipart/related", "text/html", "text/xml; charset=x",
)  # fmt: skip
_XOP: Final = "http://www.w3.org/2004/08/xop/include"
_FAULTS: Final = {
    "1.1": "<s:Fault xmlns:s='{space}'><faultcode>s:Server</faultcode><faultstring>no</faultstring>"
    "<detail><x xmlns='urn:x'><code>1</code></x></detail></s:Fault>",
    "1.2": "<s:Fault xmlns:s='{space}'><s:Code><s:Value>s:Receiver</s:Value></s:Code><s:Reason>"
    "<s:Text xml:lang='en'>no</s:Text></s:Reason><s:Detail><x xmlns='urn:x'/></s:Detail></s:Fault>",
}
_LONG: Final = 24  # minimum length of Base64 text that may be sent as a part


@dataclass(frozen=True)
class _Callable:
    """An operation of a port with a valid request."""

    operation: AnyOperation
    request: Any  # its type depends on the operation
    connection: Any
    path: Path


class _Packages:
    """All packages of the corpus, generated once."""

    def __init__(self, folder: Path) -> None:
        sys.path.insert(0, str(folder))
        self._calls: dict[str, _Callable] = {}
        self._schemas: dict[Path, etree.XMLSchema] = {}
        self.seeds = tuple(seed for path in contracts() for seed in self._made(folder, path))

    def _made(self, folder: Path, path: Path) -> Iterator[Seed]:
        name = f"fuzz_{path.stem.replace('-', '_')}"
        made = init.make(name, path, offline=True)
        init.write(folder / name, made.files)
        importlib.invalidate_caches()
        service = importlib.import_module(f"{name}.service")
        examples = Examples(service.PACKAGE.codec)
        for kind in vars(service).values():
            if not (
                isinstance(kind, type) and hasattr(kind, "PORT_TYPE") and kind.__module__ == service.__name__
            ):
                continue
            try:
                connection: Any = connect(kind, address="http://127.0.0.1:9/x", attempts=1)
            except SoapClientError:  # a port type without a port
                continue
            version = connection._engine.port.soap
            for operation in connection._engine.package.operations.values():
                yield from self._seeds(path, connection, operation, version, examples)

    def _seeds(
        self, path: Path, connection: Any, operation: AnyOperation, version: str, examples: Examples
    ) -> Iterator[Seed]:
        key = f"{path.stem} {connection._engine.port.name} {operation.name}"
        asked = examples.element(operation.row.request, operation.request_tag or "request")
        try:
            request = operation.read_request(asked, CountingReader())
        except ValueError:
            return
        if operation.one_way or key in self._calls:
            return
        self._calls[key] = _Callable(operation, request, connection, path)
        space = _SOAP[version]
        for complete in (True, False):
            tag = operation.response_tag or f"{{{space}}}Body"
            node = examples.element(operation.row.response, tag, complete=complete)
            if operation.response_tag:
                yield Seed(key, in_envelope(node, space))
            else:
                top = etree.Element(f"{{{space}}}Envelope")
                top.append(node)
                yield Seed(key, etree.tostring(top))
        fault = etree.fromstring(_FAULTS[version].replace("{space}", space))
        yield Seed(key, in_envelope(fault, space))

    def mutated(self, seed: Seed, random: Random) -> bytes:
        body = mutated(parsed(seed.content), random, gentle=0.4)
        kind = _KINDS["1.2" if _SOAP["1.2"].encode() in seed.content else "1.1"]
        status = "200" if random.random() < 0.9 else random.choice(("500", "400", "202", "204", "503"))
        if random.random() < 0.12:
            kind, body = _in_parts(body, kind, random)
        elif random.random() < 0.05:
            kind = random.choice(_OTHER_KINDS)
        return f"{status} {kind}\n".encode() + body

    def run(self, seed: Seed, content: bytes) -> bool:
        head, _, body = content.partition(b"\n")
        status, _, kind = head.decode("latin-1").partition(" ")
        known = self._calls[seed.name]
        with answering(int(status), {"Content-Type": kind}, body):
            try:
                known.connection._engine.call(known.operation, known.request)
            except SoapClientError as error:
                words_of(error)
                if (
                    status == "200"
                    and kind in _KINDS.values()
                    and isinstance(error, ResponseError | UnexpectedResponse)
                ):
                    self._check(known, body, error)
                return False
        return True

    def _check(self, known: _Callable, body: bytes, error: SoapClientError) -> None:
        """Raise Wrong if a valid response was rejected."""
        operation = known.operation
        if operation.encoded or not operation.response_tag or operation.style == "rpc":
            return  # no schema declares the message
        root = read_safely(body)
        if root is None or root.tag not in {f"{{{space}}}Envelope" for space in _SOAP.values()}:
            return
        holder = body_of(root)
        if holder is None or len(holder) != 1 or holder[0].tag != operation.response_tag:
            return
        node = holder[0]
        if known.path not in self._schemas:
            self._schemas[known.path] = compiled_schema(known.path)
        if not self._schemas[known.path].validate(node):
            return
        if any(BEYOND_PYTHON.fullmatch(part) for text in texts(node) for part in (text, *text.split())):
            return
        raise Wrong(f"valid by libxml2, and refused: {error}")


def _in_parts(body: bytes, kind: str, random: Random) -> tuple[str, bytes]:
    """Return an envelope as the first part of a multipart body. Base64 content may become other parts."""
    parts = [b"attached", b"\0\xff" * 30]
    coded = [each for each in re.findall(rb">([A-Za-z0-9+/=]{%d,})<" % _LONG, body) if len(each) % 4 == 0]
    if coded and random.random() < 0.7:
        chosen = random.choice(coded)
        try:
            parts[0] = base64.b64decode(chosen, validate=True)
            href = random.choice(
                ("cid:part0", "cid:part0", "cid:part1", "cid:nobody", "part0", "", "cid:%70art0")
            )
            include = f'<xop:Include xmlns:xop="{_XOP}" href="{href}"/>'.encode()
            body = body.replace(chosen, include)
        except binascii.Error:
            pass
    head = f'Content-Type: application/xop+xml; type="{kind.partition(";")[0]}"\r\nContent-ID: <root>\r\n\r\n'.encode()
    pieces = [head + body]
    for at, plain in enumerate(parts):
        encoding = random.choice(("binary", "base64", "quoted-printable", "8bit", "x"))
        part = base64.b64encode(plain) if encoding == "base64" and random.random() < 0.8 else plain
        pieces.append(
            f"Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: {encoding}\r\n"
            f"Content-ID: <part{at}>\r\n\r\n".encode()
            + part
        )
    whole = b"".join(b"--b1\r\n" + piece + b"\r\n" for piece in pieces) + b"--b1--\r\n"
    if random.random() < 0.6:
        whole = lines(whole, random)
    said = random.choice(
        (
            *('multipart/related; boundary="b1"; type="application/xop+xml"; start="<root>"',) * 6,
            "multipart/related; boundary=b1", "multipart/related; boundary=b1; start=part1", "multipart/related",
            'multipart/related; boundary=""', "multipart/related; boundary=\xff",
            "multipart/related; boundary*=utf-8''b1", 'multipart/related; boundary=b1; start="<nobody>"',
            "multipart/related; boundary=" + "b" * 3000,
        )
    )  # fmt: skip
    return said, whole


TARGETS: Final[Sequence[Target]] = (Target("packages", 40_000, _Packages),)
