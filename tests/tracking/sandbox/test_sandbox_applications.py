"""Applications: widgets and tools, their keys and settings."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
import requests

if TYPE_CHECKING:
    from tests.tracking.sandbox.caller import Caller

ITEM: dict[str, object] = {
    "name": "Größer & <neu>",
    "version": "1.2.3",
    "inline": True,
    "pricing": {"share": 12.5, "monthly": 3, "currency": "EUR", "id": "P1"},
    "applicationType": "saas",
    "size": {"width": 10, "height": 20, "format": {"id": 2, "_value_1": "Banner 468x60"}},
    "previewUrl": ["https://one.example.org/", "https://two.example.org/"],
}


def test_new_application_is_stored_and_gets_sample_keys(fresh: Caller) -> None:
    before = fresh.call("GetApplications").number("total")
    responses = [fresh.call("CreateApplication", applicationItem=ITEM) for _ in range(2)]
    for name in ("secretKey", "connectId", "publicKey"):
        keys = [response.text(name) for response in responses]
        assert len(set(keys)) == 2
        assert all("sample" in key.lower() for key in keys)
    made = responses[0]
    number = made.text("applicationItem.id")
    stored = fresh.call("GetApplication", applicationId=number)
    assert stored.value == made.at("applicationItem")
    assert stored.at("previewUrl") == ITEM["previewUrl"]
    assert (stored.at("pricing.share"), stored.at("size.format.id")) == (12.5, 2)
    assert stored.text("connect.connectId") == made.text("connectId")
    assert stored.text("connect.role") == "developer"
    assert stored.at("startDate") == fresh.clock.now()
    assert fresh.call("GetApplications").number("total") == before + 2
    assert fresh.call("GetApplications", name="GRÖSSER").number("total") == 2
    for number, total in ((2, 2), (3, 0)):
        size = {"format": {"id": number, "_value_1": ""}}
        assert fresh.call("GetApplications", size=size, name="neu").number("total") == total


def test_sample_keys_grant_no_access(fresh: Caller) -> None:
    made = fresh.call("CreateApplication", applicationItem=ITEM)
    with requests.Session() as session:
        other = replace(
            fresh, connect_id=made.text("connectId"), secret=made.text("secretKey"), session=session
        )
        assert other.refusal("GetProfile")[0] == 403


def test_update_replaces_the_item_and_keeps_service_fields(fresh: Caller) -> None:
    made = fresh.call("CreateApplication", applicationItem=ITEM)
    number = made.text("applicationItem.id")
    fresh.clock.advance(60)
    connect = {"role": "tester", "connectId": "another", "status": "inactive"}
    sent = {"id": number, "name": "Other", "connect": connect, "startDate": datetime(2001, 1, 1)}
    after = fresh.call("UpdateApplication", applicationItem=sent)
    assert fresh.call("GetApplication", applicationId=number).value == after.value
    assert (after.text("name"), after.at("version"), after.at("size")) == ("Other", None, None)
    assert after.text("connect.connectId") == made.text("connectId")
    assert (after.text("connect.role"), after.text("connect.status")) == ("tester", "inactive")
    assert after.at("startDate") == made.at("applicationItem.startDate")
    assert after.at("modifiedDate") == fresh.clock.now()
    for wrong in ({**sent, "id": "nothing"}, {**sent, "id": None}):
        assert fresh.refusal("UpdateApplication", applicationItem=wrong)[0] == 108


def test_deleting_an_application_deletes_its_settings_but_not_its_slots(fresh: Caller) -> None:

    slot = fresh.call("GetMediaSlots").entries()[0]
    number = slot.text("applications.application.0.id")
    assert fresh.call("GetSettings", applicationId=number).number("total") > 0
    assert fresh.call("DeleteApplication", applicationId=number).value == 1
    assert fresh.call("DeleteApplication", applicationId=number).value == 0
    assert fresh.call("GetApplication", applicationId=number).value is None
    assert number not in {one.text("id") for one in fresh.pages("GetApplications")}
    assert fresh.call("GetSettings", applicationId=number).number("total") == 0
    left = {
        each.text("id")
        for one in fresh.pages("GetMediaSlots")
        for each in one.each("applications.application")
    }
    assert left
    assert number not in left


@pytest.mark.parametrize("amount", [float("inf"), float("nan"), 1e300])
def test_invalid_price_is_refused(fresh: Caller, amount: float) -> None:
    item = {**ITEM, "pricing": {"share": amount, "monthly": 1}}
    code, reason = fresh.refusal("CreateApplication", applicationItem=item)
    assert code in (103, 105)
    assert "share" in reason
