"""Who the account holder is. Nobody real."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal


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
