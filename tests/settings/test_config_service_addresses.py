from __future__ import annotations

from pathlib import Path

import pytest

from soapclient.errors import ConfigError, UnsupportedByProtocol
from tests.settings.loading import BASE, load, refusal, toml


def test_addresses_follow_from_one_base() -> None:
    config = load(
        publisher_url=BASE + "/", data_url="http://127.0.0.1:8000", advertiser_url="https://adv.example"
    )
    assert config.wsdl_url("publisher", "2011-03-01") == f"{BASE}/wsdl/2011-03-01"
    assert config.soap_endpoint("publisher", "2011-03-01") == f"{BASE}/soap/2011-03-01"
    assert config.rest_base("publisher", "2011-03-01") == f"{BASE}/xml/2011-03-01"
    assert config.rest_base("publisher", "2011-03-01", "json") == f"{BASE}/json/2011-03-01"
    assert config.wsdl_url("data", "2011-05-01") == "http://127.0.0.1:8000/wsdl/2011-05-01"
    assert config.soap_endpoint("data", "2011-05-01") == "http://127.0.0.1:8000/soap/2011-05-01"
    assert config.rest_base("data", "2011-05-01") == "http://127.0.0.1:8000/xml/2011-05-01"
    assert config.rest_base("advertiser", "2015-03-01") == "https://adv.example/2015-03-01"


def test_each_address_can_be_set_separately() -> None:
    names = [
        *("publisher_base_url", "publisher_wsdl_url", "publisher_soap_url", "advertiser_base_url"),
        *("data_base_url", "data_wsdl_url", "data_soap_url"),
    ]
    config = load(**{name: f"https://{name.replace('_', '-')}.example" for name in names})
    assert config.rest_base("publisher", "1") == "https://publisher-base-url.example/xml/1"
    assert config.wsdl_url("publisher", "1") == "https://publisher-wsdl-url.example/1"
    assert config.soap_endpoint("publisher", "1") == "https://publisher-soap-url.example/1"
    assert config.rest_base("advertiser", "1") == "https://advertiser-base-url.example/1"
    assert config.rest_base("data", "1", "json") == "https://data-base-url.example/json/1"
    assert config.wsdl_url("data", "1") == "https://data-wsdl-url.example/1"
    assert config.soap_endpoint("data", "1") == "https://data-soap-url.example/1"


def test_single_address_overrides_the_base_of_the_same_source(tmp_path: Path) -> None:
    single = "https://other.example/s"
    for config in (
        load(data_url=BASE, data_soap_url=single),
        load({"SOAPCLIENT_DATA_URL": BASE, "SOAPCLIENT_DATA_SOAP_URL": single}),
        load({"SOAPCLIENT_DATA_SOAP_URL": single}, toml(tmp_path, f'data_url = "{BASE}"')),
    ):
        assert config.soap_endpoint("data", "1") == f"{single}/1"
        assert config.wsdl_url("data", "1") == f"{BASE}/wsdl/1"


def test_base_overrides_single_addresses_of_a_weaker_source(tmp_path: Path) -> None:
    """With the sandbox's base, a forgotten variable must not lead to the live service."""
    live = "https://live.example"
    environ = {"SOAPCLIENT_DATA_SOAP_URL": live, "SOAPCLIENT_PUBLISHER_SOAP_URL": live}
    config = load(environ, data_url="http://127.0.0.1:1")
    assert config.soap_endpoint("data", "1") == "http://127.0.0.1:1/soap/1"
    assert config.soap_endpoint("publisher", "1") == f"{live}/1"
    file = toml(tmp_path, f'data_wsdl_url = "{live}"')
    assert load({"SOAPCLIENT_DATA_URL": BASE}, file).wsdl_url("data", "1") == f"{BASE}/wsdl/1"


def test_missing_address_is_an_error_on_use() -> None:
    config = load(publisher_url=BASE)
    assert config.soap_endpoint("publisher", "1")
    for call, protocol in (
        (config.soap_endpoint, "soap"),
        (config.wsdl_url, "wsdl"),
        (config.rest_base, "base"),
    ):
        with pytest.raises(ConfigError) as caught:
            call("data", "2011-05-01")
        for word in (
            "data_url",
            f"data_{protocol}_url",
            "SOAPCLIENT_DATA_URL",
            f"SOAPCLIENT_DATA_{protocol.upper()}_URL",
        ):
            assert word in str(caught.value)
        assert "TOML" in str(caught.value)


def test_single_address_does_not_replace_another() -> None:
    with pytest.raises(ConfigError, match="data_wsdl_url"):
        load(data_soap_url=BASE).wsdl_url("data", "1")


def test_the_advertiser_service_has_no_soap() -> None:
    config = load(advertiser_url=BASE)
    for call in (config.soap_endpoint, config.wsdl_url):
        with pytest.raises(UnsupportedByProtocol, match=r"advertiser.*SOAP"):
            call("advertiser", "2015-03-01")


def test_an_unknown_service_is_an_error_with_a_hint() -> None:
    with pytest.raises(ConfigError, match=r"publishers is not a service; did you mean publisher\?"):
        load().soap_endpoint("publishers", "1")


@pytest.mark.parametrize("name", ["publisher_url", "data_url", "advertiser_url"])
@pytest.mark.parametrize(
    "end",
    [
        *("/2011-03-01", "/soap", "/wsdl", "/xml", "/json", "/SOAP/"),
        *("/soap/2011-03-01", "/xml/2011-05-01/", "/wsdl/2009-07-01"),
    ],
)
def test_base_address_with_an_appended_part_is_refused(name: str, end: str, tmp_path: Path) -> None:
    pasted = BASE + end
    for error in (
        refusal(**{name: pasted}),
        refusal({f"SOAPCLIENT_{name.upper()}": pasted}),
        refusal({}, toml(tmp_path, f'{name} = "{pasted}"')),
    ):
        assert error.setting == name
        assert f"ends with {end.rstrip('/')}, which the client appends" in str(error)
        assert f"the client appends: use {BASE}. " in str(error)


def test_single_address_with_an_appended_part_is_refused() -> None:
    for service in ("publisher", "data"):
        for protocol in ("base", "wsdl", "soap"):
            assert "which the client appends" in str(
                refusal(**{f"{service}_{protocol}_url": f"{BASE}/2011-05-01"})
            )
        for segment in ("xml", "json"):
            assert "which the client appends" in str(refusal(**{f"{service}_base_url": f"{BASE}/{segment}"}))
    assert "which the client appends" in str(refusal(advertiser_base_url=f"{BASE}/2015-03-01"))
    # Complete addresses except for the version. They may end with such a segment.
    assert load(data_soap_url=f"{BASE}/soap").soap_endpoint("data", "1") == f"{BASE}/soap/1"
    assert load(data_wsdl_url=f"{BASE}/wsdl").wsdl_url("data", "1") == f"{BASE}/wsdl/1"
    assert load(advertiser_base_url=f"{BASE}/xml").rest_base("advertiser", "1") == f"{BASE}/xml/1"
    # A host is not a segment, and only complete segments count.
    assert load(data_url="https://soap").soap_endpoint("data", "1") == "https://soap/soap/1"
    assert load(data_url=f"{BASE}/mysoap").soap_endpoint("data", "1") == f"{BASE}/mysoap/soap/1"


def test_version_in_another_form_is_not_appended_twice() -> None:
    with pytest.raises(ConfigError, match=r"data_soap_url.*Remove the version"):
        load(data_soap_url=f"{BASE}/v2").soap_endpoint("data", "v2")
