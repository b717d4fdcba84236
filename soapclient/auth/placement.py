"""Placement of authentication values in a SOAP request (the setting `signature_placement`).

- `auto`: fills in the elements that the contract declares for authentication. Also signs HTTP headers if
  `also_in_headers` is set in the package's `[signing]`.
- `body`: fills in only these elements.
- `headers`: signs HTTP headers. Not possible if the contract declares such elements.

An operation without authentication elements is always authenticated by HTTP headers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from soapclient.errors import ConfigError
from soapclient.runtime import AnyOperation, Settings
from soapclient.runtime.errors import local_name

Placement = Literal["auto", "body", "headers"]

_WHERE = "signature_placement (argument, SOAPCLIENT_SIGNATURE_PLACEMENT or the TOML file)"


def is_repeated(placement: Placement, tables: Settings, operations: Iterable[AnyOperation]) -> bool:
    """Return True if the signature must be both in the envelope and in the HTTP headers.

    This is the case if `placement` is `auto` and the package sets `also_in_headers`. `tables` are the
    settings of the generated package, and `operations` are its operations. Raises ConfigError in two cases:

    - `placement` is `headers`, but an operation declares authentication elements, which its envelope must
      have.
    - `placement` is `body`, but no operation declares authentication elements.
    """
    if placement == "auto" or tables.signing is None:
        return tables.signing is not None and tables.signing.also_in_headers
    declaring = next((operation for operation in operations if operation.filled_names), None)
    if placement == "headers" and declaring is not None:
        raise ConfigError(
            "signature_placement",
            f"'headers' is not possible with the {tables.name} contract: "
            f"operations such as {declaring.name} require {', '.join(_roles(declaring))} in the envelope",
            f"Set {_WHERE} to 'auto' or 'body'",
        )
    if placement == "body" and declaring is None:
        raise ConfigError(
            "signature_placement",
            f"'body' is not possible with the {tables.name} contract: it declares no signature elements",
            f"Set {_WHERE} to 'auto' or 'headers'",
        )
    return False


def _roles(operation: AnyOperation) -> Iterator[str]:
    """Yield the names of the operation's authentication elements and attributes, in document order.

    These are the elements and attributes of the request that hold authentication values.
    """
    todo = [*operation.authentication_headers, *operation.authentication]
    while todo:
        place = todo.pop(0)
        if place.role:
            yield local_name(place.attribute or place.tag)
        todo = [*place.content, *todo]
