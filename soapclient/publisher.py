"""The Publisher service as the client offers it: the generated methods, their streams, and plain zeep."""

from __future__ import annotations

from functools import cached_property

from soapclient.soap.contract import Contract
from soapclient.soap.engine import Engine
from soapclient.soap.plain import PlainService
from zxws.publisher.service import OPERATIONS, PublisherService, PublisherServiceStreams
from zxws.publisher.tables import TABLES

CONTRACT = Contract(TABLES, OPERATIONS)


class Publisher(PublisherService):
    """All operations of the contract as typed methods."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.engine = engine

    @cached_property
    def stream(self) -> PublisherServiceStreams:
        """The list operations again, each a context manager that gives the items as they arrive."""
        return PublisherServiceStreams(self.engine)

    @cached_property
    def zeep(self) -> PlainService:
        """The plain zeep service, signed by the same plugin."""
        return PlainService(self.engine)
