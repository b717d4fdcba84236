"""`bindgen fetch`: bring a contract's documents into the repository, byte for byte, and lock them; with
`--check` compare what the service publishes with what is locked."""

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
class Wanted:
    """A contract, where its documents are, and how they may be had.

    The root is known by `url`, which somebody gave, else by `contracts_url` (contracts.toml), before which
    the locked address goes where it is a placeholder. With `file` it is read from there, and so is what it
    names by relative locations, which stay below `include_root` (by default the file's folder).
    `version` names the folder that they are kept in; if it is empty, the documents say it.
    Documents are taken from the host of that address, from those in `allow_hosts`, and from those the lock
    has documents of: somebody allowed these before, and committed it. `offline` asks nobody, and takes what
    is locked. `folder` holds the lock; `clock` is that of the machine by default.
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
class Obtained:
    """The contract as it is locked (None: never fetched) and as it was found, nothing written yet.

    `contents` are the bytes by file below the folder; `places` say by address where each document was had,
    an address or a path; `intact` says whether the files are what the lock says.
    """

    before: LockedContract | None
    after: LockedContract
    contents: Mapping[str, bytes]
    places: Mapping[str, str]
    intact: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check of one contract found; `lines` say which documents, or why it could not be checked."""

    name: str
    state: State
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FetchReport:
    """What a fetch did: whether anything was written, the documents as locked now, and remarks to print."""

    changed: bool
    documents: tuple[LockedDocument, ...]
    notes: tuple[str, ...]


def check(wanted: Wanted, remarks: Callable[[Obtained], Iterable[str]] = lambda _: ()) -> Verdict:
    """Hold what is published (or a copy, `wanted.file`) against the lock.

    Changed is what differs in canonical form, as far as the documents go: an address that moved is reported,
    and is no change. Whatever keeps the question from being answered is "could not check", also that
    nothing is locked yet, and that the files here are not what the lock says. `remarks` are added to what is
    said of a change.
    """
    name = wanted.name
    try:
        found = _obtain(wanted, "fetched")
    except (FetchError, LockError, CatalogueError) as error:
        return Verdict(name, "could not check", (str(error),))
    before, after = found.before, found.after
    if before is None:
        return Verdict(name, "could not check", (f"nothing is locked yet: run `bindgen fetch {name}`",))
    if before.canonical_sha256 != after.canonical_sha256:
        return Verdict(name, "changed", (*_differences(before, after, kept=False), *remarks(found)))
    if not found.intact:
        damaged = f"the files here are not what the lock says: run `bindgen fetch {name}`"
        return Verdict(name, "could not check", (damaged,))
    moved = [
        f"{old.url}: is at {new.url} now"
        for old, new in zip(before.documents, after.documents, strict=True)
        if old.url != new.url
    ]
    return Verdict(name, "same", tuple(moved))


def fetch(
    wanted: Wanted, origin: Origin = "fetched", accept: Callable[[Obtained], None] = lambda _: None
) -> FetchReport:
    """Fetch the root WSDL of a contract with all it imports, and record them in the lock of its folder.

    Documents that are the ones already locked, even if laid out differently, leave every file untouched.
    `accept` is asked before anything is written, and raises what it likes for what is not to be kept.

    Raises FetchError and lock.LockError; files and lock are as they were then.
    """
    found = _obtain(wanted, origin)
    before, after, notes = found.before, found.after, list(found.notes)
    if before is not None and found.intact and _meaning(before) == _meaning(after):
        notes += [
            f"{new.url}: unchanged but for formatting"
            for old, new in zip(before.documents, after.documents, strict=True)
            if old.sha256 != new.sha256
        ]
        notes.append(f"{wanted.name}: unchanged, nothing was written")
        return FetchReport(False, before.documents, tuple(notes))
    accept(found)
    notes += store.save(wanted.folder, after, found.contents)
    notes += _differences(before, after)
    if before is not None and before.origin != after.origin:
        notes.append(f"{after.name}: origin is now {after.origin}")
    return FetchReport(True, after.documents, tuple(notes))


def _obtain(wanted: Wanted, origin: Origin) -> Obtained:
    """The documents of a contract, its root read from an address or a file. Raises FetchError, LockError."""
    file, offline = wanted.file, wanted.offline
    before = lock_file.read(wanted.folder / lock_file.FILE_NAME).get(wanted.name)
    written = wanted.url or wanted.contracts_url
    if before is not None and not wanted.url and (not written or addresses.is_placeholder(written)):
        written = before.root
    # Offline nobody is asked, with TLS or without: an address is read as it was when it was locked.
    locked_so = addresses.without_tls(before.root) if offline and before is not None else ()
    root_url = _root_url(wanted.name, wanted.version, written, locked_so)
    notes = []
    if addresses.read_as_https(written, addresses.without_tls(root_url)):
        notes.append(f"{written} is read as {root_url}")
    hosts = ANY_HOST if offline else _hosts(root_url, before, wanted.allow_hosts)
    if file is None and not offline and addresses.is_placeholder(root_url):
        raise FetchError(root_url, "was not asked, for its host cannot exist", _PLACEHOLDER)
    fence = None if file is None else (wanted.include_root or file.parent)
    if file is not None and wanted.include_root is not None:
        sources.fenced(file, wanted.include_root)
    committed = Catalogue(wanted.folder, before)
    with Downloader(wanted.limits, wanted.clock, hosts=hosts) as downloader:
        walk = Walk(
            committed.offline if offline else partial(downloader.get, before=committed.unmodified),
            wanted.limits,
            folder=fence,
            stored=committed.as_it_is if file is not None and committed.is_root(file) else lambda _: None,
            hosts=hosts,
        )
        walk.run(root_url, file)
    found = list(walk.documents.values())
    after = _locked(wanted, root_url, origin, found)
    contents = {new.file: each.content for new, each in zip(after.documents, found, strict=True)}
    places = {each.url: each.url if each.file is None else str(each.file) for each in found}
    intact = all(map(committed.is_intact, committed.urls))
    return Obtained(before, after, contents, places, intact, (*notes, *walk.notes))


def _hosts(root_url: str, before: LockedContract | None, allowed: Collection[str]) -> Hosts:
    locked = [url for each in before.documents for url in (each.url, *each.aliases)] if before else []
    try:
        return Hosts.of([root_url, *locked], allowed)
    except addresses.AddressError as error:
        raise FetchError("--allow-host", str(error), "correct it") from error


def _root_url(name: str, version: str, url: str, locked_so: tuple[str, ...]) -> str:
    for text, what in ((name, "name"), (version or "1", "version")):
        if not filenames.is_plain_segment(text):
            raise FetchError(
                name,
                f"its {what} {text!r} cannot name a folder",
                "use letters, digits, dot, hyphen, underscore",
            )
    if not url:
        raise FetchError(name, "has no address", "set its url in contracts.toml, or give --url URL")
    try:
        return addresses.normalise(url, locked_so or hosts_without_tls(url))
    except addresses.AddressError as error:
        raise FetchError(
            addresses.redacted(url), str(error), "give an https address, or a file with --file PATH"
        ) from error


def _version(found: Iterable[Document]) -> str:
    """The version that the documents name, as a folder; empty if there is none."""
    with suppress(canonical.DocumentError):
        return versions.of_documents([canonical.parse(each.content) for each in found])
    return ""


def _locked(wanted: Wanted, root_url: str, origin: Origin, found: list[Document]) -> LockedContract:
    """The record of a contract: `found` in the order of discovery. Raises FetchError."""
    from soapclient.clock import SystemClock

    name, now = wanted.name, (wanted.clock or SystemClock()).now()
    try:
        kinds = {each.url: each.kind for each in found}
        names = filenames.file_names(kinds, root_url=found[0].url, contract=name)
    except filenames.NameClash as error:
        raise FetchError(root_url, str(error), "check what the documents import") from error
    documents = []
    version = wanted.version or _version(found)
    for each in found:
        try:
            digest = canonical.canonical_sha256(each.content)
        except canonical.DocumentError as error:
            raise FetchError(each.url, str(error), "use --file PATH with a corrected copy") from error
        file = "/".join(filter(None, (name, version, names[each.url])))
        aliases = tuple(sorted(set(each.aliases)))
        raw = canonical.sha256(each.content)
        documents.append(LockedDocument(each.url, file, raw, digest, each.etag, each.last_modified, aliases))
    return LockedContract(
        name,
        root_url,
        origin,
        now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        lock_file.TOOL,
        canonical.combined_sha256(each.canonical_sha256 for each in documents),
        tuple(documents),
    )


def _meaning(contract: LockedContract) -> object:
    """All of a state but layout, validators and the time of the fetch."""
    documents = [(each.url, each.file, each.canonical_sha256, each.aliases) for each in contract.documents]
    return contract.root, contract.origin, documents


def _differences(before: LockedContract | None, after: LockedContract, *, kept: bool = True) -> list[str]:
    """What sets the documents of two states apart, a line for each, for people; with `kept`, in which files
    the new ones are."""
    old = {each.url: each for each in before.documents} if before is not None else {}
    new = {each.url: each for each in after.documents}
    lines = [f"{url}: removed" for url in old if url not in new]
    for url, each in new.items():
        place = f", kept as {each.file}" if kept else ""
        if url not in old:
            lines.append(f"{url}: new{place}")
        elif old[url].canonical_sha256 != each.canonical_sha256:
            lines.append(f"{url}: changed{place}")
        elif old[url].sha256 != each.sha256:
            lines.append(f"{url}: unchanged but for formatting{place}")
    return lines
