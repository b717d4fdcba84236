"""The orders of one account in a state directory, so that no request is ordered twice by accident."""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import hashlib
import json
import logging
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from soapclient._support import durable
from soapclient._support.durable import OrdererLock
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
"""The folder, within that of a ledger, which names the folders of its neighbours."""

log = logging.getLogger(__name__)


def register(folder: Path, neighbour: Path) -> None:
    """Record in a state directory, durably and once, that another one shares its account.

    A failure to write is logged: the first then does not know which jobs the other uses. Raises LedgerBusy.
    """
    path = str(neighbour.absolute())
    name = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    note = folder / REGISTER / f"{name}.json"
    try:
        if note.exists():
            return
        durable.make_folder(note.parent, private=True)
        with OrdererLock(note.parent / "lock", patience=_NOTED, clock=SystemClock()):
            durable.write_text(note, json.dumps({"folder": path}) + "\n")
    except OSError as error:
        log.warning("%s: orders here will not know which jobs %s uses: %s", folder, neighbour, error)


def registered_ledgers(folder: Path, neighbours: Iterable[Path]) -> tuple[Path, ...]:
    """Return the folders of the other ledgers: those `neighbours` this one, and those registered with them.

    Raises LedgerError for a note that cannot be read, OSError for a folder that cannot be listed.
    """
    own = folder.absolute()
    known = [own, *(each.absolute() for each in neighbours)]
    found = dict.fromkeys(path for each in known for path in (each, *_registered(each)))
    return tuple(path for path in found if path != own)


def _registered(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder / REGISTER) as notes:
            names = sorted(each.name for each in notes if each.name.endswith(".json"))
    except FileNotFoundError:
        return []
    return [_read(folder / REGISTER / name) for name in names]


def _read(note: Path) -> Path:
    problem, advice = "it does not name a state directory", "Remove it; it is written again when it is needed"
    try:
        named = msgspec.convert(json.loads(durable.read_regular(note)), dict[str, str])
        return durable.nameable(Path(named["folder"] or "\0"))
    except (ValueError, KeyError, RecursionError):  # msgspec's errors are ValueErrors, too
        raise LedgerError(str(note), problem, advice) from None
    except OSError as error:
        if error.errno not in durable.NOT_REGULAR:
            raise
        raise LedgerError(str(note), problem, advice) from None


_NOTED: Final = 30.0  # seconds that a note of another's may take
_HASHED: Final = "id-"
_NAME: Final = re.compile(r"(?:.*_)?(?P<key>[0-9a-f]{16})(?P<mark>-[0-9a-f]{8})?\.json")
_LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def account_of(connect_id: str) -> str:
    """Return what an account is called in a ledger unless it has a label: a short hash of its connect ID."""
    return _HASHED + hashlib.sha256(f"ledger/{connect_id}".encode()).hexdigest()[:12]


class Ledger:
    """The requests of one account at one service, a small JSON file each, in a folder of their own.

    `account` is a label of yours for the account (letters, digits, `.`, `_`, `-`) or `account_of` its connect
    ID; the same account needs the same one each time. Changes are made under a lock, which is waited for
    `patience`, seconds or a timedelta; reading needs none, so that other processes may poll and download
    meanwhile. Every change is on the disk before a method returns. Nothing in the folder is secret.

    `address` is that of the service: what was ordered at another is not looked at. `neighbours` are the
    folders of other ledgers of the same account: jobs that these have, or might have, are not taken here,
    and this folder is noted in theirs, so that their orders heed it as well.

    Methods raise LedgerError for a file that cannot be used, LedgerBusy for a lock that is held too long,
    ConfigError for a key that is not there, and OSError where the file system refuses.
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
                    "Give another where the ledger is made",
                )
        self.account = account
        self.service = service
        self.address = address
        self.folder = Path(folder) / f"{service}_{account}"
        self._neighbours = tuple(Path(each) for each in neighbours)
        self._patience = in_seconds(patience)
        self._clock = SystemClock() if clock is None else clock
        # By file name: what tells one content from another, and what was read.
        self._known: dict[str, tuple[tuple[int, int, int], OrderRecord]] = {}

    def check(self, service: str, connect_id: str, address: str | None = None) -> None:
        """Raise ConfigError if this is surely another client's ledger, or shows the connect ID itself."""
        if self.service != service:
            problem, advice = f"is that of the service {self.service}", f"Make one for {service}"
        elif None not in (address, self.address) and self.address != address:
            problem, advice = f"is that of the service at {self.address}", f"Make one for {address}"
        elif self.account == connect_id:
            problem, advice = "is named by the connect ID itself", "Give a label, or account_of(connect_id)"
        elif self.account.startswith(_HASHED) and self.account != account_of(connect_id):
            problem, advice = "is not that of the client's account", "Give it to the client it was made for"
        else:
            return
        raise ConfigError("ledger", problem, advice)

    def lock(self) -> OrdererLock:
        """The lock of whoever orders, for a `with`. Raises LedgerBusy on entering, and where others take long
        to note that they are beside the same neighbour."""
        durable.make_folder(self.folder, private=True)
        self._check_owner()
        for each in self._neighbours:
            if each.absolute() != self.folder.parent.absolute():
                register(each, self.folder.parent)
        return OrdererLock(self.folder / "lock", patience=self._patience, clock=self._clock)

    def entries(self) -> tuple[OrderRecord, ...]:
        """All requests, by file name. One unusable file is an error: its job might be taken for another's."""
        found = []
        for name in self._names():
            with contextlib.suppress(FileNotFoundError):  # refused and dropped since it was listed
                found.append(self._read(name))
        return tuple(found)

    def elsewhere(self) -> tuple[OrderRecord, ...]:
        """The requests of the account that other ledgers keep. Raises what `entries` raises."""
        return tuple(
            entry
            for folder in registered_ledgers(self.folder.parent, self._neighbours)
            for entry in Ledger(
                folder, account=self.account, service=self.service, address=self.address
            ).entries()
        )

    def handles(self) -> tuple[ExportHandle, ...]:
        """The jobs that were ordered or adopted."""
        return tuple(entry.handle for entry in self.entries() if entry.handle is not None)

    def pending(self) -> tuple[OrderRecord, ...]:
        """The pending orders: sent perhaps, with no known job. Ordering the same again finds out."""
        return tuple(entry for entry in self.entries() if entry.pending)

    def key(self, request: Mapping[str, JobId]) -> str:
        """Return the key of a request, such as `ExportHandle.request`."""
        return key_of(self.account, self.service, request)

    def find(self, request: Mapping[str, JobId]) -> OrderRecord | None:
        """Return what is kept of a request."""
        key = self.key(request)
        for address in dict.fromkeys((self.address, None)):
            with contextlib.suppress(FileNotFoundError):
                return self._read(name_of(request, key, address))
        return self._found(key)  # under any other name it is refused, but not overlooked

    def claim(self, key: str, job_id: JobId) -> ExportHandle:
        """Set the job of a pending order, where several might be its own. Sends nothing.

        Its file is accepted if it does not show which order it belongs to, and refused if it shows another.
        """
        with self.lock():
            entry = self._entry(key)
            if not entry.pending or str(job_id) in claimed((*self.entries(), *self.elsewhere())):
                raise ConfigError(
                    "ledger",
                    f"{key} is not a pending order, or job {job_id} is another's",
                    "Look at entries()",
                )
            handle = ExportHandle(self.service, job_id, entry.report_type, entry.request, entry.intended_at)
            settled = entry.ordered(handle, adopted=True, vouched=True)
            self.save(settled)
            assert settled.handle is not None
            return settled.handle

    def abandon(self, key: str) -> None:
        """Forget a pending order, whether it was processed or not.

        It does not block others then, and ordering the same again is a new order. Raises ConfigError for a
        request that is not pending.
        """

        def change(entry: OrderRecord) -> OrderRecord:
            if entry.pending:
                return entry.forgotten()
            raise ConfigError("ledger", f"the request {key} is not a pending order", "Look at pending()")

        self._change(key, None, change)

    def done(self, key: str, file_sha256: str, job_id: JobId | None = None) -> None:
        """Record that the file of an order was downloaded and verified.

        With `job_id` only if that is still the request's job: another may have been ordered by now.
        """
        self._change(key, job_id, lambda entry: self._with_job(entry).downloaded(file_sha256))

    def forget(self, key: str, job_id: JobId | None = None) -> None:
        """Forget a request, so that it can be ordered anew: after a failed job, or when its data are stale.

        Its job is still known as taken, so that it is not adopted for another request. One that was only
        found may have been another's: the request is pending then, and its own job is looked for.
        With `job_id` only if that is still the request's job. Raises ConfigError for a pending order: it
        may have been processed, and would be ordered a second time.
        """

        def change(entry: OrderRecord) -> OrderRecord:
            if not entry.pending:
                return entry.failed()
            raise ConfigError(
                "ledger",
                f"the order of {key} may have been processed and must not be forgotten",
                "Order the same again, which looks for its job first; or call claim() with the job, "
                "or abandon()",
            )

        self._change(key, job_id, change)

    def disown(self, key: str, job_id: JobId) -> bool:
        """Remove a request's job, which belongs to another order; the order is pending again.

        Return whether the job was still the request's; otherwise nothing is changed.
        """
        return self._change(key, job_id, OrderRecord.unclaimed)

    def reopen(self, key: str, job_id: JobId) -> bool:
        """Remove a request's job, which may belong to another order; it may be found again, or claimed.

        Return whether the job was still the request's; otherwise nothing is changed.
        """
        return self._change(key, job_id, OrderRecord.reopened)

    def _change(self, key: str, job_id: JobId | None, change: Callable[[OrderRecord], OrderRecord]) -> bool:
        """Change an entry, if `job_id` is its job or None; return whether it was."""
        with self.lock():
            entry = self._entry(key)
            if job_id is not None and not entry.is_job(job_id):
                return False
            self.save(change(entry))
            return True

    def verify(self, handle: ExportHandle, file: ExportFile, zone: dt.tzinfo) -> bool:
        """Check the rows in the file of a job that was adopted; see `check_request`.

        `Export.download` does so before the file has its name: this is for files that came otherwise.
        Return whether the file was checked and shows its days; False for a job that was not adopted, and for
        one that was given to `claim`, whose file shows none. Raises NotThisExport for a file of another
        order; the job is then no longer claimed, and ordering the same again looks for another or orders.
        Raises UnverifiedExport for one that does not show which order it belongs to: the order is pending
        then, until the job is given to `claim` or it is ordered anew.
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
                f"job {handle.job_id} is no longer claimed by {key}: order the same request again for its own"
            )
            raise

    def within(self, until: Deadline, least: float = 0.0) -> Ledger:
        """The same ledger, whose lock is waited for no longer than to the deadline, or `least` seconds."""
        hasty = copy.copy(self)
        hasty._patience = min(self._patience, max(until.remaining(), least))
        return hasty

    def save(self, entry: OrderRecord) -> None:
        """Write an entry, durably. For whoever holds the lock."""
        durable.write_text(self.folder / entry.name, record_json(entry))

    def sync(self) -> None:
        """Bring to the disk what is to be read in the folder."""
        durable.sync_folder(self.folder)

    def drop(self, entry: OrderRecord) -> None:
        """Remove an entry, durably. For whoever holds the lock."""
        durable.remove(self.folder / entry.name)

    def _found(self, key: str) -> OrderRecord | None:
        names = self._names()
        for mark in dict.fromkeys((mark_of(self.address), "")):
            for name in names:
                if name.endswith(f"{key}{mark}.json"):
                    with contextlib.suppress(FileNotFoundError):  # refused and dropped since it was listed
                        return self._read(name)
        return None

    def _check_owner(self) -> None:
        """Check whose the folders are (`durable.check_owner`). Raises OSError."""
        for folder in (self.folder.parent, self.folder):
            durable.check_owner(folder)

    def _names(self) -> list[str]:
        """The names of all files but those of other addresses. Raises OSError where they cannot be listed."""
        self._check_owner()
        try:
            with os.scandir(self.folder) as found:
                names = sorted(each.name for each in found if each.name.endswith(".json"))
        except FileNotFoundError:  # nothing was ordered yet
            names = []
        own = [name for name in names if self._is_own(name)]
        self._known = {name: known for name in own if (known := self._known.get(name)) is not None}
        return own

    def _is_own(self, name: str) -> bool:
        parts = _NAME.fullmatch(name)
        mark = None if parts is None else parts["mark"]
        return mark is None or self.address is None or mark == mark_of(self.address)

    def _read(self, name: str) -> OrderRecord:
        # Only what has changed is read again: files are never changed, only replaced.
        path = self.folder / name
        stat = os.lstat(path)
        seen = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        known = self._known.get(name)
        if known is None or known[0] != seen:
            known = (seen, read_record(path, account=self.account, service=self.service))
            self._known[name] = known
        return known[1]

    def _entry(self, key: str) -> OrderRecord:
        entry = self._found(key)
        if entry is not None:
            return entry
        raise ConfigError("ledger", f"there is no request {key} in {self.folder}", "Look at entries()")

    def _with_job(self, entry: OrderRecord) -> OrderRecord:
        if entry.handle is None:
            raise ConfigError("ledger", f"the request {entry.key} has no job", "Order it first")
        return entry


def claimed(entries: tuple[OrderRecord, ...]) -> set[str]:
    """Return the ids of the jobs that belong, or belonged, to one of the requests."""
    ids = {str(entry.handle.job_id) for entry in entries if entry.handle is not None}
    return ids | {str(job_id) for entry in entries for job_id in entry.former}
