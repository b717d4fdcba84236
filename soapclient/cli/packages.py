"""The package that a command is about: one that is named, or one made of a WSDL while the command runs."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from soapclient.cli.failures import Failure, needing_an_extra


@contextmanager
def importable(file: Path | None, package: str | None) -> Iterator[str]:
    """The name of a package that can be imported meanwhile: the one that is named, or one made of a file."""
    before = list(sys.path)
    with TemporaryDirectory(prefix="soapclient-package-") as folder:
        if file is not None:
            package = _name_of(file)
            _generate(file, Path(folder) / package)
            sys.path.insert(0, folder)
        else:
            sys.path.insert(0, str(Path.cwd()))
        try:
            yield package or ""
        finally:
            sys.path[:] = before


def _name_of(file: Path) -> str:
    """What a package made of a file is called: as the file, unless that is a module already."""
    name = re.sub(r"\W", "_", file.stem, flags=re.ASCII).lower().strip("_")
    if not name.isidentifier() or keyword.iskeyword(name) or find_spec(name) is not None:
        name = f"service_{name}"
    return name


def _generate(file: Path, folder: Path) -> None:
    with needing_an_extra():
        from bindgen import init
        from bindgen.cli.common import FAILURES
        from bindgen.problems import in_words
    try:
        made = init.make(folder.name, file)
        init.write(folder, made.files)
    except FAILURES as error:
        raise Failure(str(error)) from error
    if made.problems:
        click.echo(f"soapclient: left out:\n{in_words(made.problems)}", err=True)
