"""On a closed client or connection, every call raises an error and sends nothing."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from soapclient import Client, Settings
from soapclient.errors import ClientClosed
from soapclient.tracking.client import ProtocolName
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, JobSteps, Sandbox, serve

DAY = dt.date(2026, 11, 1)
CALLS: dict[str, Callable[[Client], object]] = {
    "a read": lambda client: client.publisher.get_profile(),
    "a write": lambda client: client.data.create_report_job(report_type="click", from_date=DAY, to_date=DAY),
    "a stream": lambda client: client.data.stream.get_jobs().__enter__(),
    "pages": lambda client: list(client.data.iterate.get_jobs()),
    "an order": lambda client: client.data.export(report_type="click", from_date=DAY, to_date=DAY),
}
OF_SOAP: dict[str, Callable[[Client], object]] = {
    "zeep": lambda client: client.publisher.zeep.GetProfile(),
    "zeep's client, with types": lambda client: client.publisher.soap.service.GetProfile(),
}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    at_once = JobSteps(running=dt.timedelta(0), done=dt.timedelta(0))
    with Sandbox(clicks_per_day=5, job_steps=at_once) as sandbox:
        yield sandbox


@pytest.fixture
def config(sandbox: Sandbox, tmp_path: Path) -> Iterator[Settings]:
    with serve(sandbox) as serving:
        yield Settings(
            connect_id=SAMPLE_CONNECT_ID,
            secret_key=SAMPLE_SECRET_KEY,
            publisher_url=serving.url,
            data_url=serving.url,
            state_dir=str(tmp_path / "state"),
        )


def heard(sandbox: Sandbox) -> list[str]:
    """Record the requested paths from now on."""
    paths: list[str] = []

    def note(request: Request) -> Response | None:
        paths.append(request.path)
        return None

    sandbox.interfere = note
    return paths


@pytest.mark.sampled(2)
@pytest.mark.parametrize("used", [True, False])
@pytest.mark.parametrize("protocol", ["soap", "rest"])
def test_calls_after_close_are_errors(
    sandbox: Sandbox, config: Settings, protocol: ProtocolName, used: bool
) -> None:
    client = Client(dataclasses.replace(config, state_dir=None), protocol=protocol)
    calls = CALLS | (OF_SOAP if protocol == "soap" else {})
    if used:
        for call in calls.values():
            call(client)
    client.close()
    client.close()
    paths = heard(sandbox)
    for name, call in calls.items():
        with pytest.raises(ClientClosed, match="the client was closed"):
            pytest.fail(f"{name}: {call(client)}")
    assert paths == []


def test_order_after_close_is_not_pending(config: Settings) -> None:
    """Another client can order without searching for a job that was never created."""
    client = Client(config)
    client.close()
    with pytest.raises(ClientClosed):
        client.data.export(report_type="click", from_date=DAY, to_date=DAY)
    with Client(config) as again:
        ledger = again.data.exports.state()
        assert ledger is not None
        assert ledger.pending() == ()


def test_earlier_exports_are_errors_after_close(sandbox: Sandbox, config: Settings, tmp_path: Path) -> None:
    with Client(config) as client:
        export = client.data.export(report_type="click", from_date=DAY, to_date=DAY)
    paths = heard(sandbox)
    steps: list[Callable[[], object]] = [
        export.status,
        export.wait,
        lambda: export.download(tmp_path / "clicks.csv.gz"),
        lambda: client.data.exports.resume(export.handle).wait(),
    ]
    for step in steps:
        with pytest.raises(ClientClosed):
            step()
    assert paths == []
    assert list(tmp_path.glob("clicks*")) == []
    sandbox.interfere = None
    with Client(config) as again:
        assert again.data.exports.resume(export.handle).download(tmp_path / "clicks.csv.gz").row_count == 5


def test_retry_is_not_sent_after_close(sandbox: Sandbox, config: Settings) -> None:
    client = Client(config, protocol="rest", random=lambda: 0.0)
    paths: list[str] = []

    def close(request: Request) -> Response:
        paths.append(request.path)
        client.close()
        return Response(status=503)

    sandbox.interfere = close
    with pytest.raises(ClientClosed):
        client.publisher.get_profile()
    assert len(paths) == 1
