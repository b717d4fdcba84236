"""What the sandbox knows as the contract's items. Always complete: a strict client refuses less.

`adspaces` are the ad spaces to give tracking links for; where there are none the element is left out.
"""

from __future__ import annotations

from decimal import Decimal

from ..berlin import in_berlin
from ..data.account import Account, Balance, BankAccount, Payment, Profile
from ..data.adspaces import Adspace
from ..data.applications import Application, MediaSlot, Setting, Size
from ..data.catalogue import Admedium, Category, Incentive, Product, Program, money
from ..data.program_applications import ProgramApplication
from ..data.samples import SIZES
from ..data.transactions import BasketItem, Transaction
from ..payload import Payload, Value


def named(number: int, name: str) -> Payload:
    """A name with its id."""
    return {"@id": number, "$": name}


def category(one: Category) -> Payload:
    return named(one.id, one.name)


def program_item(one: Program) -> Payload:
    low = one.sale_percent / 2
    return {
        "@id": one.id,
        "name": one.name,
        "adrank": one.adrank,
        "applicationRequired": one.application_required,
        "description": one.description,
        "descriptionLocal": f"{one.name} verkauft {one.vertical.name} & mehr, günstig & schnell.",
        "products": one.products,
        "vertical": category(one.vertical),
        "regions": {"region": one.regions},
        "categories": {"category": [category(entry) for entry in one.categories]},
        "startDate": in_berlin(one.started),
        "url": f"https://shop{one.id}.example.org/",
        "image": f"https://shop{one.id}.example.org/logo.png",
        "currency": one.currency,
        "status": one.status,
        "terms": f"The terms of {one.name}. No promises; sample data.",
        "termsUrl": f"https://shop{one.id}.example.org/terms",
        "policies": {"policy": [category(entry) for entry in one.policies]},
        "returnTimeLeads": "14 days",
        "returnTimeSales": "30 days",
        "industries": {
            "main": category(one.industries[0]),
            "sub": [category(entry) for entry in one.industries[1:]],
        },
        "commission": {
            "clickMax": one.click_fee,
            "clickMin": one.click_fee,
            "leadMax": one.lead_fee,
            "leadMin": one.lead_fee,
            "saleFixMax": one.lead_fee,
            "saleFixMin": one.lead_fee,
            "salePercentMax": one.sale_percent,
            "salePercentMin": low,
        },
    }


def tracking_links(kind: str, number: object, adspaces: tuple[int, ...]) -> Payload | None:
    """A link to see, one to click and one for views counted later, per ad space."""
    if not adspaces:
        return None
    addresses = {each: f"https://track.example.org/{kind}/?{number}C{each}T" for each in adspaces}
    return {
        "trackingLink": [
            {"@adspaceId": each, "ppv": f"{address}&v=1", "ppc": address, "tpv": f"{address}&v=2"}
            for each, address in addresses.items()
        ]
    }


def admedium_item(one: Admedium, adspaces: tuple[int, ...]) -> Payload:
    """An ad medium with tracking links for the given ad spaces."""
    width, height = SIZES[one.format.id]
    return {
        "@id": one.id,
        "name": one.name,
        "adrank": Decimal("5.0"),
        "admediumType": one.type,
        "program": named(one.program_id, one.program_name),
        "title": one.name,
        "height": height,
        "width": width,
        "format": category(one.format),
        "code": f'<a href="#">{one.format.name} & more</a>',
        "description": f"{one.format.name} for {one.program_name}",
        "instruction": "Put it where readers look first.",
        "purpose": one.purpose,
        "category": category(one.category),
        "group": named(one.program_id * 10 + 5, "All year"),
        "tags": {"tag": ["sample", one.region]},
        "trackingLinks": tracking_links("click", one.id, adspaces),
    }


def product_item(one: Product, adspaces: tuple[int, ...]) -> Payload:
    address = f"https://shop{one.program_id}.example.org/p/{one.id}"
    image: Value = {size: f"{address}/{size}.jpg" for size in ("small", "medium", "large")}
    return {
        "@id": one.id,
        "name": one.name,
        "modified": in_berlin(one.modified),
        "program": named(one.program_id, one.program_name),
        "price": one.price,
        "currency": one.currency,
        "trackingLinks": tracking_links("product", one.id, adspaces),
        "description": f"{one.name}, as seen in the shop",
        "descriptionLong": f"{one.name}. Für drinnen & draußen; <new> this year.",
        "manufacturer": "Sample Works",
        "ean": one.ean,
        "deliveryTime": "2 to 4 days",
        "terms": "as long as there are any",
        "category": category(one.category),
        "image": image if one.has_image else None,
        "priceOld": one.old_price,
        "shippingCosts": f"4.95 {one.currency}",
        "shipping": "by post",
        "merchantCategory": one.merchant_category,
        "merchantProductId": f"SKU-{one.id[:8]}",  # hexadecimal alone may look like 6822e568, a number
    }


def incentive_item(one: Incentive, adspaces: tuple[int, ...]) -> Payload:
    prize: Payload = {
        "@id": f"PRIZE-{one.id}",
        "name": "A voucher",
        "description": "Größe frei",
        "count": 3,
        "rank": 1,
    }
    return {
        "@id": one.id,
        "name": one.name,
        "program": named(one.program_id, one.program_name),
        "admedia": {"admediumItem": [admedium_item(one.admedium, adspaces)]},
        "incentiveType": one.type,
        "regions": {"region": one.regions},
        "createDate": in_berlin(one.started),
        "modifiedDate": in_berlin(one.started),
        "startDate": in_berlin(one.started),
        "endDate": in_berlin(one.ends),
        "info4publisher": "Please do not change the wording.",
        "info4customer": f"{one.percentage} % off",
        "couponCode": one.code,
        "total": one.percentage * 10,
        "currency": one.currency,
        "percentage": one.percentage,
        "restrictions": "once per customer & order",
        "newCustomerOnly": one.percentage > 15,
        "minimumBasketValue": one.percentage * 2,
        "prizes": {"prize": [prize]} if one.type == "lotteries" else None,
    }


def transaction_item(one: Transaction) -> Payload:
    """A leadItem or a saleItem; they differ in the amount alone."""
    gpps: Value = {"gpp": [{"@id": name, "$": value} for name, value in one.gpps]}
    sub: Value = {"@id": one.sub_publisher, "commission": one.sub_commission}
    item: dict[str, Value] = {
        "@id": one.id,
        "reviewState": one.state,
        "trackingDate": one.tracked,
        "modifiedDate": one.modified,
        "clickDate": one.clicked,
        "adspace": named(one.adspace.id, one.adspace.name),
        "admedium": named(one.admedium.id, one.admedium.name),
        "program": named(one.program.id, one.program.name),
        "clickId": one.click_id,
        "clickInId": one.click_in_id,
        "commission": one.commission,
        "currency": one.currency,
        "subPublisher": sub if one.sub_publisher else None,
        "gpps": gpps if one.gpps else None,
        "reviewNote": one.note,
        "trackingCategory": category(one.category),
    }
    if one.kind == "sale":
        item["amount"] = one.amount
    return item


def basket_item(one: BasketItem) -> Payload:
    return {
        "productName": one.product_name,
        "trackingCategory": category(one.category),
        "amount": one.amount,
        "commission": one.commission,
        "currency": one.currency,
    }


def profile_item(one: Profile) -> Payload:
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


def adspace_item(one: Adspace) -> Payload:
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


def program_application_item(one: ProgramApplication) -> Payload:
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


def tracking_category_item(kind: str, one: Category, program: Program, adspace: Adspace) -> Payload:
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


def balance_item(one: Balance) -> Payload:
    return {"@id": one.currency, "open": one.open, "confirmed": one.confirmed}


def bank_account_item(one: BankAccount) -> Payload:
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


def payment_item(one: Payment) -> Payload:
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


def application_item(one: Application) -> Payload:
    return {**one.item, "@id": one.id}


def size_item(one: Size) -> Payload:
    form = None if one.format is None else category(one.format)
    return {"width": one.width, "height": one.height, "format": form}


def media_slot_item(one: MediaSlot, account: Account) -> Payload:
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


def setting_item(one: Setting, account: Account) -> Payload:
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


def _application(number: str, account: Account) -> Payload:
    """An application by id and by the name it has now."""
    found = account.applications.get(number)
    return {"@id": number, "$": "" if found is None else found.name}
