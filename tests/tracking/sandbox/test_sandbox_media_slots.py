"""Media slots are created, changed and deleted, and only use the caller's own parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tracking.sandbox.caller import Caller

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
        code, reason = fresh.refusal("CreateMediaSlot", mediaSlotItem=item(fresh, **{part: theirs[part]}))
        assert code == 108
        assert f"mediaSlotItem/{part}" in reason
    made = fresh.call("CreateMediaSlot", mediaSlotItem=item(fresh)).text("id")
    assert other.call("GetMediaSlot", mediaSlotId=made).value is None
    assert other.call("DeleteMediaSlot", mediaSlotId=made).value == 0
