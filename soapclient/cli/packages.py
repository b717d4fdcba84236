"""The generated package that a command uses: an installed one, or a temporary one generated from a WSDL."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module, invalidate_caches
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import click

from soapclient._support.redaction import clean, redact, shown
from soapclient._support.suggestions import nearest
from soapclient.cli.failures import Failure, needing_an_extra
from soapclient.cli.serving import Terminated, clean_exit
from soapclient.cli.session import load_config

if TYPE_CHECKING:
    from soapclient.auth.credentials import Credentials
    from soapclient.runtime.operations import AnyOperation
    from soapclient.runtime.package import Package
    from soapclient.runtime.schema import PortRow
    from soapclient.runtime.service import Service


@contextmanager
def importable(wsdl: Path | str | None, package: str | None, out: Path | None = None) -> Iterator[str]:
    """Yield the name of a package to import: `package`, or a package generated from `wsdl`.

    `out` is the folder for the generated package, which stays there, as after `bindgen init`. By default, the
    package is generated in a temporary folder.
    """
    if package is not None and not all(part.isidentifier() for part in package.split(".")):
        message = f"{shown(package)} is not the name of a package"
        raise click.BadParameter(
            f"{message}: give a name as in an import, such as weather", param_hint="--package"
        )
    before = list(sys.path)
    temporary = TemporaryDirectory(prefix="soapclient-package-") if out is None else nullcontext(str(out))
    with clean_exit(), temporary as folder:
        if wsdl is not None:
            package = name_of(wsdl, out)
            generate(wsdl, Path(folder) / package, keep=out is not None)
            sys.path.insert(0, folder)
            invalidate_caches()
        else:
            sys.path.insert(0, str(Path.cwd()))
        try:
            yield package or ""
        finally:
            sys.path[:] = before


def label_of(wsdl: Path | str) -> str:
    """Return a name for a WSDL: its file name without suffix, or the host if the address has no file name."""
    if isinstance(wsdl, Path):
        return wsdl.stem
    parts = urlsplit(wsdl)
    return PurePosixPath(unquote(parts.path)).stem or parts.hostname or "service"


def words_of(wsdl: Path | str | None, package: str) -> list[str]:
    """Return the command-line arguments that select `wsdl`.

    If `wsdl` is None, the arguments select `package`.
    """
    if wsdl is None:
        return ["--package", package]
    return ["--file", str(wsdl)] if isinstance(wsdl, Path) else [redact(wsdl)]


def name_of(wsdl: Path | str, out: Path | None = None) -> str:
    """Return a name for the package that is generated from a WSDL.

    The name is the label of the WSDL (see `label_of`). It is changed if a module with this name exists
    outside the folder `out`.
    """
    stem = re.sub(r"\W", "_", label_of(wsdl), flags=re.ASCII).lower().strip("_")
    names = chain([stem, f"service_{stem}"], (f"service_{stem}_{number}" for number in count(2)))
    return next(
        name for name in names if name.isidentifier() and not keyword.iskeyword(name) and _is_free(name, out)
    )


def _is_free(name: str, out: Path | None) -> bool:
    """Return True if no module has this name, except a package in the folder `out`."""
    spec = find_spec(name)
    if spec is None or out is None or spec.origin is None:
        return spec is None
    return Path(spec.origin).resolve().parent.parent == out.resolve()


def generate(wsdl: Path | str, folder: Path, *, keep: bool) -> None:
    """Generate a package in `folder`. Prints which parts of the WSDL are left out. Raises Failure.

    `keep`: read or create the settings file next to the package, as `bindgen init` does.
    """
    with needing_an_extra():
        from bindgen import init, package_settings, settings
        from bindgen.cli.common import FAILURES
        from bindgen.problems import in_words
    try:
        file = package_settings.path_of(folder)
        if keep and file.is_file():
            result = init.make(folder.name, wsdl, sections=settings.read_own(file), settings_file=file)
        else:
            result = init.make(folder.name, wsdl)
        init.write(folder, result.files)
        if keep:
            package_settings.write(folder)
    except init.InitError as error:
        raise Failure(str(error)) from error
    except FAILURES as error:
        advice = "\nThese are options of `bindgen init`: generate a package, and pass it with --package."
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
    except Terminated:
        raise
    except OutdatedPackage as error:
        raise Failure(str(error)) from error
    except (Exception, SystemExit) as error:  # the package's code may raise anything
        message = f"the package {name} cannot be imported ({type(error).__name__}: {clean(str(error), 300)})"
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing == service and name in sys.modules:
            message = f"{name} was not generated by bindgen"
        elif missing and f"{service}.".startswith(f"{missing}."):
            message = f"package {name} was not found"
        raise Failure(f"{message}: generate one with `bindgen init {name}`") from error


def operation_of(package: Package, name: str, port: str | None) -> tuple[AnyOperation, PortRow]:
    """Find an operation of a package. Returns the operation at a port, and the port.

    - `name`: the operation's key in `package.operations`, its name in the WSDL, or its name in Python.
    - `port`: `Port` or `Service/Port`. The default is the first port that has the operation.

    Raises ContractError if there is no such operation, and ConfigError if `port` names no port or several
    ports.
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
    message = f"not an operation of {place}{nearest(name, operations)}"
    raise ContractError(f"operation {shown(name)}", None, ", ".join(operations), message)


def connected_to(
    package: Package,
    port: PortRow,
    address: str | None,
    credentials: Credentials | None = None,
    security: Path | None = None,
) -> Service:
    """Return a client for a port of a package, with the configured settings.

    Raises ConfigError if a setting is invalid, such as the address.

    If the service requires signatures, requests are signed with `credentials`. The default is the configured
    credentials. `security` is the file of --security; None for the configured keys.
    """
    from soapclient.connection import connect
    from soapclient.errors import ConfigError

    settings = load_config()
    if security is not None:
        settings = settings.replaced(security=security)
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
        advice = "Pass it as --address, with https; for http, set SOAPCLIENT_ALLOW_HTTP"
        raise ConfigError("address", error.problem, advice) from None


def service_class(package: Package, port: PortRow) -> type[Service]:
    """Return the class in the package that has the operations of a port."""
    classes = vars(import_module(f"{package.name}.service")).values()
    result: type[Service] = next(
        service
        for service in classes
        if getattr(service, "PORT_TYPE", None) == port.port_type and hasattr(service, "PACKAGE")
    )
    return result
