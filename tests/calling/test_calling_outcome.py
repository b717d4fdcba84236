"""The outcome of a failed write, by status and code: refused, or ambiguous."""

from __future__ import annotations

import pickle

import pytest

from soapclient.calling.outcome import classify, code_refuses, surely_refused
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    BrokenResponse,
    ClientClosed,
    ConfigError,
    ConnectionFailed,
    ContractError,
    ResponseError,
    SecurityError,
    ServiceFault,
    SoapClientError,
    Timeout,
    TransportError,
    UnexpectedResponse,
    UnsupportedByProtocol,
)


def test_no_status_proves_a_refusal() -> None:
    for status in range(100, 600):
        assert not surely_refused(UnexpectedResponse(status, None, "")), status
        assert not surely_refused(ServiceFault(status, "no", status=status)), status
        assert not surely_refused(AuthenticationError(status, "no", status=status)), status


def test_fault_code_may_prove_a_refusal() -> None:
    for kind in (ServiceFault, AuthenticationError):
        assert surely_refused(kind(500, "no", status=500, not_processed=True))
        assert not surely_refused(kind(109, "no", detail=object()))
        assert pickle.loads(pickle.dumps(kind(1, "no", not_processed=True))).not_processed


REFUSING = (100, 117, 199, 207, 230, 400, 401, 403, 404, 429, 501, 503, 505)
OTHERS = (-1, 0, 17, 99, 200, 206, 300, 302, 303, 399, 408, 425, 499, 500, 502, 504, 506, 600, 4711)


@pytest.mark.parametrize(
    ("code", "refuses"), [*((code, True) for code in REFUSING), *((code, False) for code in OTHERS)]
)
def test_service_error_code_may_prove_a_refusal(code: int, refuses: bool) -> None:
    assert code_refuses(code) is refuses


@pytest.mark.parametrize(
    ("error", "refused"),
    [
        (ConfigError("a", "b", "c"), True),
        (ContractError("a", None, "b", "c"), True),
        (UnsupportedByProtocol("GetSales", "REST"), True),
        (ClientClosed("GetSales"), True),
        (Timeout("GetSales", 1, request_sent=False), True),
        (ConnectionFailed("https://h.example", "refused", request_sent=False), True),
        (Timeout("GetSales", 1), False),
        (ConnectionFailed("https://h.example", "reset"), False),
        (TransportError("reset"), False),
        (BrokenResponse("a", None, "b"), False),
        (ResponseError("a", None, "b"), False),
        (ValueError("a bug"), False),
    ],
)
def test_only_errors_after_sending_are_ambiguous(error: Exception, refused: bool) -> None:
    assert surely_refused(error) is refused


def failed(error: Exception, *, safe: bool = False) -> Exception:
    try:
        classify(error, "Create", "id-1", safe=safe)
    except AmbiguousOutcome as unknown:
        return unknown
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Timeout("Create", 2.5), "no complete response within 2.5 seconds"),
        (
            ConnectionFailed("https://h.example/a", "reset by peer"),
            "the connection to https://h.example/a broke: reset by peer",
        ),
        (
            UnexpectedResponse(502, "text/html", "<p>", problem="a page of a gateway"),
            "a page of a gateway, HTTP status 502",
        ),
        (ServiceFault(500, "the reason", message="the message"), "fault 500: the message"),
        (ServiceFault(500, "the reason", fault_code="Server"), "fault Server: the reason"),
        (ServiceFault(500, ""), "fault 500: no reason"),
        (BrokenResponse("a/b", "7", "the end"), "a/b is '7', expected the end"),
        (BrokenResponse("a/b", None, "the end"), "a/b is missing, expected the end"),
        (
            SecurityError("unsigned", "Body is not signed"),
            "the response is not secured as required: Body is not signed",
        ),
        (TransportError("who knows"), "TransportError"),
    ],
)
def test_ambiguous_write_has_the_cause_and_operation(error: SoapClientError, reason: str) -> None:
    found = failed(error)
    assert isinstance(found, AmbiguousOutcome)
    assert (found.operation, found.request_id, found.reason) == ("Create", "id-1", reason)
    assert found.__cause__ is error
    assert failed(error, safe=True) is error


@pytest.mark.parametrize(
    "error",
    [ServiceFault(230, "bad", not_processed=True), ContractError("a", None, "b", "c"), ValueError("bug")],
)
def test_a_refused_write_keeps_its_error(error: Exception) -> None:
    assert failed(error) is error
    assert not hasattr(error, "__notes__")


def test_response_error_says_that_the_write_was_processed() -> None:
    error = ResponseError("a", None, "b")
    assert failed(error, safe=True) is error
    assert not hasattr(error, "__notes__")
    assert failed(error) is error
    assert error.__notes__ == [
        "The request was processed: the service responded to Create, but the response is not valid."
    ]
