"""A folder that remembers what was ordered, so that no request is ordered twice by accident."""

from __future__ import annotations

import datetime as dt
import hashlib
import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from soapclient.clock import Clock, SystemClock
from soapclient.errors import ConfigError
from soapclient.exports import durable, entry_file
from soapclient.exports.day_check import NotThisExport
from soapclient.exports.entry import Entry, key_of
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.orderer_lock import OrdererLock
from soapclient.exports.row_check import check_request
from soapclient.exports.rows import ExportFile

log = logging.getLogger(__name__)

_HASHED: Final = "id-"
_LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def account_of(connect_id: str) -> str:
    """Return what an account is called in a ledger unless it has a label: a short hash of its connect ID."""
    return _HASHED + hashlib.sha256(f"ledger/{connect_id}".encode()).hexdigest()[:12]


class Ledger:
    """The requests of one account at one service, a small JSON file each, in a folder of their own.

    `account` is a label of yours for the account (letters, digits, `.`, `_`, `-`) or `account_of` its connect
    ID; the same account needs the same one each time. Changes are made under a lock, which is waited for
    `patience` seconds; reading needs none, so that other processes may poll and download meanwhile. Every
    change is on the disk before a method returns. Nothing in the folder is secret.

    Methods raise LedgerError for a file that cannot be used, LedgerBusy for a lock that is held too long,
    ConfigError for a key that is not there, and OSError where the file system refuses.
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
        for setting, text in (("account", account), ("service", service)):
            if not _LABEL.fullmatch(text):
                raise ConfigError(
                    f"ledger {setting}",
                    "is no label of letters, digits, '.', '_' and '-', up to 64",
                    "Give another where the ledger is made",
                )
        self.account = account
        self.service = service
        self.folder = Path(folder) / f"{service}_{account}"
        self._patience = patience
        self._clock = SystemClock() if clock is None else clock

    def check(self, service: str, connect_id: str) -> None:
        """Raise ConfigError if this is surely another client's ledger, or shows the connect ID itself."""
        if self.service != service:
            problem, advice = f"is that of the service {self.service}", f"Make one for {service}"
        elif self.account == connect_id:
            problem, advice = "is named by the connect ID itself", "Give a label, or account_of(connect_id)"
        elif self.account.startswith(_HASHED) and self.account != account_of(connect_id):
            problem, advice = "is not that of the client's account", "Give it to the client it was made for"
        else:
            return
        raise ConfigError("ledger", problem, advice)

    def lock(self) -> OrdererLock:
        """The lock of whoever orders, for a `with`. Raises LedgerBusy on entering."""
        durable.make_folder(self.folder)
        return OrdererLock(self.folder / "lock", patience=self._patience, clock=self._clock)

    def entries(self) -> tuple[Entry, ...]:
        """All requests, by file name. One unusable file is an error: its job might be taken for another's."""
        return tuple(
            entry_file.read(path, account=self.account, service=self.service)
            for path in sorted(self.folder.glob("*.json"))
        )

    def handles(self) -> tuple[ExportHandle, ...]:
        """The jobs that were ordered or adopted."""
        return tuple(entry.handle for entry in self.entries() if entry.handle is not None)

    def open_intents(self) -> tuple[Entry, ...]:
        """The requests of which nobody knows whether they were ordered; ordering them again finds out."""
        return tuple(entry for entry in self.entries() if entry.open)

    def key(self, request: Mapping[str, JobId]) -> str:
        """Return the key of a request, such as `ExportHandle.request`."""
        return key_of(self.account, self.service, request)

    def find(self, request: Mapping[str, JobId]) -> Entry | None:
        """Return what is kept of a request."""
        return self._found(self.key(request))

    def claim(self, key: str, job_id: JobId) -> ExportHandle:
        """Say which job is that of an open intent, where several might be. Sends nothing."""
        with self.lock():
            entry = self._entry(key)
            if not entry.open or str(job_id) in claimed(self.entries()):
                raise ConfigError(
                    "ledger", f"{key} is no open intent, or job {job_id} is another's", "Look at entries()"
                )
            handle = ExportHandle(
                self.service, job_id, entry.report_type, entry.request, entry.intended_at, in_ledger=True
            )
            self.save(entry.ordered(handle, adopted=True))
            return handle

    def done(self, key: str, file_sha256: str, job_id: JobId | None = None) -> None:
        """Note that the file of an ordered request was downloaded, whole.

        With `job_id` only if that is still the request's job: another may have been ordered by now.
        """
        with self.lock():
            if job_id is None or self._entry(key).is_job(job_id):
                self.save(self._ordered(key).downloaded(file_sha256))

    def forget(self, key: str, job_id: JobId | None = None) -> None:
        """Forget a request, so that it can be ordered anew: after a failed job, or when its data are stale.

        Its job is still known as taken, so that it is not adopted for another request. With `job_id` only if
        that is still the request's job. Raises ConfigError for an open intent: its order may have been
        carried out, and forgotten, it would be a second time.
        """
        with self.lock():
            entry = self._entry(key)
            if job_id is not None and not entry.is_job(job_id):
                return
            if entry.open:
                raise ConfigError(
                    "ledger",
                    f"the order of {key} may have been carried out, and is not to be forgotten",
                    "Order the same again, which looks for its job first, or give the job to claim()",
                )
            self.save(entry.forgotten())

    def disown(self, key: str, job_id: JobId) -> bool:
        """Give up a request's job, which turned out to be another's; the request is an open intent again.

        Return whether the job was still the request's; otherwise nothing is changed.
        """
        with self.lock():
            entry = self._entry(key)
            if not entry.is_job(job_id):
                return False
            self.save(entry.unclaimed())
            return True

    def verify(self, handle: ExportHandle, file: ExportFile, zone: dt.tzinfo) -> bool:
        """Check the rows in the file of a job that was adopted; see `check_request`.

        `Export.download` does so before the file has its name: this is for files that came otherwise.
        Return whether the file was looked at and told its days; False for a job that was not adopted, whose
        order was answered, and, with a warning in the log, for an adopted one whose file tells none: nobody
        knows then whether it is the right one. Raises NotThisExport for a row that was not ordered; the job
        is then no longer claimed, and ordering the same again looks for another or orders.
        """
        key = self.key(handle.request)
        if not self._ordered(key).adopted:
            return False
        try:
            told = check_request(file, handle.request, zone)
        except NotThisExport as error:
            self.disown(key, handle.job_id)
            error.add_note(
                f"job {handle.job_id} is no longer claimed by {key}: order the same request again for its own"
            )
            raise
        if not told:
            log.warning(
                "job %s was adopted for request %s, and its file does not tell whether its days are right",
                handle.job_id,
                key,
            )
        return told

    def save(self, entry: Entry) -> None:
        """Write an entry, durably. For whoever holds the lock."""
        durable.write_text(self.folder / entry.name, entry_file.to_json(entry))

    def sync(self) -> None:
        """Bring to the disk what is to be read in the folder."""
        durable.sync_folder(self.folder)

    def drop(self, entry: Entry) -> None:
        """Remove an entry, durably. For whoever holds the lock."""
        durable.remove(self.folder / entry.name)

    def _found(self, key: str) -> Entry | None:
        for path in self.folder.glob(f"*_{key}.json"):  # which is what its name ends in, or it is refused
            return entry_file.read(path, account=self.account, service=self.service)
        return None

    def _entry(self, key: str) -> Entry:
        entry = self._found(key)
        if entry is not None:
            return entry
        raise ConfigError("ledger", f"there is no request {key} in {self.folder}", "Look at entries()")

    def _ordered(self, key: str) -> Entry:
        entry = self._entry(key)
        if entry.handle is None:
            raise ConfigError("ledger", f"the request {key} has no job", "Order it first")
        return entry


def claimed(entries: tuple[Entry, ...]) -> set[str]:
    """Return the ids of the jobs that belong, or belonged, to one of the requests."""
    ids = {str(entry.handle.job_id) for entry in entries if entry.handle is not None}
    return ids | {str(job_id) for entry in entries for job_id in entry.former}
