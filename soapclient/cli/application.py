"""The group of commands. Each command is a separate module, imported when it is needed."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient import __version__
from soapclient._support.suggestions import nearest
from soapclient.cli import completion
from soapclient.cli.failures import ExitCode, Failure, end_with, failure_of
from soapclient.cli.session import GlobalOptions, print_warnings
from soapclient.errors import ConfigError
from soapclient.services import Command, services

if TYPE_CHECKING:
    from bindgen.pipes import ForgivingFile

_GENERAL_COMMANDS: Final = {
    "Calls": {
        "operations": "List all operations, with their REST resources.",
        "describe": "Show the fields of an operation, and an example call.",
        "call": "Call any operation; print the typed response as JSON.",
        "table": "Write a list as a Parquet, CSV or Excel file, day by day.",
        "decode": "Read a recorded response; print the typed response as JSON.",
    },
    "Contracts": {
        "contract": "Compare the service's contract with the packaged one.",
        "drift": "Summarize drift logs: how responses differed from their contracts.",
    },
    "Tools": {
        "try": "Generate a package, serve a mock and a console, show a first call.",
        "mock": "Serve a mock of any WSDL until Ctrl-C.",
        "console": "See and try services in a browser, until Ctrl-C.",
        "config": "Show every setting, its value, and where to set it.",
        "migrate": "Print code for zeep as code for a generated package.",
        "completion": "Print the script that makes the Tab key complete commands.",
        "help": "Show the help of a command.",
    },
}
_KEYWORDS: Final = frozenset({"try"})  # modules cannot have these names; theirs end with "_"
# All commands by name. The order is the order in `soapclient --help`.
COMMANDS: Final[Mapping[str, Command]] = {
    **{
        name: Command(f"soapclient.cli.commands.{name}{'_' * (name in _KEYWORDS)}", heading, summary)
        for heading, summaries in _GENERAL_COMMANDS.items()
        for name, summary in summaries.items()
    },
    **{name: command for item in services().values() for name, command in item.commands.items()},
}

# Commands whose exit codes are verdicts, and the code for "could not be checked".
_UNCHECKED: Final = {"contract": 3, "drift": 2}
_BY_SIGNAL: Final = 128  # plus the number of the signal, as in shells
_PROMISED_CODE: Final = "soapclient.cli.promised"
_WORDS: Final = "soapclient.cli.words"


class Commands(click.Group):
    """The group of all commands of `soapclient`, as click uses it.

    Imports each command when it is needed, and converts errors to messages and exit codes.

    The exit codes of `contract check` and `drift` tell the result of the check. If one of these commands
    fails with an error, it has a separate exit code, which means "could not be checked".
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        """Parse the command line, and return it as a click context.

        An invalid command line raises an error. If the command is `contract` or `drift`, the error's exit
        code is the command's code for "could not be checked" (see `unchecked`).
        """
        promised, words = unchecked(args), list(args)
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except click.ClickException as error:
            from soapclient.cli.hints import with_hint

            shown_error = with_hint(error, words, COMMANDS)
            if promised is not None:
                end_with(shown_error, promised)
            raise shown_error from error.__cause__
        context.meta[_PROMISED_CODE] = promised
        context.meta[_WORDS] = words
        return context

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command and return the command. Returns None if the name is unknown."""
        if cmd_name not in COMMANDS:
            return None
        command: object = import_module(COMMANDS[cmd_name].module).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands to the help page, grouped by heading. Imports no command."""
        width = max(map(len, COMMANDS))
        for heading in dict.fromkeys(command.group for command in COMMANDS.values()):
            rows = [
                (name.ljust(width), command.summary)
                for name, command in COMMANDS.items()
                if command.group == heading
            ]
            with formatter.section(heading):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> completion.Items:
        """Complete the name of a command, or an option before the command. Imports no command."""
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*completion.commands(COMMANDS, incomplete), *options]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names.

        Returns the command's name, the command, and the arguments after its name.

        The error for an unknown command suggests a similar command, or `soapclient call` if the name is an
        operation.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from soapclient.cli import hints
            from soapclient.cli.contracts import SERVICES, operation_hint, services_with

            problem = error.message.removesuffix(".")
            if hint := hints.for_command(args[0], SERVICES, args[1:]):
                raise click.UsageError(f"{problem}; {hint}", error.ctx) from None
            if hint := operation_hint(services_with(args[0]), "soapclient call"):
                raise click.UsageError(f"{problem}; {hint}", error.ctx) from None
            raise click.UsageError(problem + nearest(args[0], COMMANDS), error.ctx) from None

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. Expected errors are raised as `Failure`, which has a message and an exit code."""
        promised, debug = ctx.meta[_PROMISED_CODE], bool(ctx.params.get("debug"))
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, BrokenPipeError):  # `run` has the code for a closed pipe
            raise
        except click.ClickException as error:
            from soapclient.cli.hints import with_hint

            shown_error = with_hint(error, ctx.meta[_WORDS], COMMANDS)
            if promised is not None:
                end_with(shown_error, promised)
            raise shown_error from error.__cause__
        except (Exception, KeyboardInterrupt) as error:
            failure = failure_of(error, traceback=debug)
            if promised is not None:
                if failure is None and debug:
                    traceback.print_exc()
                shown = f"{type(error).__name__}: {error}" if failure is None else failure.message
                failure = Failure(f"could not check: {shown}")
                end_with(failure, promised)
            if failure is None:
                raise
            raise failure from error


def unchecked(arguments: Sequence[str]) -> int | None:
    """Return the exit code for "could not be checked" of the command that is named in `arguments`.

    Returns None if the command does not have this code: only `contract` and `drift` have it.
    """
    pairs = zip(["", *arguments], arguments, strict=False)
    words = [word for before, word in pairs if before not in ("--config", "--profile")]
    return _UNCHECKED.get(next((word for word in words if word in COMMANDS), ""))


def _print_version(ctx: click.Context, option: click.Parameter, requested: bool) -> None:
    """Print the version and the name of the response reader (compiled or Python), and exit.

    Does nothing if the option --version is not given (`requested` is False).
    """
    if requested and not ctx.resilient_parsing:
        from soapclient._support.speedups import reader_name

        try:
            reader = reader_name()
        except ConfigError as error:
            raise failure_of(error, traceback=False) or error from None
        click.echo(f"soapclient, version {__version__}, {reader} reader")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--config",
    "config_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="TOML file with settings; the environment takes precedence.",
)
@click.option(
    "--profile",
    metavar="NAME",
    help="A table of [profiles] in the TOML file. Default: the environment variable SOAPCLIENT_PROFILE.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of errors.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.pass_context
def cli(ctx: click.Context, config_file: Path | None, profile: str | None, debug: bool) -> None:
    """Typed SOAP calls of any service with a WSDL, and of an affiliate-tracking service.

    `soapclient try WSDL` generates a package, and serves a mock and a console. `soapclient demo` shows a
    complete job of the tracking service without an account. Settings come from the environment or a TOML
    file; `soapclient config` lists them.
    """
    ctx.color = _color_wanted()
    ctx.obj = GlobalOptions(config_file, profile)
    ctx.call_on_close(print_warnings())


def _color_wanted() -> bool | None:
    """Return True or False if the environment enables or disables colors.

    The first of these variables that is set decides: NO_COLOR disables colors, FORCE_COLOR enables them,
    TERM=dumb disables them. Returns None if none of them is set. Then output on a terminal has colors, output
    to a file or a pipe does not.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return False if os.environ.get("TERM") == "dumb" else None


def run() -> int:
    """Run the command in `sys.argv` and return its exit code. A closed stdout does not raise an error."""
    with _forgiving_output() as output:
        code = _run()
        if output is not None:
            sys.stdout.flush()  # raises here if the pipe is closed
            if output.gone:
                lost = ExitCode.OTHER if output.failed else 0
                if output.failed is not None:
                    click.echo(f"soapclient: stdout: {output.failed.strerror}", err=True)
                return unchecked(sys.argv[1:]) or code or lost
    return code


def _forgiving_output() -> AbstractContextManager[ForgivingFile | None]:
    """Return a context manager in which writing to a closed stdout does not raise an error.

    It yields an object that records if stdout was closed. If the package bindgen, which implements this, is
    not installed, the context manager yields None and has no effect.
    """
    try:
        from bindgen.pipes import forgiving_output
    except ImportError:  # incomplete installation; commands that need it report that
        return nullcontext()
    return forgiving_output()


def _run() -> int:
    """Run the command, print its error if it fails, and return its exit code."""
    # No garbage collection at exit, because the process could be killed between its output and its exit code.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # the encoding may lack a character
            stream.reconfigure(errors="backslashreplace")
    try:
        code: object = cli.main(prog_name="soapclient", standalone_mode=False)
    except click.exceptions.Abort:
        return 130
    except KeyboardInterrupt:  # during imports
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except SystemExit as end:
        if isinstance(end.code, int) and (end.code > _BY_SIGNAL or not end.code):  # 0: shell completion
            return end.code
        # click exits with this on a broken pipe; commands do not.
        return unchecked(sys.argv[1:]) or ExitCode.OTHER
    return code if isinstance(code, int) else 0
