"""The command `bindgen init`, which generates a package for any WSDL, without contracts.toml."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import click

from bindgen import init, package_settings, settings
from bindgen.cli import common
from bindgen.problems import in_words
from bindgen.propose import TableProposals

_SHOWN = 20  # maximum lines of lists that may have hundreds


@click.command("init")
@click.argument("name")
@click.argument("wsdl", required=False)
@click.option("--url", help="The address of the WSDL.")
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A WSDL on disk. Imports at relative locations are also read from disk.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="The folder for the package. Default: this folder.",
)
@click.option(
    "--offline", is_flag=True, help="Do not use the network: imports are read from files, or omitted."
)
@click.option(
    "--strict",
    is_flag=True,
    help="Do not write anything, and exit with 1, if a part of the contract cannot be generated.",
)
@click.option(
    "--operation",
    "--operations",
    "wanted",
    multiple=True,
    help="Generate only these operations, separated by commas; repeatable.",
)
@click.option(
    "--may-be-missing",
    "lacking",
    multiple=True,
    metavar="TYPE/ELEMENT,…",
    help="Required elements, or attributes (TYPE/@NAME), that some responses lack. They become optional in "
    "responses, and a response that lacks them is reported as a finding. In requests they stay required. "
    "With the setting validate=all, responses are checked against the schema, so a response that lacks them "
    "is an error. Several are separated by commas: A/b,C/@d; repeatable.",
)
@click.option(
    "--all-types",
    is_flag=True,
    help="Generate all declared types, also types without operations: values of xsd:anyType may have "
    "them. To keep this for later runs, set `types.all = true` in NAME.toml.",
)
@click.option(
    "--propose",
    "proposing",
    is_flag=True,
    help="First change NAME.toml if it no longer matches the WSDL and only one field or operation is "
    "possible. Changed lines are marked `# [A] proposed`; for other places the candidates are listed.",
)
@click.option("--allow-host", "hosts", multiple=True, help="Another host from which imports may be fetched.")
@common.include_root
@click.option(
    "--allow-missing",
    is_flag=True,
    help="Generate the package without imported files outside of the folder that may be read.",
)
def command(
    name: str,
    wsdl: str | None,
    url: str | None,
    file: Path | None,
    out: Path,
    offline: bool,
    strict: bool,
    wanted: tuple[str, ...],
    lacking: tuple[str, ...],
    all_types: bool,
    proposing: bool,
    hosts: tuple[str, ...],
    include_root: Path | None,
    allow_missing: bool,
) -> None:
    """Write the package NAME for any WSDL, from a file or an address. `soapclient.connect` makes calls with
    it. If NAME is a WSDL, the package gets its name from it.

    Exits with 0 if the package was written, even if parts of the WSDL had to be left out, which are
    reported on stderr; with 1 if --strict does not allow that; with 2 if nothing could be generated, or an
    import leads out of the folder that may be read (see --include-root and --allow-missing).
    """
    if wsdl is None and url is None and file is None and _is_wsdl(name):
        name, wsdl = _name_of(name), name
    if wsdl is not None and _is_wsdl(name) and not _is_wsdl(wsdl):
        raise click.UsageError(f"the arguments are in the wrong order. Write: bindgen init {wsdl} {name}")
    if wsdl is not None:
        if url is not None or file is not None:
            raise click.UsageError("give the WSDL only once: as an argument, with --file or with --url")
        url, file = (wsdl, None) if _is_address(wsdl) else (None, _existing(wsdl))
    if (url is None) == (file is None):
        raise click.UsageError("give the WSDL: as an argument, with --file or with --url")
    if offline and url is not None:
        raise click.UsageError("--offline needs --file: an address cannot be read offline")
    if include_root is not None and file is None:
        raise click.UsageError("--include-root can be used only with --file")
    only, may_be_missing = _split(wanted), _split(lacking)
    settings_file = package_settings.path_of(out / name)

    def revise(proposed: TableProposals) -> Mapping[str, Mapping[str, object]]:
        """Write the corrected settings to the package's settings file, and return the new settings.

        Prints the changed lines.
        """
        for line in proposed.write():
            click.echo(line)
        return settings.read_own(settings_file)

    try:
        warning = init.check_name(name)
        result = init.make(
            name,
            file or url or "",
            offline=offline,
            only=only or None,
            allow_hosts=hosts,
            may_be_missing=may_be_missing,
            all_types=all_types,
            include_root=include_root,
            allow_missing=allow_missing,
            sections=settings.read_own(settings_file),
            settings_file=settings_file if settings_file.is_file() else None,
            revise=revise if proposing else None,
        )
        if result.problems:
            click.echo(in_words(result.problems), err=True)
            click.echo(f"\n{len(result.problems)} parts of the contract cannot be generated.", err=True)
        if strict and (result.problems or result.contract.notes):
            click.echo(in_words(result.contract.notes), err=True)
            click.echo("--strict: nothing was written.", err=True)
            sys.exit(1)
        folder = out / name
        changed = init.write(folder, result.files)
        if package_settings.write(folder):
            click.echo(
                f"{package_settings.path_of(folder)}: written, for facts that the WSDL does not contain"
            )
    except (*common.FAILURES, init.InitError) as error:
        common.fail(error)
    except OSError as error:
        common.fail(init.InitError(f"{error.filename or out}: cannot be written ({error.strerror})"))
    if warning:
        click.echo(f"bindgen: {warning}", err=True)
    _summary(result, folder, changed=changed)


def _is_address(text: str) -> bool:
    """Return True if an argument is an http(s) address."""
    return text.lower().startswith(("https://", "http://"))


def _is_wsdl(text: str) -> bool:
    """Return True if the argument NAME is the address or file of a WSDL, and not the name of a package."""
    return _is_address(text) or os.sep in text or text.lower().endswith((".wsdl", ".xml"))


def _existing(text: str) -> Path:
    """Return the path of an existing file. Raises UsageError if the file does not exist."""
    argument = click.Argument(["wsdl"], metavar="WSDL")
    kind = click.Path(path_type=Path, exists=True, dir_okay=False)
    return Path(kind.convert(text, argument, click.get_current_context()))


def _name_of(wsdl: str) -> str:
    """Return a package name for a WSDL: the name of its file, or of the host if the address has no path."""
    try:
        parts = urlsplit(wsdl) if _is_address(wsdl) else None
    except ValueError:
        raise click.UsageError(f"{wsdl!r} is not a valid address") from None
    stem = PurePosixPath(wsdl if parts is None else unquote(parts.path)).stem
    name = re.sub(r"\W+", "_", stem or (parts.hostname if parts else None) or "", flags=re.ASCII)
    return name.lower().strip("_")


def _split(texts: tuple[str, ...]) -> list[str]:
    """Split texts of comma-separated values. Return all values, without duplicates."""
    return list(dict.fromkeys(part.strip() for text in texts for part in text.split(",") if part.strip()))


def _summary(result: init.GeneratedPackage, folder: Path, *, changed: bool) -> None:
    """Print the notes, the operations of the package, and how to import it.

    `changed` is True if this run has written files, because the package is new or different.
    """
    for note in result.notes[:_SHOWN]:
        click.echo(f"note: {note}")
    if len(result.notes) > _SHOWN:
        click.echo(f"note: … {len(result.notes) - _SHOWN} more")
    contract = result.contract
    types = len(contract.structs) + len(contract.enums)
    state = "written" if changed else "unchanged"
    number = len(contract.operations)
    click.echo(f"{folder}: {state}, {number} operation{'' if number == 1 else 's'}, {types} types")
    for operation in contract.operations[:_SHOWN]:
        click.echo(f"  {operation.method}")
    if len(contract.operations) > _SHOWN:
        click.echo(f"  … {len(contract.operations) - _SHOWN} more")
    click.echo(
        f"In Python: from {folder.name} import {contract.service_class}; from soapclient import connect"
    )
