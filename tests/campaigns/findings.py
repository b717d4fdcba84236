"""The result of a campaign: its figures, and the findings, things that should not have happened."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import dataclass, field


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


def _short(number: int | float) -> str:
    """Format a number for people: integers in full, floats shortened."""
    return str(number) if isinstance(number, int) else f"{number:g}"


@dataclass
class Report:
    """The result of a campaign. Thread-safe.

    `notes` are events that do not count as findings, with the reason.
    """

    campaign: str
    seed: int
    figures: dict[str, int | float] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, *found: Finding) -> None:
        """Add findings."""
        with self._lock:
            self.findings.extend(found)

    @property
    def exit_code(self) -> int:
        """0 if there are no findings, else 1."""
        return 1 if self.findings else 0

    def line(self) -> str:
        """Return the figures as one line."""
        figures = ", ".join(
            f"{name.replace('_', ' ')} {_short(number)}" for name, number in self.figures.items()
        )
        return f"{self.campaign} seed {self.seed}: {figures}, findings {len(self.findings)}"

    def tell(self, *, as_json: bool) -> None:
        """Print figures on stdout and findings on stderr, or everything as one JSON object on stdout.

        Only the JSON object includes the notes.
        """
        if as_json:
            told = [
                {"kind": one.kind, "where": one.where, "what": one.what, "faults": list(one.faults)}
                for one in self.findings
            ]
            head = {"campaign": self.campaign, "seed": self.seed, "figures": self.figures}
            print(json.dumps({**head, "findings": told, "notes": self.notes}))
            return
        for one in self.findings:
            print(one, file=sys.stderr)
        print(self.line())
