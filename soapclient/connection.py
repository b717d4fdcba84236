"""`connect`: a client for the service of any WSDL."""

from __future__ import annotations

import random as system_random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeVar, Unpack, get_args

from soapclient._support.nearest import nearest
from soapclient._support.redaction import HiddenBytes, shown
from soapclient.auth import placement
from soapclient.auth.credentials import Credentials
from soapclient.auth.provider import CredentialsProvider, Lease
from soapclient.calling.engine import Engine, Injected
from soapclient.calling.events import Attempt, Events, OnAttempt, OnHeaders, refuse_coroutines
from soapclient.clock import Clock, SystemClock
from soapclient.drift import Drift, OnFinding
from soapclient.errors import ConfigError
from soapclient.rest.engine import RestEngine
from soapclient.runtime import Package
from soapclient.runtime.operations import HeaderCaller
from soapclient.runtime.service import Attachment, OptionArguments, Service
from soapclient.settings import CommonSettings
from soapclient.settings.arguments import CommonArguments, showing, with_options
from soapclient.soap.attachments import Attachments
from soapclient.soap.engine import SoapEngine
from soapclient.soap.packages import check_address, choose_port, package_of
from soapclient.soap.zeep_options import Security, ZeepOptions

if TYPE_CHECKING:
    import requests
    from requests.auth import AuthBase

    from soapclient.soap.zeep_options import Plugin, Transport, ZeepSettings

__all__ = [
    "Attachment",
    "Attachments",
    "Attempt",
    "Credentials",
    "OnAttempt",
    "OnHeaders",
    "OptionArguments",
    "Security",
    "connect",
]

ServiceT = TypeVar("ServiceT")
ProtocolName = Literal["soap", "rest"]
_PROTOCOLS: Final = get_args(ProtocolName)

_OTHER: Final[dict[str, str]] = {"soap": "rest", "rest": "soap"}
_ONLY: Final = {"soap": {"signature_placement"}, "rest": {"rest_format", "rest_signature"}}
_FOR_SIGNATURES: Final = (
    "signature_placement",
    "signature_validity_minutes",
    "rest_signature",
    "lowercase_path",
)
_AUTH: Final = "Pass a user name and password, or an auth of requests, as connect(…, auth=…)"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@showing(CommonArguments)
def connect(
    service: Callable[[HeaderCaller], ServiceT],
    *,
    address: str | None = None,
    port: str | None = None,
    protocol: ProtocolName = "soap",
    settings: CommonSettings | None = None,
    auth: tuple[str, str] | AuthBase | None = None,
    credentials: Credentials | CredentialsProvider | None = None,
    plugins: Sequence[Plugin] = (),
    wsse: Security | Sequence[Security] | None = None,
    zeep_settings: ZeepSettings | None = None,
    transport: Transport | None = None,
    on_finding: OnFinding | None = None,
    on_headers: OnHeaders | None = None,
    on_attempt: OnAttempt | None = None,
    on_response: OnAttempt | None = None,
    clock: Clock | None = None,
    random: Callable[[], float] = system_random.random,
    **options: Unpack[CommonArguments],
) -> ServiceT:
    """Return a client for a service of a package that `bindgen init` generated.

    The client has the operations of the service as methods. It can be shared between threads. Close it, or
    use it as a context manager:

        with connect(WeatherService) as weather:
            ...

    Nothing is sent until the first call. Raises ConfigError if an argument or a setting is invalid.

    **Parameters:**

    * **service** - The generated service class.
    * **address** - *(optional)* The address to call. Defaults to the address in the WSDL. Required with
      `protocol="rest"`: the paths of the resources are appended to it.
    * **port** - *(optional)* The name of a WSDL port, or `Service/Port` if two services have ports of that
      name. Defaults to the first port of the class's port type. SOAP only.
    * **protocol** - *(optional)* `"soap"` (default) or `"rest"`. REST requires a package with REST resources:
      `[rest.…]` in its NAME.toml.
    * **settings** - *(optional)* The settings. By default they are loaded from the environment and from the
      file named by SOAPCLIENT_CONFIG. The section `[services.NAME]` overrides the common settings for the
      package of that name.
    * **auth** - *(optional)* HTTP authentication: a (user name, password) tuple, or an auth object of
      requests, such as `HTTPDigestAuth`.
    * **credentials** - *(optional)* The credentials to sign requests with, or a provider of credentials
      (docs/how-to/credentials.md). Only for packages whose settings have `[signing]`. Defaults to the
      settings `connect_id` and `secret_key`.
    * **plugins** - *(optional)* A list of zeep plugins. SOAP only.
    * **wsse** - *(optional)* WS-Security, such as `zeep.wsse.UsernameToken`, or a list of several. SOAP only.
    * **zeep_settings** - *(optional)* A `zeep.Settings` with `extra_http_headers` or `raw_response`. Other
      settings that would have no effect are refused. SOAP only.
    * **transport** - *(optional)* A `zeep.Transport`, whose requests session is used.
    * **on_finding** - *(optional)* Called as `on_finding(operation, finding, times)` if a response differs
      from the WSDL.
    * **on_headers** - *(optional)* Called as `on_headers(operation, values)` with the declared SOAP headers
      of a response. `values` maps the names of their parts to their values. SOAP only.
    * **on_attempt** - *(optional)* Called as `on_attempt(attempt)` when an attempt starts and when it ends.
    * **on_response** - *(optional)* Called as `on_response(attempt)` when the response of an attempt has
      been read.
    * **clock** - *(optional)* The clock to use instead of the system clock, for tests.
    * **random** - *(optional)* A function that returns random numbers from 0 to 1 for backoff, for tests.
    * **options** - *(optional)* Any setting by its name, such as `timeout=10` (docs/reference/settings.md).
      Overrides `settings`.
    """
    refuse_coroutines(
        on_finding=on_finding, on_headers=on_headers, on_attempt=on_attempt, on_response=on_response
    )
    wanted = with_options(CommonSettings, settings, options, connect)
    with_zeep = ZeepOptions(plugins=plugins, wsse=wsse, settings=zeep_settings, transport=transport)
    package = package_of(service)
    wanted = wanted.for_service(package.settings.name)
    if protocol not in _PROTOCOLS:
        allowed = ", ".join(_PROTOCOLS)
        raise ConfigError("protocol", f"must be one of: {allowed} (got {shown(protocol)})", "Correct it")
    _check_effect(package, protocol, options)
    table = None if protocol == "rest" else choose_port(package, str(getattr(service, "PORT_TYPE", "")), port)
    if table is None:
        _check_rest(package, port, with_zeep, on_headers)
    where = check_address(address, table, allow_http=wanted.allow_http)
    for name in sorted(wanted.safe):
        if name not in package.operations:
            hint = nearest(name, package.operations)
            raise ConfigError("safe", f"there is no operation {shown(name)}{hint}", "Name WSDL operations")
    if credentials is None and package.settings.signing is not None and wanted.connect_id is not None:
        credentials = wanted.credentials()
    _check_signing(package, credentials)
    wanted.naive_tzinfo(package.settings.naive_zone)
    clock = SystemClock() if clock is None else clock
    session = _session(wanted, with_zeep, auth)
    besides: Injected = {
        "clock": clock,
        "drift": Drift.configured(wanted, clock, on_finding),
        "lease": None if credentials is None else Lease(credentials, clock),
        "events": Events(on_attempt, on_response),
        "random": random,
    }
    if table is None:
        return service(RestEngine(package, where, wanted, session, **besides))
    return service(
        SoapEngine(
            package,
            table,
            where,
            wanted,
            session,
            with_zeep,
            placement=_placement(package, wanted),
            on_headers=on_headers,
            **besides,
        )
    )


def _placement(package: Package, settings: CommonSettings) -> placement.Placement:
    """Return the place of signatures: by default the fields that the contract declares, else HTTP headers.

    Raises ConfigError if the contract does not support the configured place.
    """
    if settings.signature_placement == "auto" or package.settings.signing is None:
        return "body"
    operations = list(package.operations.values())
    return placement.check(settings.signature_placement, package.settings, operations)


def engine_of(service: Service) -> Engine[CommonSettings]:
    """Return the engine of a service that `connect` returned."""
    engine = service._engine
    assert isinstance(engine, Engine)
    return engine


def _check_rest(
    package: Package, port: str | None, options: ZeepOptions, on_headers: OnHeaders | None
) -> None:
    """Raise ConfigError if the package has no REST resources, or if an option is for SOAP only."""
    name = package.settings.name
    if not any(operation.rest is not None for operation in package.operations.values()):
        advice = f'Say in {name}.toml which: [rest.OPERATION]. Or leave out protocol="rest"'
        raise ConfigError("protocol", f"{name} has no REST resources", advice)
    for option, value in (("port", port), ("on_headers", on_headers)):
        if value is not None:
            raise ConfigError(option, "is for SOAP, and the service goes over REST", "Leave it out")
    options.refuse_soap()


def _check_effect(package: Package, protocol: ProtocolName, options: Mapping[str, object]) -> None:
    """Raise ConfigError for an argument that has no effect on calls to this package over this protocol."""
    unused = dict.fromkeys(_ONLY[_OTHER[protocol]], f"is for {_OTHER[protocol]}")
    if package.settings.signing is None:
        unused |= dict.fromkeys(_FOR_SIGNATURES, f"is for signatures, and {package.settings.name} has none")
    unused["max_download_bytes"] = "is for exports"
    for name, value in options.items():
        if value is not None and name in unused:
            raise ConfigError(name, f"has no effect here: it {unused[name]}", "Leave it out")


def _check_signing(package: Package, credentials: Credentials | CredentialsProvider | None) -> None:
    """Raise ConfigError if the package signs but has no credentials, or has credentials but does not sign."""
    name = package.settings.name
    if package.settings.signing is None and credentials is not None:
        raise ConfigError(
            "credentials",
            f"the package {name} does not sign requests",
            f"Add [signing] to {name}.toml, or leave them out",
        )
    if package.settings.signing is not None and credentials is None:
        raise ConfigError(
            "credentials",
            f"{name} signs its requests",
            "Set connect_id and secret_key, or pass connect(…, credentials=…)",
        )


def _session(
    settings: CommonSettings,
    options: ZeepOptions,
    auth: tuple[str, str] | AuthBase | None,
) -> requests.Session:
    session = options.session(settings)
    if isinstance(auth, tuple):
        session.auth = _basic(auth)
    elif auth is not None:
        if not callable(auth):
            raise ConfigError(
                "auth",
                f"must be a (user, password) pair or a requests AuthBase, got {type(auth).__name__}",
                _AUTH,
            )
        session.auth = auth
    return session


def _basic(auth: tuple[str, str]) -> AuthBase:
    """Return Basic auth in UTF-8 (RFC 7617 2.1). requests would encode strings as Latin-1.

    Raises ConfigError, which does not show the values.
    """
    from requests.auth import HTTPBasicAuth

    if len(auth) != 2 or not all(isinstance(text, str) for text in auth):
        raise ConfigError("auth", "must be a pair of strings: user name and password (not shown)", _AUTH)
    if ":" in auth[0] or any(_CONTROL.search(text) for text in auth):
        said = "the user name has a colon, or one of the two a control character (not shown)"
        raise ConfigError("auth", said, _AUTH)
    user, password = (text.encode("utf-8", "strict") for text in auth)
    return HTTPBasicAuth(user, HiddenBytes(password))
