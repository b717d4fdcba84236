"""The time zone of a table's date-times."""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from typing import Final

from soapclient._support.redaction import shown
from soapclient.errors import ConfigError

_OFFSET: Final = re.compile(r"[+-](?:0\d|1[0-4]):[0-5]\d", re.ASCII).fullmatch


class Zone:
    """A time zone: its `name` for Arrow and Excel, and its `tzinfo`.

    `naive` is True if the caller chose the zone. In this case, it also applies to date-times without a zone.
    """

    def __init__(self, given: str | dt.tzinfo | None) -> None:
        """Convert a name such as `Europe/Berlin`, an offset such as `+01:00`, or a tzinfo to a zone.

        None means UTC. Raises ConfigError for an invalid zone, and for a tzinfo without a standard name.
        """
        self.naive = given is not None
        self.tzinfo: dt.tzinfo = dt.UTC
        self.name = "UTC"
        if given is None or given is dt.UTC:
            return
        if isinstance(given, str):
            self.name, self.tzinfo = given, _zone_of(given)
        elif isinstance(given, zoneinfo.ZoneInfo) and given.key:
            self.name, self.tzinfo = given.key, given
        elif isinstance(given, dt.timezone) and not given.utcoffset(None) % dt.timedelta(minutes=1):
            self.name, self.tzinfo = given.tzname(None).removeprefix("UTC") or "UTC", given
        else:
            raise _refused(given)


def _zone_of(name: str) -> dt.tzinfo:
    if (offset := _OFFSET(name)) is not None:
        return dt.datetime.fromisoformat(f"2000-01-01T00:00:00{offset[0]}").tzinfo or dt.UTC
    try:
        return zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        raise _refused(name) from None


def _refused(given: object) -> ConfigError:
    return ConfigError(
        "zone",
        f"must be a zone such as 'Europe/Berlin', got {shown(given)}",
        "Pass a zone of the IANA time zone database, such as Europe/Berlin",
    )
