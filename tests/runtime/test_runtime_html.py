"""The HTML that notebooks show: parsed again with an HTML parser, escaped, bounded, and without secrets."""

from __future__ import annotations

import datetime as dt
import types
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from soapclient import AsyncClient, Settings, connect, days
from soapclient.runtime.nil import NIL, Nil
from soapclient.runtime.record import Record
from soapclient.tables import rows_of
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.stage import Stage
from zxws.publisher.service import PublisherService

DAY = dt.date(2026, 11, 1)


class Colour(StrEnum):
    RED = "red"


class Part(Record):
    name: str
    price: Decimal | None = None
    api_key: str = ""


class Whole(Record):
    text: str
    part: Part | None = None
    parts: list[Part] = []  # noqa: RUF012 - msgspec copies it
    tags: list[str] = []  # noqa: RUF012
    colour: Colour | None = None
    note: str | Nil | None = None
    password: str | None = None
    inner: Whole | None = None
    unknown: dict[str, str] = {}  # noqa: RUF012


def cells(shown: str) -> list[str]:
    """Return the text of each cell and title, in order."""
    root = html.fragment_fromstring(shown, create_parent="div")
    found = (node for node in root.iter("th", "td", "b") if not node.xpath(".//th|.//td|.//b"))
    return [node.text_content() for node in found]


def test_struct_is_a_table_of_its_set_fields() -> None:
    value = Whole(
        text='<script>alert("1")</script>',
        part=Part(name="a & b", price=Decimal("1.50")),
        parts=[Part(name="c"), Part(name="d", price=Decimal(2))],
        tags=["x", "y"],
        colour=Colour.RED,
        note=NIL,
    )
    shown = value._repr_html_()
    assert "<script>" not in shown
    assert cells(shown) == [
        "Whole", "text", '<script>alert("1")</script>',
        "part", "Part", "name", "a & b", "price", "1.50", "api_key", "(not shown)",
        "parts", "name", "price", "api_key", "c", "", "(not shown)", "d", "2", "(not shown)",
        "tags", "xy", "colour", "red", "note", "nil", "unknown", "",
    ]  # fmt: skip


def test_nested_secrets_are_not_shown() -> None:
    value = Whole(
        text="a",
        password="hush",
        parts=[Part(name="p", api_key="hush")],
        inner=Whole(text="b", password="hush", unknown={"sessionToken": "hush", "@pin": "hush"}),
    )
    assert "hush" not in value._repr_html_()


def test_long_values_are_cut_and_marked() -> None:
    value = Whole(text="x" * 5000, tags=[str(n) for n in range(1234)])
    shown = value._repr_html_()
    assert f"{'x' * 200}…" in shown
    assert "1,224 more of 1,234" in shown
    deep = Whole(text="end")
    for _ in range(100):
        deep = Whole(text="on", inner=deep)
    assert len(deep._repr_html_()) < 5000
    broad = Whole(text="all", inner=Whole(text="b", parts=[Part(name="p")] * 10))
    for _ in range(3):
        broad = Whole(text="c", inner=broad, parts=[Part(name="p" * 300)] * 1000)
    assert len(broad._repr_html_()) < 50_000


class Wide(Record):
    lists: list[list[list[list[str]]]]


def test_an_output_has_at_most_a_thousand_cells() -> None:
    value = Wide(lists=[[[["x" * 300] * 10] * 10] * 10] * 10)
    assert len(value._repr_html_()) < 1_000 * 300


def record_type(name: str, fields: Mapping[str, object]) -> Callable[..., Record]:
    """Return a class of records with these fields."""
    made: Callable[..., Record] = types.new_class(
        name, (Record,), exec_body=lambda body: body.update(__annotations__=fields)
    )
    return made


def test_fields_and_rows_stop_at_the_limit() -> None:
    names = [f"f{n}" for n in range(60)]
    inner = record_type("Inner", dict.fromkeys(names, str))
    outer = record_type("Outer", dict.fromkeys(names, inner))
    value = outer(**dict.fromkeys(names, inner(**dict.fromkeys(names, "x"))))
    shown = value._repr_html_()
    assert shown.count("<td>x</td>") < 1_000
    assert "<tr><td>…</td></tr>" in shown
    listed = record_type("Rows", {"rows": list})(rows=[value] * 10)
    assert "<td>…</td></tr></table>" in listed._repr_html_()


@given(st.text())
def test_text_is_escaped(text: str) -> None:
    shown = Whole(text=text)._repr_html_()
    inside = shown.split("<th>text</th><td>")[1].split("</td>")[0]
    assert "<" not in inside
    import html as standard

    assert standard.unescape(inside) == (text if len(text) <= 200 else f"{text[:200]}…")


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage()


def test_responses_pages_and_clients_are_shown(stage: Stage) -> None:
    with stage, stage.client() as client:
        response = client.publisher.get_sales(date=DAY, date_type="trackingDate", items=50)
        shown = cells(response._repr_html_())
        assert shown[:7] == ["GetSalesResponse", "page", "0", "items", "50", "total", "96"]
        pages = client.publisher.iterate.get_sales(date=DAY, date_type="trackingDate", items=50)
        show = getattr(pages, "_repr_html_")  # noqa: B009 - the name that notebooks look up
        assert cells(show()) == ["Pages of GetSales", "page", "0", "given", "0"]
        next(pages)
        assert cells(show()) == ["Pages of GetSales", "page", "0", "given", "1", "total", "96"]
        span = client.publisher.iterate.get_sales(date=days(DAY, DAY), date_type="trackingDate")
        show = getattr(span, "_repr_html_")  # noqa: B009
        assert cells(show())[:3] == ["DayPages of GetSales", "day", "2026-11-01"]
        assert cells(rows_of(response)._repr_html_()) == ["Rows of GetSalesResponse"]
        address = f"soap, {stage.url}"
        assert cells(client._repr_html_()) == [
            "Client", "publisher", address, "data", address, "advertiser", f"rest, {stage.url}",
        ]  # fmt: skip


def test_clients_show_no_secret() -> None:
    secret = "hush0123456789hush"
    config = Settings.load(
        environ={},
        connect_id=SAMPLE_CONNECT_ID,
        secret_key=SAMPLE_SECRET_KEY,
        publisher_url="https://a.example",
        publisher_protocol="rest",
    )
    shown = AsyncClient(config)._repr_html_()
    assert SAMPLE_SECRET_KEY not in shown
    assert secret not in shown
    assert cells(shown) == [
        "AsyncClient", "publisher", "rest, https://a.example", "data", "soap, no address",
        "advertiser", "rest, no address",
    ]  # fmt: skip
    connection = connect(
        PublisherService,
        address=f"https://a.example/soap?key={secret}",
        settings=Settings(),
        credentials=config.credentials(),
    )
    shown = connection._repr_html_()
    assert secret not in shown
    assert cells(shown)[:3] == ["PublisherService", "port", "PublisherSoapPort"]
    connection.close()
