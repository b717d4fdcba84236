"""Auth that inspects responses, such as digest (RFC 7616), works within the same limits."""

from __future__ import annotations

import hashlib
import re
from types import ModuleType
from typing import Any

import pytest
import requests
import requests_mock
from requests.auth import HTTPDigestAuth

from soapclient import Settings
from soapclient.clock import ManualClock
from soapclient.errors import AmbiguousOutcome, AuthenticationError, Timeout, TransportError
from tests.connection.conftest import WHOLE
from tests.support.soap import envelope, fault

READABLE = envelope(WHOLE)
FAULT = envelope(fault("s:Client", "who are you?"))
CHALLENGE = 'Digest realm="r", nonce="n1", qop="auth", algorithm=MD5'
SECRET = "s3cr3t-of-tests"


def _md5(*parts: str) -> str:
    return hashlib.md5(":".join(parts).encode()).hexdigest()


READ = Settings(safe={"GetWeather"})


@pytest.fixture
def service(open_weather: Any) -> Any:
    """A connection with digest auth. Its calls are writes."""
    return open_weather(auth=HTTPDigestAuth("me", SECRET))


@pytest.mark.parametrize("settings", [Settings(), READ])
def test_digest_auth_answers_the_challenge(recorder: Any, open_weather: Any, settings: Settings) -> None:
    auth = HTTPDigestAuth("me", SECRET)
    service = open_weather(auth=auth, settings=settings)
    recorder.answers("x" * 100, 401, "text/html", WWW_Authenticate=CHALLENGE)
    recorder.answers(READABLE, 200, "text/xml")
    assert service.get_weather(city="Berlin").sky == "clear"
    first, second = recorder.sent
    assert "authorization" not in first.headers
    assert first.body == (second.body if settings.safe else b"")  # a write is not sent twice
    assert second.body
    told = dict(re.findall(r'(\w+)="?([^",]+)', second.headers["authorization"].removeprefix("Digest ")))
    inner = ("n1", told["nc"], told["cnonce"], "auth", _md5("POST", told["uri"]))
    assert told["response"] == _md5(_md5("me", "r", SECRET), *inner)


def test_a_write_is_not_sent_again_after_a_challenge_to_it(service: Any, recorder: Any) -> None:
    for _ in range(2):
        recorder.answers("", 401, "text/plain", WWW_Authenticate=CHALLENGE)
        # From a gateway that forwarded the request.
        recorder.answers("", 401, "text/plain", WWW_Authenticate=CHALLENGE)
        with pytest.raises(AmbiguousOutcome):
            service.get_weather(city="Berlin")
    assert [bool(request.body) for request in recorder.sent] == [False, True] * 2
    assert ["authorization" in request.headers for request in recorder.sent] == [False, True] * 2


def test_endless_challenge_body_is_not_read(recorder: Any, open_weather: Any) -> None:
    given: Any = {"auth": HTTPDigestAuth("me", SECRET), "settings": Settings(max_response_bytes=1000)}
    service = open_weather(**given)
    recorder.answers("x" * 2_000_000, 401, "text/html", WWW_Authenticate=CHALLENGE)
    with pytest.raises(TransportError, match="1000 bytes") as caught:
        service.get_weather(city="Berlin")
    assert not caught.value.request_sent  # only the empty request, which asks for the challenge
    assert [request.body for request in recorder.sent] == [b""]


@pytest.mark.parametrize(
    ("body", "kind", "said"), [("go away", "text/plain", "go away"), (FAULT, "text/xml", "who are you")]
)
def test_refusal_without_a_challenge_is_read(
    service: Any, recorder: Any, body: str, kind: str, said: str
) -> None:
    for _ in range(2):
        recorder.answers(body, 401, kind, WWW_Authenticate="Basic realm=x")
    with pytest.raises(AmbiguousOutcome) as caught:  # a write; the status may come from a gateway
        service.get_weather(city="Berlin")
    assert isinstance(caught.value.__cause__, AuthenticationError)
    assert said in str(caught.value)


def test_second_refusal_is_raised(service: Any, recorder: Any) -> None:
    for _ in range(2):
        recorder.answers("wrong word", 401, "text/plain", WWW_Authenticate=CHALLENGE)
    with pytest.raises(AmbiguousOutcome, match="wrong word"):
        service.get_weather(city="Berlin")
    assert len(recorder.sent) == 2


def test_deadline_includes_challenge_and_answer(
    weather: ModuleType, open_service: Any, clock: ManualClock, requests_mock: requests_mock.Mocker
) -> None:
    def late(request: object, context: Any) -> str:
        clock.advance(61)
        return "who?"

    address = "https://weather.example/soap"
    asked = requests_mock.post(address, text=late, status_code=401, headers={"WWW-Authenticate": CHALLENGE})
    waits: list[object] = []

    def auth(request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.hooks["response"].append(lambda response, **given: waits.append(given["timeout"]))
        return request

    settings = Settings(safe={"GetWeather"}, deadline=60, attempts=1)
    service = open_service(weather.WeatherService, address, auth=auth, settings=settings)
    with pytest.raises(Timeout, match="60 seconds"):
        service.get_weather(city="Berlin")
    assert asked.call_count == 1
    assert waits == []

    def slow(request: object, context: object) -> str:
        clock.advance(45)
        return READABLE

    requests_mock.post(address, text=slow)
    service.get_weather(city="Berlin")
    assert waits == [(10.0, 15.0)]
