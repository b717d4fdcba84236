"""Hints for mistyped commands and options: names of other tools, and options in the wrong place."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import click

from soapclient._support.redaction import redact

if TYPE_CHECKING:
    from soapclient.services import Command

_COMMANDS: Final = {
    "list": "soapclient operations",
    "ls": "soapclient operations",
    "show": "soapclient describe",
    "run": "soapclient call",
    "invoke": "soapclient call",
    "settings": "soapclient config",
    "set": "soapclient config set",
    "download": "soapclient export",
    "convert": "soapclient migrate",
    **{name: f"bindgen {name}" for name in ("init", "fetch", "generate", "diff", "docs", "check")},
}
_BEFORE_THE_COMMAND: Final = ("--config", "--profile", "--debug")
# Options of other tools. The first option that the command has is suggested.
_OPTIONS: Final = {
    "--verbose": ("--trace",),
    "--start": ("--from",),
    "--since": ("--from",),
    "--end": ("--to",),
    "--until": ("--to",),
    "--wsdl": ("--file",),
    "--url": ("--address",),
    "--endpoint": ("--address",),
    "--format": ("--output-format", "-o"),
    "--jmespath": ("--query",),
    "--out": ("--output",),
}


def for_command(word: str, services: Sequence[str], rest: Sequence[str]) -> str:
    """Return a hint for `word`, an unknown command; "" if there is no hint.

    `services` are the names of the registered services, `rest` the arguments after the word.
    """
    from soapclient.cli.param_types import names_wsdl

    if word in services or names_wsdl(word):
        more = " …" if len(rest) > 1 else ""
        return f"write {redact(shlex.join(['soapclient', 'call', word, *rest[:1]]))}{more}"
    if word in ("version", "versions"):
        return "did you mean soapclient --version?"
    return f"did you mean {_COMMANDS[word]}?" if word in _COMMANDS else ""


def with_hint(
    error: click.ClickException, words: Sequence[str], commands: Mapping[str, Command]
) -> click.ClickException:
    """Hide passwords in the message of an error. If the error is an unknown option, add a hint to it.

    Returns `error`, or a new error if a hint was added.

    `words` is the command line after `soapclient`, and `commands` has all commands by name.
    """
    setattr(error, "message", redact(error.message))  # noqa: B010 - click declares it as final
    if not isinstance(error, click.NoSuchOption):
        return error
    option, ctx = error.option_name, error.ctx
    if ctx is None:
        return error
    hint = for_option(option, ctx, words) if ctx.parent is not None else _misplaced(option, words, commands)
    if not hint:
        return error
    return click.NoSuchOption(option, redact(f"No such option '{option}': {hint}"), ctx=ctx)


def for_option(option: str, ctx: click.Context, words: Sequence[str]) -> str:
    """Return a hint for an unknown option of a command; "" if there is no hint.

    `ctx` is the context of the command, and `words` is the command line after `soapclient`.
    """
    if option in _BEFORE_THE_COMMAND:
        value = [] if option == "--debug" else [_value_of(option, words) or "VALUE"]
        return f"write it before the command: {shlex.join(['soapclient', option, *value])} {ctx.info_name}"
    if ctx.info_name == "config" and option in ("--set", "--get"):
        return f"write soapclient config {'set NAME VALUE' if option == '--set' else 'NAME'}"
    if ctx.info_name == "completion" and option == "--shell":
        return "write soapclient completion bash, zsh or fish"
    known = {name: parameter for parameter in ctx.command.params for name in parameter.opts}
    if option == "--output" and ctx.info_name == "call":
        file = _value_of(option, words)
        return f"write the response to a file with > {shlex.quote(file) if file else 'FILE'}"
    other = next((name for name in _OPTIONS.get(option, ()) if name in known), "")
    if not other:
        return ""
    kind = known[other].type
    values = f" {'|'.join(map(str, kind.choices))}" if isinstance(kind, click.Choice) else ""
    return f"did you mean {other}{values}?"


def _misplaced(option: str, words: Sequence[str], commands: Mapping[str, Command]) -> str:
    """Return a hint if an option of a command is written before the command; "" if there is no hint.

    `words` is the command line after `soapclient`, and `commands` has all commands by name.
    """
    from importlib import import_module

    if option in ("-v", "-V"):
        return "did you mean --version, or --trace after `call`?"
    name = next((word for word in words if word in commands), "")
    if not name:
        return ""
    command: object = import_module(commands[name].module).command
    assert isinstance(command, click.Command)
    parameter = next((item for item in command.params if option in item.opts), None)
    if parameter is None:
        return ""
    is_flag = isinstance(parameter, click.Option) and parameter.is_flag
    value = "" if is_flag else f" {shlex.quote(_value_of(option, words) or 'VALUE')}"
    return f"write it after the command: soapclient {name} {option}{value}"


def _value_of(option: str, words: Sequence[str]) -> str:
    """Return the value of an option in the command line `words`; "" if the option has no value."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == option:
            return value if equals else "" if following.startswith("-") else following
    return ""
