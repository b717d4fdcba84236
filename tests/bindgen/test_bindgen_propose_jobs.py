"""`bindgen generate --propose` for jobs: states, fields in a structure, and orders without a job."""

# ruff: noqa: E501 - lines of settings stay unbroken

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bindgen.changes import Change, all_of, not_proposed, proposed, run, take_in, within

pytestmark = pytest.mark.exhaustive


def replaced(old: str, new: str) -> Change:
    def change(text: str) -> str:
        assert len(re.findall(old, text, re.DOTALL)) == 1
        return re.sub(old, new, text, flags=re.DOTALL)

    return change


def states(*values: str) -> Change:
    """Make the state of a job an enumeration."""
    facets = "".join(f'<xsd:enumeration value="{value}"/>' for value in values)
    kind = f'<xsd:simpleType><xsd:restriction base="xsd:string">{facets}</xsd:restriction></xsd:simpleType>'
    return replaced(
        r'<xsd:element name="status" type="xsd:string">(.*?)</xsd:element>',
        rf'<xsd:element name="status">\1{kind}</xsd:element>',
    )


def ordered(content: str) -> Change:
    """Replace the job in the response to an order."""
    return replaced(r'<xsd:element name="jobItem" type="tns:jobItem"/>', content)


FILE = """<xsd:element name="file"><xsd:complexType><xsd:sequence>
    <xsd:element name="downloadUrl" type="xsd:anyURI"/><xsd:element name="count" type="xsd:long"/>
    </xsd:sequence></xsd:complexType></xsd:element>"""

# The change of the contract, and the resulting lines of the file.
WRITTEN: dict[str, tuple[Change, list[str]]] = {
    "states in another spelling, and a new one": (
        states("Created", "Queued", "RUNNING", "Done", "Failed", "aborted", "Expired"),
        [
            'waiting = ["Created", "Queued", "RUNNING"] # [A] proposed: it was ["created", "queued", "running"]',
            'done = ["Done"] # [A] proposed: it was ["done"]',
            'failed = ["Failed", "aborted"] # [A] proposed: it was ["failed", "canceled"]',
            'expired = ["Expired"] # [A] proposed: it was ["expired"]',
        ],
    ),
    "order whose response has only the id": (
        ordered('<xsd:element name="jobNumber" type="xsd:string"/><xsd:element name="market" type="xsd:string"/>'),
        ['ordered_id = "CreateReportJobResponse/jobNumber" # [A] proposed'],
    ),
    "responses that are the job itself": (
        all_of(
            lambda text: re.sub(
                r'(<xsd:element name="(?:GetJob|CreateReportJob)Response" type="tns:)\w+"', r'\1jobItem"', text
            ),
            lambda text: re.sub(
                r'<xsd:complexType name="(GetJob|CreateReportJob)Response">.*?</xsd:complexType>', "", text, flags=re.DOTALL
            ),
        ),
        [
            '# jobId = "jobItem/@id" # [A] proposed: the contract no longer has jobId',
            'item = "jobItem" # [A] proposed: it was "GetJobResponse/jobItem"',
        ],
    ),
    "renamed operation, whose request has a renamed element": (
        all_of(
            lambda text: text.replace('<wsdl:operation name="GetJob">', '<wsdl:operation name="FetchJob">'),
            within("GetJobRequest", jobId="job_id"),
        ),
        [
            'job_id = "jobItem/@id" # [A] proposed: it was jobId',
            'safe = ["FetchJob", "GetJobs"] # [A] proposed: it was "GetJob"',
            "[contracts.data.rest.FetchJob] # [A] proposed: it was GetJob",
            'in_path = ["job_id"] # [A] proposed: it was "jobId"',
            'poll = "FetchJob" # [A] proposed: it was "GetJob"',
            'poll_id = "GetJobRequest/job_id" # [A] proposed: it was "GetJobRequest/jobId"',
        ],
    ),
    # The path of a row is found only after the name of the type.
    "renamed type of a report, and no columns": (
        all_of(
            within("CreateReportJobRequest", reportType="kind"),
            lambda text: re.sub(r'<xsd:element name="columns".*?</xsd:element>', "", text, flags=re.DOTALL),
        ),
        [
            'in_path = ["kind"] # [A] proposed: it was "reportType"',
            '[contracts.data.refused.values."CreateReportJobRequest/kind"] # [A] proposed: it was "CreateReportJobRequest/reportType"',
            'type = "kind" # [A] proposed: it was "reportType"',
            '# columns = "columns" # [A] proposed: the contract no longer has columns',
        ],
    ),
    "field of a job that moved into a structure": (
        replaced(r'<xsd:element name="downloadUrl".*?</xsd:element>', FILE),
        ['url = "jobItem/file/downloadUrl" # [A] proposed: it was "jobItem/downloadUrl"'],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "lines"), WRITTEN.values(), ids=WRITTEN)
def test_settings_of_jobs_follow_the_contract(repository: Path, change: Change, lines: list[str]) -> None:
    assert proposed(repository, "data", change)[0] == lines


# The change of the contract, and what is said about it.
OPEN: dict[str, tuple[Change, str]] = {
    "states that say nothing": (
        states("A", "B"),
        "contracts.data.waiter.done was not changed",
    ),
    "two ids in the response to an order": (
        ordered('<xsd:element name="orderId" type="xsd:string"/><xsd:element name="jobId" type="xsd:string"/>'),
        "contracts.data.job.ordered_id was not changed",
    ),
    "field of a job that may be in two structures": (
        replaced(
            r'<xsd:element name="downloadUrl".*?</xsd:element>', FILE + FILE.replace('"file"', '"archive"')
        ),
        "contracts.data.job.url was not changed",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "said"), OPEN.values(), ids=OPEN)
def test_settings_of_jobs_are_left_open_if_several_fields_fit(
    repository: Path, change: Change, said: str
) -> None:
    assert any(said in line for line in not_proposed(repository, "data", change))


# Settings, the change of the publisher contract, and the resulting lines.
REST_ONLY: dict[str, tuple[str, Change, list[str]]] = {
    "renamed type": (
        '"SearchProgramsRequest/industry" = "xsd:int"',
        lambda text: text.replace("SearchProgramsRequest", "FindProgramsRequest"),
        ['"FindProgramsRequest/industry" = "xsd:int" # [A] proposed: it was "SearchProgramsRequest/industry"'],
    ),
    "element that the contract has now": (
        '"SearchProductsRequest/ean" = "xsd:string"',
        replaced(
            r'(<xsd:complexType name="SearchProductsRequest">\s*<xsd:sequence>)',
            r'\1<xsd:element name="ean" type="xsd:string" minOccurs="0"/>',
        ),
        ['# "SearchProductsRequest/ean" = "xsd:string" # [A] proposed: the contract has SearchProductsRequest/ean'],
    ),
    "renamed simple type": (
        '"GetReportBasicRequest/dateType" = "dateTypeEnum"',
        lambda text: text.replace("dateTypeEnum", "kindOfDate"),
        ['"GetReportBasicRequest/dateType" = "kindOfDate" # [A] proposed: it was "dateTypeEnum"'],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("line", "change", "lines"), REST_ONLY.values(), ids=REST_ONLY)
def test_elements_of_rest_alone_follow_the_contract(
    repository: Path, line: str, change: Change, lines: list[str]
) -> None:
    assert line in (repository / "wsdl/contracts.toml").read_text(encoding="utf-8")
    changed, _ = proposed(repository, "publisher", change)
    assert [one for one in changed if line.partition("/")[2].partition('"')[0] in one] == lines


@pytest.mark.parametrize(
    ("change", "noted"),
    [
        (
            lambda text: text.replace("SOAPException", "ServiceFault"),
            "the contract does not have 'SOAPException', so faults are read from 'ServiceFault'",
        ),
        (
            lambda text: re.sub(
                r"<wsdl:fault [^>]*/>|<wsdl:fault [^>]*>.*?</wsdl:fault>", "", text, flags=re.DOTALL
            ),
            "the contract does not declare faults; 'SOAPException' is expected",
        ),
        (states("done", "paused"), "do not contain these states of jobItem/status: paused. Jobs in these"),
    ],
)
def test_contract_that_differs_from_the_settings_is_noted(
    repository: Path, change: Change, noted: str
) -> None:
    take_in(repository, "data", change)
    said = run(repository, "generate", "data")
    assert noted in said


def test_proposals_need_readable_documents(repository: Path) -> None:
    (document,) = (repository / "wsdl/data").rglob("*.wsdl")
    document.write_text("<definitions", encoding="utf-8")
    before = (repository / "wsdl/contracts.toml").read_bytes()
    said = run(repository, "generate", "--propose", "data", code=2)
    assert document.name in said
    assert (repository / "wsdl/contracts.toml").read_bytes() == before


def test_damaged_package_is_no_earlier_contract(repository: Path) -> None:
    """Without it, the words of the names decide."""
    (repository / "generated/zxws/data/contract.wsdl").write_text("<definitions", encoding="utf-8")
    change = within("CreateReportJobRequest", fromDate="startDate")
    lines, _ = proposed(repository, "data", change)
    assert lines == ['from = "startDate" # [A] proposed: it was "fromDate"']
