"""`soapclient try`: a package, a mock and a console for a WSDL, and a first call in Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.cli import options, param_types
from soapclient.cli.commands import mock
from soapclient.cli.failures import needing_an_extra
from soapclient.cli.packages import importable, operation_of
from soapclient.cli.serving import print_token, until_a_signal

if TYPE_CHECKING:
    from soapclient.console.targets import Target
    from soapclient.runtime.operations import AnyOperation

# Names of operations that usually change nothing at the service.
_READS: Final = LazyPattern(
    r"([Gg]et|[Ll]ist|[Ff]ind|[Ss]earch|[Rr]ead|[Qq]uery|[Ff]etch|[Ll]ookup|[Ss]how|[Cc]heck)(?![a-z])"
)
_MOST_TRIED: Final = 20  # operations; some contracts have no valid examples, and some have 1,500 operations
_NO_EXAMPLE: Final = (
    "cannot write a first call: the WSDL rejects the examples of all operations. Use the console"
)


@click.command("try")
@click.argument("wsdl", required=False, type=param_types.WsdlSource(), metavar="[WSDL]")
@click.option("--file", type=options.FILE, help="A WSDL on disk, with its imports next to it.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the generated package in this folder. Default: a temporary folder.",
)
@click.option("--operation", metavar="NAME", help="The operation to call in the program. Default: a read.")
@click.option(
    "--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 for any free port."
)
@click.option("--seed", default=1, show_default=True, help="Seed of the examples in responses.")
def command(
    wsdl: Path | str | None, file: Path | None, out: Path | None, operation: str | None, port: int, seed: int
) -> None:
    """Try a WSDL (a file or an address) without its service, until Ctrl-C.

    Generates a typed package, serves a mock of the service and a console in the browser, and prints their
    addresses and a first call as a Python program. Run the program in another terminal: it calls the mock.
    Nothing is sent to the real service.
    """
    wsdl = param_types.wsdl_of(wsdl, file)
    if wsdl is None:
        raise click.UsageError("give a WSDL: a file or an address")
    with needing_an_extra():
        import soapclient.testing.mocks.server  # noqa: F401 - before the package is generated

    # Ctrl-C interrupts the generation. From then on, it ends the wait.
    with importable(wsdl, None, out) as name, until_a_signal() as stopped, ExitStack() as ends:
        mocked, with_console = mock.start(ends, name, port=port, seed=seed)
        setup = ends.enter_context(mock.shown(name, wsdl, mocked))
        code = _first_call(setup.targets, operation)
        folder = Path(import_module(name).__path__[0]).resolve()
        click.echo(f"# package: {folder}")
        for line in with_console.add(ends, mocked.url, lambda: nullcontext(setup), mocked.token):
            click.echo(line)
        click.echo(f"# wsdl: {mocked.wsdl}")
        if code:
            click.echo(_program(code, folder.parent))
        sys.stdout.flush()
        if not code:
            click.echo(f"soapclient: {_NO_EXAMPLE}", err=True)
        kept = "" if out is not None else " and removes the package; --out DIR keeps it"
        click.echo(f"soapclient: serving example responses; Ctrl-C stops both servers{kept}", err=True)
        print_token(mocked.token)
        stopped.wait()
    click.echo("soapclient: the mock and the console have stopped", err=True)


def _first_call(targets: list[Target], name: str | None) -> str:
    """Return Python code that calls an operation with example values, or "" if no example is valid.

    `name`: the operation. The default is the first operation with a name such as GetWeather, or else the
    first operation.
    """
    from soapclient.cli.consoles import in_python
    from soapclient.console.forms import Forms
    from soapclient.testing.examples import Examples

    for target, operation in islice(_candidates(targets, name), _MOST_TRIED):
        forms = Forms(Examples(operation.codec), target.checks())
        form = forms.form(operation, forms.example(operation, complete=False), check=True)
        if form.is_valid:
            code = in_python(target, form, installed=True)
            return code if operation.one_way else f"{code}    print(response)\n"
    return ""


def _candidates(targets: list[Target], name: str | None) -> Iterator[tuple[Target, AnyOperation]]:
    """Yield pairs of a service and one of its operations, the most suitable for a first call first.

    If `name` is given, only operations with this name are yielded. Raises ContractError if there are none.
    """
    pairs = [(target, operation) for target in targets for operation in target.operations.values()]
    if name is not None and pairs:
        key = operation_of(targets[0].package, name, None)[0].key
        pairs = [pair for pair in pairs if pair[1].key == key]
    # The sort is stable: operations of the same kind stay in the order of the WSDL.
    yield from sorted(pairs, key=lambda pair: (pair[1].one_way, not _READS.match(pair[1].name)))


def _program(code: str, folder: Path) -> str:
    """Return `code` as a program that can be run in the current folder.

    `folder` contains the package. If it is not the current folder, the program first adds it to `sys.path`.
    """
    from bindgen.emit.text import literal

    lines = ["# A first call. Run it in another terminal, or copy it into a file or a Python prompt."]
    if folder != Path.cwd().resolve():
        lines += ["import sys", "", f"sys.path.insert(0, {literal(str(folder))})", ""]
    return "\n".join([*lines, code])
