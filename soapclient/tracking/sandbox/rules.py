"""The request log and the scripted rules of a running sandbox.

The log and the rules are plain data, so that Python code and HTTP clients can use them in the same way.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import count
from typing import Literal, get_args

from lxml import etree
from werkzeug.wrappers import Request, Response

from soapclient.serving.bodies import parse
from soapclient.serving.drift import DriftKind, drift

from . import codec
from .auth import Claim
from .berlin import in_berlin
from .contracts import AUTH_FIELDS, Contract
from .faults import Busy, InvalidValue
from .operations import Call, handler_of, implemented
from .operations.registry import Handler
from .payload import Payload, Value

Kind = Literal["response", "fault", "unavailable", "reset", "hang", "slow", "drift"]
MAX_LOGGED = 1000  # maximum number of requests in the log
MAX_RULES = 10_000
_MAX_RESPONSE = 20_000  # maximum bytes of a response in the log
_MAX_SECONDS = 86_400
_INT = 2**31
_MAX_TEXT = 1 << 16  # maximum characters of a method, path or request in the log
_KEY = "soapclient.sandbox.exchange"


@dataclass
class Exchange:
    """A request and its outcome.

    `service` and `operation` are empty if the request was rejected before its operation was known. `path` has
    no query because a query can hold a signature. `request` is the XML of the request element without the
    authentication fields. `code` and `reason` are taken from the fault. `rule` is the number of the rule that
    was applied; None if no rule was applied. `signed` has the strings to sign that the sandbox accepts for
    the request's signatures. `status` is None until the response is complete, and stays None if the
    connection was closed without a response. `response` is the start of the response text. `milliseconds` is
    the duration.
    """

    number: int
    moment: datetime
    method: str
    path: str
    protocol: Literal["soap", "rest", ""] = ""
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


@dataclass
class Rule:
    """A scripted outcome for the requests of an operation, or of any operation if `operation` is None.

    Rules apply after the signature and the schema have been checked. `kind` is one of:

    - `response`: the given response.
    - `fault`: a fault with `code` and `reason`.
    - `unavailable`: HTTP 503, with `retry_after` seconds if set.
    - `reset`: the connection is closed without a response.
    - `hang`: the connection is silent for `seconds`, then closed.
    - `slow`: the normal response after `seconds`.
    - `drift`: a SOAP response that breaks the contract. The field `drift` says how: by an unknown element, an
      unknown enumeration value, or a missing required element.

    If `processed` is True, the operation is carried out before `reset` or `hang`. `times` is the number of
    requests to which the rule applies; None means all further requests.
    """

    operation: str | None
    kind: Kind
    times: int | None = None
    code: int = 500
    reason: str = "scripted"
    retry_after: int | None = None
    seconds: float = 60.0
    processed: bool = False
    drift: DriftKind = "element"
    payload: Payload = field(default_factory=dict, repr=False)
    number: int = 0
    used: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind must be one of: {', '.join(get_args(Kind))} (got {self.kind!r})")
        if self.drift not in get_args(DriftKind):
            raise ValueError(f"drift must be one of: {', '.join(get_args(DriftKind))} (got {self.drift!r})")
        if self.times is not None and self.times < 1:
            raise ValueError(f"times must be 1 or more, got {self.times}")
        if not 0 <= self.seconds <= _MAX_SECONDS:
            raise ValueError(f"seconds must be from 0 to {_MAX_SECONDS}, got {self.seconds}")
        if self.retry_after is not None and not 0 <= self.retry_after <= _MAX_SECONDS:
            raise ValueError(f"retry_after must be from 0 to {_MAX_SECONDS} seconds, got {self.retry_after}")
        if abs(self.code) >= _INT:
            raise ValueError("code must be a number that fits in 32 bits")
        self.reason.encode()  # raises UnicodeEncodeError, a ValueError, for lone surrogates

    def fits(self, operation: str) -> bool:
        """Return True if the rule applies to this operation and is not used up."""
        unused = self.times is None or self.used < self.times
        return unused and self.operation in (None, operation)


class LogAndRules:
    """The log of requests to one sandbox, and the rules that change its responses. Thread-safe."""

    def __init__(self, contracts: Mapping[str, Contract], clock: Callable[[], datetime]) -> None:
        self._contracts = contracts
        self._clock = clock
        self._lock = threading.Lock()
        self._numbers = count(1)
        self._log: deque[Exchange] = deque(maxlen=MAX_LOGGED)
        self._rules: list[Rule] = []
        self._reset_event = threading.Event()

    # ---- for users

    def calls(self, operation: str | None = None) -> list[Exchange]:
        """Return the logged requests, oldest first.

        If `operation` is given, only requests for this operation are returned.
        """
        with self._lock:
            return [exchange for exchange in self._log if operation in (None, exchange.operation)]

    def rules(self) -> list[Rule]:
        """Return all rules in the order in which they were added, including used-up ones."""
        with self._lock:
            return list(self._rules)

    def add(self, rule: Rule, *, xml: str | bytes = "", json_body: str = "") -> Rule:
        """Add a rule and return it.

        If `rule.kind` is `response`, the response is the element `xml`, or `json_body` for a REST-only
        operation. Raises ValueError for an unknown operation or a response that breaks the contract.

        If several rules match a request, the first rule with `times` that is not used up applies. If no such
        rule is left, the last rule without `times` applies.
        """
        if rule.operation is not None:
            self._check_name(rule.operation)
        if rule.kind == "response":
            rule.payload = self._payload(rule.operation, xml, json_body)
        with self._lock:
            if len(self._rules) >= MAX_RULES:
                raise ValueError(
                    f"the rule was not added: at most {MAX_RULES} rules are allowed. Reset the sandbox."
                )
            rule.number = next(self._numbers)
            self._rules.append(rule)
        return rule

    def forget(self) -> None:
        """Delete all rules and log entries, and close connections that a rule keeps open."""
        with self._lock:
            self._log.clear()
            self._rules.clear()
            self._reset_event.set()
            self._reset_event = threading.Event()

    # ---- for protocols

    def begin(self, request: Request) -> Exchange:
        """Add a request to the log, and return its entry."""
        with self._lock:
            method, path = request.method[:_MAX_TEXT], request.path[:_MAX_TEXT]
            exchange = Exchange(next(self._numbers), self._clock(), method, path)
            self._log.append(exchange)
        request.environ[_KEY] = exchange
        return exchange

    def handler(
        self, request: Request, contract: Contract | None, service: str, operation: str, call: Call
    ) -> Handler | None:
        """Log the operation that a request calls, and return the handler for the call.

        If a rule applies, the handler carries out the rule. If no rule applies, it is the sandbox's own
        handler, or None if the sandbox does not implement the operation.
        """
        exchange = request.environ.get(_KEY)
        own = handler_of(service, operation)
        if not isinstance(exchange, Exchange):
            return own
        exchange.protocol = "soap" if request.path.startswith("/soap") else "rest"
        exchange.service, exchange.operation = service, operation
        exchange.connect_id = call.connect_id
        exchange.request = _request(contract, operation, call.fields.tree)[:_MAX_TEXT]
        with self._lock:
            matching = [rule for rule in self._rules if rule.fits(operation)]
            limited = [rule for rule in matching if rule.times is not None]
            rule = limited[0] if limited else matching[-1] if matching else None
            if rule is None:
                return own
            rule.used += 1
            exchange.rule = rule.number
        return lambda call: _apply_rule(rule, own, call)

    def ends_in_silence(self, exchange: Exchange) -> bool:
        """Return True if the request's rule closes the connection without a response.

        If the rule has the kind `hang` or `slow`, waits for its `seconds` first.
        """
        rule, reset_event = self._rule_of(exchange), self._reset_event
        if rule is None or rule.kind not in ("reset", "hang", "slow"):
            return False
        if rule.kind != "reset":
            reset_event.wait(rule.seconds)
        return rule.kind != "slow"

    def apply_drift(self, request: Request, contract: Contract, element: etree._Element) -> etree._Element:
        """Return the response `element`. If the request's rule has the kind `drift`, change it first."""
        exchange = request.environ.get(_KEY)
        rule = self._rule_of(exchange) if isinstance(exchange, Exchange) else None
        if rule is not None and rule.kind == "drift":
            drift(rule.drift, element, contract.errors)
        return element

    def _rule_of(self, exchange: Exchange) -> Rule | None:
        with self._lock:
            return next((rule for rule in self._rules if rule.number == exchange.rule), None)

    def end(self, exchange: Exchange, response: Response, milliseconds: float) -> None:
        """Record the outcome of a request."""
        exchange.status = response.status_code
        exchange.milliseconds = round(milliseconds, 2)
        if response.is_sequence and (response.mimetype or "").endswith(("xml", "json", "plain")):
            text = response.get_data()[:_MAX_RESPONSE]
            exchange.response = text.decode("utf-8", "replace")

    def _check_name(self, operation: str) -> None:
        names = sorted(
            {name for service in (*self._contracts, "advertiser") for name in implemented(service)}
        )
        if operation not in names:
            raise ValueError(f"there is no operation {operation!r}; the operations are {', '.join(names)}")

    def _payload(self, operation: str | None, xml: str | bytes, json_body: str) -> Payload:
        if operation is None:
            raise ValueError("a rule for any operation cannot have a response. Name the operation.")
        contract = next((item for item in self._contracts.values() if operation in item.operations), None)
        if contract is None:
            content: object = json.loads(json_body, parse_float=Decimal)
            if not isinstance(content, dict):
                raise ValueError(f"{operation}: the response must be a JSON object")
            return content
        try:
            element = parse(xml if isinstance(xml, bytes) else xml.encode(), None)
            root, expected = etree.QName(element).text, contract.operations[operation].response
            if root != expected:
                raise ValueError(f"{operation}: the response must be {expected}, got {root}")
            if errors := contract.errors(element):
                raise ValueError(f"{operation}: the response breaks the contract: {errors[0]}")
            return codec.decode(contract, element)
        except InvalidValue as error:
            raise ValueError(f"{operation}: {error.reason}") from None


def log_refusal(request: Request, refusal: InvalidValue) -> None:
    """Record in the log why a request was refused."""
    exchange = request.environ.get(_KEY)
    if isinstance(exchange, Exchange):
        exchange.code = int(refusal.code)
        exchange.reason = refusal.reason


def log_claims(request: Request, claims: Iterable[Claim]) -> None:
    """Record in the log the strings to sign that are accepted for a request's signatures."""
    exchange = request.environ.get(_KEY)
    if isinstance(exchange, Exchange):
        exchange.signed = tuple(
            text for claim in claims if claim.signature is not None for text in claim.texts
        )


def _apply_rule(rule: Rule, own: Handler | None, call: Call) -> Payload:
    """Return the content of the response that a rule determines for a call.

    `own` is the sandbox's own handler. Raises `InvalidValue` if the outcome is an error, or if the connection
    is closed without a response.
    """
    if rule.kind == "response":
        return rule.payload
    if rule.kind == "unavailable":
        raise Busy(rule.retry_after)
    if rule.kind == "fault":
        raise InvalidValue(rule.code, rule.reason)
    if own is not None and (rule.processed or rule.kind in ("slow", "drift")):
        return own(call)
    raise InvalidValue(500, "a rule of the sandbox closes the connection without a response")


def _request(contract: Contract | None, operation: str, fields: Payload) -> str:
    """Return the XML of a request for the log, without authentication fields."""
    # Days in the contract are midnights in Berlin. The client may send them in any time zone.
    shown = {
        name: in_berlin(value) if isinstance(value, datetime) and value.tzinfo else value
        for name, value in fields.items()
        if name not in AUTH_FIELDS
    }
    if contract is None or operation not in contract.operations:  # this operation exists only over REST
        element = etree.Element(f"{operation}Request")
        _append(element, "", shown)
    else:
        tag = contract.operations[operation].request
        declared = {field.name for field in contract.types.of_element(tag).fields}
        element = codec.encode(contract, tag, {name: shown[name] for name in shown if name in declared})
        # Fields that exist only over REST are added at the end.
        others = {name: shown[name] for name in shown if name not in declared}
        _append(element, f"{{{contract.namespace}}}", others)
    return etree.tostring(element, encoding="unicode")


def _append(element: etree._Element, space: str, fields: Mapping[str, Value]) -> None:
    for name, value in fields.items():
        values: Iterable[Value] = value if isinstance(value, list | tuple) else (value,)
        for item in values:
            child = etree.SubElement(element, f"{space}{name}")
            if isinstance(item, Mapping):
                _append(child, space, item)
            elif item is not None:
                child.text = codec.lexical(item)
