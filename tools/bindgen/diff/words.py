"""What all forms of a report say alike. Texts of a contract are made harmless for a terminal here."""

from __future__ import annotations

from bindgen.diff.findings import Finding, Report, Verdict
from bindgen.diff.rules import LEVELS
from bindgen.problems import Place

_VERDICTS: dict[Verdict, str] = {
    "same": "no change",
    "compatible": "compatible changes",
    "breaking": "breaking changes",
    "unchecked": "could not be checked",
}
_DIRECTIONS = {
    "request": "requests",
    "response": "responses",
    "both": "requests and responses",
    "contract": "the contract",
    "code": "generated code",
}
_MOST_NAMED = 4


def clean(text: str) -> str:
    """A text of one line without signs that steer a terminal or turn the direction of writing."""
    return "".join(
        sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in " ".join(text.split())
    )


def verdict(report: Report) -> str:
    """The verdict with the numbers of what was found."""
    counts = [f"{report.number_of(level)} {level}" for level in reversed(LEVELS) if report.number_of(level)]
    return ": ".join([_VERDICTS[report.verdict], *([", ".join(counts)] if counts else [])])


def direction(finding: Finding) -> str:
    """Who meets it."""
    return _DIRECTIONS[finding.direction]


def operations(finding: Finding) -> str:
    """The operations concerned: a few by name, the others by number."""
    names = finding.operations
    if len(names) <= _MOST_NAMED + 1:
        return clean(", ".join(names))
    return clean(f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more")


def place(found: Place | None) -> str:
    """`file:line`, or a dash where that side has nothing of the kind."""
    return "-" if found is None else clean(f"{found.file}:{found.line}")
