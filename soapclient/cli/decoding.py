"""A recorded response → the typed response: a SOAP envelope, REST XML or REST JSON, which is detected."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Literal

from lxml import etree

from soapclient._support.redaction import clean, redact
from soapclient.calling.reader import ResponseReader
from soapclient.cli.failures import ExitCode, Failure
from soapclient.drift import Drift
from soapclient.errors import AuthenticationError, ResponseError, ServiceFault
from soapclient.rest import json_tree
from soapclient.rest.responses import ErrorResponse, Problem, interpret
from soapclient.runtime import (
    AnyOperation,
    CountingReader,
    DecodeError,
    FaultShape,
    Node,
    Operation,
    Package,
    RestRow,
)
from soapclient.runtime.errors import local_name
from soapclient.settings import CommonSettings
from soapclient.soap import envelope, faults
from soapclient.soap.operations import TypedOperation
from soapclient.transport.bodies import parser
from soapclient.transport.http import Response

Kind = Literal["soap", "xml", "json"]

_ENVELOPES = {
    "{http://schemas.xmlsoap.org/soap/envelope/}Envelope",
    "{http://www.w3.org/2003/05/soap-envelope}Envelope",
}
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_STARTS = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>/]", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^>]{0,200}>([^<]{1,500})", re.IGNORECASE)
_NO_SERVICE = "no service answered, but a sign-in, a proxy or another server: look where it was asked"
_JSON_STARTS = (b"{", b"[", b'""')  # the last is an empty element


class UnreadableDocument(ValueError):
    """A document that cannot be read; the text says what is wrong, and where."""

    def __str__(self) -> str:
        return "{} ({})".format(*self.args)


def decode(
    operation: AnyOperation, data: bytes, *, package: Package, config: CommonSettings, drift: Drift
) -> object:
    """The typed response to an operation; what it holds beyond the contract is added to `drift`.

    Of `config`, only the zones count. Raises UnreadableDocument or BrokenJson for bytes that are no such
    document, ResponseError for a response that does not fit, ServiceFault for a recorded fault or error,
    Failure for an error that has no code.
    """
    assert isinstance(operation, Operation)  # every operation of a contract is one, with its types
    shape, reader = package.settings.fault, ResponseReader(config)
    kind = kind_of(data)
    try:
        if kind == "soap":
            read: object = operation.read_response(_in_envelope(operation, data, shape, reader), reader)
            return read
        form = operation.rest or RestRow(method="", path="")  # SOAP alone has it
        root: Node
        if kind == "json":
            root = json_tree.parse(data, operation.response_tag, roots=form.roots)
        else:
            root = xml_tree(data)
        value: object = interpret(operation, form, root, reader)
        return value
    except ErrorResponse as error:
        raise _fault(operation, error.problem, shape) from None
    except DecodeError as error:
        raise ResponseError(
            error.path, error.value, error.expected, operation=operation.name, skippable=error.skippable
        ) from None
    finally:
        drift.add(operation.name, reader)  # also of what cannot be read: that is what one wants to know


def _in_envelope(
    operation: AnyOperation, data: bytes, shape: FaultShape | None, reader: CountingReader
) -> Node:
    root = xml_tree(data)
    failed = any(local_name(child.tag) == "Fault" for part in root for child in part)
    response = _Recorded(500 if failed else 200)  # what SOAP 1.1 says for each
    typed = TypedOperation(operation, fault_shape=shape)
    _, body = envelope.parts(root, response, operation.name, reader)
    faults.refuse(body, response, typed, reader)
    return typed.message(body, reader)


def _fault(operation: AnyOperation, problem: Problem, shape: FaultShape | None) -> Exception:
    """A REST error as what it means; the status that it came with is not known."""
    if problem.code is None:
        said = clean(redact("; ".join(text for text in (problem.message, problem.reason) if text)), 500)
        said = f"{operation.name}: the service answered with an error without a code: {said}"
        return Failure(said, ExitCode.FAULT)
    refused = shape is not None and problem.code in shape.authentication
    kind = AuthenticationError if refused else ServiceFault
    return kind(problem.code, problem.reason, problem.error_id, operation.name, message=problem.message)


class _Recorded(Response):
    """A response that comes from no wire."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.headers = {}


# ---- which kind of document it is


def kind_of(data: bytes) -> Kind:
    """Whether a recorded response is a SOAP envelope, other XML, or JSON; that it is whole is not looked at.

    A byte order mark and white space may stand before it. Raises UnreadableDocument for anything else, and
    for a document type: no response has one.
    """
    start = trimmed(data)
    if found := _HTML.match(start):
        title = _TITLE.search(start, found.end())
        named = "" if title is None else f", {clean(redact(title[1].decode(errors='replace').strip()), 80)!r}"
        raise UnreadableDocument(f"a page of HTML{named}", _NO_SERVICE)
    if start.startswith(_JSON_STARTS):
        return "json"
    if not start.startswith((b"<", *_UTF16_STARTS)):
        raise UnreadableDocument("neither XML nor JSON" if start else "an empty document", "at its beginning")
    return "soap" if _root_tag(start) in _ENVELOPES else "xml"


def xml_tree(data: bytes) -> etree._Element:
    """Parse XML, comments and instructions left out. Raises UnreadableDocument."""
    try:
        root = etree.fromstring(trimmed(data), parser())
    except etree.XMLSyntaxError as error:
        raise _malformed(error) from None
    _refuse_doctype(root)
    return root


def trimmed(data: bytes) -> bytes:
    """The document without a byte order mark of UTF-8 and the white space before it."""
    return data.removeprefix(_UTF8_MARK).lstrip(b" \t\r\n")


def _root_tag(data: bytes) -> object:
    """The tag of the root; what follows its start tag is not read."""
    try:
        events = etree.iterparse(BytesIO(data), ("start",), resolve_entities=False, no_network=True)
        _, node = next(events)  # a document without an element is a syntax error
    except etree.XMLSyntaxError as error:
        raise _malformed(error) from None
    _refuse_doctype(node)
    return node.tag


def _malformed(error: etree.XMLSyntaxError) -> UnreadableDocument:
    line, column = error.position
    said = error.msg.rpartition(", line ")[0] or error.msg
    return UnreadableDocument(f"not well-formed XML: {said}", f"line {line}, column {column}")


def _refuse_doctype(root: etree._Element) -> None:
    """Entities in a document type could change what a value says."""
    if root.getroottree().docinfo.doctype:
        raise UnreadableDocument("a document type, which no response has", "at its beginning")
