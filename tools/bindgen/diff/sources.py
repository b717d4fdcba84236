"""What `bindgen diff` takes as OLD and NEW: each becomes documents that can be read like a catalogue.

A file, a folder, an address, `lock:NAME` (or NAME), `REVISION:PATH`, or `REVISION` (for a locked contract).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bindgen.diff import git
from bindgen.fetching import addresses, lock
from bindgen.fetching.catalogue import Catalogue
from bindgen.fetching.collected import Collected, collect
from bindgen.fetching.lock import LockError
from bindgen.fetching.sources import is_within
from bindgen.reading.documents import DocumentSource, SingleDocument

LOCK = "lock:"
REVISION = "git:"
_ALONE = "https://file.invalid/contract.wsdl"


class SourceError(Exception):
    """Something that names no contract, or more than one; the message says what to give instead."""


@dataclass(frozen=True, slots=True)
class Source:
    """Documents to compare: `name` of the contract where there is one, `shown` as people gave it.

    `files` are the names that places give the documents.
    """

    name: str
    shown: str
    documents: DocumentSource
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where names are looked up: the folder with contracts.toml and contracts.lock, and the one we are in.

    `hosts` may be asked for documents, beside that of an address itself. `include_root` is the folder that
    the relative locations of files below it must stay in; those of others have one that depends on where they
    lie.
    """

    contracts: Path
    here: Path
    hosts: tuple[str, ...] = ()
    include_root: Path | None = None

    def fence_of(self, file: Path) -> Path | None:
        """`include_root`, for a file that lies below it."""
        root = self.include_root
        return root if root is not None and is_within(file, root) else None


def shown(text: str) -> str:
    """A source as it may be shown: an address without what might be a secret."""
    return addresses.redacted(text) if "://" in text else text


def find(text: str, place: Place, contract: str = "") -> Source:
    """The documents that `text` means; `contract` says which one of a lock.

    Raises SourceError, FetchError, LockError, CatalogueError or GitError.
    """
    if not text.strip():  # as a shell gives it for a variable that is not set; it is no name of this folder
        raise SourceError("an empty text names no contract")
    if "://" in text:
        return of_collected(collect(text, allow_hosts=place.hosts), shown(text))
    if text.startswith(LOCK):
        return of_lock(text.removeprefix(LOCK), text, place.contracts)
    if text.startswith(REVISION):
        return _of_revision(text.removeprefix(REVISION), place, contract)
    path = place.here / text
    if path.is_dir():
        return _of_folder(path, text, contract, place)
    if path.exists():
        return _below(collect(path, below=place.fence_of(path), allow_hosts=place.hosts), text, text)
    if lock.read(place.contracts / lock.FILE_NAME).get(text) is not None:
        return of_lock(text, text, place.contracts)
    if (git.is_revision(text.partition(":")[0]) and not text.endswith((".wsdl", ".xml"))) or ":" in text:
        return _of_revision(text, place, contract)
    raise SourceError(
        f"{text}: there is no such file, folder or contract. "
        "Give a file, a folder, an address, lock:NAME, REVISION:PATH or REVISION"
    )


def locked_hosts(texts: Iterable[str], place: Place, contract: str = "") -> tuple[str, ...]:
    """The hosts that the lock has documents of, where one of the sources is a contract of it.

    These were allowed when it was fetched; what is published now may be asked from there, too. A lock that
    cannot be read has none: who reads it says so.
    """
    try:
        known = lock.read(place.contracts / lock.FILE_NAME)
    except LockError:
        return ()
    names = {text.removeprefix(LOCK) for text in texts} | {contract}
    found = (
        urlsplit(each.url).hostname for one in known.contracts if one.name in names for each in one.documents
    )
    return tuple(dict.fromkeys(host for host in found if host))


def of_collected(found: Collected, shown: str) -> Source:
    """Documents that were collected."""
    return Source("", shown, found, found.files)


def of_bytes(name: str, shown: str, content: bytes) -> Source:
    """A contract of one document that is at hand."""
    return Source(name, shown, SingleDocument(_ALONE, content), {_ALONE: shown})


def of_lock(name: str, shown: str, folder: Path) -> Source:
    """A contract of the lock in `folder`, checked against it. Raises LockError."""
    locked = lock.read(folder / lock.FILE_NAME).contract(name)
    files = {each.url: each.file for each in locked.documents}
    return Source(name, shown, Catalogue(folder, locked), files)


def _of_folder(folder: Path, shown: str, contract: str, place: Place) -> Source:
    if (folder / lock.FILE_NAME).is_file():
        return of_lock(_chosen(lock.read(folder / lock.FILE_NAME), contract, shown), shown, folder)
    found = sorted(each for each in folder.rglob("*.wsdl") if each.is_file())
    if len(found) != 1:
        named = f": {', '.join(each.name for each in found[:5])}" if found else ""
        raise SourceError(f"{shown}: holds {len(found)} WSDLs{named}; name the one that is meant")
    collected = collect(found[0], below=place.fence_of(found[0]) or folder, allow_hosts=place.hosts)
    return _below(collected, shown, found[0].relative_to(folder).as_posix())


def _below(found: Collected, shown: str, root: str, *, revision: str = "") -> Source:
    """Documents of a disk, with places that say where they were given: beside `root`."""
    home = revision + "".join(root.rpartition("/")[:2])
    files = {url: file if "://" in file else f"{home}{file}" for url, file in found.files.items()}
    return Source("", shown, found, files)


def _of_revision(text: str, place: Place, contract: str) -> Source:
    revision, _, path = text.partition(":")
    if not path:
        return _of_lock_at(revision, place, contract)
    top = git.top(place.here)
    with tempfile.TemporaryDirectory(prefix="bindgen-") as folder:
        file = git.put_down(revision, path, top, Path(folder).resolve())
        found = collect(file, below=Path(folder).resolve(), offline=True)
    return _below(found, text, path, revision=f"{revision}:")


def _of_lock_at(revision: str, place: Place, contract: str) -> Source:
    """A contract of the lock as it was at a revision: the folder of contracts.toml, there."""
    top = git.top(place.here)
    try:
        folder = place.contracts.resolve().relative_to(top.resolve()).as_posix()
    except ValueError:
        raise SourceError(f"{revision}: {place.contracts} is not in this repository; give --wsdl") from None
    at = "" if folder == "." else f"{folder}/"
    name = f"{at}{lock.FILE_NAME}"
    try:
        content = git.show(revision, name, top)
    except git.GitError as error:
        raise SourceError(
            f"{revision}: no file or contract is called so, and as a revision: {error}"
        ) from None
    known = lock.loads(Path(f"{revision}:{name}"), content)
    locked = known.contract(_chosen(known, contract, revision))
    kept = {each.url: git.show(revision, f"{at}{each.file}", top) for each in locked.documents}
    files = {each.url: f"{revision}:{at}{each.file}" for each in locked.documents}
    return Source(locked.name, f"{revision} ({locked.name})", Catalogue(place.contracts, locked, kept), files)


def _chosen(known: lock.Lock, contract: str, shown: str) -> str:
    names = [each.name for each in known.contracts]
    if contract:
        return contract
    if len(names) == 1:
        return names[0]
    raise SourceError(
        f"{shown}: holds {len(names)} contracts ({', '.join(names)}); say which with --contract"
    )
