"""`bindgen fetch`: bring a contract's documents into the repository, byte for byte, and lock them; with
`--check` compare what the service publishes with what is locked."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bindgen.fetching import lock as lock_file
from bindgen.fetching import obtaining, store
from bindgen.fetching.catalogue import CatalogueError
from bindgen.fetching.download import DEFAULT_LIMITS, Limits
from bindgen.fetching.errors import FetchError
from bindgen.fetching.lock import LockedDocument, LockError, Origin
from bindgen.fetching.obtaining import FetchOptions, Obtained, utc_now

if TYPE_CHECKING:
    import requests

State = Literal["same", "changed", "could not check"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check of one contract found; `lines` say which documents, or why it could not be checked."""

    name: str
    state: State
    lines: tuple[str, ...]


def check(
    name: str,
    *,
    folder: Path,
    version: str,
    contracts_url: str | None = None,
    url: str | None = None,
    file: Path | None = None,
    options: FetchOptions | None = None,
    clock: Callable[[], datetime] = utc_now,
    remarks: Callable[[Obtained], Iterable[str]] = lambda _: (),
) -> Verdict:
    """Hold what is published (or a copy, `file`) against the lock.

    Changed is what differs in canonical form, as far as the documents go: an address that moved is reported,
    and is no change. Whatever keeps the question from being answered is "could not check", also that
    nothing is locked yet, and that the files here are not what the lock says. `remarks` are added to what is
    said of a change.
    """
    try:
        found = obtaining.obtain(
            name,
            folder=folder,
            version=version,
            origin="fetched",
            url=url,
            contracts_url=contracts_url,
            file=file,
            clock=clock,
            tool=lock_file.TOOL,
            options=options or FetchOptions(),
        )
    except (FetchError, LockError, CatalogueError) as error:
        return Verdict(name, "could not check", (str(error),))
    before, after = found.before, found.after
    if before is None:
        return Verdict(name, "could not check", (f"nothing is locked yet: run `bindgen fetch {name}`",))
    if before.canonical_sha256 != after.canonical_sha256:
        changes = obtaining.document_differences(before, after, kept=False)
        return Verdict(name, "changed", (*changes, *remarks(found)))
    if not found.intact:
        damaged = f"the files here are not what the lock says: run `bindgen fetch {name}`"
        return Verdict(name, "could not check", (damaged,))
    moved = [
        f"{old.url}: is at {new.url} now"
        for old, new in zip(before.documents, after.documents, strict=True)
        if old.url != new.url
    ]
    return Verdict(name, "same", tuple(moved))


@dataclass(frozen=True, slots=True)
class FetchReport:
    """What a fetch did: whether anything was written, the documents as locked now, and remarks to print."""

    changed: bool
    documents: tuple[LockedDocument, ...]
    notes: tuple[str, ...]


def fetch(
    name: str,
    *,
    folder: Path,
    version: str,
    origin: Origin,
    contracts_url: str | None = None,
    url: str | None = None,
    file: Path | None = None,
    allow_hosts: Collection[str] = (),
    offline: bool = False,
    session: requests.Session | None = None,
    clock: Callable[[], datetime] = utc_now,
    timer: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    limits: Limits = DEFAULT_LIMITS,
    tool: str = lock_file.TOOL,
    include_root: Path | None = None,
    accept: Callable[[Obtained], None] = lambda _: None,
) -> FetchReport:
    """Fetch the root WSDL of a contract with all it imports, and record them in the lock of `folder`.

    The root is known by `url`, else by `contracts_url` (contracts.toml), before which the locked address goes
    where it is a placeholder; with `file` it is read from there,
    and so is what it names by relative locations, which stay below `include_root` (by default the file's
    folder). Documents are taken from the host of that address, from
    those in `allow_hosts`, and from those the lock has documents of; `offline` asks nobody, and takes what
    is locked. Documents that are the ones already locked, even if laid out differently, leave every file
    untouched. `clock` must give aware date-times; `timer` and `sleep` are in seconds.
    `accept` is asked before anything is written, and raises what it likes for what is not to be kept.

    Raises FetchError and lock.LockError; files and lock are as they were then.
    """
    found = obtaining.obtain(
        name,
        folder=folder,
        version=version,
        origin=origin,
        url=url,
        contracts_url=contracts_url,
        file=file,
        clock=clock,
        tool=tool,
        options=FetchOptions(allow_hosts, offline, session, limits, timer, sleep, include_root),
    )
    before, after, notes = found.before, found.after, list(found.notes)
    if before is not None and found.intact and obtaining.mean_the_same(before, after):
        reformatted = [
            new.url
            for old, new in zip(before.documents, after.documents, strict=True)
            if old.sha256 != new.sha256
        ]
        notes += [f"{each}: unchanged but for formatting" for each in reformatted]
        notes.append(f"{name}: unchanged, nothing was written")
        return FetchReport(False, before.documents, tuple(notes))
    accept(found)
    notes += store.save(folder, folder / lock_file.FILE_NAME, after, found.contents)
    return FetchReport(True, after.documents, (*notes, *obtaining.differences(before, after)))
