"""What a mock reads and writes: requests in envelopes of either version of SOAP, responses, faults."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Final

from lxml import etree
from werkzeug.wrappers import Request

from soapclient.runtime.errors import local_name
from soapclient.runtime.service import Attachment
from soapclient.serving.bodies import body_of, parse
from soapclient.serving.faults import InvalidValue, printable
from soapclient.serving.soap import MEDIA_TYPES, SOAP_11, SOAP_12, XML_NS, media_type, version_of
from soapclient.soap.attachments import packed

_PARTS: Final = "multipart/related"
_INCLUDE: Final = "{http://www.w3.org/2004/08/xop/include}Include"
_ENCODINGS: Final = {
    SOAP_11: "http://schemas.xmlsoap.org/soap/encoding/",
    SOAP_12: "http://www.w3.org/2003/05/soap-encoding",
}
_ADDRESSING: Final = "http://www.w3.org/2005/08/addressing"
# Whoever sends these headers asks for more than a mock does, and may be answered without it.
_IGNORED: Final = frozenset(
    (
        _ADDRESSING,
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd",
    )
)
# Fault codes of SOAP 1.1 and what SOAP 1.2 calls them (SOAP 1.1 4.4.1, SOAP 1.2 part 1 5.4.6).
_CODES_12: Final = {"Client": "Sender", "Server": "Receiver"}
_CODES_11: Final = {new: old for old, new in _CODES_12.items()}


class Refused(Exception):
    """A request that gets a fault. `code` is that of SOAP 1.1: `Client`, `Server`, `VersionMismatch`,
    `MustUnderstand`, or one of the service's own; `detail` is what the fault holds."""

    def __init__(self, reason: str, code: str = "Client", detail: etree._Element | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code
        self.detail = detail


@dataclass(frozen=True)
class Incoming:
    """A request: its version of SOAP (the namespace), its action, the elements in header and body, and the
    attachments beside the envelope."""

    version: str
    action: str
    headers: tuple[etree._Element, ...]
    body: etree._Element
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True)
class Outgoing:
    """A response over HTTP. `fault` is the code of the fault in it, "" where there is none."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""


def read(request: Request, most: int, versions: Sequence[str]) -> Incoming:
    """Return a request of at most `most` bytes, in one of these versions of SOAP. Raises Refused."""
    try:
        content, kind, attachments = _parted(request, body_of(request, most))
        root = parse(content, None if kind == "multipart" else request.mimetype_params.get("charset"))
    except InvalidValue as refusal:
        raise Refused(refusal.reason) from None
    found = version_of(root)
    if found is None:
        raise Refused(f"the root is {root.tag!s}, not a SOAP 1.1 or 1.2 Envelope", "VersionMismatch")
    if found not in versions:
        said, wanted = ("1.2", "1.1") if found == SOAP_12 else ("1.1", "1.2")
        raise Refused(f"the envelope is of SOAP {said}, and this port takes SOAP {wanted}", "VersionMismatch")
    _include(root, {each.content_id: each for each in attachments}, most)
    body = root.find(f"{{{found}}}Body")
    if body is None:
        raise Refused("the envelope has no Body")
    headers = tuple(root.iterfind(f"{{{found}}}Header/*"))
    return Incoming(found, _action(request), headers, body, attachments)


def refuse_unknown(incoming: Incoming, known: Sequence[str]) -> None:
    """Raise Refused for a header that must be understood, and is none of the `known` tags."""
    key = f"{{{incoming.version}}}mustUnderstand"
    for node in incoming.headers:
        must = node.get(key) in ("1", "true")
        if must and str(node.tag) not in known and etree.QName(node).namespace not in _IGNORED:
            raise Refused(f"the header {node.tag!s} must be understood, and is not", "MustUnderstand")


def response(
    incoming: Incoming,
    content: Sequence[etree._Element],
    headers: Sequence[etree._Element] = (),
    *,
    encoded: bool = False,
    attachments: Sequence[Attachment] = (),
    action: str,
) -> Outgoing:
    """Return a response whose body has that content; `action` is that of WS-Addressing."""
    version = incoming.version
    if encoded and content:  # SOAP 1.2 (part 1, 5.1.1) has it on no envelope; it holds for all inside
        content[0].set(f"{{{version}}}encodingStyle", _ENCODINGS[version])
    body = _envelope(version, content, [*headers, *_addressing(incoming, action)])
    said = {"Content-Type": media_type(version)}
    if attachments:
        body, said = packed(body, said, attachments)
    return Outgoing(200, body, said)


def fault(version: str, refused: Refused, incoming: Incoming | None = None) -> Outgoing:
    """Return a fault, as the response to a request if that could be read.

    The HTTP status is 500, or 400 for a mistake of the sender over SOAP 1.2 (part 2, 7.5.2.2).
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
    """Return the headers of a response to a request with WS-Addressing: its action, and the request's id
    (WS-Addressing 1.0, 3.2 and 3.4)."""
    headers = [node for node in incoming.headers if str(node.tag).startswith(f"{{{_ADDRESSING}}}")]
    values = [("Action", action)] if headers else []
    values += [("RelatesTo", node.text or "") for node in headers if local_name(str(node.tag)) == "MessageID"]
    found = []
    for name, text in values:
        node = etree.Element(f"{{{_ADDRESSING}}}{name}", nsmap={"wsa": _ADDRESSING})
        node.text = text
        found.append(node)
    return found


def _action(request: Request) -> str:
    said = request.headers.get("SOAPAction") or request.mimetype_params.get("action") or ""
    return said.strip().strip('"')


def _parted(request: Request, body: bytes) -> tuple[bytes, str, tuple[Attachment, ...]]:
    """The envelope of a request, what it came in, and what came beside it. Raises Refused."""
    if request.mimetype != _PARTS:
        if request.mimetype not in MEDIA_TYPES:
            shown = request.mimetype[:60] or "missing"
            raise Refused(f"the content type must be text/xml or application/soap+xml, not {shown!r}")
        return body, "envelope", ()
    head = f"Content-Type: {request.content_type}\r\n\r\n".encode("latin-1", "replace")
    try:
        whole = message_from_bytes(head + body)
    except RecursionError:
        raise Refused("the parts nest too deep") from None
    parts = [part for part in whole.walk() if not part.is_multipart()]
    if not whole.is_multipart() or not parts:
        raise Refused("the request has no parts, as its content type says")
    found = [
        Attachment(
            bytes(part.get_payload(decode=True) or b""),
            part.get_content_type(),
            str(part.get("Content-ID", "")).strip("<>"),
        )
        for part in parts
    ]
    start = str(request.mimetype_params.get("start", "")).strip("<>")
    root = next((each for each in found if start and each.content_id == start), found[0])
    return root.content, "multipart", tuple(each for each in found if each is not root)


def _include(root: etree._Element, parts: Mapping[str, Attachment], most: int) -> None:
    """Put what XOP includes in its place, `most` bytes of all. Raises Refused for a part that is not there,
    and for more."""
    for node in list(root.iter(_INCLUDE)):
        content_id, parent = node.get("href", "").removeprefix("cid:"), node.getparent()
        if content_id not in parts or parent is None:
            raise Refused(f"{local_name(node.tag)}: there is no part {content_id[:80]!r}")
        most -= len(parts[content_id].content)  # a part may be included many times
        if most < 0:
            raise Refused("the parts that are included are too large together")
        parent.remove(node)
        parent.text = base64.b64encode(parts[content_id].content).decode()
