"""Ad spaces: the websites, e-mails and other places in which a publisher shows ads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from . import samples
from .catalogue import Category
from .repository import Repository

ADSPACES = 23
_FIRST_NEW = 1_000_000_000  # larger than all initial ids, and small enough that new ids are 32-bit integers


@dataclass(frozen=True, slots=True)
class Adspace:
    """An ad space: a website, e-mail or other place in which a publisher shows ads."""

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
    """The ad spaces of one account. Their ids do not depend on other accounts. Thread-safe."""

    def __init__(self, initial: tuple[Adspace, ...], account_number: int) -> None:
        self._records = Repository[int, Adspace](lambda adspace: adspace.id, initial)
        self._base = _FIRST_NEW + account_number * 1000

    def all(self) -> list[Adspace]:
        """Return all ad spaces, oldest first."""
        return self._records.all()

    def get(self, number: int) -> Adspace | None:
        """Return the ad space with the id `number`; None if the id is unknown."""
        return self._records.get(number)

    def create(self, adspace: Adspace) -> Adspace:
        """Store a copy of `adspace` with a new id, and return the copy."""
        created = replace(adspace, id=self._base + self._records.number())
        self._records.add(created)
        return created

    def update(self, adspace: Adspace) -> bool:
        """Replace the ad space that has the id of `adspace`. Return True, or False if the id is unknown."""
        return self._records.change(adspace.id, lambda _: adspace) is not None

    def delete(self, number: int) -> bool:
        """Delete the ad space with the id `number`. Return True, or False if the id is unknown."""
        return self._records.remove(lambda adspace: adspace.id == number) > 0


def initial_adspaces(random: Random, account_number: int) -> tuple[Adspace, ...]:
    """Return the initial ad spaces of an account."""
    # The account number is part of the ids, so that they do not depend on which account asked first.
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
