"""The contract as a document: what it lets be called, its schema, and where it is found.

The sandbox reads the same one-file WSDLs as everybody and shares no code with the client, so that
agreement between the two proves something.
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
    """One operation: names, SOAPAction, and whether a request must be signed."""

    contract: str
    name: str
    action: str
    request: str  # {namespace}local of the body child
    response: str
    signed: bool


class Contract:
    """One WSDL document with its schema compiled. Safe to share between threads."""

    def __init__(self, name: str, version: str, document: bytes, public: Iterable[str] = ()) -> None:
        self.name = name
        self.version = version
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        self._root = etree.fromstring(document, parser)
        schema = self._root.find(f"{{{WSDL}}}types/{{{XSD}}}schema")
        if schema is None:
            raise ValueError(f"contract {name}: there is no schema inside wsdl:types")
        # Serialised and read again: only so do the prefixes declared on wsdl:definitions travel along.
        schema = etree.fromstring(etree.tostring(schema), parser)
        self.namespace = self._root.get("targetNamespace", "")
        self.types = SchemaTypes(schema)
        self._schema = etree.XMLSchema(schema)
        self._validating = threading.Lock()  # a schema object holds the errors of its last run
        service = self._root.find(f"{{{WSDL}}}service")
        self.service_name = ("" if service is None else service.get("name", "")).lower()
        self.operations = {one.name: one for one in self._operations(frozenset(public))}
        self.by_request = {one.request: one for one in self.operations.values()}

    def _operations(self, public: frozenset[str]) -> Iterable[Operation]:
        elements = {
            message.get("name"): self._qualified(part, part.get("element", ""))
            for message in self._root.iterfind(f"{{{WSDL}}}message")
            for part in message.iterfind(f"{{{WSDL}}}part")
        }
        actions = {
            bound.get("name"): soap.get("soapAction", "")
            for bound in self._root.iterfind(f"{{{WSDL}}}binding/{{{WSDL}}}operation")
            for soap in bound.iterfind(f"{{{WSDL_SOAP}}}operation")
        }
        for operation in self._root.iterfind(f"{{{WSDL}}}portType/{{{WSDL}}}operation"):
            name = operation.get("name", "")
            ends = [
                elements[one.get("message", "").rpartition(":")[2]]
                for side in ("input", "output")
                for one in operation.iterfind(f"{{{WSDL}}}{side}")
            ]
            if len(ends) != 2:
                raise ValueError(f"contract {self.name}: {name} is not request and response")
            declared = {field.name for field in self.types.of_element(ends[0]).fields}
            # A contract without authentication fields does not tell; then everything but the named is signed.
            undeclared = declared.isdisjoint(AUTH_FIELDS) and name not in public
            signed = "signature" in declared or undeclared
            yield Operation(self.name, name, actions.get(name, ""), ends[0], ends[1], signed)

    @staticmethod
    def _qualified(near: etree._Element, name: str) -> str:
        prefix, _, local = name.rpartition(":")
        return f"{{{near.nsmap.get(prefix or None, '')}}}{local}"

    def errors(self, element: etree._Element) -> list[str]:
        """What the schema has against `element` and its content: nothing, or sentences without namespaces."""
        with self._validating:
            if self._schema.validate(element):
                return []
            found = [str(entry.message) for entry in self._schema.error_log]
        return [message.replace(f"{{{self.namespace}}}", "") for message in found]

    def check_request(self, element: etree._Element) -> None:
        """Raise a 1xx `InvalidValue` that says why, unless the schema accepts the request."""
        if found := self.errors(element):
            text = " ".join(found[:3])
            raise InvalidValue(Code.INVALID, text if len(text) < 600 else text[:600] + "…")

    def served_at(self, address: str) -> bytes:
        """The document with `address` as its soap:address, ready to be sent."""
        copy = etree.fromstring(etree.tostring(self._root))
        for port in copy.iterfind(f"{{{WSDL}}}service/{{{WSDL}}}port/{{{WSDL_SOAP}}}address"):
            port.set("location", address)
        return etree.tostring(copy, xml_declaration=True, encoding="UTF-8")


def packaged(name: str) -> Path:
    """The contract shipped beside the generated code, found without importing any of it."""
    spec = find_spec("zxws")
    places = [] if spec is None else list(spec.submodule_search_locations or [])
    for place in places:
        path = Path(place) / name / "contract.wsdl"
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"no contract.wsdl for {name!r}: the package zxws is not installed beside soapclient; "
        "install the project, or pass Sandbox(contracts={...})"
    )


@lru_cache(maxsize=8)  # nothing of a contract changes, and to compile its schema takes a while
def _contract(name: str, version: str, document: bytes, public: frozenset[str]) -> Contract:
    return Contract(name, version, document, public)


def load(paths: Mapping[str, str | Path] | None = None, public: Iterable[str] = ()) -> dict[str, Contract]:
    """Every contract by name. `paths` replaces shipped documents, name by name."""
    given = dict(paths or {})
    if unknown := sorted(set(given) - set(VERSIONS)):
        raise ValueError(f"no such contract: {', '.join(unknown)}; there are {', '.join(VERSIONS)}")
    chosen = frozenset(public)
    loaded = {
        name: _contract(name, version, Path(given.get(name) or packaged(name)).read_bytes(), chosen)
        for name, version in VERSIONS.items()
    }
    known = {operation for contract in loaded.values() for operation in contract.operations}
    if unknown := sorted(chosen - known):
        raise ValueError(f"public names no operation of any contract: {', '.join(unknown)}")
    return loaded
