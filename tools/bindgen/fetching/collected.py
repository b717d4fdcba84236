"""A WSDL with all it imports, held in memory: for what has no contracts.toml and no lock.

`collect` takes an address or a file, and gives a `Collected`, which reads as a catalogue does (it is a
`bindgen.reading.documents.DocumentSource`). Nothing is written. The rules are those of a fetch: limits,
retries, no other host unless allowed, no file named by what came from elsewhere, no credentials.
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

__all__ = ["Collected", "LocalCopies", "collect"]

# Stands for the host of documents that came from a disk; reserved by RFC 2606, so it is nobody's.
_DISK = "https://file.invalid"
_BESIDE = "beside:"  # what the addresses of local copies begin with
_CLIMB = 2  # folders above the root's own that relative locations may lead to: ../xsd, ../../common/xsd


@dataclass(frozen=True, slots=True)
class Collected:
    """The documents of one contract. All mappings are in order of discovery, the root first.

    `documents` holds the bytes by address, unchanged; `kinds` what each is; `files` the name errors give it
    (a document from a disk: its path from the root's folder; others: the address); `missing` what could not
    be had (only with `lenient`): what `resolve` gives for it → the reason; `outside` the reasons for
    files outside of the folder that may be read; `notes` remarks to print.
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
        """The bytes of a document. Raises CatalogueError, with the reason, for one that could not be had."""
        content = self.documents.get(self.aliases.get(url, url))
        if content is None:
            reason = self.missing.get(url, f"{url}: no document of this contract names it")
            raise CatalogueError(reason)
        return content

    def resolve(self, base_url: str, location: str) -> str:
        """The address that `location` names inside the document at `base_url`: a key of `documents`, or of
        `missing`. Raises CatalogueError for a location that is no address and was never met.
        """
        try:
            url = addresses.resolve(base_url, location)
        except addresses.AddressError as error:
            url = addresses.redacted(location.strip(" \t\r\n"))
            if url not in self.missing:
                raise CatalogueError(f"{base_url}: names {url}, which {error}") from error
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
) -> Collected:
    """The WSDL at an http(s) address, or in a file, with all it imports, includes and redefines.

    A file's relative locations are read from the disk and must stay in the folder `below` (by default two
    folders above the file's own); only WSDLs and schemas are taken. Other hosts than that of the address
    (of a file: any host) are asked only when they are among `allow_hosts`; `offline` asks nobody. With
    `lenient`, a document that cannot be had goes into `missing` instead of ending it all; the root and the
    limits are never lenient. `settings` are as `Downloader` has them.

    Raises FetchError.
    """
    written = str(place)
    if isinstance(place, str) and "://" in place:
        root_url, file, folder = _normalised(written, settings), None, None
    else:
        file = Path(place)
        folder = below if below is not None else _above(file)
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
            raise FetchError(*(_plain(text, depth) for text in error.args)) from error
    found = walk.documents
    aliases = {alias: each.url for each in found.values() for alias in each.aliases}
    return Collected(
        aliases.get(root_url, root_url),
        {url: each.content for url, each in found.items()},
        {url: each.kind for url, each in found.items()},
        {url: _shown(each.file, file) or url for url, each in found.items()},
        aliases,
        {url: _plain(str(why), depth) for url, why in missing.items() if aliases.get(url, url) not in found},
        tuple(_plain(note, depth) for note in walk.notes),
        frozenset(_plain(str(why), depth) for why in missing.values() if isinstance(why, OutsideFolder)),
    )


def _normalised(url: str, settings: CommonSettings | None) -> str:
    try:
        return addresses.normalise(url, hosts_without_tls(url, settings))
    except addresses.AddressError as error:
        raise FetchError(addresses.redacted(url), str(error), "give an https address, or a file") from error


def _above(file: Path) -> Path:
    home = _home(file)
    return [home, *home.parents][: _CLIMB + 1][-1]


def _disk_url(file: Path, folder: Path) -> str:
    """An address for a file that tells nothing of the disk: as deep as the file lies below the folder."""
    depth = len(sources.fenced(file, folder).relative_to(folder.resolve()).parts)
    return f"{_DISK}/{'-/' * depth}{quote(os.fsencode(file.name))}"


def _plain(text: str, depth: int) -> str:
    """A remark on documents from a disk with their paths in place of the addresses that stand for them."""
    for climbed in range(depth + 1):
        text = text.replace(f"{_DISK}/{'-/' * (depth - climbed)}", "../" * climbed)
    return text


def _home(file: Path) -> Path:
    """The folder a file is named in."""
    return file.absolute().parent.resolve()


def _shown(file: Path | None, root: Path | None) -> str | None:
    """The path of a document as seen from the root's folder, with slashes everywhere."""
    if file is None or root is None:
        return None
    return Path(os.path.relpath(_home(file) / file.name, _home(root))).as_posix()


class LocalCopies:
    """A source of documents: those collected, and for what is missing a file of its name in `folder`, which
    stands in, offline, for a document that is named by an address.

    `files` is what errors call the documents, `notes` say which file stood in for which address.
    """

    def __init__(self, collected: Collected, folder: Path) -> None:
        self._collected = collected
        self._folder = folder
        self.files = dict(collected.files)
        self.notes: list[str] = []

    @property
    def root_url(self) -> str:
        """The address of the WSDL."""
        return self._collected.root_url

    def resolve(self, base_url: str, location: str) -> str:
        """What `read` takes for a location. Raises CatalogueError where nothing is known of it."""
        if not base_url.startswith(_BESIDE):
            url = self._collected.resolve(base_url, location)
            if url in self._collected.documents:
                return url
        for name in _names(location):
            path = self._folder / name
            if path.is_file():
                address = _BESIDE + name
                if address not in self.files:
                    self.files[address] = name
                    self.notes.append(f"{location}: read from {name}")
                return address
        if base_url.startswith(_BESIDE):
            raise CatalogueError(f"{location}: no such file in the folder of the WSDL")
        return url

    def read(self, url: str) -> bytes:
        """The bytes of a document. Raises CatalogueError or FetchError, which say why it cannot be had."""
        if not url.startswith(_BESIDE):
            return self._collected.read(url)
        try:
            return sources.read(self._folder / url.removeprefix(_BESIDE), DEFAULT_LIMITS)
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
