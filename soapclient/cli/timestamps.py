"""The forms of timestamps in signatures, to remark upon those that a service would not read."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from soapclient.auth.signing import rest_timestamp, soap_timestamp
from soapclient.transport.dates import http_date

# record.md 1: milliseconds, a Z, or both may follow.
_SOAP: Final = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{3})?Z?", re.ASCII)


@dataclass(frozen=True)
class Form:
    """How a carrier's timestamps are written, and whether a text is one."""

    example: str
    write: Callable[[dt.datetime], str]
    fits: Callable[[str], bool]


def _fits_rest(text: str) -> bool:
    moment = http_date(text)
    return moment is not None and rest_timestamp(moment) == text


def _fits_soap(text: str) -> bool:
    match = _SOAP.fullmatch(text)
    try:
        return match is not None and bool(dt.datetime.fromisoformat(match[1]))
    except ValueError:
        return False


REST: Final = Form("Thu, 15 Aug 2013 15:56:07 GMT", rest_timestamp, _fits_rest)
SOAP: Final = Form("2013-08-20T14:44:21", soap_timestamp, _fits_soap)
