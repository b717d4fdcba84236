"""`contracts.lock`: which documents make up each contract, from where, and what they must hash to."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal, cast

from bindgen import __version__, atomic

Origin = Literal["reconstructed", "fetched"]


class LockError(Exception):
    """A lock file that cannot be read, or that lacks what is asked of it."""


@dataclass(frozen=True, slots=True)
class LockedDocument:
    """One document: the address it was got from, its file below the lock's folder, and its digests.

    `aliases` are further addresses that redirect to `url`; `etag` and `last_modified` are the validators
    the server gave with it, if any.
    """

    url: str
    file: str
    sha256: str
    canonical_sha256: str
    etag: str | None = None
    last_modified: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LockedContract:
    """One contract: the address it is known by, and its documents, the root first, then breadth first.

    `fetched` is UTC in RFC 3339; `canonical_sha256` is `canonical.combined_sha256` over the documents.
    """

    name: str
    root: str
    origin: Origin
    fetched: str
    tool: str
    canonical_sha256: str
    documents: tuple[LockedDocument, ...]


@dataclass(frozen=True, slots=True)
class Lock:
    """All locked contracts, ordered by name."""

    contracts: tuple[LockedContract, ...] = ()

    def get(self, name: str) -> LockedContract | None:
        """The contract of that name, or None when it was never fetched."""
        return next((contract for contract in self.contracts if contract.name == name), None)

    def contract(self, name: str) -> LockedContract:
        """The contract of that name. Raises LockError when it was never fetched."""
        found = self.get(name)
        if found is None:
            raise LockError(f"contracts.lock does not know {name}: run `bindgen fetch {name}`")
        return found

    def replacing(self, contract: LockedContract) -> Lock:
        """A lock in which this contract stands for whatever had its name."""
        others = [other for other in self.contracts if other.name != contract.name]
        return Lock(tuple(sorted([*others, contract], key=lambda each: each.name)))


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
            raise self.wrong(key, "a string")
        return found

    def optional_text(self, key: str) -> str | None:
        return self.text(key) if key in self.values else None

    def texts(self, key: str) -> tuple[str, ...]:
        found = self.values.get(key, [])
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self.wrong(key, "a list of strings")
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


FILE_NAME = "contracts.lock"
TOOL = f"bindgen {__version__}"
_HEADER = "# Written by bindgen fetch. Do not edit.\n"
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read(path: Path) -> Lock:
    """The lock at `path`; a file that is not there is an empty lock.

    Raises LockError, with file and key, for one that cannot be read or does not have the expected shape.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Lock()
    except OSError as error:
        raise LockError(f"{path}: cannot be read ({error.strerror})") from error
    return loads(path, content)


def write(path: Path, lock: Lock) -> None:
    """Write the lock, in one step. The same lock gives the same bytes. Raises OSError."""
    atomic.replace(path, dumps(lock).encode())


def dumps(lock: Lock) -> str:
    """The text of a lock: contracts by name, documents in their own order."""
    blocks = [_HEADER + f"lock_version = {LOCK_VERSION}\n"]
    for contract in sorted(lock.contracts, key=lambda each: each.name):
        at = f"contracts.{_key(contract.name)}"
        blocks.append(
            f"[{at}]\n"
            + _pair("root", contract.root)
            + _pair("origin", contract.origin)
            + _pair("fetched", contract.fetched)
            + _pair("tool", contract.tool)
            + _pair("canonical_sha256", contract.canonical_sha256)
        )
        blocks.extend(f"[[{at}.documents]]\n{_document_pairs(each)}" for each in contract.documents)
    return "\n".join(blocks)


def _document_pairs(document: LockedDocument) -> str:
    pairs = [
        _pair("url", document.url),
        _pair("file", document.file),
        _pair("sha256", document.sha256),
        _pair("canonical_sha256", document.canonical_sha256),
    ]
    if document.etag is not None:
        pairs.append(_pair("etag", document.etag))
    if document.last_modified is not None:
        pairs.append(_pair("last_modified", document.last_modified))
    if document.aliases:
        pairs.append(f"aliases = [{', '.join(_string(alias) for alias in document.aliases)}]\n")
    return "".join(pairs)


def _pair(key: str, text: str) -> str:
    return f"{key} = {_string(text)}\n"


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    # JSON's string is TOML's basic string, but for the one control character JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
