"""Messages of a mock: parse requests in SOAP 1.1 or 1.2 envelopes, and create responses and faults."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from typing import Final
from urllib.parse import unquote

from lxml import etree
from werkzeug.wrappers import Request

from soapclient.errors import SecurityError
from soapclient.runtime.authentication import remove
from soapclient.runtime.errors import local_name
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.schema import PortRow
from soapclient.runtime.service import Attachment, attached
from soapclient.serving.bodies import body_of, parse
from soapclient.serving.faults import InvalidValue, printable
from soapclient.serving.soap import MEDIA_TYPES, SOAP_11, SOAP_12, XML_NS, media_type, version_of
from soapclient.soap.multipart import BinaryPart, packed
from soapclient.soap.zeep_options import Wsse
from soapclient.transport import bodies

_PARTS: Final = "multipart/related"
_INCLUDE: Final = "{http://www.w3.org/2004/08/xop/include}Include"
_ENCODINGS: Final = {
    SOAP_11: "http://schemas.xmlsoap.org/soap/encoding/",
    SOAP_12: "http://www.w3.org/2003/05/soap-encoding",
}
_ADDRESSING: Final = "http://www.w3.org/2005/08/addressing"
# The mock ignores these headers, even if they have mustUnderstand, so that clients can send them.
_IGNORED: Final = frozenset(
    (
        _ADDRESSING,
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd",
    )
)
# Fault codes of SOAP 1.1 → SOAP 1.2 (SOAP 1.1 4.4.1, SOAP 1.2 part 1 5.4.6).
_CODES_12: Final = {"Client": "Sender", "Server": "Receiver"}
_CODES_11: Final = {code_12: code_11 for code_11, code_12 in _CODES_12.items()}


class Refused(Exception):
    """Raised to respond to a request with a SOAP fault.

    `code` is a SOAP 1.1 code (`Client`, `Server`, `VersionMismatch` or `MustUnderstand`), or a code that the
    service defines. `detail` is the content of the fault's detail.
    """

    def __init__(self, reason: str, code: str = "Client", detail: etree._Element | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code
        self.detail = detail


@dataclass(frozen=True)
class Incoming:
    """A parsed SOAP request. `version` is the envelope's namespace, which identifies the version of SOAP."""

    version: str
    action: str
    headers: tuple[etree._Element, ...]
    body: etree._Element
    attachments: tuple[Attachment, ...] = ()
    xop: bool = False  # it is an XOP package (MTOM)


@dataclass(frozen=True)
class Outgoing:
    """An HTTP response whose attachments are not packed yet.

    `body` is the envelope, without the `attachments`. The function `finished` packs both into one body.
    `fault` is the code of the SOAP fault in the envelope, "" for other responses.
    """

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""
    attachments: Sequence[Attachment] = ()


def read(request: Request, max_bytes: int, versions: Sequence[str], security: Wsse | None = None) -> Incoming:
    """Parse an HTTP request as a SOAP request, and verify it with `security`.

    Raises Refused if the request is malformed, has more than `max_bytes`, has a version of SOAP that is not
    in `versions`, or is not signed or encrypted as required.
    """
    try:
        content, kind, attachments = _split(request, body_of(request, max_bytes))
        root = parse(content, None if kind != "envelope" else request.mimetype_params.get("charset"))
    except InvalidValue as refusal:
        raise Refused(refusal.reason) from None
    version = version_of(root)
    if version is None:
        raise Refused(f"the root is {root.tag!s}, not a SOAP 1.1 or 1.2 Envelope", "VersionMismatch")
    if version not in versions:
        sent, expected = ("1.2", "1.1") if version == SOAP_12 else ("1.1", "1.2")
        raise Refused(f"the envelope is SOAP {sent}, but this port is SOAP {expected}", "VersionMismatch")
    used = _include(root, {attachment.content_id: attachment for attachment in attachments}, max_bytes)
    attachments = tuple(item for item in attachments if item.content_id not in used)
    if security is not None:
        with attached(attachments):
            root = _verified(root, security)
    body = root.find(f"{{{version}}}Body")
    if body is None:
        raise Refused("the envelope has no Body")
    headers = tuple(root.iterfind(f"{{{version}}}Header/*"))
    return Incoming(version, _action(request), headers, body, attachments, kind == "xop")


def copied(node: etree._Element) -> etree._Element:
    """Return a copy of an element as the root of a document. It declares all prefixes that are in scope."""
    # Attachments can have longer texts than the parser allows by default.
    return etree.fromstring(etree.tostring(node, encoding="UTF-8", with_tail=False), bodies.parser(huge=True))


def _verified(root: etree._Element, security: Wsse) -> etree._Element:
    """Verify a request with WS-Security, decrypt its encrypted parts, and return the envelope.

    `root` is the envelope that was received. Raises Refused if it is not signed or encrypted as required.
    """
    try:
        verified = security.verify(root)
    except Exception as error:  # zeep's security objects can raise any exception
        problem = error.problem if isinstance(error, SecurityError) else f"{type(error).__name__}: {error}"
        raise Refused(f"the request is not secured as required: {problem}") from None
    return verified if isinstance(verified, etree._Element) else root


def finished(outgoing: Outgoing, security: Wsse | None) -> Outgoing:
    """Return the response to send: `outgoing` with its attachments packed into the body.

    If `security` is not None, the envelope is signed or encrypted first. Faults are not secured.
    """
    if security is not None and outgoing.status == 200 and outgoing.body.startswith(b"<?xml"):
        with attached(outgoing.attachments):
            envelope, _ = security.apply(etree.fromstring(outgoing.body, bodies.parser(huge=True)), {})
        body = etree.tostring(envelope, xml_declaration=True, encoding="UTF-8")
        outgoing = replace(outgoing, body=body)
    if outgoing.attachments:
        body, headers = packed(outgoing.body, outgoing.headers, outgoing.attachments)
        outgoing = replace(outgoing, body=body, headers=headers, attachments=())
    return outgoing


def refuse_unknown(incoming: Incoming, known: Sequence[str]) -> None:
    """Raise Refused if a SOAP header is marked `mustUnderstand`, but is not in `known`.

    Headers of WS-Security and WS-Addressing are ignored.
    """
    key = f"{{{incoming.version}}}mustUnderstand"
    for node in incoming.headers:
        required = node.get(key) in ("1", "true")
        if required and str(node.tag) not in known and etree.QName(node).namespace not in _IGNORED:
            raise Refused(
                f"the header {node.tag!s} has mustUnderstand, but is not supported here",
                "MustUnderstand",
            )


def response(
    incoming: Incoming,
    content: Sequence[etree._Element],
    headers: Sequence[etree._Element] = (),
    *,
    encoded: bool = False,
    attachments: Sequence[Attachment] = (),
    parts: Sequence[BinaryPart] | None = None,
    action: str,
) -> Outgoing:
    """Return a response with `content` as its body.

    `encoded` is True if the content uses SOAP encoding. `action` is the WS-Addressing action of the response.
    If `parts` is not None, the response uses MTOM: the XOP includes in `content` refer to these MIME parts.
    """
    version = incoming.version
    if encoded and content:  # on the child of the body: SOAP 1.2 (part 1, 5.1.1) forbids it on the envelope
        content[0].set(f"{{{version}}}encodingStyle", _ENCODINGS[version])
    body = _envelope(version, content, [*headers, *_addressing(incoming, action)])
    http_headers = {"Content-Type": media_type(version)}
    if parts is not None:
        body, http_headers = packed(body, http_headers, attachments, parts, xop=True)
        attachments = ()
    return Outgoing(200, body, http_headers, attachments=attachments)


def fault(version: str, refused: Refused, incoming: Incoming | None = None) -> Outgoing:
    """Return a response with the SOAP fault that `refused` describes.

    `version` is the namespace of the version of SOAP. `incoming` is None if the request could not be parsed.
    The HTTP status is 500, or 400 for an error of the sender in SOAP 1.2 (part 2, 7.5.2.2).
    """
    reason = printable(refused.reason)
    q = f"{{{version}}}"
    node = etree.Element(f"{q}Fault", nsmap={"soap": version})
    if version == SOAP_11:
        code = _CODES_11.get(refused.code, refused.code)
        etree.SubElement(node, "faultcode").text = f"soap:{code}"
        etree.SubElement(node, "faultstring").text = reason
        holder = "detail"
    else:
        code = _CODES_12.get(refused.code, refused.code)
        etree.SubElement(etree.SubElement(node, f"{q}Code"), f"{q}Value").text = f"soap:{code}"
        text = etree.SubElement(etree.SubElement(node, f"{q}Reason"), f"{q}Text")
        text.set(f"{{{XML_NS}}}lang", "en")
        text.text = reason
        holder = f"{q}Detail"
    if refused.detail is not None:
        etree.SubElement(node, holder).append(refused.detail)
    status = 400 if version == SOAP_12 and code == "Sender" else 500
    headers = [] if incoming is None else _addressing(incoming, f"{_ADDRESSING}/soap/fault")
    body = _envelope(version, [node], headers)
    return Outgoing(status, body, {"Content-Type": media_type(version)}, code)


def _envelope(
    version: str, content: Sequence[etree._Element], headers: Sequence[etree._Element] = ()
) -> bytes:
    top = etree.Element(f"{{{version}}}Envelope", nsmap={"soap": version})
    if headers:
        etree.SubElement(top, f"{{{version}}}Header").extend(headers)
    etree.SubElement(top, f"{{{version}}}Body").extend(content)
    return etree.tostring(top, xml_declaration=True, encoding="UTF-8")


def _addressing(incoming: Incoming, action: str) -> list[etree._Element]:
    """Return the WS-Addressing headers of a response: its action, and the id of the request.

    The list is empty if the request does not use WS-Addressing (WS-Addressing 1.0, 3.2 and 3.4).
    """
    headers = [node for node in incoming.headers if str(node.tag).startswith(f"{{{_ADDRESSING}}}")]
    values = [("Action", action)] if headers else []
    values += [("RelatesTo", node.text or "") for node in headers if local_name(str(node.tag)) == "MessageID"]
    result = []
    for name, text in values:
        node = etree.Element(f"{{{_ADDRESSING}}}{name}", nsmap={"wsa": _ADDRESSING})
        node.text = text
        result.append(node)
    return result


def _action(request: Request) -> str:
    action = request.headers.get("SOAPAction") or request.mimetype_params.get("action") or ""
    return action.strip().strip('"')


def _split(request: Request, body: bytes) -> tuple[bytes, str, tuple[Attachment, ...]]:
    """Return the envelope in a request, its packaging, and the attachments.

    The packaging is `envelope` if the body of the request is the envelope, `multipart` if it is a MIME
    message that can have attachments, or `xop` if it is an MTOM message. Raises Refused if the content type
    or the multipart message is invalid.
    """
    if request.mimetype != _PARTS:
        if request.mimetype not in MEDIA_TYPES:
            shown = request.mimetype[:60] or "missing"
            raise Refused(f"the content type must be text/xml or application/soap+xml, not {shown!r}")
        return body, "envelope", ()
    head = f"Content-Type: {request.content_type}\r\n\r\n".encode("latin-1", "replace")
    try:
        message = message_from_bytes(head + body)
    except RecursionError:
        raise Refused("the MIME parts of the request are nested too deeply") from None
    parts = [part for part in message.walk() if not part.is_multipart()]
    if not message.is_multipart() or not parts:
        raise Refused("the content type is multipart, but the request has no parts")
    attachments = [
        Attachment(
            bytes(part.get_payload(decode=True) or b""),
            part.get_content_type(),
            str(part.get("Content-ID", "")).strip("<>"),
        )
        for part in parts
    ]
    start = str(request.mimetype_params.get("start", "")).strip("<>")
    root = next((item for item in attachments if start and item.content_id == start), attachments[0])
    kind = "xop" if root.content_type == "application/xop+xml" else "multipart"
    return root.content, kind, tuple(item for item in attachments if item is not root)


def _include(root: etree._Element, parts: Mapping[str, Attachment], max_bytes: int) -> set[str]:
    """Replace each XOP include with the Base64 of its MIME part. Return the Content-IDs of these parts.

    `parts` has all MIME parts of the request by Content-ID. Raises Refused if an include refers to an unknown
    part, or if the included parts exceed `max_bytes` in total.
    """
    used = set()
    for node in list(root.iter(_INCLUDE)):
        content_id, parent = unquote(node.get("href", "").removeprefix("cid:")), node.getparent()
        if content_id not in parts or parent is None:
            raise Refused(f"{local_name(node.tag)}: the request does not have the part {content_id[:80]!r}")
        max_bytes -= len(parts[content_id].content)  # a part may be included many times
        if max_bytes < 0:
            raise Refused("the included parts have more bytes in total than `max_body` of the mock allows")
        parent.remove(node)
        parent.text = base64.b64encode(parts[content_id].content).decode()
        used.add(content_id)
    return used


def version_of_port(port: PortRow) -> str:
    """Return the envelope namespace of the SOAP version that a port uses."""
    return SOAP_12 if port.soap == "1.2" else SOAP_11


def fingerprint(body: etree._Element, operation: AnyOperation) -> str:
    """Return a hash of a request's body that ignores the authentication fields."""
    copy = copied(body)
    message = next(copy.iterchildren("*"), copy) if operation.request_tag else copy
    remove(message, operation.authentication)
    return hashlib.sha256(etree.tostring(copy, method="c14n", exclusive=True)).hexdigest()
