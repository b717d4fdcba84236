"""Settings are identified by application, media slot and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tracking.sandbox.caller import Caller, SoapResponse


@pytest.fixture
def application(fresh: Caller) -> str:
    return fresh.call("CreateApplication", applicationItem={"name": "Mine & <ours>"}).text(
        "applicationItem.id"
    )


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
    code, reason = fresh.refusal("CreateSetting", settingItem=setting(application, slot))
    assert code == 109
    assert "UpdateSetting" in reason
    other = fresh.call("CreateApplication", applicationItem={"name": "Other"}).text("applicationItem.id")
    fresh.call("CreateSetting", settingItem=setting(other))
    assert fresh.call("DeleteSetting", **key).value == 2
    assert fresh.call("GetSetting", **{**key, "applicationId": other}).at("value") == "#102030"
    assert fresh.call("DeleteSetting", **key).value == 0
    code, reason = fresh.refusal("GetSetting", **key)
    assert code == 108
    assert application in reason


def test_an_update_replaces_the_setting(fresh: Caller, application: str) -> None:
    fresh.call("CreateSetting", settingItem=setting(application))
    changed = setting(application, value=None, customValue="größer", mandatory=None)
    after = fresh.call("UpdateSetting", settingItem=changed)
    assert (after.at("value"), after.at("customValue"), after.at("mandatory")) == (None, "größer", False)
    assert fresh.call("GetSetting", applicationId=application, key="tint").value == after.value
    assert fresh.refusal("UpdateSetting", settingItem=setting(application, key="other"))[0] == 108


def test_target_of_a_setting_must_exist(fresh: Caller, application: str) -> None:
    for wrong, part in ((setting("nothing"), "application"), (setting(application, "nothing"), "mediaslot")):
        code, reason = fresh.refusal("CreateSetting", settingItem=wrong)
        assert code == 108
        assert f"settingItem/{part}" in reason


def test_list_is_paged_and_filtered_by_slot(caller: Caller) -> None:
    found = caller.pages("GetSettings")
    assert len(found) > 20
    assert len({path(one) for one in found}) == len(found)
    second = caller.call("GetSettings", page=1, items=7).entries()
    assert [path(one) for one in second] == [path(one) for one in found[7:14]]
    slot = next(one.text("mediaslot.id") for one in found if one.at("mediaslot") is not None)
    of_slot = [
        path(one) for one in found if one.at("mediaslot") is not None and one.text("mediaslot.id") == slot
    ]
    assert [path(one) for one in caller.call("GetSettings", mediaSlotId=slot).entries()] == of_slot
    assert caller.refusal("GetSettings", items=51)[0] == 105
