"""HTTP client for the log and the rules of a sandbox or mock (local servers that imitate a service).

A rule changes how the server responds to requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, TypeVar

import msgspec
import requests

_TIMEOUT: Final = 10.0  # seconds
_MAX_BARS: Final = 60
_SECONDS: Final = 3.0  # duration of the rules `slow` and `hang`
_T = TypeVar("_T")


class Call(msgspec.Struct, frozen=True):
    """A request in the sandbox's log, with the response."""

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
    """A rule, which changes how the sandbox responds to an operation.

    `operation` is None for all operations. `times` is the number of requests to which the rule applies, None
    for no limit; `used` is the number of requests to which it was applied.
    """

    number: int
    operation: str | None
    kind: str
    times: int | None = None
    used: int = 0


class ChartBar(msgspec.Struct, frozen=True):
    """A bar of the chart, which shows the duration of a request: its position, height and tooltip."""

    x: int
    height: float
    failed: bool
    title: str


class ControlRefused(Exception):
    """Raised if the sandbox refuses a rule or cannot be reached.

    If the sandbox refused a rule, the message is the text of the sandbox's response.
    """


class ControlClient:
    """Client for the log and the rules of the sandbox or mock at `url`.

    `token` is sent with each request. It is None if the server does not require a token.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = f"{url}/-/"
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def calls(self) -> list[Call]:
        """Return the logged requests, newest first.

        Raises ControlRefused if the sandbox cannot be reached.
        """
        return list(reversed(self._get("calls", list[Call])))

    def rules(self) -> list[Rule]:
        """Return the rules in the order they were added.

        Raises ControlRefused if the sandbox cannot be reached.
        """
        return self._get("rules", list[Rule])

    def add(self, operation: str, kind: str, drift: str = "", *, times: int | None) -> None:
        """Add a rule for `operation`; "" means all operations.

        Raises ControlRefused if the sandbox refuses the rule or cannot be reached.

        - `kind`: what the rule does, such as `slow`.
        - `drift`: only for the kind `drift`: how responses differ from the contract, such as `element`.
        - `times`: the number of requests to which the rule applies, None for no limit.
        """
        details: Mapping[str, object] = {"seconds": _SECONDS} if kind in ("hang", "slow") else {}
        details = {"drift": drift} if drift else details
        rule = {"operation": operation or None, "kind": kind, "times": times, **details}
        self._post("rules", rule)

    def reset(self) -> None:
        """Reset the sandbox: its data, jobs, clock, rules and log.

        Raises ControlRefused if the sandbox cannot be reached.
        """
        self._post("reset", {})

    def _get(self, resource: Literal["calls", "rules"], kind: type[list[_T]]) -> list[_T]:
        try:
            response = requests.get(self._url + resource, headers=self._headers, timeout=_TIMEOUT)
            response.raise_for_status()
            return msgspec.json.decode(response.content, type=kind)
        except (requests.RequestException, msgspec.MsgspecError) as error:
            raise ControlRefused(
                f"the {resource} cannot be read ({type(error).__name__}). Is the sandbox running?"
            ) from error

    def _post(self, resource: str, content: object) -> None:
        try:
            response = requests.post(
                self._url + resource, json=content, headers=self._headers, timeout=_TIMEOUT
            )
            if response.status_code >= 400:
                raise ControlRefused(str(response.json().get("error", response.status_code)))
        except requests.RequestException as error:  # includes invalid JSON
            raise ControlRefused(
                f"the {resource} cannot be changed ({type(error).__name__}). Is the sandbox running?"
            ) from error


def bars(calls: Sequence[Call], height: int) -> list[ChartBar]:
    """Return the bars of the chart: one for each of the newest `_MAX_BARS` requests, newest last.

    `calls` are the logged requests, newest first. A request without a duration has no bar. The bar of the
    slowest request has the height `height`.
    """
    shown = [call for call in calls[:_MAX_BARS] if call.milliseconds is not None][::-1]
    longest = slowest(calls) or 1
    result = []
    for position, call in enumerate(shown):
        duration = call.milliseconds or 0
        failed = call.status is None or call.status >= 400
        title = f"{call.operation or call.path}: {duration:.1f} ms"
        result.append(ChartBar(position * 10, max(1.0, duration / longest * height), failed, title))
    return result


def slowest(calls: Sequence[Call]) -> float:
    """Return the duration of the slowest request in the chart, in milliseconds; 0 if the chart is empty.

    `calls` are the logged requests, newest first. The chart shows only the newest `_MAX_BARS` of them.
    """
    return max((call.milliseconds or 0 for call in calls[:_MAX_BARS]), default=0)
