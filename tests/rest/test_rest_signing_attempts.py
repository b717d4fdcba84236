"""Each attempt has its own nonce.

Attempts of a call differ in time, nonce and signature; all signatures of one request share them.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from soapclient.clock import ManualClock
from soapclient.errors import AuthenticationError, SoapClientError
from soapclient.tracking.sandbox import Sandbox, serve

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.support.wire import Recorder, Sent
from tests.stage import Stage

CONNECT_ID = "802B8BF4AE99EBE00F41"
SECRET_KEY = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
DAY = dt.date(2026, 11, 1)
NONE = '{"page":0,"items":0,"total":0,"saleItems":""}'
DENIED = '{"code":403,"message":"access denied","reason":"too old"}'
URI = "/reports/sales/date/2026-11-01"


def fields(sent: Sent) -> tuple[str, str, str]:
    """Return date, nonce and signature, from the query or the headers."""
    if "authorization" in sent.headers:
        signature = sent.headers["authorization"].removeprefix(f"ZXWS {CONNECT_ID}:")
        return sent.headers["date"], sent.headers["nonce"], signature
    query = dict(sent.pairs)
    return query["date"], query["nonce"], query["signature"]


@pytest.mark.parametrize("place", ["headers", "query"])
def test_every_attempt_has_a_new_signature(
    recorder: Recorder,
    rest_client: RestClient,
    rest_clock: ManualClock,
    signature_of: Callable[..., str],
    place: str,
) -> None:
    for _ in range(2):
        recorder.answers("busy", 503, "text/plain", Retry_After="2")
    recorder.answers(NONE)
    client = rest_client(rest_signature=place)
    assert client.publisher.get_sales(date=DAY, date_type="trackingDate").total == 0
    assert len(rest_clock.sleeps) == 2  # otherwise all attempts would be in the same second
    found = [fields(sent) for sent in recorder.sent]
    assert len(found) == 3
    for column in zip(*found, strict=True):
        assert len(set(column)) == 3, "two attempts share one"
    for date, nonce, signature in found:
        assert signature == signature_of(SECRET_KEY, "GET", URI, date, nonce)
    targets = {re.sub("&?connectid=.*", "", sent.target) for sent in recorder.sent}
    assert targets == {f"/xml/2011-03-01{URI}?datetype=tracking_date"}


@pytest.mark.parametrize("place", ["headers", "query"])
def test_a_wrong_clock_is_corrected_once_and_remembered(
    recorder: Recorder, rest_client: RestClient, rest_clock: ManualClock, place: str
) -> None:
    recorder.answers(DENIED, 403, Date="Fri, 20 Nov 2026 14:00:00 GMT")
    recorder.answers(NONE)
    recorder.answers(NONE)
    client = rest_client(rest_signature=place)
    client.publisher.get_sales(date=DAY, date_type="trackingDate")
    rest_clock.advance(60)
    client.publisher.get_sales(date=DAY, date_type="trackingDate")
    dates = [fields(sent)[0] for sent in recorder.sent]
    assert [date[17:25] for date in dates] == ["12:00:00", "14:00:00", "14:01:00"]
    assert rest_clock.sleeps == []


def test_refusal_without_clock_skew_is_not_retried(recorder: Recorder, rest_client: RestClient) -> None:
    recorder.answers(DENIED, 403, Date="Fri, 20 Nov 2026 12:14:00 GMT")
    with pytest.raises(AuthenticationError):
        rest_client().publisher.get_profile()
    assert len(recorder.sent) == 1
    recorder.answers(DENIED, 403, Date="Fri, 20 Nov 2026 12:14:00 GMT")
    with pytest.raises(AuthenticationError, match="too old"):
        rest_client(signature_validity_minutes=60).publisher.get_profile()
    assert len(recorder.sent) == 2


def test_skew_threshold_is_half_of_the_validity(recorder: Recorder, rest_client: RestClient) -> None:
    recorder.answers(DENIED, 403, Date="Fri, 20 Nov 2026 12:14:00 GMT")
    recorder.answers(NONE)
    client = rest_client(signature_validity_minutes=15)
    client.publisher.get_sales(date=DAY, date_type="trackingDate")
    assert [fields(sent)[0][17:25] for sent in recorder.sent] == ["12:00:00", "12:14:00"]


def test_clock_is_corrected_with_a_real_verifier(rest_client: RestClient) -> None:
    late = dt.datetime(2026, 11, 20, 15, 0, 0, tzinfo=dt.UTC)  # three hours after the client's clock
    with Sandbox(clock=lambda: late, clicks_per_day=2) as service, serve(service, timeout=5) as server:
        client = rest_client(server.url)
        assert client.publisher.get_profile().profile_item is not None
        assert client.advertiser.partnerships(service.partner_codes(CONNECT_ID)[:1]).found


def test_request_with_two_signatures_uses_its_nonce_once(
    recorder: Recorder, rest_client: RestClient, stage: Stage
) -> None:
    """SOAP: in the body and in headers (docs/explanation/service.md#signing).

    Both are checked, and both must be correct.
    """
    with pytest.raises(SoapClientError):
        rest_client(protocol="soap").publisher.get_profile()
    sent = recorder.last
    in_body = re.findall(rb"<(?:\w+:)?(nonce|signature)>([^<]*)<", sent.body)
    assert dict(in_body)[b"nonce"].decode() == sent.headers["nonce"]
    assert dict(in_body)[b"signature"].decode() not in sent.headers["authorization"]

    def flipped(text: str) -> str:
        return ("A" if text[0] != "A" else "B") + text[1:]

    stage.replace(accounts={CONNECT_ID: SECRET_KEY}, seed=7, clicks_per_day=2)
    signature = dict(in_body)[b"signature"].decode()
    wrong_body = sent.body.replace(signature.encode(), flipped(signature).encode())
    assert wrong_body != sent.body
    head, _, right = sent.headers["authorization"].rpartition(":")
    wrong_headers = sent.headers | {"authorization": f"{head}:{flipped(right)}"}
    for wrong, place in (
        (replace(sent, body=wrong_body), b"body"),
        (replace(sent, headers=wrong_headers), b"headers"),
    ):
        status, body = wrong.sent_to(stage.url)
        assert status == 500
        assert b"403" in body
        assert b"the signature in the %s is not right" % place in body
    status, body = sent.sent_to(stage.url)
    assert (status, b"GetProfileResponse" in body) == (200, True)
    status, body = sent.sent_to(stage.url)
    assert (status, b"the nonce was used before" in body) == (500, True)
