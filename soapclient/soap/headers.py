"""SOAP headers: of requests typed, as elements, or by the names of their parts; of responses those
declared."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from lxml import etree

from soapclient.errors import ContractError
from soapclient.redaction import shown
from soapclient.runtime import CountingReader
from soapclient.runtime.errors import local_name
from soapclient.runtime.operations import Part, SoapHeader
from soapclient.soap.envelope import SOAP_11, SOAP_12

if TYPE_CHECKING:
    from soapclient.runtime.elements import Element

_SOAP = (f"{{{SOAP_11}}}", f"{{{SOAP_12}}}")
_ADDRESSING = "{http://www.w3.org/2005/08/addressing}"
_FORMS = "typed values, lxml elements, or a dict by the names of the declared headers"


class Header(Protocol):
    """What can be written into an envelope's head."""

    def write(self, parent: Element, /) -> None: ...


def of_request(operation: str, parts: Mapping[str, Part], given: object) -> Sequence[Header]:
    """The headers to be written, of what zeep takes as `_soapheaders`, and of typed values.

    `parts` are those that the operation declares. Raises ContractError for what is none of these.
    """
    if not given:
        return ()
    if isinstance(given, Mapping):
        return [_named(operation, parts, str(name), value) for name, value in given.items()]
    if isinstance(given, str | bytes | etree._Element) or not isinstance(given, Iterable):
        raise ContractError("_soapheaders", given, _FORMS, "it is no list", operation=operation)
    found: list[Header] = []
    for each in given:
        if isinstance(each, Mapping):  # defaults and those of a call, joined
            found.extend(of_request(operation, parts, each))
        else:
            found.append(_header(operation, parts, each))
    return found


class ElementHeader:
    """A header that is an element already."""

    def __init__(self, node: etree._Element) -> None:
        self._node = node

    def write(self, parent: Element) -> None:
        """Append a copy of it."""
        parent.append(copy.deepcopy(self._node))


def _header(operation: str, parts: Mapping[str, Part], value: object) -> Header:
    if isinstance(value, SoapHeader | ElementHeader):
        return value
    if isinstance(value, etree._Element):
        return ElementHeader(value)
    for part in parts.values():
        if type(value) is part.kind:
            return SoapHeader(part, value)
    raise ContractError(
        "_soapheaders", value, _FORMS, f"{operation} declares no header of that type", operation=operation
    )


def _named(operation: str, parts: Mapping[str, Part], name: str, value: object) -> Header:
    if isinstance(value, etree._Element):
        return ElementHeader(value)
    known = {part.name: part for part in parts.values()}
    part = known.get(name)
    if part is None:
        allowed = f"one of: {', '.join(known)}" if known else "none: the operation declares no headers"
        raise ContractError(
            "_soapheaders", shown(name), allowed, "there is no such header", operation=operation
        )
    return SoapHeader(part, value)


def of_response(
    parts: Mapping[str, Part], head: etree._Element | None, reader: CountingReader, *, addressed: bool = False
) -> dict[str, object]:
    """The values of the declared headers that came, by the names of their parts.

    Another one that must be understood is counted as unknown, but for those of WS-Addressing where the
    request was `addressed`. Raises DecodeError.
    """
    found: dict[str, object] = {}
    for node in () if head is None else head.iterchildren("*"):
        own = [key for key in map(str, node.keys()) if key.startswith(_SOAP)]
        must = any(local_name(key) == "mustUnderstand" and node.get(key) in {"1", "true"} for key in own)
        part = parts.get(str(node.tag))
        if part is not None:
            for key in own:
                del node.attrib[key]  # they speak to SOAP's nodes, and are no part of the value
            found[part.name] = part.read(node, reader)
        elif must and not (addressed and str(node.tag).startswith(_ADDRESSING)):
            reader.unknown_element(node)
    return found
