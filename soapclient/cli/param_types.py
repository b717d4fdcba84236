"""Types that click uses to parse arguments (`type=`): days, durations, files, hosts, WSDLs, services."""

from __future__ import annotations

import datetime as dt
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final, NamedTuple
from urllib.parse import urlsplit

import click

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.suggestions import nearest
from soapclient.cli.contracts import SERVICES, operation_hint, services_with

_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0}
_DAY: Final = LazyPattern(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SECONDS: Final = LazyPattern(r"\d{1,9}(\.\d{1,3})?", re.ASCII)
_PARTS: Final = LazyPattern(r"(\d{1,6}h)?(\d{1,6}m)?(\d{1,9}(?:\.\d{1,3})?s)?", re.ASCII)


def day(text: str) -> dt.date:
    """Parse a day such as `2026-11-01`."""
    try:
        if _DAY.fullmatch(text):
            return dt.date.fromisoformat(text)
    except ValueError:
        pass  # such as February 30
    raise click.BadParameter(f"{text!r} is not a day: write it as 2026-11-01")


def duration(text: str) -> float:
    """Parse a duration such as `90`, `90s`, `0.5s`, `30m` or `1h30m`. Returns seconds."""
    if _SECONDS.fullmatch(text):
        return float(text)
    match = _PARTS.fullmatch(text)
    if match is None or not text:
        raise click.BadParameter(f"{text!r} is not a duration: write it as 90s, 30m or 1h30m")
    return sum(float(part[:-1]) * _UNITS[part[-1]] for part in match.groups() if part)


class NewFile(click.Path):
    """The name of a file to write."""

    def __init__(self, *, dir_okay: bool = True) -> None:
        super().__init__(dir_okay=dir_okay, path_type=Path)

    def convert(  # click's own signature
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Refuse "" and "-", which are not names of files to write."""
        if value in ("", "-"):
            self.fail(f"{value!r} is not a file: give the name of a file", param, ctx)
        return super().convert(value, param, ctx)


class InputFile(click.File):
    """A file to read. `-` means stdin."""

    def convert(  # click's own signature
        self,
        value: str | os.PathLike[str] | IO[Any],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> IO[Any]:
        """Open the file. Raises an error if the value is `-`, but stdin is closed."""
        if value == "-" and sys.stdin is None:
            self.fail("stdin is closed", param, ctx)
        return super().convert(value, param, ctx)


def host(text: str) -> str:
    """Parse the host at which a server listens. Refuses "", which would mean all addresses of the machine."""
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise click.BadParameter(f"{text!r} is not a host: give a name or address such as 127.0.0.1")
    return text


class WsdlSource(click.Path):
    """A WSDL. An http(s) address is converted to a string, a file name to a Path."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(  # click's own signature
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Check that the address is valid or that the file exists.

        If the value is the name of a generated package, the error suggests --package.
        """
        if isinstance(value, str) and value.lower().startswith(("https://", "http://")):
            try:
                urlsplit(value)
            except ValueError:
                self.fail(f"{value!r} is not a valid address", param, ctx)
            return value
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            service, _, operation = str(value).partition("/")
            if service in SERVICES and services_with(operation, [service]):
                raise click.UsageError(f"{value!r} must be two words: {service} {operation}", ctx) from None
            hint = _package_hint(str(value), ctx) or nearest(str(value), _wsdl_files())
            raise click.BadParameter(f"{error.message}{hint}", ctx, param) from None


def _wsdl_files() -> list[str]:
    """Return the names of the WSDL files in this folder."""
    return sorted(path.name for path in Path().glob("*.wsdl"))


def _package_hint(word: str, ctx: click.Context | None) -> str:
    """Return a hint to use --package if `word` is a generated package in this folder.

    Returns "" if `word` is not a package, or if the command does not have the option --package.
    """
    takes_packages = ctx is not None and any(param.name == "package" for param in ctx.command.params)
    if takes_packages and word.isidentifier() and Path(word, "schema.json").is_file():
        return f"; to use the package, give --package {word}"
    return ""


class ServiceName(click.Choice[str]):
    """The name of a registered service.

    If the user gives the name of an operation instead, the error suggests a command line with the service
    and the operation. The suggested line begins with `command`, such as `soapclient describe`. By default,
    it begins with the command that the user called.
    """

    def __init__(self, names: Sequence[str] = SERVICES, *, command: str = "") -> None:
        super().__init__(names)
        self._command = command

    def convert(  # click's own signature
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Check the name of a service. The error for an unknown name suggests what to write instead."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            names = services_with(str(value), SERVICES if self._command else self.choices)
            command = self._command or (ctx.command_path if ctx else "soapclient call")
            message = operation_hint(names, command)
            service, _, operation = str(value).replace(":", ".").partition(".")
            if service in self.choices and services_with(operation, [service]):
                message = f"{value!r} must be two words: {service} {operation}"
            if not message:
                hint = _package_hint(str(value), ctx) or nearest(str(value), self.choices)
                if not hint and f"{value}.wsdl" in _wsdl_files():
                    hint = f"; did you mean {value}.wsdl?"
                message = f"{error.message.rstrip('.')}{hint}"
            raise click.BadParameter(message, ctx, param) from None


class Subject(NamedTuple):
    """The service that a command is about: a registered service, a WSDL or a package.

    Only one of `service`, `wsdl` and `package` has a value. `words` are the other arguments, such as the
    operation.
    """

    service: str
    wsdl: Path | str | None
    package: str | None
    words: tuple[str, ...]

    @property
    def own(self) -> bool:
        """True if the subject is a registered service."""
        return self.wsdl is None and self.package is None


def names_wsdl(word: str) -> bool:
    """Return True if a word looks like a WSDL: an address, a path with a folder, NAME.wsdl or NAME.xml."""
    return "://" in word or os.sep in word or word.lower().endswith((".wsdl", ".xml"))


def subject(ctx: click.Context, words: tuple[str, ...], file: Path | None, package: str | None) -> Subject:
    """Return the service that the arguments `[SERVICE|WSDL] …`, --file or --package select.

    `words` are the arguments. Raises UsageError if they select no service, an unknown service or
    several services.
    """
    if package is not None and file is not None:
        raise click.UsageError("give --package or --file, not both")
    if package is not None or file is not None:
        return Subject("", file, package, words)
    if not words:
        raise click.UsageError("Missing argument 'SERVICE'.")
    if names_wsdl(words[0]):
        argument = click.Argument(["wsdl"], metavar="WSDL")
        return Subject("", WsdlSource().convert(words[0], argument, ctx), None, words[1:])
    argument = click.Argument(["service"], metavar="SERVICE")
    return Subject(ServiceName().convert(words[0], argument, ctx), None, None, words[1:])


def wsdl_of(wsdl: Path | str | None, file: Path | None) -> Path | str | None:
    """Return the WSDL given as an argument or with --file. Raises UsageError if there are two."""
    if wsdl is not None and file is not None:
        raise click.UsageError("give the WSDL once: as an argument or with --file")
    return file if wsdl is None else wsdl
