"""The documents of a contract, parsed so that every node knows its file and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from bindgen.problems import LONG, ContractRefused, Place, Problem


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
    columns: Mapping[etree._Element, int]  # of elements in lines too long to be quoted whole

    def place(self, node: etree._Element) -> Place:
        """Where a node stands, with its lines to the end of the element."""
        first = node.sourceline or 1
        last = max((inner.sourceline or first for inner in node.iter()), default=first)
        if last > first or len(node):
            last += 1  # the end tag's line, near enough for a quotation
        opening = f"<{node.prefix}:" if node.prefix else f"<{etree.QName(node).localname}"
        column = self.columns.get(node, 0)
        while first > 1 and opening not in self.lines[first - 1]:
            first -= 1  # the parser knows the line where a start tag ends
        return Place(self.file, first, self.lines[first - 1 : last], column)


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
            self._parsed[url] = self.parse(url, self._files.get(url, url), self._source.read(url))
        return self._parsed[url]

    @staticmethod
    def parse(url: str, file: str, raw: bytes) -> Document:
        """A document from its bytes. Raises ContractRefused where it is no XML or has a DOCTYPE."""
        lines = tuple(raw.decode("utf-8", "replace").splitlines())
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
        )
        try:
            root = etree.fromstring(raw, parser)
        except etree.XMLSyntaxError as error:
            line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
            raise ContractRefused(
                [Problem(f"not well-formed: {error.msg}", Place(file, line, lines[line - 1 : line], column))]
            ) from None
        if root.getroottree().docinfo.doctype:
            raise ContractRefused(
                [Problem("a DOCTYPE has no place in a contract", Place(file, 1, lines[:1]))]
            )
        return Document(url, file, raw, root, lines, _columns(root, lines))


def _columns(root: etree._Element, lines: tuple[str, ...]) -> dict[etree._Element, int]:
    """Where elements begin in long lines. The parser does not say, so equal start tags are told off."""
    starts: dict[tuple[int, str], Iterator[re.Match[str]]] = {}
    found: dict[etree._Element, int] = {}
    for node in root.iter("*"):
        line = node.sourceline or 0
        if not 0 < line <= len(lines) or len(lines[line - 1]) <= LONG:
            continue
        local = etree.QName(node).localname
        name = f"{node.prefix}:{local}" if node.prefix else local
        if (line, name) not in starts:
            starts[line, name] = re.finditer(rf"<{re.escape(name)}(?=[\s/>]|$)", lines[line - 1])
        if (start := next(starts[line, name], None)) is not None:
            found[node] = start.start()
    return found
