"""What a state directory keeps of one order: the pending order, its job, and the JSON file of both."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from soapclient._support.durable import NOT_REGULAR, read_json, read_regular
from soapclient._support.redaction import clean, shown
from soapclient.errors import ConfigError, LedgerError
from soapclient.tracking.exports.handle import ExportHandle, JobId

State = Literal["intent", "ordered", "done", "forgotten"]

_NAMED: Final = ("report_type", "from_date", "to_date")
_WAITING: Final = re.compile(r"[0-9]+\.[0-9]{3} \S+")
_NO_NAME: Final = re.compile("[^A-Za-z0-9-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRecord:
    """One request of one account. Holds no secret.

    `request` has the arguments of the order as JSON values. `intended_at` and `tried_at` are by the
    service's clock: when the first and the latest order was about to be sent, give or take `clock_error`
    seconds. `handle` is there once it is ordered, `adopted` says that its job was found, not returned by
    the order. `not_ours` are jobs whose rows have shown that they are another's, `abandoned` those that might
    have been its own when it was ordered anew, `former` those that were until it was forgotten.
    `file_sha256` is that of the downloaded file, once there is one. `vouched` tells that somebody said whose
    the adopted job is, `address` at which service it was ordered; None in what older versions wrote.
    `waiting` is since when processes have waited for the job of a pending order: see `waiting_since`.
    """

    service: str
    account: str
    request: Mapping[str, JobId] = field(hash=False)
    state: State
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
            known = replace(self.handle, in_ledger=True, adopted=self.adopted, vouched=self.vouched)
            object.__setattr__(self, "handle", known)

    @property
    def key(self) -> str:
        """What names the request: 16 hex digits of the hash of account, service and request."""
        return key_of(self.account, self.service, self.request)

    @property
    def report_type(self) -> str:
        return str(self.request.get("report_type", ""))

    @property
    def name(self) -> str:
        """The file's name: see `name_of`."""
        return name_of(self.request, self.key, self.address)

    @property
    def title(self) -> str:
        """What people call the request: type and days."""
        parts = (clean(str(self.request.get(part, "?")), 40) for part in _NAMED)
        return "{} {} to {}".format(*parts)

    @property
    def pending(self) -> bool:
        """Whether an order may have been sent whose job is unknown."""
        return self.state == "intent"

    def ordered(self, handle: ExportHandle, *, adopted: bool = False, vouched: bool = False) -> OrderRecord:
        """The same with its job."""
        return replace(self, state="ordered", handle=handle, adopted=adopted, vouched=vouched)

    def downloaded(self, sha256: str) -> OrderRecord:
        """The same with its file."""
        return replace(self, state="done", file_sha256=sha256)

    def giving_up(self, job_ids: tuple[JobId, ...]) -> OrderRecord:
        """The same, to be ordered anew whatever these jobs are."""
        return replace(self, abandoned=tuple(dict.fromkeys((*self.abandoned, *job_ids))))

    def sent_again(self, moment: dt.datetime, clock_error: float) -> OrderRecord:
        """Return the pending order for another attempt, whose job has not been waited for."""
        error = max(self.clock_error, clock_error)
        again = replace(self, tried_at=moment, attempts=self.attempts + 1, clock_error=error)
        return replace(again, waiting=None)

    def waited_for(self, boot: str, monotonic: float) -> OrderRecord:
        """Return the pending order with the start of the wait for its job."""
        return replace(self, waiting=f"{math.floor(1000 * monotonic) / 1000:.3f} {boot}")

    def waiting_since(self, boot: str) -> float | None:
        """Return the monotonic time at which the wait for the job began.

        None if no process has waited, or none since the machine was started: monotonic times of another boot
        cannot be compared.
        """
        began, _, of_boot = (self.waiting or "").partition(" ")
        return float(began) if boot and of_boot == boot else None

    def unclaimed(self) -> OrderRecord:
        """The intent again, without the job, which turned out to be another's."""
        assert self.handle is not None
        return self.reopened().without((self.handle.job_id,))

    def reopened(self) -> OrderRecord:
        """The intent again, without the job, which may be its own or another's."""
        return replace(self, state="intent", handle=None, adopted=False, vouched=False, file_sha256=None)

    def failed(self) -> OrderRecord:
        """The same after its job has failed: an open intent again if the job was only found, else forgotten.

        A job that was found may be another's, and its own still turn up. Nobody is to adopt the failed one.
        """
        if self.handle is None or not self.adopted or self.vouched or self.state != "ordered":
            return self.forgotten()
        return self.unclaimed().formerly(self.handle.job_id)

    def without(self, job_ids: tuple[JobId, ...]) -> OrderRecord:
        """The same, which knows of these jobs that they are not its own."""
        return replace(self, not_ours=tuple(dict.fromkeys((*self.not_ours, *job_ids))))

    def excludes(self, job_id: JobId) -> bool:
        """Whether a job is not to be taken for this request's."""
        return str(job_id) in {str(each) for each in (*self.not_ours, *self.abandoned)}

    def within(self, other: OrderRecord) -> bool:
        """Whether the other request orders the same for these days and others."""
        (first, last), (start, end) = (
            (str(each.request.get("from_date")), str(each.request.get("to_date"))) for each in (self, other)
        )  # ISO 8601: sorted as dates
        alike = self.request == {**other.request, "from_date": first, "to_date": last}
        return alike and start <= first <= last <= end and (first, last) != (start, end)

    def is_job(self, job_id: JobId) -> bool:
        """Whether a job is the request's now."""
        return self.handle is not None and self.handle.job_id == job_id

    def was(self, job_id: JobId) -> bool:
        """Whether a job is the request's, or was until another was ordered."""
        return self.is_job(job_id) or job_id in self.former

    def formerly(self, job_id: JobId) -> OrderRecord:
        """The same with a job that was the request's before anything was written down here."""
        return replace(self, former=(*self.former, job_id))

    def forgotten(self) -> OrderRecord:
        """What stays of it: jobs that nobody is to adopt."""
        former = self.former if self.handle is None else (*self.former, self.handle.job_id)
        bare = replace(self, handle=None, adopted=False, vouched=False, file_sha256=None)
        return replace(bare, state="forgotten", former=former)


def key_of(account: str, service: str, request: Mapping[str, JobId]) -> str:
    """Return the key of a request; it does not depend on the order of its arguments."""
    canonical = json.dumps([account, service, dict(request)], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:16]


def name_of(request: Mapping[str, JobId], key: str, address: str | None = None) -> str:
    """Return the name of a request's file: type and days for people, key and address mark for the rest."""
    parts = (_NO_NAME.sub("-", str(request.get(part, "")))[:40] or "-" for part in _NAMED)
    return "_".join([*parts, key + mark_of(address)]) + ".json"


def mark_of(address: str | None) -> str:
    """Return what a file's name says of the address: its jobs are not those of the same ids elsewhere."""
    return "" if address is None else "-" + hashlib.sha256(address.encode()).hexdigest()[:8]


FORMAT: Final = 1
_OPTIONAL: Final = frozenset({"address", "vouched", "waiting"})  # written where they say something
_KEYS: Final = frozenset({"format", "key", *(each.name for each in fields(OrderRecord))}) - _OPTIONAL
_YEARS: Final = range(1990, 2201)  # the same as of dates in answers


def record_json(entry: OrderRecord) -> str:
    """Return an entry as JSON for people to read, too."""
    values: dict[str, object] = {each.name: getattr(entry, each.name) for each in fields(entry)}
    values |= {
        "request": dict(entry.request),
        "intended_at": entry.intended_at.isoformat(),
        "tried_at": entry.tried_at.isoformat(),
        "handle": None if entry.handle is None else json.loads(entry.handle.to_json()),
    }
    values = {name: value for name, value in values.items() if value or name not in _OPTIONAL}
    return json.dumps({"format": FORMAT, "key": entry.key, **values}, indent=1) + "\n"


def read_record(path: Path, *, account: str, service: str) -> OrderRecord:
    """Read the entry in a file. Raises LedgerError that says what is wrong with it, and OSError."""
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
            f"it has the format {shown(data['format'])}, this version reads {FORMAT}",
            "Use the version of soapclient that wrote it, or a newer one",
        )
    if data.keys() - _OPTIONAL != _KEYS:
        amiss = _KEYS ^ (data.keys() - _OPTIONAL)
        raise _bad(path, f"has missing or unknown keys: {', '.join(sorted(amiss))}")
    try:
        entry = _entry(data)
    except (ConfigError, ValueError) as error:
        raise _bad(path, f"is damaged ({error})") from None
    if (entry.account, entry.service) != (account, service):
        raise _bad(path, f"belongs to {shown(entry.account)} at {shown(entry.service)}")
    if data["key"] != entry.key or path.name != entry.name:
        raise _bad(path, "was changed or renamed: name, key and request do not match")
    return entry


def _entry(data: dict[str, object]) -> OrderRecord:
    handle = None if data["handle"] is None else ExportHandle.from_json(json.dumps(data["handle"]))
    entry = msgspec.convert(data | {"handle": None}, OrderRecord)
    if "" in (entry.service, entry.account, entry.file_sha256, entry.address):
        raise ValueError("an empty text")
    if entry.attempts < 1 or not 0 <= entry.clock_error < 1e9:
        raise ValueError("attempts or clock_error")
    if entry.waiting is not None and not _WAITING.fullmatch(entry.waiting):
        raise ValueError("waiting")
    if (handle is not None) != (entry.state in ("ordered", "done")):
        raise ValueError("a state that does not fit its handle")
    for key, moment in (("intended_at", entry.intended_at), ("tried_at", entry.tried_at)):
        if moment.utcoffset() is None:
            raise ValueError(f"{key} without a zone")
        if moment.year not in _YEARS:  # which cannot be calculated with near the ends of the calendar
            raise ValueError(f"{key} in the year {moment.year}")
    if handle is not None and (handle.service, handle.request) != (entry.service, entry.request):
        raise ValueError("a handle of another request")
    return replace(entry, handle=handle)


def _bad(path: Path, problem: str) -> LedgerError:
    return LedgerError(
        str(path),
        f"it {problem}",
        "Restore it from a copy; or move it away, once you know that nobody needs its job: its request would "
        "be ordered anew",
    )
