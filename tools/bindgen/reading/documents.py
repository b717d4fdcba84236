"""The documents of a contract, parsed so that every node knows its file and lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from bindgen.problems import ContractRefused, Place, Problem


class DocumentSource(Protocol):
    """Where documents come from by address: the catalogue of fetched ones."""

    @property
    def root_url(self) -> str: ...
    def read(self, url: str) -> bytes: ...
    def resolve(self, base_url: str, location: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed document. `file` is the name errors give it."""

    url: str
    file: str
    raw: bytes
    root: etree._Element
    lines: tuple[str, ...]

    def place(self, node: etree._Element) -> Place:
        """Where a node stands, with its lines to the end of the element."""
        first = node.sourceline or 1
        last = max((inner.sourceline or first for inner in node.iter()), default=first)
        if last > first or len(node):
            last += 1  # the end tag's line, near enough for a quotation
        opening = f"<{node.prefix}:" if node.prefix else f"<{etree.QName(node).localname}"
        while first > 1 and opening not in self.lines[first - 1]:
            first -= 1  # the parser knows the line where a start tag ends
        return Place(self.file, first, self.lines[first - 1 : last])


class Documents:
    """Parses documents when first asked for."""

    def __init__(self, source: DocumentSource, files: Mapping[str, str]) -> None:
        self._source = source
        self._files = files
        self._parsed: dict[str, Document] = {}

    @property
    def root(self) -> Document:
        """The document that the contract starts with."""
        return self.at(self._source.root_url)

    def beside(self, document: Document, location: str) -> Document:
        """The document that `document` names by `location`."""
        return self.at(self._source.resolve(document.url, location))

    def at(self, url: str) -> Document:
        """The document of an address. Raises ContractRefused where it is no XML or has a DOCTYPE."""
        if url not in self._parsed:
            self._parsed[url] = self._parse(url)
        return self._parsed[url]

    def _parse(self, url: str) -> Document:
        raw = self._source.read(url)
        file = self._files.get(url, url)
        lines = tuple(raw.decode("utf-8", "replace").splitlines())
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
        )
        try:
            root = etree.fromstring(raw, parser)
        except etree.XMLSyntaxError as error:
            line = error.lineno or 1
            raise ContractRefused(
                [Problem(f"not well-formed: {error.msg}", Place(file, line, lines[line - 1 : line]))]
            ) from None
        if root.getroottree().docinfo.doctype:
            raise ContractRefused(
                [Problem("a DOCTYPE has no place in a contract", Place(file, 1, lines[:1]))]
            )
        return Document(url, file, raw, root, lines)
