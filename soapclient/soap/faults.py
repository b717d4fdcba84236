"""A SOAP fault as the error it means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lxml import etree

from soapclient.errors import AuthenticationError, ServiceFault
from soapclient.runtime import CountingReader, DecodeError, FaultShape
from soapclient.runtime.errors import local_name
from soapclient.soap import envelope
from soapclient.soap.operations import TypedOperation
from soapclient.transport.dates import retry_after
from soapclient.transport.http import Response

_CALLER: Final = {"Client", "Sender"}  # whose mistake a fault was, in SOAP 1.1 and 1.2
_CODE: Final = re.compile(r"[+-]?[0-9]{1,11}")
_LANGUAGE: Final = "{http://www.w3.org/XML/1998/namespace}lang"
_AUTHENTICATION: Final = frozenset({401, 403})
# Fault codes that say the caller is not let in (WS-Security 1.1, 12).
_NOT_LET_IN: Final = frozenset(
    {"FailedAuthentication", "InvalidSecurity", "InvalidSecurityToken", "FailedCheck"}
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a SOAP fault says in either version: code and subcodes without prefixes, text, and detail."""

    codes: tuple[str, ...]
    text: str | None
    details: tuple[etree._Element, ...]

    @property
    def blames_the_request(self) -> bool:
        return bool(self.codes) and self.codes[0].partition(".")[0] in _CALLER


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


def refuse(
    body: etree._Element, response: Response, operation: TypedOperation, reader: CountingReader
) -> None:
    """Raise ServiceFault for a fault, UnexpectedResponse for anything else that comes with an error
    status."""
    for node in body.iterchildren("*"):
        if envelope.is_fault(node):
            raise fault(node, response, operation, reader)
    envelope.refuse_error_status(response, operation.name)


def fault(
    node: etree._Element, response: Response, operation: TypedOperation, reader: CountingReader
) -> ServiceFault:
    """A SOAP 1.1 or 1.2 fault as the error it means.

    Its code is that of the contract's own detail where there is a table of it. Else it is the HTTP status,
    but for a fault that blames the request: that is 400, for SOAP 1.1 wants the status 500 for all faults.
    The detail is typed where the WSDL declares its element.
    """
    whole = said(node)
    if operation.fault_shape is not None:
        return _by_table(node, whole, response, operation.fault_shape, operation.name)
    status = response.status
    code = status if status >= 400 else 500
    if code == 500 and whole.blames_the_request:
        code = 400
    refused = status in _AUTHENTICATION or not _NOT_LET_IN.isdisjoint(whole.codes)
    kind = AuthenticationError if refused else ServiceFault
    detail, note = _detail(operation, whole.details, reader)
    error = kind(
        code,
        whole.text or "",
        operation=operation.name,
        retry_after=retry_after(response.headers),
        status=status,
        fault_code="/".join(whole.codes) or None,
        detail=detail,
        detail_text="".join(_source(each) for each in whole.details) or None,
    )
    if note:
        error.add_note(note)
    return error


def _by_table(
    node: etree._Element, whole: Said, response: Response, shape: FaultShape, operation: str
) -> ServiceFault:
    reason = whole.text or ""
    code, error_id = 400 if whole.blames_the_request and response.status == 500 else response.status, None
    for element in node.iter():
        if local_name(element.tag) == shape.element:
            detail = {local_name(child.tag): _text(child) for child in element}
            own = detail.get(shape.code, "").strip()
            code = int(own) if _CODE.fullmatch(own) else code
            reason = detail.get(shape.reason) or reason
            error_id = detail.get(shape.error_id)
            break
    refused = code in shape.authentication or response.status in _AUTHENTICATION
    kind = AuthenticationError if refused else ServiceFault
    return kind(
        code, reason, error_id, operation, message=whole.text, retry_after=retry_after(response.headers)
    )


def _detail(
    operation: TypedOperation, details: tuple[etree._Element, ...], reader: CountingReader
) -> tuple[object, str]:
    for each in details:
        part = operation.faults.get(str(each.tag))
        if part is not None:
            try:
                return part.read(each, reader), ""
            except (DecodeError, RecursionError) as error:
                return None, f"the fault's detail cannot be read as the WSDL says: {error}"
    return None, ""


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


def _source(node: etree._Element) -> str:
    return etree.tostring(node, encoding="unicode", with_tail=False)
