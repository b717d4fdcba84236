"""`soapclient demo`: a complete job over real HTTP, against a sandbox in this process."""

from __future__ import annotations

from pathlib import Path

import click

from soapclient.cli.failures import needing_an_extra
from soapclient.cli.serving import clean_exit


@click.command()
@click.option(
    "--rows",
    default=200_000,
    show_default=True,
    type=click.IntRange(1, 10_000_000),
    help="Rows to export.",
)
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for the exported file. Default: the file is removed.",
)
def command(rows: int, keep: Path | None) -> None:
    """Show a complete job against the built-in sandbox: signed calls, pages of sales, an export.

    The sandbox implements a reconstructed contract and generates its data.
    """
    with needing_an_extra():
        from soapclient.tracking.commands.demonstration import run

    with clean_exit():
        run(rows, keep)
