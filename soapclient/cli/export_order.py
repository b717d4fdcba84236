"""The order of an export, from the options of the command: checked as the contract checks it, then typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from soapclient.cli.calling import check, removed_fields
from soapclient.cli.contracts import contract_of, operation_named, tables_of
from soapclient.cli.request import FieldValue, request_element
from soapclient.cli.shapes import Shapes
from soapclient.config import Config
from soapclient.exports.jobs.job import JobTables
from soapclient.exports.orders.arguments import OrderOptions

if TYPE_CHECKING:  # another contract may have no such types
    from zxws.data.types import DateTypeValue, ReviewStateValue


def check_order(config: Config, arguments: Mapping[str, object]) -> None:
    """Refuse what the service does not take, or no longer, before any address or key is asked for.

    `arguments` are those of the operation that orders, by Python name; None is the same as left out. Raises
    ContractError, and ConfigError where the contract's tables do not say which operation orders.
    """
    operation = operation_named("data", JobTables.of(tables_of("data")).job.order)
    texts = {name: str(value) for name, value in arguments.items() if value is not None}
    removed = {name: texts.pop(name) for name in removed_fields(operation).values() if name in texts}
    given = FieldValue(fields={name: [FieldValue(text)] for name, text in texts.items()})
    request = request_element(operation, given, Shapes(*contract_of("data").documents))
    check(operation, request, config=config, removed=removed)


def order_options(options: Mapping[str, str | int | None]) -> OrderOptions:
    """Return options that `check_order` has seen (hence the casts), in their types."""

    def text(name: str) -> str | None:
        value = options[name]
        return None if value is None else str(value)

    def number(name: str) -> int | None:
        value = options[name]
        return None if value is None else int(value)

    return {
        "columns": text("columns"),
        "group_by": text("group_by"),
        "date_type": cast("DateTypeValue | None", text("date_type")),
        "review_state": cast("ReviewStateValue | None", text("review_state")),
        "currency": text("currency"),
        "program_id": number("program_id"),
        "adspace_id": number("adspace_id"),
        "admedium_format_id": number("admedium_format_id"),
    }
