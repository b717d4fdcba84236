"""Which protocol each call uses, and the settings for REST."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client, Settings
from soapclient.errors import ConfigError, ServiceFault, UnsupportedByProtocol

if TYPE_CHECKING:
    from tests.support.wire import Recorder

URL = "https://service.example/base"
GIVEN: dict[str, str] = {"connect_id": "A", "secret_key": "k", "publisher_url": URL, "data_url": URL}


def config(environ: dict[str, str] | None = None, file: Path | None = None, /, **more: object) -> Settings:
    return Settings.load(file=file, environ=environ or {}, profile=None, **GIVEN, **more)


def protocols(client: Client) -> tuple[str, str]:
    with client:
        return client.publisher.engine.NAME, client.data.engine.NAME


def toml(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, ("SOAP", "SOAP")),
        ("soap", ("SOAP", "SOAP")),
        ("rest", ("REST", "REST")),
        ({"publisher": "rest"}, ("REST", "SOAP")),
        ({"data": "rest"}, ("SOAP", "REST")),
        ({"publisher": "rest", "data": "rest"}, ("REST", "REST")),
        ({}, ("SOAP", "SOAP")),
    ],
)
def test_client_uses_the_given_protocol(given: Any, expected: tuple[str, str]) -> None:
    assert protocols(Client(config(), protocol=given)) == expected


def test_argument_overrides_the_configured_protocol() -> None:
    settings = config(publisher_protocol="rest", data_protocol="rest")
    assert protocols(Client(settings)) == ("REST", "REST")
    assert protocols(Client(settings, protocol={"data": "soap"})) == ("REST", "SOAP")
    assert protocols(Client(settings, protocol="soap")) == ("SOAP", "SOAP")
    assert settings.data_protocol == "rest"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("REST", "publisher_protocol"),
        ("http", "soap, rest"),
        ("", "soap, rest"),
        ({"publisher": "json"}, "publisher_protocol"),
        ({"advertiser": "rest"}, "the protocol of 'advertiser' cannot be chosen"),
        ({"publishers": "rest"}, "publisher, data"),
        ({1: "rest"}, "the protocol of 1 cannot be chosen"),
        *((wrong, "protocol") for wrong in (3, ["rest"], ("rest",), b"rest")),
    ],
)
def test_wrong_protocol_is_refused_on_construction(given: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Client(config(), protocol=given)


def test_rest_can_have_its_own_address() -> None:
    settings = config(publisher_base_url="https://rest.example/api", publisher_protocol="rest")
    assert settings.rest_base("publisher", "2011-03-01", "json") == "https://rest.example/api/json/2011-03-01"
    assert settings.rest_base("data", "2011-05-01") == f"{URL}/xml/2011-05-01"
    advertiser = config(advertiser_url=URL)
    assert advertiser.rest_base("advertiser", "2015-03-01", "json") == f"{URL}/2015-03-01"


def test_service_without_an_address_is_an_error_on_use() -> None:
    with Client(config()) as client, pytest.raises(ConfigError, match="advertiser_url"):
        _ = client.advertiser
    with Client(Settings(connect_id="A", data_url=URL), protocol="rest") as client:
        with pytest.raises(ConfigError, match="publisher_url"):
            _ = client.publisher
        assert client.data.engine.NAME == "REST"


def test_settings_are_read_from_the_environment() -> None:
    environ = {
        "SOAPCLIENT_PUBLISHER_PROTOCOL": "rest",
        "SOAPCLIENT_REST_FORMAT": "json",
        "SOAPCLIENT_REST_SIGNATURE": "query",
        "SOAPCLIENT_LOWERCASE_PATH": "yes",
        "SOAPCLIENT_SIGNATURE_VALIDITY_MINUTES": "15",
        "SOAPCLIENT_ADVERTISER_PARTNER_CODES": "1C1, 2C2T",
    }
    found = config(environ)
    assert (found.publisher_protocol, found.data_protocol) == ("rest", "soap")
    assert (found.rest_format, found.rest_signature) == ("json", "query")
    assert (found.lowercase_path, found.signature_validity_minutes) == (True, 15)
    assert found.advertiser_partner_codes == ("1C1", "2C2T")


@pytest.mark.parametrize(
    "text",
    [
        'rest_format = "json"\npublisher_protocol = "rest"\nadvertiser_partner_codes = ["1C1", "2C2T"]',
        '[rest]\nformat = "json"\n[publisher]\nprotocol = "rest"\n'
        '[advertiser]\npartner_codes = ["1C1", "2C2T"]',
        '[soapclient.rest]\nformat = "json"\n[soapclient.publisher]\nprotocol = "rest"\n'
        '[soapclient.advertiser]\npartner_codes = ["1C1", "2C2T"]',
    ],
)
def test_settings_are_read_from_a_file(tmp_path: Path, text: str) -> None:
    found = config(None, toml(tmp_path, text))
    assert (found.rest_format, found.publisher_protocol) == ("json", "rest")
    assert found.advertiser_partner_codes == ("1C1", "2C2T")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('rest_format = "yaml"', "xml, json"),
        ('[rest]\nformat = "yaml"', "key rest_format"),
        ('[rest]\nformats = "json"', "rest_formats.*did you mean rest_format"),
        ('[publisher]\nprotocol = "smtp"', "soap, rest"),
        ('[advertiser]\npartner_codes = "1C1"', "must be a list of codes"),
        ('[advertiser]\npartner_codes = ["1C1,2C2"]', "invalid entry"),
        ('[advertiser]\npartner_codes = [""]', "invalid entry"),
        ("[advertiser]\npartner_codes = [7]", "invalid entry"),
        ('rest_format = "xml"\n[rest]\nformat = "json"', "twice"),
        ("advertiser = 3", "advertiser.*is not a setting"),
        ("signature_validity_minutes = 0", "1 to 1440"),
        ('rest_signature = "body"', "headers, query"),
    ],
)
def test_invalid_file_settings_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        config(None, toml(tmp_path, text))


def test_invalid_environment_settings_are_refused() -> None:
    wrong = {"REST_FORMAT": "JSON", "REST_SIGNATURE": "both", "ADVERTISER_PARTNER_CODES": "a,,b"}
    for name, text in wrong.items():
        with pytest.raises(ConfigError, match=f"SOAPCLIENT_{name}"):
            config({f"SOAPCLIENT_{name}": text})


# ---- arguments of zeep users


def zeep_things() -> dict[str, object]:
    import zeep
    from zeep.wsse.username import UsernameToken

    plugin: Any = zeep.Plugin
    settings: Any = zeep.Settings
    token: Any = UsernameToken
    return {"plugins": [plugin()], "wsse": token("me", "secret"), "zeep_settings": settings()}


@pytest.mark.parametrize("name", ["plugins", "wsse", "zeep_settings"])
def test_envelope_options_are_refused_over_rest(name: str) -> None:
    given: Any = {name: zeep_things()[name]}
    with pytest.raises(ConfigError, match=f'{name}.*use REST.*protocol="soap"') as caught:
        Client(config(), protocol="rest", **given)
    assert "secret" not in str(caught.value)
    with pytest.raises(ConfigError, match=name):
        Client(config(publisher_protocol="rest", data_protocol="rest"), **given)
    for protocol in ("soap", {"data": "rest"}):  # one service uses envelopes
        either: Any = protocol
        Client(config(), protocol=either, **given).close()


def test_rest_uses_the_session_of_a_zeep_transport(recorder: Recorder) -> None:
    import requests
    import zeep

    session = requests.Session()
    session.headers["X-Mine"] = "one"
    session.auth = ("me", "secret")  # the signature takes precedence
    transport: Any = zeep.Transport
    settings = config().replaced(publisher_url=recorder.url)
    lent = transport(session=session)
    with Client(settings, protocol="rest", transport=lent) as client, pytest.raises(ServiceFault):
        client.publisher.get_profile()
    assert recorder.last.headers["x-mine"] == "one"
    assert recorder.last.headers["authorization"].startswith("ZXWS A:")


def test_soap_headers_of_one_call_are_refused_over_rest(recorder: Recorder) -> None:
    from lxml import etree

    with Client(config().replaced(publisher_url=recorder.url), protocol="rest") as client:
        view = client.with_options(soapheaders=[etree.Element("own")])
        with pytest.raises(UnsupportedByProtocol, match=r"with_options\(soapheaders=…\).*REST"):
            view.publisher.get_profile()
    assert recorder.sent == []
