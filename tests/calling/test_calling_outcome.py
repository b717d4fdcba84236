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


@pytest.mark.parametrize("status", range(100, 600))
def test_no_status_proves_a_refusal(status: int) -> None:
    assert not surely_refused(UnexpectedResponse(status, None, ""))
    assert not surely_refused(ServiceFault(status, "no", status=status))
    assert not surely_refused(AuthenticationError(status, "no", status=status))


def test_fault_code_may_prove_a_refusal() -> None:
    for kind in (ServiceFault, AuthenticationError):
        assert surely_refused(kind(500, "no", status=500, not_processed=True))
        assert not surely_refused(kind(109, "no", detail=object()))
        assert pickle.loads(pickle.dumps(kind(1, "no", not_processed=True))).not_processed


@pytest.mark.parametrize(
    ("code", "refuses"),
    [
        *((100, True), (117, True), (199, True)),  # the first documented ones
        *((99, False), (17, False), (0, False), (-1, False)),
        *((200, False), (206, False), (207, True), (230, True)),
        *(
            (300, False),
            (302, False),
            (303, False),
            (399, False),
            (400, True),
            (401, True),
            (403, True),
            (404, True),
            (429, True),
        ),
        *((408, False), (425, False), (499, False)),
        *((500, False), (501, True), (502, False), (503, True), (504, False), (505, True), (506, False)),
        *((600, False), (4711, False)),
    ],
)
def test_service_error_code_may_prove_a_refusal(code: int, refuses: bool) -> None:
    assert code_refuses(code) is refuses


@pytest.mark.parametrize(
    "error",
    [
        ConfigError("a", "b", "c"),
        ContractError("a", None, "b", "c"),
        UnsupportedByProtocol("GetSales", "REST"),
        ClientClosed("GetSales"),
        Timeout("GetSales", 1, request_sent=False),
        ConnectionFailed("https://h.example", "refused", request_sent=False),
    ],
)
def test_errors_before_sending_are_not_ambiguous(error: Exception) -> None:
    assert surely_refused(error)


@pytest.mark.parametrize(
    "error",
    [
        Timeout("GetSales", 1),
        ConnectionFailed("https://h.example", "reset"),
        TransportError("reset"),
        BrokenResponse("a", None, "b"),
        ResponseError("a", None, "b"),
        ValueError("a bug"),
    ],
)
def test_errors_after_sending_are_ambiguous(error: Exception) -> None:
    assert not surely_refused(error)


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
