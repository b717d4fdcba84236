"""The texts of schemas for the compiler: equal to the texts of the copies, but often made without a copy."""

from __future__ import annotations

import pytest
from lxml import etree

from bindgen.reading import compiled
from bindgen.reading.documents import Documents, SingleDocument
from bindgen.reading.findings import Findings
from bindgen.reading.schemas import Schemas

_START = '<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"'
_TYPE = '<x:complexType name="T"><x:sequence><x:element name="e" type="t:U"/></x:sequence></x:complexType>'
_NAME = '<x:simpleType name="U"><x:restriction base="x:string"/></x:simpleType>'


def _schemas(inside: str) -> Schemas:
    """Return the schemas of a WSDL-like document with one schema. A prefix is declared outside of it."""
    text = f'<types xmlns:o="urn:o" xmlns="urn:d">{_START}>{inside}</x:schema></types>'
    document = Documents.parse("contract.wsdl", "contract.wsdl", text.encode())
    schemas = Schemas(Documents(SingleDocument("contract.wsdl", text.encode()), {}), Findings())
    schemas.add(document, document.root[0])
    schemas.finish()
    return schemas


@pytest.mark.parametrize(
    ("inside", "is_changed"),
    [
        pytest.param(_TYPE + _NAME, False, id="plain"),
        pytest.param(f"\n <!-- c -->\n {_TYPE}\n\t{_NAME}\n", False, id="comments and layout"),
        pytest.param(
            f"<x:annotation><x:documentation>&lt;a&gt; &amp; <![CDATA[<b>]]> &#13;&#xe9;"
            f'<p a="&#10;&quot;\'" xmlns="urn:p"/></x:documentation></x:annotation>{_TYPE}{_NAME}',
            False,
            id="documentation",
        ),
        pytest.param(
            f'<x:import namespace="urn:o" schemaLocation="gone.xsd"/>{_TYPE}{_NAME}', True, id="import"
        ),
        pytest.param(f'{_TYPE}{_NAME}<x:include schemaLocation="gone.xsd"/>', True, id="include"),
        pytest.param(_TYPE + _NAME + _NAME, True, id="declared twice"),
        pytest.param(f'{_NAME}<x:element name="e" type="o:Other"/>', True, id="other namespace"),
        pytest.param(
            f'{_NAME}<x:complexType name="D"><x:sequence><x:element ref="x:schema"/></x:sequence>'
            "</x:complexType>",
            True,
            id="reference to xs:schema",
        ),
        pytest.param(
            f'{_NAME}<x:complexType name="L"><x:attribute ref="xml:lang"/></x:complexType>',
            True,
            id="xml:lang",
        ),
        pytest.param(f"{_NAME}<x:unique/>", True, id="unknown component"),
    ],
)
def test_text_is_the_text_of_the_copy(inside: str, is_changed: bool) -> None:
    schemas = _schemas(inside)
    copies = [
        (item.namespace, etree.tostring(item.node, with_tail=False, encoding="unicode"))
        for item in compiled.copy_all(schemas)
    ]
    assert list(compiled.schema_texts(schemas)) == copies
    original = etree.tostring(schemas.all[0].node, with_tail=False, encoding="unicode")
    assert (copies != [("urn:t", original)]) is is_changed
