"""Partnerships of a program: its publishers, their partner codes, and their traffic.

A partner code names a publisher, an ad space and an ad medium of one program. It has two numbers with a `C`
between them: the ad medium's id with two extra digits, and the ad space's id. Everything is generated from
the seed and the program, so that all accounts see the same partners.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from random import Random

from . import samples
from .catalogue import Admedium, Catalogue, Program, money, share

FOREIGN = 4  # sample codes that belong to another program
CODE_STATES = (
    "ACTIVE", "ACTIVE", "ACTIVE", "INACTIVE", "PROGRAM_DEACTIVATED_BY_USER", "PROGRAM_PENDING",
    "PROGRAM_DEACTIVATED_BY_ADMIN", "DELETED",
)  # fmt: skip
USER_STATES = ("ACTIVE", "ACTIVE", "ACTIVE", "LOCKED", "PREDELETED", "DELETED")
ADSPACE_STATES = ("ACTIVE", "ACTIVE", "ACTIVE", "INACTIVE", "DELETED")
ADMEDIA_STATES = ("ACTIVE", "DEACTIVATED", "TESTING", "DELETED")
_CODE = re.compile(r"[0-9]{8}C[0-9]{8}T?")


@dataclass(frozen=True, slots=True)
class Partnership:
    """The partnership that a partner code names: a publisher, one of its ad spaces, and an ad medium."""

    code: str
    code_status: str
    user_id: int
    user_name: str
    user_status: str
    adspace_id: int
    adspace_name: str
    adspace_url: str
    adspace_status: str
    admedium: Admedium
    admedium_status: str


@dataclass(frozen=True, slots=True)
class Traffic:
    """The traffic of a partnership on one day. Amounts are in the program's currency."""

    views: int
    tpvs: int
    clicks: int
    click_commission: Decimal
    leads: int
    lead_commission: Decimal
    sales: int
    sale_commission: Decimal
    sale_amount: Decimal


class Partners:
    """The partnerships of every program, generated on demand. Immutable and thread-safe."""

    def __init__(self, seed: int, catalogue: Catalogue) -> None:
        self._seed = seed
        self._catalogue = catalogue
        # Cached per instance: a cache on the class would keep every sandbox alive.
        self.of_program = lru_cache(maxsize=50)(self._of_program)

    def program_of(self, connect_id: str) -> int:
        """Return the id of the program whose advertiser is the account."""
        return self._random("advertiser", connect_id).choice(self._catalogue.programs).id

    def sample_codes(self, connect_id: str) -> list[str]:
        """Return all partner codes of the account's program, then a few of another program.

        The account is the advertiser of its program.
        """
        own = self.program_of(connect_id)
        programs = self._catalogue.programs
        other = programs[(programs.index(self._catalogue.by_id[own]) + 1) % len(programs)].id
        partnerships = (*self.of_program(own), *self.of_program(other)[:FOREIGN])
        return [item.code for item in partnerships]

    def by_code(self, code: str) -> Partnership | None:
        """Return the partnership for a partner code of any program, or None if the code is unknown."""
        if not _CODE.fullmatch(code):
            return None
        program = self._catalogue.by_id.get(int(code[:4]))
        if program is None:
            return None
        return next((item for item in self.of_program(program.id) if item.code == code), None)

    def traffic(self, program: Program, partnership: Partnership, day: date) -> Traffic:
        """Return the traffic of one day.

        It depends only on the seed, the partnership and the day, so that all reports agree.
        """
        random = self._random("traffic", program.id, partnership.code, day)
        clicks = random.randrange(30) if random.random() < 0.8 else 0
        leads = sum(random.random() < 0.05 for _ in range(clicks))
        amounts = [money(random.randint(500, 40_000)) for _ in range(clicks) if random.random() < 0.1]
        fees = [share(amount, program.sale_percent) for amount in amounts]
        return Traffic(
            views=clicks * random.randint(10, 60),
            tpvs=sum(random.random() < 0.02 for _ in range(clicks)),
            clicks=clicks,
            click_commission=clicks * program.click_fee,
            leads=leads,
            lead_commission=leads * program.lead_fee,
            sales=len(amounts),
            sale_commission=sum(fees, Decimal("0.00")),
            sale_amount=sum(amounts, Decimal("0.00")),
        )

    def _random(self, *path: object) -> Random:
        return Random("/".join(str(part) for part in (self._seed, "partners", *path)))

    def _of_program(self, program_id: int) -> tuple[Partnership, ...]:
        random = self._random("program", program_id)
        program = self._catalogue.by_id[program_id]
        partnerships = []
        # An ad medium has one status for all publishers, and every program has some of each status.
        states = {
            admedium.id: ADMEDIA_STATES[(program_id + position) % len(ADMEDIA_STATES)]
            for position, admedium in enumerate(program.admedia)
        }
        for index in range(random.randint(6, 9)):
            user_id = program_id * 100 + index
            user_status = random.choice(USER_STATES)
            for number in range(random.randint(1, 3)):
                page = random.choice(samples.PAGES)
                adspace_id = 20_000_000 + user_id * 10 + number
                adspace_status = random.choice(ADSPACE_STATES)
                # Every publisher has the first ad medium, so that a group by ad medium has several rows.
                media = random.sample(program.admedia[1:], random.randint(1, 2))
                for admedium in (program.admedia[0], *media) if number == 0 else media:
                    end = "T" if random.random() < 0.3 else ""
                    partnerships.append(
                        Partnership(
                            code=f"{admedium.id}{random.randrange(100):02d}C{adspace_id}{end}",
                            code_status=random.choice(CODE_STATES),
                            user_id=user_id,
                            user_name=f"sample-partner-{user_id}",
                            user_status=user_status,
                            adspace_id=adspace_id,
                            adspace_name=f'The "{page.title()}" & more No. {number + 1}',
                            adspace_url=f"https://{page}{user_id}.example.org/",
                            adspace_status=adspace_status,
                            admedium=admedium,
                            admedium_status=states[admedium.id],
                        )
                    )
        return tuple(partnerships)
