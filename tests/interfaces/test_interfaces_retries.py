"""Reads are retried after transient errors, within one deadline. Permanent errors are raised at once."""

from __future__ import annotations

import gzip

import pytest

from soapclient.errors import (
    AuthenticationError,
    ConnectionFailed,
    ResponseError,
    ServiceFault,
    SoapClientError,
    Timeout,
    UnexpectedResponse,
)
from tests.interfaces.conftest import Case, break_off, closed_port, notes, two_lengths, vanish

pytestmark = pytest.mark.sampled(2, 4)
HTML = "text/html"
TRANSIENT = [408, 429, 500, 503, 599]  # all: tests/calling/test_calling_retry.py


def test_transient_status_is_retried_and_the_last_error_has_the_number_of_attempts(case: Case) -> None:
    calls = case.open(attempts=2)
    for number, status in enumerate(TRANSIENT, 1):
        for _ in range(2):
            case.answers(b"<html>sorry</html>", status, HTML)
        with pytest.raises(UnexpectedResponse, match="sorry") as caught:
            calls.read()
        assert (caught.value.status, caught.value.attempts) == (status, 2)
        assert "2 attempts" in notes(caught.value)
        assert len(case.wire.sent) == 2 * number
    assert case.clock.sleeps == [0.5] * len(TRANSIENT)
    for _ in range(4):
        case.answers(b"<html>down</html>", 200, HTML)
    with pytest.raises(UnexpectedResponse, match="down"):
        case.open().read()
    assert case.clock.sleeps[len(TRANSIENT) :] == [0.5, 1, 2]


def test_permanent_status_is_not_retried(case: Case) -> None:
    calls = case.open()
    for number, status in enumerate((400, 404, 501, 401, 403), 1):
        case.answers(b"no", status, "text/plain")
        with pytest.raises(SoapClientError) as caught:
            calls.read()
        error = caught.value
        assert isinstance(error, AuthenticationError if status in {401, 403} else UnexpectedResponse)
        assert (len(case.wire.sent), error.status, error.attempts) == (number, status, 1)


def test_redirect_is_not_followed(case: Case) -> None:
    case.answers(b"", 302, HTML, Location=f"{case.wire.url}/elsewhere")
    with pytest.raises(UnexpectedResponse, match="redirect"):
        case.open().read()
    assert len(case.wire.sent) == 1


def test_lost_connection_is_retried(case: Case) -> None:
    case.drops(vanish, break_off, two_lengths)
    case.answers(case.profile())
    assert case.open().read() == "Berlin"
    assert len(case.wire.sent) == 4


def test_unreachable_server_is_tried_again(case: Case) -> None:
    with pytest.raises(ConnectionFailed, match=r"127\.0\.0\.1") as caught:
        case.open(closed_port()).read()
    assert (caught.value.attempts, caught.value.request_sent) == (4, False)
    shown = f"{caught.value} {vars(caught.value)}"
    for name in ("signature=", "nonce="):
        assert name + "[hidden]" in shown or name not in shown
    assert len(case.clock.sleeps) == 3


def test_transient_error_of_the_service_is_retried_and_a_permanent_one_is_not(case: Case) -> None:
    calls = case.open()
    for code in (429, 503):
        case.refuses(code, "overloaded")
        case.refuses(105, "no such thing")
        with pytest.raises(ServiceFault, match="no such thing") as caught:
            calls.read()
        assert (caught.value.code, caught.value.attempts) == (105, 2)
    case.refuses(4711)
    with pytest.raises(ServiceFault, match="4711") as caught:
        calls.read()
    assert (caught.value.attempts, len(case.wire.sent)) == (1, 5)


def test_damaged_response_is_retried(case: Case) -> None:
    calls, body = case.open(attempts=2), case.profile()
    damaged: list[tuple[bytes, int, str | None, dict[str, str]]] = [
        (b"", 200, None, {}),
        (b"<html>one moment, please</html>", 200, HTML, {}),
        (body[:-20], 200, None, {"Connection": "close"}),
        (body + b"\xff\xfe", 200, None, {}),
        (body, 206, None, {}),
        (body, 200, None, {"Content_Encoding": "exi"}),
        (b"\x1f\x8b\x08\x00nonsense", 200, None, {"Content_Encoding": "gzip"}),
        (gzip.compress(body, mtime=0)[:-4], 200, None, {"Content_Encoding": "gzip"}),  # no checksum
    ]
    for number, (content, status, kind, headers) in enumerate(damaged, 1):
        case.answers(content, status, kind, **headers)
        case.answers(body)
        assert calls.read() == "Berlin"
        assert len(case.wire.sent) == 2 * number, content
    assert case.clock.sleeps == [0.5] * len(damaged)
    assert calls.counts() == {}
    case.answers(case.balances("EUR"))  # the response to another request
    case.answers(body)
    assert calls.read() == "Berlin"


def test_damage_that_stays_is_an_error_after_all_attempts(case: Case) -> None:
    for _ in range(4):
        case.answers(case.profile()[:-20])
    with pytest.raises(ResponseError, match="complete") as caught:
        case.open().read()
    assert (len(case.wire.sent), caught.value.attempts, caught.value.operation) == (4, 4, "GetProfile")


def test_page_and_stream_are_retried(case: Case) -> None:
    calls = case.open()
    case.answers(case.balances("EUR", "CHF", total=3))
    case.drops()
    case.answers(b"busy", 503, HTML)
    case.answers(case.balances("USD", page=1, total=3))
    assert list(calls.iterate()) == ["EUR", "CHF", "USD"]
    case.answers(case.balances("EUR", "CHF")[:100])  # before the first item
    case.answers(case.balances("EUR", "CHF"))
    assert list(calls.stream()) == ["EUR", "CHF"]
    assert len(case.wire.sent) == 6


# ---- deadlines and Retry-After


def test_retry_after_may_be_a_date(case: Case) -> None:
    dated = "Fri, 20 Nov 2026 17:00:00 GMT"  # by the service's clock, whatever the local clock shows
    case.answers(b"", 503, Retry_After="Fri, 20 Nov 2026 17:00:09 GMT", Date=dated)
    case.answers(case.profile())
    assert case.open().read() == "Berlin"
    assert case.clock.sleeps == [9]


def test_invalid_retry_after_is_ignored(case: Case) -> None:
    invalid = ("soon", "-5", "1e9", "", "Fri, 20 Nov 2026 11:00:00 GMT")
    calls = case.open()
    for text in invalid:
        case.answers(b"", 503, Retry_After=text)
        case.answers(case.profile())
        assert calls.read() == "Berlin"
    assert case.clock.sleeps == [0.5] * len(invalid)


def test_deadline_includes_all_attempts(case: Case) -> None:
    for _ in range(4):
        case.answers_after(8, b"", 503)
    with pytest.raises(Timeout) as caught:
        case.open(deadline=20).read()
    # 8, a wait of 0.5, 8, a wait of 1: the third attempt begins at 17.5 and times out.
    assert (len(case.wire.sent), case.clock.sleeps) == (3, [0.5, 1.0])
    assert "deadline" in notes(caught.value)


def test_response_after_the_deadline_is_a_timeout(case: Case) -> None:
    calls = case.open(deadline=60, attempts=1)
    for call, operation in ((calls.read, "GetProfile"), (lambda: list(calls.stream()), "GetBalances")):
        case.answers_after(61, case.profile() if operation == "GetProfile" else case.balances("EUR"))
        with pytest.raises(Timeout, match="60 seconds") as caught:
            call()
        assert (caught.value.operation, caught.value.request_sent) == (operation, True)


def test_iteration_has_a_deadline_for_each_page(case: Case) -> None:
    for page, ids in enumerate((("EUR", "CHF"), ("USD", "GBP"), ("SEK",))):
        case.answers_after(39, case.balances(*ids, page=page, total=5))
    assert list(case.open(deadline=60).iterate()) == ["EUR", "CHF", "USD", "GBP", "SEK"]


def test_errors_of_a_call_have_its_request_id(case: Case) -> None:
    case.answers(b"no", 404, "text/plain")
    case.drops()
    calls = case.open(attempts=1)
    for call in (calls.read, calls.write):
        with pytest.raises(SoapClientError) as caught:
            call()
        assert caught.value.request_id == case.wire.last.headers["x-request-id"]
