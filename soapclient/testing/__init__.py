"""Tools for tests of your own code: sandbox, recordings, builders, mock.

With pytest, the fixtures of services are available as soon as the package is installed
(`soapclient.testing.plugin`): `zxws_sandbox` and `zxws_client` of the tracking service. Without pytest, use
`soapclient.tracking.testing`. `record` saves requests and responses as files, and `replay` responds from
these files. `builders` builds valid instances of generated types. `mock` starts a local mock of the service
of any generated package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soapclient.testing import builders
    from soapclient.testing.mocks.rules import Rule, RulesError
    from soapclient.testing.mocks.server import Mock, mock
    from soapclient.testing.mocks.service import MockCall
    from soapclient.testing.recording import NotRecorded, Recording, record, replay

__all__ = [
    "Mock",
    "MockCall",
    "NotRecorded",
    "Recording",
    "Rule",
    "RulesError",
    "builders",
    "mock",
    "record",
    "replay",
]
_MODULES = {
    **dict.fromkeys(("NotRecorded", "Recording", "record", "replay"), "recording"),
    **dict.fromkeys(("Mock", "mock"), "mocks.server"),
    **dict.fromkeys(("Rule", "RulesError"), "mocks.rules"),
    "MockCall": "mocks.service",
}


def __getattr__(name: str) -> object:
    # Imported late, because pytest imports this package in every run, even if no test uses a fixture.
    if name == "builders":
        return import_module("soapclient.testing.builders")
    if name in __all__:
        return getattr(import_module(f"soapclient.testing.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
