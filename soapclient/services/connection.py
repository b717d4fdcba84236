"""`connect`: the way to a service of any WSDL."""

from __future__ import annotations

import random as system_random
import re
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from soapclient.clock import Clock, SystemClock
from soapclient.config.settings import nearest
from soapclient.drift import Drift, OnFinding
from soapclient.drift.lines import ContractName
from soapclient.errors import ConfigError
from soapclient.redaction import shown
from soapclient.runtime.operations import Caller
from soapclient.services import certificates
from soapclient.services.addresses import check_address, choose_port
from soapclient.services.engine import Engine, OnHeaders
from soapclient.services.packaged import package_of
from soapclient.services.settings import Security, ServiceSettings
from soapclient.transport import http

if TYPE_CHECKING:
    import requests
    from requests.auth import AuthBase

    from soapclient.soap.plain_any import PlainZeep

ServiceT = TypeVar("ServiceT")

_AUTH: Final = "Pass a user name and password, or an auth of requests, as connect(…, auth=…)"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE: Final = re.compile(r"[!-~\x80-\xff](?:[ \t!-~\x80-\xff]*[!-~\x80-\xff])?|")
_OURS: Final = frozenset({"content-type", "content-length", "transfer-encoding", "soapaction", "host"})


def connect(
    service: Callable[[Caller], ServiceT],
    *,
    address: str | None = None,
    port: str | None = None,
    settings: ServiceSettings | None = None,
    auth: tuple[str, str] | AuthBase | None = None,
    headers: Mapping[str, str] | None = None,
    security: Security | None = None,
    on_finding: OnFinding | None = None,
    on_headers: OnHeaders | None = None,
    clock: Clock | None = None,
    random: Callable[[], float] = system_random.random,
) -> Connection[ServiceT]:
    """A service of a package that `bindgen init` wrote: `with connect(WeatherService) as weather: …`.

    `service` is the generated class. `address` is by default the WSDL's own, `port` its first of the class's
    port type. `auth` is a user name and password, or anything that requests takes, such as its
    HTTPDigestAuth; `headers` are sent with each request; `security` puts WS-Security into envelopes, as
    `zeep.wsse.UsernameToken` does.
    `on_finding(operation, finding, times)` hears of everything a reply holds beyond the WSDL, and
    `on_headers(operation, values)` of the declared SOAP headers of replies, by the names of their parts.
    `clock` and `random` (0 to 1, for back-off) are for tests. Raises ConfigError; nothing is sent yet.
    """
    wanted = ServiceSettings() if settings is None else settings
    if not isinstance(wanted, ServiceSettings):
        raise ConfigError("settings", f"{type(wanted).__name__} is no ServiceSettings", "Pass such settings")
    if not (security is None or all(callable(getattr(security, do, None)) for do in ("apply", "verify"))):
        said = f"{type(security).__name__} has not both apply and verify"
        raise ConfigError("security", said, "Pass what zeep.wsse has, or the like")
    package = package_of(service)
    table = choose_port(package, port)
    where = check_address(table, address, allow_http=wanted.allow_http)
    for name in sorted(wanted.safe):
        if name not in package.operations:
            hint = nearest(name, package.operations)
            raise ConfigError("safe", f"there is no operation {shown(name)}{hint}", "Name WSDL operations")
    clock = SystemClock() if clock is None else clock
    engine = Engine(
        package,
        table,
        where,
        wanted,
        session=_session(wanted, auth, _checked(headers or {})),
        clock=clock,
        drift=Drift.configured(wanted, clock, on_finding).of(ContractName.of_port(package.tables, table)),
        security=security,
        on_headers=on_headers,
        random=random,
    )
    return Connection(service(engine), engine)


class Connection(Generic[ServiceT]):
    """An open way to a service, and the service itself as `service`. Threads may share it; close it, or use
    it with `with`.

    `drift` counts what replies hold beyond the WSDL.
    """

    def __init__(self, service: ServiceT, engine: Engine) -> None:
        self.service = service
        self.drift = engine.drift
        self._engine = engine

    @property
    def zeep(self) -> PlainZeep:
        """The same port by zeep itself: `connection.zeep.GetThing(id="…")` gives what zeep gives.

        Checked, bounded and secured like any call; nothing is tried again, and faults are zeep's.
        """
        from soapclient.soap.plain_any import PlainZeep

        return PlainZeep(self._engine)

    def close(self) -> None:
        """Close the connections, and write what is not yet in the drift log."""
        self._engine.close()

    def __enter__(self) -> ServiceT:
        return self.service

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _session(
    settings: ServiceSettings, auth: tuple[str, str] | AuthBase | None, headers: Mapping[str, str]
) -> requests.Session:
    session = http.open_session(settings.user_agent)
    if isinstance(auth, tuple):
        session.auth = _basic(auth)
    elif auth is not None:
        if not callable(auth):
            raise ConfigError("auth", f"{type(auth).__name__} is nothing that requests takes", _AUTH)
        session.auth = auth
    certificates.check(settings)
    session.verify = settings.verify
    session.cert = settings.certificate
    session.headers.update(headers)
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
    return HTTPBasicAuth(user, password)


def _checked(headers: Mapping[str, str]) -> Mapping[str, str]:
    """HTTP headers that may be sent. Raises ConfigError, which names a header but never shows its value."""
    for name, value in headers.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name.lower() in _OURS:
            raise ConfigError("headers", f"{shown(name)} is no header to be given here", "Leave it out")
        if not isinstance(value, str) or not _VALUE.fullmatch(value):
            said = f"the value of {name} cannot stand in a header (not shown)"
            raise ConfigError("headers", said, "Give visible Latin-1 characters")
    return headers
