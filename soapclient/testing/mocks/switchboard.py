"""The log and rules of a mock as JSON over HTTP, for the console. The sandbox has the same format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast, get_args

from werkzeug.wrappers import Request, Response

from soapclient._support.redaction import redact
from soapclient._support.secret_names import xml_without_secrets
from soapclient.serving.drift import DriftKind
from soapclient.serving.faults import printable
from soapclient.serving.switchboard import PREFIX, Refused, body_of

if TYPE_CHECKING:
    from soapclient.testing.mocks.service import MockCall, MockService

_MAX_SECONDS: Final = 600  # of a rule
_MAX_RULES: Final = 1000
_MAX_REASON: Final = 1000  # characters
_KINDS: Final = ("unavailable", "reset", "hang", "slow", "fault", "drift")


class Switchboard:
    """Responds to requests for the log and rules of a mock: `/-/calls`, `/-/rules` and `/-/reset`."""

    def __init__(self, service: MockService) -> None:
        self._service = service

    def respond(self, request: Request) -> Response:
        """Respond to a request. The response is always JSON."""
        try:
            status, result = self._dispatch(request)
        except Refused as refusal:
            status, result = refusal.status, {"error": str(refusal)}
        except RecursionError:
            status, result = 400, {"error": "the body is nested too deeply"}
        except (TypeError, ValueError) as error:
            status, result = 400, {"error": str(error)}
        return Response(json.dumps(result), status, content_type="application/json")

    def _dispatch(self, request: Request) -> tuple[int, object]:
        match request.method, request.path.removeprefix(PREFIX):
            case "GET", "calls":
                return 200, [_plain(call) for call in self._service.calls()]
            case "GET", "rules":
                return 200, [rule.as_data() for rule in self._service.rules()]
            case "POST", "rules":
                return 201, self._add(body_of(request))
            case "POST", "reset":
                body_of(request)
                self._service.reset()
                return 200, {}
            case method, "calls" | "rules" | "reset":
                raise Refused(405, f"{method} is not allowed for {request.path}")
        raise Refused(404, f"there is no {request.path}; the resources are calls, rules and reset")

    def _add(self, body: Mapping[str, object]) -> object:
        """Add the rule that the JSON body of a request describes, and return the rule as JSON data.

        Raises ValueError if the description is invalid, Refused if the mock has too many rules.
        """
        operation, kind, times = body.get("operation"), body.get("kind"), body.get("times")
        seconds, drift = body.get("seconds", 0), body.get("drift", "element")
        if (
            isinstance(seconds, bool)
            or not isinstance(seconds, int | float)
            or not 0 <= seconds <= _MAX_SECONDS
        ):
            raise ValueError(f"seconds must be a number from 0 to {_MAX_SECONDS}")
        if isinstance(times, bool) or not isinstance(times, int | None) or (times is not None and times < 1):
            raise ValueError("times must be a whole number of 1 or more, or null")
        if len(self._service.rules()) >= _MAX_RULES:
            raise Refused(
                409, f"the rule was not added: at most {_MAX_RULES} rules are allowed. Reset the mock."
            )
        if kind not in _KINDS or drift not in get_args(DriftKind):
            kinds, drifts = ", ".join(_KINDS), ", ".join(get_args(DriftKind))
            raise ValueError(
                f"kind or drift is invalid: kind must be one of: {kinds}; drift must be one of: {drifts}"
            )
        reason = printable(str(body.get("reason", "set in the console")))[:_MAX_REASON]
        rule = self._service.add(None if operation is None else self._service.operation(str(operation)), {})
        match kind:
            case "unavailable":
                rule.unavailable()
            case "reset":
                rule.resets()
            case "hang":
                rule.hangs(seconds)
            case "slow":
                rule.slow(seconds)
            case "fault":
                rule.fault(reason)
            case "drift":
                rule.drifts(cast("DriftKind", drift))
        if times is not None:
            rule.times(times)
        return rule.as_data()


def _shown(body: str) -> str:
    """Return a body for the log, without secrets.

    If a body is not XML, only its size is returned, because its secrets cannot be recognised.
    """
    start = body.lstrip("\ufeff \t\r\n")
    if start and not start.startswith("<"):
        return f"({len(body)} characters that are not XML)"
    return redact(xml_without_secrets(body))


def _plain(call: MockCall) -> dict[str, object]:
    return {
        "number": call.number,
        "moment": call.moment.isoformat(),
        "method": "POST",
        "path": call.path,
        "protocol": "soap",
        "operation": call.operation,
        "request": _shown(call.received),
        "status": call.status,
        "rule": call.rule,
        "reason": redact(call.reason),
        "response": _shown(call.sent),
        "milliseconds": call.milliseconds,
    }
