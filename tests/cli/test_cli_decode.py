"""`soapclient decode`: recorded responses, written here by hand, in all three formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from lxml import etree

from tests.cli.conftest import Run, error_of, output_of
from tests.support.cases import case_text

SPACE = "http://api.zanox.com/namespace/2011-03-01/"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
SALES: dict[str, object] = json.loads(case_text(__file__, "sales.json"))
PRINTED: dict[str, object] = json.loads(case_text(__file__, "sales-printed.json"))


def element(tag: str, value: object) -> etree._Element:
    """Convert the service's JSON form to XML."""
    node = etree.Element(f"{{{SPACE}}}{tag}", nsmap={None: SPACE})
    if not isinstance(value, dict):
        node.text = str(value)
        return node
    for name, inner in value.items():
        if name == "$":
            node.text = inner
        elif name.startswith("@"):
            node.set(name[1:], inner)
        else:
            node.extend([element(name, each) for each in (inner if isinstance(inner, list) else [inner])])
    return node


def enveloped(*children: etree._Element) -> bytes:
    root = etree.Element(f"{{{SOAP}}}Envelope", nsmap={"s": SOAP})
    etree.SubElement(root, f"{{{SOAP}}}Body").extend(children)
    return etree.tostring(root, encoding="UTF-16", xml_declaration=True)


def in_all_forms(value: dict[str, object]) -> dict[str, bytes]:
    root = element("GetSalesResponse", value)
    return {
        "soap": enveloped(element("GetSalesResponse", value)),
        "xml": etree.tostring(root, encoding="ISO-8859-1", xml_declaration=True),
        "json": b"\xef\xbb\xbf" + json.dumps(value, ensure_ascii=False).encode(),
    }


@pytest.fixture
def decode(run_unset: Run, tmp_path: Path) -> Run:
    """Decode bytes, without any settings."""

    def run(data: bytes, *which: str) -> Result:
        file = tmp_path / "reply"
        file.write_bytes(data)
        return run_unset("decode", *(which or ("publisher", "GetSales")), str(file))

    return run


@pytest.mark.parametrize("form", ["soap", "xml", "json"])
def test_every_format_prints_the_same(decode: Run, form: str) -> None:
    result = decode(in_all_forms(dict(SALES))[form])
    assert json.loads(output_of(result)) == PRINTED
    assert result.stderr == ""


@pytest.mark.parametrize("form", ["soap", "xml", "json"])
def test_unknown_content_is_reported(decode: Run, form: str) -> None:
    item: dict[str, object] = json.loads(case_text(__file__, "unknown-sale.json"))
    sales: dict[str, object] = {"page": "0", "items": "2", "total": "2"}
    result = decode(in_all_forms(sales | {"saleItems": {"saleItem": [item, item]}})[form])
    assert json.loads(output_of(result))["saleItems"][1]["reviewState"] == "pondered"
    at = "soapclient: GetSales: GetSalesResponse/saleItems/saleItem"
    assert sorted(result.stderr.splitlines()) == [
        f"{at}/@novelty: unknown attribute, 2 times",
        f"{at}/news: unknown element, 2 times",
        f"{at}/reviewState 'pondered': unknown value, 2 times",
        f"{at}/trackingDate: date-time without a zone, 2 times",
    ]


def test_stdin_and_python_names_are_accepted(run_unset: Run) -> None:
    stdout = output_of(run_unset("decode", "publisher", "get_sales", "-", stdin=json.dumps(SALES)))
    assert json.loads(stdout) == PRINTED


def test_responses_of_other_services_are_decoded(decode: Run) -> None:
    code = {"partnerCode": "1C2", "userId": 5, "adspaceId": 6, "extra": {"a": 1}}
    result = decode(json.dumps([code]).encode(), "advertiser", "GetPartnerships")
    assert json.loads(output_of(result))["partnerCodeList"] == [
        {"partnerCode": "1C2", "userId": 5, "adspaceId": 6, "unknown": {"extra": {"a": 1}}}
    ]
    assert "partnerCodeList/partnerCode/extra: unknown element" in result.stderr
    result = decode(b'{"page":0,"items":0,"total":0,"jobItems":""}', "data", "GetJobs")
    assert json.loads(result.stdout) == {"page": 0, "items": 0, "total": 0, "jobItems": []}


def test_operation_without_rest_is_decoded_by_its_root(decode: Run) -> None:
    result = decode(f'<GetPaymentsResponse xmlns="{SPACE}"/>'.encode(), "publisher", "GetPayments")
    assert "GetPaymentsResponse/page is missing" in error_of(result, 9)


def test_recorded_soap_fault_is_printed(decode: Run) -> None:
    fault = etree.Element(f"{{{SOAP}}}Fault")
    etree.SubElement(fault, "faultcode").text = "s:Server"
    etree.SubElement(fault, "faultstring").text = "failed"
    said = element("SOAPException", {"code": "117", "reason": "no such <program>", "errorId": "e-1"})
    etree.SubElement(fault, "detail").append(said)
    assert "fault 117: failed: no such <program> (error id e-1" in error_of(decode(enveloped(fault)), 6)


ERROR = {"code": "230", "message": "Bad Request", "reason": "the region", "errorId": "e-2"}


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(ERROR).encode(),
        json.dumps({"error": ERROR}).encode(),
        json.dumps({**ERROR, "code": 230}).encode(),
        etree.tostring(element("response", ERROR)),
        etree.tostring(element("GetSalesResponse", ERROR)),
        etree.tostring(element("anything", {**ERROR, "more": "m"})),
    ],
)
def test_recorded_rest_error_is_printed(decode: Run, data: bytes) -> None:
    stderr = error_of(decode(data), 6)
    for said in ("GetSales", "230", "the region", "e-2"):
        assert said in stderr


def test_authentication_errors_and_errors_without_a_code_are_printed(decode: Run) -> None:
    stderr = error_of(decode(json.dumps({**ERROR, "code": 403}).encode()), 5)
    assert "refused the credentials or the signature (code 403)" in stderr
    assert "an error without a code: m; r" in error_of(decode(b'{"message":"m","reason":"r"}'), 6)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the document is empty"),
        (b'{"page":', "cannot be read: invalid JSON: Expecting value (line 1, column 9)"),
        (b'{"page":NaN}', "NaN and Infinity are not JSON numbers (line 1, column 9)"),
        (b"<GetSalesResponse><page>", "not well-formed XML"),
        (
            b"\n<HTML lang='de'><head><title>\nSign  in </title>",
            "a page of HTML, 'Sign in' (a response of a login page, a proxy or another server",
        ),
        (b"<page/>", "GetSalesResponse is 'another document: page'"),
        (b'{"page":0}', "GetSalesResponse/items is missing"),
        (b'{"page":"x","items":0,"total":0}', "GetSalesResponse/page is 'x'"),
        (etree.tostring(element("GetLeadsResponse", SALES)), "GetLeadsResponse"),
        (enveloped(element("GetLeadsResponse", SALES)), "GetLeadsResponse"),
        (enveloped(), "is missing"),
    ],
)
def test_undecodable_response_is_one_line(decode: Run, data: bytes, said: str) -> None:
    stderr = error_of(decode(data), 9)
    assert said in stderr
    assert len(stderr.splitlines()) == 1
    assert "Traceback" not in stderr


def test_unknown_arguments_are_usage_errors(run_unset: Run, tmp_path: Path) -> None:
    assert run_unset("decode", "nobody", "GetSales", "-").exit_code == 2
    assert run_unset("decode", "publisher", "GetSales", str(tmp_path / "none")).exit_code == 2
    stderr = error_of(run_unset("decode", "publisher", "GetSale s", "-", stdin="{}"), 4)
    assert "did you mean GetSales?" in stderr


def test_undecodable_response_still_reports_findings(run_unset: Run, tmp_path: Path) -> None:
    recorded = tmp_path / "response.json"
    recorded.write_text('{"page": 0, "new": "x", "items": 0, "saleItems": ""}')  # total is required
    stderr = error_of(run_unset("decode", "publisher", "GetSales", str(recorded)), 9)
    assert "GetSalesResponse/total" in stderr
    assert "GetSalesResponse/new: unknown element, once" in stderr
