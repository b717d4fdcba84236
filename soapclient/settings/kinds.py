"""Kinds of settings with special formats: durations, time zones, operations, sections of services.

A kind (`Kind`) parses, validates and formats the values of a setting.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import shown
from soapclient._support.suggestions import nearest
from soapclient.errors import ConfigError
from soapclient.settings.settings import (
    ONE_DAY,
    InvalidValue,
    Kind,
    flag,
    number,
    setting,
)

_ZONE_NAME: Final = LazyPattern(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*")
_OFFSET: Final = LazyPattern(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])")
_OPERATION: Final = LazyPattern(r"[^\s,]+")


# ---- durations


class SecondsField:
    """The type of a duration field, for type checkers. Accepts seconds or a timedelta; returns seconds.

    At runtime, `Setting.read` converts the value.
    """

    def __get__(self, owner: object, kind: type | None = None) -> float:
        raise NotImplementedError

    def __set__(self, owner: object, value: float | dt.timedelta) -> None: ...


class OptionalSecondsField:
    """Like `SecondsField`, but the field can also be None."""

    def __get__(self, owner: object, kind: type | None = None) -> float | None: ...

    def __set__(self, owner: object, value: float | dt.timedelta | None) -> None: ...


def seconds(most: float = ONE_DAY) -> Kind:
    """Return the kind of a setting that is a duration above 0, up to `most` seconds.

    The value can be a number of seconds or a timedelta.
    """

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
    """Declare a dataclass field as a setting for a duration. `about` is the setting's help line."""
    return setting(default, seconds(), about)  # type: ignore[return-value] # as `setting`


def optional_seconds_setting(about: str) -> OptionalSecondsField:
    """Declare a dataclass field as a setting for a duration that is None by default."""
    return setting(None, seconds(), about)  # type: ignore[return-value] # as `setting`


# ---- time zones


class ZoneField:
    """The type of a time zone field, for type checkers. Accepts a name or a tzinfo; returns the name.

    At runtime, `Setting.read` converts the value.
    """

    def __get__(self, owner: object, kind: type | None = None) -> str | None: ...

    def __set__(self, owner: object, value: str | dt.tzinfo | None) -> None: ...


def _check_zone(value: object) -> object:
    # Does not check if the zone exists, because the machine may have no time zone database and the zone may
    # not be needed.
    if isinstance(value, dt.timezone):
        value = "UTC" if value == dt.UTC else str(dt.timezone(value.utcoffset(None))).removeprefix("UTC")
    elif isinstance(value, dt.tzinfo):
        from zoneinfo import ZoneInfo

        value = value.key if isinstance(value, ZoneInfo) else value
    if not isinstance(value, str) or not (_OFFSET.fullmatch(value) or _ZONE_NAME.fullmatch(value)):
        raise InvalidValue
    return value


ZONE: Final = Kind(
    "the name of a time zone, such as Europe/Berlin, an offset such as +02:00, or a zoneinfo.ZoneInfo",
    _check_zone,
)


def zone_setting(about: str) -> ZoneField:
    """Declare a dataclass field as a setting for a time zone that is None by default."""
    return setting(None, ZONE, about)  # type: ignore[return-value] # as `setting`


def zone_named(setting_name: str, name: str, where: str) -> dt.tzinfo:
    """Return the time zone called `name` (`Europe/Berlin`), or with this offset (`+02:00`).

    Raises ConfigError if this machine does not know the zone. The error contains the name of the setting
    (`setting_name`) and `where`, a sentence that says where to set it.
    """
    if name == "UTC":
        return dt.UTC
    if offset := _OFFSET.fullmatch(name):
        sign, hours, minutes = offset.groups()
        delta = dt.timedelta(hours=int(hours), minutes=int(minutes))
        return dt.timezone(-delta if sign == "-" else delta)
    from zoneinfo import ZoneInfo, available_timezones  # imported late: it reads files of the system

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, invalid, or a directory of the database
        names = available_timezones()
    if not names:
        raise ConfigError(
            setting_name,
            f"cannot look up the zone {name}: this machine has no time zone database",
            "Install tzdata, as a package of the system or with pip install tzdata",
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


# ---- keys for WS-Security

SECURITY_KEYS: Final = (
    *("key", "certificate", "key_password", "recipient_certificate", "trust"),
    *("user", "password", "saml", "max_age", "skew"),
)
"""The names that a TOML file for WS-Security may have (see `soapclient.security.SecurityKeys`)."""
_PATHS: Final = ("key", "certificate", "recipient_certificate", "trust", "saml")
_PASSWORDS: Final = ("key_password", "password")
_FILE: Final = "file:"


def located(keys: Mapping[str, object], folder: Path) -> dict[str, object]:
    """Return a copy of the settings for WS-Security (`keys`), with relative paths joined to `folder`."""
    values = dict(keys)
    for name, value in keys.items():
        if name in _PASSWORDS and isinstance(value, str) and value.startswith(_FILE):
            values[name] = _FILE + str(_located(value.removeprefix(_FILE), folder))
        elif name in _PATHS and isinstance(value, list | tuple):
            values[name] = [_located(item, folder) for item in value]
        elif name in _PATHS:
            values[name] = _located(value, folder)
    return values


def _located(path: object, folder: Path) -> object:
    return str(folder / os.path.expanduser(path)) if isinstance(path, str) and path else path


def _check_security(value: object) -> object:
    if value is False:
        return False
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        if not value or "\0" in value:
            raise InvalidValue
        return value
    if not isinstance(value, Mapping):
        raise InvalidValue
    for name in value:
        if name not in SECURITY_KEYS:
            hint = nearest(str(name), SECURITY_KEYS)
            raise InvalidValue(f"has {shown(name)}, which is not one of {', '.join(SECURITY_KEYS)}{hint}")
    return dict(value)


SECURITY: Final = Kind(
    "the path of a TOML file with keys for WS-Security, a table with these keys, or false",
    _check_security,
    lambda text: False if flag(text) is False else text,
    show=lambda value: shown(value) if isinstance(value, str) else "a table",
    printed=lambda value: ", ".join(value) if isinstance(value, Mapping) else str(value),
)
