"""`contracts.lock`: the documents of each contract, with their addresses and hashes."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from bindgen import atomic
from soapclient import __version__
from soapclient._support import toml

Origin = Literal["reconstructed", "fetched"]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
# Anyone can edit the lock in a repository. It must not refer to files outside of its folder.
File = Annotated[str, msgspec.Meta(pattern=r"(?s)^(?!(?:.*/)?\.{0,2}(?:/|$))[^\\]+$")]


class LockError(Exception):
    """Raised if a lock file cannot be read, or does not contain a contract."""


@dataclass(frozen=True, slots=True)
class LockedDocument:
    """One document: the address from which it was read, its file below the lock's folder, and its hashes.

    `aliases` are other addresses that redirect to `url`. `etag` and `last_modified` are the validators from
    the server, if any.
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
    """One contract: its address, and its documents with the root first, then breadth first.

    `fetched` is in UTC, in the format of RFC 3339. `canonical_sha256` is the `canonical.combined_sha256`
    of the documents.
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
        """Return the contract called `name`; None if it was never fetched."""
        return next((contract for contract in self.contracts if contract.name == name), None)

    def contract(self, name: str) -> LockedContract:
        """Return the contract called `name`. Raises LockError if it was never fetched."""
        locked = self.get(name)
        if locked is None:
            raise LockError(f"contracts.lock has no contract {name}: run `bindgen fetch {name}`")
        return locked

    def replacing(self, contract: LockedContract) -> Lock:
        """Return a lock that also contains `contract`. It replaces a contract of the same name."""
        others = [other for other in self.contracts if other.name != contract.name]
        return Lock(tuple(sorted([*others, contract], key=lambda item: item.name)))


LOCK_VERSION = 1
_RESTORE = "restore the file from version control, or delete it and run `bindgen fetch` for every contract"


# Key -> the required kind of value. All other values are strings.
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
    """Parse the content of a lock file. `path` is named in errors. Raises LockError."""
    try:
        values = toml.loads(content)
    except toml.NotToml as error:
        raise LockError(f"{path}: is not TOML ({error}); {_RESTORE}") from error
    lock_version = values.get("lock_version")
    if lock_version != LOCK_VERSION:
        raise LockError(
            f"{path}: lock_version must be {LOCK_VERSION}, got {lock_version!r}; "
            "use the version of bindgen that wrote it"
        )
    tables = values.get("contracts", {})
    if not isinstance(tables, dict):
        raise _wrong(path, "contracts")
    contracts = (_contract(path, name, table) for name, table in tables.items())
    return Lock(tuple(sorted(contracts, key=lambda item: item.name)))


def _contract(path: Path, name: str, table: object) -> LockedContract:
    """Convert `table`, the TOML table of the contract `name`, to a LockedContract. Raises LockError."""
    key = f"contracts.{name}"
    if not isinstance(table, dict):
        raise _wrong(path, key, "a table")
    try:
        contract = msgspec.convert({**table, "name": name}, LockedContract)
    except msgspec.ValidationError as error:
        match = _WRONG.match(str(error))
        parts = (key, match["path"] or "", f".{match['key']}" if match["key"] else "") if match else (key,)
        raise _wrong(path, "".join(parts)) from error
    for field in ("url", "file"):
        if len({getattr(document, field) for document in contract.documents}) < len(contract.documents):
            raise _wrong(path, f"{key}.documents", f"a list of documents, each with a different {field}")
    return contract


def _wrong(path: Path, key: str, expected: str = "") -> LockError:
    """Return the error for a wrong value of `key` in the lock file `path`.

    `expected` describes valid values. By default, this text is taken from `_EXPECTED`.
    """
    expected = expected or _EXPECTED.get(key.rpartition(".")[2], "a string")
    return LockError(f"{path}: {key} must be {expected}; {_RESTORE}")


FILE_NAME = "contracts.lock"
TOOL = f"bindgen {__version__}"
_HEADER = "# Written by bindgen fetch. Do not edit.\n"
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read(path: Path) -> Lock:
    """Read the lock at `path`. If the file does not exist, return an empty lock.

    Raises LockError with file and key if it cannot be read or is invalid.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Lock()
    except OSError as error:
        raise LockError(f"{path}: cannot be read ({error.strerror})") from error
    return loads(path, content)


def write(path: Path, lock: Lock) -> None:
    """Write the lock atomically. Equal locks give equal bytes. Raises OSError."""
    atomic.replace(path, dumps(lock).encode())


def dumps(lock: Lock) -> str:
    """Format a lock as TOML: contracts by name, documents in their own order."""
    blocks = [_HEADER + f"lock_version = {LOCK_VERSION}\n"]
    for contract in sorted(lock.contracts, key=lambda item: item.name):
        table = f"contracts.{_key(contract.name)}"
        blocks.append(f"[{table}]\n{_pairs(contract)}")
        blocks.extend(f"[[{table}.documents]]\n{_pairs(item)}" for item in contract.documents)
    return "\n".join(blocks)


def _pairs(record: LockedContract | LockedDocument) -> str:
    """Format the fields of a contract or document as TOML keys. Fields without a value are left out.

    The documents of a contract are left out, too, because they are separate tables.
    """
    lines = []
    for key in (field.name for field in dataclasses.fields(record)):
        value = getattr(record, key)
        if value not in (None, ()) and key not in ("name", "documents"):
            text = _string(value) if isinstance(value, str) else f"[{', '.join(map(_string, value))}]"
            lines.append(f"{key} = {text}\n")
    return "".join(lines)


def _key(name: str) -> str:
    """Format a key as TOML."""
    return name if _BARE_KEY.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    """Format a string as TOML."""
    # A JSON string is a valid TOML string, except that JSON does not escape U+007F.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
