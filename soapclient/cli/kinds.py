"""Kinds of values on the command line: a day, a length of time, a file to write, a host to serve at, given to
click as `type=`; a service."""

from __future__ import annotations

import datetime as dt
import os
import re
import sys
from pathlib import Path
from typing import IO, Any, Final

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


class NewFile(click.Path):
    """The name of a file that is to be written."""

    def __init__(self, *, dir_okay: bool = True) -> None:
        super().__init__(dir_okay=dir_okay, path_type=Path)

    def convert(  # click's own signature
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        if value in ("", "-"):
            self.fail(f"{value!r} is not a file: name one", param, ctx)
        return super().convert(value, param, ctx)


class InputFile(click.File):
    """A file to read, `-` for stdin, which may be closed."""

    def convert(  # click's own signature
        self,
        value: str | os.PathLike[str] | IO[Any],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> IO[Any]:
        if value == "-" and sys.stdin is None:
            self.fail("stdin is closed", param, ctx)
        return super().convert(value, param, ctx)


def host(text: str) -> str:
    """Read a host to serve at. An empty one would be all addresses of this machine."""
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise click.BadParameter(f"{text!r} is not a host: name one, such as 127.0.0.1")
    return text


def service(ctx: click.Context, word: str) -> str:
    """The service that the first of several words names."""
    argument = click.Argument(["service"], metavar="SERVICE", type=click.Choice(SERVICES))
    return str(argument.type.convert(word, argument, ctx))
