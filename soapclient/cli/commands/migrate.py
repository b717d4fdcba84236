"""`soapclient migrate`: convert Python code that uses zeep."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient.cli import options
from soapclient.cli.failures import ExitCode, Failure, needing_an_extra

if TYPE_CHECKING:
    from soapclient.cli.migration.packages import NamedPackage

_EPILOG: Final = """\b
Exit codes:
  0  the file was converted
  1  something is left to do: see the comments in the result
  2  the file cannot be read, or is not Python
"""


@click.command(epilog=_EPILOG)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.py")
@click.option("--file", "wsdl", type=options.FILE, help="The WSDL on disk, if the code does not name a file.")
@click.option("--name", metavar="NAME", help="Name of the generated package. Default: the name of the WSDL.")
def command(file: Path, wsdl: Path | None, name: str | None) -> None:
    """Print Python code that uses zeep as code for a generated package.

    The code in FILE.py is read, not run, and the file is not changed. Parts that cannot be converted stay as
    they are, with a comment `# soapclient: …` that says what to do. If the WSDL is a file, names and types
    are taken from it; otherwise names follow the rules of bindgen.
    """
    with needing_an_extra():
        from soapclient.cli.migration.rewriter import migrate

    text = _read(file)
    with ExitStack() as ends:
        try:
            result = migrate(text, lambda source: _package(ends, source, wsdl, name, file.parent))
        except (SyntaxError, ValueError, RecursionError) as error:
            line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            reason = error.msg if isinstance(error, SyntaxError) else type(error).__name__
            raise Failure(f"{file}{line}: not Python: {reason}", ExitCode.USAGE) from None
    click.echo(result.text, nl=False)
    if result.text == text:
        click.echo("soapclient: nothing to convert: the code does not use zeep", err=True)
    for line in result.commands:
        click.echo(f"soapclient: generate the package with: {line}", err=True)
    if result.left:
        count = len(result.left)
        things = "1 thing is" if count == 1 else f"{count} things are"
        click.echo(f"soapclient: {things} left to do: see the comments # soapclient: …", err=True)
        raise click.exceptions.Exit(ExitCode.OTHER)


def _read(file: Path) -> str:
    import tokenize  # imported late, because few commands need it

    try:
        with tokenize.open(file) as opened:
            return opened.read()
    except OSError as error:
        raise Failure(f"{file}: {error.strerror}", ExitCode.USAGE) from None
    except (SyntaxError, UnicodeDecodeError):
        raise Failure(f"{file}: not Python: the encoding is not valid", ExitCode.USAGE) from None


def _package(ends: ExitStack, source: str, wsdl: Path | None, name: str | None, folder: Path) -> NamedPackage:
    """Return the package for a WSDL: for `wsdl`, the file of --file, or else for `source`.

    `source` is the WSDL that the code names, or "". If the WSDL is a file, a temporary package is generated,
    which `ends` removes. `name` is the name of the package, by default a name derived from the WSDL. `folder`
    is the folder of the code's file.
    """
    from soapclient.cli.migration.packages import NamedPackage, name_for
    from soapclient.cli.packages import importable, package_named

    shown = str(wsdl) if wsdl is not None else source
    chosen = name or name_for(shown)
    found = wsdl
    if found is None and source and "://" not in source:
        found = next((path for path in (Path(source), folder / source) if path.is_file()), None)
    if found is None:
        return NamedPackage(chosen, shown)
    generated = ends.enter_context(importable(found, None))
    return NamedPackage(chosen, shown, package_named(generated))
