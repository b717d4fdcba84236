"""The commands `bindgen generate` and `bindgen check`.

Both generate bindings. `generate` writes them, `check` compares them with the files on disk.
"""

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
    help="First change contracts.toml if it no longer matches a contract and only one field or operation is "
    "possible. Changed lines are marked `# [A] proposed`; for other places the candidates are listed.",
)
@click.pass_obj
def command(folder: Path | None, names: tuple[str, ...], proposing: bool) -> None:
    """Write the bindings of the contracts NAMES (all by default)."""
    known_settings = common.known_settings(folder)
    if proposing:
        for name in names or known_settings.contracts:
            common.propose(name, known_settings)
            known_settings = common.known_settings(folder)
    generated = {
        name: common.generate_files(name, known_settings) for name in names or known_settings.contracts
    }
    for name, (contract, files) in generated.items():  # write only after all contracts are generated
        changed = generate.write(known_settings.output, files)
        state = f"{len(changed)} of {len(files)} files changed" if changed else "nothing to change"
        click.echo(f"{name} {contract.settings.version}: {state}")
        for remark in contract.remarks:
            click.echo(f"  {remark.message}")


@click.command("check")
@click.argument("names", nargs=-1)
@click.pass_obj
def check(folder: Path | None, names: tuple[str, ...]) -> None:
    """Exit with 1 and show a diff if the committed bindings differ from the generated ones."""
    known_settings = common.known_settings(folder)
    diffs = [
        difference
        for name in names or known_settings.contracts
        if (
            difference := generate.differences(
                known_settings.output, common.generate_files(name, known_settings)[1]
            )
        )
    ]
    click.echo("".join(diffs), nl=False)
    if diffs:
        click.echo("The bindings differ from the contracts; run `bindgen generate`.", err=True)
        sys.exit(1)
    click.echo("The bindings match the contracts.")
