"""What commands share: the configuration, a client that is closed in the end, warnings on stderr."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from soapclient.redaction import clean

if TYPE_CHECKING:
    from soapclient.client import CarrierName, Client
    from soapclient.config import Config
    from soapclient.drift import Drift

_BEYOND: Final = {
    "element": "an element the contract does not know",
    "attribute": "an attribute the contract does not know",
    "value": "a value the contract does not know",
    "missing": "not there, though the contract requires it",
    "naive-time": "a date-time without a zone",
    "shortened": "a part is left out (finer than microseconds, zone of a date, attribute of a nil)",
    "schema": "not valid by the contract's schema",
}


@dataclass(frozen=True)
class Globals:
    """The options that stand before the command."""

    config_file: Path | None = None


def load_config() -> Config:
    """Read the configuration: environment, then the file of --config or SOAPCLIENT_CONFIG."""
    from soapclient.config import Config

    given = click.get_current_context().find_object(Globals) or Globals()
    return Config.load(file=given.config_file)


@contextmanager
def opened(config: Config, carrier: CarrierName | None = None) -> Iterator[Client]:
    """A client; afterwards, what its replies held beyond the contract is told on stderr."""
    from soapclient.client import Client

    client = Client(config, carrier=carrier)
    try:
        yield client
    finally:
        client.close()
        tell_drift(client.drift)


def tell_drift(drift: Drift) -> None:
    """Say on stderr where replies departed from the contract."""
    for (operation, finding), times in drift.counts().items():
        value = f" {clean(finding.detail)!r}" if finding.detail else ""
        often = "once" if times == 1 else f"{times} times"
        click.echo(
            f"soapclient: {operation}: {finding.path}{value}: {_BEYOND[finding.kind]}, {often}", err=True
        )


def tell_warnings() -> Callable[[], None]:
    """Say on stderr what the package logs as a warning; the function returned ends that."""
    logger, handler = logging.getLogger("soapclient"), _Telling(logging.WARNING)
    logger.addHandler(handler)
    return lambda: logger.removeHandler(handler)


class _Telling(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if record.name != "soapclient.drift":  # told by tell_drift, with numbers
            click.echo(f"soapclient: {clean(record.getMessage(), 500)}", err=True)
