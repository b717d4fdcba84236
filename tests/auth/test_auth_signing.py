from __future__ import annotations

import base64
import hashlib
import hmac
import locale
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.auth.credentials import Credentials, Secret
from soapclient.auth.provider import CredentialsCache
from soapclient.auth.signing import (
    Signer,
    Stamp,
    authorization,
    rest_string_to_sign,
    rest_timestamp,
    sign,
    signed_uri,
    soap_string_to_sign,
    soap_timestamp,
    soap_uri,
)
from soapclient.clock import ManualClock
from soapclient.errors import ConfigError, ContractError

# The published sample of docs/explanation/service.md#signing; no live secret.
KEY = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
CONNECT_ID = "802B8BF4AE99EBE00F41"
REST_TIME = "Thu, 15 Aug 2013 15:56:07 GMT"
REST_NONCE = "17811FEFBA7448CE848327F835729AA2"
SOAP_TIME = "2013-08-20T14:44:21"
SOAP_NONCE = "b382e074-2fc4-41c9-8d5c-f679805f609c"
REST_MOMENT = datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC)
SOAP_MOMENT = datetime(2013, 8, 20, 14, 44, 21, tzinfo=UTC)

encodable = st.text(st.characters(exclude_categories=["Cs"]))
moments = st.datetimes(datetime(1971, 1, 2), datetime(9998, 1, 1)).map(
    lambda naive: naive.replace(tzinfo=UTC)
)


def reference_signature(secret: str, text: str) -> str:
    """Compute the signature of docs/explanation/service.md#signing by RFC 2104, without the hmac module."""
    key = secret.encode()
    block = (hashlib.sha1(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = hashlib.sha1(bytes(byte ^ 0x36 for byte in block) + text.encode()).digest()
    return base64.b64encode(hashlib.sha1(bytes(byte ^ 0x5C for byte in block) + inner).digest()).decode()


def signer(moment: datetime, nonce: str, service: str | None = "publisherservice") -> Signer:
    return Signer(
        Credentials(CONNECT_ID, KEY),
        service_name=service,
        clock=ManualClock(moment),
        nonce_source=lambda: nonce,
    )


@pytest.mark.parametrize(
    ("path", "signature"),
    [
        ("/reports/sales/date/2013-07-20", "N4RPYDY1aUjciVm32pCJ82FVvuk="),
        ("/report/program/1803", "SwtIU7Ubwq5zvO/MjDLlDjtynhw="),
    ],
)
def test_known_answers_for_rest(path: str, signature: str) -> None:
    text = rest_string_to_sign("GET", path, REST_TIME, REST_NONCE)
    assert text == f"GET{path}{REST_TIME}{REST_NONCE}"
    assert sign(KEY, text) == signature
    fields = signer(REST_MOMENT, REST_NONCE).header_fields(Stamp(REST_MOMENT, REST_NONCE), "GET", path)
    signed = f"ZXWS {CONNECT_ID}:{signature}"
    assert fields == {"Authorization": signed, "Date": REST_TIME, "nonce": REST_NONCE}


@pytest.mark.parametrize(
    ("service", "operation", "timestamp", "signature"),
    [
        ("publisherservice", "GetSales", SOAP_TIME, "aK6w2dT5X1y9E51FTv0rIU7INZc="),
        ("PublisherService", "getsales", SOAP_TIME, "aK6w2dT5X1y9E51FTv0rIU7INZc="),
        ("publisherservice", "GetSales", "2013-08-20t14:44:21", "3lIiQyUowr8Dlu1Xu+3vuianSzM="),
        # One published value (…ZaaJLJfXQee4=) has a wrong letter. This one is from OpenSSL, which confirms
        # the published values of all other rows: printf '%s' TEXT | openssl dgst -sha1 -hmac KEY -binary |
        # base64
        ("dataservice", "CreateReportJob", SOAP_TIME, "o47MRROYTiIHGVWZaaLJLfXQee4="),
    ],
)
def test_known_answers_for_soap(service: str, operation: str, timestamp: str, signature: str) -> None:
    text = soap_string_to_sign(service, operation, timestamp, SOAP_NONCE)
    assert sign(KEY, text) == sign(Secret(KEY), text) == signature


def test_suffix_request_is_not_removed_from_the_operation_name() -> None:
    assert soap_string_to_sign("S", "GetSalesRequest", "T", "N") == "sgetsalesrequestTN"


@given(encodable.filter(bool), encodable)
def test_signatures_agree_with_the_standard_library_and_the_rfc(secret: str, text: str) -> None:
    digest = hmac.new(secret.encode(), text.encode(), "sha1").digest()
    assert sign(secret, text) == base64.b64encode(digest).decode() == reference_signature(secret, text)


@given(st.sampled_from(["GET", "POST", "PUT", "DELETE"]), encodable, encodable, encodable)
def test_rest_parts_are_joined_without_separators(verb: str, uri: str, timestamp: str, nonce: str) -> None:
    assert rest_string_to_sign(verb, uri, timestamp, nonce) == "".join((verb, uri, timestamp, nonce))


def test_a_secret_that_cannot_be_encoded_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        sign("hunter2\ud800", "text")
    assert "hunter2" not in str(caught.value)


def signed_without_service_name() -> None:
    mine = signer(SOAP_MOMENT, SOAP_NONCE, service=None)
    mine.body_fields(mine.stamp(), "GetSales")


@pytest.mark.parametrize(
    ("doing", "message"),
    [
        (
            lambda: rest_string_to_sign("PATCH", "/profiles", REST_TIME, REST_NONCE),
            "HTTP verb: no signature is defined for this verb (got 'PATCH'; allowed: GET, POST, PUT, DELETE)"
            ". Nothing was sent.",
        ),
        (
            lambda: sign(KEY, "lone \ud800"),
            "string to sign: it has a lone surrogate (got 'lone \\ud800'; allowed: text that can "
            "be encoded as UTF-8). Nothing was sent.",
        ),
        *(
            (
                doing,
                f"path: it does not begin with / (got {path!r}; allowed: a path that begins with /). "
                "Nothing was sent.",
            )
            for doing, path in (
                (lambda: signed_uri("profiles", "2011-03-01"), "profiles"),
                (lambda: soap_uri("", "2011-03-01"), ""),
            )
        ),
        (
            signer(SOAP_MOMENT, "short").stamp,
            "nonce_source: a nonce must be 20 or more visible ASCII characters. "
            "Pass another nonce source, or omit it to use the default",
        ),
        (
            signed_without_service_name,
            "signing_names: a SOAP signature contains the name of the service, but no service name is set. "
            "Pass service_name to the signer",
        ),
        *(
            (doing, "clock: now() returned a time without a zone. Pass a clock that returns aware times")
            for doing in (
                lambda: rest_timestamp(datetime(2013, 8, 15)),
                lambda: soap_timestamp(datetime(2013, 8, 15)),
            )
        ),
    ],
)
def test_errors_say_what_why_and_what_to_do(doing: Callable[[], object], message: str) -> None:
    with pytest.raises((ConfigError, ContractError)) as caught:
        doing()
    assert str(caught.value) == message


@given(moments)
def test_timestamps_agree_with_the_standard_library(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    assert rest_timestamp(moment) == format_datetime(whole, usegmt=True)
    assert soap_timestamp(moment) == whole.strftime("%Y-%m-%dT%H:%M:%S")
    assert datetime.fromisoformat(soap_timestamp(moment) + "+00:00") == whole


@given(moments, st.integers(-14, 14))
def test_timestamps_are_gmt_for_any_zone_of_the_datetime(moment: datetime, hours: int) -> None:
    local = moment.astimezone(timezone(timedelta(hours=hours)))
    assert (rest_timestamp(local), soap_timestamp(local)) == (rest_timestamp(moment), soap_timestamp(moment))


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be changed")
def test_timestamps_are_gmt_in_any_zone_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "AAA-5")  # five hours ahead, in POSIX notation
    time.tzset()
    try:
        assert datetime.now().astimezone().utcoffset() == timedelta(hours=5)
        assert rest_timestamp(REST_MOMENT) == REST_TIME
        assert soap_timestamp(SOAP_MOMENT) == SOAP_TIME
    finally:
        monkeypatch.undo()
        time.tzset()


def test_timestamps_have_two_digit_days_and_four_digit_years() -> None:
    early = datetime(987, 6, 5, 4, 3, 2, tzinfo=UTC)
    assert rest_timestamp(early).split(" ", 1)[1] == "05 Jun 0987 04:03:02 GMT"
    assert soap_timestamp(early) == "0987-06-05T04:03:02"


def test_timestamps_are_english_in_any_locale() -> None:
    before = locale.setlocale(locale.LC_TIME)
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "C"):
        try:
            locale.setlocale(locale.LC_TIME, name)
            assert rest_timestamp(REST_MOMENT) == REST_TIME
        except locale.Error:
            continue  # not available on this machine
        finally:
            locale.setlocale(locale.LC_TIME, before)


def test_authorization_header_has_the_documented_form() -> None:
    assert authorization("ID") == "ZXWS ID"
    assert authorization("ID", "SIG=") == "ZXWS ID:SIG="


@pytest.mark.parametrize(
    ("path", "version", "uri"),
    [
        ("/xml/2011-03-01/reports/sales/date/2013-07-20", "2011-03-01", "/reports/sales/date/2013-07-20"),
        ("/json/2011-03-01/profiles", "2011-03-01", "/profiles"),
        ("/base/xml/2011-05-01/jobs/", "2011-05-01", "/jobs/"),
        ("/2015-03-01/report/program/1803", "2015-03-01", "/report/program/1803"),
        ("/api/2015-03-01/member/partnership?partnerCode=1", "2015-03-01", "/member/partnership"),
        ("/reports/sales/date/2013-07-20", "2011-03-01", "/reports/sales/date/2013-07-20"),
        # a day that equals the version
        ("/xml/2011-03-01/reports/sales/date/2011-03-01", "2011-03-01", "/reports/sales/date/2011-03-01"),
        ("/reports/sales/date/2011-03-01", "2011-03-01", "/reports/sales/date/2011-03-01"),
        ("/reports/sales/date/2011-03-01/", "2011-03-01", "/reports/sales/date/2011-03-01/"),
        # as sent: neither decoded nor normalised
        ("/xml/2011-03-01/a%20b//c/../D", "2011-03-01", "/a%20b//c/../D"),
        ("/xml/2011-03-01/", "2011-03-01", "/"),
        ("/xml/2011-03-01", "2011-03-01", "/"),
        ("/", "2011-03-01", "/"),
        ("/2011-03-01", "2011-03-01", "/"),
        ("/base/2011-03-01", "2011-03-01", "/base/2011-03-01"),  # a version is not expected here
        ("/2011-03-01/2011-03-01/jobs", "2011-03-01", "/2011-03-01/jobs"),
    ],
)
def test_signed_part_of_a_rest_path(path: str, version: str, uri: str) -> None:
    assert signed_uri(path, version) == uri
    assert signed_uri(path, version, lowercase=True) == uri.lower()


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/soap/2011-05-01", "/"),
        ("/soap/2011-05-01/", "/"),
        ("/soap", "/"),
        ("/2011-05-01", "/"),
        ("/", "/"),
        ("/Data/soap/2011-05-01", "/"),
        ("/soap/gate/soap/2011-05-01", "/"),
        ("/Data/2011-05-01", "/"),
        ("/Data/Api", "/Data/Api"),
    ],
)
def test_signed_part_of_a_soap_path(path: str, uri: str) -> None:
    assert soap_uri(path, "2011-05-01") == uri
    assert soap_uri(path, "2011-05-01", lowercase=True) == uri.lower()


@given(st.lists(st.text("abcXYZ0-9~.%", min_size=1), min_size=1), st.booleans())
def test_path_after_the_version_is_signed_unchanged(segments: list[str], slash: bool) -> None:
    resource = "/" + "/".join(segments) + "/" * slash
    assert signed_uri("/base/xml/2011-03-01" + resource, "2011-03-01") == resource
    assert signed_uri(resource, "2011-03-01") == resource


def test_body_fields_are_in_contract_order() -> None:
    mine = signer(SOAP_MOMENT, SOAP_NONCE)
    fields = mine.body_fields(mine.stamp(), "GetSales")
    assert list(fields.items()) == [
        ("connect_id", CONNECT_ID),
        ("timestamp", SOAP_TIME),
        ("nonce", SOAP_NONCE),
        ("signature", "aK6w2dT5X1y9E51FTv0rIU7INZc="),
    ]


def test_query_fields_are_in_order() -> None:
    mine = signer(REST_MOMENT, REST_NONCE, service=None)
    fields = mine.query_fields(mine.stamp(), "GET", "/reports/sales/date/2013-07-20")
    assert list(fields.items()) == [
        ("connectid", CONNECT_ID),
        ("date", REST_TIME),
        ("nonce", REST_NONCE),
        ("signature", "N4RPYDY1aUjciVm32pCJ82FVvuk="),
    ]


def test_public_fields_need_no_secret_and_no_nonce() -> None:
    def never() -> str:
        raise AssertionError("a public request has no nonce")

    public = Signer(Credentials(CONNECT_ID), service_name="publisherservice", nonce_source=never)
    assert public.body_fields(None, "GetProfile") == {"connect_id": CONNECT_ID}
    assert public.header_fields(None, "GET", "/x") == {"Authorization": f"ZXWS {CONNECT_ID}"}
    assert public.query_fields(None, "GET", "/x") == {"connectid": CONNECT_ID}
    assert public.connect_id == CONNECT_ID


def test_signing_error_names_the_missing_secret() -> None:
    public = Signer(Credentials(CONNECT_ID), service_name="publisherservice")
    with pytest.raises(ConfigError, match="SOAPCLIENT_SECRET_KEY"):
        public.body_fields(public.stamp(), "GetSales")


def test_body_and_headers_of_an_attempt_share_timestamp_and_nonce() -> None:
    nonces = iter(f"{number:032d}" for number in range(9))
    clock = ManualClock(SOAP_MOMENT)
    mine = Signer(
        Credentials(CONNECT_ID, KEY), service_name="s", clock=clock, nonce_source=lambda: next(nonces)
    )
    stamp = mine.stamp()
    clock.advance(5)
    body, headers = mine.body_fields(stamp, "GetSales"), mine.header_fields(stamp, "POST", "/")
    assert body["nonce"] == headers["nonce"] == "0" * 32
    assert (body["timestamp"], headers["Date"]) == (SOAP_TIME, "Tue, 20 Aug 2013 14:44:21 GMT")
    again = mine.body_fields(mine.stamp(), "GetSales")
    assert all(again[name] != body[name] for name in ("timestamp", "nonce", "signature"))


def test_attempt_keeps_its_initial_credentials() -> None:
    """The credentials may change between the time stamp and the fields of an attempt."""
    clock = ManualClock(SOAP_MOMENT)
    keys = iter((KEY, "the next key"))
    lease = CredentialsCache(lambda: Credentials(CONNECT_ID, next(keys), lifetime=60), clock)
    mine = Signer(lease, service_name="publisherservice", clock=clock, nonce_source=lambda: SOAP_NONCE)
    stamp = mine.stamp()
    clock.advance(60)
    assert mine.body_fields(stamp, "GetSales")["signature"] == "aK6w2dT5X1y9E51FTv0rIU7INZc="
    text = f"GET/x{stamp.rest_timestamp}{SOAP_NONCE}"
    assert mine.query_fields(stamp, "GET", "/x")["signature"] == reference_signature(KEY, text)
    later = mine.header_fields(mine.stamp(), "GET", "/x")
    text = f"GET/x{later['Date']}{SOAP_NONCE}"
    assert later["Authorization"] == f"ZXWS {CONNECT_ID}:{reference_signature('the next key', text)}"


def test_an_offset_corrects_the_clock() -> None:
    stamp = signer(SOAP_MOMENT, SOAP_NONCE).stamp(offset=timedelta(minutes=-45))
    assert stamp.soap_timestamp == "2013-08-20T13:59:21"
    assert stamp.rest_timestamp == "Tue, 20 Aug 2013 13:59:21 GMT"


@pytest.mark.parametrize(
    "nonce", ["", "x" * 19, "x" * 19 + " ", "x" * 20 + "\n", "ü" * 20, "x" * 30 + "\x7f"]
)
def test_a_nonce_that_cannot_be_sent_is_refused(nonce: str) -> None:
    with pytest.raises(ConfigError, match="nonce_source: a nonce must be"):
        signer(SOAP_MOMENT, nonce).stamp()


def test_shortest_allowed_nonce_is_accepted() -> None:
    assert signer(SOAP_MOMENT, "!" * 19 + "~").stamp().nonce == "!" * 19 + "~"


def test_no_repr_shows_the_secret() -> None:
    mine = signer(SOAP_MOMENT, SOAP_NONCE)
    assert KEY not in repr(mine) + repr(mine.stamp()) + repr(vars(mine))
