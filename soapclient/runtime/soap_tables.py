"""The types of the tables that go with a package of any WSDL: what its ports are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class PortTable:
    """A port: where a port type is served, and in which version of SOAP.

    `binding` and `port_type` are in Clark notation (`{namespace}name`), `name` and `service` as the WSDL has
    them. `address` is empty where the WSDL names none.
    """

    name: str
    service: str
    binding: str
    port_type: str
    address: str
    soap: Literal["1.1", "1.2"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SoapTables:
    """All that is known of a contract beside its operations.

    `sha256` is that of its documents in one file (`contract.wsdl`). `messages`: the package has a file
    `messages.xsd`, the schema of messages that the contract itself declares in no schema (RPC style).
    `compiles`: whether libxml2 can make something of the schemas, in bounded time and memory.
    """

    name: str
    namespace: str
    sha256: str
    ports: tuple[PortTable, ...]
    messages: bool = False
    compiles: bool = True
