"""The contract declares where a signature may be. A setting that contradicts it is refused."""

from __future__ import annotations

import pytest

from soapclient.auth.placement import Placement, is_repeated
from soapclient.errors import ConfigError
from soapclient.runtime import AnyOperation, Settings, Signing
from zxws.publisher.service import PACKAGE

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
