"""Applications: widgets and tools that an account offers. Not to be mixed up with program applications."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from ..berlin import in_berlin
from ..trees import Tree
from . import words
from .catalogue import money
from .kept import Kept

APPLICATIONS = 14
_FIRST = datetime(2012, 3, 1, 8, tzinfo=UTC)
_KINDS = ("widget", "saas", "software")
_ROLES = ("developer", "customer", "tester")


@dataclass(frozen=True, slots=True)
class Application:
    """`item` is the contract's item as it was sent, without the id; what the service sets is set in it."""

    id: str
    item: Tree

    @property
    def name(self) -> str:
        return str(self.item.get("name", ""))


@dataclass(frozen=True, slots=True)
class Keys:
    """What a new application is told once. They open nothing: no account is made with them."""

    connect_id: str
    secret_key: str = field(repr=False)
    public_key: str


class Applications(Kept[str, Application]):
    """The applications of one account. Thread-safe."""

    def __init__(
        self, seed: int, connect_id: str, account_number: int, initial: tuple[Application, ...]
    ) -> None:
        super().__init__(lambda one: one.id, initial)
        self._path = f"{seed}/keys/{connect_id}"
        self._account_number = account_number

    def new(self) -> tuple[str, Keys]:
        """An id and keys that nothing else has."""
        serial = self.number()
        return f"APP-{self._account_number}-N{serial}", new_keys(Random(f"{self._path}/{serial}"))


def new_keys(random: Random) -> Keys:
    """Keys anybody can see are samples."""
    return Keys(
        connect_id=f"SAMPLE{random.getrandbits(56):014X}",
        secret_key=f"sample-secret-{random.getrandbits(128):032x}",
        public_key=f"sample-public-{random.getrandbits(64):016x}",
    )


def initial_applications(random: Random, account_number: int) -> tuple[Application, ...]:
    """What an account begins with."""
    return tuple(
        Application(f"APP-{account_number}-{index}", _item(random, index)) for index in range(APPLICATIONS)
    )


def _item(random: Random, index: int) -> Tree:
    name = f"{words.WIDGETS[index % len(words.WIDGETS)]} {index // len(words.WIDGETS) + 1}"
    form = words.FORMATS[1 + index % 3]
    width, height = words.SIZES[form[0]]
    address = f"https://app{index}.example.org"
    started = _FIRST + timedelta(days=random.randrange(3000))
    return {
        "name": name,
        "version": f"{1 + index % 3}.{index}.0",
        "adrank": random.randrange(11),
        "tags": "sample, widget",
        "status": 1,
        "mediaSlotCompatible": index % 4 != 3,
        "inline": index % 2 == 0,
        "integrationCode": f'<script src="{address}/embed.js"></script>',
        "integrationNotes": "Paste the code where the box is to appear; für <body>, not <head>.",
        "description": f"{name} for your site & your readers",
        "terms": "No promises; sample data.",
        "connect": {
            "role": _ROLES[index % len(_ROLES)],
            "connectId": new_keys(random).connect_id,
            "status": "inactive" if index % 5 == 4 else "active",
        },
        "connectUrl": f"{address}/connect",
        "cancelUrl": f"{address}/cancel",
        "documentationUrl": f"{address}/help",
        "companyUrl": "https://widgets.example.org/",
        "developer": "Sample Works",
        "pricing": {
            "@id": f"PRICE-{index}",
            "share": Decimal(random.randrange(0, 40)) / 4,
            "setup": money(random.randrange(0, 10_000)),
            "monthly": money(random.randrange(0, 5_000)),
            "currency": "EUR",
            "description": "per month, to be cancelled any time",
        },
        "startDate": in_berlin(started),
        "modifiedDate": in_berlin(started + timedelta(days=random.randrange(900))),
        "installableTo": "publisher",
        "applicationType": _KINDS[index // 2 % len(_KINDS)],
        "size": {"width": width, "height": height, "format": {"@id": form[0], "$": form[1]}},
        "technique": "javascript",
        "logoUrl": f"{address}/logo.png",
        "previewUrl": [f"{address}/preview{at}.png" for at in range(1 + index % 3)],
    }
