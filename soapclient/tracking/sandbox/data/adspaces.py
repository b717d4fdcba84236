"""Ad spaces: where a publisher advertises."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from . import samples
from .catalogue import Category
from .repository import Repository

ADSPACES = 23
_FIRST_NEW = 1_000_000_000  # above all initial ids, and a whole number of 32 bits with what is added


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


class Adspaces:
    """The ad spaces of one account, under ids that depend on nobody else. Thread-safe."""

    def __init__(self, initial: tuple[Adspace, ...], account_number: int) -> None:
        self._records = Repository[int, Adspace](lambda one: one.id, initial)
        self._base = _FIRST_NEW + account_number * 1000

    def all(self) -> list[Adspace]:
        return self._records.all()

    def get(self, number: int) -> Adspace | None:
        return self._records.get(number)

    def create(self, wanted: Adspace) -> Adspace:
        """Keep it under a new id, whatever id it came with."""
        made = replace(wanted, id=self._base + self._records.number())
        self._records.add(made)
        return made

    def update(self, wanted: Adspace) -> bool:
        """Replace the one with the same id; False if this account has none."""
        return self._records.change(wanted.id, lambda _: wanted) is not None

    def delete(self, number: int) -> bool:
        return self._records.remove(lambda one: one.id == number) > 0


def initial_adspaces(random: Random, account_number: int) -> tuple[Adspace, ...]:
    """What an account begins with."""
    # Ids of its own, so that they do not depend on which account asked first.
    return tuple(_adspace(random, index, account_number * 100 + index) for index in range(ADSPACES))


def _adspace(random: Random, index: int, number: int) -> Adspace:
    page = samples.PAGES[index % len(samples.PAGES)]
    return Adspace(
        id=number,
        name=f"The {page.title()} No. {index + 1}" + (', "Fox", & more' if index % 4 == 1 else ""),
        url=f"https://{page}{index}.example.org/",
        description=f"Über {page}: what we like & why <honestly>",
        type=("website", "email", "searchengine")[index % 3],
        visitors=random.randrange(100, 100_000),
        impressions=random.randrange(1_000, 1_000_000),
        scope=("private", "business")[index % 2],
        regions=tuple(random.sample(samples.REGIONS, 2)),
        categories=tuple(Category(code, trade) for trade, code in random.sample(samples.TRADES, 2)),
        language=random.choice(("de", "en", "fr")),
        check_number=random.randrange(1_000, 10_000),
    )
