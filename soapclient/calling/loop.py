"""The loop of a call, for both protocols: attempts inside one deadline, a wrong clock put right, failures of
writes that may have been processed, findings, and events for whoever listens."""

from __future__ import annotations

import copy
import os
import random as system_random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final, Protocol, TypedDict, TypeVar, Unpack

from soapclient.auth.provider import Lease
from soapclient.calling import events, outcome
from soapclient.calling.events import Attempt, Events
from soapclient.calling.retry import (
    IsTransient,
    RetryPolicy,
    RetryQuota,
    call_with_retries,
    transient_errors,
)
from soapclient.calling.skew import Skew
from soapclient.clock import Clock, Deadline
from soapclient.config.calls import CallSettings
from soapclient.config.settings import settings_of
from soapclient.drift import Drift
from soapclient.errors import AuthenticationError, ClientClosed, SoapClientError
from soapclient.redaction import conceal
from soapclient.runtime import CountingReader
from soapclient.secret_names import is_secret
from soapclient.transport import http

T = TypeVar("T")


class LoopSettings(Protocol):
    """What the loop needs of the settings; times are in seconds."""

    @property
    def deadline(self) -> float: ...
    @property
    def timeout(self) -> float | None: ...
    @property
    def connect_timeout(self) -> float: ...
    @property
    def attempts(self) -> int: ...
    @property
    def max_response_bytes(self) -> int: ...

    @property
    def max_response_nodes(self) -> int: ...

    @property
    def max_response_parts(self) -> int: ...

    @property
    def max_compression_ratio(self) -> int: ...
    @property
    def request_id_header(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions:
    """What `with_options` sets for some calls; None is as the settings have it. Times are in seconds."""

    timeout: float | None = None
    deadline: float | None = None
    attempts: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    request_id: str | None = None

    def changed(self, **given: Unpack[OptionArguments]) -> CallOptions:
        """These options with others over them, each checked. Raises ConfigError."""
        known = settings_of(CallSettings)
        values: dict[str, Any] = {}
        for name, value in given.items():
            if value is None:
                continue
            if name == "request_id":
                known["headers"].read({"X-Request-ID": value}, "the argument request_id")
                values[name] = value
            elif name in _OPTIONS:
                values[name] = known[name].read(value, f"the argument {name}")
            else:
                raise TypeError(f"with_options() got an unexpected keyword argument {name!r}")
        if "headers" in values:
            values["headers"] = {**self.headers, **values["headers"]}
        return replace(self, **values)


class OptionArguments(TypedDict, total=False):
    """The arguments of `with_options`."""

    timeout: float | None
    deadline: float | None
    attempts: int | None
    headers: Mapping[str, str] | None
    request_id: str | None


_OPTIONS: Final = frozenset({"timeout", "deadline", "attempts", "headers"})
_DEFAULT: Final = CallOptions()
_CORRECTIONS: Final = 2  # of the clock, in one attempt


class Dated(Protocol):
    """A response, as far as the loop looks at it; `received` is how much of its body was read, in bytes."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def received(self) -> int: ...


class Call:
    """One call on its way: what its attempts share, and what the present one has come to."""

    __slots__ = (
        *("_clock", "arrived_at", "attempt_began_at", "began_at", "date", "deadline", "limits", "method"),
        *("name", "number", "request_id", "response", "safe", "sent_bytes"),
    )

    def __init__(self, name: str, deadline: Deadline, limits: http.Limits, loop: Loop, *, safe: bool) -> None:
        self.name = name
        self.deadline = deadline
        self.limits = limits
        self.safe = safe
        self.number = 1
        self.method = "POST"
        self.request_id = loop.new_id()
        self._clock = loop.clock
        self.begin()
        self.began_at = self.attempt_began_at

    def begin(self) -> None:
        """Forget the response of an earlier attempt."""
        self.response: Dated | None = None
        self.sent_bytes: int | None = None
        self.date: str | None = None
        self.arrived_at = 0.0
        self.attempt_began_at = self._clock.monotonic()

    def arrived(self, response: Dated) -> None:
        """Note the head of a response: its status, its Date, and when it came."""
        self.response = response
        self.date = response.headers.get("Date")
        self.arrived_at = self._clock.monotonic()


class Loop:
    """What the calls of one engine share. Threads may share it.

    `is_transient` tells which errors may be gone at the next attempt, `skew` is there where requests carry a
    time, `lease` where somebody signs. `random` gives 0 to 1, for back-off. `names` are the service and the
    protocol, for events; `secrets` are what its errors must not say, whatever a service says to us.
    """

    def __init__(
        self,
        settings: LoopSettings,
        address: str,
        *,
        clock: Clock,
        drift: Drift,
        random: Callable[[], float] = system_random.random,
        quota: RetryQuota | None = None,
        is_transient: IsTransient | None = None,
        skew: Skew | None = None,
        lease: Lease | None = None,
        names: tuple[str, str] = ("", ""),
        events: Events | None = None,
        secrets: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self.options = _DEFAULT
        self.clock = clock
        self.drift = drift
        self.random = random
        self.quota = RetryQuota() if quota is None else quota
        self.skew = skew
        self._lease = None if lease is None or lease.fixed else lease
        self._settings = settings
        self._address = address
        self._policy = RetryPolicy(attempts=settings.attempts)
        self._is_transient = is_transient or transient_errors()
        self._names = names
        self._events = Events() if events is None else events
        self._secrets = secrets
        self._closed: list[bool] = []  # shared by all views

    def with_options(self, options: CallOptions) -> Loop:
        """A view of this loop for calls with other options: quota, skew and findings are shared."""
        named = self._settings.request_id_header.lower()
        headers = dict(options.headers)
        for name in [name for name in headers if name.lower() == named]:
            sent = headers.pop(name)  # records and errors are to have the id that is sent
            options = replace(options, request_id=options.request_id or sent, headers=headers)
        view = copy.copy(self)
        view.options = options
        view._policy = replace(self._policy, attempts=options.attempts or self._settings.attempts)
        return view

    def close(self) -> None:
        """Refuse all further attempts, those of views, too. Those on their way come to their end."""
        self._closed.append(True)

    def check_open(self, operation: str) -> None:
        """Raise ClientClosed once this is closed."""
        if self._closed:
            raise ClientClosed(operation)

    def new_id(self) -> str:
        """The request id of a call that begins now."""
        return self.options.request_id or os.urandom(16).hex()

    def headers(self, request_id: str) -> dict[str, str]:
        """The HTTP headers of a call, beside those of its protocol."""
        name = self._settings.request_id_header
        return {**({name: request_id} if name else {}), **self.options.headers}

    def deadline(self, seconds: float | None = None) -> Deadline:
        """A deadline for one call, from now; by default after the configured deadline."""
        if seconds is None:
            seconds = self.options.deadline or self._settings.deadline
        return Deadline(self.clock, seconds)

    def limits(self, operation: str, deadline: Deadline) -> http.Limits:
        """What one exchange may take. Raises ClientClosed after `close`."""
        self.check_open(operation)
        return http.Limits(
            operation=operation,
            deadline=deadline,
            connect_timeout=self._settings.connect_timeout,
            most=self._settings.max_response_bytes,
            nodes=self._settings.max_response_nodes,
            ratio=self._settings.max_compression_ratio,
            parts=self._settings.max_response_parts,
            timeout=self.options.timeout or self._settings.timeout,
        )

    def call(self, name: str, *, safe: bool, deadline: Deadline | None = None) -> Call:
        """A call that begins now."""
        deadline = deadline or self.deadline()
        return Call(name, deadline, self.limits(name, deadline), self, safe=safe)

    def reading(self, call: Call, reader: CountingReader) -> AbstractContextManager[CountingReader]:
        """Around the reading of a response: what its reader finds is counted at the end."""
        if events.telemetry is None:
            return self.drift.reading(call.name, reader, safe=call.safe)
        return self._measured(call, reader)

    @contextmanager
    def _measured(self, call: Call, reader: CountingReader) -> Iterator[CountingReader]:
        with self.drift.reading(call.name, reader, safe=call.safe):
            try:
                yield reader
            finally:
                if events.telemetry is not None:
                    events.telemetry.found(self._event(call), reader.findings)

    def context(self) -> Mapping[str, str]:
        """The HTTP headers of one attempt that carry the context of a trace."""
        return {} if events.telemetry is None else events.telemetry.headers()

    def run(self, call: Call, attempt: Callable[[timedelta], T]) -> T:
        """Call `attempt(offset)` until it succeeds; `offset` is to be added to the time that is signed.

        An attempt reads `call.limits`, and calls `call.arrived` with the head of its response. Raises what
        the last attempt raised, or AmbiguousOutcome for a write that may have been processed; ClientClosed
        after `close`.
        """
        if events.telemetry is None:
            return self._run(call, attempt)
        with events.telemetry.call(self._event(call)):
            return self._run(call, attempt)

    def _run(self, call: Call, attempt: Callable[[timedelta], T]) -> T:
        limits, most = call.limits, self._policy.attempts

        def numbered(number: int) -> T:
            self.check_open(call.name)
            call.number = number
            call.limits = limits.of_attempt(number, most, safe=call.safe)
            with outcome.classified(call.name, call.request_id, safe=call.safe):
                return self._with_credentials(call, attempt)

        try:
            return call_with_retries(
                numbered,
                safe=call.safe,
                deadline=call.deadline,
                clock=self.clock,
                policy=self._policy,
                quota=self.quota,
                is_transient=self._is_transient,
                random=self.random,
                operation=call.name,
                on_retry=lambda error, wait: self._events.retried(
                    self._event(call, error, self.clock.monotonic() - call.attempt_began_at), wait
                ),
            )
        except SoapClientError as error:
            error.request_id = call.request_id
            self._events.failed(self._event(call, error, self.clock.monotonic() - call.began_at))
            raise

    def _with_credentials(self, call: Call, attempt: Callable[[timedelta], T]) -> T:
        """One attempt; and one more where its credentials were refused and there are others by now, which
        also writes survive."""
        if self._lease is None:
            return self._in_time(call, attempt)
        used = self._lease.current()
        try:
            return self._in_time(call, attempt)
        except AuthenticationError:
            if not self._lease.renewed(used):
                raise
        return self._in_time(call, attempt)

    def _in_time(self, call: Call, attempt: Callable[[timedelta], T]) -> T:
        """One attempt; and two more at most where a wrong clock explains the refusal, which also writes
        survive. The second is for a clock that was set between the first and its response."""
        if self.skew is None:
            return self._once(call, attempt, timedelta(0))
        offset, left = self.skew.offset, _CORRECTIONS
        while True:
            before = self.clock.now()
            try:
                value = self._once(call, attempt, offset)
                break
            except AuthenticationError:
                found = self.skew.correction(offset, call.date, before, self.clock.now())
                if found is None or not left:
                    raise
                offset, left = found, left - 1
        if left < _CORRECTIONS:
            self.skew.proved(offset)
        # Only now is it known to be the service's Date, and no gateway's.
        self.skew.saw(call.date, call.arrived_at)
        return value

    def _once(self, call: Call, attempt: Callable[[timedelta], T], offset: timedelta) -> T:
        call.begin()
        if events.telemetry is None:
            return self._heard(call, attempt, offset)
        with events.telemetry.attempt(lambda: self._event(call)):
            return self._heard(call, attempt, offset)

    @contextmanager
    def concealing(self) -> Iterator[None]:
        """Errors that leave this say nothing of what was sent: see `redaction.conceal`."""
        try:
            yield
        except Exception as error:
            self.conceal(error)
            raise

    def conceal(self, error: BaseException) -> None:
        """Take what was sent out of an error on its way to whoever called."""
        own = (text for name, text in self.options.headers.items() if is_secret(name))
        conceal(error, {*self._secrets(), *own})

    def _heard(self, call: Call, attempt: Callable[[timedelta], T], offset: timedelta) -> T:
        if not self._events.wanted:
            try:
                return attempt(offset)
            except Exception as error:
                self.conceal(error)
                raise
        self._events.begun(self._event(call))
        begun, failed = self.clock.monotonic(), None
        try:
            return attempt(offset)
        except BaseException as error:
            self.conceal(error)
            failed = error
            raise
        finally:
            self._events.ended(self._event(call, failed, self.clock.monotonic() - begun))

    def _event(self, call: Call, error: BaseException | None = None, seconds: float | None = None) -> Attempt:
        response = call.response
        return Attempt(
            service=self._names[0],
            operation=call.name,
            protocol=self._names[1],
            address=self._address,
            request_id=call.request_id,
            number=call.number,
            status=None if response is None else response.status,
            seconds=seconds,
            sent=call.sent_bytes,
            received=None if response is None else response.received,
            error=error,
            method=call.method,
        )
