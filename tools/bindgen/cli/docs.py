"""The command `bindgen docs`, which writes HTML reference pages of contracts."""

from __future__ import annotations

from pathlib import Path

import click

from bindgen import atomic
from bindgen.cli import common
from bindgen.docs import site, sources
from bindgen.docs.calls import Bound
from bindgen.model import Contract


@click.command("docs")
@click.argument("names", nargs=-1)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reference"),
    show_default=True,
    help="The folder for the pages.",
)
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A WSDL on disk, such as the contract.wsdl of a package.",
)
@click.option("--url", help="The address of a WSDL.")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="With --file or --url: another host from which imports may be fetched; repeatable.",
)
@common.include_root
@click.pass_obj
def command(
    folder: Path | None,
    names: tuple[str, ...],
    out: Path,
    file: Path | None,
    url: str | None,
    hosts: tuple[str, ...],
    include_root: Path | None,
) -> None:
    """Write the reference of the contracts NAMES (all by default): an HTML page for each, with a search, and
    an index.html with links to them and to pages of earlier runs in the folder. A large contract has a page
    for each operation and type, in a folder of its name.

    With --file or --url, write the reference of any WSDL; NAME is the package it belongs to.
    """
    if file is not None and url is not None:
        raise click.UsageError("give --file or --url, not both")
    if include_root is not None and file is None:
        raise click.UsageError("--include-root can be used only with --file")
    place = file or url
    if place is None and hosts:
        raise click.UsageError(
            "--allow-host can be used only with --file or --url: the documents of contracts.toml are on disk"
        )
    if place is not None and len(names) > 1:
        raise click.UsageError("give only one NAME with --file or --url")
    if place is not None and not all(name.isascii() and name.isidentifier() for name in names):
        raise click.UsageError("NAME must be a Python name: letters, digits and underscores")
    try:
        contracts: list[tuple[Contract, Bound]]
        if place is not None:
            contracts = [sources.of_wsdl("".join(names), place, allow_hosts=hosts, include_root=include_root)]
        else:
            known_settings = common.known_settings(folder)
            contracts = [
                sources.of_settings(name, known_settings)
                for name in dict.fromkeys(names) or known_settings.contracts
            ]
        earlier = site.earlier(out, [contract for contract, _ in contracts])
        pages = site.files(contracts, earlier)
    except common.FAILURES as error:
        common.fail(error)
    except OSError as error:
        common.fail(OSError(f"{error.filename or out}: cannot be read ({error.strerror})"))
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, content in pages.items():
            (out / name).parent.mkdir(exist_ok=True)
            atomic.replace(out / name, content)
        for path in site.leftovers(out, pages, [contract for contract, _ in contracts]):
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
    except OSError as error:
        common.fail(OSError(f"{error.filename or out}: cannot be written ({error.strerror})"))
    for contract, _ in contracts:
        click.echo(f"{out / site.file_name(contract)}: {len(contract.operations)} operations")
    for entry in earlier:
        click.echo(f"{out / entry.file}: kept from an earlier run", err=True)
