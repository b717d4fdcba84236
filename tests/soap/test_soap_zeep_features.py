"""zeep's documented features with typed calls, checked on the wire."""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import requests
import zeep
from lxml import etree
from zeep.plugins import HistoryPlugin
from zeep.wsse.username import UsernameToken

from soapclient import Client, Settings
from soapclient.clock import ManualClock
from soapclient.errors import ConfigError, ContractError, SecurityError, ServiceFault
from soapclient.soap import zeep_options
from tests.conftest import CONNECT_ID
from tests.soap.conftest import SOAP_11, SOAP_12, WSSE, Open, envelope, responses
from tests.soap.conftest import WEATHER_SPACE as SPACE
from tests.support.sales import DAY
from tests.support.soap import fault
from zxws.publisher.types import GetSalesRequest

if TYPE_CHECKING:
    from tests.support.wire import Wire

UNKNOWN = f'<CityUnknown xmlns="{SPACE}"><city>A</city></CityUnknown>'
FAULT = fault("s:Client", "no", UNKNOWN)


def header_names(wire: Wire, space: str = SOAP_11) -> list[str]:
    head = etree.fromstring(wire.sent[-1].body).find(f"{{{space}}}Header")
    return [] if head is None else [etree.QName(node).localname for node in head]


class Noting(zeep.Plugin):
    """Records the messages it sees, and changes them."""

    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    def egress(self, envelope: Any, http_headers: Any, operation: Any, binding_options: Any) -> Any:
        self.seen.append(f"egress {operation.name}")
        http_headers["X-Noted"] = "yes"
        return envelope, http_headers

    def ingress(self, envelope: Any, http_headers: Any, operation: Any) -> Any:
        self.seen.append(f"ingress {http_headers['Content-Type']}")
        for node in envelope.iter(f"{{{SPACE}}}station"):
            node.text = node.text.upper()
        return envelope, http_headers


# ---- messages


@pytest.mark.parametrize(
    ("port", "space", "kind"),
    [
        ("Weather11", SOAP_11, "text/xml; charset=utf-8"),
        ("Weather12", SOAP_12, f'application/soap+xml; charset=utf-8; action="{SPACE}#GetWeather"'),
    ],
)
def test_both_soap_versions_are_called(opened: Open, wire: Wire, port: str, space: str, kind: str) -> None:
    wire.answers(envelope(space=space), Content_Type=kind.partition(";")[0])
    response = opened(port=port).get_weather(city="Rome", days=2)
    assert (response.degrees, response.station) == (Decimal("-3.50"), ["Rome"])
    assert wire.sent[0].headers["content-type"] == kind
    body = etree.fromstring(wire.sent[0].body).find(f"{{{space}}}Body/{{{SPACE}}}GetWeather")
    assert body is not None
    assert [node.text for node in body] == ["Rome", "2"]


def test_operations_are_called_by_name(opened: Open, wire: Wire, types: Any) -> None:
    soap = opened().soap
    for call in (soap.service.GetWeather, soap.service["GetWeather"]):
        wire.answers(envelope())
        assert type(call(types.GetWeather(city="Rome"))) is types.GetWeatherResponse
    assert {"GetWeather", "Observe"} <= set(dir(soap.service))
    with pytest.raises(AttributeError, match="GetWether"):
        soap.service.GetWether()


def test_keyword_arguments_build_a_request(opened: Open, wire: Wire) -> None:
    service = opened().soap.service
    for _ in range(2):
        wire.answers(envelope())
    assert service.GetWeather(city="Rome").station == ["Rome"]
    assert service["GetWeather"](city="Rome", _timeout=5).station == ["Rome"]
    assert [each.message.findtext(f"{{{SPACE}}}city") for each in wire.sent] == ["Rome", "Rome"]


@pytest.mark.parametrize(
    ("given", "fields", "said"),
    [
        ((), {"town": "Rome"}, "GetWeather: town: unknown field.*allowed: city, days"),
        ((), {}, "GetWeather: city is required"),
        (("Rome",), {"city": "Rome"}, "one GetWeather, or the fields city, days"),
        (("Rome", "now"), {}, "one GetWeather, or the fields city, days"),
    ],
)
def test_invalid_request_error_says_what_to_pass(
    opened: Open, wire: Wire, given: tuple[object, ...], fields: dict[str, object], said: str
) -> None:
    soap = opened().soap
    with pytest.raises(ContractError, match=said):
        soap.service.GetWeather(*given, **fields)
    with pytest.raises(ContractError, match=said):
        soap.create_message(soap.service, "GetWeather", *given, **fields)
    assert wire.sent == []


def test_fault_detail_is_typed(opened: Open, wire: Wire) -> None:
    wire.answers(envelope(FAULT), 500)
    with pytest.raises(ServiceFault) as caught:
        opened().get_weather(city="A")
    assert getattr(caught.value.detail, "city", None) == "A"


def test_one_way_operation_returns_none(opened: Open, wire: Wire) -> None:
    wire.answers(b"", 202)
    assert opened().observe(degrees=Decimal(1)) is None


# ---- headers


def test_headers_are_accepted_in_all_forms(opened: Open, wire: Wire, types: Any) -> None:
    connection = opened()
    get = connection.soap.service.GetWeather
    own = etree.fromstring('<own xmlns="urn:own">1</own>')
    for given, names in (
        ({"session": types.Session(token="t")}, ["Session"]),
        ([types.Session(token="t")], ["Session"]),
        ([own], ["own"]),
        ({"anything": own}, ["own"]),
        ([own, types.Session(token="t")], ["own", "Session"]),
    ):
        wire.answers(envelope())
        get(types.GetWeather(city="Rome"), _soapheaders=given)
        assert header_names(wire) == names
    assert len(own) == 0
    assert own.getparent() is None
    wire.answers(envelope())
    connection.get_weather(city="Rome", session_header=types.Session(token="t"))
    assert header_names(wire) == ["Session"]


@pytest.mark.parametrize("given", [{"nobody": 5}, [5], "text", [b"x"]])
def test_invalid_headers_are_refused(opened: Open, wire: Wire, types: Any, given: object) -> None:
    with pytest.raises(ContractError, match="GetWeather: _soapheaders"):
        opened().soap.service.GetWeather(types.GetWeather(city="Rome"), _soapheaders=given)
    assert wire.sent == []


def test_default_headers_are_sent(opened: Open, wire: Wire, types: Any) -> None:
    """Headers in any form. zeep itself joins lists only with lists."""
    connection = opened()
    own = etree.fromstring('<own xmlns="urn:own">1</own>')
    for default in ([own], {"anything": own}):
        connection.soap.set_default_soapheaders(default)
        for _ in range(2):
            wire.answers(envelope())
            connection.get_weather(city="Rome", session_header=types.Session(token="t"))
            assert header_names(wire) == ["own", "Session"]
    wire.answers(envelope())
    connection.get_weather(city="Rome")
    assert header_names(wire) == ["own"]


def test_response_headers_are_returned(opened: Open, wire: Wire) -> None:
    heard: list[Any] = []
    wire.answers(envelope(head=f'<Quota xmlns="{SPACE}"><left>7</left></Quota>'))
    connection = opened(on_headers=lambda name, values: heard.append((name, values["quota"].left)))
    connection.get_weather(city="Rome")
    assert heard == [("GetWeather", 7)]


# ---- plugins


def test_plugins_can_change_requests_and_responses(opened: Open, wire: Wire) -> None:
    seen: list[str] = []
    wire.answers(envelope())
    response = opened(plugins=[Noting(seen)]).get_weather(city="Rome")
    assert response.station == ["ROME"]
    assert seen == ["egress GetWeather", "ingress text/xml; charset=utf-8"]
    assert wire.sent[0].headers["x-noted"] == "yes"


def test_history_plugin_records_messages(opened: Open, wire: Wire) -> None:
    history: Any = HistoryPlugin()  # type: ignore[no-untyped-call] # zeep has no types
    connection = opened()
    connection.soap.plugins.append(history)
    wire.answers(envelope())
    connection.get_weather(city="Rome")
    assert history.last_sent["envelope"].findtext(f".//{{{SPACE}}}city") == "Rome"
    assert history.last_received["envelope"].findtext(f".//{{{SPACE}}}sky") == "clear"
    assert history.last_received["http_headers"]["Content-Type"].startswith("text/xml")


def test_request_is_validated_after_all_plugins(opened: Open, wire: Wire) -> None:
    class Spoiling(zeep.Plugin):
        def egress(self, envelope: Any, http_headers: Any, operation: Any, binding_options: Any) -> Any:
            envelope[-1][0][0].text = "y" * 30
            return envelope, http_headers

    with pytest.raises(ContractError, match="city"):
        opened(plugins=[Spoiling()]).get_weather(city="Rome")
    assert wire.sent == []


def test_invalid_plugin_or_security_is_refused(opened: Open) -> None:
    for given in ({"plugins": ["history"]}, {"wsse": ["token"]}):
        with pytest.raises(ConfigError) as caught:
            opened(**given)
        assert [caught.value.setting] == list(given)


def test_plain_zeep_service_uses_the_same_plugins(opened: Open, wire: Wire) -> None:
    seen: list[str] = []
    securities = [token("u", "p"), token("v", "q")]
    connection = opened(plugins=[Noting(seen)], wsse=securities)
    wire.answers(envelope())
    given: Any = connection.zeep.GetWeather(city="Rome")
    assert given.body.station == ["ROME"]
    assert seen == ["egress GetWeather", "ingress text/xml; charset=utf-8"]
    assert wire.sent[0].body.count(b"<wsse:Username>") == 2


# ---- WS-Security


def token(user: str, password: str, **given: Any) -> Any:
    make: Any = UsernameToken
    return make(user, password, **given)


def test_username_token_is_sent(opened: Open, wire: Wire) -> None:
    """Each attempt has its own nonce. The digest is computed here (UsernameToken Profile 1.1, 3.1)."""
    for status in (503, 200):
        wire.answers(envelope(), status)
    opened(wsse=token("me", "secret", use_digest=True)).get_weather(city="Rome")
    found = [etree.fromstring(each.body).find(f".//{{{WSSE}}}UsernameToken") for each in wire.sent]
    nonces = set()
    for each in found:
        assert each is not None
        said = {etree.QName(child).localname: child.text or "" for child in each}
        nonce = base64.b64decode(said["Nonce"])
        made = hashlib.sha1(nonce + said["Created"].encode() + b"secret").digest()
        assert said["Password"] == base64.b64encode(made).decode()
        nonces.add(nonce)
    assert len(nonces) == 2


def test_several_securities_are_applied(opened: Open, wire: Wire) -> None:
    """zeep itself calls `verify` of the list."""
    verified: list[str] = []

    class Vouching:
        def __init__(self, name: str) -> None:
            self.name = name

        def apply(self, envelope: Any, headers: Any, /) -> Any:
            envelope.set(f"by-{self.name}", "yes")
            return envelope, headers

        def verify(self, envelope: Any, /) -> None:
            verified.append(self.name)

    wire.answers(envelope())
    opened(wsse=[Vouching("one"), Vouching("two")]).get_weather(city="Rome")
    assert verified == ["one", "two"]
    assert dict(etree.fromstring(wire.sent[0].body).attrib) == {"by-one": "yes", "by-two": "yes"}


def test_unverified_fault_is_still_raised(opened: Open, wire: Wire) -> None:
    class Doubting:
        def apply(self, envelope: Any, headers: Any, /) -> Any:
            return envelope, headers

        def verify(self, envelope: Any, /) -> None:
            raise zeep.exceptions.SignatureVerificationFailed

    service = opened(wsse=Doubting())
    wire.answers(envelope(FAULT), 500)
    with pytest.raises(ServiceFault) as caught:
        service.get_weather(city="A")
    assert any("not verified" in note for note in caught.value.__notes__)
    wire.answers(envelope())
    with pytest.raises(SecurityError) as refused:
        service.get_weather(city="Rome")
    assert refused.value.code == "other"
    assert isinstance(refused.value.__cause__, zeep.exceptions.SignatureVerificationFailed)


def test_xml_signature_is_created_and_verified(opened: Open, wire: Wire, tmp_path: Path) -> None:
    pytest.importorskip("xmlsec")
    from zeep.wsse.signature import Signature

    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=me", "-days", "2",
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    make: Any = Signature  # zeep has no types
    signature = make(str(key), str(certificate))
    service = opened(wsse=[token("u", "p"), signature])
    signed = etree.tostring(signature.apply(etree.fromstring(envelope()), {})[0])
    wire.answers(signed)
    assert service.get_weather(city="Rome").station == ["Rome"]
    assert service.drift.counts() == {}
    signature.verify(etree.fromstring(wire.sent[0].body))
    with pytest.raises(zeep.exceptions.SignatureVerificationFailed):
        signature.verify(etree.fromstring(wire.sent[0].body.replace(b"Rome", b"Roma")))
    wire.answers(signed.replace(b">Rome<", b">Roma<"))
    with pytest.raises(SecurityError, match="SignatureVerificationFailed"):
        service.get_weather(city="Rome")


# ---- headers of one call


def test_undeclared_headers_can_be_sent_with_one_call(opened: Open, wire: Wire, types: Any) -> None:
    connection = opened()
    tenant = etree.fromstring('<tenant xmlns="urn:own">7</tenant>')
    for given in ([tenant], (tenant,), {"anything": tenant}):
        wire.answers(envelope())
        view = connection.with_options(soapheaders=given)
        assert view.get_weather(city="Rome").station == ["Rome"]
        assert header_names(wire) == ["tenant"]
    assert tenant.getparent() is None
    both = connection.with_options(soapheaders=[tenant]).with_options(soapheaders=[types.Session(token="o")])
    wire.answers(envelope())
    both.get_weather(city="Rome", session_header=types.Session(token="t"))
    assert header_names(wire) == ["tenant", "Session", "Session"]
    wire.answers(envelope())
    connection.get_weather(city="Rome")
    assert header_names(wire) == []


@pytest.mark.parametrize("given", ["text", 5, b"<x/>", etree.Element("one")])
def test_headers_of_one_call_are_a_list_or_a_dict(opened: Open, given: Any) -> None:
    with pytest.raises(ConfigError, match="soapheaders must be a list or a dict, got"):
        opened().with_options(soapheaders=given)


# ---- settings, messages, transports


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("strict", False),
        ("force_https", False),
        ("xml_huge_tree", True),
        ("forbid_entities", False),
        ("xsd_ignore_sequence_order", True),
    ],
)
def test_settings_without_effect_are_refused_by_name(
    opened: Open, wire: Wire, name: str, *, value: bool
) -> None:
    with pytest.raises(ConfigError, match=f"zeep's setting {name}={value} has no effect here. Omit it"):
        opened(zeep_settings=make_settings(**{name: value}))
    settings = opened().soap.settings
    with pytest.raises(ConfigError, match=name):
        settings(**{name: value})
    with pytest.raises(ConfigError, match=name):
        setattr(settings, name, value)
    assert wire.sent == []


def test_settings_that_always_apply_are_accepted(opened: Open, wire: Wire) -> None:
    """The defaults and stricter values are accepted."""
    stricter = make_settings(strict=True, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    wire.answers(envelope())
    assert opened(zeep_settings=stricter).get_weather(city="Rome").station == ["Rome"]


def test_every_zeep_setting_is_covered() -> None:
    """Checks the settings of the installed zeep version.

    Unknown settings are also refused unless they have their default.
    """
    names = {name for name in zeep.Settings.__slots__ if not name.startswith("_")}
    assert names == set(zeep_options._SETTINGS)


def test_raw_response_is_returned(opened: Open, wire: Wire) -> None:
    connection = opened()
    wire.answers(envelope(FAULT), 500)
    with connection.soap.settings(raw_response=True):
        response = connection.get_weather(city="Rome")
    assert isinstance(response, requests.Response)
    assert (response.status_code, response.content) == (500, envelope(FAULT))
    wire.answers(b"x" * 200)
    small = Settings(max_response_bytes=100)
    raw = opened(settings=small, zeep_settings=make_settings(raw_response=True))
    with pytest.raises(Exception, match="100 bytes"):
        raw.get_weather(city="Rome")


def make_settings(**given: object) -> Any:
    make: Any = zeep.Settings
    return make(**given)


def test_extra_http_headers_are_sent(opened: Open, wire: Wire, types: Any) -> None:
    connection = opened(zeep_settings=make_settings(extra_http_headers={"X-One": "1"}))
    for _ in range(3):
        wire.answers(envelope())
    connection.get_weather(city="Rome")
    with connection.soap.settings(extra_http_headers={"X-Two": "2"}):
        connection.get_weather(city="Rome")
    connection.soap.service.GetWeather(types.GetWeather(city="Rome"), _http_headers={"X-Three": "3"})
    given = {"x-one", "x-two", "x-three"}
    own = [given & set(each.headers) for each in wire.sent]
    assert own == [{"x-one"}, {"x-two"}, {"x-one", "x-three"}]


def test_create_message_returns_the_envelope(opened: Open, wire: Wire, types: Any) -> None:
    seen: list[str] = []
    soap = opened(plugins=[Noting(seen)]).soap
    made = soap.create_message(soap.service, "GetWeather", types.GetWeather(city="Rome"))
    assert (made.findtext(f".//{{{SPACE}}}city"), seen) == ("Rome", ["egress GetWeather"])
    assert wire.sent == []
    with pytest.raises(ContractError, match="city"):
        soap.create_message(soap.service, "GetWeather", types.GetWeather(city="x" * 30))


def test_timeout_of_one_call_can_be_set(opened: Open, wire: Wire, types: Any) -> None:
    held: list[float] = []
    connection = opened()
    connection.soap.plugins.append(Noting([]))
    wire.answers(envelope())
    begin = connection.soap.loop.deadline

    def noted(seconds: float | None = None) -> Any:
        deadline = begin(seconds)
        held.append(deadline.seconds)
        return deadline

    connection.soap.loop.deadline = noted
    connection.soap.service.GetWeather(types.GetWeather(city="Rome"), _timeout=1.5)
    assert held == [1.5]


# ---- the same for a built-in contract


def test_built_in_services_have_the_zeep_features(wire: Wire, clock: ManualClock) -> None:
    seen: list[str] = []
    config = Settings.load(environ={}, connect_id=CONNECT_ID, secret_key="no secret", publisher_url=wire.url)
    history: Any = HistoryPlugin()  # type: ignore[no-untyped-call] # zeep has no types
    with Client(config, clock=clock, plugins=[Noting(seen), history], wsse=token("u", "p")) as client:
        wire.answers(responses.profile())
        assert client.publisher.get_profile().profile_item is not None
        assert seen[0] == "egress GetProfile"
        assert header_names(wire) == ["Security"]
        signature = history.last_sent["envelope"].findtext(".//{*}signature")  # plugins get what is signed
        assert wire.sent[0].fields["signature"] == signature
        soap, request = client.publisher.soap, GetSalesRequest(date=DAY, date_type="trackingDate")
        made = soap.create_message(soap.service, "GetSales", request)
        assert made.findtext(".//{*}signature")
        assert made.findtext(".//{*}nonce") != wire.sent[0].fields["nonce"]
