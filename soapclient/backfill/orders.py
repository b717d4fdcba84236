"""Orders of a backfill: issued by one process, one after the other, and through ledgers, so never twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from soapclient.backfill.ledgers import ManyOrders
from soapclient.backfill.partitions import Partition
from soapclient.backfill.session import Session, Settings
from soapclient.exports.adoption import AmbiguousOrder
from soapclient.exports.entry import Entry
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.ledger import Ledger
from soapclient.exports.order import OrderOptions

_DAYS = ("report_type", "from_date", "to_date")


class Orders:
    """Orders for a plan's partitions. `account_ids` say by label what each account's ledger calls it.

    `reorder` orders anew where nobody can tell whether a job was made.
    """

    def __init__(
        self,
        folder: Path,
        session: Session,
        settings: Settings,
        account_ids: Mapping[str, str],
        settle: float,
        *,
        reorder: bool = False,
    ) -> None:
        self._folder = folder
        self._session = session
        self._settings = settings
        self._account_ids = account_ids
        self._settle = settle
        self._reorder = reorder
        self._ledgers: dict[str, Ledger] = {}
        self._known: dict[str, Entry] = {}  # when the run began; keys differ by account, labels share them

    def order(self, partition: Partition) -> ExportHandle:
        """Return the partition's job, ordered now or before; `adopted` if its rows have to show that it is.

        Raises what ordering raises; AmbiguousOutcome where nobody can tell whether a job was made.
        """
        ledger = self._ledger(partition)
        key = ledger.key(partition.request)
        known = self._known.get(key)
        if known is not None and known.handle is not None:
            return known.handle
        exports = self._session.client(self._settings, partition.account).data.exports
        options = {name: value for name, value in partition.request.items() if name not in _DAYS}
        handle = exports.order_once(
            ledger,
            report_type=partition.report_type,
            from_date=partition.first,
            to_date=partition.last,
            settle=self._settle,
            reorder=self._reorder,
            **cast("OrderOptions", options),
        )
        # What was known at the start does not tell: another partition of this request may have left it open.
        entry = ledger.find(partition.request)
        if entry is None or entry.handle is None or entry.handle.job_id != handle.job_id:
            return replace(handle, adopted=True)  # somebody else is at the ledger: its rows have to tell
        return handle

    def reason(self, partition: Partition, error: Exception) -> str:
        """Say why a partition could not be ordered, and where its ledger is if somebody has to decide."""
        if not isinstance(error, AmbiguousOrder):
            return str(error)
        account = self._account_ids[partition.account.name]
        # Before the error, which may name many jobs and be cut.
        return (
            f"in the ledger folder {self._folder}, account {account} (order anew on the command line with "
            f"--reorder): {error}"
        )

    def forget(self, partition: Partition, job_id: JobId) -> None:
        """Forget a partition's job, which failed or has expired: the next order is a new one."""
        ledger = self._ledger(partition)
        key = ledger.key(partition.request)
        if self._held(partition, job_id) is not None:
            ledger.forget(key)
        # Also where another label's partition has ordered anew by now: that job is this one's, too.
        self._known.pop(key, None)

    def disown(self, partition: Partition, job_id: JobId) -> None:
        """Give up the job that was taken for a partition's and is another's; the order is open again."""
        ledger = self._ledger(partition)
        key = ledger.key(partition.request)
        if self._held(partition, job_id) is not None:
            ledger.disown(key, job_id)
        self._known.pop(key, None)

    def _held(self, partition: Partition, job_id: JobId) -> Entry | None:
        """What the ledger has of a partition, if it is still that job: two partitions may share one."""
        entry = self._ledger(partition).find(partition.request)
        held = entry is not None and entry.handle is not None and entry.handle.job_id == job_id
        return entry if held else None

    def _ledger(self, partition: Partition) -> Ledger:
        name = partition.account.name
        if name not in self._ledgers:
            ledger = ManyOrders(self._folder, account=self._account_ids[name])
            for entry in ledger.entries():
                self._known.setdefault(entry.key, entry)
            self._ledgers[name] = ledger
        return self._ledgers[name]
