"""A contract as the carrier needs it: the one-file WSDL, its compiled schema, and zeep's reading of it.

Each is made once per process, when first needed, and shared by all clients, threads and forks.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING

from lxml import etree

from soapclient.soap.schema import Schema
from zxws._runtime import AnyOperation, Tables

if TYPE_CHECKING:
    import zeep

_SCHEMA = "{http://schemas.xmlsoap.org/wsdl/}types/{http://www.w3.org/2001/XMLSchema}schema"

_documents: dict[str, zeep.wsdl.Document] = {}
_schemas: dict[str, Schema] = {}
_lock = threading.Lock()


class Contract:
    """One contract: its tables, its operations, and its WSDL as bytes (by default the packaged one)."""

    def __init__(
        self, tables: Tables, operations: Mapping[str, AnyOperation], wsdl: bytes | None = None
    ) -> None:
        self.tables = tables
        self.operations = operations
        self._given = wsdl

    @property
    def name(self) -> str:
        return self.tables.name

    @cached_property
    def wsdl(self) -> bytes:
        """The one-file contract."""
        if self._given is not None:
            return self._given
        return resources.files(f"zxws.{self.name}").joinpath("contract.wsdl").read_bytes()

    @cached_property
    def _key(self) -> str:
        return hashlib.sha256(self.wsdl).hexdigest()

    @property
    def schema(self) -> Schema:
        """The compiled schema."""
        with _lock:
            if self._key not in _schemas:
                root = etree.fromstring(self.wsdl, etree.XMLParser(resolve_entities=False, no_network=True))
                _schemas[self._key] = Schema(root.findall(_SCHEMA))
            return _schemas[self._key]

    @property
    def document(self) -> zeep.wsdl.Document:
        """zeep's reading of the contract."""
        import zeep

        from soapclient.soap.loading import PackagedTransport

        with _lock:
            if self._key not in _documents:
                settings = zeep.Settings(strict=True, forbid_entities=True, forbid_external=True)
                read: Callable[..., zeep.wsdl.Document] = zeep.wsdl.Document  # zeep's own hints are off
                _documents[self._key] = read(
                    PackagedTransport.ADDRESS, PackagedTransport(self.wsdl), settings=settings
                )
            return _documents[self._key]
