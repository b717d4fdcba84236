"""Request bodies: read, checked against the contract, and handed on as the operation's fields."""

from __future__ import annotations

from lxml import etree

from soapclient.serving.bodies import parse as parse_xml

from .. import codec
from ..contracts import AUTH_FIELDS, Contract
from ..exports.reports import REMOVED_FIELDS
from ..faults import Code, InvalidValue
from ..payload import Payload, Value
from ..schema import SchemaType
from . import json_codec
from .routes import Body
from .target import Form

_MEDIA: dict[Form, tuple[str, ...]] = {
    "xml": ("application/xml", "text/xml"),
    "json": ("application/json",),
}
# By scalar: what fills a place that a partial body leaves empty, while the rest is validated.
_FILLERS = {"boolean": "false", "dateTime": "2000-01-01T00:00:00Z", "date": "2000-01-01", "string": "x"}


def check_media_type(mimetype: str, form: Form) -> None:
    """Raises `InvalidValue` 101 where the content type does not go with the address's format."""
    if mimetype not in _MEDIA[form]:
        wanted = " or ".join(_MEDIA[form])
        raise InvalidValue(
            Code.MEDIA_TYPE, f"the content type must be {wanted} here, not {mimetype[:60] or 'missing'!r}"
        )


def read(
    contract: Contract,
    operation: str,
    body: Body,
    data: bytes,
    form: Form,
    charset: str | None,
    given: dict[str, Value],
) -> Payload:
    """The fields of `operation` from a body and from what the path has `given`.

    Raises a 1xx `InvalidValue` for broken documents and for all that the contract's schema does not have.
    """
    request = contract.operations[operation].request
    shape = contract.types.of_element(request)
    types = {field.name: field for field in shape.fields}
    own = shape if body.field is None else contract.types[types[body.field].type]
    element = _element(contract, body, own, data, form, charset)
    for child in element:
        gone = REMOVED_FIELDS.get(etree.QName(child).localname)
        if gone is not None:
            raise InvalidValue(Code.REMOVED, gone)
    names = [etree.QName(child).localname for child in element]
    whole = etree.Element(request, nsmap={None: contract.namespace})
    for name, value in given.items():
        etree.SubElement(whole, types[name].tag).text = codec.lexical(value)
    if body.field is None:
        whole.text = element.text  # which is none if the body is valid; so are the attributes
        whole.attrib.update(element.attrib)
        whole.extend(list(element))
    else:
        if body.partial:
            _complete(contract, own, element)
        whole.append(element)
    # The schema wants them in a request's body; over REST they came elsewhere and have been verified.
    for name in AUTH_FIELDS:
        if name in types:
            etree.SubElement(whole, types[name].tag).text = "sent elsewhere"
    contract.check_request(whole)
    fields = dict(codec.decode(contract, whole))
    item = fields.get(body.field or "")
    if body.partial and body.field is not None and isinstance(item, dict):
        fields[body.field] = {
            name: value for name, value in item.items() if name.startswith("@") or name in names
        }
    return {name: value for name, value in fields.items() if name not in AUTH_FIELDS}


def _element(
    contract: Contract, body: Body, shape: SchemaType, data: bytes, form: Form, charset: str | None
) -> etree._Element:
    tag = f"{{{contract.namespace}}}{body.root}"
    if form == "json":
        value = json_codec.unwrapped(json_codec.parse(data), body.root)
        if not isinstance(value, dict):
            raise InvalidValue(Code.INVALID, f"{body.root}: the body must be an object")
        for name in value:
            if name in REMOVED_FIELDS:
                raise InvalidValue(Code.REMOVED, REMOVED_FIELDS[name])
        return json_codec.element_of(contract, tag, shape, value, body.root)
    element = parse_xml(data, charset)
    if element.tag != tag:
        raise InvalidValue(Code.INVALID, f"the root of the body is {element.tag!s:.200}, not {tag}")
    return element


def _complete(contract: Contract, shape: SchemaType, element: etree._Element) -> None:
    """Fill the places that are empty, so that the schema can validate those that are not.

    Raises `InvalidValue` 103 for an unknown, repeated or misplaced child.
    """
    order = [field.tag for field in shape.fields]
    last = -1
    for child in element:
        name = etree.QName(child).localname
        if child.tag not in order:
            raise InvalidValue(
                Code.INVALID, f"the contract has no {name} in {etree.QName(element).localname}"
            )
        at = order.index(str(child.tag))
        if at <= last:
            before = etree.QName(order[last]).localname
            raise InvalidValue(Code.INVALID, f"{name} must stand once, and not after {before}")
        last = at
    for at, field in enumerate(shape.fields):
        if len(element) > at and element[at].tag == field.tag:
            continue
        scalar = contract.types[field.type].scalar
        filler = etree.Element(field.tag)
        filler.text = _FILLERS.get(scalar or "", "0")
        element.insert(at, filler)
