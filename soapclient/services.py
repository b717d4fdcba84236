"""Services that add to the command line, the console and the pytest plugin.

A service is a folder of this package with a module `registration`, which has its `SERVICE`. Nothing here
names a service, and its parts are imported when they are needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path


@dataclass(frozen=True)
class Service:
    """What a service adds.

    `packages` maps names on the command line to generated packages; `soap` are those names that have SOAP.
    `commands` maps names to modules, each with a click command `command`. `faces` is the module whose `FACES`
    is a `soapclient.cli.contracts.Faces`. `fixtures` is a plugin of pytest. `settings` is the module whose
    `Settings`, a subclass of `soapclient.settings.CommonSettings`, has the settings of its client; "" if the
    client has the common settings alone.
    """

    packages: Mapping[str, str]
    soap: Sequence[str]
    commands: Mapping[str, str]
    faces: str
    fixtures: str
    settings: str = ""


@cache
def services() -> Mapping[str, Service]:
    """Return the services by the names of their folders."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/registration.py"))
    return {name: import_module(f"soapclient.{name}.registration").SERVICE for name in folders}
