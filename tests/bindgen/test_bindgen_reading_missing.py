"""Names not declared, or declared twice: documents are read as far as possible. Problems have a line."""

# ruff: noqa: E501 - documents, one declaration per line

from __future__ import annotations

import pytest

from tests.bindgen.conftest import RESPONSE, WSDL, read_any, struct_of

_X = 'xmlns:x="http://www.w3.org/2001/XMLSchema"'
_W = 'xmlns="http://schemas.xmlsoap.org/wsdl/"'
_T = "{urn:example:shop}"
_OTHER = f'<x:schema {_X} targetNamespace="urn:other"><x:complexType name="T"/></x:schema>'
_OWN = f'<x:schema {_X} targetNamespace="urn:example:shop"><x:complexType name="T"><x:sequence><x:element name="a"/></x:sequence></x:complexType></x:schema>'
_DEFINITIONS = f'<definitions {_W} {_X} targetNamespace="urn:more">PARTS</definitions>'


def _schema(declared: str, field: str = '<x:element name="a" type="x:int"/>') -> str:
    """Return a contract with these declarations. Its request has one field."""
    request = f'<x:element name="AskRequest"><x:complexType><x:sequence>{field}</x:sequence></x:complexType></x:element>'
    return WSDL.format(schema=declared + request + RESPONSE)


# Declarations, field of the request, other documents, expected message.
_SCHEMAS = {
    "a group that is not declared": ("", '<x:group ref="t:G"/>', {}, "group 't:G' is not declared in the contract; treated as any elements"),
    "an include without a location": ("<x:include/>", "", {}, "an include must have a schemaLocation"),
    "an include of a WSDL": ('<x:include schemaLocation="other.wsdl"/>', "", {"other_wsdl": _DEFINITIONS}, "'other.wsdl' is not a schema"),
    "an include of a WSDL with a schema": (
        '<x:include schemaLocation="other.wsdl"/>', '<x:element name="a" type="t:T"/>',
        {"other_wsdl": _DEFINITIONS.replace("PARTS", f"<types>{_OWN}</types>")}, "'other.wsdl' is not a schema; the schemas in it are used",
    ),
    "an import of a document with another namespace": ('<x:import namespace="urn:asked" schemaLocation="other.xsd"/>', "", {"other_xsd": _OTHER}, "imports the namespace urn:asked, but the document has the namespace urn:other"),
    "an import without a namespace of a document with one": ('<x:import schemaLocation="other.xsd"/>', "", {"other_xsd": _OTHER}, "imports the namespace (none), but the document has the namespace urn:other"),
    "an import of a document without a namespace": ('<x:import namespace="urn:asked" schemaLocation="other.xsd"/>', "", {"other_xsd": f"<x:schema {_X}/>"}, "imports the namespace urn:asked, but the document has no namespace"),
    "an element that is not a declaration": ("<x:sequence/>", "", {}, "sequence is not supported here"),
    "a redefine of a type that is not defined": ('<x:redefine schemaLocation="own.xsd"><x:complexType name="None"><x:complexContent><x:extension base="t:None"/></x:complexContent></x:complexType></x:redefine>', "", {"own_xsd": _OWN}, "'None' is redefined, but not defined"),
    "a redefine of an element": ('<x:redefine schemaLocation="own.xsd"><x:element name="e"/></x:redefine>', "", {"own_xsd": _OWN}, "element is not supported in a redefine"),
    "simple content whose base has none": ('<x:complexType name="S"><x:simpleContent><x:extension base="t:C"/></x:simpleContent></x:complexType><x:complexType name="C"><x:sequence/></x:complexType>', '<x:element name="a" type="t:S"/>', {}, "the base of this simple content does not have simple content; read as a string"),
    "a type of XSD 1.1": ("", '<x:element name="a" type="x:dayTimeDuration"/>', {}, "is not supported"),
}  # fmt: skip


# Parts of the WSDL next to its types, other documents, expected message ("" for none).
_DOCUMENTS = {
    "an import without a location": ('<import namespace="urn:more"/>', {}, ""),
    "an import of another WSDL": ('<import namespace="urn:more" location="more.wsdl"/>', {"more_wsdl": _DEFINITIONS}, ""),
    "two imports of the same WSDL": ('<import namespace="urn:more" location="more.wsdl"/><import namespace="urn:more" location="more.wsdl"/>', {"more_wsdl": _DEFINITIONS}, ""),
    "an import of another kind of document": ('<import namespace="urn:more" location="more.xml"/>', {"more_xml": "<more/>"}, "'more.xml' is neither a WSDL 1.1 document nor a schema"),
    "a message declared twice": ('<message name="AskIn"/>', {}, "'AskIn' is declared twice in its namespace"),
    "a binding without a protocol": ('<binding name="Aside" type="t:ShopPort"/>', {}, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", _SCHEMAS)
def test_wrong_declaration_of_a_schema_is_noted_and_the_rest_is_read(case: str) -> None:
    declared, field, others, said = _SCHEMAS[case]
    contract = read_any(_schema(declared, field), **others)
    (note,) = [note for note in contract.notes if said in note.message]
    assert note.place is not None
    assert contract.problems == []
    assert [operation.name for operation in contract.operations] == ["Ask"]


@pytest.mark.parametrize("case", _DOCUMENTS)
def test_wrong_part_of_a_wsdl_is_noted_or_ignored_and_the_rest_is_read(case: str) -> None:
    beside, others, said = _DOCUMENTS[case]
    contract = read_any(_schema("").replace("<service ", f"{beside}<service "), **others)
    assert [note.message for note in contract.notes] == ([said] if said else [])
    assert contract.problems == []
    (ask,) = contract.operations
    assert [field.tag for field in ask.request.fields] == [f"{_T}a"]


def test_types_of_a_wsdl_included_as_a_schema_are_read() -> None:
    declared, field, others, _ = _SCHEMAS["an include of a WSDL with a schema"]
    (ask,) = read_any(_schema(declared, field), **others).operations
    (outer,) = ask.request.fields
    assert [inner.tag for inner in struct_of(outer).fields] == ["a"]


def test_unknown_group_becomes_a_wildcard() -> None:
    (ask,) = read_any(_schema("", '<x:group ref="t:G"/>')).operations
    (field,) = ask.request.fields
    assert (field.kind, field.least, field.most) == ("any", 0, None)
