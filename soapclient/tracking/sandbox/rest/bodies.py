"""Read the bodies of REST requests: parse and validate them, and convert them to an operation's fields."""

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
# Placeholder texts by scalar type, for elements that are missing in a partial body, so that the other
# elements can be validated.
_FILLERS = {"boolean": "false", "dateTime": "2000-01-01T00:00:00Z", "date": "2000-01-01", "string": "x"}


def check_media_type(mimetype: str, form: Form) -> None:
    """Check that the content type matches `form`, the format in the path. Raises `InvalidValue` 101."""
    if mimetype not in _MEDIA[form]:
        expected, actual = " or ".join(_MEDIA[form]), repr(mimetype[:60]) if mimetype else "missing"
        raise InvalidValue(Code.MEDIA_TYPE, f"the content type must be {expected} here, but it is {actual}")


def read(
    contract: Contract,
    operation: str,
    body: Body,
    data: bytes,
    form: Form,
    charset: str | None,
    given: dict[str, Value],
) -> Payload:
    """Return the fields of a request for `operation`: the fields in its body, and `given`.

    `data` are the bytes of the body, in the format `form`. `body` is the description of the body in the
    route. `given` are the fields from the path and the query. Raises `InvalidValue` with a code from 100 to
    199 if the body is malformed or breaks the schema.
    """
    request = contract.operations[operation].request
    request_type = contract.types.of_element(request)
    types = {field.name: field for field in request_type.fields}
    body_type = request_type if body.field is None else contract.types[types[body.field].type]
    element = _element(contract, body, body_type, data, form, charset)
    for child in element:
        removal = REMOVED_FIELDS.get(etree.QName(child).localname)
        if removal is not None:
            raise InvalidValue(Code.REMOVED, removal)
    names = [etree.QName(child).localname for child in element]
    complete = etree.Element(request, nsmap={None: contract.namespace})
    for name, value in given.items():
        etree.SubElement(complete, types[name].tag).text = codec.lexical(value)
    if body.field is None:
        complete.text = element.text  # for validation: valid bodies have neither text nor attributes here
        complete.attrib.update(element.attrib)
        complete.extend(list(element))
    else:
        if body.partial:
            _complete(contract, body_type, element)
        complete.append(element)
    # The schema requires these elements in the body. Over REST, they are sent elsewhere and have already been
    # verified.
    for name in AUTH_FIELDS:
        if name in types:
            etree.SubElement(complete, types[name].tag).text = "sent elsewhere"
    contract.check_request(complete)
    fields = dict(codec.decode(contract, complete))
    item = fields.get(body.field or "")
    if body.partial and body.field is not None and isinstance(item, dict):
        fields[body.field] = {
            name: value for name, value in item.items() if name.startswith("@") or name in names
        }
    return {name: value for name, value in fields.items() if name not in AUTH_FIELDS}


def _element(
    contract: Contract, body: Body, schema_type: SchemaType, data: bytes, form: Form, charset: str | None
) -> etree._Element:
    """Parse a request body and return its root element, which is named `body.root`.

    `data` are the bytes, in the format `form`. `schema_type` is the type of the root element, which is needed
    to convert JSON.
    """
    tag = f"{{{contract.namespace}}}{body.root}"
    if form == "json":
        value = json_codec.unwrapped(json_codec.parse(data), body.root)
        if not isinstance(value, dict):
            raise InvalidValue(Code.INVALID, f"{body.root}: the body must be a JSON object")
        for name in value:
            if name in REMOVED_FIELDS:
                raise InvalidValue(Code.REMOVED, REMOVED_FIELDS[name])
        return json_codec.element_of(contract, tag, schema_type, value, body.root)
    element = parse_xml(data, charset)
    if element.tag != tag:
        raise InvalidValue(Code.INVALID, f"the root of the body is {element.tag!s:.200}, not {tag}")
    return element


def _complete(contract: Contract, shape: SchemaType, element: etree._Element) -> None:
    """Add the missing children to `element`, with placeholder values, so that it can be validated.

    `element` is the root of a body that may omit fields, but the schema requires all of them. `shape` is the
    element's type in the schema. Raises `InvalidValue` 103 for an unknown, repeated or misplaced child.
    """
    order = [field.tag for field in shape.fields]
    last = -1
    for child in element:
        name = etree.QName(child).localname
        if child.tag not in order:
            raise InvalidValue(
                Code.INVALID, f"the contract does not declare {name} in {etree.QName(element).localname}"
            )
        position = order.index(str(child.tag))
        if position <= last:
            before = etree.QName(order[last]).localname
            raise InvalidValue(Code.INVALID, f"{name} must occur once, and not after {before}")
        last = position
    for position, field in enumerate(shape.fields):
        if len(element) > position and element[position].tag == field.tag:
            continue
        scalar = contract.types[field.type].scalar
        filler = etree.Element(field.tag)
        filler.text = _FILLERS.get(scalar or "", "0")
        element.insert(position, filler)
