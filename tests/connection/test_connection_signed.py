"""A user's package whose settings file declares how calls are signed and which date-times are days."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from soapclient import Settings
from soapclient.auth.credentials import Credentials
from soapclient.clock import ManualClock
from soapclient.connection import connect
from soapclient.errors import AmbiguousOutcome, AuthenticationError, ConfigError, ContractError
from soapclient.tracking.sandbox import Sandbox, serve
from tests.support.cases import case_text
from tests.support.packages import generated

_WSDL = Path(__file__).parents[2] / "wsdl/publisher/2011-03-01/publisher.wsdl"
_NOW = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
# the published sample of docs/explanation/service.md#signing, no live secret
_CREDENTIALS = Credentials("802B8BF4AE99EBE00F41", "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44")
_SETTINGS = case_text(__file__, "signed.toml")


@pytest.fixture(scope="module")
def signed() -> Iterator[ModuleType]:
    with generated("signed_shop", _WSDL, _SETTINGS) as package:
        yield package


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a sandbox that checks each signature independently."""
    with (
        Sandbox(seed=7, clock=lambda: _NOW, clicks_per_day=20) as service,
        serve(service, timeout=5) as server,
    ):
        yield f"{server.url}/soap/2011-03-01"


@pytest.fixture
def open_shop(signed: ModuleType, address: str) -> Callable[..., Any]:
    return partial(
        connect, signed.SignedShopService, address=address, credentials=_CREDENTIALS, clock=ManualClock(_NOW)
    )


def test_calls_are_signed_and_days_are_dates(open_shop: Callable[..., Any]) -> None:
    day, berlin = dt.date(2026, 11, 18), ZoneInfo("Europe/Berlin")
    with open_shop(settings=Settings(report_zone=berlin, drift="error", validate="all")) as shop:
        response = shop.get_sales(date=day, date_type="trackingDate", items=50)
    assert response.sale_items
    assert {item.tracking_date.astimezone(berlin).date() for item in response.sale_items} == {day}


@pytest.mark.parametrize("rest", [False, True])
def test_signatures_are_verified_over_both_protocols(
    open_shop: Callable[..., Any], address: str, rest: bool
) -> None:
    given = {"address": address.replace("/soap/", "/xml/"), "protocol": "rest"} if rest else {}
    with open_shop(**given) as shop:
        assert shop.get_profile().profile_item.email.endswith("@example.org")
    wrong = Credentials(_CREDENTIALS.connect_id, "another")
    with open_shop(**given, credentials=wrong) as shop, pytest.raises(AuthenticationError):
        shop.get_profile()


def test_rest_signs_the_path_after_the_address(open_shop: Callable[..., Any], recorder: Any) -> None:
    """An address without a path, with and without a slash at its end."""
    for address in (recorder.url, f"{recorder.url}/", f"{recorder.url}/api"):
        recorder.answers("", 500, "text/plain")
        shop = open_shop(address=address, protocol="rest", attempts=1)
        with shop, pytest.raises(AmbiguousOutcome):
            shop.get_profile()
        headers = recorder.sent[-1].headers
        text = f"GET/profiles{headers['date']}{headers['nonce']}"
        key = _CREDENTIALS.require_secret_key().reveal()
        signature = base64.b64encode(hmac.new(key.encode(), text.encode(), hashlib.sha1).digest()).decode()
        assert headers["authorization"] == f"ZXWS {_CREDENTIALS.connect_id}:{signature}"


def test_contract_with_signature_fields_needs_body_placement(open_shop: Callable[..., Any]) -> None:
    with pytest.raises(ConfigError, match="'headers' is not possible with the signed_shop contract"):
        open_shop(signature_placement="headers")
    with open_shop(signature_placement="body") as shop:
        assert shop.get_profile().profile_item


def test_refused_arguments_are_explained(signed: ModuleType, open_shop: Callable[..., Any]) -> None:
    assert "Signed." in signed.SignedShopService.get_sales.__doc__
    with open_shop() as shop, pytest.raises(ContractError, match="colour is gone since version 2"):
        shop.get_sales(date=dt.date(2026, 11, 18), date_type="trackingDate", colour="red")


def test_provider_is_asked_again_if_its_secret_is_refused(open_shop: Callable[..., Any]) -> None:
    secrets = ["another", _CREDENTIALS.require_secret_key().reveal()]

    def provide() -> Credentials:
        return Credentials(_CREDENTIALS.connect_id, secrets.pop(0))

    with open_shop(credentials=provide) as shop:
        assert shop.get_profile() is not None
    assert secrets == []


def test_only_a_signing_package_takes_and_needs_credentials(signed: ModuleType, weather: ModuleType) -> None:
    with pytest.raises(ConfigError, match="signed_shop signs its requests"):
        connect(signed.SignedShopService, address="https://shop.example/soap")
    with pytest.raises(ConfigError, match="the package weather does not sign requests"):
        connect(weather.WeatherService, credentials=_CREDENTIALS)
