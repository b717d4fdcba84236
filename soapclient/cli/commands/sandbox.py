"""`soapclient sandbox`: the built-in service, served until it is interrupted."""

from __future__ import annotations

import ipaddress
import shlex
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from soapclient.cli.contracts import SERVICES, WITH_SOAP, tables_of
from soapclient.cli.failures import Failure, needing_an_extra

if TYPE_CHECKING:
    from soapclient.sandbox import Sandbox

_PEM = click.Path(dir_okay=False, path_type=Path)
_MOST_CLICKS = 10_000_000
_OWN_CODES = 5  # of many, and together less than one request may ask for
_FOREIGN_CODES = 2  # of which the service tells the ids alone


@click.command(short_help="Serve the built-in service until Ctrl-C.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to serve at; 0.0.0.0 for all of this machine, as in a container.",
)
@click.option("--port", default=8642, show_default=True, type=click.IntRange(0, 65535), help="0: a free one.")
@click.option("--seed", default=1, show_default=True, help="What its data is made from.")
@click.option(
    "--clicks-per-day",
    default=1000,
    show_default=True,
    type=click.IntRange(0, _MOST_CLICKS),
    help="Rows that a day has in a click export.",
)
@click.option("--old-roots", is_flag=True, help="REST XML as in older examples: some roots are <response>.")
@click.option("--certificate", type=_PEM, metavar="FILE", help="Serve over TLS with this certificate, PEM.")
@click.option("--key", type=_PEM, metavar="FILE", help="Its key, where the certificate's file has none.")
@click.option(
    "--trust-forwarded",
    is_flag=True,
    help="Believe X-Forwarded-Proto and X-Forwarded-Host, behind what terminates TLS.",
)
def command(
    host: str,
    port: int,
    seed: int,
    clicks_per_day: int,
    old_roots: bool,
    certificate: Path | None,
    key: Path | None,
    trust_forwarded: bool,
) -> None:
    """Serve the sandbox until Ctrl-C, and print the environment that sends the other commands to it.

    It keeps a reconstructed contract, checks every signature, and makes its data up. What the account owns
    is printed as well: partner codes (its own and some of another program), its program and its profile.
    """
    if key is not None and certificate is None:
        raise click.UsageError("--key goes with --certificate")
    with needing_an_extra():
        from soapclient.sandbox import (
            SAMPLE_CONNECT_ID,
            SAMPLE_SECRET_KEY,
            Sandbox,
            UnusableCertificate,
            serve,
        )

    with (
        _until_a_signal() as stopped,
        Sandbox(seed=seed, clicks_per_day=clicks_per_day, old_roots=old_roots) as sandbox,
    ):
        try:
            serving = serve(
                sandbox, host, port, certificate=certificate, key=key, trust_forwarded=trust_forwarded
            )
        except UnusableCertificate as error:
            raise Failure(str(error)) from error
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or "this is not an address of this machine"
            raise Failure(f"cannot serve at {host} port {port}: {reason}") from error
        with serving:
            url = _reached_at(serving.url, host)
            environment = {
                "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
                "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
                **{f"SOAPCLIENT_{service.upper()}_URL": url for service in SERVICES},
            }
            lines = [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
            lines += [f"# {service}: {url}/wsdl/{tables_of(service).version}" for service in WITH_SOAP]
            lines += _owned(sandbox, SAMPLE_CONNECT_ID)
            click.echo("\n".join(lines))
            click.echo(
                "soapclient: serving a reconstructed contract, for the published sample credentials; "
                "Ctrl-C ends it",
                err=True,
            )
            stopped.wait()
    click.echo("soapclient: the sandbox has ended", err=True)


def _owned(sandbox: Sandbox, connect_id: str) -> list[str]:
    """What the Advertiser calls and an update of the profile ask for, as lines of a shell."""
    codes = sandbox.partner_codes(connect_id)
    some = [*codes[:_OWN_CODES], *codes[-_FOREIGN_CODES:]]
    return [
        f"export SOAPCLIENT_ADVERTISER_PARTNER_CODES={','.join(some)}",
        f"# advertiser program: {sandbox.program_of(connect_id)}",
        f"# publisher profile: {sandbox.profile_of(connect_id)}",
    ]


@contextmanager
def _until_a_signal() -> Iterator[threading.Event]:
    """An event that Ctrl-C or a request to terminate sets, so that everything is closed in its order."""
    stopped = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stopped.set()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _reached_at(url: str, host: str) -> str:
    """Where this machine reaches a server: one that listens everywhere has no address to call."""
    try:
        everywhere = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return url
    return url.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]") if everywhere else url
