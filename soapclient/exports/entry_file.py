"""An entry as JSON, and every reason not to believe a file that is found in its place."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import fields
from pathlib import Path
from typing import Final, get_args

from soapclient.errors import ConfigError, ExportError
from soapclient.exports.durable import NOT_REGULAR, read_json, read_regular
from soapclient.exports.entry import Entry, State
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.redaction import clean, shown

FORMAT: Final = 1
_OPTIONAL: Final = frozenset({"address", "vouched"})  # written where they say something
_KEYS: Final = frozenset({"format", "key", *(each.name for each in fields(Entry))}) - _OPTIONAL
_YEARS: Final = range(1990, 2201)  # the same as of dates in answers


class LedgerError(ExportError):
    """A file in a ledger cannot be used.

    As long as it is there, its request is not ordered, nor is one whose earlier order was not answered: the
    job that is looked for might be that of the file.
    """

    def __init__(self, path: str, problem: str, advice: str) -> None:
        self.path = path
        self.problem = clean(problem, 500)
        super().__init__(f"{path}: {self.problem}. {advice}.")


def to_json(entry: Entry) -> str:
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


def read(path: Path, *, account: str, service: str) -> Entry:
    """Read the entry in a file. Raises LedgerError that says what is wrong with it, and OSError."""
    try:
        loaded = read_json(read_regular(path))
    except (ValueError, RecursionError):
        raise _bad(path, "is torn, or no JSON") from None
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno not in NOT_REGULAR:
            raise
        raise _bad(path, "is a symbolic link, or no regular file") from None
    if not isinstance(loaded, dict) or "format" not in loaded:
        raise _bad(path, "is no ledger's file")
    data: dict[str, object] = loaded
    if data["format"] != FORMAT:
        raise LedgerError(
            str(path),
            f"it has the format {shown(data['format'])}, this version reads {FORMAT}",
            "Use the version of soapclient that wrote it, or a newer one",
        )
    if data.keys() - _OPTIONAL != _KEYS:
        amiss = _KEYS ^ (data.keys() - _OPTIONAL)
        raise _bad(path, f"lacks or has beyond its format: {', '.join(sorted(amiss))}")
    try:
        entry = _entry(data)
    except (ConfigError, ValueError) as error:
        raise _bad(path, f"is damaged ({error})") from None
    if (entry.account, entry.service) != (account, service):
        raise _bad(path, f"belongs to {shown(entry.account)} at {shown(entry.service)}")
    if data["key"] != entry.key or path.name != entry.name:
        raise _bad(path, "was changed or renamed: name, key and request do not fit each other")
    return entry


def _entry(data: dict[str, object]) -> Entry:
    handle = None if data["handle"] is None else ExportHandle.from_json(json.dumps(data["handle"]))
    attempts, error = data["attempts"], data["clock_error"]
    adopted, vouched = data["adopted"], data.get("vouched", False)
    if isinstance(attempts, bool) or not isinstance(attempts, int) or attempts < 1:
        raise ValueError("attempts")
    if isinstance(error, bool) or not isinstance(error, int | float) or not 0 <= error < 1e9:
        raise ValueError("clock_error")
    if not isinstance(adopted, bool) or not isinstance(vouched, bool):
        raise ValueError("adopted")  # noqa: TRY004 - like the others, told as a damaged file
    state = _state(_text(data, "state"))
    if (handle is not None) != (state in ("ordered", "done")):
        raise ValueError("a state that does not fit its handle")
    entry = Entry(
        service=_text(data, "service"),
        account=_text(data, "account"),
        request=_request(data["request"]),
        state=state,
        intended_at=_moment(data, "intended_at"),
        tried_at=_moment(data, "tried_at"),
        clock_error=float(error),
        attempts=attempts,
        handle=handle,
        adopted=adopted,
        not_ours=_ids(data, "not_ours"),
        given_up=_ids(data, "given_up"),
        former=_ids(data, "former"),
        file_sha256=None if data["file_sha256"] is None else _text(data, "file_sha256"),
        vouched=vouched,
        address=_text(data, "address") if "address" in data else None,
    )
    if handle is not None and (handle.service, handle.request) != (entry.service, entry.request):
        raise ValueError("a handle of another request")
    return entry


def _state(text: str) -> State:
    for state in get_args(State):
        if text == state:
            known: State = state
            return known
    raise ValueError(f"the state {shown(text)}")


def _request(value: object) -> dict[str, JobId]:
    if not isinstance(value, dict) or not all(_is_id(each) for each in value.values()):
        raise ValueError("request")
    return dict(value)


def _ids(data: dict[str, object], key: str) -> tuple[JobId, ...]:
    value = data[key]
    if not isinstance(value, list) or not all(_is_id(each) for each in value):
        raise ValueError(key)
    return tuple(value)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _text(data: dict[str, object], key: str) -> str:
    value = data[key]
    if not isinstance(value, str) or not value:
        raise ValueError(key)
    return value


def _moment(data: dict[str, object], key: str) -> dt.datetime:
    moment = dt.datetime.fromisoformat(_text(data, key))
    if moment.utcoffset() is None:
        raise ValueError(f"{key} without a zone")
    if moment.year not in _YEARS:  # which cannot be reckoned with near the ends of the calendar
        raise ValueError(f"{key} in the year {moment.year}")
    return moment


def _bad(path: Path, problem: str) -> LedgerError:
    return LedgerError(
        str(path),
        f"it {problem}",
        "Restore it from a copy; or move it away, once you know that nobody needs its job: its request would "
        "be ordered anew",
    )
