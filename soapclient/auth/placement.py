"""Placement of a SOAP request's authentication: in the envelope (`body`), in HTTP headers, or both.

See docs/explanation/service.md#signing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from soapclient.errors import ConfigError
from soapclient.runtime import AnyOperation, Settings
from soapclient.runtime.errors import local_name

Placement = Literal["auto", "body", "headers"]

_WHERE = "signature_placement (argument, SOAPCLIENT_SIGNATURE_PLACEMENT or the TOML file)"


def check(placement: Placement, tables: Settings, operations: list[AnyOperation]) -> Placement:
    """Return the placement if the contract supports it. Raises ConfigError.

    If requests declare the authentication elements, they require them, so headers alone are not enough. If
    none declares them, the body alone is not enough.
    """
    declaring = next((operation for operation in operations if operation.filled_names), None)
    if placement == "headers" and declaring is not None:
        raise ConfigError(
            "signature_placement",
            f"'headers' does not go with the {tables.name} contract: "
            f"{declaring.name} and others require {', '.join(_roles(declaring))} in the envelope",
            f"Set {_WHERE} to 'auto' or 'body'",
        )
    if placement == "body" and declaring is None and tables.signing is not None:
        raise ConfigError(
            "signature_placement",
            f"'body' does not go with the {tables.name} contract: its requests declare no such elements",
            f"Set {_WHERE} to 'auto' or 'headers'",
        )
    return placement


def _roles(operation: AnyOperation) -> Iterator[str]:
    """Yield the names of the elements that are filled in, in their order."""
    todo = [*operation.authentication_headers, *operation.authentication]
    while todo:
        place = todo.pop(0)
        if place.role:
            yield local_name(place.attribute or place.tag)
        todo = [*place.content, *todo]
