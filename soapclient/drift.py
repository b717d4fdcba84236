"""What replies hold beyond their contract: counted per path, told to whoever asked to be told."""

from __future__ import annotations

import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Callable

from zxws._runtime import CountingReader, Finding
from zxws._runtime.reader import bounded

OnFinding = Callable[[str, Finding, int], None]

log = logging.getLogger(__name__)


class Drift:
    """The departures a client has met, for all its services. Threads may share it.

    `on_finding(operation, finding, times)` is called once per reply and kind of finding, in the thread that
    read the reply; what it raises goes to the caller of the operation.
    """

    def __init__(self, on_finding: OnFinding | None = None) -> None:
        self._on_finding = on_finding
        self._lock = threading.Lock()
        self._counts: defaultdict[str, Counter[Finding]] = defaultdict(Counter)

    def counts(self) -> dict[tuple[str, Finding], int]:
        """A copy of the counts: (operation, finding) → how often."""
        with self._lock:
            return {
                (operation, finding): times
                for operation, counted in self._counts.items()
                for finding, times in counted.items()
            }

    def add(self, operation: str, reader: CountingReader) -> None:
        """Take over what a reader found in one reply."""
        if not reader.findings:
            return
        found = dict(reader.findings)
        reader.findings.clear()
        with self._lock:
            counted = self._counts[operation]
            heard_of = {(finding.kind, finding.path) for finding in counted}
            for finding, times in found.items():
                counted[bounded(finding, counted)] += times
        for kind, path in {(finding.kind, finding.path): None for finding in found}:
            if (kind, path) not in heard_of:
                log.warning("%s: not as the contract says: %s at %s", operation, kind, path)
        for finding, times in found.items():
            if self._on_finding is not None:
                self._on_finding(operation, finding, times)
