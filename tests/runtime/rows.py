"""Schemas, types and codecs of hand-written rows, and classes for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from soapclient.runtime.codec import Codec
from soapclient.runtime.fields import Types
from soapclient.runtime.package import parse_schema
from soapclient.runtime.record import Record
from soapclient.runtime.schema import FORMAT, Schema

SPACE = "urn:shop"
XSI = "http://www.w3.org/2001/XMLSchema-instance"


class T(Record):
    """A type for rows with the fields `a`, `b`, `c`. Its annotations are not checked against the values."""

    a: Any = None
    b: Any = None
    c: Any = None


class Inner(Record):
    """A type for rows with an attribute and an element."""

    k: Any = None
    v: Any = None


def schema_of(types: Mapping[str, object], **more: object) -> Schema:
    named = {"made_by": "bindgen init shop", "source": "shop.wsdl", "format": FORMAT, "name": "shop"}
    head = {**named, "namespace": SPACE, "sha256": "", "types": types}
    return parse_schema("shop", json.dumps(head | more).encode())


def types_of(types: Mapping[str, object], **more: object) -> Types:
    return Types(schema_of(types, **more), ModuleType("shop.types"))


def codec_of(kinds: Mapping[str, type], types: Mapping[str, object], **more: object) -> Codec:
    """Return the codec of some classes and the rows of their types."""
    module = ModuleType("shop.types")
    module.__dict__.update(kinds)
    return Codec(schema_of(types, **more), module)


def in_order(fields: tuple[dict[str, Any], ...]) -> list[dict[str, Any]]:
    """The rows of the fields `a`, `b`, `c`."""
    return [{"python": python, "xml": python, **field} for python, field in zip("abc", fields, strict=False)]
