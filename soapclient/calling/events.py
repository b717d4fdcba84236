"""Reports of call events to hooks and to the log. They never contain a body, a signature or a secret."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Protocol

from soapclient._support.redaction import shown
from soapclient.errors import (
    ConfigError,
    ConnectionFailed,
    ContractError,
    ServiceFault,
    SoapClientError,
    Timeout,
)
from soapclient.runtime import Finding

log: Final = logging.getLogger("soapclient.calls")
# Without this handler, programs without logging would get warnings on stderr about errors they handle anyway.
log.addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt of a call, passed to hooks.

    - `seconds`: the duration; None until the attempt has ended.
    - `status`: the HTTP status; None if there is no response.
    - `sent`, `received`: sizes of the bodies in bytes. `received` counts the decompressed bytes read.
    - `error`: the exception raised by the attempt.
    - `method`: the HTTP method.
    - `request_id`: the same for all attempts of a call.

    >>> from soapclient import Client
    >>> from soapclient.connection import Attempt
    >>> def show(attempt: Attempt) -> None:
    ...     if attempt.seconds is not None:  # it has ended
    ...         print(attempt.operation, attempt.number, attempt.status)
    >>> with Client(on_attempt=show) as client:
    ...     profile = client.publisher.get_profile()
    GetProfile 1 200
    """

    service: str
    operation: str
    protocol: str
    address: str
    request_id: str
    number: int
    status: int | None = None
    seconds: float | None = None
    sent: int | None = None
    received: int | None = None
    error: BaseException | None = None
    method: str = "POST"

    @property
    def error_id(self) -> str | None:
        """The id that the service gave to its fault. Quote it when you ask the service's support."""
        return getattr(self.error, "error_id", None)


OnAttempt = Callable[[Attempt], None]
OnRetry = Callable[[str, float], None]  # called with the reason of a retry, and the wait before it in seconds
# Called with an operation's name and the values of the declared headers of its response.
OnHeaders = Callable[[str, Mapping[str, object]], None]


class Telemetry(Protocol):
    """Interface for traces and metrics of all calls of this process. `soapclient.otel` implements it."""

    def call(self, attempt: Attempt, /) -> AbstractContextManager[None]:
        """Return a context manager for a call.

        It is entered before the first attempt and exited after the last one.
        """

    def attempt(self, current: Callable[[], Attempt], /) -> AbstractContextManager[None]:
        """Return a context manager for one attempt. `current()` returns the `Attempt`."""

    def headers(self) -> Mapping[str, str]:
        """Return the HTTP headers that send the trace context with the current attempt."""

    def retried(self, attempt: Attempt, /) -> None:
        """Called when an attempt failed and will be retried."""

    def found(self, attempt: Attempt, findings: Mapping[Finding, int], /) -> None:
        """Called with the drift findings of a response: each finding with its number of occurrences."""


telemetry: Telemetry | None = None
"""The receiver of the events of all calls, set by `soapclient.otel.instrument`; None without it."""

_on_retry: Final[ContextVar[OnRetry | None]] = ContextVar("_on_retry", default=None)


@contextmanager
def listening_to_retries(on_retry: OnRetry) -> Iterator[None]:
    """Context manager that calls `on_retry(reason, wait in seconds)` for each retry of a call inside it."""
    token = _on_retry.set(on_retry)
    try:
        yield
    finally:
        _on_retry.reset(token)


def refuse_coroutines(**hooks: object) -> None:
    """Raise ConfigError if a hook is a coroutine function, or neither None nor a function.

    The result of a coroutine function would never be awaited. The keywords are the names of the hooks.
    """
    for name, hook in hooks.items():
        if hook is None:
            continue
        if not callable(hook):
            raise ConfigError(name, f"must be a function, got {shown(hook)}", "Pass a function, or None")
        if any(map(inspect.iscoroutinefunction, (hook, type(hook).__call__))):
            problem = "must be a function, got a coroutine function, which would not be awaited"
            raise ConfigError(
                name,
                problem,
                "Pass a function without async; it can use asyncio.run_coroutine_threadsafe",
            )


class Events:
    """Reports the calls of one engine to hooks and to the log. Thread-safe."""

    def __init__(self, on_attempt: OnAttempt | None = None, on_response: OnAttempt | None = None) -> None:
        self._on_attempt = on_attempt
        self._on_response = on_response

    @property
    def wanted(self) -> bool:
        """True if each attempt must be reported, because there is a hook or the log level is DEBUG."""
        return bool(self._on_attempt or self._on_response) or log.isEnabledFor(logging.DEBUG)

    def begun(self, attempt: Attempt) -> None:
        """Report the start of an attempt."""
        _call_hook("on_attempt", self._on_attempt, attempt)

    def ended(self, attempt: Attempt) -> None:
        """Report the end of an attempt."""
        response = "no response" if attempt.status is None else f"HTTP status {attempt.status}"
        failed = "" if attempt.error is None else f", {_reason(attempt.error)}"
        log.debug(
            "%s: attempt %d: %s%s, %.0f ms",
            *(attempt.operation, attempt.number, response, failed, 1000 * (attempt.seconds or 0)),
            extra=_fields(attempt),
        )
        if attempt.status is not None:
            _call_hook("on_response", self._on_response, attempt)
        _call_hook("on_attempt", self._on_attempt, attempt)

    def retried(self, attempt: Attempt, wait: float) -> None:
        """Report that an attempt failed and will be retried after `wait` seconds."""
        if telemetry is not None:
            telemetry.retried(attempt)
        why = _reason(attempt.error)
        if (on_retry := _on_retry.get()) is not None:
            on_retry(why, wait)
        log.info(
            "%s: attempt %d failed (%s), retry in %.2f s",
            *(attempt.operation, attempt.number, why, wait),
            extra={**_fields(attempt), "reason": why, "wait": wait},
        )

    def failed(self, attempt: Attempt) -> None:
        """Log that a call failed, unless nothing was sent because its request was invalid."""
        if not isinstance(attempt.error, ContractError):
            why = _reason(attempt.error)
            several = "" if attempt.number == 1 else f" after {attempt.number} attempts"
            extra = {**_fields(attempt), "reason": why}
            log.warning("%s: failed%s (%s)", attempt.operation, several, why, extra=extra)


def _call_hook(name: str, hook: OnAttempt | None, attempt: Attempt) -> None:
    if hook is None:
        return
    try:
        hook(attempt)
    except Exception:  # a failing hook must not make the call fail
        log.exception("the hook %s failed in a call of %s", name, attempt.operation, extra=_fields(attempt))


def _fields(attempt: Attempt) -> dict[str, object]:
    """Return values for the argument `extra` of a log record."""
    return {
        "service": attempt.service,
        "operation": attempt.operation,
        "protocol": attempt.protocol,
        "attempt": attempt.number,
        "status": attempt.status,
        "milliseconds": None if attempt.seconds is None else round(1000 * attempt.seconds, 3),
        "bytes": attempt.received,
        "request_id": attempt.request_id,
        "error_id": attempt.error_id,
    }


def _reason(error: BaseException | None) -> str:
    """Return why a call failed, without texts of the service, because they could quote the request."""
    error = error.__cause__ or error if type(error).__name__ == "AmbiguousOutcome" and error else error
    name = type(error).__name__
    match error:
        case Timeout():
            return f"{name}: no complete response within {error.seconds:g} seconds"
        case ConnectionFailed():
            return f"{name}: {error.reason}"
        case ServiceFault():
            return f"{name} {error.fault_code or error.code}"
        case SoapClientError() if (status := getattr(error, "status", None)) is not None:
            return f"{name}: HTTP status {status}"
    return name
