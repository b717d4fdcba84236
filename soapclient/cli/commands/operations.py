"""`soapclient operations`: list everything that can be called, and over which protocol."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence

import click

from soapclient.cli.contracts import SERVICES, package_named
from soapclient.cli.param_types import ServiceName


@click.command()
@click.argument("services", type=ServiceName(command="soapclient describe"), metavar="[SERVICE]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(services: tuple[str, ...], as_json: bool) -> None:
    """List every operation, or the operations of SERVICE: its service, whether it is signed, and its
    protocols.

    `rest` is the resource below the address of the service and its version.
    """
    rows = list(_rows(services or SERVICES))
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    click.secho(_fit(_line("SERVICE", "OPERATION", "AUTH", "SOAP", "REST"), width), bold=True)
    for row in rows:
        rest = row["rest"]
        shown = f"{rest['method']:<6} {rest['path']}" if isinstance(rest, dict) else "-"
        soap = "SOAP" if row["soap"] else "-"
        click.echo(_fit(_line(row["service"], row["operation"], row["auth"], soap, shown), width))


def _line(service: object, operation: object, auth: object, soap: str, rest: str) -> str:
    """Return one line of the printed table, padded so that its columns are aligned with the other lines."""
    return f"{service!s:<10} {operation!s:<26} {auth!s:<6}  {soap:<4}  {rest}"


def _fit(line: str, width: int | None) -> str:
    """Cut a line to `width` characters. If `width` is None (the output is not a terminal), cut nothing."""
    return line if width is None or len(line) <= width else f"{line[: width - 1]}…"


def _rows(services: Sequence[str]) -> Iterator[dict[str, str | bool | dict[str, str] | None]]:
    """Yield a dict for each operation of the services. Each dict is an object of the JSON output."""
    for service in services:
        for operation in package_named(service).operations.values():
            form = operation.rest
            yield {
                "service": service,
                "operation": operation.name,
                "auth": "signed" if operation.signed else "public",
                "soap": operation.soap,
                "rest": None if form is None else {"method": form.method, "path": form.path},
            }
