"""What a comparison found, and the verdict over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bindgen.diff.rules import LEVELS, Direction, Level
from bindgen.problems import Place

Verdict = Literal["same", "compatible", "breaking", "unchecked"]

EXIT_CODES: dict[Verdict, int] = {"same": 0, "compatible": 1, "breaking": 2, "unchecked": 3}


@dataclass(frozen=True, slots=True)
class Finding:
    """One change. `path` is `TYPE/FIELD` (`@` before an attribute), an operation, a port or a namespace.

    `said` is a sentence, `remedy` what to do; a place is None where that side has nothing of the kind.
    """

    rule: str
    level: Level
    direction: Direction
    path: str
    operations: tuple[str, ...]
    old: Place | None
    new: Place | None
    said: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Report:
    """A comparison: `ignored` were accepted by the ignore file, `unused` are its lines nothing needed.

    `error` says why nothing could be compared at all; then there are no findings.
    """

    name: str
    old: str
    new: str
    findings: tuple[Finding, ...] = ()
    ignored: tuple[Finding, ...] = ()
    unused: tuple[str, ...] = ()
    error: str = ""

    @property
    def verdict(self) -> Verdict:
        """What the findings that nobody accepted come to."""
        return self.judged("breaking")

    def judged(self, fail_on: Level) -> Verdict:
        """The verdict when changes from this level on number_of as breaking."""
        if self.error or self.number_of("unchecked"):
            return "unchecked"
        heavy = LEVELS[LEVELS.index(fail_on) :]
        if any(finding.level in heavy for finding in self.findings):
            return "breaking"
        return "compatible" if self.findings else "same"

    def number_of(self, level: Level) -> int:
        """How many findings there are of a level."""
        return sum(finding.level == level for finding in self.findings)


def worst(reports: Sequence[Report], fail_on: Level = "breaking") -> Verdict:
    """The worst verdict of several reports; of none, nothing was checked."""
    found = [report.judged(fail_on) for report in reports]
    return max(found, key=lambda verdict: EXIT_CODES[verdict], default="unchecked")
