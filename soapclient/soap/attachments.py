"""Attachments of requests and responses, and the reader of multipart messages (RFC 2387).

This module has its own parser for multipart messages, because a binary part may end in line ends, and the
envelope need not be the first part. XOP includes are replaced by their content with zeep.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from email.message import Message
from typing import Final
from urllib.parse import quote, unquote

from lxml import etree

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import clean, shown
from soapclient.errors import BrokenResponse, ContractError, ResponseError
from soapclient.runtime import AnyOperation
from soapclient.runtime.service import Attachment
from soapclient.transport import bodies
from soapclient.transport.http import Response

_MAX_HEADERS: Final = 1 << 16  # maximum size of the headers of one part, bytes
_INCLUDE: Final = "{http://www.w3.org/2004/08/xop/include}Include"
_VALUE: Final = LazyPattern(r"[ -~]*")
_ID: Final = LazyPattern(r"[!#-;=?-~]*")  # visible ASCII without quotes and angle brackets
_DECODERS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "base64": base64.b64decode,
    "quoted-printable": quopri.decodestring,
}


class Attachments:
    """Attachments to send with each call inside a `with` block, and the attachments of the last response.

    `received` has all attachments of the last response. `attachments["scan"]` is the received attachment for
    the message part `scan` of the WSDL.

    >>> from soapclient import connect
    >>> from soapclient.connection import Attachment
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with mock("weather") as server, connect(WeatherService, address=server.address()) as service:
    ...     with service.soap.attachments(Attachment(b"%PDF-1.7", "application/pdf")) as attachments:
    ...         response = service.get_weather(city="Rome")
    ...     print(len(server.calls()[0].attachments), len(attachments.received))
    1 0
    """

    def __init__(self, sent: Sequence[Attachment], named: Mapping[str, Attachment]) -> None:
        self.sent = tuple(sent)
        self.named = dict(named)
        self.received: tuple[Attachment, ...] = ()
        self._operation = ""
        self._parts: dict[str, Attachment] = {}

    def __getitem__(self, name: str) -> Attachment:
        """Return the attachment that was received for the message part `name`.

        Raises ResponseError if the response does not have this attachment.
        """
        attachment = self._parts.get(name)
        if attachment is None:
            expected = f"one of: {', '.join(self._parts)}" if self._parts else "an attachment with this name"
            raise ResponseError(f"attachments/{name}", None, expected, operation=self._operation or None)
        return attachment

    def to_send(self, operation: AnyOperation) -> tuple[Attachment, ...]:
        """Return the attachments to send with a request of `operation`.

        Raises ContractError if an attachment has a name that the WSDL does not declare.
        """
        declared = operation.request_attachments
        for name in self.named:
            if name not in declared:
                allowed = (
                    f"one of: {', '.join(declared)}"
                    if declared
                    else "none, because the WSDL does not declare attachments"
                )
                reason = "unknown attachment"
                raise ContractError(
                    f"attachments/{name}", shown(name), allowed, reason, operation=operation.name
                )
        return (*(_with_content_id(name, attachment) for name, attachment in self.named.items()), *self.sent)

    def receive(self, operation: AnyOperation, received: Sequence[Attachment]) -> None:
        """Store the attachments of a response."""
        self.received = tuple(received)
        self._operation = operation.name
        self._parts = by_part(operation.response_attachments, received)


def to_send(present: Attachments | None, operation: AnyOperation) -> tuple[Attachment, ...]:
    """Return the attachments to send with a request.

    `present` is the `Attachments` object of the `with` block, or None outside of such a block. Raises
    ContractError if an attachment that the WSDL declares is missing, or if the name of an attachment is not
    declared.
    """
    sent = () if present is None else present.to_send(operation)
    declared = operation.request_attachments
    if len(sent) < len(declared):  # an attachment without a name can be any of the declared attachments
        attachments = {} if present is None else present.named
        lacking = next(name for name in declared if name not in attachments)
        path, allowed = f"attachments/{lacking}", f"service.soap.attachments({lacking}=Attachment(…))"
        raise ContractError(path, None, allowed, "it is required", operation=operation.name)
    return sent


def by_part(declared: Sequence[str], received: Sequence[Attachment]) -> dict[str, Attachment]:
    """Return a dict from the names of message parts to the received attachments.

    `declared` are the names of all message parts with attachments. An attachment belongs to the part NAME if
    its Content-ID is NAME or starts with NAME= (WS-I Attachments Profile 1.0, section 3.8). If no Content-ID
    matches and there are as many parts as attachments, the first attachment belongs to the first part, and so
    on.
    """
    result: dict[str, Attachment] = {}
    for attachment in received:
        for name in (unquote(attachment.content_id.partition("=")[0]), attachment.content_id):
            if name in declared:
                result.setdefault(name, attachment)
    if not result and len(declared) == len(received):
        return dict(zip(declared, received, strict=True))
    return result


def _with_content_id(name: str, attachment: Attachment) -> Attachment:
    """Return the attachment with a Content-ID that names the message part, unless it already has one."""
    if attachment.content_id:
        return attachment
    return replace(attachment, content_id=f"{quote(name, safe='')}={secrets.token_hex(16)}@soapclient")


_present: ContextVar[tuple[object, Attachments] | None] = ContextVar("attachments", default=None)


@contextmanager
def beside(
    whose: object, sent: Sequence[Attachment], named: Mapping[str, Attachment]
) -> Iterator[Attachments]:
    """Set attachments for the calls of a client inside a `with` block, in this thread or task.

    - `whose`: an object that identifies the client. A client and its views share this object.
    - `named`: attachments by the names of the WSDL's message parts.
    - `sent`: attachments without a part name, sent in addition to `named`.

    The context manager returns an `Attachments`. Raises ContractError if an attachment cannot be sent.
    """
    for attachment in (*sent, *named.values()):
        if not isinstance(attachment, Attachment) or not isinstance(attachment.content, bytes):
            allowed = "an Attachment with content of type bytes"
            raise ContractError("attachments", type(attachment).__name__, allowed, "not an allowed value")
        if not (_ID.fullmatch(attachment.content_id) and _VALUE.fullmatch(attachment.content_type)):
            allowed = "visible ASCII characters"
            raise ContractError(
                "attachments",
                attachment.content_id,
                allowed,
                "the content_id or the content_type is not valid in a header",
            )
    present = Attachments(sent, named)
    token = _present.set((whose, present))
    try:
        yield present
    finally:
        _present.reset(token)


def of(whose: object) -> Attachments | None:
    """Return the attachments that the current `with` block of `beside` has set for a client.

    `whose` identifies the client. Returns None outside of such a block.
    """
    present = _present.get()
    return present[1] if present is not None and present[0] is whose else None


def opened(response: Response, operation: str) -> tuple[etree._Element, tuple[Attachment, ...]]:
    """Read a multipart response. Return its envelope and its attachments.

    XOP includes in the envelope are replaced by the parts to which they refer. These parts are not among the
    returned attachments. Raises BrokenResponse if the parts do not form one message.
    """
    content_type = response.headers.get("Content-Type", "")
    kind = Message()
    kind["Content-Type"] = content_type
    boundary, start = kind.get_param("boundary"), kind.get_param("start")
    if not isinstance(boundary, str) or not boundary:
        raise BrokenResponse("Content-Type", clean(content_type), "a boundary parameter", operation=operation)
    pieces = _split_parts(
        b"".join(response.chunks()), boundary.encode("latin-1", "replace"), response.check_parts
    )
    if not pieces:
        raise BrokenResponse("Envelope", None, "a complete multipart response", operation=operation)
    try:
        parts = [_parse_part(piece) for piece in pieces]
    except (binascii.Error, ValueError) as error:
        raise _mismatch(error, operation) from None
    start_id = str(start).strip().strip("<>") if start else ""
    first = next((part for part in parts if start_id and part.content_id == start_id), parts[0])
    response.count(first.content)
    root = bodies.parse([first.content], response, operation)
    pack = _ReceivedParts([part for part in parts if part is not first], response)
    _include(root, pack, operation)
    return root, tuple(part for part in pack.parts if id(part) not in pack.used)


class _ReceivedParts:
    """The parts of a message except the envelope, in the form that zeep's `process_xop` requires.

    `used` has the `id(part)` of each part that the envelope includes.
    """

    def __init__(self, parts: list[Attachment], response: Response) -> None:
        self.parts = parts
        self.used: set[int] = set()
        self._response = response

    def get_by_content_id(self, content_id: str) -> Attachment | None:
        for part in self.parts:
            if part.content_id == content_id.strip("<>"):
                if id(part) in self.used:  # counted: a part included many times can use much memory
                    self._response.hold(part.content)
                self.used.add(id(part))
                return part
        return None


def _include(root: etree._Element, pack: _ReceivedParts, operation: str) -> None:
    from zeep.wsdl.messages.xop import process_xop

    for node in root.iter(_INCLUDE):
        href = node.get("href", "")
        if href[:4].lower() == "cid:":  # zeep accepts only lower case, unlike RFC 3986, 3.1
            node.set("href", f"cid:{href[4:]}")
    put: Callable[[etree._Element, _ReceivedParts], bool] = process_xop  # zeep has no types
    try:
        put(root, pack)
    except (ValueError, AttributeError) as error:  # the part is unknown, or the href is missing
        raise _mismatch(error, operation) from None


def _mismatch(error: Exception, operation: str) -> BrokenResponse:
    return BrokenResponse(
        "Envelope", clean(str(error), 100), "attachments that match their references", operation=operation
    )


def _split_parts(body: bytes, boundary: bytes, check: Callable[[int], None]) -> list[bytes]:
    """Split a body at its boundaries (RFC 2046, section 5.1.1). Each piece starts with its headers.

    Returns an empty list if the last boundary is missing. The first boundary determines the line end
    (`\\r\\n` or `\\n`) that all other boundaries must have. After each piece, `check` is called with the
    number of pieces. `check` raises an error if there are too many.
    """
    first = re.search(rb"(?:\A|\n)--" + re.escape(boundary) + rb"[ \t]*(\r?\n)", body)
    if first is None:
        return []
    end = re.escape(first[1])
    between = re.compile(end + rb"--" + re.escape(boundary) + rb"(--)?[ \t]*(?:" + end + rb"|\Z)")
    pieces: list[bytes] = []
    at = first.end()
    # Start the search at the line end of the first boundary: if the first part is empty, the next boundary
    # shares this line end.
    for match in between.finditer(body, first.end() - len(first[1])):
        pieces.append(body[at : match.start()])
        check(len(pieces))
        if match[1]:
            return pieces
        at = match.end()
    return []


def _parse_part(piece: bytes) -> Attachment:
    at = re.search(rb"(?:\A|\r?\n)\r?\n", piece)
    head, body = (piece, b"") if at is None else (piece[: at.start()], piece[at.end() :])
    headers: dict[str, str] = {}
    if len(head) > _MAX_HEADERS:
        raise ValueError(f"a part has headers of more than {_MAX_HEADERS} bytes")
    for line in re.sub(rb"\r?\n[ \t]+", b" ", head).splitlines():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().title()] = value.strip()
    encoding = headers.get("Content-Transfer-Encoding", "binary").lower()
    decode = _DECODERS.get(encoding)
    return Attachment(
        content=decode(body) if decode is not None else body,
        content_type=headers.get("Content-Type", ""),
        content_id=headers.get("Content-Id", "").strip("<>"),
        headers=headers,
    )
