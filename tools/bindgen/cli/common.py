"""Shared parts of the commands: finding contracts.toml, and ending with a message instead of a traceback."""

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

FAILED = 2  # exit code of a failure
FAILURES = (ContractRefused, SettingsError, LockError, CatalogueError, FetchError)


include_root = click.option(
    "--include-root",
    "include_root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="For files: the folder below which relative imports may be read. It must contain the WSDL.",
)


def known_settings(folder: Path | None) -> Settings:
    """Read `contracts.toml` from `folder`, by default from the result of `folder_of_contracts`.

    Ends the command if that fails.
    """
    try:
        return settings.read(folder or folder_of_contracts())
    except SettingsError as error:
        fail(error)


def generate_files(name: str, known_settings: Settings) -> tuple[Contract, dict[Path, bytes]]:
    """Generate the package of a contract, and print notes to stderr. Ends the command if that fails.

    Returns the model of the contract, and the content of each file by path. Nothing is written.
    """
    try:
        return generate.made(name, known_settings, lambda note: click.echo(f"note: {note}", err=True))
    except FAILURES as error:
        fail(error)


def propose(name: str, settings_of_contracts: Settings) -> None:
    """Edit contracts.toml: correct the settings of the contract `name` that no longer match this contract.

    Prints the changed lines, and the settings that only the user can correct. If the file cannot be read or
    written, ends the command with an error.
    """
    try:
        for line in generate.proposed(name, settings_of_contracts).write():
            click.echo(line)
        # New names can reveal more problems, such as REST rows whose operations had other names before.
        current = settings.read(settings_of_contracts.folder)
        again = generate.proposed(name, current)
        if any(proposal.kind != "choose" for proposal in again.proposals):
            for line in again.write():
                click.echo(line)
    except (SettingsError, *FAILURES) as error:
        fail(error)


def fail(error: Exception) -> NoReturn:
    """Print an error and end the command with exit code 2 (3 for `diff` and `fetch --check`)."""
    click.echo(f"bindgen: {error}", err=True)
    raise SystemExit(FAILED)


def folder_of_contracts() -> Path:
    """Return the nearest folder `wsdl` with a contracts.toml, in the current directory or in a parent.

    If there is no such folder, return the path of `wsdl` in the current directory.
    """
    current = Path.cwd()
    for folder in (current, *current.parents):
        if (folder / "wsdl" / "contracts.toml").is_file():
            return folder / "wsdl"
    return current / "wsdl"
