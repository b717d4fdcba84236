"""`bindgen fetch --check`: whether the service still publishes what is locked. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from bindgen.fetching import lock as lock_file
from bindgen.fetching import obtaining, records
from bindgen.fetching.catalogue import CatalogueError
from bindgen.fetching.errors import FetchError
from bindgen.fetching.locked import LockError
from bindgen.fetching.obtaining import Obtained, Way, utc_now

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
    way: Way | None = None,
    clock: Callable[[], datetime] = utc_now,
    remarks: Callable[[Obtained], Iterable[str]] = lambda _: (),
) -> Verdict:
    """Hold what is published (or a copy, `file`) against the lock.

    Changed is what differs in canonical form, as far as the documents go: an address that moved is told,
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
            way=way or Way(),
        )
    except (FetchError, LockError, CatalogueError) as error:
        return Verdict(name, "could not check", (str(error),))
    before, after = found.before, found.after
    if before is None:
        return Verdict(name, "could not check", (f"nothing is locked yet: run `bindgen fetch {name}`",))
    if before.canonical_sha256 != after.canonical_sha256:
        told = records.document_differences(before, after, kept=False)
        return Verdict(name, "changed", (*told, *remarks(found)))
    if not found.intact:
        damaged = f"the files here are not what the lock says: run `bindgen fetch {name}`"
        return Verdict(name, "could not check", (damaged,))
    moved = [
        f"{old.url}: is at {new.url} now"
        for old, new in zip(before.documents, after.documents, strict=True)
        if old.url != new.url
    ]
    return Verdict(name, "same", tuple(moved))
