"""What stands where zeep has its Client: one per engine (`SoapClient`), and a view of it per call."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import zeep
from lxml import etree
from zeep import plugins
from zeep.proxy import ServiceProxy
from zeep.wsse.username import UsernameToken

from soapclient.calling.loop import Call, Loop
from soapclient.clock import Deadline
from soapclient.errors import ContractError
from soapclient.runtime import CountingReader, ItemStream
from soapclient.soap import attachments, responses
from soapclient.soap.attachments import Attachment, Attachments
from soapclient.soap.binding import BINDINGS, TypedBinding
from soapclient.soap.operations import TypedOperation
from soapclient.soap.requests import Version
from soapclient.soap.zeep_options import Security, ZeepOptions
from soapclient.transport import http

if TYPE_CHECKING:
    import requests

# Called with an operation's name and the values of the declared headers that came with its response.
OnHeaders = Callable[[str, Mapping[str, object]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How an engine's messages are checked and read. `check_request` gets the whole envelope, after all
    plugins; `check_response` the elements of the message. `stream_above` is the length in bytes from which on
    a list is not held as a tree; `long_texts` lets one text be longer than ten million characters."""

    validate: str
    new_reader: Callable[[], CountingReader]
    check_request: Callable[[etree._Element, TypedOperation], None]
    check_response: Callable[[Sequence[etree._Element], TypedOperation], None]
    stream_above: int | None = None
    long_texts: bool = False
    on_headers: OnHeaders | None = None


class SoapClient:
    """zeep's proxies and bindings take it for a `zeep.Client`. Threads may share it.

    `service.GetThing(request)` calls an operation by its WSDL name with the struct of its request; beside it
    `_soapheaders` (typed values, lxml elements, or a dict by the names of the headers), `_http_headers` and
    `_timeout` in seconds. Typed methods go the same way, so that what is set here holds for them, too.
    """

    def __init__(
        self,
        operations: Mapping[str, TypedOperation],
        version: Version,
        address: str,
        rules: Rules,
        loop: Loop,
        *,
        session: requests.Session,
        options: ZeepOptions,
        signing: zeep.Plugin | None = None,
    ) -> None:
        self.address = address
        self.loop = loop
        self.rules = rules
        self.plugins = list(options.plugins)  # more may be appended at any time
        self.settings = options.settings or zeep.Settings()
        self.wsse = _joined(options.security)
        self.binding: TypedBinding = BINDINGS[version](operations, "typed")
        self._default_soapheaders = None  # zeep would merge lists with lists alone
        self._headers: object = None
        self._signing = [] if signing is None else [signing]
        self._checking = [] if rules.validate == "off" else [_Checking(rules.check_request, operations)]
        self._session = session
        self._poster = http.Poster(session, address, same_each_time=options.transport is None)
        self._transport = options.transport if _posts_itself(options.transport) else None
        proxy: Callable[..., ServiceProxy] = ServiceProxy  # zeep has no types
        self.service = proxy(self, self.binding, address=address)

    def set_default_soapheaders(self, headers: object) -> None:
        """Headers of all calls, in any form that `_soapheaders` takes."""
        self._headers = headers

    def create_message(
        self, service: ServiceProxy, operation: str, request: object, **given: Any
    ) -> etree._Element:
        """The envelope as it would be sent, but for WS-Security. Raises ContractError."""
        call = SoapCall(self, self.binding.operations[operation], request, **given)
        made: etree._Element = self.binding.create(call, self._dated(service._binding_options))
        return made

    def attachments(self, *sent: Attachment, **named: Attachment) -> AbstractContextManager[Attachments]:
        """Send attachments with each call inside the `with`, and get those of its response:

        with connection.soap.attachments(photo=Attachment(data, "image/png")) as beside:
            thing = connection.service.store_photo(name="Rome")
        beside.received

        Those that the WSDL declares (the docstring of the method lists them) are given and found by their
        names, `beside["receipt"]`; without one that it requires, the call is a ContractError.
        """
        return attachments.beside(self, sent, named)

    # ---- what calls come through

    # Any: the arguments that zeep hands through.
    def run(self, options: Mapping[str, Any], operation: TypedOperation, *args: Any, **kwargs: Any) -> object:
        """A call with all its attempts; each goes through zeep's own `send`."""
        call = SoapCall(self, operation, *args, **kwargs)
        call.sent = attachments.to_send(call.attachments, operation.operation)
        if call.sent and self._transport is not None:
            name, reason = type(self._transport).__name__, "it posts in its own way, and envelopes alone"
            raise ContractError("attachments", name, "zeep's own way to post", reason, operation=call.name)
        value = self.loop.run(call, lambda offset: self.binding.attempt(call, {**options, "offset": offset}))
        if (
            call.response_headers and self.rules.on_headers is not None
        ):  # out here its own errors lead to no further attempt
            self.rules.on_headers(call.name, call.response_headers)
        return value

    @contextmanager
    def streamed(
        self, operation: str, request: object, headers: object = None
    ) -> Iterator[ItemStream[object, object]]:
        """Call a list operation and read its items as they arrive, in constant memory."""
        with ExitStack() as opened:
            yield self.service[operation](request, _soapheaders=headers, _opened=opened)

    def post_itself(
        self, address: str, envelope: etree._Element, headers: dict[str, str], limits: http.Limits
    ) -> requests.Response | None:
        """What somebody's own transport gives, where it posts in its own way."""
        if self._transport is None:
            return None
        post: Callable[..., requests.Response] = self._transport.post_xml  # zeep has no types
        with http.failures(address, limits):
            return post(address, envelope, headers)

    def post(
        self, address: str, headers: Mapping[str, str], body: bytes, limits: http.Limits
    ) -> http.Response:
        """Post a body inside the limits."""
        if address == self.address:
            return self._poster.post(headers, body, limits)
        return http.send(self._session, "POST", address, headers=headers, body=body, limits=limits)

    def all_plugins(self) -> list[zeep.Plugin]:
        """The signature first, validation last."""
        return [*self._signing, *self.plugins, *self._checking]

    def default_headers(self, given: object) -> object:
        """Headers of all calls, with those of one."""
        if not self._headers:
            return given
        return [*_listed(self._headers), *_listed(given)]

    def _dated(self, options: Mapping[str, Any]) -> dict[str, Any]:
        skew = self.loop.skew
        return {**options, "offset": timedelta(0) if skew is None else skew.offset}


@dataclass(frozen=True, slots=True)
class _CallSettings:
    """What zeep's binding reads of its settings, taken once per call: zeep's own look into the thread each
    time."""

    raw_response: bool
    extra_http_headers: Mapping[str, str] | None


class SoapCall(Call):
    """One call, as zeep's binding sees its client: what varies from call to call is here and nowhere else."""

    __slots__ = (
        "_client",
        "_envelope",
        "attachments",
        "needs_tree",
        "opened",
        "operation",
        "plugins",
        "reader",
        "response_headers",
        "rules",
        "sent",
        "settings",
        "transport",
        "wsse",
    )  # fmt: skip

    def __init__(
        self,
        client: SoapClient,
        operation: TypedOperation,
        request: object,
        *,
        _soapheaders: object = None,
        _deadline: Deadline | None = None,
        _timeout: float | None = None,
        _http_headers: Mapping[str, str] | None = None,
        _opened: ExitStack | None = None,
    ) -> None:
        """Writes the envelope. Raises ContractError."""
        loop = client.loop
        deadline = _deadline or loop.deadline(_timeout)
        limits = loop.limits(operation.name, deadline)
        super().__init__(operation.name, deadline, limits, loop.clock, safe=operation.safe)
        self._client = client
        self.operation = operation
        self.rules = client.rules
        self._envelope = operation.envelope(request, client.default_headers(_soapheaders))
        self.plugins = client.all_plugins()
        self.wsse = client.wsse
        self.transport = self
        extra: Mapping[str, str] | None = client.settings.extra_http_headers
        if _http_headers:
            extra = {**(extra or {}), **_http_headers}
        # A stream is one of items, whatever the settings say of whole responses.
        self.settings = _CallSettings(client.settings.raw_response and _opened is None, extra)
        self.opened = _opened
        self.response_headers: Mapping[str, object] = {}
        self.attachments = attachments.of(client)
        self.sent: Sequence[Attachment] = ()
        if self.attachments is not None:
            self.attachments.receive(operation.operation, ())
        listening = any(type(each).ingress is not zeep.Plugin.ingress for each in client.plugins)
        heard = self.rules.on_headers is not None and bool(operation.response_headers)
        self.needs_tree = self.rules.validate == "all" or listening or heard or _verifies(self.wsse)

    def envelope(self) -> etree._Element:
        """The envelope for one attempt: plugins and wsse write into it."""
        return copy.deepcopy(self._envelope)

    # ---- what zeep knows as the transport

    def post_xml(
        self, address: str, envelope: etree._Element, headers: dict[str, str]
    ) -> http.Response | requests.Response:
        """Post an envelope. Raises Timeout and ConnectionFailed."""
        own = self._client.post_itself(address, envelope, headers, self.limits)
        if own is not None:
            self.arrived(http.Response(own, self.limits, decode=True))
            return own
        body = etree.tostring(envelope, xml_declaration=True, encoding="UTF-8")
        if self.sent:
            body, headers = attachments.packed(body, headers, self.sent)
        if self.event is not None:
            self.event.sent = len(body)
        response = self._client.post(address, headers, body, self.limits)
        self.arrived(response)
        return response.read_all() if self.settings.raw_response else response

    # ---- responses

    def read(self, http_response: http.Response | requests.Response) -> object:
        """Read a response, or open it where its items are asked for one by one."""
        if isinstance(http_response, http.Response):
            response = http_response
        else:  # of somebody's own transport
            response = http.Response(http_response, self.limits, decode=True)
        loop, reader = self._client.loop, self.rules.new_reader()
        if self.opened is None:
            with response, loop.reading(self, reader):
                return responses.read(self, response, reader)
        with ExitStack() as opening:
            opening.enter_context(response)
            opening.enter_context(loop.reading(self, reader))
            stream = responses.open_stream(self, response, reader, renewed=loop.deadline)
            self.opened.push(opening.pop_all())
            return stream

    def ingress(self, root: etree._Element, response: http.Response) -> etree._Element:
        """A response after all plugins have seen it."""
        apply: Callable[..., tuple[etree._Element, object]] = plugins.apply_ingress
        return apply(self, root, response.headers, self.operation)[0]


class _Checking(zeep.Plugin):
    """The last plugin: checks the very tree as those before have made it; wsse comes after."""

    def __init__(
        self,
        check: Callable[[etree._Element, TypedOperation], None],
        operations: Mapping[str, TypedOperation],
    ) -> None:
        self._check = check
        self._operations = operations

    # Any: what zeep hands over has no types. `.zeep` brings zeep's own operations, of the same names.
    def egress(
        self, envelope: etree._Element, http_headers: Any, operation: Any, binding_options: Any
    ) -> tuple[etree._Element, Any]:
        """Raise ContractError where a message is not valid."""
        self._check(envelope, self._operations[operation.name])
        return envelope, http_headers


class _Several:
    """Several securities as one: zeep itself would apply each, and verify none."""

    def __init__(self, securities: Sequence[Security]) -> None:
        self.securities = securities

    def apply(
        self, envelope: etree._Element, headers: dict[str, str], /
    ) -> tuple[etree._Element, dict[str, str]]:
        for each in self.securities:
            envelope, headers = each.apply(envelope, headers)
        return envelope, headers

    def verify(self, envelope: etree._Element, /) -> object:
        for each in self.securities:
            each.verify(envelope)
        return envelope


def _joined(securities: Sequence[Security]) -> Security | None:
    if len(securities) > 1:
        return _Several(securities)
    return securities[0] if securities else None


def _verifies(security: Security | None) -> bool:
    """Whether a response has to be there as a whole for it; a UsernameToken looks at none."""
    if isinstance(security, _Several):
        return any(map(_verifies, security.securities))
    return security is not None and type(security).verify is not UsernameToken.verify


def _posts_itself(transport: zeep.Transport | None) -> bool:
    """Whether a transport has a way of its own to post."""
    if transport is None:
        return False
    kind, own = type(transport), zeep.Transport
    return kind.post_xml is not own.post_xml or kind.post is not own.post


def _listed(headers: object) -> list[object]:
    if not headers:
        return []
    return list(headers) if isinstance(headers, list | tuple) else [headers]
