"""The options of `zeep.Client` that typed calls support, too."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, cast
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from soapclient.errors import ConfigError
from soapclient.settings import CommonSettings
from soapclient.settings.addresses import is_loopback
from soapclient.transport.session import leave_authorization, lent_session, open_session

if TYPE_CHECKING:
    import requests
    from lxml import etree
    from zeep import Plugin as Plugin
    from zeep import Settings

    from soapclient.runtime import Package
    from soapclient.runtime.schema import PortRow

    ZeepSettings = Settings
    from zeep import Transport as Transport


log = logging.getLogger(__name__)

# Settings of zeep, with advice for settings that are not supported; "" if a setting is supported.
_SETTINGS: Final = {
    "raw_response": "",
    "extra_http_headers": "",
    "strict": 'use drift="tolerate" or "warn" to read responses that differ from the contract',
    "force_https": "pass address=…, and allow_http=[host] for an address without TLS",
    "xml_huge_tree": "long texts are allowed, up to max_response_bytes",
    "forbid_dtd": "documents with a document type are always refused",
    "forbid_entities": "entities are never expanded",
    "forbid_external": "external documents are never loaded",
    "xsd_ignore_sequence_order": "elements are read in any order",
}
# Values that are always in effect, and therefore accepted.
_ALWAYS_ON: Final = {"strict": True, "forbid_dtd": True, "forbid_entities": True, "forbid_external": True}


class Wsse(Protocol):
    """Interface for WS-Security: `soapclient.security.Security`, or an object of `zeep.wsse`.

    `apply` is called for the request of each attempt, `verify` for the response to it.

    >>> from soapclient import connect
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> class Tenant:
    ...     def apply(self, envelope, headers):
    ...         return envelope, {**headers, "X-Tenant": "north"}
    ...     def verify(self, envelope):
    ...         return None
    >>> with mock("weather") as server:
    ...     with connect(WeatherService, address=server.address(), wsse=Tenant()) as service:
    ...         response = service.get_weather(city="Rome")
    """

    def apply(
        self, envelope: etree._Element, headers: dict[str, str], /
    ) -> tuple[etree._Element, dict[str, str]]:
        """Add security to an envelope. Return the envelope and the HTTP headers to send."""
        ...

    def verify(self, envelope: etree._Element, /) -> object:
        """Verify the envelope of a response, and return the envelope to read.

        If None is returned, the received envelope is read.

        Raises an error if the envelope cannot be trusted.
        """
        ...


class WsseFromPolicy(Protocol):
    """Interface for keys that can be used with any policy of a port: `soapclient.security.SecurityKeys`.

    >>> from soapclient.connection import WsseFromPolicy
    >>> from soapclient.security import SecurityKeys
    >>> keys: WsseFromPolicy = SecurityKeys(user="me", password="…")  # for connect(…, wsse=keys)
    """

    def for_port(
        self, package: Package, port: PortRow, *, over_tls: bool, authentication: Collection[str]
    ) -> Wsse:
        """Return the security object for the calls of a port.

        `over_tls` is True if the address is https, or if the caller allows http for it. `authentication` is
        how the client authenticates itself over HTTP: "basic", "digest" or "certificate".
        """
        ...

    def for_service(self, package: Package, ports: Sequence[PortRow]) -> Wsse:
        """Return the security object for one request to a mock, which has all `ports` of the service."""
        ...


class ZeepOptions(Struct, frozen=True, kw_only=True):
    """The zeep options of a client. Raises ConfigError if one is invalid.

    - `plugins` are applied to each request, after it is signed and before it is validated, and to responses.
    - `wsse` is one security object or a list of them. `for_port` converts keys for a policy
      (`WsseFromPolicy`) to security objects.
    - `settings`: only `extra_http_headers` and `raw_response` have an effect.
    - `transport`: only the auth, headers, proxies, certificates and adapters of its session are used.
    - `unsecured`: the operations whose policy requires WS-Security, each with the error that their calls
      raise. `for_port` sets this if there are no keys.
    """

    plugins: Sequence[Plugin] = ()
    wsse: Wsse | WsseFromPolicy | Sequence[Wsse | WsseFromPolicy] | None = None
    settings: ZeepSettings | None = None
    transport: Transport | None = None
    unsecured: Mapping[str, ConfigError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.plugins, Sequence):
            problem = f"must be a list, got {type(self.plugins).__name__}"
            raise ConfigError("plugins", problem, "Pass plugins=[…]")
        for name, value, members in (
            ("zeep_settings", self.settings, ("extra_http_headers", "raw_response")),
            ("transport", self.transport, ("session",)),
        ):
            if value is not None and not all(hasattr(value, member) for member in members):
                kind = "zeep.Settings" if name == "zeep_settings" else "zeep.Transport"
                problem = f"must be a {kind}, got {type(value).__name__}"
                raise ConfigError(name, problem, f"Pass a {kind}, or omit it")
        if self.settings is not None:
            checked_settings(self.settings)
        for plugin in self.plugins:
            if not all(callable(getattr(plugin, do, None)) for do in ("egress", "ingress")):
                message = f"{type(plugin).__name__} must have the methods egress and ingress"
                raise ConfigError(
                    "plugins", message, "Pass a zeep.Plugin, or an object with the same methods"
                )
        for security in self._given():
            if callable(getattr(security, "for_port", None)):
                continue
            if not all(callable(getattr(security, do, None)) for do in ("apply", "verify")):
                message = f"{type(security).__name__} must have the methods apply and verify"
                advice = "Pass soapclient.security.Security([…]), an object of zeep.wsse, or a similar object"
                raise ConfigError("wsse", message, advice)

    def refuse_soap(self) -> None:
        """Raise ConfigError if an option for SOAP is set. Called if all services of a client use REST."""
        for name, value in (("plugins", self.plugins), ("wsse", self.wsse), ("zeep_settings", self.settings)):
            if value:
                problem = "is for SOAP, but all services of this client use REST"
                raise ConfigError(
                    name, problem, 'Omit it, or choose protocol="soap" for at least one service'
                )

    def session(self, settings: CommonSettings) -> requests.Session:
        """Return a new session with the configuration from `settings`.

        If the user has passed a `transport`, the configuration of its session is applied, too.
        """
        if self.transport is None:
            return open_session(settings)
        return lent_session(self.transport.session, settings)

    def for_port(
        self,
        package: Package,
        port: PortRow,
        address: str,
        settings: CommonSettings,
        session: requests.Session,
    ) -> ZeepOptions:
        """Return a copy of the options for a port, in which keys for a policy are security objects.

        If a policy requires https, an http address is accepted only if `allow_http` allows its host. This is
        true even for an address on this machine. Raises ConfigError if the keys do not meet the policy of the
        port.

        A request is not sent without WS-Security if the policy requires it. There are two exceptions: the
        address is on this machine (a warning is logged), or the setting `security` is False.
        """
        if port.policies and not self._given() and settings.security is not False:
            return replace(self, unsecured=_unsecured(package, port, address))
        if not any(hasattr(item, "for_port") for item in self._given()):
            return self
        parts, allowed = urlsplit(address), settings.allow_http
        is_allowed = allowed if isinstance(allowed, bool) else (parts.hostname or "") in allowed
        authentication = {"basic", "digest"} if session.auth is not leave_authorization else set()
        if session.cert is not None or settings.certificate is not None:
            authentication.add("certificate")
        over_tls = is_allowed or parts.scheme.lower() == "https"
        wsse = [
            cast("WsseFromPolicy", item).for_port(
                package, port, over_tls=over_tls, authentication=authentication
            )
            if hasattr(item, "for_port")
            else item
            for item in self._given()
        ]
        return replace(self, wsse=wsse)

    @property
    def security(self) -> list[Wsse]:
        """The security objects in `wsse`, in order. Keys for a policy (`WsseFromPolicy`) are left out."""
        return [item for item in self._given() if not hasattr(item, "for_port")]

    def _given(self) -> list[Wsse | WsseFromPolicy]:
        if self.wsse is None:
            return []
        return list(self.wsse) if isinstance(self.wsse, list | tuple) else [self.wsse]  # type: ignore[list-item] # a sequence is no Wsse


def _unsecured(package: Package, port: PortRow, address: str) -> dict[str, ConfigError]:
    """Return the operations that must not be called without WS-Security, each with the error to raise.

    If the address is on this machine, such as the address of a mock, logs a warning and returns an empty
    dict.
    """
    from soapclient.runtime.policies import unsecured  # imported late: few contracts have policies

    policies = unsecured(package, port)
    if policies and is_loopback(urlsplit(address).hostname or ""):
        log.warning(
            "%s: the WS-SecurityPolicy of %s is not applied, because there are no keys (wsse). "
            "This is allowed only because the address is on this machine.",
            package.settings.name,
            ", ".join(policies),
        )
        return {}
    errors = {}
    for name, policy in policies.items():
        keys = ", ".join(f"{argument}=…" for argument in policy.keys)
        advice = "Pass the blocks as wsse=Security([…])"
        if not policy.unsupported:
            advice = f"Pass wsse=SecurityKeys({keys}), or a file with keys as security (--security)"
        problem = f"{name}: the WS-SecurityPolicy requires WS-Security ({'; '.join(policy.required)})"
        errors[name] = ConfigError(
            "wsse", problem, f"{advice}. To send requests without it, set security=False"
        )
    return errors


def checked_settings(settings: ZeepSettings | None) -> ZeepSettings:
    """Return zeep's settings in a wrapper that refuses changes of settings that have no effect here.

    Raises ConfigError if such a setting has already been changed.
    """
    import zeep

    chosen = zeep.Settings() if settings is None else settings
    if isinstance(chosen, _Settings):
        return cast("ZeepSettings", chosen)
    defaults = zeep.Settings()
    for name in _names(defaults):
        _refuse_without_effect(name, getattr(chosen, name, getattr(defaults, name)), defaults)
    return cast("ZeepSettings", _Settings(chosen, defaults))


class _Settings:
    """Wrapper for zeep's settings. Raises ConfigError if a setting that has no effect here is changed."""

    def __init__(self, settings: ZeepSettings, defaults: ZeepSettings) -> None:
        self.__dict__.update(_settings=settings, _defaults=defaults)

    # Any: zeep's settings have no types.
    def __getattr__(self, name: str) -> Any:
        return getattr(self._settings, name)

    def __setattr__(self, name: str, value: object) -> None:
        _refuse_without_effect(name, value, self._defaults)
        setattr(self._settings, name, value)

    def __call__(self, **options: object) -> Any:
        for name, value in options.items():
            _refuse_without_effect(name, value, self._defaults)
        return self._settings(**options)


def _names(settings: ZeepSettings) -> list[str]:
    slots: Sequence[str] = getattr(type(settings), "__slots__", ())
    return [*_SETTINGS, *(name for name in slots if not name.startswith("_") and name not in _SETTINGS)]


def _refuse_without_effect(name: str, value: object, defaults: ZeepSettings) -> None:
    if _SETTINGS.get(name) == "" or value == getattr(defaults, name, None) or value == _ALWAYS_ON.get(name):
        return
    advice = _SETTINGS.get(name, "")
    problem = f"zeep's setting {name}={value!r} has no effect here"
    raise ConfigError("zeep_settings", problem, f"Omit it{f': {advice}' if advice else ''}")
