"""A mock as a WSGI application: each request is checked against the contract, then answered by a rule, by a
recording, or with an example."""

from __future__ import annotations

import hashlib
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
from soapclient._support.nearest import nearest
from soapclient._support.redaction import shown
from soapclient._support.secret_names import NOT_SHOWN, is_secret
from soapclient.calling.reader import contract_error
from soapclient.contract import packaged
from soapclient.errors import ContractError, ResponseError
from soapclient.runtime import CountingReader, DecodeError
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import EncodeError, local_name
from soapclient.runtime.filled import remove
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.package import Package
from soapclient.runtime.request_values import elements_of
from soapclient.runtime.schema import PortRow
from soapclient.runtime.service import Attachment
from soapclient.serving.drifts import drift
from soapclient.serving.faults import Silence
from soapclient.serving.soap import SOAP_11, SOAP_12
from soapclient.serving.switchboard import PREFIX
from soapclient.soap import encoded
from soapclient.testing.examples import Examples
from soapclient.testing.mocks import messages
from soapclient.testing.mocks.encoding import ArrayTypes, array_types, put_omitted, say_arrays, with_omissions
from soapclient.testing.mocks.messages import Incoming, Outgoing, Refused
from soapclient.testing.mocks.rules import Rule
from soapclient.testing.mocks.switchboard import Switchboard
from soapclient.testing.mocks.wsdl import ServedWsdl
from soapclient.testing.recording import NotRecorded, Recording

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

log = logging.getLogger("soapclient.mock")
_LOGGED: Final = 1000  # requests that are remembered
_MOST_BYTES: Final = 20_000_000  # of all requests that are remembered
_SHORT: Final = 20_000  # bytes of a body that are remembered
_XML: Final = "text/xml; charset=utf-8"


@dataclass
class MockCall:
    """A request that came, and what became of it.

    `operation` is empty and `request` None where it was not to be told or was refused. `headers` and
    `attachments` are those of the request. `status` is None where there was no response, `fault` the code of
    the fault, "" for none, and `reason` what it says. `received` and `sent` are both bodies, as far as they
    are short, `size` the bytes of the request; `rule` is the number of the rule that decided.
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
    """Serves all SOAP ports of a package, each at a path of its own. Thread-safe.

    Of two requests that are alike the answers are, too: `seed` and what is asked decide what an example
    holds. Authentication is not checked.
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
    ) -> None:
        """`switchboard`: log and rules are JSON below `/-/`. Raises ValueError for a package without a SOAP
        port."""
        self._switchboard = Switchboard(self) if switchboard else None
        self.package = package
        self.max_body = max_body
        self.ports: Mapping[str, PortRow] = {_path(port): port for port in package.settings.ports}
        if not self.ports:
            raise ValueError(f"{package.name} has no SOAP port, so there is nothing to mock")
        self._seed = seed
        self._recording = recording
        self._clock = clock
        self._examples = Examples(package.codec)
        self._lock = threading.Lock()
        self._numbers = count(1)
        self._log: deque[MockCall] = deque(maxlen=_LOGGED)
        self._rules: list[Rule[Any, Any]] = []  # Any: of whatever operations
        self._over = threading.Event()

    # ---- what users do

    def operation(self, named: AnyOperation | str) -> AnyOperation:
        """An operation by itself, its name or that of its method. Raises ValueError."""
        for key, operation in self.package.operations.items():
            if named in (operation, key, operation.name, operation.method):
                return operation
        known = sorted(self.package.operations)
        hint = nearest(named, known) if isinstance(named, str) else ""
        among = f"{hint} There are" if hint else "; there are"
        raise ValueError(f"there is no operation {named!r}{among}: {', '.join(known)}")

    def add(self, operation: AnyOperation | None, wanted: Mapping[str, object]) -> Rule[Any, Any]:
        """A rule for requests that have these values, of an operation or of any. It counts once one of its
        methods says what it does."""
        rule: Rule[Any, Any] = Rule(self, operation, wanted)
        with self._lock:
            rule.number = next(self._numbers)
            self._rules.append(rule)
        return rule

    def rules(self) -> list[Rule[Any, Any]]:
        """The rules, in the order they came."""
        with self._lock:
            return list(self._rules)

    def calls(self, operation: AnyOperation | None = None) -> list[MockCall]:
        """The last thousand requests, oldest first: of an operation, or all."""
        with self._lock:
            return [one for one in self._log if operation is None or one.operation == operation.key]

    def reset(self) -> None:
        """Forget rules and calls, and let go of connections that hang."""
        with self._lock:
            self._rules.clear()
            self._log.clear()
            self._over.set()
            self._over = threading.Event()

    def written(self, operation: AnyOperation, response: object) -> etree._Element:
        """A response as its element. Raises TypeError, EncodeError, and ContractError where it breaks the
        contract."""
        wanted = operation.response_type
        if not isinstance(response, wanted):
            raise TypeError(f"{operation.name} returns {wanted.__name__}, not {type(response).__name__}")
        node = etree.Element(operation.response_tag or "response")
        try:
            operation.write_response(response, node, operation.name)
        except EncodeError as error:
            raise contract_error(error, operation.name) from None
        try:
            self._check(node, operation)
        except ResponseError as error:
            reason = "the response would break the contract"
            raise ContractError(
                error.path, error.value, error.expected, reason, operation=operation.name
            ) from None
        return node

    # ---- HTTP

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The WSGI entry point."""
        request = Request(environ)
        if self._switchboard is not None and request.path.startswith(PREFIX):
            return self._switchboard.respond(request)(environ, start_response)
        port = self.ports.get(request.path)
        if port is None:
            return self._elsewhere(request)(environ, start_response)
        asked = {name.lower() for name in request.args} & {"wsdl", "xsd"}
        if request.method in ("GET", "HEAD") and asked:
            return self._wsdl(request, max(asked))(environ, start_response)
        if request.method != "POST":
            said = Response("send SOAP with POST; the WSDL is at ?wsdl\n", 405, {"Allow": "GET, HEAD, POST"})
            return said(environ, start_response)
        with self._lock:
            call = MockCall(next(self._numbers), self._clock(), request.path)
            self._log.append(call)
        started = time.perf_counter()
        body = request.get_data()
        call.size, call.received = len(body), body[:_SHORT].decode("utf-8", "replace")
        with self._lock:
            while len(self._log) > 1 and sum(each.size for each in self._log) > _MOST_BYTES:
                self._log.popleft()
        outgoing = self._outgoing(request, port, call)
        call.status, call.fault = outgoing.status, outgoing.fault
        call.sent = outgoing.body[:_SHORT].decode("utf-8", "replace")
        call.milliseconds = round((time.perf_counter() - started) * 1000, 2)
        response = Response(outgoing.body, outgoing.status, dict(outgoing.headers))
        return response(environ, start_response)

    def _elsewhere(self, request: Request) -> Response:
        if request.path != "/":
            return Response(
                f"there is nothing at {request.path[:200]}; there is: {', '.join(self.ports)}\n", 404
            )
        lines = [f"{request.host_url.rstrip('/')}{quote(path)}?wsdl" for path in self.ports]
        return Response("\n".join([f"A mock of {self.package.settings.name}. WSDL:", *lines, ""]))

    def _wsdl(self, request: Request, kind: str) -> Response:
        """Return a document of the contract (`wsdl`) or a schema that it imports (`xsd`)."""
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
        """Return the response to a request. Raises Silence if there is none."""
        ports = [port, *(each for each in self.ports.values() if each is not port and _shares(each, port))]
        version, incoming = _version(port), None
        try:
            incoming = messages.read(request, self.max_body, list(dict.fromkeys(map(_version, ports))))
            version = incoming.version
            return self._answer(incoming, self._port_of(incoming, ports), call, request)
        except Refused as refused:
            call.reason = refused.reason
            return messages.fault(version, refused, incoming)
        except Silence:
            raise
        except Exception as error:
            log.exception("the mock failed on a request to %s", request.path)
            call.reason = f"the mock failed: {type(error).__name__}: {error}"
            return messages.fault(version, Refused(call.reason, "Server"))

    def _answer(self, incoming: Incoming, port: PortRow, call: MockCall, request: Request) -> Outgoing:
        operation, node = self._operation(incoming, port)
        call.operation, call.attachments = operation.key, incoming.attachments
        call.headers = tuple(map(deepcopy, incoming.headers))  # the log does not keep the whole envelope
        messages.refuse_unknown(incoming, [*operation.request_headers])
        call.request = asked = self._read(operation, incoming, node)
        over = self._over  # before the rule is found: a `reset` ends what it decides
        rule = self._rule(operation, asked)
        if rule is not None:
            call.rule = rule.number
            return self._ruled(rule, operation, asked, incoming, over)
        if self._recording is not None:
            return self._recorded(self._recording, request, incoming)
        if operation.one_way:
            return Outgoing(202)
        return self._sent(operation, self._example(operation, incoming), incoming)

    def _port_of(self, incoming: Incoming, ports: Sequence[PortRow]) -> PortRow:
        """Return the port at an address that has a request's operation, in its version of SOAP."""
        fitting = [port for port in ports if _version(port) == incoming.version]
        for port in fitting:
            with suppress(Refused):
                self._operation(incoming, port)
                return port
        return fitting[0]

    def _operation(self, incoming: Incoming, port: PortRow) -> tuple[AnyOperation, etree._Element]:
        """What is asked for, and the element that holds its request. Raises Refused."""
        child = next(incoming.body.iterchildren("*"), None)
        tag = "" if child is None else str(child.tag)
        every = self.package.operations.values()
        known = [each.at(port) for each in every if each.port_type == port.port_type]
        fitting = [each for each in known if each.soap and each.request_tag == tag and tag]
        if not fitting:  # the parts are the body's own children, or there are none
            bare = [each for each in known if each.soap and not each.request_tag]
            fitting = [each for each in bare if tag in _first_tags(each)]
        by_action = [each for each in fitting if incoming.action and each.soap_action == incoming.action]
        found = next(iter(by_action or fitting), None)
        if found is None:
            names = ", ".join(f"{local_name(each.request_tag) or each.name}" for each in known)
            shown = tag[:200] or "an empty body"
            raise Refused(f"{shown} is no request of the port {port.name}; it has: {names}")
        if incoming.action and found.soap_action and not by_action:
            raise Refused(
                f"SOAPAction {incoming.action[:200]!r} does not go with {found.name}; it is "
                f"{found.soap_action!r}"
            )
        return found, incoming.body if child is None or not found.request_tag else child

    def _read(self, operation: AnyOperation, incoming: Incoming, node: etree._Element) -> object:
        """The request. Raises Refused where it breaks the contract."""
        checks = packaged.checks(self.package)
        own = [child for child in incoming.body if isinstance(child.tag, str)]
        try:
            if operation.encoded:
                body = encoded.resolve(incoming.body, operation, request=True)
                node = next(body.iterchildren("*"), body) if operation.request_tag else body
            if not operation.encoded:
                rpc = operation.style == "rpc"
                checks.check_request([*own, *incoming.headers], operation.name, rpc=rpc)
            if len(own) > 1 and operation.request_tag:
                raise Refused(f"the Body has {len(own)} children, not one")
            found = {str(header.tag) for header in incoming.headers}
            lacking = [
                part.name
                for tag, part in operation.request_headers.items()
                if part.required and tag not in found
            ]
            if lacking:
                raise Refused(f"the header {lacking[0]} is required")
            copy = etree.fromstring(etree.tostring(node, encoding="UTF-8"))
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
            raise Refused(f"{error.path}: {_told(error)} is not {error.expected}") from None
        unknown = next((each for each in reader.findings if each.kind == "element"), None)
        if (checks.trouble or operation.encoded) and unknown is not None:  # no schema has said so
            raise Refused(f"{unknown.path}: there is no such element")
        return request

    def _rule(self, operation: AnyOperation, request: object) -> Rule[Any, Any] | None:
        with self._lock:
            fitting = [rule for rule in self._rules if rule.fits(operation, request)]
            bounded = [rule for rule in fitting if rule.bounded]
            rule = bounded[0] if bounded else fitting[-1] if fitting else None
            if rule is not None:
                rule.used += 1
            return rule

    def _ruled(
        self,
        rule: Rule[Any, Any],
        operation: AnyOperation,
        request: object,
        incoming: Incoming,
        over: threading.Event,
    ) -> Outgoing:
        if rule.kind == "fault":
            raise Refused(rule.reason, rule.code, rule.detail)
        if rule.kind == "unavailable":
            wait = {} if rule.retry_after is None else {"Retry-After": str(rule.retry_after)}
            return Outgoing(503, b"come back later\n", {"Content-Type": "text/plain", **wait})
        if rule.kind in ("hang", "slow"):
            over.wait(rule.seconds)
        if rule.kind in ("hang", "reset"):
            raise Silence
        if operation.one_way:
            return Outgoing(202)
        if rule.kind == "reply":
            return self._sent(operation, rule.answer(request), incoming, rule.attachments)
        node = self._example(operation, incoming)
        if rule.kind == "drift":
            drift(rule.drift, node, lambda changed: self._errors(changed, operation))
        return self._sent(operation, node, incoming)

    def _check(self, node: etree._Element, operation: AnyOperation) -> None:
        """Raise ResponseError if a response is not valid.

        The schema describes literal messages: encoded ones differ from it (SOAP 1.1 5.1).
        """
        if operation.encoded:
            return
        parts = [node] if operation.response_tag else list(node)
        packaged.checks(self.package).check_response(parts, operation.name, rpc=operation.style == "rpc")

    def _errors(self, node: etree._Element, operation: AnyOperation) -> list[str]:
        """Return why a response is not valid; an encoded one is valid if it can be read."""
        try:
            self._check(node, operation)
            if operation.encoded:
                operation.read_response(node, CountingReader())
        except (ResponseError, DecodeError) as error:
            return [str(error)]
        return []

    def _recorded(self, recording: Recording, request: Request, incoming: Incoming) -> Outgoing:
        from requests import Request as Asked

        headers = dict(request.headers.items())
        asked = Asked(request.method, request.url, headers, data=request.get_data()).prepare()
        try:
            found = recording.answer(asked, _nothing)
        except NotRecorded as error:
            raise Refused("; ".join(str(error).splitlines())) from None
        return Outgoing(found.status_code, found.content, dict(found.headers))

    def _sent(
        self,
        operation: AnyOperation,
        node: etree._Element,
        incoming: Incoming,
        given: Sequence[Attachment] | None = None,
    ) -> Outgoing:
        """Return a response with that element, and with the attachments `given` or examples of them."""
        if operation.encoded:
            encoded.say_types(node, encoded.part_types(self.package).get(operation.response_tag, {}))
            say_arrays(node, operation.codec, operation.row.response, self._array_types)
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
            attachments=examples if given is None else given,
            action=self._served.response_action(operation),
        )

    @lazy
    def _served(self) -> ServedWsdl:
        return ServedWsdl(
            packaged.wsdl(self.package), {quote(path): port for path, port in self.ports.items()}
        )

    @lazy
    def _omitting(self) -> Codec:
        """The codec of encoded requests."""
        return with_omissions(self.package.codec)

    @lazy
    def _array_types(self) -> ArrayTypes:
        return array_types(packaged.wsdl(self.package))

    # ---- examples

    def _example(self, operation: AnyOperation, incoming: Incoming) -> etree._Element:
        """An example of the response that is valid, as far as the schema can say, and the same for requests
        that are alike."""
        tag, kind = operation.response_tag or "response", operation.row.response
        chance = random.Random(f"{self._seed} {operation.key} {_fingerprint(incoming.body, operation)}")
        for chosen in (chance, None):
            node = self._examples.element(kind, tag, complete=True, chance=chosen)
            if self._is_valid(node, operation):
                return node
        sparse = self._examples.element(kind, tag)
        return sparse if self._is_valid(sparse, operation) else node

    def _is_valid(self, node: etree._Element, operation: AnyOperation) -> bool:
        try:
            operation.read_response(node, CountingReader(naive_zone=None))
        except DecodeError:
            return False
        return not self._errors(node, operation)


def _path(port: PortRow) -> str:
    return f"/{port.service}/{port.name}"


def _version(port: PortRow) -> str:
    """The namespace of a port's version of SOAP."""
    return SOAP_12 if port.soap == "1.2" else SOAP_11


def _shares(port: PortRow, other: PortRow) -> bool:
    """Return True if two ports have the same address in the WSDL: each takes the requests of both."""
    return bool(port.address) and port.address.strip() == other.address.strip()


def _told(error: DecodeError | ResponseError) -> str:
    return NOT_SHOWN if is_secret(error.path) else shown(error.value)


def _first_tags(operation: AnyOperation) -> Sequence[str]:
    """The tags that a request without an element of its own may begin with, "" where it may be empty."""
    fields = elements_of(operation.codec, operation.row.request)
    return [*(field.tag for field in fields), *([""] if not any(field.least for field in fields) else [])]


def _fingerprint(body: etree._Element, operation: AnyOperation) -> str:
    """What is asked for: the body without the fields that authenticate whoever sends it."""
    copy = etree.fromstring(etree.tostring(body, encoding="UTF-8"))
    message = next(copy.iterchildren("*"), copy) if operation.request_tag else copy
    remove(message, operation.authentication)
    return hashlib.sha256(etree.tostring(copy, method="c14n", exclusive=True)).hexdigest()


def _nothing() -> Any:  # as `Recording.answer` asks for it: what would send the request
    raise AssertionError("a recording sends nothing")
