"""Partner codes by the hundred: requests and results (docs/explanation/service.md#partner-codes, #limits)."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from soapclient import Client, Settings
from soapclient.errors import ContractError, ServiceFault
from soapclient.tracking.advertiser import PartnerCodeResults
from soapclient.tracking.sandbox import Sandbox
from tests.conftest import RestClient
from tests.support.wire import Recorder
from zxws.advertiser.types import PartnerCodeError

CONNECT_ID = "802B8BF4AE99EBE00F41"


def code(number: int) -> str:
    return f"{number:08d}C{number:08d}"


def answer(recorder: Recorder, codes: Sequence[str], **more: object) -> None:
    """Answer with the ids of these codes."""
    found = [{"partnerCode": one, "userId": 1, "adspaceId": int(one[:8])} for one in codes]
    recorder.answers(json.dumps({"partnerCodeList": found} | more))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("number", "requests"), [(1, [1]), (25, [25]), (26, [25, 1]), (50, [25, 25]), (60, [25, 25, 10])]
)
@pytest.mark.parametrize("method", ["partnerships", "public_partnerships"])
def test_request_has_at_most_twenty_five_codes(
    recorder: Recorder, rest_client: RestClient, method: str, number: int, requests: list[int]
) -> None:
    codes = [code(one) for one in range(number)]
    for at in range(0, number, 25):
        answer(recorder, codes[at : at + 25])
    resolved = getattr(rest_client().advertiser, method)(codes)
    assert [one.partner_code for one in resolved] == codes
    assert [one.adspace_id for one in resolved.found] == list(range(number))
    assert (len(resolved), resolved.errors, resolved.missing) == (number, [], [])
    asked = [dict(sent.pairs)["partnerCode"].split(",") for sent in recorder.sent]
    assert [len(some) for some in asked] == requests
    assert [one for some in asked for one in some] == codes


def test_partnerships_request_has_the_path_and_credentials(
    recorder: Recorder, rest_client: RestClient
) -> None:
    client = rest_client().advertiser
    answer(recorder, [code(1)])
    client.partnerships([code(1)])
    assert recorder.last.target == f"/2015-03-01/member/partnership?partnerCode={code(1)}"
    assert recorder.last.headers["authorization"].startswith(f"ZXWS {CONNECT_ID}:")
    assert recorder.last.headers["accept"] == "application/json"
    answer(recorder, [code(1)])
    client.public_partnerships([code(1)])
    assert recorder.last.target == f"/2015-03-01/member/partnership/public?partnerCode={code(1)}"
    assert recorder.last.headers["authorization"] == f"ZXWS {CONNECT_ID}"
    assert not {"date", "nonce"} & recorder.last.headers.keys()


def test_public_query_has_only_the_connect_id(recorder: Recorder, rest_client: RestClient) -> None:
    client = rest_client(rest_signature="query", secret_key=None).advertiser
    answer(recorder, [code(1)])
    client.public_partnerships([code(1), code(2)])
    listed = f"{code(1)}%2C{code(2)}"
    expected = f"/2015-03-01/member/partnership/public?partnerCode={listed}&connectid={CONNECT_ID}"
    assert recorder.last.target == expected
    assert "authorization" not in recorder.last.headers


def test_duplicate_codes_of_any_iterable_are_requested_once(
    recorder: Recorder, rest_client: RestClient
) -> None:
    codes = [code(number % 3) for number in range(90)]
    answer(recorder, codes[:3])
    assert len(rest_client().advertiser.partnerships(iter(codes))) == 3
    assert [dict(sent.pairs)["partnerCode"].split(",") for sent in recorder.sent] == [codes[:3]]


@pytest.mark.parametrize("wrong", [[], (), "1C1", ["1C1", ""], [7], [None], ["1C1,2C2"]])
def test_invalid_list_of_codes_is_not_sent(
    recorder: Recorder, rest_client: RestClient, wrong: Sequence[str]
) -> None:
    client = rest_client().advertiser
    methods: list[Callable[[Sequence[str]], object]] = [client.partnerships, client.public_partnerships]
    for method in methods:
        with pytest.raises(ContractError):
            method(wrong)
    assert recorder.sent == []


def test_missing_codes_error_names_the_setting(recorder: Recorder, rest_client: RestClient) -> None:
    with pytest.raises(ContractError, match="advertiser_partner_codes"):
        rest_client().advertiser.partnerships()
    assert recorder.sent == []


@pytest.mark.parametrize("source", ["argument", "environment", "file"])
def test_configured_codes_are_used(recorder: Recorder, tmp_path: Path, source: str) -> None:
    codes = [code(1), code(2)]
    path = tmp_path / "settings.toml"
    listed = ", ".join(f'"{one}"' for one in codes)
    path.write_text(f"[advertiser]\npartner_codes = [{listed}]\n", encoding="utf-8")
    given: dict[str, Any] = {"connect_id": "A", "secret_key": "k", "advertiser_url": recorder.url}
    environ: dict[str, str] = {}
    if source == "argument":
        given["advertiser_partner_codes"] = codes
    if source == "environment":
        environ["SOAPCLIENT_ADVERTISER_PARTNER_CODES"] = ",".join(codes)
    config = Settings.load(file=path if source == "file" else None, environ=environ, **given)
    with Client(config) as client:
        answer(recorder, codes)
        assert [one.partner_code for one in client.advertiser.partnerships()] == codes
    assert dict(recorder.last.pairs)["partnerCode"] == ",".join(codes)


def test_unknown_codes_are_listed_separately(recorder: Recorder, rest_client: RestClient) -> None:
    codes = [code(number) for number in range(30)]
    bad = {"partnerCode": codes[3], "code": 130, "message": "invalid", "reason": "nobody has it"}
    answer(recorder, codes[:3] + codes[4:25], errorList=[bad])
    answer(recorder, codes[25:29], errorList=[{**bad, "partnerCode": codes[29]}])
    resolved = rest_client().advertiser.partnerships(codes)
    assert [one.partner_code for one in resolved] == [*codes[:3], *codes[4:29]]
    assert resolved.errors == [
        PartnerCodeError(partner_code=one, code="130", message="invalid", reason="nobody has it")
        for one in (codes[3], codes[29])
    ]


@pytest.mark.parametrize("method", ["partnerships", "public_partnerships"])
def test_failed_request_keeps_the_results_of_the_others(
    recorder: Recorder, rest_client: RestClient, method: str
) -> None:
    codes = [code(number) for number in range(60)]
    bad = {"partnerCode": codes[3], "message": "invalid"}
    answer(recorder, [*codes[:3], *codes[4:24]], errorList=[bad])
    with pytest.raises(ServiceFault, match="recorded") as caught:
        getattr(rest_client().advertiser, method)(codes)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        partial = error.partial
        assert isinstance(partial, PartnerCodeResults)
        assert [item.partner_code for item in partial] == [*codes[:3], *codes[4:24]]
        assert [item.partner_code for item in partial.errors] == [codes[3]]
        assert partial.missing == codes[24:]


def test_failed_first_request_has_no_results(recorder: Recorder, rest_client: RestClient) -> None:
    with pytest.raises(ServiceFault, match="recorded") as caught:
        rest_client().advertiser.partnerships([code(1)])
    partial = caught.value.partial
    assert isinstance(partial, PartnerCodeResults)
    assert (partial.found, partial.errors, partial.missing) == ([], [], [code(1)])


@pytest.mark.parametrize(
    "errors", [[{"message": "bad"}], [{"code": "130"}], [{}], ["bad"], {"error": {"reason": "bad"}}, None]
)
def test_code_without_a_result_is_reported_as_missing(
    recorder: Recorder, rest_client: RestClient, errors: object
) -> None:
    """An error without a code shows that a code failed, but not which."""
    codes = [code(number) for number in range(4)]
    answer(recorder, [codes[2], codes[0]], errorList=errors)
    resolved = rest_client().advertiser.partnerships(codes)
    assert [item.partner_code for item in resolved] == [codes[0], codes[2]]
    assert [error.partner_code for error in resolved.errors] == ([None] if errors not in (None, [{}]) else [])
    assert resolved.missing == [codes[1], codes[3]]


@pytest.mark.parametrize("place", ["headers", "query"])
def test_the_sandbox_resolves_its_own_and_foreign_codes(
    rest_client: RestClient, rest_sandbox: tuple[Sandbox, str], place: str
) -> None:
    sandbox, url = rest_sandbox
    codes = sandbox.partner_codes(CONNECT_ID)
    asked = [*codes, "99999999C99999999", *codes[:2]]
    client = rest_client(url, rest_signature=place)
    resolved = client.advertiser.partnerships(asked)
    assert [one.partner_code for one in resolved] == codes
    assert [one.partner_code for one in resolved.errors] == ["99999999C99999999"]
    own = [one for one in resolved if one.user_name is not None]
    foreign = [one for one in resolved if one.user_name is None]
    assert len(own) > 0
    assert len(foreign) == 4
    for one in own:
        assert None not in (one.partner_code_status, one.adspace_url, one.admedia_id, one.admedia_status)
    for one in foreign:  # docs/explanation/service.md#partner-codes: only the ids
        hidden = (one.partner_code_status, one.adspace_name, one.admedia_id, one.user_status)
        assert hidden == (None, None, None, None)
    public = client.advertiser.public_partnerships(asked)
    assert [(one.user_id, one.adspace_id) for one in public] == [
        (one.user_id, one.adspace_id) for one in resolved
    ]
    assert cast("dict[object, int]", client.drift.counts()) == {}


@pytest.mark.parametrize("bad", ["a,b", "", " 1C1", "1C1\n", "ä", 7, None])
def test_unsendable_code_is_refused_before_the_first_request(
    recorder: Recorder, rest_client: RestClient, bad: object
) -> None:
    codes: list[object] = [code(number) for number in range(30)]
    with pytest.raises(ContractError) as caught:
        rest_client().advertiser.partnerships([*codes, bad])  # type: ignore[list-item]  # on purpose
    assert caught.value.path == "codes[31]"
    assert recorder.sent == []


def test_results_are_in_request_order(recorder: Recorder, rest_client: RestClient) -> None:
    codes = [code(number) for number in range(4)]
    answer(recorder, codes[::-1], more={"a": "1"}, invalidPartnerCodes=["x", "y"])
    resolved = rest_client().advertiser.partnerships(codes)
    assert [one.partner_code for one in resolved] == codes
    assert resolved.unknown == {"more": {"a": "1"}, "invalidPartnerCodes": ["x", "y"]}


@pytest.mark.parametrize(
    ("operation", "ask"),
    [
        ("GetPartnerships", lambda c, codes: c.advertiser.get_partnerships(partner_code=codes)),
        ("GetPublicPartnerships", lambda c, codes: c.advertiser.get_public_partnerships(partner_code=codes)),
    ],
)
def test_too_many_codes_error_names_the_limit_and_the_alternative(
    recorder: Recorder, rest_client: RestClient, operation: str, ask: Callable[[Client, list[str]], object]
) -> None:
    with pytest.raises(ContractError) as caught:
        ask(rest_client(), [code(number) for number in range(26)])
    assert caught.value.path == f"{operation}Request/partnerCode"
    assert caught.value.value == "26"
    said = str(caught.value)
    assert "at most 25 (maxOccurs)" in said
    assert "partnerships()" in said
    assert "1 to 25" in said
    assert recorder.sent == []
    answer(recorder, [code(number) for number in range(25)])
    ask(rest_client(), [code(number) for number in range(25)])
