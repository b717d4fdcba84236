"""Whether the service takes an order, asked of the contract before anything is sent or written down."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from soapclient.calling.reader import request_element
from soapclient.config.settings import nearest
from soapclient.errors import ContractError
from soapclient.exports.handle import JobId
from soapclient.exports.job import JobTables
from soapclient.exports.order import OrderOptions, arguments_of, json_values, place
from soapclient.runtime.errors import EncodeError
from soapclient.runtime.operations import Operation, ReplyT, RequestT
from zxws.data.service import PACKAGE, DataService

Option = str | int | Sequence[str]
"""What an option of an order can be in a plan."""

OPTIONS: Final = tuple(sorted(OrderOptions.__optional_keys__ - {"notify_url"}))


@dataclass(frozen=True)
class Misfit:
    """What is wrong with an order: the key within the report, and what is allowed there."""

    key: str
    problem: str
    allowed: str


def request_of(
    report_type: str, first: dt.date, last: dt.date, options: Mapping[str, Option]
) -> dict[str, JobId]:
    """Return the canonical request as JSON values. Raises ContractError."""
    return json_values(_arguments(report_type, first, last, options))


def check_order(report_type: str, day: dt.date, options: Mapping[str, Option]) -> Misfit | None:
    """Write the order of one day as it would be sent, and send it to nobody."""
    for name in options:
        if name not in OPTIONS:
            return Misfit(
                f"options.{name}", f"is not an option{nearest(name, OPTIONS)}", f"one of {', '.join(OPTIONS)}"
            )
    try:
        place(
            DataService(_Nobody()), JobTables.of(PACKAGE.settings), _arguments(report_type, day, day, options)
        )
    except _Written:
        return None
    except (EncodeError, ContractError) as error:
        field = error.path.rpartition("/")[2]
        return Misfit(_key(field), f"gives {error.value}: {error.reason}", error.allowed)
    raise AssertionError("the order went to nobody, and was answered")


def _arguments(
    report_type: str, first: dt.date, last: dt.date, options: Mapping[str, Option]
) -> dict[str, object]:
    return arguments_of(
        report_type, first, last, cast(OrderOptions, dict(options))
    )  # checked when it is written


def _key(field: str) -> str:
    """The key of a plan for a request's field, which errors name as the wire does."""
    if field in ("reportType", "report_type"):
        return "type"
    snake = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in field)
    return f"options.{snake}"


class _Written(Exception):
    """The order was written without complaint."""


class _Nobody:
    """A caller that writes requests and sends none."""

    def call(self, operation: Operation[RequestT, ReplyT], request: RequestT, /) -> ReplyT:
        request_element(operation, request, None)
        raise _Written
