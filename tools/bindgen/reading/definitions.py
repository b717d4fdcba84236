"""The combined WSDL documents of a contract: components by name, and the ports.

Bindings, ports and services are defined in WSDL 1.1, sections 2.5 to 2.7.
"""

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
        """The name without the namespace."""
        return self.node.get("name", "").strip()

    @property
    def qname(self) -> str:
        """The qualified name."""
        return f"{{{self.namespace}}}{self.name}"

    @property
    def schema(self) -> Schema:
        """The WSDL document as a `Schema`, which resolves names of elements and types in it."""
        return Schema(self.document, self.document.root, self.namespace)


class Definitions:
    """The root WSDL document and all WSDL documents that it imports, and the schemas in them."""

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
        """Add the components of a document. Yields the WSDL documents that it imports."""
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
                    reason = f"{part.name!r} is declared twice in its namespace"
                    self._findings.weaken(document, node, reason)
                table.setdefault(part.qname, part)

    def _follow(self, document: Document, link: etree._Element) -> Iterator[Document]:
        """Read the document to which `link`, a wsdl:import in `document`, refers.

        If the document is a WSDL, yields it. If it is a schema, adds it to the schemas and yields nothing.
        """
        location = link.get("location", "").strip()
        if not location:
            return  # the namespace is elsewhere in the contract
        other = self._documents.try_follow(document, location)
        if isinstance(other, str):
            self._findings.weaken(document, link, f"cannot read {location!r}: {other}")
        elif other.root.tag == f"{{{XSD}}}schema":
            self._schemas.add(other, other.root)
        elif other.root.tag == f"{{{WSDL}}}definitions":
            yield other
        else:
            self._findings.weaken(document, link, f"{location!r} is neither a WSDL 1.1 document nor a schema")

    def components(self, kind: str) -> list[Part]:
        """Return all components of a kind, such as all bindings, in the order of the documents."""
        return list(self._tables[kind].values())

    def named(self, kind: str, where: Part, node: etree._Element, raw: str) -> Part | None:
        """Return the component of a kind with the name `raw`, as it is written in an attribute of `node`.

        `kind` is a name such as "binding". `where` is the component that contains `node`. If no component has
        the qualified name, returns:

        - the component with the same local name in the namespace of `where`,
        - or else the component with this local name in any namespace, if there is only one.

        In these two cases, a note is added if `raw` has a prefix. Returns None if there is no such component.
        """
        prefix, _, local = raw.strip().rpartition(":")
        space = XML if prefix == "xml" else node.nsmap.get(prefix or None)
        table = self._tables[kind]
        if space is not None and (part := table.get(f"{{{space}}}{local}")) is not None:
            return part
        part = table.get(f"{{{where.namespace}}}{local}")
        same = [part] if part is not None else [part for part in table.values() if part.name == local]
        if len(same) != 1:
            return None
        if prefix:  # many WSDLs omit the prefix for their own namespace
            reason = f"no {kind} {raw!r} in the contract; {same[0].qname} is used instead"
            self._findings.weaken(where.document, node, reason)
        return same[0]


VERSIONS = {SOAP: "1.1", SOAP12: "1.2"}
# The URIs for SOAP over HTTP, in both versions and in common variants.
_HTTP = (
    "http://schemas.xmlsoap.org/soap/http",
    "http://schemas.xmlsoap.org/soap/http/",
    "http://www.w3.org/2003/05/soap/bindings/HTTP/",
    "http://www.w3.org/2003/05/soap/bindings/HTTP",
    "http://www.w3.org/2003/05/soap-envelope",
)


@dataclass(frozen=True, slots=True)
class BoundPort:
    """A port with its binding and port type.

    `soap` is the namespace of the binding's SOAP elements.
    """

    port: Port
    binding: Part
    port_type: Part
    soap: str
    style: str  # the default style of operations
    nodes: tuple[etree._Element, ...]  # elements whose policies apply to all operations


def read_ports(definitions: Definitions, findings: Findings) -> list[BoundPort]:
    """Return all SOAP ports in document order. Ports of other protocols are ignored without a note.

    - If no service has a SOAP port, each SOAP binding becomes a port without an address.
    - A contract that is read strictly must have exactly one service with SOAP ports and addresses. Only one
      port of this service is returned: its first SOAP 1.1 port, or else its first SOAP 1.2 port.
    """
    served = [
        (service, node)
        for service in definitions.components("service")
        for node in service.node.iterfind(f"{{{WSDL}}}port")
    ]
    if findings.strict:
        served = _only_port(definitions, served, findings)
    ports = [bound for service, node in served for bound in _port(definitions, service, node, findings)]
    if ports or findings.strict:
        return ports
    for binding in definitions.components("binding"):
        if _soap(binding) is None:
            continue
        for bound in _bound(definitions, binding, "", binding.name, "", findings):
            findings.note(binding.document, binding.node, "no service has a port with this binding")
            ports.append(bound)
    return ports


def _only_port(
    definitions: Definitions, served: list[tuple[Part, etree._Element]], findings: Findings
) -> list[tuple[Part, etree._Element]]:
    """Return a list with the only port that is used if a contract is read strictly (see `read_ports`).

    `served` are the ports of all services. Exactly one service must have SOAP ports with an address.
    Otherwise adds a problem and returns an empty list.
    """
    root = definitions.all[0]
    ports = [
        (service, node)
        for space in VERSIONS
        for service, node in served
        if node.find(f"{{{space}}}address") is not None
    ]
    services = {service.qname for service, _ in ports}
    if len(services) != 1:
        reason = f"only one service with a port over SOAP 1.1 or 1.2 is supported, found {len(services)}"
        findings.refuse(root, root.root, reason)
        return []
    for service, node in ports[1:]:
        reason = f"calls use the port {ports[0][1].get('name')}; this one is ignored"
        findings.note(service.document, node, reason)
    return ports[:1]


def _port(
    definitions: Definitions, service: Part, node: etree._Element, findings: Findings
) -> Iterator[BoundPort]:
    """Yield the port that a `wsdl:port` declares. Yields nothing if it is not a supported SOAP port."""
    address = next((item for space in VERSIONS for item in node.iterfind(f"{{{space}}}address")), None)
    raw = node.get("binding", "")
    binding = definitions.named("binding", service, node, raw)
    if binding is None:
        if address is not None:
            findings.weaken(
                service.document, node, f"no binding {raw!r} in the contract; the port is omitted"
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
) -> Iterator[BoundPort]:
    """Yield a port with its SOAP binding. Yields nothing if the binding or its port type cannot be used.

    `service` is the name of the port's service, `name` the name of the port. `served` contains two XML nodes,
    of the service and of the port. It is empty if the port does not exist in the WSDL, but is created
    (without an address) for a binding that no port uses.
    """
    soap = _soap(binding)
    assert soap is not None
    space = etree.QName(soap).namespace or ""
    transport = soap.get("transport", "").strip()
    if transport and transport not in _HTTP:
        findings.weaken(
            binding.document,
            soap,
            f"transport {transport!r} is not supported, only HTTP; the port is omitted",
        )
        return
    raw = binding.node.get("type", "")
    port_type = definitions.named("portType", binding, binding.node, raw)
    if port_type is None:
        findings.weaken(
            binding.document, binding.node, f"no portType {raw!r} in the contract; the binding is omitted"
        )
        return
    for part in (binding, port_type):
        note_unknown(part.document, part.node, findings)
    yield BoundPort(
        Port(name, service, binding.qname, port_type.qname, address, VERSIONS[space]),
        binding,
        port_type,
        space,
        soap.get("style", "document").strip(),
        (*served, binding.node, port_type.node),
    )


def note_unknown(document: Document, node: etree._Element, findings: Findings) -> None:
    """Add a note for each unknown extension in `node` that clients must understand (wsdl:required)."""
    for extension in unknown_but_required(node, ()):
        if etree.QName(extension).localname != "UsingAddressing":  # noted by `policy`
            findings.weaken(
                document, extension, "an unknown extension that must be understood (wsdl:required)"
            )


def _soap(binding: Part) -> etree._Element | None:
    return next((node for space in VERSIONS for node in binding.node.iterfind(f"{{{space}}}binding")), None)


_DIME = "http://schemas.xmlsoap.org/ws/2002/04/dime/wsdl/"
# Elements for messages without an envelope, or in a form that is not supported (WSDL 1.1 section 5).
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
_HAS_REQUIRED = etree.XPath("boolean(.//@wsdl:required)", namespaces={"wsdl": WSDL})


def unsupported(form: etree._Element | None) -> Iterator[tuple[etree._Element, str]]:
    """Yield each unsupported element in `form`, with the reason why it is not supported.

    `form` is the input or output of an operation in a binding.
    """
    for node in () if form is None else form.iterchildren(*_UNSUPPORTED):
        yield node, _UNSUPPORTED[str(node.tag)]


def unknown_but_required(
    root: etree._Element, chosen: Collection[etree._Element]
) -> Iterator[etree._Element]:
    """Yield the unknown extension elements inside `root` that have wsdl:required.

    Services, ports, bindings and port types are only searched if they are in `chosen`, because extensions of
    other ports do not matter. Schemas are not searched, because they have their own rules.
    """
    if not _HAS_REQUIRED(root):  # most nodes
        return
    for node in root.iterchildren("*"):
        if node.tag in (_DOCUMENTATION, _SCHEMA) or (node.tag in _CHOSEN and node not in chosen):
            continue
        if node.tag not in _KNOWN_EXTENSIONS and node.get(_REQUIRED, "").strip() in {"true", "1"}:
            yield node
        yield from unknown_but_required(node, chosen)
