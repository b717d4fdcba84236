"""Obtain a root WSDL and everything it imports, includes or redefines, breadth first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from bindgen.fetching import addresses, canonical, imports, sources
from bindgen.fetching.addresses import Hosts, how_to_allow
from bindgen.fetching.download import ANY_HOST, Document, Limits
from bindgen.fetching.errors import FetchError
from bindgen.fetching.imports import Kind, Reference

_CORRECT_IT = "correct the location in a copy and use --file PATH"
_WSDL_2 = "http://www.w3.org/ns/wsdl"
_EXPECTED = {"wsdl": "a WSDL 1.1 document", "xsd": "an XML schema"}


@dataclass(frozen=True, slots=True)
class _Pending:
    """A document in the queue of the traversal.

    `allowed` are the kinds of document that the reference to it allows. `named_by` describes this reference,
    for errors.
    """

    url: str
    file: Path | None
    depth: int
    allowed: tuple[Kind, ...]
    named_by: str


class Walk:
    """One traversal of a WSDL and all documents to which it refers.

    `run` fills `documents` (by address, in order of discovery) and `notes` (remarks to print).
    """

    def __init__(
        self,
        get: Callable[[str], Document],
        limits: Limits,
        *,
        folder: Path | None,
        stored: Callable[[str], Document | None] = lambda _: None,
        hosts: Hosts = ANY_HOST,
        missing: Callable[[str, FetchError], None] | None = None,
    ) -> None:
        """Create a traversal. `get` returns the document at an address, or raises FetchError.

        `folder` is the folder that must contain all local documents; None if there are no local documents.

        `stored` returns the stored document for an address, or None if the document must be requested. Only
        documents on `hosts` are requested.

        `missing` is called with the address and the error of each document that cannot be obtained. If a
        location is not a valid address, the first argument is this location. If `missing` is None, or if the
        document is the root, the error is raised instead, and ends the traversal.
        """
        self._get = get
        self._limits = limits
        self._folder = folder
        self._stored = stored
        self._hosts = hosts
        self._missing = missing
        self._number = self._bytes = 0
        self._addresses: dict[Path, str] = {}  # two addresses of the same file are one document
        self._files: dict[str, Path] = {}  # the files of all addresses found so far
        self._seen: set[str] = set()
        self._pending: deque[_Pending] = deque()
        self.documents: dict[str, Document] = {}
        self.notes: list[str] = []

    def run(self, root_url: str, root_file: Path | None) -> None:
        """Obtain the root and all documents to which it refers, directly or indirectly.

        `root_file` is the file from which the root is read, or None to download it. Raises FetchError.
        Nothing is written to disk.
        """
        if root_file is not None:
            self._files[root_url] = root_file.resolve()
        self._add(_Pending(root_url, root_file, 0, ("wsdl",), ""))
        while self._pending:
            pending = self._pending.popleft()
            if pending.url in self.documents:
                continue
            self._number += 1
            if self._number > self._limits.documents:
                raise FetchError(
                    root_url,
                    f"has more than {self._limits.documents} documents",
                    "check what the documents import",
                )
            try:
                document = self._obtain(pending)
                known_document = self.documents.get(document.url)
                if known_document is not None:
                    self._check_kind(known_document, pending)
                    known_document.aliases.extend(document.aliases)
                    continue
                root = self._parse_root(document, pending)
            except FetchError as error:
                if pending.depth == 0:
                    raise
                self._report_missing(pending.url, error)
                continue
            self._bytes += len(document.content)
            if self._bytes > self._limits.total_bytes:
                raise FetchError(
                    document.url,
                    f"this document and the documents before it exceed {self._limits.total_bytes} bytes "
                    "in total",
                    "check what the documents import",
                )
            self.documents[document.url] = document
            self._follow(document, root, pending.depth)

    def _report_missing(self, address: str, error: FetchError) -> None:
        """Call `missing` for a document that cannot be obtained. Without `missing`, raise the error."""
        if self._missing is None:
            raise error
        self._missing(address, error)

    def _add(self, pending: _Pending) -> None:
        """Add a document to the queue. Raises FetchError if imports are nested too deeply."""
        if pending.depth > self._limits.import_depth:
            raise FetchError(
                pending.url,
                f"imports are nested more than {self._limits.import_depth} deep{pending.named_by}",
                "check what the documents import",
            )
        self._seen.add(pending.url)
        self._pending.append(pending)

    def _obtain(self, pending: _Pending) -> Document:
        """Return the document of a queue entry, which is stored, or else is read from a file or downloaded.

        Raises FetchError if the document cannot be obtained.
        """
        if (stored := self._stored(pending.url)) is not None:
            return stored
        try:
            if pending.file is not None:
                return self._read(pending.url, pending.file)
            document = self._get(pending.url)
        except FetchError as error:
            raise FetchError(error.url, error.problem + pending.named_by, error.remedy) from error
        if document.url != pending.url:
            document.aliases.append(pending.url)
            self.notes.append(f"{pending.url}: redirected to {document.url}")
        return document

    def _read(self, url: str, file: Path) -> Document:
        """Read the document with the address `url` from a file.

        Two addresses can lead to the same file. If the file was already read for another address, return a
        Document without content: its address is the other one, and its alias is `url`.
        """
        known_url = self._addresses.setdefault(file.resolve(), url)
        if known_url != url and known_url in self.documents:
            return Document(known_url, b"", aliases=[url])
        return Document(url, sources.read(file, self._limits), file=file)

    def _parse_root(self, document: Document, pending: _Pending) -> etree._Element:
        """Parse a document, set its kind, and return its root element.

        Raises FetchError if the kind is not allowed.
        """
        try:
            root = canonical.parse(document.content)
        except canonical.DocumentError as error:
            raise _wrong_kind(document, pending, f"it {error}") from error
        kind = imports.kind_of(root)
        if kind is None:
            raise _wrong_kind(document, pending, f"its root is {etree.QName(root).text}")
        document.kind = kind
        self._check_kind(document, pending)
        if imports.has_xml_base(root):
            raise FetchError(
                document.url,
                "uses xml:base, which is not supported",
                "use --file PATH with a copy without xml:base",
            )
        return root

    def _check_kind(self, document: Document, pending: _Pending) -> None:
        """Raise FetchError if the reference does not allow the kind of the document."""
        if document.kind not in pending.allowed:
            raise _wrong_kind(document, pending, f"its root is {imports.ROOT_OF_KIND[document.kind]}")

    def _follow(self, document: Document, root: etree._Element, depth: int) -> None:
        """Add to the queue all documents to which `document` refers.

        `root` is the root element of `document`, and `depth` the nesting depth of the import that led to it.
        """
        for reference in imports.references(root):
            if reference.lacks and self._missing is None:
                raise FetchError(document.url, reference.lacks, "use --file PATH with a copy that has it")
            if reference.lacks:
                self.notes.append(f"{document.url}: {reference.lacks}")
                continue
            try:
                pending = self._pending_for(document, reference, depth + 1)
            except FetchError as error:
                try:
                    address = addresses.resolve(document.url, reference.location)
                except addresses.AddressError:
                    address = addresses.redacted(reference.location)
                self._report_missing(address, error)
                continue
            if pending.url not in self._seen:
                self._add(pending)

    def _pending_for(self, document: Document, reference: Reference, depth: int) -> _Pending:
        """Return the queue entry for a reference in `document`.

        The entry has the address of the reference, its file if it is a local document, and its `depth`.
        Raises FetchError if the reference is not allowed.
        """
        url = self._target(document, reference)
        file = None
        if self._folder is not None and document.file is not None and self._stored(url) is None:
            file = sources.locate(self._folder, document.file, document.url, reference.location)
        if file is None and self._stored(url) is None and not self._hosts.admit(url):
            raise FetchError(
                document.url,
                f"line {reference.line} refers to {reference.location}, on another host",
                how_to_allow(url),
            )
        if file is not None and self._files.setdefault(url, file.resolve()) != file.resolve():
            # `..` stops at the root of an address, but not at the folder of a file.
            raise FetchError(
                document.url,
                f"line {reference.line} refers to {reference.location}, and its address would be "
                f"{url}, which already belongs to another file",
                "give the contract an address with a longer path: a folder for each `..` in its locations",
            )
        named_by = f" (referred to by {document.url}, line {reference.line})"
        return _Pending(url, file, depth, reference.allowed, named_by)

    def _target(self, document: Document, reference: Reference) -> str:
        """Return the address of a reference. Raises FetchError if it is not allowed."""
        try:
            url = addresses.resolve(document.url, reference.location)
        except addresses.AddressError as error:
            raise FetchError(
                document.url,
                f"line {reference.line} refers to {addresses.redacted(reference.location)}, which {error}",
                _CORRECT_IT,
            ) from error
        if document.file is None and addresses.leads_here(url, document.url):
            raise FetchError(
                document.url,
                f"line {reference.line} refers to {reference.location}, "
                "but documents from other hosts may not refer to this machine",
                _CORRECT_IT,
            )
        plain = addresses.without_tls(document.url)
        if (read_as := addresses.read_as_https(reference.location, plain)) is not None:
            place = f"{document.url}, line {reference.line}"
            self.notes.append(f"{place}: {reference.location} is read as {read_as}")
        return url


def _wrong_kind(document: Document, pending: _Pending, problem: str) -> FetchError:
    """Return the error for a document of the wrong kind."""
    expected = " or ".join(_EXPECTED[kind] for kind in pending.allowed)
    remedy = "check the address; if a login or an error page is returned instead, use --file PATH"
    if f"{{{_WSDL_2}}}" in problem:
        remedy = "ask the service for its WSDL 1.1: WSDL 2.0 is not supported"
    elif document.file is not None:
        remedy = "check the file: it may be incomplete, or a web page saved instead of the document"
    received = "" if document.file is not None else f"; came as {document.media_type}"
    return FetchError(document.url, f"not {expected}: {problem}{received}{pending.named_by}", remedy)
