"""The WSDL documents of a contract as one: its services, bindings, port types and messages by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from bindgen.reading.documents import Document, Documents
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import WSDL, XML
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
