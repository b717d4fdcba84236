"""Settings of the caller's applications: by application, media slot if it is for one, and key."""

from __future__ import annotations

from ..data.settings import Setting
from ..faults import Code, Refusal
from ..trees import Fields, Tree
from .account_items import setting_item
from .paging import page_of
from .registry import Call, handles


@handles("publisher", "GetSettings")
def get_settings(call: Call) -> Tree:
    """Those of an application, of a media slot, of both, or all."""
    account = call.holdings.account
    application, slot = call.fields.text("applicationId"), call.fields.text("mediaSlotId")
    kept = [
        one
        for one in account.settings.all()
        if application in (None, one.application_id) and slot in (None, one.slot_id)
    ]
    wrapper, item = "settingItems", "settingItem"
    return page_of(call.fields, kept, wrapper, item, lambda one: setting_item(one, account))


@handles("publisher", "GetSetting")
def get_setting(call: Call) -> Tree:
    """The one of the media slot if one is sent, else the one for all places.

    Raises `Refusal` 108 if there is none: the contract has no answer without an item here.
    """
    fields, account = call.fields, call.holdings.account
    path = (fields.text("applicationId") or "", fields.text("mediaSlotId"), fields.text("key") or "")
    found = account.settings.get(path)
    if found is None:
        raise _unknown(*path)
    return {"settingItem": setting_item(found, account)}


@handles("publisher", "CreateSetting")
def create_setting(call: Call) -> Tree:
    """Raises `Refusal` 108 for an application or media slot that is unknown, 109 for a taken key."""
    account, wanted = call.holdings.account, _setting(call.fields.branch("settingItem"))
    if account.applications.get(wanted.application_id) is None:
        raise Refusal(
            Code.UNKNOWN_ID,
            f"settingItem/application: this account has no application {wanted.application_id[:80]!r}",
        )
    if wanted.slot_id is not None and account.media_slots.get(wanted.slot_id) is None:
        raise Refusal(
            Code.UNKNOWN_ID, f"settingItem/mediaslot: this account has no media slot {wanted.slot_id[:80]!r}"
        )
    if not account.settings.add(wanted):
        raise Refusal(
            Code.TAKEN, f"the setting {wanted.key[:80]!r} is there already; change it with UpdateSetting"
        )
    return {"settingItem": setting_item(wanted, account)}


@handles("publisher", "UpdateSetting")
def update_setting(call: Call) -> Tree:
    """The item as a whole: what is not in it is gone, and `mandatory` is false again, as the schema says."""
    account, wanted = call.holdings.account, _setting(call.fields.branch("settingItem"))
    after = account.settings.change(wanted.path(), lambda _: wanted)
    if after is None:
        raise _unknown(*wanted.path())
    return {"settingItem": setting_item(after, account)}


@handles("publisher", "DeleteSetting")
def delete_setting(call: Call) -> Tree:
    """How many went: the request names no media slot, so the key goes for all of them; 0 if there is none."""
    application, key = call.fields.text("applicationId"), call.fields.text("key")
    gone = call.holdings.account.settings.remove(
        lambda one: one.application_id == application and one.key == key
    )
    return {"count": gone}


def _unknown(application: str, slot: str | None, key: str) -> Refusal:
    where = f"application {application[:80]!r}" + ("" if slot is None else f" in media slot {slot[:80]!r}")
    return Refusal(Code.UNKNOWN_ID, f"there is no setting {key[:80]!r} of {where}")


def _setting(item: Fields) -> Setting:
    return Setting(
        application_id=item.branch("application").text("@id") or "",
        slot_id=item.branch("mediaslot").text("@id") if "mediaslot" in item else None,
        key=item.text("key") or "",
        value=item.text("value"),
        custom_value=item.text("customValue"),
        type=item.text("type"),
        name=item.text("name"),
        description=item.text("description"),
        mandatory=bool(item.flag("mandatory")),
    )
