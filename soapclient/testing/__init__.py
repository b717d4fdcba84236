"""What tests of your own code stand on: a service that does what a test wants, recordings, builders.

With pytest the fixtures `zxws_sandbox` and `zxws_client` are there as soon as the package is installed
(`soapclient.testing.plugin`); `ServedSandbox` is the same without pytest. It needs the extra `sandbox`.
`record` keeps what a session exchanges as files, `replay` answers from them. `builders` has valid
instances of generated types.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soapclient.testing import builders
    from soapclient.testing.recording import NotRecorded, Recording, record, replay
    from soapclient.testing.served import Expectation, RecordedCall, SandboxClock, ServedSandbox

__all__ = [
    "Expectation",
    "NotRecorded",
    "RecordedCall",
    "Recording",
    "SandboxClock",
    "ServedSandbox",
    "builders",
    "record",
    "replay",
]
_RECORDING = frozenset({"NotRecorded", "Recording", "record", "replay"})


def __getattr__(name: str) -> object:
    # pytest imports this package in every run, also where nobody asks for a fixture.
    if name == "builders":
        return import_module("soapclient.testing.builders")
    if name in __all__:
        module = "recording" if name in _RECORDING else "served"
        return getattr(import_module(f"soapclient.testing.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
