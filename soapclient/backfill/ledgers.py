"""A ledger for many orders in a row: it reads a file again only when it is another one by now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from soapclient.clock import Clock
from soapclient.exports import entry_file
from soapclient.exports.entry import Entry, name_of
from soapclient.exports.handle import JobId
from soapclient.exports.ledger import Ledger

_Seen = tuple[int, int, int]


class ManyOrders(Ledger):
    """A ledger as any other, whose looks do not grow with what was ordered before.

    `find` looks at one file, `entries` at all, and both read only what has changed since. Files are never
    changed, only replaced, so that inode, time and size tell one from another.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        account: str,
        service: str = "data",
        patience: float = 0.0,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(folder, account=account, service=service, patience=patience, clock=clock)
        self._read: dict[str, tuple[_Seen, Entry]] = {}

    def entries(self) -> tuple[Entry, ...]:
        """As Ledger.entries."""
        seen = self._all_seen()
        self._read = {name: each for name, each in self._read.items() if name in seen}
        return tuple(self._entry_in(name, each) for name, each in sorted(seen.items()))

    def find(self, request: Mapping[str, JobId]) -> Entry | None:
        """As Ledger.find."""
        key = self.key(request)
        name = name_of(request, key)
        try:
            return self._entry_in(name, _seen(os.stat(self.folder / name)))
        except FileNotFoundError:
            self._read.pop(name, None)
        # Under any other name it is refused, but not overlooked.
        return self._found(key) if self._is_there(f"_{key}.json") else None

    def _entry_in(self, name: str, seen: _Seen) -> Entry:
        known = self._read.get(name)
        if known is None or known[0] != seen:
            path = Path(self.folder, name)
            known = (seen, entry_file.read(path, account=self.account, service=self.service))
            self._read[name] = known
        return known[1]

    def _is_there(self, ending: str) -> bool:
        try:
            return any(name.endswith(ending) for name in os.listdir(self.folder))
        except FileNotFoundError:  # nothing was ordered yet
            return False

    def _all_seen(self) -> dict[str, _Seen]:
        try:
            with os.scandir(self.folder) as found:
                return {each.name: _seen(each.stat()) for each in found if each.name.endswith(".json")}
        except FileNotFoundError:
            return {}


def _seen(stat: os.stat_result) -> _Seen:
    return (stat.st_ino, stat.st_mtime_ns, stat.st_size)
