"""An envelope has one body, after its header, and no text between its elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client
from soapclient.errors import AmbiguousOutcome, ResponseError
from soapclient.runtime import Finding
from tests.soap.conftest import envelope, responses
from tests.support.sales import sales, stream_of_sales

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Wire

ITEMS = 300  # more than one chunk
READS = [(sales, 2**30), (sales, 0), (stream_of_sales, 0)]
Read = Callable[[Client], list[Any]]


def sales_envelope() -> str:
    return responses.sales(*map(responses.sale, range(ITEMS))).decode()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("read", "stream_above"), READS, ids=["tree", "collected", "stream"])
@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("</s:Body>", "</s:Body><s:Body/>", "Envelope/Body[2]"),
        ("</s:Body>", "</s:Body><s:Header/>", "Envelope/Header"),
        ("<s:Body>", "<s:Header/><s:Header/><s:Body>", "Envelope/Header"),
    ],
    ids=["second body", "header after the body", "second header"],
)
def test_a_second_body_and_a_header_after_it_are_damage(
    open_client: OpenClient, wire: Wire, read: Read, stream_above: int, old: str, new: str, path: str
) -> None:
    wire.answers(sales_envelope().replace(old, new).encode())
    client = open_client(attempts=1, stream_above=stream_above)
    with pytest.raises(ResponseError) as caught:
        read(client)
    assert caught.value.damaged
    assert caught.value.path == path
    # A second header is detected before the first item is returned, the others after the last item.
    assert caught.value.items_returned == (ITEMS if read is stream_of_sales and "</s:Body>" in new else None)


def test_damaged_envelope_retries_a_read_and_makes_a_write_ambiguous(
    open_client: OpenClient, wire: Wire
) -> None:
    damaged = envelope("").replace(b"<s:Body></s:Body>", b"<s:Body/><s:Body/>")
    client = open_client(attempts=2)
    wire.answers(damaged)
    wire.answers(sales_envelope().encode())
    assert len(sales(client)) == ITEMS
    wire.answers(damaged)
    with pytest.raises(AmbiguousOutcome):
        client.publisher.create_program_application(program_id=1, adspace_id=2)


TEXT, NEW = Finding("value", "Envelope", "text"), Finding("element", "Envelope/new", "")


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("read", "stream_above"), READS, ids=["tree", "collected", "stream"])
@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("<s:Body>", "<s:Body> text ", TEXT._replace(path="Envelope/Body")),
        ("</s:Body>", " text </s:Body>", TEXT._replace(path="Envelope/Body")),
        ("</s:Body>", "</s:Body>text", TEXT),
        ("<s:Body>", "text<s:Body>", TEXT),
        ("<s:Body>", "<s:Header>text</s:Header><s:Body>", TEXT._replace(path="Envelope/Header")),
        ("<s:Body>", '<new xmlns="urn:new"/><s:Body>', NEW),
        ("</s:Envelope>", '<new xmlns="urn:new"/></s:Envelope>', NEW),
    ],
)
def test_text_and_another_element_in_an_envelope_are_findings(
    open_client: OpenClient, wire: Wire, read: Read, stream_above: int, old: str, new: str, finding: Finding
) -> None:
    wire.answers(sales_envelope().replace(old, new).encode())
    client = open_client(attempts=1, stream_above=stream_above)
    assert len(read(client)) == ITEMS
    assert client.drift.counts() == {("GetSales", finding): 1}


def test_white_space_in_an_envelope_is_not_a_finding(once: Client, wire: Wire) -> None:
    wire.answers(sales_envelope().replace("s:Body>", "s:Body>\n").encode())
    assert len(sales(once)) == ITEMS
    assert once.drift.counts() == {}
