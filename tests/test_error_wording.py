"""Error messages say what failed, why, and what to do, in this order and in standard terms."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from soapclient import Client, Settings
from soapclient.errors import ContractError
from zxws.publisher.service import PublisherService

# Nothing listens there, and no part of this may be sent.
NOWHERE = {
    "SOAPCLIENT_CONNECT_ID": "connect",
    "SOAPCLIENT_SECRET_KEY": "secret",
    "SOAPCLIENT_PUBLISHER_URL": "http://127.0.0.1:9",
    "SOAPCLIENT_DATA_URL": "http://127.0.0.1:9",
}
DAY = dt.date(2026, 11, 1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda client: client.publisher.get_sales(date="01.11.2026", date_type="trackingDate"),
            "GetSales: date must be a date such as 2026-11-01, got '01.11.2026'. Nothing was sent.",
        ),
        (
            lambda client: client.publisher.get_sales(date="2026-11-01", date_type="trackingDate"),
            "GetSales: date must be a datetime.date such as date(2026, 11, 1), got the string '2026-11-01'. "
            "Nothing was sent.",
        ),
        (
            lambda client: client.publisher.get_sales(date=DAY),
            "GetSales: dateType is required: one of clickDate, trackingDate, modifiedDate, "
            "reviewStateChangedDate. Nothing was sent.",
        ),
        (
            lambda client: client.data.create_report_job(report_type="view", from_date=DAY, to_date=DAY),
            "CreateReportJob: reportType 'view' was removed in 2011-05-01; "
            "use click (ppc), clickin (lpt), lead or sale. Nothing was sent.",
        ),
        (
            lambda client: client.data.create_report_job(
                report_type="sale", from_date=DAY, to_date=DAY, notify_url="https://me.example.org/"
            ),
            "CreateReportJob: notifyUrl was removed in 2011-05-01: "
            "the service does not report the end of a job. Poll the job instead. Nothing was sent.",
        ),
    ],
)
def test_invalid_request_error_has_the_documented_wording(call: Callable[[Any], object], said: str) -> None:
    with Client(Settings.load(environ=NOWHERE)) as client, pytest.raises(ContractError) as caught:
        call(client)
    assert str(caught.value) == said


def test_docstrings_say_what_is_retried() -> None:
    assert "Retried on transient errors." in (PublisherService.get_sales.__doc__ or "")
