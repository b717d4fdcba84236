"""Leads and sales of an account, generated day by day from the seed.

Any date works, and memory use is low. Each transaction is generated with its complete history.
`Transactions.at(now)` hides everything after `now`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from random import Random
from typing import Literal
from uuid import UUID

from ..berlin import day_length, day_of, in_berlin, midnight
from . import samples
from .account import Account
from .adspaces import Adspace
from .catalogue import Admedium, Catalogue, Category, Program, money, share
from .clicks import Clicks, Slot

Kind = Literal["lead", "sale"]
CLICK_LAG = 3  # maximum days from the click to the transaction
CHANGE_LAG = 14  # maximum days from the transaction to its last change
FIRST_DAY = date(1997, 1, 1)
LAST_DAY = date(2099, 12, 31)
# By date type: days before and after a day on which its transactions can have been tracked.
_DATES = {
    "clickDate": (0, CLICK_LAG),
    "modifiedDate": (CHANGE_LAG, 0),
    "reviewStateChangedDate": (CHANGE_LAG, 0),
}


@dataclass(frozen=True, slots=True)
class Transaction:
    """A sale, or a lead (another action that earns a commission, such as a registration).

    The amount of a lead is zero. Dates are in Berlin time. Amounts have two decimal digits.
    """

    id: str
    kind: Kind
    state: str
    tracked: datetime
    modified: datetime
    clicked: datetime
    reviewed: datetime | None
    adspace: Adspace
    admedium: Admedium
    program: Program
    click_id: int
    click_in_id: int
    amount: Decimal
    commission: Decimal
    currency: str
    country: str
    sub_publisher: str | None
    sub_commission: Decimal | None
    gpps: tuple[tuple[str, str], ...]
    note: str | None
    category: Category

    def day_by(self, date_type: str) -> date | None:
        """Return the Berlin day of one of the dates, such as `clickDate`. None if this date is not set."""
        moment = {
            "trackingDate": self.tracked,
            "clickDate": self.clicked,
            "modifiedDate": self.modified,
            "reviewStateChangedDate": self.reviewed,
        }[date_type]
        return None if moment is None else day_of(moment)

    def seen_at(self, moment: datetime) -> Transaction | None:
        """Return the transaction as it was at `moment`.

        Returns None before it was tracked. The transaction is open until it is reviewed.
        """
        if self.tracked > moment:
            return None
        if self.modified <= moment:
            return self
        if self.reviewed is not None and self.reviewed <= moment:
            return replace(self, modified=self.reviewed)
        return replace(self, state="open", modified=self.tracked, reviewed=None, note=None)


class Transactions:
    """All leads or all sales of one account.

    If `at` created this object, it hides everything after a certain time. Otherwise, the transactions have
    their complete history, including future changes.
    """

    def __init__(self, seed: int, account: Account, clicks: Clicks, kind: Kind) -> None:
        self._seed = seed
        self._account = account
        self._clicks = clicks
        self._kind = kind
        self._now: datetime | None = None
        # Enough days for a page of any date type; a year would take tens of megabytes.
        self.tracked_on = lru_cache(maxsize=40)(self._tracked_on)

    def at(self, now: datetime) -> Transactions:
        """Return a copy that shows transactions as they are at the time `now`.

        For a day after `now`, the copy shows the transactions as they will be at the end of that day, so that
        requests for future days get transactions, too.
        """
        seen = copy.copy(self)  # shares the cached days
        seen._now = now
        return seen

    def on(self, day: date, date_type: str) -> Iterator[Transaction]:
        """Yield the transactions whose date of type `date_type` is `day`, in the order of tracking."""
        before, after = _DATES.get(date_type, (0, 0))
        for shift in range(-before, after + 1):
            for planned in self.tracked_on(day + timedelta(days=shift)):
                transaction = self._seen(planned, day)
                if transaction is not None and transaction.day_by(date_type) == day:
                    yield transaction

    def by_id(self, text: str) -> Transaction | None:
        """Return the transaction with the id `text`; None if the id is unknown.

        The id contains the day of the transaction, so no index is needed.
        """
        try:
            packed = f"{UUID(text).int:032x}"
            day = date(int(packed[:4]), int(packed[4:6]), int(packed[6:8]))
        except ValueError:
            return None
        if not FIRST_DAY <= day <= LAST_DAY:
            return None
        transaction = next((item for item in self.tracked_on(day) if item.id == text), None)
        return None if transaction is None else self._seen(transaction, day)

    def _seen(self, transaction: Transaction, day: date) -> Transaction | None:
        """Return a transaction as this object shows it, or None if it was tracked later.

        If `at` created this object, the result is the transaction as it was at the `now` that `at` got, or,
        if `day` is after `now`, at the end of `day`. Otherwise, the transaction is returned unchanged.
        """
        if self._now is None:
            return transaction
        begun = day <= day_of(self._now)
        end_of_day = midnight(day + timedelta(days=1)) - timedelta(seconds=1)
        return transaction.seen_at(self._now if begun else end_of_day)

    def _tracked_on(self, day: date) -> tuple[Transaction, ...]:
        random = Random(f"{self._seed}/{self._kind}/{self._account.connect_id}/{day}")
        count = random.randint(60, 120) if self._kind == "sale" else random.randint(55, 90)
        seconds = sorted(random.randrange(day_length(day)) for _ in range(count))
        return tuple(self._transaction(random, day, index, second) for index, second in enumerate(seconds))

    def _transaction(self, random: Random, day: date, index: int, second: int) -> Transaction:
        tracked = in_berlin(midnight(day) + timedelta(seconds=second))
        slot = self._clicks.slots[random.randrange(len(self._clicks.slots))]
        clicked, click_id = self._click(random, day, slot, tracked)
        state = random.choice(samples.REVIEW_STATES)
        late = timedelta(seconds=random.randrange(CHANGE_LAG * 86_400 - 7_200))
        modified = in_berlin(tracked + late)
        reviewed = None if state == "open" else in_berlin(tracked + late * random.random())
        program = slot.program
        new = random.random() < 0.2
        amount = money(random.randint(500, 40_000)) if self._kind == "sale" else Decimal("0.00")
        commission = share(amount, program.sale_percent) if self._kind == "sale" else program.lead_fee
        by_sub_publisher = random.random() < 0.15
        return Transaction(
            id=f"{day:%Y%m%d}-{index:04x}-4{random.getrandbits(12):03x}"
            f"-a{random.getrandbits(12):03x}-{random.getrandbits(48):012x}",
            kind=self._kind,
            state=state,
            tracked=tracked,
            modified=modified,
            clicked=clicked,
            reviewed=None if reviewed is None else reviewed.replace(microsecond=0),
            adspace=slot.adspace,
            admedium=slot.admedium,
            program=program,
            click_id=click_id,
            click_in_id=click_id * 10 + 1,
            amount=amount,
            commission=commission,
            currency=program.currency,
            country=slot.country,
            sub_publisher=random.choice(self._account.sub_publishers) if by_sub_publisher else None,
            sub_commission=share(commission, Decimal(25)) if by_sub_publisher else None,
            gpps=(("zpar0", slot.zpar0), ("zpar1", f"order {index} & more")) if random.random() < 0.8 else (),
            note=random.choice(samples.NOTES) if state == "rejected" else None,
            category=program.tracking_of(self._kind, new=new),
        )

    def _click(self, random: Random, day: date, slot: Slot, tracked: datetime) -> tuple[datetime, int]:
        """Return the time and the id of the click that led to a transaction.

        `day` and `tracked` are the day and the time of the transaction. The click is the first click of
        `slot` on this day or an earlier day.
        """
        clicked_on = day - timedelta(days=random.choice((0, 0, 0, 1, 2, CLICK_LAG)))
        row = self._clicks.first_of(clicked_on, slot)
        if self._clicks.moment(clicked_on, row) >= tracked:
            clicked_on -= timedelta(days=1)
            row = self._clicks.first_of(clicked_on, slot)
        return self._clicks.moment(clicked_on, row), self._clicks.number(clicked_on, row)


MAX_PRODUCTS = 4


@dataclass(frozen=True, slots=True)
class BasketItem:
    """One product of a sale, with its share of the sale's amount and commission."""

    product_name: str
    category: Category
    amount: Decimal
    commission: Decimal
    currency: str


def basket_of(sale: Transaction, catalogue: Catalogue) -> tuple[BasketItem, ...]:
    """Return the one to four products of a sale. The sums of their amounts and commissions are the sale's."""
    random = Random(f"basket/{sale.id}")  # the id comes from the seed
    total, commission = (int(amount.scaleb(2)) for amount in (sale.amount, sale.commission))
    cuts = sorted(random.sample(range(1, total), random.randrange(MAX_PRODUCTS)))
    edges = [0, *cuts, total]
    fees = [edge * commission // total for edge in edges]  # each part carries the rounding of the previous
    products = catalogue.products(sale.program.id)
    names = [product.name for product in products] or list(samples.ITEMS)
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
