"""Every form that the response may have, because no public source shows which one is used
(docs/explanation/service.md#partner-codes).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from soapclient.errors import ResponseError
from soapclient.runtime import Finding
from soapclient.tracking.advertiser import PartnerCodeResults
from tests.conftest import RestClient
from tests.support.wire import Recorder
from zxws.advertiser.types import Partnership

ONE = {"partnerCode": "23323443C69317236", "userId": 5, "adspaceId": 6}
TWO = {"partnerCode": "23323443C69317236T", "userId": "7", "adspaceId": 8, "userStatus": "LOCKED"}
BAD = {"partnerCode": "0C0", "code": 130, "message": "invalid partner code"}
FIRST = Partnership(partner_code="23323443C69317236", user_id=5, adspace_id=6)
SECOND = Partnership(partner_code="23323443C69317236T", user_id=7, adspace_id=8, user_status="LOCKED")


def resolved(
    recorder: Recorder, rest_client: RestClient, document: object
) -> PartnerCodeResults[Partnership]:
    for _ in range(4):  # a response that looks damaged is requested again
        recorder.answers(json.dumps(document))
    return rest_client().advertiser.partnerships(["23323443C69317236", "23323443C69317236T"])


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ([ONE, TWO], [FIRST, SECOND]),
        ({"partnerCodeList": [ONE, TWO]}, [FIRST, SECOND]),
        ({"partnerCodeList": {"partnerCode": [ONE, TWO]}}, [FIRST, SECOND]),
        ([{"partnerCodeList": [ONE, TWO]}], [FIRST, SECOND]),
        (ONE, [FIRST]),
        ([ONE], [FIRST]),
        ({"partnerCodeList": ONE}, [FIRST]),
        ({"partnerCodeList": [ONE]}, [FIRST]),
        ({"partnerCodeList": {"partnerCode": ONE}}, [FIRST]),
        ({"partnerCodeList": {"partnerCode": [ONE]}}, [FIRST]),
        ([], []),
        ({"partnerCodeList": []}, []),
        ({"partnerCodeList": ""}, []),
        ({"partnerCodeList": {"partnerCode": []}}, []),
        ({"partnerCodeList": [], "errorList": []}, []),
    ],
)
def test_items_are_read_in_any_nesting(
    recorder: Recorder, rest_client: RestClient, document: object, found: list[Partnership]
) -> None:
    got = resolved(recorder, rest_client, document)
    assert (got.found, got.errors) == (found, [])


@pytest.mark.parametrize(
    "key", ["errorList", "errors", "partnerCodeErrors", "invalidPartnerCodeErrors", "partnerCodeErrorList"]
)
@pytest.mark.parametrize("errors", [[BAD], BAD])
@pytest.mark.parametrize("found", [[ONE], {"partnerCode": [ONE]}, ONE])
def test_errors_next_to_the_result_are_read(
    recorder: Recorder, rest_client: RestClient, key: str, errors: object, found: object
) -> None:
    got = resolved(recorder, rest_client, {"partnerCodeList": found, key: errors})
    assert got.found == [FIRST]
    (bad,) = got.errors
    assert (bad.partner_code, bad.code, bad.message) == ("0C0", "130", "invalid partner code")


def test_errors_with_only_codes_are_read(recorder: Recorder, rest_client: RestClient) -> None:
    got = resolved(recorder, rest_client, {"partnerCodeList": [ONE], "errors": ["0C0", "1C1"]})
    assert got.found == [FIRST]
    assert len(got.errors) == 2
    for bad, text in zip(got.errors, ("0C0", "1C1"), strict=True):
        assert text in (bad.partner_code, *bad.unknown.values())


def test_unknown_fields_are_kept_and_counted(recorder: Recorder, rest_client: RestClient) -> None:
    heard: list[tuple[str, Finding]] = []
    document = [{**ONE, "loyalty": "gold", "rank": 3}, {**TWO, "loyalty": "tin"}]
    recorder.answers(json.dumps({"partnerCodeList": document}))
    client = rest_client(on_finding=lambda operation, finding, times: heard.append((operation, finding)))
    found = client.advertiser.partnerships(["23323443C69317236"]).found
    assert found[0].unknown == {"loyalty": "gold", "rank": 3}
    assert found[1].unknown == {"loyalty": "tin"}
    assert {operation for operation, _ in heard} == {"GetPartnerships"}
    text = str(client.drift.counts())
    assert "loyalty" in text
    assert "rank" in text
    assert "gold" not in text


def test_unknown_enumeration_values_are_kept(recorder: Recorder, rest_client: RestClient) -> None:
    got = resolved(recorder, rest_client, [{**ONE, "partnerCodeStatus": "FROZEN"}])
    assert got.found[0].partner_code_status == "FROZEN"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "document",
    [
        [{"partnerCode": "1C1", "userId": 5}],
        [{"userId": 5, "adspaceId": 6}],
        {"partnerCodeList": [{**ONE, "userId": "five"}]},
        "hello",
        7,
    ],
)
def test_undecodable_response_is_an_error(recorder: Recorder, rest_client: RestClient, document: Any) -> None:
    with pytest.raises(ResponseError):
        resolved(recorder, rest_client, document)
