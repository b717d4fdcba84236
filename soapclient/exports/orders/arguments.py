"""The arguments of an order: checked, in the form of the generated method, and back from a handle."""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, TypedDict, cast

from soapclient.errors import ConfigError, ContractError
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.jobs.job import JobTables, operation_of

if TYPE_CHECKING:
    from zxws.data.types import DateType, DateTypeValue, ReviewState, ReviewStateValue


class OrderOptions(TypedDict, total=False):
    """Options of an order beyond type and days (docs/explanation/service.md#export-jobs). None is omitted.

    `columns` (report type custom only) and `group_by` are names, or one comma list of them. `notify_url` was
    removed in 2011-05-01 and is refused.
    """

    columns: str | Sequence[str] | None
    date_type: DateType | DateTypeValue | None
    review_state: ReviewState | ReviewStateValue | None
    currency: str | None
    program_id: int | None
    adspace_id: int | None
    admedium_format_id: int | None
    group_by: str | Sequence[str] | None
    notify_url: None


def arguments_of(
    report_type: str, from_date: dt.date, to_date: dt.date, options: OrderOptions
) -> dict[str, object]:
    """Return the arguments of the generated method, without those that are None. Raises ContractError."""
    if _is_day(from_date) and _is_day(to_date) and from_date > to_date:
        raise ContractError(
            "from_date", from_date, f"a day up to to_date ({to_date})", "the period ends before it begins"
        )
    given: dict[str, object] = {"report_type": report_type, "from_date": from_date, "to_date": to_date}
    given |= options
    for name in ("columns", "group_by"):
        given[name] = _comma_list(name, given.get(name))
    return {name: value for name, value in given.items() if value is not None}


def place(service: object, tables: JobTables, arguments: Mapping[str, object]) -> object:
    """Call the ordering operation; return its response. Raises what the service raises, and ContractError."""
    method = operation_of(service, tables.job.order)
    try:
        inspect.signature(method).bind(**arguments)
    except TypeError as error:  # an argument that this version of the contract does not have
        raise ContractError(tables.job.order, None, "the fields of the contract", str(error)) from None
    return method(**arguments)


def json_values(arguments: Mapping[str, object]) -> dict[str, JobId]:
    """Return arguments as a handle keeps them."""
    return {name: _json_value(value) for name, value in arguments.items()}


def _json_value(value: object) -> JobId:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, dt.date):
        return value.isoformat()
    return value if isinstance(value, str | int) else str(value)


def _is_day(value: object) -> bool:
    # What is no day at all is for the generated encoder to refuse.
    return isinstance(value, dt.date) and not isinstance(value, dt.datetime)


def _comma_list(name: str, value: object) -> object:
    """Join names; what is neither text nor names is left for the generated encoder to refuse."""
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(each, str) for each in names):
        return value
    for each in names:
        if not each.strip() or "," in each:
            raise ContractError(name, value, "names, or one comma list of names", "an improper name in it")
    if not names:
        raise ContractError(name, value, "at least one name, or None", "an empty list")
    return ",".join(each.strip() for each in names)


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
