"""The package that a command is about: one that is named, or one made of a WSDL while the command runs; and
its ports, to be connected."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import click

from soapclient._support.nearest import nearest
from soapclient._support.redaction import clean, redact, shown
from soapclient.cli.failures import Failure, needing_an_extra
from soapclient.cli.serving import AskedToEnd, tidied_up
from soapclient.cli.session import load_config

if TYPE_CHECKING:
    from soapclient.auth.credentials import Credentials
    from soapclient.runtime.operations import AnyOperation
    from soapclient.runtime.package import Package
    from soapclient.runtime.schema import PortRow
    from soapclient.runtime.service import Service


@contextmanager
def importable(wsdl: Path | str | None, package: str | None) -> Iterator[str]:
    """Return an importable package: the named one, or a temporary one generated from a file or an address."""
    if package is not None and not all(part.isidentifier() for part in package.split(".")):
        said = f"{shown(package)} is not the name of a package"
        raise click.BadParameter(f"{said}: write it as in an import, such as weather", param_hint="--package")
    before = list(sys.path)
    with tidied_up(), TemporaryDirectory(prefix="soapclient-package-") as folder:
        if wsdl is not None:
            package = _name_of(wsdl)
            _generate(wsdl, Path(folder) / package)
            sys.path.insert(0, folder)
        else:
            sys.path.insert(0, str(Path.cwd()))
        try:
            yield package or ""
        finally:
            sys.path[:] = before


def label_of(wsdl: Path | str) -> str:
    """Return a name for a WSDL: the file's without its suffix, the host's if an address has no path."""
    if isinstance(wsdl, Path):
        return wsdl.stem
    parts = urlsplit(wsdl)
    return PurePosixPath(unquote(parts.path)).stem or parts.hostname or "service"


def words_of(wsdl: Path | str | None, package: str) -> list[str]:
    """Return the words with which commands name a WSDL, or without one a package."""
    if wsdl is None:
        return ["--package", package]
    return ["--file", str(wsdl)] if isinstance(wsdl, Path) else [redact(wsdl)]


def _name_of(wsdl: Path | str) -> str:
    """Return a name for the package of a WSDL: its label, unless that is a module already."""
    stem = re.sub(r"\W", "_", label_of(wsdl), flags=re.ASCII).lower().strip("_")
    names = chain([stem, f"service_{stem}"], (f"service_{stem}_{number}" for number in count(2)))
    return next(
        name
        for name in names
        if name.isidentifier() and not keyword.iskeyword(name) and find_spec(name) is None
    )


def _generate(wsdl: Path | str, folder: Path) -> None:
    with needing_an_extra():
        from bindgen import init
        from bindgen.cli.common import FAILURES
        from bindgen.problems import in_words
    try:
        made = init.make(folder.name, wsdl)
        init.write(folder, made.files)
    except FAILURES as error:
        advice = "\nThese are options of `bindgen init`: generate a package, and name it with --package."
        raise Failure(f"{error}{advice if '--include-root' in str(error) else ''}") from error
    if made.problems:
        click.echo(f"soapclient: left out:\n{in_words(made.problems)}", err=True)


def package_named(name: str) -> Package:
    """A package that can be imported. Raises Failure for one that cannot, or that is none of ours."""
    from soapclient.runtime.package import OutdatedPackage, package

    service = f"{name}.service"
    try:
        import_module(service)
        found = package(name)
        found.settings  # noqa: B018 - raises for a package that is none
        import_module(f"{name}.types")
        return found
    except AskedToEnd:
        raise
    except OutdatedPackage as error:
        raise Failure(str(error)) from error
    except (Exception, SystemExit) as error:  # whatever its code raises
        said = f"the package {name} cannot be imported ({type(error).__name__}: {clean(str(error), 300)})"
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing == service and name in sys.modules:
            said = f"{name} is no package that bindgen wrote"
        elif missing and f"{service}.".startswith(f"{missing}."):
            said = f"there is no package {name}"
        raise Failure(f"{said}: write one with `bindgen init {name}`") from error


def operation_of(found: Package, name: str, port: str | None) -> tuple[AnyOperation, PortRow]:
    """Return an operation as a port has it, and the port.

    `name` is the operation's name in the package's description, in the WSDL or in Python. `port` is the name
    of a port or `Service/Port`, by default the first that has the operation. Raises ContractError, and
    ConfigError if there is no such port, or several.
    """
    from soapclient.errors import ContractError
    from soapclient.soap.packages import port_named

    known, ports = found.operations, found.settings.ports
    named = [each for each in ports if port is None or each.is_named(port)]
    if port is not None and not named:
        port_named(port, ports, found.name)  # raises
    for operation in [*filter(None, [known.get(name)]), *known.values()]:
        if name in (operation.key, operation.name, operation.method):
            serving = [each for each in named if each.port_type == operation.port_type]
            if serving:
                at = serving[0] if port is None else port_named(port, serving, found.name)
                return operation.at(at), at
    where = "the contract" if port is None else f"port {port}"
    said = f"{where} has no such operation{nearest(name, known)}"
    raise ContractError(f"operation {shown(name)}", None, ", ".join(known), said)


def connected_to(
    found: Package, port: PortRow, address: str | None, credentials: Credentials | None = None
) -> Service:
    """A port of a package, connected with the configured settings; where the package signs, with these
    credentials or those that are configured. Raises ConfigError."""
    from soapclient.connection import connect
    from soapclient.errors import ConfigError

    settings = load_config()
    if found.settings.signing is None:
        credentials = None
    elif credentials is None:
        credentials = settings.credentials()
    try:
        return connect(
            service_class(found, port),
            address=address,
            port=port.full_name,
            settings=settings,
            credentials=credentials,
        )
    except ConfigError as error:
        if error.setting != "address":
            raise
        # What is said there is for those who write Python.
        advice = "Give it as --address, with https or, where that is to be, with SOAPCLIENT_ALLOW_HTTP"
        raise ConfigError("address", error.problem, advice) from None


def service_class(found: Package, port: PortRow) -> type[Service]:
    """The class that has the operations of a port."""
    classes = vars(import_module(f"{found.name}.service")).values()
    found_class: type[Service] = next(
        each
        for each in classes
        if getattr(each, "PORT_TYPE", None) == port.port_type and hasattr(each, "PACKAGE")
    )
    return found_class
