"""Applications (widgets and tools), media slots, and their settings."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from tests.tracking.sandbox.caller import Caller, SoapResponse

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
    for format_id, total in ((2, 2), (3, 0)):
        size = {"format": {"id": format_id, "_value_1": ""}}
        assert fresh.call("GetApplications", size=size, name="neu").number("total") == total


def test_sample_keys_grant_no_access(fresh: Caller) -> None:
    made = fresh.call("CreateApplication", applicationItem=ITEM)
    other = replace(fresh, connect_id=made.text("connectId"), secret=made.text("secretKey"))
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


# ---- media slots


ALL = "mediaSlotItems.mediaSlotItem"


def item(caller: Caller, **changes: object) -> dict[str, object]:
    """Return a media slot made of the caller's own parts."""
    applications = caller.call("GetApplications").entries()[:2]
    adspace = caller.call("GetAdspaces").number("adspaceItems.adspaceItem.9.id")
    return {
        "name": "Oben & <rechts>",
        "size": {"width": 468, "height": 60, "format": {"id": 2, "_value_1": "Banner"}},
        "adspace": {"id": adspace, "_value_1": "?"},
        "applications": {"application": [{"id": one.text("id"), "_value_1": "?"} for one in applications]},
        "status": "active",
        **changes,
    }


@pytest.mark.exhaustive
def test_new_slot_is_stored_with_the_names_of_its_parts(fresh: Caller) -> None:
    wanted = item(fresh)
    before = fresh.call("GetMediaSlots").number("total")
    made = fresh.call("CreateMediaSlot", mediaSlotItem={**wanted, "id": "mine"})
    assert made.text("id") != "mine"
    assert fresh.call("GetMediaSlot", mediaSlotId=made.text("id")).value == made.value
    assert fresh.call("GetMediaSlots").number("total") == before + 1
    adspace = fresh.call("GetAdspace", adspaceId=made.number("adspace.id"))
    assert made.text("adspace._value_1") == adspace.text("name")
    names = [one.text("_value_1") for one in made.each("applications.application")]
    listed = fresh.call("GetApplications").entries()[:2]
    assert names == [one.text("name") for one in listed]
    assert made.at("createDate") == made.at("modifiedDate") == fresh.clock.now()
    for width, found in ((468, [made.value]), (9, [])):
        only = fresh.call("GetMediaSlots", adspaceId=made.number("adspace.id"), size={"width": width})
        assert [one.value for one in only.entries()] == found


def test_update_replaces_everything_except_the_start(fresh: Caller) -> None:
    made = fresh.call("CreateMediaSlot", mediaSlotItem=item(fresh))
    number = made.text("id")
    fresh.clock.advance(60)
    sent = item(fresh, id=number, name="Other", size=None, status="deleted", applications={"application": []})
    after = fresh.call("UpdateMediaSlot", mediaSlotItem=sent)
    assert (after.text("name"), after.at("size"), after.at("status")) == ("Other", None, "deleted")
    assert not after.each("applications.application")
    assert after.at("createDate") == made.at("createDate")
    assert after.at("modifiedDate") == fresh.clock.now()
    assert fresh.call("GetMediaSlot", mediaSlotId=number).value == after.value
    for wrong in ({**sent, "id": "nothing"}, {**sent, "id": None}):
        assert fresh.refusal("UpdateMediaSlot", mediaSlotItem=wrong)[0] == 108


def test_deleting_a_slot_deletes_its_settings(fresh: Caller) -> None:
    number = fresh.call("GetMediaSlots").text(f"{ALL}.0.id")
    assert fresh.call("GetSettings", mediaSlotId=number).number("total") > 0
    assert fresh.call("DeleteMediaSlot", mediaSlotId=number).value == 1
    assert fresh.call("DeleteMediaSlot", mediaSlotId=number).value == 0
    assert fresh.call("GetMediaSlot", mediaSlotId=number).value is None
    assert fresh.call("GetSettings", mediaSlotId=number).number("total") == 0


@pytest.mark.exhaustive
def test_parts_of_other_accounts_are_refused(two: list[Caller]) -> None:
    fresh, other = two
    theirs = item(other)
    for part in ("adspace", "applications"):
        wrong = item(fresh, **{part: theirs[part]})
        assert fresh.refused("CreateMediaSlot", 108, f"mediaSlotItem/{part}", mediaSlotItem=wrong)
    made = fresh.call("CreateMediaSlot", mediaSlotItem=item(fresh)).text("id")
    assert other.call("GetMediaSlot", mediaSlotId=made).value is None
    assert other.call("DeleteMediaSlot", mediaSlotId=made).value == 0


# ---- settings


@pytest.fixture
def application(fresh: Caller) -> str:
    made = fresh.call("CreateApplication", applicationItem={"name": "Mine & <ours>"})
    return made.text("applicationItem.id")


def setting(application: str, slot: str | None = None, **changes: object) -> dict[str, object]:
    return {
        "application": {"id": application, "_value_1": "?"},
        "mediaslot": None if slot is None else {"id": slot, "_value_1": "?"},
        "key": "tint",
        "value": "#102030",
        "type": "color",
        "mandatory": True,
        **changes,
    }


def path(one: SoapResponse) -> tuple[object, object, object]:
    return one.at("application.id"), one.at("mediaslot.id"), one.at("key")


def test_slot_setting_and_general_setting_are_separate(fresh: Caller, application: str) -> None:
    slot = fresh.call("GetMediaSlots").text("mediaSlotItems.mediaSlotItem.0.id")
    assert fresh.call("GetSettings", applicationId=application).number("total") == 0
    general = fresh.call("CreateSetting", settingItem=setting(application))
    special = fresh.call("CreateSetting", settingItem=setting(application, slot, value="#ffffff"))
    assert general.text("application._value_1") == "Mine & <ours>"
    key = {"applicationId": application, "key": "tint"}
    assert fresh.call("GetSetting", **key).value == general.value
    assert fresh.call("GetSetting", mediaSlotId=slot, **key).value == special.value
    assert general.at("mandatory") is True
    both = fresh.call("GetSettings", applicationId=application)
    assert [one.value for one in both.entries()] == [general.value, special.value]
    alone = fresh.call("GetSettings", applicationId=application, mediaSlotId=slot)
    assert [one.value for one in alone.entries()] == [special.value]
    assert fresh.refused("CreateSetting", 109, "UpdateSetting", settingItem=setting(application, slot))
    other = fresh.call("CreateApplication", applicationItem={"name": "Other"}).text("applicationItem.id")
    fresh.call("CreateSetting", settingItem=setting(other))
    assert fresh.call("DeleteSetting", **key).value == 2
    assert fresh.call("GetSetting", **{**key, "applicationId": other}).at("value") == "#102030"
    assert fresh.call("DeleteSetting", **key).value == 0
    assert fresh.refused("GetSetting", 108, application, **key)


def test_an_update_replaces_the_setting(fresh: Caller, application: str) -> None:
    fresh.call("CreateSetting", settingItem=setting(application))
    changed = setting(application, value=None, customValue="größer", mandatory=None)
    after = fresh.call("UpdateSetting", settingItem=changed)
    assert (after.at("value"), after.at("customValue"), after.at("mandatory")) == (None, "größer", False)
    assert fresh.call("GetSetting", applicationId=application, key="tint").value == after.value
    assert fresh.refusal("UpdateSetting", settingItem=setting(application, key="other"))[0] == 108


def test_target_of_a_setting_must_exist(fresh: Caller, application: str) -> None:
    for wrong, part in ((setting("nothing"), "application"), (setting(application, "nothing"), "mediaslot")):
        assert fresh.refused("CreateSetting", 108, f"settingItem/{part}", settingItem=wrong)


def test_list_is_paged_and_filtered_by_slot(caller: Caller) -> None:
    found = caller.pages("GetSettings")
    assert len(found) > 20
    assert len({path(one) for one in found}) == len(found)
    second = caller.call("GetSettings", page=1, items=7).entries()
    assert [path(one) for one in second] == [path(one) for one in found[7:14]]
    slot = next(one.text("mediaslot.id") for one in found if one.at("mediaslot") is not None)
    of_slot = [path(one) for one in found if one.at("mediaslot.id") == slot]
    assert [path(one) for one in caller.call("GetSettings", mediaSlotId=slot).entries()] == of_slot
    assert caller.refusal("GetSettings", items=51)[0] == 105
