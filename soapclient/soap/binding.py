"""zeep's SOAP bindings with typed operations: no WSDL is loaded, zeep neither serialises nor decodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from zeep.wsdl.bindings.soap import Soap11Binding, Soap12Binding
from zeep.wsdl.messages.base import SerializedMessage

from soapclient.soap.operations import TypedOperation

if TYPE_CHECKING:
    from soapclient.soap.client import SoapCall, SoapClient
    from soapclient.soap.requests import Version

# Any, all through this file: what zeep hands over has no types.


class TypedBinding:
    """What both versions have in common. zeep's own `send` makes one attempt; the client says how many."""

    def __init__(self, operations: Mapping[str, TypedOperation], name: str) -> None:
        self.name = name
        self.port_name = None
        self.port_type = None
        self.transport = None
        self.default_style = "document"
        self.wsdl = None
        self._operations: Any = operations  # so zeep calls them
        self.operations = operations

    def _set_http_headers(self, serialized: SerializedMessage, operation: TypedOperation) -> None:
        serialized.headers.update(operation.http_headers)

    def send(
        self, client: SoapClient, options: Mapping[str, Any], operation: str, args: Any, kwargs: Any
    ) -> object:
        """A call with all its attempts. Called by zeep's OperationProxy."""
        return client.run(options, self.operations[operation], *args, **kwargs)

    def attempt(self, call: SoapCall, options: Mapping[str, Any]) -> object:
        """One attempt by zeep's own `send`: envelope, WS-Addressing, plugins, wsse, headers; post;
        response."""
        send: Any = super().send  # type: ignore[misc] # of the class that this one is mixed with
        result: object = send(call, options, call.name, (call.envelope(),), {})
        return result

    def create(self, call: SoapCall, options: Mapping[str, Any]) -> Any:
        """What `attempt` would send."""
        return self._create(call.name, (call.envelope(),), {}, client=call, options=options)[0]  # type: ignore[attr-defined] # zeep's

    def process_reply(self, call: SoapCall, operation: TypedOperation, response: Any) -> object:
        """Called by zeep's `send` with what `post_xml` gave."""
        return call.read(response)


class Typed11Binding(TypedBinding, Soap11Binding):
    """SOAP 1.1."""


class Typed12Binding(TypedBinding, Soap12Binding):
    """SOAP 1.2."""


BINDINGS: Final[dict[Version, type[Typed11Binding] | type[Typed12Binding]]] = {
    "1.1": Typed11Binding,
    "1.2": Typed12Binding,
}
