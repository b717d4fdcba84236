"""The shipped contracts match the public documentation. The expected values are copied from it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from lxml import etree

from tests.support.cases import case_text

ROOT = Path(__file__).parent.parent
XSD = "{http://www.w3.org/2001/XMLSchema}"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
SOAP = "{http://schemas.xmlsoap.org/wsdl/soap/}"
FILES = {"publisher": "publisher/2011-03-01/publisher.wsdl", "data": "data/2011-05-01/data.wsdl"}
NAMESPACES = {
    "publisher": "http://api.zanox.com/namespace/2011-03-01/",
    "data": "http://data.zanox.com/namespace/2011-05-01/",
}
PUBLIC = set(case_text(__file__, "public.txt").split())
# docs/explanation/service.md#rest-resources: the SOAP operations of the 31 resources (the basket of a sale
# has none over SOAP).
OF_THE_RESOURCES = set(case_text(__file__, "resources.txt").split())
MAY_BE_MISSING = {
    *("SearchProductsResponse/query", "bankAccountItem/iban", "bankAccountItem/swift"),
    *("programItem/vertical", "programItem/terms", "programItem/termsUrl"),
}


def root(name: str) -> etree._Element:
    return etree.parse(ROOT / "wsdl" / FILES[name]).getroot()


def operations(name: str) -> set[str]:
    return {str(node.get("name")) for node in root(name).iterfind(f"{WSDL}portType/{WSDL}operation")}


def fields(name: str, type_name: str) -> list[etree._Element]:
    found = root(name).find(f".//{XSD}complexType[@name='{type_name}']")
    assert found is not None, type_name
    return list(found.iterfind(f"{XSD}sequence/{XSD}element"))


def names(name: str, type_name: str) -> list[str]:
    return [str(field.get("name")) for field in fields(name, type_name)]


@pytest.mark.parametrize(("name", "count"), [("publisher", 50), ("data", 3)])
def test_all_operations_are_in_port_type_and_binding(name: str, count: int) -> None:
    bound = [str(node.get("name")) for node in root(name).iterfind(f"{WSDL}binding/{WSDL}operation")]
    assert len(bound) == count == len(set(bound))
    assert set(bound) == operations(name)


def test_the_resources_of_the_service_have_their_operations() -> None:
    assert len(OF_THE_RESOURCES) == 30
    assert operations("publisher") >= OF_THE_RESOURCES
    assert operations("data") == {"CreateReportJob", "GetJob", "GetJobs"}


@pytest.mark.parametrize("name", FILES)
def test_requests_end_with_the_authentication_elements(name: str) -> None:
    public = set()
    for operation in operations(name):
        ends = names(name, f"{operation}Request")
        if ends[-1] == "connectId":
            public.add(operation)
        else:
            assert ends[-4:] == ["connectId", "timestamp", "nonce", "signature"], operation
    assert public == (PUBLIC if name == "publisher" else set())


@pytest.mark.parametrize("name", FILES)
def test_the_style_is_document_literal_bare_over_soap_1_1(name: str) -> None:
    document = root(name)
    assert document.get("targetNamespace") == NAMESPACES[name]
    schema = document.find(f"{WSDL}types/{XSD}schema")
    assert schema is not None
    assert schema.get("elementFormDefault") == "qualified"
    for operation in document.iterfind(f"{WSDL}binding/{WSDL}operation"):
        soap = operation.find(f"{SOAP}operation")
        assert soap is not None
        assert soap.get("soapAction") == f"{NAMESPACES[name]}{operation.get('name')}"
        assert {body.get("use") for body in operation.iter(f"{SOAP}body", f"{SOAP}fault")} == {"literal"}
        assert operation.find(f"{WSDL}fault") is not None
    assert names(name, "SOAPException") == ["code", "reason", "errorId"]


@pytest.mark.parametrize("name", FILES)
def test_addresses_are_placeholders(name: str) -> None:
    address = root(name).find(f".//{SOAP}address")
    assert address is not None
    version = FILES[name].split("/")[1]
    assert address.get("location") == f"https://{name}.invalid/soap/{version}"


def test_live_elements_are_optional_and_marked_reconstructed() -> None:
    for field in fields("publisher", "programItem"):
        if field.get("name") in {"industries", "commission"}:
            assert field.get("minOccurs") == "0"
            assert "Reconstructed:" in "".join(map(str, field.itertext()))


def test_declared_elements_stay_required_and_are_listed_as_possibly_missing() -> None:
    table = tomllib.loads((ROOT / "wsdl/contracts.toml").read_text())["contracts"]["publisher"]
    assert set(table["types"]["may_be_missing"]) == MAY_BE_MISSING
    for path in MAY_BE_MISSING:
        owner, _, name = path.partition("/")
        (field,) = (field for field in fields("publisher", owner) if field.get("name") == name)
        assert field.get("minOccurs", "1") == "1"


def test_every_assumed_element_is_listed_in_the_readme() -> None:
    text = (ROOT / "wsdl/README.md").read_text()
    assumed = {
        str(element.get("name"))
        for name in FILES
        for element in root(name).iter(f"{XSD}element")
        if "Assumed:" in "".join(map(str, element.itertext()))
    }
    assert {"columns", "status", "downloadUrl"} <= assumed
    assert {name for name in assumed if f"`{name}`" not in text and f"/{name}`" not in text} == set()


@pytest.mark.parametrize("name", FILES)
def test_packaged_bundled_contract_equals_the_document(name: str) -> None:
    packaged = (ROOT / "generated/zxws" / name / "contract.wsdl").read_bytes()
    assert packaged == (ROOT / "wsdl" / FILES[name]).read_bytes()
