"""REST responses and errors in XML and JSON. Responses are validated against the contract before sending.

An error has code, message, reason (`docs/explanation/service.md#fault-codes`) and an id. The name of its XML
root is an assumption. The nesting of `partnerCodeList` is a setting because no public source shows it. The
basket of a sale exists over REST only and has its own schema. Its names, except productName, are assumptions.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Literal, get_args
from uuid import uuid4

from lxml import etree
from werkzeug.wrappers import Response

from soapclient.serving.faults import printable

from .. import codec
from ..contracts import Contract
from ..faults import Busy, Code, InvalidValue, http_status, title
from ..payload import Payload, Value
from . import json_codec
from .json_codec import plain
from .routes import Route
from .target import Form

log = logging.getLogger("soapclient.sandbox")


def render(contract: Contract, route: Route, payload: Payload, form: Form, *, old_roots: bool) -> bytes:
    """Return the body of a response to `route.operation`, in the format `form` (xml or json).

    `contract` declares the response element, and `payload` has its content. If both `old_roots` and
    `route.old_root` are True, the root element in XML is named `response`, as in older examples. If the
    response breaks the contract, the error is logged and `InvalidValue` 502 is raised.
    """
    tag = f"{{{contract.namespace}}}{route.operation}Response"
    element = codec.encode(contract, tag, payload)
    complete = element
    if any(payload.get(name) is None for name in route.may_lack):
        complete = codec.encode(contract, tag, {**payload, **dict.fromkeys(route.may_lack, "")})
    if errors := contract.errors(complete):
        log.error(
            "%s: the sandbox's own response breaks the contract: %s", route.operation, "; ".join(errors[:5])
        )
        raise InvalidValue(
            Code.OWN_RESPONSE,
            f"the sandbox's own response to {route.operation} breaks the contract: {errors[0]}",
        )
    if form == "json":
        return json_codec.from_element(contract, tag, element).encode("utf-8")
    if old_roots and route.old_root:
        element.tag = f"{{{contract.namespace}}}response"
    return etree.tostring(element, xml_declaration=True, encoding="UTF-8")


def wrapped_sale(payload: Payload) -> Payload:
    """Convert the payload of a GetSale response to the form of GetSales: a page with one item, or none.

    The only public example of GetSale has this form (`docs/explanation/service.md#rest-forms`).
    """
    item = payload.get("saleItem")
    count = 0 if item is None else 1
    items: Value = {"saleItem": [item]} if isinstance(item, Mapping) else None
    return {"page": 0, "items": count, "total": count, "saleItems": items}


MEDIA_TYPES: dict[Form, str] = {
    "xml": "application/xml; charset=utf-8",
    "json": "application/json; charset=utf-8",
}


def rest_error(refusal: InvalidValue, namespace: str, form: Form) -> Response:
    """Return the error response for `refusal`.

    Its body is a JSON object, or an XML element `response` in `namespace` with the same fields.
    """
    error: dict[str, str | int] = {
        "code": int(refusal.code),
        "message": title(refusal.code),
        "reason": printable(refusal.reason),
        "errorId": uuid4().hex,
    }
    if form == "json":
        body = plain(error).encode("utf-8")
    else:
        root = etree.Element(f"{{{namespace}}}response", nsmap={None: namespace})
        for name, value in error.items():
            etree.SubElement(root, f"{{{namespace}}}{name}").text = str(value)
        body = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    headers = refusal.headers if isinstance(refusal, Busy) else {}
    return Response(body, http_status(refusal.code), headers, content_type=MEDIA_TYPES[form])


Nesting = Literal["object", "array", "nested", "single"]
_PARTNER_CODES = "partnerCodeList"


def checked_nesting(nesting: Nesting) -> Nesting:
    """Return `nesting`. Raises ValueError if it is not the name of one of the four ways in `nested`."""
    if nesting not in get_args(Nesting):
        raise ValueError(f"partner_list must be one of: {', '.join(get_args(Nesting))} (got {nesting!r})")
    return nesting


def nested(payload: Payload, nesting: Nesting) -> Value:
    """Return `payload` with its list of partner codes nested in one of four ways.

    - object: `{"partnerCodeList": [A, B]}`
    - array: `[A, B]`
    - nested: `{"partnerCodeList": {"partnerCode": [A, B]}}`
    - single: `A` for a single entry, and `{"partnerCodeList": [A, B]}` for several

    If `payload` has an `errorList`, the result is always an object that also contains the `errorList`. In
    this case, `array` is the same as `object`, and `single` is `{"partnerCodeList": A, "errorList": …}` for
    one entry.
    """
    codes = payload.get(_PARTNER_CODES)
    if not isinstance(codes, Sequence) or isinstance(codes, str):
        return payload
    rest = {name: value for name, value in payload.items() if name != _PARTNER_CODES and value is not None}
    if nesting == "array" and not rest:
        return codes
    if nesting == "nested":
        return {_PARTNER_CODES: {"partnerCode": codes}, **rest}
    if nesting == "single" and len(codes) == 1:
        (only,) = codes
        return {_PARTNER_CODES: only, **rest} if rest or not isinstance(only, Mapping) else only
    return payload


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
    """Return a contract that declares the response to GetSaleBasket, in the namespace of `publisher`."""
    document = _DOCUMENT.format(namespace=publisher.namespace).encode()
    return Contract("sale basket", publisher.version, document)
