"""The verifier alone: known answers, time windows, nonces."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from soapclient.tracking.sandbox.auth import (
    Claim,
    Verifier,
    rest_text,
    rest_time,
    signature_of,
    soap_text,
    soap_time,
)
from soapclient.tracking.sandbox.faults import Code, InvalidValue

WHEN = datetime(2013, 8, 20, 14, 44, 21, tzinfo=UTC)
NONCE = "b382e074-2fc4-41c9-8d5c-f679805f609c"
REST_NONCE = "17811FEFBA7448CE848327F835729AA2"
REST_DATE = "Thu, 15 Aug 2013 15:56:07 GMT"
SOAP_ANSWER = "aK6w2dT5X1y9E51FTv0rIU7INZc="


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        (
            rest_text("GET", "/reports/sales/date/2013-07-20", REST_DATE, REST_NONCE),
            "N4RPYDY1aUjciVm32pCJ82FVvuk=",
        ),
        (soap_text("publisherservice", "GetSales", "2013-08-20T14:44:21", NONCE), SOAP_ANSWER),
        (
            soap_text("publisherservice", "getsales", "2013-08-20t14:44:21", NONCE),
            "3lIiQyUowr8Dlu1Xu+3vuianSzM=",
        ),
        # The published value (…ZaaJLJf…) has three wrong letters. This value is from openssl
        # (dgst -sha1 -hmac) over the same four parts and key.
        (
            soap_text("DataService", "CreateReportJob", "2013-08-20T14:44:21", NONCE),
            "o47MRROYTiIHGVWZaaLJLfXQee4=",
        ),
        (rest_text("GET", "/report/program/1803", REST_DATE, REST_NONCE), "SwtIU7Ubwq5zvO/MjDLlDjtynhw="),
    ],
)
def test_known_signatures_are_verified(text: str, signature: str) -> None:
    assert signature_of(SAMPLE_SECRET_KEY, text) == signature


def claim(**changes: object) -> Claim:
    parts: dict[str, object] = {
        "where": "body",
        "connect_id": SAMPLE_CONNECT_ID,
        "signature": SOAP_ANSWER,
        "timestamp": "2013-08-20T14:44:21",
        "moment": WHEN,
        "nonce": NONCE,
        "texts": (soap_text("publisherservice", "getsales", "2013-08-20T14:44:21", NONCE),),
        **changes,
    }
    return Claim(**parts)  # type: ignore[arg-type]  # all parts are named above


def signed_claim(moment: datetime, nonce: str, **changes: object) -> Claim:
    timestamp = f"{moment:%Y-%m-%dT%H:%M:%S}"
    text = soap_text("publisherservice", "getsales", timestamp, nonce)
    signature = signature_of(SAMPLE_SECRET_KEY, text)
    when: dict[str, object] = {"timestamp": timestamp, "moment": moment, "nonce": nonce}
    return claim(signature=signature, texts=(text,), **when, **changes)


def verifier(now: datetime, validity: timedelta = timedelta(minutes=30)) -> Verifier:
    return Verifier({SAMPLE_CONNECT_ID: SAMPLE_SECRET_KEY}, lambda: now, validity)


def refused(one: Verifier, *claims: Claim, signed: bool = True) -> Code:
    with pytest.raises(InvalidValue) as caught:
        one.verify(claims, signed=signed)
    assert SAMPLE_SECRET_KEY not in caught.value.reason
    assert SOAP_ANSWER not in caught.value.reason
    return Code(caught.value.code)


def test_recorded_signature_is_accepted_and_its_lower_case_variant_is_not() -> None:
    assert verifier(WHEN).verify([claim()], signed=True) == SAMPLE_CONNECT_ID
    assert refused(verifier(WHEN), claim(signature="3lIiQyUowr8Dlu1Xu+3vuianSzM=")) is Code.DENIED


@pytest.mark.parametrize(
    ("seconds", "minutes", "accepted"),
    [
        (-1800, 30, True),
        (0, 30, True),
        (1800, 30, True),
        (-1801, 30, False),
        (1801, 30, False),
        (1200, 15, False),
    ],
)
def test_skew_up_to_the_validity_is_accepted(seconds: int, minutes: int, accepted: bool) -> None:
    one = verifier(WHEN + timedelta(seconds=seconds), timedelta(minutes=minutes))
    if accepted:
        one.verify([claim()], signed=True)
    else:
        assert refused(one, claim()) is Code.DENIED


def test_nonce_is_valid_once_and_not_used_up_by_a_refused_request() -> None:
    one = verifier(WHEN)
    assert refused(one, claim(signature="AAAAAAAAAAAAAAAAAAAAAAAAAAA=")) is Code.DENIED
    one.verify([claim()], signed=True)
    assert refused(one, claim()) is Code.DENIED


def test_one_request_with_two_signatures_uses_its_nonce_once() -> None:
    header = rest_text("POST", "/", REST_DATE, NONCE)
    signature = signature_of(SAMPLE_SECRET_KEY, header)
    second = claim(where="headers", signature=signature, moment=WHEN, texts=(header,))
    one = verifier(WHEN)
    assert one.verify([claim(), second], signed=True) == SAMPLE_CONNECT_ID
    assert refused(one, second) is Code.DENIED


def test_every_present_signature_must_be_valid() -> None:
    wrong = claim(where="headers", texts=("something else",))
    assert refused(verifier(WHEN), claim(), wrong) is Code.DENIED
    assert refused(verifier(WHEN), claim(signature=None), wrong, signed=False) is Code.DENIED


def test_missing_or_unknown_connect_id_is_refused() -> None:
    assert refused(verifier(WHEN)) is Code.NO_ID
    assert refused(verifier(WHEN), claim(connect_id="", signature=None), signed=False) is Code.NO_ID
    assert refused(verifier(WHEN), claim(connect_id="0" * 20)) is Code.DENIED
    assert refused(verifier(WHEN), claim(), claim(connect_id="0" * 20)) is Code.DENIED


def test_public_operation_needs_only_the_id_and_signed_operation_a_signature() -> None:
    bare = claim(signature=None)
    assert verifier(WHEN).verify([bare], signed=False) == SAMPLE_CONNECT_ID
    assert refused(verifier(WHEN), bare) is Code.NO_ID


@pytest.mark.parametrize(
    "nonce", ["", "short", "n" * 19, "with a blank in the text", "n" * 19 + "ü", "n" * 25 + "\n"]
)
def test_nonce_needs_twenty_visible_ascii_characters(nonce: str) -> None:
    assert refused(verifier(WHEN), signed_claim(WHEN, nonce)) is Code.DENIED


def test_expired_nonces_are_forgotten() -> None:
    now = WHEN

    def clock() -> datetime:
        return now

    one = Verifier({SAMPLE_CONNECT_ID: SAMPLE_SECRET_KEY}, clock, timedelta(minutes=30))
    for minute in range(300):
        now = WHEN + timedelta(minutes=minute)
        one.verify([signed_claim(now, f"nonce-{minute:020d}")], signed=True)
    assert 30 <= len(one.nonces) <= 33
    # A nonce from the future is kept as long as it can be valid: here an hour.
    ahead = now + timedelta(minutes=30)
    early = signed_claim(ahead, "nonce-from-the-future")
    one.verify([early], signed=True)
    now = ahead + timedelta(minutes=30)
    assert refused(one, early) is Code.DENIED


@pytest.mark.parametrize(
    "text",
    ["2013-08-20T14:44:21", "2013-08-20T14:44:21Z", "2013-08-20T14:44:21.123", "2013-08-20T14:44:21.123Z"],
)
def test_recorded_soap_timestamps_are_read_as_gmt(text: str) -> None:
    assert soap_time(text) == WHEN


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "text",
    [
        "", "2013-08-20t14:44:21", "2013-08-20 14:44:21", "2013-08-20T14:44:21+02:00", "2013-08-20T14:44",
        "2013-13-20T14:44:21", "2013-08-20T24:44:21", "2013-08-20T14:44:21\n", "٢٠١٣-08-20T14:44:21",
    ],
)  # fmt: skip
def test_other_soap_timestamps_are_refused(text: str) -> None:
    assert soap_time(text) is None


def test_rest_timestamps_are_read() -> None:
    assert rest_time(REST_DATE) == datetime(2013, 8, 15, 15, 56, 7, tzinfo=UTC)
    assert rest_time(REST_DATE.removesuffix(" GMT")) == rest_time(REST_DATE, suffix_required=True)
    assert rest_time(REST_DATE.removesuffix(" GMT"), suffix_required=True) is None
    changes = [("GMT", "UTC"), ("GMT", ""), ("Thu", "Fri"), ("Thu", "Do"), ("Aug", "aug"), (", 15", ", 32")]
    for part, other in changes:
        assert rest_time(REST_DATE.replace(part, other)) is None


def test_reprs_contain_no_secret() -> None:
    assert SAMPLE_SECRET_KEY not in repr(verifier(WHEN))
    assert SOAP_ANSWER not in repr(claim())
