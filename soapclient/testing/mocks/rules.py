"""What a mock is to do instead of answering with an example: rules, from Python or from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, Self, TypeVar, cast, get_args

import msgspec
from lxml import etree

from soapclient._support import toml
from soapclient._support.nearest import nearest
from soapclient.runtime import CountingReader
from soapclient.runtime.codec import Codec
from soapclient.runtime.errors import EncodeError
from soapclient.runtime.fields import Field
from soapclient.runtime.operations import AnyOperation, Part
from soapclient.serving.drifts import Drift
from soapclient.testing import builders

if TYPE_CHECKING:
    from soapclient.runtime.service import Attachment
    from soapclient.testing.mocks.service import MockService

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")
Kind = Literal["reply", "fault", "unavailable", "reset", "hang", "slow", "drift"]


class Rule(Generic[RequestT, ResponseT]):
    """Requests of an operation (None: of any), and what is done with them: one of the methods says it.

    Without `times` it is for all that come. Of the rules that fit a request those with `times` come first, in
    their order, then the last one without.
    """

    def __init__(
        self, service: MockService, operation: AnyOperation | None, wanted: Mapping[str, object]
    ) -> None:
        """Raises TypeError for a name that is no field of the request, EncodeError for a text that is no
        value of its field."""
        self.number = 0
        self._operation = operation
        self.kind: Kind | None = None
        self.retry_after: int | None = None
        self.seconds = 0.0
        self.drift: Drift = "element"
        self.used = 0
        self.reason = ""
        self.code = "Server"
        self.detail: etree._Element | None = None
        self.attachments: tuple[Attachment, ...] | None = None
        self._service = service
        self._wanted: Mapping[str, object] = {}
        if operation is not None:
            self._wanted = _known_values(operation.codec, operation.row.request, wanted)
        self._response: etree._Element | None = None
        self._function: Callable[[Any], object] | None = None  # Any: of a request that no type says
        self._most: int | None = None

    # ---- what users say

    def reply(
        self,
        response: ResponseT | Callable[[RequestT], ResponseT] | None = None,
        /,
        *,
        attachments: Sequence[Attachment] | None = None,
        **fields: object,
    ) -> Self:
        """Answer with a response, with what a function makes of the request, or with the example in which
        these `fields` have other values (as `builders.complete` takes them). `attachments` go with it, by
        default examples of those that the WSDL declares.

        Raises TypeError for what is no response of the operation, EncodeError where it cannot be sent, and
        ContractError where it breaks the contract.
        """
        self._decide("reply")
        self.attachments = None if attachments is None else tuple(attachments)
        if callable(response) and not fields:
            self._function = response
            return self
        if response is None:
            made: object = builders.complete(self.operation.response_type, **fields)
        elif fields:
            raise TypeError("reply(…): give a response, or the fields of one, not both")
        else:
            made = response
        self._response = self._service.written(self.operation, made)
        return self

    def fault(self, reason: str, detail: object = None, /, *, code: str = "Server", **fields: object) -> Self:
        """Answer with a fault. `detail` is a value of a fault that the operation declares, or the name of
        one: then it is its example, with `fields`. `code` is `Server`, `Client`, or the service's own.

        Raises TypeError for a detail that the operation does not declare.
        """
        self._decide("fault")
        self.reason, self.code = reason, code
        if isinstance(detail, str):
            part = self._fault_named(detail)
            kind: type[Any] = part.kind  # Any: of whatever class the package has for it
            detail = builders.complete(kind, **fields)
        elif fields:
            raise TypeError("fault(…): fields are those of a fault that is named")
        if detail is not None:
            found = next((one for one in self._faults() if type(detail) is one.kind), None)
            if found is None:
                raise TypeError(f"{self._declared()}; {type(detail).__name__} is none of them")
            self.detail = etree.Element(found.tag)
            found.write(detail, self.detail, found.name)
        return self

    def unavailable(self, retry_after: int | None = None) -> Self:
        """HTTP 503; `retry_after` seconds are what it says to wait."""
        self.retry_after = retry_after
        return self._decide("unavailable")

    def resets(self) -> Self:
        """Close the connection without a response."""
        return self._decide("reset")

    def hangs(self, seconds: float = 60.0) -> Self:
        """Say nothing for some (real) seconds, then close the connection."""
        self.seconds = seconds
        return self._decide("hang")

    def slow(self, seconds: float) -> Self:
        """Answer with the example after some (real) seconds."""
        self.seconds = seconds
        return self._decide("slow")

    def drifts(self, drift: Drift) -> Self:
        """Answer with an example in which an `element` or a `value` is unknown to the contract, or one that
        it requires is `missing`."""
        if drift not in get_args(Drift):
            raise ValueError(f"drift must be one of: {', '.join(get_args(Drift))} (got {drift!r})")
        self.drift = drift
        return self._decide("drift")

    def times(self, number: int) -> Self:
        """For the next so many requests."""
        if number < 1:
            raise ValueError(f"times must be 1 or more, got {number}")
        self._most = number
        return self

    # ---- what the service asks

    @property
    def operation(self) -> AnyOperation:
        """The operation. Raises TypeError for a rule of any."""
        if self._operation is None:
            raise TypeError("a reply and a declared fault are those of one operation: name it")
        return self._operation

    def as_data(self) -> dict[str, object]:
        """What it is, for the console."""
        name = None if self._operation is None else self._operation.name
        about = {"number": self.number, "operation": name, "kind": self.kind or "nothing"}
        return {**about, "times": self._most, "used": self.used}

    @property
    def bounded(self) -> bool:
        """Whether it is for some requests alone."""
        return self._most is not None

    def fits(self, operation: AnyOperation, request: object) -> bool:
        """Whether it decides, and is not used up."""
        if self.kind is None or self._operation not in (None, operation):
            return False
        if self._most is not None and self.used >= self._most:
            return False
        return _fits(request, self._wanted)

    def answer(self, request: object) -> etree._Element:
        """The response's element, for this request. What the function raises comes as it is."""
        if self._function is not None:
            return self._service.written(self.operation, self._function(request))
        assert self._response is not None
        return etree.fromstring(etree.tostring(self._response, encoding="UTF-8"))

    # ----

    def _decide(self, kind: Kind) -> Self:
        if self.kind is not None:
            raise ValueError("a rule has one outcome: say on(…) once more for another")
        self.kind = kind
        return self

    def _faults(self) -> Iterator[Part]:
        yield from () if self._operation is None else self._operation.faults.values()

    def _fault_named(self, name: str) -> Part:
        for part in self._faults():
            if name in (part.name, part.kind.__name__):
                return part
        raise TypeError(f"{self._declared()}; {name!r} is none of them")

    def _declared(self) -> str:
        names = ", ".join(part.name for part in self._faults()) or "none"
        return f"the faults that {self.operation.name} declares are: {names}"


# ---- what a request must have


def _known_values(codec: Codec, name: str, wanted: Mapping[str, object]) -> dict[str, object]:
    """What is wanted of a type's fields by their Python names, texts as values. Raises TypeError."""
    fields = codec.fields(name)
    known = {field.name: field for field in fields} | {field.python: field for field in fields}
    found: dict[str, object] = {}
    for given, value in wanted.items():
        if given not in known:
            raise TypeError(f"{name} has no field {given!r}{nearest(given, known)}")
        found[known[given].python] = _known_value(codec, known[given], given, value)
    return found


def _known_value(codec: Codec, field: Field, path: str, value: object) -> object:
    if isinstance(value, Mapping) and field.holds:
        return _known_values(codec, field.holds, value)
    if isinstance(value, list | tuple):
        return [_known_value(codec, field, path, each) for each in value]
    if isinstance(value, str) and field.leaf is not None:
        try:
            return cast(
                "object", field.leaf.parse(value, CountingReader(naive_zone=None), etree.Element("text"))
            )
        except (ValueError, TypeError, KeyError, ArithmeticError):
            raise EncodeError(path, value, field.leaf.expected) from None
    return value


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, Mapping):
        return all(_fits(getattr(value, name, None), each) for name, each in wanted.items())
    if isinstance(wanted, list):
        if not isinstance(value, list | tuple) or len(value) != len(wanted):
            return False
        return all(_fits(one, each) for one, each in zip(value, wanted, strict=True))
    if callable(wanted) and not isinstance(wanted, type):
        return bool(wanted(value))
    if isinstance(wanted, float) and not isinstance(value, float):
        return str(value) == str(wanted) or value == wanted  # a Decimal as a TOML file writes it
    return value == wanted


# ---- rules in a file


class RulesError(ValueError):
    """A file of rules that cannot be used; the message says where and why."""


class _Fault(msgspec.Struct, forbid_unknown_fields=True):
    reason: str
    code: str = "Server"
    name: str | None = None
    detail: dict[str, Any] = {}  # Any: of whatever types the fields are; builders judge them


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
    # Any: rules of a file know their types by name.
    def on(self, operation: str, /, **fields: object) -> Rule[Any, Any]: ...


def read_rules(path: Path, mock: _Mock) -> None:
    """Add the rules of a file: TOML, or Python with a function `rules(mock)`. Raises RulesError."""
    try:
        if path.suffix == ".py":
            names: dict[str, Any] = {"__name__": "mock_rules", "__file__": str(path)}
            exec(compile(path.read_bytes(), str(path), "exec"), names)  # the user's own file, by its path
            if not callable(rules := names.get("rules")):
                raise RulesError(f"{path}: it has no function rules(mock)")
            rules(mock)
            return
        found = msgspec.convert(toml.loads(path.read_bytes()), _File)
        for number, entry in enumerate(found.on, 1):
            try:
                _apply(entry, mock)
            except (TypeError, ValueError, EncodeError) as error:
                raise RulesError(f"{path}: rule {number}, {entry.operation}: {error}") from None
    except OSError as error:
        raise RulesError(f"{path}: cannot be read ({error.strerror})") from None
    except (toml.NotToml, msgspec.ValidationError) as error:
        raise RulesError(f"{path}: is not a file of rules: {error}") from None
    except RulesError:
        raise
    except Exception as error:  # whatever the user's own code raises
        raise RulesError(f"{path}: {type(error).__name__}: {error}") from error


def _apply(entry: _Entry, mock: _Mock) -> None:
    outcomes = [entry.reply, entry.fault, entry.unavailable, entry.reset, entry.hang]
    if sum(each is not None for each in outcomes) != 1:
        raise ValueError("give one of reply, fault, unavailable, reset and hang")
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
