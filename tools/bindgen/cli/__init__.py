"""The command line of bindgen. Each command is in the module with its name, `check` is in `generate`.

The module of a command is imported when the command is used, because `diff` and `docs` import much that
`init` does not need.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bindgen.cli.exit_codes import UNANSWERED, unanswered

try:
    import click
except ImportError:  # without the extra `cli`
    print("bindgen's command line needs click: pip install 'soapclient[cli]'", file=sys.stderr)
    sys.exit(UNANSWERED if unanswered(sys.argv[1:]) else 1)

from bindgen import pipes
from bindgen.cli import common, hints
from soapclient import __version__

_CODE = "bindgen.cli.code"
# Names of the commands, with the module in `bindgen.cli` and the attribute of each
_COMMANDS: Final = {
    "init": ("init", "command"),
    "fetch": ("fetch", "command"),
    "generate": ("generate", "command"),
    "check": ("generate", "check"),
    "diff": ("diff", "command"),
    "docs": ("docs", "command"),
}


class _CommandGroup(click.Group):
    """A group of commands that converts every failure to a message and an exit code.

    A failure has the exit code 2, because 1 means that `check` found a difference. A failure of `diff` or
    `fetch --check` has the exit code 3, because these commands use 0 to 2 for their results. It is also a
    failure if the output could not be written completely.
    """

    def main(self, args: Sequence[str] | None = None, *others: Any, **extra: Any) -> Any:  # as click has it
        """Run the command line. If the reader of stdout (such as `head`) ends, the command goes on."""
        with pipes.forgiving_output() as output:
            try:
                return super().main(args, *others, **extra)
            except SystemExit as end:
                if output is not None:
                    sys.stdout.flush()  # raises an error here if the output pipe is closed
                if output is None or not output.gone:
                    raise
                if output.failed is not None:
                    click.echo(f"bindgen: stdout: {output.failed.strerror}", err=True)
                if not unanswered(sys.argv[1:] if args is None else args):
                    if end.code or output.failed is None:
                        raise
                    raise SystemExit(common.FAILED) from None
        raise SystemExit(UNANSWERED)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command and return the command. Returns None if the name is unknown."""
        if cmd_name not in _COMMANDS:
            return None
        module, attribute = _COMMANDS[cmd_name]
        command: object = getattr(importlib.import_module(f"bindgen.cli.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: object
    ) -> click.Context:
        """Parse the options that precede the command's name.

        If the options are invalid, bindgen exits with the code that the command itself uses for failures
        (see `exit_codes`).
        """
        code = UNANSWERED if unanswered(args) else common.FAILED
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except click.ClickException as error:
            raise _with_exit_code(hints.with_hint(error), code) from error.__cause__
        context.meta[_CODE] = code
        return context

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names. The error for an unknown command has a hint.

        Returns what click expects: the name of the command, the command, and the remaining arguments.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = hints.for_command(args[0], _COMMANDS)
            if not hint:
                raise
            raise click.UsageError(f"{error.message.removesuffix('.')}{hint}", error.ctx) from None

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. Unexpected exceptions are failures, too."""
        code = int(ctx.meta[_CODE])
        try:
            return super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except click.ClickException as error:
            raise _with_exit_code(hints.with_hint(error), code) from error.__cause__
        except (click.Abort, KeyboardInterrupt):
            if code == common.FAILED:
                raise
            click.echo("bindgen: could not check: interrupted", err=True)
            ctx.exit(code)
        except SystemExit:
            if code != UNANSWERED:
                raise
            ctx.exit(code)
        except Exception as error:
            if ctx.params["debug"]:
                traceback.print_exc()
            shown = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            action = "could not check:" if code == UNANSWERED else "unexpectedly failed with"
            click.echo(f"bindgen: {action} {shown} (--debug shows the traceback)", err=True)
            ctx.exit(code)


def _with_exit_code(error: click.ClickException, code: int) -> click.ClickException:
    """Return the error. If `code` is 3 (a failed `diff` or `fetch --check`), set its exit code to 3.

    For any other `code`, the error is not changed.
    """
    if code == UNANSWERED:
        setattr(error, "exit_code", code)  # noqa: B010 - click declares it on the class alone
    return error


@click.group(cls=_CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
@click.option(
    "--wsdl",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder with contracts.toml. Default: `wsdl` in this folder or in a parent folder.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of unexpected errors.")
@click.pass_context
def main(context: click.Context, folder: Path | None, debug: bool) -> None:
    """Typed Python bindings from WSDLs: fetch contracts, generate bindings, check committed files."""
    context.obj = folder
