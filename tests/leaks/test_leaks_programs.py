"""Leak tests besides the client: the command line, recordings, telemetry, tasks of a cluster."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

import distributed
import pytest
from click.testing import CliRunner
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from soapclient import Client, Settings, otel
from soapclient.cli.application import COMMANDS, cli
from soapclient.testing import record, replay
from soapclient.tracking.backfill import run as backfills

from .canaries import Canaries, check_clean
from .places import Places
from .runs import DAY, plan_of, tried
from .service import FAULTS, Act, Echo, broken, challenge, drop, fault, page, refused
from .test_leaks_client import CONNECT_ID

pytestmark = pytest.mark.exhaustive

WAYS: Final[Mapping[str, Mapping[str, str]]] = {
    "SOAP": {},
    "REST": {"SOAPCLIENT_PUBLISHER_PROTOCOL": "rest", "SOAPCLIENT_REST_SIGNATURE": "query"},
}


_STARTS: Final = frozenset({"subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec"})
_started: Final[list[str]] = []
sys.addaudithook(lambda event, _: _started.append(event) if event in _STARTS else None)


class Keyring(ModuleType):
    """A replacement for the keyring package. It holds one secret key."""

    def __init__(self, key: str) -> None:
        super().__init__("keyring")
        self.get_password: Callable[[str, str], str] = lambda service, user: key


@pytest.fixture
def canaries() -> Canaries:
    return Canaries()


@pytest.fixture
def echo(canaries: Canaries, monkeypatch: pytest.MonkeyPatch) -> Iterator[Echo]:
    """A service whose account has its key in the machine's keyring."""
    key = canaries.new("the key in the keyring")
    monkeypatch.setitem(sys.modules, "keyring", Keyring(key))
    service = Echo(canaries, CONNECT_ID, key)
    with service.served():
        yield service


def environ(echo: Echo, canaries: Canaries) -> dict[str, str]:
    return {
        "SOAPCLIENT_CONNECT_ID": CONNECT_ID,
        "SOAPCLIENT_KEYRING": "shop",
        "SOAPCLIENT_PUBLISHER_URL": echo.url,
        "SOAPCLIENT_DATA_URL": echo.url,
        "SOAPCLIENT_HEADERS": f"X-Api-Key={canaries.new('a key in a header', '+/&<%~')}",
        "SOAPCLIENT_PROXY_CREDENTIALS": f"me:{canaries.new('the password of a proxy')}",
        "SOAPCLIENT_ATTEMPTS": "1",
    }


@pytest.mark.parametrize("way", WAYS)
def test_no_command_prints_a_secret(way: str, echo: Echo, canaries: Canaries, tmp_path: Path) -> None:
    places, env = Places(), {**environ(echo, canaries), **WAYS[way]}
    env["SOAPCLIENT_STATE_DIR"] = str(tmp_path / "state")
    env["SOAPCLIENT_DRIFT_LOG"] = str(tmp_path / "drift.jsonl")
    called = ["call", "publisher", "GetProfile"]
    kept = ["--trace", "--save", str(tmp_path / "kept")]
    order = ["export", "click", "--from", str(DAY), "--to", str(DAY), "-o", str(tmp_path / "clicks.csv.gz")]
    runs: list[tuple[list[str], Act | None]] = [
        *(([name, "--help"], None) for name in COMMANDS),
        (["config"], None),
        (["operations"], None),
        ([*called, *kept], None),
        *(([*called, "--trace"], act) for act in (fault, page, challenge, broken, drop)),
        *((["--debug", *called], act) for act in (refused, page, broken)),
        (["--debug", *called, "nonsense=1"], None),
        (["--debug", "--config", str(tmp_path / "none.toml"), "config"], None),
        (order, None),
        (["--debug", "doctor", "--nonsense"], None),
        (["--debug", *order, "--reorder"], fault),
    ]
    _started.clear()
    with places.listening("a command"):
        for words, act in runs:
            echo.acts.extend([] if act is None else [act])
            done = CliRunner().invoke(cli, words, env=env)
            echo.acts.clear()
            places.keep(f"output of {' '.join(words[:4])}", done.output)
            if isinstance(done.exception, Exception):
                places.error(" ".join(words[:3]), done.exception)
            assert (done.exit_code == 0) == (act is None and "--debug" not in words), done.output
    assert _started == []  # so no process arguments can leak anything
    places.folder("what commands left", tmp_path)
    allowed = "^what commands left: kept$"  # the body of a response, unchanged
    check_clean(places.kept, canaries, [allowed])


def test_sign_command_prints_the_signature(echo: Echo, canaries: Canaries) -> None:
    """It is the only command that does so, and it does not show the key."""
    words = ["sign", "soap", "publisher", "GetProfile", "--json"]
    done = CliRunner().invoke(cli, words, env=environ(echo, canaries))
    assert len(json.loads(done.output)["signature"]) == 28
    check_clean([("output", done.output.encode())], canaries)


def client_of(echo: Echo, canaries: Canaries, way: str) -> Client:
    return Client(Settings.load(environ={**environ(echo, canaries), **WAYS[way]}))


@pytest.mark.parametrize("way", WAYS)
def test_recordings_spans_and_metrics_hold_no_secret(
    way: str, echo: Echo, canaries: Canaries, tmp_path: Path
) -> None:
    places, spans, metrics = Places(), InMemorySpanExporter(), InMemoryMetricReader()
    tracers, meters = TracerProvider(), MeterProvider([metrics])
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    otel.instrument(tracer_provider=tracers, meter_provider=meters, send_context=True)
    try:
        with client_of(echo, canaries, way) as client, record(tmp_path) as recording:
            publisher = client.publisher
            for act in (None, *(each for each in FAULTS if each.__name__ != "hang")):
                echo.acts.extend([] if act is None else [act])
                tried(places, str(act), publisher.get_profile)
                echo.acts.clear()
        places.value("the recording", recording.exchanges)
        with client_of(echo, canaries, way) as again, replay(tmp_path):
            again.publisher.get_profile()
            tried(places, "replayed", lambda: again.publisher.get_sale(sale_id="none"))
    finally:
        otel.uninstrument()
    places.folder("recording", tmp_path)
    for span in spans.get_finished_spans():
        places.keep("span", str(span.to_json()))
    data = metrics.get_metrics_data()
    places.keep("metrics", "" if data is None else data.to_json())
    tracers.shutdown()
    meters.shutdown()
    assert len(spans.get_finished_spans()) > 10
    assert len(recording.exchanges) > 8
    check_clean(places.kept, canaries)


@pytest.mark.filterwarnings("default")  # a cluster warns about its own sockets when it ends
def test_cluster_receives_no_secret(
    echo: Echo, canaries: Canaries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the scheduler nor the tasks contain secrets. Workers have them in their own environment."""
    for name, text in environ(echo, canaries).items():
        monkeypatch.setenv(name, text)
    monkeypatch.setenv("SOAPCLIENT_SECRET_KEY", echo.key)
    places = Places()
    # distributed is partly typed
    cluster_of: Callable[..., distributed.LocalCluster] = distributed.LocalCluster
    client_of_it: Callable[..., distributed.Client] = distributed.Client
    local = {"n_workers": 1, "processes": False, "dashboard_address": None, "local_directory": str(tmp_path)}
    with places.listening("a backfill"), cluster_of(**local) as cluster, client_of_it(cluster) as dask:
        executor = dask.get_executor(pure=False)
        summary = backfills.backfill(plan_of(tmp_path), executor)
        told = cluster.scheduler
        for what in (told.tasks, list(told.transition_log), told.identity()):
            places.keep("the scheduler", repr(what))
        places.value("the summary", summary)
    assert summary.done == 1, summary
    for folder in ("data", "work"):
        places.folder(folder, tmp_path / folder)
    check_clean(places.kept, canaries)
