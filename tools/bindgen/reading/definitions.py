"""The WSDL documents of a contract as one: components by name, and the ports (WSDL 1.1, 2.6 and 2.7)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from lxml import etree

from bindgen.model import Port
from bindgen.reading.documents import Document, Documents
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import MIME, SOAP, SOAP12, WSDL, XML
from bindgen.reading.schemas import Schema, Schemas, earlier
from bindgen.simple_types import XSD

_KINDS = ("message", "portType", "binding", "service")


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A component of a WSDL: a message, a port type, a binding or a service."""

    document: Document
    node: etree._Element
    namespace: str

    @property
    def name(self) -> str:
        """Its name, without the namespace."""
        return self.node.get("name", "").strip()

    @property
    def qname(self) -> str:
        """Its qualified name."""
        return f"{{{self.namespace}}}{self.name}"

    @property
    def schema(self) -> Schema:
        """A schema to stand for the document where it names elements and types."""
        return Schema(self.document, self.document.root, self.namespace)


class Definitions:
    """All WSDL documents that one names, and the schemas in them."""

    def __init__(self, root: Document, documents: Documents, schemas: Schemas, findings: Findings) -> None:
        self._documents = documents
        self._schemas = schemas
        self._findings = findings
        self._tables: dict[str, dict[str, Part]] = {kind: {} for kind in _KINDS}
        self.all: list[Document] = []
        todo = [root]
        while todo:
            document = todo.pop()
            if document not in self.all:
                self.all.append(document)
                todo += reversed(list(self._add(document)))
        schemas.finish()

    def _add(self, document: Document) -> Iterator[Document]:
        namespace = document.root.get("targetNamespace", "").strip()
        for problem in earlier(document.root, document):
            self._findings.problems.append(problem)
        for node in document.root:
            if node.tag == f"{{{WSDL}}}types":
                for schema in node.iterfind(f"{{{XSD}}}schema"):
                    self._schemas.add(document, schema)
            elif node.tag == f"{{{WSDL}}}import":
                yield from self._follow(document, node)
            elif isinstance(node.tag, str) and node.tag.startswith(f"{{{WSDL}}}"):
                table = self._tables.get(node.tag.rpartition("}")[2])
                part = Part(document, node, namespace)
                if table is None or not part.name:
                    continue
                if part.qname in table:
                    why = f"{part.name!r} is declared twice in its namespace"
                    self._findings.weaken(document, node, why)
                table.setdefault(part.qname, part)

    def _follow(self, document: Document, link: etree._Element) -> Iterator[Document]:
        location = link.get("location", "").strip()
        if not location:
            return  # it names a namespace that stands elsewhere in the contract
        other = self._documents.sought(document, location)
        if isinstance(other, str):
            self._findings.weaken(document, link, f"{location!r} cannot be had: {other}")
        elif other.root.tag == f"{{{XSD}}}schema":
            self._schemas.add(other, other.root)
        elif other.root.tag == f"{{{WSDL}}}definitions":
            yield other
        else:
            self._findings.weaken(document, link, f"{location!r} is neither a WSDL 1.1 nor a schema")

    def each(self, kind: str) -> list[Part]:
        """All components of a kind, in the order of the documents."""
        return list(self._tables[kind].values())

    def named(self, kind: str, where: Part, node: etree._Element, raw: str) -> Part | None:
        """The component that a value names. One that is not where the name points is taken by its bare name,
        if it is the only one of that name; that is a note."""
        prefix, _, local = raw.strip().rpartition(":")
        space = XML if prefix == "xml" else node.nsmap.get(prefix or None)
        table = self._tables[kind]
        if space is not None and (found := table.get(f"{{{space}}}{local}")) is not None:
            return found
        found = table.get(f"{{{where.namespace}}}{local}")
        same = [found] if found is not None else [part for part in table.values() if part.name == local]
        if len(same) != 1:
            return None
        if prefix:  # without one the contract's own namespace is meant, by old habit
            why = f"no {kind} {raw!r} in the contract; taken for {same[0].qname}"
            self._findings.weaken(where.document, node, why)
        return same[0]


VERSIONS = {SOAP: "1.1", SOAP12: "1.2"}
# How SOAP over HTTP is called in either version.
_HTTP = (
    "http://schemas.xmlsoap.org/soap/http",
    "http://schemas.xmlsoap.org/soap/http/",
    "http://www.w3.org/2003/05/soap/bindings/HTTP/",
    "http://www.w3.org/2003/05/soap/bindings/HTTP",
    "http://www.w3.org/2003/05/soap-envelope",
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A port and its binding. `soap` is the namespace of the binding's SOAP elements."""

    port: Port
    binding: Part
    port_type: Part
    soap: str
    style: str  # of operations that say nothing else
    nodes: tuple[etree._Element, ...]  # what a policy for all its operations may be attached to


def read_ports(definitions: Definitions, findings: Findings) -> list[Bound]:
    """All SOAP ports in the order of the documents; where no service has one, the SOAP bindings as such.

    Ports of other protocols are passed over without a word. Read strictly, a contract has one port with an
    address, the first of SOAP 1.1 or, if there is none, of SOAP 1.2; others of its service are passed over.
    """
    served = [
        (service, node)
        for service in definitions.each("service")
        for node in service.node.iterfind(f"{{{WSDL}}}port")
    ]
    if findings.strict:
        served = _one(definitions, served, findings)
    found = [bound for service, node in served for bound in _port(definitions, service, node, findings)]
    if found or findings.strict:
        return found
    for binding in definitions.each("binding"):
        if _soap(binding) is None:
            continue
        for bound in _bound(definitions, binding, "", binding.name, "", findings):
            findings.note(binding.document, binding.node, "no service has a port of this binding")
            found.append(bound)
    return found


def _one(
    definitions: Definitions, served: list[tuple[Part, etree._Element]], findings: Findings
) -> list[tuple[Part, etree._Element]]:
    """The one port of a contract that is read strictly; none, and a problem, if services differ."""
    root = definitions.all[0]
    ports = [
        (service, node)
        for space in VERSIONS
        for service, node in served
        if node.find(f"{{{space}}}address") is not None
    ]
    services = {service.qname for service, _ in ports}
    if len(services) != 1:
        why = f"one service with a port over SOAP 1.1 or 1.2 is handled yet; here are {len(services)}"
        findings.refuse(root, root.root, why)
        return []
    for service, node in ports[1:]:
        why = f"calls go to the port {ports[0][1].get('name')}; this one is passed over"
        findings.note(service.document, node, why)
    return ports[:1]


def _port(
    definitions: Definitions, service: Part, node: etree._Element, findings: Findings
) -> Iterator[Bound]:
    address = next((one for space in VERSIONS for one in node.iterfind(f"{{{space}}}address")), None)
    raw = node.get("binding", "")
    binding = definitions.named("binding", service, node, raw)
    if binding is None:
        if address is not None:
            findings.weaken(
                service.document, node, f"no binding {raw!r} in the contract; the port is left out"
            )
        return
    if _soap(binding) is None:
        return
    location = "" if address is None else address.get("location", "").strip()
    note_unknown(service.document, node, findings)
    name = node.get("name", "").strip()
    yield from _bound(definitions, binding, service.name, name, location, findings, (service.node, node))


def _bound(
    definitions: Definitions,
    binding: Part,
    service: str,
    name: str,
    address: str,
    findings: Findings,
    served: tuple[etree._Element, ...] = (),
) -> Iterator[Bound]:
    soap = _soap(binding)
    assert soap is not None
    space = etree.QName(soap).namespace or ""
    transport = soap.get("transport", "").strip()
    if transport and transport not in _HTTP:
        findings.weaken(
            binding.document, soap, f"transport {transport!r} is not handled, only HTTP; the port is left out"
        )
        return
    raw = binding.node.get("type", "")
    port_type = definitions.named("portType", binding, binding.node, raw)
    if port_type is None:
        findings.weaken(
            binding.document, binding.node, f"no portType {raw!r} in the contract; the binding is left out"
        )
        return
    for part in (binding, port_type):
        note_unknown(part.document, part.node, findings)
    yield Bound(
        Port(name, service, binding.qname, port_type.qname, address, VERSIONS[space]),
        binding,
        port_type,
        space,
        soap.get("style", "document").strip(),
        (*served, binding.node, port_type.node),
    )


def note_unknown(document: Document, node: etree._Element, findings: Findings) -> None:
    """Note extensions below a node that a client must understand, and that are not known."""
    for extension in unknown_but_required(node, ()):
        if etree.QName(extension).localname != "UsingAddressing":  # `policy` notes those it must
            findings.weaken(
                document, extension, "an extension that must be understood (wsdl:required) is unknown"
            )


def _soap(binding: Part) -> etree._Element | None:
    return next((node for space in VERSIONS for node in binding.node.iterfind(f"{{{space}}}binding")), None)


_DIME = "http://schemas.xmlsoap.org/ws/2002/04/dime/wsdl/"
# What says that a message is no envelope, or one in a form that is not supported (WSDL 1.1 section 5).
_UNSUPPORTED = {
    f"{{{_DIME}}}message": "with attachments (dime:message)",
    f"{{{MIME}}}content": "as MIME content (mime:content)",
    f"{{{MIME}}}mimeXml": "as MIME content (mime:mimeXml)",
}
_REQUIRED = f"{{{WSDL}}}required"
_NAMES = ("address", "binding", "operation", "body", "header", "headerfault", "fault")
_KNOWN_EXTENSIONS = {f"{{{space}}}{name}" for space in (SOAP, SOAP12) for name in _NAMES}
_DOCUMENTATION = f"{{{WSDL}}}documentation"
_SCHEMA = f"{{{XSD}}}schema"
_CHOSEN = {f"{{{WSDL}}}{name}" for name in ("service", "port", "binding", "portType")}


def unsupported(form: etree._Element | None) -> Iterator[tuple[etree._Element, str]]:
    """What keeps one end of a binding's operation from being generated, and the words for it."""
    for node in () if form is None else form.iterchildren(*_UNSUPPORTED):
        yield node, _UNSUPPORTED[str(node.tag)]


def unknown_but_required(
    root: etree._Element, chosen: Collection[etree._Element]
) -> Iterator[etree._Element]:
    """The extension elements with wsdl:required that are not known.

    Of services, ports, bindings and port types only the `chosen` are looked into: what another port needs
    is no obstacle to this one. Nor are the schemas, which have rules of their own.
    """
    for node in root.iterchildren("*"):
        if node.tag in (_DOCUMENTATION, _SCHEMA) or (node.tag in _CHOSEN and node not in chosen):
            continue
        if node.tag not in _KNOWN_EXTENSIONS and node.get(_REQUIRED, "").strip() in {"true", "1"}:
            yield node
        yield from unknown_but_required(node, chosen)
