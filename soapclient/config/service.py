# ruff: noqa: RUF009 - setting() declares a field, as dataclasses.field does
"""How calls to a service of any WSDL are made: limits, checks, what may be repeated, TLS."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from soapclient.config.calls import CallSettings
from soapclient.config.configuration import Config
from soapclient.config.settings import FLAG, PATH, InvalidValue, Kind, setting, settings_of


def _check_verify(value: object) -> object:
    return value if isinstance(value, bool) else PATH.check(value)


def _check_certificate(value: object) -> object:
    if isinstance(value, tuple) and len(value) == 2:
        return tuple(PATH.check(each) for each in value)
    return PATH.check(value)


def _check_zone(value: object) -> object:
    if not (value is None or isinstance(value, dt.tzinfo)):
        raise InvalidValue("is no tzinfo")
    return value


def _check_report_zone(value: object) -> object:
    if not isinstance(value, dt.tzinfo):
        raise InvalidValue("is no tzinfo")
    return value


def _check_operations(value: object) -> object:
    if not isinstance(value, Collection) or isinstance(value, str):
        raise InvalidValue("is no set")
    if not all(isinstance(name, str) for name in value):
        raise InvalidValue("has what is no name")
    return frozenset(value)


_OPERATIONS: Final = Kind('a set of operations, such as {"GetThing"}', _check_operations)
_VERIFY: Final = Kind("true, false, or the path of a bundle of certificates", _check_verify)
_CERTIFICATE: Final = Kind("the path of a file, or those of certificate and key", _check_certificate)
_ZONE: Final = Kind("None, or a tzinfo such as zoneinfo.ZoneInfo gives", _check_zone)
_REPORT_ZONE: Final = Kind("a tzinfo such as zoneinfo.ZoneInfo gives", _check_report_zone)


@dataclass(frozen=True, kw_only=True)
class ServiceSettings(CallSettings):
    """Each checked on construction; ConfigError names the setting and what is allowed.

    `timeout` is for one call with all its attempts, `connect_timeout` for one connection, in seconds.
    `max_response_bytes`: the longest response that is read, decompressed. `validate`: what is checked against
    the packaged schemas. `safe`: operations, by their WSDL names, that may be repeated without harm; these
    alone are tried again, up to `attempts` times. `verify` and `certificate` are those of requests: whether,
    or by which bundle of certificates, the service's is checked, and the client's own (a file, or certificate
    and key). `allow_http`: an address without TLS may be called on other machines, too. `naive_zone`: the
    zone of date-times that come without one; None leaves them as they are. `report_zone`: the zone whose
    midnights are the days of a package's settings (`types.day`). `drift`: what a response that
    departs from the WSDL leads to, a ContractDrift where it is "error", and `drift_log` the file where
    drift findings are kept, which `soapclient drift` sums up.
    """

    safe: Collection[str] = setting(
        frozenset(), _OPERATIONS, "operations that may be repeated without harm", argument_only=True
    )
    verify: bool | str = setting(
        True, _VERIFY, "whether, or by what, certificates are checked", argument_only=True
    )
    certificate: str | tuple[str, str] | None = setting(
        None, _CERTIFICATE, "the client's certificate", argument_only=True
    )
    allow_http: bool = setting(
        False, FLAG, "whether an address without TLS may be called", argument_only=True
    )
    naive_zone: dt.tzinfo | None = setting(
        dt.UTC, _ZONE, "the zone of date-times without one", argument_only=True
    )
    report_zone: dt.tzinfo = setting(dt.UTC, _REPORT_ZONE, "the zone in which days begin", argument_only=True)

    @classmethod
    def _keys(cls) -> frozenset[str]:
        return frozenset(settings_of(cls)) | frozenset(settings_of(Config))
