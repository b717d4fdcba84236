"""The reader and the writer that the client gives to generated code: zones from the configuration."""

from __future__ import annotations

import datetime as dt

from soapclient.config import Config
from soapclient.errors import ContractError, UnsupportedByCarrier
from soapclient.runtime import AnyOperation, CountingReader, Wire
from soapclient.runtime.errors import local_name
from soapclient.runtime.scalars import DATE_TIME


class ReplyReader(CountingReader):
    """Counts what one reply holds beyond its contract. Zones are looked up only where a reply needs them."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self._config = config

    @property
    def naive_zone(self) -> dt.tzinfo:
        return self._config.naive_tzinfo()

    @property
    def report_zone(self) -> dt.tzinfo:
        return self._config.report_tzinfo()


class SoapWriter:
    """SOAP's forms: a day is its midnight in the report zone, with the offset of that day."""

    def __init__(self, config: Config) -> None:
        self._config = config

    def day(self, value: dt.date) -> str:
        return DATE_TIME.text(dt.datetime.combine(value, dt.time(), self._config.report_tzinfo()))

    def changes(self, path: str) -> None:
        """Refuse changes alone: over SOAP an item is sent whole."""
        raise UnsupportedByCarrier(f"{path}: a dict of changes instead of the whole item", "SOAP")


def refuse_gaps(operation: AnyOperation, wire: Wire) -> None:
    """Raise ContractError where a request over SOAP lacks what its schema requires, and REST does without."""
    for element in sorted(operation.rest_optional - wire.keys()):
        path = f"{local_name(operation.request_tag)}/{element}"
        reason = "SOAP requires it, REST does not"
        raise ContractError(path, None, "a value", reason, operation=operation.name)


class RestWriter:
    """REST's forms: a day is its date (record.md 4), and changes alone will do where the table says so."""

    def day(self, value: dt.date) -> str:
        return value.isoformat()

    def changes(self, path: str) -> None:
        """Changes alone are fine."""
