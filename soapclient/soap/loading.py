"""zeep's reading of a contract: made once per process, from the packaged document and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

import zeep
from zeep.transports import Transport

from soapclient.contract import Contract
from soapclient.errors import ConfigError
from soapclient.forks import Lock

_ENCODING: Final = "http://schemas.xmlsoap.org/soap/encoding/"
_SIMPLE: Final = """string normalizedString token boolean decimal integer nonPositiveInteger negativeInteger
long int short byte nonNegativeInteger unsignedLong unsignedInt unsignedShort unsignedByte positiveInteger
float double duration dateTime time date gYearMonth gYear gMonthDay gDay gMonth hexBinary base64Binary anyURI
QName Name NMTOKEN NCName language ID IDREF ENTITY NOTATION NMTOKENS IDREFS ENTITIES"""
_documents: dict[str, zeep.wsdl.Document] = {}
_lock = Lock()


def document(contract: Contract) -> zeep.wsdl.Document:
    """zeep's reading of a contract, which clients, threads and forks share."""
    return _document(contract.key, contract.wsdl)


def document_of(wsdl: bytes) -> zeep.wsdl.Document:
    """zeep's reading of a one-file WSDL, shared likewise."""
    return _document(hashlib.sha256(wsdl).hexdigest(), wsdl)


def _document(key: str, wsdl: bytes) -> zeep.wsdl.Document:
    with _lock:
        if key not in _documents:
            # Addresses are always given: zeep need not put https into those of the WSDL, and say so.
            # And what it may load is up to the transport, which knows what is at hand.
            settings = zeep.Settings(
                strict=True, forbid_entities=True, forbid_external=False, force_https=False
            )
            read: Callable[..., zeep.wsdl.Document] = zeep.wsdl.Document  # zeep's own hints are off
            _documents[key] = read(PackagedTransport.ADDRESS, PackagedTransport(wsdl), settings=settings)
        return _documents[key]


class PackagedTransport(Transport):
    """Serves one document. zeep would follow any address that a contract names, `file:` included."""

    ADDRESS: Final = "https://contract.invalid/contract.wsdl"  # any absolute address

    def __init__(self, wsdl: bytes) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # zeep has no types
        self._wsdl = wsdl

    def load(self, url: str) -> bytes:
        """Give the document, or the schema of SOAP's encoding. Raises ConfigError for any other address."""
        if url == _ENCODING:
            return _encoding_schema()
        if url != self.ADDRESS:
            raise ConfigError(
                "contract",
                f"the packaged contract refers to {url}; it must be one file",
                "Run `bindgen generate`, which writes the one-file contract",
            )
        return self._wsdl


def _encoding_schema() -> bytes:
    """The schema of SOAP's encoding, as far as contracts build on it: arrays, and each simple type with
    the attributes by which values are pointed at."""
    types = "".join(
        f'<x:complexType name="{name}"><x:simpleContent><x:extension base="x:{name}">'
        '<x:attributeGroup ref="e:commonAttributes"/></x:extension></x:simpleContent></x:complexType>'
        f'<x:element name="{name}" type="e:{name}"/>'
        for name in _SIMPLE.split()
    )
    return f"""<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:e="{_ENCODING}"
        targetNamespace="{_ENCODING}"><x:attribute name="arrayType" type="x:string"/>
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
