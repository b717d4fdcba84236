"""The records of `contracts.lock`: contracts, their documents, and what those must hash to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
