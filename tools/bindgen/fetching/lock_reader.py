"""From the TOML of a lock to its records; every complaint says file and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import cast

from bindgen.fetching.locked import Lock, LockedContract, LockedDocument, LockError, Origin

LOCK_VERSION = 1
_SHA256 = re.compile(r"[0-9a-f]{64}")
_RESTORE = "restore the file from version control, or delete it and run `bindgen fetch` for every contract"


def loads(path: Path, content: bytes) -> Lock:
    """The lock that `content` describes; `path` is its name in errors. Raises LockError."""
    try:
        top = _Table(path, "", tomllib.loads(content.decode()))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LockError(f"{path}: is not TOML ({error}); {_RESTORE}") from error
    found = top.values.get("lock_version")
    if found != LOCK_VERSION:
        raise LockError(
            f"{path}: lock_version is {found!r}, and {LOCK_VERSION} is what this bindgen reads; "
            "use the version of bindgen that wrote it"
        )
    contracts = (_contract(name, table) for name, table in top.table("contracts", optional=True).children())
    return Lock(tuple(sorted(contracts, key=lambda each: each.name)))


def _contract(name: str, table: _Table) -> LockedContract:
    documents = tuple(_document(each) for each in table.tables("documents"))
    for what in ("url", "file"):
        if len({getattr(each, what) for each in documents}) < len(documents):
            raise table.wrong("documents", f"with each {what} once")
    origin = table.text("origin")
    if origin not in ("reconstructed", "fetched"):
        raise table.wrong("origin", '"reconstructed" or "fetched"')
    return LockedContract(
        name,
        table.text("root"),
        cast(Origin, origin),
        table.text("fetched"),
        table.text("tool"),
        table.digest("canonical_sha256"),
        documents,
    )


def _document(table: _Table) -> LockedDocument:
    file = table.text("file")
    # The lock is a text in a repository: it must not be able to point outside of its folder.
    if "\\" in file or PurePosixPath(file).is_absolute() or {"", ".", ".."} & set(file.split("/")):
        raise table.wrong("file", "a path below the folder of the lock")
    return LockedDocument(
        table.text("url"),
        file,
        table.digest("sha256"),
        table.digest("canonical_sha256"),
        table.optional_text("etag"),
        table.optional_text("last_modified"),
        table.texts("aliases"),
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """A TOML table that knows where it stands, for errors that say so."""

    path: Path
    where: str
    values: Mapping[str, object]

    def wrong(self, key: str, expected: str) -> LockError:
        at = f"{self.where}.{key}".lstrip(".")
        return LockError(f"{self.path}: {at} must be {expected}; {_RESTORE}")

    def text(self, key: str) -> str:
        found = self.values.get(key)
        if not isinstance(found, str):
            raise self.wrong(key, "a text")
        return found

    def optional_text(self, key: str) -> str | None:
        return self.text(key) if key in self.values else None

    def texts(self, key: str) -> tuple[str, ...]:
        found = self.values.get(key, [])
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self.wrong(key, "a list of texts")
        return tuple(found)

    def digest(self, key: str) -> str:
        found = self.text(key)
        if not _SHA256.fullmatch(found):
            raise self.wrong(key, "64 hexadecimal digits")
        return found

    def table(self, key: str, *, optional: bool = False) -> _Table:
        found = self.values.get(key, {} if optional else None)
        if not isinstance(found, dict):
            raise self.wrong(key, "a table")
        return _Table(self.path, f"{self.where}.{key}".lstrip("."), found)

    def children(self) -> Iterator[tuple[str, _Table]]:
        for key in self.values:
            yield key, self.table(key)

    def tables(self, key: str) -> Iterator[_Table]:
        found = self.values.get(key)
        if not isinstance(found, list) or not found or not all(isinstance(each, dict) for each in found):
            raise self.wrong(key, "a list of at least one table")
        for index, each in enumerate(found):
            yield _Table(self.path, f"{self.where}.{key}[{index}]", each)
