"""docs/how-to/from-zeep.md on responses that violate the WSDL: results of zeep and of this client."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any  # zeep is untyped, and the package is generated here

import pytest
import requests_mock
import zeep
from requests.adapters import HTTPAdapter
from urllib3.util import Retry
from zeep.transports import Transport

from bindgen import init
from soapclient import connect
from soapclient.errors import AmbiguousOutcome, ResponseError
from tests.docs.pages import Page

PAGE = Page("docs/how-to/from-zeep.md")
ADDRESS = "https://orders.example/soap"
ENVELOPE = """<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>
<PlaceOrderResponse xmlns="urn:example:orders">{}</PlaceOrderResponse></e:Body></e:Envelope>"""
NUMBER, TOTAL, STATE = "<number>7</number>", "<total>12.50</total>", "<state>accepted</state>"
LINE = "<line><article>A-100</article><pieces>2</pieces></line>"
GOOD = NUMBER + TOTAL + STATE + LINE


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("from-zeep")
    (folder / "orders.wsdl").write_text(PAGE.file("orders.wsdl"), encoding="utf-8")
    made = init.make("orders_of_zeep", folder / "orders.wsdl", offline=True)
    init.write(folder / "orders_of_zeep", made.files)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder


def by_zeep(package: Path, text: str, **settings: bool) -> Any:
    client = zeep.Client(str(package / "orders.wsdl"), settings=zeep.Settings(**settings))  # type: ignore[no-untyped-call] # zeep has no types
    with requests_mock.Mocker() as http:
        http.post(ADDRESS, text=text, headers={"Content-Type": "text/xml; charset=utf-8"})
        return client.service.PlaceOrder(customer="Ada", line=[{"article": "A-100", "pieces": 2}])


def by_us(text: str) -> tuple[Any, list[str]]:
    """Return the response, and the kinds of its findings."""
    orders: Any = importlib.import_module("orders_of_zeep")
    line = importlib.import_module("orders_of_zeep.types").Line(article="A-100", pieces=2)
    with requests_mock.Mocker() as http:
        http.post(ADDRESS, text=text, headers={"Content-Type": "text/xml; charset=utf-8"})
        connection = connect(orders.OrdersOfZeepService)
        with connection as shop:
            response = shop.place_order(customer="Ada", line=[line])
    return response, [finding.kind for _, finding in connection.drift.counts()]


@pytest.mark.exhaustive
def test_unknown_element_behaves_as_documented(package: Path) -> None:
    text = ENVELOPE.format(GOOD + "<more/>")
    with pytest.raises(zeep.exceptions.XMLParseError):
        by_zeep(package, text)
    assert len(by_zeep(package, text, strict=False)._raw_elements) == 1
    response, findings = by_us(text)
    assert (response.number, findings) == (7, ["element"])


@pytest.mark.exhaustive
def test_other_element_order_behaves_as_documented(package: Path) -> None:
    text = ENVELOPE.format(STATE + LINE + NUMBER + TOTAL)
    with pytest.raises(zeep.exceptions.XMLParseError):
        by_zeep(package, text)
    ignored = by_zeep(package, text, xsd_ignore_sequence_order=True)
    response, findings = by_us(text)
    assert ignored.number == response.number == 7
    assert findings == []


def test_unknown_enumeration_value_behaves_as_documented(package: Path) -> None:
    text = ENVELOPE.format(GOOD.replace("accepted", "lost"))
    response, findings = by_us(text)
    assert by_zeep(package, text).state == response.state == "lost"
    assert findings == ["value"]


def test_invalid_number_behaves_as_documented(package: Path) -> None:
    text = ENVELOPE.format(GOOD.replace("7", "x"))
    assert by_zeep(package, text).number is None
    with pytest.raises(ResponseError, match="PlaceOrderResponse/number is 'x'"):
        by_us(text)


def test_missing_required_element_behaves_as_documented(package: Path) -> None:
    text = ENVELOPE.format(TOTAL + STATE + LINE)
    with pytest.raises(zeep.exceptions.XMLParseError):
        by_zeep(package, text)
    assert by_zeep(package, text, strict=False).number is None
    with pytest.raises(ResponseError, match="PlaceOrderResponse/number is missing"):
        by_us(text)


def test_truncated_response_behaves_as_documented(package: Path) -> None:
    whole = ENVELOPE.format(GOOD + LINE + LINE)
    cut = whole[: whole.rindex("<line>")]
    with pytest.raises(zeep.exceptions.TransportError, match="invalid XML"):
        by_zeep(package, cut)
    assert len(by_zeep(package, cut, strict=False).line) == 2  # of three
    with pytest.raises(AmbiguousOutcome):
        by_us(cut)


def test_limits_and_retries_of_zeep_are_as_documented() -> None:
    transport = Transport()  # type: ignore[no-untyped-call] # zeep has no types
    assert (transport.load_timeout, transport.operation_timeout, transport.cache) == (300, None, None)
    adapter = transport.session.get_adapter(ADDRESS)
    assert isinstance(adapter, HTTPAdapter)
    assert adapter.max_retries.total == 0
    assert "POST" not in (Retry.DEFAULT_ALLOWED_METHODS or ())


def test_each_table_row_covers_zeep_and_soapclient() -> None:
    rows = re.findall(r"^\| (.+) \|$", PAGE.by_hand, re.MULTILINE)
    assert len(rows) > 30
    assert all(cell.strip() for row in rows for cell in row.split(" | "))
