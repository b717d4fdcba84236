"""The documents of a contract, parsed so that every node knows its file and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from bindgen.problems import LONG, ContractRefused, Place, Problem

_LONG_TAG = 60  # lines that a start tag may have for its place to be found


class DocumentSource(Protocol):
    """Where documents come from by address: the catalogue of fetched ones."""

    @property
    def root_url(self) -> str: ...
    def read(self, url: str) -> bytes: ...
    def resolve(self, base_url: str, location: str) -> str: ...


@dataclass(frozen=True, slots=True)
class SingleDocument:
    """The source of a contract that is one document, and names no others."""

    root_url: str
    content: bytes

    def read(self, url: str) -> bytes:
        """The document. Raises ContractRefused for any other address."""
        if url != self.root_url:
            raise ContractRefused([Problem(f"{url}: this contract is one document and has no others")])
        return self.content

    def resolve(self, base_url: str, location: str) -> str:
        """The location itself."""
        return location


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed document. `file` is the name errors give it."""

    url: str
    file: str
    raw: bytes
    root: etree._Element
    lines: tuple[str, ...]
    columns: Mapping[etree._Element, int]  # of elements in lines too long to be quoted whole
    prefixes: Mapping[str, str]  # those that mean the same namespace all over the document

    def place(self, node: etree._Element) -> Place:
        """Where a node stands, with its lines to the end of the element."""
        first = last = node.sourceline or 1
        if len(node):
            inmost = node
            while len(inmost):
                inmost = inmost[-1]
            last = max(inmost.sourceline or first, first) + 1  # the end tag's line, near enough
        prefix = node.prefix
        opening = f"<{prefix}:" if prefix else f"<{etree.QName(node).localname}"
        first = self._opened(first, opening)
        return Place(self.file, first, self.lines[first - 1 : last], self.columns.get(node, 0))

    def _opened(self, line: int, opening: str) -> int:
        """The line where a start tag opens; the parser knows the one where it ends."""
        if line <= len(self.lines) and opening in self.lines[line - 1]:
            return line
        for at in range(min(line, len(self.lines)), max(line - _LONG_TAG, 0), -1):
            if opening in self.lines[at - 1]:
                return at
        return line


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

    def sought(self, document: Document, location: str) -> Document | str:
        """The document that `document` names by `location`, or why it cannot be had."""
        try:
            return self.beside(document, location)
        except ContractRefused as error:
            return error.problems[0].message
        except Exception as error:  # a source may be anything; whatever it raises, the document is not there
            return str(error) or type(error).__name__

    def at(self, url: str) -> Document:
        """The document of an address. Raises ContractRefused where it is no XML or has a DOCTYPE."""
        if url not in self._parsed:
            self._parsed[url] = self.parse(url, self._files.get(url, url), self._source.read(url))
        return self._parsed[url]

    @staticmethod
    def parse(url: str, file: str, raw: bytes) -> Document:
        """A document from its bytes. Raises ContractRefused where it is no XML or has a DOCTYPE."""
        lines = _lines(raw)
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
        )
        try:
            root = etree.fromstring(_begun(raw), parser)
        except etree.XMLSyntaxError as error:
            line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
            raise ContractRefused(
                [Problem(f"not well-formed: {error.msg}", Place(file, line, lines[line - 1 : line], column))]
            ) from None
        if root.getroottree().docinfo.doctype:
            raise ContractRefused(
                [Problem("a DOCTYPE has no place in a contract", Place(file, 1, lines[:1]))]
            )
        return Document(url, file, raw, root, lines, _columns(root, lines), _prefixes(lines))


def _begun(raw: bytes) -> bytes:
    """The document without white space before its XML declaration, which some servers let slip in.

    Lines stay the ones they are as far as can be: an empty document is left to the parser to refuse.
    """
    return (
        raw.lstrip(_BLANKS) if raw[:1] in _BLANKS_ONE_BY_ONE and raw.lstrip(_BLANKS)[:5] == b"<?xml" else raw
    )


_DECLARATION = re.compile(r"""xmlns:([^\s=]+)\s*=\s*(["'])(.*?)\2""")
_BLANKS = b" \t\r\n"
_BLANKS_ONE_BY_ONE = (b" ", b"\t", b"\r", b"\n")
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\x00": "utf-16-le", b"\x00<": "utf-16-be"}
_DECLARED = re.compile(rb"<\?xml[^>]*encoding=[\"']([A-Za-z0-9._-]+)")


def _lines(raw: bytes) -> tuple[str, ...]:
    """A document's lines, to be quoted."""
    raw = _begun(raw)
    said = _DECLARED.match(raw.removeprefix(b"\xef\xbb\xbf"))
    encoding = _MARKS.get(raw[:2]) or (said[1].decode() if said else "utf-8")
    try:
        text = raw.decode(encoding, "replace")
    except (LookupError, ValueError):  # of no such name, or of one that is for host names alone
        text = raw.decode("utf-8", "replace")
    return tuple(text.removeprefix("\ufeff").splitlines())


def _prefixes(lines: tuple[str, ...]) -> dict[str, str]:
    """The prefixes that are declared for one namespace only, wherever that is.

    To ask the parser what is declared around a node takes longer than all else that is done to it.
    """
    found: dict[str, set[str]] = {}
    for line in lines:
        if "xmlns:" in line:
            for prefix, _, space in _DECLARATION.findall(line):
                found.setdefault(prefix, set()).add(space)
    return {
        prefix: space
        for prefix, spaces in found.items()
        if len(spaces) == 1 and (space := next(iter(spaces))) and "&" not in space
    }


def _columns(root: etree._Element, lines: tuple[str, ...]) -> dict[etree._Element, int]:
    """Where elements begin in long lines. The parser does not say, so equal start tags are counted."""
    if max(map(len, lines), default=0) <= LONG:
        return {}
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
