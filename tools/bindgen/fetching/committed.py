"""What the previous fetch of a contract left in the repository, and what of it can still be relied on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from bindgen.fetching.catalogue import Catalogue
from bindgen.fetching.download import IF_MODIFIED_SINCE, IF_NONE_MATCH, Downloaded
from bindgen.fetching.errors import FetchError
from bindgen.fetching.lock import LockedContract, LockedDocument
from bindgen.fetching.walk import Document

_ASK = "put it into the folder of the document that names it, or fetch once without --offline"


class Offline:
    """Stands where the Downloader stands, and gives the documents of an earlier fetch."""

    def __init__(self, kept: Callable[[str], Document | None] = lambda _: None) -> None:
        """`kept` gives a committed document, unchanged since it was fetched, or raises why it cannot."""
        self._kept = kept

    def get(self, url: str, validators: Mapping[str, Mapping[str, str]], /) -> Downloaded:
        """The document of an address. Raises FetchError where it is not at hand."""
        document = self._kept(url)
        if document is None:
            raise FetchError(url, "is not available offline", _ASK)
        return Downloaded(
            document.url, document.content, "a kept file", document.etag, document.last_modified
        )


class Committed:
    """The documents of the previous fetch, as far as there are any."""

    def __init__(self, folder: Path, contract: LockedContract | None) -> None:
        self._contract = contract
        self._catalogue = Catalogue(folder, contract) if contract is not None else None
        self._documents: dict[str, LockedDocument] = {}
        for each in contract.documents if contract is not None else ():
            self._documents |= dict.fromkeys((each.url, *each.aliases), each)

    @property
    def addresses(self) -> tuple[str, ...]:
        """All addresses of the committed documents, those that redirect to them as well."""
        return tuple(self._documents)

    def unchanged(self, url: str) -> Document | None:
        """A committed document as it was fetched; None for an address the lock does not hold.

        Raises FetchError where the file is not what was fetched.
        """
        found = self._documents.get(url)
        if found is None or self._catalogue is None:
            return None
        if not self._catalogue.is_intact(found.url):
            raise FetchError(
                str(self._catalogue.path(found.url)),
                f"is not what was fetched from {found.url}, and cannot be fetched again with --offline",
                "restore it from version control, or fetch without --offline",
            )
        return Document(
            found.url, self._catalogue.read(found.url), "a kept file", found.etag, found.last_modified
        )

    def is_root(self, file: Path) -> bool:
        """Whether a file is the committed root itself, which is how an edited contract is accepted."""
        if self._catalogue is None:
            return False
        return self._catalogue.path(self._catalogue.root_url).resolve() == file.resolve()

    def is_intact(self) -> bool:
        """Whether every file is as the lock says."""
        return self._catalogue is not None and all(map(self._catalogue.is_intact, self._catalogue.urls))

    def read(self, url: str) -> bytes:
        """The bytes of an address that has validators."""
        assert self._catalogue is not None, "only a committed document has validators"
        return self._catalogue.read(url)

    def as_it_is(self, url: str) -> Document | None:
        """A committed document with whatever its file holds now."""
        found = self._documents.get(url)
        if found is None or self._catalogue is None:
            return None
        path = self._catalogue.path(url)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FetchError(
                str(path), f"cannot be read ({error.strerror})", "restore it from version control"
            ) from error
        return Document(found.url, content, aliases=list(found.aliases), file=path)

    def validators(self) -> dict[str, dict[str, str]]:
        """Conditional headers for each address whose file is still what that address gave."""
        gathered: dict[str, dict[str, str]] = {}
        for each in self._contract.documents if self._contract is not None else ():
            pairs = {IF_NONE_MATCH: each.etag, IF_MODIFIED_SINCE: each.last_modified}
            headers = {header: text for header, text in pairs.items() if text is not None}
            if headers and self._catalogue is not None and self._catalogue.is_intact(each.url):
                gathered[each.url] = headers
        return gathered
