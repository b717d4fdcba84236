"""`contracts.lock`: which documents make up each contract, from where, and what they must hash to."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bindgen import __version__, atomic
from bindgen.fetching.lock_reader import LOCK_VERSION, loads
from bindgen.fetching.locked import Lock, LockedContract, LockedDocument, LockError, Origin

__all__ = [
    "FILE_NAME",
    "TOOL",
    "Lock",
    "LockError",
    "LockedContract",
    "LockedDocument",
    "Origin",
    "dumps",
    "read",
    "write",
]

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
