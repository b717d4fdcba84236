"""What can be asked of a sandbox and set in it while it runs: the log of requests, rules for what comes next.

All of it is made of plain data, so that what is done here from Python can be done over HTTP as well.
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
from soapclient.serving.drifts import Drift, drift

from . import codec
from .auth import Claim
from .berlin import in_berlin
from .contracts import AUTH_FIELDS, Contract
from .faults import Busy, InvalidValue
from .operations import Call, handler_of, implemented
from .operations.registry import Handler
from .payload import Payload, Value

Kind = Literal["response", "fault", "unavailable", "reset", "hang", "slow", "drift"]
MAX_LOGGED = 1000  # requests that are remembered
_SHORT = 20_000  # bytes of a response that are remembered
MAX_RULES = 10_000
_LONGEST = 86_400  # seconds
_INT = 2**31
_TEXT = 1 << 16  # characters of one request that are remembered
_KEY = "soapclient.sandbox.exchange"


@dataclass
class Exchange:
    """A request and what became of it. `service` and `operation` are empty where it did not come so far.

    `path` has no query, which can hold a signature. `request` is the XML of the request's element, without
    the fields that sign it. `code` is that of the fault, `reason` what it says, `rule` the rule that decided,
    None for none. `signed` are the texts that a signature of the request may sign. `status` is None as long
    as there is no response, and where the connection was closed without one; `response` is the text of one,
    as far as it is short, `milliseconds` what it took.
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
    """What is done with requests of an operation, or of any (`operation` None), in the sandbox's place.

    They have passed signature and schema by then. kind: a `response`; a `fault` with `code` and `reason`;
    `unavailable`, HTTP 503 with `retry_after` seconds in it, if given; `reset`, a connection that is closed
    without a response; `hang`, one that is silent for `seconds`, and then closed; `slow`, a response after as
    long; `drift`, over SOAP a response with an element, or a value of an enumeration, that the contract does
    not know, or without one that it requires, as `drift` says. `processed`: before `reset` and `hang` the
    operation is carried out. times: for so many requests, None for all from then on.
    """

    operation: str | None
    kind: Kind
    times: int | None = None
    code: int = 500
    reason: str = "scripted"
    retry_after: int | None = None
    seconds: float = 60.0
    processed: bool = False
    drift: Drift = "element"
    payload: Payload = field(default_factory=dict, repr=False)
    number: int = 0
    used: int = 0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind must be one of: {', '.join(get_args(Kind))} (got {self.kind!r})")
        if self.drift not in get_args(Drift):
            raise ValueError(f"drift must be one of: {', '.join(get_args(Drift))} (got {self.drift!r})")
        if self.times is not None and self.times < 1:
            raise ValueError(f"times must be 1 or more, got {self.times}")
        if not 0 <= self.seconds <= _LONGEST:
            raise ValueError(f"seconds must be from 0 to {_LONGEST}, got {self.seconds}")
        if self.retry_after is not None and not 0 <= self.retry_after <= _LONGEST:
            raise ValueError(f"retry_after must be from 0 to {_LONGEST} seconds, got {self.retry_after}")
        if abs(self.code) >= _INT:
            raise ValueError("code must be a number of 32 bits")
        self.reason.encode()  # what no document can hold is a ValueError, too

    def fits(self, operation: str) -> bool:
        """Whether it is for such a request, and not used up."""
        left = self.times is None or self.used < self.times
        return left and self.operation in (None, operation)


class Switches:
    """The log and the rules of one sandbox. Thread-safe."""

    def __init__(self, contracts: Mapping[str, Contract], clock: Callable[[], datetime]) -> None:
        self._contracts = contracts
        self._clock = clock
        self._lock = threading.Lock()
        self._numbers = count(1)
        self._log: deque[Exchange] = deque(maxlen=MAX_LOGGED)
        self._rules: list[Rule] = []
        self._over = threading.Event()

    # ---- what users do

    def calls(self, operation: str | None = None) -> list[Exchange]:
        """The requests so far, oldest first; of one operation, if it is named."""
        with self._lock:
            return [one for one in self._log if operation in (None, one.operation)]

    def rules(self) -> list[Rule]:
        """The rules in force and those used up, in the order in which they came."""
        with self._lock:
            return list(self._rules)

    def add(self, rule: Rule, *, xml: str | bytes = "", json_body: str = "") -> Rule:
        """Add a rule. The content of a `response` is the XML of its element, or JSON where REST alone has the
        operation.

        Of the rules for an operation those with `times` come first, in the order in which they were added,
        then the last one without. Raises ValueError for an operation that is not there, and for a response
        that breaks the contract.
        """
        if rule.operation is not None:
            self._check_name(rule.operation)
        if rule.kind == "response":
            rule.payload = self._payload(rule.operation, xml, json_body)
        with self._lock:
            if len(self._rules) >= MAX_RULES:
                raise ValueError(f"there are {MAX_RULES} rules, and no more can be added: reset first")
            rule.number = next(self._numbers)
            self._rules.append(rule)
        return rule

    def forget(self) -> None:
        """Forget rules and log, and let go of connections that hang."""
        with self._lock:
            self._log.clear()
            self._rules.clear()
            self._over.set()
            self._over = threading.Event()

    # ---- what protocols do

    def begin(self, request: Request) -> Exchange:
        """Note a request."""
        with self._lock:
            method, path = request.method[:_TEXT], request.path[:_TEXT]
            exchange = Exchange(next(self._numbers), self._clock(), method, path)
            self._log.append(exchange)
        request.environ[_KEY] = exchange
        return exchange

    def handler(
        self, request: Request, contract: Contract | None, service: str, operation: str, call: Call
    ) -> Handler | None:
        """Who has the response to a call: a rule, the sandbox itself, or nobody."""
        exchange = request.environ.get(_KEY)
        own = handler_of(service, operation)
        if not isinstance(exchange, Exchange):
            return own
        exchange.protocol = "soap" if request.path.startswith("/soap") else "rest"
        exchange.service, exchange.operation = service, operation
        exchange.connect_id = call.connect_id
        exchange.request = _request(contract, operation, call.fields.tree)[:_TEXT]
        with self._lock:
            fitting = [rule for rule in self._rules if rule.fits(operation)]
            bounded = [rule for rule in fitting if rule.times is not None]
            rule = bounded[0] if bounded else fitting[-1] if fitting else None
            if rule is None:
                return own
            rule.used += 1
            exchange.rule = rule.number
        return lambda call: _ruled(rule, own, call)

    def ends_in_silence(self, exchange: Exchange) -> bool:
        """Whether a request gets no response; waits as long as its rule says."""
        rule, over = self._rule_of(exchange), self._over
        if rule is None or rule.kind not in ("reset", "hang", "slow"):
            return False
        if rule.kind != "reset":
            over.wait(rule.seconds)
        return rule.kind != "slow"

    def drifted(self, request: Request, contract: Contract, element: etree._Element) -> etree._Element:
        """A response as its rule would have it, where that is one of drift."""
        exchange = request.environ.get(_KEY)
        rule = self._rule_of(exchange) if isinstance(exchange, Exchange) else None
        if rule is not None and rule.kind == "drift":
            drift(rule.drift, element, contract.errors)
        return element

    def _rule_of(self, exchange: Exchange) -> Rule | None:
        with self._lock:
            return next((rule for rule in self._rules if rule.number == exchange.rule), None)

    def end(self, exchange: Exchange, response: Response, milliseconds: float) -> None:
        """Note what came of a request."""
        exchange.status = response.status_code
        exchange.milliseconds = round(milliseconds, 2)
        if response.is_sequence and (response.mimetype or "").endswith(("xml", "json", "plain")):
            text = response.get_data()[:_SHORT]
            exchange.response = text.decode("utf-8", "replace")

    def _check_name(self, operation: str) -> None:
        known = sorted(
            {name for service in (*self._contracts, "advertiser") for name in implemented(service)}
        )
        if operation not in known:
            raise ValueError(f"there is no operation {operation!r}; there are {', '.join(known)}")

    def _payload(self, operation: str | None, xml: str | bytes, json_body: str) -> Payload:
        if operation is None:
            raise ValueError("a response is that of one operation: name it")
        contract = next((one for one in self._contracts.values() if operation in one.operations), None)
        if contract is None:
            given: object = json.loads(json_body, parse_float=Decimal)
            if not isinstance(given, dict):
                raise ValueError(f"{operation}: the response must be a JSON object")
            return given
        try:
            element = parse(xml if isinstance(xml, bytes) else xml.encode(), None)
            found, expected = etree.QName(element).text, contract.operations[operation].response
            if found != expected:
                raise ValueError(f"{operation}: the response is a {found}, it must be a {expected}")
            if errors := contract.errors(element):
                raise ValueError(f"{operation}: the response breaks the contract: {errors[0]}")
            return codec.decode(contract, element)
        except InvalidValue as refusal:
            raise ValueError(f"{operation}: {refusal.reason}") from None


def refused(request: Request, refusal: InvalidValue) -> None:
    """Note in the log why a request was refused."""
    exchange = request.environ.get(_KEY)
    if isinstance(exchange, Exchange):
        exchange.code = int(refusal.code)
        exchange.reason = refusal.reason


def claimed(request: Request, claims: Iterable[Claim]) -> None:
    """Note in the log what signatures of a request may sign."""
    exchange = request.environ.get(_KEY)
    if isinstance(exchange, Exchange):
        exchange.signed = tuple(
            text for claim in claims if claim.signature is not None for text in claim.texts
        )


def _ruled(rule: Rule, own: Handler | None, call: Call) -> Payload:
    """What a rule has for a call. Raises `InvalidValue`."""
    if rule.kind == "response":
        return rule.payload
    if rule.kind == "unavailable":
        raise Busy(rule.retry_after)
    if rule.kind == "fault":
        raise InvalidValue(rule.code, rule.reason)
    if own is not None and (rule.processed or rule.kind in ("slow", "drift")):
        return own(call)
    raise InvalidValue(500, "nobody hears this")


def _request(contract: Contract | None, operation: str, fields: Payload) -> str:
    # Days are midnights in Berlin, wherever the client that wrote them is.
    shown = {
        name: in_berlin(value) if isinstance(value, datetime) and value.tzinfo else value
        for name, value in fields.items()
        if name not in AUTH_FIELDS
    }
    if contract is None or operation not in contract.operations:  # no document declares it
        element = etree.Element(f"{operation}Request")
        _append(element, "", shown)
    else:
        tag = contract.operations[operation].request
        declared = {field.name for field in contract.types.of_element(tag).fields}
        element = codec.encode(contract, tag, {name: shown[name] for name in shown if name in declared})
        # What REST alone has stands behind the rest.
        more = {name: shown[name] for name in shown if name not in declared}
        _append(element, f"{{{contract.namespace}}}", more)
    return etree.tostring(element, encoding="unicode")


def _append(element: etree._Element, space: str, fields: Mapping[str, Value]) -> None:
    for name, value in fields.items():
        values: Iterable[Value] = value if isinstance(value, list | tuple) else (value,)
        for one in values:
            child = etree.SubElement(element, f"{space}{name}")
            if isinstance(one, Mapping):
                _append(child, space, one)
            elif one is not None:
                child.text = codec.lexical(one)
