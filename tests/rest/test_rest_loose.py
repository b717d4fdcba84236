"""Lists whose nesting is undocumented: each possible form is decoded to the same response.

See docs/explanation/service.md#partner-codes.
"""

from __future__ import annotations

import pytest

from soapclient.runtime import DecodeError, Finding
from tests.rest.conftest import read_json
from zxws.advertiser import types as advertiser
from zxws.advertiser.service import GET_PARTNERSHIPS, GET_PROGRAM_REPORT

pytestmark = pytest.mark.sampled(8)


CODE = {"partnerCode": "23323443C69317236", "userId": 5, "adspaceId": 6}
OTHER = {"partnerCode": "1C2T", "userId": "7", "adspaceId": 8, "userName": "n", "novelty": {"a": 1}}
REPORT = {"day": "2026-11-01", "viewCount": 3, "saleAmount": "1.50"}


@pytest.mark.parametrize(
    "value",
    [
        [CODE, OTHER],
        {"partnerCodeList": [CODE, OTHER]},
        {"partnerCodeList": [[CODE], [OTHER]]},
        {"partnerCodeList": {"partnerCode": [CODE, OTHER]}},
        {"partnerCodeList": [{"partnerCode": [CODE, OTHER]}]},
        {"partnerCodeList": [{"partnerCode": CODE}, {"partnerCode": OTHER}]},
        {"partnerCode": [CODE, OTHER]},
        [{"partnerCodeList": [CODE, OTHER]}],
        {"GetPartnershipsResponse": {"partnerCodeList": [CODE, OTHER]}},
    ],
)
def test_two_partnerships_are_read_in_every_nesting(value: object) -> None:
    found, reader = read_json(GET_PARTNERSHIPS, value)
    assert found == advertiser.GetPartnershipsResponse(
        partner_code_list=[
            advertiser.Partnership(partner_code="23323443C69317236", user_id=5, adspace_id=6),
            advertiser.Partnership(
                partner_code="1C2T", user_id=7, adspace_id=8, user_name="n", unknown={"novelty": {"a": 1}}
            ),
        ]
    )
    path = "GetPartnershipsResponse/partnerCodeList/partnerCode/novelty"
    assert reader.findings == {Finding("element", path, ""): 1}


@pytest.mark.parametrize(
    "value",
    [
        CODE,
        [CODE],
        {"partnerCodeList": CODE},
        {"partnerCodeList": {"partnerCode": CODE}},
        {"partnerCode": CODE},
    ],
)
def test_one_partnership_is_read_in_every_nesting(value: object) -> None:
    found, reader = read_json(GET_PARTNERSHIPS, value)
    assert found.partner_code_list == [
        advertiser.Partnership(partner_code="23323443C69317236", user_id=5, adspace_id=6)
    ]
    assert found.error_list is None
    assert not reader.findings


@pytest.mark.parametrize(
    "value",
    [
        REPORT,
        [REPORT],
        {"aggregatedReportList": REPORT},
        {"aggregatedReportList": [REPORT]},
        {"aggregatedReportList": {"aggregatedReport": REPORT}},
        {"aggregatedReportList": {"aggregatedReport": [REPORT]}},
    ],
)
def test_one_report_is_read_in_every_nesting(value: object) -> None:
    found, reader = read_json(GET_PROGRAM_REPORT, value)
    assert found.aggregated_report_list is not None
    (row,) = found.aggregated_report_list
    assert (row.day, row.view_count, str(row.sale_amount)) == ("2026-11-01", 3, "1.50")
    assert not reader.findings


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"partnerCodeList": []},
        {"partnerCodeList": ""},
        {"partnerCodeList": [""]},
        {"partnerCodeList": {"partnerCode": []}},
        {"partnerCodeList": {}},
    ],
)
def test_empty_list_is_read(value: object) -> None:
    found, _ = read_json(GET_PARTNERSHIPS, value)
    assert found == advertiser.GetPartnershipsResponse(partner_code_list=[])


def test_missing_list_is_none_and_unknown_names_are_reported() -> None:
    assert read_json(GET_PARTNERSHIPS, {})[0] == advertiser.GetPartnershipsResponse()
    found, reader = read_json(GET_PROGRAM_REPORT, {"total": 0, "page": 0})
    assert found == advertiser.GetProgramReportResponse(unknown={"total": 0, "page": 0})
    assert {finding.path for finding in reader.findings} == {
        "GetProgramReportResponse/total",
        "GetProgramReportResponse/page",
    }
    found_too, reader = read_json(GET_PARTNERSHIPS, {"partnerCodeList": [CODE], "took": "5 ms"})
    assert found_too.partner_code_list is not None
    assert reader.findings == {Finding("element", "GetPartnershipsResponse/took", ""): 1}


FIRST = {"partnerCode": "x", "code": 108, "message": "m", "reason": "r"}
ERROR = advertiser.PartnerCodeError(partner_code="x", code="108", message="m", reason="r")
CODE_ALONE = [advertiser.PartnerCodeError(partner_code="x"), advertiser.PartnerCodeError(partner_code="y")]


@pytest.mark.parametrize(
    "name", ["errorList", "errors", "partnerCodeErrors", "ERRORLIST", "invalidErrorList"]
)
@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ([FIRST], [ERROR]),
        (FIRST, [ERROR]),
        ({"error": FIRST}, [ERROR]),
        ({"error": [FIRST, FIRST]}, [ERROR, ERROR]),
        ({"partnerCode": [FIRST]}, [ERROR]),
        ([{"error": [FIRST]}], [ERROR]),
        ({"partnerCode": ["x", "y"]}, CODE_ALONE),
        ([{"partnerCode": "x"}, {"partnerCode": "y"}], CODE_ALONE),
        (["x"], [advertiser.PartnerCodeError(unknown={"$": "x"})]),
        ({"error": "x"}, [advertiser.PartnerCodeError(unknown={"$": "x"})]),
        ([], []),
        ("", []),
    ],
)
def test_errors_next_to_a_list_are_read(name: str, errors: object, expected: list[object]) -> None:
    for codes in (1, 0):
        value = {"partnerCodeList": [CODE] * codes, name: errors}
        found, _ = read_json(GET_PARTNERSHIPS, value)
        assert found.error_list == expected
        assert found.partner_code_list is not None
        assert len(found.partner_code_list) == codes


def test_errors_without_a_list_are_read() -> None:
    found, reader = read_json(GET_PARTNERSHIPS, {"errorList": [FIRST]})
    assert found == advertiser.GetPartnershipsResponse(error_list=[ERROR])
    assert not reader.findings


def test_paths_in_a_loose_list_follow_the_contract() -> None:
    with pytest.raises(DecodeError) as caught:
        read_json(GET_PARTNERSHIPS, [CODE, {**CODE, "userId": "x"}])
    assert caught.value.path == "GetPartnershipsResponse/partnerCodeList/partnerCode[2]/userId"
    for texts in (["23C5"], {"partnerCodeList": ["23C5"]}):
        with pytest.raises(DecodeError, match="partnerCodeList/partnerCode/partnerCode"):
            read_json(GET_PARTNERSHIPS, texts)


def test_content_next_to_the_items_is_reported() -> None:
    value = {"partnerCodeList": {"count": 1, "partnerCode": [CODE]}}
    found, reader = read_json(GET_PARTNERSHIPS, value)
    assert found.partner_code_list is not None
    assert len(found.partner_code_list) == 1
    assert reader.findings == {Finding("element", "GetPartnershipsResponse/count", ""): 1}


def test_list_under_an_unknown_name_is_not_an_item() -> None:
    found, reader = read_json(GET_PROGRAM_REPORT, {"reports": [REPORT]})
    assert found.aggregated_report_list is None
    assert found.unknown.keys() == {"reports"}
    assert reader.findings == {Finding("element", "GetProgramReportResponse/reports", ""): 1}


@pytest.mark.parametrize("empties", ["", [""], ["", ""]])
def test_empty_items_are_handled(empties: object) -> None:
    times = len(empties) if isinstance(empties, list) else 1
    found, reader = read_json(GET_PROGRAM_REPORT, {"aggregatedReportList": {"aggregatedReport": empties}})
    assert found.aggregated_report_list == [advertiser.AggregatedReport()] * times
    assert not reader.findings
    found_too, reader = read_json(GET_PARTNERSHIPS, {"partnerCodeList": {"partnerCode": empties}})
    assert found_too == advertiser.GetPartnershipsResponse(partner_code_list=[])
    path = "GetPartnershipsResponse/partnerCodeList/partnerCode"
    assert reader.findings == {Finding("value", path, ""): times}
