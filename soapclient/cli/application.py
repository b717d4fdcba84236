"""The group of commands: each is a module of its own, loaded when it is asked for."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

import click

from soapclient import __version__
from soapclient.cli.failures import Failure, failure_of
from soapclient.cli.session import Globals, tell_warnings

COMMANDS = (
    "demo",
    "operations",
    "call",
    "export",
    "backfill",
    "decode",
    "drift",
    "contract",
    "sandbox",
    "sign",
    "config",
)


class Commands(click.Group):
    """Loads commands lazily, and turns what goes wrong in them into one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: object = import_module(f"soapclient.cli.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except Exception as error:
            failure = failure_of(error, traceback=bool(ctx.params.get("debug")))
            if failure is None:
                raise
            raise failure from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--config",
    "config_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="TOML file with settings; the environment goes before it.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(__version__, prog_name="soapclient")
@click.pass_context
def cli(ctx: click.Context, config_file: Path | None, debug: bool) -> None:
    """Typed, signed SOAP calls to an affiliate-tracking service, and its exports.

    `soapclient demo` shows it at work without an account. Settings come from the environment or a TOML
    file, `soapclient config` lists them.
    """
    ctx.obj = Globals(config_file)
    ctx.call_on_close(tell_warnings())


def run() -> int:
    """Run the command that `sys.argv` says; return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # where the encoding lacks a letter, the rest is still worth it
            stream.reconfigure(errors="backslashreplace")
    try:
        code: object = cli.main(prog_name="soapclient", standalone_mode=False)
        sys.stdout.flush()  # here, where a reader that went away is still no traceback
    except click.exceptions.Abort:
        return 130
    except KeyboardInterrupt:  # while modules were being loaded
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:
        # What is left in the buffer would be tried again, and complained about, at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Failure.exit_code
    return code if isinstance(code, int) else 0
