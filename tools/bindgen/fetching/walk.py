"""A root WSDL and everything it imports, includes or redefines, each document once, breadth first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from bindgen.fetching import addresses, canonical, imports, sources
from bindgen.fetching.download import IF_MODIFIED_SINCE, IF_NONE_MATCH, Downloader, FetchError, Limits
from bindgen.fetching.imports import Kind, Reference

_CORRECT_IT = "correct the location in a copy and use --file PATH"
_EXPECTED = {"wsdl": "a WSDL 1.1 document", "xsd": "an XML schema"}


@dataclass(slots=True)
class Document:
    """A document as it was obtained. `file` is the one on disk it was read from, if any."""

    url: str
    content: bytes
    media_type: str = "a file"
    etag: str | None = None
    last_modified: str | None = None
    aliases: list[str] = field(default_factory=list)
    file: Path | None = None
    kind: Kind = "wsdl"


@dataclass(frozen=True, slots=True)
class _Pending:
    url: str
    file: Path | None
    depth: int
    allowed: tuple[Kind, ...]
    named_by: str


Stored = Callable[[str], Document | None]
Unmodified = Callable[[str], bytes]


class Walk:
    """One fetch. `documents` (by address, in order of discovery) and `notes` fill as `run` goes on."""

    def __init__(
        self,
        downloader: Downloader,
        limits: Limits,
        *,
        folder: Path | None,
        stored: Stored,
        unmodified: Unmodified,
        validators: Mapping[str, Mapping[str, str]],
    ) -> None:
        """`folder` is where relative locations of local documents must stay below (None: no local ones).

        `stored` gives a document that is to be taken from the committed ones as they are now; `unmodified`
        gives the committed bytes of an address that answered 304 to its `validators`.
        """
        self._downloader = downloader
        self._limits = limits
        self._folder = folder
        self._stored = stored
        self._unmodified = unmodified
        self._validators = validators
        self._seen: set[str] = set()
        self._pending: deque[_Pending] = deque()
        self.documents: dict[str, Document] = {}
        self.notes: list[str] = []

    def run(self, root_url: str, root_file: Path | None) -> None:
        """Obtain the root and all it leads to. Raises FetchError, and has written nothing then."""
        self._add(_Pending(root_url, root_file, 0, ("wsdl",), ""))
        while self._pending:
            pending = self._pending.popleft()
            if pending.url in self.documents:
                continue
            if len(self.documents) >= self._limits.documents:
                raise FetchError(
                    root_url, f"more than {self._limits.documents} documents", "check what they import"
                )
            document = self._obtain(pending)
            if (already := self.documents.get(document.url)) is not None:
                already.aliases.extend(document.aliases)
                continue
            self.documents[document.url] = document
            self._follow(document, self._checked_root(document, pending), pending.depth)

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
                content = sources.read(pending.file, self._limits)
                return Document(pending.url, content, file=pending.file)
            reply = self._downloader.get(pending.url, self._validators)
        except FetchError as error:
            raise FetchError(error.url, error.problem + pending.named_by, error.remedy) from error
        if reply.content is None:
            sent = self._validators[reply.url]
            content = self._unmodified(reply.url)
            document = Document(
                reply.url, content, "not modified", sent.get(IF_NONE_MATCH), sent.get(IF_MODIFIED_SINCE)
            )
        else:
            document = Document(reply.url, reply.content, reply.media_type, reply.etag, reply.last_modified)
        if reply.url != pending.url:
            document.aliases.append(pending.url)
            self.notes.append(f"{pending.url}: redirected to {reply.url}")
        return document

    def _checked_root(self, document: Document, pending: _Pending) -> etree._Element:
        """The root element of a document that is what its mention promised. Sets the document's kind."""
        expected = " or ".join(_EXPECTED[kind] for kind in pending.allowed)
        came_as = f"came as {document.media_type}{pending.named_by}"
        remedy = "check the address; if a login or an error page stands in the way, use --file PATH"
        try:
            root = canonical.parse(document.content)
        except canonical.DocumentError as error:
            raise FetchError(document.url, f"not {expected}: it {error}; {came_as}", remedy) from error
        kind = imports.kind_of(root)
        if kind is None or kind not in pending.allowed:
            raise FetchError(
                document.url, f"not {expected}: its root is {etree.QName(root).text}; {came_as}", remedy
            )
        if imports.has_xml_base(root):
            raise FetchError(
                document.url, "uses xml:base, which is not supported", "remove it and use --file PATH"
            )
        document.kind = kind
        return root

    def _follow(self, document: Document, root: etree._Element, depth: int) -> None:
        for address, line in imports.service_addresses(root):
            self._note_https(document.url, address, line)
        try:
            references = list(imports.references(root))
        except imports.MissingLocation as error:
            raise FetchError(document.url, str(error), "add it and use --file PATH") from error
        for reference in references:
            named_by = f" (named by {document.url}, line {reference.line})"
            url = self._target(document, reference)
            if url in self._seen:
                continue
            file = None
            if self._folder is not None and document.file is not None and self._stored(url) is None:
                file = sources.locate(self._folder, document.file, document.url, reference.location)
            self._add(_Pending(url, file, depth + 1, reference.allowed, named_by))

    def _target(self, document: Document, reference: Reference) -> str:
        try:
            url = addresses.resolve(document.url, reference.location)
        except addresses.AddressError as error:
            raise FetchError(
                document.url,
                f"line {reference.line} names {addresses.redacted(reference.location)}, which {error}",
                _CORRECT_IT,
            ) from error
        if addresses.is_loopback(url) and document.file is None and not addresses.is_loopback(document.url):
            # What lives elsewhere has no business with what listens on the machine of whoever fetches it.
            raise FetchError(
                document.url,
                f"line {reference.line} names {reference.location}, which is this machine",
                _CORRECT_IT,
            )
        self._note_https(document.url, reference.location, reference.line)
        return url

    def _note_https(self, url: str, written: str, line: int) -> None:
        if (read_as := addresses.read_as_https(written)) is not None:
            self.notes.append(f"{url}, line {line}: {written} is read as {read_as}")
