"""Registry of services, which extend the command line, the console, the pytest plugin and signing schemes.

A service is a folder of this package with a module `registration` that defines `SERVICE`. This module does
not name any service. The parts of a service are imported when needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Literal

ProtocolName = Literal["soap", "rest"]


@dataclass(frozen=True)
class Service:
    """The extensions of a service.

    `packages` maps names on the command line to generated packages. `soap` lists the names that have SOAP.
    `commands` maps names to modules, each with a click command `command`. `adapter` is the module whose
    `ADAPTER` is a `soapclient.cli.contracts.ServiceAdapter`. `fixtures` is a pytest plugin. `settings` is the
    module whose `Settings`, a subclass of `soapclient.settings.CommonSettings`, has the settings of the
    service's client; "" if the client has only the common settings. `schemes` maps the names of signing
    schemes to their objects, as `module:object`.
    """

    packages: Mapping[str, str]
    soap: Sequence[str]
    commands: Mapping[str, str]
    adapter: str
    fixtures: str
    settings: str = ""
    schemes: Mapping[str, str] = field(default_factory=dict)


@cache
def services() -> Mapping[str, Service]:
    """Return the services by folder name."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/registration.py"))
    return {name: import_module(f"soapclient.{name}.registration").SERVICE for name in folders}


@cache
def signing_schemes() -> Mapping[str, str]:
    """Return the signing schemes by name, each as `module:object`.

    They come from the services and from the entry points `soapclient.signing` of installed packages.
    """
    from importlib.metadata import entry_points

    installed = {item.name: item.value for item in entry_points(group="soapclient.signing")}
    return installed | registered_schemes()


def registered_schemes() -> dict[str, str]:
    """Return the signing schemes of the services by name, without a search in the installed packages."""
    return {name: item for service in services().values() for name, item in service.schemes.items()}
