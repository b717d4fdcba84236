"""Services that add to the command line, the console, the pytest plugin and the signing schemes.

A service is a folder of this package with a module `registration`, which has its `SERVICE`. Nothing here
names a service, and its parts are imported when they are needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path


@dataclass(frozen=True)
class Service:
    """What a service adds.

    `packages` maps names on the command line to generated packages; `soap` are those names that have SOAP.
    `commands` maps names to modules, each with a click command `command`. `faces` is the module whose `FACES`
    is a `soapclient.cli.contracts.Faces`. `fixtures` is a plugin of pytest. `settings` is the module whose
    `Settings`, a subclass of `soapclient.settings.CommonSettings`, has the settings of its client; "" if the
    client has the common settings alone. `schemes` maps names of signing schemes to them, as `module:object`.
    """

    packages: Mapping[str, str]
    soap: Sequence[str]
    commands: Mapping[str, str]
    faces: str
    fixtures: str
    settings: str = ""
    schemes: Mapping[str, str] = field(default_factory=dict)


@cache
def services() -> Mapping[str, Service]:
    """Return the services by the names of their folders."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/registration.py"))
    return {name: import_module(f"soapclient.{name}.registration").SERVICE for name in folders}


@cache
def signing_schemes() -> Mapping[str, str]:
    """Return the signing schemes of services, and of installed packages with the entry point
    `soapclient.signing`, by their names: each as `module:object`."""
    installed = {each.name: each.value for each in entry_points(group="soapclient.signing")}
    return installed | {name: each for one in services().values() for name, each in one.schemes.items()}
