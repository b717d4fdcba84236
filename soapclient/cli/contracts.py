"""The services and operations of commands, by name; unknown names are errors that list the known ones."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from soapclient.errors import ContractError

if TYPE_CHECKING:
    from soapclient.client import Client
    from soapclient.contract import Contract
    from soapclient.runtime import AnyOperation, Caller, Settings

SERVICES: Final = ("publisher", "data", "advertiser")
WITH_SOAP: Final = ("publisher", "data")


def contract_of(service: str) -> Contract:
    """Return a service's contract: tables, operations, documents."""
    if service == "publisher":
        from soapclient.publisher import CONTRACT as PUBLISHER

        return PUBLISHER
    if service == "data":
        from soapclient.data import CONTRACT as DATA

        return DATA
    from soapclient.advertiser import CONTRACT as ADVERTISER

    return ADVERTISER


def tables_of(service: str) -> Settings:
    """Return a service's tables, without loading all of its operations."""
    if service == "publisher":
        from zxws.publisher.service import PACKAGE as PUBLISHER

        return PUBLISHER.settings
    if service == "data":
        from zxws.data.service import PACKAGE as DATA

        return DATA.settings
    from zxws.advertiser.service import PACKAGE as ADVERTISER

    return ADVERTISER.settings


def caller_of(client: Client, service: str) -> Caller:
    """Return the caller of a service's operations. Raises ConfigError if it has no address."""
    if service == "publisher":
        return client.publisher.engine
    return client.data.engine if service == "data" else client.advertiser.engine


def operation_named(service: str, name: str) -> AnyOperation:
    """Return an operation by its name in the contract or in Python. Raises ContractError."""
    operations = contract_of(service).operations
    for operation in operations.values():
        if name in (operation.name, operation.method):
            return operation
    raise ContractError(
        f"{service} operation",
        name,
        ", ".join(operations),
        f"the {service} contract has no such operation{did_you_mean(name, operations)}",
    )


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean …?)`, or nothing if no name is near."""
    spelled = {each.casefold(): each for each in known}
    close = difflib.get_close_matches(name.casefold(), spelled, n=1)
    return f" (did you mean {spelled[close[0]]}?)" if close else ""
