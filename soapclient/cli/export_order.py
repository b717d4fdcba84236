"""The order of an export, from the options of the command: checked as the contract checks it, then typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from soapclient.cli.calling import check, removed_fields
from soapclient.cli.contracts import contract_of, operation_named
from soapclient.cli.given import Given
from soapclient.cli.request import request_element
from soapclient.cli.shapes import Shapes
from soapclient.config import Config
from soapclient.exports.order import OrderOptions
from zxws.data.types import DateType, ReviewState

_ORDERS: Final = "CreateReportJob"


def check_order(config: Config, arguments: Mapping[str, object]) -> None:
    """Refuse what the service does not take, or no longer, before any address or key is asked for.

    `arguments` are those of the operation that orders, by Python name; None is the same as left out. Raises
    ContractError.
    """
    operation = operation_named("data", _ORDERS)
    texts = {name: str(value) for name, value in arguments.items() if value is not None}
    removed = {name: texts.pop(name) for name in removed_fields(operation).values() if name in texts}
    given = Given(fields={name: [Given(text)] for name, text in texts.items()})
    request = request_element(operation, given, Shapes(contract_of("data").wsdl))
    check(operation, request, config=config, removed=removed)


def order_options(options: Mapping[str, str | int | None]) -> OrderOptions:
    """Return options that `check_order` has seen, in their types."""

    def text(name: str) -> str | None:
        value = options[name]
        return None if value is None else str(value)

    def number(name: str) -> int | None:
        value = options[name]
        return None if value is None else int(value)

    date_type, review_state = text("date_type"), text("review_state")
    return {
        "columns": text("columns"),
        "group_by": text("group_by"),
        "date_type": None if date_type is None else DateType(date_type),
        "review_state": None if review_state is None else ReviewState(review_state),
        "currency": text("currency"),
        "program_id": number("program_id"),
        "adspace_id": number("adspace_id"),
        "admedium_format_id": number("admedium_format_id"),
    }
