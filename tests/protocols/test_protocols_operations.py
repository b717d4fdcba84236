"""`soapclient operations --json` lists the documented operations.

The tables are copied by hand from docs/explanation/service.md#rest-resources.
"""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from soapclient.cli.application import cli
from tests.support.cases import case_text

# docs/explanation/service.md#rest-resources: method, path, operation, auth
PUBLISHER_REST = case_text(__file__, "publisher-rest.txt")

# docs/explanation/service.md#partner-codes, without the version. The page lists the first row as
# `/2015-03-01/report/program/`; the program's id is the path parameter after its last slash
# (docs/explanation/service.md#signing, #partner-codes).
ADVERTISER_REST = """
GET    /report/program/{id}                         GetProgramReport sig
GET    /member/partnership                          GetPartnerships sig
GET    /member/partnership/public                   GetPublicPartnerships pub
"""

# docs/explanation/service.md#export-jobs, #signing: signed like the publisher's
DATA_REST = """
POST   /jobs/reports/type/{type}                    CreateReportJob sig
GET    /jobs/job/id/{id}                            GetJob sig
GET    /jobs                                        GetJobs sig
"""

# the operations that SOAP has (docs/explanation/service.md#soap)
PUBLISHER_SOAP = {
    "pub": """
        GetAdmedia GetAdmedium GetAdmediumCategories GetIncentive GetProduct GetProductCategories GetProgram
        GetProgramCategories GetSetting GetSettings SearchIncentives SearchProducts SearchPrograms
    """,
    "sig": """
        CreateAdspace CreateApplication CreateMediaSlot CreateProgramApplication CreateSetting DeleteAdspace
        DeleteApplication DeleteMediaSlot DeleteProgramApplication DeleteSetting GetAdspace GetAdspaces
        GetApplication GetApplications GetBalance GetBalances GetBankAccount GetBankAccounts
        GetExclusiveIncentive GetLead GetLeads GetMediaSlot GetMediaSlots GetPayment GetPayments GetProfile
        GetProgramApplications GetReportBasic GetSale GetSales GetTrackingCategories
        SearchExclusiveIncentives UpdateAdspace UpdateApplication UpdateMediaSlot UpdateProfile UpdateSetting
    """,
}
DATA_SOAP = {"sig": "CreateReportJob GetJob GetJobs"}
AUTH = {"sig": "signed", "pub": "public"}

Row = dict[str, object]


def expected(service: str, rest: str, soap: dict[str, str]) -> list[Row]:
    """Return the rows that a service must have."""
    by_soap = {name: AUTH[auth] for auth, names in soap.items() for name in names.split()}
    lines = [line.split() for line in rest.split("\n") if line]
    resources = {name: {"method": method, "path": path} for method, path, name, _ in lines}
    by_rest = {name: AUTH[auth] for *_, name, auth in lines}
    assert len(resources) == len(lines)
    assert all(by_soap.get(name, auth) == auth for name, auth in by_rest.items())  # the two tables agree
    return [
        {"service": service, "operation": name, "auth": auth}
        | {"soap": name in by_soap, "rest": resources.get(name)}
        for name, auth in {**by_soap, **by_rest}.items()
    ]


EXPECTED = (
    expected("publisher", PUBLISHER_REST, PUBLISHER_SOAP)
    + expected("data", DATA_REST, DATA_SOAP)
    + expected("advertiser", ADVERTISER_REST, {})
)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    done = CliRunner().invoke(cli, ["operations", "--json"], env={})
    assert done.exit_code == 0, done.output
    told: list[Row] = json.loads(done.stdout)
    return told


def test_operations_are_those_of_the_tables(rows: list[Row]) -> None:
    def key(row: Row) -> str:
        return f"{row['service']} {row['operation']}"

    assert sorted(rows, key=key) == sorted(EXPECTED, key=key)  # exactly these keys, besides method and path
    assert [row["operation"] for row in rows if not row["soap"] and row["service"] == "publisher"] == [
        "GetSaleBasket"
    ]


def test_text_output_has_one_line_per_operation() -> None:
    head, *lines = CliRunner().invoke(cli, ["operations"], env={}).stdout.splitlines()
    assert head.split() == ["SERVICE", "OPERATION", "AUTH", "SOAP", "REST"]
    assert len(lines) == len(EXPECTED) == 57
    assert [line for line in lines if line.split()[1] == "GetProductCategories"] == [
        f"{'publisher':<10} {'GetProductCategories':<26} public  SOAP  -"
    ]
