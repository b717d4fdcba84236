"""The service proxy of zeep, which returns zeep's objects.

It uses the same plugins, WS-Security, limits and validation as typed calls.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import zeep
from lxml import etree
from zeep.transports import Transport
from zeep.xsd.valueobjects import CompoundValue

from soapclient._support.forks import Lock
from soapclient._support.redaction import clean
from soapclient.calling.outcome import classify
from soapclient.contract.compiling import XML_SCHEMA
from soapclient.errors import ConfigError, SecurityError, SoapClientError
from soapclient.runtime.authentication import AuthenticationElement, AuthenticationElements, fill
from soapclient.runtime.errors import local_name
from soapclient.soap import envelope as envelopes
from soapclient.soap.calls import verified, verifies
from soapclient.soap.client import SoapClient
from soapclient.soap.faults import read_fault
from soapclient.soap.operations import TypedOperation
from soapclient.transport import bodies

if TYPE_CHECKING:
    import requests

_ENCODING: Final = "http://schemas.xmlsoap.org/soap/encoding/"
_XML: Final = "https://www.w3.org/2001/xml.xsd"  # zeep loads xml:lang from this address
_SIMPLE: Final = """string normalizedString token boolean decimal integer nonPositiveInteger negativeInteger
long int short byte nonNegativeInteger unsignedLong unsignedInt unsignedShort unsignedByte positiveInteger
float double duration dateTime time date gYearMonth gYear gMonthDay gDay gMonth hexBinary base64Binary anyURI
QName Name NMTOKEN NCName language ID IDREF ENTITY NOTATION NMTOKENS IDREFS ENTITIES"""
_documents: dict[bytes, zeep.wsdl.Document] = {}
_lock = Lock()


class PlainService:
    """Calls operations by their WSDL names with zeep. `service.GetThing(id="…")` returns zeep's result.

    The caller does not pass the elements for authentication, because signing adds them. Faults are raised as
    zeep's exceptions. Transport errors, validation errors, and errors of WS-Security are raised as the
    exceptions of `soapclient.errors`. Calls are not retried.
    """

    def __init__(self, client: SoapClient, name: str, wsdl: Callable[[], bytes], binding: str) -> None:
        """Create the proxy for a port. `name` is used in errors.

        `wsdl` is a function that returns the WSDL. `binding` is the name of the WSDL binding in Clark
        notation.
        """
        self._client = client
        self._name = name
        self._wsdl = wsdl
        self._binding = binding

    def __dir__(self) -> list[str]:
        return sorted(name for name, operation in self._operations.items() if operation.soap)

    def __getitem__(self, name: str) -> Callable[..., object]:
        return self.__getattr__(name)

    def __getattr__(self, name: str) -> Callable[..., object]:
        operation = self._operations.get(name)
        if operation is None or not operation.soap:
            raise AttributeError(f"{self._name} has no operation {clean(name, 80)!r}")

        def call(*args: object, **kwargs: object) -> object:
            skew = self._client.loop.skew
            options = {
                "address": self._client.address,
                "offset": timedelta(0) if skew is None else skew.offset,
            }
            # Any: zeep has no types. These objects do not leave this function.
            binding: Any = document(self._wsdl()).bindings[self._binding]
            fields: Any = _add_empty_elements(operation.operation.authentication, kwargs)
            if places := operation.operation.authentication_headers:
                declared = binding.get(name).input.header.type.elements
                parts = {str(element.qname): part for part, element in declared}
                fields["_soapheaders"] = _headers(places, kwargs.get("_soapheaders"), parts)
            view = _View(self._client, operation)
            with self._client.loop.concealing():
                result: object = binding.send(view, options, name, args, fields)
            return result

        call.__name__ = name
        return call

    @property
    def _operations(self) -> Mapping[str, TypedOperation]:
        return self._client.binding.operations


def _add_empty_elements(places: AuthenticationElements, value: object) -> object:
    """Return a copy of `value` with empty elements for authentication added.

    `value` is the caller's value for an element. `places` are the elements for authentication: zeep requires
    them, and signing sets their values later. A value that is neither a mapping nor a zeep object is returned
    unchanged, so that zeep refuses it.
    """
    if value is not None and not isinstance(value, Mapping | CompoundValue):
        return value
    result: Any = deepcopy(value) if isinstance(value, CompoundValue) else dict(value or {})
    for place in places:
        is_present = place.name in result  # zeep's objects have no `get`
        result[place.name] = _value(place, result[place.name] if is_present else None)
    return result


def _value(place: AuthenticationElement, value: object) -> object:
    if place.content:
        return _add_empty_elements(place.content, value)
    return "" if value is None else value


def _headers(places: AuthenticationElements, headers: object, parts: Mapping[str, str]) -> object:
    """Return the caller's SOAP headers for zeep, with empty elements for authentication added.

    `headers` are the caller's headers. `places` are the elements for authentication, whose values signing
    sets later. `parts` maps the tags of the headers that the operation declares to their names.
    """
    if isinstance(headers, Mapping):
        by_name = {parts[place.tag]: place for place in places}
        return {**headers, **{name: _value(place, headers.get(name)) for name, place in by_name.items()}}
    listed: list[Any] = [] if headers is None else [headers]
    if isinstance(headers, list | tuple):
        listed = list(headers)
    for place in places:
        at = next((at for at, header in enumerate(listed) if _tag(header) == place.tag), None)
        if at is None:
            head = etree.Element("head")
            fill(head, (place,), {})
            listed.append(head[0])
        elif isinstance(listed[at], CompoundValue):
            listed[at] = _value(place, listed[at])
        else:
            listed[at] = deepcopy(listed[at])
            fill(listed[at], place.content, {})
    return listed


def _tag(header: object) -> str:
    """Return the tag of a SOAP header. The header is an lxml element or a zeep object for an element."""
    if isinstance(header, CompoundValue):
        return str(getattr(getattr(header, "_xsd_elm", None), "qname", ""))
    return str(getattr(header, "tag", ""))


class _View:
    """The object that zeep's binding uses as its client, its transport and its WS-Security for one call."""

    def __init__(self, client: SoapClient, operation: TypedOperation) -> None:
        self.plugins = client.all_plugins()
        self.wsse = None if client.wsse is None else self
        self.settings = client.settings
        self.transport = self
        self._client = client
        self._operation = operation
        self._request_id = client.loop.new_id()
        limits = client.loop.limits(operation.name, client.loop.deadline())
        self._limits = limits.of_attempt(1, 1, safe=operation.safe)
        self._security = client.wsse
        self._verifies = client.wsse is not None and verifies(client.wsse)

    def post_xml(self, address: str, envelope: etree._Element, headers: dict[str, str]) -> requests.Response:
        """Send an envelope as a POST request, and return the response.

        Raises Timeout or ConnectionFailed if sending fails, UnexpectedResponse if the response cannot be an
        envelope, and ResponseError if the response is invalid. Raises AmbiguousOutcome if a write may have
        been processed.
        """
        operation = self._operation
        body = etree.tostring(envelope, xml_declaration=True, encoding="UTF-8")
        loop = self._client.loop
        headers = {**headers, **loop.headers(self._request_id), **loop.context()}
        with self._classified():
            with self._client.post(address, headers, body, self._limits) as response:
                envelopes.check_head(response, operation.name)
                http_response = response.read_all()
            if not self._verifies:  # with WS-Security, `verify` checks it, because the body can be encrypted
                with suppress(etree.XMLSyntaxError, ValueError):  # zeep reports it
                    self._check(etree.fromstring(http_response.content, bodies.parser()))
        return http_response

    def apply(
        self, envelope: etree._Element, headers: dict[str, str], /
    ) -> tuple[etree._Element, dict[str, str]]:
        """Add security to a request. zeep calls this method if the client has WS-Security."""
        assert self._security is not None
        return self._security.apply(envelope, headers)

    def verify(self, envelope: etree._Element, /) -> None:
        """Verify a response. zeep calls this method if the client has WS-Security.

        Raises SecurityError if the verification fails. If the response is a fault, its text is added to the
        error as a note, because services often do not sign faults. Raises AmbiguousOutcome instead of an
        error if a write may have been processed.
        """
        assert self._security is not None
        with self._classified():
            try:
                verified(envelope, self._security, self._operation.name)
            except SecurityError as error:
                if (fault := envelopes.fault_of(envelope)) is not None:
                    text = read_fault(fault).text or "without a text"
                    error.add_note(f"the response is a fault, which is not verified: {clean(text)}")
                raise
            if self._verifies:
                self._check(envelope)

    @contextmanager
    def _classified(self) -> Iterator[None]:
        """Context manager that adds the request id to errors of a call.

        Raises AmbiguousOutcome instead of an error if a write may have been processed.
        """
        operation = self._operation
        try:
            yield
        except SoapClientError as error:
            error.request_id = self._request_id
            classify(error, operation.name, self._request_id, safe=operation.safe)
            raise

    def _check(self, envelope: etree._Element) -> None:
        """Validate the message of a response envelope if the settings require it.

        Raises ResponseError if the message is invalid.
        """
        message = envelope.find("{*}Body/*") if self._client.rules.validate == "all" else None
        if message is not None and local_name(message.tag) != "Fault":
            self._client.rules.check_response([message], self._operation)


def document(wsdl: bytes) -> zeep.wsdl.Document:
    """Return zeep's document for a WSDL that is one file. It is created only once per WSDL and process."""
    key = hashlib.sha256(wsdl).digest()
    with _lock:
        if key not in _documents:
            # force_https is not needed, because calls always pass an address. forbid_external is not needed,
            # because the transport loads nothing from elsewhere.
            settings = zeep.Settings(
                strict=True, forbid_entities=True, forbid_external=False, force_https=False
            )
            read: Callable[..., zeep.wsdl.Document] = zeep.wsdl.Document  # zeep's type hints are wrong
            _documents[key] = read(PackagedTransport.ADDRESS, PackagedTransport(wsdl), settings=settings)
        return _documents[key]


class PackagedTransport(Transport):
    """Transport with which zeep loads a WSDL that is one file. It does not load anything else.

    zeep's own transport would load any address in a contract, even a `file:` URL.
    """

    ADDRESS: Final = "https://contract.invalid/contract.wsdl"  # any absolute address

    def __init__(self, wsdl: bytes) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # zeep has no types
        self._wsdl = wsdl

    def load(self, url: str) -> bytes:
        """Return the document at `url`.

        Available are the WSDL, the schema of SOAP encoding, and the schema of the XML namespace. Raises
        ConfigError for all other addresses.
        """
        if url == _ENCODING:
            return _encoding_schema()
        if url == _XML:
            return XML_SCHEMA
        if url != self.ADDRESS:
            raise ConfigError(
                "contract",
                f"the packaged contract must be one file, but it refers to {url}",
                "Run `bindgen generate`, which writes the one-file contract",
            )
        return self._wsdl


def _encoding_schema() -> bytes:
    """Return a schema with the parts of the SOAP encoding schema that contracts use.

    These are arrays and structs, and all simple types with the attributes for references.
    """
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
