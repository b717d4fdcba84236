"""What belongs to an account as the contract's items. Always complete: a strict client refuses less."""

from __future__ import annotations

from ..berlin import in_berlin
from ..data.account import Account, Balance
from ..data.adspaces import Adspace
from ..data.applications import Application
from ..data.catalogue import Category, Program, money
from ..data.media_slots import MediaSlot, Size
from ..data.payments import BankAccount, Payment
from ..data.profile import Profile
from ..data.program_applications import ProgramApplication
from ..data.settings import Setting
from ..trees import Tree
from .items import category, named


def profile_item(one: Profile) -> Tree:
    return {
        "@id": one.id,
        "adrank": one.adrank,
        "firstName": one.first_name,
        "lastName": one.last_name,
        "email": one.email,
        "country": one.country,
        "street1": one.street1,
        "city": one.city,
        "zipcode": one.zipcode,
        "company": one.company,
        "street2": one.street2,
        "phone": one.phone,
        "mobile": one.mobile,
        "fax": one.fax,
        "language": one.language,
        "currency": one.currency,
        "title": one.title,
        "loginName": one.login,
        "userName": one.login,
        "isAdvertiser": False,
        "isSublogin": False,
    }


def adspace_item(one: Adspace) -> Tree:
    kinds = None if one.categories is None else {"category": [category(entry) for entry in one.categories]}
    return {
        "@id": one.id,
        "name": one.name,
        "url": one.url,
        "description": one.description,
        "adspaceType": one.type,
        "visitors": one.visitors,
        "impressions": one.impressions,
        "scope": one.scope,
        "regions": None if one.regions is None else {"region": one.regions},
        "categories": kinds,
        "language": one.language,
        "checkNumber": one.check_number,
    }


def program_application_item(one: ProgramApplication) -> Tree:
    active = one.program.status == "active"
    return {
        "@id": one.id,
        "program": {"@id": one.program.id, "@active": active, "$": one.program.name},
        "adspace": named(one.adspace.id, one.adspace.name),
        "status": one.status,
        "createDate": in_berlin(one.created),
        "allowTpv": False,
        "approvedDate": None if one.approved is None else in_berlin(one.approved),
        "publisherComment": one.publisher_comment,
        "advertiserComment": one.advertiser_comment,
    }


def tracking_category_item(kind: str, one: Category, program: Program, adspace: Adspace) -> Tree:
    """What the program pays the ad space for a `lead` or a `sale` of this category."""
    return {
        "@id": str(one.id),
        "name": one.name,
        "program": named(program.id, program.name),
        "adspace": named(adspace.id, adspace.name),
        "transactionType": f"{kind}s",
        "processingTime": "14 days" if kind == "lead" else "30 days",
        "description": f"{one.name} & all that belongs to it",
        "viewFixed": money(0),
        "clickFixed": program.click_fee,
        "leadFixed": program.lead_fee if kind == "lead" else None,
        "saleFixed": money(0) if kind == "sale" else None,
        "salePercent": program.sale_percent if kind == "sale" else None,
    }


def balance_item(one: Balance) -> Tree:
    return {"@id": one.currency, "open": one.open, "confirmed": one.confirmed}


def bank_account_item(one: BankAccount) -> Tree:
    return {
        "@id": one.id,
        "name": one.name,
        "iban": one.iban,
        "swift": one.swift,
        "bankCode": one.bank_code,
        "accountNumber": one.account_number,
        "owner": one.owner,
        "address": one.address,
        "country": one.country,
        "minPayout": one.minimum,
    }


def payment_item(one: Payment) -> Tree:
    return {
        "@id": one.id,
        "createDate": in_berlin(one.created),
        "modifiedDate": in_berlin(one.modified),
        "payoutDate": None if one.paid is None else in_berlin(one.paid),
        "status": one.status,
        "amount": one.amount,
        "currency": one.currency,
        "bankAccountItem": bank_account_item(one.bank_account),
    }


def application_item(one: Application) -> Tree:
    return {**one.item, "@id": one.id}


def size_item(one: Size) -> Tree:
    form = None if one.format is None else category(one.format)
    return {"width": one.width, "height": one.height, "format": form}


def media_slot_item(one: MediaSlot, account: Account) -> Tree:
    return {
        "@id": one.id,
        "name": one.name,
        "size": None if one.size is None else size_item(one.size),
        "adspace": category(one.adspace),
        "applications": {"application": [_application(number, account) for number in one.application_ids]},
        "status": one.status,
        "createDate": in_berlin(one.created),
        "modifiedDate": in_berlin(one.modified),
    }


def setting_item(one: Setting, account: Account) -> Tree:
    slot = None if one.slot_id is None else account.media_slots.get(one.slot_id)
    return {
        "application": _application(one.application_id, account),
        "mediaslot": None if slot is None else {"@id": slot.id, "$": slot.name},
        "key": one.key,
        "value": one.value,
        "customValue": one.custom_value,
        "type": one.type,
        "name": one.name,
        "description": one.description,
        "mandatory": one.mandatory,
    }


def _application(number: str, account: Account) -> Tree:
    """An application by id and by the name it has now."""
    found = account.applications.get(number)
    return {"@id": number, "$": "" if found is None else found.name}
