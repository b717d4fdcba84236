"""Opening an answer: status, content type, envelope, fault; what is left is the reply element."""

from __future__ import annotations

import re

from lxml import etree

from soapclient.bodies import BrokenReply, beginning, unexpected
from soapclient.dates import retry_after
from soapclient.errors import AuthenticationError, ServiceFault
from soapclient.http import Reply
from zxws._runtime import FaultShape
from zxws._runtime.errors import local_name

_ENVELOPES = {
    "{http://schemas.xmlsoap.org/soap/envelope/}Envelope",
    "{http://www.w3.org/2003/05/soap-envelope}Envelope",
}
_CALLER = {"Client", "Sender"}  # whose mistake a fault was, in SOAP 1.1 and 1.2
_CODE = re.compile(r"[+-]?[0-9]{1,11}")


def check_head(reply: Reply, operation: str) -> None:
    """Refuse what cannot hold an envelope, by status and content type. Raises UnexpectedReply.

    A status of 401 or 403 without an envelope is an AuthenticationError. Faults come with 500 (SOAP 1.1 6.2).
    """
    kind = reply.content_type
    xml = kind in {"", "text/xml", "application/xml", "application/soap+xml"} or kind.endswith("+xml")
    if xml and not 300 <= reply.status < 400:
        return
    problem = (
        "a redirect, which is never followed" if 300 <= reply.status < 400 else "an answer that is no SOAP"
    )
    raise unexpected(reply, beginning(reply), problem, operation)


def message(
    root: etree._Element, reply: Reply, expected: str, shape: FaultShape | None, operation: str
) -> etree._Element:
    """The reply element of an envelope. Raises ServiceFault for a fault, ReplyError for anything else."""
    if root.tag not in _ENVELOPES:
        if reply.status >= 400:
            raise unexpected(reply, etree.tostring(root), "an error without an envelope", operation)
        raise BrokenReply("Envelope", root.tag, "a SOAP envelope", operation=operation)
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


def refuse_error_status(reply: Reply, operation: str) -> None:
    """What comes with an error status is a fault, or it is not believed. Raises UnexpectedReply."""
    if reply.status >= 400:
        raise unexpected(reply, b"", f"status {reply.status} with a reply that is no fault", operation)


def stands_in_body(reply: etree._Element) -> bool:
    """Whether a reply element is a child of a SOAP body."""
    body = reply.getparent()
    top = None if body is None else body.getparent()
    return body is not None and top is not None and top.tag in _ENVELOPES and local_name(body.tag) == "Body"


def fault(node: etree._Element, reply: Reply, shape: FaultShape | None, operation: str) -> ServiceFault:
    """A SOAP 1.1 or 1.2 fault as the error it means; its detail by the contract's table, if there is one.

    Without a code of the service's own it is the HTTP status, but for a fault that blames the request: that
    is 400, whatever the status, for SOAP 1.1 wants 500 for all faults.
    """
    texts = {local_name(child.tag): _text(child) for child in node}
    reason = texts.get("faultstring") or texts.get("Reason") or ""
    blamed = (texts.get("faultcode") or texts.get("Code") or "").rpartition(":")[2].partition(".")[0]
    code, error_id = 400 if blamed in _CALLER and reply.status == 500 else reply.status, None
    for element in node.iter():
        if shape is not None and local_name(element.tag) == shape.element:
            detail = {local_name(child.tag): _text(child) for child in element}
            said = detail.get(shape.code, "").strip()
            code = int(said) if _CODE.fullmatch(said) else code
            reason = detail.get(shape.reason) or reason
            error_id = detail.get(shape.error_id)
            break
    authentication = shape.authentication if shape is not None else frozenset({401, 403})
    refused = code in authentication or reply.status in {401, 403}
    kind = AuthenticationError if refused else ServiceFault
    message = texts.get("faultstring") or texts.get("Reason")
    return kind(code, reason, error_id, operation, message=message, retry_after=retry_after(reply.headers))


def _text(node: etree._Element) -> str:
    return " ".join("".join(map(str, node.itertext())).split())
