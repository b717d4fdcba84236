"""Orders of a backfill: placed by one process, one after the other, through ledgers, so never twice."""

from __future__ import annotations

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
"""Runs that end with the same job's file damaged or short of rows, until the job is given up."""


log = logging.getLogger(__name__)


class BadFileCounts:
    """Counts runs, in a small JSON file: account → job → number. For the one process that orders.

    A file that is torn, gone or cannot be written begins at none: a job is then kept for longer, and nothing
    else happens.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._counts = _read(path)
        self._this_run: dict[tuple[str, str], int] = {}  # partitions may share a job

    def add(self, account: str, job_id: JobId) -> int:
        """Count a run that the job's file was not right in, once; return how many there were."""
        job = str(job_id)
        if (account, job) not in self._this_run:
            of_account = self._counts.setdefault(account, {})
            of_account[job] = self._this_run[account, job] = of_account.get(job, 0) + 1
            self._write()
        return self._this_run[account, job]

    def clear(self, account: str, job_id: JobId) -> None:
        """Forget a job, which is in the dataset or was given up."""
        if self._counts.get(account, {}).pop(str(job_id), None) is not None:
            self._write()

    def _write(self) -> None:
        try:
            write_text(self._path, json.dumps(self._counts, indent=1, sort_keys=True) + "\n")
        except OSError as error:
            log.warning("%s: %s: runs are not counted", self._path, error.strerror)


def _read(path: Path) -> dict[str, dict[str, int]]:
    try:
        return msgspec.convert(
            read_json(read_regular(path)), dict[str, dict[str, Annotated[int, Meta(gt=0)]]]
        )
    except (OSError, ValueError, RecursionError):
        return {}


@dataclass(eq=False, kw_only=True)
class Orders:
    """Orders for a plan's partitions. `account_ids` say by label what each account's ledger calls it.

    `bad_files` count what a job's file was not right for. `neighbours` are folders of other ledgers, whose
    jobs are not taken here. `reorder` orders anew whatever was ordered before this run, but for jobs that
    `in_dataset` says a complete partition has.
    """

    folder: Path
    session: Session
    settings: TaskSettings
    account_ids: Mapping[str, str]
    settle: float | None
    bad_files: BadFileCounts
    neighbours: tuple[Path, ...]
    reorder: bool
    in_dataset: Callable[[str, JobId], bool]
    _ledgers: dict[str, Ledger] = field(default_factory=dict)  # by account: labels share them
    # When the run began; keys differ by account.
    _known: dict[str, OrderRecord] = field(default_factory=dict)

    def order(self, partition: Partition) -> ExportHandle:
        """Return the partition's job, ordered now or before; `adopted` if its rows have to show that it is.

        Raises what ordering raises; AmbiguousOutcome where nobody can tell whether a job was made.
        """
        ledger = self._ledger(partition)
        key = ledger.key(partition.request)
        known = self._known.get(key)
        had = None if known is None else known.handle
        if had is not None and (not self.reorder or self.in_dataset(ledger.account, had.job_id)):
            return had
        exports = self.session.client(self.settings, partition.account).data.exports
        if known is not None and self.reorder:
            self._known.pop(key)  # before: whatever comes of it, another partition of this request goes on
            if had is not None:
                self.bad_files.clear(ledger.account, had.job_id)
            return exports.place_once(ledger, partition.request, reorder=True, replaced=lambda _: True)
        handle = exports.place_once(ledger, partition.request, settle=self.settle, reorder=self.reorder)
        # What was known at the start does not tell: another partition of this request may have left it open.
        entry = ledger.find(partition.request)
        if entry is None or not entry.is_job(handle.job_id):
            return replace(handle, adopted=True)  # somebody else is at the ledger: its rows have to tell
        return handle

    def reason(self, partition: Partition, error: Exception) -> str:
        """Say why a partition could not be ordered, and where its ledger is if somebody has to decide."""
        said = " ".join((str(error), *(f"({note})" for note in notes_of(error))))
        if not isinstance(error, AmbiguousOrder):
            return said
        account = self.account_ids[partition.account.name]
        # Before the error, which may name many jobs and be cut.
        return (
            f"in the state directory {self.folder}, account {account} (order anew on the command line with "
            f"--reorder): {said}"
        )

    def forget(self, partition: Partition, job_id: JobId) -> None:
        """Forget a partition's job, such as one that has failed or expired: the next order is a new one."""
        # Also where another label's partition has ordered anew by now: that job is this one's, too.
        self._drop(partition, job_id, Ledger.forget)
        self.brought(partition, job_id)

    def disown(self, partition: Partition, job_id: JobId) -> None:
        """Give up the job that was taken for a partition's and is another's; the order is open again."""
        self._drop(partition, job_id, Ledger.disown)

    def _drop(
        self, partition: Partition, job_id: JobId, drop: Callable[[Ledger, str, JobId], object]
    ) -> None:
        ledger = self._ledger(partition)
        key = ledger.key(partition.request)
        entry = ledger.find(partition.request)
        if entry is not None and entry.is_job(job_id):  # two partitions may share one
            drop(ledger, key, job_id)
        self._known.pop(key, None)

    def abandoned(self, partition: Partition, job_id: JobId) -> bool:
        """Count that a job's file was not right; forget the job where that has happened too often."""
        if self.bad_files.add(self._ledger(partition).account, job_id) < MOST:
            return False
        self.forget(partition, job_id)
        return True

    def brought(self, partition: Partition, job_id: JobId) -> None:
        """Count no more what a job's file was not right for: the partition is in the dataset."""
        self.bad_files.clear(self._ledger(partition).account, job_id)

    def _ledger(self, partition: Partition) -> Ledger:
        account = self.account_ids[partition.account.name]
        if account not in self._ledgers:
            exports = self.session.client(self.settings, partition.account).data.exports
            ledger = exports.ledger(self.folder, neighbours=self.neighbours)
            self._known.update((entry.key, entry) for entry in ledger.entries())
            self._ledgers[account] = ledger
        return self._ledgers[account]
