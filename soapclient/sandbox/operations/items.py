"""Catalogue and traffic as the contract's items. Always complete: a strict client refuses less.

`adspaces` are the ad spaces to give tracking links for; where there are none the element is left out.
"""

from __future__ import annotations

from decimal import Decimal

from ..berlin import in_berlin
from ..data.baskets import BasketItem
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


def tracking_links(kind: str, number: object, adspaces: tuple[int, ...]) -> Tree | None:
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
        "code": f'<a href="#">{one.format.name} & more</a>',
        "description": f"{one.format.name} for {one.program_name}",
        "instruction": "Put it where readers look first.",
        "purpose": one.purpose,
        "category": category(one.category),
        "group": named(one.program_id * 10 + 5, "All year"),
        "tags": {"tag": ["sample", one.region]},
        "trackingLinks": tracking_links("click", one.id, adspaces),
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


def incentive_item(one: Incentive, adspaces: tuple[int, ...]) -> Tree:
    prize: Tree = {
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


def basket_item(one: BasketItem) -> Tree:
    return {
        "productName": one.product_name,
        "trackingCategory": category(one.category),
        "amount": one.amount,
        "commission": one.commission,
        "currency": one.currency,
    }
