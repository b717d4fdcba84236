"""Read lists as tables: Arrow, pandas, polars, and files. The contract defines the columns.

The lists that a client returns have methods for this, such as
`client.publisher.iterate.get_sales(…).to_pandas()`. `rows_of` returns an object with the same methods for any
response. See docs/how-to/tables.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from soapclient.errors import TableError
    from soapclient.runtime.frames import ArrowTypes, Zone
    from soapclient.tables.tabular import Rows, rows_of

__all__ = ["ArrowTypes", "Rows", "TableError", "Zone", "rows_of"]

_HOMES: Final = {
    "ArrowTypes": "soapclient.runtime.frames",
    "Rows": "soapclient.tables.tabular",
    "TableError": "soapclient.errors",
    "Zone": "soapclient.runtime.frames",
    "rows_of": "soapclient.tables.tabular",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
