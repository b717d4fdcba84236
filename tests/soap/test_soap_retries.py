"""Which calls are retried, which never are, and what the error says if a write may have been processed."""

from __future__ import annotations

import datetime as dt
import gzip
import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
import requests
import requests_mock

from soapclient import Client
from soapclient.clock import ManualClock
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

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient, Responses
    from tests.support.wire import Exchange, Wire

Write = Callable[[Client], object]


def delete(client: Client) -> object:
    return client.publisher.delete_adspace(adspace_id=1)


def vanish(exchange: Exchange) -> None:
    """Read the request and close the connection without a response."""
    exchange.drop()


def break_off(exchange: Exchange) -> None:
    """Send fewer bytes than the headers announce."""
    exchange.head(Content_Length="1000")
    exchange.write(b"<s:Envelope")
    exchange.drop()


def stall(exchange: Exchange) -> None:
    """Send no response but keep the connection open."""
    exchange.drop()
    exchange.ended.wait(10)


def notes(error: BaseException) -> str:
    return " ".join(getattr(error, "__notes__", []))


def test_read_is_retried_and_each_attempt_signed_again(
    client: Client, clock: ManualClock, wire: Wire, responses: Responses, hmac_of: Callable[..., str]
) -> None:
    wire.answers(b"busy", 503, Content_Type="text/plain", Retry_After="7")
    wire.answers(responses.profile())
    client.publisher.get_profile()
    first, second = wire.sent
    for name in ("timestamp", "nonce", "signature"):
        assert first.fields[name] != second.fields[name]
    for name in ("authorization", "date", "nonce"):
        assert first.headers[name] != second.headers[name]
    assert first.fields["timestamp"] == "2026-11-20T12:00:00"
    assert second.fields["timestamp"] == "2026-11-20T12:00:07"  # Retry-After is longer than the first wait
    for sent in (first, second):
        signed = (sent.fields["timestamp"], sent.fields["nonce"])
        assert sent.fields["signature"] == hmac_of("publisherservice", "getprofile", *signed)
        assert sent.headers["nonce"] == sent.fields["nonce"]
    assert clock.sleeps == [7]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("status", [408, 425, 429, 499, 500, 502, 503, 504, 507, 520, 522, 524, 598, 599])
def test_last_error_has_the_number_of_attempts(
    open_client: OpenClient, clock: ManualClock, wire: Wire, status: int
) -> None:
    for _ in range(3):
        wire.answers(b"<html>sorry</html>", status, Content_Type="text/html")
    with pytest.raises(UnexpectedResponse) as caught:
        open_client(attempts=3).publisher.get_profile()
    assert len(wire.sent) == caught.value.attempts == 3
    assert caught.value.status == status
    assert "sorry" in caught.value.excerpt
    assert "3 attempts" in notes(caught.value)
    assert clock.sleeps == [0.5, 1.0]


@pytest.mark.parametrize("act", [vanish, break_off])
def test_lost_connection_is_retried(
    client: Client, wire: Wire, responses: Responses, act: Callable[[Exchange], None]
) -> None:
    wire.does(act)
    wire.answers(responses.profile())
    assert client.publisher.get_profile().profile_item is not None
    assert len({sent.fields["nonce"] for sent in wire.sent}) == 2


def test_transient_fault_is_retried_and_permanent_fault_is_not(
    client: Client, wire: Wire, responses: Responses
) -> None:
    wire.answers(responses.fault(503, "overloaded"), 500)
    wire.answers(responses.fault(105, "no such thing"), 500)
    with pytest.raises(ServiceFault) as caught:
        client.publisher.get_profile()
    assert (caught.value.code, caught.value.attempts, len(wire.sent)) == (105, 2, 2)


@pytest.mark.parametrize("faultcode", ["s:Client", "s:Client.Input"])
def test_client_fault_without_detail_is_not_retried(
    client: Client, wire: Wire, responses: Responses, faultcode: str
) -> None:
    wire.answers(responses.fault(faultcode=faultcode), 500)
    with pytest.raises(ServiceFault) as caught:
        client.publisher.get_profile()
    assert (caught.value.attempts, len(wire.sent)) == (1, 1)
    assert not isinstance(caught.value, AuthenticationError)


def test_soap_1_2_sender_fault_is_not_retried(client: Client, wire: Wire, responses: Responses) -> None:
    wire.answers(responses.fault_12(value="s:Sender"), 500, Content_Type="application/soap+xml")
    with pytest.raises(ServiceFault, match="because"):
        client.publisher.get_profile()
    assert len(wire.sent) == 1


@pytest.mark.parametrize("status", [400, 404, 413])
def test_authentication_refusal_is_not_retried(client: Client, wire: Wire, status: int) -> None:
    wire.answers(b"no", status, Content_Type="text/plain")
    with pytest.raises(UnexpectedResponse):
        client.publisher.get_profile()
    assert len(wire.sent) == 1


def test_attempt_is_not_started_without_time_left(
    open_client: OpenClient, clock: ManualClock, wire: Wire
) -> None:
    wire.answers(b"busy", 503, Content_Type="text/plain", Retry_After="30")
    with pytest.raises(UnexpectedResponse) as caught:
        open_client(deadline=20).publisher.get_profile()
    assert (len(wire.sent), clock.sleeps) == (1, [])
    assert caught.value.retry_after == 30
    assert "deadline" in notes(caught.value)


def test_deadline_includes_all_attempts(open_client: OpenClient, clock: ManualClock, wire: Wire) -> None:
    def slow(exchange: Exchange) -> None:
        clock.advance(8)
        exchange.head(503, Content_Length="0")

    for _ in range(4):
        wire.does(slow)
    with pytest.raises(Timeout) as caught:
        open_client(deadline=20).publisher.get_profile()
    # 8, a wait of 0.5, 8, a wait of 1: the third attempt begins at 17.5 and times out.
    assert (len(wire.sent), clock.sleeps) == (3, [0.5, 1.0])
    assert "deadline" in notes(caught.value)


def test_a_retry_after_that_is_a_date_is_understood(
    client: Client, clock: ManualClock, wire: Wire, responses: Responses
) -> None:
    dated = "Fri, 20 Nov 2026 17:00:00 GMT"  # by the service's clock, whatever the local clock shows
    wire.answers(b"", 503, Retry_After="Fri, 20 Nov 2026 17:00:09 GMT", Date=dated)
    wire.answers(responses.profile())
    client.publisher.get_profile()
    assert clock.sleeps == [9]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("said", ["soon", "-5", "1e9", "", "99999999", "Fri, 20 Nov 2026 11:00:00 GMT"])
def test_invalid_retry_after_is_ignored(
    client: Client, clock: ManualClock, wire: Wire, responses: Responses, said: str
) -> None:
    wire.answers(b"", 503, Retry_After=said)
    wire.answers(responses.profile())
    if said == "99999999":  # years: no retry is worth the wait
        with pytest.raises(UnexpectedResponse):
            client.publisher.get_profile()
    else:
        client.publisher.get_profile()
        assert clock.sleeps == [0.5]


# ---- writes


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("status", "body"),
    [
        *((503, b"busy"), (429, b"slow down"), (404, b"who?"), (302, b""), (400, b"no")),
        *((501, b"not here"), (505, b"not so"), (413, b"too long"), (401, b"who?"), (403, b"no")),
    ],
)
def test_write_is_ambiguous_after_any_status_without_a_fault(
    client: Client, clock: ManualClock, wire: Wire, status: int, body: bytes
) -> None:
    wire.answers(body, status, Content_Type="text/plain")
    with pytest.raises(AmbiguousOutcome) as caught:
        delete(client)
    cause = caught.value.__cause__
    assert isinstance(cause, UnexpectedResponse | AuthenticationError)
    assert (len(wire.sent), caught.value.attempts, clock.sleeps) == (1, 1, [])


SECURITY = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("faultcode", "refused"),
    [
        ("s:MustUnderstand", True),
        ("s:VersionMismatch", True),
        ("MustUnderstand", True),  # without a prefix, as many services send it
        ("x:MustUnderstand", False),
        ("s:MustUnderstand.Other", False),
        *((f"w:{code}", True) for code in ("MessageExpired", "FailedCheck", "InvalidSecurityToken")),
        ("unknown:FailedCheck", False),
        ("s:Client.Authentication", False),
        ("s:Client", False),
    ],
)
def test_a_fault_code_that_precedes_processing_proves_that_a_write_was_refused(
    client: Client, wire: Wire, responses: Responses, faultcode: str, refused: bool
) -> None:
    spaces = f'<faultcode xmlns:w="{SECURITY}" xmlns:x="urn:other">'.encode()
    wire.answers(responses.fault(faultcode=faultcode).replace(b"<faultcode>", spaces), 500)
    with pytest.raises(ServiceFault if refused else AmbiguousOutcome, match="because"):
        delete(client)
    assert len(wire.sent) == 1


@pytest.mark.parametrize(("value", "refused"), [("s:MustUnderstand", True), ("s:Sender", False)])
def test_soap_1_2_fault_code_may_prove_a_refusal(
    client: Client, wire: Wire, responses: Responses, value: str, refused: bool
) -> None:
    wire.answers(responses.fault_12(value=value), 500, Content_Type="application/soap+xml")
    with pytest.raises(ServiceFault if refused else AmbiguousOutcome, match="because"):
        delete(client)


@pytest.mark.parametrize(
    "change", [("/namespace/", "/other/"), ("SOAPException", "Exception"), ("109", "no")]
)
def test_undeclared_detail_makes_a_write_ambiguous(
    client: Client, wire: Wire, responses: Responses, change: tuple[str, str]
) -> None:
    old, new = (text.encode() for text in change)
    wire.answers(responses.fault(109).replace(old, new), 500)
    with pytest.raises(AmbiguousOutcome, match="because"):
        delete(client)


def test_misplaced_declared_detail_makes_a_write_ambiguous(
    client: Client, wire: Wire, responses: Responses
) -> None:
    quoted = (
        responses.fault(109).replace(b"<detail>", b"<detail><log>").replace(b"</detail>", b"</log></detail>")
    )
    wire.answers(quoted, 500)
    with pytest.raises(AmbiguousOutcome, match="because"):
        delete(client)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("code", "faultcode", "in_doubt"),
    [
        (109, "s:Server", False),  # errors in the request are detected before it is processed
        (403, "s:Server", False),
        (503, "s:Server", False),
        (500, "s:Server", True),
        (502, "s:Server", True),
        *((code, "s:Server", True) for code in (4711, 0, -1, 99, 200, 600)),  # unknown codes
        (None, "s:Server", True),
        (None, "s:Client", True),  # a gateway may also blame the request
    ],
)
def test_a_fault_after_which_a_write_may_have_been_processed_is_ambiguous(
    client: Client, wire: Wire, responses: Responses, code: int | None, faultcode: str, in_doubt: bool
) -> None:
    wire.answers(responses.fault(code, faultcode=faultcode), 500)
    with pytest.raises(AmbiguousOutcome if in_doubt else ServiceFault, match="because") as caught:
        delete(client)
    if in_doubt:
        assert isinstance(caught.value.__cause__, ServiceFault)
        assert "later" not in str(caught.value)
    assert len(wire.sent) == 1


def test_the_same_fault_of_a_read_stays_a_fault(client: Client, wire: Wire, responses: Responses) -> None:
    wire.answers(responses.fault(4711), 500)
    with pytest.raises(ServiceFault, match="4711"):
        client.publisher.get_profile()
    assert len(wire.sent) == 1


def two_lengths(exchange: Exchange) -> None:
    """Send two different Content-Length headers. The real length is unknown."""
    exchange.head(Content_Length="5", content_length="6")
    exchange.write(b"hello!")
    exchange.drop()


def test_write_with_any_broken_response_is_ambiguous(client: Client, wire: Wire) -> None:
    wire.does(two_lengths)  # requests calls it InvalidHeader, a ValueError like the errors of bad requests
    with pytest.raises(AmbiguousOutcome):
        delete(client)
    assert len(wire.sent) == 1


def test_read_with_a_broken_response_is_retried(client: Client, wire: Wire, responses: Responses) -> None:
    wire.does(two_lengths)
    wire.answers(responses.profile())
    assert client.publisher.get_profile().profile_item is not None


def test_write_refused_by_requests_was_not_sent(
    open_client: OpenClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http:///no-host")
    with pytest.raises(
        ConnectionFailed, match="proxy"
    ) as caught:  # also a ValueError, caused by a bad setting
        delete(open_client("https://service.example.org"))
    assert not caught.value.request_sent


def test_transient_fault_of_a_write_is_not_retried(client: Client, wire: Wire, responses: Responses) -> None:
    wire.answers(responses.fault(503, "overloaded"), 500)
    with pytest.raises(ServiceFault, match="overloaded"):
        delete(client)
    assert len(wire.sent) == 1


@pytest.mark.parametrize("act", [vanish, break_off])
def test_write_with_a_lost_response_is_ambiguous(
    client: Client, wire: Wire, act: Callable[[Exchange], None]
) -> None:
    wire.does(act)
    with pytest.raises(AmbiguousOutcome) as caught:
        delete(client)
    assert caught.value.operation == "DeleteAdspace"
    assert isinstance(caught.value.__cause__, ConnectionFailed)
    assert "Check before retrying" in str(caught.value)
    assert len(wire.sent) == 1


def test_write_that_timed_out_is_ambiguous(open_client: OpenClient, wire: Wire) -> None:
    asked = threading.Event()

    def hear_and_stall(exchange: Exchange) -> None:
        asked.set()
        stall(exchange)

    wire.does(hear_and_stall)
    with pytest.raises(AmbiguousOutcome) as caught:
        delete(open_client(deadline=0.2))  # the read timeout alone: the clock is stopped
    assert isinstance(caught.value.__cause__, Timeout)
    assert asked.wait(60)
    assert len(wire.sent) == 1


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (502, "text/html", b"<html>bad gateway</html>"),
        *((status, "text/html", b"") for status in (408, 425, 499, 507, 520, 522, 524, 598, 599)),
        (303, "text/html", b""),
        (504, "text/html", b"<html>gateway timeout</html>"),
        (500, "text/html", b"<html>it broke somewhere</html>"),
        (200, "text/xml", b""),
        (200, "text/html", b"<html>a proxy's own page</html>"),
        (200, "text/xml", b"<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Bo"),
        (200, "text/xml", b"no xml at all"),
        (200, "text/xml", b"<answer/>"),
        (200, "text/xml", b"<!DOCTYPE a><s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'/>"),
        (
            200,
            "text/xml",
            b"<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body/></s:Envelope>",
        ),
        (200, "text/xml", b"<html>a page that is well-formed</html>"),
        (200, "text/xml", b"<!DOCTYPE html><html/>"),
    ],
)
def test_write_with_an_unclear_response_is_ambiguous(
    client: Client, wire: Wire, status: int, kind: str, body: bytes
) -> None:
    wire.answers(body, status, Content_Type=kind)
    with pytest.raises(AmbiguousOutcome) as caught:
        delete(client)
    assert isinstance(caught.value.__cause__, UnexpectedResponse | ResponseError)
    assert len(wire.sent) == 1


def test_write_with_a_too_long_response_is_ambiguous(
    open_client: OpenClient, wire: Wire, responses: Responses
) -> None:
    wire.answers(responses.of("DeleteAdspace", "<count>1</count>" + " " * 5000))
    with pytest.raises(AmbiguousOutcome, match="max_response_bytes"):
        delete(open_client(max_response_bytes=1000))


def test_write_with_an_undecodable_response_was_processed(
    client: Client, wire: Wire, responses: Responses
) -> None:
    wire.answers(responses.of("DeleteAdspace", "<count>many</count>"))
    with pytest.raises(ResponseError, match="DeleteAdspaceResponse/count") as caught:
        delete(client)
    assert "the service responded to DeleteAdspace" in "".join(caught.value.__notes__)


# ---- damage in transit


WHOLE = b"<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (WHOLE, {"Connection": "close"}),  # cut off, and without a length
        (b"", {}),
        (b"<html>one moment, please</html>", {"Content_Type": "text/html"}),
        (b"\x1f\x8b\x08\x00nonsense", {"Content_Encoding": "gzip"}),
        (gzip.compress(WHOLE * 50, mtime=0)[:-30], {"Content_Encoding": "gzip"}),
        (WHOLE + b"\xff\xfe", {}),
        (WHOLE + b"<GetLeadResponse/></s:Body></s:Envelope>", {}),  # the response to another request
    ],
)
def test_read_with_a_damaged_response_is_retried(
    client: Client, clock: ManualClock, wire: Wire, responses: Responses, body: bytes, headers: dict[str, str]
) -> None:
    wire.answers(body, 200, **headers)
    wire.answers(responses.profile())
    assert client.publisher.get_profile().profile_item is not None
    assert (len(wire.sent), clock.sleeps) == (2, [0.5])


def test_permanent_damage_is_raised_after_all_attempts(client: Client, wire: Wire) -> None:
    for _ in range(4):
        wire.answers(b"<html>down for today</html>", Content_Type="text/html")
    with pytest.raises(UnexpectedResponse, match="down for today") as caught:
        client.publisher.get_profile()
    assert (len(wire.sent), caught.value.attempts) == (4, 4)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["multipart/related; boundary=a", "text/xml"])
def test_permanent_error_is_raised_at_once(
    open_client: OpenClient, wire: Wire, responses: Responses, kind: str
) -> None:
    """Responses that exceed the size limit, multipart or not, and complete but wrong responses."""
    wire.answers(responses.profile(" " * 3000), Content_Type=kind)
    with pytest.raises(UnexpectedResponse):
        open_client(max_response_bytes=2000).publisher.get_profile()
    wire.answers(responses.profile(adrank="many"))
    with pytest.raises(ResponseError):
        open_client().publisher.get_profile()
    assert len(wire.sent) == 2


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_unsent_write_is_not_ambiguous(open_client: OpenClient, clock: ManualClock) -> None:
    client = open_client(f"http://127.0.0.1:{closed_port()}")
    with pytest.raises(ConnectionFailed) as caught:
        delete(client)
    assert not caught.value.request_sent
    assert "127.0.0.1" in caught.value.address
    assert clock.sleeps == []
    with pytest.raises(ConnectionFailed) as caught:
        client.publisher.get_profile()
    assert caught.value.attempts == 4
    assert len(clock.sleeps) == 3


def test_a_write_whose_tls_fails_was_not_sent(open_client: OpenClient, wire: Wire) -> None:
    with pytest.raises(ConnectionFailed, match="SSL") as caught:  # the server speaks plain HTTP
        delete(open_client(wire.url.replace("http:", "https:")))
    assert not caught.value.request_sent
    assert wire.sent == []


def test_write_refused_by_the_proxy_was_not_sent(
    open_client: OpenClient, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tunnel request to the proxy is not part of the request."""
    monkeypatch.setenv("HTTPS_PROXY", wire.url)  # the server does not support CONNECT and answers 501
    with pytest.raises(ConnectionFailed, match="501") as caught:
        delete(open_client("https://service.example.org"))
    assert not caught.value.request_sent


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (requests.ConnectTimeout("no connection"), ConnectionFailed),
        (requests.exceptions.ProxyError("the proxy is away"), ConnectionFailed),
        (requests.exceptions.SSLError("CERTIFICATE_VERIFY_FAILED"), AmbiguousOutcome),
        (requests.ReadTimeout("nothing came"), AmbiguousOutcome),
        (requests.exceptions.ChunkedEncodingError("broken"), AmbiguousOutcome),
    ],
)
def test_connection_failure_tells_if_a_write_was_sent(
    open_client: OpenClient, failure: Exception, expected: type[SoapClientError]
) -> None:
    client = open_client("https://service.example.org")
    with requests_mock.Mocker() as mocked:
        mocked.post(requests_mock.ANY, exc=failure)
        with pytest.raises(expected):
            delete(client)


def test_refused_certificate_stops_a_write_before_sending(open_client: OpenClient) -> None:
    import ssl

    from urllib3.exceptions import MaxRetryError
    from urllib3.exceptions import SSLError as PoolError

    refused = ssl.SSLCertVerificationError(1, "self-signed certificate")
    # no pool is needed
    wrapped = requests.exceptions.SSLError(MaxRetryError(None, "/", PoolError(refused)))  # type: ignore[arg-type]
    with requests_mock.Mocker() as mocked:
        mocked.post(requests_mock.ANY, exc=wrapped)
        with pytest.raises(ConnectionFailed, match="self-signed") as caught:
            delete(open_client("https://service.example.org"))
    assert not caught.value.request_sent


def test_order_is_a_write_and_a_poll_is_a_read(client: Client, wire: Wire) -> None:
    for _ in range(5):
        wire.answers(b"", 503)
    with pytest.raises(AmbiguousOutcome):
        client.data.create_report_job(
            report_type="click", from_date=dt.date(2026, 11, 1), to_date=dt.date(2026, 11, 1)
        )
    assert len(wire.sent) == 1
    with pytest.raises(UnexpectedResponse):
        client.data.get_job(job_id="job-1")
    assert len(wire.sent) == 5


def test_write_of_the_plain_zeep_service_is_ambiguous(client: Client, wire: Wire) -> None:
    wire.answers(b'{"title": "Conflict"}', 409, Content_Type="application/problem+json")
    with pytest.raises(AmbiguousOutcome) as caught:
        client.publisher.zeep.DeleteAdspace(adspaceId=1)
    assert isinstance(caught.value.__cause__, ServiceFault)
    assert caught.value.request_id == wire.sent[0].headers["x-request-id"]


def test_plain_zeep_service_is_never_retried(client: Client, wire: Wire) -> None:
    wire.answers(b"busy", 503, Content_Type="text/plain")
    with pytest.raises(UnexpectedResponse):
        client.publisher.zeep.GetProfile()
    assert len(wire.sent) == 1
