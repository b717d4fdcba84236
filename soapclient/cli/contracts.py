"""Look up registered services, their generated packages and their operations by name.

Services are registered in `soapclient.services`. Errors for unknown names suggest similar names.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

from soapclient._support.redaction import shown
from soapclient._support.suggestions import nearest
from soapclient.errors import ContractError
from soapclient.services import ProtocolName as ProtocolName
from soapclient.services import services

if TYPE_CHECKING:
    from soapclient.calling.engine import Engine
    from soapclient.console.application import Jobs
    from soapclient.console.targets import Target
    from soapclient.drift import Drift
    from soapclient.runtime import AnyOperation, Package
    from soapclient.runtime.frames import Tabular
    from soapclient.settings import CommonSettings

PACKAGES: Final = {name: package for item in services().values() for name, package in item.packages.items()}
SERVICES: Final = tuple(PACKAGES)
WITH_SOAP: Final = tuple(name for item in services().values() for name in item.soap)


class Account(Protocol):
    """Interface of an open client of a registered service."""

    @property
    def settings(self) -> CommonSettings:
        """The settings of the client."""
        ...

    @property
    def drift(self) -> Drift:
        """The drift findings of the client."""
        ...

    def close(self) -> None:
        """Close the client."""
        ...


class ServiceAdapter(Protocol):
    """Interface through which the command line and the console use a registered service."""

    def client(self, config: CommonSettings, protocol: ProtocolName | None = None) -> Account:
        """Open a client of the service with these settings."""
        ...

    def engine(self, account: Account, name: str) -> Engine[CommonSettings]:
        """Return the engine that the client `account` uses for its calls of the service `name`."""
        ...

    def shown(self, config: CommonSettings) -> tuple[Account, list[Target], Jobs | None]:
        """Open a client and return the contents of a console.

        Returns the client, the client's services, and the client's export jobs (None if the service has no
        exports).
        """
        ...

    def table(self, operation: AnyOperation, response: object) -> Tabular | None:
        """Return a response as a table. Returns None if `soapclient.tables.rows_of` must create the table."""
        ...


@cache
def settings_class() -> type[CommonSettings]:
    """Return a class that combines the settings of all registered services."""
    from soapclient.settings import CommonSettings

    kinds = [import_module(item.settings).Settings for item in services().values() if item.settings]
    if len(kinds) < 2:
        return kinds[0] if kinds else CommonSettings
    combined: type[CommonSettings] = dataclass(frozen=True, kw_only=True)(type("Settings", (*kinds,), {}))
    return combined


def all_adapters() -> list[ServiceAdapter]:
    """Return the adapters of all registered services."""
    return [import_module(item.adapter).ADAPTER for item in services().values()]


def adapter_of(service: str) -> ServiceAdapter:
    """Return the adapter for a service name of the command line, such as `publisher`."""
    module = next(item.adapter for item in services().values() if service in item.packages)
    adapter: ServiceAdapter = import_module(module).ADAPTER
    return adapter


def package_named(service: str) -> Package:
    """Return the generated package of a registered service."""
    package: Package = import_module(f"{PACKAGES[service]}.service").PACKAGE
    return package


def operation_named(service: str, name: str) -> AnyOperation:
    """Find an operation by its name in the contract or in Python. Raises ContractError."""
    operations = package_named(service).operations
    for operation in operations.values():
        if name in (operation.name, operation.method):
            return operation
    message = f"not an operation of the {service} contract{nearest(name, operations)}"
    raise ContractError(
        f"operation {shown(name)}", None, "", f"{message} (`soapclient operations` lists all operations)"
    )


def services_with(operation: str, services: Sequence[str] = SERVICES) -> dict[str, str]:
    """Return the services that have this operation: service name → operation name.

    `operation` is the name of the operation in the contract or in Python. Upper and lower case are ignored.
    The result has the name in the contract. Exception: it has `operation` itself if the service has an
    operation with exactly this name.
    """
    return {
        service: operation if operation in (declared.name, declared.method) else declared.name
        for service in services
        for declared in package_named(service).operations.values()
        if operation.casefold() in (declared.name.casefold(), declared.method)
    }


def operation_hint(names: Mapping[str, str], command: str) -> str:
    """Return a hint that names the services with an operation and shows a command line with `command`.

    `names` is the result of `services_with`. The hint is empty if no service has the operation.
    """
    if not names:
        return ""
    service, operation = next(iter(names.items()))
    return f"{operation} is an operation of {' and '.join(names)}: {command} {service} {operation}"


def documentation(operation: AnyOperation) -> str:
    """Return the first paragraph of the docstring of an operation's generated method, as one line."""
    module = import_module(f"{operation.package.name}.service")
    methods = (
        service_class.__dict__[operation.row.method]
        for service_class in vars(module).values()
        if isinstance(service_class, type)
        and getattr(service_class, "PORT_TYPE", None) == operation.row.port_type
        and operation.row.method in vars(service_class)
    )
    method = next(methods, None)
    text = "" if method is None else inspect.getdoc(method) or ""
    return " ".join(text.partition("\n\n")[0].split())
