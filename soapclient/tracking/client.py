"""The client: one object for all services, each made when it is first used."""

from __future__ import annotations

import random as system_random
from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack, cast, get_args

from soapclient._support.forks import lazy
from soapclient._support.nearest import nearest
from soapclient._support.redaction import safe_url, shown
from soapclient.auth import placement
from soapclient.auth.credentials import Credentials
from soapclient.auth.provider import CredentialsProvider, Lease
from soapclient.calling.events import Events, refuse_coroutines
from soapclient.calling.loop import CallOptions
from soapclient.clock import Clock, NonceSource, SystemClock, fresh_nonce
from soapclient.drift import Drift, OnFinding
from soapclient.errors import ConfigError
from soapclient.runtime.package import package
from soapclient.runtime.service import OptionArguments
from soapclient.settings.arguments import showing, with_options
from soapclient.soap.zeep_options import ZeepOptions
from soapclient.tracking.registration import SERVICE
from soapclient.tracking.settings import Settings, SettingsArguments

if TYPE_CHECKING:
    from soapclient.calling.engine import Engine, Injected
    from soapclient.calling.events import OnAttempt
    from soapclient.runtime import Package
    from soapclient.soap.zeep_options import Plugin, Security, Transport, ZeepSettings
    from soapclient.tracking.advertiser import Advertiser
    from soapclient.tracking.data import Data
    from soapclient.tracking.publisher import Publisher

__all__ = ["Client", "ProtocolName", "ServiceName"]

ProtocolName = Literal["soap", "rest"]
ServiceName = Literal["publisher", "data"]

_SERVICES: Final = tuple(SERVICE.packages)
_OF_ALL: Final = frozenset({"drift", "drift_log", "pool_size"})
_GENERATE: Final = "Add it to wsdl/contracts.toml, and run `bindgen generate`"


class Client:
    """The services of one account. Threads may share it; close it, or use it with `with`.

    `protocol` is what takes the calls of the Publisher and the Data service, both or by name; by default what
    the settings say, which by default is SOAP. The Advertiser service has REST alone. `settings` are by
    default those of the environment and of the file that SOAPCLIENT_CONFIG names; `options` are settings, too
    (docs/reference/settings.md), and override them. `credentials` are by default those of the settings; a
    provider of them (docs/how-to/credentials.md) is asked at once. zeep's `plugins`, `wsse` (one
    or a list), settings (`extra_http_headers` and `raw_response`) and transport (its session) work as with
    `zeep.Client`, for typed calls over SOAP. Over REST the transport's session holds as well; the others are
    a ConfigError where no service goes over SOAP.

    `on_finding(operation, finding, times)` hears of everything a response holds beyond the contract; `drift`
    counts it. `on_attempt(attempt)` hears of each attempt, when it begins and when it has ended,
    `on_response(attempt)` of each that had a response, when that was read; what they raise is logged
    (docs/how-to/logging.md). `clock`, `nonce_source` and `random` (0 to 1, for back-off) are for tests. A
    service without an address is a ConfigError when it is first used.
    """

    @showing(SettingsArguments)
    def __init__(
        self,
        settings: Settings | None = None,
        *,
        protocol: ProtocolName | Mapping[ServiceName, ProtocolName] | None = None,
        credentials: Credentials | CredentialsProvider | None = None,
        plugins: Sequence[Plugin] = (),
        wsse: Security | Sequence[Security] | None = None,
        zeep_settings: ZeepSettings | None = None,
        transport: Transport | None = None,
        on_finding: OnFinding | None = None,
        on_attempt: OnAttempt | None = None,
        on_response: OnAttempt | None = None,
        clock: Clock | None = None,
        nonce_source: NonceSource = fresh_nonce,
        random: Callable[[], float] = system_random.random,
        **options: Unpack[SettingsArguments],
    ) -> None:
        besides = {
            "credentials": None if isinstance(credentials, Credentials) else credentials,
            "plugins": plugins,
            "wsse": wsse,
            "zeep_settings": zeep_settings,
            "transport": transport,
            "on_finding": on_finding,
            "on_attempt": on_attempt,
            "on_response": on_response,
        }
        self._besides = {name: value for name, value in besides.items() if value}
        settings = with_options(Settings, settings, options, Client.__init__)
        refuse_coroutines(on_finding=on_finding, on_attempt=on_attempt, on_response=on_response)
        self._clock = SystemClock() if clock is None else clock
        self._lease = None if credentials is None else Lease(credentials, self._clock)
        if self._lease is not None:
            known = self._lease.current()
            settings = settings.replaced(connect_id=known.connect_id, secret_key=known.secret_key)
        self.settings = settings if protocol is None else _with_protocol(settings, protocol)
        _check_sections(self.settings)
        self._options = ZeepOptions(plugins=plugins, wsse=wsse, settings=zeep_settings, transport=transport)
        if {self.settings.publisher_protocol, self.settings.data_protocol} == {"rest"}:
            self._options.refuse_soap()
        self._on_attempt = on_attempt
        self._on_response = on_response
        self._origin: Client | None = None  # of which this is a view
        self._call_options = CallOptions()
        self.drift = Drift.configured(self.settings, self._clock, on_finding)
        self._nonce_source = nonce_source
        self._random = random
        self._engines: list[Engine[Settings]] = []
        self._closed = False

    def __reduce__(self) -> tuple[object, ...]:
        """By its settings, without secrets (`Settings.carrying_secrets`), and what it was given besides.

        A clock and chances of tests do not come along.
        """
        return _client, (self.settings, self._besides, self._call_options)

    @lazy
    def publisher(self) -> Publisher:
        """The Publisher service (2011-03-01)."""
        from soapclient.tracking.publisher import Publisher
        from zxws.publisher.service import PACKAGE

        return Publisher(self._engine(PACKAGE, self.settings.publisher_protocol))

    @lazy
    def data(self) -> Data:
        """The Data export service (2011-05-01)."""
        from soapclient.tracking.data import Data
        from zxws.data.service import PACKAGE

        return Data(self._engine(PACKAGE, self.settings.data_protocol))

    @lazy
    def advertiser(self) -> Advertiser:
        """The Advertiser service (2015-03-01)."""
        from soapclient.tracking.advertiser import Advertiser
        from zxws.advertiser.service import PACKAGE

        return Advertiser(self._engine(PACKAGE, "rest"))

    def with_options(self, **given: Unpack[OptionArguments]) -> Client:
        """A view of this client whose calls have other options; it shares connections, quota and findings.

        client.with_options(deadline=5, attempts=1).publisher.get_profile()

        `deadline` (the whole call) and `timeout` (one attempt) are in seconds; `headers` are sent with each
        request, beside those of the settings; `request_id` is that of all its calls, in place of one for
        each. `soapheaders` are added to each SOAP envelope: lxml elements, also of headers that the contract
        does not declare. A view of a view has the options of both. Closing a view closes nothing. Raises
        ConfigError.
        """
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__)
        for name in _SERVICES:
            view.__dict__.pop(name, None)
        view._origin = self._origin or self
        view._call_options = self._call_options.changed(**given)
        return view

    def close(self) -> None:
        """Close all connections. Later calls raise ClientClosed; those on their way come to their end. Of a
        view: nothing."""
        if self._origin is None:
            self._closed = True
            for engine in self._engines:
                engine.close()

    def _repr_html_(self) -> str:
        """As notebooks show it: which services it calls, and how."""
        from soapclient.runtime.html import facts_html

        return facts_html(type(self).__name__, services_of(self.settings))

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _engine(self, package: Package, protocol: str) -> Engine[Settings]:
        if self._origin is not None:
            service: Publisher | Data | Advertiser = getattr(self._origin, package.settings.name)
            return service.engine.view(self._call_options)
        engine = open_engine(
            package,
            protocol,
            self.settings.for_service(package.settings.name),
            self._options,
            clock=self._clock,
            nonce_source=self._nonce_source,
            random=self._random,
            drift=self.drift,
            events=Events(self._on_attempt, self._on_response),
            lease=self._lease,
        )
        self._engines.append(engine)
        if self._closed:  # its calls are refused as those of the others
            engine.close()
        return engine


def open_engine(
    package: Package,
    protocol: str,
    settings: Settings,
    options: ZeepOptions | None = None,
    **given: Unpack[Injected],
) -> Engine[Settings]:
    """Return the engine for one of the service's packages. `lease` is by default the configuration's.

    Raises ConfigError if address, connect ID or placement of the signature are invalid; nothing is sent.
    """
    known, options = package.settings, options or ZeepOptions()
    if given.get("lease") is None:
        given["lease"] = Lease(settings.credentials())
    if known.signing is not None:
        given["service_name"] = settings.signing_name(known.name, known.signing.service_name)
    if protocol == "rest":
        from soapclient.rest.engine import RestEngine, is_json

        form = "json" if is_json(package, settings) else "xml"
        address = settings.rest_base(known.name, known.version, form)
        return RestEngine(package, address, settings, options.session(settings), **given)
    from soapclient.soap.engine import SoapEngine

    if known.signing is None:
        raise ConfigError("signing", f"the package of {known.name} has no [signing]", _GENERATE)
    address = settings.soap_endpoint(known.name, known.version)
    where = placement.check(settings.signature_placement, known, list(package.operations.values()))
    session = options.session(settings)
    return SoapEngine(package, known.ports[0], address, settings, session, options, placement=where, **given)


def services_of(settings: Settings) -> list[tuple[str, str]]:
    """Each service with its protocol, and its address where one is configured."""
    protocols = {
        "publisher": settings.publisher_protocol,
        "data": settings.data_protocol,
        "advertiser": "rest",
    }
    found = []
    for name, protocol in protocols.items():
        own = f"{name}_soap_url" if protocol == "soap" else f"{name}_base_url"
        address: str | None = getattr(settings, own) or getattr(settings, f"{name}_url")
        found.append((name, f"{protocol}, {safe_url(address) if address else 'no address'}"))
    return found


def _check_sections(settings: Settings) -> None:
    """Raise ConfigError for a setting in the section of one service that the client has for all of them, and
    for a `safe` operation that its service does not have."""
    for service, section in settings.services.items():
        if service not in _SERVICES:  # perhaps a service of `connect`
            if hint := nearest(service, _SERVICES):
                raise ConfigError(
                    f"services.{service}", f"is not a service of the client{hint}", "Correct it"
                )
            continue
        for name in _OF_ALL & section.keys():
            said = f"has no effect in [services.{service}]: it must be the same for all services of a client"
            raise ConfigError(name, said, f"Set {name} outside of the section")
    own = {name: settings.services.get(name, {}).get("safe") for name in _SERVICES}
    if settings.safe or any(own.values()):
        operations = {name: package(f"zxws.{name}").operations for name in _SERVICES}
        known = [operation for names in operations.values() for operation in names]
        _check_safe(settings.safe, known, "[services.NAME]")
        for name, names in own.items():
            _check_safe(cast("Collection[str]", names or ()), operations[name], "the section of its service")


def _check_safe(names: Collection[str], known: Collection[str], place: str) -> None:
    for name in sorted(set(names) - set(known)):
        said = f"the client has no operation {shown(name)} here{nearest(name, known)}"
        raise ConfigError("safe", said, f"Name operations of another service in {place}")


def _client(settings: Settings, given: Mapping[str, Any], options: CallOptions) -> Client:
    client = Client(settings, **given)
    if options == CallOptions():
        return client
    view = client.with_options()
    view._call_options = options
    return view


def _with_protocol(settings: Settings, given: ProtocolName | Mapping[ServiceName, ProtocolName]) -> Settings:
    """Return the settings with another protocol. Raises ConfigError for a service that has no choice."""
    services = get_args(ServiceName)
    if not isinstance(given, str | Mapping):  # mypy would have said so
        known = ", ".join(get_args(ProtocolName))
        raise ConfigError(
            "protocol", f"{shown(given)} is neither a name nor a table", f"Protocols are: {known}"
        )
    chosen = dict.fromkeys(services, given) if isinstance(given, str) else dict(given)
    for service in chosen:
        if service not in services:
            known = ", ".join(services)
            raise ConfigError(
                "protocol", f"{service!r} has no choice of protocol", f"Those that have: {known}"
            )
    return settings.replaced(
        publisher_protocol=chosen.get("publisher", settings.publisher_protocol),
        data_protocol=chosen.get("data", settings.data_protocol),
    )
