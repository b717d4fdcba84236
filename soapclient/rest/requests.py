"""Build requests over REST: method, path, query, and a body in XML or JSON
(docs/explanation/service.md#json).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from lxml import etree

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.errors import ContractError
from soapclient.runtime import AnyOperation, RestRow, Wire, WireValue
from soapclient.runtime.elements import Element
from soapclient.runtime.errors import local_name
from soapclient.runtime.request_values import Bare
from soapclient.runtime.schema import WHOLE, ParameterRow

# Path segments that clients and servers remove, so that the address would change.
_DOT_SEGMENTS = ("", ".", "..")
_JSON_LITERAL = LazyPattern(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false")


@dataclass(frozen=True, slots=True)
class RestRequest:
    """An unsigned REST request.

    `target` is the encoded path and query, to append to the configured address.
    """

    method: str
    target: str
    body: bytes | None
    content_type: str | None


def build(
    operation: AnyOperation, form: RestRow, message: Element, wire: Wire, *, as_json: bool
) -> RestRequest:
    """Build the HTTP request for a request of the contract.

    `form` describes the resource. `message` is the request as an XML element. `wire` is a dict with the same
    values, by their names in the contract. Raises ContractError if a value cannot be sent in the path or the
    query.
    """
    query = "&".join(_query(operation, form, wire))
    target = f"{_path(operation, form, wire)}{'?' if query else ''}{query}"
    if not form.body:
        return RestRequest(form.method, target, None, None)
    whole_body = form.body == WHOLE
    elsewhere = {*form.in_path, *(parameter.field for parameter in form.query)} if whole_body else set[str]()
    if not as_json:
        content = (
            message
            if whole_body
            else next((item for item in message if local_name(item.tag) == form.body), None)
        )
        return RestRequest(form.method, target, xml_body(content, form.root, elsewhere), "application/xml")
    value = wire if whole_body else wire.get(form.body)
    inside = value if isinstance(value, dict) else {}
    body = json_body({name: item for name, item in inside.items() if name not in elsewhere})
    return RestRequest(form.method, target, body, "application/json")


def encoded(pairs: Iterable[tuple[str, str]]) -> str:
    """Return query parameters as an encoded string.

    A space becomes %20 and a plus %2B, which all servers decode in the same way
    (docs/explanation/service.md#signing).
    """
    return "&".join(f"{quote(name, safe='')}={quote(text, safe='')}" for name, text in pairs)


def _path(operation: AnyOperation, form: RestRow, wire: Wire) -> str:
    pieces = form.path.split("{")
    path = pieces[0]
    for name, piece in zip(form.in_path, pieces[1:], strict=True):
        text = wire.get(name)
        field_path = f"{local_name(operation.request_tag)}/{name}"
        if not isinstance(text, str) or text in _DOT_SEGMENTS:
            raise ContractError(
                field_path,
                text,
                "a string other than '', '.' and '..'",
                "it is a segment of the path, and this value would change the address",
                operation=operation.name,
            )
        path += quote(text, safe="") + piece.partition("}")[2]
    return path


def _query(operation: AnyOperation, form: RestRow, wire: Wire) -> Iterator[str]:
    for parameter in form.query:
        texts = [parameter.spelling.get(text, text) for text in _texts(wire.get(parameter.field))]
        if parameter.separator and texts:
            _refuse_separator(operation, parameter, texts)
            texts = [parameter.separator.join(texts)]
        if texts:
            yield encoded([(parameter.name, text) for text in texts])


def _refuse_separator(operation: AnyOperation, parameter: ParameterRow, texts: list[str]) -> None:
    for text in texts:
        if parameter.separator in text or not text:
            raise ContractError(
                f"{local_name(operation.request_tag)}/{parameter.field}",
                text,
                f"a non-empty string without {parameter.separator!r}",
                f"the values of this list are sent separated by {parameter.separator!r}",
                operation=operation.name,
            )


def _texts(value: WireValue | None) -> list[str]:
    if value is None:
        return []
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str)]


def xml_body(content: Element | None, tag: str, elsewhere: Collection[str] = ()) -> bytes:
    """Return an XML document in UTF-8 with the root `tag` (Clark notation) and the content of an element.

    `elsewhere` are the names of children and attributes that are left out, because they are sent in the path
    or the query. The names of attributes start with `@`.
    """
    space = tag[1:].partition("}")[0] if tag.startswith("{") else ""
    root = etree.Element(tag, nsmap={None: space} if space else None)
    if content is not None:
        for name, text in content.items():
            if f"@{local_name(name)}" not in elsewhere:
                root.set(name, text)
        root.text = content.text
        root.extend(copy.deepcopy(child) for child in content if local_name(child.tag) not in elsewhere)
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def json_body(wire: Wire) -> bytes:
    """Return the values of a request as a JSON object in UTF-8. The name of the root element is left out.

    Numbers and booleans have no quotes. Encoding cannot fail, because the texts come from an XML element and
    so have no lone surrogates.
    """
    return _json(wire).encode()


def _json(value: WireValue) -> str:
    """Return a value as JSON text. Numbers keep their digits, which a float could change."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_json(name)}:{_json(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_json(item) for item in value) + "]"
    if isinstance(value, Bare) and _JSON_LITERAL.fullmatch(value):
        return str(value)
    return json.dumps(value, ensure_ascii=False)
