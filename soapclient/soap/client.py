"""Replacements for zeep's Client and bindings. They do not load the WSDL.

Requests are encoded and responses are decoded by the generated package, not by zeep.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import zeep
from lxml import etree
from zeep.proxy import ServiceProxy
from zeep.wsdl.bindings.soap import Soap11Binding, Soap12Binding
from zeep.wsdl.messages.base import SerializedMessage

from soapclient.calling.loop import Loop
from soapclient.errors import ContractError
from soapclient.runtime import ItemStream
from soapclient.runtime.service import Attachment, attached
from soapclient.soap import attachments
from soapclient.soap.attachments import Attachments
from soapclient.soap.calls import Rules, Sender, SoapCall, ZeepClient
from soapclient.soap.envelope import Version
from soapclient.soap.operations import TypedOperation
from soapclient.soap.request_checks import PolicyPlugin
from soapclient.soap.zeep_options import ZeepOptions

if TYPE_CHECKING:
    import requests

# Any, in all of this file: zeep has no types.
_proxy: Callable[..., ServiceProxy] = ServiceProxy

_zeep_log = logging.getLogger("zeep")
if _zeep_log.level == logging.NOTSET:  # at lower levels, zeep logs complete messages
    _zeep_log.setLevel(logging.WARNING)


class SoapClient(Sender):
    """A client that zeep's proxies and bindings use like a `zeep.Client`. Thread-safe.

    `service.GetThing(request)` calls an operation by its WSDL name. Pass its request as a struct, or the
    fields of the request by name: `service.GetThing(id="…")`. Further arguments are `_soapheaders` (typed
    values, lxml elements, or a dict by header name), `_http_headers`, and `_timeout` in seconds.

    The typed methods of generated services make their calls with this client. A change to the client, such as
    an appended plugin, applies to these calls, too.
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
        super().__init__(operations, address, rules, loop, session=session, options=options, signing=signing)
        self.binding: TypedBinding = _BINDINGS[version](operations, "typed")
        self._default_soapheaders = None  # not used: zeep can merge only lists with lists
        self.service = _proxy(self, self.binding, address=address)

    def view(self, loop: Loop) -> SoapClient:
        """Return a copy of this client that makes its calls with another call loop.

        A call loop makes the attempts of each call, with its own options such as timeouts and headers. It is
        not an event loop of asyncio.
        """
        view = copy.copy(self)
        view.loop = loop
        view.service = _proxy(view, self.binding, address=self.address)
        return view

    def create_message(
        self, service: ServiceProxy, operation: str, *given: object, **fields: Any
    ) -> etree._Element:
        """Return the envelope that a call would send, without WS-Security.

        `service` is the attribute `service` of this client, and `operation` an operation's name in the WSDL.
        The other arguments are those of the call. Raises ContractError if one of them is invalid.
        """
        call = SoapCall(self, self.binding.operations[operation], *given, **fields)
        call.plugins = [plugin for plugin in call.plugins if not isinstance(plugin, PolicyPlugin)]
        envelope: etree._Element = self.binding.create(call, self._with_offset(service._binding_options))
        return envelope

    def attachments(self, *sent: Attachment, **named: Attachment) -> AbstractContextManager[Attachments]:
        """Send attachments with each call inside a `with` block, and get the attachments of the response.

            with service.soap.attachments(photo=Attachment(data, "image/png")) as attachments:
                thing = service.store_photo(name="Rome")
            attachments.received

        The docstring of a method lists the attachments that the WSDL declares. Pass them by name, and get
        them from the response by name: `attachments["receipt"]`. A call raises ContractError if a declared
        attachment is missing.
        """
        return attachments.beside(self.plugins, sent, named)

    # ---- calls

    def run(self, options: Mapping[str, Any], operation: TypedOperation, *args: Any, **kwargs: Any) -> object:
        """Make a call with all its attempts, and return its result.

        `options` are the binding options that zeep passes to `send`, such as the address. `args` and `kwargs`
        are the arguments of the call.
        """
        call = SoapCall(self, operation, *args, **kwargs)
        if call.attachments is not None or operation.operation.request_attachments:
            call.sent = attachments.to_send(call.attachments, operation.operation)
        if call.sent and self.own_transport is not None:
            name = type(self.own_transport).__name__
            reason = "a transport with its own `post` cannot send attachments"
            raise ContractError(
                "attachments", name, "a transport that uses zeep's `post`", reason, operation=call.name
            )
        try:
            value = self.loop.run(call, partial(self.binding.attempt, call, options))
        finally:
            if call.parts.sources:
                call.parts.close()
        if (
            call.response_headers and self.rules.on_headers is not None
        ):  # outside the loop: an error in the callback must not cause a retry
            self.rules.on_headers(call.name, call.response_headers)
        return value

    @contextmanager
    def streamed(
        self, operation: str, request: object, headers: object = None
    ) -> Iterator[ItemStream[object, object]]:
        """Call a list operation and return its items as they arrive (context manager).

        The context manager returns an iterator over the items.
        """
        with ExitStack() as opened:
            yield self.service[operation](request, _soapheaders=headers, _opened=opened)

    def _with_offset(self, options: Mapping[str, Any]) -> dict[str, Any]:
        skew = self.loop.skew
        return {**options, "offset": timedelta(0) if skew is None else skew.offset}


class TypedBinding:
    """Base class of the bindings for SOAP 1.1 and 1.2.

    Each attempt is made by the `send` of zeep's binding.
    """

    def __init__(self, operations: Mapping[str, TypedOperation], name: str) -> None:
        self.name = name
        self.port_name = None
        self.port_type = None
        self.transport = None
        self.default_style = "document"
        self.wsdl = None
        self._operations: Any = operations  # zeep uses this name
        self.operations = operations

    def __repr__(self) -> str:
        """Return the class name and the number of operations. zeep's `__repr__` requires a WSDL document."""
        return f"{type(self).__name__}({len(self.operations)} operations)"

    def _set_http_headers(self, serialized: SerializedMessage, operation: TypedOperation) -> None:
        serialized.headers.update(operation.http_headers)

    def send(
        self, client: SoapClient, options: Mapping[str, Any], operation: str, args: Any, kwargs: Any
    ) -> object:
        """Make a call with all its attempts, and return its result. Called by the OperationProxy of zeep."""
        return client.run(options, self.operations[operation], *args, **kwargs)

    def attempt(self, call: SoapCall, options: Mapping[str, Any], offset: timedelta) -> object:
        """Make one attempt with `send` of zeep's binding.

        `send` creates the envelope (WS-Addressing, plugins, wsse, headers), posts it, and reads the response.
        `offset` is added to the local clock for timestamps, because the server's clock may differ.
        """
        send: Any = super().send  # type: ignore[misc] # in the other base class of the subclasses
        if call.sent:
            send = _with_attachments(send, call)
        result: object = send(
            ZeepClient(call), {**options, "offset": offset}, call.name, (call.envelope(),), {}
        )
        return result

    def create(self, call: SoapCall, options: Mapping[str, Any]) -> Any:
        """Return the envelope that `attempt` would send."""
        create: Any = self._create  # type: ignore[attr-defined] # zeep's
        envelope = call.envelope(logical=True)
        if call.parts.sources:
            call.parts.close()
        return create(call.name, (envelope,), {}, client=ZeepClient(call), options=options)[0]

    def process_reply(self, client: ZeepClient, operation: TypedOperation, response: Any) -> object:
        """Read a response and return its value.

        zeep's `send` calls this method with the result of `post_xml`.
        """
        return client.call.read(response)


# Any: zeep has no types.
def _with_attachments(send: Callable[..., Any], call: SoapCall) -> Callable[..., Any]:
    """Return a function that calls `send`, so that security objects also sign the attachments of `call`."""

    def sending(*arguments: Any) -> Any:
        with attached(call.sent):
            return send(*arguments)

    return sending


class Typed11Binding(TypedBinding, Soap11Binding):
    """The binding for SOAP 1.1."""


class Typed12Binding(TypedBinding, Soap12Binding):
    """The binding for SOAP 1.2."""


_BINDINGS: Final[dict[Version, type[Typed11Binding] | type[Typed12Binding]]] = {
    "1.1": Typed11Binding,
    "1.2": Typed12Binding,
}
