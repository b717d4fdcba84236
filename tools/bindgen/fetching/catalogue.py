"""Read the stored documents of a contract by their addresses, as recorded in contracts.lock.

The generator reads only these stored files and does not use the network. `bindgen fetch` reuses files that
have not changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bindgen.fetching import addresses, canonical
from bindgen.fetching.download import Document
from bindgen.fetching.errors import FetchError
from bindgen.fetching.lock import LockedContract, LockedDocument


class CatalogueError(Exception):
    """Raised if a document of a contract is unavailable or does not match the lock.

    The message names the document and the reason.
    """


class Catalogue:
    """The stored documents of a contract by address. `read` compares the bytes with the hash in the lock."""

    def __init__(
        self, folder: Path, contract: LockedContract | None, contents: Mapping[str, bytes] | None = None
    ) -> None:
        """Create a catalogue for a contract. `folder` is the folder of the lock.

        The paths of files in the lock are relative to `folder`. `contract` is the contract's entry in the
        lock. It is None if the contract was never fetched, and so has no documents. `contents` maps addresses
        to documents that are used instead of the files.
        """
        self._folder = folder
        self._kept = contents or {}
        self._name = "" if contract is None else contract.name
        documents = () if contract is None else contract.documents
        self._documents = {document.url: document for document in documents}
        self._aliases = {alias: document.url for document in documents for alias in document.aliases}

    @property
    def root_url(self) -> str:
        """The address of the root WSDL. Pass it to `read`."""
        return next(iter(self._documents))

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses of all documents, the root first."""
        return tuple(self._documents)

    def path(self, url: str) -> Path:
        """Return the file of a document. Raises CatalogueError if the lock does not have the address."""
        return self._folder / self._document(url).file

    def read(self, url: str) -> bytes:
        """Return the bytes of a document, unchanged since they were fetched.

        Raises CatalogueError if the lock does not have the address, or if the file is missing or differs.
        """
        document = self._document(url)
        if (content_at_hand := self._kept.get(document.url)) is not None:
            return content_at_hand
        path, name = self._folder / document.file, self._name
        try:
            content = path.read_bytes()
        except OSError as error:
            raise CatalogueError(
                f"{path}: cannot be read ({error.strerror}), expected {url} with sha256 {document.sha256}. "
                f"What to do: restore it from version control, or run `bindgen fetch {name}`, "
                f"or `bindgen fetch {name} --file PATH` with a copy of the contract you have."
            ) from error
        if (digest := canonical.sha256(content)) != document.sha256:
            raise CatalogueError(
                f"{path}: differs from the document fetched from {url}: "
                f"expected sha256 {document.sha256}, found {digest}. "
                f"What to do: run `bindgen fetch {name} --file {self.path(self.root_url)}` "
                f"to accept the file as it is, or `bindgen fetch {name}` to restore the published document."
            )
        return content

    def is_intact(self, url: str) -> bool:
        """Return True if `read` would succeed for the document."""
        try:
            self.read(url)
        except CatalogueError:
            return False
        return True

    def resolve(self, base_url: str, location: str) -> str:
        """Return the complete address of `location`, a reference in the document at `base_url`.

        `bindgen fetch` resolves references in the same way.

        Raises CatalogueError if the result is not an https (or loopback http) address.
        """
        try:
            url = addresses.resolve(base_url, location)
        except addresses.AddressError as error:
            raise CatalogueError(
                f"{base_url}: refers to {addresses.redacted(location)}, which {error}. "
                "What to do: correct this address in a copy of the contract, and run "
                f"`bindgen fetch {self._name} --file PATH` with the path of the copy."
            ) from error
        return self._aliases.get(url, url)

    def _document(self, url: str) -> LockedDocument:
        """Return the lock's entry for an address or alias. Raises CatalogueError if there is none."""
        document = self._find(url)
        if document is None:
            raise CatalogueError(
                f"{url}: is not among the documents of {self._name} in the lock. "
                f"What to do: run `bindgen fetch {self._name}`."
            )
        return document

    def _find(self, url: str) -> LockedDocument | None:
        """Return the lock's entry for an address or alias; None if there is none.

        An alias is an address that redirected to the document.
        """
        return self._documents.get(self._aliases.get(url, url))

    # ---- for the next fetch of the contract

    def unmodified(self, url: str) -> Document | None:
        """Return the document at an address if its file is unchanged, otherwise None.

        Also returns None for an alias, which is an address that redirected to the document.
        """
        unchanged = url in self._documents and self.is_intact(url)
        return self._as_fetched(self._documents[url]) if unchanged else None

    def offline(self, url: str) -> Document:
        """Return the stored document for an address without using the network.

        Raises FetchError if the lock does not have the address, or if the file is missing or was changed.
        """
        entry = self._find(url)
        if entry is None:
            remedy = (
                "put it into the folder of the document that refers to it, or fetch once without --offline"
            )
            raise FetchError(url, "is not available offline", remedy)
        if not self.is_intact(entry.url):
            raise FetchError(
                str(self.path(entry.url)),
                f"differs from the document fetched from {entry.url}; --offline cannot fetch it again",
                "restore it from version control, or fetch without --offline",
            )
        return self._as_fetched(entry)

    def as_it_is(self, url: str) -> Document | None:
        """Return a document with the current content of its file, even if a user edited the file.

        Returns None if the document is not in the lock. Raises FetchError if the file cannot be read.
        """
        entry = self._find(url)
        if entry is None:
            return None
        path = self.path(url)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FetchError(
                str(path), f"cannot be read ({error.strerror})", "restore it from version control"
            ) from error
        return Document(entry.url, content, aliases=list(entry.aliases), file=path)

    def is_root(self, file: Path) -> bool:
        """Return True if a file is the stored root WSDL of the contract.

        A user can edit the stored documents and then fetch from this file. In this case, `fetch` reads the
        edited documents as the contract, instead of requesting documents.
        """
        return bool(self._documents) and self.path(self.root_url).resolve() == file.resolve()

    def _as_fetched(self, entry: LockedDocument) -> Document:
        """Return the document for a lock entry, with the ETag and Last-Modified for the next request."""
        return Document(entry.url, self.read(entry.url), "a kept file", entry.etag, entry.last_modified)
