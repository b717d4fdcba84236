"""The reading half of a fetch: what a contract's documents are now, beside what the lock says of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bindgen.fetching import addresses, filenames, records, sources
from bindgen.fetching import lock as lock_file
from bindgen.fetching.committed import Committed
from bindgen.fetching.download import ANY_HOST, Downloader
from bindgen.fetching.errors import FetchError
from bindgen.fetching.hosts import Hosts
from bindgen.fetching.limits import DEFAULT_LIMITS, Limits
from bindgen.fetching.locked import LockedContract, Origin
from bindgen.fetching.offline import Offline
from bindgen.fetching.walk import Walk

if TYPE_CHECKING:
    import requests


_PLACEHOLDER = "the address is a placeholder; give --url URL once, or set the url in contracts.toml"


@dataclass(frozen=True, slots=True)
class Way:
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
    way: Way,
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
    hosts = ANY_HOST if way.offline else _hosts(root_url, committed, way)
    if file is None and not way.offline and addresses.is_placeholder(root_url):
        raise FetchError(root_url, "was not asked, for its host cannot exist", _PLACEHOLDER)
    with Downloader(way.session, way.limits, way.timer, sleep=way.sleep, hosts=hosts) as downloader:
        accepts = file is not None and committed.is_root(file)
        walk = Walk(
            Offline(committed.unchanged) if way.offline else downloader,
            way.limits,
            folder=_fence(file, way),
            stored=committed.as_it_is if accepts else lambda _: None,
            unmodified=committed.read,
            validators={} if way.offline else committed.validators(),
            hosts=hosts,
        )
        walk.run(root_url, file)
    found = list(walk.documents.values())
    after = records.lock_contract(name, version, root_url, origin, clock(), tool, found)
    contents = {new.file: each.content for new, each in zip(after.documents, found, strict=True)}
    places = {each.url: each.url if each.file is None else str(each.file) for each in found}
    return Obtained(before, after, contents, places, committed.is_intact(), (*notes, *walk.notes))


def _configured(contracts_url: str, before: LockedContract | None) -> str:
    if before is not None and (not contracts_url or addresses.is_placeholder(contracts_url)):
        return before.root
    return contracts_url


def _fence(file: Path | None, way: Way) -> Path | None:
    if file is None or way.include_root is None:
        return None if file is None else file.parent
    sources.fenced(file, way.include_root)
    return way.include_root


def _hosts(root_url: str, committed: Committed, way: Way) -> Hosts:
    try:
        return Hosts.of([root_url, *committed.addresses], way.allow_hosts)
    except addresses.AddressError as error:
        raise FetchError("--allow-host", str(error), "correct it") from error


def _root_url(name: str, version: str, url: str) -> str:
    for text, what in ((name, "name"), (version, "version")):
        if not filenames.is_plain_segment(text):
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
