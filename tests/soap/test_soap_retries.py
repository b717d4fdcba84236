"""Retries and outcomes that are special to SOAP and to requests. The common rules are in tests/interfaces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import requests
import requests_mock

from soapclient import Client
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    ConnectionFailed,
    ServiceFault,
    SoapClientError,
    UnexpectedResponse,
)
from tests.soap.conftest import WSSE, responses

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Wire


def delete(client: Client) -> object:
    return client.publisher.delete_adspace(adspace_id=1)


@pytest.mark.parametrize("code", ["s:Client", "s:Client.Input", "s:Sender"])
def test_client_fault_without_detail_is_not_retried(client: Client, wire: Wire, code: str) -> None:
    answer_with_a_fault(wire, code)
    with pytest.raises(ServiceFault) as caught:
        client.publisher.get_profile()
    assert (caught.value.attempts, len(wire.sent)) == (1, 1)
    assert not isinstance(caught.value, AuthenticationError)


def answer_with_a_fault(wire: Wire, code: str) -> None:
    """`s:Sender` and `12:…` are codes of SOAP 1.2."""
    if code == "s:Sender" or code.startswith("12:"):
        body = responses.fault_12(value=code.replace("12:", "s:"))
        wire.answers(body, 500, Content_Type="application/soap+xml")
    else:
        spaces = f'<faultcode xmlns:w="{WSSE}" xmlns:x="urn:other">'.encode()
        wire.answers(responses.fault(faultcode=code).replace(b"<faultcode>", spaces), 500)


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
        ("s:Client", False),  # a gateway may also blame the request
        ("s:Server", False),
        ("12:MustUnderstand", True),
        ("s:Sender", False),
    ],
)
def test_a_fault_code_that_precedes_processing_proves_that_a_write_was_refused(
    client: Client, wire: Wire, faultcode: str, refused: bool
) -> None:
    answer_with_a_fault(wire, faultcode)
    with pytest.raises(ServiceFault if refused else AmbiguousOutcome, match="because"):
        delete(client)
    assert len(wire.sent) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/namespace/", "/other/"),
        ("SOAPException", "Exception"),
        ("109", "no"),
        ("<detail>(.*)</detail>", r"<detail><log>\1</log></detail>"),  # declared, but misplaced
    ],
)
def test_undeclared_detail_makes_a_write_ambiguous(client: Client, wire: Wire, old: str, new: str) -> None:
    wire.answers(re.sub(old, new, responses.fault(109).decode()), 500)
    with pytest.raises(AmbiguousOutcome, match="because"):
        delete(client)


def test_too_long_multipart_response_is_not_retried(open_client: OpenClient, wire: Wire) -> None:
    wire.answers(responses.profile(" " * 3000), Content_Type="multipart/related; boundary=a")
    with pytest.raises(UnexpectedResponse):
        open_client(max_response_bytes=2000).publisher.get_profile()
    assert len(wire.sent) == 1


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
