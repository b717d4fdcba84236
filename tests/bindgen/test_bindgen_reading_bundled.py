"""Schemas of W3C and OASIS that a contract imports without a location: bindgen bundles them."""

# ruff: noqa: E501 - documents, one declaration per line

from __future__ import annotations

from importlib import resources

import pytest
from lxml import etree

from bindgen.model import Contract, Struct
from bindgen.reading import bundled
from soapclient.contract.explanations import compile_leniently
from soapclient.contract.patterns import CostlyPatterns
from soapclient.contract.validation import checks_of
from soapclient.errors import ContractError
from soapclient.soap.zeep_service import document
from tests.bindgen.conftest import RESPONSE, WSDL, asks, read_any

XML = "http://www.w3.org/XML/1998/namespace"
MIME = "http://www.w3.org/2005/05/xmlmime"
XLINK = "http://www.w3.org/1999/xlink"
WSA = "http://www.w3.org/2005/08/addressing"
WSA_2004 = "http://schemas.xmlsoap.org/ws/2004/08/addressing"
WSSE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
WSU = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
DS = "http://www.w3.org/2000/09/xmldsig#"
XENC = "http://www.w3.org/2001/04/xmlenc#"
WSRM = "http://docs.oasis-open.org/ws-rx/wsrm/200702"
WSRM_2005 = "http://schemas.xmlsoap.org/ws/2005/02/rm"
ADDRESS = f'<a:Address xmlns:a="{WSA}">urn:a</a:Address>'
OLD_ADDRESS = f'<a:Address xmlns:a="{WSA_2004}">urn:a</a:Address>'

# By namespace (prefix `n`): a field of the request, valid content of it, and content that violates the
# specification. The examples follow the specifications.
CASES = {
    MIME: (
        '<x:element name="v" type="n:base64Binary"/>',
        [f'<v n:contentType="image/png" xmlns:n="{MIME}">YQ==</v>', "<v>YQ==</v>"],
        [f'<v n:contentType="a" xmlns:n="{MIME}">YQ==</v>', "<v>YQ</v>", '<v other="1">YQ==</v>'],
    ),
    XLINK: (
        '<x:element name="v"><x:complexType><x:attribute ref="n:href"/><x:attribute ref="n:type"/></x:complexType></x:element>',
        [f'<v n:href="urn:a" n:type="simple" xmlns:n="{XLINK}"/>'],
        [f'<v n:type="no" xmlns:n="{XLINK}"/>', f'<v n:role="urn:r" xmlns:n="{XLINK}"/>'],
    ),
    WSA: (
        '<x:element ref="n:EndpointReference"/>',
        [f"<n:EndpointReference>{ADDRESS}<n:ReferenceParameters><k xmlns='urn:k'/></n:ReferenceParameters><n:Metadata/></n:EndpointReference>"],
        ["<n:EndpointReference/>", f"<n:EndpointReference><n:Metadata/>{ADDRESS}</n:EndpointReference>"],
    ),
    WSA_2004: (
        '<x:element ref="n:EndpointReference"/>',
        [f'<n:EndpointReference>{OLD_ADDRESS}<n:PortType>n:P</n:PortType><n:ServiceName PortName="P">n:S</n:ServiceName></n:EndpointReference>'],
        ["<n:EndpointReference/>", f"<n:EndpointReference>{OLD_ADDRESS}<n:ServiceName PortName='1'>n:S</n:ServiceName></n:EndpointReference>"],
    ),
    WSSE: (
        '<x:element ref="n:UsernameToken"/>',
        [f"<n:UsernameToken u:Id='u' xmlns:u='{WSU}'><n:Username>a</n:Username><n:Password Type='urn:t'>p</n:Password><n:Nonce EncodingType='urn:e'>YQ==</n:Nonce><u:Created>now</u:Created></n:UsernameToken>"],
        ["<n:UsernameToken/>", f"<n:UsernameToken u:Id='1' xmlns:u='{WSU}'><n:Username>a</n:Username></n:UsernameToken>", "<n:UsernameToken><n:Username>a</n:Username><n:Password><n:Nonce/></n:Password></n:UsernameToken>"],
    ),
    WSU: (
        '<x:element ref="n:Timestamp"/>',
        ["<n:Timestamp n:Id='t'><n:Created>2001-10-13T09:00:00Z</n:Created><n:Expires>2001-10-13T10:00:00Z</n:Expires></n:Timestamp>", "<n:Timestamp/>"],
        ["<n:Timestamp><n:Expires/><n:Created/></n:Timestamp>", "<n:Timestamp n:Id='a b'/>"],
    ),
    DS: (
        '<x:element ref="n:KeyInfo"/>',
        ["<n:KeyInfo><n:KeyName>k</n:KeyName></n:KeyInfo>"],
        ["<n:KeyInfo/>", "<n:KeyInfo><n:DigestValue>YQ==</n:DigestValue></n:KeyInfo>"],
    ),
    XENC: (
        '<x:element ref="n:EncryptedData"/>',
        ["<n:EncryptedData><n:CipherData><n:CipherValue>YQ==</n:CipherValue></n:CipherData></n:EncryptedData>"],
        ["<n:EncryptedData/>"],
    ),
    WSRM: (
        '<x:element ref="n:CreateSequence"/>',
        [f"<n:CreateSequence><n:AcksTo>{ADDRESS}</n:AcksTo><n:Expires>PT1H</n:Expires><n:Offer><n:Identifier>urn:i</n:Identifier><n:Endpoint>{ADDRESS}</n:Endpoint><n:IncompleteSequenceBehavior>NoDiscard</n:IncompleteSequenceBehavior></n:Offer></n:CreateSequence>"],
        ["<n:CreateSequence/>", f"<n:CreateSequence><n:AcksTo>{OLD_ADDRESS}</n:AcksTo></n:CreateSequence>", f"<n:CreateSequence><n:AcksTo>{ADDRESS}</n:AcksTo><n:Expires>1h</n:Expires></n:CreateSequence>"],
    ),
    WSRM_2005: (
        '<x:element ref="n:SequenceAcknowledgement"/>',
        ["<n:SequenceAcknowledgement><n:Identifier>urn:i</n:Identifier><n:AcknowledgementRange Lower='1' Upper='2'/></n:SequenceAcknowledgement>", "<n:SequenceAcknowledgement><n:Identifier>urn:i</n:Identifier><n:Nack>1</n:Nack></n:SequenceAcknowledgement>"],
        ["<n:SequenceAcknowledgement><n:Identifier>urn:i</n:Identifier></n:SequenceAcknowledgement>", "<n:SequenceAcknowledgement><n:Identifier>urn:i</n:Identifier><n:AcknowledgementRange Lower='1'/></n:SequenceAcknowledgement>"],
    ),
}  # fmt: skip


def contract_with(space: str, field: str, link: str | None = None, beside: str = "") -> Contract:
    """Read a contract whose request has a field of that namespace, imported by `link`, or declared `beside`."""
    link = f'<x:import namespace="{space}"/>' if link is None else link
    text = WSDL.format(schema=link + asks(f"<x:sequence>{field}</x:sequence>", RESPONSE))
    text = text.replace("</types>", f"{beside}</types>")
    return read_any(text.replace("<definitions ", f'<definitions xmlns:n="{space}" ', 1))


def accepts(contract: Contract, space: str, content: str) -> bool:
    content = content.replace("<v", "<t:v").replace("</v", "</t:v")
    spaces = f'xmlns:t="urn:example:shop" xmlns:n="{space}"'
    message = etree.fromstring(f"<t:AskRequest {spaces}>{content}</t:AskRequest>")
    checks = checks_of([contract.one_file])
    assert checks.trouble == ""
    try:
        checks.check_request([message], "Ask")
    except ContractError:
        return False
    return True


def test_every_schema_has_a_case() -> None:
    assert set(CASES) == bundled.SPACES


@pytest.mark.sampled(2)
@pytest.mark.parametrize("space", CASES)
def test_an_import_without_a_location_is_read_and_validated(space: str) -> None:
    field, valid, invalid = CASES[space]
    contract = contract_with(space, field)
    assert (contract.problems, contract.notes, contract.compiles) == ([], [], True)
    assert any(space in remark.message for remark in contract.remarks)
    (ask,) = contract.operations
    assert [field.kind for field in ask.request.fields] == ["element"]
    assert [accepts(contract, space, text) for text in valid] == [True] * len(valid)
    assert [accepts(contract, space, text) for text in invalid] == [False] * len(invalid)


XML_CASES = {
    "attributes": '<x:attribute ref="xml:lang"/><x:attribute ref="xml:space"/>',
    "group": '<x:attributeGroup ref="xml:specialAttrs"/>',
}


@pytest.mark.parametrize("attributes", XML_CASES.values(), ids=XML_CASES)
@pytest.mark.parametrize("link", [f'<x:import namespace="{XML}"/>', ""], ids=["imported", "not imported"])
def test_the_attributes_of_xml_are_read_and_validated(attributes: str, link: str) -> None:
    field = f'<x:element name="v"><x:complexType>{attributes}</x:complexType></x:element>'
    contract = contract_with(MIME, field, link)
    assert (contract.problems, contract.notes, contract.compiles) == ([], [], True)
    (holder,) = (each.type for each in contract.operations[0].request.fields)
    assert isinstance(holder, Struct)
    assert {"lang", "space"} <= {each.wire for each in holder.fields}
    assert {each.kind for each in holder.fields} == {"attribute"}
    (space,) = (each for each in holder.fields if each.wire == "space")
    assert space.facets is not None
    assert space.facets.enumeration == ("default", "preserve")
    valid = ['<v xml:lang="de" xml:space="preserve"/>', "<v/>", '<v xml:lang=""/>']
    invalid = ['<v xml:space="no"/>', '<v xml:lang="d_e"/>', '<v other="1"/>']
    assert [accepts(contract, MIME, text) for text in valid] == [True] * len(valid)
    assert [accepts(contract, MIME, text) for text in invalid] == [False] * len(invalid)


@pytest.mark.exhaustive
def test_xmlschema_accepts_the_bundled_schemas() -> None:
    """xmlschema is the second compiler. It overrules libxml2 only for schemas without an error."""
    documents = [document for space in CASES if (document := bundled.document(space)) is not None]
    spaces = [document.root.get("targetNamespace", "") for document in documents]
    sources = [etree.tostring(document.root) for document in documents]
    schema = compile_leniently(sources, CostlyPatterns(), spaces)
    assert schema is not None
    assert schema.all_errors == []
    assert set(CASES) <= set(schema.maps.namespaces)


@pytest.mark.parametrize(
    "link",
    [
        '<x:import namespace="{}" schemaLocation="https://elsewhere.invalid/it.xsd"/>',  # unreachable
        "",  # used without an import, as in many contracts
    ],
)
def test_bundled_schemas_replace_unreachable_imports(link: str) -> None:
    contract = contract_with(MIME, CASES[MIME][0], link.format(MIME))
    assert (contract.problems, contract.notes) == ([], [])
    assert [accepts(contract, MIME, text) for text in CASES[MIME][2]] == [False, False, False]


@pytest.mark.parametrize("space", CASES)
def test_plain_zeep_reads_the_bundled_schemas(space: str) -> None:
    """zeep would download some of them, but sends no requests here."""
    bindings = list(document(contract_with(space, CASES[space][0]).one_file).bindings)
    assert bindings == ["{urn:example:shop}ShopBinding"]


def test_schema_of_the_contract_takes_precedence() -> None:
    own = f'<x:schema targetNamespace="{MIME}"><x:complexType name="base64Binary"><x:sequence/></x:complexType></x:schema>'
    contract = contract_with(MIME, CASES[MIME][0], beside=own)
    assert contract.remarks == []
    assert contract.one_file.count(b'targetNamespace="http://www.w3.org/2005/05/xmlmime"') == 1


def test_message_part_needs_no_import() -> None:
    text = WSDL.format(schema='<x:element name="AskRequest" type="x:int"/>' + RESPONSE)
    text = text.replace("<definitions ", f'<definitions xmlns:n="{WSSE}" ', 1)
    part = '<message name="Head"><part name="security" element="n:Security"/></message><portType '
    text = text.replace("<portType ", part, 1)
    head = '<input><s:header message="t:Head" part="security" use="literal"/>'
    contract = read_any(text.replace("<input><s:body", f"{head}<s:body", 1))
    assert contract.notes == []
    [header] = contract.operations[0].request_headers
    assert header.tag == f"{{{WSSE}}}Security"
    assert contract.compiles


def test_bundled_files_document_their_coverage() -> None:
    folder = resources.files("bindgen").joinpath("schemas")
    files = [file for file in folder.iterdir() if file.name.endswith(".xsd")]
    assert len(files) == 7
    for file in files:
        first, _, rest = file.read_text(encoding="utf-8").partition("\n")
        assert first.startswith("<!-- ")
        assert first.endswith(". -->")
        assert "<!--" not in rest
