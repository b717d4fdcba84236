"""Services and ports: where what is served over SOAP 1.1 or 1.2 (WSDL 1.1 section 2.6 and 2.7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from bindgen.model import Port
from bindgen.reading.definitions import Definitions, Part
from bindgen.reading.documents import Document
from bindgen.reading.extensions import SOAP, SOAP12, unknown_but_required
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import WSDL

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


def read(definitions: Definitions, findings: Findings) -> list[Bound]:
    """All SOAP ports in the order of the documents; where no service has one, the SOAP bindings as such.

    Ports of other protocols are passed over without a word. Read strictly, a contract has one port of
    SOAP 1.1 with an address; others are passed over.
    """
    served = [
        (service, node)
        for service in definitions.each("service")
        for node in service.node.iterfind(f"{{{WSDL}}}port")
        if not findings.strict or node.find(f"{{{SOAP}}}address") is not None
    ]
    if findings.strict and len(served) != 1:
        root = definitions.all[0]
        why = f"one service with one SOAP 1.1 port is handled yet; here are {len(served)}"
        findings.refuse(root, root.root, why)
        return []
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
