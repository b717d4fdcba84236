"""`bindgen fetch`: bring a contract's documents into the repository, byte for byte, and lock them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bindgen.fetching import addresses, filenames, records, store
from bindgen.fetching import lock as lock_file
from bindgen.fetching.committed import Committed
from bindgen.fetching.download import Downloader, FetchError, Limits
from bindgen.fetching.locked import LockedDocument, Origin
from bindgen.fetching.walk import Walk

if TYPE_CHECKING:
    import requests

__all__ = ["DEFAULT_LIMITS", "FetchError", "FetchReport", "Limits", "fetch"]

DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class FetchReport:
    """What a fetch did: whether anything was written, the documents as locked now, and remarks to print."""

    changed: bool
    documents: tuple[LockedDocument, ...]
    notes: tuple[str, ...]


def utc_now() -> datetime:
    """The clock that is used when none is given."""
    return datetime.now(UTC)


def fetch(
    name: str,
    *,
    folder: Path,
    version: str,
    origin: Origin,
    contracts_url: str | None = None,
    url: str | None = None,
    file: Path | None = None,
    session: requests.Session | None = None,
    clock: Callable[[], datetime] = utc_now,
    limits: Limits = DEFAULT_LIMITS,
    tool: str = lock_file.TOOL,
) -> FetchReport:
    """Fetch the root WSDL of a contract with all it imports, and record them in the lock of `folder`.

    The root is known by `url`, else by `contracts_url` (contracts.toml); with `file` it is read from there,
    and so is what it names by relative locations. Documents that are the ones already locked, even if laid
    out differently, leave every file untouched. `clock` must give aware date-times.

    Raises FetchError (nothing written, unless it says that writing failed) and lock.LockError.
    """
    written = url or contracts_url or ""
    root_url = _root_url(name, version, written)
    lock_path = folder / lock_file.FILE_NAME
    lock = lock_file.read(lock_path)
    before = lock.get(name)
    notes = []
    if addresses.read_as_https(written):
        notes.append(f"{written} is read as {root_url}")
    committed = Committed(folder, before)
    with Downloader(session, limits) as downloader:
        accepts = file is not None and committed.is_root(file)
        walk = Walk(
            downloader,
            limits,
            folder=file.parent if file is not None else None,
            stored=committed.as_it_is if accepts else lambda _: None,
            unmodified=committed.read,
            validators=committed.validators(),
        )
        walk.run(root_url, file)
    notes += walk.notes
    found = list(walk.documents.values())
    after = records.lock_contract(name, version, root_url, origin, clock(), tool, found)
    if before is not None and committed.is_intact() and records.mean_the_same(before, after):
        reformatted = [
            new.url
            for old, new in zip(before.documents, after.documents, strict=True)
            if old.sha256 != new.sha256
        ]
        notes += [f"{each}: unchanged but for formatting" for each in reformatted]
        notes.append(f"{name}: unchanged, nothing was written")
        return FetchReport(False, before.documents, tuple(notes))
    contents = {new.file: each.content for new, each in zip(after.documents, found, strict=True)}
    try:
        store.save(folder, lock_path, lock, after, contents)
    except OSError as error:
        raise FetchError(
            str(error.filename or folder), f"cannot be written ({error.strerror})", "fetch again"
        ) from error
    return FetchReport(True, after.documents, (*notes, *records.differences(before, after)))


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
