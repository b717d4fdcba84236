"""All data of a sandbox. The data of an account is generated when it is first requested."""

from __future__ import annotations

import copy
import threading
from datetime import datetime

from .account import Account
from .catalogue import catalogue_of
from .clicks import Clicks
from .partners import Partners
from .transactions import Transactions


class AccountData:
    """An account and its traffic: clicks, leads and sales."""

    def __init__(self, seed: int, account: Account, clicks_per_day: int) -> None:
        self.account = account
        self.clicks = Clicks(seed, account, clicks_per_day)
        self.leads = Transactions(seed, account, self.clicks, "lead")
        self.sales = Transactions(seed, account, self.clicks, "sale")

    def at(self, now: datetime) -> AccountData:
        """Return a copy with leads and sales as they are at `now`."""
        seen = copy.copy(self)
        seen.leads, seen.sales = self.leads.at(now), self.sales.at(now)
        return seen


class Store:
    """The catalogue, the partners, and the data of every account. Thread-safe."""

    def __init__(self, seed: int, clicks_per_day: int) -> None:
        self.catalogue = catalogue_of(seed)
        self.partners = Partners(seed, self.catalogue)
        self._seed = seed
        self._clicks_per_day = clicks_per_day
        self._lock = threading.Lock()
        self._holdings: dict[str, AccountData] = {}

    def of(self, connect_id: str) -> AccountData:
        """Return the data of an account, generating it at the first call."""
        with self._lock:
            holdings = self._holdings.get(connect_id)
            if holdings is None:
                account = Account(self._seed, connect_id, self.catalogue)
                holdings = AccountData(self._seed, account, self._clicks_per_day)
                self._holdings[connect_id] = holdings
            return holdings
