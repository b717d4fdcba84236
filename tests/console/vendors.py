"""A mock of a WSDL with its console, as `soapclient mock --file` serves both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple, TypedDict, Unpack

from soapclient import connect
from soapclient.cli.consoles import ConsoleMiddleware, connected
from soapclient.cli.packages import importable, package_named, service_class, words_of
from soapclient.clock import Clock
from soapclient.console.forms import Forms
from soapclient.console.targets import Exchange, Target, now, of_service
from soapclient.testing import mock
from soapclient.testing.examples import Examples
from soapclient.testing.mocks.server import Mock, mock_service


class ConnectOptions(TypedDict, total=False):
    """The options of `connect` that tests of the console use."""

    attempts: int
    safe: Sequence[str]


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


class Called(NamedTuple):
    """A mock, and the target with which the console calls it."""

    mocked: Mock
    target: Target

    def send(self, operation: str, values: dict[str, str]) -> Exchange:
        """Send a valid request, and return the exchange."""
        forms = Forms(Examples(self.target.package.codec), self.target.checks())
        form = forms.form(self.target.operations[operation], values, check=True)
        assert form.is_valid, form.problem
        exchange = Exchange(1, now(), self.target.name, operation, values)
        assert self.target.send(exchange, form) is None
        return exchange


@contextmanager
def called(file: Path, *, clock: Clock | None = None, **options: Unpack[ConnectOptions]) -> Iterator[Called]:
    """Yield a mock of a WSDL and the target that calls it. `options` are passed to `connect`."""
    with importable(file, None) as name, mock(name) as mocked:
        package = package_named(name)
        port = package.settings.ports[0]
        kind, address = service_class(package, port), mocked.address(f"{port.service}/{port.name}")
        with connect(kind, address=address, clock=clock, **options) as connection:
            command = [*words_of(file, name), "--address", address]
            yield Called(
                mocked,
                of_service(
                    file.stem,
                    package,
                    port,
                    address,
                    connection,
                    kind.__name__,
                    command,
                    clock=clock,
                    source=["--file", str(file)],
                ),
            )
