"""The caller's media slots."""

from __future__ import annotations

from dataclasses import replace

from ..data.catalogue import Category
from ..data.media_slots import MediaSlot, Size
from ..faults import Code, Refusal
from ..trees import Fields, Tree
from .account_items import media_slot_item, size_item
from .adspaces import category_of
from .paging import page_of
from .registry import Call, handles


@handles("publisher", "GetMediaSlots")
def get_media_slots(call: Call) -> Tree:
    """All filters hold together; of `size` what is sent must be the same."""
    account, wanted = call.holdings.account, call.fields.number("adspaceId")
    kept = [
        one
        for one in account.media_slots.all()
        if wanted in (None, one.adspace.id)
        and fits(call.fields, None if one.size is None else size_item(one.size))
    ]
    wrapper, item = "mediaSlotItems", "mediaSlotItem"
    return page_of(call.fields, kept, wrapper, item, lambda one: media_slot_item(one, account))


@handles("publisher", "GetMediaSlot")
def get_media_slot(call: Call) -> Tree:
    """An unknown id gets an answer without an item."""
    account = call.holdings.account
    found = account.media_slots.get(call.fields.text("mediaSlotId") or "")
    return {"mediaSlotItem": None if found is None else media_slot_item(found, account)}


@handles("publisher", "CreateMediaSlot")
def create_media_slot(call: Call) -> Tree:
    """The service gives id, createDate and modifiedDate: what is sent of them is not looked at.

    Raises `Refusal` 108 for an ad space or application that the account does not have.
    """
    slots = call.holdings.account.media_slots
    made = _slot(call, call.fields.branch("mediaSlotItem"), slots.new_id())
    slots.add(made)
    return {"mediaSlotItem": media_slot_item(made, call.holdings.account)}


@handles("publisher", "UpdateMediaSlot")
def update_media_slot(call: Call) -> Tree:
    """The item as a whole: what is not in it is gone. createDate stays, modifiedDate is now."""
    item = call.fields.branch("mediaSlotItem")
    number = item.text("@id")
    if number is None:
        raise Refusal(
            Code.UNKNOWN_ID, "mediaSlotItem: the attribute id says which media slot to update; it is missing"
        )
    wanted = _slot(call, item, number)
    account = call.holdings.account
    after = account.media_slots.change(number, lambda before: replace(wanted, created=before.created))
    if after is None:
        raise Refusal(Code.UNKNOWN_ID, f"this account has no media slot {number[:80]}")
    return {"mediaSlotItem": media_slot_item(after, account)}


@handles("publisher", "DeleteMediaSlot")
def delete_media_slot(call: Call) -> Tree:
    """1, or 0 for an unknown id. The slot is gone, and the settings made for it are."""
    account, number = call.holdings.account, call.fields.text("mediaSlotId") or ""
    gone = account.media_slots.remove(lambda one: one.id == number)
    if gone:
        account.settings.remove(lambda one: one.slot_id == number)
    return {"count": gone}


def fits(fields: Fields, size: Tree | None) -> bool:
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
        raise Refusal(Code.UNKNOWN_ID, f"mediaSlotItem/adspace: this account has no ad space {asked}")
    chosen = [one.text("@id") or "" for one in item.branch("applications").branches("application")]
    for one in chosen:
        if account.applications.get(one) is None:
            raise Refusal(
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
