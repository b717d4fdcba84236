"""`soapclient operations`: everything that can be called, and over which protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from soapclient.cli.contracts import SERVICES, contract_of


@click.command(short_help="List all operations, with their REST resources.")
@click.option("--json", "as_json", is_flag=True, help="As a JSON list.")
def command(as_json: bool) -> None:
    """List every operation: its service, whether it is signed, and which protocols have it.

    `rest` is the resource below the address of the service and its version.
    """
    rows = list(_rows())
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        rest = row["rest"]
        shown = f"{rest['method']:<6} {rest['path']}" if isinstance(rest, dict) else "-"
        soap = "SOAP" if row["soap"] else "-"
        click.echo(f"{row['service']:<10} {row['operation']:<26} {row['auth']:<6}  {soap:<4}  {shown}")


def _rows() -> Iterator[dict[str, str | bool | dict[str, str] | None]]:
    for service in SERVICES:
        for operation in contract_of(service).operations.values():
            form = operation.rest
            yield {
                "service": service,
                "operation": operation.name,
                "auth": "signed" if operation.signed else "public",
                "soap": operation.soap,
                "rest": None if form is None else {"method": form.method, "path": form.path},
            }
