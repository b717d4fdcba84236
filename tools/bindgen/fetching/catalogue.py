"""The documents of a locked contract, by address: for generation, which reads them instead of the network,
and for the next fetch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bindgen.fetching import addresses, canonical
from bindgen.fetching.download import Document
from bindgen.fetching.errors import FetchError
from bindgen.fetching.lock import LockedContract, LockedDocument


class CatalogueError(Exception):
    """A document that is not there as the lock describes it; the message says which, and what to do."""


class Catalogue:
    """Address → bytes, each checked against the lock at every reading."""

    def __init__(
        self, folder: Path, contract: LockedContract | None, kept: Mapping[str, bytes] | None = None
    ) -> None:
        """`folder` is the one that holds the lock; every file in it is relative to that. `kept` are documents
        by address that are at hand, whatever the files are now. What was never fetched (None) has none."""
        self._folder = folder
        self._kept = kept or {}
        self._name = "" if contract is None else contract.name
        documents = () if contract is None else contract.documents
        self._documents = {document.url: document for document in documents}
        self._aliases = {alias: document.url for document in documents for alias in document.aliases}

    @property
    def root_url(self) -> str:
        """The address of the root WSDL, as `read` takes it."""
        return next(iter(self._documents))

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses of all documents, the root first."""
        return tuple(self._documents)

    def path(self, url: str) -> Path:
        """The file of a document. Raises CatalogueError for an address the lock does not hold."""
        return self._folder / self._document(url).file

    def read(self, url: str) -> bytes:
        """The document's bytes, unchanged since they were fetched.

        Raises CatalogueError for an address the lock does not hold, and for a file that is missing or
        differs.
        """
        document = self._document(url)
        if (kept := self._kept.get(document.url)) is not None:
            return kept
        path, name = self._folder / document.file, self._name
        try:
            content = path.read_bytes()
        except OSError as error:
            raise CatalogueError(
                f"{path}: cannot be read ({error.strerror}), expected {url} with sha256 {document.sha256}. "
                f"What to do: restore it from version control, or run `bindgen fetch {name}`, "
                f"or `bindgen fetch {name} --file PATH` with a copy of the contract you have."
            ) from error
        if (found := canonical.sha256(content)) != document.sha256:
            raise CatalogueError(
                f"{path}: is not what was fetched from {url}: "
                f"expected sha256 {document.sha256}, found {found}. "
                f"What to do: run `bindgen fetch {name} --file {self.path(self.root_url)}` "
                f"to accept it as it is now, or `bindgen fetch {name}` to have the published one again."
            )
        return content

    def is_intact(self, url: str) -> bool:
        """Whether `read` would give the document."""
        try:
            self.read(url)
        except CatalogueError:
            return False
        return True

    def resolve(self, base_url: str, location: str) -> str:
        """The address that `location` names inside the document at `base_url`, by the rules of the fetch.

        Raises CatalogueError for a location that is not an https (or loopback http) address.
        """
        try:
            url = addresses.resolve(base_url, location)
        except addresses.AddressError as error:
            raise CatalogueError(
                f"{base_url}: names {addresses.redacted(location)}, which {error}. "
                f"What to do: correct it and run `bindgen fetch {self._name} --file PATH`."
            ) from error
        return self._aliases.get(url, url)

    def _document(self, url: str) -> LockedDocument:
        document = self._find(url)
        if document is None:
            raise CatalogueError(
                f"{url}: is not among the documents of {self._name} in the lock. "
                f"What to do: run `bindgen fetch {self._name}`."
            )
        return document

    def _find(self, url: str) -> LockedDocument | None:
        """What the lock says of the document at an address, or at one that redirects to it."""
        return self._documents.get(self._aliases.get(url, url))

    # ---- what the next fetch of the contract can rely on

    def unmodified(self, url: str) -> Document | None:
        """The document that this very address gave, if its file is still that."""
        known = url in self._documents and self.is_intact(url)
        return self._as_fetched(self._documents[url]) if known else None

    def offline(self, url: str) -> Document:
        """A document as it was fetched. Raises FetchError where it is not at hand so."""
        found = self._find(url)
        if found is None:
            remedy = "put it into the folder of the document that names it, or fetch once without --offline"
            raise FetchError(url, "is not available offline", remedy)
        if not self.is_intact(found.url):
            raise FetchError(
                str(self.path(found.url)),
                f"is not what was fetched from {found.url}, and cannot be fetched again with --offline",
                "restore it from version control, or fetch without --offline",
            )
        return self._as_fetched(found)

    def as_it_is(self, url: str) -> Document | None:
        """A document with whatever its file holds now; None for an address the lock does not hold."""
        found = self._find(url)
        if found is None:
            return None
        path = self.path(url)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FetchError(
                str(path), f"cannot be read ({error.strerror})", "restore it from version control"
            ) from error
        return Document(found.url, content, aliases=list(found.aliases), file=path)

    def is_root(self, file: Path) -> bool:
        """Whether a file is the committed root itself, which is how an edited contract is accepted."""
        return bool(self._documents) and self.path(self.root_url).resolve() == file.resolve()

    def _as_fetched(self, found: LockedDocument) -> Document:
        return Document(found.url, self.read(found.url), "a kept file", found.etag, found.last_modified)
