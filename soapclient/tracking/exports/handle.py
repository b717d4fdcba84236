"""What is left of an order: a small value that any process can go on with."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import msgspec

from soapclient._support.durable import read_json
from soapclient._support.redaction import clean, shown
from soapclient.errors import ConfigError

FORMAT: Final = 1
_MARKS: Final = ("in_ledger", "adopted", "vouched")  # written where they are true
_KEYS: Final = frozenset(
    {"format", "service", "job_id", "report_type", "request", "request_sha256", "ordered_at"}
)

JobId = str | int
"""A job's identifier, as the contract types it."""


@dataclass(frozen=True, slots=True)
class ExportHandle:
    """An ordered export: which job, of which service, and what was ordered. Holds no secret.

    `request` has the arguments of the order as JSON values, days as `YYYY-MM-DD`; `ordered_at` is aware, in
    UTC. Of a job taken up by its id alone these are empty and None. `in_ledger` tells that a ledger keeps it,
    through which alone it is ordered again; `adopted` that the job was found rather than answered, so that a
    download looks whether its rows are what was ordered; `vouched` that somebody said whose it is, so that a
    file which tells nothing is taken. None of these plays a part in comparing. Can be pickled, compared, and
    written as JSON.
    """

    service: str
    job_id: JobId
    report_type: str
    request: Mapping[str, JobId] = field(hash=False)
    ordered_at: dt.datetime | None
    in_ledger: bool = field(default=False, compare=False)
    adopted: bool = field(default=False, compare=False)
    vouched: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if self.ordered_at is not None:
            if self.ordered_at.utcoffset() is None:
                raise _bad("needs a zone in ordered_at")
            try:
                moment = self.ordered_at.astimezone(dt.UTC)
            except OverflowError:  # the first or last hours that there are
                raise _bad("has an ordered_at out of range") from None
            object.__setattr__(self, "ordered_at", moment)
        object.__setattr__(self, "request", MappingProxyType(dict(self.request)))

    def __reduce__(self) -> tuple[object, ...]:
        return (ExportHandle.from_json, (self.to_json(),))  # a mapping proxy cannot be pickled

    @property
    def request_sha256(self) -> str:
        """The SHA-256 of the order, in hex: the same for the same order, whoever places it."""
        return sha256_of(self.request)

    def to_json(self) -> str:
        """Return the handle as one line of JSON."""
        values: dict[str, object] = {
            "format": FORMAT,
            "service": self.service,
            "job_id": self.job_id,
            "report_type": self.report_type,
            "request": dict(self.request),
            "request_sha256": self.request_sha256,
            "ordered_at": None if self.ordered_at is None else self.ordered_at.isoformat(),
        }
        return json.dumps(values | {mark: True for mark in _MARKS if getattr(self, mark)})

    @classmethod
    def from_json(cls, text: str | bytes) -> ExportHandle:
        """Read what `to_json` wrote. Raises ConfigError that says what is wrong with it."""
        try:
            loaded = read_json(text)
        except ValueError:  # of JSON, or of its characters
            raise _bad("is not JSON") from None  # whatever was named: it may be a file of secrets
        except RecursionError:
            raise _bad("is nested too deeply") from None
        if not isinstance(loaded, dict):
            raise _bad(f"is not a JSON object: {shown(loaded)}")
        data: dict[str, object] = loaded
        if data.get("format") != FORMAT:
            raise _bad(f"has the format {shown(data.get('format'))}, this version reads {FORMAT}")
        if data.keys() - {*_MARKS} != _KEYS:
            amiss = sorted(_KEYS ^ (data.keys() - {*_MARKS}))
            raise _bad(f"has missing or unknown keys: {', '.join(amiss)}")
        try:
            handle = msgspec.convert(data, cls)
        except msgspec.ValidationError as error:
            raise _bad(f"is damaged: {clean(str(error), 200)}") from None
        for key in ("service", "job_id", "report_type"):
            if data[key] == "":
                raise _bad(f"has no text as {key}: ''")
        if data["request_sha256"] != handle.request_sha256:
            raise _bad("has been changed: its request does not match its request_sha256")
        return handle


def sha256_of(request: Mapping[str, JobId]) -> str:
    """Return the SHA-256 of an order, in hex."""
    canonical = json.dumps(dict(request), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _bad(problem: str) -> ConfigError:
    return ConfigError("export handle", problem, "Give what ExportHandle.to_json() wrote, or the job's id")
