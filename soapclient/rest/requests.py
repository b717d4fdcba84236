"""A request over REST: row and wire values give method, path, query, and a body in XML or JSON
(docs/explanation/service.md#json)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from lxml import etree

from soapclient.errors import ContractError
from soapclient.runtime import AnyOperation, EncodeError, RestRow, Wire, WireValue
from soapclient.runtime.errors import local_name
from soapclient.runtime.schema import WHOLE, ParameterRow

# A segment that is one of these is another address: it would be left out, or lead upwards, on its way.
_NO_SEGMENTS = ("", ".", "..")


@dataclass(frozen=True, slots=True)
class RestRequest:
    """What is sent, but for the signature. `target` is path and query below the base, encoded."""

    method: str
    target: str
    body: bytes | None
    content_type: str | None


def build(operation: AnyOperation, form: RestRow, wire: Wire, *, as_json: bool) -> RestRequest:
    """The request. Raises ContractError for a value that its place cannot take."""
    query = "&".join(_query(operation, form, wire))
    target = f"{_path(operation, form, wire)}{'?' if query else ''}{query}"
    sent = _body(form, wire)
    if sent is None:
        return RestRequest(form.method, target, None, None)
    try:
        body = json_body(sent) if as_json else xml_body(sent, form.root)
    except EncodeError as error:
        raise ContractError(
            error.path, error.value, error.allowed, error.reason, operation=operation.name
        ) from None
    return RestRequest(form.method, target, body, "application/json" if as_json else "application/xml")


def encoded(pairs: Iterable[tuple[str, str]]) -> str:
    """Query parameters: a space is %20 and a plus %2B, which no server misreads
    (docs/explanation/service.md#signing)."""
    return "&".join(f"{quote(name, safe='')}={quote(text, safe='')}" for name, text in pairs)


def _path(operation: AnyOperation, form: RestRow, wire: Wire) -> str:
    pieces = form.path.split("{")
    path = pieces[0]
    for name, piece in zip(form.in_path, pieces[1:], strict=True):
        text = wire.get(name)
        where = f"{local_name(operation.request_tag)}/{name}"
        if not isinstance(text, str) or text in _NO_SEGMENTS:
            raise ContractError(
                where,
                text,
                "a text that can stand in an address: none of '', '.' and '..'",
                "it stands in the path, and there it would make another address",
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
                f"a text without {parameter.separator!r}, not empty",
                "it is one of several that are sent in one text",
                operation=operation.name,
            )


def _texts(value: WireValue | None) -> list[str]:
    if value is None:
        return []
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str)]


def _body(form: RestRow, wire: Wire) -> Wire | None:
    if not form.body:
        return None
    if form.body == WHOLE:
        elsewhere = {*form.in_path, *(parameter.field for parameter in form.query)}
        return {name: value for name, value in wire.items() if name not in elsewhere}
    value = wire.get(form.body)
    return value if isinstance(value, dict) else {}


def xml_body(wire: Wire, tag: str) -> bytes:
    """The bytes of `as_element`, in UTF-8 with a declaration. Raises EncodeError."""
    return etree.tostring(as_element(wire, tag), encoding="UTF-8", xml_declaration=True)


def json_body(wire: Wire) -> bytes:
    """The JSON form of a wire value in UTF-8: no root, every value a string.

    Raises EncodeError, with the path, for half a character, which no encoding has.
    """
    for path, text in _with_paths(wire, ""):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise _unfit(path, text) from None
    return json.dumps(wire, ensure_ascii=False, separators=(",", ":")).encode()


def as_element(wire: Wire, tag: str) -> etree._Element:
    """A wire value as an element: all in the namespace of `tag` (Clark notation), in the wire's order.

    Raises EncodeError, with the path, for a character that XML cannot hold.
    """
    space = tag[1:].partition("}")[0] if tag.startswith("{") else ""
    root = etree.Element(tag, nsmap={None: space} if space else None)
    _fill(root, wire, f"{{{space}}}" if space else "", local_name(tag))
    return root


def _fill(element: etree._Element, wire: Wire, space: str, path: str) -> None:
    for name, value in wire.items():
        where = f"{path}/{name}"
        if isinstance(value, str) and (name == "$" or name.startswith("@")):
            try:
                if name == "$":
                    element.text = value
                else:
                    element.set(name[1:], value)
            except ValueError:
                raise _unfit(path if name == "$" else where, value) from None
            continue
        several = isinstance(value, list)
        for at, each in enumerate(value if isinstance(value, list) else [value], 1):
            _add(element, f"{space}{name}", each, space, f"{where}[{at}]" if several else where)


def _add(element: etree._Element, tag: str, value: str | Wire, space: str, path: str) -> None:
    child = etree.SubElement(element, tag)
    if not isinstance(value, str):
        _fill(child, value, space, path)
        return
    try:
        child.text = value
    except ValueError:
        raise _unfit(path, value) from None


def _with_paths(value: WireValue, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        members: list[WireValue] = [*value]
        for at, each in enumerate(members, 1):
            yield from _with_paths(each, f"{path}[{at}]")
    else:
        for name, inner in value.items():
            yield from _with_paths(inner, path if name == "$" else f"{path}/{name}".lstrip("/"))


def _unfit(path: str, text: str) -> EncodeError:
    return EncodeError(path, text, "text", "a character that the document cannot hold")
