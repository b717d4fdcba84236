"""The bytes of a call on the wire: placement, signatures, envelope, day fields."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
import zeep.exceptions

from soapclient import Client
from soapclient.errors import ConfigError
from tests.conftest import CONNECT_ID
from tests.soap.conftest import responses

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Sent, Wire

# The tests' clock is stopped at 2026-11-20 12:00:00 GMT, a Friday.
IN_BODY = "2026-11-20T12:00:00"
IN_HEADERS = "Fri, 20 Nov 2026 12:00:00 GMT"
Hmac = Callable[..., str]


def authenticated(sent: Sent) -> dict[str, str]:
    """Return the headers that authenticate a request."""
    return {name: sent.headers[name] for name in ("authorization", "date", "nonce") if name in sent.headers}


def ask_for_profile(client: Client, wire: Wire) -> Sent:
    wire.answers(responses.profile())
    client.publisher.get_profile()
    return wire.sent[-1]


def test_a_request_is_soap_1_1_with_the_action_of_its_operation(client: Client, wire: Wire) -> None:
    sent = ask_for_profile(client, wire)
    assert sent.path == "/soap/2011-03-01"
    assert sent.headers["content-type"] == "text/xml; charset=utf-8"
    assert sent.headers["soapaction"].strip('"') == "http://api.zanox.com/namespace/2011-03-01/GetProfile"
    assert sent.headers["user-agent"].startswith("soapclient/")
    assert sent.message.tag == "{http://api.zanox.com/namespace/2011-03-01/}GetProfileRequest"
    assert sent.body.startswith(b"<?xml")


def test_auto_placement_signs_body_and_headers_with_one_timestamp_and_nonce(
    client: Client, wire: Wire, hmac_of: Hmac
) -> None:
    sent = ask_for_profile(client, wire)
    assert list(sent.fields) == ["connectId", "timestamp", "nonce", "signature"]
    nonce = sent.fields["nonce"]
    assert len(nonce) >= 20
    signature = hmac_of("publisherservice", "getprofile", IN_BODY, nonce)
    assert [*sent.fields.values()] == [CONNECT_ID, IN_BODY, nonce, signature]
    assert authenticated(sent) == {
        "authorization": f"ZXWS {CONNECT_ID}:{hmac_of('POST', '/', IN_HEADERS, nonce)}",
        "date": IN_HEADERS,
        "nonce": nonce,
    }


def test_the_authentication_fields_are_the_last_of_a_request(client: Client, wire: Wire) -> None:
    wire.answers(responses.sales(page=2))
    client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate", page=2, items=5)
    assert list(wire.sent[0].fields) == [
        "date", "dateType", "page", "items", "connectId", "timestamp", "nonce", "signature",
    ]  # fmt: skip


def test_headers_placement_is_refused_for_required_fields_on_construction(
    open_client: OpenClient, wire: Wire
) -> None:
    client = open_client(signature_placement="headers")
    for service in ("publisher", "data"):
        with pytest.raises(ConfigError, match="signature_placement") as caught:
            getattr(client, service)
        assert "auto" in str(caught.value)
        assert "SOAPCLIENT_SIGNATURE_PLACEMENT" in str(caught.value)
    assert wire.sent == []


@pytest.mark.parametrize(
    ("placement", "headers"), [("auto", {"authorization": f"ZXWS {CONNECT_ID}"}), ("body", {})]
)
def test_public_operation_sends_only_the_connect_id(
    open_client: OpenClient, wire: Wire, placement: str, headers: dict[str, str]
) -> None:
    wire.answers(responses.of("GetProgram"))
    client = open_client(signature_placement=placement, secret_key=None)
    client.publisher.get_program(program_id=5)
    with pytest.raises(ConfigError, match="secret_key"):
        client.publisher.get_profile()
    (sent,) = wire.sent
    assert sent.fields == {"programId": "5", "connectId": CONNECT_ID}
    assert authenticated(sent) == headers


@pytest.mark.parametrize("base", ["", "/prefix", "/soap/api", "/A/b"])
def test_header_signature_covers_the_path_after_soap_and_version(
    open_client: OpenClient, wire: Wire, hmac_of: Hmac, base: str
) -> None:
    sent = ask_for_profile(open_client(wire.url + base), wire)
    assert sent.path == f"{base}/soap/2011-03-01"
    signature = sent.headers["authorization"].partition(":")[2]
    assert signature == hmac_of("POST", "/", IN_HEADERS, sent.headers["nonce"])


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "publisherservice"),
        ({"signature_placement": "body"}, "publisherservice"),
        ({"signing_names": {"publisher": "OtherService"}}, "otherservice"),
    ],
)
def test_each_service_signs_with_its_name(
    open_client: OpenClient, wire: Wire, hmac_of: Hmac, settings: Any, name: str
) -> None:
    client = open_client(**settings)
    sent = ask_for_profile(client, wire)
    assert sent.fields["signature"] == hmac_of(name, "getprofile", IN_BODY, sent.fields["nonce"])
    assert (authenticated(sent) == {}) is ("signature_placement" in settings)
    wire.answers(responses.of("GetJob", space="http://data.zanox.com/namespace/2011-05-01/"))
    client.data.get_job(job_id="job-1")
    assert wire.last.path == "/soap/2011-05-01"
    expected = hmac_of("dataservice", "getjob", IN_BODY, wire.last.fields["nonce"])
    assert wire.last.fields["signature"] == expected


@pytest.mark.exhaustive
def test_plain_zeep_service_needs_no_dummy_arguments(open_client: OpenClient, sandbox: str) -> None:
    client = open_client(sandbox)
    midnight = dt.datetime(2026, 11, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    found: Any = client.publisher.zeep.GetSales(date=midnight, dateType="trackingDate", items=3)
    assert len(found.saleItems.saleItem) == 3
    programs: Any = client.publisher.zeep["SearchPrograms"](items=2)
    assert len(programs.programItems.programItem) == 2
    jobs: Any = client.data.zeep.GetJobs()
    assert jobs.total >= 0
    assert "GetProfile" in dir(client.publisher.zeep)
    with pytest.raises(AttributeError, match="GetProfil"):
        client.publisher.zeep.GetProfil  # noqa: B018 - the access is what is tested
    with pytest.raises(zeep.exceptions.Fault):
        client.publisher.zeep.GetSales(date=midnight, dateType="trackingDate", items=51)


def test_plain_zeep_service_signs_like_a_typed_call(client: Client, wire: Wire, hmac_of: Hmac) -> None:
    wire.answers(responses.profile())
    client.publisher.zeep.GetProfile()
    (sent,) = wire.sent
    nonce = sent.fields["nonce"]
    assert sent.fields["signature"] == hmac_of("publisherservice", "getprofile", IN_BODY, nonce)
    assert sent.headers["authorization"] == f"ZXWS {CONNECT_ID}:{hmac_of('POST', '/', IN_HEADERS, nonce)}"


def test_two_calls_never_share_a_nonce_or_a_signature(client: Client, wire: Wire) -> None:
    sent = [ask_for_profile(client, wire) for _ in range(3)]
    assert len({one.fields["nonce"] for one in sent}) == 3
    assert len({one.fields["signature"] for one in sent}) == 3
    assert len({one.headers["authorization"] for one in sent}) == 3


@pytest.mark.parametrize(
    ("day", "text"),
    [
        (dt.date(2026, 11, 1), "2026-11-01T00:00:00+01:00"),
        (dt.date(2026, 7, 1), "2026-07-01T00:00:00+02:00"),
        (dt.date(2026, 3, 29), "2026-03-29T00:00:00+01:00"),  # summer time begins at two
        (dt.date(2026, 3, 30), "2026-03-30T00:00:00+02:00"),
        (dt.date(2026, 10, 25), "2026-10-25T00:00:00+02:00"),  # and ends at three
    ],
)
def test_a_day_is_sent_as_its_midnight_in_berlin(client: Client, wire: Wire, day: dt.date, text: str) -> None:
    wire.answers(responses.sales())
    client.publisher.get_sales(date=day, date_type="trackingDate")
    assert wire.sent[0].fields["date"] == text


def test_the_zone_of_a_day_is_a_setting(open_client: OpenClient, wire: Wire) -> None:
    wire.answers(responses.sales())
    client = open_client(report_zone="America/New_York")
    client.publisher.get_sales(date=dt.date(2026, 7, 1), date_type="trackingDate")
    assert wire.sent[0].fields["date"] == "2026-07-01T00:00:00-04:00"


def test_day_before_standard_time_is_a_valid_date_time(client: Client, wire: Wire) -> None:
    wire.answers(responses.sales())
    client.publisher.get_sales(date=dt.date(1890, 1, 1), date_type="trackingDate")
    # Local mean time, 53 min 28 s ahead of UTC: offsets in XSD have no seconds.
    moment = dt.datetime(1889, 12, 31, 23, 6, 32, tzinfo=dt.UTC)
    assert dt.datetime.fromisoformat(wire.sent[0].fields["date"]) == moment


def test_texts_arrive_unchanged(client: Client, wire: Wire) -> None:
    text = "  Füchse & <more> ]]> \n\t— ✓ 𝄞 \r "
    wire.answers(responses.of("SearchPrograms", "<page>0</page><items>0</items><total>0</total>"))
    client.publisher.search_programs(query=text)
    assert wire.sent[0].fields["query"] == text


def test_netrc_and_cookies_do_not_affect_requests(
    open_client: OpenClient, wire: Wire, tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    home = tmp_path_factory.mktemp("home")
    (home / ".netrc").write_text("machine 127.0.0.1\nlogin somebody\npassword else\n")
    (home / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("NETRC", raising=False)
    client = open_client()
    for _ in range(2):
        wire.answers(responses.profile(), Set_Cookie="session=abc; Path=/")
        client.publisher.get_profile()
    for sent in wire.sent:
        assert sent.headers["authorization"].startswith("ZXWS ")
        assert "cookie" not in sent.headers


def test_connection_is_reused_for_the_next_call(client: Client, wire: Wire) -> None:
    for _ in range(3):
        ask_for_profile(client, wire)
    assert len(set(wire.connections)) == 1


def test_loopback_bypasses_the_proxy_of_the_environment(
    client: Client, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nothing listens there
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    ask_for_profile(client, wire)
    assert len(wire.sent) == 1
