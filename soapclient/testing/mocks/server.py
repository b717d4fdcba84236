"""A mock of a SOAP service that listens on a local port."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload
from urllib.parse import quote

from soapclient._support.redaction import clean
from soapclient.errors import ConfigError
from soapclient.runtime.operations import Operation
from soapclient.runtime.package import Package, package
from soapclient.serving.server import Application, Server
from soapclient.soap.zeep_options import Wsse, WsseFromPolicy
from soapclient.testing.mocks.rules import Rule, read_rules
from soapclient.testing.mocks.service import MockCall, MockService
from soapclient.testing.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


class Mock:
    """A mock of a package, served on a local port until `close()` or the end of the `with` block.

    `url` is the base address; each WSDL port has its own `address`. If `token` is not None, requests for the
    mock's log and rules (paths below `/-/`) need the header `Authorization: Bearer TOKEN`. It is None if only
    this machine can reach the mock.

    >>> from soapclient import connect
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with mock("weather") as server, connect(WeatherService, address=server.address()) as service:
    ...     response = service.get_weather(city="Rome")
    ...     (call,) = server.calls("GetWeather")
    >>> call.request.city, call.status
    ('Rome', 200)
    """

    def __init__(
        self,
        service: MockService,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        application: Application | None = None,
        allow_hosts: Iterable[str] = (),
    ) -> None:
        """Start the mock on `host` and the TCP port `port`; 0 selects a free port.

        `application`: a WSGI application to serve in place of `service`; it passes requests on to `service`.
        `allow_hosts`: host names and addresses accepted besides loopback and `host`. Raises OSError if the
        port cannot be opened, and ValueError for an invalid host in `allow_hosts`.
        """
        self._service = service
        self._server = Server(
            service if application is None else application, host, port, allow_hosts=allow_hosts
        )
        self.url = self._server.url
        self.token = self._server.token

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving."""
        self._service.reset()
        self._server.close()

    @property
    def addresses(self) -> Mapping[str, str]:
        """The addresses of all WSDL ports, by `Service/Port`, in the order of the WSDL."""
        return {path.lstrip("/"): f"{self.url}{quote(path)}" for path in self._service.ports}

    def address(self, port: str | None = None) -> str:
        """Return the address of a WSDL port, by default of the first. Raises ValueError if it is unknown."""
        for path, row in self._service.ports.items():
            if port is None or row.is_named(port):
                return f"{self.url}{quote(path)}"
        raise ValueError(f"there is no port {port!r}; the ports are: {', '.join(self.addresses)}")

    @property
    def wsdl(self) -> str:
        """The URL of the mock's WSDL. This WSDL contains the mock's addresses instead of the service's."""
        return f"{self.address()}?wsdl"

    @overload
    def on(
        self, operation: Operation[RequestT, ResponseT], /, **fields: object
    ) -> Rule[RequestT, ResponseT]: ...

    # Any, because the types of an operation are not known from its name.
    @overload
    def on(self, operation: str, /, **fields: object) -> Rule[Any, Any]: ...

    def on(
        self, operation: Operation[RequestT, ResponseT] | str, /, **fields: object
    ) -> Rule[RequestT, ResponseT] | Rule[Any, Any]:
        """Add a rule for requests of an operation, by its name in the WSDL or its method's name.

        `fields` limit the rule to requests with these values: Python values, XML texts, or functions that
        return True for a match. Example: `mock.on("GetWeather", city="Berlin").reply(degrees=21)`.

        Raises ValueError for an unknown operation, TypeError for an unknown field, EncodeError for an invalid
        text.
        """
        return self._service.add(self._service.operation(operation), fields)

    # Any: as for `on`.
    def calls(self, operation: Operation[Any, Any] | str | None = None) -> list[MockCall]:
        """Return the logged requests, oldest first; only requests of `operation` if given.

        The log keeps the last thousand requests, or fewer if they are larger than 20 MB together.
        """
        return self._service.calls(None if operation is None else self._service.operation(operation))

    def reset(self) -> None:
        """Delete all rules and logged requests."""
        self._service.reset()


def mock(
    package: ModuleType | type | str,
    *,
    seed: int = 1,
    rules: str | Path | None = None,
    recording: str | Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    allow_hosts: Iterable[str] = (),
    wsse: Wsse | WsseFromPolicy | None = None,
) -> Mock:
    """Serve a mock of a package.

    `package` is the module that `bindgen init` wrote, its name, or a service class. Requests are validated
    against the contract and get valid examples. Equal requests get equal examples; another `seed` gives other
    examples. `rules` is a file of rules, TOML or Python. `recording` is the folder of a recording: requests
    that match no rule get their responses from it. Port 0 selects a free port. `allow_hosts` are host names
    and addresses accepted besides loopback and `host`. `wsse` verifies requests and secures responses. It is
    a `soapclient.security.Security` with the keys of the service, or the service's `SecurityKeys`: the
    mock then enforces the policy of the WSDL.

    Raises ConfigError if `package` is not a generated package, and OutdatedPackage if another version of
    soapclient generated it. Raises ValueError if the package has no SOAP port or a host in `allow_hosts` is
    invalid. Raises RulesError if the rules cannot be used, FileNotFoundError if the folder has no recording,
    and OSError if the port cannot be opened.

    >>> from soapclient import connect
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with mock("weather") as server, connect(WeatherService, address=server.address()) as service:
    ...     rule = server.on("GetWeather", city="Rome").reply(degrees=21)
    ...     print(service.get_weather(city="Rome").degrees)
    21
    """
    service = mock_service(package, seed=seed, recording=recording, wsse=wsse)
    server = Mock(service, host, port, allow_hosts=allow_hosts)
    if rules is not None:
        try:
            read_rules(Path(rules), server)
        except BaseException:
            server.close()
            raise
    return server


def mock_service(
    package: ModuleType | type | str,
    *,
    seed: int = 1,
    recording: str | Path | None = None,
    switchboard: bool = False,
    wsse: Wsse | WsseFromPolicy | None = None,
) -> MockService:
    """Return the WSGI application of a mock without serving it. The arguments are the same as for `mock`.

    If `switchboard` is True, the mock's log and rules are also served as JSON below `/-/`.
    """
    recorded = None if recording is None else Recording.read(Path(recording))
    return MockService(
        _package_of(package), seed=seed, recording=recorded, switchboard=switchboard, wsse=wsse
    )


def _package_of(source: ModuleType | type | str) -> Package:
    """Return the generated package for a module, a class in it, or a dotted name.

    Raises ConfigError if it is not a generated package.
    """
    if isinstance(source, str):
        name, shown = source, repr(clean(source))
    elif isinstance(source, ModuleType):
        name, shown = source.__name__, f"the module {source.__name__}"
    else:
        kind = source if isinstance(source, type) else type(source)
        parent, _, module = kind.__module__.rpartition(".")
        generated = module == "types" or isinstance(getattr(kind, "PACKAGE", None), Package)
        name, shown = (parent if generated else ""), kind.__name__
    if not _is_package(name):
        parent = name.rpartition(".")[0]
        suggestion = parent if parent and _is_package(parent) else "a package generated by `bindgen init`"
        advice = f"Pass {suggestion}, its name, or a service class of it"
        raise ConfigError("package", f"{shown} is not a generated package", advice)
    return package(name)


def _is_package(name: str) -> bool:
    """Return True if a dotted name is the name of a package with a module `service`."""
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    try:
        return find_spec(f"{name}.service") is not None
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.service.".startswith(f"{error.name}."):
            return False
        raise  # a module that the package itself needs is missing
