"""A sandbox for tests on a local port. Tests set its responses, read its requests and move its clock."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Generic, Literal, Self, TypeVar, overload

import msgspec
from lxml import etree

from soapclient.runtime import CountingReader
from soapclient.runtime.operations import AnyOperation, Operation
from soapclient.runtime.request_values import elements_of, wire_of
from soapclient.runtime.scalars import DAY
from soapclient.tracking.async_client import AsyncClient
from soapclient.tracking.client import Client
from soapclient.tracking.registration import SERVICE
from soapclient.tracking.sandbox import (
    SAMPLE_CONNECT_ID,
    SAMPLE_SECRET_KEY,
    JobScript,
    JobSteps,
    Sandbox,
    serve,
)
from soapclient.tracking.sandbox.rules import Exchange, Kind, Rule
from soapclient.tracking.settings import Settings

__all__ = ["Expectation", "RecordedCall", "SandboxClock", "ServedSandbox"]

RequestT = TypeVar("RequestT")
RequestT_co = TypeVar("RequestT_co", covariant=True)
ResponseT = TypeVar("ResponseT")


class SandboxClock:
    """The sandbox's clock, which its clients use, too. `sleep` moves the clock instead of waiting.

    The clock starts at the real time and runs at normal speed.

    >>> from soapclient.tracking.testing import ServedSandbox
    >>> with ServedSandbox() as sandbox:
    ...     before = sandbox.clock.now()
    ...     sandbox.clock.advance(3600)
    ...     print((sandbox.clock.now() - before).total_seconds() >= 3600)
    True
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._ahead = 0.0

    def now(self) -> datetime:
        """Return the sandbox's time as an aware datetime."""
        return self._sandbox.now()

    def monotonic(self) -> float:
        """Return seconds since an arbitrary start."""
        return time.monotonic() + self._ahead

    def sleep(self, seconds: float) -> None:
        """Move the clock forward without waiting."""
        self.advance(max(0.0, seconds))

    def advance(self, seconds: float) -> None:
        """Move the clock forward. Jobs finish and expire, and signatures expire, by this clock."""
        self._ahead += seconds
        self._sandbox.advance(seconds)

    def set(self, moment: datetime) -> None:
        """Set the clock to an aware datetime. It keeps running from there."""
        self.advance((moment - self.now()).total_seconds())


@dataclass(frozen=True)
class RecordedCall(Generic[RequestT_co]):
    """A request for an operation, and its outcome.

    `request` is the struct that the client's typed method built from its arguments. `status` is the HTTP
    status, or None if there was no response. `code` is the fault code, or None if there was no fault.

    >>> from soapclient.tracking.testing import ServedSandbox
    >>> with ServedSandbox() as sandbox, sandbox.client() as client:
    ...     profile = client.publisher.get_profile()
    ...     (call,) = sandbox.calls("GetProfile")
    >>> call.protocol, call.status
    ('soap', 200)
    """

    operation: str
    request: RequestT_co
    protocol: Literal["soap", "rest"]
    connect_id: str
    moment: datetime
    status: int | None
    code: int | None


class Expectation(Generic[ResponseT]):
    """A scripted outcome for requests to the sandbox. Set it with a method such as `returns` or `fails`.

    The sandbox still checks signature and contract first, so it rejects invalid requests as usual. With
    `times`, the outcome applies to this number of requests, and all of them must arrive. Without `times`, it
    applies to all further requests, and at least one must arrive. Expectations with `times` apply first, in
    the order in which they were set.

    >>> from soapclient.tracking.testing import ServedSandbox
    >>> with ServedSandbox() as sandbox, sandbox.client() as client:
    ...     busy = sandbox.expect("GetProfile").unavailable(retry_after=30).times(1)
    ...     profile = client.publisher.get_profile()  # retried, without waiting
    ...     print(busy.called)
    1
    """

    def __init__(self, sandbox: Sandbox, operation: AnyOperation | None) -> None:
        self._sandbox = sandbox
        self._operation = operation
        self._rule: Rule | None = None
        self._times: int | None = None

    def returns(self, response: ResponseT) -> Self:
        """Respond with `response`, a struct of the class that the typed method returns."""
        operation = self._operation
        if operation is None:
            raise ValueError("returns(…) needs an operation. Name it, as in expect('GetSales').returns(…)")
        if not isinstance(response, operation.response_type):
            given, wanted = type(response).__name__, operation.response_type.__name__
            raise TypeError(f"{operation.name} returns {wanted}, not {given}")
        element = etree.Element(operation.response_tag, nsmap={None: operation.package.settings.namespace})
        operation.write_response(response, element, operation.name)
        if operation.soap:
            return self._set_outcome("response", xml=etree.tostring(element, encoding="UTF-8"))
        wire = wire_of(element, operation.codec, operation.row.response)
        return self._set_outcome("response", json_body=json.dumps(wire))

    def fails(self, code: int, reason: str = "expected by a test") -> Self:
        """Respond with a fault of the service."""
        return self._set_outcome("fault", code=code, reason=reason)

    def unavailable(self, retry_after: int | None = None) -> Self:
        """Respond with HTTP 503. `retry_after` is sent as the Retry-After header, in seconds."""
        return self._set_outcome("unavailable", retry_after=retry_after)

    def resets(self, *, processed: bool = False) -> Self:
        """Close the connection without a response. If `processed` is True, the request is processed first."""
        return self._set_outcome("reset", processed=processed)

    def hangs(self, seconds: float = 60.0, *, processed: bool = False) -> Self:
        """Send nothing for `seconds` of real time, then close the connection, to test a client's timeout.

        If `processed` is True, the request is processed first.
        """
        return self._set_outcome("hang", seconds=seconds, processed=processed)

    def times(self, number: int) -> Self:
        """Apply only to the next `number` requests. All of them must arrive."""
        if number < 1:
            raise ValueError(f"times must be 1 or more, got {number}")
        self._times = number
        if self._rule is not None:
            self._rule.times = number
        return self

    @property
    def called(self) -> int:
        """The number of requests that have got this outcome so far."""
        return 0 if self._rule is None else self._rule.used

    def unmet(self) -> str:
        """Return an error message if expected requests are missing or no outcome is set, otherwise ""."""
        what = "a request" if self._operation is None else self._operation.name
        if self._rule is None:
            return f"{what}: the expectation does not have an outcome. Add returns(…), or another outcome."
        wanted = self._times or 1
        if self.called >= wanted:
            return ""
        least = "" if self._times else "at least "
        return f"{what}: expected {least}{wanted} time{'s' * (wanted > 1)}, called {self.called}"

    def _set_outcome(
        self,
        kind: Kind,
        *,
        xml: bytes = b"",
        json_body: str = "",
        code: int = 500,
        reason: str = "",
        retry_after: int | None = None,
        seconds: float = 0.0,
        processed: bool = False,
    ) -> Self:
        if self._rule is not None:
            raise ValueError(
                "an expectation can have only one outcome. Call expect(…) again for another one."
            )
        rule = Rule(
            None if self._operation is None else self._operation.name,
            kind,
            times=self._times,
            code=code,
            reason=reason,
            retry_after=retry_after,
            seconds=seconds,
            processed=processed,
        )
        self._rule = self._sandbox.switches.add(rule, xml=xml, json_body=json_body)
        return self


class ServedSandbox:
    """A sandbox that is served until `close()` or the end of the `with` block.

    `url` is the base address of all its services, `clock` its clock. Export jobs are done as soon as they are
    ordered. `script_jobs` makes the next jobs fail or misbehave.

    >>> from soapclient.tracking.testing import ServedSandbox
    >>> with ServedSandbox() as sandbox, sandbox.client() as client:
    ...     profile = client.publisher.get_profile()
    ...     print([call.operation for call in sandbox.calls()])
    ['GetProfile']
    """

    def __init__(self, *, seed: int = 1, clicks_per_day: int = 100) -> None:
        self._sandbox = Sandbox(seed=seed, clicks_per_day=clicks_per_day, job_steps=_AT_ONCE)
        self._server = serve(self._sandbox)
        self._expected: list[Expectation[msgspec.Struct]] = []
        self.url = self._server.url
        self.clock = SandboxClock(self._sandbox)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving."""
        self._sandbox.close()
        self._server.close()

    def reset(self) -> None:
        """Reset data, jobs and clock to the start. Remove all expectations and recorded calls."""
        self._sandbox.reset()
        self._expected.clear()
        self.clock = SandboxClock(self._sandbox)

    @property
    def settings(self) -> dict[str, str]:
        """The addresses and credentials for clients of this sandbox: a dict with the names of `Settings`."""
        urls = {f"{service}_url": self.url for service in SERVICE.packages}
        return {"connect_id": SAMPLE_CONNECT_ID, "secret_key": SAMPLE_SECRET_KEY, **urls}

    @property
    def environ(self) -> dict[str, str]:
        """The settings as environment variables, for code that opens its own clients."""
        return {f"SOAPCLIENT_{name.upper()}": text for name, text in self.settings.items()}

    def client(self, **settings: object) -> Client:
        """Return a client of the sandbox that uses `clock`. The caller closes it.

        `settings` are additional arguments of `Settings.load`.
        """
        return Client(self._loaded(settings), clock=self.clock)

    def async_client(self, **settings: object) -> AsyncClient:
        """Return an asyncio client of the sandbox that uses `clock`. The caller closes it.

        `settings` are additional arguments of `Settings.load`.
        """
        return AsyncClient(self._loaded(settings), clock=self.clock)

    def _loaded(self, settings: Mapping[str, object]) -> Settings:
        load: Callable[..., Settings] = Settings.load
        return load(environ={}, **{**self.settings, **settings})

    @overload
    def expect(self, operation: Operation[RequestT, ResponseT], /) -> Expectation[ResponseT]: ...

    @overload
    def expect(self, operation: str | None = None, /) -> Expectation[msgspec.Struct]: ...

    def expect(
        self, operation: Operation[RequestT, ResponseT] | str | None = None, /
    ) -> Expectation[ResponseT] | Expectation[msgspec.Struct]:
        """Expect requests of `operation`, or of any operation if it is None.

        Returns the expectation, whose methods set the outcome. `operation` is its name in the contract, the
        name of its method, or a generated operation such as `zxws.publisher.service.GET_SALES`. The
        expectation is typed only if a generated operation is passed.
        """
        resolved = None if operation is None else _operation(operation)
        expected: Expectation[msgspec.Struct] = Expectation(self._sandbox, resolved)
        self._expected.append(expected)
        return expected

    @overload
    def calls(self, operation: Operation[RequestT, ResponseT], /) -> list[RecordedCall[RequestT]]: ...

    @overload
    def calls(self, operation: str | None = None, /) -> list[RecordedCall[msgspec.Struct]]: ...

    def calls(
        self, operation: Operation[RequestT, ResponseT] | str | None = None, /
    ) -> list[RecordedCall[RequestT]] | list[RecordedCall[msgspec.Struct]]:
        """Return the recorded requests of an operation, or of all operations, oldest first.

        Each attempt is a separate record. Requests whose signature or content was rejected are not recorded.
        """
        name = None if operation is None else _operation(operation).name
        return [_record(exchange) for exchange in self._sandbox.switches.calls(name) if exchange.operation]

    def script_jobs(self, *scripts: JobScript) -> None:
        """Make the next export jobs misbehave, for example fail.

        Pass one JobScript (the deviations of a job from the normal behaviour) for each job, in order.
        """
        self._sandbox.jobs.script(*scripts)

    def verify(self) -> None:
        """Raise AssertionError if expected requests are missing."""
        unmet = [reason for reason in (expectation.unmet() for expectation in self._expected) if reason]
        if unmet:
            raise AssertionError("; ".join(unmet))


_AT_ONCE = JobSteps(running=JobSteps().running * 0, done=JobSteps().done * 0)


def _operations() -> Iterator[tuple[str, AnyOperation]]:
    from zxws.advertiser.service import PACKAGE as ADVERTISER
    from zxws.data.service import PACKAGE as DATA
    from zxws.publisher.service import PACKAGE as PUBLISHER

    return chain.from_iterable(package.operations.items() for package in (PUBLISHER, DATA, ADVERTISER))


def _operation(named: AnyOperation | str) -> AnyOperation:
    """Return an operation by its contract name or method name. An operation is returned unchanged.

    Raises ValueError if there is no such operation.
    """
    if isinstance(named, Operation):
        return named
    for name, operation in _operations():
        if named in (name, operation.method):
            return operation
    known = ", ".join(sorted(name for name, _ in _operations()))
    raise ValueError(f"there is no operation {named!r}; the operations are {known}")


def _record(exchange: Exchange) -> RecordedCall[msgspec.Struct]:
    operation = _operation(exchange.operation)
    node = etree.fromstring(exchange.request)
    space = operation.package.settings.namespace
    for element in node.iter():
        if not etree.QName(element).namespace:
            element.tag = f"{{{space}}}{element.tag!s}"
    fields = elements_of(operation.codec, operation.row.request)
    days = {field.tag for field in fields if field.leaf is DAY}
    for child in node:
        if child.tag in days and child.text:
            child.text = child.text[:10]  # over SOAP, a day is sent as a date-time at midnight
    assert exchange.protocol
    return RecordedCall(
        operation.name,
        operation.read_request(node, CountingReader()),
        exchange.protocol,
        exchange.connect_id,
        exchange.moment,
        exchange.status,
        exchange.code,
    )
