"""The contract declares where a signature may be. A setting that contradicts it is refused."""

from __future__ import annotations

import pytest

from soapclient.auth.placement import Placement, check
from soapclient.errors import ConfigError
from soapclient.runtime import AnyOperation, Settings, Signing
from zxws.publisher.service import PACKAGE

GET_SALES = PACKAGE.operations["GetSales"]  # declares the four elements in its body
NO_SIGNING = Settings(name="shop")
SIGNED = Settings(
    name="shop",
    signing=Signing(scheme="zxws", service_name="s", roles={"connect_id": "c", "signature": "s"}),
)


@pytest.mark.parametrize(
    ("placement", "tables", "operations"),
    [
        ("auto", SIGNED, [GET_SALES]),
        ("body", SIGNED, [GET_SALES]),
        ("auto", SIGNED, []),
        ("headers", SIGNED, []),
        ("body", NO_SIGNING, []),  # nothing is signed
        ("headers", NO_SIGNING, []),
    ],
)
def test_placement_that_matches_the_contract_is_accepted(
    placement: Placement, tables: Settings, operations: list[AnyOperation]
) -> None:
    assert check(placement, tables, operations) == placement


HOW = "Set signature_placement (argument, SOAPCLIENT_SIGNATURE_PLACEMENT or the TOML file) to 'auto' or"


def test_headers_placement_is_refused_if_requests_declare_elements() -> None:
    with pytest.raises(ConfigError) as caught:
        check("headers", SIGNED, [GET_SALES])
    assert str(caught.value) == (
        "signature_placement: 'headers' does not go with the shop contract: GetSales and others require "
        f"connectId, timestamp, nonce, signature in the envelope. {HOW} 'body'"
    )


def test_body_placement_is_refused_if_no_request_declares_elements() -> None:
    with pytest.raises(ConfigError) as caught:
        check("body", SIGNED, [])
    assert str(caught.value) == (
        "signature_placement: 'body' does not go with the shop contract: its requests declare no such "
        f"elements. {HOW} 'headers'"
    )
