"""What a handle was ordered with, as arguments to order it once more."""

from __future__ import annotations

import datetime as dt
from typing import cast

from soapclient.errors import ConfigError
from soapclient.exports.handle import ExportHandle
from soapclient.exports.order import OrderOptions


def order_arguments(handle: ExportHandle) -> tuple[str, dt.date, dt.date, OrderOptions]:
    """Return report type, first and last day, and the other options of an order.

    Raises ConfigError for a handle without them. Whether the service takes them is for the ordering to say.
    """
    request = dict(handle.request)
    try:
        report_type = str(request.pop("report_type"))
        first = dt.date.fromisoformat(str(request.pop("from_date")))
        last = dt.date.fromisoformat(str(request.pop("to_date")))
    except (KeyError, ValueError):
        raise ConfigError(
            "export handle",
            "does not say what was ordered: a report type and two days",
            "Order the export again",
        ) from None
    # They were options once; the generated method checks names and values again.
    return report_type, first, last, cast("OrderOptions", request)
