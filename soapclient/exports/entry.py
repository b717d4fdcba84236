"""What a ledger keeps of one request: the intent to order it, and the job that came of it."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal

from soapclient.exports.handle import ExportHandle, JobId
from soapclient.redaction import clean

State = Literal["intent", "ordered", "done", "forgotten"]

_NAMED: Final = ("report_type", "from_date", "to_date")
_NO_NAME: Final = re.compile("[^A-Za-z0-9-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One request of one account. Holds no secret.

    `request` has the arguments of the order as JSON values. `intended_at` and `tried_at` are by the
    service's clock: when the first and the latest order was about to be sent, give or take `clock_error`
    seconds. `handle` is there once it is ordered, `adopted` tells that its job was found rather than
    answered. `not_ours` are jobs whose rows have shown that they are another's, `given_up` those that might
    have been its own when it was ordered anew, `former` those that were until it was forgotten.
    `file_sha256` is that of the downloaded file, once there is one. `vouched` tells that somebody said whose
    the adopted job is, `address` at which service it was ordered; None in what older versions wrote.
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
    given_up: tuple[JobId, ...] = ()
    former: tuple[JobId, ...] = ()
    file_sha256: str | None = None
    vouched: bool = False
    address: str | None = None

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
        told = (clean(str(self.request.get(part, "?")), 40) for part in _NAMED)
        return "{} {} to {}".format(*told)

    @property
    def open(self) -> bool:
        """Whether an order may have been sent whose job is not known."""
        return self.state == "intent"

    def tried_again(self, moment: dt.datetime, clock_error: float) -> Entry:
        """The same before another attempt; it counts from the first, whose job may still turn up."""
        return replace(
            self,
            tried_at=moment,
            attempts=self.attempts + 1,
            clock_error=max(self.clock_error, clock_error),
        )

    def ordered(self, handle: ExportHandle, *, adopted: bool = False, vouched: bool = False) -> Entry:
        """The same with its job."""
        return replace(self, state="ordered", handle=handle, adopted=adopted, vouched=vouched)

    def downloaded(self, sha256: str) -> Entry:
        """The same with its file."""
        return replace(self, state="done", file_sha256=sha256)

    def giving_up(self, job_ids: tuple[JobId, ...]) -> Entry:
        """The same, to be ordered anew whatever these jobs are."""
        return replace(self, given_up=tuple(dict.fromkeys((*self.given_up, *job_ids))))

    def unclaimed(self) -> Entry:
        """The intent again, without the job, which turned out to be another's."""
        assert self.handle is not None
        return self.reopened().without((self.handle.job_id,))

    def reopened(self) -> Entry:
        """The intent again, without the job, which may be its own or another's."""
        return replace(self, state="intent", handle=None, adopted=False, vouched=False, file_sha256=None)

    def failed(self) -> Entry:
        """The same after its job has failed: an open intent again if the job was only found, else forgotten.

        A job that was found may be another's, and its own still turn up. Nobody is to adopt the failed one.
        """
        if self.handle is None or not self.adopted or self.vouched or self.state != "ordered":
            return self.forgotten()
        return self.unclaimed().formerly(self.handle.job_id)

    def without(self, job_ids: tuple[JobId, ...]) -> Entry:
        """The same, which knows of these jobs that they are not its own."""
        return replace(self, not_ours=tuple(dict.fromkeys((*self.not_ours, *job_ids))))

    def excludes(self, job_id: JobId) -> bool:
        """Whether a job is not to be taken for this request's."""
        return str(job_id) in {str(each) for each in (*self.not_ours, *self.given_up)}

    def within(self, other: Entry) -> bool:
        """Whether the other request orders the same for these days and others."""
        days, others = self._days, other._days
        alike = self.request == {**other.request, "from_date": days[0], "to_date": days[1]}
        return alike and others[0] <= days[0] <= days[1] <= others[1] and days != others

    @property
    def _days(self) -> tuple[str, str]:
        return str(self.request.get("from_date")), str(
            self.request.get("to_date")
        )  # ISO 8601: sorted as dates

    def is_job(self, job_id: JobId) -> bool:
        """Whether a job is the request's now."""
        return self.handle is not None and self.handle.job_id == job_id

    def was(self, job_id: JobId) -> bool:
        """Whether a job is the request's, or was until another was ordered."""
        return self.is_job(job_id) or job_id in self.former

    def formerly(self, job_id: JobId) -> Entry:
        """The same with a job that was the request's before anything was written down here."""
        return replace(self, former=(*self.former, job_id))

    def forgotten(self) -> Entry:
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
    told = (_NO_NAME.sub("-", str(request.get(part, "")))[:40] or "-" for part in _NAMED)
    return "_".join([*told, key + mark_of(address)]) + ".json"


def mark_of(address: str | None) -> str:
    """Return what a file's name says of the address: its jobs are not those of the same ids elsewhere."""
    return "" if address is None else "-" + hashlib.sha256(address.encode()).hexdigest()[:8]
