# ruff: noqa: RUF009 - setting() declares a field, as dataclasses.field does
"""The configuration: arguments, then the environment, then a TOML file. No service address has a default."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from soapclient.auth.credentials import Credentials
from soapclient.config.settings import (
    CODES,
    CONNECT_ID,
    FLAG,
    FOLDER,
    PATH,
    SECRET,
    USER_AGENT,
    ZONE,
    SecretField,
    Setting,
    address,
    choice,
    names_of,
    nearest,
    seconds,
    secret_setting,
    setting,
    settings_of,
    table_setting,
    whole_number,
)
from soapclient.config.sources import from_arguments, from_environment, from_file
from soapclient.errors import ConfigError, UnsupportedByCarrier

_GIB: Final = 2**30
_MIB: Final = 2**20


@dataclass(frozen=True)
class _Service:
    """What follows from one base address: the suffix per carrier, and whether REST paths name a format."""

    suffixes: Mapping[str, str]
    names_format: bool


_SOAP_AND_REST: Final = _Service(MappingProxyType({"wsdl": "/wsdl", "soap": "/soap", "base": ""}), True)
# service.md 1: REST only, and 9: without format segment.
_REST_ALONE: Final = _Service(MappingProxyType({"base": ""}), False)
_SERVICES: Final = {"publisher": _SOAP_AND_REST, "data": _SOAP_AND_REST, "advertiser": _REST_ALONE}
_WITH_SOAP: Final = tuple(name for name, service in _SERVICES.items() if "soap" in service.suffixes)

# Addresses by what is appended to them beside the version: to a base everything, to one by itself less.
_BASE: Final = address("wsdl", "soap", "xml", "json")
_REST: Final = address("xml", "json")
_ONE: Final = address()
CARRIER: Final = choice("soap", "rest")


@dataclass(frozen=True)
class Config:
    """All settings, each checked on construction; ConfigError names setting, place and what is allowed.

    An address follows from the service's one base (`publisher_url`: + `/wsdl`, `/soap`, nothing for REST)
    or is set by itself (`publisher_wsdl_url` …, the placeholders of service.md 1, without their version
    segment).
    """

    connect_id: str | None = setting(None, CONNECT_ID, "who asks; issued with the account")
    secret_key: SecretField = secret_setting(
        SECRET, "the key that signs; issued with the account, never shown"
    )
    advertiser_partner_codes: tuple[str, ...] = setting(
        (), CODES, "the partner codes that are asked for where none are given"
    )
    publisher_url: str | None = setting(None, _BASE, "base of the publisher service's addresses")
    data_url: str | None = setting(None, _BASE, "base of the data service's addresses")
    advertiser_url: str | None = setting(None, _BASE, "base of the advertiser service's address")
    publisher_base_url: str | None = setting(None, _REST, "publisher REST, by itself")
    publisher_wsdl_url: str | None = setting(None, _ONE, "publisher WSDL, by itself")
    publisher_soap_url: str | None = setting(None, _ONE, "publisher SOAP endpoint, by itself")
    data_base_url: str | None = setting(None, _REST, "data REST, by itself")
    data_wsdl_url: str | None = setting(None, _ONE, "data WSDL, by itself")
    data_soap_url: str | None = setting(None, _ONE, "data SOAP endpoint, by itself")
    advertiser_base_url: str | None = setting(None, _ONE, "advertiser REST, by itself")
    signature_placement: str = setting(
        "auto", choice("auto", "body", "headers"), "where a SOAP request carries its signature (auto: both)"
    )
    publisher_carrier: str = setting("soap", CARRIER, "what takes publisher calls")
    data_carrier: str = setting("soap", CARRIER, "what takes data calls")
    rest_format: str = setting(
        "xml", choice("xml", "json"), "the form of REST bodies, where there is a choice"
    )
    rest_signature: str = setting(
        "headers", choice("headers", "query"), "where a REST request carries its signature"
    )
    signing_names: Mapping[str, str] = table_setting(
        names_of(*_WITH_SOAP), "service names in SOAP signatures, where they differ from the contract's"
    )
    lowercase_path: bool = setting(False, FLAG, "sign paths in lower case")
    signature_validity_minutes: int = setting(
        30, whole_number(1, 1440), "how long a signature is valid, in minutes"
    )
    validate: str = setting(
        "requests", choice("requests", "all", "off"), "what is checked against the schema (of replies: XML)"
    )
    drift: str = setting(
        "warn",
        choice("tolerate", "warn", "error"),
        "what an answer that departs from the contract leads to; it is counted always",
    )
    drift_log: str | None = setting(None, PATH, "where departures are kept, as JSON lines")
    timeout: float = setting(60.0, seconds(), "for one call with all its attempts, in seconds")
    connect_timeout: float = setting(10.0, seconds(), "for one connection, in seconds")
    attempts: int = setting(4, whole_number(1, 20), "how often a safe operation is tried at most")
    max_reply_bytes: int = setting(
        _GIB, whole_number(1, 2**50), "longest reply that is read, decompressed, in bytes"
    )
    stream_above: int = setting(
        _MIB, whole_number(0, 2**50), "replies longer than this are read as a stream, in bytes"
    )
    naive_zone: str = setting("Europe/Berlin", ZONE, "zone of date-times the service sends without one")
    report_zone: str = setting("Europe/Berlin", ZONE, "zone in which a report's day begins")
    state_dir: str | None = setting(
        None, FOLDER, "folder that remembers which exports were ordered, so that none is ordered twice"
    )
    on_column_drift: str = setting(
        "report",
        choice("report", "error"),
        "an export with other columns than it should have: report or refuse",
    )
    user_agent: str = setting("", USER_AGENT, "appended to the User-Agent header")

    def __post_init__(self) -> None:
        for each in self.settings():
            value = getattr(self, each.name)
            if value is not None or each.default is not None:
                object.__setattr__(self, each.name, each.read(value, f"the argument {each.name}"))

    @classmethod
    def load(
        cls,
        *,
        file: str | os.PathLike[str] | None = None,
        environ: Mapping[str, str] | None = None,
        **arguments: object,
    ) -> Config:
        """Read the configuration: arguments go before the environment, and that before the TOML file.

        `file` is the TOML file, or else the one SOAPCLIENT_CONFIG names; no file is read without being
        named. `environ` is os.environ if not given. A base address also goes before the single addresses of
        its service that come from a later source: whoever passes another base means the whole service.
        """
        environ = os.environ if environ is None else environ
        table = settings_of(cls)
        values: dict[str, object] = {}
        for layer in (
            from_arguments(table, arguments),
            from_environment(table, environ),
            from_file(table, file, environ),
        ):
            settled = values.keys() | _follow_from(values)
            values |= {name: value for name, value in layer.items() if name not in settled}
        checked: Callable[..., Config] = cls  # the table has seen to the types
        return checked(**values)

    @classmethod
    def settings(cls) -> tuple[Setting, ...]:
        """Return the table of settings: name, environment variable, default, kind and a line about each."""
        return tuple(settings_of(cls).values())

    def credentials(self) -> Credentials:
        """Return connect ID and secret key, which may be missing. Raises ConfigError without a connect ID."""
        if self.connect_id is None:
            raise ConfigError("connect_id", "is not set", settings_of(Config)["connect_id"].where)
        return Credentials(self.connect_id, self.secret_key)

    def signing_name(self, contract: str, default: str) -> str:
        """Return the service's name in SOAP signatures: the setting's, or else the contract's own."""
        return self.signing_names.get(contract, default)

    def wsdl_url(self, name: str, version: str) -> str:
        """Return the address of a contract's WSDL (`{publisher_wsdl_url}/2011-03-01`)."""
        return self._versioned(name, "wsdl", "", version)

    def soap_endpoint(self, name: str, version: str) -> str:
        """Return the address of a contract's SOAP endpoint (`{data_soap_url}/2011-05-01`)."""
        return self._versioned(name, "soap", "", version)

    def rest_base(self, name: str, version: str, format: str = "xml") -> str:
        """Return the address that REST paths are appended to (`{publisher_base_url}/xml/2011-03-01`).

        `format` is the format segment; a service without one (advertiser) takes no notice of it.
        """
        return self._versioned(name, "base", f"/{format}" if _service(name).names_format else "", version)

    def naive_tzinfo(self) -> ZoneInfo:
        """Return the zone of `naive_zone`. Raises ConfigError if this machine does not know it."""
        return _zone("naive_zone", self.naive_zone)

    def report_tzinfo(self) -> ZoneInfo:
        """Return the zone of `report_zone`. Raises ConfigError if this machine does not know it."""
        return _zone("report_zone", self.report_zone)

    def _versioned(self, name: str, carrier: str, format_segment: str, version: str) -> str:
        suffixes = _service(name).suffixes
        if carrier not in suffixes:
            raise UnsupportedByCarrier(f"the {name} service", "SOAP")
        base, by_itself = f"{name}_url", _address(name, carrier)
        set_by_itself, set_as_base = getattr(self, by_itself), getattr(self, base)
        if set_by_itself is None and set_as_base is None:
            table = settings_of(Config)
            raise ConfigError(
                f"{base} or {by_itself}",
                f"no address of the {name} service is configured, and there is no default",
                f"{table[base].where}; or the {carrier} address alone as {by_itself}, {table[by_itself].env}",
            )
        url = set_by_itself if set_by_itself is not None else set_as_base + suffixes[carrier]
        if url.endswith(f"/{version}"):
            raise ConfigError(
                base if set_by_itself is None else by_itself,
                f"{url} ends with the version {version}, which is appended to it",
                "Leave the version out where the address is set",
            )
        return f"{url}{format_segment}/{version}"


def _address(name: str, carrier: str) -> str:
    return f"{name}_{carrier}_url"


def _follow_from(values: Mapping[str, object]) -> set[str]:
    """Return the single addresses that follow from the base addresses among `values`."""
    given = [name for name in _SERVICES if f"{name}_url" in values]
    return {_address(name, carrier) for name in given for carrier in _SERVICES[name].suffixes}


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
            f"the zone {key} cannot be looked up, this machine has no time zone database",
            "Install the system's package or the Python package tzdata",
        )
    raise ConfigError(
        setting_name, f"{key} is not a time zone this machine knows{nearest(key, known)}", where
    )
