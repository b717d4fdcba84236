"""Places to which `soapclient console` can send calls: profiles of the TOML file, or addresses of a WSDL."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from soapclient.cli.consoles import ConsoleSetup, configured
from soapclient.cli.session import given
from soapclient.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soapclient.console.places import Place, Places
    from soapclient.console.targets import Target
    from soapclient.settings import CommonSettings

_DEFAULT: Final = "default"  # the settings without a profile


def places_of_profiles(ends: ExitStack, shown: ConsoleSetup, config: CommonSettings) -> Places:
    """Return a place (environment) for each profile of the TOML file. The current profile is selected.

    - `shown` is the setup for `config`, the settings of the current profile. If no profile is selected,
      this place is named "default".
    - `ends` closes the clients of the other places, which are opened when they are selected.

    A profile with invalid settings is left out, with a warning.
    """
    from soapclient.console.places import Place, Places, kind_of
    from soapclient.settings.sources import PROFILE_VARIABLE, profiles_in

    options = given()
    current = options.profile or os.environ.get(PROFILE_VARIABLE) or _DEFAULT
    addresses = _addresses(config)
    kind = kind_of(current, addresses, is_own_service=True)
    places = [Place(current, kind, ", ".join(addresses), lambda: shown.targets)]
    for name in profiles_in(options.config_file):
        if name != current:
            try:
                settings = type(config).load(file=options.config_file, profile=name)
            except ConfigError as error:
                click.echo(f"soapclient: the profile {name} is left out: {error}", err=True)
                continue
            if addresses := _addresses(settings):
                kind = kind_of(name, addresses, is_own_service=True)
                places.append(Place(name, kind, ", ".join(addresses), partial(_opened, ends, settings)))
    return Places(places)


def places_of_addresses(
    ends: ExitStack,
    shown: ConsoleSetup,
    address: str | None,
    connected_to_wsdl: Callable[[], Sequence[Target]],
) -> Places:
    """Return the places (environments) for a WSDL: `address` and, if it differs, the address in the WSDL.

    `connected_to_wsdl` returns the services, connected to the addresses in the WSDL. It is called when the
    user selects this place.
    """
    from soapclient.console.places import Place, Places, kind_of

    called = sorted({target.address for target in shown.targets if target.address})
    in_wsdl = sorted({port.address for target in shown.targets for port in target.package.settings.ports})
    name = "address" if address is not None else "wsdl"
    kind = kind_of(name, called, is_own_service=False)
    places: list[Place] = [Place(name, kind, ", ".join(called), lambda: shown.targets)]
    if address is not None and any(in_wsdl) and in_wsdl != called:
        kind = kind_of("wsdl", in_wsdl, is_own_service=False)
        places.append(Place("wsdl", kind, ", ".join(filter(None, in_wsdl)), connected_to_wsdl))
    return Places(places)


def _opened(ends: ExitStack, settings: CommonSettings) -> Sequence[Target]:
    return ends.enter_context(configured(settings)).targets


def _addresses(settings: CommonSettings) -> list[str]:
    """Return the addresses of the services in `settings`, each once. Addresses of WSDLs are left out."""
    names = [item.name for item in type(settings).settings() if item.name.endswith("_url")]
    values = {getattr(settings, name) for name in names if not name.endswith("_wsdl_url")}
    return sorted(str(value) for value in values if value)
