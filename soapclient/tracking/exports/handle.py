"""The handle of an ordered export: a small value with which any process can resume it."""

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
_MARKS: Final = ("in_ledger", "adopted", "vouched")  # written only if True
_KEYS: Final = frozenset(
    {"format", "service", "job_id", "report_type", "request", "request_sha256", "ordered_at"}
)

JobId = str | int
"""A job's identifier, as the contract types it."""


@dataclass(frozen=True, slots=True)
class ExportHandle:
    """An ordered export: its service, job and request. Contains no secrets.

    - `request`: the arguments of the order as JSON values, days as `YYYY-MM-DD`. Empty if only the job's id
      is known.
    - `ordered_at`: an aware date-time in UTC. None if only the job's id is known.
    - `in_ledger`: True if a ledger (see `Ledger`) records the order. Only this ledger can order the request
      again.
    - `adopted`: True if the job was found in the job list, not returned by the order. A download then checks
      that the rows belong to the request.
    - `vouched`: True if the user assigned the job to the request (see `Ledger.claim`). In this case, the
      job's file is accepted even if it is unclear if it belongs to the request.

    Can be pickled and written as JSON. Comparisons ignore `in_ledger`, `adopted` and `vouched`.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> day = dt.date(2026, 11, 1)
    >>> with Client() as client:
    ...     export = client.data.export(report_type="sale", from_date=day, to_date=day, reorder=True)
    ...     saved = export.handle.to_json()
    >>> from soapclient.tracking.exports import ExportHandle
    >>> with Client() as client:  # in another process
    ...     print(client.data.exports.resume(ExportHandle.from_json(saved)).status().phase)
    done
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
                raise _bad("must have an ordered_at with a zone")
            try:
                moment = self.ordered_at.astimezone(dt.UTC)
            except OverflowError:  # for times in the first or last hours that datetime supports
                raise _bad("has an ordered_at that is out of range") from None
            object.__setattr__(self, "ordered_at", moment)
        object.__setattr__(self, "request", MappingProxyType(dict(self.request)))

    def __reduce__(self) -> tuple[object, ...]:
        return (ExportHandle.from_json, (self.to_json(),))  # a mapping proxy cannot be pickled

    @property
    def request_sha256(self) -> str:
        """The SHA-256 of the request, in hex. Equal requests of different accounts have the same hash."""
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
        """Create a handle from the JSON of `to_json`.

        Raises ConfigError with the problem if it is invalid.
        """
        try:
            loaded = read_json(text)
        except ValueError:  # invalid JSON, or invalid characters
            raise _bad("is not JSON") from None  # do not show the text: it may contain secrets
        except RecursionError:
            raise _bad("is nested too deeply") from None
        if not isinstance(loaded, dict):
            raise _bad(f"must be a JSON object, got {shown(loaded)}")
        data: dict[str, object] = loaded
        if data.get("format") != FORMAT:
            raise _bad(f"has the format {shown(data.get('format'))}, but this version reads format {FORMAT}")
        if data.keys() - {*_MARKS} != _KEYS:
            wrong = sorted(_KEYS ^ (data.keys() - {*_MARKS}))
            raise _bad(f"has missing or unknown keys: {', '.join(wrong)}")
        try:
            handle = msgspec.convert(data, cls)
        except msgspec.ValidationError as error:
            raise _bad(f"is damaged: {clean(str(error), 200)}") from None
        for key in ("service", "job_id", "report_type"):
            if data[key] == "":
                raise _bad(f"has an empty {key}")
        if data["request_sha256"] != handle.request_sha256:
            raise _bad("has been changed: its request does not match its request_sha256")
        return handle


def sha256_of(request: Mapping[str, JobId]) -> str:
    """Return the SHA-256 of a request, in hex."""
    canonical = json.dumps(dict(request), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _bad(problem: str) -> ConfigError:
    return ConfigError(
        "export handle", problem, "Pass the result of ExportHandle.to_json(), or the id of the job"
    )
