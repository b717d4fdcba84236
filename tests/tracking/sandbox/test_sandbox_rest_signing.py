"""Authentication over REST: signatures in headers or in the query, checked with hmac (caller.py)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import uuid4

import pytest

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID

if TYPE_CHECKING:
    from tests.stage import Stage
    from tests.tracking.sandbox.caller import Caller, RestResponse

XML, JSON, ADVERTISER = "/xml/2011-03-01", "/json/2011-03-01", "/2015-03-01"
SALES = "/reports/sales/date/2026-11-01"
PLACES = ["headers", "query"]


def parts(caller: Caller, uri: str, nonce: str, verb: str = "GET") -> tuple[str, str, str]:
    """Return date, nonce and signature."""
    when = f"{caller.clock.now():%a, %d %b %Y %H:%M:%S} GMT"
    return when, nonce, caller.sign(verb, uri, when, nonce)


def in_query(caller: Caller, uri: str, query: str) -> RestResponse:
    return caller.ask("GET", XML, f"{uri}?{query}", auth="none")


@pytest.mark.parametrize("base", [XML, JSON])
@pytest.mark.parametrize("auth", PLACES)
def test_a_signature_in_either_place_is_accepted(caller: Caller, base: str, auth: str) -> None:
    # a Literal
    assert caller.ask("GET", base, f"{SALES}?items=1", auth=auth).status == 200  # type: ignore[arg-type]


def test_published_signatures_are_accepted(staged: Callable[..., Stage]) -> None:
    """Known answers from docs/explanation/service.md#signing, calculated by others."""
    stage = staged()
    stage.clock.set(datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC))
    caller = stage.caller

    def asked(base: str, target: str, signature: str) -> RestResponse:
        headers = {
            "Authorization": f"ZXWS {SAMPLE_CONNECT_ID}:{signature}",
            "Date": "Thu, 15 Aug 2013 15:56:07 GMT",
            "nonce": "17811FEFBA7448CE848327F835729AA2",
        }
        return caller.ask("GET", base, target, auth="none", **headers)

    target, signature = "/reports/sales/date/2013-07-20", "N4RPYDY1aUjciVm32pCJ82FVvuk="
    assert asked(XML, target, signature.lower()).error()[:2] == (403, "403")
    assert asked(XML, target, signature).status == 200
    assert "nonce" in asked(XML, target, signature).error()[2]  # now the nonce is used
    stage = staged()
    stage.clock.set(datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC))
    caller = stage.caller
    report = "/report/program/1803?fromdate=2013-08-01&todate=2013-08-15"
    status, code, reason = asked(ADVERTISER, report, "SwtIU7Ubwq5zvO/MjDLlDjtynhw=").error()
    own = stage.sandbox.program_of(SAMPLE_CONNECT_ID)
    assert own != 1803
    assert (status, code) == (403, "403")
    assert "program" in reason  # the signature was valid, but the program belongs to another account


@pytest.mark.parametrize("change", ["verb", "uri", "date", "nonce", "signature"])
@pytest.mark.parametrize("auth", PLACES)
def test_one_changed_byte_is_refused(caller: Caller, change: str, auth: str) -> None:
    uri, nonce = SALES, f"changed-{change}-{auth}-0123456789"
    when, nonce, signature = parts(caller, uri, nonce, "POST" if change == "verb" else "GET")
    if change == "uri":
        uri = "/reports/sales/date/2026-11-02"
    if change == "date":
        later = caller.clock.now() + timedelta(seconds=1)
        when = f"{later:%a, %d %b %Y %H:%M:%S} GMT"
    if change == "nonce":
        nonce = nonce[:-1] + "8"
    if change == "signature":
        signature = ("A" if signature[0] != "A" else "B") + signature[1:]
    if auth == "headers":
        headers = {"Authorization": f"ZXWS {caller.connect_id}:{signature}", "Date": when, "nonce": nonce}
        response = caller.ask("GET", XML, uri, auth="none", **headers)
    else:
        sent = f"connectid={caller.connect_id}&date={quote(when)}&nonce={nonce}"
        response = in_query(caller, uri, f"{sent}&signature={quote(signature, safe='')}")
    assert response.error() == (403, "403", f"the signature in the {auth} is not right")


def plus(caller: Caller, uri: str) -> tuple[str, str, str]:
    """Return a signature that contains a plus."""
    for serial in range(1000):
        found = parts(caller, uri, f"plus-{serial:020d}-{id(caller)}")
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
    when, nonce, signature = parts(caller, SALES, "any-case-01234567890123")
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


@pytest.mark.sampled(4)
@pytest.mark.parametrize("auth", PLACES)
@pytest.mark.parametrize(("minutes", "status"), [(29, 200), (31, 403), (-29, 200), (-31, 403)])
def test_signature_is_valid_for_half_an_hour(
    staged: Callable[..., Stage], auth: str, minutes: int, status: int
) -> None:
    caller = staged().caller
    now = caller.clock.now()
    caller.clock.set(now - timedelta(minutes=minutes))
    headers, query = caller.headers("GET", SALES), caller.query("GET", SALES)
    caller.clock.set(now)
    if auth == "headers":
        response = caller.ask("GET", XML, SALES, auth="none", **headers)
    else:
        response = in_query(caller, SALES, query)
    assert response.status == status


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
    when, nonce = f"{caller.clock.now():%a, %d %b %Y %H:%M:%S}{suffix}", uuid4().hex
    signature = caller.sign("GET", target, when, nonce)
    codes = shared_stage.sandbox.partner_codes(caller.connect_id)
    query = f"partnerCode={codes[0]}" if base == ADVERTISER else ""
    if auth == "headers":
        headers = {"Authorization": f"ZXWS {caller.connect_id}:{signature}", "Date": when, "nonce": nonce}
        response = caller.ask("GET", base, f"{target}?{query}", auth="none", **headers)
    else:
        sent = f"connectid={caller.connect_id}&date={quote(when)}&nonce={nonce}"
        query = f"{query}&{sent}&signature={quote(signature, safe='')}".lstrip("&")
        response = caller.ask("GET", base, f"{target}?{query}", auth="none")
    assert response.status == status
    if status != 200:
        assert (
            response.error()[2] == f"the signature in the {auth}: the timestamp {when!r} has the wrong format"
        )


@pytest.mark.parametrize("auth", PLACES)
def test_nonce_is_valid_once(caller: Caller, auth: str) -> None:
    headers, query = caller.headers("GET", "/profiles"), caller.query("GET", "/profiles")

    def ask() -> RestResponse:
        if auth == "headers":
            return caller.ask("GET", XML, "/profiles", auth="none", **headers)
        return in_query(caller, "/profiles", query)

    assert ask().status == 200
    status, code, reason = ask().error()
    assert (status, code) == (403, "403")
    assert "nonce" in reason


def test_a_path_may_be_signed_in_lower_case(caller: Caller) -> None:
    target = "/payments/balances/balance/EUR"
    assert caller.ask("GET", XML, target, signed=target.lower()).status == 200
    assert caller.ask("GET", XML, target, signed=target.upper()).status == 403


def test_the_query_is_not_part_of_what_is_signed(caller: Caller) -> None:
    assert caller.ask("GET", XML, f"{SALES}?items=2", signed=SALES).status == 200
    assert caller.ask("GET", XML, f"{SALES}?items=2", signed=f"{SALES}?items=2").status == 403
    assert caller.ask("GET", XML, SALES, signed=f"{XML}{SALES}").status == 403


def test_missing_connect_id_is_401_and_unknown_one_403(caller: Caller) -> None:
    for target in ("/programs", SALES):
        assert caller.ask("GET", JSON, target, auth="none").error()[:2] == (401, "401")
    stranger = {"Authorization": "ZXWS " + "0" * 20}
    assert caller.ask("GET", JSON, "/programs", auth="none", **stranger).error()[:2] == (403, "403")


def test_public_resource_accepts_a_valid_signature(caller: Caller) -> None:
    for auth in ("headers", "query", "id"):
        assert caller.ask("GET", XML, "/programs", auth=auth).status == 200
    assert in_query(caller, "/programs", f"connectid={caller.connect_id}").status == 200
    assert caller.ask("GET", XML, "/programs", signed="/products").error()[:2] == (403, "403")


def test_refusal_never_shows_a_valid_signature(caller: Caller) -> None:
    headers = caller.headers("GET", SALES)
    right = headers["Authorization"].rpartition(":")[2]
    headers["Authorization"] = f"ZXWS {caller.connect_id}:AAAA{right[4:]}"
    response = caller.ask("GET", XML, SALES, auth="none", **headers)
    assert response.status == 403
    assert right.encode() not in response.body
    assert caller.secret.encode() not in response.body
