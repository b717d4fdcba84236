"""Applications of the caller, the media slots they stand in, and their settings.

Settings are found by application, media slot if they are for one, and key.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from ..berlin import in_berlin
from ..data.applications import Application, MediaSlot, Setting, Size
from ..data.catalogue import Category
from ..faults import Code, InvalidValue
from ..payload import Fields, Payload, Value
from .account import category_of
from .items import application_item, media_slot_item, setting_item, size_item
from .registry import Call, handles, page_of

_LARGEST = Decimal(10) ** 15


@handles("publisher", "GetApplications")
def get_applications(call: Call) -> Payload:
    """All filters hold together. `name` is a part of the name; of `size` what is sent must be the same."""
    entries = [one for one in call.holdings.account.applications.all() if _matches(call.fields, one)]
    return page_of(call.fields, entries, "applicationItems", "applicationItem", application_item)


@handles("publisher", "GetApplication")
def get_application(call: Call) -> Payload:
    """An unknown id gets a response without an item."""
    found = call.holdings.account.applications.get(call.fields.text("applicationId") or "")
    return {"applicationItem": None if found is None else application_item(found)}


@handles("publisher", "CreateApplication")
def create_application(call: Call) -> Payload:
    """With keys that are returned here alone and open nothing in the sandbox.

    The service gives id, startDate, modifiedDate and connect (of which the role stays and the status that
    were sent): what else is sent in their place is not looked at.
    """
    account = call.holdings.account
    item = call.fields.branch("applicationItem")
    number, keys = account.applications.new()
    now = in_berlin(call.now)
    connect: Payload = {
        "role": "developer",
        "status": "active",
        **(item.branch("connect").tree if "connect" in item else {}),
        "connectId": keys.connect_id,
    }
    made = Application(number, {**_checked(item), "connect": connect, "startDate": now, "modifiedDate": now})
    account.applications.add(made)
    return {
        "applicationItem": application_item(made),
        "secretKey": keys.secret_key,
        "connectId": keys.connect_id,
        "publicKey": keys.public_key,
    }


@handles("publisher", "UpdateApplication")
def update_application(call: Call) -> Payload:
    """The item as a whole: what is not in it is gone. Its startDate and connect ID stay."""
    item = call.fields.branch("applicationItem")
    number, sent = item.text("@id"), _checked(item)
    if number is None:
        raise InvalidValue(
            Code.UNKNOWN_ID,
            "applicationItem: the attribute id says which application to update; it is missing",
        )

    def changed(before: Application) -> Application:
        old, wanted = Fields(before.item).branch("connect").tree, sent.get("connect")
        connect = {**old, **(wanted if isinstance(wanted, dict) else {}), "connectId": old["connectId"]}
        given: Payload = {
            "startDate": before.item["startDate"],
            "modifiedDate": in_berlin(call.now),
            "connect": connect,
        }
        return replace(before, item={**sent, **given})

    after = call.holdings.account.applications.change(number, changed)
    if after is None:
        raise InvalidValue(Code.UNKNOWN_ID, f"this account has no application {number[:80]}")
    return {"applicationItem": application_item(after)}


@handles("publisher", "DeleteApplication")
def delete_application(call: Call) -> Payload:
    """1, or 0 for an unknown id. Its settings go with it, and it leaves its media slots."""
    account, number = call.holdings.account, call.fields.text("applicationId") or ""
    gone = account.applications.remove(lambda one: one.id == number)
    if gone:
        account.settings.remove(lambda one: one.application_id == number)
        account.media_slots.change_all(
            lambda slot: replace(
                slot, application_ids=tuple(one for one in slot.application_ids if one != number)
            )
        )
    return {"count": gone}


def _checked(item: Fields) -> dict[str, Value]:
    """The item without its id. Refuses amounts that no price is written with."""
    if "pricing" in item:
        for name, value in item.branch("pricing").tree.items():
            if isinstance(value, Decimal) and not (value.is_finite() and abs(value) < _LARGEST):
                raise InvalidValue(
                    Code.OUT_OF_RANGE, f"applicationItem/pricing/{name}: {value} is not an amount"
                )
    return {name: value for name, value in item.tree.items() if name != "@id"}


def _matches(fields: Fields, one: Application) -> bool:
    item, name, role = Fields(one.item), fields.text("name"), fields.text("role")
    return (
        (not name or name.casefold() in one.name.casefold())
        and (role is None or item.branch("connect").text("role") == role)
        and fields.text("applicationType") in (None, item.text("applicationType"))
        and fits(fields, item.branch("size").tree if "size" in item else None)
    )


@handles("publisher", "GetMediaSlots")
def get_media_slots(call: Call) -> Payload:
    """All filters hold together; of `size` what is sent must be the same."""
    account, wanted = call.holdings.account, call.fields.number("adspaceId")
    entries = [
        one
        for one in account.media_slots.all()
        if wanted in (None, one.adspace.id)
        and fits(call.fields, None if one.size is None else size_item(one.size))
    ]
    wrapper, item = "mediaSlotItems", "mediaSlotItem"
    return page_of(call.fields, entries, wrapper, item, lambda one: media_slot_item(one, account))


@handles("publisher", "GetMediaSlot")
def get_media_slot(call: Call) -> Payload:
    """An unknown id gets a response without an item."""
    account = call.holdings.account
    found = account.media_slots.get(call.fields.text("mediaSlotId") or "")
    return {"mediaSlotItem": None if found is None else media_slot_item(found, account)}


@handles("publisher", "CreateMediaSlot")
def create_media_slot(call: Call) -> Payload:
    """The service gives id, createDate and modifiedDate: what is sent of them is not looked at.

    Raises `InvalidValue` 108 for an ad space or application that the account does not have.
    """
    slots = call.holdings.account.media_slots
    made = _slot(call, call.fields.branch("mediaSlotItem"), slots.new_id())
    slots.add(made)
    return {"mediaSlotItem": media_slot_item(made, call.holdings.account)}


@handles("publisher", "UpdateMediaSlot")
def update_media_slot(call: Call) -> Payload:
    """The item as a whole: what is not in it is gone. createDate stays, modifiedDate is now."""
    item = call.fields.branch("mediaSlotItem")
    number = item.text("@id")
    if number is None:
        raise InvalidValue(
            Code.UNKNOWN_ID, "mediaSlotItem: the attribute id says which media slot to update; it is missing"
        )
    wanted = _slot(call, item, number)
    account = call.holdings.account
    after = account.media_slots.change(number, lambda before: replace(wanted, created=before.created))
    if after is None:
        raise InvalidValue(Code.UNKNOWN_ID, f"this account has no media slot {number[:80]}")
    return {"mediaSlotItem": media_slot_item(after, account)}


@handles("publisher", "DeleteMediaSlot")
def delete_media_slot(call: Call) -> Payload:
    """1, or 0 for an unknown id. The slot is gone, and the settings made for it are."""
    account, number = call.holdings.account, call.fields.text("mediaSlotId") or ""
    gone = account.media_slots.remove(lambda one: one.id == number)
    if gone:
        account.settings.remove(lambda one: one.slot_id == number)
    return {"count": gone}


def fits(fields: Fields, size: Payload | None) -> bool:
    """Whether a size is the one asked for: width, height and the format's id, as far as they were sent."""
    if "size" not in fields:
        return True
    wanted, has = fields.branch("size"), Fields(size or {})
    if any(wanted.number(name) not in (None, has.number(name)) for name in ("width", "height")):
        return False
    if "format" not in wanted:
        return True
    return "format" in has and has.branch("format").number("@id") == wanted.branch("format").number("@id")


def _slot(call: Call, item: Fields, number: str) -> MediaSlot:
    account = call.holdings.account
    asked = item.branch("adspace").number("@id") or 0
    adspace = account.adspaces.get(asked)
    if adspace is None:
        raise InvalidValue(Code.UNKNOWN_ID, f"mediaSlotItem/adspace: this account has no ad space {asked}")
    chosen = [one.text("@id") or "" for one in item.branch("applications").branches("application")]
    for one in chosen:
        if account.applications.get(one) is None:
            raise InvalidValue(
                Code.UNKNOWN_ID, f"mediaSlotItem/applications: this account has no application {one[:80]!r}"
            )
    return MediaSlot(
        id=number,
        name=item.text("name") or "",
        size=_size(item.branch("size")) if "size" in item else None,
        adspace=Category(adspace.id, adspace.name),
        application_ids=tuple(dict.fromkeys(chosen)),
        status=item.text("status") or "active",
        created=call.now,
        modified=call.now,
    )


def _size(item: Fields) -> Size:
    form = category_of(item.branch("format")) if "format" in item else None
    return Size(item.number("width"), item.number("height"), form)


@handles("publisher", "GetSettings")
def get_settings(call: Call) -> Payload:
    """Those of an application, of a media slot, of both, or all."""
    account = call.holdings.account
    application, slot = call.fields.text("applicationId"), call.fields.text("mediaSlotId")
    entries = [
        one
        for one in account.settings.all()
        if application in (None, one.application_id) and slot in (None, one.slot_id)
    ]
    wrapper, item = "settingItems", "settingItem"
    return page_of(call.fields, entries, wrapper, item, lambda one: setting_item(one, account))


@handles("publisher", "GetSetting")
def get_setting(call: Call) -> Payload:
    """The one of the media slot if one is sent, else the one for all places.

    Raises `InvalidValue` 108 if there is none: the contract has no response without an item here.
    """
    fields, account = call.fields, call.holdings.account
    path = (fields.text("applicationId") or "", fields.text("mediaSlotId"), fields.text("key") or "")
    found = account.settings.get(path)
    if found is None:
        raise _unknown(*path)
    return {"settingItem": setting_item(found, account)}


@handles("publisher", "CreateSetting")
def create_setting(call: Call) -> Payload:
    """Raises `InvalidValue` 108 for an application or media slot that is unknown, 109 for a taken key."""
    account, wanted = call.holdings.account, _setting(call.fields.branch("settingItem"))
    if account.applications.get(wanted.application_id) is None:
        raise InvalidValue(
            Code.UNKNOWN_ID,
            f"settingItem/application: this account has no application {wanted.application_id[:80]!r}",
        )
    if wanted.slot_id is not None and account.media_slots.get(wanted.slot_id) is None:
        raise InvalidValue(
            Code.UNKNOWN_ID, f"settingItem/mediaslot: this account has no media slot {wanted.slot_id[:80]!r}"
        )
    if not account.settings.add(wanted):
        raise InvalidValue(
            Code.TAKEN, f"the setting {wanted.key[:80]!r} is there already; change it with UpdateSetting"
        )
    return {"settingItem": setting_item(wanted, account)}


@handles("publisher", "UpdateSetting")
def update_setting(call: Call) -> Payload:
    """The item as a whole: what is not in it is gone, and `mandatory` is false again, as the schema says."""
    account, wanted = call.holdings.account, _setting(call.fields.branch("settingItem"))
    after = account.settings.change(wanted.path(), lambda _: wanted)
    if after is None:
        raise _unknown(*wanted.path())
    return {"settingItem": setting_item(after, account)}


@handles("publisher", "DeleteSetting")
def delete_setting(call: Call) -> Payload:
    """How many went: the request names no media slot, so the key goes for all of them; 0 if there is none."""
    application, key = call.fields.text("applicationId"), call.fields.text("key")
    gone = call.holdings.account.settings.remove(
        lambda one: one.application_id == application and one.key == key
    )
    return {"count": gone}


def _unknown(application: str, slot: str | None, key: str) -> InvalidValue:
    where = f"application {application[:80]!r}" + ("" if slot is None else f" in media slot {slot[:80]!r}")
    return InvalidValue(Code.UNKNOWN_ID, f"there is no setting {key[:80]!r} of {where}")


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
