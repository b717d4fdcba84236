"""Hints for mistyped commands and options: names of other tools, and options in the wrong place."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

import click

from soapclient._support.redaction import redact

_COMMANDS: Final = {
    "list": "soapclient operations",
    "ls": "soapclient operations",
    "show": "soapclient describe",
    "run": "soapclient call",
    "invoke": "soapclient call",
    "settings": "soapclient config",
    "download": "soapclient export",
    **{name: f"bindgen {name}" for name in ("init", "fetch", "generate", "diff", "docs")},
}
_BEFORE_THE_COMMAND: Final = ("--config", "--profile", "--debug")
_OPTIONS: Final = {
    "--verbose": "--trace",
    "--start": "--from",
    "--since": "--from",
    "--end": "--to",
    "--until": "--to",
    "--wsdl": "--file",
    "--url": "--address",
    "--endpoint": "--address",
}


def for_command(word: str, services: Sequence[str], rest: Sequence[str]) -> str:
    """Return a hint for a word that is not a command, or "".

    `services` are the names of the registered services, `rest` the arguments after the word.
    """
    from soapclient.cli.param_types import names_wsdl

    if word in services or names_wsdl(word):
        more = " …" if len(rest) > 1 else ""
        return f"write {redact(shlex.join(['soapclient', 'call', word, *rest[:1]]))}{more}"
    return f"did you mean {_COMMANDS[word]}?" if word in _COMMANDS else ""


def with_hint(error: click.ClickException) -> click.ClickException:
    """Return the error for an unknown option with a hint; any other error unchanged."""
    if not isinstance(error, click.NoSuchOption):
        return error
    hint = for_option(error.option_name, error.ctx)
    if not hint:
        return error
    return click.NoSuchOption(
        error.option_name, f"No such option '{error.option_name}': {hint}", ctx=error.ctx
    )


def for_option(option: str, ctx: click.Context | None) -> str:
    """Return a hint for an unknown option of a command, or "". `ctx` is the context of the command."""
    if ctx is None or ctx.parent is None:
        return ""
    if option in _BEFORE_THE_COMMAND:
        words = ["soapclient", option]
        words += [] if option == "--debug" else ["VALUE"]
        return f"write it before the command: {' '.join(words)} {ctx.info_name}"
    if option == "--output" and ctx.info_name == "call":
        return "write the response to a file with > FILE"
    other = _OPTIONS.get(option, "")
    known = {name for parameter in ctx.command.params for name in parameter.opts}
    return f"did you mean {other}?" if other in known else ""
