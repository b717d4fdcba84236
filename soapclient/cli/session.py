"""What commands share: the configuration, an open client, warnings on stderr."""

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
    from soapclient.client import Client, ProtocolName
    from soapclient.config import Config
    from soapclient.drift import Drift

_FINDINGS: Final = {
    "element": "unknown element",
    "attribute": "unknown attribute",
    "value": "unknown value",
    "missing": "missing, though the contract requires it",
    "naive-time": "date-time without a zone",
    "shortened": "shortened (finer than microseconds, zone of a date, attribute of a nil)",
    "schema": "not valid by the schema",
}


@dataclass(frozen=True)
class Globals:
    """The options before the command."""

    config_file: Path | None = None
    profile: str | None = None

    def words(self) -> list[str]:
        """The options as they were given, for a command that is to be run again."""
        pairs = (("--config", self.config_file), ("--profile", self.profile))
        return [word for name, value in pairs if value is not None for word in (name, str(value))]


def given() -> Globals:
    """The options before the present command; outside of one there are none."""
    context = click.get_current_context(silent=True)
    return (None if context is None else context.find_object(Globals)) or Globals()


def load_config() -> Config:
    """Load the configuration: environment, then the file of --config or SOAPCLIENT_CONFIG with the profile of
    --profile or SOAPCLIENT_PROFILE."""
    from soapclient.config import Config

    options = given()
    return Config.load(file=options.config_file, profile=options.profile)


@contextmanager
def opened(config: Config, protocol: ProtocolName | None = None) -> Iterator[Client]:
    """An open client; its drift findings are printed on stderr at the end."""
    from soapclient.client import Client

    client = Client(config, protocol=protocol)
    try:
        yield client
    finally:
        client.close()
        print_drift(client.drift)


def print_drift(drift: Drift) -> None:
    """Print drift findings on stderr."""
    for (operation, finding), times in drift.counts().items():
        value = f" {clean(finding.detail)!r}" if finding.detail else ""
        often = "once" if times == 1 else f"{times} times"
        click.echo(
            f"soapclient: {operation}: {finding.path}{value}: {_FINDINGS[finding.kind]}, {often}", err=True
        )


def print_warnings() -> Callable[[], None]:
    """Print logged warnings of the package on stderr; the returned function ends that."""
    logger, handler = logging.getLogger("soapclient"), _Printer(logging.WARNING)
    logger.addHandler(handler)
    return lambda: logger.removeHandler(handler)


class _Printer(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        # Printed by print_drift, with numbers; and a command says itself what failed.
        if record.name not in {"soapclient.drift", "soapclient.calls"}:
            click.echo(f"soapclient: {clean(record.getMessage(), 500)}", err=True)
