"""Exports: ordered as report jobs, waited for, downloaded, verified, read row by row.

`ExportFile` is a file on disk, `Export` an order on its way to one, `backfill` brings many exports into one
dataset. See docs/explanation/service.md#export-jobs. Each is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from soapclient.tracking.backfill.run import backfill
    from soapclient.tracking.exports.export import Export
    from soapclient.tracking.exports.formats.export_file import ExportFile
    from soapclient.tracking.exports.handle import ExportHandle

__all__ = ["Export", "ExportFile", "ExportHandle", "backfill"]

_HOMES: Final = {
    "Export": "soapclient.tracking.exports.export",
    "ExportFile": "soapclient.tracking.exports.formats.export_file",
    "ExportHandle": "soapclient.tracking.exports.handle",
    "backfill": "soapclient.tracking.backfill.run",  # which stands above the client
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
