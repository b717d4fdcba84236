"""What an export shows that the contract does not know: job states and columns, counted and logged."""

from __future__ import annotations

import logging
from typing import Protocol

from soapclient.exports.columns import ColumnDrift
from soapclient.exports.job import JobSnapshot
from soapclient.forks import Lock
from soapclient.runtime import CountingReader, Finding
from soapclient.runtime.settings import Job

log = logging.getLogger(__name__)


class Findings(Protocol):
    """Where departures from the contract are counted (soapclient.drift.Drift)."""

    def add(self, operation: str, reader: CountingReader, /) -> None: ...


class Departures:
    """Counts departures; each unknown state is logged once. Threads may share it."""

    def __init__(self, names: Job, findings: Findings | None) -> None:
        self._names = names
        self._findings = findings
        self._lock = Lock()
        self._told: set[str] = set()

    def unknown_state(self, job: JobSnapshot) -> None:
        """A job is in a state that no table knows."""
        names, status = self._names, job.status or ""
        self._count(names.poll, Finding("value", f"{names.item}/{names.status}", status))
        with self._lock:
            fresh = status not in self._told
            self._told.add(status)
        if fresh:
            log.warning("export job %s: unknown state %r, read as waiting", job.id, status)

    def columns(self, drift: ColumnDrift) -> None:
        """A file has other columns than those that were ordered, or that the contract names."""
        where = f"{drift.report_type}.csv"
        self._count(
            "download",
            *(Finding("missing", f"{where}/{name}", "") for name in drift.missing),
            *(Finding("element", f"{where}/{name}", "") for name in drift.added),
        )

    def _count(self, operation: str, *findings: Finding) -> None:
        if self._findings is not None:
            reader = CountingReader()
            reader.findings.update(findings)
            self._findings.add(operation, reader)
