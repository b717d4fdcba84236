"""The sources that `bindgen diff` accepts as OLD and NEW. Each is loaded as the documents of one contract.

A source is a file, a folder, an address, `lock:NAME` (or NAME), `REVISION:PATH`, or `REVISION` for a
locked contract.
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
from bindgen.fetching.collector import CollectedDocuments, collect
from bindgen.fetching.lock import LockError
from bindgen.fetching.sources import is_within
from bindgen.reading.documents import DocumentSource, SingleDocument

LOCK = "lock:"
REVISION = "git:"
_SINGLE_DOCUMENT_URL = "https://file.invalid/contract.wsdl"


class SourceError(Exception):
    """Raised if a source does not name exactly one contract. The message says what to pass instead."""


@dataclass(frozen=True, slots=True)
class Source:
    """The documents of one side of the comparison.

    `name` is the contract's name, or "" if the source has none. `shown` is the source as the user typed it,
    without secrets. `files` maps the documents' URLs to the file names for reports.
    """

    name: str
    shown: str
    documents: DocumentSource
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """The folders and hosts used to resolve sources.

    - `contracts`: the folder of contracts.toml and contracts.lock.
    - `here`: the current directory.
    - `hosts`: hosts from which documents may be fetched, in addition to the host of an address given as the
      source.
    - `include_root`: a WSDL in this folder can refer by relative locations only to files in this folder. For
      any other WSDL, the limit depends on the source: a folder limits it to itself, a revision to its
      repository, and a file to the default of `collect`.
    """

    contracts: Path
    here: Path
    hosts: tuple[str, ...] = ()
    include_root: Path | None = None

    def fence_of(self, file: Path) -> Path | None:
        """Return the folder to which relative locations in a WSDL are limited.

        This is `include_root` if the WSDL `file` is in this folder. Otherwise, return None: the caller
        chooses another limit.
        """
        root = self.include_root
        return root if root is not None and is_within(file, root) else None


def shown(text: str) -> str:
    """Return the text of a source for reports. Parts of an address that may be secret are removed."""
    return addresses.redacted(text) if "://" in text else text


def find(text: str, place: Place, contract: str = "") -> Source:
    """Load the documents of the source `text`, and return them as a Source.

    `place` has the folders and hosts to use. `contract` is the name of the contract to
    load if the source is a lock with several contracts.

    Raises SourceError, FetchError, LockError, CatalogueError or GitError.
    """
    if not text.strip():  # a shell passes "" for an unset variable, which would be this folder as a path
        raise SourceError("the source is empty: give a file, a folder, an address or a contract")
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
        return _from_disk(collect(path, below=place.fence_of(path), allow_hosts=place.hosts), text, text)
    if lock.read(place.contracts / lock.FILE_NAME).get(text) is not None:
        return of_lock(text, text, place.contracts)
    if (git.is_revision(text.partition(":")[0]) and not text.endswith((".wsdl", ".xml"))) or ":" in text:
        return _of_revision(text, place, contract)
    raise SourceError(
        f"{text}: not a file, folder or contract. "
        "Give a file, a folder, an address, lock:NAME, REVISION:PATH or REVISION"
    )


def locked_hosts(texts: Iterable[str], place: Place, contract: str = "") -> tuple[str, ...]:
    """Return the hosts from which the compared contracts were fetched, according to the lock file.

    The compared contracts have the name `contract` or a name in `texts`, the sources as the user typed them.
    The user allowed these hosts when the contracts were fetched, so documents may be requested
    from them again. Returns () if the lock file cannot be read: a later function reports this error.
    """
    try:
        locked_contracts = lock.read(place.contracts / lock.FILE_NAME)
    except LockError:
        return ()
    names = {text.removeprefix(LOCK) for text in texts} | {contract}
    hosts = (
        urlsplit(document.url).hostname
        for locked in locked_contracts.contracts
        if locked.name in names
        for document in locked.documents
    )
    return tuple(dict.fromkeys(host for host in hosts if host))


def of_collected(collected: CollectedDocuments, shown: str) -> Source:
    """Return a side of the comparison for documents that `collect` has loaded.

    `shown` is the source as the user typed it, without secrets.
    """
    return Source("", shown, collected, collected.files)


def of_bytes(name: str, shown: str, content: bytes) -> Source:
    """Return a side of the comparison for a contract that is a single document with the bytes `content`.

    `name` is the contract's name. `shown` is the source as the user typed it, for reports.
    """
    return Source(name, shown, SingleDocument(_SINGLE_DOCUMENT_URL, content), {_SINGLE_DOCUMENT_URL: shown})


def of_lock(name: str, shown: str, folder: Path) -> Source:
    """Return a side of the comparison for the contract `name` in the lock file in `folder`.

    Its documents are compared with the hashes in the lock file when they are read. `shown` is the source as
    the user typed it. Raises LockError.
    """
    locked = lock.read(folder / lock.FILE_NAME).contract(name)
    files = {document.url: document.file for document in locked.documents}
    return Source(name, shown, Catalogue(folder, locked), files)


def _of_folder(folder: Path, shown: str, contract: str, place: Place) -> Source:
    """Load the contract in a folder, and return it as a side of the comparison.

    If the folder has a lock file, this is the contract named `contract`, or the only contract if `contract`
    is "". Otherwise, it is the only WSDL in the folder. Raises SourceError if there is not exactly one.
    `shown` is the source as the user typed it.
    """
    if (folder / lock.FILE_NAME).is_file():
        return of_lock(_choose(lock.read(folder / lock.FILE_NAME), contract, shown), shown, folder)
    wsdls = sorted(file for file in folder.rglob("*.wsdl") if file.is_file())
    if len(wsdls) != 1:
        named = f": {', '.join(file.name for file in wsdls[:5])}" if wsdls else ""
        raise SourceError(f"{shown}: the folder has {len(wsdls)} WSDLs{named}. Give the path of one WSDL")
    collected = collect(wsdls[0], below=place.fence_of(wsdls[0]) or folder, allow_hosts=place.hosts)
    return _from_disk(collected, shown, wsdls[0].relative_to(folder).as_posix())


def _from_disk(collected: CollectedDocuments, shown: str, root: str, *, revision: str = "") -> Source:
    """Return the side of a comparison for documents from local files, or from a revision in git.

    `shown` is the source, and `root` the path of the root WSDL, as the user typed them. `revision` is, for
    example, `HEAD:` for files from git, otherwise "". A report shows the file `b.xsd` next to the root
    `wsdl/a.wsdl` as `HEAD:wsdl/b.xsd`.
    """
    home = revision + "".join(root.rpartition("/")[:2])
    files = {url: file if "://" in file else f"{home}{file}" for url, file in collected.files.items()}
    return Source("", shown, collected, files)


def _of_revision(text: str, place: Place, contract: str) -> Source:
    """Load the source `text` from git: a WSDL (`REVISION:PATH`), or a contract of the lock file (`REVISION`).

    `contract` is the name of the contract in the lock file; "" if the file has only one contract.
    """
    revision, _, path = text.partition(":")
    if not path:
        return _of_lock_at(revision, place, contract)
    top = git.top(place.here)
    with tempfile.TemporaryDirectory(prefix="bindgen-") as folder:
        file = git.export(revision, path, top, Path(folder).resolve())
        collected = collect(file, below=Path(folder).resolve(), offline=True)
    return _from_disk(collected, text, path, revision=f"{revision}:")


def _of_lock_at(revision: str, place: Place, contract: str) -> Source:
    """Load a contract of the lock file at a git revision. The file is in the folder of contracts.toml.

    `contract` is the name of the contract; "" if the file has only one contract.
    """
    top = git.top(place.here)
    try:
        folder = place.contracts.resolve().relative_to(top.resolve()).as_posix()
    except ValueError:
        raise SourceError(
            f"{revision}: {place.contracts} is not in this git repository. "
            "Give the folder of contracts.toml: bindgen --wsdl DIR diff …"
        ) from None
    prefix = "" if folder == "." else f"{folder}/"
    name = f"{prefix}{lock.FILE_NAME}"
    try:
        content = git.show(revision, name, top)
    except git.GitError as error:
        raise SourceError(
            f"{revision}: not a file or contract, and cannot be used as a revision: {error}"
        ) from None
    locked_contracts = lock.loads(Path(f"{revision}:{name}"), content)
    locked = locked_contracts.contract(_choose(locked_contracts, contract, revision))
    contents = {
        document.url: git.show(revision, f"{prefix}{document.file}", top) for document in locked.documents
    }
    files = {document.url: f"{revision}:{prefix}{document.file}" for document in locked.documents}
    return Source(
        locked.name, f"{revision} ({locked.name})", Catalogue(place.contracts, locked, contents), files
    )


def _choose(locked_contracts: lock.Lock, contract: str, shown: str) -> str:
    """Return the name of the contract to use: `contract` if it is not "", else the only contract of the lock.

    Raises SourceError if `contract` is "" and the lock does not have exactly one contract. `shown` is the
    source as the user typed it, for the message.
    """
    names = [item.name for item in locked_contracts.contracts]
    if contract:
        return contract
    if len(names) == 1:
        return names[0]
    raise SourceError(
        f"{shown}: the lock file has {len(names)} contracts ({', '.join(names)}). Choose one with --contract"
    )
