"""zeep's own service, for those who want zeep's own objects: by the same plugins, wsse, limits and checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from lxml import etree

from soapclient.redaction import clean
from soapclient.runtime.errors import local_name
from soapclient.soap import envelope as envelopes
from soapclient.soap import loading
from soapclient.transport import bodies

if TYPE_CHECKING:
    import requests

    from soapclient.soap.client import SoapClient
    from soapclient.soap.operations import TypedOperation


class PlainService:
    """Operations by their WSDL names: `service.GetThing(id="…")` gives what zeep gives.

    No authentication element needs to be passed. Faults are zeep's, nothing is tried again. Errors of
    transport and of validation are those of `soapclient.errors`.
    """

    def __init__(self, client: SoapClient, name: str, wsdl: Callable[[], bytes], binding: str) -> None:
        """`name` is what errors call it; `binding` is that of the WSDL, in Clark notation."""
        self._client = client
        self._name = name
        self._wsdl = wsdl
        self._binding = binding

    def __dir__(self) -> list[str]:
        return sorted(name for name, each in self._operations.items() if each.soap)

    def __getitem__(self, name: str) -> Callable[..., object]:
        return self.__getattr__(name)

    def __getattr__(self, name: str) -> Callable[..., object]:
        operation = self._operations.get(name)
        if operation is None or not operation.soap:
            raise AttributeError(f"{self._name} has no operation {clean(name, 80)!r}")

        def call(*args: object, **kwargs: object) -> object:
            skew = self._client.loop.skew
            options = {
                "address": self._client.address,
                "offset": timedelta(0) if skew is None else skew.offset,
            }
            # zeep has no types: its objects are of type Any, and none leaves this function.
            binding: Any = loading.document_of(self._wsdl()).bindings[self._binding]
            empty = dict.fromkeys(operation.authentication, "")
            given: object = binding.send(
                _View(self._client, operation), options, name, args, {**empty, **kwargs}
            )
            return given

        call.__name__ = name
        return call

    @property
    def _operations(self) -> Mapping[str, TypedOperation]:
        return self._client.binding.operations


class _View:
    """The client as zeep's own binding sees it, for one call."""

    def __init__(self, client: SoapClient, operation: TypedOperation) -> None:
        self.plugins = client.all_plugins()
        self.wsse = client.wsse
        self.settings = client.settings
        self.transport = self
        self._client = client
        self._operation = operation
        limits = client.loop.limits(operation.name, client.loop.deadline())
        self._limits = limits.of_attempt(1, 1, safe=operation.safe)

    def post_xml(self, address: str, envelope: etree._Element, headers: dict[str, str]) -> requests.Response:
        """Post an envelope.

        Raises Timeout or ConnectionFailed while sending, UnexpectedResponse, and ResponseError for a response
        that is not valid.
        """
        body = etree.tostring(envelope, xml_declaration=True, encoding="UTF-8")
        with self._client.post(address, headers, body, self._limits) as response:
            envelopes.check_head(response, self._operation.name)
            http_response = response.read_all()
        if self._client.rules.validate == "all":
            self._check(http_response.content)
        return http_response

    def _check(self, content: bytes) -> None:
        try:
            message = etree.fromstring(content, bodies.parser()).find("{*}Body/*")
        except (etree.XMLSyntaxError, ValueError):
            return  # zeep has its own words for that
        if message is not None and local_name(message.tag) != "Fault":
            self._client.rules.check_response([message], self._operation)
