"""The simple types of XSD that are not in `scalars`: names, tokens, bytes and parts of dates.

Values for which Python has no type (a duration, a year) stay strings, but are validated. All texts that
lxml's validator refuses are refused here, too.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import re
from collections.abc import Callable, Mapping

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.runtime import binary
from soapclient.runtime.elements import Element, qname_text
from soapclient.runtime.lexical import BLANK, SPACES, collapsed, is_valid, items
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.scalars import FINER, checked, plain, string_text
from soapclient.runtime.simple_types import Scalar, joined

_ZONE = r"(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?"
_MONTH, _DAY = r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|1\d|2[0-8])"
_NC_NAME = r"[A-Za-z_][A-Za-z0-9._-]*"
_HEX = LazyPattern("(?:[0-9A-Fa-f]{2})*")
_CLOCK = LazyPattern(rf"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{{1,6}})?{_ZONE}", re.ASCII)
_IS_NC_NAME = LazyPattern(_NC_NAME)


def _normalized(text: str, reader: Reader, node: Node) -> str:
    return text.replace("\t", " ").replace("\n", " ").replace("\r", " ")


def _token(text: str, reader: Reader, node: Node) -> str:
    return collapsed(text)


def _several(kind: str, item: Scalar[str]) -> Scalar[list[str]]:
    def parse(text: str, reader: Reader, node: Node) -> list[str]:
        if not (values := items(text)):
            raise ValueError
        return [item.parse(value, reader, node) for value in values]

    def text_of(values: object) -> str:
        if not (text := joined(values, item.text)):
            raise ValueError
        return text

    return Scalar(f"one or more names (xsd:{kind})", parse, text_of, give="a list")


def _time(text: str, reader: Reader, node: Node) -> dt.time:
    if not _CLOCK.fullmatch(text):
        if not is_valid("time", text):
            raise ValueError
        if FINER.search(text):
            reader.shortened(node, text)
        text = re.sub(r"(\.\d{6})\d+", r"\1", text.strip(BLANK)).replace("24:00:00", "00:00:00", 1)
    return dt.time.fromisoformat(text)


def _time_text(value: object) -> str:
    if not isinstance(value, dt.time):
        raise TypeError
    offset = value.utcoffset()
    if value.tzinfo is not None and offset is None:
        raise ValueError("the UTC offset of the time zone depends on the date; use a fixed offset")
    if offset is not None and offset % dt.timedelta(minutes=1):
        raise ValueError("the UTC offset must be a whole number of minutes")
    return value.isoformat()


def _base64(text: str, reader: Reader, node: Node) -> bytes:
    try:
        value = base64.b64decode(text, validate=True)
        if base64.b64encode(value).decode() == text:
            return value
    except binascii.Error:
        pass
    if not is_valid("base64Binary", text):
        raise ValueError
    return base64.b64decode(SPACES.sub("", text), validate=True)


def _base64_text(value: object) -> str:
    content = value if isinstance(value, bytes) else binary.read_all(value)
    return base64.b64encode(content).decode()


def _hex(text: str, reader: Reader, node: Node) -> bytes:
    if not _HEX.fullmatch(text):
        if not is_valid("hexBinary", text):
            raise ValueError
        text = text.strip(BLANK)
    return bytes.fromhex(text)


def _hex_text(value: object) -> str:
    if not isinstance(value, bytes):
        raise TypeError
    return value.hex().upper()


def _qname(text: str, reader: Reader, node: Node) -> str:
    prefix, colon, local = text.strip(BLANK).rpartition(":")
    if not _is_nc_name(local) or (colon and not _is_nc_name(prefix)):
        raise ValueError
    spaces: object = getattr(node, "nsmap", None)
    namespaces: Mapping[object, object] = spaces if isinstance(spaces, Mapping) else {}
    space = namespaces.get(prefix or None)
    if space is None and prefix:
        raise ValueError
    return f"{{{space}}}{local}" if space else local


def _is_nc_name(text: str) -> bool:
    return bool(_IS_NC_NAME.fullmatch(text)) or (text == text.strip(BLANK) and is_valid("NCName", text))


def _qname_text(value: object) -> str:
    raise ValueError("a qualified name can be written only into an element, which declares its prefix")


def _qname_at(value: object, node: Element) -> str:
    text = string_text(value)
    space, closed, local = text.rpartition("}")
    if not _is_nc_name(local) or closed != ("}" if text.startswith("{") else ""):
        raise ValueError
    if closed and (len(space) < 2 or "{" in space[1:] or "}" in space):
        raise ValueError
    return qname_text(node, text)


def _like(description: str, parse: Callable[[str, Reader, Node], str]) -> Scalar[str]:
    return Scalar(description, parse, string_text, quick=str if parse is plain else None, mixed=True)


ANY_SIMPLE_TYPE = _like("text (xsd:anySimpleType)", plain)
NORMALIZED_STRING = _like("text of one line (xsd:normalizedString)", _normalized)
TOKEN = _like("text (xsd:token)", _token)
LANGUAGE = checked("language", "a language", r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
NAME = checked("Name", "a name", r"[A-Za-z_:][A-Za-z0-9._:-]*")
NC_NAME = checked("NCName", "a name without colon", _NC_NAME)
NM_TOKEN = checked("NMTOKEN", "a name token", "[A-Za-z0-9._:-]+")
# References between IDs concern the complete document and are not checked. Here, IDs and references are only
# names.
ID = Scalar("a name without colon (xsd:ID)", NC_NAME.parse, NC_NAME.text)
ID_REF = Scalar("a name without colon (xsd:IDREF)", NC_NAME.parse, NC_NAME.text)
ENTITY = Scalar("a name without colon (xsd:ENTITY)", NC_NAME.parse, NC_NAME.text)
NM_TOKENS = _several("NMTOKENS", NM_TOKEN)
ID_REFS = _several("IDREFS", ID_REF)
ENTITIES = _several("ENTITIES", ENTITY)
DURATION = checked("duration", "a duration", r"-?P\d{1,9}[YMD]|-?PT\d{1,9}[HMS]")
G_YEAR_MONTH = checked("gYearMonth", "a month of a year", rf"[1-9]\d{{3}}-{_MONTH}{_ZONE}")
G_YEAR = checked("gYear", "a year", rf"[1-9]\d{{3}}{_ZONE}")
G_MONTH_DAY = checked("gMonthDay", "a day of a month", rf"--{_MONTH}-{_DAY}{_ZONE}")
G_DAY = checked("gDay", "a day", rf"---{_DAY}{_ZONE}")
G_MONTH = checked("gMonth", "a month", rf"--{_MONTH}{_ZONE}")
TIME = Scalar("a time of day (xsd:time)", _time, _time_text, give="a datetime.time")
BASE64_BINARY = Scalar("bytes (xsd:base64Binary)", _base64, _base64_text, give=binary.ALLOWED)
HEX_BINARY = Scalar("bytes (xsd:hexBinary)", _hex, _hex_text, give="bytes")
_GIVE = "{namespace}name"
Q_NAME = Scalar("a qualified name (xsd:QName)", _qname, _qname_text, give=_GIVE, text_at=_qname_at)
NOTATION = Scalar("a notation (xsd:NOTATION)", _qname, _qname_text, give=_GIVE, text_at=_qname_at)
