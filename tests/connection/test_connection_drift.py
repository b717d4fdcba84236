"""Content of responses beyond the WSDL: a warning, an error or neither, and a log for `soapclient drift`."""

from __future__ import annotations

import hashlib
import json
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from soapclient import Settings
from soapclient.cli.application import cli
from soapclient.errors import AmbiguousOutcome, ConnectionFailed, ResponseError, ServiceFault
from tests.connection.conftest import SPACE, WHOLE
from tests.support.soap import envelope, fault

SAFE = frozenset({"GetWeather"})
DRIFTING = WHOLE.replace("clear", "purple").replace("</Get", '<wind at="night"/></Get')


@pytest.fixture
def answers(recorder: Any) -> Any:
    """Set the next response of the service."""
    return lambda *bodies: [recorder.answers(envelope(body), 200, "text/xml") for body in bodies]


def test_drift_error_replaces_no_fault_and_truncated_responses_are_not_counted(
    recorder: Any, answers: Any, open_weather: Any
) -> None:
    connection = open_weather(settings=Settings(drift="error", attempts=1))
    detail = f'<w:CityUnknown xmlns:w="{SPACE}"><w:city>X</w:city><w:odd/></w:CityUnknown>'
    answers(fault("s:Client", "x", detail))
    with pytest.raises(ServiceFault):
        connection.get_weather(city="Berlin")
    paths = [finding.path for _, finding in connection.drift.counts()]
    assert [path.rpartition("/")[2] for path in paths] == ["odd"]
    recorder.answers(envelope(DRIFTING)[:-40], 200, "text/xml")
    with pytest.raises(AmbiguousOutcome):
        connection.get_weather(city="Berlin")
    assert len(connection.drift.counts()) == 1


def test_drift_log_names_the_contract_and_the_command_summarises_it(
    answers: Any, open_weather: Any, tmp_path: Path
) -> None:
    log = tmp_path / "drift.jsonl"
    settings = Settings(drift="tolerate", drift_log=log)
    connection = open_weather(settings=settings)
    answers(*[DRIFTING] * 3)
    for _ in range(3):
        connection.get_weather(city="Berlin")
    connection.close()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    sha256 = hashlib.sha256(resources.files("weather").joinpath("contract.wsdl").read_bytes()).hexdigest()
    assert {(line["contract"], line["version"], line["sha256"]) for line in lines} == {
        ("weather", "", sha256)
    }
    assert {line["service"] for line in lines} == {"WeatherService"}  # the name in the WSDL
    done = CliRunner().invoke(cli, ["drift", str(log), "--json"])
    assert done.exit_code == 1, done.output
    found = json.loads(done.stdout)["findings"]
    assert {(each["kind"], each["path"], each["times"]) for each in found} == {
        ("element", "GetWeatherResponse/wind", 3),
        ("value", "GetWeatherResponse/sky", 3),
    }
    assert "weather" in CliRunner().invoke(cli, ["drift", str(log)]).stdout


def test_failing_header_listener_causes_no_further_attempt(app: Any, open_served: Any) -> None:
    def hear(operation: str, values: object) -> None:
        raise ConnectionFailed("https://elsewhere.example/", "a call of its own")

    connection = open_served(on_headers=hear, settings=Settings(safe=SAFE))
    session = import_module("weather.types").Session(token="abc")
    with pytest.raises(ConnectionFailed, match="elsewhere"):
        connection.get_weather(city="Rome", session_header=session)
    assert len(app.bodies) == 1


@pytest.mark.parametrize("policy", ["error", "skip"])
def test_an_invalid_optional_value_is_an_error_or_skipped(
    answers: Any, open_weather: Any, policy: Any
) -> None:
    settings = Settings(on_invalid_value=policy)
    connection = open_weather(settings=settings)
    answers(WHOLE.replace("</Get", "<seen>2026-11-20T24:00:01</seen><station>A</station></Get"))
    if policy == "error":
        with pytest.raises(ResponseError, match="set 'on_invalid_value' to 'skip'"):
            connection.get_weather(city="Berlin")
        return
    found = connection.get_weather(city="Berlin")
    assert (found.degrees, found.seen, found.station) == (1, None, ["A"])
    assert [tuple(finding) for _, finding in connection.drift.counts()] == [
        ("value", "GetWeatherResponse/seen", "2026-11-20T24:00:01")
    ]
