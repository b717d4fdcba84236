"""Error messages say what failed, why, and what to do, in this order and in standard terms."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from soapclient import Client, Settings
from soapclient.errors import (
    AmbiguousOutcome,
    ConfigError,
    ContractError,
    JobFailed,
    ResponseError,
    SoapClientError,
)
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


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        (
            {"SOAPCLIENT_TIMEOUT": "-1"},
            "SOAPCLIENT_TIMEOUT must be a number of seconds greater than 0, got -1",
        ),
        (
            {"SOAPCLIENT_PUBLISHER_PROTOCOL": "reST"},
            "SOAPCLIENT_PUBLISHER_PROTOCOL must be one of: soap, rest (got 'reST')",
        ),
    ],
)
def test_invalid_setting_error_has_the_documented_wording(environ: Mapping[str, str], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.load(environ=environ)
    assert f": {said}. Set it as " in str(caught.value)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            AmbiguousOutcome("CreateAdspace", "the connection broke"),
            "The request may have been processed. Check before retrying.",
        ),
        (JobFailed("7", "failed"), "export job 7 failed"),
        (ResponseError("a", "x", "a number", 27, operation="GetSales"), "expected a number, after 27 items."),
    ],
)
def test_response_and_job_errors_have_the_documented_wording(error: SoapClientError, said: str) -> None:
    assert said in str(error)


def test_docstrings_say_what_is_retried() -> None:
    assert "Retried on transient errors." in (PublisherService.get_sales.__doc__ or "")
