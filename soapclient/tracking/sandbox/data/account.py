"""What belongs to one account, made from seed and connect id alone: never from what other accounts did.

Nobody in it is real; no such bank accounts exist: their check digits are wrong.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from . import samples
from .adspaces import Adspaces, initial_adspaces
from .applications import Applications, MediaSlots, initial_applications, initial_settings, initial_slots
from .catalogue import Catalogue, money
from .program_applications import ProgramApplications
from .program_applications import initial_applications as initial_program_applications


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile. `id`, `login`, `email` and `adrank` never change; the rest is the holder's to change."""

    id: int
    login: str
    adrank: Decimal
    company: str
    first_name: str = "Sample"
    last_name: str = "Publisher"
    country: str = "DE"
    street1: str = "Musterweg 1"
    street2: str = "Hinterhaus"
    city: str = "Musterstadt"
    # All digits on purpose, and without a leading zero: the JSON form turns such texts into numbers.
    zipcode: str = "10101"
    phone: str = "+49 555 0100"
    mobile: str = "+49 555 0101"
    fax: str = "+49 555 0102"
    language: str = "en"
    currency: str = "EUR"
    title: str = "Dr."

    @property
    def email(self) -> str:
        return f"{self.login}@example.org"


class ProfileHolder:
    """The one profile of an account. Thread-safe."""

    def __init__(self, profile: Profile) -> None:
        self._lock = threading.Lock()
        self._profile = profile

    def get(self) -> Profile:
        with self._lock:
            return self._profile

    def change(self, how: Callable[[Profile], Profile]) -> Profile:
        """Replace it by what `how` makes of it; a refusal raised in there leaves it as it was."""
        with self._lock:
            self._profile = how(self._profile)
            return self._profile


BANK_ACCOUNTS = 12
PAYMENTS = 34
_FIRST = datetime(2023, 12, 15, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class BankAccount:
    id: str
    name: str
    iban: str
    swift: str
    bank_code: str
    account_number: str
    owner: str
    address: str
    country: str
    minimum: Decimal


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment to a bank account; `paid` is None while it is under way."""

    id: str
    created: datetime
    modified: datetime
    paid: datetime | None
    status: str
    amount: Decimal
    currency: str
    bank_account: BankAccount


def bank_accounts(random: Random, number: int, owner: str) -> tuple[BankAccount, ...]:
    """An account holder's bank accounts."""
    made = []
    for index in range(BANK_ACCOUNTS):
        code, account = f"{random.randrange(10**7, 10**8)}", f"{random.randrange(10**9, 10**10)}"
        made.append(
            BankAccount(
                id=f"BA-{number}-{index}",
                name=f"Sample account {index + 1}",
                iban=f"DE00{code}{account}",
                swift=f"SAMPXX{index + 10}",
                bank_code=code,
                account_number=account,
                owner=owner,
                address=f"Musterweg {index + 1}, 10101 Musterstadt",
                country="DE",
                minimum=money(random.choice((2500, 5000, 10000))),
            )
        )
    return tuple(made)


def payments(random: Random, number: int, accounts: tuple[BankAccount, ...]) -> tuple[Payment, ...]:
    """A payment a month, oldest first; the last ones are not paid out yet."""
    made = []
    for index in range(PAYMENTS):
        created = _FIRST + timedelta(days=30 * index)
        is_paid = index < PAYMENTS - 2
        made.append(
            Payment(
                id=f"PAY-{number}-{index}",
                created=created,
                modified=created + timedelta(days=2),
                paid=created + timedelta(days=5) if is_paid else None,
                status="paid" if is_paid else "pending",
                amount=money(random.randrange(2_500, 900_000)),
                currency=samples.BALANCES[index % 4],
                bank_account=accounts[random.randrange(len(accounts))],
            )
        )
    return tuple(made)


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
            for currency in samples.BALANCES
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
