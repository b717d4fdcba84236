"""Request bodies over REST, and requests that are refused before they are sent.

See docs/explanation/service.md#rest-resources, #json and #export-jobs.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Literal

import pytest
from lxml import etree

from soapclient.errors import ContractError, ResponseError, ServiceFault
from zxws.publisher.types import AdspaceItem, ProfileItemChanges

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.support.wire import Recorder

SPACE = "http://api.zanox.com/namespace/2011-03-01/"
DATA = "http://data.zanox.com/namespace/2011-05-01/"
Method = Literal["create_adspace", "update_adspace"]


def adspace(**changed: int | str | list[str]) -> AdspaceItem:
    values: dict[str, object] = {
        "name": 'A <b> & "c"', "url": "https://example.org/?a=1&b=2", "description": "Ünïcödé 𝄞",
        "adspace_type": "website", "visitors": 10, "impressions": 20, "language": "DE", "check_number": 3,
        "regions": ["DE", "AT"],
    }  # fmt: skip
    return AdspaceItem(**(values | changed))  # type: ignore[arg-type]  # built from a dict


def children(body: bytes) -> list[tuple[str, str | None]]:
    root = etree.fromstring(body)
    return [(etree.QName(child).localname, child.text) for child in root]


@pytest.mark.parametrize(
    ("method", "verb", "number"), [("create_adspace", "POST", None), ("update_adspace", "PUT", 77)]
)
def test_ad_space_is_sent_as_xml(
    recorder: Recorder, rest_client: RestClient, method: Method, verb: str, number: int | None
) -> None:
    item = adspace() if number is None else adspace(id=number)
    with pytest.raises(ServiceFault, match="recorded"):
        getattr(rest_client().publisher, method)(adspace_item=item)
    sent = recorder.last
    assert (sent.method, sent.target) == (verb, "/xml/2011-03-01/adspaces/adspace")
    assert sent.headers["content-type"].partition(";")[0] == "application/xml"
    assert sent.headers["accept"] == "application/xml"
    root = etree.fromstring(sent.body)
    assert root.tag == f"{{{SPACE}}}adspaceItem"
    assert dict(root.attrib) == ({} if number is None else {"id": "77"})
    assert {etree.QName(child).namespace for child in root} == {SPACE}
    assert [child.text for child in root.iterfind(f"{{{SPACE}}}regions/*")] == ["DE", "AT"]
    assert [pair for pair in children(sent.body) if pair[0] != "regions"] == [
        ("name", 'A <b> & "c"'), ("url", "https://example.org/?a=1&b=2"), ("description", "Ünïcödé 𝄞"),
        ("adspaceType", "website"), ("visitors", "10"), ("impressions", "20"), ("language", "DE"),
        ("checkNumber", "3"),
    ]  # fmt: skip


def test_ad_space_is_sent_as_json(recorder: Recorder, rest_client: RestClient) -> None:
    with pytest.raises(ServiceFault, match="recorded"):
        rest_client(rest_format="json").publisher.update_adspace(adspace_item=adspace(id=77))
    sent = recorder.last
    assert (sent.method, sent.target) == ("PUT", "/json/2011-03-01/adspaces/adspace")
    assert (sent.headers["content-type"], sent.headers["accept"]) == ("application/json",) * 2
    body = json.loads(sent.body)
    regions = body.pop("regions")
    assert (regions[0] if isinstance(regions, list) else regions)["region"] == ["DE", "AT"]
    assert body == {
        "@id": "77", "name": 'A <b> & "c"', "url": "https://example.org/?a=1&b=2",
        "description": "Ünïcödé 𝄞", "adspaceType": "website", "visitors": 10, "impressions": 20,
        "language": "DE", "checkNumber": 3,
    }  # fmt: skip


def test_profile_changes_are_sent_in_schema_order(recorder: Recorder, rest_client: RestClient) -> None:
    """Only changed fields are sent, in the schema's order (docs/explanation/service.md#rest-resources)."""
    changes: ProfileItemChanges = {
        "is_advertiser": False, "currency": "EUR", "city": "Bonn", "id": 5, "first_name": "Ann"
    }  # fmt: skip
    with pytest.raises(ServiceFault, match="recorded"):
        rest_client().publisher.update_profile(profile_item=changes)
    sent = recorder.last
    assert (sent.method, sent.target) == ("PUT", "/xml/2011-03-01/profiles")
    root = etree.fromstring(sent.body)
    assert (root.tag, dict(root.attrib)) == (f"{{{SPACE}}}profileItem", {"id": "5"})
    assert children(sent.body) == [
        ("firstName", "Ann"), ("city", "Bonn"), ("currency", "EUR"), ("isAdvertiser", "false")
    ]  # fmt: skip
    with pytest.raises(ServiceFault, match="recorded"):
        rest_client(rest_format="json").publisher.update_profile(profile_item=changes)
    assert json.loads(recorder.last.body) == {
        "@id": "5", "firstName": "Ann", "city": "Bonn", "currency": "EUR", "isAdvertiser": False
    }  # fmt: skip


@pytest.mark.parametrize("form", ["xml", "json"])
def test_report_order_is_sent(recorder: Recorder, rest_client: RestClient, form: str) -> None:
    """The type is in the path, all other fields are in the body."""
    with pytest.raises(ServiceFault, match="recorded"):
        rest_client(rest_format=form).data.create_report_job(
            report_type="click", from_date=dt.date(2026, 11, 1), to_date=dt.date(2026, 11, 2),
            date_type="clickDate", program_id=7, group_by="country,day",
        )  # fmt: skip
    sent = recorder.last
    assert (sent.method, sent.target) == ("POST", f"/{form}/2011-05-01/jobs/reports/type/click")
    if form == "xml":
        assert etree.fromstring(sent.body).tag == f"{{{DATA}}}CreateReportJobRequest"
        body = dict(children(sent.body))
    else:
        body = json.loads(sent.body)
    days = {name: (body.pop(name) or "")[:10] for name in ("fromDate", "toDate")}
    assert days == {"fromDate": "2026-11-01", "toDate": "2026-11-02"}
    program = "7" if form == "xml" else 7
    assert body == {"dateType": "clickDate", "programId": program, "groupBy": "country,day"}


@pytest.mark.parametrize("form", ["xml", "json"])
def test_invalid_body_is_not_sent(recorder: Recorder, rest_client: RestClient, form: str) -> None:
    client = rest_client(rest_format=form)
    wrong = adspace(adspace_type="billboard")
    with pytest.raises(ContractError) as caught:
        client.publisher.create_adspace(adspace_item=wrong)
    assert caught.value.value == "'billboard'"
    assert "website" in caught.value.allowed
    with pytest.raises(ContractError, match="lost"):
        # invalid on purpose
        client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="lost")  # type: ignore[arg-type]
    codes = [f"{number}C1" for number in range(26)]
    with pytest.raises(ContractError):
        client.advertiser.get_partnerships(partner_code=codes)
    with pytest.raises(ContractError):
        client.advertiser.get_partnerships(partner_code=[])
    assert recorder.sent == []


def test_invalid_body_is_sent_without_validation(recorder: Recorder, rest_client: RestClient) -> None:
    codes = [f"{number}C1" for number in range(26)]
    with pytest.raises(ServiceFault, match="recorded"):
        rest_client(validate="off").advertiser.get_partnerships(partner_code=codes)
    assert recorder.last.pairs == [("partnerCode", ",".join(codes))]


@pytest.mark.exhaustive
def test_response_is_validated_if_enabled(recorder: Recorder, rest_client: RestClient) -> None:
    """An unknown element is counted by default, and refused by validation with the schema."""
    body = f'<DeleteAdspaceResponse xmlns="{SPACE}"><count>1</count><more/></DeleteAdspaceResponse>'
    for _ in range(2):
        recorder.answers(body, kind="application/xml")
    assert rest_client().publisher.delete_adspace(adspace_id=1).count == 1
    with pytest.raises(ResponseError, match="more"):
        rest_client(validate="all").publisher.delete_adspace(adspace_id=1)
