"""Convert instances of generated types, such as responses, to dicts and to JSON."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from soapclient._support.redaction import shown
from soapclient.errors import ConfigError
from soapclient.runtime.plain_values import plain

__all__ = ["json_default", "to_dict", "to_json"]


def to_dict(value: msgspec.Struct) -> dict[str, object]:
    """Convert an instance of a generated type, such as a response, to a dict.

    Keys are the names in the contract. Fields with their default value are left out, and nil becomes None.
    Decimals, dates and bytes are not converted. Raises ConfigError if `value` is not of a generated type.

    >>> import datetime as dt
    >>> from soapclient import Client, to_dict
    >>> with Client() as client:
    ...     page = client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate")
    ...     sale = page.sale_items[0]
    >>> to_dict(sale)["reviewState"] == sale.review_state
    True
    """
    if not isinstance(value, msgspec.Struct):
        raise _refused(value)
    result = plain(value)
    assert isinstance(result, dict)  # of a struct
    return result


def to_json(value: msgspec.Struct | Sequence[msgspec.Struct]) -> str:
    """Convert an instance of a generated type, or a list of instances, to JSON.

    The names are the same as in `to_dict`. Decimals become strings, so that no digit is lost. Bytes become
    Base64. Raises ConfigError if a value is not of a generated type.

    >>> import datetime as dt
    >>> import json
    >>> from soapclient import Client, to_json
    >>> with Client() as client:
    ...     page = client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate", items=2)
    >>> json.loads(to_json(page.sale_items))[0]["amount"] == str(page.sale_items[0].amount)
    True
    """
    values = value if isinstance(value, list | tuple) else [value]
    for item in values:
        if not isinstance(item, msgspec.Struct):
            raise _refused(item)
    return msgspec.json.encode(plain(value)).decode()


def json_default(value: object) -> object:
    """Convert a value that `json` cannot write. Pass this function as `default` of `json.dumps`.

    Values of generated types become dicts, with names and values as in `to_json`. Decimals, dates and other
    values that msgspec can write are converted, too. Raises TypeError for other values, as `json` expects.

    >>> import datetime as dt, json
    >>> from decimal import Decimal
    >>> from soapclient import json_default
    >>> json.dumps({"day": dt.date(2026, 11, 1), "sum": Decimal("1.50")}, default=json_default)
    '{"day": "2026-11-01", "sum": "1.50"}'
    """
    return msgspec.to_builtins(plain(value))


def _refused(value: object) -> ConfigError:
    problem = f"{shown(value)} is not a value of a generated package"
    return ConfigError("value", problem, "Pass a response of a call, or a part of a response")
