"""Fields of requests in NAME=VALUE, and the values that a service is known to accept.

Importing this module loads neither schema data nor an XML library, because shell completion imports it at
each key press.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from soapclient._support.lazy_pattern import LazyPattern

if TYPE_CHECKING:
    from soapclient.runtime.fields import Field, Types
    from soapclient.runtime.operations import AnyOperation

DOT: Final = LazyPattern(r"(?<!\\)\.")  # a dot after a backslash is a part of a name


def asked_of(types: Types, operation: AnyOperation) -> list[Field]:
    """Return the fields of a request that the caller can set, without the fields that signing sets."""
    from soapclient.runtime.names import asked_fields

    return asked_fields(types, operation.row.request)


def known_values(operation: AnyOperation, field: Field) -> tuple[str, ...]:
    """Return the values that the service is known to accept in a field of an export order.

    An export order is a stored request for an export job. There are known values for the report type, the
    columns and the groups, although the contract allows any text in these fields. For other fields, returns
    an empty tuple.
    """
    settings = operation.package.settings
    if settings.job is None or operation.row.method != settings.job.order:
        return ()
    order = settings.order
    if order is None:
        return ()
    if field.python == order.report_type.field:
        return (*settings.columns, *settings.chosen)
    if order.columns is not None and field.python == order.columns.field:
        return tuple(dict.fromkeys(item.name for columns in settings.columns.values() for item in columns))
    is_group = order.group_by is not None and field.python == order.group_by.field
    return tuple(item.name for item in settings.groups) if is_group else ()


def is_comma_list(operation: AnyOperation, field: Field) -> bool:
    """Return True if a field of an export order holds several names in one text, separated by commas."""
    order = operation.package.settings.order
    lists = [] if order is None or order.separator != "," else [order.columns, order.group_by]
    is_list = any(
        setting is not None and not setting.several and setting.field == field.python for setting in lists
    )
    return is_list and bool(known_values(operation, field))
