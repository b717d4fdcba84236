"""The caller's profile, ad spaces, payments and program applications.

A child that is absent from an update of the profile stays as it is, over both protocols: REST sends only what
changes (`docs/explanation/service.md#rest-forms`), and the schema cannot tell a SOAP client's "none" from
"as before". What happened with an ad space keeps the name it had then, also when it is changed or deleted:
transactions, program applications, media slots. Balances, payments and bank accounts cannot be changed.
"""

from __future__ import annotations

from dataclasses import replace

from ..data.account import Profile
from ..data.adspaces import Adspace
from ..data.catalogue import Category, Program
from ..data.program_applications import ProgramApplication
from ..faults import Code, InvalidValue
from ..payload import Fields, Payload
from .items import (
    adspace_item,
    balance_item,
    bank_account_item,
    payment_item,
    profile_item,
    program_application_item,
    tracking_category_item,
)
from .registry import Call, handles, page_of, page_or_all

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
def get_profile(call: Call) -> Payload:
    return {"profileItem": profile_item(call.holdings.account.profile.get())}


@handles("publisher", "UpdateProfile")
def update_profile(call: Call) -> Payload:
    """The profile as it is afterwards.

    Raises `InvalidValue` 108 for another id than the caller's, 111 for a changed login name, user name or
    email; then nothing has changed. adrank, isAdvertiser and isSublogin are the service's: what is sent of
    them is not looked at.
    """
    item = call.fields.branch("profileItem")
    changed = call.holdings.account.profile.change(lambda before: _merged(before, item))
    return {"profileItem": profile_item(changed)}


def _merged(before: Profile, item: Fields) -> Profile:
    number = item.number("@id")
    if number is None:
        raise InvalidValue(
            Code.UNKNOWN_ID, "profileItem: the attribute id says which profile to update; it is missing"
        )
    if number != before.id:
        raise InvalidValue(
            Code.UNKNOWN_ID, f"profileItem: {number} is not the id of your profile, that is {before.id}"
        )
    now = profile_item(before)
    for name in FIXED:
        if name in item and item.text(name) != now[name]:
            raise InvalidValue(
                Code.UNCHANGEABLE, f"{name} cannot be changed: leave it out or send {now[name]!r} as it is"
            )
    sent = {mine: item.text(name) for name, mine in CHANGEABLE.items() if name in item}
    return replace(before, **sent)  # type: ignore[arg-type]  # all of them texts, and none None


@handles("publisher", "GetAdspaces")
def get_adspaces(call: Call) -> Payload:
    entries = call.holdings.account.adspaces.all()
    return page_of(call.fields, entries, "adspaceItems", "adspaceItem", adspace_item)


@handles("publisher", "GetAdspace")
def get_adspace(call: Call) -> Payload:
    """An unknown id, or one of another account, gets a response without an item."""
    adspace = call.holdings.account.adspaces.get(call.fields.number("adspaceId") or 0)
    return {"adspaceItem": None if adspace is None else adspace_item(adspace)}


@handles("publisher", "CreateAdspace")
def create_adspace(call: Call) -> Payload:
    """An id that was sent is not looked at: the service gives its own."""
    made = call.holdings.account.adspaces.create(_adspace(call.fields.branch("adspaceItem"), 0))
    return {"adspaceItem": adspace_item(made)}


@handles("publisher", "UpdateAdspace")
def update_adspace(call: Call) -> Payload:
    item = call.fields.branch("adspaceItem")
    number = item.number("@id")
    if number is None:
        raise InvalidValue(
            Code.UNKNOWN_ID, "adspaceItem: the attribute id says which ad space to update; it is missing"
        )
    wanted = _adspace(item, number)
    if not call.holdings.account.adspaces.update(wanted):
        raise InvalidValue(Code.UNKNOWN_ID, f"this account has no ad space {number}")
    return {"adspaceItem": adspace_item(wanted)}


@handles("publisher", "DeleteAdspace")
def delete_adspace(call: Call) -> Payload:
    """How many went: 1, or 0 where this account has none of that id."""
    number = call.fields.number("adspaceId") or 0
    return {"count": int(call.holdings.account.adspaces.delete(number))}


def _adspace(item: Fields, number: int) -> Adspace:
    regions = item.branch("regions").texts("region") if "regions" in item else None
    categories = item.branch("categories").branches("category") if "categories" in item else None
    return Adspace(
        id=number,
        name=item.text("name") or "",
        url=item.text("url") or "",
        description=item.text("description") or "",
        type=item.text("adspaceType") or "",
        visitors=item.number("visitors") or 0,
        impressions=item.number("impressions") or 0,
        scope=item.text("scope"),
        regions=None if regions is None else tuple(regions),
        categories=None if categories is None else tuple(category_of(one) for one in categories),
        language=item.text("language") or "",
        check_number=item.number("checkNumber") or 0,
    )


def category_of(item: Fields) -> Category:
    """A numbered name that was sent."""
    return Category(item.number("@id") or 0, item.text("$") or "")


@handles("publisher", "GetBalances")
def get_balances(call: Call) -> Payload:
    return page_of(call.fields, call.holdings.account.balances, "balanceItems", "balanceItem", balance_item)


@handles("publisher", "GetBalance")
def get_balance(call: Call) -> Payload:
    """A currency without a balance gets a response without an item. Upper and lower case are one."""
    currency = (call.fields.text("currency") or "").upper()
    found = next((one for one in call.holdings.account.balances if one.currency == currency), None)
    return {"balanceItem": None if found is None else balance_item(found)}


@handles("publisher", "GetPayments")
def get_payments(call: Call) -> Payload:
    return page_of(call.fields, call.holdings.account.payments, "paymentItems", "paymentItem", payment_item)


@handles("publisher", "GetPayment")
def get_payment(call: Call) -> Payload:
    """An unknown id gets a response without an item."""
    number = call.fields.text("paymentId")
    found = next((one for one in call.holdings.account.payments if one.id == number), None)
    return {"paymentItem": None if found is None else payment_item(found)}


@handles("publisher", "GetBankAccounts")
def get_bank_accounts(call: Call) -> Payload:
    accounts = call.holdings.account.bank_accounts
    return page_of(call.fields, accounts, "bankAccountItems", "bankAccountItem", bank_account_item)


@handles("publisher", "GetBankAccount")
def get_bank_account(call: Call) -> Payload:
    """An unknown id gets a response without an item."""
    number = call.fields.text("bankAccountId")
    found = next((one for one in call.holdings.account.bank_accounts if one.id == number), None)
    return {"bankAccountItem": None if found is None else bank_account_item(found)}


@handles("publisher", "GetProgramApplications")
def get_program_applications(call: Call) -> Payload:
    """All that ever were, ended ones too; the status says which."""
    entries = [one for one in call.holdings.account.program_applications.all() if _matches(call.fields, one)]
    wrapper, item = "programApplicationItems", "programApplicationItem"
    return page_of(call.fields, entries, wrapper, item, program_application_item)


@handles("publisher", "CreateProgramApplication")
def create_program_application(call: Call) -> Payload:
    """`open` where the program wants to decide (nobody ever does here), else `confirmed` at once.

    Raises `InvalidValue` 108 for a program or ad space that is unknown, 109 while an application of the two
    is alive. An ended one is no obstacle.
    """
    program, adspace = _ends(call)
    if program is None:
        raise InvalidValue(Code.UNKNOWN_ID, f"there is no program {call.fields.number('programId')}")
    if adspace is None:
        raise InvalidValue(Code.UNKNOWN_ID, f"this account has no ad space {call.fields.number('adspaceId')}")
    comment = call.fields.text("publisherComment")
    made = call.holdings.account.program_applications.apply(program, adspace, call.now, comment)
    if made is None:
        raise InvalidValue(
            Code.TAKEN,
            f"ad space {adspace.id} has an application to program {program.id} already; "
            "end it with DeleteProgramApplication before applying again",
        )
    return {"programApplicationItem": program_application_item(made)}


@handles("publisher", "DeleteProgramApplication")
def delete_program_application(call: Call) -> Payload:
    """How many were ended: 1, or 0 where none is alive. It stays on the list as `terminated`."""
    program, adspace = call.fields.number("programId") or 0, call.fields.number("adspaceId") or 0
    return {"count": call.holdings.account.program_applications.end(program, adspace)}


@handles("publisher", "GetTrackingCategories")
def get_tracking_categories(call: Call) -> Payload:
    """What the program pays, partner or not; everything at once if neither page nor items is sent.

    An unknown program or ad space has none. Here nobody has commissions of his own: all get the default.
    """
    program, adspace = _ends(call)
    found: list[Payload] = []
    if program is not None and adspace is not None:
        kinds = ("sale", "sale", "lead", "lead")
        found = [
            tracking_category_item(kind, one, program, adspace)
            for kind, one in zip(kinds, program.tracking, strict=True)
        ]
    wrapper = item = "trackingCategoryItem"  # the contract calls both the same
    return page_or_all(call.fields, found, wrapper, item, lambda one: one)


def _ends(call: Call) -> tuple[Program | None, Adspace | None]:
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    return program, call.holdings.account.adspaces.get(call.fields.number("adspaceId") or 0)


def _matches(fields: Fields, one: ProgramApplication) -> bool:
    return (
        fields.number("programId") in (None, one.program.id)
        and fields.number("adspaceId") in (None, one.adspace.id)
        and fields.text("status") in (None, one.status)
    )
