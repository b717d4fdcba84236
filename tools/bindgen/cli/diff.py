"""The command `bindgen diff`. If it fails for any reason, its exit code is 3: "could not be checked"."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import click

from bindgen import atomic, settings
from bindgen.cli import common
from bindgen.diff import ignore, reports, sources
from bindgen.diff.check import check
from bindgen.diff.findings import EXIT_CODES, Report, worst
from bindgen.diff.ignore import IgnoreError
from bindgen.diff.rules import LEVELS, RULES, Level
from bindgen.fetching.sources import is_within
from bindgen.settings import ContractSettings, SettingsError

_UNCHECKED = EXIT_CODES["unchecked"]
_EPILOG = """\b
OLD and NEW can be:
  contract.wsdl     a file, with its imports at relative locations
  contracts/        a folder with one WSDL, or with a lock (and --contract)
  https://HOST/…    an address
  lock:NAME, NAME   a contract of the lock
  REVISION:PATH     a file at a git revision
  REVISION          a contract of the lock at a revision (and --contract)

\b
Exit code: 0 the same, 1 compatible changes, 2 breaking ones, 3 could not be checked.
"""


@click.command("diff", epilog=_EPILOG)
@click.argument("old", required=False)
@click.argument("new", required=False)
@click.option("--contract", default="", help="The contract to compare, if a lock has several.")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="Another host from which documents may be fetched, besides the hosts of the addresses and of the "
    "lock; repeatable.",
)
@click.option(
    "--format", "form", type=click.Choice(reports.FORMATS), help="Format of the report. Default: text."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for the report. Default: stdout.",
)
@click.option(
    "--ignore",
    "ignored",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File with accepted changes, in lines of the form `rule path # reason`.",
)
@click.option(
    "--strict-ignore", is_flag=True, help="Exit with 3 if a line of the ignore file matches no change."
)
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS[:3]),
    default="breaking",
    show_default=True,
    help="The exit code is 2 if there are changes of this level or a worse one.",
)
@click.option("--rules", is_flag=True, help="List all rules instead.")
@common.include_root
@click.pass_obj
def command(
    folder: Path | None,
    old: str | None,
    new: str | None,
    contract: str,
    hosts: tuple[str, ...],
    form: str | None,
    as_json: bool,
    output: Path | None,
    ignored: Path | None,
    strict_ignore: bool,
    fail_on: Level,
    rules: bool,
    include_root: Path | None,
) -> None:
    """Show what changed from contract OLD to contract NEW, and whether it breaks requests or responses."""
    if rules:
        click.echo("\n".join(f"{rule.level:<9} {name:<36} {rule.says}" for name, rule in RULES.items()))
        return
    if as_json and form not in (None, "json"):
        raise click.UsageError("give --json or --format, not both")
    form = "json" if as_json else form or "text"
    if old is None or new is None:
        raise click.UsageError("OLD and NEW are both required")
    try:
        entries = ignore.read(ignored) if ignored is not None else []
    except IgnoreError as error:
        raise click.ClickException(str(error)) from error
    if include_root is not None and not any((Path.cwd() / text).exists() for text in (old, new)):
        raise click.UsageError("--include-root can be used only if OLD or NEW is a file or folder")
    if include_root is not None and not any(
        _may_hold(include_root, Path.cwd() / text) for text in (old, new)
    ):
        raise click.UsageError(
            f"--include-root {include_root} has no effect: OLD and NEW are both outside of this folder. "
            "Give a folder that contains OLD or NEW"
        )
    place = sources.Place(folder or common.folder_of_contracts(), Path.cwd(), include_root=include_root)
    contract_name = contract or _contract_of(old) or _contract_of(new)
    locked_hosts = sources.locked_hosts((old, new), place, contract_name)
    place = dataclasses.replace(place, hosts=(*hosts, *locked_hosts))
    report = check(
        lambda: sources.find(old, place, contract_name),
        lambda: sources.find(new, place, contract_name),
        name=contract_name,
        shown=(sources.shown(old), sources.shown(new)),
        entries=entries,
        settings=_settings(place.contracts, contract_name),
    )
    _write(reports.render([report], form, fail_on), output)
    if report.error and (form != "text" or output is not None):
        click.echo(f"bindgen: could not check: {report.error}", err=True)
    if sys.stdout is not None:  # None if the process was started without stdout
        sys.stdout.flush()
    click.get_current_context().exit(_code(report, fail_on, strict_ignore))


def _settings(folder: Path, contract: str) -> list[ContractSettings]:
    """Return the settings of `contract` from contracts.toml.

    Returns the settings of all contracts if the file does not have `contract`, and an empty list if the file
    cannot be read.
    """
    try:
        contracts = settings.read(folder).contracts
    except SettingsError:
        return []  # not an error: OLD and NEW may be files without a contracts.toml
    return [contracts[contract]] if contract in contracts else list(contracts.values())


def _code(report: Report, fail_on: Level, strict_ignore: bool) -> int:
    """Return the exit code for a report. Changes of the level `fail_on` or worse count as breaking.

    The code is 3 if `strict_ignore` is set and a line of the ignore file matches no change.
    """
    if report.unused and strict_ignore:
        return _UNCHECKED
    return EXIT_CODES[worst([report], fail_on)]


def _may_hold(root: Path, side: Path) -> bool:
    """Return True if the WSDL to compare may be in the folder `root`.

    `side` is OLD or NEW as a path. A file must be below `root`. For a folder, the result is always True,
    because it is not known yet which file in the folder is the WSDL.
    """
    return side.is_dir() or (side.exists() and is_within(side, root))


def _contract_of(text: str) -> str:
    """Return the contract NAME if the source `text` is `lock:NAME`, else ""."""
    return text.removeprefix(sources.LOCK) if text.startswith(sources.LOCK) else ""


def _write(text: str, output: Path | None) -> None:
    """Write a report to a file or to stdout."""
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        atomic.replace(output, text.encode())
    except OSError as error:
        message = error.strerror or type(error).__name__
        raise click.ClickException(f"{output}: cannot be written ({message})") from error
