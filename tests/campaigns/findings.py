"""The result of a campaign: its figures, and the findings, things that should not have happened."""

from __future__ import annotations

import json
import math
import sys
import threading
import time
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Finding:
    """Something that must never happen. `kind` is a short category, `where` names the call or export."""

    kind: str
    where: str
    what: str
    faults: tuple[str, ...] = ()

    def __str__(self) -> str:
        met = "".join(f"\n    {one}" for one in self.faults)
        return f"{self.kind}: {self.where}: {self.what}{met}"


@dataclass
class Report:
    """The result of a campaign. Thread-safe.

    `notes` are events that do not count as findings, with the reason. The campaign begins nothing after
    `minutes`.
    """

    campaign: str
    seed: int
    figures: dict[str, int | float] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    minutes: float | None = None
    _begun: float = field(default_factory=time.monotonic, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, *found: Finding) -> None:
        with self._lock:
            self.findings.extend(found)

    @property
    def left(self) -> float:
        """The seconds until nothing may begin."""
        return math.inf if self.minutes is None else self._begun + 60 * self.minutes - time.monotonic()

    def timed(self) -> Report:
        """Add the duration of the campaign to the figures."""
        self.figures["seconds"] = round(time.monotonic() - self._begun, 1)
        return self

    @property
    def kinds(self) -> set[str]:
        """The kinds of all findings."""
        return {one.kind for one in self.findings}

    def __str__(self) -> str:
        """Return the findings, for the message of a test."""
        return "\n".join(map(str, self.findings))

    @property
    def exit_code(self) -> int:
        """0 if there are no findings, else 1."""
        return 1 if self.findings else 0

    def line(self) -> str:
        """Return the figures as one line: integers in full, floats shortened."""
        figures = ", ".join(
            f"{name.replace('_', ' ')} {number if isinstance(number, int) else f'{number:g}'}"
            for name, number in self.figures.items()
        )
        return f"{self.campaign} seed {self.seed}: {figures}, findings {len(self.findings)}"

    def tell(self, *, as_json: bool) -> None:
        """Print figures on stdout and findings on stderr, or everything as one JSON object on stdout.

        Only the JSON object includes the notes.
        """
        if as_json:
            told = [asdict(one) for one in self.findings]
            head = {"campaign": self.campaign, "seed": self.seed, "figures": self.figures}
            print(json.dumps({**head, "findings": told, "notes": self.notes}))
            return
        if self.findings:
            print(self, file=sys.stderr)
        print(self.line())
