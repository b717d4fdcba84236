"""Compare XSD's non-numeric simple types with lxml's validator, using hypothesis: the same values are refused
or accepted, with the right value. Written values are valid and can be read back.
"""

from __future__ import annotations

import base64
import datetime as dt
import re
from collections.abc import Callable
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from soapclient.runtime import CountingReader, DecodeError, EncodeError, Scalar, scalars, string_types
from soapclient.runtime.simple_types import list_of, union_of
from tests.rings import examples

_SPACE = "http://www.w3.org/2001/XMLSchema"
_ZONE = r"(Z|[+-](0[0-9]|1[0-5]):[0-5][0-9]|[+-]14:00)?"
_NAME = r"[a-z_:é0-9.-]{1,6}"
_LETTERS = "[A-Za-z0-9+/]"
_PARTS = r"([0-9]{1,3}H)?([0-9]{1,3}M)?([0-9]{1,3}(\.[0-9]{1,3})?S)?"
_DURATION = rf"-?P([0-9]{{1,3}}Y)?([0-9]{{1,3}}M)?([0-9]{{1,3}}D)?(T{_PARTS})?"
_BASE64 = rf"({_LETTERS}{{4}} ?){{0,3}}({_LETTERS}{{2}}==|{_LETTERS}{{3}}=)?"
# Texts that libxml2 accepts by mistake: an empty list of names, invalid characters in base64.
_NARROWER = {"NMTOKENS": r"\s*", "base64Binary": r"[\s\S]*[^A-Za-z0-9+/= \t\n\r][\s\S]*"}
_AnyScalar = Scalar[str] | Scalar[bytes] | Scalar[dt.time] | Scalar[list[str]] | Scalar[int]
_GRAMMARS: dict[str, tuple[_AnyScalar, str]] = {
    "anySimpleType": (string_types.ANY_SIMPLE_TYPE, r"[a-z \t]{0,9}"),
    "normalizedString": (string_types.NORMALIZED_STRING, r"[a-z \t]{0,9}"),
    "token": (string_types.TOKEN, r"[a-z \t]{0,9}"),
    "language": (string_types.LANGUAGE, r"[A-Za-z]{1,9}(-[a-z0-9]{1,9}){0,2}"),
    "Name": (string_types.NAME, _NAME),
    "NCName": (string_types.NC_NAME, _NAME),
    "NMTOKEN": (string_types.NM_TOKEN, _NAME),
    "NMTOKENS": (string_types.NM_TOKENS, rf"{_NAME}( {_NAME}){{0,2}}"),
    "duration": (string_types.DURATION, _DURATION),
    "time": (string_types.TIME, rf"(2[0-4]|[01][0-9]):[0-5][0-9]:[0-5][0-9](\.[0-9]{{1,8}})?{_ZONE}"),
    "gYearMonth": (string_types.G_YEAR_MONTH, rf"-?[0-9]{{4,5}}-(0[0-9]|1[0-3]){_ZONE}"),
    "gYear": (string_types.G_YEAR, rf"-?[0-9]{{3,5}}{_ZONE}"),
    "gMonthDay": (string_types.G_MONTH_DAY, rf"--(0[0-9]|1[0-3])-([0-3][0-9]){_ZONE}"),
    "gDay": (string_types.G_DAY, rf"---[0-3][0-9]{_ZONE}"),
    "gMonth": (string_types.G_MONTH, rf"--(0[0-9]|1[0-3]){_ZONE}"),
    "base64Binary": (string_types.BASE64_BINARY, _BASE64),
    "hexBinary": (string_types.HEX_BINARY, r"[0-9a-fA-F]{0,8}"),
    "nonPositiveInteger": (scalars.NON_POSITIVE_INTEGER, r"[+-]?[0-9]{1,3}"),
    "negativeInteger": (scalars.NEGATIVE_INTEGER, r"[+-]?[0-9]{1,3}"),
}
_XML = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")
_BLANKS = st.text(" \t\n", max_size=2)


@lru_cache
def _schema(kind: str) -> etree.XMLSchema:
    text = f'<s:schema xmlns:s="{_SPACE}"><s:element name="u" type="s:{kind}"/></s:schema>'
    return etree.XMLSchema(etree.fromstring(text))


def _texts(grammar: str) -> st.SearchStrategy[str]:
    whole = st.from_regex(grammar, fullmatch=True)
    padded = st.builds("{}{}{}".format, _BLANKS, whole, _BLANKS)
    mutated = st.builds(lambda text, at, sign: text[:at] + sign + text[at:], padded, st.integers(0, 20), _XML)
    return whole | padded | mutated | st.text(_XML, max_size=6)


def _value_is_right(kind: str, value: object, text: str) -> bool:
    plain = re.sub("[ \t\n\r]+", " ", text).strip(" ")
    if kind == "base64Binary":
        return value == base64.b64decode(plain.replace(" ", ""))
    if kind == "hexBinary":
        return value == bytes(int(plain[at : at + 2], 16) for at in range(0, len(plain), 2))
    if kind == "NMTOKENS":
        return value == plain.split(" ")
    if kind == "anySimpleType":
        return value == text
    if kind == "normalizedString":
        return value == re.sub("[\t\n\r]", " ", text)
    if kind.endswith("Integer"):
        return value == int(plain)
    if kind != "time":
        return value == plain
    assert isinstance(value, dt.time)
    hour, minute, second = plain[:8].split(":")
    micro = re.match(r"\.(\d{1,6})", plain[8:])
    zone = re.search(r"(Z|[+-]\d\d:\d\d)$", plain)
    offset = None
    if zone is not None:
        hours, minutes = (0, 0) if zone[0] == "Z" else (int(zone[0][1:3]), int(zone[0][4:]))
        offset = dt.timedelta(hours=hours, minutes=minutes) * (-1 if zone[0][0] == "-" else 1)
    seen = (value.hour, value.minute, value.second, value.microsecond, value.utcoffset())
    part = int(micro[1].ljust(6, "0")) if micro else 0
    return seen == (int(hour) % 24, int(minute), int(second), part, offset)


@pytest.mark.parametrize("kind", list(_GRAMMARS))
def test_text_is_accepted_if_the_schema_accepts_it(kind: str) -> None:
    scalar, grammar = _GRAMMARS[kind]

    @settings(max_examples=examples(150), deadline=None, derandomize=True, database=None)
    @given(_texts(grammar))
    def agree(text: str) -> None:
        node = etree.Element("u")
        node.text = text
        if not _schema(kind).validate(node) or re.fullmatch(_NARROWER.get(kind, "(?!)"), text):
            with pytest.raises(DecodeError):
                scalar.read(node, CountingReader())
            return
        value = scalar.read(node, CountingReader())
        assert _value_is_right(kind, value, text)
        again = etree.Element("u")
        again.text = scalar.put(value, again, "u")
        _schema(kind).assertValid(again)
        assert scalar.read(again, CountingReader()) == value

    agree()


@pytest.mark.parametrize(
    ("scalar", "wrong"),
    [
        (string_types.TOKEN, [3, None, b"a", "\x00"]),
        (string_types.LANGUAGE, ["no language", "", 3]),
        (string_types.NC_NAME, ["a:b", "1", ""]),
        (string_types.NM_TOKENS, [[], "a", ["a b"], [1], None]),
        (string_types.TIME, ["10:00:00", dt.datetime(2026, 1, 1), None]),
        (string_types.BASE64_BINARY, ["AAAA", 3, None]),
        (string_types.HEX_BINARY, ["00", 3]),
        (string_types.DURATION, ["1 day", dt.timedelta(1), "P"]),
        (string_types.Q_NAME, ["a:b", 3, "{urn:a}", "{}b", "urn}b", "{a}{b}c"]),
    ],
)
def test_invalid_value_is_refused(scalar: Scalar[object], wrong: list[object]) -> None:
    for value in wrong:
        with pytest.raises(EncodeError):
            scalar.put(value, etree.Element("u"), "u")


def test_qualified_name_needs_a_declared_prefix() -> None:
    node = etree.fromstring('<u xmlns="urn:default" xmlns:a="urn:a"> a:b </u>')
    assert string_types.Q_NAME.read(node, CountingReader()) == "{urn:a}b"
    node.text = "b"
    assert string_types.Q_NAME.read(node, CountingReader()) == "{urn:default}b"
    with pytest.raises(EncodeError):
        string_types.Q_NAME.put("b", node, "u")  # the default namespace would apply to it
    for text in ("z:b", "a:b:c", ":b", "a:", ""):
        node.text = text
        with pytest.raises(DecodeError):
            string_types.Q_NAME.read(node, CountingReader())
    node.text = string_types.Q_NAME.put("{urn:new}c", node, "u")
    assert dict(node.attrib) == {}
    assert string_types.Q_NAME.read(etree.fromstring(etree.tostring(node)), CountingReader()) == "{urn:new}c"


def test_lists_and_unions_validate_their_members() -> None:
    numbers, either = list_of(scalars.INT), union_of(scalars.BOOLEAN, scalars.INT, string_types.NC_NAME)
    node = etree.Element("u")
    node.text = " 1\n 2 "
    assert numbers.read(node, CountingReader()) == [1, 2]
    for text, value in (("1", True), ("2", 2), ("a", "a")):
        node.text = text
        assert either.read(node, CountingReader()) == value
    node.text = "a b"
    for scalar in (numbers, either):
        with pytest.raises(DecodeError):
            scalar.read(node, CountingReader())
    words: Callable[[object], str] = list_of(string_types.TOKEN).text
    assert words(["a", "b"]) == "a b"
    for wrong in (["a b"], [""], "a", [1]):
        with pytest.raises((ValueError, TypeError)):
            words(wrong)
