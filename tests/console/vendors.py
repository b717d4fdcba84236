"""A mock of a WSDL with its console, as `soapclient mock --file` serves both."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from soapclient.cli.consoles import ConsoleMiddleware, connected
from soapclient.cli.packages import importable
from soapclient.testing.mocks.server import Mock, mock_service


class Vendor(NamedTuple):
    """A vendor's mock, as `soapclient mock --file` serves it, with its console."""

    mocked: Mock
    opened: str  # the console's address with its token
    operations: list[str]

    @property
    def url(self) -> str:
        return self.mocked.url

    @property
    def token(self) -> str:
        return self.opened.partition("token=")[2]


def served(file: Path, operations: list[str], ends: ExitStack) -> Vendor:
    """Serve a mock of a WSDL with its console, until `ends` closes it."""
    package = ends.enter_context(importable(file, None))
    service = mock_service(package, switchboard=True)
    both = ConsoleMiddleware(service)
    mocked = ends.enter_context(Mock(service, application=both))
    (line,) = both.add(
        ends,
        mocked.url,
        lambda: connected(package, file, lambda port: mocked.address(f"{port.service}/{port.name}")),
    )
    return Vendor(mocked, line.partition(": ")[2], operations)
