"""Conversion of an order's arguments: keywords of the caller, JSON of a handle, fields of the contract."""

from __future__ import annotations

import contextlib
import datetime as dt
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from soapclient.errors import ConfigError, ContractError
from soapclient.runtime.errors import INVALID
from soapclient.runtime.numpy_values import plain_day, plain_value
from soapclient.runtime.package import Package
from soapclient.runtime.settings import Order, OrderField
from soapclient.tracking.exports.handle import JobId
from soapclient.tracking.exports.jobs.job import JobTables, operation_of

if TYPE_CHECKING:
    from zxws.data.types import OrderOptions as OrderOptions


def __getattr__(name: str) -> object:
    """Import OrderOptions on first use.

    The generated package has this class only if its settings name the fields of an order.
    """
    if name == "OrderOptions":
        return getattr(import_module("zxws.data.types"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def arguments_of(
    order: Order, report_type: str, from_date: dt.date, to_date: dt.date, options: Mapping[str, object]
) -> dict[str, object]:
    """Return the keyword arguments of an order as a dict (keyword → value), without those that are None.

    Lists of names become comma-separated text. `order` has the contract's settings for orders, `options` the
    caller's optional keywords. Raises ContractError for an invalid list, for a `from_date` after `to_date`,
    and for a keyword without a field in the contract.
    """
    from_date, to_date = cast("dt.date", plain_day(from_date)), cast("dt.date", plain_day(to_date))
    if _is_day(from_date) and _is_day(to_date) and from_date > to_date:
        raise ContractError("from_date", str(from_date), f"to_date ({to_date}) or earlier", INVALID)
    keywords: dict[str, object] = {"report_type": report_type, "from_date": from_date, "to_date": to_date}
    keywords |= {name: plain_value(value) for name, value in options.items() if value is not None}
    roles, fields = order.roles, order.fields
    for name, value in keywords.items():
        if name in roles and name not in fields:
            offered = ", ".join(fields)
            reason = "the contract does not have a field for it"
            raise ContractError(name, None, offered, reason, operation=order.operation)
        if name in _LISTS or (name in fields and fields[name].several):
            keywords[name] = _comma_list(name, value)
    return {name: value for name, value in keywords.items() if value is not None}


_LISTS: Final = ("columns", "group_by")


def place(service: object, tables: JobTables, order: Order, arguments: Mapping[str, object]) -> object:
    """Send an order, and return the response.

    `service` is the object with the generated methods. `order` has the contract's settings for orders,
    `arguments` the keyword arguments of this order (see `arguments_of`). Raises ContractError and the errors
    of the call.
    """
    method = operation_of(service, tables.job.order)
    try:
        fields = method_arguments(service, order, arguments)
        signature = _signature(method)
        parameters = signature.parameters.values()
        # Without a value, a nillable field is nil; for others, the call names the field that is required.
        fields = {item.name: None for item in parameters if item.default is item.empty} | fields
        signature.bind(**fields)
    except TypeError as error:  # the contract's version does not have the argument
        raise ContractError(order.operation, None, "the fields of the contract", str(error)) from None
    return method(**fields)


def _signature(method: Callable[..., object]) -> inspect.Signature:
    """Return the signature of a method, without `self`."""
    function = getattr(method, "__func__", None)
    return inspect.signature(method) if function is None else _signature_without_self(function)


@cache  # `inspect.signature` takes longer than the signature of a request
def _signature_without_self(function: Callable[..., object]) -> inspect.Signature:
    signature = inspect.signature(function)
    return signature.replace(parameters=[*signature.parameters.values()][1:])


def method_arguments(service: object, order: Order, arguments: Mapping[str, object]) -> dict[str, object]:
    """Convert the keyword arguments of an order to the keyword arguments of the generated method.

    `service` is the object that has the method. `order` has the contract's settings for orders, which name
    the field for each keyword. A keyword without a field keeps its name and its value.
    """
    fields, sent = order.fields, list[_Placed]()
    for name, value in arguments.items():
        field = fields.get(name)
        if field is None:
            sent.append(_Placed((name,), (), value))
        else:
            steps = tuple(field.field.split("."))
            sent.append(_Placed(steps, field.types, _sent(name, field, value, order.separator)))
    return _nested(service, sent)


class _Placed(NamedTuple):
    """A value of a request and its place: the path of attributes that leads to the value.

    `steps` are the names of the attributes. The last attribute has the value. Each other attribute has an
    object: `types` are the generated classes of these objects.
    """

    steps: tuple[str, ...]
    types: tuple[str, ...]
    value: object


def _nested(service: object, placed: Iterable[_Placed]) -> dict[str, object]:
    values: dict[str, object] = {}
    inner: dict[tuple[str, str], list[_Placed]] = {}
    for item in placed:
        if item.types:
            below = _Placed(item.steps[1:], item.types[1:], item.value)
            inner.setdefault((item.steps[0], item.types[0]), []).append(below)
        else:
            values[item.steps[0]] = item.value
    for (name, kind), parts in inner.items():
        package: Package = service.PACKAGE  # type: ignore[attr-defined]  # of each generated class
        values[name] = package.codec.kind(kind)(**_nested(service, parts))
    return values


def _sent(name: str, field: OrderField, value: object, separator: str) -> object:
    """Convert the value of the keyword `name` of an order to the type of its field.

    Comma-separated names become a list if the field has several values, otherwise one string in which the
    names are joined by `separator`. A value that cannot be converted is returned unchanged, and the encoder
    rejects it.
    """
    if name in _LISTS:
        if not isinstance(value, str):
            return value
        return value.split(",") if field.several else separator.join(value.split(","))
    if field.several and isinstance(value, str):
        return [_typed(field, text) for text in value.split(",")]
    if field.form == "text" and _is_day(value):
        return cast("dt.date", value).isoformat()
    roles = ("report_type", "from_date", "to_date")
    return value if name in roles else _typed(field, value)


def _typed(field: OrderField, value: object) -> object:
    """Convert the value of a filter from text, the form in a handle, to the type of the filter's field.

    Returns the value unchanged if it is not text or cannot be converted.
    """
    if not isinstance(value, str):
        return value
    with contextlib.suppress(ValueError, ArithmeticError):
        if field.form == "date":
            return dt.date.fromisoformat(value)
        if field.form == "decimal":
            return Decimal(value)
        if field.form == "int" and field.several:
            return int(value)
    return {"true": True, "false": False}.get(value, value) if field.form == "boolean" else value


def json_values(arguments: Mapping[str, object]) -> dict[str, JobId]:
    """Return the arguments of an order as a dict of JSON values, in the form that a handle stores."""
    return {name: _json_value(value) for name, value in arguments.items()}


def _json_value(value: object) -> JobId:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str | int) else str(value)


def _is_day(value: object) -> bool:
    # The generated encoder rejects values that are not days.
    return isinstance(value, dt.date) and not isinstance(value, dt.datetime)


def _comma_list(name: str, value: object) -> object:
    """Join a list of names by commas. For filters, the list may also contain numbers and days.

    `name` is the keyword of the list. A string is split at its commas and joined again. Any other value is
    returned unchanged; the encoder rejects it later. Raises ContractError for an empty list, an empty name,
    or a name with a comma.
    """
    kinds = (str,) if name in _LISTS else (str, int, Decimal, dt.date)
    values = value.split(",") if isinstance(value, str) else value
    if not isinstance(values, Sequence) or not all(isinstance(item, kinds) for item in values):
        return value
    names = [str(_json_value(item)) for item in values]
    for item in names:
        if not item.strip() or "," in item:
            raise ContractError(
                name, value, "a list of names, or one string with commas", "a name is empty or has a comma"
            )
    if not names:
        raise ContractError(name, value, "at least one name, or None", "it is empty")
    return ",".join(item.strip() for item in names)


def ordered_arguments(request: Mapping[str, JobId]) -> dict[str, object]:
    """Convert the request in a handle to the keyword arguments of an order (keyword → value).

    Raises ConfigError if report type or days are missing or invalid. Whether the contract allows the
    arguments is checked later, when the order is placed.
    """
    try:
        days = {name: dt.date.fromisoformat(str(request[name])) for name in ("from_date", "to_date")}
        return {**request, "report_type": str(request["report_type"]), **days}
    except (KeyError, ValueError):
        raise ConfigError(
            "export handle",
            "the report type or the days of its request are missing or invalid",
            "Order the export again",
        ) from None
