"""The state of one SOAP call (`SoapCall`), and the state that all calls of a client share (`Sender`)."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

import msgspec
import zeep
from lxml import etree
from zeep import plugins
from zeep.ns import WSA
from zeep.wsa import WsAddressingPlugin

from soapclient.calling.events import OnHeaders
from soapclient.calling.loop import Call, Loop
from soapclient.calling.reader import check_echo
from soapclient.clock import Deadline
from soapclient.errors import BrokenResponse, ConfigError, ResponseError, SecurityError, SoapClientError
from soapclient.runtime import CountingReader, DecodeError, Finding, ItemStream, ListOperation
from soapclient.runtime.errors import path_of
from soapclient.runtime.service import Attachment, attached
from soapclient.soap import attachments, envelope, faults, multipart
from soapclient.soap.envelope import message_ids
from soapclient.soap.mtom import OFF, Mtom, Parts
from soapclient.soap.operations import TypedOperation
from soapclient.soap.request_checks import PolicyPlugin, ValidationPlugin
from soapclient.soap.zeep_options import Wsse, ZeepOptions, checked_settings
from soapclient.transport import bodies, http
from soapclient.transport.failure_reasons import failures
from soapclient.transport.session import no_redirects
from soapclient.transport.streamed_body import StreamedBody

if TYPE_CHECKING:
    import requests

_MAX_COMPILED: Final = 1 << 24  # bytes of a response that are collected for the compiled reader


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """How an engine validates requests and responses, and how it reads responses.

    `check_request` is called with the complete envelope after all plugins have been applied, `check_response`
    with the elements of the response message. If the response to a list operation has more than
    `stream_above` bytes, it is read item by item, so that its complete tree is never in memory. `mtom` says
    when requests use MTOM. `unsecured` has the operations whose requests must not be sent without a Security
    header, each with the error to raise.
    """

    validate: str
    new_reader: Callable[[], CountingReader]
    check_request: Callable[[etree._Element, TypedOperation], None]
    check_response: Callable[[Sequence[etree._Element], TypedOperation], None]
    stream_above: int | None = None
    on_headers: OnHeaders | None = None
    mtom: Mtom = OFF
    unsecured: Mapping[str, ConfigError] = {}


class Sender:
    """Base class of `SoapClient`: the address, connections, plugins and headers of calls. Thread-safe."""

    def __init__(
        self,
        operations: Mapping[str, TypedOperation],
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
        self.plugins = list(options.plugins)  # users can append more plugins at any time
        self.settings = checked_settings(options.settings)
        self.wsse = _combine(options.security)
        self._headers: object = None
        self._signing = [] if signing is None else [signing]
        self._checking: list[zeep.Plugin] = (
            [] if rules.validate == "off" else [ValidationPlugin(rules.check_request, operations)]
        )
        if rules.unsecured:
            self._checking.append(PolicyPlugin(rules.unsecured))
        self.post = http.HttpClient(session, address, same_each_time=options.transport is None).post
        # The user's transport, if it overrides the methods of zeep that send requests.
        self.own_transport = options.transport if _overrides_post(options.transport) else None
        self.new_token: Callable[[], str] = multipart.new_token  # source of boundaries and Content-IDs

    def set_default_soapheaders(self, headers: object) -> None:
        """Set the SOAP headers of all calls, in any form that `_soapheaders` accepts."""
        self._headers = headers

    def default_headers(self, headers: object) -> object:
        """Return the SOAP headers for one call.

        These are the default headers of the client, the headers passed to `with_options`, and `headers`.
        """
        if not (self._headers or self.loop.options.soapheaders):
            return headers
        others = [*_as_list(self._headers), *self.loop.options.soapheaders]
        return [*others, *_as_list(headers)]

    def all_plugins(self) -> list[zeep.Plugin]:
        """Return the plugins in the order of their use: signature, the user's plugins, validation."""
        if not self.plugins:
            return [*self._signing, *self._checking]
        plugins = [
            _AddressingPlugin(plugin) if isinstance(plugin, WsAddressingPlugin) else plugin
            for plugin in self.plugins
        ]
        return [*self._signing, *plugins, *self._checking]


class _CallSettings(msgspec.Struct, frozen=True):
    """The settings that zeep's binding reads.

    They are copied once per call, because reading zeep's own settings is slow.
    """

    raw_response: bool
    extra_http_headers: Mapping[str, str] | None


class SoapCall(Call):
    """State of one call over SOAP, with all its attempts."""

    __slots__ = (
        *("_envelope", "_request", "attachments", "client", "listening", "message_ids", "needs_tree"),
        *("opened", "operation", "parts", "plugins", "response_headers", "rules", "sent", "settings", "wsse"),
    )

    def __init__(
        self,
        client: Sender,
        operation: TypedOperation,
        *given: object,
        _soapheaders: object = None,
        _timeout: float | None = None,
        _http_headers: Mapping[str, str] | None = None,
        _opened: ExitStack | None = None,
        **fields: object,
    ) -> None:
        """Write the envelope of the call. Raises ContractError if a value is invalid.

        The request is one positional argument (`given`) or its fields as keyword arguments (`fields`). If
        `_opened` (an ExitStack) is passed, the call returns a stream of items, and closing `_opened` closes
        the response. `_timeout` is in seconds.
        """
        request = given[0] if len(given) == 1 and not fields else operation.request_of(given, fields)
        loop = client.loop
        deadline = loop.deadline(_timeout)
        limits = loop.limits(operation.name, deadline)
        super().__init__(operation.name, deadline, limits, loop, safe=operation.safe)
        self.client = client
        self.operation = operation
        self.rules = client.rules
        # A transport with its own `post` gets the envelope, so it cannot send parts.
        rule = OFF if operation.encoded or client.own_transport is not None else client.rules.mtom
        self.parts = Parts(rule, operation.name, deadline, client.new_token)
        with self.parts.taking():
            self._envelope = operation.envelope(request, client.default_headers(_soapheaders))
        self._request = request
        self.message_ids: frozenset[str] = frozenset()  # MessageIDs of the last attempt
        if self.safe:
            self.identify(etree.tostring(self._envelope), self.parts if self.parts.sources else ())
        if _opened is not None:
            self.open_connection()
        extra: Mapping[str, str] | None = client.settings.extra_http_headers
        extra = {**(extra or {}), **loop.headers(self.request_id), **(_http_headers or {})}
        # `raw_response` does not apply to streams, which return items.
        self.settings = _CallSettings(client.settings.raw_response and _opened is None, extra)
        self.plugins = client.all_plugins()
        self.wsse = client.wsse
        self.opened = _opened
        self.response_headers: Mapping[str, object] = {}
        self.attachments = attachments.of(client.plugins)
        self.sent: Sequence[Attachment] = ()
        if self.attachments is not None:
            self.attachments.receive(operation.operation, ())
        self.listening = bool(client.plugins) and any(map(_handles_responses, client.plugins))
        heard = self.rules.on_headers is not None and bool(operation.response_headers)
        verifying = self.wsse is not None and verifies(self.wsse)
        self.needs_tree = verifying or self.rules.validate == "all" or self.listening or heard

    def envelope(self, *, logical: bool = False) -> etree._Element:
        """Return a copy of the envelope for one attempt, because plugins and wsse modify it.

        If there are plugins or wsse, or if `logical` is True, the copy contains binary values as Base64 text,
        even if they are sent as parts.
        """
        root = copy.deepcopy(self._envelope)
        self.parts.prepare(root, logical=logical or bool(self.client.plugins) or self.wsse is not None)
        return root

    # ---- responses

    def read(self, http_response: http.Response | requests.Response) -> object:
        """Read a response and return it, or a stream of its items if the call was made for a stream."""
        if isinstance(http_response, http.Response):
            response = http_response
        else:  # a response of the user's own transport
            response = http.Response(http_response, self.limits, decode=True)
        loop, reader = self.client.loop, self.rules.new_reader()
        reader.check_deadline = response.check_deadline
        if self.opened is None:
            with response:
                try:
                    value = self._read(response, reader)
                    check_echo(self.operation.operation, self._request, value)
                except BaseException as error:
                    loop.read(self, reader, error)
                    raise
                if reader.findings:
                    loop.read(self, reader)
                return value
        with ExitStack() as opening:
            opening.enter_context(response)
            opening.push(lambda kind, error, trace: loop.read(self, reader, error))
            stream = self._open_stream(response, reader, loop.deadline)
            self.opened.push(opening.pop_all())
            self.opened.push(loop.naming(self))
            return stream

    def ingress(self, root: etree._Element, response: http.Response) -> etree._Element:
        """Call the method `ingress` of all plugins with a response envelope.

        Return the resulting envelope.
        """
        apply: Callable[..., tuple[etree._Element, object]] = plugins.apply_ingress
        return apply(self, root, response.headers, self.operation)[0]

    def _read(self, response: http.Response, reader: CountingReader) -> object:
        """Read the complete response and return it.

        A list response with more than `stream_above` bytes is read item by item, unless the call needs the
        complete tree (`needs_tree`). Attachments are stored after the envelope is verified. Raises
        ServiceFault, ResponseError, UnexpectedResponse, and the errors of the transport.
        """
        operation, rules = self.operation, self.rules
        if operation.one_way:
            self._read_nothing(response, reader)
            return operation.read(etree.Element("nothing"), reader)
        envelope.check_head(response, operation.name)
        if response.content_type == envelope.IN_PARTS:
            root, received = attachments.opened(response, operation.name)
            root = self._verified(root, response, reader, received)
            if self.attachments is not None:
                self.attachments.receive(operation.operation, received)
            return self._read_tree(root, response, reader, received)
        chunks: Iterable[bytes] = response.chunks()
        limit = None if operation.listed is None or self.needs_tree else rules.stream_above
        compiled = operation.compiled if envelope.is_usual(response) and not self.needs_tree else None
        if limit is not None or compiled is not None:
            is_complete, chunks = _up_to(limit, chunks)
            if is_complete:
                chunks = list(chunks)  # not joined, because libxml2 limits the size of a chunk
                value = None if compiled is None else compiled.read(b"".join(chunks), reader.check_deadline)
                if value is not None:
                    return value
            elif limit is not None:
                # Imported late, here and below, because streams import the modules of tables, which few calls
                # need.
                from soapclient.soap.streams import ResponseStream

                return ResponseStream(operation, response, chunks, reader, self.understands).collect()
        root = self._verified(bodies.parse(chunks, response, operation.name), response, reader)
        return self._read_tree(root, response, reader)

    def _open_stream(
        self, response: http.Response, reader: CountingReader, renewed: Callable[[], Deadline]
    ) -> ItemStream[object, object]:
        """Read the first item of a response, and return a stream of all its items.

        `renewed` is a function that returns a new deadline. It is called each time the stream waits for more
        data.
        """
        operation = self.operation.operation
        assert isinstance(operation, ListOperation)  # only list operations have a stream method
        if self.needs_tree or self.operation.listed is None or response.content_type == envelope.IN_PARTS:
            value = self._read(response, reader)
            check_echo(operation, self._request, value)
            from soapclient.calling.read_items import ReadItems

            return ReadItems(value, operation)
        from soapclient.soap.streams import ResponseStream

        envelope.check_head(response, self.operation.name)
        stream = ResponseStream(self.operation, response, response.chunks(), reader, self.understands)
        stream.prime()
        check_echo(operation, self._request, stream.known_head)
        response.renew(renewed)
        return stream

    def _read_tree(
        self,
        root: etree._Element,
        response: http.Response,
        reader: CountingReader,
        received: Sequence[Attachment] = (),
    ) -> object:
        """Decode and return the response in `root`, a verified envelope. `received` are its attachments."""
        operation, name = self.operation, self.name
        if self.listening:
            root = self.ingress(root, response)
        head, body = envelope.parts(root, response, name, reader)
        # The RelatesTo of a recorded response names the recorded request.
        if head is not None and self.message_ids and response.is_live:
            envelope.check_relation(head, self.message_ids, name)
        faults.refuse(body, response, operation, reader)
        if head is not None:
            envelope.require_understood(head, self.understands, name)
        if operation.encoded:
            from soapclient.soap import encoded  # imported late: few services use SOAP encoding

            body = encoded.resolve(body, operation.operation)
        node = operation.message(body, reader)
        if self.rules.validate == "all" and not operation.encoded:
            checked = [node] if operation.response_tag else list(body.iterchildren("*"))
            self.rules.check_response(checked, operation)
        try:
            value = operation.read(node, reader)
            if node.tag != operation.response_tag:
                _refuse_other_operation(operation, node, reader)
            if head is not None:
                self.response_headers = envelope.read_head(operation.response_headers, head, reader)
            if declared := operation.operation.response_attachments:
                for lacking in set(declared) - set(attachments.by_part(declared, received)):
                    reader.findings[Finding("missing", f"attachments/{lacking}", "")] += 1
            return value
        except DecodeError as error:
            _refuse_other_operation(operation, node, reader, empty=True)
            raise ResponseError(
                error.path, error.value, error.expected, operation=name, skippable=error.skippable
            ) from None
        except RecursionError:
            raise ResponseError(path_of(node), "…", bodies.LESS_NESTED, operation=name) from None

    def _read_nothing(self, response: http.Response, reader: CountingReader) -> None:
        """Check the response to a one-way operation, which does not return a value.

        Raises the same errors as `read`, for example if the response is a fault, has an error status, or has
        an envelope that is not secured as required.
        """
        if response.status in {202, 204}:
            return
        envelope.check_head(response, self.name)
        chunks = response.chunks()
        first = next(chunks, b"")
        if not first and response.status < 400:
            return
        root = bodies.parse(itertools.chain((first,) if first else (), chunks), response, self.name)
        root = self._verified(root, response, reader)
        head, body = envelope.parts(root, response, self.name, reader)
        faults.refuse(body, response, self.operation, reader)
        envelope.require_understood(head, self.understands, self.name)

    def understands(self, tag: str) -> bool:
        """Return True if this call processes response headers with the tag `tag`.

        A response is refused if it has another header with mustUnderstand.
        """
        if tag in self.operation.response_headers:
            return True
        if tag == f"{{{envelope.SECURITY}}}Security":
            return self.wsse is not None
        return tag.startswith(f"{{{envelope.ADDRESSING}}}") and (
            self.operation.abstract.wsa_action is not None
            or any(isinstance(plugin, _AddressingPlugin) for plugin in self.plugins)
        )

    def _verified(
        self,
        root: etree._Element,
        response: http.Response,
        reader: CountingReader,
        received: Sequence[Attachment] = (),
    ) -> etree._Element:
        """Verify a response with WS-Security, and return the envelope to read.

        `received` are the attachments of the response. Raises SecurityError if the verification fails.

        If the verification of a fault fails, the fault itself is raised, with a note that it is not verified.
        Services often do not sign faults, and the user needs their text. An unverified fault does not prove
        that a write was refused.
        """
        if self.wsse is None:
            return root
        try:
            with attached(received):  # not the attachments of the request
                return verified(root, self.wsse, self.name)
        except SecurityError as error:
            if (node := envelope.fault_of(root)) is None:
                raise
            unverified = faults.fault(node, response, self.operation, reader)
            unverified.not_processed = False
            unverified.add_note(f"this fault is not verified: {error.problem}")
            raise unverified from error


class ZeepClient:
    """The object that zeep's binding uses as its client for one attempt of a call."""

    def __init__(self, call: SoapCall) -> None:
        self.plugins = call.plugins
        self.settings = call.settings
        self.wsse = call.wsse
        self.transport = _Transport(call)
        self.call = call


class _Transport:
    """The object that zeep's binding uses as its transport for one attempt of a call."""

    def __init__(self, call: SoapCall) -> None:
        self._call = call

    def post_xml(
        self, address: str, envelope: etree._Element, headers: dict[str, str]
    ) -> http.Response | requests.Response:
        """Send an envelope as a POST request, and return the response.

        Raises Timeout or ConnectionFailed if there is no response.
        """
        call, client = self._call, self._call.client
        headers = {**headers, **client.loop.context()}
        call.message_ids = message_ids(envelope)
        if client.own_transport is not None:
            call.sent_bytes = len(etree.tostring(envelope))
            post: Callable[..., requests.Response] = client.own_transport.post_xml
            with failures(address, call.limits), no_redirects(client.own_transport.session):
                own = post(address, envelope, headers)
            call.arrived(http.Response(own, call.limits, decode=True))
            return own
        body, headers = call.parts.body(envelope, headers, call.sent, call.limits.deadline)
        call.sent_bytes = len(body)
        try:
            response = client.post(address, headers, body, call.limits)
        finally:
            if isinstance(body, StreamedBody):
                body.close()
        call.arrived(response)
        return response.read_all() if call.settings.raw_response else response


def _up_to(limit: int | None, chunks: Iterable[bytes]) -> tuple[bool, Iterable[bytes]]:
    """Read the first chunks of a response, until they have more than `limit` bytes.

    Returns a pair. If the response ends within the limit, the pair is True and a list of all chunks.
    Otherwise, it is False and an iterable over all chunks, which reads the remaining chunks when needed.

    If `limit` is None, the limit is 16 MiB, and this function does not raise errors while reading. Instead,
    the iterable raises them, after the chunks that arrived before. This allows the caller to find an error in
    these chunks first.
    """
    start: list[bytes] = []
    size = 0
    further = iter(chunks)
    try:
        for chunk in further:
            start.append(chunk)
            size += len(chunk)
            if size > (_MAX_COMPILED if limit is None else limit):
                return False, itertools.chain(start, further)
    except SoapClientError as error:
        if limit is not None:
            raise
        return False, bodies.then_raise(start, error)
    return True, start


def _refuse_other_operation(
    operation: TypedOperation, node: etree._Element, reader: CountingReader, *, empty: bool = False
) -> None:
    """Raise BrokenResponse if an RPC response seems to belong to another operation.

    `node` is the element of the response. A node with an expected name is accepted. A node with another name
    is refused in two cases:

    - It has children, and all of them are unknown in the contract.
    - It has no children, and `empty` is True.
    """
    tag = operation.response_tag
    if not tag or node.tag == tag or node.tag in operation.response_members:
        return
    unknown = {finding.path for finding in reader.findings if finding.kind == "element"}
    names = {path_of(child, index=False) for child in node.iterchildren("*")}
    if (names or empty) and unknown.issuperset(names):
        path, expected = path_of(node), f"the element {tag}, or an element with the same children"
        raise BrokenResponse(path, str(node.tag), expected, operation=operation.name) from None


class _AddressingPlugin(zeep.Plugin):
    """Wraps a `WsAddressingPlugin` of zeep that the user passed, so that headers do not occur twice.

    If the WSDL declares an action, zeep's binding has already added addressing headers. The plugin's headers
    replace them, because the user may have configured another address in the plugin.
    """

    def __init__(self, plugin: zeep.Plugin) -> None:
        self._plugin = plugin

    # Any: zeep has no types.
    def egress(
        self, envelope: etree._Element, http_headers: Any, operation: Any, binding_options: Any
    ) -> Any:
        """Replace the addressing headers that zeep's binding has added by the plugin's headers.

        Return the result of the plugin.
        """
        if operation.abstract.wsa_action:
            head = envelope[0]
            for name in ("Action", "MessageID", "To"):
                head.remove(head.findall(f"{{{WSA}}}{name}")[-1])
        egress: Callable[..., Any] = self._plugin.egress
        return egress(envelope, http_headers, operation, binding_options)

    def ingress(self, envelope: etree._Element, http_headers: Any, operation: Any) -> Any:
        """Apply the plugin to a response."""
        ingress: Callable[..., Any] = self._plugin.ingress
        return ingress(envelope, http_headers, operation)


class _SecurityChain:
    """Combines several security objects. zeep itself would apply a list of them, but not verify responses."""

    def __init__(self, securities: Sequence[Wsse]) -> None:
        self.securities = securities

    def apply(
        self, envelope: etree._Element, headers: dict[str, str], /
    ) -> tuple[etree._Element, dict[str, str]]:
        for security in self.securities:
            envelope, headers = security.apply(envelope, headers)
        return envelope, headers

    def verify(self, envelope: etree._Element, /) -> object:
        for security in self.securities:
            verified = security.verify(envelope)
            envelope = verified if isinstance(verified, etree._Element) else envelope
        return envelope


def verified(root: etree._Element, security: Wsse, operation: str) -> etree._Element:
    """Verify an envelope with WS-Security, and return the envelope to read.

    Raises SecurityError if the verification fails.
    """
    try:
        result = security.verify(root)
    except SecurityError as error:
        raise SecurityError(error.code, error.problem, part=error.part, operation=operation) from error
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise SecurityError("other", problem, operation=operation) from error
    return result if isinstance(result, etree._Element) else root


def _combine(securities: Sequence[Wsse]) -> Wsse | None:
    if len(securities) > 1:
        return _SecurityChain(securities)
    return securities[0] if securities else None


def _handles_responses(plugin: zeep.Plugin) -> bool:
    """Return True if a plugin has its own method `ingress`, so that it reads or changes responses."""
    return type(plugin).ingress is not zeep.Plugin.ingress


def verifies(security: Wsse) -> bool:
    """Return True if a security object verifies responses, so that each must be read completely first."""
    if isinstance(security, _SecurityChain):
        return any(map(verifies, security.securities))
    own = getattr(security, "verifies", None)  # of soapclient.security
    if isinstance(own, bool):
        return own
    from zeep.wsse.username import UsernameToken  # imported late: zeep.wsse also imports xmlsec, if installed

    return type(security).verify is not UsernameToken.verify


def _overrides_post(transport: zeep.Transport | None) -> bool:
    """Return True if a user's transport has its own method `post_xml` or `post`."""
    if transport is None:
        return False
    kind, own = type(transport), zeep.Transport
    return kind.post_xml is not own.post_xml or kind.post is not own.post


def _as_list(headers: object) -> list[object]:
    if not headers:
        return []
    return list(headers) if isinstance(headers, list | tuple) else [headers]
