"""`soapclient mock`: serve a mock of a WSDL or of a generated package, until Ctrl-C."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import click

from soapclient.cli import options, param_types
from soapclient.cli.failures import Failure, needing_an_extra
from soapclient.cli.packages import importable, package_named
from soapclient.cli.serving import cannot_serve, print_token, until_a_signal

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("wsdl", required=False, type=param_types.WsdlSource(), metavar="[WSDL]")
@click.option("--file", type=options.FILE, help="A WSDL on disk, with its imports next to it.")
@options.package
@options.host
@click.option(
    "--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 for any free port."
)
@options.allow_host
@click.option("--seed", default=1, show_default=True, help="Seed of the examples.")
@click.option(
    "--rules",
    type=options.FILE,
    help="File with responses to use instead of examples: TOML, or Python with a function rules(mock).",
)
@click.option("--recording", type=_FOLDER, help="Respond from a recording of soapclient.testing.record.")
@click.option(
    "--console/--no-console",
    default=True,
    show_default=True,
    help="Serve a page at / to explore, call and break it (extra console); on loopback addresses only.",
)
def command(
    wsdl: Path | str | None,
    file: Path | None,
    package: str | None,
    host: str,
    port: int,
    allow_hosts: tuple[str, ...],
    seed: int,
    rules: Path | None,
    recording: Path | None,
    console: bool,
) -> None:
    """Serve a mock of a SOAP service until Ctrl-C, and print the address of its WSDL. WSDL is a file or an
    address.

    Requests are validated against the WSDL, and faults say what is wrong. The response to a valid request
    is an example that the schema allows, always the same for the same request. Authentication is not
    checked.
    """
    wsdl = param_types.wsdl_of(wsdl, file)
    if (wsdl is None) == (package is None):
        raise click.UsageError("give exactly one of: a WSDL, --file, --package")
    with needing_an_extra():
        from soapclient.testing.mocks.rules import RulesError, read_rules
        from soapclient.testing.mocks.server import Mock, mock_service
    from soapclient.auth.credentials import Credentials
    from soapclient.cli.consoles import ConsoleMiddleware, connected
    from soapclient.settings.addresses import is_loopback

    with until_a_signal() as stopped, importable(wsdl, package) as name, ExitStack() as ends:
        package_named(name)
        try:
            has_console = console and is_loopback(host)
            service = mock_service(name, seed=seed, recording=recording, switchboard=has_console)
            with_console = ConsoleMiddleware(service)
            mocked = ends.enter_context(
                Mock(service, host, port, application=with_console, allow_hosts=allow_hosts)
            )
            if rules is not None:
                read_rules(rules, mocked)
        except RulesError as error:
            raise Failure(str(error)) from error
        except FileNotFoundError as error:
            raise Failure(str(error)) from error
        except (OSError, UnicodeError) as error:
            raise cannot_serve(host, port, error) from error
        except (ImportError, ValueError) as error:
            raise Failure(str(error)) from error
        lines = [f"# {port}: {address}" for port, address in mocked.addresses.items()]
        if has_console:
            lines += with_console.add(
                ends,
                mocked.url,
                lambda: connected(
                    name,
                    wsdl,
                    lambda port: mocked.address(f"{port.service}/{port.name}"),
                    Credentials("anybody", "anything"),  # the mock does not check them
                ),
                mocked.token,
            )
        lines.append(f"# wsdl: {mocked.wsdl}")
        click.echo("\n".join(lines))
        sys.stdout.flush()
        click.echo("soapclient: serving examples; Ctrl-C ends it", err=True)
        if has_console:
            print_token(mocked.token)
        stopped.wait()
    click.echo("soapclient: the mock has stopped", err=True)
