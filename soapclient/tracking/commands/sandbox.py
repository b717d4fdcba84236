"""`soapclient sandbox`: serve the built-in service until it is interrupted."""

from __future__ import annotations

import math
import shlex
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from soapclient.cli import options
from soapclient.cli.contracts import SERVICES, WITH_SOAP, package_named
from soapclient.cli.failures import Failure, needing_an_extra
from soapclient.cli.serving import cannot_serve, print_token, until_a_signal

if TYPE_CHECKING:
    from soapclient.tracking.sandbox import Sandbox

_PEM = click.Path(dir_okay=False, path_type=Path)
_MOST_CLICKS = 10_000_000
_OWN_CODES = 5  # printed partner codes; together fewer than the maximum of one request
_FOREIGN_CODES = 2  # printed codes of another program; the service returns only their ids


@click.command()
@options.host
@click.option(
    "--port",
    default=8642,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port; 0 for any free port.",
)
@click.option("--seed", default=1, show_default=True, help="Seed of the data.")
@click.option(
    "--clicks-per-day",
    default=1000,
    show_default=True,
    type=click.IntRange(0, _MOST_CLICKS),
    help="Rows per day in a click export.",
)
@click.option("--old-roots", is_flag=True, help="Root <response> in some REST XML, as in older examples.")
@click.option("--certificate", type=_PEM, metavar="FILE", help="Serve over TLS with this certificate, PEM.")
@click.option(
    "--key", type=_PEM, metavar="FILE", help="The key (PEM), if it is not in the file of the certificate."
)
@click.option(
    "--timeout",
    default=30.0,
    show_default=True,
    type=click.FloatRange(0, 3600, min_open=True),
    help="Maximum seconds without data on a connection; a request may take four times as long.",
)
@click.option(
    "--max-connections",
    default=256,
    show_default=True,
    type=click.IntRange(1, 100_000),
    help="Maximum number of connections, each with a thread. If there are more, the slowest are closed.",
)
@click.option(
    "--trust-forwarded",
    is_flag=True,
    help="Trust X-Forwarded-Proto and X-Forwarded-Host, behind a TLS terminator.",
)
@options.allow_host
@click.option(
    "--console/--no-console",
    default=True,
    show_default=True,
    help="Serve a console at / (extra console); on loopback addresses only.",
)
def command(
    host: str,
    port: int,
    seed: int,
    clicks_per_day: int,
    old_roots: bool,
    certificate: Path | None,
    key: Path | None,
    timeout: float,
    max_connections: int,
    trust_forwarded: bool,
    allow_hosts: tuple[str, ...],
    console: bool,
) -> None:
    """Serve the sandbox until Ctrl-C, and print the environment variables that direct other commands to it.

    It implements a reconstructed contract, verifies every signature, and generates its data. It also prints
    the account's partner codes (its own and some of another program), its program and its profile.
    """
    if not math.isfinite(timeout):
        raise click.BadParameter(f"must be a finite number of seconds, got {timeout}", param_hint="--timeout")
    if key is not None and certificate is None:
        raise click.UsageError("--key requires --certificate")
    with needing_an_extra():
        from soapclient.serving.server import Server
        from soapclient.tracking.sandbox import (
            SAMPLE_CONNECT_ID,
            SAMPLE_SECRET_KEY,
            Sandbox,
            UnusableCertificate,
        )
    from soapclient.cli.consoles import ConsoleMiddleware, configured
    from soapclient.settings.addresses import is_loopback
    from soapclient.tracking.settings import Settings

    with_console = console and certificate is None and is_loopback(host)
    with (
        until_a_signal() as stopped,
        Sandbox(
            seed=seed, clicks_per_day=clicks_per_day, old_roots=old_roots, switchboard=with_console
        ) as sandbox,
        ExitStack() as ends,
    ):
        application = ConsoleMiddleware(sandbox)
        try:
            serving = Server(
                application,
                host,
                port,
                timeout,
                certificate=certificate,
                key=key,
                trust_forwarded=trust_forwarded,
                max_connections=max_connections,
                allow_hosts=allow_hosts,
            )
        except UnusableCertificate as error:
            raise Failure(str(error)) from error
        except (OSError, UnicodeError) as error:
            raise cannot_serve(host, port, error) from error
        except ValueError as error:
            raise Failure(str(error)) from error
        with serving:
            url = serving.url
            environment = {
                "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
                "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
                **{f"SOAPCLIENT_{service.upper()}_URL": url for service in SERVICES},
            }
            lines = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
            lines += [
                f"# {service}: {url}/wsdl/{package_named(service).settings.version}" for service in WITH_SOAP
            ]
            if with_console:
                services_shown = partial(configured, Settings.load(environ=environment))
                lines += application.add(ends, url, services_shown, serving.token)
            lines += _owned(sandbox, SAMPLE_CONNECT_ID)
            click.echo("\n".join(lines))
            click.echo(
                "soapclient: serving a reconstructed contract, for the published sample credentials; "
                "Ctrl-C ends it",
                err=True,
            )
            if with_console:
                print_token(serving.token)
            stopped.wait()
    click.echo("soapclient: the sandbox has stopped", err=True)


def _owned(sandbox: Sandbox, connect_id: str) -> list[str]:
    """Return shell lines with sample values that belong to the account `connect_id`.

    The first line is an `export NAME=VALUE` command that sets partner codes of the Advertiser service. Its
    last codes belong to another program. The other two lines are comments: they name the ids of the account's
    advertiser program and of its publisher profile.
    """
    codes = sandbox.partner_codes(connect_id)
    sample = [*codes[:_OWN_CODES], *codes[-_FOREIGN_CODES:]]
    return [
        f"export SOAPCLIENT_ADVERTISER_PARTNER_CODES={','.join(sample)}",
        f"# advertiser program: {sandbox.program_of(connect_id)}",
        f"# publisher profile: {sandbox.profile_of(connect_id)}",
    ]
