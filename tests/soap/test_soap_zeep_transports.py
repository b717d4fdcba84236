"""zeep's transports with typed calls: transports with a session, and transports with their own `post`."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
import requests
import zeep

from soapclient import Settings
from soapclient.clock import ManualClock
from soapclient.connection import Attempt
from soapclient.errors import AmbiguousOutcome, ConnectionFailed, ServiceFault, Timeout, UnexpectedResponse
from tests.soap.conftest import ROME, Open, envelope

if TYPE_CHECKING:
    from tests.support.wire import Wire

FAULT = "<s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring></s:Fault>"


class Posting(zeep.Transport):
    """A transport with its own `post`. Without types, because zeep has none."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # zeep has no types
        self.posted = 0

    def post(self, address: str, message: bytes, headers: dict[str, str]) -> Any:
        self.posted += 1
        return super().post(address, message, headers)  # type: ignore[no-untyped-call] # zeep has no types


def test_session_of_a_transport_is_used(opened: Open, wire: Wire) -> None:
    session = requests.Session()
    session.headers["X-Mine"] = "one"
    session.auth = ("me", "secret")
    make: Any = zeep.Transport
    connection = opened(
        transport=make(session=session), settings=Settings(safe={"GetWeather"}, max_response_bytes=500)
    )
    wire.answers(envelope())
    connection.get_weather(city="Rome")
    session.headers["X-Mine"] = "two"  # the session keeps its own header
    wire.answers(envelope(ROME + " " * 500))
    with pytest.raises(UnexpectedResponse, match="500 bytes"):
        connection.get_weather(city="Rome")
    assert [each.headers["x-mine"] for each in wire.sent] == ["one", "two"]
    basic = base64.b64encode(b"me:secret").decode()
    assert {each.headers["authorization"] for each in wire.sent} == {f"Basic {basic}"}


def test_transport_with_its_own_post_is_used(opened: Open, wire: Wire) -> None:
    """The size of its responses is bounded, too."""
    transport = Posting()
    wire.answers(envelope())
    assert opened(transport=transport).get_weather(city="Rome").station == ["Rome"]
    wire.answers(envelope(FAULT), 500)
    with pytest.raises(ServiceFault):
        opened(transport=transport).get_weather(city="Rome")
    assert transport.posted == 2
    wire.answers(envelope())
    settings = Settings(safe={"GetWeather"}, max_response_bytes=50)
    with pytest.raises(UnexpectedResponse, match="more than 50 bytes"):
        opened(transport=transport, settings=settings).get_weather(city="Rome")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_transport_with_its_own_post_follows_no_redirect(opened: Open, wire: Wire, status: int) -> None:
    transport = Posting()
    for number in (1, 2):
        wire.answers(b"", status, Location="/elsewhere")
        with pytest.raises(AmbiguousOutcome, match="redirect"):
            opened(transport=transport, settings=Settings()).get_weather(city="Rome")
        assert len(wire.sent) == number
    wire.answers(b"", status, Location="/elsewhere")
    wire.answers(envelope())
    address = transport.session.post(f"{wire.url}/here", b"of the caller").url
    assert address.endswith("/elsewhere")


def test_listeners_are_called_for_each_attempt(opened: Open, wire: Wire, clock: ManualClock) -> None:
    heard: list[tuple[int, int | None, float | None, str]] = []

    def listen(attempt: Attempt) -> None:
        heard.append((attempt.number, attempt.status, attempt.seconds, type(attempt.error).__name__))
        clock.advance(1)
        raise RuntimeError("a listener's own mistake")

    for status in (503, 200):
        wire.answers(envelope() if status == 200 else envelope(FAULT), status)
    opened(on_attempt=listen).get_weather(city="Rome")
    assert heard == [
        (1, None, None, "NoneType"),
        (1, 503, 0.0, "ServiceFault"),
        (2, None, None, "NoneType"),
        (2, 200, 0.0, "NoneType"),
    ]


class Failing(zeep.Transport):
    """A transport with its own `post`, which fails."""

    error: Exception = requests.ConnectionError("refused")

    def post_xml(self, address: str, envelope: object, headers: object) -> Any:
        raise self.error


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("error", "safe", "expected"),
    [
        (requests.ConnectionError("reset"), {"GetWeather"}, ConnectionFailed),
        (requests.ConnectionError("reset"), set(), AmbiguousOutcome),
        (requests.ConnectTimeout("no way"), set(), ConnectionFailed),
        (requests.ReadTimeout("late"), {"GetWeather"}, Timeout),
        (requests.ReadTimeout("late"), set(), AmbiguousOutcome),
    ],
)
def test_failures_of_a_transport_with_its_own_post_are_typed(
    opened: Open, error: Exception, safe: set[str], expected: type[Exception]
) -> None:
    """The errors are converted: retried if safe, ambiguous if the request may have been sent."""
    make: Any = Failing
    transport = make()
    transport.error = error
    settings = Settings(safe=frozenset(safe), attempts=2)
    with pytest.raises(expected) as caught:
        opened(transport=transport, settings=settings).get_weather(city="Rome")
    assert getattr(caught.value, "attempts", None) == (2 if safe else 1)
