"""`connect`: the way to a service of any WSDL."""

from __future__ import annotations

import random as system_random
import re
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Generic, NoReturn, TypeVar, Unpack

from soapclient._support.redaction import HiddenBytes, safe_url, shown
from soapclient.auth.credentials import Credentials
from soapclient.auth.provider import CredentialsProvider
from soapclient.calling.events import Attempt, Events, OnAttempt, refuse_coroutines
from soapclient.calling.loop import OptionArguments
from soapclient.clock import Clock, SystemClock
from soapclient.drift import Drift, OnFinding
from soapclient.drift.log import ContractName
from soapclient.errors import ConfigError
from soapclient.runtime.html import facts_html
from soapclient.runtime.operations import HasPages, HasStreams, HeaderCaller
from soapclient.settings.calls import TransportArguments, with_transport
from soapclient.settings.service import ServiceSettings
from soapclient.settings.settings import nearest
from soapclient.soap.attachments import Attachment, Attachments
from soapclient.soap.engine import PortEngine
from soapclient.soap.packages import Package, check_address, choose_port, package_of
from soapclient.soap.zeep_options import Security, ZeepOptions

if TYPE_CHECKING:
    import requests
    from requests.auth import AuthBase

    from soapclient.soap.calls import OnHeaders
    from soapclient.soap.client import SoapClient
    from soapclient.soap.plain import PlainService
    from soapclient.soap.zeep_options import Plugin, Settings, Transport

__all__ = [
    "Attachment",
    "Attachments",
    "Attempt",
    "Connection",
    "Credentials",
    "Security",
    "ServiceSettings",
    "connect",
]

ServiceT = TypeVar("ServiceT")
ServiceT_co = TypeVar("ServiceT_co", covariant=True)
StreamsT = TypeVar("StreamsT")
PagesT = TypeVar("PagesT")
FaceT = TypeVar("FaceT")

_AUTH: Final = "Pass a user name and password, or an auth of requests, as connect(…, auth=…)"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def connect(
    service: Callable[[HeaderCaller], ServiceT],
    *,
    address: str | None = None,
    port: str | None = None,
    settings: ServiceSettings | None = None,
    auth: tuple[str, str] | AuthBase | None = None,
    credentials: Credentials | CredentialsProvider | None = None,
    plugins: Sequence[Plugin] = (),
    wsse: Security | Sequence[Security] | None = None,
    zeep_settings: Settings | None = None,
    transport: Transport | None = None,
    on_finding: OnFinding | None = None,
    on_headers: OnHeaders | None = None,
    on_attempt: OnAttempt | None = None,
    on_response: OnAttempt | None = None,
    clock: Clock | None = None,
    random: Callable[[], float] = system_random.random,
    **given: Unpack[TransportArguments],
) -> Connection[ServiceT]:
    """A service of a package that `bindgen init` wrote: `with connect(WeatherService) as weather: …`.

    `service` is the generated class. `address` is by default the WSDL's own, `port` its first of the class's
    port type; a name, or `Service/Port` if two services have ports of that name. `settings` are by default
    those of the environment and of the file that SOAPCLIENT_CONFIG names, `given` transport settings
    (docs/how-to/proxy-and-tls.md) go before them. `auth` is a user name and password, or anything that
    requests takes, such as its HTTPDigestAuth; `credentials`, or what provides them
    (docs/how-to/credentials.md), sign each attempt (ZXWS) as the package's settings say. zeep's `plugins`,
    `wsse` (one or a list, such as `zeep.wsse.UsernameToken`), settings (`extra_http_headers` and
    `raw_response`) and transport (its session) work as with `zeep.Client`. `on_finding(operation, finding,
    times)` hears of everything a response holds beyond the WSDL, `on_headers(operation, values)` of the
    declared SOAP headers of responses, by the names of their parts, `on_attempt(attempt)` of each attempt,
    when it begins and when it has ended, and `on_response(attempt)` of each that had a response, when that
    was read. `clock` and `random` (0 to 1, for back-off) are for tests. Raises ConfigError; nothing is sent
    yet.
    """
    refuse_coroutines(
        on_finding=on_finding, on_headers=on_headers, on_attempt=on_attempt, on_response=on_response
    )
    wanted = with_transport(ServiceSettings, settings, given, connect)
    options = ZeepOptions(plugins=plugins, wsse=wsse, settings=zeep_settings, transport=transport)
    package = package_of(service)
    table = choose_port(package, port)
    where = check_address(table, address, allow_http=wanted.allow_http)
    for name in sorted(wanted.safe):
        if name not in package.operations:
            hint = nearest(name, package.operations)
            raise ConfigError("safe", f"there is no operation {shown(name)}{hint}", "Name WSDL operations")
    _check_signing(package, credentials)
    clock = SystemClock() if clock is None else clock
    engine = PortEngine(
        package,
        table,
        where,
        wanted,
        session=_session(wanted, options, auth),
        clock=clock,
        drift=Drift.configured(wanted, clock, on_finding).of(ContractName.of_port(package.tables, table)),
        options=options,
        credentials=credentials,
        on_headers=on_headers,
        events=Events(on_attempt, on_response),
        random=random,
    )
    return Connection(service, engine)


class Connection(Generic[ServiceT_co]):
    """An open way to a service, and the service itself as `service`. Threads may share it; close it, or use
    it with `with`.

    `drift` counts what responses hold beyond the WSDL.
    """

    def __init__(self, service: Callable[[HeaderCaller], ServiceT_co], engine: PortEngine) -> None:
        self.service = service(engine)
        self.drift = engine.drift
        self._make = service
        self._engine = engine

    def with_options(self, **given: Unpack[OptionArguments]) -> Connection[ServiceT_co]:
        """A view of this connection whose calls have other options; it shares connections and findings.

        connection.with_options(deadline=5, attempts=1).service.get_weather(city="Rome")
        connection.with_options(soapheaders=[tenant]).service.get_weather(city="Rome")

        The options are those of `Client.with_options`. Closing a view closes nothing. Raises ConfigError.
        """
        return Connection(self._make, self._engine.with_options(self._engine.loop.options.changed(**given)))

    def _repr_html_(self) -> str:
        """As notebooks show it: what it calls, and where."""
        facts = [("service", type(self.service).__name__), ("port", self._engine.port.name)]
        return facts_html(type(self).__name__, [*facts, ("address", safe_url(self._engine.address))])

    @property
    def soap(self) -> SoapClient:
        """What stands where zeep has its Client, with types: `plugins`, `settings(raw_response=True)`,
        `set_default_soapheaders`, `create_message`, `attachments`, and `service` by WSDL names."""
        return self._engine.client

    @property
    def zeep(self) -> PlainService:
        """The same port by zeep itself: `connection.zeep.GetThing(id="…")` gives what zeep gives.

        Checked, bounded and secured like any call; nothing is tried again, and faults are zeep's.
        """
        return self._engine.zeep

    @property
    def stream(self: Connection[HasStreams[StreamsT]]) -> StreamsT:
        """The list operations again, each a context manager that gives the items as they arrive:

        with connection.stream.get_stations(city="Rome") as stations:
            for station in stations: ...

        Raises ConfigError for a service that has none.
        """
        check_face(self.service, "stream", "_streams")
        return self.service._streams(self._engine)

    @property
    def iterate(self: Connection[HasPages[PagesT]]) -> PagesT:
        """The list operations that come in pages again, each giving the items of all pages, one by one.

        Raises ConfigError for a service that has none.
        """
        check_face(self.service, "iterate", "_pages")
        return self.service._pages(self._engine)

    def through(self, service: Callable[[PortEngine], FaceT]) -> FaceT:
        """Another generated class of the same port, over this connection."""
        return service(self._engine)

    if not TYPE_CHECKING:  # to a type checker it has what it has

        def __getattr__(self, name: str) -> NoReturn:
            said = f"{type(self).__name__!r} object has no attribute {name!r}"
            if not name.startswith("_") and hasattr(vars(self).get("service"), name):
                said += f": the service has it. Call it as `service.{name}`, or `with connect(…) as` gives it"
            raise AttributeError(said, name=name, obj=self)

    def close(self) -> None:
        """Close the connections, write what is not yet in the drift log; later calls raise ClientClosed. Of a
        view: nothing."""
        if not self._engine.is_view:
            self._engine.close()

    def __enter__(self) -> ServiceT_co:
        return self.service

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check_face(service: object, name: str, method: str) -> None:
    """Raise ConfigError where the class of a service has no streams or pages."""
    if not hasattr(service, method):
        said = f"{getattr(service, '__name__', type(service).__name__)} has no such operations"
        advice = "Call them on `service`. If it has lists, generate the package anew: `bindgen init`"
        raise ConfigError(name, said, advice)


def _check_signing(package: Package, credentials: Credentials | CredentialsProvider | None) -> None:
    """Raise ConfigError where a package signs and nobody is to sign for, or the other way round."""
    name = package.tables.name
    if package.tables.signing is None and credentials is not None:
        raise ConfigError(
            "credentials", f"{name} signs nothing", f"Say in {name}.toml how: [signing]. Or leave them out"
        )
    if package.tables.signing is not None and credentials is None:
        raise ConfigError(
            "credentials", f"{name} signs its requests", "Pass connect(…, credentials=Credentials(…, …))"
        )


def _session(
    settings: ServiceSettings,
    options: ZeepOptions,
    auth: tuple[str, str] | AuthBase | None,
) -> requests.Session:
    session = options.session(settings)
    if isinstance(auth, tuple):
        session.auth = _basic(auth)
    elif auth is not None:
        if not callable(auth):
            raise ConfigError("auth", f"{type(auth).__name__} is nothing that requests takes", _AUTH)
        session.auth = auth
    return session


def _basic(auth: tuple[str, str]) -> AuthBase:
    """Basic auth in UTF-8 (RFC 7617 2.1); text goes as Latin-1. Raises ConfigError, which shows no value."""
    from requests.auth import HTTPBasicAuth

    if len(auth) != 2 or not all(isinstance(text, str) for text in auth):
        raise ConfigError("auth", "the tuple is no pair of texts (not shown)", _AUTH)
    if ":" in auth[0] or any(_CONTROL.search(text) for text in auth):
        said = "the user name has a colon, or one of the two a control character (not shown)"
        raise ConfigError("auth", said, _AUTH)
    user, password = (text.encode("utf-8", "strict") for text in auth)
    return HTTPBasicAuth(user, HiddenBytes(password))
