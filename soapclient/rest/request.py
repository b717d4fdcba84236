"""A request over REST: the row of the table and the wire values give method, path, query and body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from soapclient.errors import ContractError
from soapclient.rest.bodies import json_body, xml_body
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


def build(operation: AnyOperation, form: RestRow, wire: Wire, *, json: bool) -> RestRequest:
    """The request. Raises ContractError for a value that its place cannot take."""
    query = "&".join(_query(operation, form, wire))
    target = f"{_path(operation, form, wire)}{'?' if query else ''}{query}"
    sent = _body(form, wire)
    if sent is None:
        return RestRequest(form.method, target, None, None)
    try:
        body = json_body(sent) if json else xml_body(sent, form.root)
    except EncodeError as error:
        raise ContractError(
            error.path, error.value, error.allowed, error.reason, operation=operation.name
        ) from None
    return RestRequest(form.method, target, body, "application/json" if json else "application/xml")


def encoded(pairs: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> str:
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
