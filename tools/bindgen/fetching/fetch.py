"""`bindgen fetch`: download a contract's documents into the repository unchanged, and lock them.

With `--check`, compare the published documents with the locked ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bindgen import versions
from bindgen.fetching import addresses, canonical, filenames, sources, store
from bindgen.fetching import lock as lock_file
from bindgen.fetching.addresses import Hosts
from bindgen.fetching.catalogue import Catalogue, CatalogueError
from bindgen.fetching.download import (
    ANY_HOST,
    DEFAULT_LIMITS,
    Document,
    Downloader,
    Limits,
    hosts_without_tls,
)
from bindgen.fetching.errors import FetchError
from bindgen.fetching.lock import LockedContract, LockedDocument, LockError, Origin
from bindgen.fetching.walk import Walk

if TYPE_CHECKING:
    from soapclient.clock import Clock

State = Literal["same", "changed", "could not check"]
_PLACEHOLDER = "the address is a placeholder; give --url URL once, or set the url in contracts.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """A contract to fetch, where to store its documents, and the limits.

    - `folder`: the folder of contracts.lock. The documents are stored below it.
    - `version`: the name of the contract's subfolder for these documents; if it is "", the version comes from
      the documents.
    - `url`: the address of the root WSDL. By default, this is `contracts_url` (from contracts.toml), or the
      locked address if `contracts_url` is a placeholder or "".
    - `file`: a file from which the root is read instead. Documents at relative locations are then files, too.
      All files must be below `include_root` (default: the folder of `file`).
    - `allow_hosts`: additional hosts from which documents may be fetched. The host of the address and the
      hosts in the lock are always allowed.
    - `offline`: True to request nothing and use the locked documents.
    - `clock`: for timeouts, and for the time of the fetch in the lock. By default, the system's clock.
    """

    name: str
    version: str
    folder: Path
    contracts_url: str = ""
    url: str | None = None
    file: Path | None = None
    include_root: Path | None = None
    allow_hosts: Collection[str] = ()
    offline: bool = False
    limits: Limits = DEFAULT_LIMITS
    clock: Clock | None = None


@dataclass(frozen=True, slots=True)
class FetchedContract:
    """A contract that was fetched, but is not written yet.

    `before` is its entry in the lock (None if it was never fetched), `after` the new entry. `contents` are
    the new documents by file, as a path below the lock's folder. `places` maps the address of each document
    to the address or path from which it was read. `intact` is True if the stored files match the lock.
    """

    before: LockedContract | None
    after: LockedContract
    contents: Mapping[str, bytes]
    places: Mapping[str, str]
    intact: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking one contract.

    `lines` name the documents that differ, or the reason if the contract could not be checked.
    """

    name: str
    state: State
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FetchReport:
    """The result of a fetch.

    `changed` is True if files have changed. `documents` are the entries in the lock after the fetch. `notes`
    are remarks to print.
    """

    changed: bool
    documents: tuple[LockedDocument, ...]
    notes: tuple[str, ...]


def check(
    request: FetchRequest, remarks: Callable[[FetchedContract], Iterable[str]] = lambda _: ()
) -> Verdict:
    """Compare the published documents, or a copy in `request.file`, with the lock. Return the verdict.

    - "changed": documents differ in canonical form. `remarks` is called with the fetched contract; the lines
      it returns are added to the verdict.
    - "could not check": a document cannot be obtained, nothing is locked yet, or stored files differ from the
      lock.
    - "same": all other cases. A moved address is reported, but is not a change.
    """
    name = request.name
    try:
        obtained = _obtain(request, "fetched")
    except (FetchError, LockError, CatalogueError) as error:
        return Verdict(name, "could not check", (str(error),))
    before, after = obtained.before, obtained.after
    if before is None:
        return Verdict(name, "could not check", (f"nothing is locked yet: run `bindgen fetch {name}`",))
    if before.canonical_sha256 != after.canonical_sha256:
        return Verdict(name, "changed", (*_differences(before, after, kept=False), *remarks(obtained)))
    if not obtained.intact:
        damaged = f"the files here differ from the lock: run `bindgen fetch {name}`"
        return Verdict(name, "could not check", (damaged,))
    moved = [
        f"{old.url}: is at {new.url} now"
        for old, new in zip(before.documents, after.documents, strict=True)
        if old.url != new.url
    ]
    return Verdict(name, "same", tuple(moved))


def fetch(
    request: FetchRequest,
    origin: Origin = "fetched",
    accept: Callable[[FetchedContract], None] = lambda _: None,
) -> FetchReport:
    """Fetch the root WSDL of a contract with all it imports, and record them in the lock of its folder.

    If the locked documents are the same or differ only in layout, no file changes. `origin` is recorded in
    the lock: "fetched" if the documents are as published, or "reconstructed". `accept` is called with the
    fetched contract before anything is written. It may raise an exception to reject the contract.

    Raises FetchError and lock.LockError. Files and lock are unchanged in this case.
    """
    obtained = _obtain(request, origin)
    before, after, notes = obtained.before, obtained.after, list(obtained.notes)
    if before is not None and obtained.intact and _meaning(before) == _meaning(after):
        notes += [
            f"{new.url}: unchanged except for formatting"
            for old, new in zip(before.documents, after.documents, strict=True)
            if old.sha256 != new.sha256
        ]
        notes.append(f"{request.name}: unchanged, nothing was written")
        return FetchReport(False, before.documents, tuple(notes))
    accept(obtained)
    notes += store.save(request.folder, after, obtained.contents)
    notes += _differences(before, after)
    if before is not None and before.origin != after.origin:
        notes.append(f"{after.name}: origin is now {after.origin}")
    return FetchReport(True, after.documents, tuple(notes))


def _obtain(request: FetchRequest, origin: Origin) -> FetchedContract:
    """Obtain the documents of a contract, with the root from an address or a file.

    `origin` is for the lock entry: "fetched" or "reconstructed". Raises FetchError, LockError.
    """
    file, offline = request.file, request.offline
    before = lock_file.read(request.folder / lock_file.FILE_NAME).get(request.name)
    address = request.url or request.contracts_url
    if before is not None and not request.url and (not address or addresses.is_placeholder(address)):
        address = before.root
    # Offline nothing is requested, so the scheme does not matter: use the address as it was locked.
    without_tls = addresses.without_tls(before.root) if offline and before is not None else ()
    root_url = _root_url(request.name, request.version, address, without_tls)
    notes = []
    if addresses.read_as_https(address, addresses.without_tls(root_url)):
        notes.append(f"{address} is read as {root_url}")
    hosts = ANY_HOST if offline else _hosts(root_url, before, request.allow_hosts)
    if file is None and not offline and addresses.is_placeholder(root_url):
        raise FetchError(root_url, "was not requested, because its host is a placeholder", _PLACEHOLDER)
    fence = None if file is None else (request.include_root or file.parent)
    if file is not None and request.include_root is not None:
        sources.fenced(file, request.include_root)
    committed = Catalogue(request.folder, before)
    with Downloader(request.limits, request.clock, hosts=hosts) as downloader:
        walk = Walk(
            committed.offline if offline else partial(downloader.get, before=committed.unmodified),
            request.limits,
            folder=fence,
            stored=committed.as_it_is if file is not None and committed.is_root(file) else lambda _: None,
            hosts=hosts,
        )
        walk.run(root_url, file)
    documents = list(walk.documents.values())
    after = _locked(request, root_url, origin, documents)
    contents = {new.file: document.content for new, document in zip(after.documents, documents, strict=True)}
    places = {
        document.url: document.url if document.file is None else str(document.file) for document in documents
    }
    intact = all(map(committed.is_intact, committed.urls))
    return FetchedContract(before, after, contents, places, intact, (*notes, *walk.notes))


def _hosts(root_url: str, before: LockedContract | None, allowed: Collection[str]) -> Hosts:
    """Return the hosts from which documents may be fetched. Raises FetchError if `allowed` is invalid.

    These are the host of `root_url`, the hosts in the lock entry `before` (if any), and `allowed`.
    """
    locked = (
        [url for document in before.documents for url in (document.url, *document.aliases)] if before else []
    )
    try:
        return Hosts.of([root_url, *locked], allowed)
    except addresses.AddressError as error:
        raise FetchError("--allow-host", str(error), "correct it") from error


def _root_url(name: str, version: str, url: str, without_tls: tuple[str, ...]) -> str:
    """Return the normalised form of `url`, the address of the root.

    `without_tls` are the hosts whose addresses may be http. If it is empty, `hosts_without_tls` determines
    them from `url` and the settings. Raises FetchError for an invalid name, version or address.
    """
    for text, field in ((name, "name"), (version or "1", "version")):
        if not filenames.is_plain_segment(text):
            raise FetchError(
                name,
                f"its {field} {text!r} cannot be the name of a folder",
                "use letters, digits, dot, hyphen, underscore",
            )
    if not url:
        raise FetchError(name, "has no address", "set its url in contracts.toml, or give --url URL")
    try:
        return addresses.normalise(url, without_tls or hosts_without_tls(url))
    except addresses.AddressError as error:
        raise FetchError(
            addresses.redacted(url), str(error), "give an https address, or a file with --file PATH"
        ) from error


def _version(documents: Iterable[Document]) -> str:
    """Return the version in the documents as a folder name; "" if they do not have a version."""
    with suppress(canonical.DocumentError):
        return versions.of_documents([canonical.parse(document.content) for document in documents])
    return ""


def _locked(request: FetchRequest, root_url: str, origin: Origin, fetched: list[Document]) -> LockedContract:
    """Return the new lock entry of a contract. Raises FetchError if a document cannot be recorded.

    `fetched` are its documents in order of discovery. `origin` is "fetched" or "reconstructed".
    """
    from soapclient.clock import SystemClock

    name, now = request.name, (request.clock or SystemClock()).now()
    try:
        kinds = {document.url: document.kind for document in fetched}
        names = filenames.file_names(kinds, root_url=fetched[0].url, contract=name)
    except filenames.NameClash as error:
        raise FetchError(root_url, str(error), "check what the documents import") from error
    documents = []
    version = request.version or _version(fetched)
    for document in fetched:
        try:
            digest = canonical.canonical_sha256(document.content)
        except canonical.DocumentError as error:
            raise FetchError(document.url, str(error), "use --file PATH with a corrected copy") from error
        file = "/".join(filter(None, (name, version, names[document.url])))
        aliases = tuple(sorted(set(document.aliases)))
        raw = canonical.sha256(document.content)
        documents.append(
            LockedDocument(document.url, file, raw, digest, document.etag, document.last_modified, aliases)
        )
    return LockedContract(
        name,
        root_url,
        origin,
        now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        lock_file.TOOL,
        canonical.combined_sha256(document.canonical_sha256 for document in documents),
        tuple(documents),
    )


def _meaning(contract: LockedContract) -> object:
    """Return a value for comparing lock entries. If it is the same for two entries, no file is written.

    It does not depend on the layout of documents, their validators (ETag, Last-Modified), and the time of the
    fetch.
    """
    documents = [
        (document.url, document.file, document.canonical_sha256, document.aliases)
        for document in contract.documents
    ]
    return contract.root, contract.origin, documents


def _differences(before: LockedContract | None, after: LockedContract, *, kept: bool = True) -> list[str]:
    """Return a line to print for each document that differs between the lock entries `before` and `after`.

    `before` is None if there is no old entry. If `kept` is True, the lines also name the files of the new
    documents.
    """
    old = {document.url: document for document in before.documents} if before is not None else {}
    new = {document.url: document for document in after.documents}
    lines = [f"{url}: removed" for url in old if url not in new]
    for url, document in new.items():
        place = f", kept as {document.file}" if kept else ""
        if url not in old:
            lines.append(f"{url}: new{place}")
        elif old[url].canonical_sha256 != document.canonical_sha256:
            lines.append(f"{url}: changed{place}")
        elif old[url].sha256 != document.sha256:
            lines.append(f"{url}: unchanged except for formatting{place}")
    return lines
