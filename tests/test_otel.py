"""Spans and metrics of calls, with the in-memory exporters of OpenTelemetry's own SDK."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from werkzeug.wrappers import Request, Response

from soapclient import Client, Settings, connect, otel
from soapclient.auth.credentials import Credentials
from soapclient.calling.events import Attempt
from soapclient.errors import ServiceFault
from soapclient.tracking.client import ProtocolName
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from zxws.publisher.service import PublisherService

DAY = dt.date(2026, 11, 1)


class Telemetry:
    """The exported spans and metrics."""

    def __init__(self) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracers, self.meters = TracerProvider(), MeterProvider([self.reader])
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))

    def instrument(self, *, send_context: bool = False) -> None:
        otel.instrument(tracer_provider=self.tracers, meter_provider=self.meters, send_context=send_context)

    def spans(self) -> tuple[ReadableSpan, ...]:
        """In the order in which they ended: the attempts, then their call."""
        return self.exporter.get_finished_spans()

    def points(self, name: str) -> list[HistogramDataPoint | NumberDataPoint]:
        data = self.reader.get_metrics_data()
        assert data is not None
        return [
            point  # type: ignore[misc]  # without exponential histograms
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        ]


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    found = Telemetry()
    yield found
    otel.uninstrument()
    found.tracers.shutdown()
    found.meters.shutdown()


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(clicks_per_day=5) as sandbox:
        yield sandbox


@pytest.fixture
def url(sandbox: Sandbox) -> Iterator[str]:
    with serve(sandbox) as serving:
        yield serving.url


def client(
    url: str,
    protocol: ProtocolName,
    secret_key: str = SAMPLE_SECRET_KEY,
    *,
    stream_above: int | None = None,
) -> Client:
    config = Settings(connect_id=SAMPLE_CONNECT_ID, secret_key=secret_key, publisher_url=url, data_url=url)
    return Client(config, protocol=protocol, random=lambda: 0.0, stream_above=stream_above)


@pytest.mark.parametrize(("protocol", "method"), [("soap", "POST"), ("rest", "GET")])
def test_call_and_attempt_have_spans(
    telemetry: Telemetry, url: str, protocol: ProtocolName, method: str
) -> None:
    telemetry.instrument()
    with client(url, protocol) as ours:
        ours.publisher.get_profile()
    attempt, call = telemetry.spans()
    server = {"server.address": "127.0.0.1", "server.port": int(url.rpartition(":")[2])}
    assert (attempt.name, call.name) == (method, "publisher/GetProfile")
    assert attempt.kind == call.kind == SpanKind.CLIENT
    assert call.parent is None
    assert attempt.parent is not None
    assert attempt.parent.span_id == call.context.span_id
    assert call.attributes is not None
    assert len(str(call.attributes["soapclient.request_id"])) >= 16
    rpc = {"rpc.system.name": protocol, "rpc.method": "publisher/GetProfile", **server}
    assert {name: call.attributes[name] for name in rpc} == rpc
    http = {"http.request.method": method, "http.response.status_code": 200, **server}
    assert attempt.attributes is not None
    assert {name: attempt.attributes[name] for name in http} == http
    assert str(attempt.attributes["url.full"]).startswith(url)
    assert int(str(attempt.attributes["http.response.body.size"])) > 100
    assert attempt.status.status_code == call.status.status_code == StatusCode.UNSET
    (calls,), (requests,) = (
        telemetry.points(f"{name}.duration") for name in ("rpc.client.call", "http.client.request")
    )
    assert (calls.attributes, requests.attributes) == (rpc, http)
    assert isinstance(calls, HistogramDataPoint)
    assert isinstance(requests, HistogramDataPoint)
    assert calls.count == requests.count == 1
    assert calls.sum >= requests.sum > 0
    text = " ".join(span.to_json() for span in telemetry.spans())
    assert SAMPLE_CONNECT_ID not in text


def test_retries_are_attempts_of_one_call(telemetry: Telemetry, sandbox: Sandbox, url: str) -> None:
    telemetry.instrument()
    statuses = [503, 503]
    sandbox.interfere = lambda _: Response("busy", status=statuses.pop()) if statuses else None
    with client(url, "rest") as ours:
        ours.publisher.get_profile()
    *attempts, call = telemetry.spans()
    found = [each.attributes or {} for each in (*attempts, call)]
    assert [each.get("http.response.status_code") for each in found[:-1]] == [503, 503, 200]
    assert [each.get("http.request.resend_count") for each in found[:-1]] == [None, 1, 2]
    assert [each.get("error.type") for each in found] == ["503", "503", None, None]
    assert [each.status.status_code for each in attempts] == [StatusCode.ERROR] * 2 + [StatusCode.UNSET]
    assert {each.parent and each.parent.span_id for each in attempts} == {call.context.span_id}
    (retries,) = telemetry.points("soapclient.retries")
    assert isinstance(retries, NumberDataPoint)
    assert (retries.value, retries.attributes) == (2, {"rpc.method": "publisher/GetProfile"})


def test_span_of_a_failed_call_has_the_error_type_without_the_text(telemetry: Telemetry, url: str) -> None:
    telemetry.instrument()
    with client(url, "soap", secret_key="another secret") as ours, pytest.raises(ServiceFault) as caught:
        ours.publisher.get_profile()
    *_, call = telemetry.spans()
    assert call.attributes is not None
    assert call.attributes["error.type"] == type(caught.value).__name__
    assert call.attributes["rpc.response.status_code"] == str(caught.value.fault_code or caught.value.code)
    assert call.status.status_code == StatusCode.ERROR
    assert call.status.description is None
    assert call.events == ()


@pytest.mark.parametrize("protocol", ["soap", "rest"])
@pytest.mark.parametrize("enabled", [True, False])
def test_context_is_propagated_if_enabled(
    telemetry: Telemetry, sandbox: Sandbox, url: str, protocol: ProtocolName, enabled: bool
) -> None:
    telemetry.instrument(send_context=enabled)
    heard: list[str | None] = []

    def note(request: Request) -> Response | None:
        heard.append(request.headers.get("traceparent"))
        return Response("busy", status=503) if len(heard) == 1 else None

    sandbox.interfere = note
    with client(url, protocol) as ours, telemetry.tracers.get_tracer("tests").start_as_current_span("order"):
        ours.publisher.get_profile()
    first, second, call, order = telemetry.spans()
    assert call.parent is not None
    assert call.parent.span_id == order.context.span_id
    # W3C Trace Context: version, trace, parent, and flags, whose last bit means sampled
    sent = [f"00-{each.context.trace_id:032x}-{each.context.span_id:016x}" for each in (first, second)]
    assert [each and each.rpartition("-")[0] for each in heard] == (sent if enabled else [None, None])
    assert all(each is None or int(each[-2:], 16) & 1 for each in heard)


def test_findings_of_drift_are_counted(telemetry: Telemetry, sandbox: Sandbox, url: str) -> None:
    telemetry.instrument()

    def more(request: Request) -> Response | None:
        sandbox.interfere = None
        known = sandbox.answer(request)
        text = known.get_data(as_text=True).replace("<profileItem", "<mood/><profileItem", 1)
        sandbox.interfere = more
        return Response(text, status=200, content_type=known.content_type)

    sandbox.interfere = more
    with client(url, "rest") as ours:
        ours.publisher.get_profile()
        assert sum(ours.drift.counts().values()) == 1
    (found,) = telemetry.points("soapclient.drift.findings")
    assert isinstance(found, NumberDataPoint)
    assert found.value == 1
    assert found.attributes == {"rpc.method": "publisher/GetProfile", "soapclient.drift.kind": "element"}


def test_findings_of_a_retried_response_are_counted_once(
    telemetry: Telemetry, sandbox: Sandbox, url: str
) -> None:
    telemetry.instrument()
    ends = [-20, None]  # the first response is truncated

    def unknown_elements(request: Request) -> Response | None:
        sandbox.interfere = None
        known = sandbox.answer(request)
        text = known.get_data(as_text=True).replace("</saleItem>", "<mood/></saleItem>")
        sandbox.interfere = unknown_elements
        return Response(text[: ends.pop(0)], status=200, content_type=known.content_type)

    sandbox.interfere = unknown_elements
    with client(url, "rest", stream_above=0) as ours:
        sales = ours.publisher.get_sales(date=DAY, date_type="trackingDate").sale_items
    assert sales
    assert not ends
    (found,) = telemetry.points("soapclient.drift.findings")
    assert isinstance(found, NumberDataPoint)
    assert found.value == len(sales)


def test_nothing_is_traced_after_uninstrument(telemetry: Telemetry, url: str) -> None:
    telemetry.instrument()
    otel.uninstrument()
    with client(url, "rest") as ours:
        ours.publisher.get_profile()
    assert telemetry.spans() == ()


@pytest.mark.exhaustive
def test_unused_parts_are_not_imported() -> None:
    code = "import sys, soapclient.tracking.client, soapclient.connection, soapclient.rest.engine"
    code += ", soapclient.soap.client"
    code += "; print([name for name in sys.modules if name.startswith('opentelemetry')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_keys_in_the_address_are_not_shown(telemetry: Telemetry, url: str) -> None:
    telemetry.instrument()
    address, key = f"{url}/soap/2011-03-01", "a-key-in-the-query"
    events: list[Attempt] = []
    with connect(
        PublisherService,
        address=f"{address}?apikey={key}&v=2",
        credentials=Credentials(SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY),
        on_attempt=events.append,
    ) as publisher:
        publisher.get_profile()
    attempt, _ = telemetry.spans()
    assert attempt.attributes is not None
    assert attempt.attributes["url.full"] == f"{address}?apikey=[hidden]&v=[hidden]"
    assert {event.address for event in events} == {f"{address}?apikey=[hidden]&v=[hidden]"}
    assert key not in " ".join(span.to_json() for span in telemetry.spans())
