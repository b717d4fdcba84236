"""Leads and sales of an account, made day by day from the seed: any date works and little is held in memory.

Each is made with its whole life; what is shown of that depends on the sandbox's time, see `Transactions.at`.
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
CLICK_LAG = 3  # days at most from the click to the transaction
CHANGE_LAG = 14  # days at most from the transaction to its last change
FIRST_DAY = date(1997, 1, 1)
LAST_DAY = date(2099, 12, 31)
# By date type: how many days before and after a day the transactions that fall on it were tracked.
_DATES = {
    "clickDate": (0, CLICK_LAG),
    "modifiedDate": (CHANGE_LAG, 0),
    "reviewStateChangedDate": (CHANGE_LAG, 0),
}


@dataclass(frozen=True, slots=True)
class Transaction:
    """A lead or a sale (a lead has no amount). Dates are on Berlin's clock; amounts have two digits."""

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
        """The Berlin day the transaction falls on by one of the contract's date types."""
        moment = {
            "trackingDate": self.tracked,
            "clickDate": self.clicked,
            "modifiedDate": self.modified,
            "reviewStateChangedDate": self.reviewed,
        }[date_type]
        return None if moment is None else day_of(moment)

    def seen_at(self, moment: datetime) -> Transaction | None:
        """What of it has happened by then: None before it was tracked, open until it is reviewed."""
        if self.tracked > moment:
            return None
        if self.modified <= moment:
            return self
        if self.reviewed is not None and self.reviewed <= moment:
            return replace(self, modified=self.reviewed)
        return replace(self, state="open", modified=self.tracked, reviewed=None, note=None)


class Transactions:
    """All leads or all sales of one account, with all that is to happen to them unless made by `at`."""

    def __init__(self, seed: int, account: Account, clicks: Clicks, kind: Kind) -> None:
        self._seed = seed
        self._account = account
        self._clicks = clicks
        self._kind = kind
        self._now: datetime | None = None
        # Enough days for a page of any date type; a year of them would be tens of megabytes.
        self.tracked_on = lru_cache(maxsize=40)(self._tracked_on)

    def at(self, now: datetime) -> Transactions:
        """The same as they are to be seen at `now`.

        A day that has not begun is shown as it will be at its end, so that there is something on any date.
        """
        seen = copy.copy(self)  # with the days that are cached
        seen._now = now
        return seen

    def on(self, day: date, date_type: str) -> Iterator[Transaction]:
        """Those of one day by a date type, in the order they were tracked."""
        before, after = _DATES.get(date_type, (0, 0))
        for shift in range(-before, after + 1):
            for planned in self.tracked_on(day + timedelta(days=shift)):
                one = self._seen(planned, day)
                if one is not None and one.day_by(date_type) == day:
                    yield one

    def by_id(self, text: str) -> Transaction | None:
        """The one with this id, found without any index: its day is in it."""
        try:
            packed = f"{UUID(text).int:032x}"
            day = date(int(packed[:4]), int(packed[4:6]), int(packed[6:8]))
        except ValueError:
            return None
        if not FIRST_DAY <= day <= LAST_DAY:
            return None
        found = next((one for one in self.tracked_on(day) if one.id == text), None)
        return None if found is None else self._seen(found, day)

    def _seen(self, one: Transaction, day: date) -> Transaction | None:
        """As somebody who asks for `day` sees it."""
        if self._now is None:
            return one
        begun = day <= day_of(self._now)
        return one.seen_at(self._now if begun else midnight(day + timedelta(days=1)) - timedelta(seconds=1))

    def _tracked_on(self, day: date) -> tuple[Transaction, ...]:
        random = Random(f"{self._seed}/{self._kind}/{self._account.connect_id}/{day}")
        count = random.randint(60, 120) if self._kind == "sale" else random.randint(55, 90)
        seconds = sorted(random.randrange(day_length(day)) for _ in range(count))
        return tuple(self._one(random, day, index, second) for index, second in enumerate(seconds))

    def _one(self, random: Random, day: date, index: int, second: int) -> Transaction:
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
        sub = random.random() < 0.15
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
            sub_publisher=random.choice(self._account.sub_publishers) if sub else None,
            sub_commission=share(commission, Decimal(25)) if sub else None,
            gpps=(("zpar0", slot.zpar0), ("zpar1", f"order {index} & more")) if random.random() < 0.8 else (),
            note=random.choice(samples.NOTES) if state == "rejected" else None,
            category=program.tracking_of(self._kind, new=new),
        )

    def _click(self, random: Random, day: date, slot: Slot, tracked: datetime) -> tuple[datetime, int]:
        """The click that led here: the slot's first of a day before, or of this one if it was earlier."""
        clicked_on = day - timedelta(days=random.choice((0, 0, 0, 1, 2, CLICK_LAG)))
        row = self._clicks.first_of(clicked_on, slot)
        if self._clicks.moment(clicked_on, row) >= tracked:
            clicked_on -= timedelta(days=1)
            row = self._clicks.first_of(clicked_on, slot)
        return self._clicks.moment(clicked_on, row), self._clicks.number(clicked_on, row)


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
    names = [one.name for one in products] or list(samples.ITEMS)
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
