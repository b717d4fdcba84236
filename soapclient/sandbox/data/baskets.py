"""What was in the basket of a sale (`service.md 4.1`; the elements beyond the product's name are assumed)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from random import Random

from . import words
from .catalogue import Catalogue, Category, money
from .transactions import Transaction

MAX_PRODUCTS = 4


@dataclass(frozen=True, slots=True)
class BasketItem:
    """One product of a sale with its part of amount and commission."""

    product_name: str
    category: Category
    amount: Decimal
    commission: Decimal
    currency: str


def basket_of(sale: Transaction, catalogue: Catalogue) -> tuple[BasketItem, ...]:
    """One to four products whose amounts and commissions add up to the sale's, to the cent."""
    random = Random(f"basket/{sale.id}")  # the id comes from the seed
    total, fee = (int(amount.scaleb(2)) for amount in (sale.amount, sale.commission))
    cuts = sorted(random.sample(range(1, total), random.randrange(MAX_PRODUCTS)))
    edges = [0, *cuts, total]
    fees = [edge * fee // total for edge in edges]  # the rounding of one part is taken up by the next
    products = catalogue.products(sale.program.id)
    names = [one.name for one in products] or list(words.ITEMS)
    return tuple(
        BasketItem(
            product_name=random.choice(names),
            category=sale.program.tracking_of("sale", new=random.random() < 0.5) if index else sale.category,
            amount=money(edges[index + 1] - edges[index]),
            commission=money(fees[index + 1] - fees[index]),
            currency=sale.currency,
        )
        for index in range(len(edges) - 1)
    )
