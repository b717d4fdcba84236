"""Request bodies: what a generated encoder gives, as XML or in the service's JSON form
(docs/explanation/service.md#json)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from lxml import etree

from soapclient.runtime import EncodeError, Wire, WireValue
from soapclient.runtime.errors import local_name


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


def _unfit(path: str, text: str) -> EncodeError:
    return EncodeError(path, text, "text", "a character that the document cannot hold")
