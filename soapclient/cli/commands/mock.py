"""`soapclient mock`: a service made of a WSDL or of a generated package, served until it is interrupted."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import click

from soapclient.cli import kinds, options
from soapclient.cli.failures import Failure, needing_an_extra
from soapclient.cli.packages import importable, package_named
from soapclient.cli.serving import cannot_serve, print_token, until_a_signal

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(short_help="Serve a mock of any WSDL until Ctrl-C.")
@click.argument("wsdl", required=False, type=kinds.WsdlSource(), metavar="[WSDL]")
@click.option("--file", type=options.FILE, help="A WSDL on disk, with what it imports beside it.")
@options.package
@options.host
@click.option("--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="0: a free one.")
@options.allow_host
@click.option("--seed", default=1, show_default=True, help="Another number, other examples.")
@click.option(
    "--rules",
    type=options.FILE,
    help="What it answers instead of examples: TOML, or Python with rules(mock).",
)
@click.option("--recording", type=_FOLDER, help="Answer from what soapclient.testing.record has kept there.")
@click.option(
    "--console/--no-console",
    default=True,
    show_default=True,
    help="At / a page to see, try and break it (extra console); on this machine's own address alone.",
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

    Requests are validated as the WSDL says: what is wrong with one stands in the fault. Others are answered
    with an example that the schema allows, the same one for the same request. Authentication is not checked.
    """
    wsdl = kinds.wsdl_of(wsdl, file)
    if (wsdl is None) == (package is None):
        raise click.UsageError("give a WSDL, or either --file or --package")
    with needing_an_extra():
        from soapclient.testing.mocks.rules import RulesError, read_rules
        from soapclient.testing.mocks.served import Mock, mock_service
    from soapclient.auth.credentials import Credentials
    from soapclient.cli.consoles import WithConsole, connected
    from soapclient.settings.addresses import is_loopback

    with until_a_signal() as stopped, importable(wsdl, package) as name, ExitStack() as ends:
        package_named(name)
        try:
            shown = console and is_loopback(host)
            service = mock_service(name, seed=seed, recording=recording, switchboard=shown)
            both = WithConsole(service)
            mocked = ends.enter_context(Mock(service, host, port, application=both, allow_hosts=allow_hosts))
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
        if shown:
            lines += both.add(
                ends,
                mocked.url,
                lambda: connected(
                    name,
                    wsdl,
                    lambda port: mocked.address(f"{port.service}/{port.name}"),
                    Credentials("anybody", "anything"),  # which a mock does not check
                ),
                mocked.token,
            )
        lines.append(f"# wsdl: {mocked.wsdl}")
        click.echo("\n".join(lines))
        sys.stdout.flush()
        click.echo("soapclient: serving examples; Ctrl-C ends it", err=True)
        if shown:
            print_token(mocked.token)
        stopped.wait()
    click.echo("soapclient: the mock has ended", err=True)
