"""zeep's own service over a package that `bindgen init` wrote: zeep's objects, our connections and limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import zeep
from lxml import etree

from soapclient.redaction import clean
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.schema import PortRow
from soapclient.soap import loading
from soapclient.soap.transport import AttemptTransport
from soapclient.transport import http

if TYPE_CHECKING:
    import requests

    from soapclient.clock import Deadline


class _Packaged(Protocol):
    @property
    def wsdl(self) -> bytes: ...
    @property
    def operations(self) -> Mapping[str, AnyOperation]: ...


class Service(Protocol):
    """What is needed of a connection: a `soapclient.services.engine.Engine`."""

    address: str
    port: PortRow
    session: requests.Session

    @property
    def package(self) -> _Packaged: ...
    @property
    def security(self) -> object: ...
    def limits(self, operation: str, deadline: Deadline | None = None) -> http.Limits: ...
    def check_request(self, whole: etree._Element, operation: AnyOperation) -> None: ...


class PlainZeep:
    """Operations by their WSDL names: `service.GetThing(id="…")` gives what zeep gives.

    Faults are zeep's, nothing is tried again. Errors of transport and of validation are those of
    `soapclient.errors`.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    def __dir__(self) -> list[str]:
        return sorted(self._service.package.operations)

    def __getitem__(self, name: str) -> Callable[..., object]:
        return self.__getattr__(name)

    def __getattr__(self, name: str) -> Callable[..., object]:
        operation = self._service.package.operations.get(name)
        if operation is None:
            raise AttributeError(f"the service has no operation {clean(name, 80)!r}")
        return self._callable(operation)

    def _callable(self, operation: AnyOperation) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            service = self._service
            transport = _Checking(service, operation)
            settings = zeep.Settings(strict=True, forbid_entities=True, forbid_external=True)
            # zeep has no types: from here on its objects are of type Any, and none leaves this function.
            make: Callable[..., Any] = zeep.Client
            client = make(
                loading.document_of(service.package.wsdl),
                transport=transport,
                wsse=service.security,
                settings=settings,
            )
            proxy = client.create_service(service.port.binding, service.address)
            given: object = proxy[operation.name](*args, **kwargs)
            return given

        call.__name__ = operation.name
        return call


class _Checking(AttemptTransport):
    """Posts one envelope, whose messages it checks before."""

    def __init__(self, service: Service, operation: AnyOperation) -> None:
        super().__init__(
            service.session, schema=None, limits=service.limits(operation.name), strict=False, raw=False
        )
        self._service = service
        self._operation = operation

    def post_xml(
        self, address: str, envelope: etree._Element, headers: dict[str, str]
    ) -> http.Reply | requests.Response:
        """Post the envelope. Raises ContractError before, and what `AttemptTransport.post_xml` raises."""
        self._service.check_request(envelope, self._operation)
        return super().post_xml(address, envelope, headers)
