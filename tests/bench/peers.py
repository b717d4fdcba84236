"""Readers and writers of other libraries, made from the same shapes.

Each returns what users of the library would get.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import importlib
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Optional

from lxml import etree

from tests.bench.ours import http_response
from tests.bench.shapes import SOAP, Field, Kind, Shape, Values, text

Read = Callable[[bytes], object]

_PYTHON: Final[dict[Kind, type]] = {
    "string": str, "int": int, "long": int, "boolean": bool, "dateTime": dt.datetime, "date": dt.date,
    "decimal": Decimal, "double": float,
}  # fmt: skip


def _optional(kind: Any) -> Any:
    """Return the annotation of an optional field. `kind` is a type, or the name of a later class."""
    return Optional[kind]  # noqa: UP045  # `|` does not accept a name


# ---- lxml


def body_of(root: etree._Element) -> etree._Element:
    return root[0][0]


def get_element(node: object, field: Field) -> object:
    assert isinstance(node, etree._Element)
    if field.place == "attribute":
        return node.get(field.name)
    if field.place == "text":
        return node.text
    children = [child for child in node if etree.QName(child).localname == field.name]
    if field.many:
        return list(children[0]) if field.item and children else children
    if not children:
        return None
    return children[0] if isinstance(field.kind, Shape) else children[0].text


def lxml_rows(shape: Shape, space: str) -> Callable[[Values], etree._Element]:
    """Return a function that builds the envelope of a message with a list of rows, from ready texts."""
    (field,) = shape.fields
    top, row_tag = f"{{{space}}}{shape.name}", f"{{{space}}}{field.name}"

    def write(texts: Values) -> etree._Element:
        root = etree.Element(f"{{{SOAP}}}Envelope", nsmap={"soap": SOAP})
        message = etree.SubElement(etree.SubElement(root, f"{{{SOAP}}}Body"), top)
        rows = texts[field.name]
        assert isinstance(rows, list)
        for row in rows:
            node = etree.SubElement(message, row_tag)
            for tag, value in row.items():
                etree.SubElement(node, tag).text = value
        return root

    return write


def row_texts(shape: Shape, values: Values, space: str) -> Values:
    """Return the input of the function that `lxml_rows` returns."""
    (field,) = shape.fields
    rows = values[field.name]
    assert isinstance(rows, list)
    return {field.name: [{f"{{{space}}}{name}": text(value) for name, value in row.items()} for row in rows]}


# ---- zeep and suds


def zeep_client(wsdl: Path) -> Any:
    """Return a `zeep.Client`, which has no types."""
    import zeep

    make: Callable[[str], Any] = zeep.Client
    return make(str(wsdl))


def zeep_reader(wsdl: Path, operation: str) -> Read:
    """Return the reader of a `zeep.Client`."""
    client = zeep_client(wsdl)
    binding = client.service._binding
    typed = binding.get(operation)
    return lambda document: binding.process_reply(client, typed, http_response(document))


def get_zeep(node: object, field: Field) -> object:
    return _wrapped(getattr(node, "_value_1" if field.place == "text" else field.name), field)


def _wrapped(value: object, field: Field) -> object:
    return getattr(value, field.item) if field.item and value is not None else value


def zeep_writer(wsdl: Path, operation: str) -> Callable[[Values], object]:
    """Return the function with which a `zeep.Client` builds an envelope."""
    client = zeep_client(wsdl)
    return lambda values: client.create_message(client.service, operation, **values)


def suds_reader(wsdl: Path, operation: str) -> Read:
    """Return the reader of a suds client, whose transport returns the document."""
    client_module = importlib.import_module("suds.client")
    transport_module = importlib.import_module("suds.transport")
    documents: list[bytes] = []

    class Canned(transport_module.Transport):  # type: ignore[misc, name-defined]  # suds has no types
        def open(self, request: Any) -> Any:
            return wsdl.open("rb")

        def send(self, request: Any) -> Any:
            return transport_module.Reply(200, {}, documents[-1])

    client = client_module.Client(wsdl.as_uri(), transport=Canned(), cache=None)
    call = getattr(client.service, operation)

    def read(document: bytes) -> object:
        documents[:] = [document]
        result: object = call()
        return result

    return read


def get_suds(node: object, field: Field) -> object:
    name = {"attribute": f"_{field.name}", "text": "value", "element": field.name}[field.place]
    return _wrapped(getattr(node, name, None), field)


# ---- xsdata and pydantic-xml: their classes, made from shapes


def xsdata_reader(shape: Shape, space: str) -> Read:
    """Return the parser of xsdata for an envelope with this message."""
    parsers = importlib.import_module("xsdata.formats.dataclass.parsers")
    message = _xsdata_class(shape, space, {})
    body = dataclasses.make_dataclass(
        "Body", [("message", _optional(message), _element_field(shape.name, space, many=False))]
    )
    top = dataclasses.make_dataclass(
        "Envelope",
        [("body", _optional(body), _element_field("Body", SOAP, many=False))],
        namespace={"Meta": type("Meta", (), {"namespace": SOAP})},
    )
    parser = parsers.XmlParser()
    return lambda document: parser.from_bytes(document, top).body.message


def _element_field(name: str, space: str, *, many: bool, wrapper: str = "") -> Any:
    metadata = {"name": name, "type": "Element", "namespace": space}
    if wrapper:
        metadata["wrapper"] = wrapper
    if many:
        return dataclasses.field(default_factory=list, metadata=metadata)
    return dataclasses.field(default=None, metadata=metadata)


def _xsdata_class(shape: Shape, space: str, classes: dict[str, type]) -> type:
    if shape.name in classes:
        return classes[shape.name]
    datatypes = importlib.import_module("xsdata.models.datatype")
    kinds: dict[Kind, type] = {**_PYTHON, "dateTime": datatypes.XmlDateTime, "date": datatypes.XmlDate}
    fields: list[Any] = []
    for field in shape.all_fields:
        if field.name == shape.recursive:
            fields.append((field.name, _optional(shape.name), _element_field(field.name, space, many=False)))
            continue
        kind = field.kind
        annotation: Any = _xsdata_class(kind, space, classes) if isinstance(kind, Shape) else kinds[kind]
        if field.place == "element":
            wrapper = field.name if field.item else ""
            metadata = _element_field(field.item or field.name, space, many=field.many, wrapper=wrapper)
        else:
            xsdata_type = {"attribute": "Attribute", "text": "Text"}[field.place]
            metadata = dataclasses.field(default=None, metadata={"name": field.name, "type": xsdata_type})
        fields.append((field.name, list[annotation] if field.many else _optional(annotation), metadata))
    # The module must be importable by name: xsdata evaluates the annotation of the recursive field there.
    cls = dataclasses.make_dataclass(shape.name, fields, namespace={"__module__": __name__})
    globals()[shape.name] = classes[shape.name] = cls
    return cls


def get_xsdata(node: object, field: Field) -> object:
    value: Any = getattr(node, field.name)
    if value is not None and field.kind == "dateTime":
        return value.to_datetime()
    return value.to_date() if value is not None and field.kind == "date" else value


def pydantic_reader(shape: Shape, space: str) -> Read:
    """Return the reader of pydantic-xml for an envelope with this message."""
    library = importlib.import_module("pydantic_xml")
    message = _model(library, shape, shape.name, space, {})
    body = library.create_model(
        *("Body",), __tag__="Body", __nsmap__={"": SOAP}, message=(message, library.element())
    )
    top = library.create_model(
        "Envelope", __tag__="Envelope", __nsmap__={"": SOAP}, body=(body, library.element())
    )
    return lambda document: top.from_xml(document).body.message


def _model(library: Any, shape: Shape, tag: str, space: str, models: dict[str, Any]) -> Any:
    if (key := f"{shape.name} {tag}") in models:
        return models[key]
    fields: dict[str, Any] = {}
    for field in shape.all_fields:
        kind = field.kind
        if field.name == shape.recursive:
            fields[field.name] = (_optional(shape.name), library.element(tag=field.name, default=None))
            continue
        inner: Any
        if isinstance(kind, Shape):
            inner = _model(library, kind, field.item or field.name, space, models)
        else:
            inner = _PYTHON[kind]
        if field.place == "attribute":
            fields[field.name] = (_optional(inner), library.attr(name=field.name, default=None))
        elif field.place == "text":
            fields[field.name] = (_optional(inner), None)
        elif field.item:
            item = library.element(tag=field.item, default=None)
            fields[field.name] = (_optional(list[inner]), library.wrapped(field.name, item, default=None))
        else:
            annotation = list[inner] if field.many else inner
            fields[field.name] = (_optional(annotation), library.element(tag=field.name, default=None))
    model = library.create_model(shape.name, __tag__=tag, __nsmap__={"": space}, **fields)
    if shape.recursive:
        model.model_rebuild(_types_namespace={shape.name: model})
    models[key] = model
    return model


def get_attribute(node: object, field: Field) -> object:
    """Return a field of an object whose attributes are named as in the shape."""
    return getattr(node, field.name)


# ---- untyped: xmltodict and JSON


def xmltodict_reader() -> Read:
    """Return the parser of xmltodict. Its values are texts."""
    parse: Callable[[bytes], Any] = importlib.import_module("xmltodict").parse
    return lambda document: next(iter(parse(document)["soapenv:Envelope"]["soapenv:Body"].values()))


def get_mapping(attribute: str, content: str) -> Callable[[object, Field], object]:
    """Return a function that returns a field of a dict, with these prefixes for attributes and text."""

    def get(node: object, field: Field) -> object:
        assert isinstance(node, Mapping)
        name = {"attribute": f"{attribute}{field.name}", "text": content, "element": field.name}[field.place]
        value = node.get(name)
        return value[field.item] if field.item and value else value

    return get


def msgspec_reader(shape: Shape) -> Read:
    """Return a decoder of msgspec, with classes made from a shape. Texts with numbers become numbers."""
    import msgspec

    return msgspec.json.Decoder(_struct(shape), strict=False).decode


def _struct(shape: Shape) -> Any:
    import msgspec

    fields: list[Any] = []
    rename = {}
    for field in shape.all_fields:
        kind: Any = _struct(field.kind) if isinstance(field.kind, Shape) else _PYTHON[field.kind]
        if field.item:
            kind = msgspec.defstruct(f"{field.name}List", [(field.item, list[kind])], gc=False)
        fields.append((field.name, _optional(kind), None))
        if field.place != "element":
            rename[field.name] = f"@{field.name}" if field.place == "attribute" else "$"
    return msgspec.defstruct(shape.name, fields, rename=rename, gc=False, kw_only=True)


def get_struct(node: object, field: Field) -> object:
    """Return a field of an object of msgspec."""
    return _wrapped(getattr(node, field.name), field)
