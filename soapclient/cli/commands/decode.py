"""`soapclient decode`: decode a recorded response as the client does."""

from __future__ import annotations

from typing import IO, Final

import click

from soapclient.cli import completion
from soapclient.cli.failures import ExitCode, Failure
from soapclient.cli.output import print_response
from soapclient.cli.param_types import InputFile, ServiceName
from soapclient.cli.session import JSON_ANYWAY, load_config, print_drift

_EPILOG: Final = """\b
Example: soapclient decode publisher GetSales response.json
"""


@click.command(epilog=_EPILOG)
@click.argument("service", type=ServiceName())
@click.argument("operation", shell_complete=completion.operation)
@click.argument("file", type=InputFile("rb"))
@JSON_ANYWAY
def command(service: str, operation: str, file: IO[bytes]) -> None:
    """Decode FILE (- for stdin), a recorded response to OPERATION of SERVICE, and print it as JSON.

    It may be a SOAP envelope, REST XML or REST JSON; the format is detected. Drift findings are printed on
    stderr. Nothing is sent, and no address or credentials are needed.
    """
    from soapclient._support.redaction import clean
    from soapclient.cli.contracts import operation_named, package_named
    from soapclient.cli.decoding import UnreadableDocument, decode
    from soapclient.drift import Drift
    from soapclient.rest.json_tree import BrokenJson

    chosen = operation_named(service, operation)
    drift = Drift()
    try:
        response = decode(
            chosen,
            file.read(),
            package=package_named(service),
            config=load_config().for_service(service),
            drift=drift,
        )
    except (BrokenJson, UnreadableDocument) as error:
        message = f"{chosen.name}: {file.name} cannot be read: {clean(str(error), 500)}"
        raise Failure(message, ExitCode.RESPONSE) from error
    finally:
        print_drift(drift)
    print_response(chosen, response)
