"""What replies hold beyond their contract: counted per path, told to whoever asked to be told."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable

from zxws._runtime import CountingReader, Finding

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
        self._counts: Counter[tuple[str, Finding]] = Counter()

    def counts(self) -> dict[tuple[str, Finding], int]:
        """A copy of the counts: (operation, finding) → how often."""
        with self._lock:
            return dict(self._counts)

    def add(self, operation: str, reader: CountingReader) -> None:
        """Take over what a reader found in one reply."""
        if not reader.findings:
            return
        found = dict(reader.findings)
        reader.findings.clear()
        with self._lock:
            fresh = {finding for finding in found if (operation, finding) not in self._counts}
            for finding, times in found.items():
                self._counts[operation, finding] += times
        for finding, times in found.items():
            if finding in fresh:
                log.warning("%s: not as the contract says: %s at %s", operation, finding.kind, finding.path)
            if self._on_finding is not None:
                self._on_finding(operation, finding, times)
