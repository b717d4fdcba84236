"""The documents of a locked contract, by address: what generation reads instead of the network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bindgen.fetching import addresses, canonical
from bindgen.fetching.lock import LockedContract, LockedDocument


class CatalogueError(Exception):
    """A document that is not there as the lock describes it; the message says which, and what to do."""


class Catalogue:
    """Address → bytes, each checked against the lock at every reading."""

    def __init__(
        self, folder: Path, contract: LockedContract, kept: Mapping[str, bytes] | None = None
    ) -> None:
        """`folder` is the one that holds the lock; every file in it is relative to that. `kept` are documents
        by address that are at hand, whatever the files are now."""
        self._folder = folder
        self._kept = kept or {}
        self._contract = contract
        self._documents = {document.url: document for document in contract.documents}
        self._aliases = {alias: document.url for document in contract.documents for alias in document.aliases}

    @property
    def root_url(self) -> str:
        """The address of the root WSDL, as `read` takes it."""
        return self._contract.documents[0].url

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
        path = self._folder / document.file
        name = self._contract.name
        root = self._folder / self._contract.documents[0].file
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
                f"What to do: run `bindgen fetch {name} --file {root}` to accept it as it is now, "
                f"or `bindgen fetch {name}` to have the published one again."
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
                f"What to do: correct it and run `bindgen fetch {self._contract.name} --file PATH`."
            ) from error
        return self._aliases.get(url, url)

    def _document(self, url: str) -> LockedDocument:
        document = self._documents.get(self._aliases.get(url, url))
        if document is None:
            raise CatalogueError(
                f"{url}: is not among the documents of {self._contract.name} in the lock. "
                f"What to do: run `bindgen fetch {self._contract.name}`."
            )
        return document
