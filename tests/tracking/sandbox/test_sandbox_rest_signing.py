"""Authentication over REST: signatures in headers or in the query, checked with hmac (caller.py)."""

from __future__ import annotations

import json
import socket
from datetime import timedelta
from urllib.parse import quote, urlencode, urlsplit

import pytest
from lxml import etree
from werkzeug.test import Client

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, Sandbox
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


# ---- the path is signed as sent, with escapes, doubled slashes and a trailing slash


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


# ---- the signature that each resource requires


DAY = "/reports/leads/date/2026-11-01"
# docs/explanation/service.md#signing: programs, products, ad media, non-exclusive incentives.
PUBLIC = [
    "/programs", "/programs/program/1803", "/programs/categories", "/products", "/products/product/x",
    "/admedia", "/admedia/admedium/180300", "/admedia/categories/program/1803", "/incentives",
    "/incentives/incentive/1",
]  # fmt: skip
PRIVATE = [
    ("GET", "/profiles"), ("PUT", "/profiles"), ("GET", "/adspaces"), ("GET", "/adspaces/adspace/1"),
    ("POST", "/adspaces/adspace"), ("PUT", "/adspaces/adspace"), ("DELETE", "/adspaces/adspace/1"),
    ("GET", "/incentives/exclusive"), ("GET", "/incentives/exclusive/incentive/1"), ("GET", DAY),
    ("GET", "/reports/leads/lead/1"), ("GET", "/reports/sales/date/2026-11-01"),
    ("GET", "/reports/sales/sale/1"), ("GET", "/reports/sales/sale/1/basket"), ("GET", "/reports/basic"),
    ("GET", "/programapplications"), ("POST", "/programapplications/program/1/adspace/1"),
    ("DELETE", "/programapplications/program/1/adspace/1"),
    ("GET", "/programapplications/program/1/adspace/1/trackingcategories"), ("GET", "/payments/balances"),
    ("GET", "/payments/balances/balance/EUR"), ("GET", "/jobs"), ("GET", "/jobs/job/id/1"),
    ("POST", "/jobs/reports/type/click"), ("GET", "/jobs/job/id/1/download"),
    ("GET", "/report/program/1803"), ("GET", "/member/partnership"),
]  # fmt: skip
BARE = {"Authorization": f"ZXWS {SAMPLE_CONNECT_ID}"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("uri", PUBLIC)
def test_public_resource_needs_only_the_connect_id(caller: Caller, uri: str) -> None:
    assert caller.rest("GET", uri, headers={}).status_code == 401
    assert caller.rest("GET", uri, headers=BARE).status_code == 200
    assert caller.rest("GET", uri, f"connectID={SAMPLE_CONNECT_ID}", headers={}).status_code == 200
    assert caller.rest("GET", uri, headers={"Authorization": f"ZXWS {'0' * 20}"}).status_code == 403
    assert caller.rest("GET", uri, headers=caller.headers("GET", f"{uri}x")).status_code == 403


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("verb", "uri"), PRIVATE)
def test_private_resource_needs_a_signature(caller: Caller, verb: str, uri: str) -> None:
    assert caller.rest(verb, uri, headers={}).status_code == 401
    assert caller.rest(verb, uri, headers=BARE).status_code == 401
    assert caller.rest(verb, uri, f"connectid={SAMPLE_CONNECT_ID}", headers={}).status_code == 401
    assert caller.rest(verb, uri, headers=caller.headers(verb, f"{uri}x")).status_code == 403


@pytest.mark.parametrize("missing", ["Date", "nonce"])
def test_signature_in_headers_requires_date_and_nonce(caller: Caller, missing: str) -> None:
    headers = caller.headers("GET", "/profiles")
    del headers[missing]
    response = caller.ask("GET", XML, "/profiles", auth="none", **headers)
    assert response.refused(403, 403, "headers Date and nonce")


@pytest.mark.parametrize(
    ("missing", "status"), [("connectid", 401), ("date", 403), ("nonce", 403), ("signature", 401)]
)
def test_incomplete_query_signature_is_refused_and_uses_no_nonce(
    caller: Caller, missing: str, status: int
) -> None:
    headers = caller.headers("GET", DAY)
    signature = headers["Authorization"].partition(":")[2]
    query = {"connectid": SAMPLE_CONNECT_ID, "date": headers["Date"], "nonce": headers["nonce"]}
    query["signature"] = signature
    part = {name: value for name, value in query.items() if name != missing}
    assert caller.rest("GET", DAY, urlencode(part), headers={}).status_code == status
    assert caller.rest("GET", DAY, urlencode(query), headers={}).status_code == 200


@pytest.mark.parametrize("mounted", ["", "/service"])
def test_server_without_a_raw_target_is_supported(mounted: str) -> None:
    """WSGI does not require it: the decoded path is quoted again. Mounting below a prefix works, too."""
    with Sandbox(clicks_per_day=10) as sandbox:

        def bare(environ: dict[str, object], start_response: object) -> object:
            for name in ("RAW_URI", "REQUEST_URI"):
                if not mounted:
                    environ.pop(name, None)
                else:
                    environ[name] = f"{mounted}{environ['PATH_INFO']}"
            environ["SCRIPT_NAME"] = mounted
            return sandbox(environ, start_response)  # type: ignore[arg-type]  # called like by a WSGI server

        # Called like by a WSGI server, too.
        response = Client(bare).get("/json/2011-03-01/programs/program/1803", headers=BARE)  # type: ignore[arg-type]
        assert response.status_code == 200, response.text
        assert json.loads(response.text)["programItem"]["@id"] == "1803"
