"""Streams, pages and retries of a package with its own settings, over HTTP: from the WSDL to the items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
import zeep
from lxml import etree

from soapclient import Settings
from soapclient.errors import AmbiguousOutcome, ConfigError, ResponseError
from soapclient.runtime.service import Service
from tests.support.cases import case_text
from tests.support.packages import generated
from tests.support.soap import envelope
from tests.support.wire import Exchange, Wire

SPACE = "urn:example:shelf"
WSDL = case_text(__file__, "shelf.wsdl")
_SETTINGS = case_text(__file__, "shelf.toml")


@pytest.fixture(scope="module")
def shelf() -> Iterator[ModuleType]:
    with generated("own_shelf", WSDL, _SETTINGS) as package:
        yield package


Open = Callable[..., Any]


@pytest.fixture
def opened(shelf: ModuleType, wire: Wire, open_service: Open) -> Open:
    def make(zeep_settings: Any = None, **settings: Any) -> Any:
        given: Any = {"settings": Settings(**settings), "zeep_settings": zeep_settings}
        return open_service(shelf.OwnShelfService, wire.url, **given)

    return make


def key(shelf: ModuleType) -> object:
    made: object = import_module(f"{shelf.__name__}.types").Key(value="k")
    return made


def books(*numbers: int, total: int | None = None, wrapped: bool = False) -> bytes:
    items = "".join(f'<book id="{n}"><title>Book {n}</title></book>' for n in numbers)
    said = "" if total is None else f"<total>{total}</total>"
    inside = f"<books>{items}</books>{said}" if wrapped else f"{said}{items}"
    name = "WrappedResponse" if wrapped else "BooksResponse"
    return envelope(f'<{name} xmlns="{SPACE}">{inside}</{name}>').encode()


def asked(wire: Wire) -> list[tuple[str | None, str | None]]:
    """Page and size of each request."""
    roots = [etree.fromstring(sent.body) for sent in wire.sent]
    return [(root.findtext(f".//{{{SPACE}}}page"), root.findtext(f".//{{{SPACE}}}size")) for root in roots]


def test_a_list_is_streamed_while_it_arrives(opened: Open, wire: Wire) -> None:
    """The server sends the rest only after the first book is read, which happens when the next one begins."""
    whole = books(1, 2, total=2)
    at = whole.index(b"<title>Book 2")
    read: list[int] = []
    before: list[int] = []

    def respond(exchange: Exchange) -> None:
        exchange.head(Content_Length=str(len(whole)))
        exchange.write(whole[:at])
        for _ in range(1000):
            if read or exchange.ended.wait(0.01):
                break
        before.extend(read)
        exchange.write(whole[at:])

    wire.does(respond)
    with opened().stream.books(size=2) as found:
        for each in found:
            read.append(each.id)
        assert (found.head.total, found.head.book, found.given) == (2, [], 2)
    assert read == [1, 2]
    assert before == [1]


def test_a_wrapped_list_is_streamed_with_a_header(opened: Open, wire: Wire, shelf: ModuleType) -> None:
    wire.answers(books(1, 2, wrapped=True, total=2))
    with opened().stream.wrapped(key_header=key(shelf)) as found:
        assert [(each.id, each.title) for each in found] == [(1, "Book 1"), (2, "Book 2")]
        assert found.head.total == 2
    assert etree.fromstring(wire.sent[0].body).findtext(f".//{{{SPACE}}}Key") == "k"


def test_pages_are_requested_in_order(opened: Open, wire: Wire) -> None:
    for numbers in ((1, 2, 3), (4,)):
        wire.answers(books(*numbers, total=4))
    seen: list[tuple[int, int, int | None]] = []
    found = opened().iterate.books(on_page=lambda page, read, total: seen.append((page, read, total)))
    assert [each.id for each in found] == [1, 2, 3, 4]
    assert asked(wire) == [("1", "3"), ("2", "3")]
    assert seen == [(1, 3, 4), (2, 4, 4)]
    assert (found.given, found.total) == (4, 4)


def test_pages_of_an_operation_with_a_header_are_requested(
    opened: Open, wire: Wire, shelf: ModuleType
) -> None:
    """Each page request has the header, and is retried if that is safe."""
    wire.answers(books(4, 5, 6, wrapped=True))
    wire.answers(b"", 503)
    wire.answers(books(wrapped=True))
    assert [each.id for each in opened().iterate.wrapped(page=2, size=3, key_header=key(shelf))] == [4, 5, 6]
    assert asked(wire) == [("2", "3"), ("3", "3"), ("3", "3")]
    keys = [etree.fromstring(sent.body).findtext(f".//{{{SPACE}}}Key") for sent in wire.sent]
    assert keys == ["k", "k", "k"]


def test_settings_file_selects_retried_operations(opened: Open, wire: Wire) -> None:
    wire.answers(b"", 503)
    wire.answers(books(1, wrapped=True))
    service = opened()
    (book,) = service.wrapped().books
    assert (book.id, len(wire.sent)) == (1, 2)
    wire.answers(b"", 503)
    with pytest.raises(AmbiguousOutcome):
        service.books()
    wire.answers(books(1)[:-30])
    with pytest.raises(AmbiguousOutcome):
        service.books()
    assert len(wire.sent) == 4


def test_stream_is_retried_before_its_first_item(opened: Open, wire: Wire) -> None:
    streams = opened().stream
    wire.answers(b"", 503)
    wire.answers(books(1, 2, wrapped=True)[:-60])
    with streams.wrapped() as found:
        assert next(found).id == 1
        with pytest.raises(ResponseError, match="after 1 item"):
            list(found)
    assert len(wire.sent) == 2


@pytest.mark.parametrize("count", [0, 1])
def test_stream_with_an_unknown_mandatory_header_yields_no_item(opened: Open, wire: Wire, count: int) -> None:
    head = '<s:Header><n:New xmlns:n="urn:new" s:mustUnderstand="1"/></s:Header><s:Body>'
    wire.answers(books(*range(count), wrapped=True).replace(b"<s:Body>", head.encode()))
    streams = opened().stream
    with pytest.raises(ResponseError, match="Envelope/Header/New"), streams.wrapped() as found:
        list(found)
    assert len(wire.sent) == 1


def test_streams_yield_items_if_responses_are_raw(opened: Open, wire: Wire) -> None:
    wire.answers(books(1))
    with opened(zeep_settings=zeep.Settings(raw_response=True)).stream.books() as found:
        assert [each.id for each in found] == [1]


def test_connection_has_the_streams_and_pages_of_its_service(opened: Open, shelf: ModuleType) -> None:
    connection = opened()
    assert type(connection.stream) is shelf.OwnShelfServiceStreams
    assert type(connection.iterate) is shelf.OwnShelfServicePages
    assert type(connection.with_options(attempts=1).stream) is shelf.OwnShelfServiceStreams
    without = Service(connection._engine)
    for face in ("stream", "iterate"):
        with pytest.raises(ConfigError, match=f"{face}: Service does not have this method"):
            getattr(without, face)
