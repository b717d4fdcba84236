from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest

from soapclient import Client
from soapclient.errors import ConfigError, ContractError, ResponseError
from soapclient.runtime import EncodeError
from soapclient.runtime.settings import Order, OrderField
from soapclient.tracking.exports.export import Export
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.orders.arguments import (
    arguments_of,
    json_values,
    method_arguments,
    ordered_arguments,
)
from tests.conftest import RestClient
from tests.support.wire import Recorder
from tests.tracking.exports.conftest import Scripted
from zxws.data.types import DateType

FIRST, LAST = date(2026, 11, 1), date(2026, 11, 3)


def test_order_sends_its_arguments_and_stores_them_in_the_handle(offline: Scripted) -> None:
    offline.jobs.answers.append({"@id": "job-9", "status": "created"})
    export = offline.exporter.order(
        report_type="click",
        from_date=FIRST,
        to_date=LAST,
        date_type=DateType.CLICK_DATE,
        review_state="open",
        currency="EUR",
        program_id=1803,
        adspace_id=5,
        admedium_format_id=2,
        group_by=["country", "day"],
    )
    wire = {
        "reportType": "click",
        "fromDate": "2026-11-01",
        "toDate": "2026-11-03",
        "dateType": "clickDate",
        "reviewState": "open",
        "currency": "EUR",
        "programId": "1803",
        "adspaceId": "5",
        "admediumFormatId": "2",
        "groupBy": "country,day",
    }
    assert offline.jobs.calls == [("CreateReportJob", wire)]
    assert export.id == "job-9"
    assert export.handle == ExportHandle(
        service="data",
        job_id="job-9",
        report_type="click",
        request={
            "report_type": "click",
            "from_date": "2026-11-01",
            "to_date": "2026-11-03",
            "date_type": "clickDate",
            "review_state": "open",
            "currency": "EUR",
            "program_id": 1803,
            "adspace_id": 5,
            "admedium_format_id": 2,
            "group_by": "country,day",
        },
        ordered_at=datetime(2026, 11, 20, 12, tzinfo=UTC),
    )
    assert ExportHandle.from_json(export.handle.to_json()) == export.handle


@pytest.mark.parametrize("columns", ["clickId,clickDate", " clickId , clickDate", ("clickId", "clickDate")])
def test_columns_are_a_list_or_comma_separated_names(offline: Scripted, columns: str | Sequence[str]) -> None:
    offline.jobs.answers.append({"status": "created"})
    offline.exporter.order(report_type="custom", from_date=FIRST, to_date=FIRST, columns=columns)
    _, wire = offline.jobs.calls[0]
    assert isinstance(wire, dict)
    assert wire["columns"] == "clickId,clickDate"


@pytest.mark.parametrize("columns", ["", "a,,b", [], ["a", ""], ["a,b"], ["a", " "]])
def test_invalid_lists_of_names_are_refused(offline: Scripted, columns: str | Sequence[str]) -> None:
    with pytest.raises(ContractError, match="columns"):
        offline.exporter.order(report_type="custom", from_date=FIRST, to_date=FIRST, columns=columns)
    assert offline.jobs.calls == []


def test_period_that_ends_before_its_start_is_refused(offline: Scripted) -> None:
    said = r"from_date must be to_date \(2026-11-01\) or earlier, got '2026-11-03'"
    with pytest.raises(ContractError, match=said) as caught:
        offline.exporter.order(report_type="click", from_date=LAST, to_date=FIRST)
    assert "datetime" not in str(caught.value)  # the message shows a date, not a Python type
    assert caught.value.path == "from_date"
    assert offline.jobs.calls == []


# The generated service alone raises an EncodeError; the engine converts it to a ContractError.
@pytest.mark.parametrize(
    ("field", "value", "kind", "said"),
    [
        (
            "notify_url",
            "https://me.example.org/",
            EncodeError,
            "CreateReportJob/notifyUrl.*removed in 2011-05-01",
        ),
        ("from_date", datetime(2026, 11, 1), EncodeError, "CreateReportJob/fromDate"),
        ("from_date", "2026-11-01", EncodeError, "CreateReportJob/fromDate"),
        ("program_id", "7", EncodeError, "CreateReportJob/programId"),
        ("columns", 7, EncodeError, "CreateReportJob/columns"),
        ("colour", "red", ContractError, "colour.*Nothing was sent"),
    ],
)
def test_invalid_argument_is_refused_before_sending(
    offline: Scripted, field: str, value: object, kind: type[Exception], said: str
) -> None:
    arguments: dict[str, object] = {"report_type": "click", "from_date": FIRST, "to_date": LAST, field: value}
    with pytest.raises(kind, match=said):
        offline.exporter.order(**arguments)  # type: ignore[arg-type]  # wrong types on purpose
    assert offline.jobs.calls == []


def test_response_without_a_job_is_a_response_error(offline: Scripted) -> None:
    response = SimpleNamespace(job_item=None)
    offline.exporter.jobs.methods = SimpleNamespace(create_report_job=lambda **_: response)
    with pytest.raises(ResponseError, match="job_item is missing"):
        offline.exporter.order(report_type="click", from_date=FIRST, to_date=LAST)


def test_a_handle_of_another_service_is_refused(offline: Scripted) -> None:
    foreign = ExportHandle("elsewhere", "1", "click", {}, None)
    with pytest.raises(ConfigError, match="belongs to the service elsewhere, not to data"):
        offline.exporter.resume(foreign)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("Click", "use click"),
        ("Click In", "use clickin"),
        ("Custom", "use custom"),
        ("ppc", "use click"),  # docs/explanation/service.md#export-jobs uses these words
        ("lpt", "use clickin"),
        ("view", "removed in 2011-05-01"),
        ("aggregated", "removed in 2011-05-01"),
        ("postview", "click (ppc), clickin (lpt)"),
    ],
)
def test_refused_report_type_error_names_the_alternative(offline: Scripted, word: str, hint: str) -> None:
    with pytest.raises(EncodeError) as caught:
        offline.exporter.order(report_type=word, from_date=FIRST, to_date=LAST)
    assert caught.value.path == "CreateReportJob/reportType"
    assert hint in str(caught.value)
    assert offline.jobs.calls == []


# ---- the element with the job's id: docs/explanation/service.md#export-jobs calls it jobId

NAMESPACE = "http://data.zanox.com/namespace/2011-05-01/"
PLACES: dict[str, tuple[dict[str, object], str]] = {
    "@id": ({"@id": "7"}, '<jobItem id="7">{}</jobItem>'),
    "@jobId": ({"@jobId": "7"}, '<jobItem jobId="7">{}</jobItem>'),
    "id": ({"id": 7}, "<jobItem><id>7</id>{}</jobItem>"),
    "jobId": ({"jobId": 7}, "<jobItem>{}<jobId>7</jobId></jobItem>"),
    "two places": ({"@id": "7", "jobId": "7"}, '<jobItem id="7"><jobId>7</jobId>{}</jobItem>'),
}
BARE = "<compression>gzip-csv</compression>"  # with an id, the only documented fields of a job


def job_response(recorder: Recorder, way: str, operation: str, item: dict[str, object], xml: str) -> None:
    """Answer with a job over SOAP, REST's XML or REST's JSON."""
    if way == "json":
        recorder.answers(json.dumps({"jobItem": {**item, "compression": "gzip-csv"}}))
        return
    body = f'<{operation}Response xmlns="{NAMESPACE}">{xml.format(BARE)}</{operation}Response>'
    if way == "soap":
        space = "http://schemas.xmlsoap.org/soap/envelope/"
        body = f'<s:Envelope xmlns:s="{space}"><s:Body>{body}</s:Body></s:Envelope>'
    recorder.answers(body, 200, "text/xml")


def client_of(rest_client: RestClient, way: str) -> Client:
    if way == "soap":
        return rest_client(protocol="soap")
    return rest_client(rest_format=way)


def ordered(client: Client) -> Export:
    return client.data.exports.order(report_type="click", from_date=FIRST, to_date=LAST)


@pytest.mark.parametrize("way", ["soap", "xml", "json"])
@pytest.mark.parametrize("place", PLACES)
def test_job_id_is_read_from_any_place(
    recorder: Recorder, rest_client: RestClient, way: str, place: str
) -> None:
    client = client_of(rest_client, way)
    job_response(recorder, way, "CreateReportJob", *PLACES[place])
    export = ordered(client)
    assert export.id == "7"
    job_response(recorder, way, "GetJob", *PLACES[place])
    job = export.status()
    assert (job.id, job.status, job.phase, job.compression) == ("7", None, "waiting", "gzip-csv")
    assert "7" in (recorder.last.path.rpartition("/")[2] if way != "soap" else recorder.last.body.decode())
    found = {(finding.kind, finding.path.rpartition("/")[2]) for _, finding in client.drift.counts()}
    assert found == {("missing", "status")}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("way", ["soap", "xml", "json"])
@pytest.mark.parametrize(
    ("item", "xml"),
    [
        ({"@id": "7", "jobId": "8"}, '<jobItem id="7">{}<jobId>8</jobId></jobItem>'),
        ({"jobId": "7", "id": "8"}, "<jobItem><jobId>7</jobId>{}<id>8</id></jobItem>"),
        ({"@id": "7", "@jobId": "8"}, '<jobItem id="7" jobId="8">{}</jobItem>'),
    ],
)
def test_two_different_job_ids_are_an_error(
    recorder: Recorder, rest_client: RestClient, way: str, item: dict[str, object], xml: str
) -> None:
    """Either may be the id of another job."""
    job_response(recorder, way, "CreateReportJob", item, xml)
    with pytest.raises(ResponseError, match=r"jobItem.*'8'"):
        ordered(client_of(rest_client, way))


@pytest.mark.parametrize("way", ["soap", "xml", "json"])
def test_job_without_an_id_is_an_error(recorder: Recorder, rest_client: RestClient, way: str) -> None:
    job_response(recorder, way, "CreateReportJob", {"number": "7"}, '<jobItem number="7">{}</jobItem>')
    with pytest.raises(ResponseError, match="jobItem/@id"):
        ordered(client_of(rest_client, way))


@pytest.mark.parametrize(
    "request_",
    [
        {"from_date": "2026-11-01", "to_date": "2026-11-02"},
        {"report_type": "click", "from_date": "2026-11-01"},
        {"report_type": "click", "from_date": "1.11.2026", "to_date": "2026-11-02"},
        {},
    ],
)
def test_handle_without_its_request_orders_nothing(request_: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="the report type or the days of its request are missing") as caught:
        ordered_arguments(request_)
    assert caught.value.setting == "export handle"


def test_days_of_a_handle_become_dates() -> None:
    same: dict[str, JobId] = {"report_type": "click", "program_id": 5}
    days = {"from_date": date(2026, 11, 1), "to_date": date(2026, 11, 2)}
    assert ordered_arguments(same | {"from_date": "2026-11-01", "to_date": "2026-11-02"}) == same | days


# ---- contracts whose requests have other forms

_OTHER = Order(
    operation="Order",
    report_type=OrderField(field="what", wire="what"),
    from_date=OrderField(field="range.from_", wire="range/from", types=("GetJobRequest",)),
    to_date=OrderField(field="range.to", wire="range/to", types=("GetJobRequest",)),
    separator="|",
    group_by=OrderField(field="groups", wire="groups"),
    filters={
        "ids": OrderField(field="ids", wire="ids", form="int", several=True),
        "since": OrderField(field="since", wire="since", form="date"),
        "least": OrderField(field="least", wire="least", form="decimal"),
        "open": OrderField(field="open", wire="open", form="boolean"),
        "day": OrderField(field="day", wire="day"),
    },
)


def test_keyword_without_a_field_in_the_contract_is_refused() -> None:
    with pytest.raises(ContractError, match="the contract does not have a field for it") as caught:
        arguments_of(_OTHER, "click", FIRST, LAST, {"columns": "a,b"})
    assert caught.value.path == "columns"


@pytest.mark.parametrize(
    ("name", "value", "sent"),
    [
        ("ids", "1,2", [1, 2]),
        ("ids", "1,x", [1, "x"]),  # the encoder refuses what is not converted
        ("since", "2026-11-01", FIRST),
        ("since", "yesterday", "yesterday"),
        ("least", "12.50", Decimal("12.50")),
        ("open", "true", True),
        ("open", "maybe", "maybe"),
        ("day", FIRST, "2026-11-01"),
        ("group_by", "country,day", "country|day"),
    ],
)
def test_values_become_the_type_of_their_field(name: str, value: object, sent: object) -> None:
    converted = method_arguments(object(), _OTHER, {name: value})
    assert list(converted.values()) == [sent]


def test_nested_fields_become_one_object() -> None:
    class Range:
        def __init__(self, **values: object) -> None:
            self.values = values

    codec = SimpleNamespace(kind={"GetJobRequest": Range}.__getitem__)
    service = SimpleNamespace(PACKAGE=SimpleNamespace(codec=codec))
    sent = method_arguments(service, _OTHER, {"report_type": "click", "from_date": FIRST, "to_date": LAST})
    assert (sent["what"], list(sent)) == ("click", ["what", "range"])
    nested = sent["range"]
    assert isinstance(nested, Range)
    assert nested.values == {"from_": "2026-11-01", "to": "2026-11-03"}


def test_handle_stores_arguments_as_json_values() -> None:
    values: dict[str, object] = {"open": True, "n": 3, "day": FIRST, "least": Decimal("1.50")}
    assert json_values(values) == {"open": "true", "n": 3, "day": "2026-11-01", "least": "1.50"}
