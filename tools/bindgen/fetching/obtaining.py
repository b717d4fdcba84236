"""The reading half of a fetch: what a contract's documents are now, beside what the lock says of them."""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from bindgen.fetching import addresses, canonical, sources
from bindgen.fetching import lock as lock_file
from bindgen.fetching.addresses import Hosts
from bindgen.fetching.committed import Committed, Offline
from bindgen.fetching.download import ANY_HOST, DEFAULT_LIMITS, Downloader, Limits
from bindgen.fetching.errors import FetchError
from bindgen.fetching.imports import Kind
from bindgen.fetching.lock import LockedContract, LockedDocument, Origin
from bindgen.fetching.walk import Document, Walk

if TYPE_CHECKING:
    import requests

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_PLAIN_SEGMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SUFFIXES = (".wsdl", ".xsd", ".xml")
_LONGEST_STEM = 80


class NameClash(Exception):
    """Two addresses that would be kept in one file even after their digests were added."""


def is_plain_segment(text: str) -> bool:
    """Whether a text may be used as a folder name as it is."""
    return _PLAIN_SEGMENT.fullmatch(text) is not None


def file_names(kinds: Mapping[str, Kind], *, root_url: str, contract: str) -> dict[str, str]:
    """Address → file name, for all documents of a contract.

    The last segment of the path, reduced to harmless characters, with the query appended; the root is
    named after the contract where its address shows no file (``…/soap/v1?wsdl``). Addresses that would
    share a name, whatever the case, get a piece of their own digest, so the names do not depend on the
    order of discovery. Raises NameClash when even that leaves two alike.
    """
    plain = {
        url: _root_name(url, contract) if url == root_url else _imported_name(url, kind)
        for url, kind in kinds.items()
    }
    taken = Counter(name.lower() for name in plain.values())
    names = {
        url: name if url == root_url or taken[name.lower()] == 1 else _with_digest(name, url)
        for url, name in plain.items()
    }
    if len({name.lower() for name in names.values()}) < len(names):
        raise NameClash(f"the documents of {contract} cannot be given distinct file names")
    return names


def _root_name(url: str, contract: str) -> str:
    stem, suffix = _split(_last_segment(url))
    return stem + suffix if suffix in (".wsdl", ".xml") else f"{contract}.wsdl"


def _imported_name(url: str, kind: Kind) -> str:
    stem, suffix = _split(_last_segment(url))
    if query := _harmless(unquote(urlsplit(url).query)):
        stem = f"{stem}-{query}"[:_LONGEST_STEM]
    return stem + (suffix or f".{kind}")


def _last_segment(url: str) -> str:
    return _harmless(unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]))


def _harmless(text: str) -> str:
    return _UNSAFE.sub("_", text).strip("._-")


def _split(segment: str) -> tuple[str, str]:
    for suffix in _SUFFIXES:
        if segment.lower().endswith(suffix) and len(segment) > len(suffix):
            return segment[: -len(suffix)][:_LONGEST_STEM], suffix
    return segment[:_LONGEST_STEM] or "document", ""


def _with_digest(name: str, url: str) -> str:
    stem, _, suffix = name.rpartition(".")
    return f"{stem}-{hashlib.sha256(url.encode()).hexdigest()[:12]}.{suffix}"


def lock_contract(
    name: str,
    version: str,
    root_url: str,
    origin: Origin,
    now: datetime,
    tool: str,
    found: list[Document],
) -> LockedContract:
    """The record of a contract: `found` in the order of discovery, `now` aware. Raises FetchError."""
    if now.tzinfo is None:
        raise ValueError("the clock gave a date-time without a zone")
    try:
        names = file_names({each.url: each.kind for each in found}, root_url=found[0].url, contract=name)
    except NameClash as error:
        raise FetchError(root_url, str(error), "check what the documents import") from error
    documents = tuple(_locked_document(each, f"{name}/{version}/{names[each.url]}") for each in found)
    return LockedContract(
        name,
        root_url,
        origin,
        now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        tool,
        canonical.combined_sha256(each.canonical_sha256 for each in documents),
        documents,
    )


def _locked_document(document: Document, file: str) -> LockedDocument:
    try:
        digest = canonical.canonical_sha256(document.content)
    except canonical.DocumentError as error:
        raise FetchError(document.url, str(error), "use --file PATH with a corrected copy") from error
    return LockedDocument(
        document.url,
        file,
        canonical.sha256(document.content),
        digest,
        document.etag,
        document.last_modified,
        tuple(sorted(set(document.aliases))),
    )


def mean_the_same(before: LockedContract, after: LockedContract) -> bool:
    """Whether two states differ in nothing but layout, validators and the time of the fetch."""

    def meaning(contract: LockedContract) -> object:
        return (
            contract.root,
            contract.origin,
            [(each.url, each.file, each.canonical_sha256, each.aliases) for each in contract.documents],
        )

    return meaning(before) == meaning(after)


def differences(before: LockedContract | None, after: LockedContract) -> list[str]:
    """What a fetch changed, a line for each document, for people."""
    lines = document_differences(before, after)
    if before is not None and before.origin != after.origin:
        lines.append(f"{after.name}: origin is now {after.origin}")
    return lines


def document_differences(
    before: LockedContract | None, after: LockedContract, *, kept: bool = True
) -> list[str]:
    """What sets the documents of two states apart; with `kept`, in which files the new ones are."""
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


_PLACEHOLDER = "the address is a placeholder; give --url URL once, or set the url in contracts.toml"


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How documents are had: which other hosts may be asked, whether anybody is, at what cost, by whose
    clock. `sleep` and `timer` are in seconds. `include_root` is the folder that the relative locations of
    files must stay in, by default that of the root.
    """

    allow_hosts: Collection[str] = ()
    offline: bool = False
    session: requests.Session | None = None
    limits: Limits = DEFAULT_LIMITS
    timer: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    include_root: Path | None = None


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


def utc_now() -> datetime:
    """The clock that is used when none is given."""
    return datetime.now(UTC)


def obtain(
    name: str,
    *,
    folder: Path,
    version: str,
    origin: Origin,
    url: str | None,
    contracts_url: str | None,
    file: Path | None,
    clock: Callable[[], datetime],
    tool: str,
    options: FetchOptions,
) -> Obtained:
    """The documents of a contract, its root read from an address or from `file`.

    The address is `url`, which somebody gave, or else `contracts_url` (contracts.toml), or else the one the
    lock has: that goes before a `contracts_url` that is a mere placeholder.
    Hosts that the lock already has a document of need not be allowed again: somebody did, and committed it.
    Raises FetchError and lock.LockError.
    """
    before = lock_file.read(folder / lock_file.FILE_NAME).get(name)
    written = url or _configured(contracts_url or "", before)
    root_url = _root_url(name, version, written)
    notes = []
    if addresses.read_as_https(written):
        notes.append(f"{written} is read as {root_url}")
    committed = Committed(folder, before)
    hosts = ANY_HOST if options.offline else _hosts(root_url, committed, options)
    if file is None and not options.offline and addresses.is_placeholder(root_url):
        raise FetchError(root_url, "was not asked, for its host cannot exist", _PLACEHOLDER)
    with Downloader(
        options.session, options.limits, options.timer, sleep=options.sleep, hosts=hosts
    ) as downloader:
        accepts = file is not None and committed.is_root(file)
        walk = Walk(
            Offline(committed.unchanged) if options.offline else downloader,
            options.limits,
            folder=_fence(file, options),
            stored=committed.as_it_is if accepts else lambda _: None,
            unmodified=committed.read,
            validators={} if options.offline else committed.validators(),
            hosts=hosts,
        )
        walk.run(root_url, file)
    found = list(walk.documents.values())
    after = lock_contract(name, version, root_url, origin, clock(), tool, found)
    contents = {new.file: each.content for new, each in zip(after.documents, found, strict=True)}
    places = {each.url: each.url if each.file is None else str(each.file) for each in found}
    return Obtained(before, after, contents, places, committed.is_intact(), (*notes, *walk.notes))


def _configured(contracts_url: str, before: LockedContract | None) -> str:
    if before is not None and (not contracts_url or addresses.is_placeholder(contracts_url)):
        return before.root
    return contracts_url


def _fence(file: Path | None, options: FetchOptions) -> Path | None:
    if file is None or options.include_root is None:
        return None if file is None else file.parent
    sources.fenced(file, options.include_root)
    return options.include_root


def _hosts(root_url: str, committed: Committed, options: FetchOptions) -> Hosts:
    try:
        return Hosts.of([root_url, *committed.addresses], options.allow_hosts)
    except addresses.AddressError as error:
        raise FetchError("--allow-host", str(error), "correct it") from error


def _root_url(name: str, version: str, url: str) -> str:
    for text, what in ((name, "name"), (version, "version")):
        if not is_plain_segment(text):
            raise FetchError(
                name,
                f"its {what} {text!r} cannot name a folder",
                "use letters, digits, dot, hyphen, underscore",
            )
    if not url:
        raise FetchError(name, "has no address", "set its url in contracts.toml, or give --url URL")
    try:
        return addresses.normalise(url)
    except addresses.AddressError as error:
        raise FetchError(
            addresses.redacted(url), str(error), "give an https address, or a file with --file PATH"
        ) from error
