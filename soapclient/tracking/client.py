"""The client: one object for all services. Each service is opened on first use."""

from __future__ import annotations

import random as system_random
from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack, cast, get_args

from soapclient._support.forks import lazy
from soapclient._support.redaction import safe_url, shown
from soapclient._support.suggestions import nearest
from soapclient.auth.credentials import Credentials
from soapclient.auth.provider import CredentialsCache, CredentialsProvider
from soapclient.calling.events import Events, refuse_coroutines
from soapclient.calling.loop import CallOptions
from soapclient.clock import Clock, NonceSource, SystemClock, fresh_nonce
from soapclient.drift import Drift, OnFinding
from soapclient.errors import ConfigError
from soapclient.runtime.package import package
from soapclient.runtime.service import OptionArguments
from soapclient.services import ProtocolName
from soapclient.settings.arguments import showing, with_options
from soapclient.soap.zeep_options import ZeepOptions
from soapclient.tracking.registration import SERVICE
from soapclient.tracking.settings import Settings, SettingsArguments

if TYPE_CHECKING:
    import requests

    from soapclient.calling.engine import Engine, EngineArguments
    from soapclient.calling.events import OnAttempt
    from soapclient.runtime import Package
    from soapclient.soap.zeep_options import Plugin, Transport, Wsse, WsseFromPolicy, ZeepSettings
    from soapclient.tracking.advertiser import Advertiser
    from soapclient.tracking.data import Data
    from soapclient.tracking.publisher import Publisher

__all__ = ["Client", "ProtocolName", "ServiceName"]

ServiceName = Literal["publisher", "data"]

_SERVICES: Final = tuple(SERVICE.packages)
_OF_ALL: Final = frozenset({"drift", "drift_log", "pool_size"})


class Client:
    """The services of one account. Thread-safe. Close it, or use it as a context manager.

    Using a service without an address raises ConfigError. SOAP-only arguments raise ConfigError if no service
    uses SOAP.

    **Parameters:**

    * **settings** - *(optional)* The settings. By default they are loaded from the environment and from the
      file named by SOAPCLIENT_CONFIG.
    * **protocol** - *(optional)* `"soap"` or `"rest"` for the Publisher and the Data service, or a dict that
      maps the name of a service to its protocol. Defaults to the settings, whose default is SOAP. The
      Advertiser service supports only REST.
    * **credentials** - *(optional)* Credentials, or a provider of credentials (docs/how-to/credentials.md),
      which is called for the first time when the client is created. Defaults to the settings `connect_id` and
      `secret_key`.
    * **plugins** - *(optional)* A list of zeep plugins. SOAP only.
    * **wsse** - *(optional)* WS-Security, such as `soapclient.security.Security`, or a list of several. SOAP
      only.
    * **zeep_settings** - *(optional)* A `zeep.Settings`. Only `extra_http_headers` and `raw_response` have an
      effect. Raises ConfigError if any other setting is changed. SOAP only.
    * **transport** - *(optional)* A `zeep.Transport`, whose requests session is used, for SOAP and REST.
    * **on_finding** - *(optional)* Called as `on_finding(operation, finding, times)` if a response differs
      from the contract. `times` is how often this difference occurs in the response. `client.drift` counts
      all differences.
    * **on_attempt** - *(optional)* Called as `on_attempt(attempt)` when an attempt starts and when it ends.
    * **on_response** - *(optional)* Called as `on_response(attempt)` when the response of an attempt has
      been read. Exceptions in these callbacks are logged (docs/how-to/logging.md).
    * **clock** - *(optional)* The clock to use instead of the system clock, for tests.
    * **nonce_source** - *(optional)* A function that returns the nonce of a signature, for tests.
    * **random** - *(optional)* A function that returns random numbers from 0 to 1 for backoff, for tests.
    * **options** - *(optional)* Any setting by its name. Overrides `settings`. Meanings, units and defaults:
      docs/reference/settings.md. Account: `connect_id`, `secret_key`, `keyring`. Seconds: `deadline` (of a
      call), `timeout` (of an attempt), `connect_timeout`. Retries: `attempts`, `safe`. Time zones:
      `naive_zone`, `report_zone`. HTTP: `verify`, `certificate`, `proxies`, `proxy_credentials`, `headers`,
      `user_agent`, `pool_size`, `allow_http`, `allow_private`, `request_id_header`. Limits:
      `max_response_bytes`, `max_response_nodes`, `max_response_parts`, `max_compression_ratio`,
      `max_download_bytes`, `stream_above` (bytes). Responses: `validate`, `on_invalid_value`, `drift`,
      `drift_log`. Signature: `signature_placement`, `rest_signature`, `lowercase_path`,
      `signature_validity_minutes`. WS-Security: `security`. MTOM: `mtom`, `mtom_above` (bytes). REST:
      `rest_format`. Single services: `services`. Addresses:
      `publisher_url`, `data_url`, `advertiser_url`, and in parts `publisher_base_url`, `publisher_wsdl_url`,
      `publisher_soap_url`, `data_base_url`, `data_wsdl_url`, `data_soap_url`, `advertiser_base_url`. The
      tracking service: `publisher_protocol`, `data_protocol`, `advertiser_partner_codes`, `signing_names`,
      `state_dir`, `on_column_drift`.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> with Client(timeout=20) as client:
    ...     sales = client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate", items=2)
    ...     print(len(sales.sale_items))
    2
    """

    @showing(SettingsArguments)
    def __init__(
        self,
        settings: Settings | None = None,
        *,
        protocol: ProtocolName | Mapping[ServiceName, ProtocolName] | None = None,
        credentials: Credentials | CredentialsProvider | None = None,
        plugins: Sequence[Plugin] = (),
        wsse: Wsse | WsseFromPolicy | Sequence[Wsse | WsseFromPolicy] | None = None,
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
        passed = {
            "credentials": None if isinstance(credentials, Credentials) else credentials,
            "plugins": plugins,
            "wsse": wsse,
            "zeep_settings": zeep_settings,
            "transport": transport,
            "on_finding": on_finding,
            "on_attempt": on_attempt,
            "on_response": on_response,
        }
        self._passed = {name: value for name, value in passed.items() if value}
        settings = with_options(Settings, settings, options, Client.__init__)
        refuse_coroutines(on_finding=on_finding, on_attempt=on_attempt, on_response=on_response)
        self._clock = SystemClock() if clock is None else clock
        self._lease = None if credentials is None else CredentialsCache(credentials, self._clock)
        if self._lease is not None:
            current = self._lease.current()
            settings = settings.replaced(connect_id=current.connect_id, secret_key=current.secret_key)
        self.settings = settings if protocol is None else _with_protocol(settings, protocol)
        _check_sections(self.settings)
        self._options = ZeepOptions(plugins=plugins, wsse=wsse, settings=zeep_settings, transport=transport)
        if {self.settings.publisher_protocol, self.settings.data_protocol} == {"rest"}:
            self._options.refuse_soap()
        self._on_attempt = on_attempt
        self._on_response = on_response
        self._origin: Client | None = None  # the client, if this is a view
        self._call_options = CallOptions()
        self.drift = Drift.configured(self.settings, self._clock, on_finding)
        self._nonce_source = nonce_source
        self._random = random
        self._engines: list[Engine[Settings]] = []
        self._closed = False

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the settings, without secrets (see `Settings.carrying_secrets`), and the other arguments.

        `clock`, `nonce_source` and `random` are not pickled.
        """
        return _client, (self.settings, self._passed, self._call_options)

    @lazy
    def publisher(self) -> Publisher:
        """The Publisher service, version 2011-03-01."""
        from soapclient.tracking.publisher import Publisher
        from zxws.publisher.service import PACKAGE

        return Publisher(self._engine(PACKAGE, self.settings.publisher_protocol))

    @lazy
    def data(self) -> Data:
        """The Data export service, version 2011-05-01."""
        from soapclient.tracking.data import Data
        from zxws.data.service import PACKAGE

        return Data(self._engine(PACKAGE, self.settings.data_protocol))

    @lazy
    def advertiser(self) -> Advertiser:
        """The Advertiser service, version 2015-03-01."""
        from soapclient.tracking.advertiser import Advertiser
        from zxws.advertiser.service import PACKAGE

        return Advertiser(self._engine(PACKAGE, "rest"))

    def with_options(self, **given: Unpack[OptionArguments]) -> Client:
        """Return a view of this client with other call options.

        The view and the client share their connections, the retry quota and the counter of contract drift.

        client.with_options(deadline=5, attempts=1).publisher.get_profile()

        - `deadline` (the complete call), `timeout` (one attempt): in seconds.
        - `headers`: sent with each request, in addition to the headers of the settings.
        - `request_id`: used for all calls, instead of a new id for each call.
        - `soapheaders`: lxml elements to add to each SOAP envelope. The contract need not declare them.

        A view of a view combines the options of both views. Closing a view does nothing. Raises ConfigError
        if an option is invalid.
        """
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__)
        for name in _SERVICES:
            view.__dict__.pop(name, None)
        view._origin = self._origin or self
        view._call_options = self._call_options.changed(**given)
        return view

    def close(self) -> None:
        """Close all connections. Running calls finish, later calls raise ClientClosed.

        Does nothing on a view.
        """
        if self._origin is None:
            self._closed = True
            for engine in self._engines:
                engine.close()

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the services, their protocols and addresses."""
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
        settings = self.settings.for_service(package.settings.name)
        engine = open_engine(
            package,
            protocol,
            settings,
            self._options,
            self._session(settings),
            clock=self._clock,
            nonce_source=self._nonce_source,
            random=self._random,
            drift=self.drift,
            events=Events(self._on_attempt, self._on_response),
            lease=self._lease,
        )
        self._engines.append(engine)
        if self._closed:  # so that calls of this service raise ClientClosed, too
            engine.close()
        return engine

    def _session(self, settings: Settings) -> requests.Session | None:
        """Return the session that the client's services share.

        `settings` are the settings of one of the services. If this service has its own section
        `[services.NAME]`, returns None, because the service then gets a separate session.
        """
        if settings is not self.settings:
            return None
        if "_shared" not in self.__dict__:  # of two threads at once, the second uses the first one's
            self.__dict__.setdefault("_shared", self._options.session(settings))
        session: requests.Session = self.__dict__["_shared"]
        return session


def open_engine(
    package: Package,
    protocol: str,
    settings: Settings,
    options: ZeepOptions | None = None,
    session: requests.Session | None = None,
    **given: Unpack[EngineArguments],
) -> Engine[Settings]:
    """Return the engine that calls the operations of a generated package. Sends nothing.

    `options` are the zeep options. The keyword arguments `given` are passed to the engine. `session`
    and the keyword argument `lease` (the cache of the credentials) are created from the settings if they are
    missing or None. Raises ConfigError if the address, the connect ID or the placement of the signature is
    invalid.
    """
    known, options = package.settings, options or ZeepOptions()
    soap = protocol != "rest"
    if soap:
        address = settings.soap_endpoint(known.name, known.version)
    else:
        from soapclient.rest.engine import RestEngine, is_json

        form = "json" if is_json(package, settings) else "xml"
        address = settings.rest_base(known.name, known.version, form)
    if given.get("lease") is None:
        given["lease"] = CredentialsCache(settings.credentials())
    if known.signing is not None:
        given["service_name"] = settings.signing_name(known.name, known.signing.service_name)
    session = options.session(settings) if session is None else session
    if not soap:
        return RestEngine(package, address, settings, session, **given)
    from soapclient.soap.engine import SoapEngine

    return SoapEngine(package, known.ports[0], address, settings, session, options, **given)


def services_of(settings: Settings) -> list[tuple[str, str]]:
    """Return the name and a description of each service, such as ("data", "soap, https://…").

    The description has the protocol and the address, or `no address` if it is not configured.
    """
    protocols = {
        "publisher": settings.publisher_protocol,
        "data": settings.data_protocol,
        "advertiser": "rest",
    }
    services = []
    for name, protocol in protocols.items():
        own = f"{name}_soap_url" if protocol == "soap" else f"{name}_base_url"
        address: str | None = getattr(settings, own) or getattr(settings, f"{name}_url")
        services.append((name, f"{protocol}, {safe_url(address) if address else 'no address'}"))
    return services


def _check_sections(settings: Settings) -> None:
    """Check the sections `[services.NAME]` of the settings.

    Raises ConfigError in three cases:

    - NAME looks like a misspelt service.
    - A section contains a setting that must be the same for all services.
    - The setting `safe` (operations that can be retried without harm) names an unknown operation.
    """
    for service, section in settings.services.items():
        if service not in _SERVICES:  # perhaps a service of `connect`
            if hint := nearest(service, _SERVICES):
                raise ConfigError(
                    f"services.{service}", f"is not a service of the client{hint}", "Correct the name"
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
            _check_safe(cast("Collection[str]", names or ()), operations[name], "the section of that service")


def _check_safe(names: Collection[str], known: Collection[str], place: str) -> None:
    for name in sorted(set(names) - set(known)):
        problem = f"{shown(name)} is not an operation of this service{nearest(name, known)}"
        raise ConfigError("safe", problem, f"Correct the name. Set operations of other services in {place}")


def _client(settings: Settings, given: Mapping[str, Any], options: CallOptions) -> Client:
    client = Client(settings, **given)
    if options == CallOptions():
        return client
    view = client.with_options()
    view._call_options = options
    return view


def _with_protocol(settings: Settings, given: ProtocolName | Mapping[ServiceName, ProtocolName]) -> Settings:
    """Return the settings with other protocols. `given` is one protocol, or a dict (service → protocol).

    Raises ConfigError if the dict names a service whose protocol cannot be chosen.
    """
    services = get_args(ServiceName)
    if not isinstance(given, str | Mapping):  # for callers without a type checker
        known = ", ".join(get_args(ProtocolName))
        raise ConfigError(
            "protocol",
            f"must be a protocol or a table of protocols, got {shown(given)}",
            f"The protocols are: {known}",
        )
    chosen = dict.fromkeys(services, given) if isinstance(given, str) else dict(given)
    for service in chosen:
        if service not in services:
            known = ", ".join(services)
            raise ConfigError(
                "protocol",
                f"the protocol of {service!r} cannot be chosen",
                f"It can be chosen for: {known}",
            )
    return settings.replaced(
        publisher_protocol=chosen.get("publisher", settings.publisher_protocol),
        data_protocol=chosen.get("data", settings.data_protocol),
    )
