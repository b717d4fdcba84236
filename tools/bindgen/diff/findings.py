"""What a comparison found, and the verdict over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bindgen.diff.rules import LEVELS, ROLES, Direction, Level, verdict_of
from bindgen.problems import Place

Verdict = Literal["same", "compatible", "breaking", "unchecked"]

EXIT_CODES: dict[Verdict, int] = {"same": 0, "compatible": 1, "breaking": 2, "unchecked": 3}


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one place, before it has its rule: `name` is a row of the rules.

    Of an operation, a port or the contract: the `operations` concerned and, where the row has both
    directions, whether `requests` and `responses` meet it. Of a type that is known from its pairs.
    `role` is the row of `rules.ROLES` of an element that has a role in contracts.toml.
    `cause` is what happened, without the name of the place; by default `said`.
    """

    name: str
    path: str
    said: str
    old: Place | None = None
    new: Place | None = None
    operations: tuple[str, ...] = ()
    requests: bool = False
    responses: bool = False
    role: str = ""
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One change. `path` is `TYPE/FIELD` (`@` before an attribute), an operation, a port or a namespace.

    `said` is a sentence, `remedy` what to do; a place is None where that side has nothing of the kind.
    Findings of one `cause`, which is a sentence too, are shown as one.
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
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """Findings that have one cause and one remedy."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that the contract has first."""
        return self.findings[0]

    @property
    def said(self) -> str:
        """What happened: the finding's own sentence if there is only one."""
        return self.first.said if len(self.findings) == 1 else self.first.cause or self.first.said

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations that meet any of the findings."""
        return tuple(dict.fromkeys(name for each in self.findings for name in each.operations))


def causes(findings: Sequence[Finding]) -> list[Cause]:
    """Merge findings of one cause, in the order of their first ones."""
    merged: dict[tuple[str, ...], list[Finding]] = {}
    for each in findings:
        key = (each.rule, each.level, each.direction, each.cause or each.said, each.remedy)
        merged.setdefault(key, []).append(each)
    return [Cause(tuple(listed)) for listed in merged.values()]


def finding(each: Change, sentence: str = "") -> Finding:
    """Return the finding for a change. It says what the change says, or the `sentence`."""
    rule, direction = verdict_of(each.name, requests=each.requests, responses=each.responses)
    said = sentence or _sentence(each.said)
    cause, remedy = _sentence(each.cause) if each.cause else said, rule.remedy
    if each.role:
        title, remedy = ROLES[each.role]
        cause = f"{title}: {rule.says[0].lower()}{rule.says[1:]}"
    return Finding(
        rule.name, rule.level, direction, each.path, each.operations, each.old, each.new, said, remedy, cause
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def not_checked(path: str, said: str, operations: tuple[str, ...] = ()) -> Finding:
    """A finding for what could not be compared; `path` ends in a hash of what it is now."""
    return finding(Change("not-checked", path, said, operations=operations), f"{said}.")


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
        """The verdict when changes from this level on count as breaking."""
        if self.error or self.number_of("unchecked"):
            return "unchecked"
        if any(self.number_of(level) for level in LEVELS[LEVELS.index(fail_on) :]):
            return "breaking"
        return "compatible" if self.findings else "same"

    def number_of(self, level: Level) -> int:
        """How many findings there are of a level."""
        return sum(finding.level == level for finding in self.findings)


def worst(reports: Sequence[Report], fail_on: Level = "breaking") -> Verdict:
    """The worst verdict of several reports; of none, nothing was checked."""
    found = [report.judged(fail_on) for report in reports]
    return max(found, key=lambda verdict: EXIT_CODES[verdict], default="unchecked")


def clean(text: str) -> str:
    """A text of one line without signs that steer a terminal or turn the direction of writing."""
    return "".join(
        sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in " ".join(text.split())
    )
