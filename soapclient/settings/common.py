# ruff: noqa: RUF009 - setting() declares a field, as dataclasses.field does
"""Settings for calls to any service: limits, validation, retries, TLS."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from soapclient.auth.credentials import Credentials
from soapclient.auth.provider import secret_in_keyring
from soapclient.errors import ConfigError
from soapclient.settings.kinds import (
    OPERATIONS,
    SECTIONS,
    SECURITY,
    OptionalSecondsField,
    SecondsField,
    ZoneField,
    optional_seconds_setting,
    seconds_setting,
    zone_named,
    zone_setting,
)
from soapclient.settings.loading import LoadedSettings
from soapclient.settings.settings import (
    CONNECT_ID,
    FLAG,
    HEADER_NAME,
    KEYRING,
    PATH,
    SECRET,
    USER_AGENT,
    SecretField,
    choice,
    integer,
    secret_setting,
    setting,
    settings_of,
)
from soapclient.settings.transport import (
    CERTIFICATE,
    HEADERS,
    HOSTS,
    PROXIES,
    PROXY_CREDENTIALS,
    REACHED,
    VERIFY,
    Certificate,
)

_MIB: Final = 2**20
_GIB: Final = 2**30


@dataclass(frozen=True, kw_only=True)
class CommonSettings(LoadedSettings):
    """Settings for calls to any service.

    They are validated on construction. ConfigError names the setting, its source and the allowed values.
    `soapclient.Settings` adds the settings of the tracking service.

    >>> from soapclient.settings import CommonSettings
    >>> CommonSettings(timeout=20, attempts=2).replaced(attempts=3).attempts
    3
    """

    connect_id: str | None = setting(
        None, CONNECT_ID, "identifier of the account; issued with the account", per_service=False
    )
    secret_key: SecretField = secret_setting(
        SECRET, "key that signs requests; issued with the account, never shown"
    )
    keyring: str | None = setting(
        None,
        KEYRING,
        "service in this machine's keyring that has the secret key of the connect ID",
        per_service=False,
    )
    deadline: SecondsField = seconds_setting(60.0, "time limit of one call with all its attempts, in seconds")
    timeout: OptionalSecondsField = optional_seconds_setting(
        "time limit of one attempt, in seconds; if not set, two thirds of the remaining deadline"
    )
    connect_timeout: SecondsField = seconds_setting(10.0, "time limit for opening a connection, in seconds")
    attempts: int = setting(4, integer(1, 20), "maximum number of attempts of a safe operation")
    safe: Collection[str] = setting(
        frozenset(), OPERATIONS, "WSDL names of operations that can be retried without harm"
    )
    naive_zone: ZoneField = zone_setting(
        "time zone of date-times that the service sends without one; if not set, the zone that the package's "
        "settings name"
    )
    report_zone: ZoneField = zone_setting(
        "time zone in which days begin; if not set, the zone of the service, else UTC"
    )
    verify: bool | str = setting(True, VERIFY, "certificate authorities to trust")
    certificate: Certificate | None = setting(None, CERTIFICATE, "client certificate for mutual TLS")
    proxies: str | Mapping[str, str] | None = setting(
        None,
        PROXIES,
        "HTTP proxies; if not set, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY",
        hashable=False,
    )
    proxy_credentials: SecretField = secret_setting(
        PROXY_CREDENTIALS, "user name and password for the proxies in `proxies`, never shown"
    )
    headers: Mapping[str, str] = setting({}, HEADERS, "HTTP headers of each request; values are not shown")
    user_agent: str = setting("", USER_AGENT, "appended to the User-Agent header")
    pool_size: int = setting(32, integer(1, 1000), "maximum number of idle connections per host")
    allow_http: bool | Collection[str] = setting(
        (), HOSTS, "hosts that may be called without TLS, besides this machine"
    )
    allow_private: bool | Collection[str] = setting(
        (),
        REACHED,
        "hosts that are not in public networks, but from which files and contracts may be fetched; the "
        "configured hosts are always allowed",
    )
    max_response_bytes: int = setting(
        64 * _MIB,
        integer(1, 2**50),
        "maximum size of a response, decompressed, in bytes; for a stream, of the part held in memory",
    )
    max_response_nodes: int = setting(
        2_000_000,
        integer(1, 2**50),
        "maximum number of tags and attributes (XML) or values (JSON) in a response; for a stream, in the "
        "part held in memory",
    )
    max_response_parts: int = setting(
        1000, integer(1, 2**31), "maximum number of parts of a response with attachments"
    )
    max_compression_ratio: int = setting(
        200,
        integer(1, 2**31),
        "maximum size of a decompressed body, as a multiple of its compressed size; checked above 1 MiB",
    )
    max_download_bytes: int = setting(
        8 * _GIB, integer(1, 2**50), "maximum size of a downloaded export file, compressed, in bytes"
    )
    validate: Literal["requests", "all", "off"] = setting(
        "requests",
        choice("requests", "all", "off"),
        "messages that are validated against the schema (responses: XML only)",
    )
    on_invalid_value: Literal["error", "skip"] = setting(
        "error",
        choice("error", "skip"),
        "for an invalid value of an optional field in a response: raise an error, or report it and read None",
    )
    drift: Literal["tolerate", "warn", "error"] = setting(
        "warn",
        choice("tolerate", "warn", "error"),
        "reaction to contract drift; findings are always counted",
    )
    drift_log: str | os.PathLike[str] | None = setting(None, PATH, "file for drift findings, as JSON lines")
    request_id_header: str = setting(
        "X-Request-ID", HEADER_NAME, "HTTP header for the id of each call, or off"
    )
    signature_placement: Literal["auto", "body", "headers"] = setting(
        "auto",
        choice("auto", "body", "headers"),
        "place of the signature in a SOAP request; auto: the fields that the contract declares, or else HTTP "
        "headers; both if the settings of the package say so",
    )
    rest_format: Literal["xml", "json"] = setting(
        "xml", choice("xml", "json"), "format of REST bodies, if a service has both"
    )
    rest_signature: Literal["headers", "query"] = setting(
        "headers", choice("headers", "query"), "place of the signature in a REST request"
    )
    lowercase_path: bool = setting(False, FLAG, "sign paths in lower case")
    signature_validity_minutes: int = setting(
        30, integer(1, 1440), "time that a signature is valid, in minutes"
    )
    stream_above: int = setting(
        _MIB, integer(0, 2**50), "responses larger than this are read as a stream, in bytes"
    )
    mtom: Literal["auto", "always", "never"] = setting(
        "auto",
        choice("auto", "always", "never"),
        "send large binary values as parts of a multipart message; auto: if the contract says so",
    )
    mtom_above: int = setting(
        1024, integer(0, 2**50), "binary values larger than this are large (see mtom), in bytes"
    )
    security: str | os.PathLike[str] | Mapping[str, object] | Literal[False] | None = setting(
        None,
        SECURITY,
        "keys for services with a WS-SecurityPolicy: a TOML file, or a table [security]; false: send "
        "requests without WS-Security",
        hashable=False,
    )
    services: Mapping[str, Mapping[str, object]] = setting(
        {}, SECTIONS, "settings of single services, which override the common ones", per_service=False
    )

    # Default of `naive_zone` and `report_zone`.
    _ZONE: ClassVar[str] = ""

    def credentials(self) -> Credentials:
        """Return the connect ID and the secret key as `Credentials`.

        If `secret_key` is not set, the key is read from the keyring named in the setting `keyring`. If
        neither is set, the key is None. Raises ConfigError if the connect ID is not set.
        """
        if self.connect_id is None:
            raise ConfigError("connect_id", "is not set", settings_of(CommonSettings)["connect_id"].where)
        if self.secret_key is None and self.keyring is not None:
            return Credentials(self.connect_id, secret_in_keyring(self.keyring, self.connect_id))
        return Credentials(self.connect_id, self.secret_key)

    def naive_tzinfo(self, default: str | None = None) -> dt.tzinfo | None:
        """Return the time zone of date-times that the service sends without a zone; None if it is not known.

        This is the setting `naive_zone`, or else `default`, the zone in the package's settings. Raises
        ConfigError if this machine does not know the zone.
        """
        if self.naive_zone is None and default:
            where = "The package's settings name it. Install the Python package tzdata, or set naive_zone"
            return zone_named("naive_zone", default, where)
        name = self.naive_zone or (self._ZONE if default is None else default)
        return (
            zone_named("naive_zone", name, settings_of(CommonSettings)["naive_zone"].where) if name else None
        )

    def report_tzinfo(self, default: str | None = None) -> dt.tzinfo:
        """Return the time zone of reports, in which days begin and end at midnight.

        This is the setting `report_zone`, or else `default`, or else UTC. Raises ConfigError if this machine
        does not know the zone.
        """
        name = self.report_zone or (self._ZONE if default is None else default) or "UTC"
        return zone_named("report_zone", name, settings_of(CommonSettings)["report_zone"].where)

    def signing_name(self, contract: str, default: str) -> str:
        """Return the service's name for SOAP signatures of requests to `contract`.

        This class returns `default`. Subclasses can override this method, and use a setting.
        """
        return default

    def wsdl_url(self, name: str, version: str) -> str:
        """Return the address of a contract's WSDL, such as `{publisher_wsdl_url}/2011-03-01`.

        Raises ConfigError unless a subclass has settings for the address.
        """
        return self._versioned(name, "wsdl", "", version)

    def soap_endpoint(self, name: str, version: str) -> str:
        """Return the address of a contract's SOAP endpoint, such as `{data_soap_url}/2011-05-01`.

        Raises ConfigError unless a subclass has settings for the address.
        """
        return self._versioned(name, "soap", "", version)

    def rest_base(self, name: str, version: str, format: str = "xml") -> str:
        """Return the address to append REST paths to, such as `{publisher_base_url}/xml/2011-03-01`.

        `format` is the segment for the format of responses, `xml` or `json`. Services whose addresses do not
        have this segment (advertiser) ignore it. Raises ConfigError unless a subclass has settings for the
        address.
        """
        return self._versioned(name, "base", format, version)

    def _versioned(self, name: str, protocol: str, format: str, version: str) -> str:
        raise ConfigError("address", f"these settings have no address for {name}", "Use soapclient.Settings")
