"""`soapclient call`: any operation of the contract by its name, the typed answer as JSON."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final

import click

from soapclient.cli.contracts import SERVICES, WITH_SOAP
from soapclient.cli.given import Given, Unreadable, from_assignments, from_json
from soapclient.cli.session import load_config, opened

if TYPE_CHECKING:
    from soapclient.client import CarrierName

_EPILOG: Final = """\b
Example: soapclient call publisher GetSales date=2026-11-01 dateType=trackingDate

\b
Names are the contract's, or the same in snake_case. Inner fields stand after dots, attributes after @:
  adspaceItem.@id=5 adspaceItem.name=Blog adspaceItem.regions.region=DE
Repeat a name for several values; item[2].name=X speaks of the second of several items.
"""


@click.command(epilog=_EPILOG, short_help="Call any operation; the typed answer comes as JSON.")
@click.argument("service", type=click.Choice(SERVICES))
@click.argument("operation")
@click.argument("assignments", metavar="[NAME=VALUE]...", nargs=-1)
@click.option(
    "--json", "source", type=click.File("rb"), help="Fields as a JSON object from a file, or - for stdin."
)
@click.option("--carrier", type=click.Choice(["soap", "rest"]), help="Instead of the configured one.")
def command(
    service: str,
    operation: str,
    assignments: tuple[str, ...],
    source: IO[bytes] | None,
    carrier: CarrierName | None,
) -> None:
    """Call OPERATION of SERVICE and print its answer as JSON.

    Numbers with a fraction, money above all, are printed as texts: digit by digit what the service sent.
    """
    given = _given(assignments, source)

    import msgspec

    from soapclient.cli.calling import call, removed_fields
    from soapclient.cli.contracts import caller_of, contract_of, operation_named
    from soapclient.cli.request import request_element
    from soapclient.cli.shapes import Shapes
    from soapclient.errors import UnsupportedByCarrier

    if carrier == "soap" and service not in WITH_SOAP:
        raise UnsupportedByCarrier(f"the {service} service", "SOAP")
    chosen = operation_named(service, operation)
    removed = _take(given, removed_fields(chosen))
    request = request_element(chosen, given, Shapes(*contract_of(service).documents))
    config = load_config()
    with opened(config, carrier) as client:
        reply = call(
            chosen,
            request,
            config=config,
            caller=lambda: caller_of(client, service),
            removed=removed,
            soap=getattr(client.config, f"{service}_carrier", "rest") == "soap",
        )
    click.echo(msgspec.json.format(msgspec.json.encode(reply), indent=2))


def _given(assignments: tuple[str, ...], source: IO[bytes] | None) -> Given:
    if source is not None and assignments:
        raise click.UsageError("give the fields either as NAME=VALUE or with --json, not both")
    try:
        return from_assignments(assignments) if source is None else from_json(source.read())
    except Unreadable as error:
        raise click.UsageError(str(error)) from None


def _take(given: Given, removed: dict[str, str]) -> dict[str, str]:
    """Take out the values of fields that the service no longer takes: Python name → value."""
    return {
        python: next((entry.text or "" for entry in given.fields.pop(name)), "")
        for wire, python in removed.items()
        for name in (wire, python)
        if name in given.fields
    }
