"""Convert values of tables to text: JSON, and cells of CSV."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum

import msgspec

from soapclient.runtime.any_element import AnyElement
from soapclient.runtime.nil import NIL


def json_text(value: object) -> str:
    """Return a value as JSON, with the Python names of its fields. Decimals become strings."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def _plain(value: object) -> object:
    if value is None or value is NIL:
        return None
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, AnyElement):
        return msgspec.to_builtins(value)
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return cell_text(value)


def cell_text(value: object) -> str:
    """Return the text of a cell. Lists and dicts become JSON."""
    if isinstance(value, str):
        return str(value.value) if isinstance(value, Enum) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, list | dict):
        return json_text(value)
    return str(value)


def decimal_text(value: Decimal) -> str:
    """Return all digits of a number, without an exponent and without trailing zeros of its fraction."""
    if not value.is_finite():
        return str(value)
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
