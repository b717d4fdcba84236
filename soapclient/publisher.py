"""The Publisher service as the client offers it: the generated methods, streams, pages, and plain zeep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soapclient.calling.protocol import ProtocolEngine
from soapclient.contract import Contract
from soapclient.forks import lazy
from zxws.publisher.service import (
    PACKAGE,
    PublisherService,
    PublisherServicePages,
    PublisherServiceStreams,
)

if TYPE_CHECKING:
    from soapclient.soap.client import SoapClient
    from soapclient.soap.plain import PlainService

CONTRACT = Contract(PACKAGE.settings, PACKAGE.operations)


class OverSoap:
    """What a service has of zeep where it goes over SOAP."""

    engine: ProtocolEngine

    @lazy
    def soap(self) -> SoapClient:
        """What stands where zeep has its Client, with types: `plugins`, `settings(raw_response=True)`,
        `create_message`, and `service` by WSDL names. Raises UnsupportedByProtocol over REST."""
        from soapclient.soap.engine import soap_engine

        return soap_engine(self.engine, "zeep's client").client

    @lazy
    def zeep(self) -> PlainService:
        """The plain zeep service, signed by the same plugin. Raises UnsupportedByProtocol over REST."""
        from soapclient.soap.engine import soap_engine

        return soap_engine(self.engine, "the plain zeep service").zeep


class Publisher(PublisherService, OverSoap):
    """All operations of the contract as typed methods."""

    def __init__(self, engine: ProtocolEngine) -> None:
        super().__init__(engine)
        self.engine = engine

    @lazy
    def stream(self) -> PublisherServiceStreams:
        """The list operations again, each a context manager that gives the items as they arrive."""
        return PublisherServiceStreams(self.engine)

    @lazy
    def iterate(self) -> PublisherServicePages:
        """The list operations again, each giving the items of all pages, one by one."""
        return PublisherServicePages(self.engine)
