# ruff: noqa: RUF009 - setting() declares a field, as dataclasses.field does
"""The configuration: arguments, then the environment, then a TOML file. No service address has a default."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final, Literal
from zoneinfo import ZoneInfo, available_timezones

from soapclient.auth.credentials import Credentials, Secret
from soapclient.auth.provider import secret_in_keyring
from soapclient.errors import ConfigError, UnsupportedByProtocol
from soapclient.settings.calls import CallSettings
from soapclient.settings.settings import (
    CODES,
    CONNECT_ID,
    FLAG,
    FOLDER,
    KEYRING,
    SECRET,
    ZONE,
    SecretField,
    address,
    choice,
    integer,
    names_of,
    nearest,
    secret_setting,
    setting,
    settings_of,
)

_MIB: Final = 2**20


@dataclass(frozen=True)
class _Service:
    """What follows from a base address: the suffix per address, and whether REST paths name a format."""

    suffixes: Mapping[str, str]
    names_format: bool


_SOAP_AND_REST: Final = _Service(MappingProxyType({"wsdl": "/wsdl", "soap": "/soap", "base": ""}), True)
# REST only, without a format segment.
_REST_ONLY: Final = _Service(MappingProxyType({"base": ""}), False)
_SERVICES: Final = {"publisher": _SOAP_AND_REST, "data": _SOAP_AND_REST, "advertiser": _REST_ONLY}
_WITH_SOAP: Final = tuple(name for name, service in _SERVICES.items() if "soap" in service.suffixes)

# Addresses by what is appended to them besides the version: everything to a base, less to a single one.
_BASE: Final = address("wsdl", "soap", "xml", "json")
_REST: Final = address("xml", "json")
_ONE: Final = address()
PROTOCOL: Final = choice("soap", "rest")


@dataclass(frozen=True)
class Config(CallSettings):
    """All settings of our services, validated on construction; ConfigError names the setting, its source and
    what is allowed.

    An address follows from the service's base (`publisher_url`: + `/wsdl`, `/soap`, nothing for REST) or is
    set separately (`publisher_wsdl_url` …, without the version segment). In `load`, a base address also takes
    precedence over separate addresses of its service from a later source: another base means the complete
    service.
    """

    safe: ClassVar[frozenset[str]] = frozenset()  # beyond the operations that the contract calls safe
    connect_id: str | None = setting(None, CONNECT_ID, "identifies the account; issued with it")
    secret_key: SecretField = secret_setting(SECRET, "signs requests; issued with the account, never shown")
    keyring: str | None = setting(
        None, KEYRING, "service in this machine's keyring that has the secret key of the connect ID"
    )
    advertiser_partner_codes: tuple[str, ...] = setting((), CODES, "the default partner codes of requests")
    publisher_url: str | None = setting(None, _BASE, "base of the publisher service's addresses")
    data_url: str | None = setting(None, _BASE, "base of the data service's addresses")
    advertiser_url: str | None = setting(None, _BASE, "base of the advertiser service's address")
    publisher_base_url: str | None = setting(None, _REST, "publisher REST address, if set separately")
    publisher_wsdl_url: str | None = setting(None, _ONE, "publisher WSDL address, if set separately")
    publisher_soap_url: str | None = setting(None, _ONE, "publisher SOAP endpoint, if set separately")
    data_base_url: str | None = setting(None, _REST, "data REST address, if set separately")
    data_wsdl_url: str | None = setting(None, _ONE, "data WSDL address, if set separately")
    data_soap_url: str | None = setting(None, _ONE, "data SOAP endpoint, if set separately")
    advertiser_base_url: str | None = setting(None, _ONE, "advertiser REST address, if set separately")
    signature_placement: Literal["auto", "body", "headers"] = setting(
        "auto", choice("auto", "body", "headers"), "where a SOAP request has its signature (auto: both)"
    )
    publisher_protocol: str = setting("soap", PROTOCOL, "the protocol of publisher calls")
    data_protocol: str = setting("soap", PROTOCOL, "the protocol of data calls")
    rest_format: str = setting(
        "xml", choice("xml", "json"), "the format of REST bodies, where there is a choice"
    )
    rest_signature: str = setting(
        "headers", choice("headers", "query"), "where a REST request has its signature"
    )
    signing_names: Mapping[str, str] = setting(
        {}, names_of(*_WITH_SOAP), "service names in SOAP signatures, where they differ from the contract's"
    )
    lowercase_path: bool = setting(False, FLAG, "sign paths in lower case")
    signature_validity_minutes: int = setting(
        30, integer(1, 1440), "how long a signature is valid, in minutes"
    )
    stream_above: int = setting(
        _MIB, integer(0, 2**50), "responses larger than this are read as a stream, in bytes"
    )
    naive_zone: str = setting(
        "Europe/Berlin", ZONE, "time zone of date-times that the service sends without one"
    )
    report_zone: str = setting("Europe/Berlin", ZONE, "time zone in which a report's day begins")
    state_dir: str | None = setting(
        None, FOLDER, "state directory: remembers ordered exports, so that none is ordered twice"
    )
    on_column_drift: str = setting(
        "report",
        choice("report", "error"),
        "an export with unexpected columns: report it or raise an error",
    )

    @classmethod
    def _follow_from(cls, values: Mapping[str, object]) -> frozenset[str]:
        """The single addresses that follow from the base addresses among `values`."""
        given = [name for name in _SERVICES if f"{name}_url" in values]
        return frozenset(_address(name, each) for name in given for each in _SERVICES[name].suffixes)

    @classmethod
    def _found(
        cls,
        file: str | os.PathLike[str] | None,
        profile: str | None,
        environ: Mapping[str, str] | None,
        arguments: Mapping[str, object],
    ) -> dict[str, tuple[object, str]]:
        """As `CallSettings._found`; the secret key may lie in the machine's keyring."""
        found = super()._found(file, profile, environ, arguments)
        service, _ = found.get("keyring", (None, ""))
        connect_id, _ = found.get("connect_id", (None, ""))
        if isinstance(service, str) and isinstance(connect_id, str) and "secret_key" not in found:
            secret = Secret(secret_in_keyring(service, connect_id))
            found["secret_key"] = secret, f"the keyring, service {service}"
        return found

    def credentials(self) -> Credentials:
        """Return connect ID and secret key, which may be missing. Raises ConfigError without a connect ID."""
        if self.connect_id is None:
            raise ConfigError("connect_id", "is not set", settings_of(Config)["connect_id"].where)
        if self.secret_key is None and self.keyring is not None:
            return Credentials(self.connect_id, secret_in_keyring(self.keyring, self.connect_id))
        return Credentials(self.connect_id, self.secret_key)

    def signing_name(self, contract: str, default: str) -> str:
        """Return the service's name in SOAP signatures: the setting's, or the contract's."""
        return self.signing_names.get(contract, default)

    def wsdl_url(self, name: str, version: str) -> str:
        """Return the address of a contract's WSDL (`{publisher_wsdl_url}/2011-03-01`)."""
        return self._versioned(name, "wsdl", "", version)

    def soap_endpoint(self, name: str, version: str) -> str:
        """Return the address of a contract's SOAP endpoint (`{data_soap_url}/2011-05-01`)."""
        return self._versioned(name, "soap", "", version)

    def rest_base(self, name: str, version: str, format: str = "xml") -> str:
        """Return the address that REST paths are appended to (`{publisher_base_url}/xml/2011-03-01`).

        `format` is the format segment; a service without one (advertiser) ignores it.
        """
        return self._versioned(name, "base", f"/{format}" if _service(name).names_format else "", version)

    def naive_tzinfo(self, default: str = "") -> ZoneInfo:
        """Return the zone of `naive_zone`, whatever a package's `default` is.

        Raises ConfigError if this machine does not know it.
        """
        return _zone("naive_zone", self.naive_zone)

    def report_tzinfo(self) -> ZoneInfo:
        """Return the zone of `report_zone`. Raises ConfigError if this machine does not know it."""
        return _zone("report_zone", self.report_zone)

    def _versioned(self, name: str, protocol: str, format_segment: str, version: str) -> str:
        suffixes = _service(name).suffixes
        if protocol not in suffixes:
            raise UnsupportedByProtocol(f"the {name} service", "SOAP")
        base, separate_name = f"{name}_url", _address(name, protocol)
        separate, shared = getattr(self, separate_name), getattr(self, base)
        if separate is None and shared is None:
            table = settings_of(Config)
            raise ConfigError(
                f"{base} or {separate_name}",
                f"the {name} service has no address, and there is no default",
                f"{table[base].where}; or only the {protocol} address as {separate_name}, "
                f"{table[separate_name].env}",
            )
        url = separate if separate is not None else shared + suffixes[protocol]
        if url.endswith(f"/{version}"):
            raise ConfigError(
                base if separate is None else separate_name,
                f"{url} must not end with the version {version}, which is appended",
                "Remove the version from the address",
            )
        return f"{url}{format_segment}/{version}"


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


def _zone(setting_name: str, key: str) -> ZoneInfo:
    try:
        return ZoneInfo(key)
    except (KeyError, ValueError, OSError):  # unknown, improper, a directory of the database
        known = available_timezones()
    where = settings_of(Config)[setting_name].where
    if not known:
        raise ConfigError(
            setting_name,
            f"the zone {key} cannot be looked up: this machine has no time zone database",
            "Install the system's package or the Python package tzdata",
        )
    raise ConfigError(
        setting_name, f"must be a time zone of this machine, got {key}{nearest(key, known)}", where
    )
