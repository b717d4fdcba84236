"""Opening an answer: status, content type, envelope, fault; what is left is the reply element."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lxml import etree

from soapclient.errors import AuthenticationError, ServiceFault
from soapclient.runtime import FaultShape
from soapclient.runtime.errors import local_name
from soapclient.transport.bodies import BrokenReply, beginning, unexpected
from soapclient.transport.dates import retry_after
from soapclient.transport.http import Reply

SOAP_11: Final = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_12: Final = "http://www.w3.org/2003/05/soap-envelope"
_ENVELOPES = {f"{{{SOAP_11}}}Envelope", f"{{{SOAP_12}}}Envelope"}
_CALLER = {"Client", "Sender"}  # whose mistake a fault was, in SOAP 1.1 and 1.2
_CODE = re.compile(r"[+-]?[0-9]{1,11}")
# The envelope is one part of several (SOAP Messages with Attachments; XOP 1.0).
_IN_PARTS: Final = (
    "an answer in several parts (MTOM, or SOAP with attachments), which is not read here",
    "Have the service send one XML document: switch MTOM and attachments off there, or ask its operators to.",
)
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True, slots=True)
class Said:
    """What a SOAP fault says in either version: code and subcodes without prefixes, text, and detail."""

    codes: tuple[str, ...]
    text: str | None
    details: tuple[etree._Element, ...]

    @property
    def blames_the_request(self) -> bool:
        return bool(self.codes) and self.codes[0].partition(".")[0] in _CALLER


def check_head(reply: Reply, operation: str) -> None:
    """Refuse what cannot hold an envelope, by status and content type. Raises UnexpectedReply.

    A status of 401 or 403 without an envelope is an AuthenticationError. Faults come with 500 (SOAP 1.1 6.2).
    """
    kind = reply.content_type
    xml = kind in {"", "text/xml", "application/xml", "application/soap+xml"} or kind.endswith("+xml")
    if xml and not 300 <= reply.status < 400:
        return
    advice, damaged = None, False
    if 300 <= reply.status < 400:
        problem = "a redirect, which is never followed"
    elif kind.startswith("multipart/"):
        problem, advice = _IN_PARTS
    else:
        problem, damaged = "a response that is no SOAP", True
    raise unexpected(reply, beginning(reply), problem, operation, advice, damaged=damaged)


def parts(root: etree._Element, reply: Reply, operation: str) -> tuple[etree._Element | None, etree._Element]:
    """Header and body of an envelope. Raises UnexpectedReply or ReplyError for anything else."""
    _refuse_other(root, reply, operation)
    named = {local_name(part.tag): part for part in reversed(root)}
    if "Body" not in named:
        raise BrokenReply("Envelope/Body", None, "the answer to this operation", operation=operation)
    return named.get("Header"), named["Body"]


def message(
    root: etree._Element, reply: Reply, expected: str, shape: FaultShape | None, operation: str
) -> etree._Element:
    """The reply element of an envelope. Raises ServiceFault for a fault, ReplyError for anything else."""
    _refuse_other(root, reply, operation)
    for part in root:
        if local_name(part.tag) == "Body":
            for child in part:
                if child.tag == expected:
                    refuse_error_status(reply, operation)
                    return child
                if local_name(child.tag) == "Fault":
                    raise fault(child, reply, shape, operation)
                raise BrokenReply("Envelope/Body", child.tag, f"the element {expected}", operation=operation)
    path = f"Envelope/Body/{local_name(expected)}"
    raise BrokenReply(path, None, "the answer to this operation", operation=operation)


def _refuse_other(root: etree._Element, reply: Reply, operation: str) -> None:
    if root.tag not in _ENVELOPES:
        if reply.status >= 400:
            raise unexpected(reply, etree.tostring(root), "an error without an envelope", operation)
        raise BrokenReply("Envelope", root.tag, "a SOAP envelope", operation=operation)


def refuse_error_status(reply: Reply, operation: str) -> None:
    """What comes with an error status is a fault, or it is not believed. Raises UnexpectedReply."""
    if reply.status >= 400:
        raise unexpected(reply, b"", f"status {reply.status} with a reply that is no fault", operation)


def stands_in_body(reply: etree._Element) -> bool:
    """Whether a reply element is a child of a SOAP body."""
    body = reply.getparent()
    top = None if body is None else body.getparent()
    return body is not None and top is not None and top.tag in _ENVELOPES and local_name(body.tag) == "Body"


def said(node: etree._Element) -> Said:
    """What a fault element says (SOAP 1.1 4.4, SOAP 1.2 part 1 5.4)."""
    children = {local_name(child.tag): child for child in reversed(node)}
    code = children.get("faultcode", children.get("Code"))
    text = children.get("faultstring", children.get("Reason"))
    detail = children.get("detail", children.get("Detail"))
    return Said(
        codes=() if code is None else tuple(_codes(code)),
        text=None if text is None else _text(_best(text)) or None,
        details=() if detail is None else tuple(detail),
    )


def fault(node: etree._Element, reply: Reply, shape: FaultShape | None, operation: str) -> ServiceFault:
    """A SOAP 1.1 or 1.2 fault as the error it means; its detail by the contract's table, if there is one.

    Without a code of the service's own it is the HTTP status, but for a fault that blames the request: that
    is 400, whatever the status, for SOAP 1.1 wants 500 for all faults.
    """
    whole = said(node)
    reason = whole.text or ""
    code, error_id = 400 if whole.blames_the_request and reply.status == 500 else reply.status, None
    for element in node.iter():
        if shape is not None and local_name(element.tag) == shape.element:
            detail = {local_name(child.tag): _text(child) for child in element}
            own = detail.get(shape.code, "").strip()
            code = int(own) if _CODE.fullmatch(own) else code
            reason = detail.get(shape.reason) or reason
            error_id = detail.get(shape.error_id)
            break
    authentication = shape.authentication if shape is not None else frozenset({401, 403})
    refused = code in authentication or reply.status in {401, 403}
    kind = AuthenticationError if refused else ServiceFault
    return kind(code, reason, error_id, operation, message=whole.text, retry_after=retry_after(reply.headers))


def _codes(code: etree._Element) -> list[str]:
    """SOAP 1.1 has one code, whose parts are parted by dots; SOAP 1.2 has a Value and Subcodes inside."""
    found = [child for child in code.iter() if local_name(child.tag) == "Value"] or [code]
    return [_text(each).rpartition(":")[2] for each in found]


def _best(text: etree._Element) -> etree._Element:
    """SOAP 1.2 may say the reason in several languages: English where there is any, else the first."""
    texts = [child for child in text if local_name(child.tag) == "Text"]
    english = [child for child in texts if child.get(_LANGUAGE, "").lower().startswith("en")]
    return next(iter(english or texts), text)


def _text(node: etree._Element) -> str:
    return " ".join("".join(map(str, node.itertext())).split())
