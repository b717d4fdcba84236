"""`soapclient completion`: print the script that completes commands in a shell."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import get_completion_class

_EPILOG: Final = """\b
Where to put the script:
  bash   soapclient completion bash > ~/.soapclient.bash; then in ~/.bashrc: source ~/.soapclient.bash
  zsh    soapclient completion zsh > FOLDER/_soapclient, with a FOLDER of $fpath
  fish   soapclient completion fish > ~/.config/fish/completions/soapclient.fish
"""


@click.command(epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script with which SHELL completes commands, operations, fields and their values.

    bash must be 4.4 or newer.
    """
    root = ctx.find_root()
    name = root.info_name or "soapclient"
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(root.command, {}, name, f"_{name.upper()}_COMPLETE").source().strip())
