"""`soapclient contract`: compare the service's contract with the packaged one."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient._support.redaction import addresses_hidden
from soapclient.cli import param_types
from soapclient.cli.contracts import PACKAGES, WITH_SOAP, package_named
from soapclient.cli.failures import Failure
from soapclient.cli.session import load_config
from soapclient.errors import ConfigError

if TYPE_CHECKING:
    from bindgen.diff.findings import Report
    from bindgen.diff.ignore import Entry
    from bindgen.diff.rules import Level
    from bindgen.diff.sources import Source
    from soapclient.settings import CommonSettings

_UNCHECKED: Final = 3
_FORMATS: Final = ("text", "json", "markdown", "html")
_LEVELS: Final = ("info", "warning", "breaking")
_EPILOG: Final = """\b
Exit code: 0 the same, 1 compatible changes, 2 breaking ones, 3 could not be checked.
Example: soapclient contract check publisher --format markdown
"""


@click.group()
def command() -> None:
    """Check the contracts of the packaged bindings."""


@command.command("check", epilog=_EPILOG)
@click.argument(
    "services",
    nargs=-1,
    type=param_types.ServiceName(WITH_SOAP, command="soapclient describe"),
    metavar="[SERVICE]...",
)
@click.option("--format", "form", type=click.Choice(_FORMATS), help="Format of the report. Default: text.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--output",
    type=param_types.NewFile(dir_okay=False),
    metavar="FILE",
    help="File for the report. Default: stdout.",
)
@click.option(
    "--ignore",
    "ignored",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File with accepted changes, in lines of the form `rule path # reason`.",
)
@click.option(
    "--allow-host",
    "allow_hosts",
    multiple=True,
    metavar="HOST",
    help="Another host from which documents may be fetched, besides the WSDL's host; repeatable.",
)
@click.option("--strict-ignore", is_flag=True, help="Exit with 3 if a line of the ignore file is unused.")
@click.option(
    "--fail-on",
    type=click.Choice(_LEVELS),
    default="breaking",
    show_default=True,
    help="The exit code is 2 if there are changes of this level or a worse one.",
)
def check(
    services: tuple[str, ...],
    form: str | None,
    as_json: bool,
    output: Path | None,
    ignored: Path | None,
    allow_hosts: tuple[str, ...],
    strict_ignore: bool,
    fail_on: Level,
) -> None:
    """Fetch the WSDL of each SERVICE and compare it with the packaged one.

    Without SERVICE, all are checked. A service without a configured address cannot be checked, so name the
    services that you use. Nothing is signed and no credentials are sent. The endpoint in the fetched
    WSDL may be the packaged or the configured endpoint.
    """
    if as_json and form not in (None, "json"):
        raise click.UsageError("give --json or --format, not both")
    form = "json" if as_json else form or "text"
    try:
        from bindgen.diff import ignore, reports
        from bindgen.diff.findings import EXIT_CODES, worst
    except ImportError as missing:
        raise Failure(
            f"comparing contracts needs bindgen, but its installation is incomplete: {missing}"
        ) from missing
    config = load_config()
    try:
        entries = ignore.read(ignored) if ignored is not None else []
    except ignore.IgnoreError as error:
        raise Failure(str(error)) from error
    results = [_compare(name, config, entries, allow_hosts) for name in services or WITH_SOAP]
    # A line is used if any of the contracts uses it.
    unused = set.intersection(*(set(report.unused) for report in results))
    results = [dataclasses.replace(report, unused=tuple(sorted(unused))) for report in results]
    text = reports.render(results, form, fail_on)
    if output is None:
        click.echo(text, nl=False)
    else:
        _write(output, text)
    for report in results:
        if report.error and (form != "text" or output is not None):  # otherwise the text has it
            click.echo(f"soapclient: could not check {report.name}: {report.error}", err=True)
    if sys.stdout is not None:  # None if the process was started without stdout
        sys.stdout.flush()
    code = _UNCHECKED if unused and strict_ignore else EXIT_CODES[worst(results, fail_on)]
    click.get_current_context().exit(code)


def _write(output: Path, text: str) -> None:
    """Write the report. The file is replaced atomically, so readers never see a partial report."""
    from bindgen import atomic

    try:
        atomic.replace(output, text.encode())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise Failure(f"{output}: the report cannot be written ({reason})") from error


@addresses_hidden()
def _compare(
    name: str, config: CommonSettings, entries: Sequence[Entry], allow_hosts: Sequence[str]
) -> Report:
    """Compare the packaged WSDL of the service `name` with the WSDL at the service's configured address.

    Returns the report of the differences. If no address is configured, the report has an error. `entries`
    are the changes that the user's ignore file accepts. `allow_hosts` are further hosts that may be called.
    """
    import msgspec

    from bindgen.diff import sources
    from bindgen.diff.check import check as compare
    from bindgen.diff.findings import Report
    from bindgen.fetching.collector import collect
    from bindgen.settings import ContractSettings
    from soapclient.contract import package_documents

    package = package_named(name)
    version = package.settings.version
    path = f"{PACKAGES[name].replace('.', '/')}/contract.wsdl"
    try:
        url = config.wsdl_url(name, version)
    except ConfigError as error:
        others = ", ".join(other for other in WITH_SOAP if other != name)
        return Report(name, path, "(no address)", error=f"{error}; to check only {others}, name it")

    signing, paging = package.settings.signing, package.settings.paging
    roles = {} if paging is None else {"paging": msgspec.to_builtins(paging)}
    if signing is not None:
        roles["signing"] = {"scheme": signing.scheme, **signing.roles}

    def ours() -> Source:
        return sources.of_bytes(name, path, package_documents.wsdl(package))

    def theirs() -> Source:
        """Download the service's WSDL with the schemas that it imports, and return them."""
        documents = collect(url, allow_hosts=allow_hosts, settings=config.for_service(name))
        return sources.of_collected(documents, url)

    return compare(
        ours,
        theirs,
        name=name,
        shown=(path, url),
        entries=entries,
        addresses=_endpoints(config, name, version),
        settings=[ContractSettings(name, version, "", roles)],
    )


def _endpoints(config: CommonSettings, name: str, version: str) -> tuple[str, ...]:
    """Return a tuple with the configured SOAP address of a service; empty if no address is configured.

    The comparison accepts this address: if the fetched WSDL has it, and the packaged WSDL has another
    address, that is not a change.
    """
    try:
        return (config.soap_endpoint(name, version),)
    except ConfigError:
        return ()
