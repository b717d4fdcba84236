"""`soapclient help`: show the help of a command."""

from __future__ import annotations

import click


@click.command()
@click.argument("words", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of COMMAND, such as `soapclient help call`, or of all commands."""
    root = ctx.find_root()
    root.command.main([*words, "--help"], prog_name=root.info_name, standalone_mode=False)
