"""Findings of a comparison, and the verdict on them."""

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
    """A change between two contracts, before a rule decides its severity.

    `name` is its key in the tables of `rules`.

    - `message`: what changed, and where.
    - `cause`: what changed, without the place. Changes with the same cause are shown as one entry. By
      default, this is `message`.
    - `operations`: the names of the affected operations. `requests`, `responses`: True if the change affects
      their requests or responses. If a type changed, `compare` sets these three attributes, because it knows
      which messages use the type.
    - `role`: a key in `rules.ROLES` if contracts.toml gives the element a role, such as paging; otherwise "".
    """

    name: str
    path: str
    message: str
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

    `message` is a sentence, and `remedy` says what to do. `old` and `new` are the places of the changed item;
    None if a side does not have it. Findings with the same `cause` (a sentence) are shown as one entry.
    """

    rule: str
    level: Level
    direction: Direction
    path: str
    operations: tuple[str, ...]
    old: Place | None
    new: Place | None
    message: str
    remedy: str
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """Findings with the same cause and the same remedy."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The first finding, in the order of the contract."""
        return self.findings[0]

    @property
    def message(self) -> str:
        """What happened: the message of the finding, or the common cause of several."""
        return self.first.message if len(self.findings) == 1 else self.first.cause or self.first.message

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations affected by any of the findings."""
        return tuple(dict.fromkeys(name for item in self.findings for name in item.operations))


def causes(findings: Sequence[Finding]) -> list[Cause]:
    """Merge findings with the same cause. The causes are in the order of their first findings."""
    merged: dict[tuple[str, ...], list[Finding]] = {}
    for item in findings:
        key = (item.rule, item.level, item.direction, item.cause or item.message, item.remedy)
        merged.setdefault(key, []).append(item)
    return [Cause(tuple(grouped)) for grouped in merged.values()]


def finding(change: Change, sentence: str = "") -> Finding:
    """Return the finding for a change. Its message is `sentence`, or by default the change's message."""
    rule, direction = verdict_of(change.name, requests=change.requests, responses=change.responses)
    message = sentence or _sentence(change.message)
    cause, remedy = _sentence(change.cause) if change.cause else message, rule.remedy
    if change.role:
        title, remedy = ROLES[change.role]
        cause = f"{title}: {rule.says[0].lower()}{rule.says[1:]}"
    return Finding(
        rule.name,
        rule.level,
        direction,
        change.path,
        change.operations,
        change.old,
        change.new,
        message,
        remedy,
        cause,
    )


def _sentence(text: str) -> str:
    """Convert a text to a sentence: first letter in upper case, full stop at the end."""
    return f"{text[0].upper()}{text[1:]}."


def not_checked(path: str, message: str, operations: tuple[str, ...] = ()) -> Finding:
    """Return a finding for a part that could not be compared.

    `path` must end in a hash of the part's new content. A line of the ignore file contains the path. If the
    part changes again, the hash changes, so the line no longer matches and the finding is reported again.
    """
    return finding(Change("not-checked", path, message, operations=operations), f"{message}.")


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a comparison.

    `ignored` are the findings that the ignore file accepts, `unused` are warnings about its unused lines.
    `error` says why the contracts could not be compared. In this case there are no findings.
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
        """The verdict on all findings that are not ignored."""
        return self.verdict_at("breaking")

    def verdict_at(self, fail_on: Level) -> Verdict:
        """Return the verdict. Changes of the level `fail_on` or worse count as breaking."""
        if self.error or self.number_of("unchecked"):
            return "unchecked"
        if any(self.number_of(level) for level in LEVELS[LEVELS.index(fail_on) :]):
            return "breaking"
        return "compatible" if self.findings else "same"

    def number_of(self, level: Level) -> int:
        """Return the number of findings with this level."""
        return sum(finding.level == level for finding in self.findings)


def worst(reports: Sequence[Report], fail_on: Level = "breaking") -> Verdict:
    """Return the worst verdict of several reports; "unchecked" if there are no reports."""
    verdicts = [report.verdict_at(fail_on) for report in reports]
    return max(verdicts, key=lambda verdict: EXIT_CODES[verdict], default="unchecked")


def clean(text: str) -> str:
    """Return a text as one line, with control characters and writing direction marks replaced."""
    return "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in " ".join(text.split())
    )
