"""What belongs to one account, made from seed and connect id alone: never from what other accounts did."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from random import Random

from . import words
from .adspaces import Adspaces, initial_adspaces
from .applications import Applications, initial_applications
from .catalogue import Catalogue, money
from .media_slots import MediaSlots, initial_slots
from .payments import bank_accounts, payments
from .profile import Profile, ProfileHolder
from .program_applications import ProgramApplications
from .program_applications import initial_applications as initial_program_applications
from .settings import initial_settings


@dataclass(frozen=True, slots=True)
class Balance:
    currency: str
    open: Decimal
    confirmed: Decimal


class Account:
    """One account's private data. `initial` and `partners` never change: the traffic hangs on them."""

    def __init__(self, seed: int, connect_id: str, catalogue: Catalogue) -> None:
        self.connect_id = connect_id
        random = Random(f"{seed}/account/{connect_id}")
        number = random.randrange(100_000, 900_000)
        company = f"Sample Media {number} & Co"
        self.profile = ProfileHolder(
            Profile(number, f"sample-publisher-{number}", Decimal("7.5"), company=company)
        )
        self.initial = initial_adspaces(random, number)
        self.adspaces = Adspaces(self.initial, number)
        self.balances = tuple(
            Balance(currency, money(random.randrange(5_000_000)), money(random.randrange(2_000_000)))
            for currency in words.BALANCES
        )
        applied = initial_program_applications(random, catalogue.programs, self.initial, number)
        self.program_applications = ProgramApplications(applied, number)
        self.partners = tuple(one for one in applied if one.status in ("confirmed", "terminated"))
        self.sub_publishers = tuple(f"sub-{number}-{index}" for index in range(5))

        random = Random(f"{seed}/account/{connect_id}/more")  # what came later leaves the rest as it was
        self.bank_accounts = bank_accounts(random, number, company)
        self.payments = payments(random, number, self.bank_accounts)
        applications = initial_applications(random, number)
        slots = initial_slots(random, number, self.initial, applications)
        self.applications = Applications(seed, connect_id, number, applications)
        self.media_slots = MediaSlots(number, slots)
        self.settings = initial_settings(applications, slots)
