"""REST: find the operation for a path and method, and return its response or error as XML or JSON."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from werkzeug.wrappers import Request, Response

from soapclient.serving.bodies import body_of

from ..auth import Verifier
from ..contracts import Contract
from ..data.store import Store
from ..exports.jobs import Jobs
from ..faults import Code, InvalidValue
from ..operations import Call
from ..payload import Fields, Payload
from ..requests import Signed, rest_claims
from ..rules import LogAndRules, log_claims, log_refusal
from . import bodies
from .download import Download
from .json_codec import plain
from .resources import ADVERTISER, ADVERTISER_VERSION, DATA, PUBLISHER
from .responses import (
    MEDIA_TYPES,
    Nesting,
    basket_contract,
    checked_nesting,
    nested,
    render,
    rest_error,
    wrapped_sale,
)
from .routes import Route, find, from_query
from .target import Form, Target, segments_of

log = logging.getLogger("soapclient.sandbox")
_DOWNLOAD = ("jobs", "job", "id", "", "download")
# Errors about a value have these codes if the value is in a body; in a path or query the code is
# BAD_PARAMETER.
_VALUES = (Code.OUT_OF_RANGE, Code.UNKNOWN_VALUE)


@dataclass(frozen=True)
class Interface:
    """The REST resources of one service, such as `publisher`. Their paths contain the service's version.

    `name` is the name of the service, under which its handlers are registered. `suffix_required` is True if
    timestamps must end in ` GMT` (`docs/explanation/service.md#signing`).
    """

    name: str
    routes: Sequence[Route]
    contract: Contract | None
    suffix_required: bool = False


class RestProtocol:
    """Responds to REST requests. They are recognized by a version segment in their path."""

    def __init__(
        self,
        verifier: Verifier,
        store: Store,
        jobs: Jobs,
        max_body: int,
        contracts: Mapping[str, Contract],
        switches: LogAndRules,
        *,
        wrap_sale: bool,
        partner_list: Nesting,
        old_roots: bool,
    ) -> None:
        self._switches = switches
        self._verifier = verifier
        self._store = store
        self._jobs = jobs
        self._max_body = max_body
        self._wrap_sale = wrap_sale
        self._partner_list = checked_nesting(partner_list)
        self._old_roots = old_roots
        self._namespace = contracts["data"].namespace  # for errors outside of any contract
        self._download = Download(verifier, jobs, self._namespace)
        self._basket = basket_contract(contracts["publisher"])
        interfaces = (
            Interface("publisher", PUBLISHER, contracts["publisher"]),
            Interface("data", DATA, contracts["data"]),
        )
        self._interfaces = {item.contract.version: item for item in interfaces if item.contract is not None}
        self._advertiser = Interface("advertiser", ADVERTISER, None, suffix_required=True)

    def respond(self, request: Request, target: Target) -> Response:
        """Return the response to a request, in the format that its path names, or in JSON if it names none.

        Unexpected exceptions are logged and become errors.
        """
        form: Form = target.form or "json"
        interface = self._interfaces.get(target.version)
        contract = None if interface is None else interface.contract
        namespace = self._namespace if contract is None else contract.namespace
        try:
            return self._respond(request, target, form)
        except InvalidValue as refusal:
            log_refusal(request, refusal)
            return rest_error(refusal, namespace, form)
        except Exception:
            log.exception("the sandbox failed on a REST %s", request.method)
            return rest_error(InvalidValue(Code.INTERNAL, "the sandbox failed; see its log"), namespace, form)

    def _respond(self, request: Request, target: Target, form: Form) -> Response:
        interface = self._interface(target)
        segments = segments_of(target.uri)
        if interface.name == "data" and (*segments[:3], "", *segments[4:]) == _DOWNLOAD:
            return self._download.respond(request, segments[3], target.uri, form)
        route, texts = find(interface.routes, request.method, segments)
        signed = Signed((route.method,), target.uri, route.nonce_optional, interface.suffix_required)
        claims = list(rest_claims(request, signed))
        log_claims(request, claims)
        connect_id = self._verifier.verify(claims, signed=route.signed)
        fields = Fields(self._fields(request, interface, route, texts, form))
        rest_url = f"{request.host_url}{form}/{target.version}"
        call = Call(fields, connect_id, self._store, self._jobs, rest_url, now=self._verifier.now())
        handler = self._switches.handler(request, interface.contract, interface.name, route.operation, call)
        if handler is None:
            raise InvalidValue(
                Code.NOT_IMPLEMENTED, f"{route.operation} is not implemented in this sandbox yet"
            )
        try:
            payload = handler(call)
        except InvalidValue as refusal:
            if refusal.code in _VALUES and route.body is None:
                raise InvalidValue(Code.BAD_PARAMETER, refusal.reason) from None
            raise
        if route.must_exist and not any(payload.values()):
            raise InvalidValue(Code.NOT_FOUND, f"there is nothing at {target.uri[:200]}")
        return Response(self._rendered(interface, route, payload, form), 200, content_type=MEDIA_TYPES[form])

    def _interface(self, target: Target) -> Interface:
        if target.form is None and target.version == ADVERTISER_VERSION:
            return self._advertiser
        interface = self._interfaces.get(target.version)
        if interface is not None and target.form is not None:
            return interface
        paths = [f"/{form}/{version}" for version in self._interfaces for form in ("xml", "json")]
        served = ", ".join((*paths, f"/{ADVERTISER_VERSION}"))
        raise InvalidValue(
            Code.NOT_FOUND, f"nothing is served at this version and format; the paths are {served}"
        )

    def _fields(
        self, request: Request, interface: Interface, route: Route, texts: tuple[str, ...], form: Form
    ) -> Payload:
        path_fields = route.path_fields(texts)
        fields = from_query(route.query, request.args.items(multi=True), default=path_fields)
        data = body_of(request, self._max_body)
        if route.body is None:
            if data:
                raise InvalidValue(
                    Code.INVALID, f"{route.method} {route.path.replace('{}', '…')} takes no body"
                )
            return fields
        bodies.check_media_type(request.mimetype, form)
        assert interface.contract is not None  # resources without a contract have no body
        charset = request.mimetype_params.get("charset")
        return bodies.read(interface.contract, route.operation, route.body, data, form, charset, given=fields)

    def _rendered(self, interface: Interface, route: Route, payload: Payload, form: Form) -> bytes:
        contract = interface.contract
        if contract is None:
            return plain(nested(payload, self._partner_list)).encode("utf-8")
        if route.operation == "GetSale" and self._wrap_sale:
            route, payload = replace(route, operation="GetSales"), wrapped_sale(payload)
        elif route.operation == "GetSaleBasket":
            contract = self._basket
        return render(contract, route, payload, form, old_roots=self._old_roots)
