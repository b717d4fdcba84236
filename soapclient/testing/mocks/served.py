"""A mock on a port of this machine."""

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
from soapclient.testing.mocks.rules import Rule, read_rules
from soapclient.testing.mocks.service import MockCall, MockService
from soapclient.testing.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


class Mock:
    """A mock of a package, served until `close()` or the end of the `with` block. `url` is where, without a
    path; each port has an `address` and a WSDL of its own. `token`: paths below `/-/` need it as
    `Authorization: Bearer TOKEN`; None if only this machine can reach the mock."""

    def __init__(
        self,
        service: MockService,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        application: Application | None = None,
        allow_hosts: Iterable[str] = (),
    ) -> None:
        """`application`: what is served in its place, with the service in it. `allow_hosts`: names and
        addresses under which callers may ask, besides loopback and `host`. Raises OSError if the port cannot
        be opened, and ValueError if one of `allow_hosts` is not a host."""
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
        """The addresses of all ports, by `Service/Port`, in the order of the WSDL."""
        return {path.lstrip("/"): f"{self.url}{quote(path)}" for path in self._service.ports}

    def address(self, port: str | None = None) -> str:
        """The address of a port, by default of the first. Raises ValueError for one that is not there."""
        for path, row in self._service.ports.items():
            if port is None or row.is_named(port):
                return f"{self.url}{quote(path)}"
        raise ValueError(f"there is no port {port!r}; there are: {', '.join(self.addresses)}")

    @property
    def wsdl(self) -> str:
        """The address of the WSDL, in which all addresses are those of this mock."""
        return f"{self.address()}?wsdl"

    @overload
    def on(
        self, operation: Operation[RequestT, ResponseT], /, **fields: object
    ) -> Rule[RequestT, ResponseT]: ...

    # Any: an operation that is known by its name has types that nobody knows.
    @overload
    def on(self, operation: str, /, **fields: object) -> Rule[Any, Any]: ...

    def on(
        self, operation: Operation[RequestT, ResponseT] | str, /, **fields: object
    ) -> Rule[RequestT, ResponseT] | Rule[Any, Any]:
        """Say what is done with requests of an operation, by its name in the WSDL or that of its method; with
        `fields` with those that have these values, as Python or as XML has them, or of which a function says
        so. `mock.on("GetWeather", city="Berlin").reply(degrees=21)`.

        Raises ValueError for an operation that is not there, TypeError for a name that is no field.
        """
        return self._service.add(self._service.operation(operation), fields)

    # Any: as of `on`.
    def calls(self, operation: Operation[Any, Any] | str | None = None) -> list[MockCall]:
        """The last thousand requests, oldest first: of an operation, or all."""
        return self._service.calls(None if operation is None else self._service.operation(operation))

    def reset(self) -> None:
        """Forget what was said and what came."""
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
) -> Mock:
    """Serve a mock of a package: the module that `bindgen init` wrote, its name, or a service class of it.

    Requests are validated as the contract says, and answered with valid examples; the same request gets the
    same one. `seed`: other numbers, other examples. `rules`: a file of rules, TOML or Python. `recording`:
    the folder of a recording, which answers what no rule decides. Port 0 takes a free one. `allow_hosts`:
    names and addresses under which callers may ask, besides loopback and `host`. Raises ConfigError if
    `package` is not a generated package, OutdatedPackage, ValueError for a package without a SOAP port or if
    one of `allow_hosts` is not a host, RulesError, FileNotFoundError for a folder without a recording, and
    OSError if the port cannot be opened.
    """
    made = Mock(mock_service(package, seed=seed, recording=recording), host, port, allow_hosts=allow_hosts)
    if rules is not None:
        try:
            read_rules(Path(rules), made)
        except BaseException:
            made.close()
            raise
    return made


def mock_service(
    package: ModuleType | type | str,
    *,
    seed: int = 1,
    recording: str | Path | None = None,
    switchboard: bool = False,
) -> MockService:
    """The WSGI application of a mock, as `mock` serves it."""
    recorded = None if recording is None else Recording.read(Path(recording))
    return MockService(_package_of(package), seed=seed, recording=recorded, switchboard=switchboard)


def _package_of(source: ModuleType | type | str) -> Package:
    """Return the package. Raises ConfigError for what is not one."""
    if isinstance(source, str):
        name, shown = source, repr(clean(source))
    elif isinstance(source, ModuleType):
        name, shown = source.__name__, f"the module {source.__name__}"
    else:
        kind = source if isinstance(source, type) else type(source)
        above, _, module = kind.__module__.rpartition(".")
        generated = module == "types" or isinstance(getattr(kind, "PACKAGE", None), Package)
        name, shown = (above if generated else ""), kind.__name__
    if not _is_package(name):
        above = name.rpartition(".")[0]
        meant = above if above and _is_package(above) else "a package that `bindgen init` wrote"
        advice = f"Pass {meant}, its name, or a service class of it"
        raise ConfigError("package", f"{shown} is not a generated package", advice)
    return package(name)


def _is_package(name: str) -> bool:
    """Return True if this is the dotted name of a package with a module `service`."""
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    try:
        return find_spec(f"{name}.service") is not None
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.service.".startswith(f"{error.name}."):
            return False
        raise  # of a module that the package itself needs
