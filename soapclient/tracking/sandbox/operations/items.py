"""Functions that convert the sandbox's data to elements of responses, as dicts.

All fields are set, because strict clients require this. Some functions have the argument `adspaces`: ids of
the ad spaces for which tracking links are created. If it is empty, `trackingLinks` is omitted.
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
    """Return an element with an id and a name, as a dict.

    `number` becomes the attribute `id`, `name` the text.
    """
    return {"@id": number, "$": name}


def category(item: Category) -> Payload:
    """Return a category as an element with its name and id."""
    return named(item.id, item.name)


def program_item(program: Program) -> Payload:
    """Convert a program to the element programItem of the contract, as a dict."""
    low = program.sale_percent / 2
    return {
        "@id": program.id,
        "name": program.name,
        "adrank": program.adrank,
        "applicationRequired": program.application_required,
        "description": program.description,
        "descriptionLocal": f"{program.name} verkauft {program.vertical.name} & mehr, günstig & schnell.",
        "products": program.products,
        "vertical": category(program.vertical),
        "regions": {"region": program.regions},
        "categories": {"category": [category(entry) for entry in program.categories]},
        "startDate": in_berlin(program.started),
        "url": f"https://shop{program.id}.example.org/",
        "image": f"https://shop{program.id}.example.org/logo.png",
        "currency": program.currency,
        "status": program.status,
        "terms": f"The terms of {program.name}. No promises; sample data.",
        "termsUrl": f"https://shop{program.id}.example.org/terms",
        "policies": {"policy": [category(entry) for entry in program.policies]},
        "returnTimeLeads": "14 days",
        "returnTimeSales": "30 days",
        "industries": {
            "main": category(program.industries[0]),
            "sub": [category(entry) for entry in program.industries[1:]],
        },
        "commission": {
            "clickMax": program.click_fee,
            "clickMin": program.click_fee,
            "leadMax": program.lead_fee,
            "leadMin": program.lead_fee,
            "saleFixMax": program.lead_fee,
            "saleFixMin": program.lead_fee,
            "salePercentMax": program.sale_percent,
            "salePercentMin": low,
        },
    }


def tracking_links(kind: str, number: object, adspaces: tuple[int, ...]) -> Payload | None:
    """Return tracking links for each ad space: for views (`ppv`), clicks (`ppc`) and deferred views (`tpv`).

    `kind` is the path of the links, `click` or `product`. `number` is the id of the advertised ad medium or
    product. Returns None if there are no ad spaces.
    """
    if not adspaces:
        return None
    addresses = {adspace: f"https://track.example.org/{kind}/?{number}C{adspace}T" for adspace in adspaces}
    return {
        "trackingLink": [
            {"@adspaceId": adspace, "ppv": f"{address}&v=1", "ppc": address, "tpv": f"{address}&v=2"}
            for adspace, address in addresses.items()
        ]
    }


def admedium_item(admedium: Admedium, adspaces: tuple[int, ...]) -> Payload:
    """Return an admediumItem with tracking links for the ad spaces."""
    width, height = SIZES[admedium.format.id]
    return {
        "@id": admedium.id,
        "name": admedium.name,
        "adrank": Decimal("5.0"),
        "admediumType": admedium.type,
        "program": named(admedium.program_id, admedium.program_name),
        "title": admedium.name,
        "height": height,
        "width": width,
        "format": category(admedium.format),
        "code": f'<a href="#">{admedium.format.name} & more</a>',
        "description": f"{admedium.format.name} for {admedium.program_name}",
        "instruction": "Put it where readers look first.",
        "purpose": admedium.purpose,
        "category": category(admedium.category),
        "group": named(admedium.program_id * 10 + 5, "All year"),
        "tags": {"tag": ["sample", admedium.region]},
        "trackingLinks": tracking_links("click", admedium.id, adspaces),
    }


def product_item(product: Product, adspaces: tuple[int, ...]) -> Payload:
    """Convert a product to the element productItem of the contract, as a dict."""
    address = f"https://shop{product.program_id}.example.org/p/{product.id}"
    image: Value = {size: f"{address}/{size}.jpg" for size in ("small", "medium", "large")}
    return {
        "@id": product.id,
        "name": product.name,
        "modified": in_berlin(product.modified),
        "program": named(product.program_id, product.program_name),
        "price": product.price,
        "currency": product.currency,
        "trackingLinks": tracking_links("product", product.id, adspaces),
        "description": f"{product.name}, as seen in the shop",
        "descriptionLong": f"{product.name}. Für drinnen & draußen; <new> this year.",
        "manufacturer": "Sample Works",
        "ean": product.ean,
        "deliveryTime": "2 to 4 days",
        "terms": "as long as there are any",
        "category": category(product.category),
        "image": image if product.has_image else None,
        "priceOld": product.old_price,
        "shippingCosts": f"4.95 {product.currency}",
        "shipping": "by post",
        "merchantCategory": product.merchant_category,
        "merchantProductId": f"SKU-{product.id[:8]}",  # without prefix it may look like 6822e568, a number
    }


def incentive_item(incentive: Incentive, adspaces: tuple[int, ...]) -> Payload:
    """Convert an incentive to the element incentiveItem of the contract, as a dict."""
    prize: Payload = {
        "@id": f"PRIZE-{incentive.id}",
        "name": "A voucher",
        "description": "Größe frei",
        "count": 3,
        "rank": 1,
    }
    return {
        "@id": incentive.id,
        "name": incentive.name,
        "program": named(incentive.program_id, incentive.program_name),
        "admedia": {"admediumItem": [admedium_item(incentive.admedium, adspaces)]},
        "incentiveType": incentive.type,
        "regions": {"region": incentive.regions},
        "createDate": in_berlin(incentive.started),
        "modifiedDate": in_berlin(incentive.started),
        "startDate": in_berlin(incentive.started),
        "endDate": in_berlin(incentive.ends),
        "info4publisher": "Please do not change the wording.",
        "info4customer": f"{incentive.percentage} % off",
        "couponCode": incentive.code,
        "total": incentive.percentage * 10,
        "currency": incentive.currency,
        "percentage": incentive.percentage,
        "restrictions": "once per customer & order",
        "newCustomerOnly": incentive.percentage > 15,
        "minimumBasketValue": incentive.percentage * 2,
        "prizes": {"prize": [prize]} if incentive.type == "lotteries" else None,
    }


def transaction_item(transaction: Transaction) -> Payload:
    """Convert a lead to a leadItem, and a sale to a saleItem, as a dict. Only a saleItem has an amount."""
    gpps: Value = {"gpp": [{"@id": name, "$": value} for name, value in transaction.gpps]}
    sub: Value = {"@id": transaction.sub_publisher, "commission": transaction.sub_commission}
    item: dict[str, Value] = {
        "@id": transaction.id,
        "reviewState": transaction.state,
        "trackingDate": transaction.tracked,
        "modifiedDate": transaction.modified,
        "clickDate": transaction.clicked,
        "adspace": named(transaction.adspace.id, transaction.adspace.name),
        "admedium": named(transaction.admedium.id, transaction.admedium.name),
        "program": named(transaction.program.id, transaction.program.name),
        "clickId": transaction.click_id,
        "clickInId": transaction.click_in_id,
        "commission": transaction.commission,
        "currency": transaction.currency,
        "subPublisher": sub if transaction.sub_publisher else None,
        "gpps": gpps if transaction.gpps else None,
        "reviewNote": transaction.note,
        "trackingCategory": category(transaction.category),
    }
    if transaction.kind == "sale":
        item["amount"] = transaction.amount
    return item


def basket_item(product: BasketItem) -> Payload:
    """Convert a product of a sale to the element basketItem of the contract, as a dict."""
    return {
        "productName": product.product_name,
        "trackingCategory": category(product.category),
        "amount": product.amount,
        "commission": product.commission,
        "currency": product.currency,
    }


def profile_item(profile: Profile) -> Payload:
    """Convert a profile to the element profileItem of the contract, as a dict."""
    return {
        "@id": profile.id,
        "adrank": profile.adrank,
        "firstName": profile.first_name,
        "lastName": profile.last_name,
        "email": profile.email,
        "country": profile.country,
        "street1": profile.street1,
        "city": profile.city,
        "zipcode": profile.zipcode,
        "company": profile.company,
        "street2": profile.street2,
        "phone": profile.phone,
        "mobile": profile.mobile,
        "fax": profile.fax,
        "language": profile.language,
        "currency": profile.currency,
        "title": profile.title,
        "loginName": profile.login,
        "userName": profile.login,
        "isAdvertiser": False,
        "isSublogin": False,
    }


def adspace_item(adspace: Adspace) -> Payload:
    """Convert an ad space to the element adspaceItem of the contract, as a dict."""
    kinds = (
        None
        if adspace.categories is None
        else {"category": [category(entry) for entry in adspace.categories]}
    )
    return {
        "@id": adspace.id,
        "name": adspace.name,
        "url": adspace.url,
        "description": adspace.description,
        "adspaceType": adspace.type,
        "visitors": adspace.visitors,
        "impressions": adspace.impressions,
        "scope": adspace.scope,
        "regions": None if adspace.regions is None else {"region": adspace.regions},
        "categories": kinds,
        "language": adspace.language,
        "checkNumber": adspace.check_number,
    }


def program_application_item(application: ProgramApplication) -> Payload:
    """Convert a program application to the element programApplicationItem of the contract, as a dict."""
    active = application.program.status == "active"
    return {
        "@id": application.id,
        "program": {"@id": application.program.id, "@active": active, "$": application.program.name},
        "adspace": named(application.adspace.id, application.adspace.name),
        "status": application.status,
        "createDate": in_berlin(application.created),
        "allowTpv": False,
        "approvedDate": None if application.approved is None else in_berlin(application.approved),
        "publisherComment": application.publisher_comment,
        "advertiserComment": application.advertiser_comment,
    }


def tracking_category_item(kind: str, item: Category, program: Program, adspace: Adspace) -> Payload:
    """Return a trackingCategoryItem: the ad space's commissions for the transactions of a tracking category.

    `item` is the tracking category. `kind` is its type of transactions, `lead` or `sale`.
    """
    return {
        "@id": str(item.id),
        "name": item.name,
        "program": named(program.id, program.name),
        "adspace": named(adspace.id, adspace.name),
        "transactionType": f"{kind}s",
        "processingTime": "14 days" if kind == "lead" else "30 days",
        "description": f"{item.name} & all that belongs to it",
        "viewFixed": money(0),
        "clickFixed": program.click_fee,
        "leadFixed": program.lead_fee if kind == "lead" else None,
        "saleFixed": money(0) if kind == "sale" else None,
        "salePercent": program.sale_percent if kind == "sale" else None,
    }


def balance_item(balance: Balance) -> Payload:
    """Convert a balance to the element balanceItem of the contract, as a dict."""
    return {"@id": balance.currency, "open": balance.open, "confirmed": balance.confirmed}


def bank_account_item(account: BankAccount) -> Payload:
    """Convert a bank account to the element bankAccountItem of the contract, as a dict."""
    return {
        "@id": account.id,
        "name": account.name,
        "iban": account.iban,
        "swift": account.swift,
        "bankCode": account.bank_code,
        "accountNumber": account.account_number,
        "owner": account.owner,
        "address": account.address,
        "country": account.country,
        "minPayout": account.minimum,
    }


def payment_item(payment: Payment) -> Payload:
    """Convert a payment to the element paymentItem of the contract, as a dict."""
    return {
        "@id": payment.id,
        "createDate": in_berlin(payment.created),
        "modifiedDate": in_berlin(payment.modified),
        "payoutDate": None if payment.paid is None else in_berlin(payment.paid),
        "status": payment.status,
        "amount": payment.amount,
        "currency": payment.currency,
        "bankAccountItem": bank_account_item(payment.bank_account),
    }


def application_item(application: Application) -> Payload:
    """Convert an application to the element applicationItem of the contract, as a dict."""
    return {**application.item, "@id": application.id}


def size_item(size: Size) -> Payload:
    """Convert the size of an application or media slot to an element of the contract, as a dict."""
    form = None if size.format is None else category(size.format)
    return {"width": size.width, "height": size.height, "format": form}


def media_slot_item(slot: MediaSlot, account: Account) -> Payload:
    """Convert a media slot to the element mediaSlotItem of the contract, as a dict."""
    return {
        "@id": slot.id,
        "name": slot.name,
        "size": None if slot.size is None else size_item(slot.size),
        "adspace": category(slot.adspace),
        "applications": {"application": [_application(number, account) for number in slot.application_ids]},
        "status": slot.status,
        "createDate": in_berlin(slot.created),
        "modifiedDate": in_berlin(slot.modified),
    }


def setting_item(setting: Setting, account: Account) -> Payload:
    """Convert a setting to the element settingItem of the contract, as a dict."""
    slot = None if setting.slot_id is None else account.media_slots.get(setting.slot_id)
    return {
        "application": _application(setting.application_id, account),
        "mediaslot": None if slot is None else {"@id": slot.id, "$": slot.name},
        "key": setting.key,
        "value": setting.value,
        "customValue": setting.custom_value,
        "type": setting.type,
        "name": setting.name,
        "description": setting.description,
        "mandatory": setting.mandatory,
    }


def _application(number: str, account: Account) -> Payload:
    """Return an element with an application's id (`number`) and name; the name is "" if it was deleted."""
    application = account.applications.get(number)
    return {"@id": number, "$": "" if application is None else application.name}
