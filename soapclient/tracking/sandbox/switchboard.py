"""JSON over HTTP for the log, the rules and the clock, below `/-/`: for a console or tests in any language.

    GET  /-/calls             the request log; `?operation=NAME` for one operation
    GET  /-/rules             the rules
    POST /-/rules             add a rule: its fields, and for a response `xml` or `json`
    GET  /-/clock             the time
    POST /-/clock             move the clock: {"advance": seconds}
    POST /-/reset             reset to the initial state

Errors are {"error": …} with status 400, 404, 405 or 415.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from types import NoneType

from werkzeug.wrappers import Request, Response

from soapclient.serving.switchboard import PREFIX, Refused, body_of

from .rules import LogAndRules, Rule

_TYPES: Mapping[str, tuple[type, ...]] = {
    "operation": (str, NoneType),
    "kind": (str,),
    "times": (int, NoneType),
    "code": (int,),
    "reason": (str,),
    "retry_after": (int, NoneType),
    "seconds": (int, float),
    "processed": (bool,),
    "drift": (str,),
}
_JSON_TYPES: Mapping[type, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    NoneType: "null",
}


class Switchboard:
    """Responds to requests below `/-/`, which read and change the sandbox's log, rules and clock."""

    def __init__(
        self,
        switches: LogAndRules,
        now: Callable[[], datetime],
        advance: Callable[[float], None],
        reset: Callable[[], None],
    ) -> None:
        self._switches = switches
        self._now = now
        self._advance = advance
        self._reset = reset

    def respond(self, request: Request) -> Response:
        """Respond to a request. The response is always JSON."""
        try:
            status, result = self._dispatch(request)
        except Refused as refusal:
            status, result = refusal.status, {"error": str(refusal)}
        except RecursionError:
            status, result = 400, {"error": "the body is nested too deep"}
        except (TypeError, ValueError) as error:
            status, result = 400, {"error": str(error)}
        return Response(json.dumps(result, default=_shown), status, content_type="application/json")

    def _dispatch(self, request: Request) -> tuple[int, object]:
        match request.method, request.path.removeprefix(PREFIX):
            case "GET", "calls":
                return 200, [
                    asdict(exchange) for exchange in self._switches.calls(request.args.get("operation"))
                ]
            case "GET", "rules":
                return 200, [_plain(rule) for rule in self._switches.rules()]
            case "POST", "rules":
                return 201, self._add(body_of(request))
            case "GET", "clock":
                return 200, {"now": self._now()}
            case "POST", "clock":
                seconds = body_of(request).get("advance")
                if isinstance(seconds, bool) or not isinstance(seconds, int | float):
                    raise Refused(400, f"advance must be a number of seconds, got {seconds!r}")
                self._advance(seconds)
                return 200, {"now": self._now()}
            case "POST", "reset":
                body_of(request)
                self._reset()
                return 200, {"now": self._now()}
            case method, "calls" | "rules" | "clock" | "reset":
                raise Refused(405, f"{method} is not allowed for {request.path}")
        raise Refused(404, f"there is no {request.path}; the resources are calls, rules, clock and reset")

    def _add(self, body: Mapping[str, object]) -> object:
        content = dict(body)
        xml, json_body = content.pop("xml", ""), content.pop("json", None)
        if unknown := sorted(content.keys() - _TYPES.keys()):
            raise Refused(400, f"unknown rule fields: {', '.join(unknown)}; allowed: {', '.join(_TYPES)}")
        for name, value in content.items():
            if not isinstance(value, _TYPES[name]) or (isinstance(value, bool) and name != "processed"):
                expected = " or ".join(_JSON_TYPES[type_] for type_ in _TYPES[name])
                raise Refused(400, f"the rule field {name} must be {expected}, got {json.dumps(value)}")
        if missing := sorted({"operation", "kind"} - content.keys()):
            raise Refused(400, f"a rule needs {' and '.join(missing)}")
        make: Callable[..., Rule] = Rule
        rule = self._switches.add(make(**content), xml=str(xml), json_body=json.dumps(json_body))
        return _plain(rule)


def _plain(rule: Rule) -> dict[str, object]:
    return {name: value for name, value in asdict(rule).items() if name != "payload"}


def _shown(value: object) -> str:
    assert isinstance(value, datetime)
    return value.isoformat()
