"""Registry of built-in services. It finds them by their folders, so it does not contain their names.

A service can extend the command line, the console, the pytest plugin and the signing schemes. It is a folder
of this package with a module `registration` that defines `SERVICE`. Its other modules are imported when
needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

ProtocolName = Literal["soap", "rest"]


class Command(NamedTuple):
    """A command of the command line.

    - `module`: the module that has the click command as `command`. It is imported when the command runs.
    - `group`: the heading below which `soapclient --help` lists the command.
    - `summary`: the text that `soapclient --help` shows.
    """

    module: str
    group: str
    summary: str


class Service(NamedTuple):
    """A built-in service and its extensions.

    - `packages`: maps names on the command line to generated packages. `soap`: the names of packages with
      SOAP.
    - `commands`: maps names of commands to their modules and their texts in `soapclient --help`.
    - `adapter`: the module that has a `soapclient.cli.contracts.ServiceAdapter` as `ADAPTER`.
    - `fixtures`: the module with the pytest fixtures of the service.
    - `settings`: the module that has the class `Settings` of the service's client, a subclass of
      `soapclient.settings.CommonSettings`; "" if the client has only the common settings.
    - `schemes`: maps names of signing schemes to objects, written as `module:object`.
    """

    packages: Mapping[str, str]
    soap: Sequence[str]
    commands: Mapping[str, Command]
    adapter: str
    fixtures: str
    settings: str = ""
    schemes: Mapping[str, str] = MappingProxyType({})


@cache
def services() -> Mapping[str, Service]:
    """Return the built-in services by the names of their folders."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/registration.py"))
    return {name: import_module(f"soapclient.{name}.registration").SERVICE for name in folders}


@cache
def signing_schemes() -> Mapping[str, str]:
    """Return the signing schemes by name, each as `module:object`.

    They come from the built-in services and from the entry points `soapclient.signing` of installed packages.
    """
    from importlib.metadata import entry_points

    installed = {item.name: item.value for item in entry_points(group="soapclient.signing")}
    return installed | registered_schemes()


def registered_schemes() -> dict[str, str]:
    """Return the signing schemes of the built-in services by name, each as `module:object`.

    Unlike `signing_schemes`, this function does not search installed packages.
    """
    return {name: item for service in services().values() for name, item in service.schemes.items()}
