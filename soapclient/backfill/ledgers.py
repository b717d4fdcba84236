"""A ledger for many orders in a row: it reads a file again only when it is another one by now."""

from __future__ import annotations

import os
from collections.abc import Iterable

from soapclient.clock import Clock
from soapclient.exports.entry import Entry
from soapclient.exports.ledger import Ledger

_Seen = tuple[int, int, int]


class ManyOrders(Ledger):
    """A ledger as any other, whose looks do not grow with what was ordered before.

    Only what has changed since is read. Files are never changed, only replaced, so that inode, time and size
    tell one from another.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        account: str,
        service: str = "data",
        patience: float = 0.0,
        clock: Clock | None = None,
        address: str | None = None,
        beside: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        super().__init__(
            folder,
            account=account,
            service=service,
            patience=patience,
            clock=clock,
            address=address,
            beside=beside,
        )
        self._known: dict[str, tuple[_Seen, Entry]] = {}

    def _names(self) -> list[str]:
        names = super()._names()
        self._known = {name: self._known[name] for name in names if name in self._known}
        return names

    def _read(self, name: str) -> Entry:
        stat = os.stat(self.folder / name)
        seen = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        known = self._known.get(name)
        if known is None or known[0] != seen:
            known = self._known[name] = (seen, super()._read(name))
        return known[1]
