"""`soapclient console`: serve pages to explore and call services, on this machine only."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from soapclient.cli import options, param_types
from soapclient.cli.consoles import configured, connected, in_words
from soapclient.cli.failures import needing_an_extra
from soapclient.cli.packages import importable
from soapclient.cli.places import places_of_addresses, places_of_profiles
from soapclient.cli.serving import cannot_serve, until_a_signal
from soapclient.cli.session import load_config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from soapclient.console.targets import Target


@click.command()
@click.argument("wsdl", required=False, type=param_types.WsdlSource(), metavar="[WSDL]")
@click.option("--file", type=options.FILE, help="A WSDL on disk, instead of the configured service.")
@options.package
@options.address
@options.security
@click.option(
    "--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 for any free port."
)
def command(
    wsdl: Path | str | None,
    file: Path | None,
    package: str | None,
    address: str | None,
    security: Path | None,
    port: int,
) -> None:
    """Serve pages about the configured service, or about any WSDL (a file or an address), and print their
    address.

    The pages list the operations, have a form for each, send it, and show the response. The address
    contains a token, and other machines have no access.
    """
    wsdl = param_types.wsdl_of(wsdl, file)
    if wsdl is not None and package is not None:
        raise click.UsageError(f"give {'a WSDL' if file is None else '--file'} or --package, not both")
    if address is not None and wsdl is None and package is None:
        raise click.UsageError("--address can be used only with a WSDL, --file or --package")
    if security is not None and wsdl is None and package is None:
        raise click.UsageError("--security can be used only with a WSDL, --file or --package")
    with needing_an_extra():
        from soapclient.console.application import Console
        from soapclient.serving.server import Server

    with until_a_signal() as stopped, ExitStack() as ends:
        if wsdl is None and package is None:
            config = load_config()
            shown = ends.enter_context(configured(config))
            places = places_of_profiles(ends, shown, config)
        else:
            name = ends.enter_context(importable(wsdl, package))
            shown = ends.enter_context(connected(name, wsdl, lambda _: address, security=security))

            def in_wsdl() -> Sequence[Target]:
                return ends.enter_context(connected(name, wsdl, lambda _: None, security=security)).targets

            places = places_of_addresses(ends, shown, address, in_wsdl)
        console = Console(shown.targets, shown.explored, in_words, jobs=shown.jobs, places=places)
        try:
            server = ends.enter_context(Server(console, "127.0.0.1", port))
        except OSError as error:
            raise cannot_serve("127.0.0.1", port, error) from error
        click.echo(f"{server.url}/?token={console.token}")
        sys.stdout.flush()
        click.echo("soapclient: the console can be used on this machine only; Ctrl-C ends it", err=True)
        stopped.wait()
