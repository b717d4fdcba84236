"""Simple types: decoding, encoding and error messages.

They are built by the functions that build `scalars` and `texts`. Texts are compared with libxml2.
"""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from enum import StrEnum
from typing import Any

import pytest
from lxml import etree

from soapclient.runtime.days import Days
from soapclient.runtime.errors import DecodeError, EncodeError
from soapclient.runtime.findings import CountingReader
from soapclient.runtime.lexical import collapsed, is_valid, items
from soapclient.runtime.scalars import (
    DATE,
    INT,
    POSITIVE_INTEGER,
    STRING,
    checked,
    integer,
    plain,
    string_text,
)
from soapclient.runtime.simple_types import Choice, Scalar, joined, list_of, union_of
from soapclient.runtime.string_types import NM_TOKENS, Q_NAME, TIME


def element(text: str) -> etree._Element:
    node = etree.Element("u")
    node.text = text
    return node


def read(scalar: Scalar[Any], text: str) -> object:
    """Return the value of an element. None if it is refused."""
    try:
        return scalar.read(element(text), CountingReader())
    except DecodeError as error:
        told = (error.path, error.value, error.expected)
    assert told == ("u", text, scalar.expected)
    return None


def refusal(scalar: Scalar[Any], value: object) -> tuple[str, str, str]:
    with pytest.raises(EncodeError) as caught:
        scalar.put(value, etree.Element("u"), "R/u")
    return caught.value.path, caught.value.allowed, caught.value.reason


@pytest.mark.parametrize(
    ("low", "high", "bound"),
    [(None, None, ""), (0, None, " of at least 0"), (None, -1, " of at most -1"), (-5, 7, " from -5 to 7")],
)
def test_integer_errors_name_the_bounds(low: int | None, high: int | None, bound: str) -> None:
    scalar = integer("xsd:own", low, high)
    assert scalar.expected == scalar.allowed == f"a whole number{bound} (xsd:own)"
    good = "6" if high is None or high > 0 else ""
    if good:  # for the value as a string the error names the Python type
        assert refusal(scalar, good) == ("R/u", f"an int{bound}", "a string is not allowed")
    assert refusal(scalar, "x6") == ("R/u", scalar.allowed, "not an allowed value")


def test_allowed_characters_are_those_of_xml() -> None:
    """XML 1.0, 2.2: Char ::= #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]."""
    ranges = (range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))
    for code in range(sys.maxunicode + 1):
        try:
            string_text(chr(code))
            allowed = True
        except ValueError:
            allowed = False
        assert allowed == (code in (9, 10, 13) or any(code in part for part in ranges)), hex(code)
    for kind in ("string", "NCName"):
        assert [is_valid(kind, text) for text in ("a", "\x00", "\x0b", "\ud800")] == [True] + [False] * 3
    reason = "the text has a character that XML does not allow"
    assert refusal(STRING, "\0") == ("R/u", STRING.allowed, reason)


def test_patterns_that_are_compiled_late_match_on_the_first_and_later_uses() -> None:
    """In a new process, because the patterns of this one may be compiled already."""
    code = """
import re
from lxml import etree
from soapclient.runtime import scalars
from soapclient.runtime.findings import CountingReader
late = [name for name, value in vars(scalars).items() if getattr(value, "__name__", "") == "first_fullmatch"]
print(*sorted(late))
def read(scalar, text):
    node = etree.Element("u")
    try:
        return scalar.parse(text, CountingReader(), node)
    except (ValueError, KeyError):
        return None
for _ in range(2):
    print(
        read(scalars.INT, "-5"), read(scalars.INT, "1_0"), read(scalars.DECIMAL, "-1.50"),
        read(scalars.DECIMAL, "1E2"), read(scalars.EXACT_FLOAT, "1E2"), read(scalars.DATE, "2026-11-01Z"),
        read(scalars.DATE_TIME, "2026-11-01T24:00:00Z"), read(scalars.DATE_TIME, "2026-11-01 10:00:00Z"),
        sep="|",
    )
print(*(name for name in late if not isinstance(vars(scalars)[name].__self__, re.Pattern)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    values = "-5|None|-1.50|None|1E+2|2026-11-01|2026-11-02 00:00:00+00:00|None"
    names = "_DATE _DECIMAL _END_OF_DAY _INTEGER _NUMBER _TIME"
    assert done.stdout.splitlines() == [names, values, values, ""]


# ---- lists and unions


class Size(StrEnum):
    """An enum of two values."""

    S = "small"
    L = "large"


def test_lists_are_split_at_xml_white_space_only() -> None:
    scalar = list_of(INT)
    assert read(scalar, " 1\n2\t 3 ") == [1, 2, 3]
    assert read(scalar, "") == read(scalar, " ") == []
    assert read(scalar, "1\u00a02") is None
    assert items("\u00a0 a \t\n\r b") == ["\u00a0", "a", "b"]
    assert items(" \t") == []
    assert collapsed(" a\u00a0b \t\n\r c\u2003") == "a\u00a0b c\u2003"
    assert NM_TOKENS.allowed == "one or more names (xsd:NMTOKENS): give a list"
    assert scalar.expected == f"a list, each {INT.expected}"
    assert list_of(Q_NAME).allowed.endswith(f"give a list, each {Q_NAME.allowed}")
    for values in ([1, 2], (1, 2)):
        assert scalar.put(values, etree.Element("u"), "R/u") == "1 2"
    for wrong in ("1 2", {1, 2}, 5, [1, "2"]):
        assert refusal(scalar, wrong) == ("R/u", scalar.allowed, "not an allowed value")


@pytest.mark.parametrize("item", ["", "a b", "a\tb", " a", "a\n"])
def test_list_item_with_white_space_is_refused(item: str) -> None:
    reason = "an item is empty or contains a space, which would separate two items"
    with pytest.raises(ValueError, match=f"^{reason}$"):
        joined(["a", item], string_text)
    assert refusal(list_of(Scalar("text", plain, string_text)), [item])[2] == reason


def test_qualified_names_in_lists_and_unions_use_the_prefixes_of_their_element() -> None:
    for scalar, value in ((list_of(Q_NAME), ["{urn:a}x", "y"]), (union_of(INT, Q_NAME), "{urn:a}x")):
        node = etree.Element("u", nsmap={"p": "urn:a"})
        node.text = scalar.put(value, node, "R/u")
        assert node.text.startswith("p:x")
        assert scalar.read(node, CountingReader()) == value


@pytest.mark.parametrize(
    "text",
    ["{}x", "{{urn:a}x", "{urn:a}}x", "{u{rn}x", "urn:a}x", "{urn:a}", "{urn:a}1", "a:b", "", " x", "x "],
)
def test_invalid_qualified_name_is_not_written(text: str) -> None:
    assert refusal(Q_NAME, text) == ("R/u", Q_NAME.allowed, "not an allowed value")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("p:x", "{urn:a}x"),
        (" p:x\n", "{urn:a}x"),
        ("x", "{urn:b}x"),
        ("p:Ä", "{urn:a}Ä"),
        ("q:x", None),
        ("p:", None),
        (":x", None),
        ("p:1", None),
        ("1:x", None),
        ("p:x:y", None),
        ("p :x", None),
        ("", None),
    ],
)
def test_a_qualified_name_has_the_namespace_of_its_prefix(text: str, value: str | None) -> None:
    node = etree.Element("{urn:b}u", nsmap={None: "urn:b", "p": "urn:a"})
    node.text = text
    if value is None:
        with pytest.raises(DecodeError):
            Q_NAME.read(node, CountingReader())
    else:
        assert Q_NAME.read(node, CountingReader()) == value


class Spaced(StrEnum):
    """An enum whose values keep their white space."""

    TWO = "two  words"


def test_enumeration_value_may_contain_white_space() -> None:
    assert Choice(Spaced).known("two  words") is Spaced.TWO
    assert Choice(Spaced).known("two words") is None
    assert refusal(Choice(Size), "huge")[0] == "R/u"


def test_union_uses_the_first_member_that_accepts_the_value() -> None:
    closed = union_of(INT, list_of(INT))
    assert [read(closed, text) for text in ("7", "7 8", "x", "")] == [7, [7, 8], None, []]
    assert closed.put([7, 8], etree.Element("u"), "R/u") == "7 8"
    assert closed.expected == f"{INT.expected} or {list_of(INT).expected}"
    assert closed.allowed.endswith(f"give {INT.allowed} or {list_of(INT).allowed}")
    assert refusal(closed, 1.5) == ("R/u", closed.allowed, "not an allowed value")


@pytest.mark.parametrize(
    ("text", "value", "findings"),
    [
        ("small large", [Size.S, Size.L], 0),
        ("12345 7", [12345, 7], 0),
        ("", [], 0),
        ("small 7", [Size.S, "7"], 1),
        ("odd 0", ["odd", "0"], 2),
    ],
)
def test_union_of_lists_uses_the_first_member_without_a_finding(
    text: str, value: list[object], findings: int
) -> None:
    scalar, reader = union_of(list_of(Choice(Size)), list_of(POSITIVE_INTEGER)), CountingReader()
    found = scalar.read(element(text), reader)
    assert (found, sum(reader.findings.values())) == (value, findings)
    if not findings:
        assert scalar.text(found) == text


def test_union_prefers_a_lossless_member() -> None:
    scalar, reader = union_of(DATE, STRING), CountingReader()
    assert scalar.read(element("2026-11-20"), reader) == dt.date(2026, 11, 20)
    assert scalar.read(element("2026-11-20+02:00"), reader) == "2026-11-20+02:00"
    assert not reader.findings
    assert union_of(DATE, INT).read(element("2026-11-20+02:00"), reader) == dt.date(2026, 11, 20)
    assert [finding.kind for finding in reader.findings] == ["shortened"]


def test_union_with_an_enumeration_accepts_unknown_values() -> None:
    scalar, reader = union_of(INT, Choice(Size)), CountingReader()
    texts = ("7", "small", " large ", "huge")
    found = [scalar.read(element(text), reader) for text in texts]
    assert found == [7, Size.S, Size.L, "huge"]
    assert [type(value) for value in found] == [int, Size, Size, str]
    assert {(one.kind, one.path, one.detail): n for one, n in reader.findings.items()} == {
        ("value", "u", "huge"): 1
    }
    assert scalar.put("small", etree.Element("u"), "R/u") == "small"
    assert refusal(scalar, "huge")[0] == "R/u"


# ---- content between the text and the end tag


@pytest.mark.parametrize(
    ("inside", "value"),
    [
        ("<u>re<!-- c -->d</u>", "red"),
        ("<u>re<?p i?>d</u>", "red"),
        ("<u>red<!-- c --></u>", "red"),
        ("<u><?p i?>red</u>", "red"),
        ("<u>red<x/></u>", "red"),
        ("<u><x/>red</u>", None),
        ("<u>re<x/>d</u>", None),
    ],
)
def test_comment_does_not_end_a_text_but_an_element_splits_it(inside: str, value: str | None) -> None:
    scalar = checked("NCName", "a name", "red")
    node = etree.fromstring(inside)
    reader = CountingReader()
    if value is None or "<x/>" in inside:
        with pytest.raises(DecodeError) as caught:
            scalar.read(node, reader)
        assert caught.value.value == inside.removeprefix("<u>").removesuffix("</u>")
    else:
        assert scalar.read(node, reader) == value
        assert not reader.findings


@pytest.mark.parametrize(
    ("inside", "value"),
    [("<u><x/> small</u>", None), ("<u>small<x/> </u>", Size.S), ("<u>sm<x/>all</u>", None)],
)
def test_element_after_an_enumeration_value_does_not_change_it(inside: str, value: Size | None) -> None:
    node, reader = etree.fromstring(inside), CountingReader()
    if value is None:
        with pytest.raises(DecodeError):
            Choice(Size).read(node, reader)
        return
    assert Choice(Size).read(node, reader) is value
    assert [(found.kind, found.path) for found in reader.findings] == [("element", "u/x")]


def test_time_of_a_zone_with_seconds_cannot_be_sent() -> None:
    zone = dt.timezone(dt.timedelta(seconds=90))
    with pytest.raises(ValueError, match=r"^the UTC offset must be a whole number of minutes$"):
        TIME.text(dt.time(12, tzinfo=zone))


def test_range_of_days_is_refused_with_the_place_where_it_is_allowed() -> None:
    days = Days(dt.date(2026, 11, 1), dt.date(2026, 11, 3))
    reason = "a range of days is allowed only in `iterate`, and only in one field"
    assert refusal(DATE, days) == ("R/u", "", reason)
