"""SOAP 1.1 and 1.2: find the operation for an envelope, and return its response or error as an envelope."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import uuid4

from lxml import etree
from werkzeug.wrappers import Request, Response

from soapclient.serving.bodies import body_of, parse
from soapclient.serving.faults import printable
from soapclient.serving.soap import MEDIA_TYPES, SOAP_11, XML_NS, media_type, version_of

from . import codec
from .auth import Verifier
from .contracts import Contract, Operation
from .data.store import Store
from .exports.jobs import Jobs
from .exports.reports import REMOVED_FIELDS
from .faults import Busy, Code, InvalidValue
from .operations import Call
from .payload import Fields
from .requests import Signed, body_claim, header_claim
from .rules import LogAndRules, log_claims, log_refusal

log = logging.getLogger("soapclient.sandbox")


class SoapProtocol:
    """Responds to SOAP requests (POST) of all contracts."""

    def __init__(
        self, verifier: Verifier, store: Store, jobs: Jobs, max_body: int, switches: LogAndRules
    ) -> None:
        self._switches = switches
        self._verifier = verifier
        self._store = store
        self._jobs = jobs
        self._max_body = max_body

    def respond(self, contract: Contract, request: Request) -> Response:
        """Return the response to a SOAP request: an envelope with the result or a fault.

        Unexpected exceptions are logged and become faults, too. A scripted HTTP 503 is plain text instead, as
        from a proxy in front of a service.
        """
        version = MEDIA_TYPES.get(request.mimetype, SOAP_11)
        try:
            root = self._read(request)
            version = version_of(root) or version
            message = read_message(root)
            content = self._call(contract, message.body, request)
            return Response(wrap(version, content), 200, content_type=media_type(version))
        except Busy as busy:  # not a fault, but a response like one from a proxy
            return Response(busy.reason, int(busy.code), busy.headers, content_type="text/plain")
        except InvalidValue as refusal:
            log_refusal(request, refusal)
            return self._fault(contract, version, refusal)
        except Exception:
            log.exception("the sandbox failed on a %s request", contract.name)
            return self._fault(
                contract, version, InvalidValue(Code.INTERNAL, "the sandbox failed; see its log")
            )

    def _read(self, request: Request) -> etree._Element:
        if request.mimetype not in MEDIA_TYPES:
            actual = repr(request.mimetype[:60]) if request.mimetype else "missing"
            raise InvalidValue(Code.MEDIA_TYPE, f"the content type must be text/xml, but it is {actual}")
        body = body_of(request, self._max_body)
        return parse(body, request.mimetype_params.get("charset"))

    def _call(self, contract: Contract, body: etree._Element, request: Request) -> etree._Element:
        operation = self._operation(contract, body)
        self._check_action(operation, request)
        try:
            contract.check_request(body)
        except InvalidValue as refusal:
            raise _explain(refusal, body) from None
        fields = Fields(codec.decode(contract, body))
        # The signed path is "/" because nothing of the endpoint's path is left after the format and version
        # segments (assumed, `docs/explanation/service.md#signing`).
        claims = (
            body_claim(fields, contract.service_name, operation.name),
            header_claim(request, Signed(("POST",), "/")),
        )
        present = [claim for claim in claims if claim is not None]
        log_claims(request, present)
        connect_id = self._verifier.verify(present, signed=operation.signed)
        rest_url = f"{request.host_url}xml/{contract.version}"
        call = Call(fields, connect_id, self._store, self._jobs, rest_url, now=self._verifier.now())
        handler = self._switches.handler(request, contract, contract.name, operation.name, call)
        if handler is None:
            raise InvalidValue(
                Code.NOT_IMPLEMENTED, f"{operation.name} is not implemented in this sandbox yet"
            )
        payload = handler(call)
        element = codec.encode(contract, operation.response, payload)
        if errors := contract.errors(element):
            log.error(
                "%s: the sandbox's own response breaks the contract: %s",
                operation.name,
                "; ".join(errors[:5]),
            )
            raise InvalidValue(
                Code.OWN_RESPONSE,
                f"the sandbox's own response to {operation.name} breaks the contract: {errors[0]}",
            )
        return self._switches.apply_drift(request, contract, element)

    @staticmethod
    def _operation(contract: Contract, body: etree._Element) -> Operation:
        tag = str(body.tag)
        operation = contract.by_request.get(tag)
        if operation is not None:
            return operation
        local = etree.QName(body).localname
        meant = contract.operations.get(local.removesuffix("Request"))
        if meant is not None and local == meant.name:
            raise InvalidValue(
                Code.MALFORMED,
                f"the body is in RPC style; this service is document/literal: send {meant.request}",
            )
        if meant is not None:
            raise InvalidValue(
                Code.UNKNOWN_OPERATION, f"{tag} has the wrong namespace; expected {meant.request}"
            )
        raise InvalidValue(
            Code.UNKNOWN_OPERATION, f"{tag[:200]} is not a request of the {contract.name} interface"
        )

    @staticmethod
    def _check_action(operation: Operation, request: Request) -> None:
        sent = request.headers.get("SOAPAction") or request.mimetype_params.get("action") or ""
        sent = sent.strip().strip('"')
        if sent not in ("", operation.action):
            raise InvalidValue(
                Code.SOAP_ACTION,
                f"SOAPAction {sent[:120]!r} does not match {operation.name}; it must be {operation.action!r}",
            )

    def _fault(self, contract: Contract, version: str, refusal: InvalidValue) -> Response:
        error: Mapping[str, str | int] = {
            "code": int(refusal.code),
            "reason": printable(refusal.reason),
            "errorId": uuid4().hex,
        }
        detail = codec.encode(contract, f"{{{contract.namespace}}}SOAPException", error)
        body = fault(version, caller=refusal.code < 500, reason=printable(refusal.reason), detail=detail)
        # Every fault has status 500: SOAP 1.1 over HTTP requires it, and strict clients rely on it.
        return Response(body, 500, content_type=media_type(version))


def _explain(refusal: InvalidValue, body: etree._Element) -> InvalidValue:
    """Return `refusal`, or a clearer error if the request has a field that was removed from the contract."""
    for child in body:
        message = REMOVED_FIELDS.get(etree.QName(child).localname)
        if message is not None:
            return InvalidValue(Code.REMOVED, message)
    return refusal


@dataclass(frozen=True)
class Message:
    """A parsed envelope. `version` is its namespace, `body` the only child of its Body element."""

    version: str
    body: etree._Element


def read_message(root: etree._Element) -> Message:
    """Return the SOAP version and the only child of the body.

    Raises `InvalidValue` 100 for an invalid envelope.
    """
    version = version_of(root)
    if version is None:
        raise InvalidValue(
            Code.MALFORMED, f"the root is {etree.QName(root).text}, not a SOAP 1.1 or 1.2 Envelope"
        )
    for block in root.iterfind(f"{{{version}}}Header/*"):
        if block.get(f"{{{version}}}mustUnderstand") in ("1", "true"):
            raise InvalidValue(
                Code.MALFORMED,
                f"the header {etree.QName(block).text} has mustUnderstand, but is not supported here",
            )
    bodies = root.findall(f"{{{version}}}Body")
    if len(bodies) != 1:
        raise InvalidValue(Code.MALFORMED, f"the envelope has {len(bodies)} Body elements, not one")
    children = list(bodies[0])
    if len(children) != 1:
        raise InvalidValue(Code.MALFORMED, f"the Body has {len(children)} children, not one")
    return Message(version, children[0])


def wrap(version: str, content: etree._Element) -> bytes:
    """Return an envelope with `content` as the only child of its body."""
    envelope = etree.Element(f"{{{version}}}Envelope", nsmap={"soap": version})
    etree.SubElement(envelope, f"{{{version}}}Body").append(content)
    return etree.tostring(envelope, xml_declaration=True, encoding="UTF-8")


def fault(version: str, *, caller: bool, reason: str, detail: etree._Element) -> bytes:
    """Return an envelope with a fault.

    `caller` is True if the request caused the fault, False if the service did.
    """
    if version == SOAP_11:
        element = etree.Element(f"{{{version}}}Fault", nsmap={"soap": version})
        etree.SubElement(element, "faultcode").text = "soap:Client" if caller else "soap:Server"
        etree.SubElement(element, "faultstring").text = reason
        etree.SubElement(element, "detail").append(detail)
        return wrap(version, element)
    q = f"{{{version}}}"
    element = etree.Element(f"{q}Fault", nsmap={"soap": version})
    code = etree.SubElement(element, f"{q}Code")
    etree.SubElement(code, f"{q}Value").text = "soap:Sender" if caller else "soap:Receiver"
    text = etree.SubElement(etree.SubElement(element, f"{q}Reason"), f"{q}Text")
    text.set(f"{{{XML_NS}}}lang", "en")
    text.text = reason
    etree.SubElement(element, f"{q}Detail").append(detail)
    return wrap(version, element)
