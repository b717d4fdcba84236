"""Stored things as the contract's items. Always complete: a strict client refuses less."""

from __future__ import annotations

from decimal import Decimal

from ..berlin import in_berlin
from ..data.account import Account, Adspace, Application, Balance
from ..data.catalogue import Admedium, Category, Incentive, Product, Program
from ..data.transactions import Transaction
from ..data.words import SIZES
from ..trees import Tree, Value


def named(number: int, name: str) -> Tree:
    """A name with its id."""
    return {"@id": number, "$": name}


def category(one: Category) -> Tree:
    return named(one.id, one.name)


def program_item(one: Program) -> Tree:
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


def tracking_link(kind: str, number: object, adspace_id: int) -> Tree:
    address = f"https://track.example.org/{kind}/?{number}C{adspace_id}T"
    return {"@adspaceId": adspace_id, "ppv": f"{address}&v=1", "ppc": address}


def admedium_item(one: Admedium, adspaces: tuple[int, ...]) -> Tree:
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
        "description": f"{one.format.name} for {one.program_name}",
        "purpose": one.purpose,
        "category": category(one.category),
        "tags": {"tag": ["sample", one.region]},
        "trackingLinks": {"trackingLink": [tracking_link("click", one.id, each) for each in adspaces]},
    }


def product_item(one: Product, adspaces: tuple[int, ...]) -> Tree:
    address = f"https://shop{one.program_id}.example.org/p/{one.id}"
    image: Value = {size: f"{address}/{size}.jpg" for size in ("small", "medium", "large")}
    return {
        "@id": one.id,
        "name": one.name,
        "modified": in_berlin(one.modified),
        "program": named(one.program_id, one.program_name),
        "price": one.price,
        "currency": one.currency,
        "trackingLinks": {"trackingLink": [tracking_link("product", one.id, each) for each in adspaces]},
        "description": f"{one.name}, as seen in the shop",
        "manufacturer": "Sample Works",
        "ean": one.ean,
        "category": category(one.category),
        "image": image if one.has_image else None,
        "priceOld": one.old_price,
        "shippingCosts": "4.95",
        "merchantCategory": one.category.name,
        "merchantProductId": one.id[:8],
    }


def incentive_item(one: Incentive, adspaces: tuple[int, ...]) -> Tree:
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
        "info4customer": f"{one.percentage} % off",
        "couponCode": one.code,
        "currency": one.currency,
        "percentage": one.percentage,
        "newCustomerOnly": False,
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


def profile_item(account: Account) -> Tree:
    profile = account.profile
    return {
        "@id": profile.id,
        "adrank": profile.adrank,
        "firstName": "Sample",
        "lastName": "Publisher",
        "email": f"{profile.login}@example.org",
        "country": "DE",
        "street1": "Musterweg 1",
        "city": "Musterstadt",
        "zipcode": "00000",
        "company": profile.company,
        "language": "en",
        "currency": profile.currency,
        "loginName": profile.login,
        "userName": profile.login,
        "isAdvertiser": False,
        "isSublogin": False,
    }


def application_item(one: Application) -> Tree:
    return {
        "@id": one.id,
        "program": {"@id": one.program.id, "@active": one.program.status == "active", "$": one.program.name},
        "adspace": named(one.adspace.id, one.adspace.name),
        "status": one.status,
        "createDate": in_berlin(one.created),
        "allowTpv": False,
        "approvedDate": None if one.approved is None else in_berlin(one.approved),
        "publisherComment": "We would like to work with you.",
    }


def balance_item(one: Balance) -> Tree:
    return {"@id": one.currency, "open": one.open, "confirmed": one.confirmed}


def transaction_item(one: Transaction) -> Tree:
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
