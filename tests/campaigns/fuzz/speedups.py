"""The compiled reader against the Python reader: a response that it accepts has the same value in both.

Seeds are examples of all responses of the corpus and of the built-in contracts. A response that the compiled reader
leaves to the Python reader is not an error. One that it accepts must also be valid for the Python reader, without
findings. Responses to list operations are also streamed in pieces: with the compiled reader, which hands over
to the Python reader at any place, and with the Python reader alone. JSON: see `speedups_json`.
"""

# ruff: noqa: E501 - values, many per line

from __future__ import annotations

import importlib
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

import requests
from lxml import etree

from bindgen import init
from soapclient.calling.compiled_streams import CompiledStream
from soapclient.cli.contracts import SERVICES, package_named
from soapclient.clock import Deadline, SystemClock
from soapclient.errors import BrokenResponse, ConnectionFailed, SoapClientError
from soapclient.runtime import CountingReader, DecodeError, Finding, Package
from soapclient.soap import envelope, faults
from soapclient.soap.operations import TypedOperation
from soapclient.soap.streams import ResponseStream
from soapclient.transport import bodies
from soapclient.transport.http import Limits, Response
from tests.corpus.conftest import contracts

from .responses import in_envelope
from .speedups_json import JsonCase, changed_json, examples_of, json_cases, json_seeds
from .target import Seed, Target, Wrong
from .xml_mutation import mutated, parsed

_SOAP: Final = ("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope")
_XSI: Final = b' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
_PROLOGS: Final = (
    b"<?xml version='1.0' encoding='utf-8'?>", b'<?xml version="1.1"?>', b"<?xml version='1.0' encoding='latin1'?>",
    b"<?xml version='1.0' encoding='ISO-8859-1'?>", b"<?xml version='1.0' encoding='UTF-16'?>",
    b"<?xml version='1.0' encoding='ascii'?>", b"<?xml version='1.0' encoding='windows-1252'?>",
    b"<?xml encoding='utf-8'?>", b"<?xml version='1.0' standalone='maybe'?>", b"<?xml version='1.00'?>",
    b"\xef\xbb\xbf", b"\n", b"<!-- c -->", b"<?pi x?>", b"<!DOCTYPE a>", b"<!DOCTYPE a [<!ENTITY e 'x'>]>",
    b"<!DOCTYPE a SYSTEM 'x'>", b" <?xml version='1.0'?>", b"<?xml version='2.0'?>",
    b"<?xml version='1.0' encoding='utf8'?>", b"<?xml version = '1.0' ?>",
)  # fmt: skip
_TEXTS: Final = (
    b"", b" ", b"x", b"0", b"1", b"-1", b"12", b" 12 ", b"+1", b"007", b"true", b"false", b"1.50", b"-0.5", b"-0", b"1e3",
    b"2026-11-01", b"2026-11-01Z", b"2026-11-01T10:11:12Z", b"2026-11-01T10:11:12.250+01:00", b"2026-11-01T10:11:12",
    b"2026-11-01T24:00:00Z", b"2026-11-01T10:11:12.1234567Z", b"2026-11-01T10:11:12.5-13:59", b"0000-11-01", b"2026-02-30",
    b"2026-11-01T10:11:12.123456-00:00", b"2026-11-01T10:11:12+14:00", b"a&amp;b", b"&#65;", b"&#x20AC;", b"&#13;", b"a\r\nb",
    b"\r", b"\t", b"<![CDATA[1]]>", b"<![CDATA[]]>", b"a<![CDATA[<b>]]>c", b"]]&gt;", "\u20ac \U0001f600".encode(), b"\x7f",
    b"\xc2\x85", b"open", b"EUR", b"99999999999", b"-129", b"2147483648", b"9223372036854775808", b"INF", b"NaN",
    b"YWJj", b"10:11:12", b"P1D", b"a b c", "\u0661".encode(), b"-", b".5", b"5.", b"1.2.3", b"n1:a", b"{urn:x}a",
)  # fmt: skip
_TOKENS: Final = (
    *_TEXTS, b"&lt;", b"&bogus;", b"&#0;", b"&#xFFFE;", b"<!-- c -->", b"<?pi?>", b"<![CDATA[x]]>", b"]]>", b"\x00",
    b"\x0b", b"\xc3\xa4", b"\xff", b"\xef\xbf\xbf", b"\xed\xa0\x80", b"\xef\xbf\xbe", b"&#xFFFF;", b"&#x85;",
    b' xsi:nil="true"' + _XSI, b' xsi:type="x:int"' + _XSI + b' xmlns:x="http://www.w3.org/2001/XMLSchema"',
    b' a="1"', b' a="1" a="2"', b"<x/>", b"</x>", b"<", b">", b"/", b"'", b'"', b"=", b"0x1", b"1_0", b'xmlns="" ',
    b' xmlns="urn:x"', b' xmlns:p=""', b":", b"n1:", b"n2:", "<\u037f/>".encode(), b"<\xc3\x97/>", "\u0487".encode(),
    b' xml:id="1 2"', b' xml:lang="de"', b' xml:space="x"', b' xmlns:p="no uri %%"', b' xmlns:p="\xc3\xa4"',
    b' xmlns="rel"', b' xmlns:q="}"', b' p:x="1"', b' xmlns:p="u" xmlns:q="u" p:x="1" q:x="2"', b' xmlns:xml="u"',
    b' xmlns:xmlns="u"', b' xmlns:p="http://www.w3.org/XML/1998/namespace"', b"<a:b:c/>", b"<xml:a/>",
)  # fmt: skip
_TEXT: Final = re.compile(rb' [a-zA-Z]+="([^"<]*)"|>([^<]*)<')
_GENTLE: Final = 0.5  # share of inputs in which only texts change
_Reading = tuple[object, dict[Finding, int]]
_Streamed = tuple[list[object], object]


class Case:
    """One operation, with both of its readers."""

    def __init__(self, operation: TypedOperation) -> None:
        self.operation = operation
        compiled = operation.compiled
        assert compiled is not None
        self.compiled = compiled

    def by_python(self, content: bytes) -> _Reading | None:
        """Return the value and the findings of the Python reader. Return None if it raises an error."""
        operation, reader, response = self.operation, CountingReader(), _response(self.operation)
        try:
            root = bodies.parse([content], response, operation.name)
            head, body = envelope.parts(root, response, operation.name, reader)
            faults.refuse(body, response, operation, reader)
            envelope.require_understood(head, operation.response_headers.__contains__, operation.name)
            value = operation.read(operation.message(body, reader), reader)
        except (SoapClientError, DecodeError, RecursionError):
            return None
        return value, dict(reader.findings)

    def compare(self, content: bytes) -> bool:
        """Raise Wrong if the readers differ. Return True if the compiled reader accepts the response."""
        value = self.compiled.read(content)
        if value is None:
            return False
        expected = self.by_python(content)
        if expected is None:
            raise Wrong("accepted, but an error to the Python reader")
        # equal values can have different types; NaN is not equal to itself
        if repr(value) != repr(expected[0]):
            raise Wrong(f"{value!r} instead of {expected[0]!r}")
        if expected[1]:
            raise Wrong(f"accepted, but the Python reader has findings: {expected[1]}")
        return True

    def compare_streams(self, content: bytes, random: Random, *, broken: bool = False) -> bool:
        """Raise Wrong if a stream differs from a stream of the Python reader. Return True if it ends well.

        `broken`: the connection breaks at any place.
        """
        size = random.choice((7, 50, 300, 1_000, 5_000))
        pieces, start = [], 0
        while start < len(content):
            end = start + random.randrange(1, size * 2)
            pieces.append(content[start:end])
            start = end
        if broken:
            del pieces[random.randrange(len(pieces) + 1) :]
        compiled, python = (self.streamed(pieces, compiled=which, broken=broken) for which in (True, False))
        if repr(compiled) != repr(python):
            raise Wrong(f"streamed {compiled!r} instead of {python!r}")
        return not isinstance(python[1], type)

    def streamed(self, pieces: Sequence[bytes], *, compiled: bool, broken: bool = False) -> _Streamed:
        """Return the items of a stream, and its head or the type of its error."""
        kind = ResponseStream if compiled else _PythonStream
        reader = CountingReader()
        chunks = bodies.then_raise(pieces, ConnectionFailed("", "reset")) if broken else iter(pieces)
        stream = kind(self.operation, _response(self.operation), chunks, reader)
        items: list[object] = []
        try:
            items.extend(stream)
        except SoapClientError as error:
            # A response with several errors is broken in both, but maybe at another place.
            path = "" if isinstance(error, BrokenResponse) else getattr(error, "path", "")
            return [*items, path], type(error)
        return [*items, dict(reader.findings)], stream.head


class _PythonStream(ResponseStream):
    """A stream that does not use the compiled reader."""

    def _compiled_stream(self) -> CompiledStream | None:
        return None


def _response(operation: TypedOperation) -> Response:
    raw = requests.Response()
    raw.status_code = 200
    deadline = Deadline(SystemClock(), 600)
    return Response(raw, Limits(operation=operation.name, deadline=deadline, connect_timeout=1), decode=True)


def cases(package: Package, name: str) -> Iterator[tuple[str, Case]]:
    """Yield the operations of a package that the compiled reader can read, with unique names."""
    for operation in package.operations.values():
        if operation.one_way or not operation.soap:
            continue
        typed = TypedOperation(operation, fault_shape=package.settings.fault)
        if typed.compiled is not None:
            yield f"{name} {operation.key}", Case(typed)


def seeds_of(name: str, case: Case) -> Iterator[Seed]:
    """Yield examples of the responses to an operation, with and without optional fields."""
    chances = (None, Random(7), Random(8))
    for at, node in examples_of(case.operation.operation, chances):
        content = in_envelope(node, _SOAP[at % 2])
        yield Seed(name, content)
        tree = etree.fromstring(content)
        yield Seed(name, etree.tostring(tree, pretty_print=True, xml_declaration=True, encoding="UTF-8"))


class Speedups:
    """Responses of all packages, changed a little."""

    def __init__(self, folder: Path) -> None:
        sys.path.insert(0, str(folder))
        self._cases: dict[str, Case | JsonCase] = {}
        for service in SERVICES:
            self._add(package_named(service), service)
        for path in contracts():
            name = f"speedups_{path.stem.replace('-', '_')}"
            init.write(folder / name, init.make(name, path, offline=True).files)
            importlib.invalidate_caches()
            self._add(importlib.import_module(f"{name}.service").PACKAGE, path.stem)
        self.seeds = tuple(
            seed
            for name, case in self._cases.items()
            for seed in (json_seeds(name, case) if isinstance(case, JsonCase) else seeds_of(name, case))
            if case.compiled.read(seed.content)
        )

    def _add(self, package: Package, name: str) -> None:
        self._cases.update(cases(package, name))
        self._cases.update(json_cases(package, name))

    def mutated(self, seed: Seed, random: Random) -> bytes:
        if isinstance(self._cases[seed.name], JsonCase):
            return changed_json(seed.content, random)
        chance = random.random()
        if chance < _GENTLE:
            return changed_texts(seed.content, random)
        if chance < 0.95:
            return changed_bytes(seed.content, random)
        return mutated(parsed(seed.content), random, gentle=0.3)

    def run(self, seed: Seed, content: bytes) -> bool:
        case = self._cases[seed.name]
        if isinstance(case, JsonCase):
            return case.compare(content)
        if case.compiled.listed is not None and zlib.crc32(content) % 8 == 0:
            random = Random(content)
            return case.compare_streams(content, random, broken=random.random() < 0.2)
        return case.compare(content)


def changed_texts(content: bytes, random: Random) -> bytes:
    """Replace some texts and attributes."""
    for _ in range(random.choice((1, 1, 2, 3))):
        places = [match.span(match.lastindex or 0) for match in _TEXT.finditer(content)]
        start, end = random.choice(places) if places else (0, 0)
        if start:
            other, until = random.choice(places)
            text = content[other:until] if random.random() < 0.4 else random.choice(_TEXTS)
            content = content[:start] + text + content[end:]
    return content


def changed_bytes(content: bytes, random: Random) -> bytes:
    """Change a document at any place: prolog, encoding, tags, texts, single bytes."""
    chance = random.random()
    if chance < 0.04:
        start = content.find(b"<", 1) if content.startswith(b"<?") and random.random() < 0.7 else 0
        return random.choice(_PROLOGS) + content[start:]
    if chance < 0.05:
        encoding = random.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32"))
        return content.decode("utf-8", "replace").encode(encoding)
    data = bytearray(content)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        _change(data, random)
    return bytes(data)


def _change(data: bytearray, random: Random) -> None:
    at, way = random.randrange(len(data) or 1), random.randrange(6)
    if way == 0:
        data[at:at] = random.choice(_TOKENS)
    elif way == 1:
        del data[at : at + random.choice((1, 2, 5, 10_000))]
    elif way == 2 and data:
        data[at] = random.randrange(256)
    elif way == 3:  # text from another place
        other = random.randrange(len(data) or 1)
        data[at:at] = data[other : other + random.randrange(1, 40)]
    elif way == 4:  # after the name of a tag
        end = data.find(b">", at)
        data[max(end, 0) : max(end, 0)] = random.choice(_TOKENS)
    else:  # a tag twice, or away
        start = data.find(b"<", at)
        end = data.find(b">", start)
        if start > 0 and end > 0:
            tag = data[start : end + 1]
            data[start : end + 1] = tag * 2 if random.random() < 0.5 else b""


TARGETS: Final[Sequence[Target]] = (Target("speedups", 100_000, Speedups),)
