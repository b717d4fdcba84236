"""A ledger for many orders in a row: it reads a file again only when it is another one by now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

from soapclient.exports import entry_file
from soapclient.exports.entry import Entry
from soapclient.exports.handle import JobId
from soapclient.exports.ledger import Ledger

_Seen = tuple[int, int, int]


class ManyOrders(Ledger):
    """A ledger as any other, whose every look costs what has changed since the last: each order looks at all.

    Files are never changed, only replaced, so that inode, time and size tell one from another.
    """

    _read: Mapping[str, tuple[_Seen, Entry]] = MappingProxyType({})

    def entries(self) -> tuple[Entry, ...]:
        """As Ledger.entries."""
        return tuple(self._by_name().values())

    def find(self, request: Mapping[str, JobId]) -> Entry | None:
        """As Ledger.find."""
        ending = f"_{self.key(request)}.json"  # names are checked against keys when files are read
        found = [entry for name, entry in self._by_name().items() if name.endswith(ending)]
        return found[0] if found else None

    def _by_name(self) -> dict[str, Entry]:
        before, now = self._read, {}
        for name, seen in sorted(self._names().items()):
            known = before.get(name)
            if known is None or known[0] != seen:
                path = self.folder / name
                known = (seen, entry_file.read(path, account=self.account, service=self.service))
            now[name] = known
        self._read = now
        return {name: entry for name, (_, entry) in now.items()}

    def _names(self) -> dict[str, _Seen]:
        try:
            with os.scandir(self.folder) as found:
                files = [each for each in found if each.name.endswith(".json")]
                stats = [(each.name, each.stat(follow_symlinks=True)) for each in files]
        except FileNotFoundError:  # nothing was ordered yet
            return {}
        return {name: (stat.st_ino, stat.st_mtime_ns, stat.st_size) for name, stat in stats}
