"""The data of one account, generated from the seed and the connect id, independent of other accounts.

All people and companies are invented. The bank accounts cannot exist: their check digits are wrong.
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
    """The personal data of an account holder, such as name, address, language and currency.

    The account holder can change all fields but `id`, `login`, `email` and `adrank`.
    """

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
    # Digits without a leading zero: the JSON form turns such strings into numbers.
    zipcode: str = "10101"
    phone: str = "+49 555 0100"
    mobile: str = "+49 555 0101"
    fax: str = "+49 555 0102"
    language: str = "en"
    currency: str = "EUR"
    title: str = "Dr."

    @property
    def email(self) -> str:
        """The email address, derived from the login name."""
        return f"{self.login}@example.org"


class ProfileHolder:
    """The one profile of an account. Thread-safe."""

    def __init__(self, profile: Profile) -> None:
        self._lock = threading.Lock()
        self._profile = profile

    def get(self) -> Profile:
        """Return the profile."""
        with self._lock:
            return self._profile

    def change(self, how: Callable[[Profile], Profile]) -> Profile:
        """Replace the profile by `how(profile)` and return it.

        If `how` raises an error, the profile is unchanged.
        """
        with self._lock:
            self._profile = how(self._profile)
            return self._profile


BANK_ACCOUNTS = 12
PAYMENTS = 34
_FIRST = datetime(2023, 12, 15, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class BankAccount:
    """A bank account of the account holder. `minimum` is the smallest amount that is paid out."""

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
    """A payment to a bank account. `paid` is the time when it was paid out; None if it is still due."""

    id: str
    created: datetime
    modified: datetime
    paid: datetime | None
    status: str
    amount: Decimal
    currency: str
    bank_account: BankAccount


def bank_accounts(random: Random, number: int, owner: str) -> tuple[BankAccount, ...]:
    """Generate the bank accounts of the account `number`, which belong to `owner`.

    The ids of the bank accounts contain `number`.
    """
    accounts = []
    for index in range(BANK_ACCOUNTS):
        code, account = f"{random.randrange(10**7, 10**8)}", f"{random.randrange(10**9, 10**10)}"
        accounts.append(
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
    return tuple(accounts)


def payments(random: Random, number: int, accounts: tuple[BankAccount, ...]) -> tuple[Payment, ...]:
    """Generate one payment per month, oldest first. The last two are not paid out yet.

    `number` is the account's number, used in the ids. Each payment goes to one of the bank `accounts`.
    """
    result = []
    for index in range(PAYMENTS):
        created = _FIRST + timedelta(days=30 * index)
        is_paid = index < PAYMENTS - 2
        result.append(
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
    return tuple(result)


@dataclass(frozen=True, slots=True)
class Balance:
    """The balance of an account in one currency."""

    currency: str
    open: Decimal
    confirmed: Decimal


class Account:
    """The private data of one account.

    Two attributes never change, because the generated traffic depends on them: `initial`, the first ad
    spaces, and `partners`, the program applications that are or were confirmed.
    """

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
        self.partners = tuple(item for item in applied if item.status in ("confirmed", "terminated"))
        self.sub_publishers = tuple(f"sub-{number}-{index}" for index in range(5))

        # A separate generator, so that later additions do not change the data above.
        random = Random(f"{seed}/account/{connect_id}/more")
        self.bank_accounts = bank_accounts(random, number, company)
        self.payments = payments(random, number, self.bank_accounts)
        applications = initial_applications(random, number)
        slots = initial_slots(random, number, self.initial, applications)
        self.applications = Applications(seed, connect_id, number, applications)
        self.media_slots = MediaSlots(number, slots)
        self.settings = initial_settings(applications, slots)
