"""The SOAP carrier: envelope to operation, answer or refusal to envelope."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from uuid import uuid4

from lxml import etree
from werkzeug.wrappers import Request, Response

from . import envelope, xml
from .auth import Verifier
from .claims import Signed, body_claim, header_claim
from .contracts import Contract, Operation
from .data.store import Store
from .exports.jobs import Jobs
from .exports.reports import REMOVED_FIELDS
from .faults import Busy, Code, Refusal, printable
from .incoming import body_of
from .operations import Call, handler_of
from .trees import Fields

log = logging.getLogger("soapclient.sandbox")


class SoapCarrier:
    """Answers POSTs for every contract. Holds no state but what it is given."""

    def __init__(self, verifier: Verifier, store: Store, jobs: Jobs, max_body: int) -> None:
        self._verifier = verifier
        self._store = store
        self._jobs = jobs
        self._max_body = max_body

    def answer(self, contract: Contract, request: Request) -> Response:
        """Always an envelope; a bug of ours is a fault too, and logged with its traceback."""
        version = envelope.MEDIA_TYPES.get(request.mimetype, envelope.SOAP_11)
        try:
            root = self._read(request)
            version = envelope.version_of(root) or version
            message = envelope.message(root)
            content = self._call(contract, message.body, request)
            return Response(envelope.wrap(version, content), 200, content_type=envelope.media_type(version))
        except Busy as busy:  # said by what stands before a service: no envelope, no fault
            return Response(busy.reason, int(busy.code), busy.headers, content_type="text/plain")
        except Refusal as refusal:
            return self._fault(contract, version, refusal)
        except Exception:
            log.exception("the sandbox failed on a %s request", contract.name)
            return self._fault(
                contract, version, Refusal(Code.INTERNAL, "the sandbox failed; its log says how")
            )

    def _read(self, request: Request) -> etree._Element:
        if request.mimetype not in envelope.MEDIA_TYPES:
            raise Refusal(
                Code.MEDIA_TYPE,
                f"the content type must be text/xml, not {request.mimetype[:60] or 'missing'!r}",
            )
        body = body_of(request, self._max_body)
        return envelope.parse(body, request.mimetype_params.get("charset"))

    def _call(self, contract: Contract, body: etree._Element, request: Request) -> etree._Element:
        operation = self._operation(contract, body)
        self._check_action(operation, request)
        try:
            contract.check_request(body)
        except Refusal as refusal:
            raise _explained(refusal, body) from None
        fields = Fields(xml.decode(contract, body))
        # Nothing of the endpoint's path is left after format and version segment (assumed, `record.md 1`).
        claims = (
            body_claim(fields, contract.service_name, operation.name),
            header_claim(request, Signed(("POST",), "/")),
        )
        connect_id = self._verifier.verify(
            [one for one in claims if one is not None], signed=operation.signed
        )
        handler = handler_of(contract.name, operation.name)
        if handler is None:
            raise Refusal(Code.NOT_IMPLEMENTED, f"{operation.name} is not implemented in this sandbox yet")
        rest_url = f"{request.host_url}xml/{contract.version}"
        answer = handler(
            Call(fields, connect_id, self._store, self._jobs, rest_url, now=self._verifier.now())
        )
        reply = xml.encode(contract, operation.response, answer)
        if errors := contract.errors(reply):
            log.error(
                "%s: the sandbox's own reply breaks the contract: %s", operation.name, "; ".join(errors[:5])
            )
            raise Refusal(
                Code.OWN_REPLY,
                f"the sandbox's own reply to {operation.name} breaks the contract: {errors[0]}",
            )
        return reply

    @staticmethod
    def _operation(contract: Contract, body: etree._Element) -> Operation:
        tag = str(body.tag)
        operation = contract.by_request.get(tag)
        if operation is not None:
            return operation
        local = etree.QName(body).localname
        meant = contract.operations.get(local.removesuffix("Request"))
        if meant is not None and local == meant.name:
            raise Refusal(
                Code.MALFORMED,
                f"the body is rpc-shaped; this service is document/literal, its child is {meant.request}",
            )
        if meant is not None:
            raise Refusal(
                Code.UNKNOWN_OPERATION, f"{tag} has the wrong namespace; expected is {meant.request}"
            )
        raise Refusal(Code.UNKNOWN_OPERATION, f"{tag[:200]} is no request of the {contract.name} interface")

    @staticmethod
    def _check_action(operation: Operation, request: Request) -> None:
        sent = request.headers.get("SOAPAction") or request.mimetype_params.get("action") or ""
        sent = sent.strip().strip('"')
        if sent not in ("", operation.action):
            raise Refusal(
                Code.SOAP_ACTION,
                f"SOAPAction {sent[:120]!r} does not go with {operation.name}; it is {operation.action!r}",
            )

    def _fault(self, contract: Contract, version: str, refusal: Refusal) -> Response:
        error: Mapping[str, str | int] = {
            "code": int(refusal.code),
            "reason": printable(refusal.reason),
            "errorId": uuid4().hex,
        }
        detail = xml.encode(contract, f"{{{contract.namespace}}}SOAPException", error)
        body = envelope.fault(
            version, caller=refusal.code < 500, reason=printable(refusal.reason), detail=detail
        )
        # 500 for every fault: SOAP 1.1 over HTTP says so, and strict clients rely on it.
        return Response(body, 500, content_type=envelope.media_type(version))


def _explained(refusal: Refusal, body: etree._Element) -> Refusal:
    """A field that earlier versions had is refused with the word on where it went."""
    for child in body:
        gone = REMOVED_FIELDS.get(etree.QName(child).localname)
        if gone is not None:
            return Refusal(Code.REMOVED, gone)
    return refusal
