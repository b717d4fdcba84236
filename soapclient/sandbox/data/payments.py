"""Bank accounts and payments of an account holder. No such accounts exist: their check digits are wrong."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from . import words
from .catalogue import money

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
                currency=words.BALANCES[index % 4],
                bank_account=accounts[random.randrange(len(accounts))],
            )
        )
    return tuple(made)
