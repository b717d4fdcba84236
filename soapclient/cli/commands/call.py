"""`soapclient call`: any operation of the contract by its name, the typed response as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from soapclient.cli.contracts import SERVICES, WITH_SOAP
from soapclient.cli.session import load_config, opened

if TYPE_CHECKING:
    from soapclient.calling.protocol import ProtocolEngine
    from soapclient.cli.request import FieldValue
    from soapclient.client import ProtocolName
    from soapclient.config import Config

_EPILOG: Final = """\b
Example: soapclient call publisher GetSales date=2026-11-01 dateType=trackingDate

\b
Names are the contract's, or the same in snake_case. Inner fields follow dots, attributes @:
  adspaceItem.@id=5 adspaceItem.name=Blog adspaceItem.regions.region=DE
Repeat a name for several values; item[2].name=X sets a field of the second item.
"""


@click.command(epilog=_EPILOG, short_help="Call any operation; print the typed response as JSON.")
@click.argument("service", type=click.Choice(SERVICES))
@click.argument("operation")
@click.argument("assignments", metavar="[NAME=VALUE]...", nargs=-1)
@click.option(
    "--json", "source", type=click.File("rb"), help="Fields as a JSON object from a file, or - for stdin."
)
@click.option("--protocol", type=click.Choice(["soap", "rest"]), help="Overrides the configured one.")
@click.option("--trace", is_flag=True, help="Show on stderr what is sent and received, without signatures.")
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the body of the response, whatever it is, for `soapclient decode`.",
)
def command(
    service: str,
    operation: str,
    assignments: tuple[str, ...],
    source: IO[bytes] | None,
    protocol: ProtocolName | None,
    trace: bool,
    save: Path | None,
) -> None:
    """Call OPERATION of SERVICE and print the response as JSON.

    Decimals, money above all, are printed as strings, with the digits that the service sent. --trace shows
    each attempt; a compressed body is shown, and saved, as it is once it is decompressed.
    """
    fields = _fields(assignments, source)

    import msgspec

    from soapclient.cli.contracts import operation_named
    from soapclient.cli.request import checked_request
    from soapclient.errors import UnsupportedByProtocol

    if protocol == "soap" and service not in WITH_SOAP:
        raise UnsupportedByProtocol(f"the {service} service", "SOAP")
    chosen = operation_named(service, operation)
    with opened(load_config(), protocol) as client:
        soap = getattr(client.config, f"{service}_protocol", "rest") == "soap"
        request = checked_request(chosen, fields, client.config, soap=soap)
        engine: ProtocolEngine = getattr(client, service).engine
        with _listening(engine, client.config, save, show=trace):
            response = engine.call(chosen, request)
    click.echo(msgspec.json.format(msgspec.json.encode(response), indent=2))


@contextmanager
def _listening(engine: ProtocolEngine, config: Config, save: Path | None, *, show: bool) -> Iterator[None]:
    """Around one call: show its requests and responses, and keep the last body that came, as is asked for.

    Raises OSError where the file cannot be written, before anything is sent.
    """
    if save is None and not show:
        yield
        return
    from soapclient.cli.wire import Wire
    from soapclient.transport.session import secrets_of

    secret = config.secret_key
    own = set() if secret is None else {secret.reveal()}
    wire = Wire(show=show, secrets=own | secrets_of(engine.session))
    wire.listen(engine.session)
    part = None if save is None else save.with_name(f"{save.name}.part")
    kept = -1
    if part is not None:
        from soapclient.durable import create_private

        kept = create_private(part)  # a response may be about people, and the file may lie in /tmp
    try:
        yield
    finally:
        wire.finish()
        if save is not None and part is not None:
            with os.fdopen(kept, "wb") as file:
                file.write(wire.body or b"")
            if wire.body is None:
                part.unlink()
                click.echo(f"soapclient: no response came, so {save} was not written", err=True)
            else:
                part.replace(save)


def _fields(assignments: tuple[str, ...], source: IO[bytes] | None) -> FieldValue:
    from soapclient.cli.request import InvalidFields, from_assignments, from_json

    if source is not None and assignments:
        raise click.UsageError("pass the fields either as NAME=VALUE or with --json, not both")
    try:
        return from_assignments(assignments) if source is None else from_json(source.read())
    except InvalidFields as error:
        raise click.UsageError(str(error)) from None
