"""Compare every simple type with lxml's validator, using hypothesis: values it refuses are refused.

Values that lxml accepts are accepted, with the right value, except for `_NARROWER`.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from soapclient.runtime import CountingReader, DecodeError, Finding, Scalar, scalars, string_types
from tests.rings import examples
from tests.support.cases import case_text

_NAIVE = dt.timezone(dt.timedelta(hours=-3, minutes=-30))
_WHERE: tuple[Literal["element", "content", "attribute"], ...] = ("element", "content", "attribute")

_DIGITS = r"[0-9]{1,22}"
_NUMBER = rf"[+-]?({_DIGITS}(\.[0-9]{{0,9}})?|\.{_DIGITS})"
_FLOAT = rf"({_NUMBER}([eE][+-]?[0-9]{{1,3}})?|-?INF|NaN)"
_ZONE = r"(Z|[+-](0[0-9]|1[0-5]):[0-5][0-9]|[+-]14:00|[+-]01:6[0-9])?"
_DAY = r"(-?[0-9]{4,5}|0000|2024|[12][0-9]{3})-(0[1-9]|1[0-2]|00|13)-([01][1-9]|2[0-9]|3[0-2]|00)"
_TIME = rf"{_DAY}T(2[0-4]|[01][0-9]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]{{0,8}})?{_ZONE}"
_MIDNIGHT = rf"{_DAY}T24:0[01]:00(\.0?1?)?{_ZONE}"

_GRAMMARS = {
    "string": r"[a-z &<>\"']{0,9}",
    "anyURI": r"([a-z]{1,5}:)?(//[a-z0-9.\[\]:@]{0,9})?[a-z0-9/%#?\\^`{}|<>\" ]{0,12}",
    "boolean": r"true|false|0|1|TRUE|yes|00|",
    "decimal": _NUMBER,
    "float": _FLOAT,
    "double": _FLOAT,
    "dateTime": rf"{_TIME}|{_MIDNIGHT}",
    "date": rf"{_DAY}{_ZONE}",
    "integer": rf"[+-]?{_DIGITS}",
}
# Near the limits of every integer type, to find off-by-one errors.
_EDGES = [
    sign * (2**bits) + off
    for bits in (7, 8, 15, 16, 31, 32, 63, 64)
    for sign in (1, -1)
    for off in (-1, 0, 1)
]
_BLANK = " \t\n\r"
_BLANKS = st.text(_BLANK, max_size=2)
_TRAPS = "0٣೯²½_ \t\n\r\u00a0\u2003\u2028\u2212+-.,eEZzT:xINFnaf\x85"
_XML = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff")


def _texts(xsd: str) -> st.SearchStrategy[str]:
    grammar = st.from_regex(_GRAMMARS.get(xsd, _GRAMMARS["integer"]), fullmatch=True)
    if xsd not in _GRAMMARS:
        grammar = grammar | st.sampled_from(_EDGES).map(str)
    padded = st.builds("{}{}{}".format, _BLANKS, grammar, _BLANKS)
    mutated = st.builds(_mutate, padded, st.integers(0, 60), st.sampled_from(_TRAPS), st.integers(0, 1))
    return grammar | padded | mutated | st.text(_XML | st.sampled_from("\t\n"), max_size=12)


def _mutate(text: str, at: int, sign: str, replaced: int) -> str:
    at = at % (len(text) + 1)
    return text[:at] + sign + text[at + replaced :]


# ---- the values of texts, calculated from the grammar of XSD only


def _fraction(text: str) -> Fraction:
    found = re.fullmatch(r"([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?", text, re.ASCII)
    assert found is not None
    sign, whole, part, power = found.groups()
    size = Fraction(int(whole + part or "0"), 10 ** len(part)) * Fraction(10) ** int(power or "0")
    return -size if sign == "-" else size


def _is_number(value: object, text: str) -> bool:
    if text.strip() in {"INF", "-INF", "NaN"}:
        return str(value).replace("inity", "").upper() == text.strip().upper()
    assert isinstance(value, Decimal)
    return Fraction(value) == _fraction(text.strip())


def _is_float(value: object, text: str) -> bool:
    assert isinstance(value, float)
    if text.strip() in {"INF", "-INF", "NaN"}:
        return str(value).upper() == text.strip().upper()
    try:
        return value == float(_fraction(text.strip()))
    except OverflowError:
        return math.isinf(value)


def _is_integer(value: object, text: str) -> bool:
    return type(value) is int and value == _fraction(text.strip())


def _is_date_time(value: object, text: str) -> bool:
    found = re.fullmatch(
        r"(\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", text.strip(), re.ASCII
    )
    assert found is not None
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    micro = int(((found[7] or "") + "000000")[:6])
    zone: dt.tzinfo = _NAIVE
    if found[8] == "Z":
        zone = dt.UTC
    elif found[8]:
        offset = dt.timedelta(hours=int(found[8][1:3]), minutes=int(found[8][4:]))
        zone = dt.timezone(-offset if found[8][0] == "-" else offset)
    since = dt.timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micro)
    wanted = dt.datetime(year, month, day, tzinfo=zone) + since
    return isinstance(value, dt.datetime) and value == wanted and value.utcoffset() == wanted.utcoffset()


def _is_date(value: object, text: str) -> bool:
    year, month, day = text.strip()[:10].split("-")
    return type(value) is dt.date and value == dt.date(int(year), int(month), int(day))


def _is_text(value: object, text: str) -> bool:
    return value == text


def _is_uri(value: object, text: str) -> bool:
    return value == re.sub(r"[ \t\n\r]+", " ", text).strip(" ")


def _is_boolean(value: object, text: str) -> bool:
    return value is (text.strip() in {"true", "1"})


_Check = Callable[[object, str], bool]
_TYPES: dict[str, tuple[str, Scalar[object], _Check]] = {
    name: (xsd, getattr(scalars, name), check)
    for name, xsd, check in [
        ("STRING", "string", _is_text),
        ("ANY_URI", "anyURI", _is_uri),
        ("BOOLEAN", "boolean", _is_boolean),
        ("DECIMAL", "decimal", _is_number),
        ("EXACT_FLOAT", "float", _is_number),
        ("EXACT_DOUBLE", "double", _is_number),
        ("FLOAT", "float", _is_float),
        ("DOUBLE", "double", _is_float),
        ("DATE_TIME", "dateTime", _is_date_time),
        ("DATE", "date", _is_date),
        ("INTEGER", "integer", _is_integer),
        ("NON_NEGATIVE_INTEGER", "nonNegativeInteger", _is_integer),
        ("POSITIVE_INTEGER", "positiveInteger", _is_integer),
        ("LONG", "long", _is_integer),
        ("INT", "int", _is_integer),
        ("SHORT", "short", _is_integer),
        ("BYTE", "byte", _is_integer),
        ("UNSIGNED_LONG", "unsignedLong", _is_integer),
        ("UNSIGNED_INT", "unsignedInt", _is_integer),
        ("UNSIGNED_SHORT", "unsignedShort", _is_integer),
        ("UNSIGNED_BYTE", "unsignedByte", _is_integer),
    ]
}

# Texts that lxml accepts and the decoder refuses: pattern, matching text, reason. All others must agree.
_NO_EXPONENT = (r"[^eE]*[eE][+-]?", "1.5E", "libxml2 takes an exponent without digits, XSD does not")
_FAR_EXPONENT = (r".*[eE][+-]?\d{19,}", "1E1000000000000000000", "beyond what a Decimal holds")
_YEARS = [
    (r"-.*", "-0044-03-15{}", "Python has no years before 1"),
    (r"\d{5,}-.*", "10000-01-01{}", "Python has no years after 9999"),
]
_NARROWER: dict[str, list[tuple[str, str, str]]] = {
    "float": [_NO_EXPONENT, _FAR_EXPONENT],
    "double": [_NO_EXPONENT, _FAR_EXPONENT],
    "date": [(pattern, text.format(""), why) for pattern, text, why in _YEARS],
    "dateTime": [
        *((pattern, text.format("T10:00:00Z"), why) for pattern, text, why in _YEARS),
        (r"9999-12-31T24.*", "9999-12-31T24:00:00Z", "its midnight is in the year 10000"),
    ],
}


def _listed(exceptions: dict[str, list[tuple[str, str, str]]], xsd: str, text: str) -> bool:
    return any(re.fullmatch(pattern, text, re.ASCII) for pattern, _, _ in exceptions.get(xsd, []))


# ---- lxml's verdict and the decoder's


@lru_cache
def _schema(xsd: str) -> etree.XMLSchema:
    """Return a schema with the type of an element, of content with attributes, and of an attribute."""
    return etree.XMLSchema(
        etree.fromstring(
            f"""<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema">
              <s:element name="element" type="s:{xsd}"/>
              <s:element name="content"><s:complexType><s:simpleContent><s:extension base="s:{xsd}">
                <s:attribute name="beside" type="s:string"/>
              </s:extension></s:simpleContent></s:complexType></s:element>
              <s:element name="attribute"><s:complexType>
                <s:attribute name="a" type="s:{xsd}"/>
              </s:complexType></s:element>
            </s:schema>"""
        )
    )


def _node(where: str, text: str) -> etree._Element:
    node = etree.Element(where)
    if where == "attribute":
        node.set("a", text)
    else:
        node.text = text
    if where == "content":
        node.set("beside", "it")
    return node


def _read(where: str, scalar: Scalar[object], node: etree._Element, text: str) -> object:
    reader = CountingReader(naive_zone=_NAIVE)
    if where == "element":
        return scalar.read(node, reader)
    if where == "content":
        return scalar.content(node, reader)
    return scalar.attribute(node, reader, "a", text)


def _agree(name: str, text: str) -> bool:
    """Compare verdict and value with lxml's verdict and XSD's value. Return True if the text is accepted."""
    xsd, scalar, right = _TYPES[name]
    accepted = False
    for where in _WHERE:
        node = _node(where, text)
        allowed = _schema(xsd).validate(node)
        refusal: DecodeError | None = None
        try:
            value = _read(where, scalar, node, text)
        except DecodeError as error:
            refusal = error
        if refusal is None:
            accepted = True
            assert allowed, f"{where}: {text!r} is read, though not valid"
            assert right(value, text), f"{where}: {text!r} is read as {value!r}"
        else:
            listed = _listed(_NARROWER, xsd, text.strip(_BLANK))
            assert not allowed or listed, f"{where}: {text!r} is refused, though valid"
            assert refusal.value == text
            assert refusal.path == ("attribute/@a" if where == "attribute" else where)
            assert refusal.expected == scalar.expected
    return accepted


@pytest.mark.parametrize("name", _TYPES)
def test_texts_are_accepted_and_refused_like_the_schema(name: str) -> None:
    @settings(max_examples=examples(100), deadline=None, derandomize=True, database=None)
    @given(_texts(_TYPES[name][0]))
    def agree(text: str) -> None:
        _agree(name, text)

    agree()


# Texts at the limits of their types, such as the first invalid one after the last valid one.
_DAYS = ["2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "2026-04-31", "2026-00-10", "2026-13-10"]
_DAYS += ["2026-01-00", "2026-12-31", "2026-12-32", "0001-01-01", "0000-01-01", "9999-12-31", "2026-W01-1"]
_DAYS += ["20260101", "2026-1-1", "26-01-01", "02026-01-01", "+2026-01-01"]
_TIMES = ["00:00:00", "23:59:59", "24:00:00", "24:00:01", "24:01:00", "24:00:00.0", "24:00:00.1", "25:00:00"]
_TIMES += ["10:60:00", "10:00:60", "10:00", "10", "100000", "10:00:00.", "10:00:00,5", "10:00:00.1234567"]
_ZONES = case_text(__file__, "zones.txt").splitlines()
_AT_THE_EDGE = {
    "dateTime": [
        *(f"{day}T10:00:00Z" for day in _DAYS),
        *(f"2026-11-01T{time}Z" for time in _TIMES),
        *(f"2026-11-01T10:00:00{zone}" for zone in _ZONES),
        *("2026-11-01 10:00:00Z", "2026-11-01t10:00:00Z", "2026-11-01", "T10:00:00Z", "2024-02-28T24:00:00"),
    ],
    "date": [*_DAYS, *(f"2026-11-01{zone}" for zone in _ZONES), "2026-11-01T10:00:00Z"],
    "boolean": ["true", "false", "1", "0", "True", "TRUE", "yes", "2", "01", "t", "true1"],
    "string": ["", " ", "\u00a0"],
    "anyURI": [
        *("", "a b", "http://[", "http://[::1]/", "%", "%zz", "a:b:c", ":", "//"),
        *("\u00e4", "a#b#c", "{}", "\\"),
    ],
}
_NUMBERS = [*case_text(__file__, "numbers.txt").splitlines(), "9" * 40, "0." + "3" * 40]
# A common text of each type. Every trap is inserted at every position.
_USUAL = {
    "dateTime": "2026-11-01T10:00:00.25+01:00",
    "date": "2026-11-01+01:00",
    "boolean": "true",
    "anyURI": "http://a.b/c?d",
    "float": "-12.50E-1",
    "double": "-12.50E-1",
    "decimal": "-12.50",
    "string": "ab",
}


@pytest.mark.parametrize("name", _TYPES)
def test_texts_at_the_bounds_of_a_type(name: str) -> None:
    xsd = _TYPES[name][0]
    texts = _AT_THE_EDGE.get(xsd) or [*_NUMBERS, *map(str, _EDGES)]
    accepted = sum(_agree(name, text) for text in texts)
    assert accepted
    assert accepted < len(texts) or xsd == "string"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", _TYPES)
def test_odd_characters_at_every_position_agree_with_the_schema(name: str) -> None:
    usual = _USUAL.get(_TYPES[name][0], "12")
    assert _agree(name, usual)
    for at in range(len(usual) + 1):
        for sign in _TRAPS:
            _agree(name, usual[:at] + sign + usual[at:])
            _agree(name, usual[:at] + sign + usual[at + 1 :])
        _agree(name, usual[:at] + usual[at + 1 :])


@pytest.mark.parametrize(
    ("xsd", "text"), [(xsd, text) for xsd, listed in _NARROWER.items() for _, text, _ in listed]
)
def test_listed_differences_are_accepted_by_lxml(xsd: str, text: str) -> None:
    for where in _WHERE:
        node = _node(where, text)
        assert _schema(xsd).validate(node)
        for known, scalar, _ in _TYPES.values():
            if known == xsd:
                with pytest.raises(DecodeError) as caught:
                    _read(where, scalar, node, text)
                assert caught.value.value == text
                assert repr(text) in str(caught.value)


# ---- writing and reading back

_CONTEXT = st.decimals(allow_nan=False, allow_infinity=False)
_OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)))
_VALUES: dict[str, st.SearchStrategy[object]] = {
    "string": st.text(_XML | st.sampled_from("\t\n"), max_size=20),
    "anyURI": st.from_regex(
        r"(https?://[a-z0-9.-]{1,9}(/[a-z0-9%]{0,3}\?[a-z=&]{0,9})?)", fullmatch=True
    ).filter(lambda text: _schema("anyURI").validate(_node("element", text))),
    "boolean": st.booleans(),
    "decimal": _CONTEXT.filter(
        lambda number: abs(number.adjusted()) < 40 and len(number.as_tuple().digits) < 20
    ),
    "float": _CONTEXT,
    "double": _CONTEXT,
    "dateTime": st.datetimes(timezones=_OFFSETS),
    "date": st.dates(),
}
_BINARY = st.floats(allow_nan=False, allow_infinity=False)


def _integers(xsd: str) -> st.SearchStrategy[object]:
    """Return integers that XSD allows according to lxml."""
    return (st.integers(-(2**64), 2**64) | st.sampled_from(_EDGES) | st.integers(-130, 130)).filter(
        lambda number: _schema(xsd).validate(_node("element", str(number)))
    )


@pytest.mark.parametrize("name", _TYPES)
def test_value_is_written_as_valid_text_and_roundtrips(name: str) -> None:
    xsd, scalar, _ = _TYPES[name]
    values = _BINARY if name in {"FLOAT", "DOUBLE"} else _VALUES[xsd] if xsd in _VALUES else _integers(xsd)

    @settings(max_examples=examples(40), deadline=None, derandomize=True, database=None)
    @given(values)
    def back(value: object) -> None:
        text = scalar.text(value)
        for where in _WHERE:
            node = _node(where, text)
            assert _schema(xsd).validate(node), text
            parsed = etree.fromstring(etree.tostring(node))
            again = _read(where, scalar, parsed, parsed.get("a") or "")
            assert again == value
            assert type(again) is type(value)
            if isinstance(value, dt.datetime) and isinstance(again, dt.datetime):
                assert again.utcoffset() == value.utcoffset()

    back()


def test_integer_outside_its_bounds_is_not_sent() -> None:
    for xsd, scalar, check in _TYPES.values():
        for number in _EDGES if check is _is_integer else []:
            if _schema(xsd).validate(_node("element", str(number))):
                assert scalar.text(number) == str(number)
            else:
                with pytest.raises(ValueError, match=r"^$"):
                    scalar.text(number)


def test_naive_date_time_gets_the_zone_of_the_reader_and_is_counted() -> None:
    node = _node("element", "2026-07-01T12:00:00")
    reader = CountingReader(naive_zone=_NAIVE)
    assert scalars.DATE_TIME.read(node, reader) == dt.datetime(2026, 7, 1, 12, tzinfo=_NAIVE)
    assert [(finding.kind, finding.path) for finding in reader.findings] == [("naive-time", "element")]


_LOST = [
    ("LOCAL_DATE_TIME", "2026-11-20T12:00:00.1234567Z", dt.datetime(2026, 11, 20, 12, 0, 0, 123456, dt.UTC)),
    ("DATE_TIME", "2026-11-20T12:00:00.1234567+00:00", dt.datetime(2026, 11, 20, 12, 0, 0, 123456, dt.UTC)),
    ("DATE_TIME", "2026-11-20T12:00:00.0000000001Z", dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)),
    ("DATE", "2026-11-20Z", dt.date(2026, 11, 20)),
    ("DATE", "2026-11-20+14:00", dt.date(2026, 11, 20)),
]


@pytest.mark.parametrize(("name", "text", "value"), _LOST)
def test_values_that_python_cannot_represent_are_counted(name: str, text: str, value: object) -> None:
    """The value differs from the service's text, which is not kept, so there must be a finding."""
    scalar: Scalar[object] = getattr(scalars, name)
    node, reader = _node("element", text), CountingReader()
    assert scalar.read(node, reader) == value
    assert scalar.content(node, reader) == value
    assert scalar.attribute(node, reader, "a", text) == value
    assert reader.findings == {Finding("shortened", "element", ""): 3}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("DATE_TIME", "2026-11-20T12:00:00.123456000Z"),
        ("DATE_TIME", "2026-11-20T12:00:00.1Z"),
        ("DATE_TIME", "2026-11-20T24:00:00.000000000Z"),
        ("DATE", "2026-11-20"),
    ],
)
def test_values_that_python_represents_exactly_are_not_counted(name: str, text: str) -> None:
    reader = CountingReader()
    getattr(scalars, name).read(_node("element", text), reader)
    assert not reader.findings


def test_digits_below_microseconds_are_counted() -> None:
    reader = CountingReader()
    assert string_types.TIME.read(_node("element", "12:00:00.1234567Z"), reader).microsecond == 123456
    assert reader.findings == {Finding("shortened", "element", ""): 1}


def test_reader_without_a_zone_keeps_naive_date_times() -> None:
    reader = CountingReader(naive_zone=None)
    node = _node("element", "2026-07-01T12:00:00")
    assert scalars.LOCAL_DATE_TIME.read(node, reader) == dt.datetime(2026, 7, 1, 12)
    assert not reader.findings
    assert scalars.LOCAL_DATE_TIME.text(scalars.LOCAL_DATE_TIME.read(node, reader)) == "2026-07-01T12:00:00"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-01T00:00:00+01:00", dt.date(2026, 11, 1)),
        ("2026-10-31T23:00:00Z", dt.date(2026, 11, 1)),
        ("2026-10-31T22:59:59Z", dt.date(2026, 10, 31)),
        ("2026-10-31T24:00:00+01:00", dt.date(2026, 11, 1)),
        ("2026-11-01", dt.date(2026, 11, 1)),
    ],
)
def test_a_day_is_the_date_in_the_report_zone(text: str, day: dt.date) -> None:
    reader = CountingReader(report_zone=dt.timezone(dt.timedelta(hours=1)))
    assert scalars.DAY.read(_node("element", text), reader) == day


@pytest.mark.parametrize("where", _WHERE)
def test_too_many_digits_for_python_are_refused(where: str) -> None:
    digits = "9" * 5000
    with pytest.raises(DecodeError):
        _read(where, _TYPES["INT"][1], _node(where, digits), digits)
