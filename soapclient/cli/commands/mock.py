"""`soapclient mock`: serve a mock of a WSDL or of a generated package, until Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from soapclient.cli import options, param_types
from soapclient.cli.failures import Failure, needing_an_extra
from soapclient.cli.packages import importable, package_named
from soapclient.cli.serving import cannot_serve, print_token, until_a_signal

if TYPE_CHECKING:
    from soapclient.cli.consoles import ConsoleMiddleware, ConsoleSetup
    from soapclient.testing.mocks.server import Mock

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
        import soapclient.testing.mocks.server  # noqa: F401 - before the package is generated
    from soapclient.settings.addresses import is_loopback

    # Ctrl-C interrupts the generation. From then on, it ends the wait.
    with importable(wsdl, package) as name, until_a_signal() as stopped, ExitStack() as ends:
        has_console = console and is_loopback(host)
        mocked, with_console = start(
            ends,
            name,
            host=host,
            port=port,
            allow_hosts=allow_hosts,
            seed=seed,
            rules=rules,
            recording=recording,
            switchboard=has_console,
        )
        lines = [f"# {port}: {address}" for port, address in mocked.addresses.items()]
        if has_console:
            lines += with_console.add(ends, mocked.url, lambda: shown(name, wsdl, mocked), mocked.token)
        lines.append(f"# wsdl: {mocked.wsdl}")
        click.echo("\n".join(lines))
        sys.stdout.flush()
        click.echo("soapclient: serving example responses; Ctrl-C stops the mock", err=True)
        if has_console:
            print_token(mocked.token)
        stopped.wait()
    click.echo("soapclient: the mock has stopped", err=True)


def start(
    ends: ExitStack,
    name: str,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    allow_hosts: Iterable[str] = (),
    seed: int = 1,
    rules: Path | None = None,
    recording: Path | None = None,
    switchboard: bool = True,
) -> tuple[Mock, ConsoleMiddleware]:
    """Start the mock of an importable package. Returns the mock, and the middleware that can add a console.

    `ends` stops the mock when it is closed. If `switchboard` is True, the log and the rules are served at
    paths below `/-/`, which a console needs. The other arguments are options of the command. Raises Failure
    if the mock cannot start.
    """
    from soapclient.cli.consoles import ConsoleMiddleware
    from soapclient.testing.mocks.rules import RulesError, read_rules
    from soapclient.testing.mocks.server import Mock, mock_service

    package_named(name)
    try:
        service = mock_service(name, seed=seed, recording=recording, switchboard=switchboard)
        with_console = ConsoleMiddleware(service)
        mocked = ends.enter_context(
            Mock(service, host, port, application=with_console, allow_hosts=allow_hosts)
        )
        if rules is not None:
            read_rules(rules, mocked)
    except (RulesError, FileNotFoundError) as error:
        raise Failure(str(error)) from error
    except (OSError, UnicodeError) as error:
        raise cannot_serve(host, port, error) from error
    except (ImportError, ValueError) as error:
        raise Failure(str(error)) from error
    return mocked, with_console


def shown(name: str, wsdl: Path | str | None, mocked: Mock) -> AbstractContextManager[ConsoleSetup]:
    """Return a context manager that yields the contents of a console, which calls the mock `mocked`.

    `name` is the package. `wsdl` is the WSDL from which it was generated; None if the package is installed.
    """
    from soapclient.auth.credentials import Credentials
    from soapclient.cli.consoles import connected

    return connected(
        name,
        wsdl,
        lambda port: mocked.address(f"{port.service}/{port.name}"),
        Credentials("anybody", "anything"),  # the mock does not check them
    )
