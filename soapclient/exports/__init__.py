"""Exports: ordered as jobs, waited for, downloaded, verified, read row by row (service.md 4.3).

Knows the generated data service and HTTP, nothing of how SOAP calls are made. `backfill`, which brings many
exports into one dataset, stands above the client and is handed out from here when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soapclient.backfill.run import backfill

__all__ = ["backfill"]


def __getattr__(name: str) -> object:
    # Not loaded before: the parts of this package do not know the client.
    if name == "backfill":
        from soapclient.backfill.run import backfill

        return backfill
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
