"""What belongs to one account: profile, ad spaces, applications, balances. Only ad spaces change."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

from . import words
from .catalogue import Catalogue, Category, Program, money

ADSPACES = 23


@dataclass(frozen=True, slots=True)
class Adspace:
    id: int
    name: str
    url: str
    description: str
    type: str
    visitors: int
    impressions: int
    scope: str | None
    regions: tuple[str, ...] | None
    categories: tuple[Category, ...] | None
    language: str
    check_number: int


@dataclass(frozen=True, slots=True)
class Profile:
    id: int
    login: str
    company: str
    currency: str
    adrank: Decimal


@dataclass(frozen=True, slots=True)
class Application:
    """A program application: who applied where, and what became of it."""

    id: int
    program: Program
    adspace: Adspace
    status: str
    created: datetime
    approved: datetime | None


@dataclass(frozen=True, slots=True)
class Balance:
    currency: str
    open: Decimal
    confirmed: Decimal


class Account:
    """One account's private data. The initial data never changes; ad spaces live in `adspaces`."""

    def __init__(self, seed: int, connect_id: str, catalogue: Catalogue, next_id: Callable[[], int]) -> None:
        self.connect_id = connect_id
        random = Random(f"{seed}/account/{connect_id}")
        number = random.randrange(100_000, 900_000)
        self.profile = Profile(
            number, f"sample-publisher-{number}", f"Sample Media {number} & Co", "EUR", Decimal("7.5")
        )
        # Ids of its own, so that they do not depend on which account asked first.
        self.initial = tuple(self._adspace(random, index, number * 100 + index) for index in range(ADSPACES))
        self.adspaces = Adspaces(self.initial, next_id)
        self.balances = tuple(
            Balance(currency, money(random.randrange(5_000_000)), money(random.randrange(2_000_000)))
            for currency in words.BALANCES
        )
        self.applications = tuple(self._applications(random, catalogue, number))
        self.partners = tuple(one for one in self.applications if one.status in ("confirmed", "terminated"))
        self.sub_publishers = tuple(f"sub-{number}-{index}" for index in range(5))

    @staticmethod
    def _adspace(random: Random, index: int, number: int) -> Adspace:
        page = words.PAGES[index % len(words.PAGES)]
        return Adspace(
            id=number,
            name=f"The {page.title()} No. {index + 1}" + (', "Fox", & more' if index % 4 == 1 else ""),
            url=f"https://{page}{index}.example.org/",
            description=f"Über {page}: what we like & why <honestly>",
            type=("website", "email", "searchengine")[index % 3],
            visitors=random.randrange(100, 100_000),
            impressions=random.randrange(1_000, 1_000_000),
            scope=("private", "business")[index % 2],
            regions=tuple(random.sample(words.REGIONS, 2)),
            categories=tuple(Category(code, trade) for trade, code in random.sample(words.TRADES, 2)),
            language=random.choice(("de", "en", "fr")),
            check_number=random.randrange(1_000, 10_000),
        )

    def _applications(self, random: Random, catalogue: Catalogue, base: int) -> list[Application]:
        states = ("confirmed", "confirmed", "confirmed", "open", "rejected", "waiting", "terminated")
        made = []
        for index, program in enumerate(random.sample(catalogue.programs, 120)):
            status = states[index % len(states)]
            created = program.started + timedelta(days=random.randrange(1, 400))
            approved = created + timedelta(days=3) if status in ("confirmed", "terminated") else None
            adspace = self.initial[random.randrange(len(self.initial))]
            made.append(Application(base * 1000 + index, program, adspace, status, created, approved))
        return made


class Adspaces:
    """The ad spaces of one account. Thread-safe."""

    def __init__(self, initial: tuple[Adspace, ...], next_id: Callable[[], int]) -> None:
        self._lock = threading.Lock()
        self._kept = {adspace.id: adspace for adspace in initial}
        self._next_id = next_id

    def all(self) -> list[Adspace]:
        with self._lock:
            return list(self._kept.values())

    def create(self, wanted: Adspace) -> Adspace:
        """Keep it under a new id, whatever id it came with."""
        made = replace(wanted, id=self._next_id())
        with self._lock:
            self._kept[made.id] = made
        return made

    def update(self, wanted: Adspace) -> bool:
        """Replace the one with the same id; False if this account has none."""
        with self._lock:
            if wanted.id not in self._kept:
                return False
            self._kept[wanted.id] = wanted
            return True

    def delete(self, number: int) -> bool:
        with self._lock:
            return self._kept.pop(number, None) is not None
