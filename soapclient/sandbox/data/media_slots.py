"""Media slots: places of an ad space where applications can be put."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from . import words
from .adspaces import Adspace
from .applications import Application
from .catalogue import Category
from .kept import Kept

SLOTS = 16
_FIRST = datetime(2013, 5, 2, 10, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Size:
    """Pixels, and an ad medium format. Any part may be missing."""

    width: int | None
    height: int | None
    format: Category | None


@dataclass(frozen=True, slots=True)
class MediaSlot:
    """`application_ids` are those put into it."""

    id: str
    name: str
    size: Size | None
    adspace: Category
    application_ids: tuple[str, ...]
    status: str
    created: datetime
    modified: datetime


class MediaSlots(Kept[str, MediaSlot]):
    """The media slots of one account. Thread-safe."""

    def __init__(self, account_number: int, initial: Sequence[MediaSlot]) -> None:
        super().__init__(lambda one: one.id, initial)
        self._account_number = account_number

    def new_id(self) -> str:
        return f"SLOT-{self._account_number}-N{self.number()}"


def initial_slots(
    random: Random, number: int, adspaces: Sequence[Adspace], applications: Sequence[Application]
) -> tuple[MediaSlot, ...]:
    """What an account begins with."""
    made = []
    for index in range(SLOTS):
        form = Category(*words.FORMATS[1 + index % 3])
        width, height = words.SIZES[form.id]
        adspace = adspaces[index // 4]
        created = _FIRST + timedelta(days=random.randrange(2000))
        made.append(
            MediaSlot(
                id=f"SLOT-{number}-{index}",
                name=f"{words.PAGES[index % len(words.PAGES)].title()}, box {index + 1}",
                size=Size(width, height, form),
                adspace=Category(adspace.id, adspace.name),
                application_ids=tuple(one.id for one in random.sample(applications, 1 + index % 2)),
                status="active",
                created=created,
                modified=created + timedelta(days=random.randrange(500)),
            )
        )
    return tuple(made)
