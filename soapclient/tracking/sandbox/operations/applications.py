"""Handlers of the operations for the caller's applications, media slots and settings.

Applications are widgets and tools. A media slot is a place in an ad space that shows applications. A setting
is identified by its application, its media slot and its key. A setting without a media slot applies to all
media slots.
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
    """Return the applications that match all filters.

    The filter `name` matches any part of a name. The filter `size` compares only the values that were sent.
    """
    applications = call.holdings.account.applications.all()
    entries = [application for application in applications if _matches(call.fields, application)]
    return page_of(call.fields, entries, "applicationItems", "applicationItem", application_item)


@handles("publisher", "GetApplication")
def get_application(call: Call) -> Payload:
    """Return an application. The response has no item if the id is unknown."""
    application = call.holdings.account.applications.get(call.fields.text("applicationId") or "")
    return {"applicationItem": None if application is None else application_item(application)}


@handles("publisher", "CreateApplication")
def create_application(call: Call) -> Payload:
    """Create an application. Only this response contains the keys of the application.

    The sandbox rejects requests that use these keys. The service sets id, startDate, modifiedDate and
    connect, and ignores values for them in the request. Only role and status in connect are taken from the
    request.
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
    application = Application(
        number, {**_checked(item), "connect": connect, "startDate": now, "modifiedDate": now}
    )
    account.applications.add(application)
    return {
        "applicationItem": application_item(application),
        "secretKey": keys.secret_key,
        "connectId": keys.connect_id,
        "publicKey": keys.public_key,
    }


@handles("publisher", "UpdateApplication")
def update_application(call: Call) -> Payload:
    """Replace an application: fields that the request omits are deleted.

    startDate and connect ID are kept.
    """
    item = call.fields.branch("applicationItem")
    number, sent = item.text("@id"), _checked(item)
    if number is None:
        raise InvalidValue(
            Code.UNKNOWN_ID,
            "applicationItem: the attribute id is required: it selects the application to update",
        )

    def changed(before: Application) -> Application:
        old, sent_connect = Fields(before.item).branch("connect").tree, sent.get("connect")
        connect = {
            **old,
            **(sent_connect if isinstance(sent_connect, dict) else {}),
            "connectId": old["connectId"],
        }
        fixed: Payload = {
            "startDate": before.item["startDate"],
            "modifiedDate": in_berlin(call.now),
            "connect": connect,
        }
        return replace(before, item={**sent, **fixed})

    after = call.holdings.account.applications.change(number, changed)
    if after is None:
        raise InvalidValue(Code.UNKNOWN_ID, f"this account has no application {number[:80]}")
    return {"applicationItem": application_item(after)}


@handles("publisher", "DeleteApplication")
def delete_application(call: Call) -> Payload:
    """Delete an application and its settings, and remove it from media slots.

    Return 1, or 0 if the id is unknown.
    """
    account, number = call.holdings.account, call.fields.text("applicationId") or ""
    count = account.applications.remove(lambda application: application.id == number)
    if count:
        account.settings.remove(lambda setting: setting.application_id == number)
        account.media_slots.change_all(
            lambda slot: replace(
                slot, application_ids=tuple(other for other in slot.application_ids if other != number)
            )
        )
    return {"count": count}


def _checked(item: Fields) -> dict[str, Value]:
    """Check the fields of an applicationItem, and return them without the id.

    Raises `InvalidValue` 105 for a price that is too large or not a number.
    """
    if "pricing" in item:
        for name, value in item.branch("pricing").tree.items():
            if isinstance(value, Decimal) and not (value.is_finite() and abs(value) < _LARGEST):
                raise InvalidValue(
                    Code.OUT_OF_RANGE, f"applicationItem/pricing/{name}: {value} is not an amount"
                )
    return {name: value for name, value in item.tree.items() if name != "@id"}


def _matches(fields: Fields, application: Application) -> bool:
    item, name, role = Fields(application.item), fields.text("name"), fields.text("role")
    return (
        (not name or name.casefold() in application.name.casefold())
        and (role is None or item.branch("connect").text("role") == role)
        and fields.text("applicationType") in (None, item.text("applicationType"))
        and fits(fields, item.branch("size").tree if "size" in item else None)
    )


@handles("publisher", "GetMediaSlots")
def get_media_slots(call: Call) -> Payload:
    """Return the media slots that match all filters.

    The filter `size` compares only the values that were sent.
    """
    account, adspace = call.holdings.account, call.fields.number("adspaceId")
    entries = [
        slot
        for slot in account.media_slots.all()
        if adspace in (None, slot.adspace.id)
        and fits(call.fields, None if slot.size is None else size_item(slot.size))
    ]
    wrapper, item = "mediaSlotItems", "mediaSlotItem"
    return page_of(call.fields, entries, wrapper, item, lambda slot: media_slot_item(slot, account))


@handles("publisher", "GetMediaSlot")
def get_media_slot(call: Call) -> Payload:
    """Return a media slot. The response has no item if the id is unknown."""
    account = call.holdings.account
    slot = account.media_slots.get(call.fields.text("mediaSlotId") or "")
    return {"mediaSlotItem": None if slot is None else media_slot_item(slot, account)}


@handles("publisher", "CreateMediaSlot")
def create_media_slot(call: Call) -> Payload:
    """Create a media slot. The service sets id, createDate and modifiedDate, and ignores sent values.

    Raises `InvalidValue` 108 if the ad space or one of the applications does not belong to the account.
    """
    slots = call.holdings.account.media_slots
    slot = _slot(call, call.fields.branch("mediaSlotItem"), slots.new_id())
    slots.add(slot)
    return {"mediaSlotItem": media_slot_item(slot, call.holdings.account)}


@handles("publisher", "UpdateMediaSlot")
def update_media_slot(call: Call) -> Payload:
    """Replace a media slot: fields that the request omits are deleted.

    createDate is kept, and modifiedDate is set to the current time.
    """
    item = call.fields.branch("mediaSlotItem")
    number = item.text("@id")
    if number is None:
        raise InvalidValue(
            Code.UNKNOWN_ID, "mediaSlotItem: the attribute id is required: it selects the slot to update"
        )
    slot = _slot(call, item, number)
    account = call.holdings.account
    after = account.media_slots.change(number, lambda before: replace(slot, created=before.created))
    if after is None:
        raise InvalidValue(Code.UNKNOWN_ID, f"this account has no media slot {number[:80]}")
    return {"mediaSlotItem": media_slot_item(after, account)}


@handles("publisher", "DeleteMediaSlot")
def delete_media_slot(call: Call) -> Payload:
    """Delete a media slot and its settings. Return 1, or 0 if the id is unknown."""
    account, number = call.holdings.account, call.fields.text("mediaSlotId") or ""
    count = account.media_slots.remove(lambda slot: slot.id == number)
    if count:
        account.settings.remove(lambda setting: setting.slot_id == number)
    return {"count": count}


def fits(fields: Fields, size: Payload | None) -> bool:
    """Return True if `size` has the width, height and format id in the request's `fields`.

    A value that the request does not contain matches any size.
    """
    if "size" not in fields:
        return True
    requested, actual = fields.branch("size"), Fields(size or {})
    if any(requested.number(name) not in (None, actual.number(name)) for name in ("width", "height")):
        return False
    if "format" not in requested:
        return True
    return "format" in actual and actual.branch("format").number("@id") == requested.branch("format").number(
        "@id"
    )


def _slot(call: Call, item: Fields, number: str) -> MediaSlot:
    account = call.holdings.account
    adspace_id = item.branch("adspace").number("@id") or 0
    adspace = account.adspaces.get(adspace_id)
    if adspace is None:
        raise InvalidValue(
            Code.UNKNOWN_ID, f"mediaSlotItem/adspace: this account has no ad space {adspace_id}"
        )
    chosen = [entry.text("@id") or "" for entry in item.branch("applications").branches("application")]
    for application in chosen:
        if account.applications.get(application) is None:
            raise InvalidValue(
                Code.UNKNOWN_ID,
                f"mediaSlotItem/applications: this account has no application {application[:80]!r}",
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
    """Return the settings of the requested application and media slot.

    If the request has no application id, settings of all applications match. The same applies to the media
    slot id.
    """
    account = call.holdings.account
    application, slot = call.fields.text("applicationId"), call.fields.text("mediaSlotId")
    entries = [
        setting
        for setting in account.settings.all()
        if application in (None, setting.application_id) and slot in (None, setting.slot_id)
    ]
    wrapper, item = "settingItems", "settingItem"
    return page_of(call.fields, entries, wrapper, item, lambda setting: setting_item(setting, account))


@handles("publisher", "GetSetting")
def get_setting(call: Call) -> Payload:
    """Return the setting for a media slot, or the setting for all slots if no slot was sent.

    Raises `InvalidValue` 108 if there is no such setting, because the contract requires an item in the
    response.
    """
    fields, account = call.fields, call.holdings.account
    path = (fields.text("applicationId") or "", fields.text("mediaSlotId"), fields.text("key") or "")
    setting = account.settings.get(path)
    if setting is None:
        raise _unknown(*path)
    return {"settingItem": setting_item(setting, account)}


@handles("publisher", "CreateSetting")
def create_setting(call: Call) -> Payload:
    """Create a setting.

    Raises `InvalidValue` 108 if the application or media slot is unknown, 109 if the setting exists already.
    """
    account, setting = call.holdings.account, _setting(call.fields.branch("settingItem"))
    if account.applications.get(setting.application_id) is None:
        raise InvalidValue(
            Code.UNKNOWN_ID,
            f"settingItem/application: this account has no application {setting.application_id[:80]!r}",
        )
    if setting.slot_id is not None and account.media_slots.get(setting.slot_id) is None:
        raise InvalidValue(
            Code.UNKNOWN_ID, f"settingItem/mediaslot: this account has no media slot {setting.slot_id[:80]!r}"
        )
    if not account.settings.add(setting):
        raise InvalidValue(
            Code.TAKEN, f"the setting {setting.key[:80]!r} already exists. Change it with UpdateSetting."
        )
    return {"settingItem": setting_item(setting, account)}


@handles("publisher", "UpdateSetting")
def update_setting(call: Call) -> Payload:
    """Replace a setting: fields that the request omits are deleted. A missing `mandatory` means false."""
    account, setting = call.holdings.account, _setting(call.fields.branch("settingItem"))
    after = account.settings.change(setting.path(), lambda _: setting)
    if after is None:
        raise _unknown(*setting.path())
    return {"settingItem": setting_item(after, account)}


@handles("publisher", "DeleteSetting")
def delete_setting(call: Call) -> Payload:
    """Delete the settings of an application with the requested key, for all media slots.

    Returns the number of deleted settings.
    """
    application, key = call.fields.text("applicationId"), call.fields.text("key")
    count = call.holdings.account.settings.remove(
        lambda setting: setting.application_id == application and setting.key == key
    )
    return {"count": count}


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
