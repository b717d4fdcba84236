"""What tests of your own code stand on: a service that does what a test wants, recordings, builders.

With pytest, the fixtures of services are there as soon as the package is installed
(`soapclient.testing.plugin`): `zxws_sandbox` and `zxws_client` of the tracking service, which
`soapclient.tracking.testing` has without pytest.
`record` keeps what a session exchanges as files, `replay` answers from them. `builders` has valid
instances of generated types. `mock` serves any generated package on this machine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soapclient.testing import builders
    from soapclient.testing.mocks.rules import Rule, RulesError
    from soapclient.testing.mocks.served import Mock, mock
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
    **dict.fromkeys(("Mock", "mock"), "mocks.served"),
    **dict.fromkeys(("Rule", "RulesError"), "mocks.rules"),
    "MockCall": "mocks.service",
}


def __getattr__(name: str) -> object:
    # pytest imports this package in every run, also where nobody asks for a fixture.
    if name == "builders":
        return import_module("soapclient.testing.builders")
    if name in __all__:
        return getattr(import_module(f"soapclient.testing.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
