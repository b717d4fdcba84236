"""Shared parts of commands: configuration, request fields, clients, printing responses and warnings."""

from __future__ import annotations

import logging
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import click

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import clean
from soapclient.cli.hints import for_option

if TYPE_CHECKING:
    from soapclient.cli.contracts import Account
    from soapclient.cli.request import FieldValue
    from soapclient.drift import Drift
    from soapclient.settings import CommonSettings

AccountT = TypeVar("AccountT", bound="Account")

_FINDINGS: Final = {
    "element": "unknown element",
    "attribute": "unknown attribute",
    "value": "unknown value",
    "missing": "missing, although required",
    "naive-time": "date-time without a zone",
    "shortened": "shortened (part finer than microseconds, zone of a date, or attribute of a nil element)",
    "schema": "not valid by the schema",
}
_LONG_NAME: Final = LazyPattern(r"-[A-Za-z][\w-]+(=.*)?", re.DOTALL)  # a name after one dash
_WARNED: Final = "soapclient.cli.warned"
JSON_ANYWAY: Final = click.option(
    "--json", expose_value=False, is_flag=True, help="Print JSON (the default)."
)


@dataclass(frozen=True)
class GlobalOptions:
    """The options that precede the command: --config and --profile."""

    config_file: Path | None = None
    profile: str | None = None

    def words(self) -> list[str]:
        """Return the options as command-line arguments, for a command that is suggested to the user."""
        pairs = (("--config", self.config_file), ("--profile", self.profile))
        return [word for name, value in pairs if value is not None for word in (name, str(value))]


def given() -> GlobalOptions:
    """Return the global options of the current command line; the defaults if no command is running."""
    context = click.get_current_context(silent=True)
    return (None if context is None else context.find_object(GlobalOptions)) or GlobalOptions()


def load_config(others: Iterable[str] = ()) -> CommonSettings:
    """Load the settings of all services from the environment and the configuration file.

    Environment variables override the file. --config or SOAPCLIENT_CONFIG names the file, and --profile or
    SOAPCLIENT_PROFILE names the profile to use from it.

    Prints a warning for each SOAPCLIENT_ variable that is not a setting. There is no warning for the
    variables with the names `others`, which other code uses.
    """
    from soapclient.cli.contracts import settings_class

    options, sources = given(), list(others)
    try:
        config = settings_class().load(file=options.config_file, profile=options.profile)
        if isinstance(config.certificate, tuple):
            sources += [str(part).removeprefix("env:") for part in config.certificate]
    finally:
        _warn_of_unknown(sources)
    return config


def _warn_of_unknown(others: Iterable[str]) -> None:
    from soapclient.cli.contracts import settings_class
    from soapclient.settings.sources import unknown_variables

    context = click.get_current_context(silent=True)
    warned = set() if context is None else context.meta.setdefault(_WARNED, set())
    for name, hint in unknown_variables(settings_class().settings(), os.environ, others):
        if name not in warned:
            warned.add(name)
            click.echo(f"soapclient: the environment variable {clean(name)} is not a setting{hint}", err=True)


class FieldsCommand(click.Command):
    """A command that takes NAME=VALUE. If the user writes `--NAME VALUE`, the error shows NAME=VALUE."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line. The error for an unknown option suggests an option or NAME=VALUE."""
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            option = error.option_name
            known = [name for parameter in self.get_params(ctx) for name in parameter.opts]
            if not option.startswith("--"):  # click reads -saleId=5 as the options -s, -a, …
                words = [f"-{word}" if _LONG_NAME.fullmatch(word) else word for word in words]
                names = (word.partition("=")[0] for word in words if word.startswith(f"-{option}"))
                option = next(names, "")
                if not option:
                    raise
            import difflib  # imported late, because few commands need it

            near = difflib.get_close_matches(option, known, n=1, cutoff=0.8)
            if near and error.option_name.startswith("--"):
                raise click.NoSuchOption(option, possibilities=near, ctx=ctx) from None
            if near:
                message = f"No such option '{option[1:]}': did you mean {near[0]}?"
                raise click.NoSuchOption(option, message, ctx=ctx) from None
            if for_option(option, ctx, words):
                raise click.NoSuchOption(option, ctx=ctx) from None
            value = next((value for word, value in _assigned(words) if word == option), "VALUE")
            field = f"{option.removeprefix('--').replace('-', '_')}={value}"
            message = f"No such option '{option}': write {shlex.quote(field)}"
            raise click.NoSuchOption(option, message, ctx=ctx) from None


def _assigned(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield a pair (option, value) for each option on the command line that has a value.

    The value is the text after `=`, or else the next argument. `words` are the arguments. Arguments that are
    not options may also be yielded.
    """
    for word, following in zip_longest(words, words[1:], fillvalue="-"):
        option, equals, value = word.partition("=")
        if equals or not following.startswith("-"):
            yield option, value if equals else following


def given_fields(words: Sequence[str]) -> FieldValue:
    """Return the fields of a request.

    `words` are either NAME=VALUE arguments or the single word `-`, which means JSON on stdin. Raises
    UsageError if the fields cannot be read or parsed.
    """
    if sys.stdin is None and "-" in words:  # the process was started without stdin
        raise click.UsageError("the argument - reads the fields from stdin, but stdin is closed")
    from soapclient.cli.request import InvalidFields, from_assignments, from_json

    read = "-" in words
    if read and len(words) > 1:
        raise click.UsageError(
            "give either the fields as NAME=VALUE, or only -, which reads the fields from stdin"
        )
    try:
        if not read:
            return from_assignments(words)
        with click.open_file("-", "rb") as stdin:
            return from_json(stdin.read())
    except InvalidFields as error:
        raise click.UsageError(str(error)) from None


def print_nothing() -> None:
    """Print on stderr that the result is empty."""
    click.echo("soapclient: nothing found", err=True)


@contextmanager
def opened(client: AccountT) -> Iterator[AccountT]:
    """Context manager that yields the client. At the end, closes it and prints its drift findings."""
    try:
        yield client
    finally:
        client.close()
        print_drift(client.drift)


def print_drift(drift: Drift) -> None:
    """Print on stderr how responses differed from the contract.

    Prints one line for each kind of difference at each place, with the number of times it occurred.
    """
    for (operation, finding), times in drift.counts().items():
        value = f" {clean(finding.detail)!r}" if finding.detail else ""
        times_text = "once" if times == 1 else f"{times} times"
        click.echo(
            f"soapclient: {operation}: {finding.path}{value}: {_FINDINGS[finding.kind]}, {times_text}",
            err=True,
        )


def print_warnings() -> Callable[[], None]:
    """Start printing on stderr the warnings that soapclient logs. Returns a function that ends this."""
    logger, handler = logging.getLogger("soapclient"), _Printer(logging.WARNING)
    logger.addHandler(handler)
    return lambda: logger.removeHandler(handler)


class _Printer(logging.Handler):
    """Prints log records on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a log record, except drift findings and failed calls."""
        # print_drift prints findings with their numbers, and commands report failed calls themselves.
        if record.name not in {"soapclient.drift", "soapclient.calls"}:
            click.echo(f"soapclient: {clean(record.getMessage(), 500)}", err=True)
