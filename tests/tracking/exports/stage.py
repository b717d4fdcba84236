"""The stage of export tests: a sandbox on loopback with a manual clock, and its clients."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from soapclient import Settings
from soapclient.clock import Clock, ManualClock
from soapclient.tracking.client import Client
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from soapclient.tracking.sandbox.exports.reports import header

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def looked_at(path: Path) -> list[dict[str, str]]:
    """Read a file of an export with the standard library only."""
    text = gzip.decompress(path.read_bytes()).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def without_the_last(report_type: str, columns: str | None, groups: tuple[str, ...]) -> tuple[str, ...]:
    """Return the header of a report without its last column. That of a grouped report is whole."""
    names = header(report_type, columns, groups)
    return names if groups else names[:-1]


class Stage:
    """Sandbox and clients of one test. `stack` closes the server and the clients."""

    def __init__(
        self,
        folder: Path,
        stack: ExitStack,
        *,
        clicks_per_day: int = 20,
        accounts: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.stack = stack
        self.clock = ManualClock(NOW)
        self.sandbox = stack.enter_context(
            Sandbox(clock=self.clock.now, clicks_per_day=clicks_per_day, accounts=accounts)
        )
        self.url = stack.enter_context(serve(self.sandbox, timeout=5)).url

    def client(
        self,
        clock: Clock | None = None,
        /,
        *,
        connect_id: str = SAMPLE_CONNECT_ID,
        secret_key: str = SAMPLE_SECRET_KEY,
        **settings: object,
    ) -> Client:
        """Return a new client. It uses REST unless the settings say otherwise."""
        known = {"data_url": self.url, "data_protocol": "rest", **settings}
        environ = {f"SOAPCLIENT_{name.upper()}": str(value) for name, value in known.items() if value}
        config = Settings.load(environ=environ, connect_id=connect_id, secret_key=secret_key)
        client = Client(config, clock=clock or self.clock, random=lambda: 0.0)
        return self.stack.enter_context(client)

    def ids(self, account: str = SAMPLE_CONNECT_ID) -> list[str]:
        """Return the ids of the jobs that were really ordered."""
        return [job.id for job in self.sandbox.jobs.of(account)]
