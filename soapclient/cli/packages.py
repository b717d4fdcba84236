"""The package of a command: an installed one, or one generated from a WSDL while the command runs."""

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
    """Yield an importable package: the given one, or a temporary one generated from a file or an address."""
    if package is not None and not all(part.isidentifier() for part in package.split(".")):
        message = f"{shown(package)} is not the name of a package"
        raise click.BadParameter(
            f"{message}: write it as in an import, such as weather", param_hint="--package"
        )
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
    """Return a name for a WSDL: the file's name without its suffix, or the host if an address has no path."""
    if isinstance(wsdl, Path):
        return wsdl.stem
    parts = urlsplit(wsdl)
    return PurePosixPath(unquote(parts.path)).stem or parts.hostname or "service"


def words_of(wsdl: Path | str | None, package: str) -> list[str]:
    """Return the words with which commands take a WSDL or, without one, a package."""
    if wsdl is None:
        return ["--package", package]
    return ["--file", str(wsdl)] if isinstance(wsdl, Path) else [redact(wsdl)]


def _name_of(wsdl: Path | str) -> str:
    """Return a name for the package of a WSDL: its label, changed if a module with that name exists."""
    stem = re.sub(r"\W", "_", label_of(wsdl), flags=re.ASCII).lower().strip("_")
    names = chain([stem, f"service_{stem}"], (f"service_{stem}_{number}" for number in count(2)))
    return next(
        name
        for name in names
        if name.isidentifier() and not keyword.iskeyword(name) and find_spec(name) is None
    )


def _generate(wsdl: Path | str, folder: Path) -> None:
    """Generate a package. Prints the parts left out. Raises Failure."""
    with needing_an_extra():
        from bindgen import init
        from bindgen.cli.common import FAILURES
        from bindgen.problems import in_words
    try:
        result = init.make(folder.name, wsdl)
        init.write(folder, result.files)
    except FAILURES as error:
        advice = "\nThese are options of `bindgen init`: generate a package, and give it with --package."
        raise Failure(f"{error}{advice if '--include-root' in str(error) else ''}") from error
    if result.problems:
        click.echo(f"soapclient: left out:\n{in_words(result.problems)}", err=True)


def package_named(name: str) -> Package:
    """Import a package. Raises Failure if it cannot be imported, or if bindgen did not generate it."""
    from soapclient.runtime.package import OutdatedPackage, package

    service = f"{name}.service"
    try:
        import_module(service)
        imported = package(name)
        imported.settings  # noqa: B018 - raises if bindgen did not generate the package
        import_module(f"{name}.types")
        return imported
    except AskedToEnd:
        raise
    except OutdatedPackage as error:
        raise Failure(str(error)) from error
    except (Exception, SystemExit) as error:  # the package's code may raise anything
        message = f"the package {name} cannot be imported ({type(error).__name__}: {clean(str(error), 300)})"
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing == service and name in sys.modules:
            message = f"{name} is not a package of bindgen"
        elif missing and f"{service}.".startswith(f"{missing}."):
            message = f"package {name} was not found"
        raise Failure(f"{message}: generate one with `bindgen init {name}`") from error


def operation_of(package: Package, name: str, port: str | None) -> tuple[AnyOperation, PortRow]:
    """Return an operation at a port, and the port.

    `name` is the operation's name in the package's description, in the WSDL or in Python. `port` is `Port`
    or `Service/Port`, by default the first port with the operation. Raises ContractError, and ConfigError
    if there is no such port or there are several.
    """
    from soapclient.errors import ContractError
    from soapclient.soap.packages import port_named

    operations, ports = package.operations, package.settings.ports
    ports_given = [item for item in ports if port is None or item.is_named(port)]
    if port is not None and not ports_given:
        port_named(port, ports, package.name)  # raises
    for operation in [*filter(None, [operations.get(name)]), *operations.values()]:
        if name in (operation.key, operation.name, operation.method):
            candidates = [item for item in ports_given if item.port_type == operation.port_type]
            if candidates:
                chosen = candidates[0] if port is None else port_named(port, candidates, package.name)
                return operation.at(chosen), chosen
    place = "the contract" if port is None else f"port {port}"
    message = f"{place} has no such operation{nearest(name, operations)}"
    raise ContractError(f"operation {shown(name)}", None, ", ".join(operations), message)


def connected_to(
    package: Package, port: PortRow, address: str | None, credentials: Credentials | None = None
) -> Service:
    """Connect a port of a package with the configured settings. Raises ConfigError.

    If the package signs, it uses these credentials or the configured ones.
    """
    from soapclient.connection import connect
    from soapclient.errors import ConfigError

    settings = load_config()
    if package.settings.signing is None:
        credentials = None
    elif credentials is None:
        credentials = settings.credentials()
    try:
        return connect(
            service_class(package, port),
            address=address,
            port=port.full_name,
            settings=settings,
            credentials=credentials,
        )
    except ConfigError as error:
        if error.setting != "address":
            raise
        # The original advice is for Python code.
        advice = "Give it as --address, with https or, if http is intended, with SOAPCLIENT_ALLOW_HTTP"
        raise ConfigError("address", error.problem, advice) from None


def service_class(package: Package, port: PortRow) -> type[Service]:
    """Return the generated class for a port."""
    classes = vars(import_module(f"{package.name}.service")).values()
    result: type[Service] = next(
        service
        for service in classes
        if getattr(service, "PORT_TYPE", None) == port.port_type and hasattr(service, "PACKAGE")
    )
    return result
