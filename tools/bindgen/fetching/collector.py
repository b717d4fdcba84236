"""Collect a WSDL and everything it imports in memory, without contracts.toml and a lock.

`collect` takes an address or a file and returns `CollectedDocuments`. The contract is then read from this
object, which is a `bindgen.reading.documents.DocumentSource`. Nothing is written. The same rules as for
`bindgen fetch` apply: there are limits and retries, other hosts are requested only if they are allowed, and
no credentials are sent.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from bindgen.fetching import addresses, sources
from bindgen.fetching.addresses import Hosts
from bindgen.fetching.catalogue import Catalogue, CatalogueError
from bindgen.fetching.download import ANY_HOST, DEFAULT_LIMITS, Downloader, Limits, hosts_without_tls
from bindgen.fetching.errors import FetchError, OutsideFolder
from bindgen.fetching.imports import Kind
from bindgen.fetching.walk import Walk

if TYPE_CHECKING:
    from soapclient.settings import CommonSettings

__all__ = ["CollectedDocuments", "LocalCopies", "collect"]

# Host of documents that come from a disk. RFC 2606 reserves it, so it never exists.
_DISK = "https://file.invalid"
_LOCAL_COPY = "beside:"  # prefix of the addresses of local copies
_MAX_FOLDERS_UP = 2  # how far relative locations may lead above the root's folder: ../../common/xsd


@dataclass(frozen=True, slots=True)
class CollectedDocuments:
    """The documents of one contract. Mappings are by address, in order of discovery, the root first.

    - `documents`: the unchanged bytes.
    - `kinds`: the kind of each document.
    - `files`: the name of each document in error messages. For a file, the name is the path relative to the
      root's folder; for a downloaded document, the address.
    - `aliases`: the final address for each address that was redirected.
    - `missing`: the error message for each document that could not be obtained (only with `lenient`).
    - `notes`: remarks to print.
    - `outside`: the messages in `missing` about files that may not be read, because they are outside of the
      allowed folder.
    """

    root_url: str
    documents: Mapping[str, bytes]
    kinds: Mapping[str, Kind]
    files: Mapping[str, str]
    aliases: Mapping[str, str]
    missing: Mapping[str, str]
    notes: tuple[str, ...]
    outside: frozenset[str] = frozenset()

    def read(self, url: str) -> bytes:
        """Return the bytes of a document.

        Raises CatalogueError with the reason if it could not be obtained.
        """
        content = self.documents.get(self.aliases.get(url, url))
        if content is None:
            reason = self.missing.get(url, f"{url}: no document of this contract refers to it")
            raise CatalogueError(reason)
        return content

    def resolve(self, base_url: str, location: str) -> str:
        """Return the address to which a document refers: a key of `documents` or of `missing`.

        `base_url` is the address of the document. `location` is the reference in it, such as a
        schemaLocation. Raises CatalogueError if the address is invalid and is not a key of `missing`.
        """
        try:
            url = addresses.resolve(base_url, location)
        except addresses.AddressError as error:
            url = addresses.redacted(location.strip(" \t\r\n"))
            if url not in self.missing:
                raise CatalogueError(f"{base_url}: refers to {url}, which {error}") from error
        return self.aliases.get(url, url)


def collect(
    place: str | Path,
    *,
    below: Path | None = None,
    allow_hosts: Collection[str] = (),
    offline: bool = False,
    lenient: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    settings: CommonSettings | None = None,
) -> CollectedDocuments:
    """Collect the WSDL at an http(s) address, or in a file, with all it imports, includes and redefines.

    - Hosts: if `place` is an address, its host is allowed. All other hosts must be in `allow_hosts`.
    - `below`: used only if `place` is a file. Documents at relative locations are then read from files. These
      files must be WSDLs or schemas in the folder `below`, by default two folders above the folder of
      `place`.
    - `offline`: True to request nothing.
    - `lenient`: True to add a document that cannot be obtained to `missing` and to continue. The root is
      still required, and limits still apply.
    - `settings`: as in `Downloader`.

    Raises FetchError.
    """
    written = str(place)
    if isinstance(place, str) and "://" in place:
        root_url, file, folder = _normalised(written, settings), None, None
    else:
        file = Path(place)
        folder = below if below is not None else _default_folder(file)
        root_url = _disk_url(file, folder)
    depth = len(root_url.removeprefix(_DISK).split("/")) - 2 if file is not None else 0
    missing: dict[str, FetchError] = {}
    try:
        hosts = Hosts.of([root_url], allow_hosts)
    except addresses.AddressError as error:
        raise FetchError(written, f"--allow-host {error}", "correct it") from error
    with Downloader(limits, hosts=hosts, settings=settings) as downloader:
        walk = Walk(
            Catalogue(Path(), None).offline if offline else downloader.get,
            limits,
            folder=folder,
            hosts=ANY_HOST if offline else hosts,
            missing=(lambda address, error: missing.update({address: error})) if lenient else None,
        )
        try:
            walk.run(root_url, file)
        except FetchError as error:
            raise FetchError(*(_with_paths(text, depth) for text in error.args)) from error
    documents = walk.documents
    aliases = {alias: document.url for document in documents.values() for alias in document.aliases}
    return CollectedDocuments(
        aliases.get(root_url, root_url),
        {url: document.content for url, document in documents.items()},
        {url: document.kind for url, document in documents.items()},
        {url: _shown(document.file, file) or url for url, document in documents.items()},
        aliases,
        {
            url: _with_paths(str(error), depth)
            for url, error in missing.items()
            if aliases.get(url, url) not in documents
        },
        tuple(_with_paths(note, depth) for note in walk.notes),
        frozenset(
            _with_paths(str(error), depth) for error in missing.values() if isinstance(error, OutsideFolder)
        ),
    )


def _normalised(url: str, settings: CommonSettings | None) -> str:
    """Return the normalised form of `url`. Raises FetchError if the address may not be fetched.

    `settings` say if http is allowed.
    """
    try:
        return addresses.normalise(url, hosts_without_tls(url, settings))
    except addresses.AddressError as error:
        raise FetchError(addresses.redacted(url), str(error), "give an https address, or a file") from error


def _default_folder(file: Path) -> Path:
    """Return the folder that limits relative locations by default, two folders above the folder of `file`."""
    home = _folder_of(file)
    return [home, *home.parents][: _MAX_FOLDERS_UP + 1][-1]


def _disk_url(file: Path, folder: Path) -> str:
    """Return an artificial address for a file.

    The address ends with the file name. It has a `-` for each folder between `folder` and the file, so that
    it does not reveal the names of folders.
    """
    depth = len(sources.fenced(file, folder).relative_to(folder.resolve()).parts)
    return f"{_DISK}/{'-/' * depth}{quote(os.fsencode(file.name))}"


def _with_paths(text: str, depth: int) -> str:
    """Replace the artificial addresses of files (see `_disk_url`) in a text by paths.

    The paths are relative to the folder of the root WSDL. `depth` is the number of folders in the artificial
    address of the root.
    """
    for levels in range(depth + 1):
        text = text.replace(f"{_DISK}/{'-/' * (depth - levels)}", "../" * levels)
    return text


def _folder_of(file: Path) -> Path:
    """Return the folder of a file. If the file is a symbolic link, this is the folder of the link."""
    return file.absolute().parent.resolve()


def _shown(file: Path | None, root: Path | None) -> str | None:
    """Return the path of a document relative to the root's folder, with `/` also on Windows.

    Returns None if the document or the root was not read from a file.
    """
    if file is None or root is None:
        return None
    return Path(os.path.relpath(_folder_of(file) / file.name, _folder_of(root))).as_posix()


class LocalCopies:
    """Collected documents, with local copies of missing documents.

    If a document is missing, a file with a matching name in `folder` is read instead. Nothing is requested.
    `files` are the names in error messages, `notes` say which file was read for which location.
    """

    def __init__(self, collected: CollectedDocuments, folder: Path) -> None:
        self._collected = collected
        self._folder = folder
        self.files = dict(collected.files)
        self.notes: list[str] = []

    @property
    def root_url(self) -> str:
        """The address of the WSDL."""
        return self._collected.root_url

    def resolve(self, base_url: str, location: str) -> str:
        """Return the address of `location`, a reference in the document at `base_url`, for use with `read`.

        This is the address of the local copy if the document is missing and `folder` has a copy. Raises
        CatalogueError if the address is unknown.
        """
        if not base_url.startswith(_LOCAL_COPY):
            url = self._collected.resolve(base_url, location)
            if url in self._collected.documents:
                return url
        for name in _copy_names(location):
            path = self._folder / name
            if path.is_file():
                address = _LOCAL_COPY + name
                if address not in self.files:
                    self.files[address] = name
                    self.notes.append(f"{location}: read from {name}")
                return address
        if base_url.startswith(_LOCAL_COPY):
            raise CatalogueError(f"{location}: no such file in the folder of the WSDL")
        return url

    def read(self, url: str) -> bytes:
        """Return the bytes of a document.

        Raises CatalogueError with the reason if the document is missing or cannot be read.
        """
        if not url.startswith(_LOCAL_COPY):
            return self._collected.read(url)
        try:
            return sources.read(self._folder / url.removeprefix(_LOCAL_COPY), DEFAULT_LIMITS)
        except FetchError as error:
            raise CatalogueError(str(error)) from error


def _copy_names(location: str) -> Iterator[str]:
    """Yield possible file names for a copy of a document, from the path and the query of its location."""
    try:
        parts = urlsplit(location.strip())
    except ValueError:
        return
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    values = [value.rpartition("/")[2] for _, value in parse_qsl(parts.query)]
    names = [f"{last}?{parts.query}"] if parts.query else [last]
    for value in values:
        names += [f"{value}.xsd", value, f"{value}.wsdl"]
    for name in names:
        if name and not name.startswith(".") and not set(name) & set("/\\:\0"):
            yield name
