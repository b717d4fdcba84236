"""The life of a job, the allowed orders, and jobs that fail on request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
import zeep.exceptions

from soapclient.tracking.sandbox import JobSteps
from soapclient.tracking.sandbox.contracts import VERSIONS
from tests.stage import Stage
from tests.tracking.sandbox.caller import SERVICES, Caller, ordered

DATA = "{http://data.zanox.com/namespace/2011-05-01/}"


@pytest.mark.parametrize(
    ("steps", "seconds", "seen"),
    [
        (
            JobSteps(),
            (0, 0.9, 0.2, 0.8, 0.2, 86_396, 3),
            ["created", "created", "running", "running", "done", "done", "expired"],
        ),
        (
            JobSteps(running=timedelta(0), done=timedelta(minutes=5), expired=timedelta(minutes=6)),
            (0, 300, 60),
            ["running", "done", "expired"],
        ),
    ],
)
def test_a_job_is_created_runs_is_done_and_expires(
    staged: Callable[..., Stage], steps: JobSteps, seconds: tuple[float, ...], seen: list[str]
) -> None:
    stage = staged(job_steps=steps)
    job, found = stage.caller.order(), []
    for each in seconds:
        stage.clock.advance(each)
        found.append(stage.caller.call("GetJob", jobId=job).text("status"))
    assert found == seen


def test_the_address_of_a_file_has_the_version_of_the_contract(
    staged: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(VERSIONS, "data", "2012-01-01")
    monkeypatch.setitem(SERVICES, "dataservice", "2012-01-01")
    stage = staged()
    job = stage.caller.order()
    stage.clock.advance(2)
    address = stage.caller.call("GetJob", jobId=job).text("downloadUrl")
    assert address == f"{stage.caller.url}/xml/2012-01-01/jobs/job/id/{job}/download"
    assert stage.caller.download(job).status_code == 200


def test_item_has_address_rows_and_size_only_when_done(staged: Callable[..., Stage]) -> None:
    stage = staged(clicks_per_day=700)
    caller = stage.caller
    job = caller.order(fromDate=date(2026, 11, 1), toDate=date(2026, 11, 3))
    fresh = caller.call("GetJob", jobId=job)
    assert fresh.text("compression") == "gzip-csv"
    assert fresh.text("reportType") == "click"
    assert fresh.at("createDate") == datetime(2026, 11, 20, 12, tzinfo=UTC)
    for name in ("rows", "size", "downloadUrl", "finishDate", "expireDate", "message"):
        assert fresh.at(name) is None
    stage.clock.advance(2)
    done = caller.call("GetJob", jobId=job)
    assert done.number("rows") == 2100
    assert done.text("downloadUrl") == f"{caller.url}/xml/2011-05-01/jobs/job/id/{job}/download"
    assert done.at("finishDate") == datetime(2026, 11, 20, 12, 0, 2, tzinfo=UTC)
    assert done.at("expireDate") == datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert done.number("size") == len(caller.download(job).content)


def test_an_unknown_job_has_no_item(caller: Caller) -> None:
    assert caller.call("GetJob", jobId="nonsense").value is None


REFUSED: dict[str, tuple[dict[str, object], str]] = {
    "removed 1": ({"reportType": "aggregated"}, "removed in 2011-05-01"),
    "removed 2": ({"reportType": "view"}, "removed in 2011-05-01"),
    "removed 3": ({"reportType": "postview"}, "removed in 2011-05-01"),
    "unknown": ({"reportType": "weather"}, "weather"),
    "a column of another type": ({"columns": "clickId,saleId"}, "saleId"),
    "custom without columns": ({"reportType": "custom"}, "columns"),
    "unknown column": ({"reportType": "custom", "columns": "clickId,shoeSize"}, "shoeSize"),
    "a column twice": ({"reportType": "custom", "columns": "clickId,clickId"}, "'clickId' occurs twice"),
    "unknown group": ({"groupBy": "weekday"}, "weekday"),
    "from after to": ({"fromDate": date(2026, 11, 2)}, "after"),
    "too long": ({"fromDate": date(2020, 1, 1)}, "366"),
    "too early": ({"fromDate": date(1900, 1, 1), "toDate": date(1900, 1, 2)}, "between"),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", REFUSED)
def test_invalid_order_is_refused_with_the_reason(caller: Caller, kind: str) -> None:
    fields, why = REFUSED[kind]
    before = caller.call("GetJobs").number("total")
    with pytest.raises(zeep.exceptions.Fault, match=why) as caught:
        caller.order(**fields)
    assert 100 <= int(caught.value.detail.findtext(f".//{DATA}code")) < 200
    assert caller.call("GetJobs").number("total") == before


@pytest.mark.sampled(2)
@pytest.mark.parametrize("changing", [date(2026, 10, 25), date(2026, 3, 29)])  # the clock changes
@pytest.mark.parametrize(
    ("report_type", "first"),
    [("click", "clickId"), ("clickin", "clickInId"), ("lead", "leadId"), ("sale", "saleId")],
)
def test_each_type_has_its_columns_and_reported_row_count(
    caller: Caller, report_type: str, first: str, changing: date
) -> None:
    span = [changing + timedelta(days=shift) for shift in (-1, 0, 1)]
    header, *rows = caller.export(reportType=report_type, fromDate=span[0], toDate=span[-1])
    assert header[0] == first
    assert {len(row) for row in rows} == {len(header)}
    assert len({row[0] for row in rows}) == len(rows)
    last = caller.call("GetJobs", page=caller.call("GetJobs", items=1).number("total") - 1, items=1)
    assert last.number("jobItems.jobItem.0.rows") == len(rows)
    moment = header.index("clickDate" if report_type.startswith("click") else "trackingDate")
    stamps = {datetime.fromisoformat(row[moment]) for row in rows}
    assert {stamp.date() for stamp in stamps} == set(span)
    zone = ZoneInfo("Europe/Berlin")
    assert all(stamp.isoformat() == stamp.astimezone(zone).isoformat() for stamp in stamps)
    assert len({stamp.utcoffset() for stamp in stamps}) == 2


def test_click_columns_match_the_recording(caller: Caller) -> None:
    assert ",".join(caller.export()[0]) == (
        "clickId,clickDate,programId,programName,adspaceId,adspaceName,admediumId,admediumName,"
        "admediumFormatId,country,currency,commission,referrer,userAgent,zpar0,zpar1"
    )
    assert ",".join(caller.export(reportType="clickin")[0]) == (
        "clickInId,clickDate,programId,programName,adspaceId,adspaceName,admediumId,admediumName,"
        "country,landingPage,zpar0,zpar1"
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("report_type", "chosen", "rows_of"),
    [
        *((name, "programId,zpar0", name) for name in ("click", "clickin", "lead", "sale")),
        ("custom", "saleId,amount,clickId", "sale"),
        ("custom", "zpar0,leadId", "lead"),
        ("custom", "zpar0, clickDate,clickId", "click"),
    ],
)
def test_chosen_columns_are_in_the_chosen_order(
    caller: Caller, report_type: str, chosen: str, rows_of: str
) -> None:
    """A custom report has the rows of the type that has all its columns."""
    header, *rows = caller.export(reportType=report_type, columns=chosen)
    assert header == chosen.replace(" ", "").split(",")
    full = caller.export(reportType=rows_of)
    places = [full[0].index(name) for name in header]
    assert rows == [[row[place] for place in places] for row in full[1:]]
    reviewed = caller.export(reportType=report_type, columns=chosen, reviewState="rejected")
    assert len(reviewed) == len(caller.export(reportType=rows_of, reviewState="rejected"))


def test_custom_has_rows_of_several_types_if_no_type_has_all_columns(caller: Caller) -> None:
    header, *rows = caller.export(reportType="custom", columns="userAgent,saleId,leadId")
    assert header == ["userAgent", "saleId", "leadId"]
    numbers = [len(caller.export(reportType=name)) - 1 for name in ("click", "sale", "lead")]
    assert len(rows) == sum(numbers)
    assert [sum(bool(row[at]) for row in rows) for at in (1, 2)] == numbers[1:]
    assert all(not row[0] for row in rows if row[1] or row[2])


def test_custom_can_be_grouped(caller: Caller) -> None:
    columns = "programId,programName,saleId,amount,commission"
    header, *rows = caller.export(reportType="custom", columns=columns, groupBy="program,currency")
    assert header == columns.split(",")
    head, *sums = caller.export(reportType="sale", groupBy="program,currency")
    places = [head.index(name) for name in ("program", "amount", "commission")]
    assert [[row[0], *row[3:]] for row in rows] == [[row[place] for place in places] for row in sums]
    counts = [int(row[head.index("count")]) for row in sums]
    assert [bool(row[2]) for row in rows] == [count == 1 for count in counts]  # otherwise the ids differ
    assert all(row[1] for row in rows)
    assert caller.export(reportType="custom", groupBy="day") == caller.export(groupBy="day")


@pytest.mark.parametrize("more", [{}, {"reviewState": "rejected"}])
def test_cashback_has_the_sales_of_sub_publishers(caller: Caller, more: dict[str, str]) -> None:
    """A report type of the order (docs/explanation/service.md#columns). The meaning of its rows is assumed,
    see wsdl/README.md. Outside of lead and sale reports a reviewState is ignored.
    """
    header, *rows = caller.export(reportType="sale", toDate=date(2026, 11, 3))
    at = header.index("subPublisherId")
    expected = [row for row in rows if row[at]]
    assert 0 < len(expected) < len(rows)
    assert caller.export(reportType="cashback", toDate=date(2026, 11, 3), **more) == [header, *expected]
    groups, *sums = caller.export(reportType="cashback", toDate=date(2026, 11, 3), groupBy="currency")
    assert groups == ["currency", "count", "commission", "amount"]
    amounts = header.index("amount")
    assert sum(int(row[1]) for row in sums) == len(expected)
    assert sum(Decimal(row[3]) for row in sums) == sum(Decimal(row[amounts]) for row in expected)


def test_rows_contain_values_that_break_naive_readers(caller: Caller) -> None:
    cells = {cell for row in caller.export()[1:] for cell in row}
    for sign in ('"', ",", "\n", "\r\n", "ü", "☕"):
        assert any(sign in cell for cell in cells), sign
    assert "" in cells


def test_grouped_rows_are_sums_of_the_plain_ones(caller: Caller) -> None:
    days = {"fromDate": date(2026, 10, 31), "toDate": date(2026, 11, 1)}
    header, *rows = caller.export(reportType="sale", **days)
    sums: dict[tuple[str, str, str], int] = {}
    for row in rows:
        cell = dict(zip(header, row, strict=True))
        key = (cell["programId"], cell["trackingDate"][:7], cell["currency"])
        sums[key] = sums.get(key, 0) + int(cell["amount"].replace(".", ""))
    head, *grouped = caller.export(reportType="sale", groupBy="program,month", **days)
    assert head == ["program", "month", "currency", "count", "commission", "amount"]
    assert {(row[0], row[1], row[2]): int(row[5].replace(".", "")) for row in grouped} == sums
    assert sum(int(row[3]) for row in grouped) == len(rows)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("report_type", "column", "group"),
    [
        *(("click", "zpar1", None), ("clickin", "zpar1", None), ("sale", "reviewNote", None)),
        *(("lead", "leadId", "program"), ("custom", "clickId", "program"), ("custom", "zpar1", None)),
    ],
)
def test_an_absent_value_of_a_single_column_is_a_row(
    caller: Caller, report_type: str, column: str, group: str | None
) -> None:
    """It must not be a blank line, because readers of CSV skip blank lines."""
    more = {} if group is None else {"groupBy": group}
    wider = caller.export(reportType=report_type, columns=f"{column},adspaceId", **more)
    rows = caller.export(reportType=report_type, columns=column, **more)
    assert rows == [[row[0]] for row in wider]
    assert [""] in rows


@pytest.mark.exhaustive
def test_sale_belongs_to_a_click_of_the_export(caller: Caller) -> None:
    header, *clicks = caller.export(fromDate=date(2026, 10, 25), toDate=date(2026, 11, 1))
    by_id = {row[0]: dict(zip(header, row, strict=True)) for row in clicks}
    head, *sales = caller.export(reportType="sale")
    for row in sales:
        sale = dict(zip(head, row, strict=True))
        click = by_id[sale["clickId"]]
        for name in ("clickDate", "programId", "adspaceId", "admediumId"):
            assert sale[name] == click[name]


def test_export_equals_the_report(caller: Caller) -> None:
    """clickCount and clickCommission of GetReportBasic equal the count and sum of the rows."""
    header, *rows = caller.export()
    spent: dict[str, tuple[int, int]] = {}
    for row in rows:
        cell = dict(zip(header, row, strict=True))
        count, cents = spent.get(cell["currency"], (0, 0))
        spent[cell["currency"]] = (count + 1, cents + int(cell["commission"].replace(".", "")))
    when = datetime.fromisoformat("2026-11-01T00:00:00+01:00")
    report = caller.call("GetReportBasic", fromDate=when, toDate=when)
    reported: dict[str, tuple[int, int]] = {}
    for one in report.entries():
        if count := one.number("total.clickCount"):
            cents = round(100 * float(str(one.at("total.clickCommission"))))
            reported[one.text("currency")] = (count, cents)
    assert reported == spent


# ---- scripts


def test_scripted_states_are_shown_per_poll_and_only_for_the_next_job(stage: Stage) -> None:
    caller, first = stage.caller, ordered(stage, states=("created", "archiving", "queued"))
    second = caller.order()
    stage.clock.advance(3)
    seen = [caller.call("GetJob", jobId=first).text("status") for _ in range(3)]
    assert seen == ["archiving", "queued", "done"]
    assert caller.call("GetJob", jobId=second).text("status") == "done"


@pytest.mark.exhaustive
def test_a_job_can_fail_get_stuck_or_expire(stage: Stage) -> None:
    caller, failing = stage.caller, ordered(stage, fail="no room left")
    stuck, expired = ordered(stage, stuck="archiving"), ordered(stage, expire=True)
    stage.clock.advance(3)
    item = caller.call("GetJob", jobId=failing)
    assert (item.text("status"), item.text("message")) == ("failed", "no room left")
    assert caller.call("GetJob", jobId=stuck).text("status") == "archiving"
    assert caller.call("GetJob", jobId=expired).text("status") == "expired"
    assert [caller.download(job).status_code for job in (failing, stuck, expired)] == [409, 409, 410]


def test_job_can_report_wrong_rows_or_omit_fields(staged: Callable[..., Stage]) -> None:
    stage = staged(clicks_per_day=50)
    caller = stage.caller
    wrong, bare = ordered(stage, rows_off_by=-3), ordered(stage, no_rows=True, no_url=True)
    stage.clock.advance(3)
    assert caller.call("GetJob", jobId=wrong).number("rows") == 47
    item = caller.call("GetJob", jobId=bare)
    assert item.at("rows") is None
    assert item.at("downloadUrl") is None
    assert caller.download(bare).status_code == 200


def test_poll_can_be_refused_and_a_job_forgotten(stage: Stage) -> None:
    caller = stage.caller
    busy, forgotten = ordered(stage, busy_looks=2, retry_after=9), ordered(stage, forgotten=True)
    for _ in range(2):
        with pytest.raises(zeep.exceptions.TransportError) as caught:
            caller.call("GetJob", jobId=busy)
        assert caught.value.status_code == 503
    assert caller.call("GetJob", jobId=busy).value is not None
    assert caller.call("GetJob", jobId=forgotten).value is None
    assert [item.text("id") for item in caller.call("GetJobs").entries()] == [busy]
    stage.clock.advance(3)
    assert caller.download(forgotten).status_code == 404


def test_refused_poll_over_rest_has_retry_after(stage: Stage) -> None:
    job = ordered(stage, busy_looks=1, retry_after=9)
    for status, wait in ((503, "9"), (200, None)):
        response = stage.caller.ask("GET", "/xml/2011-05-01", f"/jobs/job/id/{job}")
        assert (response.status, response.headers.get("Retry-After")) == (status, wait)
