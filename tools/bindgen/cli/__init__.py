"""The command line: `bindgen fetch`, `bindgen generate`, `bindgen check` and the others, a module each."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

try:
    import click
except ImportError:  # pragma: no cover - only where the extra is missing
    sys.exit("bindgen's command line needs click: pip install 'soapclient[cli]'")

from bindgen import __version__
from bindgen.cli import check, diff, docs, fetch, generate, init


class _Guarded(click.Group):
    """Commands that never end in a traceback, nor in 1, with which `check` says that bindings differ."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what nobody expected is exit 2, too."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if ctx.params["debug"]:
                traceback.print_exc()
            shown = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            click.echo(f"bindgen: unexpectedly failed with {shown} (--debug shows where)", err=True)
            ctx.exit(2)


@click.group(cls=_Guarded)
@click.version_option(__version__)
@click.option(
    "--wsdl",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder with contracts.toml; by default `wsdl` here or in a folder above.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected failure.")
@click.pass_context
def main(context: click.Context, folder: Path | None, debug: bool) -> None:
    """Typed Python bindings from WSDLs: fetch a contract, generate from it, check what is committed."""
    context.obj = folder


for _command in (
    init.command,
    fetch.command,
    generate.command,
    check.command,
    diff.command,
    docs.command,
):
    main.add_command(_command)
