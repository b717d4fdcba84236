"""Hints for mistyped commands and options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import click

# Commands of soapclient, and names of commands in similar tools.
_COMMANDS: Final = {
    **{
        name: f"soapclient {name}"
        for name in (
            "call",
            "console",
            "contract",
            "decode",
            "describe",
            "drift",
            "migrate",
            "mock",
            "table",
            "try",
        )
    },
    "new": "bindgen init",
    "create": "bindgen init",
    "download": "bindgen fetch",
    "build": "bindgen generate",
    "compare": "bindgen diff",
}
_OPTIONS: Final = {
    "--wsdl": ("--file",),
    "--input": ("--file",),
    "--output": ("--out",),
    "--dir": ("--out",),
}


def for_command(word: str, names: Iterable[str]) -> str:
    """Return a hint for a word that is not a command, such as `; did you mean bindgen init?`.

    Returns "" if there is no hint. `names` are the commands of bindgen.
    """
    from soapclient._support.suggestions import nearest

    if word.lower().endswith((".wsdl", ".xml")) or "://" in word:
        return "; to generate a package, write bindgen init NAME WSDL"
    if word in _COMMANDS:
        return f"; did you mean {_COMMANDS[word]}?"
    return nearest(word, list(names))


def with_hint(error: click.ClickException) -> click.ClickException:
    """Remove passwords from the message of an error, and return the error.

    For an unknown option, such as `--output`, return a new error that names the option of the command with
    this meaning, if there is one.
    """
    from soapclient._support.redaction import redact

    setattr(error, "message", redact(error.message))  # noqa: B010 - click declares it as final
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    known = {name for parameter in error.ctx.command.params for name in parameter.opts}
    other = next((name for name in _OPTIONS.get(error.option_name, ()) if name in known), None)
    if other is None:
        return error
    message = f"No such option '{error.option_name}': did you mean {other}?"
    return click.NoSuchOption(error.option_name, message, ctx=error.ctx)
