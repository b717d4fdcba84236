"""The documents of a contract, parsed so that the file and the lines of every node are available."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from bindgen.problems import LONG, ContractRefused, Place, Problem

_LONG_TAG = 60  # maximum lines of a start tag; the place of a longer tag is its last line


class DocumentSource(Protocol):
    """Interface of a source that returns documents by address, such as the catalogue of fetched documents."""

    @property
    def root_url(self) -> str:
        """The address of the root document."""

    def read(self, url: str) -> bytes:
        """Return the document at an address."""

    def resolve(self, base_url: str, location: str) -> str:
        """Return the address of a `location`, which can be relative, in the document at `base_url`."""


@dataclass(frozen=True, slots=True)
class SingleDocument:
    """The source for a contract that is a single document."""

    root_url: str
    content: bytes

    def read(self, url: str) -> bytes:
        """Return the document. Raises ContractRefused for any other address."""
        if url != self.root_url:
            raise ContractRefused(
                [Problem(f"{url}: cannot be read, because this contract is a single document")]
            )
        return self.content

    def resolve(self, base_url: str, location: str) -> str:
        """Return the location unchanged."""
        return location


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document. `file` is its name in error messages."""

    url: str
    file: str
    raw: bytes
    root: etree._Element
    lines: tuple[str, ...]
    columns: Mapping[etree._Element, int]  # of elements in lines that are too long to quote completely
    prefixes: Mapping[str, str]  # the prefixes that mean the same namespace everywhere in the document

    def place(self, node: etree._Element) -> Place:
        """Return the place of a node: the lines from its start tag to its end."""
        first = last = node.sourceline or 1
        if len(node):
            last_node = node
            while len(last_node):
                last_node = last_node[-1]
            last = max(last_node.sourceline or first, first) + 1  # approximately the line of the end tag
        prefix, lines = node.prefix, self.lines
        opening = f"<{prefix}:" if prefix else f"<{etree.QName(node).localname}"
        if first > len(lines) or opening not in lines[first - 1]:
            first = self._opened(first, opening)
        return Place(self.file, first, lines[first - 1 : last], self.columns.get(node, 0))

    def _opened(self, line: int, opening: str) -> int:
        """Return the line on which a start tag begins.

        `line` is the line on which the tag ends: the parser only knows this line. `opening` is the text with
        which the tag begins, such as `<xs:`.
        """
        for number in range(min(line, len(self.lines)), max(line - _LONG_TAG, 0), -1):
            if opening in self.lines[number - 1]:
                return number
        return line


class Documents:
    """Parses documents when they are first needed."""

    def __init__(self, source: DocumentSource, files: Mapping[str, str]) -> None:
        self._source = source
        self._files = files
        self._parsed: dict[str, Document] = {}

    @property
    def root(self) -> Document:
        """The root document of the contract."""
        return self.at(self._source.root_url)

    def follow(self, document: Document, location: str) -> Document:
        """Return the document to which `document` refers by `location`."""
        return self.at(self._source.resolve(document.url, location))

    def try_follow(self, document: Document, location: str) -> Document | str:
        """Return the document to which `document` refers by `location`.

        If it is not available, return the reason as a string.
        """
        try:
            return self.follow(document, location)
        except ContractRefused as error:
            return error.problems[0].message
        except Exception as error:  # sources may raise any exception; the document is not available then
            return str(error) or type(error).__name__

    def at(self, url: str) -> Document:
        """Return the document at an address. Raises ContractRefused if it is not XML or has a DOCTYPE."""
        if url not in self._parsed:
            self._parsed[url] = self.parse(url, self._files.get(url, url), self._source.read(url))
        return self._parsed[url]

    @staticmethod
    def parse(url: str, file: str, raw: bytes) -> Document:
        """Parse the bytes of a document. Raises ContractRefused if it is not XML or has a DOCTYPE."""
        lines = _lines(raw)
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
        )
        try:
            root = etree.fromstring(_without_leading_blanks(raw), parser)
        except etree.XMLSyntaxError as error:
            line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
            raise ContractRefused(
                [
                    Problem(
                        f"not well-formed XML: {error.msg}", Place(file, line, lines[line - 1 : line], column)
                    )
                ]
            ) from None
        if root.getroottree().docinfo.doctype:
            raise ContractRefused([Problem("a contract must not have a DOCTYPE", Place(file, 1, lines[:1]))])
        return Document(url, file, raw, root, lines, _columns(root, lines), _prefixes(lines))


def _without_leading_blanks(raw: bytes) -> bytes:
    """Remove white space before the XML declaration. Some servers send it, but XML does not allow it.

    A document without an XML declaration is not changed, so that its line numbers stay correct.
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
    """Return the lines of a document as text. Error messages quote these lines."""
    raw = _without_leading_blanks(raw)
    declaration = _DECLARED.match(raw.removeprefix(b"\xef\xbb\xbf"))
    encoding = _MARKS.get(raw[:2]) or (declaration[1].decode() if declaration else "utf-8")
    try:
        text = raw.decode(encoding, "replace")
    except (LookupError, ValueError):  # an unknown encoding, or one for host names only (idna)
        text = raw.decode("utf-8", "replace")
    return tuple(text.removeprefix("\ufeff").splitlines())


def _prefixes(lines: tuple[str, ...]) -> dict[str, str]:
    """Return a dict from each prefix in the document to its namespace.

    Prefixes that are bound to different namespaces in different places are left out. The declarations are
    searched in the text, because asking lxml for the prefixes of each node would take longer than all other
    work on the node.
    """
    namespaces: dict[str, set[str]] = {}
    for line in lines:
        if "xmlns:" in line:
            for prefix, _, space in _DECLARATION.findall(line):
                namespaces.setdefault(prefix, set()).add(space)
    return {
        prefix: space
        for prefix, spaces in namespaces.items()
        if len(spaces) == 1 and (space := next(iter(spaces))) and "&" not in space
    }


def _columns(root: etree._Element, lines: tuple[str, ...]) -> dict[etree._Element, int]:
    """Return the column at which each element begins, for lines with more than `LONG` characters.

    lxml does not know columns. They are found by searching the line for the start tags in order.
    """
    if max(map(len, lines), default=0) <= LONG:
        return {}
    starts: dict[tuple[int, str], Iterator[re.Match[str]]] = {}
    columns: dict[etree._Element, int] = {}
    for node in root.iter("*"):
        line = node.sourceline or 0
        if not 0 < line <= len(lines) or len(lines[line - 1]) <= LONG:
            continue
        local = etree.QName(node).localname
        name = f"{node.prefix}:{local}" if node.prefix else local
        if (line, name) not in starts:
            starts[line, name] = re.finditer(rf"<{re.escape(name)}(?=[\s/>]|$)", lines[line - 1])
        if (start := next(starts[line, name], None)) is not None:
            columns[node] = start.start()
    return columns
