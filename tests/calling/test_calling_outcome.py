"""What a failed attempt means for a write: refused, or nobody knows. By statuses and codes, one by one."""

from __future__ import annotations

import pytest

from soapclient.calling.outcome import classified, surely_refused
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    ClientClosed,
    ConfigError,
    ConnectionFailed,
    ContractError,
    ResponseError,
    ServiceFault,
    SoapClientError,
    Timeout,
    TransportError,
    UnexpectedResponse,
    UnsupportedByProtocol,
)
from soapclient.transport.bodies import BrokenResponse

# By RFC 9110 and nginx: 303 points to what came of it, 408, 425 and 499 say that something went on too long
# or too early; a 5xx may have come from a gateway, but for 501 and 505, and 503 by which one turns away.
REFUSING = (
    300,
    301,
    302,
    304,
    307,
    308,
    400,
    401,
    403,
    404,
    405,
    409,
    410,
    413,
    422,
    429,
    451,
    501,
    503,
    505,
)
DOUBTFUL = (200, 202, 206, 299, 303, 408, 425, 499, 500, 502, 504, 507, 520, 524, 599)


@pytest.mark.parametrize("status", REFUSING)
def test_a_status_that_refuses(status: int) -> None:
    assert surely_refused(UnexpectedResponse(status, None, ""))
    assert surely_refused(ServiceFault(0, "no", status=status))


@pytest.mark.parametrize("status", DOUBTFUL)
def test_a_status_that_says_nothing_for_sure(status: int) -> None:
    assert not surely_refused(UnexpectedResponse(status, None, ""))
    assert not surely_refused(ServiceFault(0, "no", status=status))


@pytest.mark.parametrize(
    ("code", "status", "refused"),
    [
        (100, None, True),  # the first of the documented ones
        (99, None, False),
        (99, 400, True),  # none of the service's own: its status counts
        (0, None, False),
        (-1, 404, True),
        (199, None, True),
        (200, None, False),
        (206, 400, True),
        (207, None, True),
        (230, 500, True),  # a code of its own outweighs the 500 that SOAP has for every fault
        (408, None, False),
        (429, None, True),
        (499, 400, False),
        (500, None, False),
        (500, 400, False),
        (501, None, True),
        (503, 500, True),
        (504, 400, False),
    ],
)
def test_the_code_of_a_fault(code: int, status: int | None, refused: bool) -> None:
    assert surely_refused(ServiceFault(code, "no", status=status)) is refused


def test_a_declared_detail_is_a_refusal_whatever_the_code() -> None:
    assert surely_refused(ServiceFault(0, "no", detail=object()))
    assert surely_refused(ServiceFault(500, "no", status=500, detail="sold out"))
    assert not surely_refused(ServiceFault(500, "no", status=500, detail_text="<sold-out/>"))


@pytest.mark.parametrize(
    "error",
    [
        ConfigError("a", "b", "c"),
        ContractError("a", None, "b", "c"),
        UnsupportedByProtocol("GetSales", "REST"),
        AuthenticationError(500, "no", status=500),
        ClientClosed("GetSales"),
        Timeout("GetSales", 1, request_sent=False),
        ConnectionFailed("https://h.example", "refused", request_sent=False),
    ],
)
def test_nothing_was_sent_or_nobody_let_in(error: Exception) -> None:
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
def test_it_was_sent_and_nobody_knows(error: Exception) -> None:
    assert not surely_refused(error)


def failed(error: Exception, *, safe: bool = False) -> Exception:
    with pytest.raises(type(error) if safe else Exception) as caught, classified("Create", "id-1", safe=safe):
        raise error
    return caught.value


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
        (TransportError("who knows"), "TransportError"),
    ],
)
def test_a_write_that_may_have_been_processed(error: SoapClientError, reason: str) -> None:
    found = failed(error)
    assert isinstance(found, AmbiguousOutcome)
    assert (found.operation, found.request_id, found.reason) == ("Create", "id-1", reason)
    assert found.__cause__ is error
    assert failed(error, safe=True) is error


@pytest.mark.parametrize(
    "error", [ServiceFault(230, "bad"), UnexpectedResponse(404, None, ""), ValueError("bug")]
)
def test_a_refused_write_keeps_its_error(error: Exception) -> None:
    assert failed(error) is error
    assert not hasattr(error, "__notes__")


def test_a_response_that_came_says_that_it_was_processed() -> None:
    error = ResponseError("a", None, "b")
    assert failed(error, safe=True) is error
    assert not hasattr(error, "__notes__")
    assert failed(error) is error
    assert error.__notes__ == ["Create was processed: its response came, only not as the contract says"]
