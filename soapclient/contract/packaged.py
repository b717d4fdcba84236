"""A contract as both protocols need it: tables, operations, the packaged documents, their compiled schema.

Each schema is compiled once per process, when first needed, and shared by all clients, threads and forks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib import resources

from soapclient._support.forks import lazy
from soapclient.contract.compiling import ALL
from soapclient.contract.validation import Schema, schema_of
from soapclient.runtime import AnyOperation, Settings
from soapclient.runtime.filled import walk


class Contract:
    """One contract: its tables, its operations, and its WSDL as bytes (by default the packaged one)."""

    def __init__(
        self, tables: Settings, operations: Mapping[str, AnyOperation], wsdl: bytes | None = None
    ) -> None:
        self.tables = tables
        self.operations = operations
        self._own_wsdl = wsdl

    @property
    def name(self) -> str:
        return self.tables.name

    @lazy
    def wsdl(self) -> bytes:
        """The one-file contract; empty for one that is a schema alone."""
        return self._packaged("contract.wsdl") if self._own_wsdl is None else self._own_wsdl

    @lazy
    def rest_schema(self) -> bytes:
        """The schema of what REST alone has; empty where there is none."""
        return self._packaged("rest.xsd")

    @property
    def documents(self) -> tuple[bytes, ...]:
        """All documents of the contract."""
        return tuple(document for document in (self.wsdl, self.rest_schema) if document)

    @lazy
    def key(self) -> str:
        """A hash of the one-file contract: contracts with the same hash may share what is compiled."""
        return hashlib.sha256(self.wsdl).hexdigest()

    @lazy
    def schema(self) -> Schema:
        """The compiled schema of the WSDL."""
        return self._schema(soap=True)

    def schema_of(self, operation: AnyOperation) -> Schema:
        """The compiled schema for an operation's responses; REST-only types have a document of their own."""
        return self._schema(soap=operation.soap)

    def schema_without(self, operation: AnyOperation, *, partial: bool) -> Schema:
        """The compiled schema for an operation's request over REST: without its authentication elements.

        `partial`: nothing else is required either, for messages that hold changes alone.
        """
        filled = walk((*operation.authentication, *operation.authentication_headers))
        optional = operation.rest_optional.union(place.name for place in filled)
        optional = frozenset({ALL}) if partial else optional
        return self._schema(soap=operation.soap, optional=optional)

    def _schema(self, *, soap: bool, optional: frozenset[str] = frozenset()) -> Schema:
        return schema_of([self.wsdl] if soap else self.documents, optional=optional)

    def _packaged(self, file: str) -> bytes:
        package = next((each.package.name for each in self.operations.values()), None)
        if package is None:
            return b""
        found = resources.files(package).joinpath(file)
        return found.read_bytes() if found.is_file() else b""
