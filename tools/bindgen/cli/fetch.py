"""`bindgen fetch`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from bindgen.cli import common
from bindgen.fetching import fetch, validity
from bindgen.fetching.lock import Origin
from bindgen.fetching.obtaining import FetchOptions, Obtained
from bindgen.settings import ContractSettings, Settings, SettingsError

# What --check ends with. That a contract changed goes before that another could not be checked.
_CHANGED, _COULD_NOT_CHECK = 1, 3


@click.command("fetch")
@click.argument("name", required=False)
@click.option("--all", "every", is_flag=True, help="Every contract that has a WSDL.")
@click.option("--check", is_flag=True, help="Write nothing; say whether what is published is what is locked.")
@click.option(
    "--url",
    help="Where the WSDL is; by default the url of contracts.toml or, where that is a placeholder, "
    "the one it was fetched from.",
)
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A copy of the WSDL on disk, in a folder with what it imports by relative name.",
)
@click.option(
    "--origin",
    type=click.Choice(["fetched", "reconstructed"]),
    default="fetched",
    show_default=True,
    help="What the lock says of where it is from.",
)
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="HOST",
    help="A host besides the contract's own and those in the lock that documents may come from; repeatable.",
)
@click.option("--offline", is_flag=True, help="No network: only what is locked, or in the folder of --file.")
@common.include_root
@click.pass_obj
def command(
    folder: Path | None,
    name: str | None,
    every: bool,
    check: bool,
    url: str | None,
    file: Path | None,
    origin: Origin,
    allow_hosts: tuple[str, ...],
    offline: bool,
    include_root: Path | None,
) -> None:
    """Fetch the WSDL of contract NAME with all it imports, keep it unchanged, and lock it.

    With --check nothing is written, and the exit code says: 0 same, 1 changed, 3 could not check, whatever
    the reason. Without it: 0 fetched, 2 not.
    """
    if (name is None) != every:
        raise click.UsageError("give the NAME of a contract, or --all")
    if every and (url or file):
        raise click.UsageError("--url and --file are for one contract, not for --all")
    if include_root is not None and file is None:
        raise click.UsageError("--include-root goes with --file")
    if check and offline and file is None:
        raise click.UsageError("--check asks the service; offline it can only look at a --file")
    known = common.known_settings(folder)
    wanted = _wanted(name, known)
    options = FetchOptions(allow_hosts, offline, include_root=include_root)
    if check:
        verdicts = [_verdict(each, known, url, file, options) for each in wanted]
        click.get_current_context().exit(_exit_code(verdicts))

    def run(contract: ContractSettings) -> None:
        report = fetch.fetch(
            contract.name,
            folder=known.folder,
            url=url,
            file=file,
            contracts_url=contract.url,
            version=contract.version,
            origin=origin,
            allow_hosts=allow_hosts,
            offline=offline,
            include_root=include_root,
            accept=validity.refuse_invalid,
        )
        for note in report.notes:
            click.echo(note)

    _each(wanted, run)


def _wanted(name: str | None, known: Settings) -> list[ContractSettings]:
    try:
        if name is None:
            return [each for each in known.contracts.values() if each.url]
        contract = known.contract(name)
        if not contract.url:
            raise SettingsError(f"{name} has no WSDL to fetch: it is {contract.schema}, a file of yours")
    except SettingsError as error:
        common.fail(error)
    return [contract]


def _each(wanted: list[ContractSettings], run: Callable[[ContractSettings], None]) -> None:
    """Fetch one contract after the other: each is whole by itself, and one that fails stops no other."""
    failed = None
    for contract in wanted:
        try:
            run(contract)
        except common.FAILURES as error:
            if failed is not None:
                click.echo(f"bindgen: {failed}", err=True)
            failed = error
    if failed is not None:
        common.fail(failed)


def _verdict(
    contract: ContractSettings, known: Settings, url: str | None, file: Path | None, options: FetchOptions
) -> fetch.State:
    verdict = fetch.check(
        contract.name,
        folder=known.folder,
        version=contract.version,
        contracts_url=contract.url,
        url=url,
        file=file,
        options=options,
        remarks=_remarks,
    )
    click.echo(f"{verdict.name}: {verdict.state}")
    for line in verdict.lines:
        click.echo(f"  {line}")
    return verdict.state


def _remarks(found: Obtained) -> list[str]:
    problems = validity.invalid(found)
    said = "its schemas do not compile, so `bindgen fetch` does not take it over"
    return [f"{said}: {problems[0].message}"] if problems else []


def _exit_code(states: list[fetch.State]) -> int:
    if "changed" in states:
        return _CHANGED
    # No contract at all is no response either.
    return _COULD_NOT_CHECK if "could not check" in states or not states else 0
