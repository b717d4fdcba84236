"""Records of orders and handles of jobs, as they are in a ledger."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.exports.orders.record import OrderRecord

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CLICKS: dict[str, JobId] = {"report_type": "click", "from_date": "2026-11-01", "to_date": "2026-11-02"}


def intent(request: Mapping[str, JobId] = CLICKS, **fields: Any) -> OrderRecord:
    """Return the record of an order without a response, by default of the account shop-1."""
    given: dict[str, Any] = {"service": "data", "account": "shop-1", "intended_at": NOW, "tried_at": NOW}
    return OrderRecord(request=request, state="intent", **({"clock_error": 2.0} | given | fields))


def save(ledger: Ledger, *entries: OrderRecord) -> None:
    with ledger.lock():
        for entry in entries:
            ledger.save(entry)


def handle(job_id: JobId, request: Mapping[str, JobId] = CLICKS) -> ExportHandle:
    return ExportHandle("data", job_id, str(request["report_type"]), request, NOW)
