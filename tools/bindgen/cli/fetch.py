"""The command `bindgen fetch`, which downloads contracts or compares them with the locked documents."""

from __future__ import annotations

from pathlib import Path

import click

from bindgen import settings
from bindgen.cli import common
from bindgen.fetching import fetch
from bindgen.fetching.catalogue import Catalogue
from bindgen.fetching.fetch import FetchedContract, FetchRequest, State
from bindgen.fetching.lock import Origin
from bindgen.problems import ContractRefused, Problem
from bindgen.reading import compiled
from bindgen.reading.definitions import Definitions
from bindgen.reading.documents import Documents
from bindgen.reading.findings import Findings
from bindgen.reading.schemas import Schemas
from bindgen.settings import ContractSettings, Settings, SettingsError

# Exit codes of --check. If one contract changed and another could not be checked, "changed" wins.
_CHANGED, _COULD_NOT_CHECK = 1, 3


@click.command("fetch")
@click.argument("name", required=False)
@click.option("--all", "every", is_flag=True, help="Fetch all contracts that have a WSDL.")
@click.option(
    "--check", is_flag=True, help="Only compare the published documents with the lock, and do not write."
)
@click.option(
    "--url",
    help="The address of the WSDL. Default: the url of contracts.toml or, if that is a placeholder, "
    "the address it was fetched from.",
)
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A copy of the WSDL on disk, with the files it imports by relative locations.",
)
@click.option(
    "--origin",
    type=click.Choice(["fetched", "reconstructed"]),
    default="fetched",
    show_default=True,
    help="The origin to record in the lock.",
)
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="HOST",
    help="Another host from which documents may be fetched, besides the hosts of the contract and of the "
    "lock; repeatable.",
)
@click.option(
    "--version",
    "version",
    help="The version of the service, if its WSDL does not contain it. Stored in contracts.toml.",
)
@click.option(
    "--offline",
    is_flag=True,
    help="Do not use the network: read only locked documents, or the folder of --file.",
)
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
    """Fetch the WSDL of contract NAME with all it imports, keep the documents unchanged, and lock them.

    With --check nothing is written, and the exit code is 0 (same), 1 (changed) or 3 (could not check, for
    any reason). Without it: 0 (fetched) or 2 (failed).
    """
    if (name is None) != every:
        raise click.UsageError("give exactly one of: the NAME of a contract, --all")
    if every and (url or file):
        raise click.UsageError("--url and --file cannot be used with --all")
    if version is not None and (every or check):
        raise click.UsageError("--version cannot be used with --all or --check")
    if include_root is not None and file is None:
        raise click.UsageError("--include-root can be used only with --file")
    if check and offline and file is None:
        raise click.UsageError(
            "--check with --offline requires --file: without a file, --check sends requests to the service"
        )
    known_settings = common.known_settings(folder)
    requests = [
        FetchRequest(
            name=contract.name,
            version=version or contract.version,
            folder=known_settings.folder,
            contracts_url=contract.url,
            url=url,
            file=file,
            include_root=include_root,
            allow_hosts=allow_hosts,
            offline=offline,
        )
        for contract in _contracts(name, known_settings)
    ]
    if check:
        states = [_check(item) for item in requests]
        if "changed" in states:
            click.get_current_context().exit(_CHANGED)
        # Without any contracts, nothing was checked.
        unchecked = "could not check" in states or not states
        click.get_current_context().exit(_COULD_NOT_CHECK if unchecked else 0)
    failed = None
    for item in requests:  # a failure does not prevent the checks of other contracts
        try:
            for note in fetch.fetch(item, origin, _refuse_invalid).notes:
                click.echo(note)
        except common.FAILURES as error:
            if failed is not None:
                click.echo(f"bindgen: {failed}", err=True)
            failed = error
    if failed is not None:
        common.fail(failed)
    if version is not None and name is not None:
        try:
            settings.set_version(known_settings.folder, name, version)
        except SettingsError as error:
            common.fail(error)
        click.echo(f"{name}: contracts.toml now has the version {version}")


def _contracts(name: str | None, known_settings: Settings) -> list[ContractSettings]:
    """Return the contract `name`, or all contracts that have a WSDL to fetch.

    Ends the command if the contract `name` does not exist or has only a schema.
    """
    try:
        if name is None:
            return [
                contract_settings
                for contract_settings in known_settings.contracts.values()
                if contract_settings.url
            ]
        contract = known_settings.contract(name)
        if not contract.url:
            raise SettingsError(f"{name} does not have a WSDL to fetch, only the schema {contract.schema}")
    except SettingsError as error:
        common.fail(error)
    return [contract]


def _check(request: FetchRequest) -> State:
    """Compare a contract with its locked documents. Print the result and return it, such as "changed"."""
    verdict = fetch.check(request, _remarks)
    click.echo(f"{verdict.name}: {verdict.state}")
    for line in verdict.lines:
        click.echo(f"  {line}")
    return verdict.state


def _remarks(obtained: FetchedContract) -> list[str]:
    """Return a list with one message if the schemas of a changed contract do not compile; otherwise []."""
    problems = _schema_errors(obtained)
    message = "its schemas do not compile, so `bindgen fetch` does not accept it"
    return [f"{message}: {problems[0].message}"] if problems else []


def _refuse_invalid(obtained: FetchedContract) -> None:
    """Raise ContractRefused if the schemas do not compile, so that only valid contracts are kept."""
    if problems := _schema_errors(obtained):
        message = (
            f"{obtained.after.name}: its schemas do not compile, so nothing was written. What to do: report "
            "them to the operator of the service, or correct a copy and use --file PATH."
        )
        raise ContractRefused([Problem(message), *problems])


def _schema_errors(obtained: FetchedContract) -> list[Problem]:
    """Return the errors of compiling the schemas. Empty if they compile or are too large to compile."""
    findings = Findings()
    contents = {document.url: obtained.contents[document.file] for document in obtained.after.documents}
    documents = Documents(Catalogue(Path(), obtained.after, contents), obtained.places)
    schemas = Schemas(documents, findings)
    Definitions(documents.root, documents, schemas, findings)
    return compiled.of_all(schemas) or []
