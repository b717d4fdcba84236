"""Traces and metrics of calls for OpenTelemetry. Call `instrument()` once, before or after creating clients.

Needs the extra `otel`. Programs that do not call `instrument()` do not import OpenTelemetry.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit

from opentelemetry import metrics, propagate, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from soapclient import __version__
from soapclient.calling import events
from soapclient.calling.events import Attempt
from soapclient.errors import ServiceFault
from soapclient.runtime import Finding

__all__ = ["instrument", "uninstrument"]

_NAME: Final = "soapclient"
_SCHEMA: Final = "https://opentelemetry.io/schemas/1.37.0"
# Histogram buckets of the HTTP conventions, seconds.
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)

Attributes = dict[str, str | int]


def instrument(
    *,
    tracer_provider: trace.TracerProvider | None = None,
    meter_provider: metrics.MeterProvider | None = None,
    send_context: bool = False,
) -> None:
    """Trace and measure the calls of all clients and connections of this process.

    - Spans: a span `Service/Operation` for each call, as in OpenTelemetry's RPC conventions. It has a child
      span for each attempt, as in the HTTP conventions.
    - Metrics: `rpc.client.call.duration` and `http.client.request.duration` in seconds, `soapclient.retries`
      and `soapclient.drift.findings`.
    - `send_context`: the configured propagators add the context of the attempt to the HTTP headers of each
      request (`traceparent`).

    The providers default to OpenTelemetry's global providers. Spans and metrics never contain a body, a
    signature, a query or a secret.

    >>> from soapclient import Client, otel
    >>> otel.instrument()  # uses the global providers
    >>> with Client() as client:
    ...     profile = client.publisher.get_profile()  # with spans and metrics
    >>> otel.uninstrument()
    """
    events.telemetry = _OpenTelemetry(tracer_provider, meter_provider, send_context)


def uninstrument() -> None:
    """Undo `instrument`: later calls are not traced or measured.

    >>> from soapclient import otel
    >>> otel.instrument()
    >>> otel.uninstrument()
    """
    events.telemetry = None


class _OpenTelemetry:
    """Receives the events of calls, and records them as OpenTelemetry spans and metrics."""

    def __init__(
        self,
        tracer_provider: trace.TracerProvider | None,
        meter_provider: metrics.MeterProvider | None,
        send_context: bool,
    ) -> None:
        self._tracer = trace.get_tracer(_NAME, __version__, tracer_provider, _SCHEMA)
        meter = metrics.get_meter(_NAME, __version__, meter_provider, _SCHEMA)
        self._calls = meter.create_histogram(
            "rpc.client.call.duration",
            unit="s",
            description="Duration of a call with all its attempts.",
            explicit_bucket_boundaries_advisory=_BUCKETS,
        )
        self._requests = meter.create_histogram(
            "http.client.request.duration",
            unit="s",
            description="Duration of one attempt.",
            explicit_bucket_boundaries_advisory=_BUCKETS,
        )
        self._retries = meter.create_counter(
            "soapclient.retries", unit="{retry}", description="Attempts after a transient error."
        )
        self._findings = meter.create_counter(
            "soapclient.drift.findings",
            unit="{finding}",
            description="Differences between responses and the contract.",
        )
        self._send_context = send_context

    @contextmanager
    def call(self, attempt: Attempt) -> Iterator[None]:
        """Context manager that traces and measures a call with all its attempts.

        `attempt` is the first attempt.
        """
        name = f"{attempt.service}/{attempt.operation}"
        attributes: Attributes = {"rpc.system.name": attempt.protocol.lower(), "rpc.method": name}
        attributes |= _server_attributes(attempt)
        with self._measure(name, attributes, self._calls) as (span, _):
            span.set_attribute("soapclient.request_id", attempt.request_id)
            try:
                yield
            except ServiceFault as error:
                span.set_attribute("rpc.response.status_code", str(error.fault_code or error.code))
                raise

    @contextmanager
    def attempt(self, current: Callable[[], Attempt]) -> Iterator[None]:
        """Context manager that traces and measures one attempt.

        `current` is a function that returns the current state of the attempt.
        """
        begun = current()
        attributes: Attributes = {"http.request.method": begun.method, **_server_attributes(begun)}
        with self._measure(begun.method, attributes, self._requests) as (span, result):
            span.set_attribute("url.full", begun.address)
            if begun.number > 1:
                span.set_attribute("http.request.resend_count", begun.number - 1)
            try:
                yield
            finally:
                ended = current()
                if ended.status is not None:
                    result["http.response.status_code"] = ended.status
                    if ended.status >= 400:
                        result["error.type"] = str(ended.status)
                for key, size in (("request", ended.sent), ("response", ended.received)):
                    if size is not None:
                        span.set_attribute(f"http.{key}.body.size", size)

    @contextmanager
    def _measure(
        self, name: str, known: Attributes, duration: metrics.Histogram
    ) -> Iterator[tuple[Span, Attributes]]:
        """Record a span, and its duration in a histogram (context manager).

        Yields the span and an empty dict, to which the caller can add attributes. These attributes and the
        attributes `known` are recorded with the span and with the duration.
        """
        result: Attributes = {}
        begun = time.perf_counter()
        with self._tracer.start_as_current_span(
            name,
            kind=SpanKind.CLIENT,
            attributes=known,
            record_exception=False,  # the message may quote the response
            set_status_on_exception=False,
        ) as span:
            try:
                yield span, result
            except BaseException as error:
                result.setdefault("error.type", type(error).__name__)
                raise
            finally:
                span.set_attributes(result)
                if "error.type" in result:
                    span.set_status(Status(StatusCode.ERROR))
                duration.record(time.perf_counter() - begun, {**known, **result})

    def headers(self) -> Mapping[str, str]:
        """Return the HTTP headers that send the context of the current span, such as `traceparent`.

        The result is empty if `instrument` was called without `send_context`.
        """
        headers: dict[str, str] = {}
        if self._send_context:
            propagate.inject(headers)
        return headers

    def retried(self, attempt: Attempt) -> None:
        """Count a retry after a failed attempt."""
        self._retries.add(1, {"rpc.method": f"{attempt.service}/{attempt.operation}"})

    def found(self, attempt: Attempt, findings: Mapping[Finding, int]) -> None:
        """Count the drift findings of a response by operation and kind.

        Their paths are not recorded, because the number of different paths is unlimited.
        """
        for finding, times in findings.items():
            method = f"{attempt.service}/{attempt.operation}"
            self._findings.add(times, {"rpc.method": method, "soapclient.drift.kind": finding.kind})


def _server_attributes(attempt: Attempt) -> Attributes:
    parts = urlsplit(attempt.address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return {"server.address": parts.hostname or "", "server.port": port}
