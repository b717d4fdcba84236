"""`bindgen fetch`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from bindgen.cli import common
from bindgen.fetching import fetch
from bindgen.fetching.locked import Origin
from bindgen.settings import SettingsError


@click.command("fetch")
@click.argument("name")
@click.option("--url", help="Where the WSDL is; by default the url of contracts.toml.")
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A copy of the WSDL on disk; what it imports by relative name lies beside it.",
)
@click.option(
    "--origin",
    type=click.Choice(["fetched", "reconstructed"]),
    default="fetched",
    show_default=True,
    help="What the lock says of where it is from.",
)
@click.pass_obj
def command(folder: Path | None, name: str, url: str | None, file: Path | None, origin: Origin) -> None:
    """Fetch the WSDL of contract NAME with all it imports, keep it unchanged, and lock it."""
    known = common.known_settings(folder)
    try:
        contract = known.contract(name)
        if not contract.url:
            raise SettingsError(f"{name} has no WSDL to fetch: it is {contract.schema}, a file of yours")
        report = fetch.fetch(
            name,
            folder=known.folder,
            url=url,
            file=file,
            contracts_url=contract.url,
            version=contract.version,
            origin=origin,
            clock=lambda: datetime.now(UTC),
        )
    except common.FAILURES as error:
        common.fail(error)
    for note in report.notes:
        click.echo(note)
