# ruff: noqa: RUF009 - setting() declares a field, as dataclasses.field does
"""How calls to a service of any WSDL are made: limits, checks, what may be repeated, TLS."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar, Final
from zoneinfo import ZoneInfo

from soapclient.errors import ConfigError
from soapclient.settings.calls import CallSettings
from soapclient.settings.configuration import Config
from soapclient.settings.settings import InvalidValue, Kind, setting, settings_of


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
_ZONE: Final = Kind("None, or a tzinfo such as zoneinfo.ZoneInfo gives", _check_zone)
_REPORT_ZONE: Final = Kind("a tzinfo such as zoneinfo.ZoneInfo gives", _check_report_zone)


@dataclass(frozen=True, kw_only=True)
class ServiceSettings(CallSettings):
    """Each checked on construction; ConfigError names the setting and what is allowed.

    What it shares with `Config` means the same there. Of its own are `safe`: operations, by their WSDL names,
    that may be repeated without harm, and are alone tried again; `naive_zone`: the zone of date-times that
    come without one (None: the zone in the package's settings, `types.naive_zone`; if that names none either,
    such date-times stay naive); and `report_zone`: the zone whose midnights are the days of a package's
    settings (`types.day`).
    """

    signature_validity_minutes: ClassVar[int] = 30
    lowercase_path: ClassVar[bool] = False
    stream_above: ClassVar[int] = 1 << 20
    rest_format: ClassVar[str] = "xml"
    rest_signature: ClassVar[str] = "headers"
    safe: Collection[str] = setting(
        frozenset(), _OPERATIONS, "operations that may be repeated without harm", argument_only=True
    )
    naive_zone: dt.tzinfo | None = setting(
        None, _ZONE, "the zone of date-times without one", argument_only=True
    )
    report_zone: dt.tzinfo = setting(dt.UTC, _REPORT_ZONE, "the zone in which days begin", argument_only=True)

    def report_tzinfo(self) -> dt.tzinfo:
        """Return `report_zone`."""
        return self.report_zone

    def naive_tzinfo(self, default: str = "") -> dt.tzinfo | None:
        """Return `naive_zone`, or else the zone `default` of a package's settings; None if that is empty.

        Raises ConfigError if this machine does not know the zone.
        """
        if self.naive_zone is not None or not default:
            return self.naive_zone
        try:
            return ZoneInfo(default)
        except (KeyError, ValueError, OSError):  # unknown, improper, a directory of the database
            problem = f"this machine does not know the zone {default}, which the package's settings name"
            advice = "Install the Python package tzdata, or pass ServiceSettings(naive_zone=…)"
            raise ConfigError("naive_zone", problem, advice) from None

    @classmethod
    def _keys(cls) -> frozenset[str]:
        return frozenset(settings_of(cls)) | frozenset(settings_of(Config))
