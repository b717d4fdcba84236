"""Second readers of a SOAP or XML response: libxml2's validator, and zeep.

A response that is valid according to the schema must be readable. Both readers must produce the same values.
Known differences are listed here with their reasons.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any, Final

import msgspec
from lxml import etree

from soapclient.contract import package_documents
from soapclient.drift import Drift
from soapclient.errors import ResponseError, UnexpectedResponse
from soapclient.runtime import AnyOperation, Package
from soapclient.soap.zeep_service import document

from .target import Wrong

_XSD: Final = "{http://www.w3.org/2001/XMLSchema}"
_ENVELOPE: Final = "{http://schemas.xmlsoap.org/soap/envelope/}Envelope"
_BERLIN: Final = "Europe/Berlin"

# Values that the schema allows but Python cannot represent or our types exclude on purpose: years outside 1
# to 9999, neighbouring times with a zone, and numbers too long for Python to parse. Also exponents without
# digits, which libxml2 accepts although the schema does not.
BEYOND_PYTHON: Final = re.compile(
    r"\s*(-\d{4,}-.*|\d{5,}-.*|0000-.*|0001-01-01.*|9999-12-31.*|[-+]?\d{4301,}|[-+]?\d*\.?\d*[eE][-+]?\d{7,}"
    r"|[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?)\s*",
    re.DOTALL,
)
# zeep strips blanks with str.strip, which also removes non-XML blanks such as U+00A0.
_OTHER_BLANKS: Final = re.compile(r"[^\S \t\r\n]")


class Second:
    """The second readers of one contract."""

    def __init__(self, package: Package) -> None:
        self._schema = _compiled(package_documents.wsdl(package))
        elements = etree.fromstring(package_documents.wsdl(package)).iter(f"{_XSD}element")
        self._given = frozenset(
            each.get("name") for each in elements if {"default", "fixed"} & {*each.keys()}
        )
        binding = package.settings.binding
        self._zeep: Mapping[str, Any] = (
            document(package_documents.wsdl(package)).bindings[binding]._operations if binding else {}
        )

    def _message(
        self, operation: AnyOperation, content: bytes
    ) -> tuple[etree._Element, etree._Element] | None:
        """Return the document and its message if the message is valid according to the schema, else None."""
        root = read_safely(content.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n"))
        if root is None:
            return None
        node = root
        if root.tag == _ENVELOPE:
            body = body_of(root)
            if body is None or len(body) != 1:
                return None
            node = body[0]
        if node.tag != operation.response_tag:
            return None
        return (root, node) if self._schema.validate(node) else None

    def refused(self, operation: AnyOperation, content: bytes, error: Exception) -> None:
        """Raise Wrong if a valid response was rejected."""
        if not isinstance(error, ResponseError | UnexpectedResponse):
            return
        found = self._message(operation, content)
        if found is None or any(BEYOND_PYTHON.fullmatch(text) for text in texts(found[1])):
            return
        raise Wrong(f"valid by libxml2, and refused: {error}")

    def read(self, operation: AnyOperation, content: bytes, value: object, drift: Drift) -> None:
        """Raise Wrong if zeep reads other values from a valid response."""
        if operation.name not in self._zeep or drift.counts():
            return
        found = self._message(operation, content)
        if found is None or found[0].tag != _ENVELOPE or any(map(_OTHER_BLANKS.search, texts(found[1]))):
            return
        if any(self._has_default(node) for node in found[1].iter("*")):
            return
        try:
            theirs = self._zeep[operation.name].process_reply(found[0])
        except Exception:  # zeep cannot read it: nothing to compare with
            return
        ours, others = Counter(_values(value)), Counter(_values(theirs))
        if ours != others:
            raise Wrong(f"zeep reads {dict(others - ours)}, we {dict(ours - others)}")

    def _has_default(self, node: etree._Element) -> bool:
        """Return True if the element is empty and gets a default from the schema (XSD 1.0 part 1 3.3.1).

        zeep does not support defaults.
        """
        return not len(node) and not node.text and etree.QName(node).localname in self._given


def read_safely(content: bytes) -> etree._Element | None:
    """Parse a document. Return None if it is not well-formed or has a document type."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return None if root.getroottree().docinfo.doctype else root


def body_of(root: etree._Element) -> etree._Element | None:
    """Return the body of an envelope that has nothing else but an empty header. Return None for others."""
    space = str(root.tag).partition("}")[0]
    tags = [each.tag for each in root]
    if tags == [f"{space}}}Body"]:
        return root[0]
    return root[1] if tags == [f"{space}}}Header", f"{space}}}Body"] and not len(root[0]) else None


def _compiled(wsdl: bytes) -> etree.XMLSchema:
    """Compile the only schema of a built-in contract with libxml2."""
    (schema,) = etree.fromstring(wsdl).iter(f"{_XSD}schema")
    return etree.XMLSchema(etree.fromstring(etree.tostring(schema)))


def texts(node: etree._Element) -> Iterator[str]:
    """Yield the texts and attributes of an element and all elements in it."""
    for each in node.iter("*"):
        yield each.text or ""
        yield from map(str, each.attrib.values())


def _values(value: object) -> Iterator[object]:
    """Yield the scalars of one of our values, or of zeep's, in a form that both have."""
    if isinstance(value, msgspec.Struct):
        value = [getattr(value, name) for name in value.__struct_fields__]
    value = getattr(value, "__values__", value)  # of zeep
    if isinstance(value, list | tuple | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _values(each)
    else:
        yield from _plain(value)


def _plain(value: object) -> Iterator[object]:
    if value is None or value == "":
        return  # zeep returns None for an empty element
    if isinstance(value, bool):
        yield value
    elif isinstance(value, Enum):
        yield str(value.value)
    elif isinstance(value, int | float | Decimal):
        number = float(value)  # zeep parses decimal numbers as floats
        yield ("number", "NaN" if math.isnan(number) else number)
    elif isinstance(value, dt.datetime):
        from zoneinfo import ZoneInfo

        # zeep keeps a time without a zone as it is; ours gets the configured zone
        aware = value if value.tzinfo is not None else value.replace(tzinfo=ZoneInfo(_BERLIN))
        try:
            yield ("time", aware.astimezone(dt.UTC))
        except OverflowError:  # the first and last representable hours
            yield ("time", aware.replace(tzinfo=None))
    elif isinstance(value, dt.date | dt.time):
        yield (type(value).__name__, value.isoformat())
    else:
        yield str(value)
