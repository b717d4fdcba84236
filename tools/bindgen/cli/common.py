"""What the commands share: finding contracts.toml, and ending with a word instead of a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import click

from bindgen import generate, settings
from bindgen.fetching.catalogue import CatalogueError
from bindgen.fetching.errors import FetchError
from bindgen.fetching.lock import LockError
from bindgen.model import Contract
from bindgen.problems import ContractRefused
from bindgen.settings import Settings, SettingsError

FAILED = 2  # the exit code of what could not be carried out
FAILURES = (ContractRefused, SettingsError, LockError, CatalogueError, FetchError)


include_root = click.option(
    "--include-root",
    "include_root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Of files: relative imports may lead anywhere below this folder, which holds the WSDL itself.",
)


def known_settings(folder: Path | None) -> Settings:
    """`contracts.toml` of the folder given, or of the one found. Ends the command where it is broken."""
    try:
        return settings.read(folder or folder_of_contracts())
    except SettingsError as error:
        fail(error)


def made(name: str, known: Settings) -> tuple[Contract, dict[Path, bytes]]:
    """A contract and what it gives; notes go to stderr. Ends the command where it gives nothing."""
    try:
        return generate.made(name, known, lambda note: click.echo(f"note: {note}", err=True))
    except FAILURES as error:
        fail(error)


def propose(name: str, known: Settings) -> None:
    """Write into contracts.toml what fits a contract, and say so. Ends the command if that cannot be."""
    try:
        for line in generate.proposed(name, known).write():
            click.echo(line)
    except FAILURES as error:
        fail(error)


def fail(error: Exception) -> NoReturn:
    """End the command with exit 2: it could not be carried out. (`fetch --check` makes a 3 of it.)"""
    click.echo(f"bindgen: {error}", err=True)
    raise SystemExit(FAILED)


def folder_of_contracts() -> Path:
    """The folder with contracts.toml, found from here; where it would be if there is none."""
    here = Path.cwd()
    for place in (here, *here.parents):
        if (place / "wsdl" / "contracts.toml").is_file():
            return place / "wsdl"
    return here / "wsdl"
