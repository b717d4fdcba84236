"""The plugin on envelopes that zeep creates: fields it fills, headers it adds, and parts it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import cast

import pytest
from lxml import etree

from soapclient.auth.credentials import Credentials
from soapclient.auth.placement import Placement, is_repeated
from soapclient.auth.plugin import SigningPlugin
from soapclient.auth.signing import Signer
from soapclient.clock import ManualClock
from soapclient.errors import ConfigError
from soapclient.runtime import AnyOperation, Settings, Signing
from soapclient.runtime.authentication import AuthenticationElement, message_of
from zxws.publisher.service import PACKAGE

# The published sample of docs/explanation/service.md#signing; no live secret.
KEY = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
CONNECT_ID = "802B8BF4AE99EBE00F41"
NONCE = "b382e074-2fc4-41c9-8d5c-f679805f609c"
MOMENT = datetime(2013, 8, 20, 14, 44, 21, tzinfo=UTC)
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"


@dataclass
class Named:
    name: str


def envelope(children: str) -> etree._Element:
    body = f'<e:Body><m xmlns="http://api.zanox.com/namespace/2011-03-01/">{children}</m></e:Body>'
    return etree.fromstring(f'<e:Envelope xmlns:e="{SOAP}"><e:Header/>{body}</e:Envelope>')


def plugin(repeated: bool, secret: str | None = KEY) -> SigningPlugin:
    signer = Signer(
        Credentials(CONNECT_ID, secret),
        service_name="publisherservice",
        clock=ManualClock(MOMENT),
        nonce_source=lambda: NONCE,
    )
    return SigningPlugin(signer, PACKAGE.operations, repeated=repeated, uri="/")


def sent(
    repeated: bool,
    operation: str,
    children: str,
    options: Mapping[str, object] | None = None,
    secret: str | None = KEY,
) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return the texts by name, and the headers, after the plugin has changed an envelope."""
    tree = envelope(children)
    back, headers = plugin(repeated, secret).egress(tree, {"Accept": "all"}, Named(operation), options or {})
    assert back is tree
    return {etree.QName(element).localname: element.text for element in back[1][0]}, headers


FOUR = "<connectId/><timestamp/><nonce/><signature/>"
FIELDS = {
    "connectId": CONNECT_ID,
    "timestamp": "2013-08-20T14:44:21",
    "nonce": NONCE,
    "signature": "aK6w2dT5X1y9E51FTv0rIU7INZc=",  # the known signature of GetSales at this second
}


def test_body_placement_adds_the_known_signature_to_the_body_only() -> None:
    texts, headers = sent(False, "GetSales", f"{FOUR}<dateType>clickDate</dateType>")
    assert texts == FIELDS | {"dateType": "clickDate"}
    assert headers == {"Accept": "all"}


def test_headers_repeat_the_signature_with_the_same_nonce() -> None:
    texts, headers = sent(True, "GetSales", FOUR)
    assert texts == FIELDS
    assert list(headers) == ["Accept", "Authorization", "Date", "nonce"]
    assert headers["nonce"] == NONCE
    assert headers["Date"] == "Tue, 20 Aug 2013 14:44:21 GMT"
    assert headers["Authorization"].startswith(f"ZXWS {CONNECT_ID}:")


@pytest.mark.parametrize("secret", [KEY, None])
def test_public_operation_has_the_connect_id_only(secret: str | None) -> None:
    assert not PACKAGE.operations["GetProduct"].signed
    texts, headers = sent(True, "GetProduct", "<connectId/><signature/>", secret=secret)
    assert texts == {"connectId": CONNECT_ID, "signature": None}
    assert headers == {"Accept": "all", "Authorization": f"ZXWS {CONNECT_ID}"}


def test_clock_offset_is_added_to_the_timestamp() -> None:
    hour = {"offset": timedelta(hours=-1)}
    assert sent(False, "GetSales", FOUR, hour)[0]["timestamp"] == "2013-08-20T13:44:21"
    for odd in ({}, {"offset": None}, {"offset": 3600}):
        assert sent(False, "GetSales", FOUR, odd)[0]["timestamp"] == "2013-08-20T14:44:21"


def test_undeclared_elements_are_not_filled() -> None:
    assert "nonce" not in PACKAGE.operations["GetProduct"].filled_names
    texts, _ = sent(False, "GetProduct", "<connectId/><nonce/>")
    assert texts == {"connectId": CONNECT_ID, "nonce": None}


def plugin_of(*authentication: AuthenticationElement, repeated: bool) -> SigningPlugin:
    """Return the plugin of a contract with one operation `X`, which has these elements."""
    names = {"name": "X", "request_tag": "m", "authentication_headers": ()}
    operation = cast("AnyOperation", SimpleNamespace(**names, signed=True, authentication=authentication))
    signer = Signer(Credentials(CONNECT_ID, KEY), service_name="s", nonce_source=lambda: NONCE)
    return SigningPlugin(signer, {"X": operation}, repeated=repeated, uri="/")


def test_only_the_declared_element_is_filled() -> None:
    """A message may have an element with the same name in another place."""
    place = AuthenticationElement("nonce", "nonce", frozenset(), (), "")
    mine = plugin_of(AuthenticationElement("auth", "", frozenset({"realm"}), (place,), ""), repeated=False)
    tree = etree.fromstring(
        f'<e:Envelope xmlns:e="{SOAP}"><e:Body><m><realm>shop</realm><nonce/></m></e:Body></e:Envelope>'
    )
    mine.egress(tree, {}, Named("X"), {})
    assert etree.tostring(tree[0][0]).decode() == (
        f'<m xmlns:e="{SOAP}"><auth><nonce>{NONCE}</nonce></auth><realm>shop</realm><nonce/></m>'
    )


def test_operation_without_elements_is_always_signed_in_headers() -> None:
    for repeated in (False, True):
        _, headers = plugin_of(repeated=repeated).egress(envelope(""), {}, Named("X"), {})
        assert headers["Authorization"].startswith(f"ZXWS {CONNECT_ID}:")


def test_envelope_without_a_body_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^the envelope does not have a body$"):
        message_of(
            etree.fromstring(f'<e:Envelope xmlns:e="{SOAP}"><e:Header/></e:Envelope>'),
            PACKAGE.operations["GetSales"],
        )


# ---- the contract declares where a signature may be; a setting that contradicts it is refused


GET_SALES = PACKAGE.operations["GetSales"]  # declares the four elements in its body
NO_SIGNING = Settings(name="shop")
SIGNED = Settings(
    name="shop", signing=Signing(scheme="zxws", service_name="s", roles={"connect_id": "c", "signature": "s"})
)
SIGNED_TWICE = Settings(name="shop", signing=Signing(scheme="zxws", service_name="s", also_in_headers=True))


@pytest.mark.parametrize(
    ("placement", "tables", "operations", "repeated"),
    [
        ("auto", SIGNED, [GET_SALES], False),
        ("auto", SIGNED_TWICE, [GET_SALES], True),
        ("body", SIGNED_TWICE, [GET_SALES], False),
        ("auto", SIGNED, [], False),
        ("headers", SIGNED_TWICE, [], False),  # nothing to repeat
        ("auto", NO_SIGNING, [], False),  # nothing is signed
        ("body", NO_SIGNING, [], False),
        ("headers", NO_SIGNING, [], False),
    ],
)
def test_placement_that_matches_the_contract_is_accepted(
    placement: Placement, tables: Settings, operations: list[AnyOperation], repeated: bool
) -> None:
    assert is_repeated(placement, tables, operations) is repeated


HOW = "Set signature_placement (argument, SOAPCLIENT_SIGNATURE_PLACEMENT or the TOML file) to 'auto' or"


@pytest.mark.parametrize(
    ("placement", "operations", "why", "other"),
    [
        (
            "headers",
            [GET_SALES],
            "operations such as GetSales require connectId, timestamp, nonce, signature in the envelope",
            "body",
        ),
        ("body", [], "it declares no signature elements", "headers"),
    ],
)
def test_placement_that_contradicts_the_contract_is_refused(
    placement: Placement, operations: list[AnyOperation], why: str, other: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        is_repeated(placement, SIGNED, operations)
    said = f"signature_placement: '{placement}' is not possible with the shop contract: {why}"
    assert str(caught.value) == f"{said}. {HOW} '{other}'"
