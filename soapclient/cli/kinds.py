"""Kinds of values on the command line: a day, a length of time, given to click as `type=`; a service."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

import click

from soapclient.cli.contracts import SERVICES

_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0}
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SECONDS: Final = re.compile(r"\d{1,9}(\.\d{1,3})?", re.ASCII)
_PARTS: Final = re.compile(r"(\d{1,6}h)?(\d{1,6}m)?(\d{1,9}(?:\.\d{1,3})?s)?", re.ASCII)


def day(text: str) -> dt.date:
    """Read a day, written as `2026-11-01`."""
    try:
        if _DAY.fullmatch(text):
            return dt.date.fromisoformat(text)
    except ValueError:
        pass  # the 30th of February
    raise click.BadParameter(f"{text!r} is not a day: write it as 2026-11-01")


def duration(text: str) -> float:
    """Read a length of time, written as `90`, `90s`, `0.5s`, `30m` or `1h30m`; return seconds."""
    if _SECONDS.fullmatch(text):
        return float(text)
    match = _PARTS.fullmatch(text)
    if match is None or not text:
        raise click.BadParameter(f"{text!r} is not a length of time: write it as 90s, 30m or 1h30m")
    return sum(float(part[:-1]) * _UNITS[part[-1]] for part in match.groups() if part)


def service(ctx: click.Context, word: str) -> str:
    """The service that the first of several words names."""
    argument = click.Argument(["service"], metavar="SERVICE", type=click.Choice(SERVICES))
    return str(argument.type.convert(word, argument, ctx))
