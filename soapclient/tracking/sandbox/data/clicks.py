"""Clicks, calculated instead of stored. A click's number within its day determines its slot.

A slot is a combination of program, ad space, ad medium and visitor. The clicks of a day are assigned to the
slots one after the other (round robin). Each day starts at a different slot. In this module, `row` is a
click's number within its day, from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

from ..berlin import day_length, in_berlin, midnight
from . import samples
from .account import Account
from .adspaces import Adspace
from .catalogue import Admedium, Program

SLOTS = 211  # a prime, so that any step visits all of them
STRIDE = 7919  # coprime to the length of every day: spreads clicks over the day with few repetitions
_ROOM = 100_000_000  # click ids reserved per day


@dataclass(frozen=True, slots=True)
class Slot:
    """A combination of program, ad space, ad medium and visitor, which several clicks have in common.

    `views` is the number of views per click. `index` is the position in `Clicks.slots`.
    """

    index: int
    program: Program
    adspace: Adspace
    admedium: Admedium
    country: str
    fee: Decimal
    views: int
    referrer: str
    agent: str
    zpar0: str
    zpar1: str
    landing_page: str


class Clicks:
    """The clicks of one account: `per_day` clicks on every day."""

    def __init__(self, seed: int, account: Account, per_day: int) -> None:
        if not 0 <= per_day < _ROOM:
            raise ValueError(f"clicks_per_day must be from 0 to {_ROOM - 1}, not {per_day}")
        self.per_day = per_day
        random = Random(f"{seed}/clicks/{account.connect_id}")
        self.slots = tuple(self._slot(random, account, index) for index in range(SLOTS))

    @staticmethod
    def _slot(random: Random, account: Account, index: int) -> Slot:
        partner = random.choice(account.partners)
        admedium = random.choice(partner.program.admedia)
        awkward = samples.AWKWARD[index // 3 % len(samples.AWKWARD)] if index % 3 == 0 else ""
        page = random.choice(samples.PAGES)
        return Slot(
            index=index,
            program=partner.program,
            adspace=partner.adspace,
            admedium=admedium,
            country=random.choice(samples.COUNTRIES),
            fee=partner.program.click_fee,
            views=20 + random.randrange(30),
            referrer=f"{partner.adspace.url}{page}?q={random.randrange(1000)},{index}",
            agent=random.choice(samples.AGENTS),
            zpar0=awkward or f"campaign-{index % 9}",
            zpar1="" if index % 4 else f"ref{random.randrange(10_000)}",
            landing_page=f"https://shop{partner.program.id}.example.org/{page}",
        )

    def start(self, day: date) -> int:
        """Return the index of the `Slot` to which the first click of a day belongs."""
        return day.toordinal() * 31 % SLOTS

    def count(self, day: date, slot: Slot) -> int:
        """Return the number of clicks of `slot` on a day."""
        position = (slot.index - self.start(day)) % SLOTS
        return self.per_day // SLOTS + (1 if position < self.per_day % SLOTS else 0)

    def first_of(self, day: date, slot: Slot) -> int:
        """Return the number of the first click of `slot` on a day. The day's clicks are numbered from 0.

        If the slot has no click on this day, the result is `per_day` or more, which is not the number of a
        click.
        """
        return (slot.index - self.start(day)) % SLOTS

    @staticmethod
    def number(day: date, row: int) -> int:
        """Return the id of a click. `row` is the click's position within the day, from 0."""
        return day.toordinal() * _ROOM + row

    @staticmethod
    def second(day: date, row: int) -> int:
        """Return the seconds from midnight to a click. `row` is its position within the day, from 0."""
        return row * STRIDE % day_length(day)

    def moment(self, day: date, row: int) -> datetime:
        """Return the Berlin time of a click. `row` is the click's position within the day, from 0."""
        return in_berlin(midnight(day) + timedelta(seconds=self.second(day, row)))
