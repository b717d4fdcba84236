"""Drift by a switch: lxml rejects the changed response. If a drift does not apply, nothing changes."""

from __future__ import annotations

import pytest
from lxml import etree

from soapclient.serving.drift import DriftKind, drift

SCHEMA = etree.XMLSchema(
    etree.fromstring(
        '<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema"><x:element name="r"><x:complexType><x:sequence>'
        '<x:element name="may" type="x:string" minOccurs="0"/>'
        '<x:element name="group" minOccurs="0"><x:complexType><x:sequence>'
        '<x:element name="must" type="x:int"/></x:sequence></x:complexType></x:element>'
        '<x:element name="colour" minOccurs="0"><x:simpleType><x:restriction base="x:string">'
        '<x:enumeration value="red"/></x:restriction></x:simpleType></x:element>'
        "</x:sequence></x:complexType></x:element></x:schema>"
    )
)


def errors(element: etree._Element) -> list[str]:
    copy = etree.fromstring(etree.tostring(element))
    SCHEMA.validate(copy)
    return [error.message for error in SCHEMA.error_log]


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("element", "<r/>", "<r><unheardOf>from a switch</unheardOf></r>"),
        (
            "value",
            "<r><may>x</may><group><must>1</must></group><colour>red</colour></r>",
            "<r><may>x</may><group><must>1</must></group><colour>unheardOf</colour></r>",
        ),
        ("value", "<r><may>x</may><group><must>1</must></group></r>", None),
        (
            "missing",
            "<r><may>x</may><group><must>1</must></group><colour>red</colour></r>",
            "<r><may>x</may><group/><colour>red</colour></r>",
        ),
        ("missing", "<r><may>x</may><colour>red</colour></r>", None),
        ("missing", "<r/>", None),
    ],
)
def test_only_the_first_place_is_changed(kind: DriftKind, before: str, after: str | None) -> None:
    element = etree.fromstring(before)
    assert errors(element) == []
    drift(kind, element, errors)
    assert etree.tostring(element).decode() == (after or before)
    assert bool(errors(element)) is (after is not None)
