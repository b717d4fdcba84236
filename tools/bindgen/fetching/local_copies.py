"""Files in the folder of a WSDL that stand in, offline, for documents it names by an address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from bindgen.fetching import sources
from bindgen.fetching.catalogue import CatalogueError
from bindgen.fetching.collected import Collected
from bindgen.fetching.download import DEFAULT_LIMITS, Limits
from bindgen.fetching.errors import FetchError

_SCHEME = "beside:"


class LocalCopies:
    """A source of documents: those collected, and for what is missing a file of its name in `folder`.

    `files` is what errors call the documents, `notes` say which file stood in for which address.
    """

    def __init__(self, collected: Collected, folder: Path, limits: Limits = DEFAULT_LIMITS) -> None:
        self._collected = collected
        self._folder = folder
        self._limits = limits
        self.files = dict(collected.files)
        self.notes: list[str] = []

    @property
    def root_url(self) -> str:
        """The address of the WSDL."""
        return self._collected.root_url

    def resolve(self, base_url: str, location: str) -> str:
        """What `read` takes for a location. Raises CatalogueError where nothing is known of it."""
        if not base_url.startswith(_SCHEME):
            url = self._collected.resolve(base_url, location)
            if url in self._collected.documents:
                return url
        for name in _names(location):
            path = self._folder / name
            if path.is_file():
                address = _SCHEME + name
                if address not in self.files:
                    self.files[address] = name
                    self.notes.append(f"{location}: read from {name}")
                return address
        if base_url.startswith(_SCHEME):
            raise CatalogueError(f"{location}: no such file in the folder of the WSDL")
        return url

    def read(self, url: str) -> bytes:
        """The bytes of a document. Raises CatalogueError or FetchError, which say why it cannot be had."""
        if not url.startswith(_SCHEME):
            return self._collected.read(url)
        try:
            return sources.read(self._folder / url.removeprefix(_SCHEME), self._limits)
        except FetchError as error:
            raise CatalogueError(str(error)) from error


def _names(location: str) -> Iterator[str]:
    """The names a copy of what a location names may have: its last segment, or what its query asks for."""
    try:
        parts = urlsplit(location.strip())
    except ValueError:
        return
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    asked = [value.rpartition("/")[2] for _, value in parse_qsl(parts.query)]
    found = [f"{last}?{parts.query}"] if parts.query else [last]
    for value in asked:
        found += [f"{value}.xsd", value, f"{value}.wsdl"]
    for name in found:
        if name and not name.startswith(".") and not set(name) & set("/\\:\0"):
            yield name
