"""The path is signed as sent, including escapes, doubled slashes and a trailing slash."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from lxml import etree

if TYPE_CHECKING:
    from tests.tracking.sandbox.caller import Caller

XML = "/xml/2011-03-01"
# The sent path, and other spellings of the same resource: a signature of these must be refused.
SPELLINGS = [
    ("/reports/sales/sale/a%7Eb", "/reports/sales/sale/a~b"),
    ("/reports/sales/sale/a~b", "/reports/sales/sale/a%7Eb"),
    ("/reports/sales/sale/a%7eb", "/reports/sales/sale/a~b"),
    ("/reports/sales/sale/caf%c3%a9", "/reports/sales/sale/caf%C3%A9"),
    ("/reports/sales/sale/a%20b", "/reports/sales/sale/a b"),
    ("/reports/sales/sale/a+b", "/reports/sales/sale/a b"),
    ("/adspaces/", "/adspaces"),
    ("/adspaces", "/adspaces/"),
    ("//adspaces", "/adspaces"),
    ("/./adspaces", "/adspaces"),
    ("/reports//sales/date/2026-11-01", "/reports/sales/date/2026-11-01"),
    ("/%61dspaces", "/adspaces"),
    ("/programs/../adspaces", "/adspaces"),
]


@pytest.mark.parametrize(("sent", "other"), SPELLINGS)
def test_signature_covers_the_sent_target(caller: Caller, sent: str, other: str) -> None:
    assert caller.ask("GET", XML, sent).status == 200
    assert caller.ask("GET", XML, sent, signed=other).error()[:2] == (403, "403")


def test_case_of_percent_escapes_matters(caller: Caller) -> None:
    # The reverse is accepted because some clients signed the whole path in lower case
    # (docs/explanation/service.md#signing).
    sent, lowered = "/reports/sales/sale/caf%C3%A9", "/reports/sales/sale/caf%c3%a9"
    assert caller.ask("GET", XML, sent, signed=lowered).status == 200
    assert caller.ask("GET", XML, lowered, signed=sent).status == 403


def test_escaped_slash_in_an_id_does_not_split_the_path(caller: Caller) -> None:
    inside = caller.ask("GET", XML, "/reports/sales/sale/a%2Fbasket")
    assert inside.status == 200
    assert etree.QName(inside.xml()).localname == "GetSaleResponse"
    assert caller.ask("GET", XML, "/reports%2Fsales/date/2026-11-01").error()[:2] == (404, "404")
    basket = caller.ask("GET", XML, "/reports/sales/sale/a/basket")
    assert etree.QName(basket.xml()).localname == "GetSaleBasketResponse"


def test_undecodable_escapes_are_refused(caller: Caller) -> None:
    assert caller.ask("GET", XML, "/products/product/%ff", auth="id").error()[:2] == (400, "230")
    assert caller.ask("GET", XML, "/../../etc/hosts", auth="id").error()[:2] == (404, "404")


def test_absolute_target_form_is_accepted(caller: Caller) -> None:
    """Clients behind a proxy send it (RFC 9112, 3.2.2)."""
    place = urlsplit(caller.url)
    assert place.hostname is not None
    # The host of the target counts, not the header (RFC 9112, 3.2.2).
    for target, named, status in (
        ("localhost", "localhost", b"200"),
        ("localhost", "evil.example", b"200"),
        ("evil.example", "localhost", b"421"),
    ):
        signed = caller.headers("GET", "/profiles")
        fields = "".join(f"{name}: {value}\r\n" for name, value in signed.items())
        head = f"GET http://{target}{XML}/profiles HTTP/1.1\r\nHost: {named}\r\n"
        with socket.create_connection((place.hostname, place.port or 80), timeout=8) as connection:
            connection.sendall(f"{head}{fields}Connection: close\r\n\r\n".encode())
            with connection.makefile("rb") as received:
                assert received.readline().split()[1] == status
