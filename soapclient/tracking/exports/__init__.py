"""Exports: order report jobs, wait for them, download and verify their files, and read the rows.

`Export` is an ordered export, `ExportFile` a downloaded file. `backfill` combines many exports into one
dataset. See docs/explanation/service.md#export-jobs. Names are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from soapclient._support.part_file import Written
    from soapclient.tracking.backfill.run import backfill
    from soapclient.tracking.exports.download.download import DownloadProgress
    from soapclient.tracking.exports.export import Export, OnReorder, Orders
    from soapclient.tracking.exports.formats.columns import ColumnTypes, OnDrift, Value
    from soapclient.tracking.exports.formats.export_file import ExportFile
    from soapclient.tracking.exports.handle import ExportHandle, JobId
    from soapclient.tracking.exports.jobs.job import JobSnapshot, Phase
    from soapclient.tracking.exports.orders.ledger import Ledger
    from soapclient.tracking.exports.orders.record import OrderRecord, OrderState

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
    "OrderRecord",
    "OrderState",
    "Orders",
    "Phase",
    "Value",
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
    "OrderRecord": "soapclient.tracking.exports.orders.record",
    "OrderState": "soapclient.tracking.exports.orders.record",
    "Orders": "soapclient.tracking.exports.export",
    "Phase": "soapclient.tracking.exports.jobs.job",
    "Value": "soapclient.tracking.exports.formats.columns",
    "Written": "soapclient._support.part_file",
    "backfill": "soapclient.tracking.backfill.run",  # imports the client, so it must be imported lazily
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
