"""Exports: ordered as report jobs, waited for, downloaded, verified, read row by row.

`ExportFile` is a file on disk, `Export` an order on its way to one, `backfill` brings many exports into one
dataset. See docs/explanation/service.md#export-jobs. Each is loaded when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from soapclient._support.part_file import Written
    from soapclient.tracking.backfill.run import backfill
    from soapclient.tracking.exports.download.download import DownloadProgress
    from soapclient.tracking.exports.export import Export, OnReorder
    from soapclient.tracking.exports.formats.columns import ColumnTypes, OnDrift
    from soapclient.tracking.exports.formats.export_file import ExportFile
    from soapclient.tracking.exports.handle import ExportHandle, JobId
    from soapclient.tracking.exports.jobs.job import JobSnapshot
    from soapclient.tracking.exports.orders.ledger import Ledger

__all__ = [
    "ColumnTypes",
    "DownloadProgress",
    "Export",
    "ExportFile",
    "ExportHandle",
    "JobId",
    "JobSnapshot",
    "Ledger",
    "OnDrift",
    "OnReorder",
    "Written",
    "backfill",
]

_HOMES: Final = {
    "ColumnTypes": "soapclient.tracking.exports.formats.columns",
    "DownloadProgress": "soapclient.tracking.exports.download.download",
    "Export": "soapclient.tracking.exports.export",
    "ExportFile": "soapclient.tracking.exports.formats.export_file",
    "ExportHandle": "soapclient.tracking.exports.handle",
    "JobId": "soapclient.tracking.exports.handle",
    "JobSnapshot": "soapclient.tracking.exports.jobs.job",
    "Ledger": "soapclient.tracking.exports.orders.ledger",
    "OnDrift": "soapclient.tracking.exports.formats.columns",
    "OnReorder": "soapclient.tracking.exports.export",
    "Written": "soapclient._support.part_file",
    "backfill": "soapclient.tracking.backfill.run",  # which stands above the client
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
