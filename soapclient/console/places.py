"""The places (environments) in which a console can call its services: a sandbox, a mock, production."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal
from urllib.parse import urlsplit

from soapclient._support.forks import lazy
from soapclient._support.redaction import redact
from soapclient.console.targets import Target
from soapclient.errors import ConfigError
from soapclient.runtime.operations import AnyOperation
from soapclient.settings.addresses import is_loopback

__all__ = ["Kind", "Place", "Places", "kind_of"]

Kind = Literal["sandbox", "mock", "production"]

_PRODUCTION_NAMES: Final = ("prod", "production", "real", "live")


class Place:
    """A place (environment) with its services. A connection to them is opened when first needed.

    - `name`: the name of the profile in the settings, or a name such as "address".
    - `kind`: "sandbox", "mock" or "production". In production, writes need a confirmation.
    - `address`: the address to show.
    - `opened`: a function that connects, and returns the targets of the place. It may raise ConfigError.
    """

    def __init__(self, name: str, kind: Kind, address: str, opened: Callable[[], Sequence[Target]]) -> None:
        self.name = name
        self.kind = kind
        self.address = redact(address)
        self._opened = opened

    def target(self, service: str) -> Target | None:
        """Return the target of a service, or None if this place does not have the service.

        Raises ConfigError if the settings of the place are invalid.
        """
        return self.targets.get(service)

    @lazy
    def targets(self) -> Mapping[str, Target]:
        """The targets by their names. Raises ConfigError if the settings of the place are invalid."""
        return {target.name: target for target in self._opened()}

    def needs_confirmation(self, target: Target, operation: AnyOperation) -> bool:
        """Return True if a call needs a confirmation: a possible write in production.

        If the package does not say whether an operation only reads, it counts as a write.
        """
        return self.kind == "production" and target.is_safe(operation) is not True


class Places:
    """The places of one console. One place is selected."""

    def __init__(self, places: Sequence[Place], selected: str = "") -> None:
        """Create the places, and select one of them.

        `selected` is the name of the place to select; by default, the first place is selected.
        """
        self._places = {place.name: place for place in places}
        self.selected = self._places[selected] if selected else next(iter(self._places.values()))

    def __iter__(self) -> Iterator[Place]:
        return iter(self._places.values())

    def __len__(self) -> int:
        return len(self._places)

    def select(self, name: str) -> Place:
        """Select the place `name`, connect to its services, and return it.

        Raises ConfigError if the place is unknown or its settings are invalid. The selection does not change
        then.
        """
        if name not in self._places:
            raise ConfigError(
                "place", "the console has no place with this name", f"Use {', '.join(self._places)}"
            )
        place = self._places[name]
        assert place.targets is not None  # opens it
        self.selected = place
        return place

    def refusal(self, target: Target, operation: AnyOperation, *, confirmed: bool, shown: str = "") -> str:
        """Return why a call in the selected place is not made; "" if it may be made.

        - `confirmed` is the confirmation of this one call. It is not stored, so each call needs a new one.
        - `shown`: the name of the place that the page with the form showed; "" if it is not known. In another
          tab, another place may have been selected since then.
        """
        if shown and shown != self.selected.name:
            return (
                f"The page is for {shown}, but {self.selected.name} was selected in another tab. "
                "Nothing was sent. Send it again if you mean this place."
            )
        if confirmed or not self.selected.needs_confirmation(target, operation):
            return ""
        return (
            f"{operation.name} can change data in production ({self.selected.name}). "
            "Confirm it next to Send. Nothing was sent."
        )


def kind_of(name: str, addresses: Sequence[str], *, is_own_service: bool) -> Kind:
    """Return the kind of a place from its name and its addresses.

    - production: one of the addresses is on another machine, there is no address, or the name contains a word
      such as "prod". The name counts because an address on this machine may be a tunnel.
    - sandbox: any other place that has the registered services (`is_own_service`), unless its name contains
      the word "mock".
    - mock: all other places.
    """
    words = name.lower().replace("_", "-").split("-")
    hosts = [urlsplit(address).hostname or "" for address in addresses]
    if any(word in _PRODUCTION_NAMES for word in words) or not all(map(is_loopback, hosts)) or not hosts:
        return "production"
    return "sandbox" if is_own_service and "mock" not in words else "mock"
