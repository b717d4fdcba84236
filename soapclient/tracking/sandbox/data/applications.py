"""The applications of an account (widgets and tools that it offers), its media slots, and its settings.

A media slot is a place in an ad space that shows applications. The applications in this module are not
program applications, which are requests to join a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from ..berlin import in_berlin
from ..payload import Payload
from . import samples
from .adspaces import Adspace
from .catalogue import Category, money
from .repository import Repository

APPLICATIONS = 14
_FIRST = datetime(2012, 3, 1, 8, tzinfo=UTC)
_KINDS = ("widget", "saas", "software")
_ROLES = ("developer", "customer", "tester")


@dataclass(frozen=True, slots=True)
class Application:
    """An application. `item` is the applicationItem of the contract, without the id.

    `item` contains the values that the client sent, and the values that the service sets.
    """

    id: str
    item: Payload

    @property
    def name(self) -> str:
        """The name of the application; "" if the client sent no name."""
        return str(self.item.get("name", ""))


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a new application, which the service returns only once.

    They are samples: no account has them, and they give access to nothing.
    """

    connect_id: str
    secret_key: str = field(repr=False)
    public_key: str


class Applications(Repository[str, Application]):
    """The applications of one account. Thread-safe."""

    def __init__(
        self, seed: int, connect_id: str, account_number: int, initial: tuple[Application, ...]
    ) -> None:
        super().__init__(lambda application: application.id, initial)
        self._path = f"{seed}/keys/{connect_id}"
        self._account_number = account_number

    def new(self) -> tuple[str, Keys]:
        """Return a new id and new keys, both unique."""
        serial = self.number()
        return f"APP-{self._account_number}-N{serial}", new_keys(Random(f"{self._path}/{serial}"))


def new_keys(random: Random) -> Keys:
    """Return keys that are recognisable as samples."""
    return Keys(
        connect_id=f"SAMPLE{random.getrandbits(56):014X}",
        secret_key=f"sample-secret-{random.getrandbits(128):032x}",
        public_key=f"sample-public-{random.getrandbits(64):016x}",
    )


def initial_applications(random: Random, account_number: int) -> tuple[Application, ...]:
    """Return the initial applications of an account."""
    return tuple(
        Application(f"APP-{account_number}-{index}", _item(random, index)) for index in range(APPLICATIONS)
    )


def _item(random: Random, index: int) -> Payload:
    name = f"{samples.WIDGETS[index % len(samples.WIDGETS)]} {index // len(samples.WIDGETS) + 1}"
    form = samples.FORMATS[1 + index % 3]
    width, height = samples.SIZES[form[0]]
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
        "previewUrl": [f"{address}/preview{number}.png" for number in range(1 + index % 3)],
    }


MEDIA_SLOTS = 16
_FIRST_SLOT = datetime(2013, 5, 2, 10, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Size:
    """The size of an application or a media slot: width and height in pixels, and the format of ad media.

    An attribute is None if it is not defined.
    """

    width: int | None
    height: int | None
    format: Category | None


@dataclass(frozen=True, slots=True)
class MediaSlot:
    """A media slot: a place in an ad space that shows applications."""

    id: str
    name: str
    size: Size | None
    adspace: Category
    application_ids: tuple[str, ...]
    status: str
    created: datetime
    modified: datetime


class MediaSlots(Repository[str, MediaSlot]):
    """The media slots of one account. Thread-safe."""

    def __init__(self, account_number: int, initial: Sequence[MediaSlot]) -> None:
        super().__init__(lambda slot: slot.id, initial)
        self._account_number = account_number

    def new_id(self) -> str:
        """Return a new unique id."""
        return f"SLOT-{self._account_number}-N{self.number()}"


def initial_slots(
    random: Random, number: int, adspaces: Sequence[Adspace], applications: Sequence[Application]
) -> tuple[MediaSlot, ...]:
    """Return the initial media slots of the account `number`. Their ids contain this number."""
    slots = []
    for index in range(MEDIA_SLOTS):
        form = Category(*samples.FORMATS[1 + index % 3])
        width, height = samples.SIZES[form.id]
        adspace = adspaces[index // 4]
        created = _FIRST_SLOT + timedelta(days=random.randrange(2000))
        slots.append(
            MediaSlot(
                id=f"SLOT-{number}-{index}",
                name=f"{samples.PAGES[index % len(samples.PAGES)].title()}, box {index + 1}",
                size=Size(width, height, form),
                adspace=Category(adspace.id, adspace.name),
                application_ids=tuple(
                    application.id for application in random.sample(applications, 1 + index % 2)
                ),
                status="active",
                created=created,
                modified=created + timedelta(days=random.randrange(500)),
            )
        )
    return tuple(slots)


Key = tuple[str, str | None, str]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of an application. Applies to the media slot `slot_id`, or to all slots if that is None."""

    application_id: str
    slot_id: str | None
    key: str
    value: str | None
    custom_value: str | None
    type: str | None
    name: str | None
    description: str | None
    mandatory: bool | None

    def path(self) -> Key:
        """Return (application id, media slot id, key), which is unique in the account."""
        return self.application_id, self.slot_id, self.key


_SAMPLES = (
    ("color", "color", "#336699", "#003366", "Colour"),
    ("rows", "number", "5", "8", "Rows"),
    ("headline", "string", "Heute günstig", "Nur heute & hier", "Headline"),
    ("border", "boolean", "true", "false", "Border"),
)


def initial_settings(
    applications: Sequence[Application], slots: Sequence[MediaSlot]
) -> Repository[Key, Setting]:
    """Return the initial settings: some per application, and one per application in a media slot."""
    settings = []
    for index, application in enumerate(applications):
        for sample in range(1 + index % len(_SAMPLES)):
            settings.append(_setting(application.id, None, sample))
    for index, slot in enumerate(slots):
        settings += [_setting(number, slot.id, index % len(_SAMPLES)) for number in slot.application_ids]
    return Repository(Setting.path, settings)


def _setting(application_id: str, slot_id: str | None, sample: int) -> Setting:
    key, kind, value, custom, name = _SAMPLES[sample]
    return Setting(
        application_id, slot_id, key, value, custom, kind, name, f"{name} of the box", mandatory=sample == 0
    )
