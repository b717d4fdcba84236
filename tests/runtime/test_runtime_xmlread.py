"""The compiled reader: the values it reads, the documents it leaves to the Python reader, and its memory."""

from __future__ import annotations

import datetime as dt
import gc
import sys
import tracemalloc
from decimal import Decimal
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from soapclient.runtime.compiled import ResponseReader

xmlread = pytest.importorskip("_soapclient_xmlread", reason="the compiled reader is not installed")

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
SPACE = "urn:example"


class Line(msgspec.Struct, kw_only=True):
    text: Any = None
    name: Any = None


class Sample(msgspec.Struct, kw_only=True):
    value: Any = None
    line: Any = None
    lines: list[Any] = msgspec.field(default_factory=list)
    items: Any = None
    number: Any = 7


def read_document(document: bytes, plan: Any, name: bytes, namespaces: frozenset[str]) -> Any:
    reader = xmlread.Reader(plan, name, namespaces)
    reader.feed(document, True)
    return reader.result


def tag(name: str) -> bytes:
    return f"{SPACE}}}{name}".encode()


def plan_of(kind: int, **details: Any) -> Any:
    """Return a plan for Sample whose element `value` has a kind."""

    def line(plan: Any) -> None:
        text = xmlread.Field(b"", xmlread.STRING)
        name = xmlread.Field(b"name", xmlread.STRING)
        defaults = [("text", xmlread.REQUIRED, None), ("name", xmlread.VALUE, "no name")]
        plan.define([], [("name", name)], [("text", text)], defaults, "")

    def sample(plan: Any) -> None:
        lines, item = xmlread.Plan(Line, line), xmlread.Field(tag("item"), xmlread.STRING)
        elements = [
            ("value", xmlread.Field(tag("value"), kind, **details)),
            ("line", xmlread.Field(tag("line"), xmlread.STRUCT, plan=lines)),
            ("lines", xmlread.Field(tag("lines"), xmlread.STRUCT, plan=lines, repeats=True)),
            ("items", xmlread.Field(tag("items"), xmlread.LIST, item=item)),
        ]
        number = xmlread.Field(b"number", xmlread.INTEGER, low=0, high=9)
        absent = xmlread.VALUE
        defaults: list[Any] = [("value", absent, None), ("line", absent, None)]
        defaults += [("lines", xmlread.FACTORY, list), ("items", absent, None), ("number", absent, 7)]
        plan.define(elements, [("number", number)], [], defaults, "")

    return xmlread.Plan(Sample, sample)


def envelope(content: str, attributes: str = "") -> bytes:
    return (
        f'<s:Envelope xmlns:s="{SOAP}"><s:Header/><s:Body><Sample xmlns="{SPACE}"{attributes}>'
        f"{content}</Sample></s:Body></s:Envelope>"
    ).encode()


def read(document: bytes, kind: int | None = None, **details: Any) -> Any:
    plan = plan_of(xmlread.STRING if kind is None else kind, **details)
    return read_document(document, plan, tag("Sample"), frozenset([SPACE]))


LONG = {"low": -(2**63), "high": 2**63 - 1}
BYTE = {"low": -128, "high": 127}
BERLIN = dt.timezone(dt.timedelta(hours=1))


@pytest.mark.parametrize(
    ("kind", "details", "text", "value"),
    [
        ("STRING", {}, "a &amp; b", "a & b"),
        ("STRING", {}, "", ""),
        ("STRING", {}, " \u20ac\U0001f600<![CDATA[<&>]]> ", " \u20ac\U0001f600<&> "),
        ("STRING", {}, "a\r\nb", "a\nb"),
        ("INTEGER", LONG, "0", 0),
        ("INTEGER", LONG, "-007", -7),
        ("INTEGER", LONG, "999999999999999999", 10**18 - 1),
        ("INTEGER", BYTE, "-128", -128),
        ("DECIMAL", {}, "12.50", Decimal("12.50")),
        ("DECIMAL", {}, "-0.0", Decimal("-0.0")),
        ("DECIMAL", {}, "123456789012345678901234567890.5", Decimal("123456789012345678901234567890.5")),
        ("FLOAT", {}, "0.1", 0.1),
        ("FLOAT", {}, "-3", -3.0),
        ("BOOLEAN", {}, "true", True),
        ("BOOLEAN", {}, "0", False),
        ("DATE", {}, "2024-02-29", dt.date(2024, 2, 29)),
        ("DATE_TIME", {}, "2026-11-01T10:11:12Z", dt.datetime(2026, 11, 1, 10, 11, 12, tzinfo=dt.UTC)),
        (
            "DATE_TIME",
            {},
            "2026-11-01T10:11:12.5+01:00",
            dt.datetime(2026, 11, 1, 10, 11, 12, 500_000, BERLIN),
        ),
        ("DATE_TIME", {}, "0001-01-01T23:59:59.123456Z", dt.datetime(1, 1, 1, 23, 59, 59, 123_456, dt.UTC)),
        ("ENUMERATION", {"members": {"\u20ac".encode(): "euro"}}, "\u20ac", "euro"),
        ("PARSED", {"parse": bytes.fromhex}, "00ff", b"\x00\xff"),
    ],
)
def test_text_is_decoded(kind: str, details: dict[str, Any], text: str, value: object) -> None:
    decoded = read(envelope(f"<value>{text}</value>"), getattr(xmlread, kind), **details).value
    assert decoded == value
    assert type(decoded) is type(value)
    assert str(decoded) == str(value)


@pytest.mark.parametrize(
    ("kind", "details", "texts"),
    [
        ("STRING", {"has_default": True}, [""]),
        ("INTEGER", LONG, ["", "-", "+1", " 1", "1_0", "1.0", "\u0661", "1000000000000000000", "--1"]),
        ("INTEGER", BYTE, ["-129", "128"]),
        ("DECIMAL", {}, ["", "-", ".", ".5", "5.", "1.2.3", "1e3", "+1", "INF", "NaN", " 1", "1 "]),
        ("FLOAT", {}, ["1e3", "INF", "-INF", "NaN", "0x1p3", ""]),
        ("BOOLEAN", {}, ["", "TRUE", "yes", "2", " true", "truefalse"]),
        ("DATE", {}, ["2026-02-29", "2026-13-01", "0000-01-01", "2026-11-01Z", "26-11-01", "2026-11-0x"]),
        (
            "DATE_TIME",
            {},
            ["2026-11-01T10:11:12", "2026-11-01T24:00:00Z", "2026-11-01T10:11:60Z", "2026-11-01 10:11:12Z"],
        ),
        (
            "DATE_TIME",
            {},
            ["2026-11-01T10:11:12.Z", "2026-11-01T10:11:12.1234567Z", "2026-11-01T10:11:12+14:00"],
        ),
        ("DATE_TIME", {}, ["2026-11-01T10:11:12+0100", "2026-11-01T10:11:12z", "2026-11-01T10:11Z", ""]),
        ("ENUMERATION", {"members": {b"a": 1}}, ["b", " a", "", "aa"]),
        ("PARSED", {"parse": bytes.fromhex}, ["0", "x"]),
        ("UNSUPPORTED", {}, ["", "a"]),
    ],
)
def test_unusual_text_is_left_to_python(kind: str, details: dict[str, Any], texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(xmlread.Slow):
            read(envelope(f"<value>{text}</value>"), getattr(xmlread, kind), **details)


def test_elements_attributes_lists_and_defaults_are_read() -> None:
    document = envelope(
        '<value>v</value><lines name="a">1</lines>\n<lines>2</lines><items><item>x</item><item/></items>',
        ' number="3"',
    )
    assert read(document) == Sample(
        value="v", lines=[Line(text="1", name="a"), Line(text="2", name="no name")], items=["x", ""], number=3
    )
    assert read(envelope("")) == Sample(value=None, lines=[], items=None, number=7)
    assert read(envelope("<items/>")).items == []
    # in another order
    assert read(envelope("<items/><line>l</line><value>v</value>")) == Sample(
        value="v", line=Line(text="l", name="no name"), items=[]
    )


XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
GOOD = envelope("<value>v</value>")
assert GOOD.startswith(b"<s:Envelope")
UNUSUAL = {
    "unknown element": envelope("<other/>"),
    "element of another namespace": envelope('<value xmlns="urn:other">v</value>'),
    "element twice": envelope("<value>v</value><value>v</value>"),
    "unknown attribute": envelope("<value a='1'>v</value>"),
    "unknown attribute of a struct": envelope("<line a='1'>v</line>"),
    "nil": envelope(f'<value {XSI} xsi:nil="true"/>'),
    "type": envelope(f'<line {XSI} xsi:type="Line">v</line>'),
    "element in a text": envelope("<value>v<b/></value>"),
    "text between elements": envelope("x<value>v</value>"),
    "text in a list": envelope("<items>x<item/></items>"),
    "wrong item": envelope("<items><value/></items>"),
    "comment": envelope("<value>v<!-- c --></value>"),
    "instruction": envelope("<?pi?><value>v</value>"),
    "unusual attribute": envelope("", ' number="10"'),
    "document type": b"<!DOCTYPE a>" + GOOD,
    "entities": b'<!DOCTYPE a [<!ENTITY e "x">]>' + GOOD.replace(b">v<", b">&e;<"),
    "unknown entity": GOOD.replace(b">v<", b">&e;<"),
    "byte order mark": b"\xef\xbb\xbf" + GOOD,
    "utf-16": GOOD.decode().encode("utf-16"),
    "utf-16 without a mark": GOOD.decode().encode("utf-16-le"),
    "declared encoding": b'<?xml version="1.0" encoding="ISO-8859-1"?>' + GOOD,
    "invalid utf-8": GOOD.replace(b">v<", b">\xff<"),
    "another version": b'<?xml version="1.1"?>' + GOOD,
    "namespace that is not a URI": GOOD.replace(b"<value>", b'<value xmlns:p="no uri">'),
    "truncated": GOOD[:-1],
    "nothing": b"",
    "two documents": GOOD + GOOD,
    "no envelope": b"<a/>",
    "fault": f'<s:Envelope xmlns:s="{SOAP}"><s:Body><s:Fault/></s:Body></s:Envelope>'.encode(),
    "empty body": f'<s:Envelope xmlns:s="{SOAP}"><s:Body/></s:Envelope>'.encode(),
    "two responses": GOOD.replace(b"</s:Body>", f'<Sample xmlns="{SPACE}"/></s:Body>'.encode()),
    "header": GOOD.replace(b"<s:Header/>", b"<s:Header><a/></s:Header>"),
    "header after the body": GOOD.replace(b"</s:Envelope>", b"<s:Header/></s:Envelope>"),
    "too deep": envelope("<line>" * 300 + "</line>" * 300),
    "long text": envelope(f"<value>{'x' * (1 << 20)}x</value>"),
    "long attribute": envelope(f'<line name="{"x" * (1 << 20)}x">v</line>'),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_document_is_left_to_python(name: str) -> None:
    assert read(GOOD).value == "v"
    with pytest.raises(xmlread.Slow):
        read(UNUSUAL[name])


def test_required_field_must_be_there() -> None:
    def define(plan: Any) -> None:
        field = xmlread.Field(tag("text"), xmlread.STRING)
        defaults = [("text", xmlread.REQUIRED, None), ("name", xmlread.VALUE, None)]
        plan.define([("text", field)], [], [], defaults, "")

    plan = xmlread.Plan(Line, define)
    assert read_document(envelope("<text>t</text>"), plan, tag("Sample"), frozenset()).text == "t"
    with pytest.raises(xmlread.Slow):
        read_document(envelope(""), plan, tag("Sample"), frozenset())


def test_error_of_a_plan_is_raised() -> None:
    def define(plan: Any) -> None:
        raise KeyError("broken")

    for _ in range(2):
        with pytest.raises(KeyError, match="broken"):
            xmlread.Reader(xmlread.Plan(Line, define), tag("Sample"), frozenset())


def test_field_of_another_plan_is_refused() -> None:
    """Its offset in the struct would be wrong."""
    plan = plan_of(xmlread.STRING)
    plan.complete()
    field = plan.elements[0]
    with pytest.raises(ValueError, match="another plan"):
        xmlread.Plan(Line, lambda other: other.define([("text", field)], [], [], [], "")).complete()
    other = xmlread.Field(tag("items"), xmlread.LIST, item=xmlread.Field(tag("item"), xmlread.STRING))
    with pytest.raises(ValueError, match="not a field of the plan"):
        xmlread.Reader(plan, tag("Sample"), frozenset(), other)


def test_plan_that_another_thread_completes_meanwhile_stays() -> None:
    """Readers of the other thread use its fields."""

    class Racing:
        """A struct type. Its first use is interrupted by another thread that completes the plan."""

        @property
        def __struct_fields__(self) -> tuple[str, ...]:
            if not fields:
                define(plan)
            return ("text", "name")

    fields: list[Any] = []

    def define(plan: Any) -> None:
        field = xmlread.Field(tag("text"), xmlread.STRING)
        fields.append(field)
        plan.define([("text", field)], [], [], [], "")

    struct_type: Any = Racing()
    struct_type.__dict__.update(text=Line.text, name=Line.name)
    plan = xmlread.Plan(struct_type, define)
    first = xmlread.Field(tag("text"), xmlread.STRING)
    plan.define([("text", first)], [], [], [], "")
    assert plan.elements == (fields[0],)


def test_list_next_to_another_repeated_element_is_not_streamed() -> None:
    """The other elements would be kept, and the limits for a response would not apply to them."""
    for others, is_streamed in ((0, True), (1, False)):

        def define(plan: Any, others: int = others) -> None:
            elements = [("value", xmlread.Field(tag("value"), xmlread.STRING))]
            elements += [("lines", xmlread.Field(tag("lines"), xmlread.STRING, repeats=True))]
            elements += [("items", xmlread.Field(tag("items"), xmlread.STRING, repeats=True))] * others
            plan.define(elements, [], [], [("lines", xmlread.FACTORY, list)], "")

        plan = xmlread.Plan(Sample, define)
        plan.complete()
        reader = ResponseReader(plan, f"{{{SPACE}}}Sample", frozenset(), f"{{{SPACE}}}lines")
        assert (reader.listed is not None) is is_streamed


@pytest.mark.parametrize("size", [1, 7, 100])
def test_items_and_head_come_while_the_document_arrives(size: int) -> None:
    plan = plan_of(xmlread.STRING)
    plan.complete()
    reader = xmlread.Reader(plan, tag("Sample"), frozenset(), plan.elements[3])
    document = envelope(f"<value>v</value><items>{'<item>i</item>' * 500}</items>")
    items = []
    for start in range(0, len(document), size):
        reader.feed(document[start : start + size])
        assert len(reader.items) <= size // 14 + 1
        items += reader.items
        reader.items.clear()
        assert not items or reader.head == Sample(value="v", items=[])
    assert items == ["i"] * 500
    assert reader.result is None or reader.result.items == []
    reader.feed(b"", True)
    assert reader.result == Sample(value="v", items=[])


def test_reader_cannot_be_used_after_an_unusual_document() -> None:
    plan = plan_of(xmlread.STRING)
    reader = xmlread.Reader(plan, tag("Sample"), frozenset())
    for data in (UNUSUAL["unknown element"], b"", GOOD):
        with pytest.raises(xmlread.Slow):
            reader.feed(data, True)


def test_reader_refuses_a_call_while_it_reads() -> None:
    """Functions of Python run while it reads, and so do other threads."""
    errors: list[str] = []

    def parse(text: str) -> str:
        try:
            reader.feed(b"<")
        except RuntimeError as error:
            errors.append(str(error))
        return text

    reader = xmlread.Reader(plan_of(xmlread.PARSED, parse=parse), tag("Sample"), frozenset([SPACE]))
    reader.feed(GOOD, True)
    assert reader.result.value == "v"
    assert errors == ["another thread uses this reader"]


def test_interrupt_while_reading_is_raised() -> None:
    def parse(text: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read(GOOD, xmlread.PARSED, parse=parse)


# ---- memory

SHARED = {"v": Decimal("1.5")}


@pytest.fixture(scope="module")
def frozen() -> None:
    """Exclude existing objects from garbage collections, which would take longer than the tests."""
    gc.collect()
    gc.freeze()


def _counts(plan: Any) -> list[int]:
    objects = [None, True, Sample, Line, xmlread.Slow, dt.UTC, plan, SHARED["v"], *plan.elements]
    return [sys.getrefcount(each) for each in objects]


def documents(*names: str) -> list[Any]:
    """Parameters of documents by their names. Long ones are in the second ring."""
    long = [pytest.mark.exhaustive]
    found = {"usual": GOOD, **UNUSUAL}
    return [pytest.param(found[name], id=name, marks=long * name.startswith("long")) for name in names]


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("document", documents("usual", *UNUSUAL))
def test_references_are_not_leaked(document: bytes) -> None:
    plan = plan_of(xmlread.ENUMERATION, members={key.encode(): value for key, value in SHARED.items()})
    plan.complete()

    def run(times: int) -> None:
        for _ in range(times):
            reader = xmlread.Reader(plan, tag("Sample"), frozenset([SPACE]), plan.elements[3])
            try:
                reader.feed(document, True)
            except xmlread.Slow:
                continue

    def growth() -> list[int]:
        gc.collect()
        before = [*_counts(plan), len(gc.get_objects())]
        run(50)
        gc.collect()
        after = [*_counts(plan), len(gc.get_objects())]
        return [abs(count - earlier) for earlier, count in zip(before, after, strict=True)]

    run(3)
    # What another thread does changes the counts once. A leak changes them by 50 in each round.
    rounds = [growth() for _ in range(3)]
    assert max(map(min, zip(*rounds, strict=True))) < 40


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("document", documents("usual", "unknown element", "truncated", "long text"))
def test_memory_does_not_grow(document: bytes) -> None:
    plan = plan_of(xmlread.STRING)

    def run() -> int:
        for _ in range(20):
            try:
                read_document(document, plan, tag("Sample"), frozenset([SPACE]))
            except xmlread.Slow:
                continue
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        run()
        sizes = [run() for _ in range(4)]
        # What another thread allocates counts once. A leak counts in each round.
        assert min(later - earlier for earlier, later in pairwise(sizes)) < 2_000
    finally:
        tracemalloc.stop()
