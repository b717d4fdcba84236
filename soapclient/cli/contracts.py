"""The services and operations of commands, by name; unknown names are errors that list the known ones."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final

from soapclient._support.redaction import shown
from soapclient.errors import ContractError

if TYPE_CHECKING:
    from soapclient.contract import Contract
    from soapclient.runtime import AnyOperation, Package, Settings

SERVICES: Final = ("publisher", "data", "advertiser")
WITH_SOAP: Final = ("publisher", "data")


def contract_of(service: str) -> Contract:
    """Return a service's contract: tables, operations, documents."""
    contract: Contract = import_module(f"soapclient.tracking.{service}").CONTRACT
    return contract


def tables_of(service: str) -> Settings:
    """Return a service's tables, without loading all of its operations."""
    package: Package = import_module(f"zxws.{service}.service").PACKAGE
    return package.settings


def operation_named(service: str, name: str) -> AnyOperation:
    """Return an operation by its name in the contract or in Python. Raises ContractError."""
    operations = contract_of(service).operations
    for operation in operations.values():
        if name in (operation.name, operation.method):
            return operation
    said = f"the {service} contract has no such operation{did_you_mean(name, operations)}"
    raise ContractError(f"operation {shown(name)}", None, "", f"{said} (`soapclient operations` lists them)")


def services_with(operation: str, services: Sequence[str] = SERVICES) -> dict[str, str]:
    """Return those of `services` that have an operation of this name, in the contract or in Python.

    Each with the operation's name: as it is given, or as the contract has it if only capitals differ.
    """
    return {
        service: operation if operation in (each.name, each.method) else each.name
        for service in services
        for each in contract_of(service).operations.values()
        if operation.casefold() in (each.name.casefold(), each.method)
    }


def operation_hint(names: Mapping[str, str], command: str) -> str:
    """Return which services have an operation, as `services_with` finds them, and how `command` takes it.
    Empty if there are none."""
    if not names:
        return ""
    service, operation = next(iter(names.items()))
    return f"{operation} is an operation of {' and '.join(names)}: {command} {service} {operation}"


def documentation(operation: AnyOperation) -> str:
    """What an operation does: the first paragraph of its method's documentation."""
    module = import_module(f"{operation.package.name}.service")
    found = (
        each.__dict__[operation.row.method]
        for each in vars(module).values()
        if isinstance(each, type)
        and getattr(each, "PORT_TYPE", None) == operation.row.port_type
        and operation.row.method in vars(each)
    )
    method = next(found, None)
    text = "" if method is None else inspect.getdoc(method) or ""
    return " ".join(text.partition("\n\n")[0].split())


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?`, or nothing if no name is near, however it is capitalized."""
    spelled = {each.casefold(): each for each in known}
    close = difflib.get_close_matches(name.casefold(), spelled, n=1)
    return f"; did you mean {spelled[close[0]]}?" if close else ""
