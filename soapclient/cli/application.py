"""The group of commands: each is a module of its own, loaded when it is asked for."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient import __version__
from soapclient.cli.failures import Failure, failure_of
from soapclient.cli.session import Globals, tell_warnings

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

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


_JUDGING: Final = "contract"  # its exit codes 1 and 2 are verdicts
_UNCHECKED: Final = 3
_BY_SIGNAL: Final = 128  # and the number of the signal, as shells have it
_PROMISED: Final = "soapclient.cli.promised"


class Commands(click.Group):
    """Loads commands lazily, and turns what goes wrong in them into one line and an exit code.

    Before a command that judges, too, what goes wrong ends in "could not be checked" and in no verdict.
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        promised = judges(args)
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except click.ClickException as error:
            if promised:
                _end_unchecked(error)
            raise
        context.meta[_PROMISED] = promised
        return context

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
            debug = bool(ctx.params.get("debug"))
            failure = failure_of(error, traceback=debug)
            if isinstance(error, BrokenPipeError):
                raise
            if ctx.meta[_PROMISED] and not isinstance(error, click.exceptions.Exit | click.Abort):
                if isinstance(error, click.ClickException):
                    _end_unchecked(error)
                    raise
                failure = failure or Failure(_unexpected(error, debug=debug))
                _end_unchecked(failure)
            if failure is None:
                raise
            raise failure from error


def judges(arguments: Sequence[str]) -> bool:
    """Whether the arguments of a command line are those of a command whose exit codes are verdicts."""
    known = [word for before, word in zip(["", *arguments], arguments, strict=False) if before != "--config"]
    return next((word for word in known if word in COMMANDS), "") == _JUDGING


def _unexpected(error: Exception, *, debug: bool) -> str:
    if debug:
        traceback.print_exc()
    return f"could not check: {type(error).__name__}: {error}"


def _end_unchecked(error: click.ClickException) -> None:
    """Give it the exit code of "could not be checked"."""
    setattr(error, "exit_code", _UNCHECKED)  # noqa: B010 - click declares it on the class alone


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
    before = sys.stderr
    if isinstance(before, TextIOWrapper) and isinstance(before.buffer, BufferedWriter | FileIO):
        before.flush()
        buffered = BufferedWriter(_Stderr(before.fileno(), "wb", closefd=False))
        sys.stderr = TextIOWrapper(buffered, encoding=before.encoding, line_buffering=True)
    try:
        return _run()
    finally:
        if sys.stderr is not None:  # None where the process was started without one
            sys.stderr.flush()
        sys.stderr = before


class _Stderr(FileIO):
    """stderr, of which nobody has to read anything: a reader that goes away stops no work."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, or pretend to."""
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return memoryview(data).nbytes


def _run() -> int:
    # An end without a search for garbage: between what was told and the exit code, nobody should be killed.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # where the encoding lacks a letter, the rest is still worth it
            stream.reconfigure(errors="backslashreplace")
    try:
        code: object = cli.main(prog_name="soapclient", standalone_mode=False)
    except click.exceptions.Abort:
        return 130
    except KeyboardInterrupt:  # while modules were being loaded
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except SystemExit as end:
        if isinstance(end.code, int) and end.code > _BY_SIGNAL:
            return end.code
        # click's way out when stdout has no reader any more; commands end otherwise
        _forget_output()
        return _UNCHECKED if judges(sys.argv[1:]) else Failure.exit_code
    return _flushed(code if isinstance(code, int) else 0)


def _flushed(code: int) -> int:
    """The exit code, after the output has gone where it should; a reader that went away is no traceback."""
    if sys.stdout is not None:  # None where the process was started without one
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _forget_output()
            return code or Failure.exit_code
    return code


def _forget_output() -> None:
    """What is left in the buffer would be tried again, and complained about, at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
