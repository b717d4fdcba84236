"""The caller's profile.

A child that is absent from an update stays as it is, over every carrier: REST sends only what changes
(`record.md 3`, row 2), and the schema cannot tell a SOAP client's "none" from "as before".
"""

from __future__ import annotations

from dataclasses import replace

from ..data.profile import Profile
from ..faults import Code, Refusal
from ..trees import Fields, Tree
from .account_items import profile_item
from .registry import Call, handles

CHANGEABLE = {
    "firstName": "first_name",
    "lastName": "last_name",
    "country": "country",
    "street1": "street1",
    "city": "city",
    "zipcode": "zipcode",
    "company": "company",
    "street2": "street2",
    "phone": "phone",
    "mobile": "mobile",
    "fax": "fax",
    "language": "language",
    "currency": "currency",
    "title": "title",
}
FIXED = ("loginName", "userName", "email")


@handles("publisher", "GetProfile")
def get_profile(call: Call) -> Tree:
    return {"profileItem": profile_item(call.holdings.account.profile.get())}


@handles("publisher", "UpdateProfile")
def update_profile(call: Call) -> Tree:
    """The profile as it is afterwards.

    Raises `Refusal` 108 for another id than the caller's, 111 for a changed login name, user name or email;
    then nothing has changed. adrank, isAdvertiser and isSublogin are the service's: what is sent of them is
    not looked at.
    """
    item = call.fields.branch("profileItem")
    changed = call.holdings.account.profile.change(lambda before: _merged(before, item))
    return {"profileItem": profile_item(changed)}


def _merged(before: Profile, item: Fields) -> Profile:
    number = item.number("@id")
    if number is None:
        raise Refusal(
            Code.UNKNOWN_ID, "profileItem: the attribute id says which profile to update; it is missing"
        )
    if number != before.id:
        raise Refusal(
            Code.UNKNOWN_ID, f"profileItem: {number} is not the id of your profile, that is {before.id}"
        )
    now = profile_item(before)
    for name in FIXED:
        if name in item and item.text(name) != now[name]:
            raise Refusal(
                Code.UNCHANGEABLE, f"{name} cannot be changed: leave it out or send {now[name]!r} as it is"
            )
    sent = {mine: item.text(name) for name, mine in CHANGEABLE.items() if name in item}
    return replace(before, **sent)  # type: ignore[arg-type]  # all of them texts, and none None
