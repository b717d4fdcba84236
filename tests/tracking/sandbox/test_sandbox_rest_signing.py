"""Authentication over REST: signatures in headers or in the query, checked with hmac (caller.py)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from tests.stage import Stage
    from tests.tracking.sandbox.caller import Caller, RestResponse

XML, ADVERTISER = "/xml/2011-03-01", "/2015-03-01"
SALES = "/reports/sales/date/2026-11-01"
PLACES = ["headers", "query"]


def send(
    caller: Caller, auth: str, uri: str, signed: tuple[str, str, str], base: str = XML, query: str = ""
) -> RestResponse:
    """Send a request with date, nonce and signature in the headers or in the query."""
    if auth == "headers":
        return caller.ask("GET", base, f"{uri}?{query}", auth="none", **caller.in_headers(*signed))
    return in_query(caller, uri, f"{query}&{caller.in_query(*signed)}".lstrip("&"), base)


def in_query(caller: Caller, uri: str, query: str, base: str = XML) -> RestResponse:
    return caller.ask("GET", base, f"{uri}?{query}", auth="none")


@pytest.mark.parametrize("change", ["verb", "uri", "date", "nonce", "signature"])
@pytest.mark.parametrize("auth", PLACES)
def test_one_changed_byte_is_refused(caller: Caller, change: str, auth: str) -> None:
    when, nonce, signature = caller.signed("POST" if change == "verb" else "GET", SALES)
    uri = "/reports/sales/date/2026-11-02" if change == "uri" else SALES
    if change == "date":
        when = f"{caller.clock.now() + timedelta(seconds=1):%a, %d %b %Y %H:%M:%S} GMT"
    if change == "nonce":
        nonce = nonce[:-1] + "x"
    if change == "signature":
        signature = ("A" if signature[0] != "A" else "B") + signature[1:]
    response = send(caller, auth, uri, (when, nonce, signature))
    assert response.error() == (403, "403", f"the signature in the {auth} is not right")


def plus(caller: Caller, uri: str) -> tuple[str, str, str]:
    """Return a signature that contains a plus."""
    for _ in range(1000):
        found = caller.signed("GET", uri)
        if "+" in found[2]:
            return found
    raise AssertionError("a thousand signatures, and none has a plus")


def test_a_plus_in_a_query_is_a_space(caller: Caller) -> None:
    """In the date this is the intended meaning (docs/explanation/service.md#signing)."""
    when, nonce, signature = plus(caller, SALES)
    head = f"connectid={caller.connect_id}&date={when.replace(' ', '+')}&nonce={nonce}&signature="
    raw = in_query(caller, SALES, head + signature.replace("/", "%2F").replace("=", "%3D"))
    assert raw.error() == (403, "403", "the signature in the query is not right")
    assert in_query(caller, SALES, head + quote(signature, safe="")).status == 200


def test_query_names_are_case_insensitive(caller: Caller) -> None:
    when, nonce, signature = caller.signed("GET", SALES)
    query = f"ConnectID={caller.connect_id}&DATE={quote(when)}&Nonce={nonce}&sigNature={quote(signature)}"
    assert in_query(caller, SALES, query.replace("+", "%2B")).status == 200


def test_headers_and_query_together_are_refused(caller: Caller) -> None:
    response = caller.ask("GET", XML, f"{SALES}?{caller.query('GET', SALES)}")
    assert response.error()[:2] == (400, "230")
    alone = caller.ask("GET", XML, f"/programs?connectid={caller.connect_id}", auth="id")
    assert alone.error()[:2] == (400, "230")


def test_a_parameter_of_the_signature_sent_twice_is_refused(caller: Caller) -> None:
    query = caller.query("GET", SALES)
    assert in_query(caller, SALES, f"{query}&Nonce=another-one-0123456789").error()[:2] == (400, "230")


@pytest.mark.parametrize("auth", PLACES)
@pytest.mark.parametrize(
    ("base", "target", "suffix", "status"),
    [
        (XML, SALES, "", 200),
        ("/xml/2011-05-01", "/jobs", "", 200),
        (XML, SALES, " GMT+1", 403),
        (XML, SALES, " CET", 403),
        (XML, SALES, "GMT", 403),
        (ADVERTISER, "/member/partnership", "", 403),
        (ADVERTISER, "/member/partnership", " GMT", 200),
    ],
)
def test_timestamp_suffix_is_accepted(
    caller: Caller, shared_stage: Stage, auth: str, base: str, target: str, suffix: str, status: int
) -> None:
    """Only the Advertiser interface documents the suffix. The timestamp is signed as sent
    (docs/explanation/service.md#signing).
    """
    signed = caller.signed("GET", target, suffix)
    codes = shared_stage.sandbox.partner_codes(caller.connect_id)
    query = f"partnerCode={codes[0]}" if base == ADVERTISER else ""
    response = send(caller, auth, target, signed, base, query)
    assert response.status == status
    if status != 200:
        said = f"the signature in the {auth}: the timestamp {signed[0]!r} has the wrong format"
        assert response.error()[2] == said


@pytest.mark.parametrize("auth", PLACES)
def test_nonce_is_valid_once(caller: Caller, auth: str) -> None:
    signed = caller.signed("GET", "/profiles")
    assert send(caller, auth, "/profiles", signed).status == 200
    assert send(caller, auth, "/profiles", signed).refused(403, 403, "nonce")


def test_the_query_is_not_part_of_what_is_signed(caller: Caller) -> None:
    assert caller.ask("GET", XML, f"{SALES}?items=2", signed=SALES).status == 200
    assert caller.ask("GET", XML, f"{SALES}?items=2", signed=f"{SALES}?items=2").status == 403
    assert caller.ask("GET", XML, SALES, signed=f"{XML}{SALES}").status == 403
