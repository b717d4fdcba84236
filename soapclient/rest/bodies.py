"""Request bodies: what a generated encoder gives, as XML or in the service's JSON form (record.md 4)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from lxml import etree

from soapclient.calling.wire import as_element, unfit
from soapclient.runtime import Wire, WireValue


def xml_body(wire: Wire, tag: str) -> bytes:
    """The bytes of `as_element`, in UTF-8 with a declaration. Raises EncodeError."""
    return etree.tostring(as_element(wire, tag), encoding="UTF-8", xml_declaration=True)


def json_body(wire: Wire) -> bytes:
    """The JSON form of a wire value in UTF-8: no root, every value a string.

    Raises EncodeError, with the path, for half a character, which no encoding has.
    """
    for path, text in _texts(wire, ""):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise unfit(path, text) from None
    return json.dumps(wire, ensure_ascii=False, separators=(",", ":")).encode()


def _texts(value: WireValue, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        members: list[WireValue] = [*value]
        for at, each in enumerate(members, 1):
            yield from _texts(each, f"{path}[{at}]")
    else:
        for name, inner in value.items():
            yield from _texts(inner, path if name == "$" else f"{path}/{name}".lstrip("/"))
