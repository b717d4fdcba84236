"""Decode a recorded response: a SOAP envelope, REST XML or REST JSON. The kind is detected."""

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
_HTML_START = re.compile(rb"<!doctype\s+html|<html[\s>/]", re.IGNORECASE)
_TITLE = re.compile(rb"<title[^>]{0,200}>([^<]{1,500})", re.IGNORECASE)
_NO_SERVICE = "a response of a login page, a proxy or another server: check the address"
_JSON_STARTS = (b"{", b"[", b'""')  # `""` is an empty element


class UnreadableDocument(ValueError):
    """Raised if a document cannot be read. The message says what is wrong, and gives a place or hint."""

    def __str__(self) -> str:
        return "{} ({})".format(*self.args)


def decode(
    operation: AnyOperation, data: bytes, *, package: Package, config: CommonSettings, drift: Drift
) -> object:
    """Return the typed response that `data`, a recorded body, contains. Adds drift findings to `drift`.

    Of `config`, only the time zones are used. Raises UnreadableDocument or BrokenJson if the bytes are not a
    document, ResponseError if the response is invalid, and ServiceFault for a recorded fault or REST error.
    A recorded REST error without an error code raises Failure.
    """
    assert isinstance(operation, Operation)  # every operation of a contract is one, with its types
    shape = package.settings.fault
    reader = ResponseReader(config, package.settings.naive_zone)
    kind = kind_of(data)
    try:
        if kind == "soap":
            read: object = operation.read_response(_in_envelope(operation, data, shape, reader), reader)
            return read
        form = operation.rest or RestRow(method="", path="")  # empty if only SOAP has the operation
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
        drift.add(operation.name, reader)  # even if decoding failed, because findings may explain why


def _in_envelope(
    operation: AnyOperation, data: bytes, shape: FaultShape | None, reader: CountingReader
) -> Node:
    """Return the XML element of the response in a SOAP envelope.

    `data` is the envelope. `shape` describes the detail element of the package's faults, and the meaning of
    the fault codes. Raises ServiceFault if the envelope has a fault.
    """
    root = xml_tree(data)
    failed = any(local_name(child.tag) == "Fault" for part in root for child in part)
    response = _Recorded(500 if failed else 200)  # the status in SOAP 1.1
    typed = TypedOperation(operation, fault_shape=shape)
    _, body = envelope.parts(root, response, operation.name, reader)
    faults.refuse(body, response, typed, reader)
    return typed.message(body, reader)


def _fault(operation: AnyOperation, problem: Problem, shape: FaultShape | None) -> Exception:
    """Return the exception for a recorded REST error. The recording does not have the HTTP status.

    `problem` is the decoded error body. `shape` has the codes that mean an authentication error.
    """
    if problem.code is None:
        text = clean(redact("; ".join(text for text in (problem.message, problem.reason) if text)), 500)
        message = f"{operation.name}: the service returned an error without a code: {text}"
        return Failure(message, ExitCode.FAULT)
    refused = shape is not None and problem.code in shape.authentication
    kind = AuthenticationError if refused else ServiceFault
    return kind(problem.code, problem.reason, problem.error_id, operation.name, message=problem.message)


class _Recorded(Response):
    """A recorded response, for functions that expect an HTTP response. Has a status, but no headers."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.headers = {}


# ---- kinds of documents


def kind_of(data: bytes) -> Kind:
    """Return the kind of a recorded response: SOAP envelope, other XML, or JSON.

    Looks only at the beginning, so the response may be incomplete or invalid. A byte order mark and white
    space are skipped. Raises UnreadableDocument if the response has another kind, or if its beginning cannot
    be read.
    """
    start = trimmed(data)
    if match := _HTML_START.match(start):
        title = _TITLE.search(start, match.end())
        shown_title = (
            "" if title is None else f", {clean(redact(title[1].decode(errors='replace').strip()), 80)!r}"
        )
        raise UnreadableDocument(f"the document is a page of HTML{shown_title}", _NO_SERVICE)
    if start.startswith(_JSON_STARTS):
        return "json"
    if not start.startswith((b"<", *_UTF16_STARTS)):
        raise UnreadableDocument(
            "the document is neither XML nor JSON" if start else "the document is empty", "at its beginning"
        )
    return "soap" if _root_tag(start) in _ENVELOPES else "xml"


def xml_tree(data: bytes) -> etree._Element:
    """Parse XML, and drop comments and processing instructions.

    Raises UnreadableDocument if the XML is not well-formed or has a DOCTYPE.
    """
    try:
        root = etree.fromstring(trimmed(data), parser())
    except etree.XMLSyntaxError as error:
        raise _malformed(error) from None
    _refuse_doctype(root)
    return root


def trimmed(data: bytes) -> bytes:
    """Return a document without a UTF-8 byte order mark and leading white space."""
    return data.removeprefix(_UTF8_MARK).lstrip(b" \t\r\n")


def _root_tag(data: bytes) -> object:
    """Return the tag of the root element of an XML document. Reads only the element's start tag."""
    try:
        events = etree.iterparse(BytesIO(data), ("start",), resolve_entities=False, no_network=True)
        _, node = next(events)  # a document without an element is a syntax error
    except etree.XMLSyntaxError as error:
        raise _malformed(error) from None
    _refuse_doctype(node)
    return node.tag


def _malformed(error: etree.XMLSyntaxError) -> UnreadableDocument:
    """Return the error for XML that is not well-formed."""
    line, column = error.position
    reason = error.msg.rpartition(", line ")[0] or error.msg
    return UnreadableDocument(f"not well-formed XML: {reason}", f"line {line}, column {column}")


def _refuse_doctype(root: etree._Element) -> None:
    """Raise UnreadableDocument if a document has a DOCTYPE, because its entities could change values."""
    if root.getroottree().docinfo.doctype:
        raise UnreadableDocument(
            "the document has a document type (DOCTYPE), which is not allowed", "at its beginning"
        )
