"""The services that the console can call (targets), and the calls that it has sent (exchanges)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urlsplit

from lxml import etree

from soapclient._support.forks import Lock, lazy
from soapclient._support.redaction import HIDDEN, redact, redacted_headers
from soapclient.auth.issued import issued
from soapclient.calling.events import listening_to_retries
from soapclient.clock import Clock, SystemClock
from soapclient.console.attempts import AttemptTimer, AttemptTimes
from soapclient.console.forms import Form
from soapclient.console.redaction import body_without_secrets, query_without_secrets, typed_secrets
from soapclient.console.signatures import Signed, signed_of
from soapclient.contract import package_documents
from soapclient.contract.validation import Checks
from soapclient.drift import Drift
from soapclient.errors import ConfigError, ContractError, SoapClientError
from soapclient.runtime import CountingReader
from soapclient.runtime.operations import AnyOperation, SoapHeader
from soapclient.runtime.package import Package
from soapclient.runtime.schema import PortRow
from soapclient.runtime.service import Service
from soapclient.transport.observers import Observer

if TYPE_CHECKING:
    import requests

    from soapclient.calling.engine import Engine as CallingEngine

_MAX_BODY: Final = 2_000_000  # bytes of a body that are stored
_ONE_AT_A_TIME: Final = Lock()  # an observer gets all exchanges of a session, so calls must not overlap


class Engine(Protocol):
    """Interface of the engine that sends the calls of a service."""

    @property
    def session(self) -> requests.Session:
        """The HTTP session of the engine."""
        ...

    # Any: the request of any operation.
    def call(self, operation: AnyOperation, request: Any, headers: Sequence[SoapHeader] = (), /) -> Any:
        """Send a request and return the response."""
        ...


@dataclass
class Message:
    """A request or response over HTTP, without credentials.

    `line` is the first line. `address` is the address of a request; "" for a response. `size` is the number
    of bytes in the body.
    """

    line: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    size: int = 0
    address: str = ""


@dataclass
class Exchange:
    """A call that was sent from a form of the console, and its outcome.

    `values` are the form values. `error` is the message of the error, "" if the call succeeded; `kind` is the
    name of the error's class.

    `milliseconds` is the duration of the call with all attempts and pauses. `place` is the name of the place
    (environment) in which the call was made; "" if the console has only one address.
    """

    number: int
    moment: datetime
    service: str
    operation: str
    values: Mapping[str, str]
    request: Message = field(default_factory=Message)
    response: Message = field(default_factory=Message)
    milliseconds: float = 0.0
    result: object = None
    error: str = ""
    kind: str = ""
    findings: list[str] = field(default_factory=list)
    attempts: tuple[AttemptTimes, ...] = ()
    signed: tuple[Signed, ...] = ()
    place: str = ""

    @property
    def size(self) -> int:
        """Approximate size of the exchange in memory, in characters.

        A response counts twice, because it is stored as text and as decoded values. The text of a large
        response is truncated, but its values are complete.
        """
        values = sum(len(key) + len(text) for key, text in self.values.items())
        return values + len(self.request.body) + len(self.response.body) + self.response.size


class Target:
    """A service: its package, its address, and the engine that calls it."""

    def __init__(
        self,
        name: str,
        package: Package,
        operations: Iterable[AnyOperation],
        address: str,
        engine: Callable[[], Engine],
        drift: Drift,
        checks: Callable[[], Checks],
        secrets: Iterable[str] = (),
        *,
        command: Sequence[str],
        report_zone: Callable[[], tzinfo],
        endpoint: str = "",
        service_class: str = "",
        by_rest: bool = False,
        settings: Mapping[str, str] | None = None,
        source: Sequence[str] = (),
        policy: Sequence[str] = (),
        safe: Collection[str] = (),
        clock: Clock | None = None,
    ) -> None:
        """Create a target. Three arguments are functions without parameters:

        - `engine` returns the engine that sends the calls, and `checks` returns the validator of messages.
        - `report_zone` returns the time zone in which days begin.

        `drift` counts the drift findings of the calls. `secrets` are texts that are never shown. The
        following arguments are used to show calls as code:

        - `command`: the arguments of `soapclient call` that select the service.
        - `address`: the address to show in Python code. `endpoint`: the address to show in a curl command for
          SOAP, by default `address`.
        - `service_class`: the name of the class to pass to `connect`; "" if the service is an attribute of
          `soapclient.Client`.
        - `by_rest`: calls use REST.
        - `settings`: the client's settings for addresses, protocol and connect ID.
        - `source`: the arguments of `bindgen init` that name the WSDL, if the package was generated for this
          console; empty for an installed package.

        `policy`: the lines that describe the WS-SecurityPolicy of the port. `safe`: the names of operations
        that the client's settings mark as safe to repeat, in addition to those of the package. `clock`
        measures the calls; by default the clock of this machine.
        """
        self._monotonic = (SystemClock() if clock is None else clock).monotonic
        self.policy = tuple(policy)
        self._safe = frozenset(safe)
        self.command = command
        self.report_zone = report_zone
        self.settings = dict(settings or {})
        self.source = tuple(source)
        self.name = name
        self.by_rest = by_rest
        self.service_class = service_class
        self.package = package
        self.operations: Mapping[str, AnyOperation] = {item.key: item for item in operations}
        self.address = address
        self.endpoint = endpoint or address
        self.checks = checks
        self._engine = engine
        self._drift = drift
        self._secrets = tuple(secrets)

    @property
    def of_client(self) -> bool:
        """True if the service is called with `soapclient.Client`, False if it is called with `connect`."""
        return not self.service_class

    def is_safe(self, operation: AnyOperation) -> bool | None:
        """Return True if the operation may be repeated, False if not, and None if this is not known.

        A WSDL does not contain this information. It is known if the package or the client's settings name the
        safe operations.
        """
        if operation.safe or operation.name in self._safe:
            return True
        return False if self._names_safe_operations else None

    @lazy
    def _names_safe_operations(self) -> bool:
        return bool(self._safe) or any(item.safe for item in self.package.operations.values())

    def send(self, exchange: Exchange, form: Form) -> ContractError | None:
        """Send the request of a form, and record the call in `exchange`.

        Return the ContractError if the request is invalid; nothing is then sent. Otherwise return None, even
        if the call fails: `exchange.error` then has the message.
        """
        operation = form.operation
        refused: list[ContractError] = []
        secrets = typed_secrets(form)

        def call(engine: Engine) -> object:
            reader = CountingReader(naive_zone=None, report_zone=self.report_zone())
            element = etree.fromstring(etree.tostring(form.element, encoding="UTF-8"))
            request = operation.read_request(element, reader)
            headers = [SoapHeader(part, part.read(node, reader)) for part, node in form.headers]
            try:
                return engine.call(operation, request, *([headers] if headers else []))
            except ContractError as error:
                refused.append(error)
                return None

        self.record(exchange, operation, call, secrets)
        return refused[0] if refused else None

    def record(
        self,
        exchange: Exchange,
        operation: AnyOperation,
        call: Callable[[Engine], object],
        secrets: Iterable[str] = (),
    ) -> None:
        """Call `call(engine)`, and record its messages, its result or error, and its times in `exchange`.

        `secrets` are texts of the request that must not be shown. Only one call runs at a time.
        """
        hidden = {*self._secrets, *secrets}
        try:
            engine = self._engine()
        except SoapClientError as error:  # not configured
            exchange.error, exchange.kind = redact(str(error), hidden), type(error).__name__
            return
        with _ONE_AT_A_TIME:
            self._record(engine, exchange, operation, call, hidden)

    def _record(
        self,
        engine: Engine,
        exchange: Exchange,
        operation: AnyOperation,
        call: Callable[[Engine], object],
        secrets: Iterable[str],
    ) -> None:
        before = self._drift.counts()
        timer = AttemptTimer(self._monotonic)
        recorder = _Recorder(exchange, operation, secrets, timer)
        adapters = dict(engine.session.adapters)
        recorder.listen(engine.session)
        try:
            with listening_to_retries(timer.retried):
                exchange.result = call(engine)
        except SoapClientError as error:
            exchange.error, exchange.kind = redact(str(error), secrets), type(error).__name__
        finally:
            exchange.milliseconds, exchange.attempts = timer.elapsed(), timer.attempts
            recorder.finish()
            engine.session.adapters.update(adapters)
        for (_, finding), times in self._drift.counts().items():
            if times > before.get((operation.name, finding), 0):
                text = f"{finding.kind}: {finding.path} {finding.detail}".strip()
                exchange.findings.append(redact(text, secrets))


class _Recorder(Observer):
    """Records the last attempt of a call in its `exchange`, and the times of all attempts in a `timer`."""

    def __init__(
        self, exchange: Exchange, operation: AnyOperation, secrets: Iterable[str], timer: AttemptTimer
    ) -> None:
        super().__init__()
        self._timer = timer
        self._exchange = exchange
        self._operation = operation
        self._secrets = set(secrets)

    def sent(self, request: requests.PreparedRequest, own: Iterable[str]) -> None:
        self._exchange.signed = signed_of(request, self._operation)
        self._exchange.response, self._body = Message(), None  # of the attempt before
        self._secrets |= issued.proofs()
        body = request.body or b""
        content = body.encode() if isinstance(body, str) else bytes(body)
        host = urlsplit(request.url or "").netloc.rpartition("@")[2]
        headers = {"Host": host, **request.headers}
        hidden = {name: HIDDEN if name.lower() in own else value for name, value in headers.items()}
        sent = self._message(f"{request.method} {request.path_url}", hidden, content)
        # The line has no secrets. The part before the path must not have a password.
        sent.address = f"{urlsplit(request.url or '').scheme}://{host}{sent.line.partition(' ')[2]}"
        self._exchange.request = sent
        self._timer.sent()

    def failed(self) -> None:
        self._timer.progressed()

    def progressed(self) -> None:
        self._timer.progressed()

    def received(self, response: requests.Response) -> None:
        self._timer.received(response.status_code)
        super().received(response)
        self._exchange.response = self._message(
            f"{response.status_code} {response.reason}", response.headers, b""
        )

    def finish(self) -> None:
        """Record the body of the last response."""
        if self.body is not None:
            response = self._exchange.response
            self._exchange.response = self._message(response.line, response.headers, self.body)

    def _message(self, line: str, headers: Mapping[str, str], body: bytes) -> Message:
        text = body_without_secrets(body[:_MAX_BODY].decode("utf-8", "backslashreplace"))
        texts = {name: redact(value, self._secrets) for name, value in redacted_headers(headers).items()}
        line = redact(query_without_secrets(line), self._secrets)
        return Message(line, texts, redact(text, self._secrets), len(body))


def of_service(
    name: str,
    package: Package,
    port: PortRow,
    address: str,
    service: Service | ConfigError,
    service_class: str,
    command: Sequence[str] = (),
    *,
    source: Sequence[str] = (),
    clock: Clock | None = None,
) -> Target:
    """Return the target that calls one port of a generated package.

    - `service`: the connected service, or the ConfigError that was raised instead of connecting. In the
      second case the target can be viewed, but each call fails with that error.
    - `command`: the arguments of `soapclient call` that select the service. Defaults to the options --package
      and --address.
    - `source`: the arguments of `bindgen init` that name the WSDL, if the package was generated for this
      console; empty for an installed package.
    - `clock`: measures the calls; by default the clock of this machine.
    """
    from soapclient.connection import engine_of
    from soapclient.runtime.policies import policy_lines
    from soapclient.settings import CommonSettings

    def engine() -> CallingEngine[CommonSettings]:
        if isinstance(service, ConfigError):
            raise ConfigError(service.setting, service.problem, service.where)
        return engine_of(service)

    is_open = not isinstance(service, ConfigError)
    own_settings = engine().settings if is_open else CommonSettings()
    in_package = package.operations.values()
    operations = [item.at(port) for item in in_package if item.soap and item.port_type == port.port_type]
    return Target(
        name,
        package,
        operations,
        address,
        engine,
        engine().drift if is_open else Drift(),
        lambda: package_documents.checks(package),
        command=command or ["--package", package.name, "--address", address],
        report_zone=lambda: own_settings.report_tzinfo("UTC"),
        service_class=service_class,
        source=source,
        policy=policy_lines(package, port),
        safe=own_settings.safe,
        clock=clock,
    )


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)
