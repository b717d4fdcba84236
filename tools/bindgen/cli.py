"""The command line: `bindgen fetch`, `bindgen generate`, `bindgen check`."""

from __future__ import annotations

import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

try:
    import click
except ImportError:  # pragma: no cover - only where the extra is missing
    sys.exit("bindgen's command line needs click: pip install 'soapclient[cli]'")

from bindgen import __version__, generate, settings
from bindgen.fetching import fetch
from bindgen.fetching.catalogue import CatalogueError
from bindgen.fetching.download import FetchError
from bindgen.fetching.locked import LockError, Origin
from bindgen.problems import ContractRefused
from bindgen.settings import Settings, SettingsError

_FAILURES = (ContractRefused, SettingsError, LockError, CatalogueError, FetchError)


class _Guarded(click.Group):
    """Commands that never end in a traceback, nor in 1, with which `check` says that bindings differ."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what nobody expected is exit 2, too."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if ctx.params["debug"]:
                traceback.print_exc()
            shown = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            click.echo(f"bindgen: unexpectedly failed with {shown} (--debug shows where)", err=True)
            ctx.exit(2)


@click.group(cls=_Guarded)
@click.version_option(__version__)
@click.option(
    "--wsdl",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder with contracts.toml; by default `wsdl` here or in a folder above.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected failure.")
@click.pass_context
def main(context: click.Context, folder: Path | None, debug: bool) -> None:
    """Typed Python bindings from WSDLs: fetch a contract, generate from it, check what is committed."""
    context.obj = folder


@main.command("generate")
@click.argument("names", nargs=-1)
@click.pass_obj
def generate_command(folder: Path | None, names: tuple[str, ...]) -> None:
    """Write the bindings of the contracts NAMES (all by default)."""
    known = _settings(folder)
    every = {name: _files(name, known) for name in names or known.contracts}
    for name, wanted in every.items():  # written only when all of them can be
        changed = generate.write(known.output, wanted)
        state = f"{len(changed)} of {len(wanted)} files changed" if changed else "nothing to change"
        click.echo(f"{name} {known.contract(name).version}: {state}")


@main.command("check")
@click.argument("names", nargs=-1)
@click.pass_obj
def check_command(folder: Path | None, names: tuple[str, ...]) -> None:
    """Exit 1 and show a diff where the committed bindings are not what the contracts give."""
    known = _settings(folder)
    found = [
        difference
        for name in names or known.contracts
        if (difference := generate.differences(known.output, _files(name, known)))
    ]
    click.echo("".join(found), nl=False)
    if found:
        click.echo("The bindings are not what the contracts give; run `bindgen generate`.", err=True)
        sys.exit(1)
    click.echo("The bindings are what the contracts give.")


@main.command("fetch")
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
def fetch_command(folder: Path | None, name: str, url: str | None, file: Path | None, origin: Origin) -> None:
    """Fetch the WSDL of contract NAME with all it imports, keep it unchanged, and lock it."""
    known = _settings(folder)
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
    except _FAILURES as error:
        _fail(error)
    for note in report.notes:
        click.echo(note)


def _settings(folder: Path | None) -> Settings:
    try:
        return settings.read(folder or _find())
    except SettingsError as error:
        _fail(error)


def _find() -> Path:
    here = Path.cwd()
    for place in (here, *here.parents):
        if (place / "wsdl" / "contracts.toml").is_file():
            return place / "wsdl"
    return here / "wsdl"


def _files(name: str, known: Settings) -> dict[Path, bytes]:
    try:
        return generate.files(name, known)
    except _FAILURES as error:
        _fail(error)


def _fail(error: Exception) -> NoReturn:
    click.echo(f"bindgen: {error}", err=True)
    sys.exit(2)
