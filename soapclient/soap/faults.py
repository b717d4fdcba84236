"""Convert SOAP faults to errors, and decide if a fault proves that the request was not processed."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import msgspec
from lxml import etree

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.calling.outcome import code_refuses
from soapclient.errors import AuthenticationError, ServiceFault
from soapclient.runtime import CountingReader, DecodeError, FaultShape
from soapclient.runtime.errors import local_name
from soapclient.soap import envelope
from soapclient.soap.operations import TypedOperation
from soapclient.transport.dates import retry_after
from soapclient.transport.http import Response

_CALLER: Final = {"Client", "Sender"}  # codes of faults caused by the request, in SOAP 1.1 and 1.2
_CODE: Final = LazyPattern(r"[+-]?[0-9]{1,11}")
_LANGUAGE: Final = "{http://www.w3.org/XML/1998/namespace}lang"
_AUTHENTICATION: Final = frozenset({401, 403})
# Fault codes of refused credentials (SOAP 1.1, 4.4.1: Client.Authentication; WS-Security 1.1, 12).
_REFUSED_CREDENTIALS: Final = frozenset(
    {"Authentication", "FailedAuthentication", "InvalidSecurity", "InvalidSecurityToken", "FailedCheck"}
)
# Codes of errors that a SOAP node detects before it processes a message (SOAP 1.1, 4.4.1; SOAP 1.2 part 1,
# 2.6).
_BEFORE_PROCESSING: Final = frozenset({"VersionMismatch", "MustUnderstand"})


class SoapFault(msgspec.Struct, frozen=True):
    """The parts of a SOAP 1.1 or 1.2 fault: code and subcodes, text, and detail.

    `names` are the code and the subcodes in Clark notation. `codes` are the same names without namespaces.
    `details` are the child elements of the detail.
    """

    names: tuple[str, ...]
    text: str | None
    details: tuple[etree._Element, ...]

    @property
    def codes(self) -> tuple[str, ...]:
        """The code and the subcodes without namespaces."""
        return tuple(map(local_name, self.names))

    @property
    def blames_the_request(self) -> bool:
        """True if the code says that the request caused the fault (`Client` in SOAP 1.1, `Sender` in 1.2)."""
        return bool(self.codes) and self.codes[0].partition(".")[0] in _CALLER

    @property
    def refuses_credentials(self) -> bool:
        """True if the code or a subcode means that the service has refused the credentials."""
        return any(not _REFUSED_CREDENTIALS.isdisjoint(code.split(".")) for code in self.codes)

    @property
    def precedes_processing(self) -> bool:
        """True if the code or a subcode proves that the request was not processed.

        - Codes of WS-Security: the service checks a security header before it processes the body (WS-Security
          1.1, section 12).
        - VersionMismatch and MustUnderstand of SOAP. They are recognized without a namespace, too, because
          many services omit the prefix.
        """
        if any(name.startswith(f"{{{envelope.SECURITY}}}") for name in self.names):
            return True
        code = next(iter(self.names), "")
        return local_name(code) in _BEFORE_PROCESSING and (not code.startswith("{") or envelope.is_soap(code))


def read_fault(node: etree._Element) -> SoapFault:
    """Read a fault element (SOAP 1.1, section 4.4; SOAP 1.2 part 1, section 5.4)."""
    children = {local_name(child.tag): child for child in reversed(node)}
    code = children.get("faultcode", children.get("Code"))
    text = children.get("faultstring", children.get("Reason"))
    detail = children.get("detail", children.get("Detail"))
    return SoapFault(
        names=() if code is None else tuple(_codes(code)),
        text=None if text is None else _text(_preferred_text(text)) or None,
        details=() if detail is None else tuple(detail),
    )


def refuse(
    body: etree._Element, response: Response, operation: TypedOperation, reader: CountingReader
) -> None:
    """Raise ServiceFault if the body has a fault. Otherwise, raise UnexpectedResponse for an error status."""
    for node in body.iterchildren("*"):
        if envelope.is_fault(node):
            raise fault(node, response, operation, reader)
    if response.status >= 400:
        envelope.refuse_error_status(response, operation.name)


def fault(
    node: etree._Element, response: Response, operation: TypedOperation, reader: CountingReader
) -> ServiceFault:
    """Convert a fault of SOAP 1.1 or 1.2 to a ServiceFault, or to an AuthenticationError.

    The error's code is the first of these that applies:

    - The code in the fault detail, if the package's settings describe the detail (`fault_shape`).
    - The HTTP status, if it is an error status other than 500. SOAP 1.1 requires 500 for all faults.
    - 400 if the request caused the fault, otherwise 500.

    The error's detail is a typed value if the WSDL declares the element of the detail.
    """
    parts = read_fault(node)
    if operation.fault_shape is not None:
        return _by_table(node, parts, response, operation.fault_shape, operation, reader)
    status = response.status
    code = status if status >= 400 else 500
    if code == 500 and parts.blames_the_request:
        code = 400
    refused = status in _AUTHENTICATION or parts.refuses_credentials
    kind = AuthenticationError if refused else ServiceFault
    detail, note = _detail(operation, parts.details, reader)
    error = kind(
        code,
        parts.text or "",
        operation=operation.name,
        retry_after=retry_after(response.headers),
        status=status,
        fault_code="/".join(parts.codes) or None,
        detail=detail,
        detail_text="".join(_source(element) for element in parts.details) or None,
        not_processed=detail is not None or parts.precedes_processing,
        headers=_headers(node, operation, reader),
    )
    if note:
        error.add_note(note)
    return error


def _by_table(
    node: etree._Element,
    parts: SoapFault,
    response: Response,
    shape: FaultShape,
    operation: TypedOperation,
    reader: CountingReader,
) -> ServiceFault:
    reason = parts.text or ""
    code, error_id = 400 if parts.blames_the_request and response.status == 500 else response.status, None
    not_processed = parts.precedes_processing
    for element in node.iter():
        if local_name(element.tag) == shape.element:
            detail = {local_name(child.tag): _text(child) for child in element}
            own = detail.get(shape.code, "").strip()
            if _CODE.fullmatch(own):
                code = int(own)
                declared = element in parts.details and _declares(operation, str(element.tag))
                not_processed |= declared and code_refuses(code)
            reason = detail.get(shape.reason) or reason
            error_id = detail.get(shape.error_id)
            break
    refused = code in shape.authentication or response.status in _AUTHENTICATION or parts.refuses_credentials
    kind = AuthenticationError if refused else ServiceFault
    return kind(
        code,
        reason,
        error_id,
        operation.name,
        message=parts.text,
        retry_after=retry_after(response.headers),
        not_processed=not_processed,
        headers=_headers(node, operation, reader),
    )


def _declares(operation: TypedOperation, tag: str) -> bool:
    """Return True if the contract declares the element `tag` as a fault detail of the operation.

    Some contracts do not list the faults of each operation, because all operations share the same faults. In
    this case, all elements in the namespace of the response element count as declared.
    """
    if operation.faults:
        return tag in operation.faults
    return tag.rpartition("}")[0] == operation.response_tag.rpartition("}")[0]


def _detail(
    operation: TypedOperation, details: tuple[etree._Element, ...], reader: CountingReader
) -> tuple[object, str]:
    for element in details:
        part = operation.faults.get(str(element.tag))
        if part is not None:
            try:
                return part.read(element, reader), ""
            except (DecodeError, RecursionError) as error:
                return None, f"the fault's detail does not match the WSDL: {error}"
    return None, ""


def _headers(node: etree._Element, operation: TypedOperation, reader: CountingReader) -> dict[str, object]:
    """Return the typed values of the declared SOAP headers of a fault.

    Headers that cannot be decoded are left out.
    """
    envelope_node = next(node.iterancestors("{*}Envelope"), None)
    head = None if envelope_node is None else envelope_node.find("{*}Header")
    values: dict[str, object] = {}
    for tag, part in operation.fault_headers.items():
        with suppress(DecodeError, RecursionError):
            values |= envelope.read_head({tag: part}, head, reader)
    return values


def _codes(code: etree._Element) -> list[str]:
    """Return the code and the subcodes of a fault in Clark notation.

    If the prefix of a code is not declared, the code has no namespace. SOAP 1.1 has one code, whose parts are
    separated by dots. SOAP 1.2 has a Value and nested Subcodes.
    """
    values = [child for child in code.iter() if local_name(child.tag) == "Value"] or [code]
    return [_qualified(value) for value in values]


def _qualified(node: etree._Element) -> str:
    prefix, _, name = _text(node).rpartition(":")
    space = node.nsmap.get(prefix or None)
    return f"{{{space}}}{name}" if space else name


def _preferred_text(text: etree._Element) -> etree._Element:
    """Return the element of a fault's reason that contains the text to show.

    `text` is the element of the reason. In SOAP 1.2, it contains a Text element for each language: the first
    English one is returned, or else the first one. In SOAP 1.1, `text` itself is returned.
    """
    texts = [child for child in text if local_name(child.tag) == "Text"]
    english = [child for child in texts if child.get(_LANGUAGE, "").lower().startswith("en")]
    return next(iter(english or texts), text)


def _text(node: etree._Element) -> str:
    return " ".join("".join(map(str, node.itertext())).split())


def _source(node: etree._Element) -> str:
    return etree.tostring(node, encoding="unicode", with_tail=False)
