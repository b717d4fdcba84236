"""Clicks as arithmetic: row `i` of a day belongs to a slot, so counts need no rows and rows need no memory.

A slot is one combination of program, ad space, ad medium and visitor. A day of n clicks is n rows dealt
over the slots in turn, from a start that shifts with the day.
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
STRIDE = 7919  # prime to the length of every day: clicks spread over the clock without repeating soon
_ROOM = 100_000_000  # clicks a day has numbers for


@dataclass(frozen=True, slots=True)
class Slot:
    """Everything that is alike in the clicks of one combination. `views` belong to each click."""

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
    """The clicks of one account, `per_day` of them on every day there is."""

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
        """The slot of the day's first row."""
        return day.toordinal() * 31 % SLOTS

    def count(self, day: date, slot: Slot) -> int:
        """How many clicks of the day belong to the slot."""
        position = (slot.index - self.start(day)) % SLOTS
        return self.per_day // SLOTS + (1 if position < self.per_day % SLOTS else 0)

    def first_of(self, day: date, slot: Slot) -> int:
        """The number of the slot's first row on the day, whether the day has that many rows or not."""
        return (slot.index - self.start(day)) % SLOTS

    @staticmethod
    def number(day: date, row: int) -> int:
        """The click's id."""
        return day.toordinal() * _ROOM + row

    @staticmethod
    def second(day: date, row: int) -> int:
        """Seconds from the day's midnight to the click."""
        return row * STRIDE % day_length(day)

    def moment(self, day: date, row: int) -> datetime:
        """When the click happened, on Berlin's clock."""
        return in_berlin(midnight(day) + timedelta(seconds=self.second(day, row)))
