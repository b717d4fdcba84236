"""Handlers of the operations for the caller's profile, ad spaces, payments and program applications.

An update of the profile does not change the fields that the request omits, over SOAP and REST: REST requests
contain only changes (`docs/explanation/service.md#rest-forms`), and the schema cannot distinguish "no value"
from "unchanged".
Transactions, program applications and media slots keep a copy of the ad space from the time when they are
created. The copy stays the same if the ad space is changed or deleted later. Balances, payments and bank
accounts cannot be changed.
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
    """Return the caller's profile."""
    return {"profileItem": profile_item(call.holdings.account.profile.get())}


@handles("publisher", "UpdateProfile")
def update_profile(call: Call) -> Payload:
    """Change the profile and return it.

    Raises `InvalidValue` 108 for an id of another account, 111 for a changed login name, user name or email.
    After such an error, the profile is unchanged. Sent values for adrank, isAdvertiser and isSublogin are
    ignored, because only the service sets them.
    """
    item = call.fields.branch("profileItem")
    changed = call.holdings.account.profile.change(lambda before: _merged(before, item))
    return {"profileItem": profile_item(changed)}


def _merged(before: Profile, item: Fields) -> Profile:
    """Return a copy of the profile `before`, with the values that the request sent in `item`.

    Raises `InvalidValue` 108 for an id of another profile, 111 for a field that cannot be changed.
    """
    number = item.number("@id")
    if number is None:
        raise InvalidValue(
            Code.UNKNOWN_ID, "profileItem: the attribute id is required: it selects the profile to update"
        )
    if number != before.id:
        raise InvalidValue(
            Code.UNKNOWN_ID, f"profileItem: {number} is not the id of your profile, which is {before.id}"
        )
    current = profile_item(before)
    for name in FIXED:
        if name in item and item.text(name) != current[name]:
            raise InvalidValue(
                Code.UNCHANGEABLE,
                f"{name} cannot be changed: omit it or send {current[name]!r}",
            )
    changes = {field: item.text(name) for name, field in CHANGEABLE.items() if name in item}
    return replace(before, **changes)  # type: ignore[arg-type]  # the values are strings, never None


@handles("publisher", "GetAdspaces")
def get_adspaces(call: Call) -> Payload:
    """Return the caller's ad spaces."""
    entries = call.holdings.account.adspaces.all()
    return page_of(call.fields, entries, "adspaceItems", "adspaceItem", adspace_item)


@handles("publisher", "GetAdspace")
def get_adspace(call: Call) -> Payload:
    """Return an ad space. The response has no item if the id is unknown or belongs to another account."""
    adspace = call.holdings.account.adspaces.get(call.fields.number("adspaceId") or 0)
    return {"adspaceItem": None if adspace is None else adspace_item(adspace)}


@handles("publisher", "CreateAdspace")
def create_adspace(call: Call) -> Payload:
    """Create an ad space. A sent id is ignored; the service assigns one."""
    created = call.holdings.account.adspaces.create(_adspace(call.fields.branch("adspaceItem"), 0))
    return {"adspaceItem": adspace_item(created)}


@handles("publisher", "UpdateAdspace")
def update_adspace(call: Call) -> Payload:
    """Replace an ad space. Raises `InvalidValue` 108 if the id is missing or unknown."""
    item = call.fields.branch("adspaceItem")
    number = item.number("@id")
    if number is None:
        raise InvalidValue(
            Code.UNKNOWN_ID, "adspaceItem: the attribute id is required: it selects the ad space to update"
        )
    adspace = _adspace(item, number)
    if not call.holdings.account.adspaces.update(adspace):
        raise InvalidValue(Code.UNKNOWN_ID, f"this account has no ad space {number}")
    return {"adspaceItem": adspace_item(adspace)}


@handles("publisher", "DeleteAdspace")
def delete_adspace(call: Call) -> Payload:
    """Delete an ad space. The response has the count 1, or 0 if the account has no ad space with this id."""
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
        categories=None if categories is None else tuple(category_of(item) for item in categories),
        language=item.text("language") or "",
        check_number=item.number("checkNumber") or 0,
    )


def category_of(item: Fields) -> Category:
    """Convert a category element of a request to a `Category`."""
    return Category(item.number("@id") or 0, item.text("$") or "")


@handles("publisher", "GetBalances")
def get_balances(call: Call) -> Payload:
    """Return the caller's balances, one for each currency."""
    return page_of(call.fields, call.holdings.account.balances, "balanceItems", "balanceItem", balance_item)


@handles("publisher", "GetBalance")
def get_balance(call: Call) -> Payload:
    """Return the balance in the requested currency. The case of the currency code is ignored.

    The response has no item if the account has no balance in this currency.
    """
    currency = (call.fields.text("currency") or "").upper()
    balance = next((item for item in call.holdings.account.balances if item.currency == currency), None)
    return {"balanceItem": None if balance is None else balance_item(balance)}


@handles("publisher", "GetPayments")
def get_payments(call: Call) -> Payload:
    """Return the caller's payments."""
    return page_of(call.fields, call.holdings.account.payments, "paymentItems", "paymentItem", payment_item)


@handles("publisher", "GetPayment")
def get_payment(call: Call) -> Payload:
    """Return a payment. The response has no item if the id is unknown."""
    number = call.fields.text("paymentId")
    payment = next((item for item in call.holdings.account.payments if item.id == number), None)
    return {"paymentItem": None if payment is None else payment_item(payment)}


@handles("publisher", "GetBankAccounts")
def get_bank_accounts(call: Call) -> Payload:
    """Return the caller's bank accounts."""
    accounts = call.holdings.account.bank_accounts
    return page_of(call.fields, accounts, "bankAccountItems", "bankAccountItem", bank_account_item)


@handles("publisher", "GetBankAccount")
def get_bank_account(call: Call) -> Payload:
    """Return a bank account. The response has no item if the id is unknown."""
    number = call.fields.text("bankAccountId")
    account = next((item for item in call.holdings.account.bank_accounts if item.id == number), None)
    return {"bankAccountItem": None if account is None else bank_account_item(account)}


@handles("publisher", "GetProgramApplications")
def get_program_applications(call: Call) -> Payload:
    """Return the caller's program applications. Ended applications have the status `terminated`."""
    applications = call.holdings.account.program_applications.all()
    entries = [application for application in applications if _matches(call.fields, application)]
    wrapper, item = "programApplicationItems", "programApplicationItem"
    return page_of(call.fields, entries, wrapper, item, program_application_item)


@handles("publisher", "CreateProgramApplication")
def create_program_application(call: Call) -> Payload:
    """Apply to a program with an ad space. Return the application.

    Its status is `open` if the program reviews applications, else `confirmed`. The sandbox never confirms or
    refuses an open application. Raises `InvalidValue` 108 if the program or the ad space is unknown, 109 if
    the ad space already has an active application to the program. An ended application does not count.
    """
    program, adspace = _program_and_adspace(call)
    if program is None:
        raise InvalidValue(Code.UNKNOWN_ID, f"there is no program {call.fields.number('programId')}")
    if adspace is None:
        raise InvalidValue(Code.UNKNOWN_ID, f"this account has no ad space {call.fields.number('adspaceId')}")
    comment = call.fields.text("publisherComment")
    application = call.holdings.account.program_applications.apply(program, adspace, call.now, comment)
    if application is None:
        raise InvalidValue(
            Code.TAKEN,
            f"ad space {adspace.id} already has an application to program {program.id}; "
            "end it with DeleteProgramApplication before applying again",
        )
    return {"programApplicationItem": program_application_item(application)}


@handles("publisher", "DeleteProgramApplication")
def delete_program_application(call: Call) -> Payload:
    """End the ad space's active application to the program. Return the number of ended applications: 1 or 0.

    The ended application stays on the list, with the status `terminated`.
    """
    program, adspace = call.fields.number("programId") or 0, call.fields.number("adspaceId") or 0
    return {"count": call.holdings.account.program_applications.end(program, adspace)}


@handles("publisher", "GetTrackingCategories")
def get_tracking_categories(call: Call) -> Payload:
    """Return the tracking categories of a program, even if the program has not confirmed the ad space.

    If the request has neither page nor items, all categories are returned. If the program or the ad space is
    unknown, no categories are returned. The commissions are the program's defaults, which are the same for
    every publisher.
    """
    program, adspace = _program_and_adspace(call)
    entries: list[Payload] = []
    if program is not None and adspace is not None:
        kinds = ("sale", "sale", "lead", "lead")
        entries = [
            tracking_category_item(kind, item, program, adspace)
            for kind, item in zip(kinds, program.tracking, strict=True)
        ]
    wrapper = item_name = "trackingCategoryItem"  # the contract uses the same name for both
    return page_or_all(call.fields, entries, wrapper, item_name, lambda entry: entry)


def _program_and_adspace(call: Call) -> tuple[Program | None, Adspace | None]:
    """Return the program and the ad space that a request names. Each is None if its id is unknown."""
    program = call.store.catalogue.by_id.get(call.fields.number("programId") or 0)
    return program, call.holdings.account.adspaces.get(call.fields.number("adspaceId") or 0)


def _matches(fields: Fields, application: ProgramApplication) -> bool:
    return (
        fields.number("programId") in (None, application.program.id)
        and fields.number("adspaceId") in (None, application.adspace.id)
        and fields.text("status") in (None, application.status)
    )
