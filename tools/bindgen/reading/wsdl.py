"""A WSDL 1.1 document → the model's contract: one SOAP 1.1 port, document/literal, one element each way.

`read` is for contracts of `contracts.toml`, and refuses what is not so; `read_any` takes any contract.
"""

from __future__ import annotations

import hashlib

from lxml import etree

from bindgen.model import Contract, Operation, Struct
from bindgen.problems import ContractRefused, Place, Problem
from bindgen.reading import compiled, one_file, own_schema, policy
from bindgen.reading.any_wsdl import read_any
from bindgen.reading.documents import Document, Documents
from bindgen.reading.extensions import SOAP, WSDL, unknown_but_required, unsupported
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import words
from bindgen.reading.schemas import Schema, Schemas
from bindgen.reading.types import TypeReader
from bindgen.settings import ContractSettings
from bindgen.simple_types import XSD

__all__ = ["read", "read_any"]

_HTTP = "http://schemas.xmlsoap.org/soap/http"


def read(settings: ContractSettings, documents: Documents, own: Document | None = None) -> Contract:
    """Read a contract's documents, and the project's `own` schema beside them.

    What cannot be read is in its `problems`, for the passes to add theirs. Raises ContractRefused where there
    is no contract at all.
    """
    root = documents.root
    if root.root.tag != f"{{{WSDL}}}definitions":
        raise ContractRefused(
            [Problem("no WSDL 1.1: the root is not wsdl:definitions", _at(root, root.root))]
        )
    problems: list[Problem] = []
    reader = _Reader(root, documents, problems)
    contract = reader.contract(settings, own)
    contract.problems += problems
    return contract


class _Reader:
    def __init__(self, document: Document, documents: Documents, problems: list[Problem]) -> None:
        self.document = document
        self.root = document.root
        self.problems = problems
        self.namespace = self.root.get("targetNamespace", "")
        findings = Findings(problems)
        self.schemas = Schemas(documents, findings)
        for node in self.root.iterfind(f"{{{WSDL}}}types/{{{XSD}}}schema"):
            self.schemas.add(document, node)
        for node in self.root.iterfind(f"{{{WSDL}}}import"):
            self.refuse(node, "a WSDL in several documents is not handled yet")
        self.types = TypeReader(self.schemas, findings)
        # The schema that stands for the WSDL itself where a message names an element.
        self.schema = Schema(document, self.root, self.namespace)

    def refuse(self, node: etree._Element, why: str) -> None:
        self.problems.append(Problem(why, self.document.place(node)))

    def contract(self, settings: ContractSettings, own: Document | None) -> Contract:
        service, port, address = self.soap_port()
        binding = self.named("binding", port, "binding")
        style = binding.find(f"{{{SOAP}}}binding")
        if style is None or style.get("style", "document") != "document":
            self.refuse(binding, "only document style over SOAP 1.1 is handled yet")
        elif style.get("transport") != _HTTP:
            self.refuse(style, f"transport {style.get('transport')!r} is not handled yet, only {_HTTP}")
        port_type = self.named("portType", binding, "type")
        for extension in unknown_but_required(self.root, (service, port, binding, port_type)):
            self.refuse(extension, "an extension that must be understood (wsdl:required) is not handled yet")
        abstract = {node.get("name"): node for node in port_type.iterfind(f"{{{WSDL}}}operation")}
        operations = []
        for node in binding.iterfind(f"{{{WSDL}}}operation"):
            if (operation := self.operation(node, abstract.get(node.get("name")))) is not None:
                operations.append(operation)
        fetched = list(self.schemas.all)
        if own is not None:
            own_schema.add(own, self.schemas, self.problems, self.namespace)
        operations += own_schema.operations(
            settings, own or self.document, self.types, self.problems, known=operations
        )
        self.check_schemas()
        whole = one_file.build(self.document, fetched, self.problems)
        contract = Contract(
            name=settings.name,
            settings=settings,
            url=self.document.url,
            sha256=hashlib.sha256(whole).hexdigest(),
            namespace=self.namespace,
            service=service.get("name", ""),
            port=port.get("name", ""),
            binding=f"{{{self.namespace}}}{binding.get('name', '')}",
            address=address,
            operations=operations,
            one_file=whole,
            schema=b"" if own is None else own.raw,
            faults=self.faults(port_type),
        )
        own_schema.extend(contract, self.types, self.schemas, self.problems)
        self.types.finish(
            struct for operation in contract.operations for struct in (operation.request, operation.response)
        )
        return contract

    def check_schemas(self) -> None:
        """Note what makes the schemas invalid, but no second problem of an element that has one already."""
        known = {_where(each) for each in self.problems}
        self.problems += [each for each in compiled.of_all(self.schemas) if _where(each) not in known]

    def soap_port(self) -> tuple[etree._Element, etree._Element, str]:
        found = [
            (service, port, address.get("location", ""))
            for service in self.root.iterfind(f"{{{WSDL}}}service")
            for port in service.iterfind(f"{{{WSDL}}}port")
            if (address := port.find(f"{{{SOAP}}}address")) is not None
        ]
        if len(found) != 1:
            self.refuse(
                self.root, f"one service with one SOAP 1.1 port is handled yet; here are {len(found)}"
            )
            raise ContractRefused(self.problems)
        return found[0]

    def named(self, kind: str, node: etree._Element, attribute: str) -> etree._Element:
        """The WSDL component of that kind that `node` names. Without it nothing else makes sense."""
        name = node.get(attribute, "").rpartition(":")[2]
        for candidate in self.root.iterfind(f"{{{WSDL}}}{kind}"):
            if candidate.get("name") == name:
                return candidate
        self.refuse(node, f"no {kind} {name!r} in the contract")
        raise ContractRefused(self.problems)

    def operation(self, node: etree._Element, abstract: etree._Element | None) -> Operation | None:
        if abstract is None:
            self.refuse(node, "the port type has no such operation")
            return None
        for body in node.iter(f"{{{SOAP}}}body", f"{{{SOAP}}}header"):
            if body.tag == f"{{{SOAP}}}header" or body.get("use", "literal") != "literal":
                self.refuse(body, "headers and encoded bodies are not handled yet")
            elif body.getparent() not in (
                *node.iterfind(f"{{{WSDL}}}input"),
                *node.iterfind(f"{{{WSDL}}}output"),
            ):
                self.refuse(body, "a body inside of something else (as of an attachment) is not handled yet")
        for form in node.iterfind(f"{{{WSDL}}}input"), node.iterfind(f"{{{WSDL}}}output"):
            for unread, how in (each for end in form for each in unsupported(end)):
                self.refuse(unread, f"a message that is sent {how} is not handled yet")
        ends = [self.message_element(abstract, end) for end in ("input", "output")]
        for end, element in zip(("input", "output"), ends, strict=True):
            for body in node.iterfind(f"{{{WSDL}}}{end}/{{{SOAP}}}body"):
                self.check_parts(body, element)
        soap = node.find(f"{{{SOAP}}}operation")
        if soap is not None and soap.get("style", "document") != "document":
            self.refuse(soap, "only document style is handled yet")
        if ends[0] is None or ends[1] is None:
            return None
        (request_tag, request), (response_tag, response) = (
            (tag, self.types.of_element(tag, self.schema, part)) for tag, part in (ends[0], ends[1])
        )
        if request is None or response is None:
            return None
        return Operation(
            name=node.get("name", ""),
            soap_action=soap.get("soapAction", "") if soap is not None else "",
            request_tag=request_tag,
            response_tag=response_tag,
            request=request,
            response=response,
            place=_at(self.document, abstract),
            doc=words(abstract.find(f"{{{WSDL}}}documentation")),
            action=next(map(policy.action, abstract.iterfind(f"{{{WSDL}}}input")), ""),
        )

    def check_parts(self, body: etree._Element, element: tuple[str, etree._Element] | None) -> None:
        """The body must be the message's one part; to name none, or another, is to send something else."""
        parts = body.get("parts")
        if parts is not None and element is not None and parts.split() != [element[1].get("name")]:
            self.refuse(body, f"parts={parts!r} is not the message's one part: not handled yet")

    def faults(self, port_type: etree._Element) -> dict[str, Struct]:
        """The details that faults may carry. They are not decoded here, so all of XSD may stand in them."""
        types = TypeReader(self.schemas, Findings([]))
        found: dict[str, Struct] = {}
        for node in port_type.iterfind(f"{{{WSDL}}}operation/{{{WSDL}}}fault"):
            if (element := self.part_element(node)) is not None:
                tag, part = element
                if (struct := types.of_element(tag, self.schema, part)) is not None:
                    found[tag.rpartition("}")[2]] = struct
        return found

    def message_element(self, abstract: etree._Element, end: str) -> tuple[str, etree._Element] | None:
        node = abstract.find(f"{{{WSDL}}}{end}")
        if node is None:
            self.refuse(abstract, f"an operation without {end} is not handled yet")
            return None
        return self.part_element(node)

    def part_element(self, node: etree._Element) -> tuple[str, etree._Element] | None:
        """The qualified name of the element that a message is, and the part that says so."""
        parts = list(self.named("message", node, "message").iterfind(f"{{{WSDL}}}part"))
        raw = parts[0].get("element") if len(parts) == 1 else None
        if raw is None:
            self.refuse(node, "a message that is not one part with an element is not handled yet")
            return None
        prefix, _, local = raw.rpartition(":")
        return f"{{{parts[0].nsmap.get(prefix or None) or ''}}}{local}", parts[0]


def _where(problem: Problem) -> tuple[str, int, int]:
    place = problem.place
    return (place.file, place.line, place.column) if place else ("", 0, 0)


def _at(document: Document, node: etree._Element) -> Place:
    return document.place(node)
