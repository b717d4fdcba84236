"""Opening a response: status, content type, envelope, fault; what is left is the element of the message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lxml import etree

from soapclient.runtime import CountingReader
from soapclient.runtime.errors import local_name
from soapclient.soap.faults import fault
from soapclient.transport.bodies import BrokenResponse, beginning, unexpected
from soapclient.transport.http import Response

if TYPE_CHECKING:
    from soapclient.soap.operations import TypedOperation

SOAP_11: Final = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_12: Final = "http://www.w3.org/2003/05/soap-envelope"
_SOAP: Final = (f"{{{SOAP_11}}}", f"{{{SOAP_12}}}")
_ENVELOPES: Final = {f"{space}Envelope" for space in _SOAP}
IN_PARTS: Final = "multipart/related"


def check_head(response: Response, operation: str) -> None:
    """Refuse what cannot hold an envelope, by status and content type. Raises UnexpectedResponse.

    A status of 401 or 403 without an envelope is an AuthenticationError. Faults come with 500 (SOAP 1.1 6.2).
    """
    kind = response.content_type
    xml = kind in {"", "text/xml", "application/xml", "application/soap+xml", IN_PARTS}
    if (xml or kind.endswith("+xml")) and not 300 <= response.status < 400:
        return
    redirect = 300 <= response.status < 400
    problem = "a redirect, which is never followed" if redirect else "a response that is no SOAP"
    raise unexpected(response, beginning(response), problem, operation, damaged=not redirect)


def parts(
    root: etree._Element, response: Response, operation: str
) -> tuple[etree._Element | None, etree._Element]:
    """Header and body of an envelope. Raises UnexpectedResponse or ResponseError for anything else."""
    if root.tag not in _ENVELOPES:
        if response.status >= 400:
            raise unexpected(response, etree.tostring(root), "an error without an envelope", operation)
        raise BrokenResponse("Envelope", root.tag, "a SOAP envelope", operation=operation)
    head = body = None
    for part in reversed(root):
        name = local_name(part.tag)
        if name == "Body":
            body = part
        elif name == "Header":
            head = part
    if body is None:
        raise BrokenResponse("Envelope/Body", None, "the response to this operation", operation=operation)
    return head, body


def refuse_fault(
    body: etree._Element, response: Response, operation: TypedOperation, reader: CountingReader
) -> None:
    """Raise ServiceFault for a fault, UnexpectedResponse for anything else that comes with an error
    status."""
    for node in body.iterchildren("*"):
        if is_fault(node):
            raise fault(node, response, operation, reader)
    refuse_error_status(response, operation.name)


def is_fault(node: etree._Element) -> bool:
    """Whether a child of a body is a fault."""
    return local_name(node.tag) == "Fault" and str(node.tag).startswith(_SOAP)


def message(body: etree._Element, operation: TypedOperation, reader: CountingReader) -> etree._Element:
    """The element that a response is read from: the body itself where its children are the message's parts.

    Raises BrokenResponse for the response of another operation.
    """
    if not operation.response_tag:
        return body
    children = body.iterchildren("*")
    node = next(children, None)
    if node is None:
        path = f"Envelope/Body/{local_name(operation.response_tag)}"
        raise BrokenResponse(path, None, "the response to this operation", operation=operation.name)
    for further in children:
        reader.unknown_element(further)
    if node.tag == operation.response_tag or node.tag in operation.response_members:
        return node
    if operation.style == "rpc":  # SOAP 1.1 7.1: the name of this element means nothing
        reader.unknown_element(node)
        return node
    said = f"the element {operation.response_tag}"
    raise BrokenResponse("Envelope/Body", str(node.tag), said, operation=operation.name)


def refuse_error_status(response: Response, operation: str) -> None:
    """What comes with an error status is a fault, or it is not believed. Raises UnexpectedResponse."""
    if response.status >= 400:
        raise unexpected(
            response, b"", f"status {response.status} with a response that is no fault", operation
        )


def stands_in_body(node: etree._Element) -> bool:
    """Whether an element is a child of a SOAP body."""
    body = node.getparent()
    top = None if body is None else body.getparent()
    return body is not None and top is not None and top.tag in _ENVELOPES and local_name(body.tag) == "Body"
