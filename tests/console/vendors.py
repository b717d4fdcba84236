"""A mock of a WSDL with its console, as `soapclient mock --file` serves both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

import requests

from soapclient import Settings, connect
from soapclient.cli.consoles import ConsoleMiddleware, configured, connected, in_words
from soapclient.cli.packages import importable, package_named, service_class, words_of
from soapclient.clock import Clock
from soapclient.console.application import Console
from soapclient.console.control_client import ControlClient
from soapclient.console.forms import Forms
from soapclient.console.targets import Exchange, Target, now, of_service
from soapclient.testing import mock
from soapclient.testing.examples import Examples
from soapclient.testing.mocks.server import Mock, mock_service
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from tests.console.browser import Browser

WEATHER = Path(__file__).parents[1] / "connection/weather.wsdl"


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

    def open(self, path: str = "/") -> Browser:
        """Open a page of the console."""
        browser = Browser(self.url, self.token)
        browser.get(path)
        return browser


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


class SandboxConsole(NamedTuple):
    """A sandbox, its address, and a console that calls it."""

    sandbox: Sandbox
    url: str
    console: Console
    targets: list[Target]

    def target(self, name: str) -> Target:
        (found,) = (target for target in self.targets if target.name == name)
        return found

    def calls(self) -> Any:
        """Return the requests that reached the sandbox, as JSON."""
        return requests.get(f"{self.url}/-/calls", timeout=30).json()


@contextmanager
def sandbox_console(**settings: object) -> Iterator[SandboxConsole]:
    """Yield the console of a sandbox, by default with the published sample account."""
    with Sandbox(switchboard=True) as sandbox, serve(sandbox) as serving:
        account = {"connect_id": SAMPLE_CONNECT_ID, "secret_key": SAMPLE_SECRET_KEY, "attempts": 1}
        urls = {f"{name}_url": serving.url for name in ("publisher", "data", "advertiser")}
        load: Callable[..., Settings] = Settings.load
        with configured(load(environ={}, **(account | urls | settings))) as shown:
            control = ControlClient(serving.url)
            console = Console(shown.targets, shown.explored, in_words, control, shown.jobs)
            yield SandboxConsole(sandbox, serving.url, console, shown.targets)


@contextmanager
def called(file: Path, *, clock: Clock | None = None, **options: Unpack[ConnectOptions]) -> Iterator[Called]:
    """Yield a mock of a WSDL and the target that calls it. `options` are passed to `connect`."""
    with importable(file, None) as name, mock(name) as mocked:
        package = package_named(name)
        port = package.settings.ports[0]
        kind, address = service_class(package, port), mocked.address(f"{port.service}/{port.name}")
        with connect(kind, address=address, clock=clock, **options) as connection:
            title, command = kind.__name__, [*words_of(file, name), "--address", address]
            source = ["--file", str(file)]
            target = of_service(
                file.stem, package, port, address, connection, title, command, clock=clock, source=source
            )
            yield Called(mocked, target)
