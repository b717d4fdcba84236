"""A malformed value is an error that names the setting. With the setting it is None and a finding."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client
from soapclient.errors import ResponseError
from tests.support.sales import SALE, sales, stream_of_sales, xml_of
from tests.support.soap import envelope

if TYPE_CHECKING:
    from soapclient.runtime import Finding
    from tests.conftest import RestClient
    from tests.support.wire import Recorder

SPACE = "http://api.zanox.com/namespace/2011-03-01/"
VALID = "2026-11-01T10:00:00Z"
PATH = "GetSalesResponse/saleItems/saleItem/clickDate"
INVALID = [
    *("2026-11-01T10:00:00+0100", "2026-11-01 10:00:00", "2026-11-01T24:00:01", "24:00:00"),
    *("10000-01-01T00:00:00Z", "2026-11-01T10:00:60Z", "yesterday"),
]
FIELDS = SALE | {"trackingDate": VALID, "clickDate": VALID}


def document(*items: dict[str, Any]) -> str:
    inside = "".join(xml_of("saleItem", item) for item in items)
    return (
        f'<GetSalesResponse xmlns="{SPACE}"><page>0</page><items>{len(items)}</items>'
        f"<total>{len(items)}</total><saleItems>{inside}</saleItems></GetSalesResponse>"
    )


def answer(recorder: Recorder, protocol: str, *items: dict[str, Any]) -> None:
    if protocol == "json":
        page = {"page": 0, "items": len(items), "total": len(items)}
        recorder.answers(json.dumps({**page, "saleItems": {"saleItem": items}}))
    elif protocol == "xml":
        recorder.answers(document(*items), kind="application/xml")
    else:
        recorder.answers(envelope(document(*items)), kind="text/xml")


def opened(rest_client: RestClient, protocol: str, **settings: Any) -> Client:
    return rest_client(
        protocol="soap" if protocol == "soap" else "rest",
        rest_format="json" if protocol == "json" else "xml",
        **settings,
    )


@pytest.mark.parametrize("protocol", ["soap", "xml", "json"])
@pytest.mark.parametrize("read", [sales, stream_of_sales])
@pytest.mark.parametrize("text", INVALID)
def test_skip_reads_the_rest_of_the_response(
    rest_client: RestClient, recorder: Recorder, protocol: str, read: Callable[[Client], list[Any]], text: str
) -> None:
    answer(recorder, protocol, FIELDS, {**FIELDS, "clickDate": text}, FIELDS)
    findings: list[tuple[str, Finding, int]] = []
    heard = {"on_finding": lambda *finding: findings.append(finding)}
    client = opened(rest_client, protocol, on_invalid_value="skip", **heard)
    items = read(client)
    dates = [item.click_date for item in items]
    assert dates == [dt.datetime.fromisoformat(VALID), None, dt.datetime.fromisoformat(VALID)]
    assert [item.click_id for item in items] == [4, 4, 4]
    assert findings == [("GetSales", ("value", PATH, text), 1)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("protocol", ["soap", "xml", "json"])
@pytest.mark.parametrize("read", [sales, stream_of_sales])
def test_invalid_value_is_an_error_that_names_the_setting_by_default(
    rest_client: RestClient, recorder: Recorder, protocol: str, read: Callable[[Client], list[Any]]
) -> None:
    answer(recorder, protocol, FIELDS, {**FIELDS, "clickDate": "yesterday"})
    with pytest.raises(ResponseError, match=r"clickDate is 'yesterday', .* set 'on_invalid_value' to 'skip'"):
        read(opened(rest_client, protocol))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("protocol", ["soap", "xml", "json"])
@pytest.mark.parametrize("setting", ["error", "skip"])
def test_a_required_field_stays_an_error(
    rest_client: RestClient, recorder: Recorder, protocol: str, setting: str
) -> None:
    answer(recorder, protocol, FIELDS, {**FIELDS, "amount": "much"})
    with pytest.raises(ResponseError, match="amount is 'much'") as caught:
        sales(opened(rest_client, protocol, on_invalid_value=setting))
    assert "on_invalid_value" not in str(caught.value)


@pytest.mark.parametrize("protocol", ["soap", "xml", "json"])
def test_stream_opens_a_new_connection(rest_client: RestClient, recorder: Recorder, protocol: str) -> None:
    """Its items are returned before a late duplicate of another response could be noticed."""
    client = opened(rest_client, protocol)
    for read in (sales, stream_of_sales, stream_of_sales):
        answer(recorder, protocol, FIELDS)
        assert len(read(client)) == 1
    assert len(set(recorder.connections)) == 3
