"""A request as an envelope, and the HTTP headers it goes with, in either version of SOAP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal
from urllib.parse import quote

from lxml import etree

from soapclient.errors import ContractError
from soapclient.runtime import EncodeError
from soapclient.runtime.errors import local_name
from soapclient.runtime.operations import Operation, ReplyT, RequestT, SoapHeader
from soapclient.services import encoded
from soapclient.soap.envelope import SOAP_11, SOAP_12

Version = Literal["1.1", "1.2"]
_ENCODINGS: Final[dict[Version, str]] = {
    "1.1": "http://schemas.xmlsoap.org/soap/encoding/",
    "1.2": "http://www.w3.org/2003/05/soap-encoding",
}
_STEPS = 5
_DEPTH = "a value that does not hold itself: look for one that is put into itself, or nest less"
# Of an action, what stands between quotes as it is: all visible ASCII but the quote and the backslash.
_AS_IT_IS = " !#$%&'()*+,/:;<=>?@[]^`{|}~"


def envelope(
    version: Version,
    operation: Operation[RequestT, ReplyT],
    request: RequestT,
    headers: Sequence[SoapHeader],
    types: encoded.PartTypes,
) -> etree._Element:
    """The envelope of a request. Raises ContractError where a value does not fit its field, or a required
    header is None. `types` are those that encoded parts say."""
    space = SOAP_12 if version == "1.2" else SOAP_11
    top = etree.Element(f"{{{space}}}Envelope", nsmap={"soap": space})
    try:
        if headers:
            head = etree.SubElement(top, f"{{{space}}}Header")
            for each in headers:
                each.write(head)
        node = etree.SubElement(top, f"{{{space}}}Body")
        name = local_name(operation.request_tag) or operation.name
        if operation.request_tag:
            node = etree.SubElement(node, operation.request_tag)
        if operation.encoded:  # it holds for all inside; SOAP 1.2 (part 1, 5.1.1) has it on no envelope
            styled = node if version == "1.2" else top
            styled.set(f"{{{space}}}encodingStyle", _ENCODINGS[version])
        operation.write_request(request, node, name)
        if operation.encoded:
            encoded.say_types(node, types.get(operation.request_tag, {}))
    except EncodeError as error:
        raise ContractError(
            error.path, error.value, error.allowed, error.reason, operation=operation.name
        ) from None
    except RecursionError:
        raise ContractError(
            _deepest(top), None, _DEPTH, "values stand too deep in each other", operation=operation.name
        ) from None
    return top


def _deepest(top: etree._Element) -> str:
    """The path to what was written last, of which the beginning says enough."""
    steps: list[str] = []
    node = top
    while len(node) and len(steps) < _STEPS + 2:
        node = node[-1]
        steps.append(local_name(node.tag))
    return "/".join(steps[1 : _STEPS + 1]) + "/…"


def http_headers(version: Version, action: str) -> dict[str, str]:
    """What says the action: a header of its own (SOAP 1.1 6.1.1), or a parameter (SOAP 1.2 part 2 6.5.3)."""
    said = quote(action, safe=_AS_IT_IS)
    if version == "1.2":
        parameter = f'; action="{said}"' if said else ""
        return {"Content-Type": f"application/soap+xml; charset=utf-8{parameter}"}
    return {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": f'"{said}"'}
