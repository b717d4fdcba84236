"""`bindgen generate`, and `bindgen check`, which compares instead."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bindgen import generate
from bindgen.cli import common


@click.command("generate")
@click.argument("names", nargs=-1)
@click.option(
    "--propose",
    "proposing",
    is_flag=True,
    help="First change contracts.toml where it no longer fits a contract and only one field or operation "
    "can be meant. Changed lines are marked `# [A] proposed`; of other places the candidates are listed.",
)
@click.pass_obj
def command(folder: Path | None, names: tuple[str, ...], proposing: bool) -> None:
    """Write the bindings of the contracts NAMES (all by default)."""
    known = common.known_settings(folder)
    if proposing:
        for name in names or known.contracts:
            common.propose(name, known)
            known = common.known_settings(folder)
    every = {name: common.made(name, known) for name in names or known.contracts}
    for name, (contract, wanted) in every.items():  # written only when all of them can be
        changed = generate.write(known.output, wanted)
        state = f"{len(changed)} of {len(wanted)} files changed" if changed else "nothing to change"
        click.echo(f"{name} {contract.settings.version}: {state}")
        for remark in contract.remarks:
            click.echo(f"  {remark.message}")


@click.command("check")
@click.argument("names", nargs=-1)
@click.pass_obj
def check(folder: Path | None, names: tuple[str, ...]) -> None:
    """Exit 1 and show a diff where the committed bindings are not what the contracts give."""
    known = common.known_settings(folder)
    found = [
        difference
        for name in names or known.contracts
        if (difference := generate.differences(known.output, common.made(name, known)[1]))
    ]
    click.echo("".join(found), nl=False)
    if found:
        click.echo("The bindings are not what the contracts give; run `bindgen generate`.", err=True)
        sys.exit(1)
    click.echo("The bindings are what the contracts give.")
