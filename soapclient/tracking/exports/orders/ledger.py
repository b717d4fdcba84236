"""`Ledger` stores the orders of one account on disk, to prevent ordering a request twice by accident."""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from soapclient._support import durable
from soapclient._support.durable import OrdererLock
from soapclient._support.lazy_pattern import LazyPattern
from soapclient.clock import Clock, Deadline, SystemClock, in_seconds
from soapclient.errors import ConfigError, LedgerError, NotThisExport, UnverifiedExport
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.formats.request_match import check_request
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.orders.record import (
    OrderRecord,
    key_of,
    mark_of,
    name_of,
    read_record,
    record_json,
)

REGISTER: Final = "ledgers"
"""Subfolder of a ledger's folder with the paths of its neighbours."""

log = logging.getLogger(__name__)


def register(folder: Path, neighbour: Path) -> None:
    """Record in the state directory `folder` that the state directory `neighbour` has the same account.

    The record is on disk when this function returns. An existing record is not written again. A failed write
    is only logged: a job of an order in `neighbour` may then be assigned to an order in `folder`.

    Raises LedgerBusy if another process holds the lock on these records too long.
    """
    path = str(neighbour.absolute())
    name = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    note = folder / REGISTER / f"{name}.json"
    try:
        if note.exists():
            return
        durable.make_folder(note.parent, private=True)
        with OrdererLock(note.parent / "lock", patience=_NOTE_PATIENCE, clock=SystemClock()):
            durable.write_text(note, json.dumps({"folder": path}) + "\n")
    except OSError as error:
        log.warning(
            "%s: cannot record the other state directory %s, so orders here cannot exclude its jobs: %s",
            folder,
            neighbour,
            error,
        )


def registered_ledgers(folder: Path, neighbours: Iterable[Path]) -> tuple[Path, ...]:
    """Return the folders of the account's other ledgers, without `folder`.

    These are the `neighbours`, the folders that are registered in `folder`, and the folders that are
    registered in a neighbour.

    Raises LedgerError if a file that registers a folder is invalid, OSError if a folder cannot be listed.
    """
    own = folder.absolute()
    ledgers = [own, *(neighbour.absolute() for neighbour in neighbours)]
    folders = dict.fromkeys(path for ledger in ledgers for path in (ledger, *_read_register(ledger)))
    return tuple(path for path in folders if path != own)


def _read_register(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder / REGISTER) as notes:
            names = sorted(note.name for note in notes if note.name.endswith(".json"))
    except FileNotFoundError:
        return []
    return [_read(folder / REGISTER / name) for name in names]


def _read(note: Path) -> Path:
    problem, advice = (
        "it does not contain the path of a state directory",
        "Remove it; it is created again when needed",
    )
    try:
        content = msgspec.convert(json.loads(durable.read_regular(note)), dict[str, str])
        return durable.nameable(Path(content["folder"] or "\0"))
    except (ValueError, KeyError, RecursionError):  # msgspec's errors are ValueErrors, too
        raise LedgerError(str(note), problem, advice) from None
    except OSError as error:
        if error.errno not in durable.NOT_REGULAR:
            raise
        raise LedgerError(str(note), problem, advice) from None


_NOTE_PATIENCE: Final = 30.0  # seconds to wait for the lock of a neighbour's notes
_HASHED: Final = "id-"
_KEY_SIZE: Final = 16  # hex digits
_NAME: Final = LazyPattern(r"(?:.*_)?(?P<key>[0-9a-f]{16})(?P<mark>-[0-9a-f]{8})?\.json")
_Version = tuple[int, int, int]
_LABEL: Final = LazyPattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def account_of(connect_id: str) -> str:
    """Return the default label of an account in stored orders (`Ledger`): a short hash of its connect ID."""
    return _HASHED + hashlib.sha256(f"ledger/{connect_id}".encode()).hexdigest()[:12]


class Ledger:
    """The requests of one account at one service, as small JSON files in their own folder.

    - `account`: your label for the account (letters, digits, `.`, `_`, `-`), or `account_of(connect_id)`.
      Always use the same label for an account.
    - `patience`: maximum time to wait for the lock, in seconds or as a timedelta.
    - `address`: the service's address. Orders sent to other addresses are ignored.
    - `neighbours`: the folders of other ledgers of the same account. To adopt a job is to assign a job from
      the job list to an order whose response was lost. This ledger does not adopt jobs that may belong to
      orders in the neighbours. This folder is registered in the neighbours' folders, so that they do not
      adopt jobs of this ledger.

    Changes are made under a lock. Reading does not need the lock, so other processes can poll and download in
    the meantime. Every change is on disk before a method returns. The folder does not contain secrets.

    Methods raise LedgerError for an invalid file, LedgerBusy if the lock is held too long, ConfigError for
    the key of an unknown request, and OSError if the file system fails.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> day = dt.date(2026, 11, 1)
    >>> with Client() as client:
    ...     ledger = client.data.exports.ledger("ledger")
    ...     handle = client.data.exports.order_once(ledger, report_type="click", from_date=day, to_date=day)
    ...     again = client.data.exports.order_once(ledger, report_type="click", from_date=day, to_date=day)
    >>> again.job_id == handle.job_id, ledger.pending()
    (True, ())
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        account: str,
        service: str = "data",
        patience: float | dt.timedelta = 0.0,
        clock: Clock | None = None,
        address: str | None = None,
        neighbours: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        for setting, text in (("account", account), ("service", service)):
            if not _LABEL.fullmatch(text):
                raise ConfigError(
                    f"ledger {setting}",
                    "must be a label of letters, digits, '.', '_' and '-', up to 64 characters",
                    "Pass a different one to Ledger(…)",
                )
        self.account = account
        self.service = service
        self.address = address
        self.folder = Path(folder) / f"{service}_{account}"
        self._neighbours = tuple(Path(neighbour) for neighbour in neighbours)
        self._patience = in_seconds(patience)
        self._clock = SystemClock() if clock is None else clock
        # File name → (inode, mtime and size of the version that was read, its record)
        self._cache: dict[str, tuple[_Version, OrderRecord]] = {}
        # Version of the folder, and the names of its files by the key in the name
        self._listing: tuple[_Version, dict[str, list[str]]] | None = None

    def check(self, service: str, connect_id: str, address: str | None = None) -> None:
        """Raise ConfigError if the ledger belongs to another service, address or account.

        Also raises ConfigError if the connect ID itself is used as the account's label.
        """
        if self.service != service:
            problem, advice = f"belongs to the service {self.service}", f"Create a ledger for {service}"
        elif None not in (address, self.address) and self.address != address:
            problem, advice = f"belongs to the service at {self.address}", f"Create a ledger for {address}"
        elif self.account == connect_id:
            problem, advice = "has the connect ID as its name", "Pass a label, or account_of(connect_id)"
        elif self.account.startswith(_HASHED) and self.account != account_of(connect_id):
            problem, advice = "belongs to another account", "Use it with the client of that account"
        else:
            return
        raise ConfigError("ledger", problem, advice)

    def lock(self) -> contextlib.AbstractContextManager[object]:
        """Return the lock for ordering, as a context manager. Also registers this folder with its neighbours.

        To register, this folder's path is written to each neighbour's folder, under a separate lock.
        LedgerBusy is raised if another process holds a lock too long:

        - the lock of a neighbour: when this method is called;
        - the lock for ordering: when the context is entered.
        """
        durable.make_folder(self.folder, private=True)
        self._check_owner()
        for neighbour in self._neighbours:
            if neighbour.absolute() != self.folder.parent.absolute():
                register(neighbour, self.folder.parent)
        return OrdererLock(self.folder / "lock", patience=self._patience, clock=self._clock)

    def entries(self) -> tuple[OrderRecord, ...]:
        """Return the records of all requests, sorted by file name.

        An invalid file is always an error, because it may hide a job.
        """
        records = []
        for name in self._names():
            with contextlib.suppress(
                FileNotFoundError
            ):  # removed after listing, because the order was refused
                records.append(self._read(name))
        return tuple(records)

    def elsewhere(self) -> tuple[OrderRecord, ...]:
        """Return the records in the account's other ledgers. Raises the errors of `entries`."""
        return tuple(
            entry
            for folder in registered_ledgers(self.folder.parent, self._neighbours)
            for entry in Ledger(
                folder, account=self.account, service=self.service, address=self.address
            ).entries()
        )

    def handles(self) -> tuple[ExportHandle, ...]:
        """Return the handles of all requests that have a job."""
        return tuple(entry.handle for entry in self.entries() if entry.handle is not None)

    def pending(self) -> tuple[OrderRecord, ...]:
        """Return the pending orders: orders that may have been sent, but whose job is unknown.

        If the same request is ordered again, the job of the pending order is searched for first.
        """
        return tuple(entry for entry in self.entries() if entry.pending)

    def key(self, request: Mapping[str, JobId]) -> str:
        """Return the key that identifies a request in this ledger.

        `request` is the arguments of the order as JSON values, as in `ExportHandle.request`.
        """
        return key_of(self.account, self.service, request)

    def find(self, request: Mapping[str, JobId]) -> OrderRecord | None:
        """Return the record of a request, or None if the ledger has no record of it."""
        key = self.key(request)
        for address in dict.fromkeys((self.address, None)):
            with contextlib.suppress(FileNotFoundError):
                return self._read(name_of(request, key, address))
        # A renamed file raises an error instead of being overlooked.
        return self._found(key, self._listed_before(key))

    def claim(self, key: str, job_id: JobId) -> ExportHandle:
        """Assign a job to a pending order by hand, if several jobs match. Return the handle.

        Sends nothing. The job's file is then accepted even if it is unclear to which order it belongs. The
        file is rejected if it shows that it belongs to another order.
        """
        with self.lock():
            entry = self._entry(key)
            if not entry.pending or str(job_id) in claimed((*self.entries(), *self.elsewhere())):
                raise ConfigError(
                    "ledger",
                    f"{key} is not a pending order, or job {job_id} belongs to another request",
                    "List the requests and their jobs with Ledger.entries()",
                )
            handle = ExportHandle(self.service, job_id, entry.report_type, entry.request, entry.intended_at)
            settled = entry.ordered(handle, adopted=True, vouched=True)
            self.save(settled)
            assert settled.handle is not None
            return settled.handle

    def abandon(self, key: str) -> None:
        """Forget a pending order, regardless of whether the service has processed it.

        It no longer blocks other orders, and ordering the same request again sends a new order. Raises
        ConfigError if the request is not pending.
        """

        def change(entry: OrderRecord) -> OrderRecord:
            if entry.pending:
                return entry.forgotten()
            raise ConfigError(
                "ledger",
                f"the request {key} is not a pending order",
                "List the pending orders with Ledger.pending()",
            )

        self._change(key, None, change)

    def done(self, key: str, file_sha256: str, job_id: JobId | None = None) -> None:
        """Record that the file of a request was downloaded and verified. `file_sha256` is the file's hash.

        `job_id` is the job of the file. If it is given and the request has another job by now, because the
        request was ordered again, nothing changes.
        """
        self._change(key, job_id, lambda entry: self._with_job(entry).downloaded(file_sha256))

    def forget(self, key: str, job_id: JobId | None = None) -> None:
        """Forget a request, so that it can be ordered again, after a failed job or if its data is stale.

        - Usually, the request is marked as forgotten.
        - If the request's job was found in the list of jobs, without `claim`, and its file was not
          downloaded, the job may belong to another order. The request then becomes pending, so that its own
          job is searched for.
        - A pending order is not forgotten: it may have been processed, and would be ordered twice.
          ConfigError is raised.

        The job's id stays recorded, so that no request adopts the job again. If `job_id` is passed and the
        request has another job by now, nothing changes.
        """

        def change(entry: OrderRecord) -> OrderRecord:
            if not entry.pending:
                return entry.failed()
            raise ConfigError(
                "ledger",
                f"the order of {key} may have been processed, so it cannot be forgotten",
                "Order the same request again: the job of this order is searched for first. Or call claim() "
                "with the id of the job, or abandon()",
            )

        self._change(key, job_id, change)

    def disown(self, key: str, job_id: JobId) -> bool:
        """Separate a job from a request, because the job belongs to another order.

        Returns True if the job was the request's current job. The request is then pending again, and will
        not adopt this job. Otherwise, returns False and changes nothing.
        """
        return self._change(key, job_id, OrderRecord.unclaimed)

    def reopen(self, key: str, job_id: JobId) -> bool:
        """Separate a job from a request, because the job may belong to another order.

        Returns True if the job was the request's current job. The request is then pending again. It can later
        adopt the same job, or the user can assign the job to it with `claim`. Otherwise, returns False and
        changes nothing.
        """
        return self._change(key, job_id, OrderRecord.reopened)

    def _change(self, key: str, job_id: JobId | None, change: Callable[[OrderRecord], OrderRecord]) -> bool:
        """Replace the record of a request with the result of `change`, and return True.

        If `job_id` is given but is not the request's job, return False and change nothing.
        """
        with self.lock():
            entry = self._entry(key)
            if job_id is not None and not entry.is_job(job_id):
                return False
            self.save(change(entry))
            return True

    def verify(self, handle: ExportHandle, file: ExportFile, zone: dt.tzinfo) -> bool:
        """Check that the file of an adopted job belongs to the job's request; see `check_request`.

        `Export.download` does this before the file gets its final name. Use this method for files that were
        downloaded by other means.

        Days begin at midnight in the time zone `zone`.

        - Returns True if the file shows that it belongs to the request.
        - Returns False if the job was not adopted. Also returns False if the user assigned the job by `claim`
          and it is unclear to which order the file belongs.
        - Raises NotThisExport if the file belongs to another order. The job is removed from the request. To
          get the right job, order the same request again.
        - Raises UnverifiedExport if it is unclear to which order the file belongs. The order becomes pending.
          To decide, pass the job to `claim`, or order the same request again.
        """
        key = self.key(handle.request)
        entry = self._with_job(self._entry(key))
        if not entry.adopted:
            return False
        try:
            return check_request(file, handle.request, zone, vouched=entry.vouched)
        except UnverifiedExport:
            self.reopen(key, handle.job_id)
            raise
        except NotThisExport as error:
            self.disown(key, handle.job_id)
            error.add_note(
                f"Job {handle.job_id} is no longer assigned to {key}. Order the request again to get its "
                "own job."
            )
            raise

    def within(self, until: Deadline, least: float = 0.0) -> Ledger:
        """Return a copy that waits for its lock only until the deadline `until`.

        The copy may wait `least` seconds even if less time is left. It never waits longer than the `patience`
        of this ledger.
        """
        hasty = copy.copy(self)
        hasty._patience = min(self._patience, max(until.remaining(), least))
        return hasty

    def save(self, entry: OrderRecord) -> None:
        """Write a request's record to its file, durably. The caller must hold the lock."""
        name = entry.name
        path = self.folder / name
        unchanged = self._listing is not None and self._listing[0] == _version(self.folder)
        durable.write_text(path, record_json(entry))
        if unchanged and self._listing is not None:  # other processes change the folder only under the lock
            names = self._listing[1].setdefault(entry.key, [])
            if name not in names:
                names.append(name)
            self._listing = _version(self.folder), self._listing[1]
        with contextlib.suppress(FileNotFoundError):  # no need to read it again
            self._cache[name] = (_version(path), entry)

    def sync(self) -> None:
        """Flush the ledger's folder to disk, including changes that other processes made."""
        durable.sync_folder(self.folder)

    def drop(self, entry: OrderRecord) -> None:
        """Remove the file with a request's record, durably. The caller must hold the lock."""
        durable.remove(self.folder / entry.name)

    def _found(self, key: str, names: list[str]) -> OrderRecord | None:
        for mark in dict.fromkeys((mark_of(self.address), "")):
            for name in names:
                if name.endswith(f"{key}{mark}.json"):
                    with contextlib.suppress(
                        FileNotFoundError
                    ):  # removed after listing, because the order was refused
                        return self._read(name)
        return None

    def _check_owner(self) -> None:
        """Check that no other user can change the ledger's folder or the folder that contains it.

        Logs a warning, or raises OSError in the cases that `durable.check_owner` defines.
        """
        for folder in (self.folder.parent, self.folder):
            durable.check_owner(folder)

    def _names(self) -> list[str]:
        """Return the names of the ledger's files, except files of orders that were sent to other addresses.

        Raises OSError if listing fails.
        """
        own = self._listed()
        self._cache = {name: cached for name in own if (cached := self._cache.get(name)) is not None}
        return own

    def _listed_before(self, key: str) -> list[str]:
        """Return the names that `_listed` returns. Lists the folder only if it has changed.

        A file that appeared within the resolution of the folder's time (some milliseconds) may be missing.
        """
        own_mark = mark_of(self.address)
        try:
            version = _version(self.folder)
        except FileNotFoundError:  # nothing was ordered yet
            return []
        if self._listing is None or self._listing[0] != version:
            by_key: dict[str, list[str]] = {}
            for name in self._listed():
                by_key.setdefault(name.removesuffix(".json").removesuffix(own_mark)[-_KEY_SIZE:], []).append(
                    name
                )
            self._listing = version, by_key
        return self._listing[1].get(key, [])

    def _listed(self, key: str = "") -> list[str]:
        """Return the sorted names of the ledger's files that contain `key`.

        Files of orders that were sent to other addresses are left out. Raises OSError if listing fails.
        """
        self._check_owner()
        try:
            with os.scandir(self.folder) as files:
                names = [file.name for file in files]
        except FileNotFoundError:  # nothing was ordered yet
            return []
        names = sorted(name for name in names if name.endswith(".json") and key in name)
        if self.address is None:
            return names
        own_mark = mark_of(self.address)
        return [name for name in names if _mark_in(name) in (None, own_mark)]

    def _read(self, name: str) -> OrderRecord:
        # Read only new versions: a change always replaces the file.
        path = self.folder / name
        version = _version(path)
        cached = self._cache.get(name)
        if cached is None or cached[0] != version:
            cached = (version, read_record(path, account=self.account, service=self.service))
            self._cache[name] = cached
        return cached[1]

    def _entry(self, key: str) -> OrderRecord:
        entry = self._found(key, self._listed(key))
        if entry is not None:
            return entry
        raise ConfigError(
            "ledger",
            f"{self.folder} does not have the request {key}",
            "List the requests with Ledger.entries()",
        )

    def _with_job(self, entry: OrderRecord) -> OrderRecord:
        if entry.handle is None:
            raise ConfigError("ledger", f"the request {entry.key} does not have a job", "Order it first")
        return entry


def _version(path: Path) -> _Version:
    """Return inode, mtime and size of a file or folder.

    At least one of them changes if the file is replaced, or if a file in the folder is created or renamed.
    """
    stat = os.lstat(path)
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def _mark_in(name: str) -> str | None:
    """Return the hash of the service's address in a record's file name.

    Returns None if `name` has no hash, as in older versions, or is not the name of a record's file.
    """
    parts = _NAME.fullmatch(name)
    return None if parts is None else parts["mark"]


def claimed(entries: tuple[OrderRecord, ...]) -> set[str]:
    """Return the ids of all jobs that `entries` record: the current and the former jobs of each request."""
    ids = {str(entry.handle.job_id) for entry in entries if entry.handle is not None}
    return ids | {str(job_id) for entry in entries for job_id in entry.former}
