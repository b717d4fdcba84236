"""Contents of measured messages: their fields, sample values, and the same values as XML, JSON and WSDL.

The values are the expected result of every reader, and no reader takes part in making them.
"""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal
from xml.sax.saxutils import escape, quoteattr

Kind = Literal["string", "int", "long", "boolean", "dateTime", "date", "decimal", "double"]
Values = dict[str, object]

SOAP: Final = "http://schemas.xmlsoap.org/soap/envelope/"
_PIECE: Final = 1 << 16


@dataclass(frozen=True)
class Field:
    """A field of a shape.

    `place` says where XML has it: in an element, an attribute, or in the text next to attributes. `many` is
    True for a list. The elements of a list with `item` have this name, inside one element with the name of
    the field.
    """

    name: str
    kind: Kind | Shape
    place: Literal["element", "attribute", "text"] = "element"
    many: bool = False
    item: str = ""


@dataclass(frozen=True)
class Shape:
    """The fields of an element, in the order of the schema. `recursive` names a field of the same shape."""

    name: str
    fields: tuple[Field, ...]
    recursive: str = ""

    @property
    def all_fields(self) -> tuple[Field, ...]:
        """The fields, with the recursive one at the end."""
        return (*self.fields, Field(self.recursive, self)) if self.recursive else self.fields


_NAMED: Final = Shape("Named", (Field("id", "int", "attribute"), Field("value", "string", "text")))
_SUB_PUBLISHER: Final = Shape(
    "SubPublisher", (Field("id", "string", "attribute"), Field("commission", "decimal"))
)
_GPP: Final = Shape("Gpp", (Field("id", "string", "attribute"), Field("value", "string", "text")))
SALE: Final = Shape(
    "SaleItem",
    (
        Field("id", "string", "attribute"), Field("reviewState", "string"), Field("trackingDate", "dateTime"),
        Field("modifiedDate", "dateTime"), Field("clickDate", "dateTime"), Field("adspace", _NAMED),
        Field("admedium", _NAMED), Field("program", _NAMED), Field("clickId", "long"),
        Field("clickInId", "long"), Field("amount", "decimal"), Field("commission", "decimal"),
        Field("currency", "string"), Field("subPublisher", _SUB_PUBLISHER),
        Field("gpps", _GPP, many=True, item="gpp"), Field("reviewNote", "string"),
        Field("trackingCategory", _NAMED),
    ),
)  # fmt: skip
SALES: Final = Shape(
    "GetSalesResponse",
    (
        *(Field(name, "int") for name in ("page", "items", "total")),
        Field("saleItems", SALE, many=True, item="saleItem"),
    ),
)
_SAMPLES: Final[dict[Kind, object]] = {
    "string": "text of it",
    "int": 4711,
    "boolean": True,
    "dateTime": dt.datetime(2026, 11, 1, 10, 11, 12, tzinfo=dt.UTC),
    "decimal": Decimal("12.50"),
    "double": Decimal("0.25"),
    "long": 123456789012,
    "date": dt.date(2026, 11, 1),
}


def _mixed(name: str, count: int) -> Shape:
    """Return a shape with fields of all kinds."""
    kinds = list(_SAMPLES)
    return Shape(name, tuple(Field(f"field{at}", kinds[at % len(kinds)]) for at in range(count)))


WIDE: Final = _mixed("Wide", 300)
ROW: Final = _mixed("Row", 20)
DEEP: Final = Shape("Deep", (Field("n", "int"),), recursive="deep")
SHAPES_SPACE: Final = "urn:example:shapes"
SALES_SPACE: Final = "http://api.zanox.com/namespace/2011-03-01/"
# The response of the operation Get, and the request of Put.
SHAPES: Final = Shape("GetResponse", (Field("wide", WIDE, many=True), Field("deep", DEEP, many=True)))
ROWS: Final = Shape("Put", (Field("row", ROW, many=True),))


# ---- values


def sale(chance: random.Random, at: int) -> Values:
    """Return the values of one sale. They depend only on the state of `chance` and on `at`."""
    zone = dt.timezone(dt.timedelta(hours=1))
    day = dt.datetime(2026, 11, 1 + at % 28, tzinfo=zone)
    place, medium, click = chance.randrange(1000, 2000), chance.randrange(10_000), chance.randrange(10**18)
    cents = chance.randrange(100, 99_999)
    return {
        "id": f"{chance.getrandbits(128):032x}",
        "reviewState": chance.choice(("confirmed", "open", "rejected", "approved")),
        "trackingDate": day.replace(hour=10, minute=11, second=12),
        "modifiedDate": day.replace(hour=12, minute=30, microsecond=250_000),
        "clickDate": day.replace(hour=9, minute=5, second=41),
        "adspace": {"id": place, "value": f"Space {place}"},
        "admedium": {"id": medium, "value": "Banner 468x60"},
        "program": {"id": chance.randrange(50), "value": "Program of example.org & friends"},
        "clickId": click,
        "clickInId": 0,
        "amount": Decimal(cents).scaleb(-2),
        "commission": Decimal(cents).scaleb(-3),
        "currency": "EUR",
        "subPublisher": {"id": str(place), "commission": Decimal("0.25")},
        "gpps": [{"id": "zpar0", "value": str(click)}, {"id": "zpar1", "value": "newsletter"}],
        "reviewNote": "Reviewed by hand",
        "trackingCategory": {"id": medium, "value": "Default"},
    }


def sales_head(count: int) -> Values:
    """Return the fields of a response of sales that precede its list."""
    return {"page": 0, "items": count, "total": count}


def sales_of(count: int) -> Iterator[Values]:
    """Yield that many sales, always the same."""
    chance = random.Random(count)
    return (sale(chance, at) for at in range(count))


def sales_values(count: int) -> Values:
    """Return the values of a response with that many sales."""
    return {**sales_head(count), "saleItems": list(sales_of(count))}


def sample(shape: Shape) -> Values:
    """Return sample values for a shape with fields of simple kinds."""
    return {field.name: _SAMPLES[field.kind] for field in shape.fields if not isinstance(field.kind, Shape)}


def deep(levels: int) -> Values:
    """Return values of DEEP with that many levels."""
    values: Values = {"n": levels - 1}
    for level in reversed(range(levels - 1)):
        values = {"n": level, "deep": values}
    return values


# ---- XML


def text(value: object) -> str:
    """Return the lexical form of a simple value in XML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.date):  # and its subclass datetime
        return value.isoformat()
    return str(value)


def element(name: str, field_kind: Kind | Shape, value: object) -> str:
    """Return an element with a value."""
    if not isinstance(field_kind, Shape):
        return f"<{name}>{escape(text(value))}</{name}>"
    assert isinstance(value, dict)
    attributes, content = [], []
    for field in field_kind.all_fields:
        if (held := value.get(field.name)) is None:
            continue
        if field.place == "attribute":
            attributes.append(f" {field.name}={quoteattr(text(held))}")
        elif field.place == "text":
            content.append(escape(text(held)))
        else:
            content.append(_elements(field, held))
    return f"<{name}{''.join(attributes)}>{''.join(content)}</{name}>"


def _elements(field: Field, value: object) -> str:
    if not field.many:
        return element(field.name, field.kind, value)
    assert isinstance(value, list)
    items = "".join(element(field.item or field.name, field.kind, one) for one in value)
    return f"<{field.name}>{items}</{field.name}>" if field.item else items


def envelope(body: str, space: str, name: str) -> bytes:
    """Return an envelope whose body has one element with this content."""
    return (
        f'<soapenv:Envelope xmlns:soapenv="{SOAP}"><soapenv:Body><{name} xmlns="{space}">{body}</{name}>'
        "</soapenv:Body></soapenv:Envelope>"
    ).encode()


def document(shape: Shape, values: Values, space: str) -> bytes:
    """Return an envelope with a message."""
    body = "".join(_elements(field, values[field.name]) for field in shape.fields if field.name in values)
    return envelope(body, space, shape.name)


def sales_pieces(count: int) -> Iterator[bytes]:
    """Yield the pieces of a response with that many sales, without holding it in memory."""
    values: Values = {**sales_head(count), "saleItems": []}
    before, after = document(SALES, values, SALES_SPACE).split(b"</saleItems>")
    yield before
    yield from _gathered(element("saleItem", SALE, values) for values in sales_of(count))
    yield b"</saleItems>" + after


def _gathered(parts: Iterable[str]) -> Iterator[bytes]:
    held, size = [], 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size > _PIECE:
            yield "".join(held).encode()
            held, size = [], 0
    yield "".join(held).encode()


# ---- JSON, as the tracking service writes it: attributes as "@name", the text next to them as "$"


def json_document(shape: Shape, values: Values) -> bytes:
    """Return the JSON of a message."""
    numbers: dict[str, str] = {}

    def quote(value: object) -> object:
        # Amounts keep their digits: a mark takes their place until the document is written.
        if isinstance(value, Decimal):
            return numbers.setdefault(f"\0{value}\0", str(value)) and f"\0{value}\0"
        return value if isinstance(value, (bool, int, float)) else text(value)

    def built(kind: Kind | Shape, value: object) -> object:
        if not isinstance(kind, Shape):
            return quote(value)
        assert isinstance(value, dict)
        return {
            _json_key(field): _json_list(field, value[field.name], built)
            for field in kind.all_fields
            if field.name in value
        }

    written = json.dumps(built(shape, values), separators=(",", ":"))
    for mark, number in numbers.items():
        written = written.replace(json.dumps(mark), number)
    return written.encode()


def _json_key(field: Field) -> str:
    return {"attribute": f"@{field.name}", "text": "$", "element": field.name}[field.place]


def _json_list(field: Field, value: object, built: Callable[[Kind | Shape, object], object]) -> object:
    if not field.many:
        return built(field.kind, value)
    assert isinstance(value, list)
    items = [built(field.kind, one) for one in value]
    return {field.item: items} if field.item else items


# ---- a WSDL


def shapes_wsdl() -> str:
    """Return a WSDL with the operations Get, whose response is SHAPES, and Put, whose request is ROWS."""
    types = "".join(_complex_type(shape) for shape in (WIDE, DEEP, ROW))
    number = '<x:element name="id" type="x:int" minOccurs="0"/>'
    messages = {
        "Get": number,
        "GetResponse": _particles(SHAPES),
        "Put": _particles(ROWS),
        "PutResponse": number,
    }
    elements = "".join(
        f'<x:element name="{name}"><x:complexType><x:sequence>{content}</x:sequence></x:complexType>'
        "</x:element>\n"
        for name, content in messages.items()
    )
    return wsdl("Shapes", SHAPES_SPACE, types + elements, ("Get", "Put"))


def _complex_type(shape: Shape) -> str:
    content = _particles(shape)
    return f'<x:complexType name="{shape.name}"><x:sequence>{content}</x:sequence></x:complexType>\n'


def _particles(shape: Shape) -> str:
    return "".join(
        f'<x:element name="{field.name}" type="{_type(field.kind)}" minOccurs="0"'
        f' maxOccurs="{"unbounded" if field.many else 1}"/>\n'
        for field in shape.all_fields
    )


def _type(kind: Kind | Shape) -> str:
    return f"t:{kind.name}" if isinstance(kind, Shape) else f"x:{kind}"


def wsdl(name: str, space: str, schema: str, operations: Iterable[str]) -> str:
    """Return a WSDL: operations named as in `operations`, with the elements NAME and NAMEResponse."""
    names = list(operations)
    messages = "".join(
        f'<w:message name="{one}{end}"><w:part name="p" element="t:{one}{end}"/></w:message>\n'
        for one in names
        for end in ("", "Response")
    )
    port = "".join(
        f'<w:operation name="{one}"><w:input message="t:{one}"/><w:output message="t:{one}Response"/>'
        "</w:operation>\n"
        for one in names
    )
    body = '<s:body use="literal"/>'
    binding = "".join(
        f'<w:operation name="{one}"><s:operation soapAction=""/><w:input>{body}</w:input>'
        f"<w:output>{body}</w:output></w:operation>\n"
        for one in names
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<w:definitions name="{name}" targetNamespace="{space}"\n'
        f'    xmlns:t="{space}" xmlns:w="http://schemas.xmlsoap.org/wsdl/"\n'
        '    xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">\n'
        f'<w:types><x:schema targetNamespace="{space}" elementFormDefault="qualified">\n{schema}'
        f'</x:schema></w:types>\n{messages}<w:portType name="PortType">\n{port}</w:portType>\n'
        '<w:binding name="Binding" type="t:PortType">\n'
        '<s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>\n'
        f'{binding}</w:binding>\n<w:service name="{name}"><w:port name="Port" binding="t:Binding">\n'
        '<s:address location="https://bench.invalid/"/></w:port></w:service>\n</w:definitions>\n'
    )
