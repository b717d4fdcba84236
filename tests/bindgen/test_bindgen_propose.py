"""`bindgen generate --propose` writes names that a contract changed to contracts.toml, or lists them."""

# ruff: noqa: E501 - lines of settings stay unbroken

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bindgen.changes import (
    Change,
    all_of,
    everywhere,
    not_proposed,
    proposed,
    run,
    take_in,
    within,
    without_operation,
)
from tests.support.cases import case_text

# Contract, change, and the resulting lines of the file.
RENAMED: dict[str, tuple[str, Change, list[str]]] = {
    "days of an order": (
        "data", within("CreateReportJobRequest", fromDate="startDate", toDate="endDate"),
        [
            'from = "startDate" # [A] proposed: it was "fromDate"',
            'to = "endDate" # [A] proposed: it was "toDate"',
        ],
    ),
    "type of an order": (
        "data", within("CreateReportJobRequest", reportType="kind"),
        [
            'in_path = ["kind"] # [A] proposed: it was "reportType"',
            '[contracts.data.refused.values."CreateReportJobRequest/kind"] # [A] proposed: it was "CreateReportJobRequest/reportType"',
            'type = "kind" # [A] proposed: it was "reportType"',
        ],
    ),
    "date type of an order": (
        "data", within("CreateReportJobRequest", dateType="datetype"),
        ['date_type = "datetype" # [A] proposed: it was "dateType"'],
    ),
    "list of jobs": (
        "data", lambda text: text.replace('<wsdl:operation name="GetJobs">', '<wsdl:operation name="ListJobs">'),
        [
            'safe = ["GetJob", "ListJobs"] # [A] proposed: it was "GetJobs"',
            "[contracts.data.rest.ListJobs] # [A] proposed: it was GetJobs # [A] the query",
            'list = "ListJobs" # [A] proposed: it was "GetJobs"',
        ],
    ),
    "columns of an order that are gone": (
        "data", lambda text: re.sub(r'<xsd:element name="columns".*?</xsd:element>', "", text, flags=re.DOTALL),
        ['# columns = "columns" # [A] proposed: the contract no longer has columns'],
    ),
    "id in a request for a job": (
        "data", within("GetJobRequest", jobId="job_id"),
        [
            'job_id = "jobItem/@id" # [A] proposed: it was jobId',
            'in_path = ["job_id"] # [A] proposed: it was "jobId"',
            'poll_id = "GetJobRequest/job_id" # [A] proposed: it was "GetJobRequest/jobId"',
        ],
    ),
    "id of a job that became an element": (
        "data", lambda text: text.replace('<xsd:attribute name="id" type="xsd:string" use="required"/>', "").replace(
            '<xsd:element name="status"', '<xsd:element name="jobId" type="xsd:string"/><xsd:element name="status"'
        ),
        [
            'jobId = "jobItem/jobId" # [A] proposed: it was "jobItem/@id"',
            '"jobItem/jobId" = ["@jobId", "id"] # [A] proposed: it was "jobItem/@id"; the contract has jobId',
            'id = "jobItem/jobId" # [A] proposed: it was "jobItem/@id"',
        ],
    ),
    "fields of a job": (
        "data", within("jobItem", status="state", downloadUrl="fileUrl", rows="rowCount"),
        [
            'may_be_missing = ["jobItem/state"] # [A] proposed: it was "jobItem/status"',
            'status = "jobItem/state" # [A] proposed: it was "jobItem/status"',
            'rows = "jobItem/rowCount" # [A] proposed: it was "jobItem/rows"',
            'url = "jobItem/fileUrl" # [A] proposed: it was "jobItem/downloadUrl"',
        ],
    ),
    "day of a list": (
        "publisher", all_of(within("GetSalesRequest", date="reportDate"), within("GetLeadsRequest", date="reportDate")),
        [
            '"GetLeadsRequest/reportDate", # [A] proposed: it was "GetLeadsRequest/date"',
            '"GetSalesRequest/reportDate", # [A] proposed: it was "GetSalesRequest/date"',
            'in_path = ["reportDate"] # [A] proposed: it was "date"',
            'in_path = ["reportDate"] # [A] proposed: it was "date"',
        ],
    ),
    "another spelling": (
        "publisher", everywhere(dateType="datetype"),
        ['datetype = { field = "datetype", spelling = "date_type", optional = true } # [A] proposed: it was "dateType" # [D] tracking_date by default'] * 2,
    ),
    "all of authentication": (
        "publisher", everywhere(connectId="accessKey", timestamp="requestTime", nonce="auth_nonce", signature="hmac"),
        [
            'connect_id = "accessKey"          # [A] proposed: it was "connectId" # [P] the authentication elements of a request',
            'timestamp = "requestTime" # [A] proposed: it was "timestamp"',
            'nonce = "auth_nonce" # [A] proposed: it was "nonce"',
            'signature = "hmac" # [A] proposed: it was "signature"',
        ],
    ),
    "page and its size": (
        "data", everywhere(page="offset", items="limit", total="hits"),
        [
            'page = "offset" # [A] proposed: it was "page"',
            'items = "limit" # [A] proposed: it was "items"',
            'total = "hits" # [A] proposed: it was "total"',
            'query = { items = "limit", page = "offset" } # [A] proposed: it was "items"; it was "page"',
        ],
    ),
    "id of an item": (
        "publisher", within("GetSaleRequest", saleId="id_of_sale"),
        [
            'id_of_sale = "saleItem/@id" # [A] proposed: it was saleId',
            'in_path = ["id_of_sale"] # [A] proposed: it was "saleId"',
        ],
    ),
    "fields of items": (
        "publisher", all_of(
            within("programItem", termsUrl="terms_url", adrank="adRank"),
            lambda text: re.sub(r'<xsd:element name="swift".*?/>', "", text, count=1),
            lambda text: text.replace('complexType name="bankAccountItem"', 'complexType name="AccountOfBank"').replace(
                'type="tns:bankAccountItem"', 'type="tns:AccountOfBank"'
            ),
        ),
        [
            'binary = ["admediumItem/adrank", "profileItem/adrank", "programItem/adRank"] # [A] proposed: it was "programItem/adrank"',
            '"AccountOfBank/iban", # [A] proposed: it was "bankAccountItem/iban"',
            '# "bankAccountItem/swift", # [A] proposed: the contract no longer has bankAccountItem/swift',
            '"programItem/terms_url", # [A] proposed: it was "programItem/termsUrl"',
        ],
    ),
    "operation with its messages": (
        "publisher", lambda text: re.sub(r"\bGetSales(?=\b|Request|Response)", "GetSalesList", text),
        [
            '"GetSalesListRequest/date", # [A] proposed: it was "GetSalesRequest/date"',
            '"GetSalesList", # [A] proposed: it was "GetSales"',
            "[contracts.publisher.rest.GetSalesList] # [A] proposed: it was GetSales",
            "[contracts.publisher.rest.GetSalesList.query] # [A] proposed: it was GetSales",
        ],
    ),
    "operation that is gone": (
        "publisher", without_operation("GetSale"),
        [
            '# saleId = "saleItem/@id" # [A] proposed: the contract no longer has saleId',
            '# "GetSale", # [A] proposed: the contract no longer has GetSale',
            "# [contracts.publisher.rest.GetSale] # [A] proposed: the contract no longer has GetSale",
            '# method = "GET"',
            '# path = "/reports/sales/sale/{id}"',
            '# in_path = ["saleId"]',
            '# wrapped = { root = "GetSalesResponse", list = "saleItems" } # [D] one public example',
        ],
    ),
    "total that is gone, and a renamed structure of the same name": (
        "publisher", lambda text: within("reportItem", total="sums")(
            re.sub(r'\n *<xsd:element name="total" type="xsd:long"/>', "", text)
        ),
        ['# total = "total" # [A] proposed: the contract no longer has total'],
    ),
    "fault and its children": (
        "data", all_of(
            within("SOAPException", errorId="reference", reason="message"),
            lambda text: text.replace('"tns:SOAPException"', '"tns:ServiceFault"'),
            everywhere(SOAPException="ServiceFault"),
        ),
        [
            'element = "ServiceFault" # [A] proposed: it was "SOAPException"',
            'reason = "message" # [A] proposed: it was "reason"',
            'error_id = "reference" # [A] proposed: it was "errorId"',
        ],
    ),
}  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "change", "lines"), RENAMED.values(), ids=RENAMED)
def test_renamed_element_is_written_to_the_file_and_the_rest_is_kept(
    repository: Path, name: str, change: Change, lines: list[str]
) -> None:
    before = (repository / "wsdl/contracts.toml").read_bytes().count(b"\n")
    changed, after = proposed(repository, name, change)
    assert changed == [re.sub(r" +#", " #", line) for line in lines]
    assert after.count("\n") == before


# Contract, change, and the message for each role that is left open.
OPEN: dict[str, tuple[str, Change, list[str]]] = {
    "two days that are new": (
        "publisher", all_of(
            within("GetSalesRequest", date="reportDate"),
            lambda text: text.replace(
                'name="reportDate" type="xsd:dateTime"/>',
                'name="reportDate" type="xsd:dateTime"/><xsd:element name="otherDay" type="xsd:dateTime"/>',
            ),
        ),
        [
            "contracts.publisher.types.day was not changed: the contract has no 'GetSalesRequest/date'; it may be: GetSalesRequest/otherDay, GetSalesRequest/reportDate",
            "contracts.publisher.rest.GetSales.in_path was not changed: the contract has no 'date'; it may be: otherDay, reportDate",
        ],
    ),
    "names that say nothing": (
        "data", within("CreateReportJobRequest", fromDate="alpha", toDate="omega"),
        [
            "contracts.data.order.from was not changed: the contract has no 'fromDate'; it may be: alpha, omega",
            "contracts.data.order.to was not changed: the contract has no 'toDate'; it may be: alpha, omega",
        ],
    ),
    "two signatures": (
        "data", lambda text: text.replace(
            '<xsd:element name="signature" type="xsd:string"/>',
            '<xsd:element name="sign" type="xsd:string"/><xsd:element name="hash" type="xsd:string"/>',
        ),
        ["contracts.data.signing.signature was not changed: the contract has no 'signature'; it may be: hash, sign"],
    ),
    "two operations that are new": (
        "data", lambda text: (
            re.sub(
                r'(<wsdl:operation name=")GetJobs(">.*?</wsdl:operation>)',
                r"\1GetJobsNow\2\1GetJobsThen\2",
                text,
                flags=re.DOTALL,
            )
        ),
        [
            "contracts.data.job.list was not changed: the contract has no 'GetJobs'; it may be: GetJobsNow, GetJobsThen",
            "contracts.data.operations.safe was not changed: the contract has no 'GetJobs'; it may be: GetJobsNow, GetJobsThen",
            "contracts.data.rest.GetJobs was not changed: the contract has no 'GetJobs'; it may be: GetJobsNow, GetJobsThen",
        ],
    ),
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "change", "said"), OPEN.values(), ids=OPEN)
def test_nothing_is_written_if_several_elements_fit_a_role(
    repository: Path, name: str, change: Change, said: list[str]
) -> None:
    assert not_proposed(repository, name, change) == [f"contracts.toml: {line}" for line in said]


@pytest.mark.exhaustive
def test_problems_show_lines_to_paste_without_the_option(repository: Path) -> None:
    path = repository / "wsdl/contracts.toml"
    before = path.read_bytes()
    change = all_of(
        within("CreateReportJobRequest", fromDate="startDate"),
        within("GetJobRequest", jobId="job_id"),
        within("jobItem", status="state"),
        lambda text: text.replace(
            '<xsd:element name="page" type="xsd:int" minOccurs="0">',
            '<xsd:element name="market" type="xsd:string"/><xsd:element name="page" type="xsd:int" minOccurs="0">',
        ),
    )
    take_in(repository, "data", change)
    expected = case_text(__file__, "lines-to-paste.txt")
    assert run(repository, "generate", "data", code=2) == f"bindgen: {expected}"
    assert path.read_bytes() == before


def _without_rest(text: str) -> str:
    return re.sub(r"^\[contracts\.data\.rest\.\w+\].*?\n\n", "", text, flags=re.DOTALL | re.MULTILINE)


_SIGNED = {"connectId": "accessKey", "timestamp": "requestTime", "nonce": "auth_nonce", "signature": "hmac"}
_ROLES = dict(zip(_SIGNED, ("connect_id", "timestamp", "nonce", "signature"), strict=True))


@pytest.mark.exhaustive
@pytest.mark.parametrize("with_rows", [True, False])
@pytest.mark.parametrize(
    "names",
    [["nonce"], ["timestamp", "nonce", "signature"], list(_SIGNED)],
    ids=["one", "all but the first", "all"],
)
def test_renamed_elements_of_a_signature_are_refused_with_their_lines(
    repository: Path, names: list[str], with_rows: bool
) -> None:
    """Otherwise requests would be sent without a signature, unnoticed."""
    path = repository / "wsdl/contracts.toml"
    if not with_rows:
        text = path.read_text(encoding="utf-8")
        bare = _without_rest(text)
        assert bare != text
        path.write_text(bare, encoding="utf-8")
    before = path.read_bytes()
    take_in(repository, "data", everywhere(**{name: _SIGNED[name] for name in names}))
    lines = [f'{_ROLES[name]} = "{_SIGNED[name]}" # [A] proposed: it was "{name}"' for name in names]
    said = run(repository, "generate", "data", code=2)
    assert path.read_bytes() == before
    assert [line.strip() for line in said.splitlines() if "[A] proposed" in line] == lines
    assert "the row does not name" not in said
    if names != list(_SIGNED):
        for name in names:
            role = f"contracts.data.signing.{_ROLES[name]}"
            assert said.count(f"{role}: CreateReportJob, GetJob, GetJobs declare ") == 1
    said = run(repository, "generate", "--propose", "data")
    at = ", ".join(_SIGNED[name] if name in names else name for name in _SIGNED)
    assert f"signed, at the end of the message: {at}: 3 operations" in said


def test_renamed_operation_keeps_its_rest_row(repository: Path) -> None:
    """No other setting uses the operation, and its new name does not resemble the old one."""
    old, new = "SearchPrograms", "FetchAll"
    names = (f'<wsdl:operation name="{old}">', f'<wsdl:operation name="{new}">')
    take_in(repository, "publisher", lambda text: text.replace(*names))
    said = run(repository, "generate", "publisher", code=2)
    assert (
        f"contracts.toml: contracts.publisher.rest.{old}: the contract no longer has the operation '{old}', and "
        f"{new} would use SOAP only. Rename the row, or remove it\n"
        f"    [contracts.publisher.rest.{new}] # [A] proposed: it was {old}\n"
    ) in said
    run(repository, "generate", "publisher", "--propose")
    assert f"[contracts.publisher.rest.{new}]" in (repository / "wsdl/contracts.toml").read_text("utf-8")


@pytest.mark.parametrize(("kind", "is_rename"), [("dateTime", True), ("boolean", False)])
def test_operation_with_a_similar_name_is_a_rename_only_if_its_fields_fit(
    repository: Path, kind: str, is_rename: bool
) -> None:
    def changed(text: str) -> str:
        text = text.replace('<wsdl:operation name="GetSales">', '<wsdl:operation name="GetSalesList">')
        text = within("GetSalesRequest", date="since")(text)
        return text.replace('name="since" type="xsd:dateTime"', f'name="since" type="xsd:{kind}"')

    take_in(repository, "publisher", changed)
    said = run(repository, "generate", "publisher", code=2)
    assert "contracts.publisher.rest.GetSales is not an operation" in said
    assert ("[contracts.publisher.rest.GetSalesList] # [A] proposed: it was GetSales\n" in said) == is_rename


@pytest.mark.exhaustive
def test_operations_with_only_the_identity_may_be_public(repository: Path) -> None:
    take_in(repository, "data", everywhere(**dict(list(_SIGNED.items())[1:])))
    path = repository / "wsdl/contracts.toml"
    said = run(repository, "generate", "data", code=2)
    public = '"CreateReportJob", "GetJob", "GetJobs"'
    advice = "If they are public, list them in contracts.toml"
    assert f"{advice}: contracts.data.signing.public: [{public}]" in said
    text = _without_rest(path.read_text(encoding="utf-8"))
    head, _, tail = text.partition("[contracts.data.signing]")
    listed = tail.replace("public = []", f"public = [{public}]", 1)
    path.write_text(f"{head}[contracts.data.signing]{listed}", encoding="utf-8")
    said = run(repository, "generate", "data")
    assert "public, in the message: connectId: 3 operations" in said


def test_a_signed_operation_among_the_public_ones_is_noted(repository: Path) -> None:
    path = repository / "wsdl/contracts.toml"
    head, _, tail = path.read_text(encoding="utf-8").partition("[contracts.data.signing]")
    listed = tail.replace("public = []", 'public = ["GetJob"]', 1)
    path.write_text(f"{head}[contracts.data.signing]{listed}", encoding="utf-8")
    said = run(repository, "generate", "data")
    assert "signature: 3 operations" in said
    assert "contracts.data.signing.public: GetJob declares the signature, so it is signed. Remove it" in said


@pytest.mark.exhaustive
def test_role_is_found_after_generation_without_it(repository: Path) -> None:
    """The generated package may already have the new names. Then names that resemble the role are proposed."""
    take_in(repository, "data", within("CreateReportJobRequest", fromDate="startDate"))
    settings = repository / "wsdl/contracts.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace('from = "fromDate"', 'from = "startDate"'), encoding="utf-8")
    run(repository, "generate", "data")
    settings.write_text(text, encoding="utf-8")
    run(repository, "generate", "--propose", "data")
    assert 'from = "startDate" # [A] proposed' in settings.read_text(encoding="utf-8")
