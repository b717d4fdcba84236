"""The plain zeep service, for those who want zeep's own objects: signed, validated, bounded like any call."""

from __future__ import annotations

from collections.abc import Callable

from soapclient.calling.carrier import Carrier
from soapclient.errors import UnsupportedByCarrier
from soapclient.soap import attempt
from soapclient.soap.engine import Engine


def plain_service(carrier: Carrier) -> PlainService:
    """The service over a carrier. Raises UnsupportedByCarrier for any but SOAP."""
    if not isinstance(carrier, Engine):
        raise UnsupportedByCarrier("the plain zeep service", carrier.NAME)
    return PlainService(carrier)


class PlainService:
    """Operations by their WSDL names: `service.GetThing(id="…")` gives what zeep gives.

    No authentication element needs to be passed. Faults are zeep's, nothing is tried again. Errors of
    transport and of validation are those of `soapclient.errors`.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __dir__(self) -> list[str]:
        return sorted(one.name for one in self._engine.contract.operations.values() if one.soap)

    def __getitem__(self, name: str) -> Callable[..., object]:
        return self.__getattr__(name)

    def __getattr__(self, name: str) -> Callable[..., object]:
        engine = self._engine
        operation = engine.contract.operations.get(name)
        if operation is None or not operation.soap:
            raise AttributeError(f"the {engine.contract.name} contract has no operation {name!r}")

        def call(*args: object, **kwargs: object) -> object:
            limits = engine.limits(operation, engine.deadline())
            send, _ = attempt.prepare(engine, operation, limits, engine.offset, raw=False)
            return send(*args, **{**attempt.placeholders(operation), **kwargs})

        call.__name__ = name
        return call
