"""The call loop without a socket: the state of a call, limits of its attempts, and events for listeners."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from email.utils import format_datetime
from functools import partial
from typing import Any

import pytest

from soapclient.auth.credentials import Credentials
from soapclient.auth.provider import CredentialsCache
from soapclient.calling import events
from soapclient.calling.clock_skew import ClockSkew
from soapclient.calling.events import Attempt, Events
from soapclient.calling.loop import Call, CallOptions, Loop
from soapclient.calling.retry import RetryQuota
from soapclient.clock import ManualClock
from soapclient.drift import Drift
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    ClientClosed,
    ConfigError,
    ConnectionFailed,
    ContractDrift,
    SoapClientError,
    Timeout,
    UnexpectedResponse,
)
from soapclient.runtime import CountingReader, Finding
from tests.stage import NOW


@dataclass(frozen=True, kw_only=True)
class Settings:
    deadline: float = 60.0
    timeout: float | None = None
    connect_timeout: float = 7.0
    attempts: int = 3
    max_response_bytes: int = 1000
    max_response_nodes: int = 100
    max_response_parts: int = 10
    max_compression_ratio: int = 20
    request_id_header: str = "X-Request-ID"


@dataclass
class Came:
    """A response with the attributes that the loop uses."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    received: int = 12
    reused: bool = False


class Listener:
    """A tracer that records its events."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, Attempt]] = []
        self.counts: list[dict[str, int]] = []

    @contextmanager
    def call(self, attempt: Attempt, /) -> Iterator[None]:
        self.heard.append(("call", attempt))
        yield
        self.heard.append(("called", attempt))

    @contextmanager
    def attempt(self, current: Callable[[], Attempt], /) -> Iterator[None]:
        self.heard.append(("attempt", current()))
        try:
            yield
        finally:
            self.heard.append(("attempted", current()))

    def headers(self) -> Mapping[str, str]:
        return {"traceparent": "00-1-2-01"}

    def retried(self, attempt: Attempt, /) -> None:
        self.heard.append(("retried", attempt))

    def found(self, attempt: Attempt, findings: Mapping[Finding, int], /) -> None:
        self.heard.append(("found", attempt))
        self.counts.append({finding.path: times for finding, times in findings.items()})


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Listener:
    made = Listener()
    monkeypatch.setattr(events, "telemetry", made)
    return made


def loop_of(clock: ManualClock, settings: Settings | None = None, **given: Any) -> Loop:
    """Return a loop without jitter. `given` are further arguments of `Loop`."""
    known: dict[str, Any] = {"drift": Drift(policy="tolerate"), "random": lambda: 1.0}
    known |= {"names": ("publisher", "SOAP"), **given}
    return Loop(settings or Settings(), "https://service.example", clock=clock, **known)


def reset() -> ConnectionFailed:
    return ConnectionFailed("https://service.example", "reset")


class Failing(list[timedelta]):
    """An attempt that always fails. It lists the clock offsets with which it was called."""

    def __init__(self, error: Callable[[], Exception] = reset) -> None:
        self.error = error

    def __call__(self, offset: timedelta) -> None:
        self.append(offset)
        raise self.error()


# ---- a call


def test_new_call_has_no_response(clock: ManualClock) -> None:
    clock.advance(5)
    call = loop_of(clock).call("GetSales", safe=True)
    assert (call.name, call.safe, call.number, call.method) == ("GetSales", True, 1, "POST")
    assert [call.response, call.sent_bytes, call.date] == [None, None, None]
    assert (call.began_at, call.attempt_began_at, call.arrived_at) == (5, 5, 0)
    assert len(call.request_id) == 32
    assert call.deadline.remaining() == 60
    limits = call.limits
    assert (limits.operation, limits.connect_timeout) == ("GetSales", 7)
    assert (limits.most, limits.timeout) == (1000, None)
    assert (limits.nodes, limits.parts, limits.ratio) == (100, 10, 20)
    assert limits.deadline is call.deadline


def test_attempt_resets_the_previous_response(clock: ManualClock) -> None:
    call = loop_of(clock).call("GetSales", safe=True)
    came = Came(headers={"Date": "today"})
    clock.advance(2)
    call.arrived(came)
    call.sent_bytes = 9
    assert (call.response, call.date, call.arrived_at) == (came, "today", 2)
    clock.advance(3)
    call.begin()
    assert [call.response, call.sent_bytes, call.date] == [None, None, None]
    assert (call.arrived_at, call.began_at, call.attempt_began_at) == (0, 0, 5)


def test_call_can_have_its_own_deadline(clock: ManualClock) -> None:
    loop = loop_of(clock)
    assert loop.deadline(5).remaining() == 5
    assert loop.call("GetSales", safe=True).limits.deadline.seconds == loop.deadline().seconds


# ---- options


def test_later_options_override_earlier_options_and_settings() -> None:
    options = CallOptions().changed(timeout=2, headers={"X-A": "1", "X-B": "1"})
    both = options.changed(timeout=None, attempts=5, headers={"X-B": "2"}, request_id="mine")
    assert both == CallOptions(timeout=2, attempts=5, headers={"X-A": "1", "X-B": "2"}, request_id="mine")
    assert both.changed() == both
    with pytest.raises(TypeError, match=r"^with_options\(\) got an unexpected keyword argument 'patience'$"):
        both.changed(patience=1)  # type: ignore[call-arg] # the argument must fail
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"attempts": 0}, "the argument attempts must be"),
        ({"deadline": -1}, "deadline must be"),
        ({"timeout": "soon"}, "timeout must be"),
        ({"headers": {"Host": "elsewhere"}}, "Host"),
        ({"request_id": "a\r\nb"}, "the argument request_id .* a value of X-Request-ID that is not valid"),
    ]
    for given, said in wrong:
        with pytest.raises(ConfigError, match=said):
            both.changed(**given)


def test_headers_in_the_envelope_are_added_to_earlier_ones() -> None:
    options = CallOptions().changed(soapheaders=["a"]).changed(soapheaders=("b", "c"))
    assert options.changed(soapheaders={"Name": "d"}).soapheaders == ("a", "b", "c", {"Name": "d"})
    said = "soapheaders: the argument soapheaders must be a list or a dict, got int"
    with pytest.raises(ConfigError, match=said):
        options.changed(soapheaders=3)  # type: ignore[arg-type] # the argument must fail


def test_view_does_not_change_the_options_of_its_loop(clock: ManualClock) -> None:
    loop = loop_of(clock, Settings(timeout=9.0))
    numbers = CallOptions(timeout=2, deadline=8, attempts=1)
    view = loop.with_options(numbers.changed(headers={"x-request-ID": "mine", "X-A": "1"}))
    assert view.options == numbers.changed(headers={"X-A": "1"}, request_id="mine")
    assert view.new_id() == "mine"
    assert view.headers("mine") == {"X-Request-ID": "mine", "X-A": "1"}
    assert view.call("GetSales", safe=True).limits.timeout == 2
    assert view.deadline().remaining() == view.call("GetSales", safe=True).deadline.remaining() == 8
    assert loop.call("GetSales", safe=True).limits.timeout == 9
    assert (loop.deadline().remaining(), loop.headers("x")) == (60, {"X-Request-ID": "x"})
    assert (view.quota, view.skew, view.drift) == (loop.quota, loop.skew, loop.drift)
    given = CallOptions(headers={"X-Request-ID": "of the headers"}, request_id="of the argument")
    assert loop.with_options(given).options.request_id == "of the argument"
    assert loop_of(clock, Settings(request_id_header="")).headers("x") == {}


def attempts_of(loop: Loop) -> int:
    attempt = Failing()
    with pytest.raises(ConnectionFailed):
        loop.run(loop.call("GetSales", safe=True), attempt)
    return len(attempt)


def test_options_override_the_number_of_attempts(clock: ManualClock) -> None:
    loop = loop_of(clock)
    assert attempts_of(loop) == 3
    view = loop.with_options(CallOptions(attempts=5))
    assert attempts_of(view) == 5
    assert attempts_of(view.with_options(CallOptions())) == 3


# ---- attempts


def test_each_attempt_has_its_limits(clock: ManualClock) -> None:
    """A read has a limit for waiting on a used connection, except in its last attempt.

    A write opens a new connection.
    """
    loop, seen = loop_of(clock), list[tuple[int, float | None, float | None]]()

    def attempt(offset: timedelta) -> str:
        seen.append((call.number, call.limits.idle, call.limits.reused))
        if call.safe and call.number < 3:
            raise reset()
        return "answer"

    call = loop.call("GetSales", safe=True)
    assert loop.run(call, attempt) == "answer"
    assert [(number, idle, reused is None) for number, idle, reused in seen] == [
        (1, None, False),
        (2, 0.0, False),
        (3, 0.0, True),
    ]
    assert seen[0][2] == 20  # a third of the deadline
    call = loop.call("CreateAdspace", safe=False)
    loop.run(call, attempt)
    assert seen[-1] == (1, 0.0, None)


def test_interrupted_write_is_ambiguous_and_named(clock: ManualClock) -> None:
    loop = loop_of(clock)
    call = loop.call("CreateAdspace", safe=False)
    with pytest.raises(AmbiguousOutcome) as caught:
        loop.run(call, Failing())
    assert (caught.value.operation, caught.value.request_id) == ("CreateAdspace", call.request_id)
    assert caught.value.attempts == 1


def test_call_after_its_deadline_is_named(clock: ManualClock) -> None:
    loop = loop_of(clock)
    call = loop.call("GetSales", safe=True)
    clock.advance(60)
    with pytest.raises(Timeout) as caught:
        loop.run(call, lambda offset: None)
    assert (caught.value.operation, caught.value.request_sent) == ("GetSales", False)
    assert caught.value.request_id == call.request_id


def test_closed_loop_makes_no_attempt(clock: ManualClock) -> None:
    loop = loop_of(clock)
    call, view = loop.call("GetSales", safe=True), loop.with_options(CallOptions())
    view.close()
    with pytest.raises(ClientClosed) as caught:
        loop.run(call, lambda offset: None)
    assert caught.value.operation == "GetSales"
    with pytest.raises(ClientClosed, match="GetLeads"):
        loop.call("GetLeads", safe=True)


def test_loop_has_defaults(clock: ManualClock) -> None:
    plain = Loop(Settings(), "https://service.example", clock=clock, drift=Drift())
    assert plain.quota.tokens == RetryQuota().tokens
    assert plain.run(plain.call("GetSales", safe=True), lambda offset: offset) == timedelta(0)
    assert attempts_of(plain) == 3
    assert all(0 <= seconds <= 1 for seconds in clock.sleeps)


# ---- clock and credentials


def refused() -> AuthenticationError:
    return AuthenticationError(403, "too old", not_processed=True)


def test_wrong_clock_is_corrected_within_an_attempt(clock: ManualClock) -> None:
    skew = ClockSkew(timedelta(minutes=30))
    loop, offsets = loop_of(clock, skew=skew), list[timedelta]()
    hour = timedelta(hours=1)

    def attempt(offset: timedelta) -> str:
        offsets.append(offset)
        clock.advance(1)
        call.arrived(Came(headers={"Date": format_datetime(clock.now() + hour, usegmt=True)}))
        if offset == timedelta(0):
            raise refused()
        return "answer"

    call = loop.call("CreateAdspace", safe=False)
    assert loop.run(call, attempt) == "answer"
    assert offsets == [timedelta(0), hour]
    assert skew.their_time(clock.monotonic()) == clock.now() + hour
    call = loop.call("CreateAdspace", safe=False)
    assert loop.run(call, attempt) == "answer"
    assert offsets == [timedelta(0), hour, hour]


def providing(*keys: str) -> Callable[[], Credentials]:
    """Return a provider of these keys, one after another. The last one stays."""
    remaining = list(keys)
    return lambda: Credentials("me", remaining.pop(0) if len(remaining) > 1 else remaining[0])


def by_a_gateway() -> AuthenticationError:
    return AuthenticationError(403, "go away")


@pytest.mark.parametrize(("safe", "attempts"), [(True, 2), (False, 1)])
def test_ambiguous_write_is_not_repeated_with_new_credentials(
    clock: ManualClock, safe: bool, attempts: int
) -> None:
    lease, made = CredentialsCache(providing("old", "new"), clock), list[str]()

    def attempt(offset: timedelta) -> None:
        made.append(lease.current().require_secret_key().reveal())
        raise by_a_gateway()

    loop = loop_of(clock, lease=lease)
    with pytest.raises(AuthenticationError if safe else AmbiguousOutcome):
        loop.run(loop.call("CreateAdspace", safe=safe), attempt)
    assert len(made) == attempts


@pytest.mark.parametrize("came", [True, False])
def test_refusal_without_clock_skew_is_raised(clock: ManualClock, came: bool) -> None:
    skew = ClockSkew(timedelta(minutes=30))
    loop = loop_of(clock, skew=skew)
    call = loop.call("GetSales", safe=True)

    def failure() -> AuthenticationError:
        if came:
            call.arrived(Came(403, {"Date": format_datetime(NOW, usegmt=True)}))
        return refused()

    attempt = Failing(failure)
    with pytest.raises(AuthenticationError):
        loop.run(call, attempt)
    assert attempt == [timedelta(0)]
    assert skew.their_time(clock.monotonic()) is None  # it may be a gateway's


def test_changed_credentials_are_tried_once(clock: ManualClock) -> None:
    lease, made = CredentialsCache(providing("old", "old", "new"), clock), list[str]()

    def attempt(offset: timedelta) -> str:
        made.append(lease.current().require_secret_key().reveal())
        if made[-1] == "old":
            raise refused()
        return "answer"

    loop = loop_of(clock, lease=lease)
    with pytest.raises(AuthenticationError):
        loop.run(loop.call("CreateAdspace", safe=False), attempt)
    assert made == ["old"]  # called again, the provider returned the same
    assert loop.run(loop.call("CreateAdspace", safe=False), attempt) == "answer"
    assert made == ["old", "old", "new"]


def test_fixed_credentials_are_not_retried(clock: ManualClock) -> None:
    loop, attempt = loop_of(clock, lease=CredentialsCache(Credentials("me", "key"))), Failing(refused)
    with pytest.raises(AuthenticationError):
        loop.run(loop.call("GetSales", safe=True), attempt)
    assert len(attempt) == 1


# ---- listeners


def failing_once(loop: Loop, call: Call, clock: ManualClock) -> Callable[[timedelta], str]:
    def attempt(offset: timedelta) -> str:
        assert offset == timedelta(0)
        call.sent_bytes = 34
        clock.advance(2)
        if call.number == 1:
            raise reset()
        call.method = "GET"
        call.arrived(Came(206, received=56))
        return "answer"

    return attempt


def test_hooks_get_all_known_facts(clock: ManualClock) -> None:
    begun: list[Attempt] = []
    ended: list[Attempt] = []
    heard = Events(lambda attempt: (begun if attempt.seconds is None else ended).append(attempt))
    loop = loop_of(clock, events=heard)
    call = loop.call("GetSales", safe=True)
    loop.run(call, failing_once(loop, call, clock))
    named: dict[str, Any] = {"service": "publisher", "operation": "GetSales", "protocol": "SOAP"}
    known = partial(Attempt, address="https://service.example", request_id=call.request_id, **named)
    assert begun == [known(number=1), known(number=2)]
    failed, done = ended
    assert isinstance(failed.error, ConnectionFailed)
    assert failed == known(number=1, seconds=2, sent=34, error=failed.error)
    assert done == known(number=2, status=206, seconds=2, sent=34, received=56, method="GET")


@pytest.mark.parametrize("heard", [None, Events(lambda attempt: None)])
def test_errors_do_not_show_what_was_sent(clock: ManualClock, heard: Events | None) -> None:
    """Whatever a service or a proxy responds, errors contain neither secrets nor the headers of a view."""
    loop = loop_of(clock, events=heard, secrets=lambda: ("hunter2-of-ours",)).with_options(
        CallOptions(attempts=1, headers={"X-Api-Key": "key-of-a-view", "X-Team": "shop-of-a-view"})
    )

    said = "no to hunter2-of-ours and key-of-a-view of shop-of-a-view"
    attempt = Failing(lambda: ConnectionFailed("https://service.example", said))
    with pytest.raises(ConnectionFailed) as caught:
        loop.run(loop.call("GetSales", safe=True), attempt)
    for text in (str(caught.value), caught.value.reason):
        assert "hunter2" not in text
        assert "key-of-a-view" not in text
        assert "shop-of-a-view" in text


def test_errors_do_not_show_secrets_of_the_address(clock: ManualClock) -> None:
    address = "https://service.example/soap?api_key=key-of-the-address"
    loop = Loop(Settings(attempts=1), address, clock=clock, drift=Drift(policy="tolerate"))
    said = "no to key-of-the-address of the shop"
    attempt = Failing(lambda: ConnectionFailed("https://service.example", said))
    with pytest.raises(ConnectionFailed, match="of the shop") as caught:
        loop.run(loop.call("GetSales", safe=True), attempt)
    assert "key-of-the-address" not in str(caught.value)


def test_calls_of_a_loop_share_its_quota(clock: ManualClock) -> None:
    loop = loop_of(clock, quota=RetryQuota(5))
    assert [attempts_of(loop), attempts_of(loop)] == [2, 1]  # tokens for one retry


def test_tracers_get_calls_attempts_and_retries(clock: ManualClock, listener: Listener) -> None:
    """Hooks get the same calls with a tracer."""
    told: list[Attempt] = []
    loop = loop_of(clock, events=Events(told.append))
    assert loop.context() == {"traceparent": "00-1-2-01"}
    call = loop.call("GetSales", safe=True)
    assert loop.run(call, failing_once(loop, call, clock)) == "answer"
    once = ["attempt", "attempted"]
    assert [what for what, _ in listener.heard] == ["call", *once, "retried", *once, "called"]
    assert {attempt.operation for _, attempt in listener.heard} == {"GetSales"}
    assert [(each.operation, each.number) for each in told] == [("GetSales", 1)] * 2 + [("GetSales", 2)] * 2
    retried = next(attempt for what, attempt in listener.heard if what == "retried")
    assert (retried.number, retried.seconds) == (1, 2)
    assert isinstance(retried.error, ConnectionFailed)
    assert listener.heard[-2][1].status == 206


def test_findings_are_measured_with_the_call_they_belong_to(clock: ManualClock, listener: Listener) -> None:
    loop = loop_of(clock, drift=Drift(policy="error"))
    call = loop.call("CreateAdspace", safe=False)
    reader = CountingReader()
    reader.findings[Finding("element", "a/b", "")] += 2
    with pytest.raises(ContractDrift) as caught:
        loop.read(call, reader)
    assert (caught.value.operation, caught.value.processed) == ("CreateAdspace", True)
    ((what, attempt),) = listener.heard
    assert (what, attempt.operation) == ("found", "CreateAdspace")
    assert listener.counts == [{"a/b": 2}]


@pytest.mark.parametrize("safe", [True, False])
def test_findings_are_counted_without_metrics(clock: ManualClock, safe: bool) -> None:
    loop = loop_of(clock, drift=Drift(policy="error"))
    assert loop.context() == {}
    reader = CountingReader()
    reader.findings[Finding("element", "a/b", "")] += 1
    with pytest.raises(ContractDrift) as caught:
        loop.read(loop.call("GetSales", safe=safe), reader)
    assert (caught.value.operation, caught.value.processed) == ("GetSales", not safe)


def test_failed_call_is_logged_with_the_total_time(
    clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    clock.advance(100)
    loop = loop_of(clock)
    call = loop.call("GetSales", safe=True)

    def attempt(offset: timedelta) -> None:
        clock.advance(2)
        raise UnexpectedResponse(404, None, "") if call.number > 1 else reset()

    with caplog.at_level("INFO", "soapclient.calls"), pytest.raises(SoapClientError) as caught:
        loop.run(call, attempt)
    assert caught.value.request_id == call.request_id
    assert [(record.levelname, vars(record)["milliseconds"]) for record in caplog.records] == [
        ("INFO", 2000.0),
        ("WARNING", 4500.0),  # two attempts, and the wait of half a second
    ]
