"""The record of one order in a state directory: its request, state and job, and their JSON file."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from soapclient._support.durable import NOT_REGULAR, indented_json, read_json, read_regular
from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import clean, shown
from soapclient.errors import ConfigError, LedgerError
from soapclient.tracking.exports.handle import ExportHandle, JobId

OrderState = Literal["intent", "ordered", "done", "forgotten"]

_NAMED: Final = ("report_type", "from_date", "to_date")
_WAITING: Final = LazyPattern(r"[0-9]+\.[0-9]{3} \S+")
_NO_NAME: Final = LazyPattern("[^A-Za-z0-9-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRecord:
    """One request of one account. The record contains its orders and its job, and no secrets.

    - `request`: the arguments of the order as JSON values.
    - `state`: "intent" (an order is pending), "ordered" (the job is known), "done" (the file is downloaded)
      or "forgotten" (the request can be ordered again).
    - `attempts`: how often the latest order was sent: more than once if no job was found for it.
    - `intended_at`: the time just before the first order was sent, by the service's clock.
    - `tried_at`: the time just before the latest order was sent, by the service's clock.
    - `clock_error`: the uncertainty of these two times in seconds.
    - `handle`: the request's job; None if it is not known.
    - `adopted`: True if the job was found in the job list, because the order got no response.
    - `vouched`: True if the user assigned the adopted job by `claim`.
    - `not_ours`: jobs whose rows showed that they belong to other orders.
    - `abandoned`: jobs that an earlier order of this request may have created, which was unclear when the
      request was ordered again.
    - `former`: earlier jobs of the request, such as failed or expired jobs. No request gets them again.
    - `file_sha256`: SHA-256 of the downloaded file.
    - `address`: the service's address. None in records of older versions.
    - `waiting`: when the wait for the job of a pending order began: see `waiting_since`.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> day = dt.date(2026, 11, 2)
    >>> with Client() as client:
    ...     ledger = client.data.exports.ledger("ledger")
    ...     handle = client.data.exports.order_once(ledger, report_type="sale", from_date=day, to_date=day)
    >>> record = ledger.find(handle.request)
    >>> record.handle.job_id == handle.job_id
    True
    """

    service: str
    account: str
    request: Mapping[str, JobId] = field(hash=False)
    state: OrderState
    intended_at: dt.datetime
    tried_at: dt.datetime
    clock_error: float
    attempts: int = 1
    handle: ExportHandle | None = None
    adopted: bool = False
    not_ours: tuple[JobId, ...] = ()
    abandoned: tuple[JobId, ...] = ()
    former: tuple[JobId, ...] = ()
    file_sha256: str | None = None
    vouched: bool = False
    address: str | None = None
    waiting: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "request", MappingProxyType(dict(self.request)))
        if self.handle is not None:
            marked = replace(self.handle, in_ledger=True, adopted=self.adopted, vouched=self.vouched)
            object.__setattr__(self, "handle", marked)

    @property
    def key(self) -> str:
        """The key of the request: 16 hex digits of the hash of account, service and request."""
        return key_of(self.account, self.service, self.request)

    @property
    def report_type(self) -> str:
        """The report type of the request."""
        return str(self.request.get("report_type", ""))

    @property
    def name(self) -> str:
        """The name of the record's file; see `name_of`."""
        return name_of(self.request, self.key, self.address)

    @property
    def title(self) -> str:
        """A readable title of the request: type and days."""
        parts = (clean(str(self.request.get(part, "?")), 40) for part in _NAMED)
        return "{} {} to {}".format(*parts)

    @property
    def pending(self) -> bool:
        """True if an order may have been sent but its job is unknown."""
        return self.state == "intent"

    def ordered(self, handle: ExportHandle, *, adopted: bool = False, vouched: bool = False) -> OrderRecord:
        """Return a copy of the record in the state `ordered`, with the job of `handle`.

        `adopted` is True if the job was found in the service's list of jobs, `vouched` if the user said that
        the job belongs to the request.
        """
        return replace(self, state="ordered", handle=handle, adopted=adopted, vouched=vouched)

    def downloaded(self, sha256: str) -> OrderRecord:
        """Return a copy of the record in the state `done`, with the hash of the downloaded file."""
        return replace(self, state="done", file_sha256=sha256)

    def giving_up(self, job_ids: tuple[JobId, ...]) -> OrderRecord:
        """Return a copy of the record with these jobs added to `abandoned`.

        An earlier order of the request may have created these jobs. The caller then orders the request again.
        """
        return replace(self, abandoned=tuple(dict.fromkeys((*self.abandoned, *job_ids))))

    def sent_again(self, moment: dt.datetime, clock_error: float) -> OrderRecord:
        """Return a copy of the record for another attempt to order.

        `moment` is the time of this attempt, and `clock_error` the uncertainty of this time in seconds. The
        wait for the job starts again.
        """
        error = max(self.clock_error, clock_error)
        again = replace(self, tried_at=moment, attempts=self.attempts + 1, clock_error=error)
        return replace(again, waiting=None)

    def waited_for(self, boot: str, monotonic: float) -> OrderRecord:
        """Return a copy of the record that stores the time at which the wait for its job began.

        `monotonic` is this time, by the monotonic clock. This clock starts anew at each boot of the machine,
        so `boot` identifies the boot.
        """
        return replace(self, waiting=f"{math.floor(1000 * monotonic) / 1000:.3f} {boot}")

    def waiting_since(self, boot: str) -> float | None:
        """Return the monotonic time at which the wait for the job began.

        `boot` identifies the current boot of the machine. Returns None if no process has waited since this
        boot. Monotonic times of different boots cannot be compared.
        """
        began, _, of_boot = (self.waiting or "").partition(" ")
        return float(began) if boot and of_boot == boot else None

    def unclaimed(self) -> OrderRecord:
        """Return a copy of the record without its job, because the job belongs to another order.

        In the copy, the order is pending again, and the job is added to `not_ours`.
        """
        assert self.handle is not None
        return self.reopened().without((self.handle.job_id,))

    def reopened(self) -> OrderRecord:
        """Return a copy of the record without its job, because the job may belong to another order.

        In the copy, the order is pending again. In contrast to `unclaimed`, it can get the same job again.
        """
        return replace(self, state="intent", handle=None, adopted=False, vouched=False, file_sha256=None)

    def failed(self) -> OrderRecord:
        """Return a copy of the record without its job, because the job failed. The job is not used again.

        - If the job was found in the list of jobs, and the user did not confirm it (`Ledger.claim`), the job
          may belong to another order. The copy is pending, because the request's own job may still appear.
        - Otherwise, the copy has the state `forgotten`.
        """
        if self.handle is None or not self.adopted or self.vouched or self.state != "ordered":
            return self.forgotten()
        return self.unclaimed().formerly(self.handle.job_id)

    def without(self, job_ids: tuple[JobId, ...]) -> OrderRecord:
        """Return a copy of the record with these jobs added to `not_ours`: they belong to other orders."""
        return replace(self, not_ours=tuple(dict.fromkeys((*self.not_ours, *job_ids))))

    def excludes(self, job_id: JobId) -> bool:
        """Return True if a job must not be assigned to this request, although it may match the request."""
        return str(job_id) in {str(excluded) for excluded in (*self.not_ours, *self.abandoned)}

    def within(self, other: OrderRecord) -> bool:
        """Return True if `other` is the same order, but for more days, including all days of this record."""
        (first, last), (start, end) = (
            (str(record.request.get("from_date")), str(record.request.get("to_date")))
            for record in (self, other)
        )  # dates in ISO 8601, so that text order is date order
        alike = self.request == {**other.request, "from_date": first, "to_date": last}
        return alike and start <= first <= last <= end and (first, last) != (start, end)

    def is_job(self, job_id: JobId) -> bool:
        """Return True if `job_id` is the id of the request's current job."""
        return self.handle is not None and self.handle.job_id == job_id

    def was(self, job_id: JobId) -> bool:
        """Return True if `job_id` is the id of the request's current job or of a former one."""
        return self.is_job(job_id) or job_id in self.former

    def formerly(self, job_id: JobId) -> OrderRecord:
        """Return a copy of the record with this job added to `former`, the earlier jobs of the request."""
        return replace(self, former=(*self.former, job_id))

    def forgotten(self) -> OrderRecord:
        """Return a copy of the record in the state `forgotten`.

        The copy keeps the ids of the record's jobs, so that no other request takes over (adopts) these jobs.
        """
        former = self.former if self.handle is None else (*self.former, self.handle.job_id)
        bare = replace(self, handle=None, adopted=False, vouched=False, file_sha256=None)
        return replace(bare, state="forgotten", former=former)


_canonical: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def key_of(account: str, service: str, request: Mapping[str, JobId]) -> str:
    """Return the key of a request. It does not depend on the order of the arguments."""
    canonical = _canonical([account, service, dict(request)])
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:16]


def name_of(request: Mapping[str, JobId], key: str, address: str | None = None) -> str:
    """Return the name of the file that records a request.

    The report type and the days make the name readable. The key and a hash of the address make it unique.
    """
    parts = (_NO_NAME.sub("-", str(request.get(part, "")))[:40] or "-" for part in _NAMED)
    return "_".join([*parts, key + mark_of(address)]) + ".json"


def mark_of(address: str | None) -> str:
    """Return a short hash of the service's address for file names; "" if `address` is None.

    Job ids are unique only within one address.
    """
    return "" if address is None else "-" + hashlib.sha256(address.encode()).hexdigest()[:8]


FORMAT: Final = 1
_OPTIONAL: Final = frozenset({"address", "vouched", "waiting"})  # omitted if empty
_KEYS: Final = frozenset({"format", "key", *(item.name for item in fields(OrderRecord))}) - _OPTIONAL
_YEARS: Final = range(1990, 2201)  # the same range as for dates in responses


def record_json(entry: OrderRecord) -> str:
    """Return a record as indented JSON."""
    values: dict[str, object] = {item.name: getattr(entry, item.name) for item in fields(entry)}
    values |= {
        "request": dict(entry.request),
        "intended_at": entry.intended_at.isoformat(),
        "tried_at": entry.tried_at.isoformat(),
        "handle": None if entry.handle is None else json.loads(entry.handle.to_json()),
    }
    values = {name: value for name, value in values.items() if value or name not in _OPTIONAL}
    return indented_json({"format": FORMAT, "key": entry.key, **values})


def read_record(path: Path, *, account: str, service: str) -> OrderRecord:
    """Read the record in a file. Raises LedgerError if it is invalid, OSError if it cannot be read."""
    try:
        loaded = read_json(read_regular(path))
    except (ValueError, RecursionError):
        raise _bad(path, "is incomplete, or not JSON") from None
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno not in NOT_REGULAR:
            raise
        raise _bad(path, "is a symbolic link, or not a regular file") from None
    if not isinstance(loaded, dict) or "format" not in loaded:
        raise _bad(path, "is not a file of a state directory")
    data: dict[str, object] = loaded
    if data["format"] != FORMAT:
        raise LedgerError(
            str(path),
            f"it has the format {shown(data['format'])}, but this version reads format {FORMAT}",
            "Use the version of soapclient that wrote it, or a newer one",
        )
    if data.keys() - _OPTIONAL != _KEYS:
        wrong = _KEYS ^ (data.keys() - _OPTIONAL)
        raise _bad(path, f"has missing or unknown keys: {', '.join(sorted(wrong))}")
    try:
        entry = _entry(data)
    except (ConfigError, ValueError) as error:
        raise _bad(path, f"is damaged ({error})") from None
    if (entry.account, entry.service) != (account, service):
        raise _bad(
            path, f"belongs to the account {shown(entry.account)} of the service {shown(entry.service)}"
        )
    if data["key"] != entry.key or path.name != entry.name:
        raise _bad(path, "was changed or renamed: name, key and request do not match")
    return entry


def _entry(data: dict[str, object]) -> OrderRecord:
    handle = None if data["handle"] is None else ExportHandle.from_json(json.dumps(data["handle"]))
    entry = msgspec.convert(data | {"handle": None}, OrderRecord)
    if "" in (entry.service, entry.account, entry.file_sha256, entry.address):
        raise ValueError("service, account, file_sha256 or address is empty")
    if entry.attempts < 1 or not 0 <= entry.clock_error < 1e9:
        raise ValueError("attempts is less than 1, or clock_error is not between 0 and 1e9 seconds")
    if entry.waiting is not None and not _WAITING.fullmatch(entry.waiting):
        raise ValueError("the field waiting must be a time in seconds and a boot id, such as '12.345 abc'")
    if (handle is not None) != (entry.state in ("ordered", "done")):
        raise ValueError("handle must be set in the states ordered and done, and null in all other states")
    for key, moment in (("intended_at", entry.intended_at), ("tried_at", entry.tried_at)):
        if moment.utcoffset() is None:
            raise ValueError(f"{key} has no time zone")
        if moment.year not in _YEARS:  # calculations near the ends of the calendar overflow
            raise ValueError(
                f"{key} is in the year {moment.year}, not in {_YEARS.start} to {_YEARS.stop - 1}"
            )
    if handle is not None and (handle.service, handle.request) != (entry.service, entry.request):
        raise ValueError("the handle of the job belongs to another request")
    return replace(entry, handle=handle)


def _bad(path: Path, problem: str) -> LedgerError:
    return LedgerError(
        str(path),
        f"it {problem}",
        "Restore the file from a copy. Or, if the job it records is not needed, move the file away: the "
        "request is then ordered again",
    )
