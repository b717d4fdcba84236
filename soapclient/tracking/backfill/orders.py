"""Orders of a backfill. A single process sends them one by one. No order is sent twice.

Each order is recorded in its account's ledger, the folder that stores the orders of one account.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from soapclient._support.durable import read_json, read_regular, write_text
from soapclient._support.redaction import notes_of
from soapclient.errors import AmbiguousOrder
from soapclient.tracking.backfill.dataset import Partition
from soapclient.tracking.backfill.task import Session, TaskSettings
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.exports.orders.record import OrderRecord

MOST: Final = 3
"""Maximum number of runs that end with a bad file (damaged or too few rows) before the job is abandoned."""


log = logging.getLogger(__name__)


class BadFileCounts:
    """Counts, for each job, the runs in which the job's file was bad: damaged, or with too few rows.

    A job whose file was bad in too many runs is abandoned. Used only by the process that orders. The counts
    are stored in a small JSON file (account → job → count). If the JSON file is damaged, missing or not
    writable, counting starts at zero, so a job may be abandoned later than usual.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._counts = _read_counts(path)
        self._this_run: dict[tuple[str, str], int] = {}  # to count a job once: partitions may share it

    def add(self, account: str, job_id: JobId) -> int:
        """Record that the job's file is bad in this run. Return the number of runs in which the file was bad.

        Further calls for the same job in the same run change nothing.
        """
        job = str(job_id)
        if (account, job) not in self._this_run:
            of_account = self._counts.setdefault(account, {})
            of_account[job] = self._this_run[account, job] = of_account.get(job, 0) + 1
            self._write()
        return self._this_run[account, job]

    def clear(self, account: str, job_id: JobId) -> None:
        """Remove the count of a job, because its data is in the dataset or the job is abandoned."""
        if self._counts.get(account, {}).pop(str(job_id), None) is not None:
            self._write()

    def _write(self) -> None:
        try:
            write_text(self._path, json.dumps(self._counts, indent=1, sort_keys=True) + "\n")
        except OSError as error:
            log.warning(
                "cannot write %s: %s. Damaged or incomplete files are not counted.",
                self._path,
                error.strerror,
            )


def _read_counts(path: Path) -> dict[str, dict[str, int]]:
    """Return the counts of bad files that the file `path` contains: account → job → count.

    Returns {} if the file `path` is missing or invalid.
    """
    try:
        return msgspec.convert(
            read_json(read_regular(path)), dict[str, dict[str, Annotated[int, Meta(gt=0)]]]
        )
    except (OSError, ValueError, RecursionError):
        return {}


@dataclass(eq=False, kw_only=True)
class Orders:
    """Places the orders for a plan's partitions.

    Each order is recorded in a ledger, a folder that stores the orders of one account.

    - `account_ids`: maps the labels of accounts to the ids that ledgers use for them.
    - `bad_files`: counts the runs in which a job's file was bad.
    - `neighbours`: folders of other ledgers. A job that one of them records is not used for this plan.
    - `reorder`: if True, requests from earlier runs are ordered again, except if their partition is complete.
    - `in_dataset`: called with an account id and a job id. Returns True if the job's partition is complete.
    """

    folder: Path
    session: Session
    settings: TaskSettings
    account_ids: Mapping[str, str]
    settle: float | dt.timedelta | None
    bad_files: BadFileCounts
    neighbours: tuple[Path, ...]
    reorder: bool
    in_dataset: Callable[[str, JobId], bool]
    _ledgers: dict[str, Ledger] = field(default_factory=dict)  # by account: several labels may share one
    # The records at the start of the run; keys differ by account.
    _earlier: dict[str, OrderRecord] = field(default_factory=dict)

    def order(self, partition: Partition) -> ExportHandle:
        """Return the handle of a partition's job. If the partition has no job yet, order it.

        With `reorder`, a partition with a job from an earlier run is ordered again, unless it is complete.

        If `adopted` of the returned handle is True, the job may belong to another order. The caller must then
        check that the job's rows belong to the partition. `adopted` is True if the job was found in the
        account's job list, or if the ledger (the record of orders) has another job for the partition by now.

        Raises the errors of ordering, and AmbiguousOutcome if it is unknown whether a job exists.
        """
        ledger = self._ledger(partition)
        key = ledger.key(partition.request)
        earlier = self._earlier.get(key)
        earlier_handle = None if earlier is None else earlier.handle
        if earlier_handle is not None and (
            not self.reorder or self.in_dataset(ledger.account, earlier_handle.job_id)
        ):
            return earlier_handle
        exports = self.session.client(self.settings, partition.account).data.exports
        if earlier is not None and self.reorder:
            self._earlier.pop(key)  # first, so that another partition of this request does not order again
            if earlier_handle is not None:
                self.bad_files.clear(ledger.account, earlier_handle.job_id)
            return exports.place_once(ledger, partition.request, reorder=True, replaced=lambda _: True)
        handle = exports.place_once(ledger, partition.request, settle=self.settle, reorder=self.reorder)
        # Read the ledger again: another partition of this request may have changed it since the start.
        entry = ledger.find(partition.request)
        if entry is None or not entry.is_job(handle.job_id):
            return replace(handle, adopted=True)  # another process uses the ledger: check the job's rows
        return handle

    def reason(self, partition: Partition, error: Exception) -> str:
        """Return why a partition could not be ordered.

        If the user must decide which job to use, the text also names the state directory and the account.
        """
        message = " ".join((str(error), *(f"({note})" for note in notes_of(error))))
        if not isinstance(error, AmbiguousOrder):
            return message
        account = self.account_ids[partition.account.name]
        # The advice comes before the error message, which may list many jobs and be cut off.
        return (
            f"in the state directory {self.folder}, account {account} (on the command line, order again with "
            f"--reorder): {message}"
        )

    def forget(self, partition: Partition, job_id: JobId) -> None:
        """Remove a partition's job, such as a failed or expired job, from the ledger (the record of orders).

        The next order of the partition then creates a new job.
        """
        # Also if the partition of another label has ordered again: both share that job.
        self._drop(partition, job_id, Ledger.forget)
        self.mark_complete(partition, job_id)

    def disown(self, partition: Partition, job_id: JobId) -> None:
        """Remove a job from the record of a partition's order, because the job belongs to another order.

        The partition's order is then pending, which means that its job is unknown: the next call of `order`
        first searches for another job of the partition.
        """
        self._drop(partition, job_id, Ledger.disown)

    def _drop(
        self, partition: Partition, job_id: JobId, drop: Callable[[Ledger, str, JobId], object]
    ) -> None:
        ledger = self._ledger(partition)
        key = ledger.key(partition.request)
        entry = ledger.find(partition.request)
        if entry is not None and entry.is_job(job_id):  # partitions may share a record
            drop(ledger, key, job_id)
        self._earlier.pop(key, None)

    def count_bad_file(self, partition: Partition, job_id: JobId) -> bool:
        """Record that the job's file is bad in this run. Return True if the job is now abandoned.

        A job is abandoned, and removed from the ledger, if its file was bad in too many runs.
        """
        if self.bad_files.add(self._ledger(partition).account, job_id) < MOST:
            return False
        self.forget(partition, job_id)
        return True

    def mark_complete(self, partition: Partition, job_id: JobId) -> None:
        """Remove the job's count of bad files, because the job's data is in the dataset."""
        self.bad_files.clear(self._ledger(partition).account, job_id)

    def _ledger(self, partition: Partition) -> Ledger:
        account = self.account_ids[partition.account.name]
        if account not in self._ledgers:
            exports = self.session.client(self.settings, partition.account).data.exports
            ledger = exports.ledger(self.folder, neighbours=self.neighbours)
            self._earlier.update((entry.key, entry) for entry in ledger.entries())
            self._ledgers[account] = ledger
        return self._ledgers[account]
