"""Envelopes of SOAP 1.1 and 1.2: HTTP headers, SOAP headers, and checks of received envelopes.

The SOAP headers of a request are typed values, lxml elements, or a dict of these by the names of their
message parts. In a response, only the headers that the contract declares are read.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal
from urllib.parse import quote

from lxml import etree

from soapclient._support.redaction import shown
from soapclient.errors import BrokenResponse, ContractError, MisplacedResponse
from soapclient.runtime import CountingReader
from soapclient.runtime.errors import local_name
from soapclient.runtime.operations import Part, SoapHeader
from soapclient.transport.bodies import beginning, refuse_partial, unexpected
from soapclient.transport.http import Response

Version = Literal["1.1", "1.2"]
SOAP_11: Final = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_12: Final = "http://www.w3.org/2003/05/soap-envelope"
IN_PARTS: Final = "multipart/related"
_SOAP: Final = (f"{{{SOAP_11}}}", f"{{{SOAP_12}}}")
_ENVELOPES: Final = {f"{space}Envelope" for space in _SOAP}
ADDRESSING: Final = "http://www.w3.org/2005/08/addressing"
SECURITY: Final = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
# Roles of the receiver of a response (SOAP 1.1, 4.2.2; SOAP 1.2 part 1, 2.2); empty: the ultimate receiver.
_RECEIVER_ROLES: Final = frozenset(
    {
        "",
        "http://schemas.xmlsoap.org/soap/actor/next",
        f"{SOAP_12}/role/next",
        f"{SOAP_12}/role/ultimateReceiver",
    }
)
_REPLY: Final = f"{ADDRESSING}/reply"
_UNSPECIFIED: Final = f"{ADDRESSING}/unspecified"
_FORMS: Final = "typed values, lxml elements, or a dict by the names of the declared headers"
# Characters of an action that are not percent-encoded: all visible ASCII except the quote and the backslash.
_UNQUOTED: Final = " !#$%&'()*+,/:;<=>?@[]^`{|}~"

Header = SoapHeader | etree._Element


def http_headers(version: Version, action: str, *, binary: bool = False) -> dict[str, str]:
    """Return the HTTP headers of a request.

    The action is sent as the header SOAPAction (SOAP 1.1, 6.1.1) or as a parameter of Content-Type (SOAP 1.2
    part 2, 6.5.3). If `binary` is True, the response can contain binary data. The header Accept then allows
    attachments (MTOM), because some SOAP stacks, such as Metro, otherwise do not send attachments.
    """
    quoted = quote(action, safe=_UNQUOTED)
    kind = "application/soap+xml" if version == "1.2" else "text/xml"
    accept = {"Accept": f"{kind}, multipart/related, application/xop+xml, */*;q=0.5"} if binary else {}
    if version == "1.2":
        parameter = f'; action="{quoted}"' if quoted else ""
        return {"Content-Type": f"application/soap+xml; charset=utf-8{parameter}", **accept}
    return {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": f'"{quoted}"', **accept}


# ---- the head


def headers_of(operation: str, parts: Mapping[str, Part], given: object) -> list[Header]:
    """Return the list of SOAP headers to send.

    `given` are the caller's headers: a list of typed values and lxml elements, or a dict by the names of the
    message parts, as in zeep's `_soapheaders`. `parts` are the headers that the operation declares, by tag.

    Raises ContractError if `given` has another form, or if the operation does not declare a header. lxml
    elements are sent even if they are not declared.
    """
    if not given:
        return []
    if isinstance(given, Mapping):
        return [_named(operation, parts, str(name), value) for name, value in given.items()]
    if isinstance(given, str | bytes | etree._Element) or not isinstance(given, Iterable):
        raise ContractError("_soapheaders", given, _FORMS, "not a list or dict", operation=operation)
    result: list[Header] = []
    for header in given:
        if isinstance(header, SoapHeader):
            result += _at_port(operation, parts, header)
        elif isinstance(header, etree._Element):
            result.append(header)
        elif isinstance(header, Mapping):  # a list can join default headers and headers of the call
            result += headers_of(operation, parts, header)
        else:
            part = next((part for part in parts.values() if type(header) is part.kind), None)
            if part is None:
                reason = f"{operation} does not declare a header of this type"
                raise ContractError("_soapheaders", header, _FORMS, reason, operation=operation)
            result.append(SoapHeader(part, header))
    return result


def _at_port(operation: str, parts: Mapping[str, Part], header: SoapHeader) -> list[SoapHeader]:
    """Return a list with the header as the called port declares it. Other ports may declare it differently.

    The list is empty if the header is omitted: its value is None, and the port does not require it. `parts`
    are the headers that the called port declares, by tag. Raises ContractError if the header has a value, but
    the port does not declare the header.
    """
    part = parts.get(header.part.tag)
    if header.value is None and (part is None or not part.required):
        return []
    if part is None:
        reason = "this port does not declare the header. Omit it, or connect to another port"
        raise ContractError(header.part.name, None, "", reason, operation=operation)
    return [SoapHeader(part, header.value)]


def _named(operation: str, parts: Mapping[str, Part], name: str, value: object) -> Header:
    if isinstance(value, etree._Element):
        return value
    by_name = {part.name: part for part in parts.values()}
    if name not in by_name:
        allowed = (
            f"one of: {', '.join(by_name)}"
            if by_name
            else "none, because the operation does not declare headers"
        )
        raise ContractError("_soapheaders", shown(name), allowed, "unknown header", operation=operation)
    return SoapHeader(by_name[name], value)


def write_head(envelope: etree._Element, space: str, headers: Sequence[Header]) -> etree._Element:
    """Append a Header element to an envelope and return it. `space` is the SOAP namespace.

    Raises EncodeError if a required header is None.
    """
    head = etree.SubElement(envelope, f"{{{space}}}Header")
    for header in headers:
        if isinstance(header, SoapHeader):
            header.write(head)
        else:
            head.append(copy.deepcopy(header))
    return head


def read_head(
    parts: Mapping[str, Part], head: etree._Element | None, reader: CountingReader
) -> dict[str, object]:
    """Return the values of the declared headers in `head`, the Header element of a response.

    The keys are the names of the message parts. `parts` are the declared headers, by tag. Raises DecodeError
    if a header is invalid.
    """
    values: dict[str, object] = {}
    for node in () if head is None else head.iterchildren("*"):
        part = parts.get(str(node.tag))
        if part is not None:
            for key in [key for key in map(str, node.keys()) if key.startswith(_SOAP)]:
                del node.attrib[key]  # attributes of SOAP are not part of the value
            values[part.name] = part.read(node, reader)
    return values


def require_understood(
    head: etree._Element | None, understands: Callable[[str], bool], operation: str
) -> None:
    """Check the mandatory headers of a response (SOAP 1.1, 4.2.3; SOAP 1.2 part 1, 2.4).

    Raises BrokenResponse if a header with mustUnderstand is addressed to this client, and `understands`
    returns False for its tag. Such a response must not be processed, although the service may have processed
    the request.
    """
    for node in () if head is None else head.iterchildren("*"):
        tag = str(node.tag)
        if _is_mandatory(node) and not understands(tag):
            name = f"Envelope/Header/{local_name(tag)}"
            expected = 'headers with mustUnderstand="1" only if the contract declares them'
            error = BrokenResponse(name, tag, expected, operation=operation)
            error.damaged = False  # a retry would get the same response
            raise error


def _is_mandatory(node: etree._Element) -> bool:
    """Return True if a SOAP header has mustUnderstand and is addressed to the client."""
    own = {local_name(key): value.strip() for key, value in node.items() if str(key).startswith(_SOAP)}
    role = own.get("actor", own.get("role", ""))
    return own.get("mustUnderstand") in {"1", "true"} and role in _RECEIVER_ROLES


# ---- WS-Addressing


def message_ids(root: etree._Element) -> frozenset[str]:
    """Return the WS-Addressing MessageIDs of a request. There are several if plugins have added some."""
    nodes = root.iterfind(f"{{*}}Header/{{{ADDRESSING}}}MessageID")
    return frozenset((node.text or "").strip() for node in nodes)


def check_relation(head: etree._Element | None, sent: frozenset[str], operation: str) -> None:
    """Raise MisplacedResponse if a response belongs to another request, according to its header RelatesTo.

    `sent` are the MessageIDs of the request. RelatesTo must have one of them. A response without RelatesTo is
    also accepted, and so is the URI for an unspecified message, which some faults have (WS-Addressing 1.0
    core, section 3.4).
    """
    if head is None or not sent:
        return
    related = head.findall(f"{{{ADDRESSING}}}RelatesTo")
    replies = {
        (node.text or "").strip() for node in related if node.get("RelationshipType", _REPLY) == _REPLY
    }
    if replies and replies.isdisjoint(sent | {_UNSPECIFIED}):
        expected = f"{', '.join(sorted(sent))}, the MessageID of the request"
        raise MisplacedResponse("Header/RelatesTo", replies.pop(), expected, operation=operation)


# ---- responses


def check_head(response: Response, operation: str) -> None:
    """Check, by status and content type, that a response can contain an envelope and is not a redirect.

    If the check fails, raises AuthenticationError for status 401 or 403, and UnexpectedResponse for any other
    status. An error status alone is accepted, because faults have status 500 (SOAP 1.1, section 6.2).
    """
    refuse_partial(response, operation)
    kind = response.content_type
    xml = kind in {"", "text/xml", "application/xml", "application/soap+xml", IN_PARTS}
    if (xml or kind.endswith("+xml")) and not 300 <= response.status < 400:
        return
    redirect = 300 <= response.status < 400
    problem = "a redirect, which is not followed" if redirect else "a response that is not SOAP"
    raise unexpected(response, beginning(response), problem, operation, damaged=not redirect)


def is_usual(response: Response) -> bool:
    """Return True if a response has status 200, and the charset in its content type is UTF-8 or missing."""
    parameters = response.headers.get("Content-Type", "").lower().split(";")[1:]
    pairs = (parameter.partition("=") for parameter in parameters)
    charsets = [value.strip(" \"'") for name, _, value in pairs if name.strip() == "charset"]
    return response.status == 200 and all(charset == "utf-8" for charset in charsets)


def parts(
    root: etree._Element,
    response: Response,
    operation: str,
    reader: CountingReader,
    items_returned: int | None = None,
) -> tuple[etree._Element | None, etree._Element]:
    """Return the Header element (or None) and the Body element of an envelope.

    Other elements, and text between elements, are reported to `reader` as drift findings. `items_returned` is
    the number of items that a stream has already returned, for error messages.

    If the response is not an envelope, raises UnexpectedResponse for an error status, and BrokenResponse for
    any other status. Also raises BrokenResponse if the envelope does not have exactly one body, after at most
    one header (SOAP 1.1, 4.1.1; SOAP 1.2 part 1, 5.1).
    """
    if root.tag not in _ENVELOPES:
        if response.status >= 400:
            raise unexpected(response, etree.tostring(root), "an error without a SOAP envelope", operation)
        error = BrokenResponse("Envelope", root.tag, "a SOAP envelope", operation=operation)
        error.damaged = local_name(root.tag) != "Envelope"  # a retry would get the same version of SOAP
        raise error
    head: etree._Element | None = None
    body: etree._Element | None = None
    for part in root:
        name = str(part.tag).rpartition("}")[2]
        if name == "Header" and (head is not None or body is not None):
            expected = "at most one header, before the body"
            raise BrokenResponse(f"Envelope/{name}", part.tag, expected, items_returned, operation=operation)
        if name == "Body" and body is not None:
            raise BrokenResponse(
                f"Envelope/{name}[2]", part.tag, "one body", items_returned, operation=operation
            )
        if name == "Body":
            body = part
        elif name == "Header":
            head = part
        else:
            reader.unknown_element(part)
    if body is None:
        raise BrokenResponse("Envelope/Body", None, "the response to this operation", operation=operation)
    for element, path in ((root, "Envelope"), (head, "Envelope/Header"), (body, "Envelope/Body")):
        if element is not None and (text := _text_between(element)):
            reader.text_between(path, text)
    return head, body


def _text_between(node: etree._Element) -> str:
    """Return the text between the children of an element that may contain only elements."""
    texts = [node.text]
    for child in node:
        texts.append(child.tail)
    return " ".join(filter(None, texts)).strip() if any(texts) else ""


def is_fault(node: etree._Element) -> bool:
    """Return True if an element in a body is a SOAP fault."""
    tag = str(node.tag)
    return tag.endswith("}Fault") and tag.startswith(_SOAP)


def fault_of(root: etree._Element) -> etree._Element | None:
    """Return the fault in the body of an envelope; None if there is none."""
    return next(filter(is_fault, root.iterfind("{*}Body/*")), None)


def is_soap(tag: str) -> bool:
    """Return True if a tag in Clark notation is in the namespace of SOAP 1.1 or 1.2."""
    return tag.startswith(_SOAP)


def refuse_error_status(response: Response, operation: str) -> None:
    """Raise UnexpectedResponse if a response without a fault has an error status."""
    if response.status >= 400:
        raise unexpected(response, b"", "an error response that is not a fault", operation)


def stands_in_body(node: etree._Element) -> bool:
    """Return True if the parent of an element is a SOAP body."""
    body = node.getparent()
    top = None if body is None else body.getparent()
    return body is not None and top is not None and top.tag in _ENVELOPES and local_name(body.tag) == "Body"
