"""What the previous fetch of a contract left in the repository, and what of it can still be relied on."""

from __future__ import annotations

from pathlib import Path

from bindgen.fetching.catalogue import Catalogue
from bindgen.fetching.download import IF_MODIFIED_SINCE, IF_NONE_MATCH, FetchError
from bindgen.fetching.locked import LockedContract, LockedDocument
from bindgen.fetching.walk import Document


class Committed:
    """The documents of the previous fetch, as far as there are any."""

    def __init__(self, folder: Path, contract: LockedContract | None) -> None:
        self._contract = contract
        self._catalogue = Catalogue(folder, contract) if contract is not None else None
        self._documents: dict[str, LockedDocument] = {}
        for each in contract.documents if contract is not None else ():
            self._documents |= dict.fromkeys((each.url, *each.aliases), each)

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
