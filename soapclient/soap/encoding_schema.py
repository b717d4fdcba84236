"""The schema of SOAP's encoding, as far as contracts build on it: zeep would fetch it from its address."""

from __future__ import annotations

from typing import Final

ADDRESS: Final = "http://schemas.xmlsoap.org/soap/encoding/"
_SIMPLE: Final = """string normalizedString token boolean decimal integer nonPositiveInteger negativeInteger
long int short byte nonNegativeInteger unsignedLong unsignedInt unsignedShort unsignedByte positiveInteger
float double duration dateTime time date gYearMonth gYear gMonthDay gDay gMonth hexBinary base64Binary anyURI
QName Name NMTOKEN NCName language ID IDREF ENTITY NOTATION NMTOKENS IDREFS ENTITIES"""


def text() -> bytes:
    """The schema: arrays, and each simple type with the attributes by which values are pointed at."""
    types = "".join(
        f'<x:complexType name="{name}"><x:simpleContent><x:extension base="x:{name}">'
        '<x:attributeGroup ref="e:commonAttributes"/></x:extension></x:simpleContent></x:complexType>'
        f'<x:element name="{name}" type="e:{name}"/>'
        for name in _SIMPLE.split()
    )
    return f"""<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:e="{ADDRESS}"
        targetNamespace="{ADDRESS}"><x:attribute name="arrayType" type="x:string"/>
        <x:attribute name="offset" type="x:string"/><x:attribute name="position" type="x:string"/>
        <x:attributeGroup name="commonAttributes"><x:attribute name="id" type="x:ID"/>
        <x:attribute name="href" type="x:anyURI"/><x:anyAttribute namespace="##other" processContents="lax"/>
        </x:attributeGroup><x:attributeGroup name="arrayAttributes"><x:attribute ref="e:arrayType"/>
        <x:attribute ref="e:offset"/></x:attributeGroup><x:group name="Array"><x:sequence>
        <x:any namespace="##any" minOccurs="0" maxOccurs="unbounded" processContents="lax"/></x:sequence>
        </x:group><x:complexType name="Array"><x:group ref="e:Array" minOccurs="0"/>
        <x:attributeGroup ref="e:arrayAttributes"/><x:attributeGroup ref="e:commonAttributes"/>
        </x:complexType><x:element name="Array" type="e:Array"/><x:complexType name="Struct">
        <x:group ref="e:Array" minOccurs="0"/><x:attributeGroup ref="e:commonAttributes"/></x:complexType>
        <x:element name="Struct" type="e:Struct"/><x:simpleType name="base64">
        <x:restriction base="x:base64Binary"/></x:simpleType>{types}</x:schema>""".encode()
