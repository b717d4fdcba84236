"""A folder of days is only continued for the same service, caller, contract and zones."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from requests import PreparedRequest
from requests.auth import AuthBase
from zeep import Settings
from zeep.wsse import UsernameToken

from soapclient import days
from soapclient.auth.credentials import Credentials
from soapclient.connection import connect
from soapclient.errors import ConfigError
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.stage import Stage
from zxws.publisher.service import PublisherService

ASKED: dict[str, Any] = {"date": days("2026-06-29", "2026-06-30"), "date_type": "trackingDate"}
USERNAME_TOKEN: Any = UsernameToken  # untyped


def connected(stage: Stage, **given: Any) -> PublisherService:
    credentials = Credentials(SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY)
    address = f"{stage.url}/soap/2011-03-01" + given.pop("query", "")
    soapheaders = given.pop("soapheaders", ())
    service = connect(PublisherService, address=address, credentials=credentials, clock=stage.clock, **given)
    return service.with_options(soapheaders=soapheaders) if soapheaders else service


def check_resumed_by_the_same(stage: Stage, folder: Path, *callers: dict[str, Any]) -> None:
    """Check that the second caller resumes the days of the first, and that the third is refused."""
    one, same, other = (connected(stage, **given) for given in callers)
    with one, same, other:
        rows = one.iterate.get_sales(**ASKED).to_parquet(f"{folder}/sales/").rows
        assert same.iterate.get_sales(**ASKED).to_parquet(f"{folder}/sales/").rows == rows > 0
        with pytest.raises(ConfigError, match="contains the data of another request"):
            other.iterate.get_sales(**ASKED).to_parquet(f"{folder}/sales/")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "callers",
    [
        [{"auth": ("alice", "pw")}, {"auth": ("bob", "pw")}],
        [{"wsse": USERNAME_TOKEN(each, "pw")} for each in ("alice", "bob")],
        [{"headers": {"X-Key": "one"}}, {"headers": {"X-Key": "other"}}],
        [{"zeep_settings": Settings(extra_http_headers={"X-Key": each})} for each in ("one", "other")],
        [{"query": "?account=1"}, {"query": "?account=2"}],
        [{"soapheaders": [etree.fromstring(f"<key>{each}</key>")]} for each in ("one", "other")],
        [{"soapheaders": {"key": etree.fromstring(f"<key>{each}</key>")}} for each in ("one", "other")],
    ],
)
def test_days_of_another_caller_are_not_resumed(
    stage: Stage, tmp_path: Path, callers: list[dict[str, Any]]
) -> None:
    check_resumed_by_the_same(stage, tmp_path, callers[0], callers[0], callers[1])


class Keyed(AuthBase):
    """A custom authentication that adds nothing to a request that identifies the caller."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.lock = threading.Lock()

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        return request


def test_custom_auth_is_identified_by_its_content(stage: Stage, tmp_path: Path) -> None:
    callers = [{"auth": Keyed(each)} for each in ("one", "one", "other")]
    check_resumed_by_the_same(stage, tmp_path, *callers)


def test_secrets_in_an_address_are_not_stored(stage: Stage, tmp_path: Path) -> None:
    with connected(stage, query="?api_key=hidden-word") as connection:
        connection.iterate.get_sales(**ASKED).to_parquet(f"{tmp_path}/sales/")
    text = (tmp_path / "sales/_request.json").read_text()
    assert "api_key" in text
    assert "hidden-word" not in text


@pytest.mark.sampled(2)
@pytest.mark.parametrize("protocol", ["soap", "rest"])
@pytest.mark.parametrize("zone", ["naive_zone", "report_zone"])
def test_days_of_another_zone_or_decoding_are_not_resumed(
    stage: Stage, tmp_path: Path, zone: str, protocol: str
) -> None:
    settings: dict[str, Any] = {"publisher_protocol": protocol}
    stage.client(**settings).publisher.iterate.get_sales(**ASKED).to_parquet(f"{tmp_path}/sales/")
    settings[zone] = "Asia/Tokyo"
    there = stage.client(**settings).publisher.iterate.get_sales(**ASKED)
    with pytest.raises(ConfigError, match="contains the data of another request"):
        there.to_parquet(f"{tmp_path}/sales/")
