"""The report of a program: days, groups, and amounts with all their digits
(docs/explanation/service.md#program-reports).
"""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pytest

from soapclient.clock import ManualClock
from soapclient.errors import ContractError, ServiceFault
from soapclient.tracking.sandbox import Sandbox
from tests.conftest import RestClient
from tests.support.wire import Recorder
from zxws.advertiser.types import GroupBy

CONNECT_ID = "802B8BF4AE99EBE00F41"
TODAY = dt.date(2026, 11, 20)  # by the clock of the tests
WEEK = dt.timedelta(days=7)
ONE_DAY = dt.timedelta(days=1)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("groups", "sent"),
    [
        ((), []),
        ([], []),
        ("day", ["day"]),
        (GroupBy.MONTH, ["month"]),
        (["adspace"], ["adspace"]),
        (["adspace", "admedium"], ["adspace,admedium"]),
        ((GroupBy.ADMEDIUM, "day"), ["admedium,day"]),
    ],
)
@pytest.mark.parametrize("place", ["headers", "query"])
def test_report_request_has_the_documented_parameters(
    recorder: Recorder, rest_client: RestClient, place: str, groups: Any, sent: list[str]
) -> None:
    client = rest_client(rest_signature=place).advertiser
    with pytest.raises(ServiceFault, match="recorded"):
        client.program_report(1803, from_date=TODAY - WEEK, to_date=TODAY, group_by=groups)
    assert (recorder.last.method, recorder.last.path) == ("GET", "/2015-03-01/report/program/1803")
    own = [pair for pair in recorder.last.pairs if pair[0] in ("groupby", "fromdate", "todate")]
    days = [("fromdate", "2026-11-13"), ("todate", "2026-11-20")]
    assert own == [*(("groupby", text) for text in sent), *days]
    names = [name for name, _ in recorder.last.pairs][len(own) :]
    assert names == (["connectid", "date", "nonce", "signature"] if place == "query" else [])


@pytest.mark.parametrize(
    ("first", "end", "path"),
    [
        (TODAY - 91 * ONE_DAY, TODAY, "from_date"),
        (TODAY, TODAY, "to_date"),
        (TODAY, TODAY - ONE_DAY, "to_date"),
        (dt.datetime(2026, 11, 13), TODAY, "from_date"),
        (TODAY - WEEK, dt.datetime(2026, 11, 20, tzinfo=dt.UTC), "to_date"),
        ("2026-11-13", TODAY, "from_date"),
        (TODAY - WEEK, None, "to_date"),
    ],
)
def test_invalid_days_are_not_sent(
    recorder: Recorder, rest_client: RestClient, first: Any, end: Any, path: str
) -> None:
    with pytest.raises(ContractError) as caught:
        rest_client().advertiser.program_report(1803, from_date=first, to_date=end)
    assert caught.value.path == path
    assert recorder.sent == []


def test_report_range_is_limited_to_ninety_days_back(recorder: Recorder, rest_client: RestClient) -> None:
    with pytest.raises(ServiceFault, match="recorded"):
        rest_client().advertiser.program_report(1, from_date=TODAY - 90 * ONE_DAY, to_date=TODAY + ONE_DAY)
    with pytest.raises(ContractError, match="2026-08-22 or later"):
        rest_client().advertiser.program_report(1, from_date=TODAY - 91 * ONE_DAY, to_date=TODAY)
    assert len(recorder.sent) == 1


def test_today_follows_the_report_zone(recorder: Recorder, rest_client: RestClient) -> None:
    """At half past eleven in the evening GMT it is already tomorrow in Berlin."""
    clock = ManualClock(dt.datetime(2026, 11, 20, 23, 30, tzinfo=dt.UTC))
    first = TODAY - 90 * ONE_DAY
    with pytest.raises(ContractError):
        rest_client(clock=clock).advertiser.program_report(1, from_date=first, to_date=TODAY)
    there = rest_client(clock=clock, report_zone="Europe/London")
    with pytest.raises(ServiceFault, match="recorded"):
        there.advertiser.program_report(1, from_date=first, to_date=TODAY)


@pytest.mark.parametrize(
    "groups", [["day", "month"], ("month", "adspace", GroupBy.DAY), "week", ["day", "week"], ["Day"], "", [3]]
)
def test_invalid_groups_are_not_sent(recorder: Recorder, rest_client: RestClient, groups: Any) -> None:
    with pytest.raises(ContractError):
        rest_client().advertiser.program_report(1, from_date=TODAY - WEEK, to_date=TODAY, group_by=groups)
    assert recorder.sent == []


def test_amounts_keep_their_digits(recorder: Recorder, rest_client: RestClient) -> None:
    """JSON numbers must not be converted to binary floats."""
    row = (
        '{"day":"2026-11-13","currency":"EUR","viewCount":10,"tpvCount":0,"clickCount":"3",'
        '"clickCommission":0.10,"leadCommission":"12.300","saleCommission":1234567890123456.789,'
        '"saleAmount":100,"adspaceName":"Example","margin":0.500}'
    )
    recorder.answers(f'{{"aggregatedReportList":[{row}]}}')
    client = rest_client()
    (one,) = client.advertiser.program_report(1, from_date=TODAY - WEEK, to_date=TODAY)
    assert (one.view_count, one.tpv_count, one.click_count, one.lead_count) == (10, 0, 3, None)
    assert str(one.click_commission) == "0.10"
    assert str(one.lead_commission) == "12.300"
    assert str(one.sale_commission) == "1234567890123456.789"
    assert one.sale_amount == Decimal(100)
    margin = one.unknown["margin"]
    assert isinstance(margin, Decimal)
    assert str(margin) == "0.500"
    assert "margin" in str(client.drift.counts())


# The values must equal the result of the standard library's json, set to lose no digit.
VALUES = [
    "5", "-5", "0.10", "1e3", "1234567890123456.789", "12345678901234567890123", "true", "false", "null",
    '"5"', '"true"', '""', "[]", "{}", "[5]",
    '[1, "1", 1.0, null, true, [], [2], {}]',
    '{"a": 1, "b": {"c": [0.50]}, "d": null, "@e": 2, "$": 3}',
]  # fmt: skip


@pytest.mark.parametrize("text", VALUES)
def test_unknown_json_content_is_kept_unchanged(
    recorder: Recorder, rest_client: RestClient, text: str
) -> None:
    recorder.answers(f'{{"aggregatedReportList":[{{"day":"x","extra":{text}}}],"beside":{text}}}')
    report = rest_client().advertiser.program_report(1, from_date=TODAY - WEEK, to_date=TODAY)
    expected = json.loads(text, parse_float=Decimal)
    (row,) = report.rows
    assert repr(row.unknown) == repr({"extra": expected})  # also types, and the digits of numbers
    assert repr(report.unknown) == repr({"beside": expected})


def test_numbers_that_python_cannot_parse_stay_texts(recorder: Recorder, rest_client: RestClient) -> None:
    many, huge = "1" * 5000, "1e99999999999999999999"
    recorder.answers(f'{{"aggregatedReportList":[{{"day":"x","a":{many},"b":{huge}}}]}}')
    (row,) = rest_client().advertiser.program_report(1, from_date=TODAY - WEEK, to_date=TODAY)
    assert row.unknown == {"a": Decimal(many), "b": huge}


def test_duplicate_rows_are_kept(recorder: Recorder, rest_client: RestClient) -> None:
    recorder.answers('{"aggregatedReportList":[{"day":"x","extra":1,"extra":"2"}]}')
    (row,) = rest_client().advertiser.program_report(1, from_date=TODAY - WEEK, to_date=TODAY)
    assert row.unknown == {"extra": [1, "2"]}


@pytest.mark.parametrize("document", [{"aggregatedReportList": []}, {"aggregatedReportList": ""}, []])
def test_report_without_rows_is_empty(recorder: Recorder, rest_client: RestClient, document: object) -> None:
    recorder.answers(json.dumps(document))
    report = rest_client().advertiser.program_report(1, from_date=TODAY - WEEK, to_date=TODAY)
    assert (report.rows, list(report), len(report)) == ([], [], 0)


@pytest.mark.parametrize(
    "body", [b'{"error": "gateway"}', b'{"detail": "no", "status": 200}', b'[{"error": "gateway"}]']
)
def test_other_document_is_not_read_as_a_row(
    recorder: Recorder, rest_client: RestClient, body: bytes
) -> None:
    """A row may be a whole document, but only if one of its names is the name of a row's field."""
    recorder.answers(body)
    recorder.answers(b'{"viewCount": 3, "error": "gateway"}')
    client = rest_client(recorder.url).advertiser
    (row,) = client.program_report(1803, from_date=TODAY - WEEK, to_date=TODAY)
    assert row.view_count == 3
    assert len(recorder.sent) == 2


def test_content_next_to_the_rows_is_kept(recorder: Recorder, rest_client: RestClient) -> None:
    recorder.answers(
        '{"aggregatedReportList":{"aggregatedReport":[{"day":"x"}]},"took":"5 ms","by":{"a":"1"}}'
    )
    report = rest_client().advertiser.program_report(1, from_date=TODAY - WEEK, to_date=TODAY)
    assert [row.day for row in report] == ["x"]
    assert report.unknown == {"took": "5 ms", "by": {"a": "1"}}


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", ["headers", "query"])
def test_sums_equal_those_of_the_sandbox(
    rest_client: RestClient, rest_sandbox: tuple[Sandbox, str], place: str
) -> None:
    sandbox, url = rest_sandbox
    client = rest_client(url, rest_signature=place)
    program, first = sandbox.program_of(CONNECT_ID), TODAY - 4 * WEEK

    def sums(*groups: GroupBy) -> tuple[int, int, Decimal, Decimal]:
        rows = client.advertiser.program_report(program, from_date=first, to_date=TODAY, group_by=groups)
        assert rows
        assert all((row.user_id is not None) == (GroupBy.ADSPACE in groups) for row in rows)
        return (
            sum(row.click_count or 0 for row in rows),
            sum(row.sale_count or 0 for row in rows),
            sum((row.sale_commission or Decimal(0) for row in rows), Decimal(0)),
            sum((row.sale_amount or Decimal(0) for row in rows), Decimal(0)),
        )

    by_day = sums(GroupBy.DAY)
    assert by_day[0] > 0
    assert by_day == sums() == sums(GroupBy.MONTH) == sums(GroupBy.ADSPACE, GroupBy.ADMEDIUM)
    stream = client.advertiser.stream
    with stream.get_program_report(program_id=program, from_date=first, to_date=TODAY) as rows:
        assert sum(row.click_count or 0 for row in rows) == by_day[0]
