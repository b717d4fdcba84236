"""A mock as a WSGI application.

It validates each request. The response then comes from a matching rule, a recording or an example.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from lxml import etree
from werkzeug.wrappers import Request, Response

from soapclient._support.forks import lazy
from soapclient._support.redaction import shown
from soapclient._support.secret_names import NOT_SHOWN, is_secret
from soapclient._support.suggestions import nearest
from soapclient.calling.reader import contract_error
from soapclient.contract import package_documents
from soapclient.errors import ContractError, ResponseError
from soapclient.runtime import CountingReader, DecodeError
from soapclient.runtime.authentication import remove
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import EncodeError, local_name
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.package import Package
from soapclient.runtime.request_values import elements_of
from soapclient.runtime.schema import PortRow
from soapclient.runtime.service import Attachment
from soapclient.serving.drift import drift
from soapclient.serving.faults import CloseConnection
from soapclient.serving.soap import SOAP_12
from soapclient.serving.switchboard import PREFIX
from soapclient.soap import encoded
from soapclient.soap.encoded_types import types_of
from soapclient.soap.zeep_options import Wsse, WsseFromPolicy
from soapclient.testing.examples import Examples
from soapclient.testing.mocks import messages
from soapclient.testing.mocks.encoding import put_omitted, with_omissions
from soapclient.testing.mocks.messages import Incoming, Outgoing, Refused
from soapclient.testing.mocks.mtom import binary_elements, take_parts
from soapclient.testing.mocks.rules import Rule
from soapclient.testing.mocks.switchboard import Switchboard
from soapclient.testing.mocks.wsdl import ServedWsdl
from soapclient.testing.recording import NotRecorded, Recording

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = logging.getLogger("soapclient.mock")
_MAX_LOGGED: Final = 1000  # requests in the log
_MAX_LOGGED_BYTES: Final = 20_000_000  # maximum size of all requests in the log together
_MAX_BODY_SHOWN: Final = 20_000  # maximum bytes of a body in the log
_XML: Final = "text/xml; charset=utf-8"


@dataclass
class MockCall:
    """A request in the log of a mock, and its outcome. `Mock` has an example.

    `request` is the decoded request. `operation` is empty and `request` is None if the mock refused the
    message before it could determine them. `headers` (SOAP headers) and `attachments` are taken from the
    message. `status` is None if there was no response. `fault` is the code of the SOAP fault, "" for other
    responses, and `reason` its text.

    `received` and `sent` are the first 20,000 bytes of the request and response bodies as text. `size` is the
    number of bytes of the request. `rule` is the number of the rule that set the response; None if no rule
    matched.
    """

    number: int
    moment: datetime
    path: str
    operation: str = ""
    request: object = None
    headers: tuple[etree._Element, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    status: int | None = None
    fault: str = ""
    reason: str = ""
    rule: int | None = None
    sent: str = ""
    received: str = ""
    milliseconds: float | None = None
    size: int = 0


class MockService:
    """Mocks all SOAP ports of a package, each at its own URL path. Thread-safe.

    Equal requests get equal responses, because an example is determined by `seed` and the request.
    Without `wsse`, authentication is not checked. With `wsse`, requests are verified and responses are
    secured.
    """

    def __init__(
        self,
        package: Package,
        *,
        seed: int = 1,
        recording: Recording | None = None,
        max_body: int = 10_000_000,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        switchboard: bool = False,
        wsse: Wsse | WsseFromPolicy | None = None,
    ) -> None:
        """Create a mock. `seed`, `recording` and `wsse` are as in `soapclient.testing.mock`.

        - `max_body`: the maximum size of a request in bytes.
        - `clock`: returns the time of a request for the log.
        - `switchboard`: if True, the mock's log and rules are served as JSON below `/-/`, too.

        Raises ValueError if the package has no SOAP port, and ConfigError if `wsse` cannot meet the policy of
        the WSDL.
        """
        self._switchboard = Switchboard(self) if switchboard else None
        self.package = package
        self.max_body = max_body
        self.ports: Mapping[str, PortRow] = {_path(port): port for port in package.settings.ports}
        if not self.ports:
            raise ValueError(f"{package.name} has no SOAP port, so it cannot be mocked")
        self._seed = seed
        self._recording = recording
        self._wsse = wsse
        self._security_of(list(self.ports.values()))  # raises an error now if the keys do not meet the policy
        self._clock = clock
        self._examples = Examples(package.codec)
        self._lock = threading.Lock()
        self._numbers = count(1)
        self._log: deque[MockCall] = deque(maxlen=_MAX_LOGGED)
        self._rules: list[Rule[Any, Any]] = []  # Any, because the operation can be any
        self._reset_event = threading.Event()

    # ---- for users

    def operation(self, operation_or_name: AnyOperation | str) -> AnyOperation:
        """Return an operation by its name or by its method's name. An operation is returned unchanged.

        Raises ValueError if the operation is unknown.
        """
        for key, operation in self.package.operations.items():
            if operation_or_name in (operation, key, operation.name, operation.method):
                return operation
        names = sorted(self.package.operations)
        hint = nearest(operation_or_name, names) if isinstance(operation_or_name, str) else ""
        separator = f"{hint} The operations are" if hint else "; the operations are"
        raise ValueError(f"there is no operation {operation_or_name!r}{separator}: {', '.join(names)}")

    def add(self, operation: AnyOperation | None, fields: Mapping[str, object]) -> Rule[Any, Any]:
        """Add a rule for requests of an operation whose fields have the values in `fields`.

        `operation` is None for any operation. The rule has no effect until one of its methods, such as
        `reply`, sets an outcome.
        """
        rule: Rule[Any, Any] = Rule(self, operation, fields)
        with self._lock:
            rule.number = next(self._numbers)
            self._rules.append(rule)
        return rule

    def rules(self) -> list[Rule[Any, Any]]:
        """Return the rules in the order in which they were added."""
        with self._lock:
            return list(self._rules)

    def calls(self, operation: AnyOperation | None = None) -> list[MockCall]:
        """Return the logged requests, oldest first; only requests of `operation` if given.

        The log keeps the last thousand requests, or fewer if they are larger than 20 MB together.
        """
        with self._lock:
            return [call for call in self._log if operation is None or call.operation == operation.key]

    def reset(self) -> None:
        """Delete all rules and logged requests.

        Responses that a rule delays (`Rule.hangs`, `Rule.slow`) are no longer delayed.
        """
        with self._lock:
            self._rules.clear()
            self._log.clear()
            self._reset_event.set()
            self._reset_event = threading.Event()

    def written(self, operation: AnyOperation, response: object) -> etree._Element:
        """Encode a response as an XML element, and validate it.

        Raises TypeError if it is not a response of the operation, ContractError if it breaks the contract.
        """
        response_type = operation.response_type
        if not isinstance(response, response_type):
            raise TypeError(
                f"{operation.name} returns {response_type.__name__}, not {type(response).__name__}"
            )
        node = etree.Element(operation.response_tag or "response")
        try:
            operation.write_response(response, node, operation.name)
        except EncodeError as error:
            raise contract_error(error, operation.name) from None
        try:
            self._check(node, operation)
        except ResponseError as error:
            reason = "the response is invalid according to the contract"
            raise ContractError(
                error.path, error.value, error.expected, reason, operation=operation.name
            ) from None
        return node

    # ---- HTTP

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond to a request: the WSGI entry point."""
        request = Request(environ)
        if self._switchboard is not None and request.path.startswith(PREFIX):
            return self._switchboard.respond(request)(environ, start_response)
        port = self.ports.get(request.path)
        if port is None:
            return self._outside_ports(request)(environ, start_response)
        document_kinds = {name.lower() for name in request.args} & {"wsdl", "xsd"}
        if request.method in ("GET", "HEAD") and document_kinds:
            return self._wsdl(request, max(document_kinds))(environ, start_response)
        if request.method != "POST":
            refusal = Response(
                "send SOAP with POST; the WSDL is at ?wsdl\n", 405, {"Allow": "GET, HEAD, POST"}
            )
            return refusal(environ, start_response)
        with self._lock:
            call = MockCall(next(self._numbers), self._clock(), request.path)
            self._log.append(call)
        started = time.perf_counter()
        body = request.get_data()
        call.size, call.received = len(body), body[:_MAX_BODY_SHOWN].decode("utf-8", "replace")
        with self._lock:
            while len(self._log) > 1 and sum(logged.size for logged in self._log) > _MAX_LOGGED_BYTES:
                self._log.popleft()
        outgoing = self._outgoing(request, port, call)
        call.status, call.fault = outgoing.status, outgoing.fault
        call.sent = outgoing.body[:_MAX_BODY_SHOWN].decode("utf-8", "replace")
        call.milliseconds = round((time.perf_counter() - started) * 1000, 2)
        response = Response(outgoing.body, outgoing.status, dict(outgoing.headers))
        return response(environ, start_response)

    def _outside_ports(self, request: Request) -> Response:
        """Respond to a request whose path belongs to no WSDL port.

        The response to `/` lists the URLs of the WSDLs. The response to all other paths is a 404.
        """
        if request.path != "/":
            return Response(
                f"nothing is served at {request.path[:200]}; the ports are: {', '.join(self.ports)}\n", 404
            )
        lines = [f"{request.host_url.rstrip('/')}{quote(path)}?wsdl" for path in self.ports]
        return Response("\n".join([f"A mock of {self.package.settings.name}. WSDL:", *lines, ""]))

    def _wsdl(self, request: Request, kind: str) -> Response:
        """Respond with a document of the WSDL (`kind` is `wsdl`) or with a schema that it imports (`xsd`)."""
        text = next(value for name, value in request.args.items() if name.lower() == kind)
        base, path = request.host_url.rstrip("/"), quote(request.path)
        number = int(text) if text.isdecimal() and len(text) < 6 else 0
        served = self._served.document if kind == "wsdl" else self._served.schema
        document = served(number, base, path)
        if document is None:
            return Response(f"there is no document ?{kind}={number}\n", 404)
        return Response(document, content_type=_XML)

    # ---- SOAP

    def _outgoing(self, request: Request, port: PortRow, call: MockCall) -> Outgoing:
        """Return the response to a request.

        Raises CloseConnection if the connection must be closed without a response.
        """
        sharing = (other for other in self.ports.values() if other is not port and _shares(other, port))
        ports = [port, *sharing]
        version, incoming = messages.version_of_port(port), None
        try:
            versions = list(dict.fromkeys(map(messages.version_of_port, ports)))
            security = self._security_of(ports)
            incoming = messages.read(request, self.max_body, versions, security)
            version = incoming.version
            outgoing = self._respond(incoming, self._port_of(incoming, ports), call, request)
            return messages.finished(outgoing, security)
        except Refused as refused:
            call.reason = refused.reason
            return messages.fault(version, refused, incoming)
        except CloseConnection:
            raise
        except Exception as error:
            log.exception("the mock failed on a request to %s", request.path)
            call.reason = f"the mock failed: {type(error).__name__}: {error}"
            return messages.fault(version, Refused(call.reason, "Server"))

    def _security_of(self, ports: Sequence[PortRow]) -> Wsse | None:
        """Return the object that verifies a request to `ports` and secures the response, or None.

        `ports` have the same address in the WSDL. Returns None if the mock was created without `wsse`. Raises
        ConfigError if `wsse` cannot meet the policy of the ports.
        """
        if self._wsse is None or not hasattr(self._wsse, "for_service"):
            return self._wsse
        return self._wsse.for_service(self.package, ports)

    def _respond(self, incoming: Incoming, port: PortRow, call: MockCall, request: Request) -> Outgoing:
        """Decode a message and return its response.

        `request` is the HTTP request, `incoming` its parsed SOAP message, and `call` its entry in the log.
        Raises Refused to respond with a fault, CloseConnection to close the connection without a response.
        """
        operation, node = self._operation(incoming, port)
        call.operation, call.attachments = operation.key, incoming.attachments
        call.headers = tuple(map(deepcopy, incoming.headers))  # copies: the log must not keep the envelope
        messages.refuse_unknown(incoming, [*operation.request_headers])
        call.request = value = self._read(operation, incoming, node)
        reset_event = self._reset_event  # taken before the rule is chosen: a later `reset` ends its wait
        rule = self._rule(operation, value)
        if rule is not None:
            call.rule = rule.number
            return self._apply_rule(rule, operation, value, incoming, reset_event)
        if self._recording is not None:
            return self._replay(self._recording, request, incoming)
        if operation.one_way:
            return Outgoing(202)
        return self._build(operation, self._example(operation, incoming), incoming)

    def _port_of(self, incoming: Incoming, ports: Sequence[PortRow]) -> PortRow:
        """Return the first of `ports` with the SOAP version and the operation of the request `incoming`.

        If no port has both, return the first port with the SOAP version.
        """
        matching = [port for port in ports if messages.version_of_port(port) == incoming.version]
        for port in matching:
            with suppress(Refused):
                self._operation(incoming, port)
                return port
        return matching[0]

    def _operation(self, incoming: Incoming, port: PortRow) -> tuple[AnyOperation, etree._Element]:
        """Return the operation and the element with its fields. Raises Refused if no operation fits."""
        child = next(incoming.body.iterchildren("*"), None)
        tag = "" if child is None else str(child.tag)
        operations = self.package.operations.values()
        of_port = [operation.at(port) for operation in operations if operation.port_type == port.port_type]
        candidates = [item for item in of_port if item.soap and item.request_tag == tag and tag]
        if not candidates:  # the parts are children of the body, or there are no parts
            bare = [item for item in of_port if item.soap and not item.request_tag]
            candidates = [item for item in bare if tag in _first_tags(item)]
        by_action = [item for item in candidates if incoming.action and item.soap_action == incoming.action]
        match = next(iter(by_action or candidates), None)
        if match is None:
            names = ", ".join(f"{local_name(item.request_tag) or item.name}" for item in of_port)
            shown = tag[:200] or "an empty body"
            raise Refused(f"{shown} is not a request of the port {port.name}; its requests are: {names}")
        if incoming.action and match.soap_action and not by_action:
            raise Refused(
                f"SOAPAction {incoming.action[:200]!r} does not match {match.name}; it must be "
                f"{match.soap_action!r}"
            )
        return match, incoming.body if child is None or not match.request_tag else child

    def _read(self, operation: AnyOperation, incoming: Incoming, node: etree._Element) -> object:
        """Decode the request fields in `node`. Raises Refused if the request breaks the contract."""
        checks = package_documents.checks(self.package)
        parts = [child for child in incoming.body if isinstance(child.tag, str)]
        try:
            if operation.encoded:
                body = encoded.resolve(incoming.body, operation, request=True)
                node = next(body.iterchildren("*"), body) if operation.request_tag else body
            if not operation.encoded:
                rpc = operation.style == "rpc"
                checks.check_request([*parts, *incoming.headers], operation.name, rpc=rpc)
            if len(parts) > 1 and operation.request_tag:
                raise Refused(f"the Body has {len(parts)} children, not one")
            tags = {str(header.tag) for header in incoming.headers}
            missing = [
                part.name
                for tag, part in operation.request_headers.items()
                if part.required and tag not in tags
            ]
            if missing:
                raise Refused(f"the header {missing[0]} is required")
            copy = messages.copied(node)
            remove(copy, operation.authentication)
            reader = CountingReader(naive_zone=None)
            read: Callable[..., object] = operation.read_request
            if operation.encoded:
                put_omitted(copy, operation.codec, operation.row.request)
                read = self._omitting.reader(operation.row.request)
            request = read(copy, reader)
        except ContractError as error:
            raise Refused(str(error).removesuffix(" Nothing was sent.")) from None
        except (DecodeError, ResponseError) as error:
            raise Refused(f"{error.path}: {_shown_value(error)} is not {error.expected}") from None
        unknown = next((finding for finding in reader.findings if finding.kind == "element"), None)
        if (checks.trouble or operation.encoded) and unknown is not None:  # a schema does not report this
            raise Refused(f"{unknown.path}: unknown element")
        return request

    def _rule(self, operation: AnyOperation, request: object) -> Rule[Any, Any] | None:
        """Return the rule to use for a request, and count its use. Return None if no rule matches."""
        with self._lock:
            matching = [rule for rule in self._rules if rule.fits(operation, request)]
            limited = [rule for rule in matching if rule.limited]
            rule = limited[0] if limited else matching[-1] if matching else None
            if rule is not None:
                rule.used += 1
            return rule

    def _apply_rule(
        self,
        rule: Rule[Any, Any],
        operation: AnyOperation,
        request: object,
        incoming: Incoming,
        reset_event: threading.Event,
    ) -> Outgoing:
        """Return the response that a rule sets.

        `request` is the decoded request, `incoming` its SOAP message. A rule that delays the response waits
        for `reset_event`, which `reset` sets. Raises Refused to send a fault, CloseConnection to close the
        connection without a response.
        """
        if rule.kind == "fault":
            raise Refused(rule.reason, rule.code, rule.detail)
        if rule.kind == "unavailable":
            wait = {} if rule.retry_after is None else {"Retry-After": str(rule.retry_after)}
            return Outgoing(
                503, b"service unavailable; retry later\n", {"Content-Type": "text/plain", **wait}
            )
        if rule.kind in ("hang", "slow"):
            reset_event.wait(rule.seconds)
        if rule.kind in ("hang", "reset"):
            raise CloseConnection
        if operation.one_way:
            return Outgoing(202)
        if rule.kind == "reply":
            return self._build(operation, rule.answer(request), incoming, rule.attachments)
        node = self._example(operation, incoming)
        if rule.kind == "drift":
            drift(rule.drift, node, lambda changed: self._errors(changed, operation))
        return self._build(operation, node, incoming)

    def _check(self, node: etree._Element, operation: AnyOperation) -> None:
        """Raise ResponseError if a response is invalid according to the schema.

        Messages in SOAP encoding are not checked, because the schema describes only literal messages
        (SOAP 1.1, section 5.1).
        """
        if operation.encoded:
            return
        parts = [node] if operation.response_tag else list(node)
        package_documents.checks(self.package).check_response(
            parts, operation.name, rpc=operation.style == "rpc"
        )

    def _errors(self, node: etree._Element, operation: AnyOperation) -> list[str]:
        """Return the validation error of a response as a list of one text; an empty list if it is valid.

        The schema does not apply to SOAP encoding. A response in SOAP encoding has an error only if it cannot
        be decoded.
        """
        try:
            self._check(node, operation)
            if operation.encoded:
                operation.read_response(node, CountingReader())
        except (ResponseError, DecodeError) as error:
            return [str(error)]
        return []

    def _replay(self, recording: Recording, request: Request, incoming: Incoming) -> Outgoing:
        """Return the recorded response to an HTTP request. `incoming` is its SOAP message.

        Raises Refused if the recording has no response to the request, or all of them have been used.
        """
        from requests import Request as ClientRequest

        headers = dict(request.headers.items())
        prepared = ClientRequest(request.method, request.url, headers, data=request.get_data()).prepare()
        try:
            response = recording.answer(prepared, _send_nothing)
        except NotRecorded as error:
            raise Refused("; ".join(str(error).splitlines())) from None
        return Outgoing(response.status_code, response.content, dict(response.headers))

    def _build(
        self,
        operation: AnyOperation,
        node: etree._Element,
        incoming: Incoming,
        attachments: Sequence[Attachment] | None = None,
    ) -> Outgoing:
        """Return the HTTP response to the message `incoming`, with the content `node`.

        If `attachments` is None, the response gets examples of the attachments that the contract declares.
        """
        if operation.encoded:
            version: Final = "1.2" if incoming.version == SOAP_12 else "1.1"
            types_of(self.package).add(node, operation.row.response, version)
        parts = None
        if incoming.xop and self._wsse is None:  # a signature covers the text of a message
            parts = take_parts([*binary_elements(node, operation.codec, operation.row.response)])
        content = [node] if operation.response_tag else list(node)
        headers = []
        for tag, part in operation.response_headers.items():
            headers.append(self._examples.element(part.kind.__name__, tag))
        examples = [
            Attachment(
                f"{name} of a mock\n".encode(), "text/plain; charset=utf-8", f"{quote(name)}=1@soapclient"
            )
            for name in operation.response_attachments
        ]
        return messages.response(
            incoming,
            content,
            headers,
            encoded=operation.encoded,
            attachments=examples if attachments is None else attachments,
            parts=parts,
            action=self._served.response_action(operation),
        )

    @lazy
    def _served(self) -> ServedWsdl:
        return ServedWsdl(
            package_documents.wsdl(self.package), {quote(path): port for path, port in self.ports.items()}
        )

    @lazy
    def _omitting(self) -> Codec:
        """The codec for requests in SOAP encoding. It decodes any nil element as None."""
        return with_omissions(self.package.codec)

    # ---- examples

    def _example(self, operation: AnyOperation, incoming: Incoming) -> etree._Element:
        """Return an example response. Equal requests get equal examples.

        Tries a random, then a complete, then a minimal example, and returns the first that is valid.
        """
        tag, kind = operation.response_tag or "response", operation.row.response
        fingerprint = messages.fingerprint(incoming.body, operation)
        chance = random.Random(f"{self._seed} {operation.key} {fingerprint}")
        for source in (chance, None):
            node = self._examples.element(kind, tag, complete=True, chance=source)
            if self._is_valid(node, operation):
                return node
        minimal = self._examples.element(kind, tag)
        return minimal if self._is_valid(minimal, operation) else node

    def _is_valid(self, node: etree._Element, operation: AnyOperation) -> bool:
        try:
            operation.read_response(node, CountingReader(naive_zone=None))
        except DecodeError:
            return False
        return not self._errors(node, operation)


def _path(port: PortRow) -> str:
    return f"/{port.service}/{port.name}"


def _shares(port: PortRow, other: PortRow) -> bool:
    """Return True if two ports have the same address in the WSDL.

    In the mock, each of the two ports then accepts the requests of both ports.
    """
    return bool(port.address) and port.address.strip() == other.address.strip()


def _shown_value(error: DecodeError | ResponseError) -> str:
    """Return the value that made a request invalid, for the text of a fault.

    The result is "(not shown)" if the value may be a secret.
    """
    return NOT_SHOWN if is_secret(error.path) else shown(error.value)


def _first_tags(operation: AnyOperation) -> Sequence[str]:
    """Return the possible tags of the first element in the Body of a request without wrapper element.

    If the Body may be empty, the tags include "".
    """
    fields = elements_of(operation.codec, operation.row.request)
    return [*(field.tag for field in fields), *([""] if not any(field.least for field in fields) else [])]


def _send_nothing() -> Any:  # Any: `Recording.answer` takes a function that sends the request
    raise AssertionError("a recording does not send requests")
