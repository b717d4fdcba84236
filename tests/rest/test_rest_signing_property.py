"""An independent verifier accepts every request that the client signs, and rejects every changed request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, assume, example, given, settings
from hypothesis import strategies as st

from soapclient import Client, Settings
from soapclient.clock import ManualClock
from soapclient.errors import AuthenticationError, ContractError, ServiceFault

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.support.wire import Recorder, Sent
from tests.rings import examples
from tests.stage import Stage

Place = Literal["headers", "query", "auto", "body"]
PLACES: tuple[Place, ...] = ("headers", "query")  # of a signature over REST
ALL_PLACES: tuple[Place, ...] = (*PLACES, "auto", "body")  # the others are of SOAP
_serial = count(1)
# All characters that XML allows. The schema validates them before anything is sent.
_IN_XML = st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufffe\uffff")
_HARD = st.sampled_from("/%.~+?#;= &:@\\{}2F7EÄé中𝄞\t\n")
SEGMENTS = st.text(st.one_of(_HARD, _IN_XML), min_size=1, max_size=12).filter(lambda t: t not in (".", ".."))
SECRETS = st.text(
    st.one_of(st.sampled_from("+/%=:\x00 \n"), st.characters(blacklist_categories=["Cs"])),
    min_size=1,
    max_size=80,
)
NONCES = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=20, max_size=50)
CONNECT_IDS = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0x7E, blacklist_characters=":"), min_size=1, max_size=30
)
# Each example has its own sandbox: shrinking a failure would take minutes, and the texts are short.
thoroughly = settings(
    max_examples=examples(50),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)


def client_of(url: str, connect_id: str, secret: str, nonce: str, place: Place, now: ManualClock) -> Client:
    config = Settings(connect_id=connect_id, secret_key=secret, publisher_url=url)
    if place == "auto" or place == "body":
        config = replace(config, signature_placement=place)
    else:
        config = replace(config, rest_signature=place, publisher_protocol="rest")
    return Client(config, clock=now, nonce_source=lambda: nonce)


def accepted(call: Callable[[], object]) -> None:
    """Call, and accept that the service may not have such an item."""
    try:
        call()
    except AuthenticationError:
        raise
    except ServiceFault as fault:
        assert fault.code < 400 or fault.code == 404, fault  # noqa: PT017 - the verifier accepted it


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", ALL_PLACES)
@thoroughly
@given(segment=SEGMENTS, secret=SECRETS, nonce=NONCES, connect_id=CONNECT_IDS, signed=st.booleans())
@example(segment="/", secret="+/%", nonce="%2B+&=#" * 3, connect_id="%&+", signed=True)
@example(segment="%2F", secret="%", nonce="~" * 20, connect_id="a", signed=True)
@example(segment="..x", secret="\x00", nonce="/" * 20, connect_id="a", signed=True)
@example(segment="~%7E", secret="ß", nonce="a" * 20, connect_id="~", signed=True)
@example(segment="a b+c?d#e;f=g", secret="𝄞", nonce="?#" * 10, connect_id="a", signed=True)
@example(segment="a/../b", secret=" ", nonce="'\"\\" * 8, connect_id="a", signed=True)
def test_signatures_of_the_client_are_accepted(
    stage: Stage,
    rest_clock: ManualClock,
    place: Place,
    segment: str,
    secret: str,
    nonce: str,
    connect_id: str,
    signed: bool,
) -> None:
    stage.replace(accounts={connect_id: secret}, seed=7, clicks_per_day=2)
    with client_of(stage.url, connect_id, secret, nonce, place, rest_clock) as client:
        if signed:
            accepted(lambda: client.publisher.get_sale(sale_id=segment))
            with pytest.raises(AuthenticationError, match="nonce"):  # it is used up, so it was verified
                client.publisher.get_sale(sale_id=segment)
        else:
            accepted(lambda: client.publisher.get_product(zup_id=segment))
            accepted(lambda: client.publisher.get_product(zup_id=segment))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", ALL_PLACES)
@thoroughly
@given(secret=SECRETS, other=SECRETS)
def test_another_secret_is_refused(
    stage: Stage, rest_clock: ManualClock, place: Place, secret: str, other: str
) -> None:
    # HMAC pads its key with zero bytes, so keys that differ only in trailing zero bytes are equal.
    assume(secret.rstrip("\0") != other.rstrip("\0"))
    stage.replace(accounts={"ACCOUNT-1": secret})
    nonce = f"property-{next(_serial):015d}"
    with (
        client_of(stage.url, "ACCOUNT-1", other, nonce, place, rest_clock) as client,
        pytest.raises(AuthenticationError),
    ):
        client.publisher.get_sale(sale_id="1")


@pytest.mark.parametrize("segment", ["", ".", ".."])
def test_segment_that_would_change_the_address_is_not_sent(
    recorder: Recorder, rest_client: RestClient, segment: str
) -> None:
    client = rest_client()
    for call in (
        lambda: client.publisher.get_sale(sale_id=segment),
        lambda: client.publisher.get_product(zup_id=segment),
        lambda: client.publisher.get_balance(currency=segment),
        lambda: client.publisher.get_sale_basket(sale_id=segment),
        lambda: client.data.get_job(job_id=segment),
    ):
        with pytest.raises(ContractError) as caught:
            call()
        assert caught.value.value == repr(segment)
    assert recorder.sent == []


PARTS = ("path", "date", "nonce", "signature", "connectid", "method")


def changed(text: str, at: int, to: str) -> str:
    """Replace the character at an index. The same character is replaced with a different one."""
    at %= len(text)
    new = to if text[at] != to else chr(0x21 + (ord(to) - 0x20) % 0x5E)
    return f"{text[:at]}{new}{text[at + 1 :]}"


def tampered(sent: Sent, part: str, at: int, to: str) -> Sent:
    """Change one byte in one part of a request. Query parameters are changed in decoded form."""
    if part == "method":
        return replace(sent, method=changed(sent.method, at, to.upper() if to.isalpha() else "X"))
    if part == "path":
        start = len("/xml/2011-03-01/")
        path = sent.path[:start] + changed(sent.path[start:], at, "q" if to in "?#" else to)
        # Paths signed in lower case are accepted as well (docs/explanation/service.md#signing), so a
        # different case alone is not a change.
        assume(path.lower() != sent.path.lower())
        return replace(sent, target=f"{path}?{sent.query}" if sent.query else path)
    if "authorization" not in sent.headers:
        pairs = [(name, changed(text, at, to) if name == part else text) for name, text in sent.pairs]
        query = "&".join(f"{name}={quote(text, safe='')}" for name, text in pairs)
        return replace(sent, target=f"{sent.path}?{query}")
    headers = dict(sent.headers)
    if part in ("date", "nonce"):
        headers[part] = changed(headers[part], at, to)
    else:
        connect_id, _, signature = headers["authorization"].removeprefix("ZXWS ").partition(":")
        if part == "connectid":
            connect_id = changed(connect_id, at, "Y" if to == ":" else to)
        else:
            signature = changed(signature, at, to)
        headers["authorization"] = f"ZXWS {connect_id}:{signature}"
    return replace(sent, headers=headers)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("part", PARTS)
@settings(thoroughly, max_examples=12)
@given(
    segment=SEGMENTS,
    secret=SECRETS,
    at=st.integers(0, 200),
    to=st.characters(min_codepoint=0x21, max_codepoint=0x7E),
)
def test_one_changed_byte_is_refused(
    stage: Stage,
    rest_clock: ManualClock,
    recorder: Recorder,
    signature_of: Callable[..., str],
    place: Place,
    part: str,
    segment: str,
    secret: str,
    at: int,
    to: str,
) -> None:
    nonce = f"property-{next(_serial):015d}"
    with (
        client_of(recorder.url, "ACCOUNT-1", secret, nonce, place, rest_clock) as client,
        pytest.raises(ServiceFault, match="recorded"),
    ):
        client.publisher.get_sale(sale_id=segment)
    sent = recorder.last
    fields = {**sent.headers, **dict(sent.pairs)}
    uri = sent.path.removeprefix("/xml/2011-03-01")
    expected = signature_of(secret, "GET", uri, "Fri, 20 Nov 2026 12:00:00 GMT", nonce)
    assert fields["signature" if place == "query" else "authorization"].rpartition(":")[2] == expected

    stage.replace(accounts={"ACCOUNT-1": secret}, seed=7, clicks_per_day=2)
    status, body = tampered(sent, part, at, to).sent_to(stage.url)
    assert 400 <= status < 500 or (part == "method" and status == 501), (status, body)
    if part in ("date", "nonce", "signature", "connectid"):
        assert status == 403, body
    status, body = sent.sent_to(stage.url)
    assert status not in (401, 403, 500), body  # and the refused request has not used up the nonce
    status, body = sent.sent_to(stage.url)
    assert (status, b"nonce" in body) == (403, True)
