"""The caller's applications (widgets and tools, not program applications)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from ..berlin import in_berlin
from ..data.applications import Application
from ..faults import Code, Refusal
from ..trees import Fields, Tree, Value
from .account_items import application_item
from .media_slots import fits
from .paging import page_of
from .registry import Call, handles

_LARGEST = Decimal(10) ** 15


@handles("publisher", "GetApplications")
def get_applications(call: Call) -> Tree:
    """All filters hold together. `name` is a part of the name; of `size` what is sent must be the same."""
    kept = [one for one in call.holdings.account.applications.all() if _matches(call.fields, one)]
    return page_of(call.fields, kept, "applicationItems", "applicationItem", application_item)


@handles("publisher", "GetApplication")
def get_application(call: Call) -> Tree:
    """An unknown id gets an answer without an item."""
    found = call.holdings.account.applications.get(call.fields.text("applicationId") or "")
    return {"applicationItem": None if found is None else application_item(found)}


@handles("publisher", "CreateApplication")
def create_application(call: Call) -> Tree:
    """With keys that are told here alone and open nothing in the sandbox.

    The service gives id, startDate, modifiedDate and connect (of which it keeps the role and the status that
    were sent): what else is sent in their place is not looked at.
    """
    account = call.holdings.account
    item = call.fields.branch("applicationItem")
    number, keys = account.applications.new()
    now = in_berlin(call.now)
    connect: Tree = {
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
def update_application(call: Call) -> Tree:
    """The item as a whole: what is not in it is gone. Its startDate and connect ID stay."""
    item = call.fields.branch("applicationItem")
    number, sent = item.text("@id"), _checked(item)
    if number is None:
        raise Refusal(
            Code.UNKNOWN_ID,
            "applicationItem: the attribute id says which application to update; it is missing",
        )

    def changed(before: Application) -> Application:
        old, wanted = Fields(before.item).branch("connect").tree, sent.get("connect")
        connect = {**old, **(wanted if isinstance(wanted, dict) else {}), "connectId": old["connectId"]}
        given: Tree = {
            "startDate": before.item["startDate"],
            "modifiedDate": in_berlin(call.now),
            "connect": connect,
        }
        return replace(before, item={**sent, **given})

    after = call.holdings.account.applications.change(number, changed)
    if after is None:
        raise Refusal(Code.UNKNOWN_ID, f"this account has no application {number[:80]}")
    return {"applicationItem": application_item(after)}


@handles("publisher", "DeleteApplication")
def delete_application(call: Call) -> Tree:
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
                raise Refusal(Code.OUT_OF_RANGE, f"applicationItem/pricing/{name}: {value} is not an amount")
    return {name: value for name, value in item.tree.items() if name != "@id"}


def _matches(fields: Fields, one: Application) -> bool:
    item, name, role = Fields(one.item), fields.text("name"), fields.text("role")
    return (
        (not name or name.casefold() in one.name.casefold())
        and (role is None or item.branch("connect").text("role") == role)
        and fields.text("applicationType") in (None, item.text("applicationType"))
        and fits(fields, item.branch("size").tree if "size" in item else None)
    )
