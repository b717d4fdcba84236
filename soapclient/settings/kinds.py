"""Kinds of settings with special formats: durations, time zones, operations, sections of services."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Collection, Mapping
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from soapclient._support.redaction import shown
from soapclient._support.suggestions import nearest
from soapclient.errors import ConfigError
from soapclient.settings.settings import (
    ONE_DAY,
    InvalidValue,
    Kind,
    number,
    setting,
)

_ZONE_NAME: Final = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*")
_OFFSET: Final = re.compile(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])")
_OPERATION: Final = re.compile(r"[^\s,]+")


# ---- durations


class SecondsField:
    """For type checkers: set as seconds or timedelta, read as seconds. `Setting.read` converts it."""

    def __get__(self, owner: object, kind: type | None = None) -> float:
        raise NotImplementedError

    def __set__(self, owner: object, value: float | dt.timedelta) -> None: ...


class OptionalSecondsField:
    """Like `SecondsField`, or None."""

    def __get__(self, owner: object, kind: type | None = None) -> float | None: ...

    def __set__(self, owner: object, value: float | dt.timedelta | None) -> None: ...


def seconds(most: float = ONE_DAY) -> Kind:
    """Return the kind for a duration up to `most` seconds: a number greater than 0, or a timedelta."""

    def check(value: object) -> object:
        if isinstance(value, dt.timedelta):
            value = value.total_seconds()
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise InvalidValue(wanted=f"{least}, such as 30 or 2.5" if isinstance(value, str) else least)
        if value > most:
            raise InvalidValue
        return float(value)

    least = "a number of seconds greater than 0"
    return Kind(f"{least} and at most {most:g}", check, number)


def seconds_setting(default: float, about: str) -> SecondsField:
    """Declare a field for a duration."""
    return setting(default, seconds(), about)  # type: ignore[return-value] # as `setting`


def optional_seconds_setting(about: str) -> OptionalSecondsField:
    """Declare a field for a duration without a default."""
    return setting(None, seconds(), about)  # type: ignore[return-value] # as `setting`


# ---- time zones


class ZoneField:
    """For type checkers: set as a name or tzinfo, read as a name. `Setting.read` converts it."""

    def __get__(self, owner: object, kind: type | None = None) -> str | None: ...

    def __set__(self, owner: object, value: str | dt.tzinfo | None) -> None: ...


def _check_zone(value: object) -> object:
    # Do not check if the zone exists before it is needed: the machine may have no time zone database.
    if isinstance(value, ZoneInfo):
        value = value.key
    elif isinstance(value, dt.timezone):
        value = "UTC" if value == dt.UTC else str(dt.timezone(value.utcoffset(None))).removeprefix("UTC")
    if not isinstance(value, str) or not (_OFFSET.fullmatch(value) or _ZONE_NAME.fullmatch(value)):
        raise InvalidValue
    return value


ZONE: Final = Kind(
    "the name of a time zone, such as Europe/Berlin, an offset such as +02:00, or a zoneinfo.ZoneInfo",
    _check_zone,
)


def zone_setting(about: str) -> ZoneField:
    """Declare a field for a time zone, without a default."""
    return setting(None, ZONE, about)  # type: ignore[return-value] # as `setting`


def zone_named(setting_name: str, name: str, where: str) -> dt.tzinfo:
    """Return the zone for a name or an offset.

    Raises ConfigError if this machine does not know it. `where` is the advice in the error.
    """
    if name == "UTC":
        return dt.UTC
    if offset := _OFFSET.fullmatch(name):
        sign, hours, minutes = offset.groups()
        delta = dt.timedelta(hours=int(hours), minutes=int(minutes))
        return dt.timezone(-delta if sign == "-" else delta)
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, invalid, a directory of the database
        names = available_timezones()
    if not names:
        raise ConfigError(
            setting_name,
            f"cannot look up the zone {name}: this machine has no time zone database",
            "Install tzdata, the package of the system or the Python package",
        )
    problem = f"must be a time zone that this machine knows, got {name}{nearest(name, names)}"
    raise ConfigError(setting_name, problem, where)


# ---- operations


def _check_operations(value: object) -> object:
    if not isinstance(value, Collection) or isinstance(value, str | bytes | Mapping):
        raise InvalidValue
    for name in value:
        if not isinstance(name, str) or not _OPERATION.fullmatch(name):
            raise InvalidValue(f"has {shown(name)}, which is not the name of an operation")
    return frozenset(value)


OPERATIONS: Final = Kind(
    'a set of operations, such as {"GetThing"} (in the environment: GetThing,GetOther)',
    _check_operations,
    lambda text: [name.strip() for name in text.split(",")],
    printed=lambda value: ",".join(sorted(map(str, value))) if isinstance(value, Collection) else "",
)


# ---- sections


def _check_sections(value: object) -> object:
    if not isinstance(value, Mapping):
        raise InvalidValue
    for name, section in value.items():
        if not isinstance(name, str) or not isinstance(section, Mapping):
            raise InvalidValue(f"has {shown(name)}, which is not a table of settings")
    return {name: dict(section) for name, section in value.items()}


def _sections_of(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


# `LoadedSettings` checks the settings in a section by their own kinds.
SECTIONS: Final = Kind(
    "a table of settings for each service, such as [services.weather] (in the environment: JSON)",
    _check_sections,
    _sections_of,
    show=lambda value: f"a {type(value).__name__}",
    printed=lambda value: (
        ", ".join(f"[services.{name}]" for name in value) if isinstance(value, Mapping) else ""
    ),
)
