"""`bindgen fetch`."""

from __future__ import annotations

from pathlib import Path

import click

from bindgen import settings
from bindgen.cli import common
from bindgen.fetching import fetch
from bindgen.fetching.catalogue import Catalogue
from bindgen.fetching.fetch import Obtained, State, Wanted
from bindgen.fetching.lock import Origin
from bindgen.problems import ContractRefused, Problem
from bindgen.reading import compiled
from bindgen.reading.definitions import Definitions
from bindgen.reading.documents import Documents
from bindgen.reading.findings import Findings
from bindgen.reading.schemas import Schemas
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
@click.option(
    "--version",
    "version",
    help="The version of the service, if its WSDL does not name it; kept in contracts.toml.",
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
    version: str | None,
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
    if version is not None and (every or check):
        raise click.UsageError("--version is for one contract that is fetched")
    if include_root is not None and file is None:
        raise click.UsageError("--include-root goes with --file")
    if check and offline and file is None:
        raise click.UsageError("--check asks the service; offline it can only look at a --file")
    known = common.known_settings(folder)
    wanted = [
        Wanted(
            name=each.name,
            version=version or each.version,
            folder=known.folder,
            contracts_url=each.url,
            url=url,
            file=file,
            include_root=include_root,
            allow_hosts=allow_hosts,
            offline=offline,
        )
        for each in _contracts(name, known)
    ]
    if check:
        states = [_checked(each) for each in wanted]
        if "changed" in states:
            click.get_current_context().exit(_CHANGED)
        # No contract at all is no answer either.
        unchecked = "could not check" in states or not states
        click.get_current_context().exit(_COULD_NOT_CHECK if unchecked else 0)
    failed = None
    for each in wanted:  # each is whole by itself, and one that fails stops no other
        try:
            for note in fetch.fetch(each, origin, _refuse_invalid).notes:
                click.echo(note)
        except common.FAILURES as error:
            if failed is not None:
                click.echo(f"bindgen: {failed}", err=True)
            failed = error
    if failed is not None:
        common.fail(failed)
    if version is not None and name is not None:
        try:
            settings.set_version(known.folder, name, version)
        except SettingsError as error:
            common.fail(error)
        click.echo(f"{name}: contracts.toml has the version {version} now")


def _contracts(name: str | None, known: Settings) -> list[ContractSettings]:
    try:
        if name is None:
            return [each for each in known.contracts.values() if each.url]
        contract = known.contract(name)
        if not contract.url:
            raise SettingsError(f"{name} has no WSDL to fetch: it is {contract.schema}, a file of yours")
    except SettingsError as error:
        common.fail(error)
    return [contract]


def _checked(wanted: Wanted) -> State:
    verdict = fetch.check(wanted, _remarks)
    click.echo(f"{verdict.name}: {verdict.state}")
    for line in verdict.lines:
        click.echo(f"  {line}")
    return verdict.state


def _remarks(found: Obtained) -> list[str]:
    problems = _invalid(found)
    said = "its schemas do not compile, so `bindgen fetch` does not take it over"
    return [f"{said}: {problems[0].message}"] if problems else []


def _refuse_invalid(found: Obtained) -> None:
    """Raise ContractRefused where the schemas do not compile: what is kept is a contract."""
    if problems := _invalid(found):
        why = (
            f"{found.after.name}: its schemas do not compile, so nothing was written. What to do: report "
            "them to who serves them, or correct a copy and use --file PATH."
        )
        raise ContractRefused([Problem(why), *problems])


def _invalid(found: Obtained) -> list[Problem]:
    """What is wrong with the schemas; nothing where they compile, or are too large for it to be tried."""
    findings = Findings()
    contents = {each.url: found.contents[each.file] for each in found.after.documents}
    documents = Documents(Catalogue(Path(), found.after, contents), found.places)
    schemas = Schemas(documents, findings)
    Definitions(documents.root, documents, schemas, findings)
    return compiled.of_all(schemas) or []
