"""`bindgen generate`."""

from __future__ import annotations

from pathlib import Path

import click

from bindgen import generate
from bindgen.cli import common


@click.command("generate")
@click.argument("names", nargs=-1)
@click.pass_obj
def command(folder: Path | None, names: tuple[str, ...]) -> None:
    """Write the bindings of the contracts NAMES (all by default)."""
    known = common.known_settings(folder)
    every = {name: common.files(name, known) for name in names or known.contracts}
    for name, wanted in every.items():  # written only when all of them can be
        changed = generate.write(known.output, wanted)
        state = f"{len(changed)} of {len(wanted)} files changed" if changed else "nothing to change"
        click.echo(f"{name} {known.contract(name).version}: {state}")
