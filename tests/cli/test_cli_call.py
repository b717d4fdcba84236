"""`soapclient call` against the sandbox."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import Result

from soapclient.tracking.sandbox import Serving
from tests.cli.conftest import Environment, Run, error_of, output_of

ADSPACE = {
    "name": "Blog & more",
    "url": "https://blog.example.org/",
    "description": "Words",
    "adspaceType": "website",
    "visitors": 10,
    "impressions": 20,
    "regions": ["DE", "AT"],
    "language": "de",
    "checkNumber": 7,
}


def answer(result: Result) -> dict[str, object]:
    value = json.loads(output_of(result))
    assert isinstance(value, dict)
    return value


def at(value: object, *steps: str | int) -> object:
    for step in steps:
        assert isinstance(value, dict if isinstance(step, str) else list), (value, step)
        value = value[step]  # type: ignore[index]  # the line above checks the type
    return value


def test_operations_of_every_kind_can_be_called(run: Run) -> None:
    """The order of calls matters: later ones use earlier results. The sandbox's tests call all operations."""

    def call(service: str, operation: str, *assignments: str, stdin: str | None = None) -> dict[str, object]:
        return answer(run("call", service, operation, *assignments, stdin=stdin))

    assert at(call("publisher", "GetProfile"), "profileItem", "currency") == "EUR"
    program = at(call("publisher", "SearchPrograms", "query=fashion", "items=1"), "programItems", 0, "id")
    assert at(call("publisher", "GetProgram", f"programId={program}"), "programItem", "id") == program

    day = ("date=2026-11-01", "dateType=trackingDate", "items=1")
    sale = at(call("publisher", "GetSales", *day), "saleItems", 0)
    assert call("publisher", "GetSale", f"saleId={at(sale, 'id')}") == {"saleItem": sale}
    assert len(at(call("publisher", "GetLeads", *day), "leadItems")) == 1  # type: ignore[arg-type]  # a list
    days = ("fromDate=2026-11-01", "toDate=2026-11-02")
    report = call("publisher", "GetReportBasic", *days, "groupBy=currency", "groupBy=day")
    assert int(str(at(report, "total"))) > 1

    made = at(call("publisher", "CreateAdspace", "-", "--json", stdin=json.dumps({"adspaceItem": ADSPACE})))
    item = at(made, "adspaceItem")
    assert isinstance(item, dict)
    assert {name: item[name] for name in ADSPACE} == ADSPACE
    changed = {"adspaceItem": {**item, "name": "Renamed"}}
    assert call("publisher", "UpdateAdspace", "-", "--json", stdin=json.dumps(changed)) == changed
    spaces = at(call("publisher", "GetAdspaces", "items=50"), "adspaceItems")
    assert changed["adspaceItem"] in spaces  # type: ignore[operator]  # a list
    assert call("publisher", "DeleteAdspace", f"adspaceId={item['id']}") == {"count": 1}
    assert at(call("publisher", "GetBalances"), "balanceItems", 0, "id")

    order = ("reportType=click", "from_date=2026-11-01", "toDate=2026-11-01")
    job = at(call("data", "CreateReportJob", *order), "jobItem", "id")
    assert at(call("data", "GetJob", f"jobId={job}"), "jobItem", "reportType") == "click"
    assert int(str(at(call("data", "GetJobs"), "total"))) >= 1


def test_file_of_fields_is_refused_with_the_redirection(run_unset: Run, tmp_path: Path) -> None:
    file = tmp_path / "fields.json"
    file.write_text("{}")
    stderr = error_of(run_unset("call", "publisher", "GetSales", str(file)), 2)
    assert "to read a request from a file, use - < FILE" in stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("GetSales", "date=2026-11-01", "dateType=clicked"), "one of 'clickDate', 'trackingDate'"),
        (("GetSales", "date=2026-11-31", "dateType=trackingDate"), "GetSales: date must be "),
        (
            ("GetSales", "date=2026-11-01T00:00:00", "dateType=trackingDate"),
            "date must be a date-time with a zone such as 2026-11-01T00:00:00+01:00",
        ),
        (("GetSales", "date=2026-11-01"), "GetSales: dateType is required: one of clickDate, "),
        (("GetSales", "dateType=trackingDate"), "GetSales: date is required"),
        (("GetSales", "date=2026-11-01", "dateTyp=trackingDate"), "did you mean dateType?"),
        (("GetSales", "date=2026-11-01", "dateType=trackingDate", "page=x"), "a whole number"),
        (("GetSales", "date=2026-11-01", "dateType=trackingDate", "page=2147483648"), "2147483647"),
        (("GetProfle",), "did you mean GetProfile?"),
    ],
)
def test_invalid_fields_are_reported_before_missing_settings(
    run_unset: Run, arguments: tuple[str, ...], said: str
) -> None:
    stderr = error_of(run_unset("call", "publisher", *arguments), 4)
    assert stderr.startswith("soapclient: ")
    lines = stderr.splitlines()
    if "is required" in said:  # the suggested call
        example = shlex.split(lines.pop().partition("for example: soapclient ")[2])
        assert run_unset(*example).exit_code == 3  # it lacks only an address
    assert len(lines) == 1
    assert said in stderr
    assert "Nothing was sent" in stderr


def test_fields_not_required_over_rest_may_be_omitted(run: Run) -> None:
    found = answer(run("call", "publisher", "GetSales", "date=2026-11-01", "--protocol", "rest"))
    said = ("date=2026-11-01", "dateType=trackingDate")
    assert found == answer(run("call", "publisher", "GetSales", *said))
    products = answer(run("call", "publisher", "SearchProducts", "items=1", "--protocol", "rest"))
    assert at(products, "items") == 1


def test_too_many_partner_codes_are_refused(run_unset: Run, serving: Serving, settings: Environment) -> None:
    codes = [f"partnerCode={number}C1" for number in range(26)]
    env = {**settings, "SOAPCLIENT_ADVERTISER_URL": serving.url}
    stderr = error_of(run_unset("call", "advertiser", "GetPartnerships", *codes, env=env), 4)
    assert "at most 25 (maxOccurs)" in stderr
    assert "partnerships()" in stderr


@pytest.mark.parametrize("field", ["notifyUrl=https://me.example.org/", "notify_url=https://me.example.org/"])
def test_removed_field_is_refused_with_the_date_of_removal(run_unset: Run, field: str) -> None:
    order = ("reportType=click", "fromDate=2026-11-01", "toDate=2026-11-01")
    stderr = error_of(run_unset("call", "data", "CreateReportJob", *order, field), 4)
    assert "CreateReportJob: notifyUrl was removed in 2011-05-01" in stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("call",),
        ("call", "adviser", "GetSales"),
        ("call", "publisher", "GetSales", "date"),
        ("call", "publisher", "GetSales", "date=1", "-"),
        ("call", "publisher", "GetSales", "-"),
    ],
)
def test_a_command_that_is_not_understood_is_a_usage_error(
    run_unset: Run, arguments: tuple[str, ...]
) -> None:
    assert "Usage:" in error_of(run_unset(*arguments, stdin="not json"), 2)


def test_a_fault_is_one_line(run: Run) -> None:
    stderr = error_of(run("call", "publisher", "GetSetting", "applicationId=abc", "key=tint"), 6)
    assert re.fullmatch(r"soapclient: GetSetting: .*fault 108.*\n", stderr)


def test_service_without_soap_is_not_called_over_soap(run_unset: Run) -> None:
    result = run_unset("call", "advertiser", "GetPartnerships", "partnerCode=1C2", "--protocol", "soap")
    assert "the advertiser service is not available over SOAP. Nothing was sent" in error_of(result, 4)
