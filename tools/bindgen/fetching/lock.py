"""`contracts.lock`: which documents make up each contract, from where, and what they must hash to."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from bindgen import __version__, atomic
from soapclient._support import toml

Origin = Literal["reconstructed", "fetched"]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
# The lock is a text in a repository: it must not be able to point outside of its folder.
File = Annotated[str, msgspec.Meta(pattern=r"(?s)^(?!(?:.*/)?\.{0,2}(?:/|$))[^\\]+$")]


class LockError(Exception):
    """A lock file that cannot be read, or that lacks what is asked of it."""


@dataclass(frozen=True, slots=True)
class LockedDocument:
    """One document: the address it was got from, its file below the lock's folder, and its digests.

    `aliases` are further addresses that redirect to `url`; `etag` and `last_modified` are the validators
    the server gave with it, if any.
    """

    url: str
    file: File
    sha256: Digest
    canonical_sha256: Digest
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
    canonical_sha256: Digest
    documents: Annotated[tuple[LockedDocument, ...], msgspec.Meta(min_length=1)]


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
_RESTORE = "restore the file from version control, or delete it and run `bindgen fetch` for every contract"


# What a value must be, by its key; the others are strings.
_EXPECTED = {
    "contracts": "a table",
    "origin": '"reconstructed" or "fetched"',
    "sha256": "64 hexadecimal digits",
    "canonical_sha256": "64 hexadecimal digits",
    "documents": "a list of at least one table",
    "file": "a path below the folder of the lock",
    "aliases": "a list of strings",
}
_WRONG = re.compile(r"(?:.*missing required field `(?P<key>\w+)`)?(?:.*at `\$(?P<path>[^`]*)`)?")


def loads(path: Path, content: bytes) -> Lock:
    """The lock that `content` describes; `path` is its name in errors. Raises LockError."""
    try:
        values = toml.loads(content)
    except toml.NotToml as error:
        raise LockError(f"{path}: is not TOML ({error}); {_RESTORE}") from error
    found = values.get("lock_version")
    if found != LOCK_VERSION:
        raise LockError(
            f"{path}: lock_version is {found!r}, and {LOCK_VERSION} is what this bindgen reads; "
            "use the version of bindgen that wrote it"
        )
    tables = values.get("contracts", {})
    if not isinstance(tables, dict):
        raise _wrong(path, "contracts")
    contracts = (_contract(path, name, table) for name, table in tables.items())
    return Lock(tuple(sorted(contracts, key=lambda each: each.name)))


def _contract(path: Path, name: str, table: object) -> LockedContract:
    at = f"contracts.{name}"
    if not isinstance(table, dict):
        raise _wrong(path, at, "a table")
    try:
        found = msgspec.convert({**table, "name": name}, LockedContract)
    except msgspec.ValidationError as error:
        said = _WRONG.match(str(error))
        parts = (at, said["path"] or "", f".{said['key']}" if said["key"] else "") if said else (at,)
        raise _wrong(path, "".join(parts)) from error
    for what in ("url", "file"):
        if len({getattr(each, what) for each in found.documents}) < len(found.documents):
            raise _wrong(path, f"{at}.documents", f"with each {what} once")
    return found


def _wrong(path: Path, at: str, expected: str = "") -> LockError:
    expected = expected or _EXPECTED.get(at.rpartition(".")[2], "a string")
    return LockError(f"{path}: {at} must be {expected}; {_RESTORE}")


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
        blocks.append(f"[{at}]\n{_pairs(contract)}")
        blocks.extend(f"[[{at}.documents]]\n{_pairs(each)}" for each in contract.documents)
    return "\n".join(blocks)


def _pairs(record: LockedContract | LockedDocument) -> str:
    """The keys of a table that have a value, in order; documents are tables of their own."""
    lines = []
    for key in (field.name for field in dataclasses.fields(record)):
        value = getattr(record, key)
        if value not in (None, ()) and key not in ("name", "documents"):
            text = _string(value) if isinstance(value, str) else f"[{', '.join(map(_string, value))}]"
            lines.append(f"{key} = {text}\n")
    return "".join(lines)


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    # JSON's string is TOML's basic string, but for the one control character JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
