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

from soapclient.clock import Clock, Deadline, SystemClock
from soapclient.errors import ConfigError
from soapclient.exports import durable
from soapclient.exports.formats.export_file import ExportFile
from soapclient.exports.formats.request_match import NothingTold, NotThisExport, check_request
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.orders.lock import OrdererLock
from soapclient.exports.orders.record import (
    Entry,
    LedgerError,
    key_of,
    mark_of,
    name_of,
    read_record,
    record_json,
)

REGISTER: Final = "ledgers"
"""The folder, within that of a ledger, which names the folders of those that were made beside it."""

log = logging.getLogger(__name__)


def enrol(folder: Path, neighbour: Path) -> None:
    """Note in a ledger's folder, durably and once, that another was made beside it.

    Where that cannot be written, the log says so: the one then does not know what the other takes.
    """
    path = str(neighbour.absolute())
    name = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    note = folder / REGISTER / f"{name}.json"
    try:
        if note.exists():
            return
        durable.make_folder(note.parent)
        durable.write_text(note, json.dumps({"folder": path}) + "\n")
    except OSError as error:
        log.warning("%s: ledgers here will not know what %s takes: %s", folder, neighbour, error)


def neighbours(folder: Path, beside: Iterable[Path]) -> tuple[Path, ...]:
    """Return the folders of the other ledgers: those `beside` this one, and those enrolled with any of them.

    Raises LedgerError for a note that cannot be read, OSError for a folder that cannot be listed.
    """
    own = folder.absolute()
    told = [own, *(each.absolute() for each in beside)]
    found = dict.fromkeys(path for each in told for path in (each, *_enrolled(each)))
    return tuple(path for path in found if path != own)


def _enrolled(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder / REGISTER) as notes:
            names = sorted(each.name for each in notes if each.name.endswith(".json"))
    except FileNotFoundError:
        return []
    return [_read(folder / REGISTER / name) for name in names]


def _read(note: Path) -> Path:
    try:
        data: object = json.loads(durable.read_regular(note))
        path = data.get("folder") if isinstance(data, dict) else None
        named = isinstance(path, str) and bool(path) and b"\0" not in os.fsencode(path)
    except (ValueError, RecursionError):  # of JSON, or of a name that no file system has
        named = False
    except OSError as error:
        if error.errno not in durable.NOT_REGULAR:
            raise
        named = False
    if not named:
        advice = "Remove it; the ledger it named writes it again"
        raise LedgerError(str(note), "it does not name the folder of a ledger", advice)
    return Path(str(path))


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
    `patience` seconds; reading needs none, so that other processes may poll and download meanwhile. Every
    change is on the disk before a method returns. Nothing in the folder is secret.

    `address` is that of the service: what was ordered at another is not looked at. `beside` are the folders
    of other ledgers of the same account: jobs that these have, or might have, are not taken here, and this
    folder is noted in theirs, so that their orders heed it as well.

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
        address: str | None = None,
        beside: Iterable[str | os.PathLike[str]] = (),
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
        self.address = address
        self.folder = Path(folder) / f"{service}_{account}"
        self._beside = tuple(Path(each) for each in beside)
        self._patience = patience
        self._clock = SystemClock() if clock is None else clock

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
        """The lock of whoever orders, for a `with`. Raises LedgerBusy on entering."""
        durable.make_folder(self.folder)
        for each in self._beside:
            if each.absolute() != self.folder.parent.absolute():
                enrol(each, self.folder.parent)
        return OrdererLock(self.folder / "lock", patience=self._patience, clock=self._clock)

    def entries(self) -> tuple[Entry, ...]:
        """All requests, by file name. One unusable file is an error: its job might be taken for another's."""
        found = []
        for name in self._names():
            with contextlib.suppress(FileNotFoundError):  # refused and dropped since it was listed
                found.append(self._read(name))
        return tuple(found)

    def elsewhere(self) -> tuple[Entry, ...]:
        """The requests of the account that other ledgers keep: see `beside`. Raises what `entries` raises."""
        return tuple(
            entry
            for folder in neighbours(self.folder.parent, self._beside)
            for entry in Ledger(
                folder, account=self.account, service=self.service, address=self.address
            ).entries()
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
        key = self.key(request)
        for address in dict.fromkeys((self.address, None)):
            with contextlib.suppress(FileNotFoundError):
                return self._read(name_of(request, key, address))
        return self._found(key)  # under any other name it is refused, but not overlooked

    def claim(self, key: str, job_id: JobId) -> ExportHandle:
        """Say which job is that of an open intent, where several might be. Sends nothing.

        Its file is taken where it does not tell whose it is, and refused where it tells that it is another's.
        """
        with self.lock():
            entry = self._entry(key)
            if not entry.open or str(job_id) in claimed((*self.entries(), *self.elsewhere())):
                raise ConfigError(
                    "ledger", f"{key} is no open intent, or job {job_id} is another's", "Look at entries()"
                )
            handle = ExportHandle(
                self.service, job_id, entry.report_type, entry.request, entry.intended_at, in_ledger=True
            )
            self.save(entry.ordered(handle, adopted=True, vouched=True))
            return handle

    def abandon(self, key: str) -> None:
        """Give up an open intent: whether it was ordered is nobody's concern any more.

        It does not stand in the way of others then, and ordering the same again is a new order. Raises
        ConfigError for a request that is none.
        """
        with self.lock():
            entry = self._entry(key)
            if not entry.open:
                raise ConfigError("ledger", f"the request {key} is no open intent", "Look at open_intents()")
            self.save(entry.forgotten())

    def done(self, key: str, file_sha256: str, job_id: JobId | None = None) -> None:
        """Note that the file of an ordered request was downloaded, whole.

        With `job_id` only if that is still the request's job: another may have been ordered by now.
        """
        with self.lock():
            if job_id is None or self._entry(key).is_job(job_id):
                self.save(self._ordered(key).downloaded(file_sha256))

    def forget(self, key: str, job_id: JobId | None = None) -> None:
        """Forget a request, so that it can be ordered anew: after a failed job, or when its data are stale.

        Its job is still known as taken, so that it is not adopted for another request. One that was only
        found may have been another's: the request is an open intent then, and its own job is looked for.
        With `job_id` only if that is still the request's job. Raises ConfigError for an open intent: its
        order may have been carried out, and forgotten, it would be a second time.
        """
        with self.lock():
            entry = self._entry(key)
            if job_id is not None and not entry.is_job(job_id):
                return
            if entry.open:
                raise ConfigError(
                    "ledger",
                    f"the order of {key} may have been carried out, and is not to be forgotten",
                    "Order the same again, which looks for its job first, give the job to claim(), or the "
                    "intent up with abandon()",
                )
            self.save(entry.failed())

    def disown(self, key: str, job_id: JobId) -> bool:
        """Give up a request's job, which turned out to be another's; the request is an open intent again.

        Return whether the job was still the request's; otherwise nothing is changed.
        """
        return self._without_job(key, job_id, Entry.unclaimed)

    def reopen(self, key: str, job_id: JobId) -> bool:
        """Give up a request's job, of which nothing tells whose it is; it may be found again, or claimed.

        Return whether the job was still the request's; otherwise nothing is changed.
        """
        return self._without_job(key, job_id, Entry.reopened)

    def _without_job(self, key: str, job_id: JobId, change: Callable[[Entry], Entry]) -> bool:
        with self.lock():
            entry = self._entry(key)
            if not entry.is_job(job_id):
                return False
            self.save(change(entry))
            return True

    def verify(self, handle: ExportHandle, file: ExportFile, zone: dt.tzinfo) -> bool:
        """Check the rows in the file of a job that was adopted; see `check_request`.

        `Export.download` does so before the file has its name: this is for files that came otherwise.
        Return whether the file was looked at and told its days; False for a job that was not adopted, whose
        order was answered, and for one that was given to `claim`, whose file tells none. Raises NotThisExport
        for a file that is another order's; the job is then no longer claimed, and ordering the same again
        looks for another or orders. Raises NothingTold for one that does not tell whose it is: the order is
        an open intent then, until somebody gives the job to `claim` or orders anew.
        """
        key = self.key(handle.request)
        entry = self._ordered(key)
        if not entry.adopted:
            return False
        try:
            return check_request(file, handle.request, zone, vouched=entry.vouched)
        except NothingTold:
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

    def save(self, entry: Entry) -> None:
        """Write an entry, durably. For whoever holds the lock."""
        durable.write_text(self.folder / entry.name, record_json(entry))

    def sync(self) -> None:
        """Bring to the disk what is to be read in the folder."""
        durable.sync_folder(self.folder)

    def drop(self, entry: Entry) -> None:
        """Remove an entry, durably. For whoever holds the lock."""
        durable.remove(self.folder / entry.name)

    def _found(self, key: str) -> Entry | None:
        marks = dict.fromkeys((mark_of(self.address), ""))
        endings = [f"{key}{mark}.json" for mark in marks]
        names = self._names()
        found = (name for ending in endings for name in names if name.endswith(ending))
        name = next(found, None)
        return None if name is None else self._read(name)

    def _names(self) -> list[str]:
        """The names of all files but those of other addresses. Raises OSError where they cannot be listed."""
        try:
            with os.scandir(self.folder) as found:
                names = sorted(each.name for each in found if each.name.endswith(".json"))
        except FileNotFoundError:  # nothing was ordered yet
            return []
        return [name for name in names if self._is_own(name)]

    def _is_own(self, name: str) -> bool:
        told = _NAME.fullmatch(name)
        mark = None if told is None else told["mark"]
        return mark is None or self.address is None or mark == mark_of(self.address)

    def _read(self, name: str) -> Entry:
        return read_record(self.folder / name, account=self.account, service=self.service)

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
