"""The answer of the one operation that REST alone has (`record.md 3`, row 21): its schema, as a contract.

All names beyond productName are assumed.
"""

from __future__ import annotations

from ..contracts import Contract

_DOCUMENT = """
<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:tns="{namespace}"
    targetNamespace="{namespace}">
  <wsdl:types>
    <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="{namespace}"
        elementFormDefault="qualified">
      <xs:element name="GetSaleBasketResponse">
        <xs:complexType><xs:sequence>
          <xs:element name="basketItems" minOccurs="0">
            <xs:complexType><xs:sequence>
              <xs:element name="basketItem" type="tns:basketItem" minOccurs="0" maxOccurs="unbounded"/>
            </xs:sequence></xs:complexType>
          </xs:element>
        </xs:sequence></xs:complexType>
      </xs:element>
      <xs:complexType name="basketItem"><xs:sequence>
        <xs:element name="productName" type="xs:string"/>
        <xs:element name="trackingCategory" minOccurs="0">
          <xs:complexType><xs:simpleContent><xs:extension base="xs:string">
            <xs:attribute name="id" type="xs:int" use="required"/>
          </xs:extension></xs:simpleContent></xs:complexType>
        </xs:element>
        <xs:element name="amount" type="xs:double"/>
        <xs:element name="commission" type="xs:double"/>
        <xs:element name="currency" type="xs:string" minOccurs="0"/>
      </xs:sequence></xs:complexType>
    </xs:schema>
  </wsdl:types>
</wsdl:definitions>
"""


def basket_contract(publisher: Contract) -> Contract:
    """In the namespace of the Publisher contract."""
    document = _DOCUMENT.format(namespace=publisher.namespace).encode()
    return Contract("sale basket", publisher.version, document)
