"""The contract, read from its WSDL: its operations, its schema and its address.

The sandbox reads the published single-file WSDLs and shares no code with the client. Therefore, a call that
works is evidence that the client follows the contract.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from lxml import etree

from .faults import Code, InvalidValue
from .schema import SchemaTypes

WSDL = "http://schemas.xmlsoap.org/wsdl/"
WSDL_SOAP = "http://schemas.xmlsoap.org/wsdl/soap/"
XSD = "http://www.w3.org/2001/XMLSchema"
AUTH_FIELDS = ("connectId", "timestamp", "nonce", "signature")
VERSIONS = {"publisher": "2011-03-01", "data": "2011-05-01"}


@dataclass(frozen=True)
class Operation:
    """An operation: its names, its SOAPAction, and if requests must be signed."""

    contract: str
    name: str
    action: str
    request: str  # {namespace}local of the body child
    response: str
    signed: bool


class Contract:
    """One WSDL document with its compiled schema. Thread-safe."""

    def __init__(self, name: str, version: str, document: bytes, public: Iterable[str] = ()) -> None:
        self.name = name
        self.version = version
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        self._root = etree.fromstring(document, parser)
        schema = self._root.find(f"{{{WSDL}}}types/{{{XSD}}}schema")
        if schema is None:
            raise ValueError(f"contract {name}: there is no schema inside wsdl:types")
        # Serialised and parsed again to carry over the prefixes declared on wsdl:definitions.
        schema = etree.fromstring(etree.tostring(schema), parser)
        self.namespace = self._root.get("targetNamespace", "")
        self.types = SchemaTypes(schema)
        self._schema = etree.XMLSchema(schema)
        self._validating = threading.Lock()  # a schema object holds the errors of its last run
        service = self._root.find(f"{{{WSDL}}}service")
        self.service_name = ("" if service is None else service.get("name", "")).lower()
        self.operations = {operation.name: operation for operation in self._operations(frozenset(public))}
        self.by_request = {operation.request: operation for operation in self.operations.values()}

    def _operations(self, public: frozenset[str]) -> Iterable[Operation]:
        elements = {
            message.get("name"): self._qualified(part, part.get("element", ""))
            for message in self._root.iterfind(f"{{{WSDL}}}message")
            for part in message.iterfind(f"{{{WSDL}}}part")
        }
        actions = {
            binding.get("name"): soap.get("soapAction", "")
            for binding in self._root.iterfind(f"{{{WSDL}}}binding/{{{WSDL}}}operation")
            for soap in binding.iterfind(f"{{{WSDL_SOAP}}}operation")
        }
        for operation in self._root.iterfind(f"{{{WSDL}}}portType/{{{WSDL}}}operation"):
            name = operation.get("name", "")
            messages = [
                elements[end.get("message", "").rpartition(":")[2]]
                for side in ("input", "output")
                for end in operation.iterfind(f"{{{WSDL}}}{side}")
            ]
            if len(messages) != 2:
                raise ValueError(f"contract {self.name}: {name} must have one input and one output message")
            declared = {field.name for field in self.types.of_element(messages[0]).fields}
            # A contract without authentication fields does not show this; all operations except the `public`
            # ones are then signed.
            undeclared = declared.isdisjoint(AUTH_FIELDS) and name not in public
            signed = "signature" in declared or undeclared
            yield Operation(self.name, name, actions.get(name, ""), messages[0], messages[1], signed)

    @staticmethod
    def _qualified(element: etree._Element, name: str) -> str:
        prefix, _, local = name.rpartition(":")
        return f"{{{element.nsmap.get(prefix or None, '')}}}{local}"

    def errors(self, element: etree._Element) -> list[str]:
        """Return the schema errors of `element`, with namespaces removed from the messages."""
        with self._validating:
            if self._schema.validate(element):
                return []
            messages = [str(entry.message) for entry in self._schema.error_log]
        return [message.replace(f"{{{self.namespace}}}", "") for message in messages]

    def check_request(self, element: etree._Element) -> None:
        """Validate a request. Raises `InvalidValue` 103 with the schema's messages."""
        if errors := self.errors(element):
            text = " ".join(errors[:3])
            raise InvalidValue(Code.INVALID, text if len(text) < 600 else text[:600] + "…")

    def served_at(self, address: str) -> bytes:
        """Return the WSDL as bytes, with `address` as the location in its soap:address elements."""
        copy = etree.fromstring(etree.tostring(self._root))
        for port in copy.iterfind(f"{{{WSDL}}}service/{{{WSDL}}}port/{{{WSDL_SOAP}}}address"):
            port.set("location", address)
        return etree.tostring(copy, xml_declaration=True, encoding="UTF-8")


def packaged(name: str) -> Path:
    """Return the path of a shipped contract without importing the generated code.

    Raises FileNotFoundError if the generated code is not installed.
    """
    spec = find_spec("zxws")
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    for folder in folders:
        path = Path(folder) / name / "contract.wsdl"
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"contract.wsdl for {name!r} not found: the package zxws is not installed. Install the project, "
        "or pass Sandbox(contracts={...})."
    )


@lru_cache(maxsize=8)  # contracts are immutable, and compiling a schema is slow
def _contract(name: str, version: str, document: bytes, public: frozenset[str]) -> Contract:
    return Contract(name, version, document, public)


def load(paths: Mapping[str, str | Path] | None = None, public: Iterable[str] = ()) -> dict[str, Contract]:
    """Return all contracts by name.

    `paths`: dict (contract name → WSDL file), to use instead of the shipped files. `public`: names of
    operations that need no signature (see `Sandbox`). Raises ValueError for unknown names or an invalid file,
    and OSError if a file cannot be read.
    """
    replaced = dict(paths or {})
    if unknown := sorted(set(replaced) - set(VERSIONS)):
        raise ValueError(f"unknown contract: {', '.join(unknown)}; the contracts are {', '.join(VERSIONS)}")
    public_names = frozenset(public)
    loaded = {
        name: _contract(name, version, Path(replaced.get(name) or packaged(name)).read_bytes(), public_names)
        for name, version in VERSIONS.items()
    }
    names = {operation for contract in loaded.values() for operation in contract.operations}
    if unknown := sorted(public_names - names):
        raise ValueError(
            f"`public` has names of operations that the contracts do not have: {', '.join(unknown)}. "
            f"Pass names of operations as in the WSDL, such as {min(names)}"
        )
    return loaded
