"""A root WSDL and everything it imports, includes or redefines, each document once, breadth first."""

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
    url: str
    file: Path | None
    depth: int
    allowed: tuple[Kind, ...]
    named_by: str


class Walk:
    """One fetch. `documents` (by address, in order of discovery) and `notes` fill as `run` goes on."""

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
        """`get` gives the document at an address, or raises FetchError. `folder` is where relative locations
        of local documents must stay below (None: no local ones).

        `stored` gives a document that is to be taken from the committed ones as they are now. Documents on
        other hosts than `hosts` are not asked for. `missing` is called for every document but the root that
        cannot be had (its address, or else its location as written); without it the first such ends the walk.
        """
        self._get = get
        self._limits = limits
        self._folder = folder
        self._stored = stored
        self._hosts = hosts
        self._missing = missing
        self._asked = self._bytes = 0
        self._addresses: dict[Path, str] = {}  # of files: one that two addresses lead to is one document
        self._files: dict[str, Path] = {}  # by address, of all that are or will be read
        self._seen: set[str] = set()
        self._pending: deque[_Pending] = deque()
        self.documents: dict[str, Document] = {}
        self.notes: list[str] = []

    def run(self, root_url: str, root_file: Path | None) -> None:
        """Obtain the root and all it leads to. Raises FetchError, and has written nothing then."""
        if root_file is not None:
            self._files[root_url] = root_file.resolve()
        self._add(_Pending(root_url, root_file, 0, ("wsdl",), ""))
        while self._pending:
            pending = self._pending.popleft()
            if pending.url in self.documents:
                continue
            self._asked += 1
            if self._asked > self._limits.documents:
                raise FetchError(
                    root_url, f"more than {self._limits.documents} documents", "check what they import"
                )
            try:
                document = self._obtain(pending)
                known = self.documents.get(document.url)
                if known is not None:
                    self._check_kind(known, pending)
                    known.aliases.extend(document.aliases)
                    continue
                root = self._checked_root(document, pending)
            except FetchError as error:
                if pending.depth == 0:
                    raise
                self._do_without(pending.url, error)
                continue
            self._bytes += len(document.content)
            if self._bytes > self._limits.total_bytes:
                raise FetchError(
                    document.url,
                    f"larger than {self._limits.total_bytes} bytes with all documents before it",
                    "check what they import",
                )
            self.documents[document.url] = document
            self._follow(document, root, pending.depth)

    def _do_without(self, address: str, error: FetchError) -> None:
        if self._missing is None:
            raise error
        self._missing(address, error)

    def _add(self, pending: _Pending) -> None:
        if pending.depth > self._limits.import_depth:
            raise FetchError(
                pending.url,
                f"imports are nested more than {self._limits.import_depth} deep{pending.named_by}",
                "check what the documents import",
            )
        self._seen.add(pending.url)
        self._pending.append(pending)

    def _obtain(self, pending: _Pending) -> Document:
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
        known = self._addresses.setdefault(file.resolve(), url)
        if known != url and known in self.documents:
            return Document(known, b"", aliases=[url])
        return Document(url, sources.read(file, self._limits), file=file)

    def _checked_root(self, document: Document, pending: _Pending) -> etree._Element:
        """The root element of a document that is what its mention promised. Sets the document's kind."""
        try:
            root = canonical.parse(document.content)
        except canonical.DocumentError as error:
            raise _no_such(document, pending, f"it {error}") from error
        kind = imports.kind_of(root)
        if kind is None:
            raise _no_such(document, pending, f"its root is {etree.QName(root).text}")
        document.kind = kind
        self._check_kind(document, pending)
        if imports.has_xml_base(root):
            raise FetchError(
                document.url, "uses xml:base, which is not supported", "remove it and use --file PATH"
            )
        return root

    def _check_kind(self, document: Document, pending: _Pending) -> None:
        if document.kind not in pending.allowed:
            raise _no_such(document, pending, f"its root is {imports.ROOT_OF_KIND[document.kind]}")

    def _follow(self, document: Document, root: etree._Element, depth: int) -> None:
        for reference in imports.references(root):
            if reference.lacks and self._missing is None:
                raise FetchError(document.url, reference.lacks, "add it and use --file PATH")
            if reference.lacks:
                self.notes.append(f"{document.url}: {reference.lacks}")
                continue
            try:
                pending = self._pending_for(document, reference, depth + 1)
            except FetchError as error:
                try:
                    known_as = addresses.resolve(document.url, reference.location)
                except addresses.AddressError:
                    known_as = addresses.redacted(reference.location)
                self._do_without(known_as, error)
                continue
            if pending.url not in self._seen:
                self._add(pending)

    def _pending_for(self, document: Document, reference: Reference, depth: int) -> _Pending:
        url = self._target(document, reference)
        file = None
        if self._folder is not None and document.file is not None and self._stored(url) is None:
            file = sources.locate(self._folder, document.file, document.url, reference.location)
        if file is None and self._stored(url) is None and not self._hosts.admit(url):
            raise FetchError(
                document.url,
                f"line {reference.line} names {reference.location}, on another host",
                how_to_allow(url),
            )
        if file is not None and self._files.setdefault(url, file.resolve()) != file.resolve():
            # An address has no folders above its root, a disk has.
            raise FetchError(
                document.url,
                f"line {reference.line} names {reference.location}, so {url} would stand for two files",
                "give the contract an address with as many folders as are climbed",
            )
        named_by = f" (named by {document.url}, line {reference.line})"
        return _Pending(url, file, depth, reference.allowed, named_by)

    def _target(self, document: Document, reference: Reference) -> str:
        try:
            url = addresses.resolve(document.url, reference.location)
        except addresses.AddressError as error:
            raise FetchError(
                document.url,
                f"line {reference.line} names {addresses.redacted(reference.location)}, which {error}",
                _CORRECT_IT,
            ) from error
        if document.file is None and addresses.leads_here(url, document.url):
            raise FetchError(
                document.url,
                f"line {reference.line} names {reference.location}, which is this machine",
                _CORRECT_IT,
            )
        plain = addresses.without_tls(document.url)
        if (read_as := addresses.read_as_https(reference.location, plain)) is not None:
            at = f"{document.url}, line {reference.line}"
            self.notes.append(f"{at}: {reference.location} is read as {read_as}")
        return url


def _no_such(document: Document, pending: _Pending, why: str) -> FetchError:
    expected = " or ".join(_EXPECTED[kind] for kind in pending.allowed)
    remedy = "check the address; if a login or an error page stands in the way, use --file PATH"
    if f"{{{_WSDL_2}}}" in why:
        remedy = "ask the service for its WSDL 1.1: WSDL 2.0 is not read"
    elif document.file is not None:
        remedy = "look into the file: it may be cut, or a page that was saved in place of the document"
    came = "" if document.file is not None else f"; came as {document.media_type}"
    return FetchError(document.url, f"not {expected}: {why}{came}{pending.named_by}", remedy)
