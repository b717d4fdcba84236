"""Signatures over REST: known results, their place in the request, and the signed text.

See docs/explanation/service.md#signing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from soapclient import Client
from soapclient.clock import ManualClock
from soapclient.errors import ServiceFault
from tests.conftest import CONNECT_ID, SECRET_KEY

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.support.wire import Recorder, Sent

Hmac = Callable[..., str]
NONCE = "17811FEFBA7448CE848327F835729AA2"
KNOWN = "Thu, 15 Aug 2013 15:56:07 GMT"
KNOWN_MOMENT = dt.datetime(2013, 8, 15, 15, 56, 7, tzinfo=dt.UTC)
KNOWN_DAY = dt.date(2013, 7, 20)
KNOWN_END = dt.date(2013, 8, 1)


def in_2013(open_client: RestClient, form: str = "xml", place: str = "headers") -> Client:
    clock = ManualClock(KNOWN_MOMENT)
    return open_client(clock=clock, nonce_source=lambda: NONCE, rest_format=form, rest_signature=place)


def refused(call: Callable[[], object]) -> None:
    """Make a call. Checks that it raises the recorded error."""
    with pytest.raises(ServiceFault, match="recorded"):
        call()


def authentication(sent: Sent) -> tuple[str | None, str | None, str | None]:
    headers = sent.headers
    return headers.get("authorization"), headers.get("date"), headers.get("nonce")


@pytest.mark.parametrize("form", ["xml", "json"])
def test_publisher_rest_signature_matches_the_known_answer(
    recorder: Recorder, rest_client: RestClient, form: str
) -> None:
    client = in_2013(rest_client, form)
    refused(lambda: client.publisher.get_sales(date=KNOWN_DAY, date_type="trackingDate", items=50))
    sent = recorder.last
    assert sent.path == f"/{form}/2011-03-01/reports/sales/date/2013-07-20"
    assert authentication(sent) == (f"ZXWS {CONNECT_ID}:N4RPYDY1aUjciVm32pCJ82FVvuk=", KNOWN, NONCE)
    assert sent.query == "datetype=tracking_date&items=50"


def test_advertiser_rest_signature_matches_the_known_answer(
    recorder: Recorder, rest_client: RestClient
) -> None:
    client = in_2013(rest_client)
    refused(lambda: client.advertiser.program_report(1803, from_date=KNOWN_DAY, to_date=KNOWN_END))
    sent = recorder.last
    assert sent.path == "/2015-03-01/report/program/1803"
    assert authentication(sent) == (f"ZXWS {CONNECT_ID}:SwtIU7Ubwq5zvO/MjDLlDjtynhw=", KNOWN, NONCE)


def test_query_signature_matches_the_known_answer(recorder: Recorder, rest_client: RestClient) -> None:
    """The signature follows the operation's own parameters, in order.

    All characters that a server could misread are escaped.
    """
    client = in_2013(rest_client, place="query")
    report = client.advertiser.program_report
    refused(lambda: report(1803, from_date=KNOWN_DAY, to_date=KNOWN_END, group_by="month"))
    assert recorder.last.query == (
        "groupby=month&fromdate=2013-07-20&todate=2013-08-01"
        f"&connectid={CONNECT_ID}&date=Thu%2C%2015%20Aug%202013%2015%3A56%3A07%20GMT"
        f"&nonce={NONCE}&signature=SwtIU7Ubwq5zvO%2FMjDLlDjtynhw%3D"
    )
    assert authentication(recorder.last) == (None, None, None)


def test_query_may_contain_only_the_signature(
    recorder: Recorder, rest_client: RestClient, signature_of: Hmac
) -> None:
    """A plus in a signature is sent as %2B (docs/explanation/service.md#signing)."""
    texts = (f"nonce-of-visible-ascii-{serial:05d}" for serial in range(1000))
    nonce = next(t for t in texts if "+" in signature_of(SECRET_KEY, "GET/profiles", KNOWN, t))
    client = rest_client(clock=ManualClock(KNOWN_MOMENT), nonce_source=lambda: nonce, rest_signature="query")
    refused(client.publisher.get_profile)
    assert "+" not in recorder.last.query
    assert "%2B" in recorder.last.query
    assert recorder.last.pairs == [
        ("connectid", CONNECT_ID),
        ("date", KNOWN),
        ("nonce", nonce),
        ("signature", signature_of(SECRET_KEY, "GET/profiles", KNOWN, nonce)),
    ]


def test_public_request_has_only_the_connect_id(recorder: Recorder, rest_client: RestClient) -> None:
    refused(rest_client(secret_key=None).publisher.search_programs)
    assert authentication(recorder.last) == (f"ZXWS {CONNECT_ID}", None, None)
    assert recorder.last.query == ""
    refused(lambda: rest_client(rest_signature="query").publisher.search_programs(items=1))
    assert authentication(recorder.last) == (None, None, None)
    assert recorder.last.query == f"items=1&connectid={CONNECT_ID}"


@pytest.mark.parametrize(("lowercase", "signed"), [(True, "eur"), (False, "EUR")])
def test_a_path_may_be_signed_in_lower_case(
    recorder: Recorder, rest_client: RestClient, signature_of: Hmac, lowercase: bool, signed: str
) -> None:
    client = rest_client(lowercase_path=lowercase)
    refused(lambda: client.publisher.get_balance(currency="EUR"))
    sent = recorder.last
    assert sent.path.endswith("/payments/balances/balance/EUR")
    uri = f"/payments/balances/balance/{signed}"
    expected = signature_of(SECRET_KEY, "GET", uri, sent.headers["date"], sent.headers["nonce"])
    assert sent.headers["authorization"] == f"ZXWS {CONNECT_ID}:{expected}"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("place", ["headers", "query"])
@pytest.mark.parametrize(
    ("base", "before"),
    [("/api/v1", "/api/v1"), ("/2011-03-01x", "/2011-03-01x"), ("/2011-03-01/~us", "/2011-03-01/~us")],
)
def test_nothing_before_the_version_is_signed(
    recorder: Recorder, rest_client: RestClient, signature_of: Hmac, place: str, base: str, before: str
) -> None:
    client = rest_client(publisher_url=f"{recorder.url}{base}", rest_signature=place)
    refused(lambda: client.publisher.get_sales(date=dt.date(2011, 3, 1), date_type="clickDate"))
    sent = recorder.last
    assert sent.path == f"{before}/xml/2011-03-01/reports/sales/date/2011-03-01"
    fields = {**sent.headers, **dict(sent.pairs)}
    parts = ("GET", "/reports/sales/date/2011-03-01", fields["date"], fields["nonce"])
    held = fields["signature" if place == "query" else "authorization"].rpartition(":")[2]
    assert held == signature_of(SECRET_KEY, *parts)
