# ruff: noqa: RUF009 - setting() declares a field, as dataclasses.field does
"""The settings of the tracking service, together with the settings that all services have.

Addresses have no default.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeVar

import msgspec

from soapclient._support.suggestions import nearest
from soapclient.auth.credentials import Secret
from soapclient.auth.provider import secret_in_keyring
from soapclient.errors import ConfigError, UnsupportedByProtocol
from soapclient.settings.arguments import CommonArguments
from soapclient.settings.common import CommonSettings
from soapclient.settings.kinds import (
    OptionalSecondsField,
    SecondsField,
    ZoneField,
    optional_seconds_setting,
    seconds_setting,
    zone_setting,
)
from soapclient.settings.settings import (
    CODES,
    FOLDER,
    SECRET,
    SecretField,
    address,
    choice,
    names_of,
    secret_setting,
    setting,
    settings_of,
)

__all__ = ["Settings", "SettingsArguments"]


class _Service(msgspec.Struct, frozen=True):
    """How the addresses of a service are built from its base address.

    `suffixes` maps each kind of address (`wsdl`, `soap`, or `base` for REST) to the path that is appended to
    the base address. `names_format` is True if REST paths contain the format, `xml` or `json`.
    """

    suffixes: Mapping[str, str]
    names_format: bool


T = TypeVar("T")
_SOAP_AND_REST: Final = _Service(MappingProxyType({"wsdl": "/wsdl", "soap": "/soap", "base": ""}), True)
# REST only, without a format segment.
_REST_ONLY: Final = _Service(MappingProxyType({"base": ""}), False)
_SERVICES: Final = {"publisher": _SOAP_AND_REST, "data": _SOAP_AND_REST, "advertiser": _REST_ONLY}
_WITH_SOAP: Final = tuple(name for name, service in _SERVICES.items() if "soap" in service.suffixes)

# Kinds of addresses that differ in the segments that are appended besides the version.
_BASE: Final = address("wsdl", "soap", "xml", "json")
_REST: Final = address("xml", "json")
_ONE: Final = address()
_PROTOCOL: Final = choice("soap", "rest")
_DRIFT: Final = choice("tolerate", "warn", "error")


def current_drift_name(value: T) -> T | Literal["warn"]:
    """Return "warn" for "report", its name in earlier versions. Any other value is returned unchanged."""
    return "warn" if value == "report" else value


COLUMN_DRIFT: Final = _DRIFT._replace(check=lambda value: _DRIFT.check(current_drift_name(value)))


@dataclass(frozen=True, kw_only=True)
class Settings(CommonSettings):
    """The settings of the tracking service and of all other services.

    Validated on construction. ConfigError names the setting, its source and the allowed values. `load` takes
    each setting from the first source that has it: arguments, the environment, a TOML file. A section
    `[services.NAME]` of the file, or of the setting `services`, overrides the common settings for one
    service. NAME is publisher, data, advertiser, or the name of a package from `bindgen init`.

    The addresses of a service can be set in two ways:

    - One base address, such as `publisher_url`: `/wsdl` or `/soap` is appended, nothing for REST.
    - Separate addresses, such as `publisher_wsdl_url`: complete except for the contract's version at the end,
      which is appended.

    In `load`, a base address also overrides separate addresses from a later source. For example, the argument
    `publisher_url` overrides SOAPCLIENT_PUBLISHER_WSDL_URL in the environment.

    >>> from soapclient import Settings
    >>> settings = Settings.load().replaced(timeout=20, attempts=2)
    >>> settings.timeout, settings.attempts
    (20.0, 2)
    """

    advertiser_partner_codes: Sequence[str] = setting(
        (), CODES, "default partner codes of requests", per_service=False
    )
    publisher_url: str | None = setting(
        None, _BASE, "base address of the publisher service", per_service=False
    )
    data_url: str | None = setting(None, _BASE, "base address of the data service", per_service=False)
    advertiser_url: str | None = setting(
        None, _BASE, "base address of the advertiser service", per_service=False
    )
    publisher_base_url: str | None = setting(
        None, _REST, "publisher REST address, if set separately", per_service=False
    )
    publisher_wsdl_url: str | None = setting(
        None, _ONE, "publisher WSDL address, if set separately", per_service=False
    )
    publisher_soap_url: str | None = setting(
        None, _ONE, "publisher SOAP endpoint, if set separately", per_service=False
    )
    data_base_url: str | None = setting(
        None, _REST, "data REST address, if set separately", per_service=False
    )
    data_wsdl_url: str | None = setting(None, _ONE, "data WSDL address, if set separately", per_service=False)
    data_soap_url: str | None = setting(
        None, _ONE, "data SOAP endpoint, if set separately", per_service=False
    )
    advertiser_base_url: str | None = setting(
        None, _ONE, "advertiser REST address, if set separately", per_service=False
    )
    publisher_protocol: Literal["soap", "rest"] = setting(
        "soap", _PROTOCOL, "protocol of calls to the publisher service", per_service=False
    )
    data_protocol: Literal["soap", "rest"] = setting(
        "soap", _PROTOCOL, "protocol of calls to the data service", per_service=False
    )
    signing_names: Mapping[str, str] = setting(
        {},
        names_of(*_WITH_SOAP),
        "service names in SOAP signatures, if they differ from the contract's",
        per_service=False,
    )
    state_dir: str | os.PathLike[str] | None = setting(
        None,
        FOLDER,
        "state directory: records ordered exports, so that no export is ordered twice",
        per_service=False,
    )
    on_column_drift: Literal["tolerate", "warn", "error"] = setting(
        "warn", COLUMN_DRIFT, "reaction to an export with unexpected columns", per_service=False
    )

    if TYPE_CHECKING:  # for mypy, inherited fields of a frozen dataclass have the type of their setter
        secret_key: SecretField = secret_setting(SECRET, "")
        proxy_credentials: SecretField = secret_setting(SECRET, "")
        deadline: SecondsField = seconds_setting(60.0, "")
        timeout: OptionalSecondsField = optional_seconds_setting("")
        connect_timeout: SecondsField = seconds_setting(10.0, "")
        naive_zone: ZoneField = zone_setting("")
        report_zone: ZoneField = zone_setting("")

    _ZONE: ClassVar[str] = "Europe/Berlin"

    @classmethod
    def _follow_from(cls, values: Mapping[str, object]) -> frozenset[str]:
        """Return the names of the settings that the base addresses in `values` override.

        A base address, such as `publisher_url`, overrides the separate addresses of its service, such as
        `publisher_wsdl_url`. `load` ignores the returned names in later sources.
        """
        with_base = [name for name in _SERVICES if f"{name}_url" in values]
        return frozenset(_address(name, kind) for name in with_base for kind in _SERVICES[name].suffixes)

    def signing_name(self, contract: str, default: str) -> str:
        """Return the name of the service `contract` that its SOAP signatures contain.

        This is the name in the setting `signing_names`, or `default` if the setting does not have the
        service.
        """
        return self.signing_names.get(contract, default)

    def _versioned(self, name: str, protocol: str, format: str, version: str) -> str:
        suffixes = _service(name).suffixes
        if protocol not in suffixes:
            raise UnsupportedByProtocol(f"the {name} service", "SOAP")
        base, separate_name = f"{name}_url", _address(name, protocol)
        separate, shared = getattr(self, separate_name), getattr(self, base)
        if separate is None and shared is None:
            table = settings_of(Settings)
            raise ConfigError(
                f"{base} or {separate_name}",
                f"the address of the {name} service is not set",
                f"{table[base].where}. Or set the {protocol} address only: {separate_name}, "
                f"{table[separate_name].env}",
            )
        url = separate if separate is not None else shared + suffixes[protocol]
        if url.endswith(f"/{version}"):
            raise ConfigError(
                base if separate is None else separate_name,
                f"{url} must not end with the version {version}, which is appended",
                "Remove the version from the address",
            )
        segment = f"/{format}" if format and _service(name).names_format else ""
        return f"{url}{segment}/{version}"

    @classmethod
    def _found(
        cls,
        file: str | os.PathLike[str] | None,
        profile: str | None,
        environ: Mapping[str, str] | None,
        arguments: Mapping[str, object],
    ) -> dict[str, tuple[object, str]]:
        """Return the settings that `load` finds, as a dict: name → (value, source).

        If no source has a secret key, it is read from the keyring that the setting `keyring` names.
        """
        values = super()._found(file, profile, environ, arguments)
        service, _ = values.get("keyring", (None, ""))
        connect_id, _ = values.get("connect_id", (None, ""))
        if isinstance(service, str) and isinstance(connect_id, str) and "secret_key" not in values:
            secret = Secret(secret_in_keyring(service, connect_id))
            values["secret_key"] = secret, f"the keyring, service {service}"
        return values


def own(settings: CommonSettings) -> Settings:
    """Return `settings`, typed as settings of the tracking service. Raises ConfigError if they are not."""
    if not isinstance(settings, Settings):
        raise ConfigError("settings", "must be a soapclient.Settings", "Pass Settings.load(…)")
    return settings


def _address(name: str, protocol: str) -> str:
    return f"{name}_{protocol}_url"


def _service(name: str) -> _Service:
    if name not in _SERVICES:
        raise ConfigError(
            "service",
            f"{name} is not a service{nearest(name, _SERVICES)}",
            f"The services are: {', '.join(_SERVICES)}",
        )
    return _SERVICES[name]


class SettingsArguments(CommonArguments, total=False):
    """The types of all settings as keyword arguments of `Client`. See `Settings` for their meaning.

    >>> from typing import Unpack
    >>> from soapclient import Client
    >>> from soapclient.tracking.settings import SettingsArguments
    >>> def patient_client(**options: Unpack[SettingsArguments]) -> Client:
    ...     return Client(**{"deadline": 300, **options})
    >>> with patient_client(attempts=6) as client:
    ...     print(client.settings.attempts)
    6
    """

    advertiser_partner_codes: Sequence[str] | None
    publisher_url: str | None
    data_url: str | None
    advertiser_url: str | None
    publisher_base_url: str | None
    publisher_wsdl_url: str | None
    publisher_soap_url: str | None
    data_base_url: str | None
    data_wsdl_url: str | None
    data_soap_url: str | None
    advertiser_base_url: str | None
    publisher_protocol: Literal["soap", "rest"] | None
    data_protocol: Literal["soap", "rest"] | None
    signing_names: Mapping[str, str] | None
    state_dir: str | os.PathLike[str] | None
    on_column_drift: Literal["tolerate", "warn", "error"] | None
