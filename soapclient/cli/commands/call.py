"""`soapclient call`: call any operation of a contract, and print the typed response as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from soapclient.cli import completion, options, param_types
from soapclient.cli.commands.describe import print_operations
from soapclient.cli.contracts import WITH_SOAP
from soapclient.cli.failures import ExitCode
from soapclient.cli.output import FormatChoice, print_response
from soapclient.cli.packages import importable, package_named, words_of
from soapclient.cli.query import Query
from soapclient.cli.session import FieldsCommand, given_fields, load_config, opened, print_drift

if TYPE_CHECKING:
    import requests

    from soapclient.cli.contracts import ProtocolName
    from soapclient.cli.output import OutputFormat
    from soapclient.cli.request import FieldValue
    from soapclient.runtime import AnyOperation
    from soapclient.settings import CommonSettings

_EPILOG: Final = """\b
Example: soapclient call publisher GetSales date=2026-11-01 dateType=trackingDate
         soapclient call --package weather GetWeather city=Berlin
         soapclient call weather.wsdl GetWeather city=Berlin
         soapclient call publisher GetSales date=2026-11-01 dateType=trackingDate \\
           --query 'saleItems[].{id: id, program: program.value}' -o table

\b
Names are the contract's, or the same in snake_case. Inner fields follow dots, attributes @:
  adspaceItem.@id=5 adspaceItem.name=Blog adspaceItem.regions.region=DE
Repeat a name for several values; item[2].name=X sets a field of the second item.
NAME.@xsi:nil=true is a nil, NAME.@xsi:type=TYPE says which of several types a value has.
Values of any type are XML or text.
Instead of all these, - reads them from stdin as a JSON object:
  soapclient call publisher GetSales - < request.json
"""


@click.command(cls=FieldsCommand, epilog=_EPILOG)
@click.argument(
    "words",
    metavar="[SERVICE|WSDL] OPERATION [NAME=VALUE]...|-",
    nargs=-1,
    shell_complete=completion.call_words,
)
@options.package
@options.file
@options.address
@options.wsdl_port
@options.security
@click.option(
    "--header",
    "headers",
    metavar="NAME=VALUE",
    multiple=True,
    shell_complete=completion.header,
    help="A SOAP header; names are as for fields.",
)
@click.option(
    "--query",
    type=Query,
    metavar="EXPRESSION",
    help="Print only a part of the response, which a JMESPath expression selects.",
)
@click.option(
    "-o",
    "--output-format",
    "output_format",
    type=FormatChoice(),
    help="Default: json. Table and csv have a row per item of a list.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (the default).")
@click.option("--protocol", type=click.Choice(["soap", "rest"]), help="Overrides the configured one.")
@click.option("--trace", is_flag=True, help="Show on stderr what is sent and received, without signatures.")
@click.option(
    "--save",
    type=param_types.NewFile(dir_okay=False),
    metavar="FILE",
    help="Save the body of the response, valid or not, for `soapclient decode`.",
)
@click.pass_context
def command(
    ctx: click.Context,
    words: tuple[str, ...],
    package: str | None,
    file: Path | None,
    address: str | None,
    port: str | None,
    security: Path | None,
    headers: tuple[str, ...],
    query: Query | None,
    output_format: OutputFormat | None,
    as_json: bool,
    protocol: ProtocolName | None,
    trace: bool,
    save: Path | None,
) -> None:
    """Call OPERATION of SERVICE (see `soapclient operations`), or of any service by its WSDL (a file or an
    address) or its --package, and print the response as JSON. Without OPERATION, list the operations of the
    WSDL.

    The rows of -o table and -o csv are the items of the response's list, if it has exactly one, or of the
    list that --query selects. A column is a field that occurs in one of the rows.

    Decimals, such as amounts of money, are printed as strings with the digits that the service sent.
    --trace shows each attempt; a compressed body is shown, and saved, decompressed.
    """
    subject = param_types.subject(ctx, words, file, package)
    is_registered = subject.own
    if is_registered and (address is not None or port is not None or security is not None or headers):
        message = "--address, --port, --security and --header can be used only with --package or --file"
        raise click.UsageError(message)
    if not is_registered and protocol is not None:
        raise click.UsageError("--protocol can be used only with a SERVICE")
    if as_json and output_format not in (None, "json"):
        raise click.UsageError(f"give --json or -o {output_format}, not both")
    operation, *assignments = subject.words or [""]
    if not operation and (is_registered or subject.words):
        raise click.UsageError("Missing argument 'OPERATION'.")
    if not operation:
        with importable(subject.wsdl, package) as name:
            print_operations(package_named(name).operations.values())
        return
    if "-" in headers:
        raise click.BadParameter(
            "headers cannot be read from stdin (-): give each header as NAME=VALUE", param_hint="--header"
        )
    fields = given_fields(assignments)
    shown = _OutputOptions(trace, None if save is None else _SavedBody(save))
    if is_registered:
        chosen, response = _call_registered(subject.service, operation, fields, protocol, shown)
    else:
        with importable(subject.wsdl, package) as name:
            called = words_of(subject.wsdl, name)
            called += [] if port is None else ["--port", port]
            chosen, response = _call_package(
                name, operation, fields, given_fields(headers), address, port, security, shown, called
            )

    print_response(chosen, response, query, output_format or "json")
    if shown.save is not None and shown.save.failed:
        ctx.exit(ExitCode.OTHER)


class _SavedBody:
    """The file of `--save`, which receives the body of the response.

    Only the owner can read the file, because it may contain personal data. If the file cannot be written,
    `failed` is True, but the command still prints the response, because the request has been sent.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f"{path.name}.part")
        self._fd = -1
        self.failed = False

    def open(self) -> None:
        """Create the file under a temporary name. Raises OSError."""
        from soapclient._support.durable import create_private
        from soapclient._support.part_file import check_replaceable

        check_replaceable(self._path)
        self._fd = create_private(self._part)

    def write(self, body: bytes | None) -> None:
        """Write the body, and rename the file to its final name.

        Prints a message and deletes the temporary file in two cases:

        - `body` is None: there was no response.
        - The file cannot be written.
        """
        try:
            with os.fdopen(self._fd, "wb") as file:
                file.write(body or b"")
            if body is not None:
                self._part.replace(self._path)
                return
            message = f"there was no response, so {self._path} was not written"
        except OSError as error:
            self.failed = True
            message = f"{self._path} was not written: {error.strerror}"
        with suppress(OSError):
            self._part.unlink()
        click.echo(f"soapclient: {message}", err=True)


class _OutputOptions(NamedTuple):
    """The options --trace (show the requests and responses) and --save (save the body of the response)."""

    trace: bool
    save: _SavedBody | None


def _call_registered(
    service: str, operation: str, fields: FieldValue, protocol: ProtocolName | None, shown: _OutputOptions
) -> tuple[AnyOperation, object]:
    """Call an operation of a registered service. Returns the operation and the response.

    `shown` has the values of the options --trace and --save.
    """
    from soapclient.cli.contracts import adapter_of, operation_named
    from soapclient.cli.request import checked_request
    from soapclient.errors import UnsupportedByProtocol

    if protocol == "soap" and service not in WITH_SOAP:
        raise UnsupportedByProtocol(f"the {service} service", "SOAP")
    chosen = operation_named(service, operation)
    adapter = adapter_of(service)
    with opened(adapter.client(load_config(), protocol)) as client:
        soap = getattr(client.settings, f"{service}_protocol", "rest") == "soap"
        with _with_example(chosen, [service]):
            request = checked_request(chosen, fields, client.settings.for_service(service), soap=soap)
        engine = adapter.engine(client, service)
        with _observed(engine.session, client.settings, shown):
            return chosen, engine.call(chosen, request)


def _call_package(
    name: str,
    operation: str,
    fields: FieldValue,
    headers: FieldValue,
    address: str | None,
    port: str | None,
    security: Path | None,
    shown: _OutputOptions,
    called: list[str],
) -> tuple[AnyOperation, object]:
    """Call an operation of a generated package. Returns the operation and the response.

    - `name`: the package. `headers`: the fields of --header.
    - `address`, `port`, `security`: the values of these options. `shown`: the values of --trace and --save.
    - `called`: the command-line arguments that select the package. An error for a missing field shows an
      example command with these arguments.
    """
    from soapclient.cli.packages import connected_to, operation_of
    from soapclient.cli.request import named_headers, named_request
    from soapclient.connection import engine_of

    imported = package_named(name)
    config = load_config().for_service(imported.settings.name)
    chosen, port_row = operation_of(imported, operation, port)
    with _with_example(chosen, called):
        request = named_request(chosen, fields, config)
    header_values = named_headers(chosen, headers, config)
    engine = engine_of(connected_to(imported, port_row, address, security=security))
    try:
        with _observed(engine.session, config, shown), _with_example(chosen, called):
            return chosen, engine.call(chosen, request, *([header_values] if header_values else []))
    finally:
        engine.close()
        print_drift(engine.drift)


@contextmanager
def _with_example(operation: AnyOperation, called: list[str]) -> Iterator[None]:
    """Context manager for one call. If the call lacks a required field, adds an example to the error.

    The example is a `soapclient call` command. `called` are its arguments that select the service.
    """
    from soapclient.errors import ContractError

    try:
        yield
    except ContractError as error:
        if error.value is None and " is required" in str(error):
            from soapclient.cli.description import example

            error.add_note(f"for example: {example(operation, called)}")
        raise


@contextmanager
def _observed(session: requests.Session, config: CommonSettings, shown: _OutputOptions) -> Iterator[None]:
    """Context manager for one call, which carries out the options --trace and --save.

    Shows the requests and responses of the call, and saves the body of its last response. Raises OSError if
    the file of --save cannot be created, before anything is sent.
    """
    show, save = shown
    if save is None and not show:
        yield
        return
    from soapclient.cli.trace import ExchangePrinter
    from soapclient.transport.session import secrets_of

    secret = config.secret_key
    own = set() if secret is None else {secret.reveal()}
    printer = ExchangePrinter(show=show, secrets=own | secrets_of(session))
    printer.listen(session)
    if save is not None:
        save.open()
    try:
        yield
    finally:
        printer.finish()
        if save is not None:
            save.write(printer.body)
