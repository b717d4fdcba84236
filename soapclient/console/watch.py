"""The log and the switches of a sandbox, over HTTP, as it offers them to everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, TypeVar

import msgspec
import requests

_TIMEOUT: Final = 10.0
_BARS: Final = 60
_SECONDS: Final = 3.0  # of what is slow, or hangs
_T = TypeVar("_T")


class Call(msgspec.Struct, frozen=True):
    """A request that reached the sandbox, as its log has it."""

    number: int
    moment: datetime
    method: str
    path: str
    protocol: str = ""
    service: str = ""
    operation: str = ""
    connect_id: str = ""
    request: str = ""
    status: int | None = None
    code: int | None = None
    rule: int | None = None
    reason: str = ""
    signed: tuple[str, ...] = ()
    response: str = ""
    milliseconds: float | None = None


class Rule(msgspec.Struct, frozen=True):
    """What is done instead of answering, as the sandbox has it."""

    number: int
    operation: str | None
    kind: str
    times: int | None = None
    used: int = 0


class Bar(msgspec.Struct, frozen=True):
    """A request in the chart: where it stands, how high, and what it was."""

    x: int
    height: float
    failed: bool
    title: str


class SwitchRefused(Exception):
    """The sandbox takes no such rule, and the message is its own; or it cannot be asked."""


class Watch:
    """A sandbox at an address. `token`: of its server, if it has one."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = f"{url}/-/"
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def calls(self) -> list[Call]:
        """What came so far, the newest first. Raises SwitchRefused."""
        return list(reversed(self._get("calls", list[Call])))

    def rules(self) -> list[Rule]:
        """The rules, in the order they came. Raises SwitchRefused."""
        return self._get("rules", list[Rule])

    def add(self, operation: str, kind: str, drift: str = "", *, times: int | None) -> None:
        """Add a rule; `operation` "" is any, `drift` what drifts. Raises SwitchRefused."""
        more: Mapping[str, object] = {"seconds": _SECONDS} if kind in ("hang", "slow") else {}
        more = {"drift": drift} if drift else more
        rule = {"operation": operation or None, "kind": kind, "times": times, **more}
        self._post("rules", rule)

    def reset(self) -> None:
        """Begin anew: data, jobs, clock, rules, log."""
        self._post("reset", {})

    def _get(self, what: Literal["calls", "rules"], kind: type[list[_T]]) -> list[_T]:
        try:
            response = requests.get(self._url + what, headers=self._headers, timeout=_TIMEOUT)
            response.raise_for_status()
            return msgspec.json.decode(response.content, type=kind)
        except (requests.RequestException, msgspec.MsgspecError) as error:
            raise SwitchRefused(f"the {what} cannot be read: {type(error).__name__}") from error

    def _post(self, what: str, content: object) -> None:
        try:
            response = requests.post(self._url + what, json=content, headers=self._headers, timeout=_TIMEOUT)
            if response.status_code >= 400:
                raise SwitchRefused(str(response.json().get("error", response.status_code)))
        except requests.RequestException as error:  # of which what is no JSON is one
            raise SwitchRefused(f"the {what} cannot be changed: {type(error).__name__}") from error


def bars(calls: Sequence[Call], height: int) -> list[Bar]:
    """The last requests as bars, the newest last; the longest is as high as there is room."""
    shown = [call for call in calls[:_BARS] if call.milliseconds is not None][::-1]
    most = slowest(calls) or 1
    found = []
    for at, call in enumerate(shown):
        taken = call.milliseconds or 0
        failed = call.status is None or call.status >= 400
        title = f"{call.operation or call.path}: {taken:.1f} ms"
        found.append(Bar(at * 10, max(1.0, taken / most * height), failed, title))
    return found


def slowest(calls: Sequence[Call]) -> float:
    """The milliseconds of the longest of the requests that are bars."""
    return max((call.milliseconds or 0 for call in calls[:_BARS]), default=0)
