"""Rules of a mock, from Python or from a file. A rule sets the response to certain requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, Self, TypeVar, cast, get_args

import msgspec
from lxml import etree

from soapclient._support import toml
from soapclient._support.suggestions import nearest
from soapclient.runtime import CountingReader
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import EncodeError
from soapclient.runtime.fields import Field
from soapclient.runtime.operations import AnyOperation, Part
from soapclient.serving.drift import DriftKind
from soapclient.testing import builders
from soapclient.testing.mocks.messages import copied

if TYPE_CHECKING:
    from soapclient.runtime.service import Attachment
    from soapclient.testing.mocks.service import MockService

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")
Kind = Literal["reply", "fault", "unavailable", "reset", "hang", "slow", "drift"]


class Rule(Generic[RequestT, ResponseT]):
    """A rule of a mock: determines the response (the outcome) to requests that meet its conditions.

    A call of `reply`, `fault`, `unavailable`, `resets`, `hangs`, `slow` or `drifts` sets the outcome; until
    then, the rule has no effect. `times` limits how many requests the rule is used for; after that, the rule
    no longer matches. If several rules match a request, the mock uses the first rule with a limit. If none of
    them has a limit, it uses the last rule.

    >>> from soapclient import connect
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with (
    ...     mock("weather") as server,
    ...     connect(WeatherService, address=server.address(), safe={"GetWeather"}) as service,
    ... ):
    ...     busy = server.on("GetWeather").unavailable(retry_after=0).times(1)
    ...     response = service.get_weather(city="Rome")  # retried
    ...     print(busy.used, [call.status for call in server.calls()])
    1 [503, 200]
    """

    def __init__(
        self, service: MockService, operation: AnyOperation | None, conditions: Mapping[str, object]
    ) -> None:
        """Create a rule without an outcome.

        `conditions` are the values that fields must have. `operation` is None for any operation. Raises
        TypeError for an unknown field, EncodeError for a text that is not a value of its field.
        """
        self.number = 0
        self._operation = operation
        self.kind: Kind | None = None
        self.retry_after: int | None = None
        self.seconds = 0.0
        self.drift: DriftKind = "element"
        self.used = 0
        self.reason = ""
        self.code = "Server"
        self.detail: etree._Element | None = None
        self.attachments: tuple[Attachment, ...] | None = None
        self._service = service
        self._wanted: Mapping[str, object] = {}
        if operation is not None:
            self._wanted = _parsed_fields(operation.codec, operation.row.request, conditions)
        self._response: etree._Element | None = None
        self._function: Callable[[Any], object] | None = None  # Any: the type of the request is not known
        self._limit: int | None = None

    # ---- for users

    def reply(
        self,
        response: ResponseT | Callable[[RequestT], ResponseT] | None = None,
        /,
        *,
        attachments: Sequence[Attachment] | None = None,
        **fields: object,
    ) -> Self:
        """Respond with `response`. It can also be a function that gets the request and returns the response.

        Without `response`, an example is sent, in which `fields` replace values (as in `builders.complete`).
        `attachments` are sent with the response; by default, these are examples of the attachments that the
        WSDL declares.

        Raises TypeError if `response` is not a response of the operation, EncodeError if it cannot be
        encoded, and ContractError if it breaks the contract. A function's result is checked only when a
        request arrives.
        """
        self._decide("reply")
        self.attachments = None if attachments is None else tuple(attachments)
        if callable(response) and not fields:
            self._function = response
            return self
        if response is None:
            value: object = builders.complete(self.operation.response_type, **fields)
        elif fields:
            raise TypeError("reply(…) got a response and fields. Pass either a response or its fields")
        else:
            value = response
        self._response = self._service.written(self.operation, value)
        return self

    def fault(self, reason: str, detail: object = None, /, *, code: str = "Server", **fields: object) -> Self:
        """Respond with a SOAP fault.

        `detail` is an instance of a declared fault's type, or the name of a declared fault. For a name, an
        example of the detail is sent, in which `fields` replace values. `code` is `Server`, `Client`, or a
        code that the service defines. Raises TypeError if the WSDL does not declare the detail.
        """
        self._decide("fault")
        self.reason, self.code = reason, code
        if isinstance(detail, str):
            part = self._fault_named(detail)
            kind: type[Any] = part.kind  # Any: the package's class for the fault
            detail = builders.complete(kind, **fields)
        elif fields:
            raise TypeError("fault(…) got fields without the name of a fault. Pass the name as detail")
        if detail is not None:
            match = next((part for part in self._faults() if type(detail) is part.kind), None)
            if match is None:
                raise TypeError(f"{self._declared()} (got {type(detail).__name__})")
            self.detail = etree.Element(match.tag)
            match.write(detail, self.detail, match.name)
        return self

    def unavailable(self, retry_after: int | None = None) -> Self:
        """Respond with HTTP 503. If `retry_after` is given, send it as the Retry-After header, in seconds."""
        self.retry_after = retry_after
        return self._decide("unavailable")

    def resets(self) -> Self:
        """Close the connection without a response."""
        return self._decide("reset")

    def hangs(self, seconds: float = 60.0) -> Self:
        """Send nothing for `seconds` of real time, then close the connection."""
        self.seconds = seconds
        return self._decide("hang")

    def slow(self, seconds: float) -> Self:
        """Respond with an example after `seconds` of real time."""
        self.seconds = seconds
        return self._decide("slow")

    def drifts(self, drift: Literal["element", "value", "missing"]) -> Self:
        """Respond with an example that breaks the contract.

        `drift` is `element` to add an unknown element, `value` to set an unknown enumeration value, or
        `missing` to remove a required element.
        """
        if drift not in get_args(DriftKind):
            raise ValueError(f"drift must be one of: {', '.join(get_args(DriftKind))} (got {drift!r})")
        self.drift = drift
        return self._decide("drift")

    def times(self, number: int) -> Self:
        """Limit the rule to the next `number` requests."""
        if number < 1:
            raise ValueError(f"times must be 1 or more, got {number}")
        self._limit = number
        return self

    # ---- methods that the service calls

    @property
    def operation(self) -> AnyOperation:
        """The operation to which the rule is limited. Raises TypeError if it applies to any operation."""
        if self._operation is None:
            raise TypeError(
                "a reply or a declared fault needs an operation. Pass the name of the operation to on(…)"
            )
        return self._operation

    def as_data(self) -> dict[str, object]:
        """Return the rule as JSON data, for the console."""
        name = None if self._operation is None else self._operation.name
        data = {"number": self.number, "operation": name, "kind": self.kind or "nothing"}
        return {**data, "times": self._limit, "used": self.used}

    @property
    def limited(self) -> bool:
        """True if `times` limits the rule."""
        return self._limit is not None

    def fits(self, operation: AnyOperation, request: object) -> bool:
        """Return True if the rule has an outcome, matches a request and has not reached its limit."""
        if self.kind is None or self._operation not in (None, operation):
            return False
        if self._limit is not None and self.used >= self._limit:
            return False
        return _matches(request, self._wanted)

    def answer(self, request: object) -> etree._Element:
        """Return the response element, for a rule with `reply`.

        If a function was passed to `reply`, it is called; its exceptions are not caught.
        """
        if self._function is not None:
            return self._service.written(self.operation, self._function(request))
        assert self._response is not None
        return copied(self._response)

    def _decide(self, kind: Kind) -> Self:
        if self.kind is not None:
            raise ValueError("a rule can have only one outcome. Call on(…) again for another rule")
        self.kind = kind
        return self

    def _faults(self) -> Iterator[Part]:
        yield from () if self._operation is None else self._operation.faults.values()

    def _fault_named(self, name: str) -> Part:
        """Return the declared fault with a name or class name. Raises TypeError if there is none."""
        for part in self._faults():
            if name in (part.name, part.kind.__name__):
                return part
        raise TypeError(f"{self._declared()} (got {name!r})")

    def _declared(self) -> str:
        names = ", ".join(part.name for part in self._faults()) or "none"
        return f"detail must be a fault that {self.operation.name} declares: {names}"


# ---- matching requests


def _parsed_fields(codec: Codec, name: str, conditions: Mapping[str, object]) -> dict[str, object]:
    """Return the conditions of a rule, with Python names as keys. Strings are parsed as XML text.

    `name` is the name of the type that has the fields, such as the type of the request. Raises TypeError for
    a field that the type does not have, EncodeError for invalid text.
    """
    fields = codec.fields(name)
    by_name = {field.name: field for field in fields} | {field.python: field for field in fields}
    result: dict[str, object] = {}
    for key, value in conditions.items():
        if key not in by_name:
            raise TypeError(f"{name} has no field {key!r}{nearest(key, by_name)}")
        result[by_name[key].python] = _parsed_value(codec, by_name[key], key, value)
    return result


def _parsed_value(codec: Codec, field: Field, path: str, value: object) -> object:
    """Return the value of a rule's condition. Strings are parsed as XML text of the type of `field`.

    Raises EncodeError for invalid text. `path` is the name of the field in the error message.
    """
    if isinstance(value, Mapping) and field.holds:
        return _parsed_fields(codec, field.holds, value)
    if isinstance(value, list | tuple):
        return [_parsed_value(codec, field, path, item) for item in value]
    if isinstance(value, str) and field.leaf is not None:
        try:
            return cast(
                "object", field.leaf.parse(value, CountingReader(naive_zone=None), etree.Element("text"))
            )
        except (ValueError, TypeError, KeyError, ArithmeticError):
            raise EncodeError(path, value, field.leaf.expected) from None
    return value


def _matches(value: object, expected: object) -> bool:
    """Return True if `value` in a request satisfies `expected`, a condition of a rule.

    A condition is one of:

    - a function: it must return True for the value.
    - a dict from field names to conditions: each of these fields must satisfy its condition.
    - a list of conditions: the value must be a list of the same length, whose items satisfy them in order.
    - any other object: the value must be equal to it.
    """
    if isinstance(expected, Mapping):
        return all(_matches(getattr(value, name, None), item) for name, item in expected.items())
    if isinstance(expected, list):
        if not isinstance(value, list | tuple) or len(value) != len(expected):
            return False
        return all(_matches(*pair) for pair in zip(value, expected, strict=True))
    if callable(expected) and not isinstance(expected, type):
        return bool(expected(value))
    if isinstance(expected, float) and not isinstance(value, float):
        return str(value) == str(expected) or value == expected  # TOML has no Decimal
    return value == expected


# ---- rules in a file


class RulesError(ValueError):
    """Raised if a rules file cannot be used. The message names the file, the rule and the reason.

    >>> from soapclient.testing import RulesError, mock
    >>> try:
    ...     mock("weather", rules="no-rules.toml")
    ... except RulesError as error:
    ...     print("no-rules.toml" in str(error))
    True
    """


class _Fault(msgspec.Struct, forbid_unknown_fields=True):
    reason: str
    code: str = "Server"
    name: str | None = None
    detail: dict[str, Any] = {}  # Any: fields of any type; the builders validate them


class _Entry(msgspec.Struct, forbid_unknown_fields=True, rename={"where": "with"}):
    operation: str
    where: dict[str, Any] = {}
    reply: dict[str, Any] | None = None
    fault: _Fault | None = None
    unavailable: int | bool | None = None
    reset: bool | None = None
    hang: float | None = None
    times: int | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    on: list[_Entry] = []


class _Mock(Protocol):
    # Any: in a file, operations are named, so their types are not known.
    def on(self, operation: str, /, **fields: object) -> Rule[Any, Any]: ...


def read_rules(path: Path, mock: _Mock) -> None:
    """Add the rules in a file to a mock.

    The file is TOML, or Python with a function `rules(mock)`. Raises RulesError if it cannot be used.
    """
    try:
        if path.suffix == ".py":
            names: dict[str, Any] = {"__name__": "mock_rules", "__file__": str(path)}
            exec(compile(path.read_bytes(), str(path), "exec"), names)  # the user's own file
            if not callable(rules := names.get("rules")):
                raise RulesError(f"{path}: function rules(mock) is missing. Define it.")
            rules(mock)
            return
        file = msgspec.convert(toml.loads(path.read_bytes()), _File)
        for number, entry in enumerate(file.on, 1):
            try:
                _apply(entry, mock)
            except (TypeError, ValueError, EncodeError) as error:
                raise RulesError(f"{path}: rule {number}, {entry.operation}: {error}") from None
    except OSError as error:
        raise RulesError(f"{path}: cannot be read ({error.strerror})") from None
    except (toml.NotToml, msgspec.ValidationError) as error:
        raise RulesError(f"{path}: invalid rules file: {error}") from None
    except RulesError:
        raise
    except Exception as error:  # the user's code can raise anything
        raise RulesError(f"{path}: {type(error).__name__}: {error}") from error


def _apply(entry: _Entry, mock: _Mock) -> None:
    outcomes = [entry.reply, entry.fault, entry.unavailable, entry.reset, entry.hang]
    if sum(outcome is not None for outcome in outcomes) != 1:
        raise ValueError("a rule must have exactly one of: reply, fault, unavailable, reset, hang")
    rule = mock.on(entry.operation, **entry.where)
    if entry.reply is not None:
        rule.reply(**entry.reply)
    elif entry.fault is not None:
        rule.fault(entry.fault.reason, entry.fault.name, code=entry.fault.code, **entry.fault.detail)
    elif entry.unavailable is not None:
        rule.unavailable(None if isinstance(entry.unavailable, bool) else entry.unavailable)
    elif entry.hang is not None:
        rule.hangs(entry.hang)
    else:
        rule.resets()
    if entry.times is not None:
        rule.times(entry.times)
