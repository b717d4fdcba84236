"""A write is sent once. Its error says if the service refused it, processed it, or if that is unknown."""

from __future__ import annotations

import gzip
import json

import pytest

from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    ConnectionFailed,
    ResponseError,
    ServiceFault,
    SoapClientError,
    Timeout,
    UnexpectedResponse,
)
from tests.interfaces.conftest import Calls, Case, break_off, closed_port, notes, two_lengths, vanish

pytestmark = pytest.mark.sampled(2, 4)
HTML = "text/html"
PAGE = b"<html>a page of a proxy</html>"


def cause_of(calls: Calls) -> BaseException | None:
    """Return the cause of the AmbiguousOutcome that a write raises."""
    with pytest.raises(AmbiguousOutcome, match="Check before retrying") as caught:
        calls.write()
    assert (caught.value.operation, caught.value.attempts) == ("DeleteAdspace", 1)
    return caught.value.__cause__


def test_any_status_without_an_error_of_the_service_is_ambiguous(case: Case) -> None:
    calls = case.open()
    # All statuses are in tests/calling/test_calling_outcome.py.
    for number, status in enumerate((204, 302, 401, 404, 413, 503), 1):
        case.answers(b"" if status == 204 else PAGE, status, HTML, Retry_After="1")
        cause = cause_of(calls)
        assert isinstance(cause, AuthenticationError if status in {401, 403} else UnexpectedResponse)
        assert cause.status == status
        assert len(case.wire.sent) == number
    assert case.clock.sleeps == []


def test_lost_response_is_ambiguous(case: Case) -> None:
    calls = case.open()
    for act in (vanish, break_off, two_lengths):
        case.drops(act)
        assert isinstance(cause_of(calls), ConnectionFailed)
    assert len(case.wire.sent) == 3


def test_response_after_the_deadline_is_ambiguous(case: Case) -> None:
    case.answers_after(61, case.deleted())
    assert isinstance(cause_of(case.open(deadline=60)), Timeout)
    assert len(case.wire.sent) == 1


def test_unclear_response_is_ambiguous(case: Case) -> None:
    calls, body = case.open(), case.deleted()
    empty = {"soap": case.envelope(""), "xml": b"<answer/>", "json": b"42"}[case.protocol]
    unclear: list[tuple[bytes, int, str | None, dict[str, str]]] = [
        (b"", 200, None, {}),
        (PAGE, 200, HTML, {}),
        (PAGE, 200, None, {}),
        (b"no document at all", 200, None, {}),
        (empty, 200, None, {}),
        (body[:-9], 200, None, {"Connection": "close"}),
        (body, 206, None, {}),
        (body, 200, None, {"Content_Encoding": "exi"}),
        (gzip.compress(body, mtime=0)[:-4], 200, None, {"Content_Encoding": "gzip"}),
        (case.message("GetProgramResponse", {"programItem": {"@id": "5"}}), 200, None, {}),
    ]
    for number, (content, status, kind, headers) in enumerate(unclear, 1):
        case.answers(content, status, kind, **headers)
        assert isinstance(cause_of(calls), UnexpectedResponse | ResponseError), content
        assert len(case.wire.sent) == number, content


def test_too_long_response_is_ambiguous(case: Case) -> None:
    case.answers(case.deleted() + b" " * 5000)
    with pytest.raises(AmbiguousOutcome, match="max_response_bytes"):
        case.open(max_response_bytes=1000).write()


def test_invalid_response_of_the_service_shows_that_the_write_was_processed(case: Case) -> None:
    case.answers(case.deleted("many"))
    with pytest.raises(ResponseError, match="DeleteAdspaceResponse/count") as caught:
        case.open().write()
    assert "was processed" in notes(caught.value)
    assert len(case.wire.sent) == 1


def test_own_error_of_the_service_is_a_refusal_or_ambiguous_by_its_code(case: Case) -> None:
    """All codes are in tests/calling/test_calling_outcome.py."""
    calls = case.open()
    for code in (109, 230, 403, 503):
        case.refuses(code, "because")
        with pytest.raises(ServiceFault, match="because") as caught:
            calls.write()
        assert (caught.value.code, caught.value.attempts, caught.value.not_processed) == (code, 1, True)
        assert isinstance(caught.value, AuthenticationError) is (code in {401, 403})
    for code in (4711, 0, 200, 408, 500):
        case.refuses(code)
        assert isinstance(cause_of(calls), ServiceFault), code
    assert len(case.wire.sent) == 9
    assert case.clock.sleeps == []


def test_error_of_a_gateway_is_ambiguous(case: Case) -> None:
    calls = case.open()
    problem = {"type": "about:blank", "title": "Conflict", "status": 409, "detail": "10 a minute"}
    bodies = (problem, {"errors": [{"code": 1000, "message": "no such route"}]})
    for body, kind in zip(bodies, ("application/problem+json", "application/json"), strict=True):
        case.answers(json.dumps(body).encode(), 409, kind)
        cause = cause_of(calls)
        assert isinstance(cause, ServiceFault)
        assert (cause.status, cause.not_processed) == (409, False)


def test_unsent_write_is_not_ambiguous(case: Case) -> None:
    with pytest.raises(ConnectionFailed) as caught:
        case.open(closed_port()).write()
    assert (caught.value.request_sent, caught.value.attempts, case.clock.sleeps) == (False, 1, [])


def test_write_whose_tls_fails_was_not_sent(case: Case) -> None:
    with pytest.raises(ConnectionFailed, match="SSL") as caught:  # the server speaks plain HTTP
        case.open(case.wire.url.replace("http:", "https:")).write()
    assert not caught.value.request_sent
    assert case.wire.sent == []


def test_write_refused_by_the_proxy_was_not_sent(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tunnel request to the proxy is not part of the request."""
    monkeypatch.setenv("HTTPS_PROXY", case.wire.url)  # the server does not support CONNECT and answers 501
    with pytest.raises(ConnectionFailed, match="501") as caught:
        case.open("https://service.example.org").write()
    assert not caught.value.request_sent
    monkeypatch.setenv("HTTPS_PROXY", "http:///no-host")  # requests refuses it with a ValueError
    with pytest.raises(ConnectionFailed, match="proxy") as caught:
        case.open("https://service.example.org").write()
    assert not caught.value.request_sent


def test_write_needs_a_connection_without_an_earlier_response(case: Case) -> None:
    """A used connection may carry a late duplicate of an earlier response. A read may use any connection."""
    calls = case.open()
    for body in (case.profile(), case.deleted(), case.deleted(), case.profile()):
        case.answers(body)
    assert (calls.read(), calls.write(), calls.write(), calls.read()) == ("Berlin", 1, 1, "Berlin")
    first, second, third, last = case.wire.connections
    assert len({first, second, third}) == 3
    assert last == third


def test_write_is_never_retried_whatever_the_number_of_attempts(case: Case) -> None:
    calls = case.open(attempts=10)
    case.refuses(503, "overloaded")
    with pytest.raises(SoapClientError, match="overloaded"):
        calls.write()
    case.answers(b"busy", 503, HTML)
    cause_of(calls)
    assert len(case.wire.sent) == 2
